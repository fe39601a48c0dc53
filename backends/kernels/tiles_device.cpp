// SPDX-License-Identifier: Apache-2.0
#include "kernels/tiles_device.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace xp::kernels {
namespace {

/// Tiles that leave more of a team idle than this are worse than finding every offset by division.
constexpr double least_filled = 0.6;
/// Multiplication by Divisor::magic is exact below this.
constexpr std::int64_t narrow_positions = (std::int64_t{1} << 31) - (1 << 16);

bool is_contiguous(const xp_program& p, const PlannedOperand& operand) {
  std::int64_t expected = 1;
  for (int d = p.ndim - 1; d >= 0; --d) {
    if (operand.strides[d] != expected && p.shape[d] != 1) return false;
    expected *= p.shape[d];
  }
  return true;
}

bool is_scalar(const xp_program& p, const PlannedOperand& operand) {
  return std::all_of(operand.strides, operand.strides + p.ndim, [](std::int64_t stride) { return stride == 0; });
}

}  // namespace

bool is_turned(const xp_program& p, const PlannedOperand& operand, int axis) {
  const std::int64_t along = std::abs(operand.strides[axis]), last = std::abs(operand.strides[p.ndim - 1]);
  return along > 0 && along < last && last * operand.size >= 32;
}

int find_turned_axis(const DevicePlan& plan) {
  const xp_program& p = *plan.program;
  for (int k = 0; k < plan.n_operands; ++k) {
    const PlannedOperand& operand = plan.operands[k];
    int best = -1;
    for (int axis = 0; axis < p.ndim - 1; ++axis)
      if (operand.used && p.shape[axis] >= 8 && is_turned(p, operand, axis) &&
          (best < 0 || std::abs(operand.strides[axis]) < std::abs(operand.strides[best])))
        best = axis;
    if (best >= 0) return best;
  }
  return -1;
}

namespace {

double filled(std::int64_t extent, int bits) {
  const std::int64_t tiles = (extent + (std::int64_t{1} << bits) - 1) >> bits;
  return static_cast<double>(extent) / static_cast<double>(tiles << bits);
}

/// Chooses the tile's shape; false if none suits.
bool choose_tile(const DevicePlan& plan, int bits, StridedOperands& out) {
  const xp_program& p = *plan.program;
  const int last = p.ndim - 1;
  out.tile_axis = static_cast<std::uint8_t>(last);
  out.column_bits = static_cast<std::uint8_t>(bits);
  out.row_bits = 0;
  if (last == 0) return true;
  const int turned = find_turned_axis(plan);
  const int axis = turned >= 0 ? turned : last - 1;
  double best = 0;
  auto consider = [&](int columns) {
    const double share = filled(p.shape[last], columns) * filled(p.shape[axis], bits - columns);
    if (share <= best * 1.1) return;  // what comes first is better if it leaves no more idle
    best = share;
    out.column_bits = static_cast<std::uint8_t>(columns);
    out.row_bits = static_cast<std::uint8_t>(bits - columns);
  };
  // Turned operands want squares, others long rows.
  const int first = turned >= 0 ? (bits + 1) / 2 : bits;
  for (int columns = first; columns <= bits; ++columns) consider(columns);
  for (int columns = first - 1; columns >= 0; --columns) consider(columns);
  out.tile_axis = static_cast<std::uint8_t>(out.row_bits == 0 ? last : axis);
  return best >= least_filled;
}

void choose_staged(DevicePlan& plan, StridedOperands& out) {
  const xp_program& p = *plan.program;
  out.n_staged = 0;
  if (out.row_bits == 0 || out.column_bits == 0) return;
  for (int i = 0; i < plan.n_steps && out.n_staged < most_staged; ++i) {
    Step& step = plan.steps[i];
    if (step.code > Code::load_8) continue;
    const PlannedOperand& operand = plan.operands[step.operand];
    if (operand.size * 8 > p.width || !is_turned(p, operand, out.tile_axis)) continue;
    out.staged_operand[out.n_staged] = step.operand;
    out.staged_size[out.n_staged] = operand.size;
    step.code = Code::load_staged;
    step.operand = out.n_staged++;
  }
}

void fill_strided(DevicePlan& plan, int bits) {
  const xp_program& p = *plan.program;
  StridedOperands& out = plan.strided;
  out.ndim = p.ndim;
  out.n_staged = 0;
  out.wide = p.count >= narrow_positions;
  for (int k = 0; k < plan.n_operands; ++k) {
    const PlannedOperand& operand = plan.operands[k];
    out.operands[k].data = operand.data;
    std::copy_n(operand.strides, p.ndim, out.operands[k].strides);
    int first = 0;
    while (first < p.ndim - 1 && operand.strides[first] == 0) ++first;
    out.first_axis[k] = static_cast<std::uint8_t>(first);
  }
  std::copy_n(p.shape, p.ndim, out.shape);
  out.tiled = p.reduce_ref == XP_REF_NONE && choose_tile(plan, bits, out);
  if (out.tiled) {
    std::int64_t tiles = 1;
    for (int d = 0; d < p.ndim; ++d) {
      const int step = d == p.ndim - 1 ? out.column_bits : d == out.tile_axis ? out.row_bits : 0;
      const std::int64_t along = (p.shape[d] + (std::int64_t{1} << step) - 1) >> step;
      tiles = along < narrow_positions && tiles < narrow_positions ? tiles * along : narrow_positions;
      out.divisors[d] = Divisor::of(static_cast<std::uint32_t>(std::min(along, narrow_positions)));
    }
    plan.chunks = tiles;
    if (tiles < narrow_positions) return;
    out.tiled = false;
  }
  for (int d = 0; d < p.ndim; ++d)
    out.divisors[d] = Divisor::of(static_cast<std::uint32_t>(std::min(p.shape[d], narrow_positions)));
  plan.chunks = (p.count + (std::int64_t{1} << bits) - 1) >> bits;
}

}  // namespace

