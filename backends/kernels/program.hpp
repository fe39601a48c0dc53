// SPDX-License-Identifier: Apache-2.0
// Kernel families as the entry points of backend.cpp call them, whatever the execution space.
#pragma once

#include <cstdint>

#include "xp/backend.h"

namespace xp::kernels {

std::int32_t run_program(xp_device& device, const xp_program& program, xp_error* error);
std::int32_t run_random(xp_device& device, const xp_random_args& args, xp_error* error);

}  // namespace xp::kernels
