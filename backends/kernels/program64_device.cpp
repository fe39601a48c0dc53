// SPDX-License-Identifier: Apache-2.0
// Fused programs with 64-bit slots.
#include "kernels/program_kernel_device.hpp"

namespace xp::kernels {

template <>
void launch_program<64>(const Space& space, const DevicePlan& plan) {
  launch_arithmetic<64>(space, plan);
}

}  // namespace xp::kernels
