// SPDX-License-Identifier: Apache-2.0
// Fused programs with 128-bit slots.
#include "kernels/program_kernel_device.hpp"

namespace xp::kernels {

template <>
void launch_program<128>(const Space& space, const DevicePlan& plan) {
  launch_arithmetic<128>(space, plan);
}

}  // namespace xp::kernels
