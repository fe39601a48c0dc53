// SPDX-License-Identifier: Apache-2.0
// Reductions.
#pragma once

#include <xp/array.hpp>

namespace [[gnu::visibility("default")]] xp {

/// Sum of all elements, 0-d. bool and integers accumulate in int64 (unsigned in uint64), half types in float32; the
/// result has NumPy's dtype (float16 stays float16). The order of additions is a function of the shape alone: the same
/// bits for every layout, thread count and device, fused or not. 0 for an empty array.
Array sum(const Operand& array);

}  // namespace gnu::visibility("default")]]xp
