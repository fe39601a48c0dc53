// SPDX-License-Identifier: Apache-2.0
// Programs of one operation on float32.
#include "kernels/single_kernel_device.hpp"

namespace xp::kernels {

bool launch_single_float32(const Space& space, const Single& single) {
  return launch_single<XP_FLOAT32>(space, single);
}

}  // namespace xp::kernels
