// SPDX-License-Identifier: Apache-2.0
// How the iteration space is cut into the chunks that teams work on.
#pragma once

#include "kernels/plan_device.hpp"

namespace xp::kernels {

/// The operand's neighbours along `axis` are nearer than those along the last axis, where each is in a sector of its
/// own.
bool is_turned(const xp_program& program, const PlannedOperand& operand, int axis);

/// Multiplication by Divisor::magic is exact below this.
inline constexpr std::int64_t narrow_positions = (std::int64_t{1} << 31) - (1 << 16);

/// The axis along which turned operands are fastest, or -1.
int find_turned_axis(const DevicePlan& plan);

/// Says whether the operands are flat.
void find_flat(DevicePlan& plan);

/// Fills in what the plan says about chunks: team, strided, chunks. The steps are there.
void place_chunks(DevicePlan& plan);

}  // namespace xp::kernels
