// SPDX-License-Identifier: Apache-2.0
// Vector forms of functions.hpp on the host. Where the result is exact they give the same bits; transcendental
// functions are SLEEF's deterministic ones, without FMA, so that every variant gives the same bits.
#pragma once

#include "kernels/functions.hpp"
#include "kernels/simd_host.hpp"

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

template <LaneType T>
struct VectorFunction<Op::square, T> {
  static Vector<T> apply(Vector<T> a) {
    if constexpr (Floating<T>) {
      return a * a;
    } else {
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
#undef XP_ROUND
#endif

// ---- SLEEF ----

#if defined(XP_HAVE_SLEEF) && defined(__x86_64__)
#if defined(__AVX512F__)
#define XP_SLEEF_DOUBLE(name, ulp) Sleef_cinz_##name##d8_##ulp##avx512fnofma
#define XP_SLEEF_FLOAT(name, ulp) Sleef_cinz_##name##f16_##ulp##avx512fnofma
#elif defined(__AVX2__)
#define XP_SLEEF_DOUBLE(name, ulp) Sleef_cinz_##name##d4_##ulp##avx
#define XP_SLEEF_FLOAT(name, ulp) Sleef_cinz_##name##f8_##ulp##avx
#else
#define XP_SLEEF_DOUBLE(name, ulp) Sleef_cinz_##name##d2_##ulp##sse2
#define XP_SLEEF_FLOAT(name, ulp) Sleef_cinz_##name##f4_##ulp##sse2
#endif

/// In double, which rounds right and has no subnormal numbers of float's. Double's gamma function is tens of units off
/// there, its sinh and cosh two before they overflow.
template <Op op, class T, class... Arguments>
T by_library(Arguments... arguments) {
  if constexpr (op == Op::gamma && sizeof(T) == 8)
    return static_cast<T>(std::tgamma(static_cast<long double>(arguments)...));
  else if constexpr (op == Op::sinh && sizeof(T) == 8)
    return static_cast<T>(std::sinh(static_cast<long double>(arguments)...));
  else if constexpr (op == Op::cosh && sizeof(T) == 8)
    return static_cast<T>(std::cosh(static_cast<long double>(arguments)...));
  else
    return static_cast<T>(Function<op>::apply(static_cast<double>(arguments)...));
}
template <Op op, class T, class Mask>
[[gnu::noinline, gnu::cold]] Vector<T> repaired(Vector<T> y, Vector<T> x, Mask special) {
  for (std::size_t i = 0; i < sizeof(x) / sizeof(T); ++i)
    if (special[i] != 0) y[i] = by_library<op, T>(x[i]);
  return y;
}
template <class Mask>
[[gnu::always_inline]] inline bool any_lane(Mask mask) {
  using Words = Vector<long long>;
  const Words words = reinterpret_cast<Words>(mask);
  long long any = 0;
  for (std::size_t i = 0; i < sizeof(Words) / sizeof(long long); ++i) any |= words[i];
  return any != 0;
}
/// Zeros, infinities and NaNs, as arguments and as results, and results below `tiny` go to the C++ library one by one:
/// there results are exact, or SLEEF (3.6) has none: some of its functions overflow early, or lose bits.
template <Op op, class T>
[[gnu::always_inline]] inline Vector<T> with_special_values(Vector<T> x, Vector<T> y, T tiny) {
  const Vector<T> size = vector_magnitude<T>(x), result = vector_magnitude<T>(y);
  const auto special = (size == 0) | !(size <= most<T>) | !(result <= most<T>) | (result < tiny);
  if (any_lane(special)) [[unlikely]]
    return repaired<op, T>(y, x, special);
  return y;
}

#define XP_SLEEF_UNARY(op, name, ulp, double_tiny, float_tiny)                                   \
  template <>                                                                                    \
  struct VectorFunction<Op::op, double> {                                                        \
    static Vector<double> apply(Vector<double> x) {                                              \
      return with_special_values<Op::op, double>(x, XP_SLEEF_DOUBLE(name, ulp)(x), double_tiny); \
    }                                                                                            \
  };                                                                                             \
  template <>                                                                                    \
  struct VectorFunction<Op::op, float> {                                                         \
    static Vector<float> apply(Vector<float> x) {                                                \
      return with_special_values<Op::op, float>(x, XP_SLEEF_FLOAT(name, ulp)(x), float_tiny);    \
    }                                                                                            \
  };
#define XP_SLEEF_EVERYWHERE(op, name, ulp) XP_SLEEF_UNARY(op, name, ulp, 1e-292, 1e-30f)

XP_SLEEF_EVERYWHERE(expm1, expm1, u10)
XP_SLEEF_EVERYWHERE(exp2, exp2, u10)
XP_SLEEF_EVERYWHERE(log, log, u10)
XP_SLEEF_EVERYWHERE(log1p, log1p, u10)
XP_SLEEF_EVERYWHERE(log2, log2, u10)
XP_SLEEF_EVERYWHERE(log10, log10, u10)
XP_SLEEF_EVERYWHERE(sin, sin, u10)
XP_SLEEF_EVERYWHERE(cos, cos, u10)
XP_SLEEF_EVERYWHERE(tan, tan, u10)
XP_SLEEF_EVERYWHERE(asin, asin, u10)
XP_SLEEF_EVERYWHERE(acos, acos, u10)
XP_SLEEF_EVERYWHERE(atan, atan, u10)
XP_SLEEF_EVERYWHERE(sinh, sinh, u10)
XP_SLEEF_EVERYWHERE(cosh, cosh, u10)
XP_SLEEF_EVERYWHERE(tanh, tanh, u10)
XP_SLEEF_EVERYWHERE(asinh, asinh, u10)
XP_SLEEF_EVERYWHERE(acosh, acosh, u10)
XP_SLEEF_EVERYWHERE(atanh, atanh, u10)
XP_SLEEF_EVERYWHERE(cbrt, cbrt, u10)
XP_SLEEF_EVERYWHERE(erf, erf, u10)
XP_SLEEF_EVERYWHERE(erfc, erfc, u15)
XP_SLEEF_EVERYWHERE(lgamma, lgamma, u10)
XP_SLEEF_EVERYWHERE(gamma, tgamma, u10)
#undef XP_SLEEF_EVERYWHERE
#undef XP_SLEEF_UNARY

template <Op op, class T, class Mask>
[[gnu::noinline, gnu::cold]] Vector<T> repaired(Vector<T> y, Vector<T> a, Vector<T> b, Mask special) {
  for (std::size_t i = 0; i < sizeof(a) / sizeof(T); ++i)
    if (special[i] != 0) y[i] = by_library<op, T>(a[i], b[i]);
  return y;
}
template <Op op, class T>
[[gnu::always_inline]] inline Vector<T> with_special_values(Vector<T> a, Vector<T> b, Vector<T> y) {
  const Vector<T> size_a = vector_magnitude<T>(a), size_b = vector_magnitude<T>(b), result = vector_magnitude<T>(y);
  constexpr T tiny = sizeof(T) == 8 ? static_cast<T>(1e-292) : static_cast<T>(1e-30);
  const auto special = (size_a == 0) | (size_b == 0) | !(size_a <= most<T>) | !(size_b <= most<T>) |
                       !(result <= most<T>) | (result < tiny);
  if (any_lane(special)) [[unlikely]]
    return repaired<op, T>(y, a, b, special);
  return y;
}
#define XP_SLEEF_BINARY(op, name, ulp)                                                    \
  template <>                                                                             \
  struct VectorFunction<Op::op, double> {                                                 \
    static Vector<double> apply(Vector<double> a, Vector<double> b) {                     \
      return with_special_values<Op::op, double>(a, b, XP_SLEEF_DOUBLE(name, ulp)(a, b)); \
    }                                                                                     \
  };                                                                                      \
  template <>                                                                             \
  struct VectorFunction<Op::op, float> {                                                  \
    static Vector<float> apply(Vector<float> a, Vector<float> b) {                        \
      return with_special_values<Op::op, float>(a, b, XP_SLEEF_FLOAT(name, ulp)(a, b));   \
    }                                                                                     \
  };
XP_SLEEF_BINARY(power, pow, u10)
XP_SLEEF_BINARY(atan2, atan2, u10)
XP_SLEEF_BINARY(hypot, hypot, u05)
#undef XP_SLEEF_BINARY
#undef XP_SLEEF_DOUBLE
#undef XP_SLEEF_FLOAT

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
