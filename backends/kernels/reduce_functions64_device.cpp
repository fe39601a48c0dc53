// SPDX-License-Identifier: Apache-2.0
// Fused programs of functions with 64-bit slots that end in a reduction.
#include "kernels/program_kernel_device.hpp"

namespace xp::kernels {

template <>
void launch_function_reduction<64>(const Space& space, const DevicePlan& plan, void* results) {
  launch_blocks<64, Repertoire::functions>(space, plan, results);
}

}  // namespace xp::kernels
