// SPDX-License-Identifier: Apache-2.0
// Programs of one operation on dense elements of one or two bytes: the interpreter, with its slots of four bytes and
// more, would take several times as long as memory.
#pragma once

#include "kernels/device_device.hpp"

namespace xp::kernels {

/// Launches the program if it is such a one; false if not, and nothing is done.
bool run_narrow(const xp_device& device, const xp_program& program);

}  // namespace xp::kernels
