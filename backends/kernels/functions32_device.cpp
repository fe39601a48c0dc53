// SPDX-License-Identifier: Apache-2.0
// Fused programs of functions with 32-bit slots.
#include "kernels/program_kernel_device.hpp"

namespace xp::kernels {

template <>
void launch_functions<32>(const Space& space, const DevicePlan& plan) {
  if (plan.flat)
    launch_flat<32, Flat::functions>(space, plan);
  else
    launch_strided<32, Repertoire::functions>(space, plan);
}

}  // namespace xp::kernels
