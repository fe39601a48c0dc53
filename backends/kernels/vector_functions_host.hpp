// SPDX-License-Identifier: Apache-2.0
// Vector forms of functions.hpp on the host. Where the result is exact they give the same bits; transcendental
// functions are SLEEF's deterministic ones, so that every variant gives the same bits.
#pragma once

#include "kernels/functions.hpp"
#include "kernels/sleef_host.hpp"

namespace xp::kernels {

/// VectorFunction<op, T>::apply for vectors of T, where there is one.
template <Op op, class T>
struct VectorFunction {};

template <class T>
concept LaneType = Floating<T> || Integer<T>;

template <Op op, class T>
concept HasUnaryVector = LaneType<T> && requires(Vector<T> v) {
  VectorFunction<op, T>::apply(v);
};
template <Op op, class T>
concept HasBinaryVector = LaneType<T> && requires(Vector<T> v) {
  VectorFunction<op, T>::apply(v, v);
};

/// 0 or 1 in each lane.
template <class Mask>
[[gnu::always_inline]] inline auto truth_lanes(Mask mask) {
  return mask ? Mask{} + 1 : Mask{};
}
template <class T>
[[gnu::always_inline]] inline Vector<T> vector_magnitude(Vector<T> a) {
  using U = Unsigned<T>;
  return reinterpret_cast<Vector<T>>(reinterpret_cast<Vector<U>>(a) & (static_cast<U>(-1) >> 1));
}
template <class T>
[[gnu::always_inline]] inline auto negative_lanes(Vector<T> a) {
  return reinterpret_cast<Vector<Signed<T>>>(a) < 0;
}

// ---- Greater and less ----

template <class T>
[[gnu::always_inline]] inline Vector<T> vector_greater(Vector<T> a, Vector<T> b) {
  if constexpr (Floating<T>) {
    // Equal numbers differ at most in a zero's sign, which `and` clears.
    using U = Vector<Unsigned<T>>;
    const auto both = reinterpret_cast<Vector<T>>(reinterpret_cast<U>(a) & reinterpret_cast<U>(b));
    return a == b ? both : a > b ? a : b;
  } else {
    return a > b ? a : b;
  }
}
template <class T>
[[gnu::always_inline]] inline Vector<T> vector_less(Vector<T> a, Vector<T> b) {
  if constexpr (Floating<T>) {
    using U = Vector<Unsigned<T>>;
    const auto either = reinterpret_cast<Vector<T>>(reinterpret_cast<U>(a) | reinterpret_cast<U>(b));
    return a == b ? either : a < b ? a : b;
  } else {
    return a < b ? a : b;
  }
}
template <LaneType T>
struct VectorFunction<Op::maximum, T> {
  static Vector<T> apply(Vector<T> a, Vector<T> b) {
    if constexpr (Floating<T>)
      return a != a ? a : b != b ? b : vector_greater<T>(a, b);
    else
      return vector_greater<T>(a, b);
  }
};
template <LaneType T>
struct VectorFunction<Op::minimum, T> {
  static Vector<T> apply(Vector<T> a, Vector<T> b) {
    if constexpr (Floating<T>)
      return a != a ? a : b != b ? b : vector_less<T>(a, b);
    else
      return vector_less<T>(a, b);
  }
};
template <LaneType T>
struct VectorFunction<Op::fmax, T> {
  static Vector<T> apply(Vector<T> a, Vector<T> b) {
    if constexpr (Floating<T>)
      return b != b ? a : a != a ? b : vector_greater<T>(a, b);
    else
      return vector_greater<T>(a, b);
  }
};
template <LaneType T>
struct VectorFunction<Op::fmin, T> {
  static Vector<T> apply(Vector<T> a, Vector<T> b) {
    if constexpr (Floating<T>)
      return b != b ? a : a != a ? b : vector_less<T>(a, b);
    else
      return vector_less<T>(a, b);
  }
};

// ---- Arithmetic ----

/// By halves of words: there is no instruction for bytes.
template <class T>
[[gnu::always_inline]] inline Vector<T> multiply_bytes(Vector<T> a, Vector<T> b) {
  using W = Vector<std::uint16_t>;
  const W x = reinterpret_cast<W>(a), y = reinterpret_cast<W>(b);
  return reinterpret_cast<Vector<T>>(((x * y) & 0xff) | ((x >> 8) * (y & 0xff00)));
}
template <LaneType T>
struct VectorFunction<Op::square, T> {
  static Vector<T> apply(Vector<T> a) {
    if constexpr (Floating<T>) {
      return a * a;
    } else {
      if constexpr (sizeof(T) == 1) return multiply_bytes<T>(a, a);
      using U = Vector<Unsigned<T>>;
      return reinterpret_cast<Vector<T>>(reinterpret_cast<U>(a) * reinterpret_cast<U>(a));
    }
  }
};
template <Floating T>
struct VectorFunction<Op::reciprocal, T> {
  static Vector<T> apply(Vector<T> a) { return splat<T>(1) / a; }
};
template <Floating T>
struct VectorFunction<Op::deg2rad, T> {
  static Vector<T> apply(Vector<T> a) { return a * (static_cast<T>(3.14159265358979323846) / T{180}); }
};
template <Floating T>
struct VectorFunction<Op::rad2deg, T> {
  static Vector<T> apply(Vector<T> a) { return a * (T{180} / static_cast<T>(3.14159265358979323846)); }
};
template <LaneType T>
struct VectorFunction<Op::conj, T> {
  static Vector<T> apply(Vector<T> a) { return a; }
};
template <LaneType T>
struct VectorFunction<Op::real, T> {
  static Vector<T> apply(Vector<T> a) { return a; }
};
template <LaneType T>
struct VectorFunction<Op::imag, T> {
  static Vector<T> apply(Vector<T>) { return Vector<T>{}; }
};
template <LaneType T>
struct VectorFunction<Op::sign, T> {
  static Vector<T> apply(Vector<T> a) {
    if constexpr (std::is_unsigned_v<T>)
      return a != 0 ? splat<T>(1) : Vector<T>{};
    else if constexpr (Floating<T>)
      return a > 0 ? splat<T>(1) : a < 0 ? splat<T>(-1) : a == 0 ? Vector<T>{} : a;
    else
      return a > 0 ? splat<T>(1) : a >> (sizeof(T) * 8 - 1);
  }
};
template <Floating T>
struct VectorFunction<Op::copysign, T> {
  static Vector<T> apply(Vector<T> a, Vector<T> b) {
    using U = Vector<Unsigned<T>>;
    constexpr Unsigned<T> sign = Unsigned<T>{1} << (sizeof(T) * 8 - 1);
    return reinterpret_cast<Vector<T>>((reinterpret_cast<U>(a) & ~sign) | (reinterpret_cast<U>(b) & sign));
  }
};
template <Floating T>
struct VectorFunction<Op::heaviside, T> {
  static Vector<T> apply(Vector<T> a, Vector<T> b) {
    return a != a ? a : a == 0 ? b : a < 0 ? Vector<T>{} : splat<T>(1);
  }
};

// ---- Truth and classes ----

template <LaneType T>
struct VectorFunction<Op::signbit, T> {
  static auto apply(Vector<T> a) {
    if constexpr (std::is_unsigned_v<T>)
      return Vector<Signed<T>>{};
    else
      return truth_lanes(negative_lanes<T>(a));
  }
};
template <LaneType T>
struct VectorFunction<Op::isnan, T> {
  static auto apply(Vector<T> a) { return truth_lanes(a != a); }
};
template <LaneType T>
struct VectorFunction<Op::isinf, T> {
  static auto apply(Vector<T> a) {
    if constexpr (Floating<T>)
      return truth_lanes(vector_magnitude<T>(a) > most<T>);
    else
      return Vector<Signed<T>>{};
  }
};
template <LaneType T>
struct VectorFunction<Op::isfinite, T> {
  static auto apply(Vector<T> a) {
    if constexpr (Floating<T>)
      return truth_lanes(vector_magnitude<T>(a) <= most<T>);
    else
      return splat<Signed<T>>(1);
  }
};
template <LaneType T>
struct VectorFunction<Op::logical_not, T> {
  static auto apply(Vector<T> a) { return truth_lanes(a == 0); }
};
template <LaneType T>
struct VectorFunction<Op::logical_and, T> {
  static auto apply(Vector<T> a, Vector<T> b) { return truth_lanes((a != 0) & (b != 0)); }
};
template <LaneType T>
struct VectorFunction<Op::logical_or, T> {
  static auto apply(Vector<T> a, Vector<T> b) { return truth_lanes((a != 0) | (b != 0)); }
};
template <LaneType T>
struct VectorFunction<Op::logical_xor, T> {
  static auto apply(Vector<T> a, Vector<T> b) { return truth_lanes((a != 0) ^ (b != 0)); }
};

// ---- Bits ----

template <Integer T>
struct VectorFunction<Op::bitwise_and, T> {
  static Vector<T> apply(Vector<T> a, Vector<T> b) { return a & b; }
};
template <Integer T>
struct VectorFunction<Op::bitwise_or, T> {
  static Vector<T> apply(Vector<T> a, Vector<T> b) { return a | b; }
};
template <Integer T>
struct VectorFunction<Op::bitwise_xor, T> {
  static Vector<T> apply(Vector<T> a, Vector<T> b) { return a ^ b; }
};
template <Integer T>
struct VectorFunction<Op::invert, T> {
  static Vector<T> apply(Vector<T> a) { return ~a; }
};
template <Integer T>
struct VectorFunction<Op::left_shift, T> {
  static Vector<T> apply(Vector<T> a, Vector<T> b) {
    using U = Vector<Unsigned<T>>;
    constexpr Unsigned<T> bits = sizeof(T) * 8;
    const U count = reinterpret_cast<U>(b);
    return reinterpret_cast<Vector<T>>(count < bits ? reinterpret_cast<U>(a) << (count & (bits - 1)) : U{});
  }
};
template <Integer T>
struct VectorFunction<Op::right_shift, T> {
  static Vector<T> apply(Vector<T> a, Vector<T> b) {
    using U = Vector<Unsigned<T>>;
    constexpr Unsigned<T> bits = sizeof(T) * 8;
    const U count = reinterpret_cast<U>(b);
    const U inside = count < bits ? count : U{} + (bits - 1);
    const Vector<T> shifted = a >> reinterpret_cast<Vector<T>>(inside);
    return std::is_signed_v<T> ? shifted
                               : reinterpret_cast<Vector<T>>(count < bits ? reinterpret_cast<U>(shifted) : U{});
  }
};
template <Integer T>
struct VectorFunction<Op::floor, T> : VectorFunction<Op::real, T> {};
template <Integer T>
struct VectorFunction<Op::ceil, T> : VectorFunction<Op::real, T> {};
template <Integer T>
struct VectorFunction<Op::trunc, T> : VectorFunction<Op::real, T> {};

// ---- Rounding: SSE2 has no instruction for it ----

#if defined(__AVX512F__)
#define XP_ROUND(x, mode)                                     \
  if constexpr (sizeof(T) == 8)                               \
    return _mm512_roundscale_pd(x, mode | _MM_FROUND_NO_EXC); \
  else                                                        \
    return _mm512_roundscale_ps(x, mode | _MM_FROUND_NO_EXC);
#elif defined(__AVX2__)
#define XP_ROUND(x, mode)                                \
  if constexpr (sizeof(T) == 8)                          \
    return _mm256_round_pd(x, mode | _MM_FROUND_NO_EXC); \
  else                                                   \
    return _mm256_round_ps(x, mode | _MM_FROUND_NO_EXC);
#endif
#if defined(XP_ROUND)
template <Floating T>
struct VectorFunction<Op::floor, T> {
  static Vector<T> apply(Vector<T> a) { XP_ROUND(a, _MM_FROUND_TO_NEG_INF) }
};
template <Floating T>
struct VectorFunction<Op::ceil, T> {
  static Vector<T> apply(Vector<T> a) { XP_ROUND(a, _MM_FROUND_TO_POS_INF) }
};
template <Floating T>
struct VectorFunction<Op::trunc, T> {
  static Vector<T> apply(Vector<T> a) { XP_ROUND(a, _MM_FROUND_TO_ZERO) }
};
template <Floating T>
struct VectorFunction<Op::rint, T> {
  static Vector<T> apply(Vector<T> a) { XP_ROUND(a, _MM_FROUND_TO_NEAREST_INT) }
};

/// Exact, as the C++ library's: below 2^p (p bits of mantissa) the truncated quotient is a number, if rounded up
/// perhaps one too large, and what is left of `a` is a multiple of b's last bit, smaller than b.
template <Floating T>
struct VectorFunction<Op::fmod, T> {
  static Vector<T> apply(Vector<T> a, Vector<T> b) {
    constexpr T limit = sizeof(T) == 8 ? static_cast<T>(0x1p53) : static_cast<T>(0x1p24);
    const Vector<T> quotient = a / b;
    const Vector<T> rest = vector_fma<T>(-VectorFunction<Op::trunc, T>::apply(quotient), b, a);
    const Vector<T> sized = vector_magnitude<T>(rest), beyond = vector_magnitude<T>(b) - sized;
    // The sign of zero is a's, too.
    const auto exceeded = (rest != 0) & (negative_lanes<T>(rest) != negative_lanes<T>(a));
    const Vector<T> result = VectorFunction<Op::copysign, T>::apply(exceeded ? beyond : sized, a);
    const auto easy = (vector_magnitude<T>(quotient) < limit) & (vector_magnitude<T>(b) <= most<T>);
    if (any_lane(~easy)) [[unlikely]]
      return by_element(a, b, result, ~easy);
    return result;
  }

