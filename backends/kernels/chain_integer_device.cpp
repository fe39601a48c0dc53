// SPDX-License-Identifier: Apache-2.0
// Programs of several operations on integers or bool.
#include "kernels/chain_kernel_device.hpp"

namespace xp::kernels {

ChainOperation chain_operation_integer(int dtype, Op op) {
  switch (dtype) {
    case XP_BOOL:
      return chain_operation<XP_BOOL>(op);
    case XP_INT8:
      return chain_operation<XP_INT8>(op);
    case XP_INT16:
      return chain_operation<XP_INT16>(op);
    case XP_INT32:
      return chain_operation<XP_INT32>(op);
    case XP_INT64:
      return chain_operation<XP_INT64>(op);
    case XP_UINT8:
      return chain_operation<XP_UINT8>(op);
    case XP_UINT16:
      return chain_operation<XP_UINT16>(op);
    case XP_UINT32:
      return chain_operation<XP_UINT32>(op);
    default:
      return chain_operation<XP_UINT64>(op);
  }
}

void launch_chain_integer(const Space& space, const Chain& chain) {
  switch (chain.dtype) {
    case XP_BOOL:
      return launch_chain<XP_BOOL>(space, chain);
    case XP_INT8:
      return launch_chain<XP_INT8>(space, chain);
    case XP_INT16:
      return launch_chain<XP_INT16>(space, chain);
    case XP_INT32:
      return launch_chain<XP_INT32>(space, chain);
    case XP_INT64:
      return launch_chain<XP_INT64>(space, chain);
    case XP_UINT8:
      return launch_chain<XP_UINT8>(space, chain);
    case XP_UINT16:
      return launch_chain<XP_UINT16>(space, chain);
    case XP_UINT32:
      return launch_chain<XP_UINT32>(space, chain);
    default:
      return launch_chain<XP_UINT64>(space, chain);
  }
}

}  // namespace xp::kernels
