// SPDX-License-Identifier: Apache-2.0
// Fused programs of functions with 64-bit slots.
#include "kernels/program_kernel_device.hpp"

namespace xp::kernels {

template <>
void launch_functions<64>(const Space& space, const DevicePlan& plan) {
  if (plan.flat)
    launch_flat<64, Flat::functions>(space, plan);
  else
    launch_strided<64, Repertoire::functions>(space, plan);
}

}  // namespace xp::kernels