Divisor Divisor::of(std::uint32_t value) {
  if (value <= 1) return {1, 0, 0};
  const int bits = std::bit_width(value - 1) - 1;  // ceil(log2(value)) - 1
  const std::uint64_t power = std::uint64_t{1} << (32 + bits);
  return {value, static_cast<std::uint32_t>((power + value - 1) / value), static_cast<std::uint32_t>(bits)};
}

void find_flat(DevicePlan& plan) {
  const xp_program& p = *plan.program;
  plan.flat = true;
  for (int k = 0; k < plan.n_operands && plan.flat; ++k)
    plan.flat = !plan.operands[k].used || is_contiguous(p, plan.operands[k]) || is_scalar(p, plan.operands[k]);
}

void place_chunks(DevicePlan& plan) {
  const xp_program& p = *plan.program;
  const bool flat_map = plan.flat && p.reduce_ref == XP_REF_NONE;
  if (plan.repertoire == Repertoire::functions)
    plan.kind = Flat::functions;
  else if (!flat_map || plan.repertoire == Repertoire::arithmetic)
    plan.kind = Flat::general;
  else
    plan.kind = plan.n_steps <= brief_steps ? Flat::brief : Flat::quick;
  const FlatShape shape = flat_shape(plan.kind);
  plan.team = shape.team;
  const int bytes = flat_map ? shape.bytes : thread_bytes;
  while (plan.team > 8 && static_cast<std::size_t>(plan.scratch_registers * plan.team * bytes) > team_scratch)
    plan.team /= 2;
  const int elements = plan.team * (bytes * 8 / p.width), bits = std::bit_width(static_cast<unsigned>(elements)) - 1;
  plan.strided.n_staged = 0;
  if (plan.flat) {
    plan.chunks = (p.count + elements - 1) / elements;
    return;
  }
  fill_strided(plan, bits);
  if (plan.strided.tiled) choose_staged(plan, plan.strided);
}

}  // namespace xp::kernels
