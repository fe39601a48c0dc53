// SPDX-License-Identifier: Apache-2.0
// Fused programs of functions with 128-bit slots that end in a reduction.
#include "kernels/program_kernel_device.hpp"

namespace xp::kernels {

template <>
void launch_function_reduction<128>(const Space& space, const DevicePlan& plan, void* results) {
  launch_blocks<128, Repertoire::functions>(space, plan, results);
}

}  // namespace xp::kernels
