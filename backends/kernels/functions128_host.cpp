// SPDX-License-Identifier: Apache-2.0
#include "kernels/functions_host.hpp"

namespace xp::kernels {

void add_functions_128(Handlers& handlers) { set_functions<128>(handlers); }

}  // namespace xp::kernels
