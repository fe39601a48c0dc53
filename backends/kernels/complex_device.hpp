// SPDX-License-Identifier: Apache-2.0
// Functions of complex numbers for execution spaces without std::complex.
#pragma once

#include "kernels/functors.hpp"

namespace xp::kernels {

template <class R>
inline constexpr R infinite = std::numeric_limits<R>::infinity();

/// Special values as in C99, annex G.
template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_sqrt(Complex<R> z) {
  constexpr R infinity = infinite<R>;
  const R x = z.re, y = z.im;
  if (std::fabs(y) == infinity) return {infinity, y};
  if (std::fabs(x) == infinity) {
    const R nothing = is_nan(y) ? y : R{0};
    if (x > 0) return {x, is_nan(y) ? y : std::copysign(R{0}, y)};
    return {nothing, is_nan(y) ? infinity : std::copysign(infinity, y)};
  }
  if (is_nan(x) || is_nan(y)) return {x + y, x + y};
  if (x == 0 && y == 0) return {R{0}, y};
  // |z| neither overflows nor loses what is subnormal: the argument is scaled by a power of 4, the result by one of 2.
  constexpr R large = most<R> / 8, small = least<R> * 64;
  const R size = std::fabs(x) > std::fabs(y) ? std::fabs(x) : std::fabs(y);
  constexpr R up = sizeof(R) == 4 ? R{0x1p30f} : static_cast<R>(0x1p108),
              up_back = sizeof(R) == 4 ? R{0x1p-15f} : static_cast<R>(0x1p-54);
  const R scale = size > large ? R{0.0625} : size < small ? up : R{1};
  const R back = size > large ? R{4} : size < small ? up_back : R{1};
  const R u = x * scale, v = y * scale;
  const R half = std::sqrt((std::fabs(u) + std::hypot(u, v)) * R{0.5});
  const R other = v / (half * R{2});
  if (x >= 0) return {half * back, other * back};
  return {std::fabs(other) * back, std::copysign(half, y) * back};
}

/// Likewise. sin and cos are finite where exp(re) overflows: the product is then formed in two steps.
template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_exp(Complex<R> z) {
  constexpr R infinity = infinite<R>;
  const R x = z.re, y = z.im;
  if (y == 0) return {std::exp(x), y};
  const bool finite = std::fabs(y) < infinity;
  if (!finite) {
    const R nan = y - y;
    if (x == infinity) return {infinity, nan};
    if (x == -infinity) return {R{0}, R{0}};
    return {nan, nan};
  }
  const R cosine = std::cos(y), sine = std::sin(y);
  if (x == -infinity) return {std::copysign(R{0}, cosine), std::copysign(R{0}, sine)};
  if (x == infinity) return {std::copysign(infinity, cosine), std::copysign(infinity, sine)};
  constexpr R near_overflow = sizeof(R) == 4 ? R{88} : R{709};
  if (x > near_overflow) {
    const R factor = std::exp(near_overflow), power = std::exp(x - near_overflow);
    return {cosine * factor * power, sine * factor * power};
  }
  const R power = std::exp(x);
  return {power * cosine, power * sine};
}

}  // namespace xp::kernels
