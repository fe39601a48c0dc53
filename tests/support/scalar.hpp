// SPDX-License-Identifier: Apache-2.0
// Elements of every dtype and what every conversion between them means, written for clarity alone and independently of
// the library. scalar_arithmetic.hpp, scalar_functions.hpp and scalar_complex.hpp are the operations; kernels.hpp finds
// them by row. Together: the oracle of the tests and the arithmetic of the fake backend.
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

/// Whether `op` computes in a dtype, by the table.
inline bool computes_in(Op op, DType dtype) {
  switch (xp::info(op).accepts) {
    case xp::Accepts::none:
      return false;
    case xp::Accepts::any:
      return true;
    case xp::Accepts::any_int8:
    case xp::Accepts::numeric:
      return dtype != DType::bool_;
    case xp::Accepts::ordered:
      return dtype < DType::complex64;
    case xp::Accepts::ordered_int8:
      return dtype != DType::bool_ && dtype < DType::complex64;
    case xp::Accepts::inexact:
    case xp::Accepts::inexact_wide:
      return dtype >= DType::float16;
    case xp::Accepts::real:
      return dtype >= DType::float16 && dtype < DType::complex64;
    case xp::Accepts::bits:
      return dtype <= DType::uint64;
    case xp::Accepts::bits_int8:
    case xp::Accepts::integers:
      return dtype != DType::bool_ && dtype <= DType::uint64;
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
    case xp::Returns::int32:
      return DType::int32;
  }
  return dtype;
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
    // Any byte but 0 is true in memory; a bool of C++ is 0 or 1.
    if (dtype == DType::bool_) result.bytes[0] = result.bytes[0] != 0;
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

}  // namespace oracle
