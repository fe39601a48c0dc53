// SPDX-License-Identifier: Apache-2.0
// The processor's floating-point state, for kernels that run on it.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace xp::kernels {

/// Rounds to nearest, keeps subnormals and traps nothing while it lives; restores the caller's state.
class FloatingPointScope {
 public:
#if defined(__x86_64__)
  FloatingPointScope() : saved_(_mm_getcsr()) {
    // The sticky flags are no state that matters; writing MXCSR costs more than reading it.
    if ((saved_ & ~sticky) != standard) [[unlikely]]
      _mm_setcsr(standard);
  }
  ~FloatingPointScope() {
    if ((saved_ & ~sticky) != standard) [[unlikely]]
      _mm_setcsr(saved_);
  }

 private:
  static constexpr unsigned sticky = 0x3f, standard = 0x1f80;
  unsigned saved_;

 public:
#else
  FloatingPointScope() {}
#endif
  FloatingPointScope(const FloatingPointScope&) = delete;
  FloatingPointScope& operator=(const FloatingPointScope&) = delete;
};

}  // namespace xp::kernels
