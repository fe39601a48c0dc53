// SPDX-License-Identifier: Apache-2.0
// Programs of one operation on 16-bit floats.
#include "kernels/single_kernel_device.hpp"

namespace xp::kernels {

bool launch_single_half(const Space& space, const Single& single) {
  return single.dtype == XP_FLOAT16 ? launch_single<XP_FLOAT16>(space, single)
                                    : launch_single<XP_BFLOAT16>(space, single);
}

}  // namespace xp::kernels
