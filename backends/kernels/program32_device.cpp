// SPDX-License-Identifier: Apache-2.0
// Fused programs with 32-bit slots.
#include "kernels/program_kernel_device.hpp"

namespace xp::kernels {

template <>
void launch_program<32>(const Space& space, const DevicePlan& plan) {
  launch_arithmetic<32>(space, plan);
}

}  // namespace xp::kernels
