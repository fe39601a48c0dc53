// SPDX-License-Identifier: Apache-2.0
// Programs of one operation on float64.
#include "kernels/single_kernel_device.hpp"

namespace xp::kernels {

bool launch_single_float64(const Space& space, const Single& single) {
  return launch_single<XP_FLOAT64>(space, single);
}

}  // namespace xp::kernels
