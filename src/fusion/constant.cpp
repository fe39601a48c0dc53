// SPDX-License-Identifier: Apache-2.0
#include "fusion/constant.hpp"

#include "core/half.hpp"
#include "core/rounding.hpp"

#include <bit>
#include <cmath>

namespace xp::detail {
namespace {

bool integral(const Scalar& scalar) { return scalar.kind() <= Scalar::Kind::unsigned_integer; }

// `nearest` moved to its neighbour with an odd last bit when it is not the exact value, so that rounding it again gives
// what one rounding of the exact value would. `above`: nearest is greater in magnitude.
double to_odd(double nearest, bool exact, bool above) {
  if (exact) return nearest;
  auto bits = std::bit_cast<std::uint64_t>(nearest);
  if (above) --bits;
  return std::bit_cast<double>(bits | 1);
}

// The number as a double; an integer beyond 2^53 is rounded to odd.
double real_to_odd(const Scalar& scalar) {
  if (!integral(scalar)) return scalar.real();
  const bool is_unsigned = scalar.kind() == Scalar::Kind::unsigned_integer;
  const bool negative = !is_unsigned && scalar.integer() < 0;
  const std::uint64_t magnitude = negative ? 0 - scalar.unsigned_integer() : scalar.unsigned_integer();
  const double nearest = static_cast<double>(magnitude);
  const bool beyond = nearest >= 0x1p64;  // rounded up past the last uint64
  const bool exact = !beyond && static_cast<std::uint64_t>(nearest) == magnitude;
  const bool above = beyond || static_cast<std::uint64_t>(nearest) > magnitude;
  const double value = to_odd(nearest, exact, above);
  return negative ? -value : value;
}

// Out of line, so that no arithmetic moves to where the rounding mode is still the caller's.
[[gnu::noinline]] double rounded_to_nearest(const Scalar& scalar, DType dtype) {
  switch (dtype) {
    case DType::float16:
      return static_cast<double>(half_value(half_bits(real_to_odd(scalar))));
    case DType::bfloat16: {
      const double value = real_to_odd(scalar);
      const float nearest = static_cast<float>(value);
      if (static_cast<double>(nearest) == value || std::isnan(value) || std::isinf(nearest) || nearest == 0)
        return static_cast<double>(bfloat16_value(bfloat16_bits(nearest)));
      auto bits = std::bit_cast<std::uint32_t>(nearest);
      if (std::abs(static_cast<double>(nearest)) > std::abs(value)) --bits;
      return static_cast<double>(bfloat16_value(bfloat16_bits(std::bit_cast<float>(bits | 1))));
    }
    case DType::float32:
      return static_cast<double>(static_cast<float>(real_to_odd(scalar)));
    default:
      if (!integral(scalar)) return scalar.real();
      return scalar.kind() == Scalar::Kind::unsigned_integer ? static_cast<double>(scalar.unsigned_integer())
                                                             : static_cast<double>(scalar.integer());
  }
}

double rounded(const Scalar& scalar, DType dtype) {
  if (dtype == DType::float64 && !integral(scalar)) return scalar.real();
  const NearestRounding nearest;
  return rounded_to_nearest(scalar, dtype);
}

std::int64_t wrap_to(DType dtype, std::int64_t value) {
  switch (dtype) {
    case DType::int8:
      return static_cast<std::int8_t>(value);
    case DType::int16:
      return static_cast<std::int16_t>(value);
    case DType::int32:
      return static_cast<std::int32_t>(value);
    case DType::uint8:
      return static_cast<std::uint8_t>(value);
    case DType::uint16:
      return static_cast<std::uint16_t>(value);
    case DType::uint32:
      return static_cast<std::uint32_t>(value);
    default:
      return value;
  }
}

// As the kernels cast: truncated, saturated, NaN gives 0.
std::int64_t integer_from(double value, DType dtype) {
  if (std::isnan(value)) return 0;
  const int bits = static_cast<int>(8 * itemsize(dtype));
  if (kind(dtype) == DTypeKind::unsigned_integer) {
    if (value <= 0) return 0;
    if (value >= std::ldexp(1.0, bits)) return static_cast<std::int64_t>(~std::uint64_t{0} >> (64 - bits));
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(value));
  }
  const double limit = std::ldexp(1.0, bits - 1);
  if (value >= limit) return static_cast<std::int64_t>((std::uint64_t{1} << (bits - 1)) - 1);
  if (value <= -limit) return static_cast<std::int64_t>(~std::uint64_t{0} << (bits - 1));
  return static_cast<std::int64_t>(value);
}

}  // namespace

xp_constant constant_bits(const Scalar& scalar, DType dtype, int width) {
  xp_constant bits{};
  switch (kind(dtype)) {
    case DTypeKind::boolean: {
      const bool truth = integral(scalar) ? scalar.integer() != 0 : scalar.real() != 0 || scalar.imag() != 0;
      if (width == 32)
        bits.u32[0] = truth;
      else
        bits.u64[0] = truth;
      break;
    }
    case DTypeKind::signed_integer:
    case DTypeKind::unsigned_integer: {
      const std::int64_t value =
          integral(scalar) ? wrap_to(dtype, scalar.integer()) : integer_from(scalar.real(), dtype);
      if (width == 32)
        bits.u32[0] = static_cast<std::uint32_t>(value);
      else
        bits.i64[0] = value;
      break;
    }
    case DTypeKind::real:
      if (width == 32)
        bits.f32[0] = static_cast<float>(rounded(scalar, dtype));
      else
        bits.f64[0] = rounded(scalar, dtype);
      break;
    case DTypeKind::complex:
      if (dtype == DType::complex64) {
        bits.f32[0] = static_cast<float>(rounded(scalar, DType::float32));
        bits.f32[1] = static_cast<float>(rounded(scalar.imag(), DType::float32));
      } else {
        bits.f64[0] = rounded(scalar, DType::float64);
        bits.f64[1] = scalar.imag();
      }
      break;
  }
  return bits;
}

}  // namespace xp::detail
