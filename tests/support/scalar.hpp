// SPDX-License-Identifier: Apache-2.0
// What every operation and every conversion means for one element, written for clarity alone and independently of the
// library: the oracle of the tests and the arithmetic of the fake backend.
#pragma once

#include <xp/dtype.hpp>

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "core/ops.hpp"

namespace oracle {

using xp::DType;
using xp::Index;
using xp::Op;

/// float16 and bfloat16 as bits; arithmetic happens in float.
struct F16 {
  std::uint16_t bits = 0;
};
struct BF16 {
  std::uint16_t bits = 0;
};

// clang-format off
template <class T> inline constexpr bool is_half = std::is_same_v<T, F16> || std::is_same_v<T, BF16>;
template <class T> inline constexpr bool is_complex = false;
template <class R> inline constexpr bool is_complex<std::complex<R>> = true;
template <class T> inline constexpr bool is_real = std::is_floating_point_v<T> || is_half<T>;
template <class T> inline constexpr bool is_inexact = is_real<T> || is_complex<T>;
template <class T> inline constexpr bool is_bool = std::is_same_v<T, bool>;
template <class T> inline constexpr bool is_integer = std::is_integral_v<T> && !is_bool<T>;
// clang-format on

template <class T>
struct Tag {
  using type = T;
};

/// Calls f(Tag<T>{}) with the C++ type of a dtype.
template <class F>
decltype(auto) visit(DType dtype, F&& f) {
  switch (dtype) {
    case DType::bool_:
      return f(Tag<bool>{});
    case DType::int8:
      return f(Tag<std::int8_t>{});
    case DType::int16:
      return f(Tag<std::int16_t>{});
    case DType::int32:
      return f(Tag<std::int32_t>{});
    case DType::int64:
      return f(Tag<std::int64_t>{});
    case DType::uint8:
      return f(Tag<std::uint8_t>{});
    case DType::uint16:
      return f(Tag<std::uint16_t>{});
    case DType::uint32:
      return f(Tag<std::uint32_t>{});
    case DType::uint64:
      return f(Tag<std::uint64_t>{});
    case DType::float16:
      return f(Tag<F16>{});
    case DType::bfloat16:
      return f(Tag<BF16>{});
    case DType::float32:
      return f(Tag<float>{});
    case DType::float64:
      return f(Tag<double>{});
    case DType::complex64:
      return f(Tag<std::complex<float>>{});
    case DType::complex128:
      return f(Tag<std::complex<double>>{});
  }
  throw std::logic_error("no such dtype");
}

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, F16>)
    return DType::float16;
  else if constexpr (std::is_same_v<T, BF16>)
    return DType::bfloat16;
  else
    return xp::dtype_of<T>();
}

// ---- 16-bit floats
// ---------------------------------------------------------------------------------------------------

/// Rounds to nearest even, to a binary format with E exponent bits and M mantissa bits.
template <int E, int M>
std::uint16_t narrow(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 63) << (E + M));
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  constexpr std::uint64_t infinity = ((std::uint64_t{1} << E) - 1) << M;
  if (exponent == 0x7ff)
    return static_cast<std::uint16_t>(sign | infinity | (fraction != 0 ? std::uint64_t{1} << (M - 1) : 0));
  if (exponent == 0) return sign;  // a double's subnormals are far below either format's
  const std::uint64_t significand = fraction | std::uint64_t{1} << 52;
  int shift = 52 - M;
  int target = exponent - 1023 + ((1 << (E - 1)) - 1);
  if (target <= 0) {
    shift += 1 - target;
    target = 0;
    if (shift > 60) return sign;
  }
  std::uint64_t kept = significand >> shift;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t tie = std::uint64_t{1} << (shift - 1);
  if (rest > tie || (rest == tie && (kept & 1) != 0)) ++kept;
  // `kept` includes the hidden bit of a normal number; a carry out of it raises the exponent.
  const std::uint64_t result = target > 0 ? (static_cast<std::uint64_t>(target - 1) << M) + kept : kept;
  return static_cast<std::uint16_t>(sign | (result < infinity ? result : infinity));
}