 private:
  template <class Mask>
  [[gnu::noinline, gnu::cold]] static Vector<T> by_element(Vector<T> a, Vector<T> b, Vector<T> result, Mask hard) {
    for (std::size_t i = 0; i < sizeof(a) / sizeof(T); ++i)
      if (hard[i] != 0) result[i] = std::fmod(a[i], b[i]);
    return result;
  }
};
#undef XP_ROUND
#endif

#if defined(__AVX512DQ__)
/// Of integers of 64 bits, as quotient_as_real (functions.hpp), where they have no more than 53.
template <Op op>
requires(op == Op::floor_divide || op == Op::remainder) struct VectorFunction<op, std::int64_t> {
  using V = Vector<std::int64_t>;
  static V apply(V a, V b) {
    constexpr std::int64_t limit = std::int64_t{1} << 53;
    const auto large = (a >= limit) | (a <= -limit) | (b >= limit) | (b <= -limit);
    if (any_lane(large)) [[unlikely]]
      return by_element(a, b);
    const auto none = b == 0;
    const V divisor = none ? V{} + 1 : b;
    const __m512d ratio = _mm512_div_pd(_mm512_cvtepi64_pd(reinterpret_cast<__m512i>(a)),
                                        _mm512_cvtepi64_pd(reinterpret_cast<__m512i>(divisor)));
    const V toward_zero = reinterpret_cast<V>(_mm512_cvttpd_epi64(ratio)), rest = a - toward_zero * divisor;
    const V below = reinterpret_cast<V>((rest != 0) & ((rest ^ divisor) < 0));  // -1 where it is
    if constexpr (op == Op::floor_divide)
      return none ? V{} : toward_zero + below;
    else
      return none ? V{} : rest + (below & divisor);
  }

 private:
  [[gnu::noinline, gnu::cold]] static V by_element(V a, V b) {
    for (std::size_t i = 0; i < sizeof(V) / sizeof(std::int64_t); ++i) a[i] = Function<op>::apply(a[i], b[i]);
    return a;
  }
};
#endif

// ---- SLEEF ----

#if defined(XP_SLEEF_VECTORS)
/// In double, which rounds right and has no subnormal numbers of float's; of double some are several or tens of units
/// off there, or two before they overflow.
template <Op op, class T, class... Arguments>
T by_library(Arguments... arguments) {
  if constexpr (op == Op::gamma && sizeof(T) == 8)
    return static_cast<T>(std::tgamma(static_cast<long double>(arguments)...));
  else if constexpr (op == Op::cbrt && sizeof(T) == 8)
    return static_cast<T>(std::cbrt(static_cast<long double>(arguments)...));
  else if constexpr (op == Op::sinh && sizeof(T) == 8)
    return static_cast<T>(std::sinh(static_cast<long double>(arguments)...));
  else if constexpr (op == Op::cosh && sizeof(T) == 8)
    return static_cast<T>(std::cosh(static_cast<long double>(arguments)...));
  else
    return static_cast<T>(Function<op>::apply(static_cast<double>(arguments)...));
}
/// The lanes where `first` <= |y| <= the largest number does not hold, NaN's among them.
template <class T>
[[gnu::always_inline]] inline auto outside(Vector<T> y, T first) {
  using U = Unsigned<T>;
  const U low = bits_as<U>(first), count = bits_as<U>(most<T>) - low;
  return reinterpret_cast<Vector<U>>(vector_magnitude<T>(y)) - low > count;
}
template <Op op, class T>
[[gnu::noinline, gnu::cold]] Vector<T> repaired(Vector<T> y, Vector<T> x, T tiny) {
  for (std::size_t i = 0; i < sizeof(x) / sizeof(T); ++i)
    if (!(std::fabs(y[i]) >= tiny && std::fabs(y[i]) <= most<T>)) y[i] = by_library<op, T>(x[i]);
  return y;
}
/// Infinities and NaNs, zeros and other results below `tiny` go to the C++ library one by one: there results are exact,
/// or SLEEF (3.6) has none: some of its functions overflow early, or lose bits.
template <Op op, class T>
[[gnu::always_inline]] inline Vector<T> with_special_values(Vector<T> x, Vector<T> y, T tiny) {
  if (any_lane(outside<T>(y, tiny))) [[unlikely]]
    return repaired<op, T>(y, x, tiny);
  return y;
}
/// The same of two arguments, and where one of these is zero, infinite or NaN.
template <Op op, class T>
[[gnu::noinline, gnu::cold]] Vector<T> repaired(Vector<T> y, Vector<T> a, Vector<T> b, T tiny) {
  const auto ordinary = [](T x, T first) { return std::fabs(x) >= first && std::fabs(x) <= most<T>; };
  for (std::size_t i = 0; i < sizeof(a) / sizeof(T); ++i)
    if (!ordinary(y[i], tiny) || !ordinary(a[i], least<T>) || !ordinary(b[i], least<T>))
      y[i] = by_library<op, T>(a[i], b[i]);
  return y;
}
template <Op op, class T>
[[gnu::always_inline]] inline Vector<T> with_special_values(Vector<T> a, Vector<T> b, Vector<T> y) {
  constexpr T tiny = sizeof(T) == 8 ? static_cast<T>(1e-292) : static_cast<T>(1e-30);
  if (any_lane(outside<T>(a, least<T>) | outside<T>(b, least<T>) | outside<T>(y, tiny))) [[unlikely]]
    return repaired<op, T>(y, a, b, tiny);
  return y;
}

#define XP_DOUBLE(op, name, tiny)                                          \
  template <>                                                              \
  struct VectorFunction<Op::op, double> {                                  \
    static Vector<double> apply(Vector<double> x) {                        \
      return with_special_values<Op::op, double>(x, sleef::name(x), tiny); \
    }                                                                      \
  };
#define XP_FLOAT(op, name)                                                  \
  template <>                                                               \
  struct VectorFunction<Op::op, float> {                                    \
    static Vector<float> apply(Vector<float> x) {                           \
      return with_special_values<Op::op, float>(x, sleef::name(x), 1e-30f); \
    }                                                                       \
  };
#define XP_BOTH(op, name) XP_DOUBLE(op, name, 1e-292) XP_FLOAT(op, name)

XP_BOTH(expm1, expm1_u10)
XP_BOTH(exp2, exp2_u10)
XP_BOTH(log, log_u10)
XP_BOTH(log1p, log1p_u10)
XP_BOTH(log2, log2_u10)
XP_BOTH(log10, log10_u10)
XP_BOTH(sin, sin_u10)
XP_BOTH(cos, cos_u10)
XP_BOTH(tan, tan_u10)
XP_BOTH(asin, asin_u10)
XP_BOTH(acos, acos_u10)
XP_BOTH(atan, atan_u10)
XP_BOTH(sinh, sinh_u10)
XP_BOTH(cosh, cosh_u10)
XP_BOTH(tanh, tanh_u10)
XP_DOUBLE(asinh, asinh_u10, 1e-292)
XP_DOUBLE(acosh, acosh_u10, 1e-292)
XP_BOTH(atanh, atanh_u10)
XP_BOTH(erf, erf_u10)
XP_BOTH(erfc, erfc_u15)
XP_BOTH(lgamma, lgamma_u10)
XP_FLOAT(cbrt, cbrt_u10)
XP_BOTH(gamma, tgamma_u10)

#undef XP_BOTH
#undef XP_FLOAT
#undef XP_DOUBLE

#define XP_BINARY(op, name, T)                                        \
  template <>                                                         \
  struct VectorFunction<Op::op, T> {                                  \
    static Vector<T> apply(Vector<T> a, Vector<T> b) {                \
      return with_special_values<Op::op, T>(a, b, sleef::name(a, b)); \
    }                                                                 \
  };
XP_BINARY(power, pow_u10, double)
XP_BINARY(atan2, atan2_u10, double)
XP_BINARY(atan2, atan2_u10, float)
XP_BINARY(hypot, hypot_u05, double)
XP_BINARY(hypot, hypot_u05, float)
#undef XP_BINARY

// ---- Functions of float by their definitions in double, which is quicker than twice the precision of float: their
// error is 1e-9 of a float's and less. Near zero, where asinh's subtracts, two terms of its series are closer still.
// ----

using Doubles = Vector<double>;

/// The magnitude of `y` with the sign of `x`.
[[gnu::always_inline]] inline Doubles with_sign_of(Doubles x, Doubles y) {
  return VectorFunction<Op::copysign, double>::apply(y, x);
}

/// WideFunction<op>::apply is such a definition.
template <Op op>
struct WideFunction {};
template <Op op>
requires requires(Doubles x) { WideFunction<op>::apply(x); }
struct VectorFunction<op, float> {
  static Vector<float> apply(Vector<float> x) {
    const Vector<float> y =
        narrowed(WideFunction<op>::apply(widened<false>(x)), WideFunction<op>::apply(widened<true>(x)));
    return with_special_values<op, float>(x, y, 1e-30f);
  }
};
template <Op op>
requires requires(Doubles x) { WideFunction<op>::apply(x, x); }
struct VectorFunction<op, float> {
  static Vector<float> apply(Vector<float> a, Vector<float> b) {
    const Vector<float> y = narrowed(WideFunction<op>::apply(widened<false>(a), widened<false>(b)),
                                     WideFunction<op>::apply(widened<true>(a), widened<true>(b)));
    return with_special_values<op, float>(a, b, y);
  }
};

template <>
struct WideFunction<Op::asinh> {
  static Doubles apply(Doubles x) {
    const Doubles size = vector_magnitude<double>(x);
    const Doubles y = sleef::log_u35(size + vector_sqrt<double>(size * size + 1));
    return size < 0x1p-10 ? x - x * x * x * (1.0 / 6) : with_sign_of(x, y);
  }
};
template <>
struct WideFunction<Op::acosh> {
  static Doubles apply(Doubles x) { return sleef::log_u35(x + vector_sqrt<double>(x * x - 1)); }
};
template <>
struct WideFunction<Op::power> {
  static Doubles apply(Doubles a, Doubles b) {
    constexpr double log2_e = 1.44269504088896340736;
    const Doubles size = sleef::exp2_u35(b * log2_e * sleef::log_u35(vector_magnitude<double>(a)));
    if (any_lane(a < 0)) return with_sign(size, a, b);
    return size;
  }

