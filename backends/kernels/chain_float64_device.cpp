// SPDX-License-Identifier: Apache-2.0
// Programs of several operations on float64.
#include "kernels/chain_kernel_device.hpp"

namespace xp::kernels {

ChainOperation chain_operation_float64(Op op) { return chain_operation<XP_FLOAT64>(op); }

void launch_chain_float64(const Space& space, const Chain& chain) { launch_chain<XP_FLOAT64>(space, chain); }

}  // namespace xp::kernels
