// SPDX-License-Identifier: Apache-2.0
// Programs of one operation on integers of 16 bits.
#include "kernels/single_kernel_device.hpp"

namespace xp::kernels {

bool launch_single_integer16(const Space& space, const Single& single) {
  return single.dtype == XP_INT16 ? launch_single<XP_INT16>(space, single) : launch_single<XP_UINT16>(space, single);
}

}  // namespace xp::kernels