template <int E, int M>
double widen(std::uint16_t bits) {
  const int exponent = (bits >> M) & ((1 << E) - 1);
  const int fraction = bits & ((1 << M) - 1);
  constexpr int bias = (1 << (E - 1)) - 1;
  double magnitude;
  if (exponent == (1 << E) - 1)
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    magnitude = std::ldexp(fraction, 1 - bias - M);
  else
    magnitude = std::bit_cast<double>(static_cast<std::uint64_t>(exponent - bias + 1023) << 52 |
                                      static_cast<std::uint64_t>(fraction) << (52 - M));
  return (bits >> (E + M)) != 0 ? -magnitude : magnitude;
}

inline double widen(F16 value) { return widen<5, 10>(value.bits); }
inline double widen(BF16 value) { return widen<8, 7>(value.bits); }

template <class H>
H narrow(double value) {
  if constexpr (std::is_same_v<H, F16>)
    return {narrow<5, 10>(value)};
  else
    return {narrow<8, 7>(value)};
}

/// A double that rounds to a shorter format as the integer itself would: what does not fit is kept as one sticky bit.
template <class I>
double sticky_double(I value) {
  if constexpr (sizeof(I) < 8) {
    return static_cast<double>(value);
  } else {
    const bool negative = value < 0;
    const std::uint64_t magnitude =
        negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    std::uint64_t kept = magnitude;
    if (magnitude >> 53 != 0) kept = (magnitude >> 11 | ((magnitude & 0x7ff) != 0 ? 1u : 0u)) << 11;
    return negative ? -static_cast<double>(kept) : static_cast<double>(kept);
  }
}

// ---- Conversion: one rounding; integers wrap; floats saturate in integers, where NaN is 0
// -----------------------------

template <class I>
I saturate(double value) {
  using Limits = std::numeric_limits<I>;
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(Limits::min())) return Limits::min();
  if (value >= std::ldexp(1.0, Limits::digits)) return Limits::max();
  return static_cast<I>(value);
}

template <class To, class From>
To convert(From from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else if constexpr (is_complex<From>) {
    if constexpr (is_complex<To>)
      return {convert<typename To::value_type>(from.real()), convert<typename To::value_type>(from.imag())};
    else if constexpr (is_bool<To>)
      return from.real() != 0 || from.imag() != 0;
    else
      return convert<To>(from.real());
  } else if constexpr (is_complex<To>) {
    return {convert<typename To::value_type>(from), 0};
  } else if constexpr (is_half<From>) {
    return convert<To>(widen(from));
  } else if constexpr (is_half<To>) {
    if constexpr (std::is_floating_point_v<From>)
      return narrow<To>(static_cast<double>(from));
    else
      return narrow<To>(sticky_double(static_cast<std::conditional_t<is_bool<From>, int, From>>(from)));
  } else if constexpr (is_bool<To>) {
    return from != 0;
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return saturate<To>(static_cast<double>(from));
  } else {
    return static_cast<To>(from);
  }
}

// ---- Arithmetic
// ------------------------------------------------------------------------------------------------------

