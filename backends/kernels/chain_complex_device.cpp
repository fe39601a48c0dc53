// SPDX-License-Identifier: Apache-2.0
// Programs of several operations on complex numbers.
#include "kernels/chain_kernel_device.hpp"

namespace xp::kernels {

ChainOperation chain_operation_complex(int dtype, Op op) {
  return dtype == XP_COMPLEX64 ? chain_operation<XP_COMPLEX64>(op) : chain_operation<XP_COMPLEX128>(op);
}

void launch_chain_complex(const Space& space, const Chain& chain) {
  if (chain.dtype == XP_COMPLEX64)
    launch_chain<XP_COMPLEX64>(space, chain);
  else
    launch_chain<XP_COMPLEX128>(space, chain);
}

}  // namespace xp::kernels