 private:
  /// Negative bases have powers where b is a whole number, which floats from 2^24 on are, and even from 2^25 on.
  static Doubles with_sign(Doubles size, Doubles a, Doubles b) {
    constexpr double shift = 0x1.8p52;
    const Doubles bounded = vector_magnitude<double>(b) < 0x1p25 ? b : Doubles{}, half = bounded * 0.5;
    const auto whole = (bounded + shift) - shift == bounded, even = (half + shift) - shift == half;
    const Doubles nan = splat<double>(std::numeric_limits<double>::quiet_NaN()), signed_size = even ? size : -size;
    return a < 0 ? (whole ? signed_size : nan) : size;
  }
};

// ---- The cube root of a double: SLEEF's quicker one and a step of Newton's method on its error ----

/// 1 / x within 0.3 %, for normal positive x whose reciprocal is normal too.
[[gnu::always_inline]] inline Doubles rough_reciprocal(Doubles x) {
  constexpr std::uint64_t two_ones = 0x7fde623822fc16e6;  // a line through 1/x on each binade: within 6 %
  const auto bits = splat<std::uint64_t>(two_ones) - reinterpret_cast<Vector<std::uint64_t>>(x);
  const Doubles guess = reinterpret_cast<Doubles>(bits);
  return guess * (2 - x * guess);
}
template <>
struct VectorFunction<Op::cbrt, double> {
  static Doubles apply(Doubles x) {
    const Doubles y = sleef::cbrt_u35(x);
    // x - y^3 in twice the precision.
    const Doubles square = y * y, square_rest = vector_fma<double>(y, y, -square);
    const Doubles cube = square * y, cube_rest = vector_fma<double>(square, y, -cube);
    const Doubles rest = x - cube - cube_rest - square_rest * y;
    return with_special_values<Op::cbrt, double>(x, y + rest * rough_reciprocal(3 * square), 1e-90);
  }
};
/// logaddexp and logaddexp2 as in functions.hpp, from vectors.
template <Floating T>
struct VectorFunction<Op::logaddexp, T> {
  static Vector<T> apply(Vector<T> a, Vector<T> b) {
    const Vector<T> difference = a - b, greater = difference > 0 ? a : b;
    const Vector<T> sum =
        greater + VectorFunction<Op::log1p, T>::apply(vector_exp<T>(-vector_magnitude<T>(difference)));
    return a == b ? a + static_cast<T>(0.693147180559945309417) : difference != difference ? difference : sum;
  }
};
template <Floating T>
struct VectorFunction<Op::logaddexp2, T> {
  static Vector<T> apply(Vector<T> a, Vector<T> b) {
    constexpr T log2_e = static_cast<T>(1.44269504088896340736);
    const Vector<T> difference = a - b, greater = difference > 0 ? a : b;
    const Vector<T> power = VectorFunction<Op::exp2, T>::apply(-vector_magnitude<T>(difference));
    const Vector<T> sum = greater + log2_e * VectorFunction<Op::log1p, T>::apply(power);
    return a == b ? a + 1 : difference != difference ? difference : sum;
  }
};
#endif

}  // namespace xp::kernels
