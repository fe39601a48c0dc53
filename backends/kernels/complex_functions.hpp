// SPDX-License-Identifier: Apache-2.0
// Functions of complex numbers: the host's by its C++ library, those of other execution spaces by complex_device.hpp.
#pragma once

#if defined(XP_PLATFORM_HOST)
#include "kernels/functors.hpp"
#else
#include "kernels/complex_device.hpp"
#endif

namespace xp::kernels {

#if defined(XP_PLATFORM_HOST)
#define XP_COMPLEX_FUNCTION(name)                                         \
  template <class R>                                                      \
  Complex<R> complex_##name(Complex<R> a) {                               \
    const std::complex<R> value = std::name(std::complex<R>(a.re, a.im)); \
    return {value.real(), value.imag()};                                  \
  }
XP_COMPLEX_FUNCTION(exp)
XP_COMPLEX_FUNCTION(log)
XP_COMPLEX_FUNCTION(sin)
XP_COMPLEX_FUNCTION(cos)
XP_COMPLEX_FUNCTION(tan)
XP_COMPLEX_FUNCTION(asin)
XP_COMPLEX_FUNCTION(acos)
XP_COMPLEX_FUNCTION(atan)
XP_COMPLEX_FUNCTION(sinh)
XP_COMPLEX_FUNCTION(cosh)
XP_COMPLEX_FUNCTION(tanh)
XP_COMPLEX_FUNCTION(asinh)
XP_COMPLEX_FUNCTION(acosh)
XP_COMPLEX_FUNCTION(atanh)
#undef XP_COMPLEX_FUNCTION
#endif

// The rest is defined by NumPy's formulas.

template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_scaled(Complex<R> a, R factor) {
  return {a.re * factor, a.im * factor};
}
template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_log2(Complex<R> a) {
  return complex_scaled(complex_log(a), static_cast<R>(1.44269504088896340736));
}
template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_log10(Complex<R> a) {
  return complex_scaled(complex_log(a), static_cast<R>(0.434294481903251827651));
}
template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_exp2(Complex<R> a) {
  return complex_exp(complex_scaled(a, static_cast<R>(0.693147180559945309417)));
}
template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_expm1(Complex<R> a) {
  const R half = std::sin(a.im / 2);
  return {std::expm1(a.re) * std::cos(a.im) - 2 * half * half, std::exp(a.re) * std::sin(a.im)};
}
template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_log1p(Complex<R> a) {
  return {std::log(std::hypot(a.re + 1, a.im)), std::atan2(a.im, a.re + 1)};
}

/// As C multiplies (C99, annex G): an infinite factor makes the product infinite also where its other part is NaN.
template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_product(Complex<R> a, Complex<R> b) {
  const Complex<R> product = Multiply::apply(a, b);
  auto infinite_part = [](R x) { return std::fabs(x) > most<R>; };
  const bool a_infinite = infinite_part(a.re) || infinite_part(a.im),
             b_infinite = infinite_part(b.re) || infinite_part(b.im);
  if (!is_nan(product.re) || !is_nan(product.im) || !(a_infinite || b_infinite)) return product;
  auto reduced = [&](Complex<R> z, bool is_infinite, bool other_infinite) {
    auto part = [&](R x) {
      const R size = is_infinite ? (infinite_part(x) ? R{1} : R{0}) : other_infinite && is_nan(x) ? R{0} : std::fabs(x);
      return std::copysign(size, x);
    };
    return Complex<R>{part(z.re), part(z.im)};
  };
  const Complex<R> direction = Multiply::apply(reduced(a, a_infinite, b_infinite), reduced(b, b_infinite, a_infinite));
  return {infinite<R> * direction.re, infinite<R> * direction.im};
}

/// Small whole exponents by multiplication, as NumPy.
template <class R>
KOKKOS_INLINE_FUNCTION Complex<R> complex_power(Complex<R> a, Complex<R> b) {
  using C = Complex<R>;
  if (b.re == 0 && b.im == 0) return {1, 0};
  if (a.re == 0 && a.im == 0) {
    if (b.re > 0) return {0, 0};
    return {not_a_number<R>, not_a_number<R>};
  }
  if (b.im == 0 && b.re > -100 && b.re < 100 && b.re == std::trunc(b.re)) {
    const int exponent = static_cast<int>(b.re);
    if (exponent == 1) return a;
    if (exponent == 2) return Multiply::apply(a, a);
    if (exponent == 3) return Multiply::apply(a, Multiply::apply(a, a));
    C result{1, 0}, base = a;
    for (int left = exponent < 0 ? -exponent : exponent; left != 0; left >>= 1) {
      if ((left & 1) != 0) result = Multiply::apply(result, base);
      base = Multiply::apply(base, base);
    }
    return exponent < 0 ? Divide::apply(C{1, 0}, result) : result;
  }
  return complex_exp(complex_product(b, complex_log(a)));
}

}  // namespace xp::kernels
