// SPDX-License-Identifier: Apache-2.0
// Programs of one operation on integers of 32 bits.
#include "kernels/single_kernel_device.hpp"

namespace xp::kernels {

bool launch_single_integer32(const Space& space, const Single& single) {
  return single.dtype == XP_INT32 ? launch_single<XP_INT32>(space, single) : launch_single<XP_UINT32>(space, single);
}

}  // namespace xp::kernels
