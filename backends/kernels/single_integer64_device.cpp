// SPDX-License-Identifier: Apache-2.0
// Programs of one operation on integers of 64 bits.
#include "kernels/single_kernel_device.hpp"

namespace xp::kernels {

bool launch_single_integer64(const Space& space, const Single& single) {
  return single.dtype == XP_INT64 ? launch_single<XP_INT64>(space, single) : launch_single<XP_UINT64>(space, single);
}

}  // namespace xp::kernels
