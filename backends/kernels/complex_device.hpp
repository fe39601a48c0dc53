// SPDX-License-Identifier: Apache-2.0
// Functions of complex numbers for execution spaces without std::complex. Special values as in C99, annex G, and where
// that leaves a choice as in glibc, which NumPy calls.
#pragma once

#include "kernels/functors.hpp"

namespace xp::kernels {

template <class R>
inline constexpr R log_of_2 = static_cast<R>(0.693147180559945309417);
template <class R>
inline constexpr R half_pi = static_cast<R>(1.57079632679489661923);
template <class R>
inline constexpr R spacing = std::numeric_limits<R>::epsilon();

/// Beyond this exp() overflows soon.
template <class R>
inline constexpr R near_overflow = sizeof(R) == 4 ? R{88} : R{709};

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

/// sin and cos are finite where exp(re) overflows: the product is then formed in two steps.
template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_exp(Complex<R> z) {
  constexpr R infinity = infinite<R>;
  const R x = z.re, y = z.im;
  if (y == 0) return {std::exp(x), y};
  const bool finite = std::fabs(y) < infinity;
  if (!finite) {
    const R nan = y - y;
    if (x == infinity) return {infinity, nan};
    if (x == -infinity) return {R{0}, std::copysign(R{0}, y)};
    return {nan, nan};
  }
  const R cosine = std::cos(y), sine = std::sin(y);
  if (x == -infinity) return {std::copysign(R{0}, cosine), std::copysign(R{0}, sine)};
  if (x == infinity) return {std::copysign(infinity, cosine), std::copysign(infinity, sine)};
  if (x > near_overflow<R>) {
    const R factor = std::exp(near_overflow<R>), power = std::exp(x - near_overflow<R>);
    return {cosine * factor * power, sine * factor * power};
  }
  const R power = std::exp(x);
  return {power * cosine, power * sine};
}

/// log|z|: where |z| is near 1, from |z|^2 - 1 with the products' rounding errors.
template <class R>
KOKKOS_INLINE_FUNCTION R log_of_size(Complex<R> z) {
  const R x = std::fabs(z.re), y = std::fabs(z.im), larger = x > y ? x : y, other = x > y ? y : x;
  const R squares = larger * larger + other * other;
  if (squares > R{0.5} && squares < R{2}) {
    const R p = larger * larger, q = other * other;
    const R p_rest = std::fma(larger, larger, -p), q_rest = std::fma(other, other, -q);
    const R less = p - 1, less_rest = p - (less + 1);
    const R sum = less + q, back = sum - less;
    const R sum_rest = (less - (sum - back)) + (q - back);
    return std::log1p(sum + (sum_rest + (less_rest + (p_rest + q_rest)))) / 2;
  }
  constexpr R up = sizeof(R) == 4 ? R{0x1p30f} : static_cast<R>(0x1p60);
  constexpr R up_log = log_of_2<R> * (sizeof(R) == 4 ? 30 : 60);
  if (larger > most<R> / 4) return std::log(std::hypot(x / 2, y / 2)) + log_of_2<R>;
  if (larger < least<R> * up) return std::log(std::hypot(x * up, y * up)) - up_log;
  return std::log(std::hypot(x, y));
}

template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_log(Complex<R> z) {
  return {log_of_size(z), std::atan2(z.im, z.re)};
}

// ---- Hyperbolic functions: the circular ones are theirs, turned by i ----

/// cosh(x) and sinh(x) by a cosine and a sine: the products are finite where they are, though cosh(x) may not be.
template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> grown(R x, R cosine, R sine, bool sinh_first) {
  const R size = std::fabs(x);
  if (size > near_overflow<R>) {
    const R factor = std::exp(near_overflow<R>) / 2, power = std::exp(size - near_overflow<R>);
    const R sign = std::copysign(R{1}, x);
    return {cosine * factor * power * (sinh_first ? sign : R{1}), sine * factor * power * (sinh_first ? R{1} : sign)};
  }
  const R even = std::cosh(x), odd = std::sinh(x);
  return {(sinh_first ? odd : even) * cosine, (sinh_first ? even : odd) * sine};
}

template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_sinh(Complex<R> z) {
  const R x = z.re, y = z.im;
  if (y == 0) return {std::sinh(x), y};
  if (!(std::fabs(y) < infinite<R>)) return {x == 0 ? x : std::fabs(x) == infinite<R> ? infinite<R> : y - y, y - y};
  return grown(x, std::cos(y), std::sin(y), true);
}

template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_cosh(Complex<R> z) {
  const R x = z.re, y = z.im;
  if (y == 0) return {std::cosh(x), is_nan(x) ? y : y * std::copysign(R{1}, x)};
  if (!(std::fabs(y) < infinite<R>)) {
    if (std::fabs(x) == infinite<R>) return {infinite<R>, y - y};
    return {y - y, x == 0 ? R{0} : y - y};
  }
  return grown(x, std::cos(y), std::sin(y), false);
}

/// W. Kahan, "Branch Cuts for Complex Elementary Functions" (1987), as FreeBSD's s_ctanh.c has it.
template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_tanh(Complex<R> z) {
  const R x = z.re, y = z.im;
  constexpr R large = sizeof(R) == 4 ? R{11} : R{22};
  const bool finite = std::fabs(y) < infinite<R>;
  if (is_nan(x)) return {x, y == 0 ? y : x};
  if (std::fabs(x) == infinite<R>)
    return {std::copysign(R{1}, x), std::copysign(R{0}, finite ? std::sin(y) * std::cos(y) : y)};
  if (!finite) return {x == 0 ? x : y - y, y - y};
  if (std::fabs(x) >= large) {
    const R power = std::exp(-std::fabs(x));
    return {std::copysign(R{1}, x), 4 * std::sin(y) * std::cos(y) * power * power};
  }
  const R tangent = std::tan(y), secant = 1 + tangent * tangent, s = std::sinh(x), c = std::sqrt(1 + s * s);
  const R divisor = 1 + secant * s * s;
  return {secant * c * s / divisor, tangent / divisor};
}

template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_sin(Complex<R> z) {
  const Complex<R> turned = complex_sinh(Complex<R>{z.im, z.re});
  return {turned.im, turned.re};
}
template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_cos(Complex<R> z) {
  const Complex<R> turned = complex_cosh(Complex<R>{z.im, z.re});
  return {turned.re, -turned.im};
}
template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_tan(Complex<R> z) {
  const Complex<R> turned = complex_tanh(Complex<R>{z.im, z.re});
  return {turned.im, turned.re};
}

// ---- Inverse functions: Kahan's formulas, their special and extreme cases as in FreeBSD's catrig.c ----

/// The square root of what is neither special nor extreme.
template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> plain_sqrt(R x, R y) {
  if (x == 0) {
    const R part = std::sqrt(std::fabs(y)) * static_cast<R>(0.707106781186547524401);
    return {part, std::copysign(part, y)};
  }
  const R half = std::sqrt((std::fabs(x) + std::hypot(x, y)) / 2);
  const R other = y / (2 * half);
  if (x >= 0) return {half, other};
  return {std::fabs(other), std::copysign(half, y)};
}

template <class R>
KOKKOS_INLINE_FUNCTION bool is_huge(Complex<R> z) {
  return std::fabs(z.re) > 1 / spacing<R> || std::fabs(z.im) > 1 / spacing<R>;
}

template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_asin(Complex<R> z) {
  const R x = z.re, y = z.im;
  if (is_nan(x) || is_nan(y)) {
    if (std::fabs(y) == infinite<R>) return {x, y};
    if (std::fabs(x) == infinite<R>) return {y, infinite<R>};
    return {x == 0 ? x : not_a_number<R>, not_a_number<R>};
  }
  if (is_huge(z)) return {std::atan2(x, std::fabs(y)), std::copysign(log_of_size(z) + log_of_2<R>, y)};
  const Complex<R> a = plain_sqrt(1 - x, -y), b = plain_sqrt(1 + x, y);
  return {std::atan2(x, a.re * b.re - a.im * b.im), std::asinh(a.re * b.im - a.im * b.re)};
}

template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_acos(Complex<R> z) {
  const R x = z.re, y = z.im;
  if (is_nan(x) || is_nan(y)) {
    if (std::fabs(x) == infinite<R>) return {y, -infinite<R>};
    if (std::fabs(y) == infinite<R>) return {x, -y};
    return {x == 0 ? half_pi<R> : not_a_number<R>, not_a_number<R>};
  }
  if (is_huge(z)) return {std::atan2(std::fabs(y), x), std::copysign(log_of_size(z) + log_of_2<R>, -y)};
  const Complex<R> a = plain_sqrt(1 - x, -y), b = plain_sqrt(1 + x, y);
  return {2 * std::atan2(a.re, b.re), std::asinh(b.re * a.im - b.im * a.re)};
}

template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_asinh(Complex<R> z) {
  const Complex<R> turned = complex_asin(Complex<R>{z.im, z.re});
  return {turned.im, turned.re};
}

template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_acosh(Complex<R> z) {
  const Complex<R> angle = complex_acos(z);
  if (is_nan(angle.re)) return {std::fabs(angle.im), angle.re};
  if (is_nan(angle.im)) return {angle.im, z.re == 0 ? std::copysign(angle.re, z.im) : angle.im};
  return {std::fabs(angle.im), std::copysign(angle.re, z.im)};
}

template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_atanh(Complex<R> z) {
  const R x = std::fabs(z.re), y = std::fabs(z.im);
  const R quarter_turn = std::copysign(half_pi<R>, z.im), zero = std::copysign(R{0}, z.re);
  if (y == infinite<R>) return {zero, quarter_turn};
  if (is_nan(x) || is_nan(y)) return {x == infinite<R> || x == 0 ? zero : not_a_number<R>, not_a_number<R>};
  if (is_huge(z)) {
    // x / |z|^2; halves do not overflow.
    const R u = x / 2, v = y / 2;
    const R part = u > v ? R{0.5} / (u + v * (v / u)) : R{0.5} * (u / v) / (v + u * (u / v));
    return {std::copysign(part, z.re), quarter_turn};
  }
  const R from_1 = x - 1, product = (1 - x) * (1 + x);
  const R re =
      x == 1 && y < spacing<R> ? (log_of_2<R> - std::log(y)) / 2 : std::log1p(4 * x / (from_1 * from_1 + y * y)) / 4;
  const R im = x == 1 ? std::atan2(R{2}, -y) / 2 : std::atan2(2 * y, product - y * y) / 2;
  return {std::copysign(re, z.re), std::copysign(y == 0 && x <= 1 ? R{0} : im, z.im)};
}

template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_atan(Complex<R> z) {
  const Complex<R> turned = complex_atanh(Complex<R>{z.im, z.re});
  return {turned.im, turned.re};
}

}  // namespace xp::kernels
