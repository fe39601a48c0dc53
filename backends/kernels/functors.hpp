// SPDX-License-Identifier: Apache-2.0
// What every operation and every conversion means for one element. Shared by all execution spaces: host kernels use
// these for the lanes that have no vector form, and their vector forms must give the same bits.
#pragma once

#include <Kokkos_Macros.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace xp::kernels {

/// Elements as they lie in memory.
struct Bool {
  std::uint8_t value;
};
struct Half {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};
template <class R>
struct Complex {
  R re, im;
};

template <class T>
inline constexpr bool is_complex = false;
template <class R>
inline constexpr bool is_complex<Complex<R>> = true;
template <class T>
inline constexpr bool is_half = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <class T>
inline constexpr bool is_bool = std::is_same_v<T, Bool>;

template <class To, class From>
KOKKOS_INLINE_FUNCTION To bits_as(const From& from) {
  return __builtin_bit_cast(To, from);
}

// ---- 16-bit floats: branch-free, so that loops over them are vectorised ----

// GPUs have conversions of their own, which make every NaN the same one. That does not matter for what is computed
// with, as arithmetic does so too.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define XP_HALF_CONVERSIONS
__device__ inline float converted(Half h) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(h.bits));
  return value;
}
template <class H>
__device__ inline H converted(float value) {
  H result;
  if constexpr (std::is_same_v<H, Half>)
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
  else
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
  return result;
}
#endif

KOKKOS_INLINE_FUNCTION float to_float(Half h) {
#if defined(XP_HALF_CONVERSIONS)
  const std::uint32_t nan = (h.bits & 0x8000u) << 16 | 0x7fc00000u | (h.bits & 0x7fffu) << 13;
  return (h.bits & 0x7fffu) > 0x7c00u ? bits_as<float>(nan) : converted(h);
#else
  const std::uint32_t sign = static_cast<std::uint32_t>(h.bits & 0x8000u) << 16;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(h.bits & 0x7fffu) << 13;
  // Scaling by 2^112 moves the exponent bias from 15 to 127 and normalises subnormals.
  const std::uint32_t finite = bits_as<std::uint32_t>(bits_as<float>(magnitude) * 0x1p112f);
  const std::uint32_t special =
      magnitude | 0x7f800000u | (magnitude > 0x0f800000u ? 0x00400000u : 0u);  // NaNs are quieted
  return bits_as<float>((magnitude >= 0x0f800000u ? special : finite) | sign);
#endif
}

KOKKOS_INLINE_FUNCTION float to_float(BFloat16 b) {
  const std::uint32_t bits = static_cast<std::uint32_t>(b.bits) << 16;
  return bits_as<float>(bits);
}

KOKKOS_INLINE_FUNCTION Half to_half(float value) {
  const std::uint32_t bits = bits_as<std::uint32_t>(value);
#if defined(XP_HALF_CONVERSIONS)
  const std::uint32_t nan = ((bits >> 16) & 0x8000u) | 0x7e00u | ((bits >> 13) & 0x3ffu);
  return (bits & 0x7fffffffu) > 0x7f800000u ? Half{static_cast<std::uint16_t>(nan)} : converted<Half>(value);
#else
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  // 0.5f has ulp 2^-24, the spacing of half's subnormals: the addition rounds to it.
  const std::uint32_t subnormal = bits_as<std::uint32_t>(bits_as<float>(magnitude) + 0.5f) - 0x3f000000u;
  const std::uint32_t nan = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
  std::uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
  result = magnitude >= 0x47800000u ? 0x7c00u : result;
  result = magnitude > 0x7f800000u ? nan : result;
  return Half{static_cast<std::uint16_t>(result | sign)};
#endif
}

KOKKOS_INLINE_FUNCTION BFloat16 to_bfloat16(float value) {
  const std::uint32_t bits = bits_as<std::uint32_t>(value);
  const std::uint32_t nan = (bits >> 16) | 0x40u;
#if defined(XP_HALF_CONVERSIONS)
  const std::uint32_t rounded = converted<BFloat16>(value).bits;
#else
  const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
#endif
  return BFloat16{static_cast<std::uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded)};
}

/// A 16-bit float to compute with or to compare, and the rounded result of arithmetic with such: the same as to_float()
/// and convert(), which cost more.
template <class H>
KOKKOS_INLINE_FUNCTION float operand_of(H h) {
#if defined(XP_HALF_CONVERSIONS)
  if constexpr (std::is_same_v<H, Half>) return converted(h);
#endif
  return to_float(h);
}
template <class H>
KOKKOS_INLINE_FUNCTION H rounded(float result) {
#if defined(XP_HALF_CONVERSIONS)
  return converted<H>(result);
#else
  if constexpr (std::is_same_v<H, Half>)
    return to_half(result);
  else
    return to_bfloat16(result);
#endif
}

