// SPDX-License-Identifier: Apache-2.0
// Programs of one operation on integers of 8 bits and bool.
#include "kernels/single_kernel_device.hpp"

namespace xp::kernels {

bool launch_single_boolean(const Space& space, const Single& single) { return launch_single<XP_BOOL>(space, single); }

bool launch_single_integer8(const Space& space, const Single& single) {
  return single.dtype == XP_INT8 ? launch_single<XP_INT8>(space, single) : launch_single<XP_UINT8>(space, single);
}

}  // namespace xp::kernels
