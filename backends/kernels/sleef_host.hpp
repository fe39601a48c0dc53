// SPDX-License-Identifier: Apache-2.0
// SLEEF's deterministic functions with fused multiply-add, which give the same bits in vectors of every width. Without
// instructions for it (x86-64 before 2013) they run element by element, and slowly: the bits stay the same.
#pragma once

#include <cmath>

#include "kernels/simd_host.hpp"

#if defined(XP_HAVE_SLEEF) && defined(__x86_64__)
#if defined(FP_FAST_FMA)
#include <sleef.h>
#else
#define FP_FAST_FMA  // the header declares its scalar functions with fused multiply-add only where that is quick
#include <sleef.h>
#undef FP_FAST_FMA
#endif

/// Defined where the functions below are.
#define XP_SLEEF_VECTORS

namespace xp::kernels::sleef {

#if defined(__AVX512F__)
#define XP_SLEEF_UNARY(name, ulp)                                                                          \
  inline Vector<double> name##_##ulp(Vector<double> x) { return Sleef_finz_##name##d8_##ulp##avx512f(x); } \
  inline Vector<float> name##_##ulp(Vector<float> x) { return Sleef_finz_##name##f16_##ulp##avx512f(x); }
#define XP_SLEEF_BINARY(name, ulp)                                         \
  inline Vector<double> name##_##ulp(Vector<double> a, Vector<double> b) { \
    return Sleef_finz_##name##d8_##ulp##avx512f(a, b);                     \
  }                                                                        \
  inline Vector<float> name##_##ulp(Vector<float> a, Vector<float> b) {    \
    return Sleef_finz_##name##f16_##ulp##avx512f(a, b);                    \
  }
#elif defined(__AVX2__) && defined(__FMA__)
#define XP_SLEEF_UNARY(name, ulp)                                                                       \
  inline Vector<double> name##_##ulp(Vector<double> x) { return Sleef_finz_##name##d4_##ulp##avx2(x); } \
  inline Vector<float> name##_##ulp(Vector<float> x) { return Sleef_finz_##name##f8_##ulp##avx2(x); }
#define XP_SLEEF_BINARY(name, ulp)                                         \
  inline Vector<double> name##_##ulp(Vector<double> a, Vector<double> b) { \
    return Sleef_finz_##name##d4_##ulp##avx2(a, b);                        \
  }                                                                        \
  inline Vector<float> name##_##ulp(Vector<float> a, Vector<float> b) {    \
    return Sleef_finz_##name##f8_##ulp##avx2(a, b);                        \
  }
#else
#define XP_SLEEF_UNARY(name, ulp)                                                                                    \
  inline Vector<double> name##_##ulp(Vector<double> x) {                                                             \
    for (std::size_t i = 0; i < sizeof(x) / sizeof(double); ++i) x[i] = Sleef_finz_##name##d1_##ulp##purecfma(x[i]); \
    return x;                                                                                                        \
  }                                                                                                                  \
  inline Vector<float> name##_##ulp(Vector<float> x) {                                                               \
    for (std::size_t i = 0; i < sizeof(x) / sizeof(float); ++i) x[i] = Sleef_finz_##name##f1_##ulp##purecfma(x[i]);  \
    return x;                                                                                                        \
  }
#define XP_SLEEF_BINARY(name, ulp)                                         \
  inline Vector<double> name##_##ulp(Vector<double> a, Vector<double> b) { \
    for (std::size_t i = 0; i < sizeof(a) / sizeof(double); ++i)           \
      a[i] = Sleef_finz_##name##d1_##ulp##purecfma(a[i], b[i]);            \
    return a;                                                              \
  }                                                                        \
  inline Vector<float> name##_##ulp(Vector<float> a, Vector<float> b) {    \
    for (std::size_t i = 0; i < sizeof(a) / sizeof(float); ++i)            \
      a[i] = Sleef_finz_##name##f1_##ulp##purecfma(a[i], b[i]);            \
    return a;                                                              \
  }
#endif

