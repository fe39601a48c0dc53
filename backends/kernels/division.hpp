// SPDX-License-Identifier: Apache-2.0
// Quotients and remainders with NumPy's rules: of integers 0 for a divisor 0, of floats as npy_divmod.
#pragma once

#include "core/ops.hpp"
#include "kernels/numbers.hpp"

namespace xp::kernels {

#if !defined(__CUDA_ARCH__)
/// Processors divide vectors of floats, but not of integers: the rounded quotient of integers that have fewer bits than
/// the mantissa is no less than its whole part, and less than the next. b is not 0, nor -1 for signed T.
template <Integer T>
inline constexpr bool divides_as_real = sizeof(T) <= 4;
template <Integer T>
inline T quotient_as_real(T a, T b) {
  using Real = std::conditional_t<sizeof(T) <= 2, float, double>;
  using Wide = std::conditional_t<std::is_signed_v<T> || sizeof(T) <= 2, std::int32_t, std::uint32_t>;
  return static_cast<T>(static_cast<Wide>(static_cast<Real>(a) / static_cast<Real>(b)));
}
#else
template <Integer T>
inline constexpr bool divides_as_real = false;
#endif

/// Of integers: toward zero, 0 for a divisor 0, wrapping for the least number by -1.
template <Integer T>
KOKKOS_INLINE_FUNCTION T quotient_toward_zero(T a, T b) {
#if !defined(__CUDA_ARCH__)
  if constexpr (divides_as_real<T>) {
    // All selections, for vectors.
    bool is_minus_one = false;
    if constexpr (std::is_signed_v<T>) is_minus_one = b == -1;
    const T divisor = b == 0 || is_minus_one ? T{1} : b, quotient = quotient_as_real(a, divisor);
    const T result = is_minus_one ? Negative::apply(quotient) : quotient;
    return b == 0 ? T{0} : result;
  }
#endif
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return Negative::apply(a);
  return a / b;
}
/// What is left of `a` by that quotient; 0 for a divisor 0.
template <Integer T>
KOKKOS_INLINE_FUNCTION T rest_toward_zero(T a, T b) {
  if constexpr (divides_as_real<T>) {
    using W = typename Wrapping<T>::type;
    const W product = static_cast<W>(static_cast<W>(quotient_toward_zero(a, b)) * static_cast<W>(b));
    return b == 0 ? T{0} : static_cast<T>(static_cast<W>(static_cast<W>(a) - product));
  } else {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return 0;
    return a % b;
  }
}
template <Integer T>
KOKKOS_INLINE_FUNCTION T quotient_down(T a, T b) {
  const T quotient = quotient_toward_zero(a, b);
  if constexpr (std::is_signed_v<T>) {
    using W = typename Wrapping<T>::type;
    // The product tells whether something is left: `%` would be another division.
    const bool exact = static_cast<W>(static_cast<W>(quotient) * static_cast<W>(b)) == static_cast<W>(a);
    const bool below = !exact && b != 0 && (a < 0) != (b < 0);
    return static_cast<T>(quotient - static_cast<T>(below));
  } else {
    return quotient;
  }
}

/// Whether a / b, of which `ratio` is the rounded value, leaves an exact rest in one step: its whole part has fewer
/// bits than T's mantissa by `spare`, so that it is a number of T, one too large if the ratio was rounded up to it; and
/// what is left of `a` is a multiple of b's last bit, and smaller than b.
template <int spare, Floating T>
KOKKOS_INLINE_FUNCTION bool divides_in_one_step(T ratio, T b) {
  constexpr T limit = static_cast<T>((sizeof(T) == 8 ? std::uint64_t{1} << 53 : std::uint64_t{1} << 24) >> spare);
  return std::fabs(ratio) < limit && std::fabs(b) <= most<T>;
}

/// As npy_divmod: the remainder has the divisor's sign, the quotient is snapped to the nearest integer.
template <Floating T>
KOKKOS_INLINE_FUNCTION T divide_down(T a, T b, T& remainder) {
  const T ratio = a / b;
  T quotient, rest;
  if (divides_in_one_step<2>(ratio, b)) {
    quotient = std::trunc(ratio);
    rest = std::fma(-quotient, b, a);
  } else {
    rest = std::fmod(a, b);
    if (b == 0) {
      remainder = rest;  // NaN
      return ratio;
    }
    quotient = (a - rest) / b;
  }
  if (rest == 0) {
    rest = std::copysign(T{0}, b);
  } else if ((b < 0) != (rest < 0)) {
    rest += b;
    quotient -= 1;
  }
  remainder = rest;
  if (quotient == 0) return std::copysign(T{0}, ratio);
  const T below = std::floor(quotient);
  return quotient - below > T{0.5} ? below + 1 : below;
}

/// std::fmod
template <Floating T>
KOKKOS_INLINE_FUNCTION T rest_toward_zero(T a, T b) {
  const T ratio = a / b;
  if (!divides_in_one_step<0>(ratio, b)) return std::fmod(a, b);
  const T rest = std::fma(-std::trunc(ratio), b, a);
  const bool beyond = rest != 0 && sign_bit(rest) != sign_bit(a);
  return std::copysign(beyond ? std::fabs(b) - std::fabs(rest) : rest, a);
}

/// a / b for integers of up to 16 bits, in float: a half more than `a` is far enough from whole quotients for a
/// reciprocal that is not exact. b = 0 gives 0.
struct NarrowDivision {
  std::uint32_t quotient, rest;  // of the magnitudes

  KOKKOS_INLINE_FUNCTION NarrowDivision(std::int32_t a, std::int32_t b) {
    const auto size = static_cast<std::uint32_t>(a < 0 ? -a : a), divisor = static_cast<std::uint32_t>(b < 0 ? -b : b);
    quotient = divisor == 0 ? 0 : whole((number(size) + 0.5f) * reciprocal(number(divisor)));
    rest = divisor == 0 ? 0 : size - quotient * divisor;
  }

 private:
  // Below 2^23 integers are what they add to the bits of 2^23.
  static constexpr float unit = 8388608;
  KOKKOS_INLINE_FUNCTION static float number(std::uint32_t a) {
    return bits_as<float>(bits_as<std::uint32_t>(float{unit}) | a) - unit;
  }
#if defined(__CUDA_ARCH__)
  __device__ static std::uint32_t whole(float a) {
    return bits_as<std::uint32_t>(__fadd_rz(a, unit)) - bits_as<std::uint32_t>(float{unit});
  }
  __device__ static float reciprocal(float a) {
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(a));
    return result;
  }
#else
  KOKKOS_INLINE_FUNCTION static std::uint32_t whole(float a) { return static_cast<std::uint32_t>(a); }
  KOKKOS_INLINE_FUNCTION static float reciprocal(float a) { return 1 / a; }
#endif
};
/// floor_divide, remainder and fmod with it; as in their functions below.
template <Op op>
KOKKOS_INLINE_FUNCTION std::int32_t divide_narrow(std::int32_t a, std::int32_t b) {
  const NarrowDivision division(a, b);
  const auto quotient = static_cast<std::int32_t>(division.quotient), rest = static_cast<std::int32_t>(division.rest);
  const bool apart = (a < 0) != (b < 0);
  if constexpr (op == Op::floor_divide) return apart ? -(quotient + static_cast<std::int32_t>(rest != 0)) : quotient;
  if constexpr (op == Op::fmod) return a < 0 ? -rest : rest;
  const std::int32_t distance = apart && rest != 0 ? (b < 0 ? -b : b) - rest : rest;
  return b < 0 ? -distance : distance;
}

}  // namespace xp::kernels
