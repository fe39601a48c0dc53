// SPDX-License-Identifier: Apache-2.0
// Functions made of elementwise operations, by NumPy's definitions.
#include <xp/creation.hpp>
#include <xp/functions.hpp>
#include <xp/reduce.hpp>

#include "ops/ufunc.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace xp {
namespace detail {
namespace {

// A view of the parts of complex numbers, as a last axis of 2.
Array parts_of(const Array& array) {
  Shape shape = array.shape(), strides = array.strides();
  for (Index& stride : strides) stride *= 2;
  shape.push_back(2);
  strides.push_back(1);
  return Access::make(Access::ref(array), 2 * array.offset(), real_part(array.dtype()), std::move(shape),
                      std::move(strides), 2 * array.size());
}

// The function of each part of a complex array.
template <class F>
Array by_parts(const Array& array, F&& function) {
  Array out = empty_like(array);
  parts_of(out).assign(function(parts_of(array)));
  return out;
}

double greatest(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return 65504;
    case DType::bfloat16:
      return 0x1.fep127;
    case DType::float32:
      return std::numeric_limits<float>::max();
    default:
      return std::numeric_limits<double>::max();
  }
}

double epsilon(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return 0x1p-10;
    case DType::bfloat16:
      return 0x1p-7;
    case DType::float32:
      return 0x1p-23;
    default:
      return 0x1p-52;
  }
}

Array round_real(const Operand& a, int decimals) {
  const double factor = std::pow(10.0, std::abs(decimals));
  if (decimals > 0) return divide(rint(multiply(a, factor)), factor);
  return multiply(rint(divide(a, factor)), factor);
}

// Whether every element of an integer array is on the right side of a bound that is an integer.
bool is_beyond(const Operand& a, const Operand& bound, bool is_upper) {
  if (a.is_scalar() || !bound.is_scalar()) return false;
  const DType dtype = a.array().dtype();
  const Scalar& value = bound.scalar();
  if (kind(dtype) != DTypeKind::signed_integer && kind(dtype) != DTypeKind::unsigned_integer) return false;
  if (value.kind() != Scalar::Kind::integer && value.kind() != Scalar::Kind::unsigned_integer) return false;
  try {
    check_scalar_fits(value, dtype);
    return false;
  } catch (const DTypeError&) {
    const bool is_high = value.kind() == Scalar::Kind::unsigned_integer || value.integer() > 0;
    return is_high == is_upper;
  }
}

// Arrays promote first, then numbers by their kind; numbers alone by their default dtypes.
DType common_type(const std::vector<const Operand*>& values) {
  DType type = DType::bool_;  // promotes to whatever comes
  bool any_array = false;
  for (const Operand* value : values) {
    if (value->is_scalar()) continue;
    type = promote_types(type, value->array().dtype());
    any_array = true;
  }
  for (const Operand* value : values) {
    if (!value->is_scalar()) continue;
    const Scalar& scalar = value->scalar();
    type = any_array ? promote_weak(type, scalar.kind()) : promote_types(type, default_dtype(scalar));
  }
  return type;
}

}  // namespace
}  // namespace detail

using detail::kept;

std::pair<Array, Array> divmod(const Operand& a, const Operand& b) {
  Array quotient = detail::quick_binary(detail::divmod_quotient_rule, kept(a), kept(b));
  return {std::move(quotient), detail::quick_binary(detail::divmod_remainder_rule, a, b)};
}
std::pair<Array, Array> divmod(const Operand& a, const Operand& b, const UfuncPairOptions& options) {
  return detail::binary_pair(detail::divmod_quotient_rule, detail::divmod_remainder_rule, a, b, options);
}

std::pair<Array, Array> frexp(const Operand& a) {
  Array mantissa = detail::unary(Op::frexp_mantissa, kept(a));
  return {std::move(mantissa), detail::unary(Op::frexp_exponent, a)};
}
std::pair<Array, Array> frexp(const Operand& a, const UfuncPairOptions& options) {
  return detail::unary_pair(detail::rule_of(Op::frexp_mantissa), detail::rule_of(Op::frexp_exponent), a, options);
}

