// SPDX-License-Identifier: Apache-2.0
// The functions of one real element. float is computed in double and double in long double (64 bits of mantissa), then
// rounded: within half a unit in the last place but for rare ties. Halves are rounded from the float result.
#pragma once

#include "support/scalar_arithmetic.hpp"

namespace oracle {

// clang-format off
template <class R> struct WiderOf { using type = long double; };
template <> struct WiderOf<float> { using type = double; };
template <class R> using Wider = typename WiderOf<R>::type;
// clang-format on

// std::lgamma() writes the global signgam, which threads share.
inline double log_gamma(double a) {
  int sign = 0;
  return lgamma_r(a, &sign);
}
inline long double log_gamma(long double a) {
  int sign = 0;
  return lgammal_r(a, &sign);
}

// C leaves its poles open: of a zero an infinity with its sign, of negative integers NaN.
template <class W>
W gamma(W a) {
  if (a == 0) return std::copysign(std::numeric_limits<W>::infinity(), a);
  if (a < 0 && (a == std::floor(a))) return std::numeric_limits<W>::quiet_NaN();
  return std::tgamma(a);
}

// NumPy's, which knows equal infinities.
template <Op op, class W>
W log_add(W a, W b) {
  constexpr W ln2 = static_cast<W>(0.693147180559945309417232121458176568L);
  constexpr bool base2 = op == Op::logaddexp2;
  if (a == b) return a + (base2 ? W(1) : ln2);
  if (std::isnan(a) || std::isnan(b)) return a + b;
  const W greater = a > b ? a : b, difference = a > b ? b - a : a - b;
  return greater + (base2 ? std::log1p(std::exp2(difference)) / ln2 : std::log1p(std::exp(difference)));
}

template <Op op, class W>
W wide_function(W a, W b) {
  switch (op) {
    case Op::sqrt:
      return std::sqrt(a);
    case Op::exp:
      return std::exp(a);
    case Op::exp2:
      return std::exp2(a);
    case Op::expm1:
      return std::expm1(a);
    case Op::log:
      return std::log(a);
    case Op::log1p:
      return std::log1p(a);
    case Op::log2:
      return std::log2(a);
    case Op::log10:
      return std::log10(a);
    case Op::sin:
      return std::sin(a);
    case Op::cos:
      return std::cos(a);
    case Op::tan:
      return std::tan(a);
    case Op::asin:
      return std::asin(a);
    case Op::acos:
      return std::acos(a);
    case Op::atan:
      return std::atan(a);
    case Op::sinh:
      return std::sinh(a);
    case Op::cosh:
      return std::cosh(a);
    case Op::tanh:
      return std::tanh(a);
    case Op::asinh:
      return std::asinh(a);
    case Op::acosh:
      return std::acosh(a);
    case Op::atanh:
      return std::atanh(a);
    case Op::cbrt:
      return std::cbrt(a);
    case Op::erf:
      return std::erf(a);
    case Op::erfc:
      return std::erfc(a);
    case Op::gamma:
      return gamma(a);
    case Op::lgamma:
      return log_gamma(a);
    case Op::power:
      // Special values are exact; powl() of glibc 2.41 takes -2^63 for an integer that is not negative.
      if (a == 0 || !std::isfinite(a) || !std::isfinite(b))
        return std::pow(static_cast<double>(a), static_cast<double>(b));
      return std::pow(a, b);
    case Op::atan2:
      return std::atan2(a, b);
    case Op::hypot:
      return std::hypot(a, b);
    case Op::logaddexp:
    case Op::logaddexp2:
      return log_add<op>(a, b);
    default:
      break;
  }
  throw std::logic_error("no such function");
}

template <Op op, class T>
T real_function(T a, T b) {
  if constexpr (is_half<T>) {
    return convert<T>(real_function<op>(as_float(a), as_float(b)));
  } else {
    if constexpr (op == Op::sqrt) return std::sqrt(a);  // exact as it is
    using W = Wider<T>;
    return static_cast<T>(wide_function<op>(static_cast<W>(a), static_cast<W>(b)));
  }
}

}  // namespace oracle