// Integers wrap: they are computed modulo 2^64 and cut.
template <Op op, class T>
T real_arithmetic(T a, T b) {
  if constexpr (is_half<T>) {
    return convert<T>(real_arithmetic<op>(static_cast<float>(widen(a)), static_cast<float>(widen(b))));
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
    return std::hypot(a.real(), a.imag());
  else if constexpr (std::is_floating_point_v<T>)
    return std::fabs(a);
  else if constexpr (is_bool<T>)
    return a;
  else
    return a < 0 ? negative(a) : a;
}

template <Op op, class T>
T function(T a) {
  static_assert(op == Op::sqrt || op == Op::exp);
  if constexpr (is_half<T>)
    return convert<T>(function<op>(static_cast<float>(widen(a))));
  else if constexpr (op == Op::sqrt)
    return std::sqrt(a);
  else if constexpr (std::is_same_v<T, float>)
    return static_cast<float>(std::exp(static_cast<double>(a)));  // correctly rounded but for one case in 2^28
  else if constexpr (std::is_same_v<T, double>)
    return static_cast<double>(std::exp(static_cast<long double>(a)));
  else
    return std::exp(a);
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

/// Whether `op` computes in a dtype, by the table.
inline bool computes_in(Op op, DType dtype) {
  switch (xp::info(op).accepts) {
    case xp::Accepts::none:
      return false;
    case xp::Accepts::any:
      return true;
    case xp::Accepts::numeric:
      return dtype != DType::bool_;
    case xp::Accepts::inexact:
    case xp::Accepts::inexact_wide:
      return dtype >= DType::float16;
    case xp::Accepts::ordered:
      return dtype < DType::complex64;
  }
  return false;
}

inline DType real_part(DType dtype) {
  return dtype == DType::complex64 ? DType::float32 : dtype == DType::complex128 ? DType::float64 : dtype;
}

/// dtype of the result of `op` computed in `dtype`.
inline DType result_of(Op op, DType dtype) {
  switch (xp::info(op).returns) {
    case xp::Returns::same:
      return dtype;
    case xp::Returns::boolean:
      return DType::bool_;
    case xp::Returns::real:
      return real_part(dtype);
  }
  return dtype;
}

struct NoOracle : std::logic_error {
  using std::logic_error::logic_error;
};

/// Calls f(kernel), where kernel(a, b) is the operation for values of type T. NoOracle for an operation without one, or
/// that T does not have. `where` is not among them: its operands are of different types.
template <class T, class F>
decltype(auto) with_kernel(Op op, F&& f) {
  switch (op) {
    case Op::add:
      return f([](T a, T b) { return arithmetic<Op::add>(a, b); });
    case Op::multiply:
      return f([](T a, T b) { return arithmetic<Op::multiply>(a, b); });
    case Op::equal:
      return f([](T a, T b) { return compare<Op::equal>(a, b); });
    case Op::not_equal:
      return f([](T a, T b) { return compare<Op::not_equal>(a, b); });
    case Op::less:
      return f([](T a, T b) { return compare<Op::less>(a, b); });
    case Op::less_equal:
      return f([](T a, T b) { return compare<Op::less_equal>(a, b); });
    case Op::greater:
      return f([](T a, T b) { return compare<Op::greater>(a, b); });
    case Op::greater_equal:
      return f([](T a, T b) { return compare<Op::greater_equal>(a, b); });
    case Op::absolute:
      return f([](T a, T) { return absolute(a); });
    default:
      break;
  }
  if constexpr (!is_bool<T>) {
    if (op == Op::subtract) return f([](T a, T b) { return arithmetic<Op::subtract>(a, b); });
    if (op == Op::negative) return f([](T a, T) { return negative(a); });
  }
  if constexpr (is_inexact<T>) {
    if (op == Op::divide) return f([](T a, T b) { return arithmetic<Op::divide>(a, b); });
    if (op == Op::sqrt) return f([](T a, T) { return function<Op::sqrt>(a); });
    if (op == Op::exp) return f([](T a, T) { return function<Op::exp>(a); });
  }
  throw NoOracle("no oracle for " + std::string(xp::info(op).name));
}

// ---- Values of any dtype
// ---------------------------------------------------------------------------------------------

/// One element with its dtype.
struct Value {
  DType dtype = DType::float64;
  alignas(16) unsigned char bytes[16] = {};

  template <class T>
  static Value of(T value) {
    Value result;
    result.dtype = oracle::dtype_of<T>();
    std::memcpy(result.bytes, &value, sizeof(T));
    return result;
  }
  template <class T>
  T as() const {
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }
  static Value load(DType dtype, const void* from) {
    Value result;
    result.dtype = dtype;
    std::memcpy(result.bytes, from, static_cast<std::size_t>(xp::itemsize(dtype)));
    return result;
  }
  void store(void* to) const { std::memcpy(to, bytes, static_cast<std::size_t>(xp::itemsize(dtype))); }
};

inline Value convert(const Value& value, DType to) {
  if (value.dtype == to) return value;
  return visit(value.dtype, [&](auto from_tag) {
    const auto from = value.as<typename decltype(from_tag)::type>();
    return visit(to, [&](auto to_tag) { return Value::of(convert<typename decltype(to_tag)::type>(from)); });
  });
}

/// An operation on values of the dtype it computes in.
inline Value evaluate(Op op, const Value& a, const Value& b) {
  return visit(a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return with_kernel<T>(op, [&](auto kernel) { return Value::of(kernel(a.as<T>(), b.as<T>())); });
  });
}

}  // namespace oracle
