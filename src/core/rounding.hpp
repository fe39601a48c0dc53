// SPDX-License-Identifier: Apache-2.0
// Numbers are rounded to nearest and without traps whatever the caller has set, as the kernels do.
#pragma once

#include <cfenv>

namespace xp::detail {

class NearestRounding {
 public:
  NearestRounding() : replaced_(std::fegetround() != FE_TONEAREST || traps()) {
    if (!replaced_) [[likely]]
      return;
    std::feholdexcept(&environment_);
    std::fesetround(FE_TONEAREST);
  }
  ~NearestRounding() {
    if (replaced_) [[unlikely]]
      std::fesetenv(&environment_);
  }
  NearestRounding(const NearestRounding&) = delete;
  NearestRounding& operator=(const NearestRounding&) = delete;

 private:
  static bool traps() {
#if defined(__GLIBC__)
    return fegetexcept() != 0;
#else
    return false;
#endif
  }
  std::fenv_t environment_;
  bool replaced_;
};

}  // namespace xp::detail
