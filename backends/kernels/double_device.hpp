// SPDX-License-Identifier: Apache-2.0
// Square roots and quotients of several doubles side by side. CUDA's own have a branch after each, for what is rare,
// which makes the elements wait for each other; here one branch is for all. The steps are CUDA's, of Newton's method,
// so that the results are the rounded ones.
#pragma once

#include "kernels/functors.hpp"
#include "kernels/launch_device.hpp"

namespace xp::kernels {

#if defined(__CUDA_ARCH__)
__device__ inline std::uint32_t upper_word(double a) { return static_cast<std::uint32_t>(__double2hiint(a)); }

/// Out of line, as they are many instructions, and rarely run.
__device__ XP_NOINLINE inline double rare_sqrt(double a) { return __dsqrt_rn(a); }
__device__ XP_NOINLINE inline double rare_quotient(double a, double b) { return __ddiv_rn(a, b); }

/// Not where `a` is zero, negative, not finite or so small that what is left of it may be subnormal.
__device__ inline bool takes_quick_sqrt(double a) { return upper_word(a) - 0x03500000u < 0x7ca00000u; }
__device__ inline double quick_sqrt(double a) {
  double guess;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(a));
  const double error = __fma_rn(-(guess * guess), a, 1.0);
  const double inverse = __fma_rn(__fma_rn(error, 0.375, 0.5), guess * error, guess), near = inverse * a;
  const double half_inverse = __hiloint2double(__double2hiint(inverse) - 0x100000, __double2loint(inverse));
  return __fma_rn(__fma_rn(-near, near, a), half_inverse, near);
}
/// Not where a step overflows, or may be subnormal. quotient: what quick_quotient gives.
__device__ inline bool takes_quick_quotient(double a, double b, double quotient) {
  const std::uint32_t size_a = upper_word(a) & 0x7fffffffu, size_b = upper_word(b) & 0x7fffffffu,
                      size = upper_word(quotient) & 0x7fffffffu;
  return size_a >= 0x03600000u && size_b < 0x7f800000u && size > 0x00100000u && size < 0x7f800000u;
}
__device__ inline double quick_quotient(double a, double b) {
  double guess;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(b));
  // A little more than the 20 bits given: the reciprocal of a mantissa of ones would end one too small.
  guess = __hiloint2double(__double2hiint(guess), 1);
  double error = __fma_rn(-b, guess, 1.0);
  error = __fma_rn(error, error, error);
  double inverse = __fma_rn(guess, error, guess);
  inverse = __fma_rn(inverse, __fma_rn(-b, inverse, 1.0), inverse);
  const double near = a * inverse;
  return __fma_rn(inverse, __fma_rn(-b, near, a), near);
}
#endif

template <int count>
KOKKOS_FORCEINLINE_FUNCTION void sqrt_all(const double* a, double* roots) {
#if defined(__CUDA_ARCH__)
  bool quick = true;
  XP_UNROLL
  for (int k = 0; k < count; ++k) {
    roots[k] = quick_sqrt(a[k]);
    quick = takes_quick_sqrt(a[k]) && quick;
  }
  if (quick) return;
  XP_UNROLL
  for (int k = 0; k < count; ++k)
    if (!takes_quick_sqrt(a[k])) roots[k] = rare_sqrt(a[k]);
#else
  for (int k = 0; k < count; ++k) roots[k] = Sqrt::apply(a[k]);
#endif
}
template <int count>
KOKKOS_FORCEINLINE_FUNCTION void divide_all(const double* a, const double* b, double* quotients) {
#if defined(__CUDA_ARCH__)
  bool quick = true;
  XP_UNROLL
  for (int k = 0; k < count; ++k) {
    quotients[k] = quick_quotient(a[k], b[k]);
    quick = takes_quick_quotient(a[k], b[k], quotients[k]) && quick;
  }
  if (quick) return;
  XP_UNROLL
  for (int k = 0; k < count; ++k)
    if (!takes_quick_quotient(a[k], b[k], quotients[k])) quotients[k] = rare_quotient(a[k], b[k]);
#else
  for (int k = 0; k < count; ++k) quotients[k] = Divide::apply(a[k], b[k]);
#endif
}

}  // namespace xp::kernels
