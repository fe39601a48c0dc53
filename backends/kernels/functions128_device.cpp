// SPDX-License-Identifier: Apache-2.0
// Fused programs of functions with 128-bit slots.
#include "kernels/program_kernel_device.hpp"

namespace xp::kernels {

template <>
void launch_functions<128>(const Space& space, const DevicePlan& plan) {
  if (plan.flat)
    launch_flat<128, Flat::functions>(space, plan);
  else
    launch_strided<128, Repertoire::functions>(space, plan);
}

}  // namespace xp::kernels
