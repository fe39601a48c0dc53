// SPDX-License-Identifier: Apache-2.0
// Programs of one operation on contiguous operands: a plain loop in the operands' own dtype.
#pragma once

#include "xp/backend.h"

namespace xp::kernels {

/// Runs the program if it is such a one; false if not, and nothing is done.
bool run_single(const xp_program& program);

}  // namespace xp::kernels
