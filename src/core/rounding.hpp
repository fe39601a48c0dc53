// SPDX-License-Identifier: Apache-2.0
// Numbers are rounded to nearest whatever rounding mode the caller has set, as the kernels do.
#pragma once

#include <cfenv>

namespace xp::detail {

class NearestRounding {
 public:
  NearestRounding() : mode_(std::fegetround()) {
    if (mode_ != FE_TONEAREST) [[unlikely]]
      std::fesetround(FE_TONEAREST);
  }
  ~NearestRounding() {
    if (mode_ != FE_TONEAREST) [[unlikely]]
      std::fesetround(mode_);
  }
  NearestRounding(const NearestRounding&) = delete;
  NearestRounding& operator=(const NearestRounding&) = delete;

 private:
  int mode_;
};

}  // namespace xp::detail
