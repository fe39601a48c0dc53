// SPDX-License-Identifier: Apache-2.0
// The exact operations on one element: arithmetic, comparisons, integers and bits, rounding, the parts of a float.
// Every device gives these bits. Halves are widened to float, where the result is computed, and rounded once.
#pragma once

#include <algorithm>
#include <array>

#include "support/scalar.hpp"

namespace oracle {

/// A half as the float that it is computed in.
template <class H>
float as_float(H value) {
  return static_cast<float>(widen(value));
}

template <class T>
using Unsigned = std::make_unsigned_t<T>;

// ---- Sums, products, quotients
// -----------------------------------------------------------------------------------------

// Integers wrap: they are computed modulo 2^64 and cut.
template <Op op, class T>
T real_arithmetic(T a, T b) {
  if constexpr (is_half<T>) {
    return convert<T>(real_arithmetic<op>(as_float(a), as_float(b)));
  } else if constexpr (is_bool<T>) {
    static_assert(op == Op::add || op == Op::multiply);
    return op == Op::add ? a || b : a && b;
  } else if constexpr (is_integer<T>) {
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    return static_cast<T>(op == Op::add ? x + y : op == Op::subtract ? x - y : x * y);
  } else if constexpr (op == Op::add) {
    return a + b;
  } else if constexpr (op == Op::subtract) {
    return a - b;
  } else if constexpr (op == Op::multiply) {
    return a * b;
  } else {
    return a / b;
  }
}

// Smith's method, in NumPy's order of operations.
template <class R>
std::complex<R> complex_divide(std::complex<R> a, std::complex<R> b) {
  const R abs_re = std::fabs(b.real()), abs_im = std::fabs(b.imag());
  if (abs_re >= abs_im) {
    if (abs_re == 0 && abs_im == 0) return {a.real() / abs_re, a.imag() / abs_re};
    const R ratio = b.imag() / b.real();
    const R scale = R(1) / (b.real() + b.imag() * ratio);
    return {(a.real() + a.imag() * ratio) * scale, (a.imag() - a.real() * ratio) * scale};
  }
  const R ratio = b.real() / b.imag();
  const R scale = R(1) / (b.imag() + b.real() * ratio);
  return {(a.real() * ratio + a.imag()) * scale, (a.imag() * ratio - a.real()) * scale};
}

template <Op op, class T>
T arithmetic(T a, T b) {
  if constexpr (!is_complex<T>)
    return real_arithmetic<op>(a, b);
  else if constexpr (op == Op::add)
    return {a.real() + b.real(), a.imag() + b.imag()};
  else if constexpr (op == Op::subtract)
    return {a.real() - b.real(), a.imag() - b.imag()};
  else if constexpr (op == Op::multiply)
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  else
    return complex_divide(a, b);
}

template <class T>
T negative(T a) {
  if constexpr (is_half<T>)
    return {static_cast<std::uint16_t>(a.bits ^ 0x8000)};
  else if constexpr (is_integer<T>)
    return static_cast<T>(0 - static_cast<std::uint64_t>(a));
  else
    return -a;
}

template <class T>
auto absolute(T a) {
  if constexpr (is_half<T>)
    return T{static_cast<std::uint16_t>(a.bits & 0x7fff)};
  else if constexpr (is_complex<T>)
    return static_cast<typename T::value_type>(
        std::hypot(static_cast<long double>(a.real()), static_cast<long double>(a.imag())));
  else if constexpr (std::is_floating_point_v<T>)
    return std::fabs(a);
  else if constexpr (is_bool<T>)
    return a;
  else
    return a < 0 ? negative(a) : a;
}

template <class T>
T square(T a) {
  return arithmetic<Op::multiply>(a, a);
}

template <class T>
T reciprocal(T a) {
  if constexpr (is_half<T>) {
    return convert<T>(1.0f / as_float(a));
  } else if constexpr (is_integer<T>) {
    return a == 1 ? T(1) : a == static_cast<T>(-1) && std::is_signed_v<T> ? a : T(0);
  } else if constexpr (is_complex<T>) {
    using R = typename T::value_type;
    if (std::fabs(a.imag()) <= std::fabs(a.real())) {
      const R ratio = a.imag() / a.real(), scale = a.real() + a.imag() * ratio;
      return {R(1) / scale, -ratio / scale};
    }
    const R ratio = a.real() / a.imag(), scale = a.real() * ratio + a.imag();
    return {ratio / scale, R(-1) / scale};
  } else {
    return T(1) / a;
  }
}

// ---- Division with remainder
// --------------------------------------------------------------------------------------------

template <class R>
struct Quotient {
  R quotient, remainder;
};

// NumPy's npy_divmod.
template <class R>
Quotient<R> float_divmod(R a, R b) {
  R remainder = std::fmod(a, b);
  if (b == 0) return {a / b, remainder};
  R exact = (a - remainder) / b;
  if (remainder == 0) {
    remainder = std::copysign(R(0), b);
  } else if ((b < 0) != (remainder < 0)) {
    remainder += b;
    exact -= 1;
  }
  if (exact == 0) return {std::copysign(R(0), a / b), remainder};
  R quotient = std::floor(exact);
  if (exact - quotient > R(0.5)) quotient += 1;
  return {quotient, remainder};
}

// The quotient is rounded down; division by zero gives 0 and 0.
template <class I>
Quotient<I> integer_divmod(I a, I b) {
  if (b == 0) return {0, 0};
  if constexpr (std::is_signed_v<I>) {
    if (b == -1) return {negative(a), 0};
    const bool down = a % b != 0 && (a % b < 0) != (b < 0);
    return {static_cast<I>(a / b - (down ? 1 : 0)), static_cast<I>(a % b + (down ? b : 0))};
  } else {
    return {static_cast<I>(a / b), static_cast<I>(a % b)};
  }
}

template <Op op, class T>
T division(T a, T b) {
  if constexpr (is_half<T>) {
    return convert<T>(division<op>(as_float(a), as_float(b)));
  } else if constexpr (op == Op::fmod) {
    if constexpr (std::is_floating_point_v<T>) return std::fmod(a, b);
    // The quotient is cut: the dividend's sign.
    else if (b == 0 || (std::is_signed_v<T> && b == static_cast<T>(-1)))
      return 0;
    else
      return static_cast<T>(a % b);
  } else {
    const auto both = [&] {
      if constexpr (std::is_floating_point_v<T>)
        return float_divmod(a, b);
      else
        return integer_divmod(a, b);
    }();
    return op == Op::floor_divide ? both.quotient : both.remainder;
  }
}

/// Modulo 2^bits; 0 for a negative exponent.
template <class I>
I integer_power(I base, I exponent) {
  if (exponent < 0) return 0;
  if (exponent == 0) return 1;
  const I half = integer_power(base, static_cast<I>(exponent / 2));
  const I whole = arithmetic<Op::multiply>(half, half);
  return exponent % 2 != 0 ? arithmetic<Op::multiply>(whole, base) : whole;
}

template <class I>
Unsigned<I> magnitude(I a) {
  return static_cast<Unsigned<I>>(a < 0 ? 0 - static_cast<std::uint64_t>(a) : static_cast<std::uint64_t>(a));
}

template <class I>
I gcd(I a, I b) {
  Unsigned<I> x = magnitude(a), y = magnitude(b);
  while (y != 0) {
    const auto rest = static_cast<Unsigned<I>>(x % y);
    x = y;
    y = rest;
  }
  return static_cast<I>(x);
}

template <class I>
I lcm(I a, I b) {
  if (a == 0 || b == 0) return 0;
  const auto common = static_cast<std::uint64_t>(static_cast<Unsigned<I>>(gcd(a, b)));
  return static_cast<I>(magnitude(a) / common * magnitude(b));
}

// ---- Comparisons
// -----------------------------------------------------------------------------------------------------

template <class T>
bool is_nan(T a) {
  if constexpr (is_half<T>)
    return std::isnan(widen(a));
  else if constexpr (is_complex<T>)
    return std::isnan(a.real()) || std::isnan(a.imag());
  else if constexpr (std::is_floating_point_v<T>)
    return std::isnan(a);
  else
    return false;
}

template <class T>
bool is_inf(T a) {
  if constexpr (is_half<T>)
    return std::isinf(widen(a));
  else if constexpr (is_complex<T>)
    return std::isinf(a.real()) || std::isinf(a.imag());
  else if constexpr (std::is_floating_point_v<T>)
    return std::isinf(a);
  else
    return false;
}

template <class T>
bool is_finite(T a) {
  return !is_nan(a) && !is_inf(a);
}

template <class T>
bool sign_bit(T a) {
  if constexpr (is_half<T>)
    return a.bits >> 15 != 0;
  else if constexpr (std::is_floating_point_v<T>)
    return std::signbit(a);
  else
    return a < T(0);
}

// Complex numbers are ordered by their real parts, then their imaginary parts, as in NumPy.
template <Op op, class T>
bool compare(T a, T b) {
  if constexpr (is_half<T>) {
    return compare<op>(widen(a), widen(b));
  } else if constexpr (op == Op::not_equal) {
    return !compare<Op::equal>(a, b);
  } else if constexpr (op == Op::greater) {
    return compare<Op::less>(b, a);
  } else if constexpr (op == Op::greater_equal) {
    return compare<Op::less_equal>(b, a);
  } else if constexpr (is_complex<T>) {
    if (op == Op::equal) return a.real() == b.real() && a.imag() == b.imag();
    if (a.real() < b.real()) return !std::isnan(a.imag()) && !std::isnan(b.imag());
    return a.real() == b.real() && (op == Op::less ? a.imag() < b.imag() : a.imag() <= b.imag());
  } else {
    return op == Op::equal ? a == b : op == Op::less ? a < b : a <= b;
  }
}

/// maximum, minimum: a NaN wins. fmax, fmin: a number wins. +0 is greater than -0; equal complex numbers give the
/// first.
template <Op op, class T>
T extremum(T a, T b) {
  constexpr bool greatest = op == Op::maximum || op == Op::fmax;
  constexpr bool nan_wins = op == Op::maximum || op == Op::minimum;
  if (is_nan(a) && is_nan(b)) return a;
  if (is_nan(a)) return nan_wins ? a : b;
  if (is_nan(b)) return nan_wins ? b : a;
  if constexpr (is_real<T>)
    if (compare<Op::equal>(a, b)) return sign_bit(a) == greatest ? b : a;
  return greatest ? (compare<Op::greater_equal>(a, b) ? a : b) : (compare<Op::less_equal>(a, b) ? a : b);
}

template <class T>
T sign(T a) {
  if constexpr (is_half<T>) {
    return convert<T>(sign(widen(a)));
  } else if constexpr (is_complex<T>) {
    // z / |z|; on the circle's four main points also for an infinity, which has no direction when both parts are.
    using R = typename T::value_type;
    constexpr R nan = std::numeric_limits<R>::quiet_NaN();
    const R length = absolute(a);
    if (std::isnan(length)) return {nan, nan};
    if (std::isinf(a.real()) && std::isinf(a.imag())) return {nan, nan};
    if (std::isinf(a.real())) return {std::copysign(R(1), a.real()), 0};
    if (std::isinf(a.imag())) return {0, std::copysign(R(1), a.imag())};
    if (length == 0) return {0, 0};
    return {a.real() / length, a.imag() / length};
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(a) ? a : a > 0 ? T(1) : a < 0 ? T(-1) : T(0);
  } else {
    return a > 0 ? T(1) : a < 0 ? static_cast<T>(-1) : T(0);
  }
}

// ---- Truth and bits
// ------------------------------------------------------------------------------------------------------

template <class T>
bool truth(T a) {
  return convert<bool>(a);
}

template <Op op, class T>
T bits(T a, T b) {
  if constexpr (is_bool<T>)
    return op == Op::bitwise_and ? a && b : op == Op::bitwise_or ? a || b : op == Op::bitwise_xor ? a != b : !a;
  else
    return static_cast<T>(op == Op::bitwise_and   ? a & b
                          : op == Op::bitwise_or  ? a | b
                          : op == Op::bitwise_xor ? a ^ b
                                                  : ~a);
}

/// Multiplication or division (rounded down) by 2, `count` times; a negative count is a very large one.
template <Op op, class I>
I shift(I a, I count) {
  constexpr int width = 8 * static_cast<int>(sizeof(I));
  const int times = count < 0 || count >= static_cast<I>(width) ? width : static_cast<int>(count);
  for (int i = 0; i < times; ++i)
    a = op == Op::left_shift ? arithmetic<Op::add>(a, a) : static_cast<I>(a / 2 - (a < 0 && a % 2 != 0 ? 1 : 0));
  return a;
}

// ---- Rounding to integers, and the parts of a float
// ----------------------------------------------------------------------

template <Op op, class T>
T rounded(T a) {
  if constexpr (is_half<T>) {
    return convert<T>(rounded<op>(widen(a)));
  } else if constexpr (is_complex<T>) {
    return {rounded<op>(a.real()), rounded<op>(a.imag())};
  } else if constexpr (std::is_floating_point_v<T>) {
    return op == Op::floor   ? std::floor(a)
           : op == Op::ceil  ? std::ceil(a)
           : op == Op::trunc ? std::trunc(a)
                             : std::nearbyint(a);
  } else {
    return a;
  }
}

template <class T>
T conjugate(T a) {
  if constexpr (is_complex<T>)
    return {a.real(), -a.imag()};
  else
    return a;
}

template <class T>
auto real_of(T a) {
  if constexpr (is_complex<T>)
    return a.real();
  else
    return a;
}

template <class T>
auto imag_of(T a) {
  if constexpr (is_complex<T>)
    return a.imag();
  else
    return T{};
}

template <class T>
T copysign(T a, T b) {
  if constexpr (is_half<T>)
    return {static_cast<std::uint16_t>((a.bits & 0x7fff) | (b.bits & 0x8000))};
  else
    return std::copysign(a, b);
}

// As C's: of equal numbers the second.
template <class T>
T nextafter(T a, T b) {
  if constexpr (is_half<T>) {
    if (is_nan(a)) return a;
    if (is_nan(b) || widen(a) == widen(b)) return b;
    if (widen(a) == 0) return {static_cast<std::uint16_t>((b.bits & 0x8000) | 1)};
    // Of one sign, the bits count up with the magnitude.
    const bool outwards = (widen(a) < widen(b)) == (widen(a) > 0);
    return {static_cast<std::uint16_t>(outwards ? a.bits + 1 : a.bits - 1)};
  } else {
    return std::nextafter(a, b);
  }
}

template <class T>
T heaviside(T a, T at_zero) {
  if (is_nan(a)) return a;
  if constexpr (is_half<T>)
    return widen(a) == 0 ? at_zero : convert<T>(widen(a) < 0 ? 0.0 : 1.0);
  else
    return a == 0 ? at_zero : a < 0 ? T(0) : T(1);
}

/// The exponent is cut to an integer.
template <class T>
T ldexp(T a, T exponent) {
  if constexpr (is_half<T>)
    return convert<T>(ldexp(as_float(a), as_float(exponent)));
  else
    return std::ldexp(a, static_cast<int>(std::clamp(std::isnan(exponent) ? T(0) : exponent, T(-100000), T(100000))));
}

template <class T>
T mantissa(T a) {
  if constexpr (is_half<T>) {
    return convert<T>(mantissa(widen(a)));
  } else {
    int exponent = 0;
    return is_finite(a) ? std::frexp(a, &exponent) : a;
  }
}

template <class T>
std::int32_t exponent(T a) {
  if constexpr (is_half<T>) {
    return exponent(widen(a));
  } else {
    int result = 0;
    if (is_finite(a)) static_cast<void>(std::frexp(a, &result));
    return result;
  }
}

template <class T>
T fraction(T a) {
  if constexpr (is_half<T>)
    return convert<T>(fraction(widen(a)));
  else
    return std::isinf(a) ? std::copysign(T(0), a) : std::copysign(a - std::trunc(a), a);
}

/// By a constant of NumPy's, rounded to the dtype it is computed in.
template <Op op, class T>
T angle(T a) {
  if constexpr (is_half<T>) {
    return convert<T>(angle<op>(as_float(a)));
  } else {
    constexpr T pi = static_cast<T>(3.14159265358979323846264338327950288L);
    return a * (op == Op::deg2rad ? pi / T(180) : T(180) / pi);
  }
}

}  // namespace oracle