std::pair<Array, Array> modf(const Operand& a) {
  Array fraction = detail::unary(Op::modf_fraction, kept(a));
  return {std::move(fraction), detail::unary(detail::modf_integral_rule, a)};
}
std::pair<Array, Array> modf(const Operand& a, const UfuncPairOptions& options) {
  return detail::unary_pair(detail::rule_of(Op::modf_fraction), detail::modf_integral_rule, a, options);
}

Array round(const Operand& a, int decimals) {
  if (a.is_scalar()) return round(full({}, a.scalar()), decimals);
  const Array& array = a.array();
  detail::check_has_value(array, "round");
  const DType dtype = array.dtype();
  switch (kind(dtype)) {
    case DTypeKind::boolean:
      if (decimals != 0)
        throw DTypeError(std::string("round: Cannot cast ufunc '") + (decimals > 0 ? "multiply" : "divide") +
                         "' output from dtype('float64') to dtype('bool') with casting rule 'same_kind'");
      return rint(a);
    case DTypeKind::unsigned_integer:
    case DTypeKind::signed_integer:
      return decimals >= 0 ? positive(a) : detail::round_real(a, decimals).astype(dtype);
    case DTypeKind::real:
      return decimals == 0 ? rint(a) : detail::round_real(a, decimals);
    case DTypeKind::complex:
      if (decimals == 0) return rint(a);
      return detail::by_parts(array, [decimals](const Array& parts) { return detail::round_real(parts, decimals); });
  }
  return rint(a);
}

Array round(const Operand& a, int decimals, const OutOptions& options) {
  if (!options.out.has_value()) return round(a, decimals);
  if (a.is_scalar()) return round(full({}, a.scalar(), std::nullopt, options.out.device()), decimals, options);
  const Array& array = a.array();
  detail::check_has_value(array, "round");
  if (!(array.shape() == options.out.shape()))
    throw ShapeError("round: invalid output shape " + to_string(options.out.shape()) + ", the array has " +
                     to_string(array.shape()));
  const bool is_integral = kind(array.dtype()) < DTypeKind::real;
  const bool in_float = array.dtype() == DType::bool_ ? decimals != 0 : is_integral && decimals < 0;
  return detail::unary(detail::round_rule, in_float ? detail::round_real(a, decimals) : round(a, decimals),
                       {.out = options.out});
}

Array clip(const Operand& a, const std::optional<Operand>& low, const std::optional<Operand>& high) {
  const bool is_plain = !a.is_scalar() && !(low && !low->is_scalar()) && !(high && !high->is_scalar());
  if (!is_plain) return clip(a, low, high, {});
  const bool has_low = low.has_value() && !detail::is_beyond(a, *low, false);
  const bool has_high = high.has_value() && !detail::is_beyond(a, *high, true);
  if (has_low && has_high) return minimum(maximum(a, *low), *high);
  if (has_low) return maximum(a, *low);
  if (has_high) return minimum(a, *high);
  return a.array().copy();
}

Array clip(const Operand& a, const std::optional<Operand>& low, const std::optional<Operand>& high,
           const UfuncOptions& options) {
  if (a.is_scalar()) {
    // Not weak: NumPy makes an array of it, too.
    Device device;
    for (const Array* array : {low && !low->is_scalar() ? &low->array() : nullptr,
                               high && !high->is_scalar() ? &high->array() : nullptr, &options.out, &options.where})
      if (device.name().empty() && array != nullptr && array->has_value()) device = array->device();
    return clip(full({}, a.scalar(), std::nullopt, device), low, high, options);
  }
  const bool has_low = low.has_value() && !detail::is_beyond(a, *low, false);
  const bool has_high = high.has_value() && !detail::is_beyond(a, *high, true);
  if (!has_low && !has_high) return detail::unary({Op::load, "clip", Accepts::any, Returns::same}, a, options);
  if (!has_high) return maximum(a, *low, options);
  if (!has_low) return minimum(a, *high, options);
  // Three operands promote together.
  UfuncOptions each = options;
  each.dtype = detail::check(detail::clip_rule, {&a, &*low, &*high}, options);
  each.casting = Casting::unsafe;
  return minimum(maximum(a, *low, {.dtype = each.dtype, .casting = Casting::unsafe}), *high, each);
}

