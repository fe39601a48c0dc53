// SPDX-License-Identifier: Apache-2.0
// Programs of one operation on integers and bool.
#include "kernels/single_kernel_device.hpp"

namespace xp::kernels {

bool launch_single_boolean(const Space& space, const Single& single) { return launch_single<XP_BOOL>(space, single); }

bool launch_single_integer(const Space& space, const Single& single) {
  switch (single.dtype) {
    case XP_INT8:
      return launch_single<XP_INT8>(space, single);
    case XP_INT16:
      return launch_single<XP_INT16>(space, single);
    case XP_INT32:
      return launch_single<XP_INT32>(space, single);
    case XP_INT64:
      return launch_single<XP_INT64>(space, single);
    case XP_UINT8:
      return launch_single<XP_UINT8>(space, single);
    case XP_UINT16:
      return launch_single<XP_UINT16>(space, single);
    case XP_UINT32:
      return launch_single<XP_UINT32>(space, single);
    default:
      return launch_single<XP_UINT64>(space, single);
  }
}

}  // namespace xp::kernels
