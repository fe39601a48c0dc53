// SPDX-License-Identifier: Apache-2.0
#include "kernels/tiles_device.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace xp::kernels {
namespace {

/// Tiles that leave more of a team idle than this are worse than finding every offset by division.
constexpr double least_filled = 0.6;

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

/// Chooses the tile's shape; false if none suits, or none is needed. Neither side is longer than the team, which so
/// works on whole rows and columns at a time.
bool choose_tile(const DevicePlan& plan, int bits, StridedOperands& out) {
  const xp_program& p = *plan.program;
  const int last = p.ndim - 1, turned = last > 0 ? find_turned_axis(plan) : -1;
  if (turned < 0) return false;
  const int longest = is_host_space ? bits : std::bit_width(static_cast<unsigned>(plan.team)) - 1;
  out.tile_axis = static_cast<std::uint8_t>(turned);
  double best = 0;
  auto consider = [&](int columns) {
    if (columns > longest || bits - columns > longest) return;
    const double share = filled(p.shape[last], columns) * filled(p.shape[turned], bits - columns);
    if (share <= best * 1.1) return;  // what comes first is better if it leaves no more idle
    best = share;
    out.column_bits = static_cast<std::uint8_t>(columns);
    out.row_bits = static_cast<std::uint8_t>(bits - columns);
  };
  const int square = (bits + 1) / 2;
  for (int columns = square; columns <= bits; ++columns) consider(columns);
  for (int columns = square - 1; columns >= 0; --columns) consider(columns);
  return best >= least_filled && out.row_bits > 0 && out.column_bits > 0;
}

void choose_staged(const DevicePlan& plan, StridedOperands& out) {
  const xp_program& p = *plan.program;
  for (int k = 0; k < plan.n_operands && out.n_staged < most_staged; ++k) {
    const PlannedOperand& operand = plan.operands[k];
    if (!operand.read || operand.size * 8 > p.width || !is_turned(p, operand, out.tile_axis)) continue;
    out.layout[k] = Layout::staged;
    out.staged_index[k] = out.n_staged;
    out.staged_operand[out.n_staged] = static_cast<std::uint8_t>(k);
    out.staged_size[out.n_staged++] = operand.size;
  }
}

/// Whether each group of `length` neighbours along the last axis lies as one vector.
bool has_vectors(const xp_program& p, const PlannedOperand& operand, int length) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(std::min(16, operand.size * length));
  if (operand.strides[p.ndim - 1] != 1 || reinterpret_cast<std::uintptr_t>(operand.data) % bytes != 0) return false;
  for (int d = 0; d < p.ndim - 1; ++d)
    if (static_cast<std::uint64_t>(std::abs(operand.strides[d])) * operand.size % bytes != 0) return false;
  return true;
}

void choose_rows(const DevicePlan& plan, StridedOperands& out) {
  const xp_program& p = *plan.program;
  const int length = vector_elements(p.width);
  // The end of one row is the beginning of the next where there is one axis only.
  const bool rows = p.ndim == 1 || p.shape[p.ndim - 1] % length == 0;
  for (int k = 0; k < plan.n_operands; ++k) {
    const PlannedOperand& operand = plan.operands[k];
    if (!operand.used || out.layout[k] == Layout::scalar) continue;
    const bool whole = out.layout[k] == Layout::linear
                           ? reinterpret_cast<std::uintptr_t>(operand.data) %
                                     static_cast<std::uintptr_t>(std::min(16, operand.size * length)) ==
                                 0
                           : rows && has_vectors(p, operand, length);
    if (whole) out.vectors |= 1u << k;
  }
  out.neighbours = out.vectors != 0;
  out.chunks = rows && out.neighbours ? Chunks::rows : Chunks::positions;
}

/// Whether all offsets need 31 bits at most.
bool is_near(const DevicePlan& plan) {
  const xp_program& p = *plan.program;
  if (p.count >= narrow_positions) return false;
  for (int k = 0; k < plan.n_operands; ++k) {
    std::int64_t reach = 0;
    for (int d = 0; d < p.ndim; ++d) reach += (p.shape[d] - 1) * std::abs(plan.operands[k].strides[d]);
    if (plan.operands[k].used && reach >= narrow_positions) return false;
  }
  return true;
}

void fill_strided(DevicePlan& plan, int bits) {
  const xp_program& p = *plan.program;
  StridedOperands& out = plan.strided;
  out.ndim = p.ndim;
  out.origin = plan.origin;
  out.n_staged = 0;
  out.vectors = 0;
  out.neighbours = false;
  out.wide = p.count >= narrow_positions;
  for (int k = 0; k < plan.n_operands; ++k) {
    const PlannedOperand& operand = plan.operands[k];
    out.operands[k].data = operand.data;
    std::copy_n(operand.strides, p.ndim, out.operands[k].strides);
    out.staged_index[k] = 0;
    out.layout[k] = is_scalar(p, operand) ? Layout::scalar : Layout::strided;
  }
  std::copy_n(p.shape, p.ndim, out.shape);
  if (p.reduce_ref == XP_REF_NONE && choose_tile(plan, bits, out)) {
    std::int64_t tiles = 1;
    for (int d = 0; d < p.ndim; ++d) {
      const int step = d == p.ndim - 1 ? out.column_bits : d == out.tile_axis ? out.row_bits : 0;
      const std::int64_t along = (p.shape[d] + (std::int64_t{1} << step) - 1) >> step;
      tiles = along < narrow_positions && tiles < narrow_positions ? tiles * along : narrow_positions;
      out.divisors[d] = Divisor::of(static_cast<std::uint32_t>(std::min(along, narrow_positions)));
    }
    plan.chunks = tiles;
    if (tiles < narrow_positions) {
      out.chunks = Chunks::tiles;
      choose_staged(plan, out);
      return;
    }
  }
  for (int k = 0; k < plan.n_operands; ++k)
    if (out.layout[k] == Layout::strided && is_contiguous(p, plan.operands[k])) out.layout[k] = Layout::linear;
  // Other kernels have no vector accesses, and read what alternates between threads better.
  out.chunks = Chunks::positions;
  if (plan.quick_strided) choose_rows(plan, out);
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
  const bool map = p.reduce_ref == XP_REF_NONE, quick = plan.repertoire == Repertoire::quick;
  if (plan.repertoire == Repertoire::functions)
    plan.kind = Flat::functions;
  else if (!map || !plan.flat || !quick)
    plan.kind = Flat::general;
  else
    plan.kind = plan.n_steps <= brief_steps ? Flat::brief : Flat::quick;
  plan.quick_strided = map && !plan.flat && quick && p.width != 128 && is_near(plan);
  const Repertoire strided = quick && !plan.quick_strided ? Repertoire::arithmetic : plan.repertoire;
  const Shape shape = !map        ? reduce_shape(Repertoire::arithmetic)
                      : plan.flat ? flat_shape(plan.kind)
                                  : strided_shape(strided, p.width);
  plan.team = shape.team;
  while (plan.team > 8 && static_cast<std::size_t>(plan.scratch_registers * plan.team * shape.bytes) > team_scratch)
    plan.team /= 2;
  const int elements = plan.team * shape.elements(p.width);
  if (plan.flat) {
    plan.chunks = (p.count + elements - 1) / elements;
    return;
  }
  fill_strided(plan, std::bit_width(static_cast<unsigned>(elements)) - 1);
}

}  // namespace xp::kernels