/// Rounds to odd: a second rounding to 22 bits or fewer then gives what one rounding would have given, in float's
/// subnormal range too.
KOKKOS_INLINE_FUNCTION float to_float_odd(double value) {
  const float nearest = static_cast<float>(value);
  const double back = static_cast<double>(nearest);
  const double magnitude = value < 0 ? -value : value, back_magnitude = back < 0 ? -back : back;
  const std::uint32_t bits = bits_as<std::uint32_t>(nearest);
  const std::uint32_t toward_zero = bits - (back_magnitude > magnitude ? 1u : 0u);
  return bits_as<float>(back == value ? bits : toward_zero | 1u);
}

/// Likewise from integers of more than 53 significant bits.
template <class I>
KOKKOS_INLINE_FUNCTION double to_double_odd(I value) {
  if constexpr (sizeof(I) < 8) {
    return static_cast<double>(value);
  } else {
    constexpr I low = (I{1} << 11) - 1;
    constexpr I limit = I{1} << 53;
    const bool wide = std::is_signed_v<I> ? value >= limit || value <= -limit : value >= limit;
    const I odd = (value & ~low) | ((value & low) != 0 ? low + 1 : 0);
    return static_cast<double>(wide ? odd : value);
  }
}

// ---- Conversion ----

/// Device code may use constants of the host's library, but not call its functions.
template <class T>
inline constexpr T least = std::numeric_limits<T>::min();
template <class T>
inline constexpr T most = std::numeric_limits<T>::max();
template <class T>
inline constexpr T infinite = std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

/// Truncates; what is out of range saturates, NaN gives 0.
template <class I, class F>
KOKKOS_INLINE_FUNCTION I to_integer(F value) {
  constexpr F low = static_cast<F>(least<I>);
  constexpr F high = static_cast<F>(std::uint64_t{1} << (std::numeric_limits<I>::digits - 1)) * F{2};  // exclusive
  const F inside = value > low && value < high ? value : F{0};
  I result = static_cast<I>(inside);
  result = value >= high ? most<I> : result;
  result = value <= low ? least<I> : result;
  return result;
}

template <class To, class From>
KOKKOS_INLINE_FUNCTION To convert(From from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else if constexpr (is_half<From>) {
    return convert<To>(to_float(from));
  } else if constexpr (is_bool<From>) {
    return convert<To>(static_cast<std::uint8_t>(from.value != 0));
  } else if constexpr (is_complex<From>) {
    if constexpr (is_complex<To>) {
      using R = decltype(To::re);
      return To{convert<R>(from.re), convert<R>(from.im)};
    } else if constexpr (is_bool<To>) {
      return Bool{static_cast<std::uint8_t>(static_cast<int>(from.re != 0) | static_cast<int>(from.im != 0))};
    } else {
      return convert<To>(from.re);
    }
  } else if constexpr (is_complex<To>) {
    return To{convert<decltype(To::re)>(from), 0};
  } else if constexpr (is_bool<To>) {
    return Bool{static_cast<std::uint8_t>(from != 0)};
  } else if constexpr (is_half<To>) {
    float single;
    if constexpr (std::is_same_v<From, float>)
      single = from;
    else if constexpr (std::is_same_v<From, double>)
      single = to_float_odd(from);
    else
      single = to_float_odd(to_double_odd(from));
    if constexpr (std::is_same_v<To, Half>)
      return to_half(single);
    else
      return to_bfloat16(single);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return to_integer<To>(from);
  } else {
    return static_cast<To>(from);
  }
}

// ---- Arithmetic ----

/// Integer arithmetic wraps: it is done in this type, in which nothing overflows undefinedly.
template <class T, bool = std::is_integral_v<T>>
struct Wrapping {
  using type = T;
};
template <class T>
struct Wrapping<T, true> {
  using type = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;
};

template <class T>
KOKKOS_INLINE_FUNCTION bool is_nan(T x) {
  return x != x;
}

struct Add {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    if constexpr (is_complex<T>)
      return {a.re + b.re, a.im + b.im};
    else if constexpr (is_half<T>)
      return rounded<T>(operand_of(a) + operand_of(b));
    else if constexpr (is_bool<T>)
      return {static_cast<std::uint8_t>((a.value | b.value) != 0)};
    else
      return static_cast<T>(static_cast<typename Wrapping<T>::type>(a) + static_cast<typename Wrapping<T>::type>(b));
  }
};

