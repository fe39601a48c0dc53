// SPDX-License-Identifier: Apache-2.0
#include "accuracy_reference.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace accuracy {

namespace {

using xp::Op;

// ---- The C library, overloaded ----

namespace lib {

// glibc declares these for _Float128, which not every C++ compiler has; __float128 is the same to the linker.
#if defined(XP_QUAD)
#define XP_UNARY(name)                                    \
  extern "C" Wide xp_quad_##name(Wide) asm(#name "f128"); \
  Wide name(Wide x) { return xp_quad_##name(x); }         \
  double name(double x) { return std::name(x); }
#define XP_BINARY(name)                                         \
  extern "C" Wide xp_quad_##name(Wide, Wide) asm(#name "f128"); \
  Wide name(Wide x, Wide y) { return xp_quad_##name(x, y); }    \
  double name(double x, double y) { return std::name(x, y); }
#define XP_COMPLEX(name)                                                     \
  extern "C" WideComplex xp_quad_c##name(WideComplex) asm("c" #name "f128"); \
  WideComplex name(WideComplex z) { return xp_quad_c##name(z); }
extern "C" Wide xp_quad_lgamma(Wide, int*) asm("lgammaf128_r");
extern "C" Wide xp_quad_frexp(Wide, int*) asm("frexpf128");
Wide log_gamma(Wide x) {
  int sign = 0;
  return xp_quad_lgamma(x, &sign);
}
#else
#define XP_UNARY(name)                       \
  Wide name(Wide x) { return std::name(x); } \
  double name(double x) { return std::name(x); }
#define XP_BINARY(name)                                 \
  Wide name(Wide x, Wide y) { return std::name(x, y); } \
  double name(double x, double y) { return std::name(x, y); }
#define XP_COMPLEX(name)                                                    \
  WideComplex name(WideComplex z) {                                         \
    const std::complex<Wide> y = std::name(std::complex<Wide>(z.re, z.im)); \
    return {y.real(), y.imag()};                                            \
  }
Wide log_gamma(Wide x) {
  int sign = 0;
  return lgammal_r(x, &sign);
}
#endif
// std::lgamma() writes a global variable, which threads share.
double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

XP_UNARY(sqrt)
XP_UNARY(cbrt)
XP_UNARY(exp)
XP_UNARY(exp2)
XP_UNARY(expm1)
XP_UNARY(log)
XP_UNARY(log2)
XP_UNARY(log10)
XP_UNARY(log1p)
XP_UNARY(sin)
XP_UNARY(cos)
XP_UNARY(tan)
XP_UNARY(asin)
XP_UNARY(acos)
XP_UNARY(atan)
XP_UNARY(sinh)
XP_UNARY(cosh)
XP_UNARY(tanh)
XP_UNARY(asinh)
XP_UNARY(acosh)
XP_UNARY(atanh)
XP_UNARY(erf)
XP_UNARY(erfc)
XP_UNARY(tgamma)
XP_UNARY(floor)
XP_BINARY(pow)
XP_BINARY(atan2)
XP_BINARY(hypot)
XP_COMPLEX(sqrt)
XP_COMPLEX(exp)
XP_COMPLEX(log)
XP_COMPLEX(sin)
XP_COMPLEX(cos)
XP_COMPLEX(tan)
XP_COMPLEX(asin)
XP_COMPLEX(acos)
XP_COMPLEX(atan)
XP_COMPLEX(sinh)
XP_COMPLEX(cosh)
XP_COMPLEX(tanh)
XP_COMPLEX(asinh)
XP_COMPLEX(acosh)
XP_COMPLEX(atanh)
#undef XP_UNARY
#undef XP_BINARY
#undef XP_COMPLEX

}  // namespace lib

// ---- Real functions ----

template <class W>
bool is_finite(W x) {
  return x - x == 0;
}

// C leaves the poles of the gamma function open.
template <class W>
W gamma(W x) {
  if (x == 0) return 1 / x;
  if (x < 0 && (!is_finite(x) || x == lib::floor(x))) return std::numeric_limits<double>::quiet_NaN();
  return lib::tgamma(x);
}

template <class W>
W power(W a, W b) {
  // These have exact results, which are double's.
  if (a == 0 || !is_finite(a) || !is_finite(b)) return std::pow(static_cast<double>(a), static_cast<double>(b));
  return lib::pow(a, b);
}

// log(base^a + base^b); equal operands may be infinite.
template <class W, bool binary>
W log_of_sum(W a, W b) {
  const W ln2 = lib::log(W(2));
  if (a == b) return a + (binary ? W(1) : ln2);
  if (a != a || b != b) return a + b;
  const W greater = a > b ? a : b, difference = a > b ? b - a : a - b;
  if (binary) return greater + lib::log1p(lib::exp2(difference)) / ln2;
  return greater + lib::log1p(lib::exp(difference));
}

// The constant in the computing dtype: the product with it is what is promised.
template <class W>
using Narrow = std::conditional_t<std::is_same_v<W, double>, float, double>;
template <class W>
constexpr auto pi_of = static_cast<Narrow<W>>(3.14159265358979323846);

}  // namespace

template <class W>
Reference<W> reference_of(Op op) {
#define XP_CASE(name, function) \
  case Op::name:                \
    return [](W a, W) -> W { return function(a); };
#define XP_CASE_OF_TWO(name, function) \
  case Op::name:                       \
    return [](W a, W b) -> W { return function(a, b); };
  switch (op) {
    XP_CASE(sqrt, lib::sqrt)
    XP_CASE(cbrt, lib::cbrt)
    XP_CASE(exp, lib::exp)
    XP_CASE(exp2, lib::exp2)
    XP_CASE(expm1, lib::expm1)
    XP_CASE(log, lib::log)
    XP_CASE(log2, lib::log2)
    XP_CASE(log10, lib::log10)
    XP_CASE(log1p, lib::log1p)
    XP_CASE(sin, lib::sin)
    XP_CASE(cos, lib::cos)
    XP_CASE(tan, lib::tan)
    XP_CASE(asin, lib::asin)
    XP_CASE(acos, lib::acos)
    XP_CASE(atan, lib::atan)
    XP_CASE(sinh, lib::sinh)
    XP_CASE(cosh, lib::cosh)
    XP_CASE(tanh, lib::tanh)
    XP_CASE(asinh, lib::asinh)
    XP_CASE(acosh, lib::acosh)
    XP_CASE(atanh, lib::atanh)
    XP_CASE(erf, lib::erf)
    XP_CASE(erfc, lib::erfc)
    XP_CASE(gamma, gamma<W>)
    XP_CASE(lgamma, lib::log_gamma)
    XP_CASE(deg2rad, [](W x) { return x * W(pi_of<W> / 180); })
    XP_CASE(rad2deg, [](W x) { return x * W(180 / pi_of<W>); })
    XP_CASE_OF_TWO(power, power<W>)
    XP_CASE_OF_TWO(atan2, lib::atan2)
    XP_CASE_OF_TWO(hypot, lib::hypot)
    XP_CASE_OF_TWO(logaddexp, (log_of_sum<W, false>))
    XP_CASE_OF_TWO(logaddexp2, (log_of_sum<W, true>))
    default:
      throw std::logic_error("no reference for " + std::string(xp::info(op).name));
  }
#undef XP_CASE
#undef XP_CASE_OF_TWO
}
template Reference<double> reference_of(Op);
template Reference<Wide> reference_of(Op);

// ---- Complex functions ----

namespace {

WideComplex operator*(WideComplex a, WideComplex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
WideComplex operator*(WideComplex a, Wide b) { return {a.re * b, a.im * b}; }

WideComplex expm1(WideComplex z) {
  const Wide half = lib::sin(z.im / 2);
  return {lib::expm1(z.re) * lib::cos(z.im) - 2 * half * half, lib::exp(z.re) * lib::sin(z.im)};
}

WideComplex log1p(WideComplex z) {
  // |1 + z|^2 - 1
  const Wide excess = z.re * (2 + z.re) + z.im * z.im;
  const Wide size = excess > -0.5 && excess < 0.5 ? lib::log1p(excess) / 2 : lib::log(lib::hypot(1 + z.re, z.im));
  return {size, lib::atan2(z.im, 1 + z.re)};
}

WideComplex power(WideComplex a, WideComplex b) {
  if (b.re == 0 && b.im == 0) return {1, 0};
  if (a.re == 0 && a.im == 0) return {0, 0};
  return lib::exp(b * lib::log(a));
}

WideComplex absolute(WideComplex z) { return {modulus(z), 0}; }

WideComplex sign(WideComplex z) {
  const Wide size = lib::hypot(z.re, z.im);
  if (size == 0) return {0, 0};
  return {z.re / size, z.im / size};
}

}  // namespace

ComplexReference complex_reference_of(Op op) {
#define XP_CASE(name, function) \
  case Op::name:                \
    return [](WideComplex a, WideComplex) -> WideComplex { return function(a); };
  switch (op) {
    XP_CASE(sqrt, lib::sqrt)
    XP_CASE(exp, lib::exp)
    XP_CASE(exp2, [](WideComplex z) { return lib::exp(z * lib::log(Wide(2))); })
    XP_CASE(expm1, expm1)
    XP_CASE(log, lib::log)
    XP_CASE(log2, [](WideComplex z) { return lib::log(z) * (1 / lib::log(Wide(2))); })
    XP_CASE(log10, [](WideComplex z) { return lib::log(z) * (1 / lib::log(Wide(10))); })
    XP_CASE(log1p, log1p)
    XP_CASE(sin, lib::sin)
    XP_CASE(cos, lib::cos)
    XP_CASE(tan, lib::tan)
    XP_CASE(asin, lib::asin)
    XP_CASE(acos, lib::acos)
    XP_CASE(atan, lib::atan)
    XP_CASE(sinh, lib::sinh)
    XP_CASE(cosh, lib::cosh)
    XP_CASE(tanh, lib::tanh)
    XP_CASE(asinh, lib::asinh)
    XP_CASE(acosh, lib::acosh)
    XP_CASE(atanh, lib::atanh)
    XP_CASE(absolute, absolute)
    XP_CASE(sign, sign)
    case Op::power:
      return power;
    default:
      throw std::logic_error("no reference for complex " + std::string(xp::info(op).name));
  }
#undef XP_CASE
}

Wide modulus(WideComplex z) { return lib::hypot(z.re, z.im); }

int exponent_of(Wide value) {
  int exponent = 0;
#if defined(XP_QUAD)
  lib::xp_quad_frexp(value, &exponent);
#else
  std::frexp(value, &exponent);
#endif
  return exponent;
}

Wide quarter_turns(double k) { return lib::atan(Wide(1)) * 2 * k; }

}  // namespace accuracy