Array isclose(const Operand& a, const Operand& b, double rtol, double atol, bool equal_nan) {
  if (a.is_scalar() && b.is_scalar()) return isclose(full({}, a.scalar()), b, rtol, atol, equal_nan);
  const Operand x = kept(a);
  Array result;
  if (b.is_scalar()) {
    const Scalar value = b.scalar().kind() == Scalar::Kind::complex ? b.scalar() : Scalar(b.scalar().real());
    const double magnitude = std::hypot(value.real(), value.imag());
    result = x == value;
    if (std::isfinite(magnitude)) result |= abs(x - value) <= rtol * magnitude + atol;
    if (equal_nan && std::isnan(magnitude)) result |= isnan(x);
  } else {
    // Floats, because the magnitude of the least integer is none.
    const Array& other = b.array();
    detail::check_has_value(other, "isclose");
    const Array y = kind(other.dtype()) < DTypeKind::real ? other.astype(float64) : other;
    result = ((abs(x - y) <= rtol * abs(y) + atol) & isfinite(y)) | (x == y);
    if (equal_nan) result |= isnan(x) & isnan(y);
  }
  a.release();
  b.release();
  return result;
}

bool allclose(const Operand& a, const Operand& b, double rtol, double atol, bool equal_nan) {
  const Array close = isclose(a, b, rtol, atol, equal_nan);
  return sum(close).item<std::int64_t>() == close.size();
}

Array nan_to_num(const Operand& a, const NanToNumOptions& options) {
  if (a.is_scalar()) return nan_to_num(full({}, a.scalar()), options);
  const Array& array = a.array();
  detail::check_has_value(array, "nan_to_num");
  if (!options.copy) {
    if (kind(array.dtype()) < DTypeKind::real) return array;
    if (!array.writeable()) throw ShapeError("nan_to_num: assignment destination is read-only");
    NanToNumOptions copied = options;
    copied.copy = true;
    return array.assign(nan_to_num(array, copied));
  }
  if (kind(array.dtype()) < DTypeKind::real) return array.copy();
  if (kind(array.dtype()) == DTypeKind::complex)
    return detail::by_parts(array, [&](const Array& parts) { return nan_to_num(parts, options); });
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double greatest = detail::greatest(array.dtype());
  Array finite = where(array == -infinity, options.neginf.value_or(-greatest), array);
  finite = where(array == infinity, options.posinf.value_or(greatest), std::move(finite));
  return where(isnan(a), options.nan, std::move(finite));
}

Array sinc(const Operand& a) {
  const Array x = a.is_scalar() ? full({}, a.scalar()) * std::numbers::pi : multiply(a, std::numbers::pi);
  const double tiny = kind(x.dtype()) == DTypeKind::complex ? 1e-20 : detail::epsilon(x.dtype());
  const Array y = where(x != 0, x, tiny);
  return sin(y) / y;
}

Array select(const std::vector<Operand>& conditions, const std::vector<Operand>& choices, const Operand& fallback) {
  if (conditions.size() != choices.size())
    throw ShapeError("select: list of cases must be same length as list of conditions");
  if (conditions.empty()) throw ShapeError("select: select with an empty condition list is not possible");
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const Operand& condition = conditions[i];
    if (condition.is_scalar() ? condition.scalar().kind() != Scalar::Kind::boolean
                              : condition.array().dtype() != DType::bool_)
      throw DTypeError("select: invalid entry " + std::to_string(i) + " in condlist: should be boolean ndarray");
  }
  std::vector<const Operand*> values{&fallback};
  for (const Operand& choice : choices) values.push_back(&choice);
  const DType type = detail::common_type(values);
  // From the last to the first, which so takes precedence.
  Array result;
  Operand start = fallback;  // until the first array
  for (std::size_t i = conditions.size(); i-- > 0;) {
    const Operand &condition = conditions[i], &choice = choices[i];
    Array previous = std::exchange(result, Array());
    const Operand rest = previous.has_value() ? Operand(std::move(previous)) : start;
    const detail::Operands all{&condition, &choice, &rest};
    if (detail::no_arrays(all)) {
      if (condition.scalar().integer() != 0) start = choice;
      continue;
    }
    detail::Common common;
    detail::analyse("select", all, common);
    Array chosen = detail::record(detail::rule_of(Op::where), all, common, type);
    result = std::move(chosen);
  }
  if (!result.has_value()) return full({}, start.scalar(), type);
  return result;
}

}  // namespace xp