XP_SLEEF_UNARY(exp, u10)
XP_SLEEF_UNARY(expm1, u10)
XP_SLEEF_UNARY(exp2, u10)
XP_SLEEF_UNARY(log, u10)
XP_SLEEF_UNARY(log1p, u10)
XP_SLEEF_UNARY(log2, u10)
XP_SLEEF_UNARY(log10, u10)
XP_SLEEF_UNARY(sin, u10)
XP_SLEEF_UNARY(cos, u10)
XP_SLEEF_UNARY(tan, u10)
XP_SLEEF_UNARY(asin, u10)
XP_SLEEF_UNARY(acos, u10)
XP_SLEEF_UNARY(atan, u10)
XP_SLEEF_UNARY(sinh, u10)
XP_SLEEF_UNARY(cosh, u10)
XP_SLEEF_UNARY(tanh, u10)
XP_SLEEF_UNARY(asinh, u10)
XP_SLEEF_UNARY(acosh, u10)
XP_SLEEF_UNARY(atanh, u10)
XP_SLEEF_UNARY(cbrt, u10)
XP_SLEEF_UNARY(erf, u10)
XP_SLEEF_UNARY(erfc, u15)
XP_SLEEF_UNARY(lgamma, u10)
XP_SLEEF_UNARY(tgamma, u10)
XP_SLEEF_BINARY(pow, u10)
XP_SLEEF_BINARY(atan2, u10)
XP_SLEEF_BINARY(hypot, u05)

// Within 3.5 ULP, and quicker: in double, what a float's function is made of.
XP_SLEEF_UNARY(exp2, u35)
XP_SLEEF_UNARY(log, u35)
XP_SLEEF_UNARY(log2, u35)
XP_SLEEF_UNARY(cbrt, u35)

#undef XP_SLEEF_UNARY
#undef XP_SLEEF_BINARY

}  // namespace xp::kernels::sleef
#endif

namespace xp::kernels {

template <class Mask>
[[gnu::always_inline]] inline bool any_lane(Mask mask) {
#if defined(__AVX512F__)
  const auto bits = reinterpret_cast<__m512i>(mask);
  return _mm512_test_epi64_mask(bits, bits) != 0;
#elif defined(__AVX2__)
  const auto bits = reinterpret_cast<__m256i>(mask);
  return _mm256_testz_si256(bits, bits) == 0;
#else
  using Words = Vector<long long>;
  const Words words = reinterpret_cast<Words>(mask);
  long long any = 0;
  for (std::size_t i = 0; i < sizeof(Words) / sizeof(long long); ++i) any |= words[i];
  return any != 0;
#endif
}

/// a * b + c, rounded once.
template <class T>
[[gnu::always_inline]] inline Vector<T> vector_fma(Vector<T> a, Vector<T> b, Vector<T> c) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 8)
    return _mm512_fmadd_pd(a, b, c);
  else
    return _mm512_fmadd_ps(a, b, c);
#elif defined(__AVX2__) && defined(__FMA__)
  if constexpr (sizeof(T) == 8)
    return _mm256_fmadd_pd(a, b, c);
  else
    return _mm256_fmadd_ps(a, b, c);
#else
  for (std::size_t i = 0; i < sizeof(a) / sizeof(T); ++i) a[i] = std::fma(a[i], b[i], c[i]);
  return a;
#endif
}

/// Half of a vector's floats, as doubles.
template <bool upper>
[[gnu::always_inline]] inline Vector<double> widened(Vector<float> x) {
  Vector<float, vector_bytes / 2> half;
  std::memcpy(&half, reinterpret_cast<const char*>(&x) + (upper ? sizeof(half) : 0), sizeof(half));
  return __builtin_convertvector(half, Vector<double>);
}
[[gnu::always_inline]] inline Vector<float> narrowed(Vector<double> low, Vector<double> high) {
  using Half = Vector<float, vector_bytes / 2>;
  const Half halves[2] = {__builtin_convertvector(low, Half), __builtin_convertvector(high, Half)};
  Vector<float> both;
  std::memcpy(&both, halves, sizeof(both));
  return both;
}

/// exp; SLEEF gives infinity above its limit, the largest double is exp(709.7827128933840).
template <class T>
inline Vector<T> vector_exp(Vector<T> x) {
#if defined(XP_SLEEF_VECTORS)
  Vector<T> y = sleef::exp_u10(x);
  if constexpr (sizeof(T) == 8) {
    constexpr double sleef_limit = 709.78271114955742, largest = 709.78271289338397;
    if (any_lane(x > sleef_limit)) [[unlikely]]
      for (std::size_t i = 0; i < sizeof(x) / sizeof(T); ++i)
        if (x[i] > sleef_limit && x[i] <= largest) y[i] = std::exp(x[i]);
  }
  return y;
#else
  for (std::size_t i = 0; i < sizeof(x) / sizeof(T); ++i) x[i] = std::exp(x[i]);
  return x;
#endif
}

}  // namespace xp::kernels
