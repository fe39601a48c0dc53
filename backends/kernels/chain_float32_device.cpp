// SPDX-License-Identifier: Apache-2.0
// Programs of several operations on float32.
#include "kernels/chain_kernel_device.hpp"

namespace xp::kernels {

ChainOperation chain_operation_float32(Op op) { return chain_operation<XP_FLOAT32>(op); }

void launch_chain_float32(const Space& space, const Chain& chain) { launch_chain<XP_FLOAT32>(space, chain); }

}  // namespace xp::kernels
