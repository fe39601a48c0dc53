// SPDX-License-Identifier: Apache-2.0
// The functions of one complex element: C's (Annex G) in the next wider format, rounded part by part, and NumPy's
// formulas where C has no such function.
#pragma once

#include "support/scalar_functions.hpp"

namespace oracle {

// NumPy's: powers that are exact or have special values of their own, then C's.
template <class W>
std::complex<W> complex_power(std::complex<W> a, std::complex<W> b) {
  using C = std::complex<W>;
  constexpr W nan = std::numeric_limits<W>::quiet_NaN();
  if (b.real() == 0 && b.imag() == 0) return C(1, 0);
  if (a.real() == 0 && a.imag() == 0) return b.real() > 0 ? C(0, 0) : C(nan, nan);
  if (b.imag() == 0 && b.real() == std::trunc(b.real()) && std::fabs(b.real()) < 100) {
    // By repeated squaring, infinities and all; the least powers without a factor 1.
    auto exponent = static_cast<int>(std::fabs(b.real()));
    if (b.real() == 1) return a;
    if (b.real() == 2) return square(a);
    if (b.real() == 3) return arithmetic<Op::multiply>(a, square(a));
    C result(1, 0), factor = a;
    for (; exponent > 0; exponent /= 2) {
      if (exponent % 2 != 0) result = arithmetic<Op::multiply>(result, factor);
      factor = arithmetic<Op::multiply>(factor, factor);
    }
    return b.real() < 0 ? complex_divide(C(1, 0), result) : result;
  }
  return std::pow(a, b);
}

template <Op op, class W>
std::complex<W> wide_complex_function(std::complex<W> a, std::complex<W> b) {
  constexpr W ln2 = static_cast<W>(0.693147180559945309417232121458176568L);
  constexpr W log2e = static_cast<W>(1.442695040888963407359924681001892137L);
  constexpr W log10e = static_cast<W>(0.434294481903251827651128918916605082L);
  switch (op) {
    case Op::sqrt:
      return std::sqrt(a);
    case Op::exp:
      return std::exp(a);
    case Op::exp2:
      return std::exp(std::complex<W>(a.real() * ln2, a.imag() * ln2));
    case Op::expm1: {
      const W half = std::sin(a.imag() / 2);
      return {std::expm1(a.real()) * std::cos(a.imag()) - 2 * half * half, std::exp(a.real()) * std::sin(a.imag())};
    }
    case Op::log:
      return std::log(a);
    case Op::log1p:
      return {std::log(std::hypot(a.real() + 1, a.imag())), std::atan2(a.imag(), a.real() + 1)};
    case Op::log2: {
      const std::complex<W> log = std::log(a);
      return {log.real() * log2e, log.imag() * log2e};
    }
    case Op::log10: {
      const std::complex<W> log = std::log(a);
      return {log.real() * log10e, log.imag() * log10e};
    }
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
    case Op::power:
      return complex_power(a, b);
    default:
      break;
  }
  throw std::logic_error("no such function");
}

/// Of a real or complex element.
template <Op op, class T>
T function(T a, T b) {
  if constexpr (is_complex<T>) {
    using R = typename T::value_type;
    using W = Wider<R>;
    const std::complex<W> result =
        wide_complex_function<op>(std::complex<W>(a.real(), a.imag()), std::complex<W>(b.real(), b.imag()));
    return {static_cast<R>(result.real()), static_cast<R>(result.imag())};
  } else {
    return real_function<op>(a, b);
  }
}

}  // namespace oracle
