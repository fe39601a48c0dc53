// SPDX-License-Identifier: Apache-2.0
// Programs of one operation on complex numbers.
#include "kernels/single_kernel_device.hpp"

namespace xp::kernels {

bool launch_single_complex(const Space& space, const Single& single) {
  return single.dtype == XP_COMPLEX64 ? launch_single<XP_COMPLEX64>(space, single)
                                      : launch_single<XP_COMPLEX128>(space, single);
}

}  // namespace xp::kernels
