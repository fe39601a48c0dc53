// SPDX-License-Identifier: Apache-2.0
#include <xp/creation.hpp>
#include <xp/elementwise.hpp>
#include <xp/random.hpp>

#include "core/promote.hpp"
#include "core/rounding.hpp"
#include "core/storage.hpp"
#include "device/stats.hpp"
#include "fusion/recorder.hpp"

#include <cmath>

namespace xp {

using detail::Access;

namespace {

Array fresh(const Shape& shape, DType dtype, Device device) {
  const Index size = element_count(shape);
  detail::checked_bytes(size, dtype, shape);
  detail::DeviceState& state = detail::open_device(device);
  state.check_usable();
  return Access::fresh(state, dtype, shape, size);
}

Array filled(Array array, Scalar value) {
  if (array.size() == 0) return array;
  const Operand operand(value);
  detail::Operation operation;
  operation.type = operation.result = array.dtype();
  operation.count = 1;
  operation.arguments[0] = {&operand, array.dtype()};
  detail::Recorder::of(Access::device(array)).record(operation, array, true);
  return array;
}

Array fresh_like(const char* function, const Array& like, std::optional<DType> dtype) {
  detail::check_has_value(like, function);
  return Access::fresh(Access::device(like), dtype.value_or(like.dtype()), like.shape(),
                       detail::strides_in_order_of(like.shape(), like.strides()), like.size());
}

// 0, 1, … as int64.
Array positions(Index count, Device device) {
  Array result = fresh(Shape{count}, DType::int64, device);
  detail::Operation operation;
  operation.op = Op::index;
  operation.type = operation.result = DType::int64;
  if (count != 0) detail::Recorder::of(Access::device(result)).record(operation, result, true);
  return result;
}

bool integral(const Scalar& scalar) {
  return scalar.kind() == Scalar::Kind::integer || scalar.kind() == Scalar::Kind::unsigned_integer ||
         scalar.kind() == Scalar::Kind::boolean;
}

}  // namespace

Array empty(const Shape& shape, DType dtype, Device device) {
  Array result = fresh(shape, dtype, device);
  if (result.size() != 0) detail::allocate_now(*Access::storage(result));
  return result;
}

Array zeros(const Shape& shape, DType dtype, Device device) { return filled(fresh(shape, dtype, device), 0); }

Array ones(const Shape& shape, DType dtype, Device device) { return filled(fresh(shape, dtype, device), 1); }

Array full(const Shape& shape, Scalar value, std::optional<DType> dtype, Device device) {
  const DType type = dtype.value_or(detail::default_dtype(value));
  detail::check_scalar_fits(value, type);
  return filled(fresh(shape, type, device), value);
}

Array empty_like(const Array& like, std::optional<DType> dtype) {
  Array result = fresh_like("empty_like", like, dtype);
  if (result.size() != 0) detail::allocate_now(*Access::storage(result));
  return result;
}
Array zeros_like(const Array& like, std::optional<DType> dtype) {
  return filled(fresh_like("zeros_like", like, dtype), 0);
}
Array ones_like(const Array& like, std::optional<DType> dtype) {
  return filled(fresh_like("ones_like", like, dtype), 1);
}
Array full_like(const Array& like, Scalar value, std::optional<DType> dtype) {
  detail::check_has_value(like, "full_like");
  detail::check_scalar_fits(value, dtype.value_or(like.dtype()));
  return filled(fresh_like("full_like", like, dtype), value);
}

namespace {

// Out of line, so that no arithmetic moves to where the rounding mode is still the caller's.
[[gnu::noinline]] Array make_range(Scalar start, Scalar stop, Scalar step, std::optional<DType> dtype, Device device) {
  for (const Scalar& value : {start, stop, step})
    if (value.kind() == Scalar::Kind::complex) throw DTypeError("arange: complex bounds have no order");
  const bool integers = integral(start) && integral(stop) && integral(step);
  DType type = DType::float64;
  if (integers) type = DType::int64;
  for (const Scalar& value : {start, stop, step})
    if (integers && detail::default_dtype(value) == DType::uint64) type = DType::uint64;
  type = dtype.value_or(type);
  if (type == DType::bool_) throw DTypeError("arange: dtype bool is not supported");
  if (step.real() == 0) throw Error("arange: step must not be zero");
  Index count;
  if (integers) {
    // In 128 bits: stop - start of extreme bounds does not fit 64.
    auto wide = [](const Scalar& s) {
      return s.kind() == Scalar::Kind::unsigned_integer ? static_cast<__int128>(s.unsigned_integer())
                                                        : static_cast<__int128>(s.integer());
    };
    const __int128 distance = wide(stop) - wide(start), by = wide(step);
    const __int128 number = distance == 0 || (distance > 0) != (by > 0) ? 0 : (distance + by - (by > 0 ? 1 : -1)) / by;
    if (number > INT64_MAX) throw ShapeError("arange: maximum allowed size exceeded");
    count = static_cast<Index>(number);
  } else {
    const double number = std::ceil((stop.real() - start.real()) / step.real());
    if (std::isnan(number)) throw Error("arange: cannot compute length");
    if (number >= 0x1p63) throw ShapeError("arange: maximum allowed size exceeded");
    count = static_cast<Index>(std::max(number, 0.0));
  }
  if (count > 0) detail::check_scalar_fits(start, type);
  Array index = positions(count, device);
  if (kind(type) == DTypeKind::signed_integer || kind(type) == DTypeKind::unsigned_integer) {
    if (!integers) {
      // NumPy takes the first two values in the dtype and goes on by their difference.
      const auto first = static_cast<std::int64_t>(start.real());
      const auto delta = static_cast<std::int64_t>(start.real() + step.real()) - first;
      return add(multiply(std::move(index), delta), first).astype(type);
    }
    return add(multiply(std::move(index), step.integer()), start.integer()).astype(type);
  }
  if (type == DType::float64) {
    const double delta = (start.real() + step.real()) - start.real();
    return add(multiply(index.astype(DType::float64), delta), start.real());
  }
  if (kind(type) == DTypeKind::complex) {
    const double delta = (start.real() + step.real()) - start.real();
    return add(multiply(index.astype(DType::float64), delta), start.real()).astype(type);
  }
  // float32, and the half types by way of it: the first two values are rounded to the dtype, then all is done in
  // float32.
  auto round = [type](double value) {
    if (type == DType::float16) return static_cast<float>(Half(static_cast<float>(value)));
    if (type == DType::bfloat16) return static_cast<float>(BFloat16(static_cast<float>(value)));
    return static_cast<float>(value);
  };
  const float first = round(start.real()), delta = round(start.real() + step.real()) - first;
  return add(multiply(index.astype(DType::float32), delta), first).astype(type);
}

}  // namespace

Array arange(Scalar start, Scalar stop, Scalar step, std::optional<DType> dtype, Device device) {
  const detail::NearestRounding nearest;
  return make_range(start, stop, step, dtype, device);
}

Array arange(Scalar stop, std::optional<DType> dtype, Device device) { return arange(0, stop, 1, dtype, device); }

namespace {

[[gnu::noinline]] Array make_linspace(double start, double stop, Index num, bool endpoint, DType dtype, Device device) {
  if (num < 0) throw Error("linspace: number of samples, " + std::to_string(num) + ", must be non-negative");
  const Index divisions = endpoint ? num - 1 : num;
  const double delta = stop - start;
  Array values = positions(num, device).astype(DType::float64);
  if (divisions > 0) {
    const double step = delta / static_cast<double>(divisions);
    // A step that underflows would lose all; NumPy then scales the fractions instead.
    if (step == 0)
      values = multiply(divide(std::move(values), static_cast<double>(divisions)), delta);
    else
      values *= step;
  } else {
    values *= delta;
  }
  values += start;
  if (endpoint && num > 1) values(num - 1) = stop;
  return dtype == DType::float64 ? values : values.astype(dtype);
}

}  // namespace

Array detail::linspace(double start, double stop, Index num, bool endpoint, DType dtype, Device device) {
  const detail::NearestRounding nearest;
  return make_linspace(start, stop, num, endpoint, dtype, device);
}

namespace random {

Generator::Generator(std::uint64_t seed, Device device) : seed_(seed), device_(device) {}

Array Generator::random(const Shape& shape, DType dtype) { return draw("random", 0, 1, shape, dtype); }

Array Generator::uniform(double low, double high, const Shape& shape, DType dtype) {
  if (!std::isfinite(high - low)) throw Error("uniform: high - low range exceeds valid bounds");
  return draw("uniform", low, high, shape, dtype);
}

Array Generator::draw(const char* function, double low, double high, const Shape& shape, DType dtype) {
  if (dtype != DType::float32 && dtype != DType::float64)
    throw DTypeError(std::string(function) + ": unsupported dtype " + std::string(name(dtype)) +
                     "; expected float32 or float64");
  Array result = empty(shape, dtype, device_);
  if (result.size() == 0) return result;
  detail::DeviceState& state = Access::device(result);
  xp_random_args arguments{};
  arguments.size = sizeof arguments;
  arguments.dtype = static_cast<std::uint8_t>(dtype);
  arguments.data = Access::address(result);
  arguments.count = result.size();
  arguments.seed = seed_;
  arguments.offset = offset_;
  arguments.low = low;
  arguments.high = high;
  xp_error error{sizeof error, XP_OK, {}};
  state.check(state.backend->api->random(state.handle, &arguments, &error), error);
  detail::counters().kernels.add();
  const std::uint64_t per_block = dtype == DType::float64 ? 2 : 4;
  offset_ += (static_cast<std::uint64_t>(result.size()) + per_block - 1) / per_block;
  return result;
}

}  // namespace random
}  // namespace xp
