// SPDX-License-Identifier: Apache-2.0
#include "kernels/functions_host.hpp"

namespace xp::kernels {

void add_functions_64(Handlers& handlers) { set_functions<64>(handlers); }

}  // namespace xp::kernels
