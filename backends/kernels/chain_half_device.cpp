// SPDX-License-Identifier: Apache-2.0
// Programs of several operations on 16-bit floats.
#include "kernels/chain_kernel_device.hpp"

namespace xp::kernels {

ChainOperation chain_operation_half(int dtype, Op op) {
  return dtype == XP_FLOAT16 ? chain_operation<XP_FLOAT16>(op) : chain_operation<XP_BFLOAT16>(op);
}

void launch_chain_half(const Space& space, const Chain& chain) {
  if (chain.dtype == XP_FLOAT16)
    launch_chain<XP_FLOAT16>(space, chain);
  else
    launch_chain<XP_BFLOAT16>(space, chain);
}

}  // namespace xp::kernels