struct Subtract {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    if constexpr (is_complex<T>)
      return {a.re - b.re, a.im - b.im};
    else if constexpr (is_half<T>)
      return rounded<T>(operand_of(a) - operand_of(b));
    else
      return static_cast<T>(static_cast<typename Wrapping<T>::type>(a) - static_cast<typename Wrapping<T>::type>(b));
  }
};

struct Multiply {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    if constexpr (is_complex<T>)
      return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    else if constexpr (is_half<T>)
      return rounded<T>(operand_of(a) * operand_of(b));
    else if constexpr (is_bool<T>)
      return {static_cast<std::uint8_t>((a.value != 0) & (b.value != 0))};
    else
      return static_cast<T>(static_cast<typename Wrapping<T>::type>(a) * static_cast<typename Wrapping<T>::type>(b));
  }
};

struct Divide {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    if constexpr (is_complex<T>) {
      // Smith's method, as NumPy does it.
      using R = decltype(T::re);
      const R abs_re = std::fabs(b.re), abs_im = std::fabs(b.im);
      if (abs_re >= abs_im) {
        if (abs_re == 0 && abs_im == 0) return {a.re / abs_re, a.im / abs_re};
        const R ratio = b.im / b.re, scale = R{1} / (b.re + b.im * ratio);
        return {(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
      }
      const R ratio = b.re / b.im, scale = R{1} / (b.im + b.re * ratio);
      return {(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
    } else if constexpr (is_half<T>) {
      return rounded<T>(operand_of(a) / operand_of(b));
    } else {
      return a / b;
    }
  }
};

struct Negative {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T apply(T a) {
    if constexpr (is_complex<T>)
      return {-a.re, -a.im};
    else if constexpr (is_half<T>)
      return {static_cast<std::uint16_t>(a.bits ^ 0x8000u)};
    else if constexpr (std::is_floating_point_v<T>)
      return -a;
    else
      return static_cast<T>(typename Wrapping<T>::type{0} - static_cast<typename Wrapping<T>::type>(a));
  }
};

struct Absolute {
  template <class T>
  KOKKOS_INLINE_FUNCTION static auto apply(T a) {
    if constexpr (is_complex<T>)
      return std::hypot(a.re, a.im);
    else if constexpr (is_half<T>)
      return T{static_cast<std::uint16_t>(a.bits & 0x7fffu)};
    else if constexpr (std::is_floating_point_v<T>)
      return std::fabs(a);
    else if constexpr (std::is_signed_v<T>)
      return a < 0 ? Negative::apply(a) : a;
    else
      return a;
  }
};

struct Sqrt {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T apply(T a) {
    if constexpr (is_complex<T>) {
      const auto root = std::sqrt(std::complex<decltype(T::re)>(a.re, a.im));
      return {root.real(), root.imag()};
    } else if constexpr (is_half<T>) {
      return rounded<T>(std::sqrt(operand_of(a)));
    } else {
      return std::sqrt(a);
    }
  }
};

struct Exp {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T apply(T a) {
    if constexpr (is_complex<T>) {
      const auto power = std::exp(std::complex<decltype(T::re)>(a.re, a.im));
      return {power.real(), power.imag()};
    } else if constexpr (is_half<T>) {
      return convert<T>(std::exp(to_float(a)));
    } else {
      return std::exp(a);
    }
  }
};

// ---- Comparison: complex values compare as NumPy's do, lexicographically and false where a NaN decides
// ---------------

struct Equal {
  template <class T>
  KOKKOS_INLINE_FUNCTION static bool apply(T a, T b) {
    if constexpr (is_complex<T>)
      return a.re == b.re && a.im == b.im;
    else
      return a == b;
  }
};

struct NotEqual {
  template <class T>
  KOKKOS_INLINE_FUNCTION static bool apply(T a, T b) {
    return !Equal::apply(a, b);
  }
};

struct Less {
  template <class T>
  KOKKOS_INLINE_FUNCTION static bool apply(T a, T b) {
    if constexpr (is_complex<T>)
      return (a.re < b.re && !is_nan(a.im) && !is_nan(b.im)) || (a.re == b.re && a.im < b.im);
    else
      return a < b;
  }
};

struct LessEqual {
  template <class T>
  KOKKOS_INLINE_FUNCTION static bool apply(T a, T b) {
    if constexpr (is_complex<T>)
      return (a.re < b.re && !is_nan(a.im) && !is_nan(b.im)) || (a.re == b.re && a.im <= b.im);
    else
      return a <= b;
  }
};

}  // namespace xp::kernels
