// SPDX-License-Identifier: Apache-2.0
// Fused programs on a device: checks, translates, launches.
#include <algorithm>

#include "kernels/chain_device.hpp"
#include "kernels/device_device.hpp"
#include "kernels/plan_device.hpp"
#include "kernels/program.hpp"
#include "kernels/program_checks.hpp"
#include "kernels/reduce_device.hpp"
#include "kernels/single_device.hpp"
#include "kernels/tiles_device.hpp"

namespace xp::kernels {
namespace {

template <int width>
void launch(const Space& space, const DevicePlan& plan, void* results) {
  const bool functions = plan.repertoire == Repertoire::functions;
  if (results && functions)
    launch_function_reduction<width>(space, plan, results);
  else if (results)
    launch_reduction<width>(space, plan, results);
  else if (functions)
    launch_functions<width>(space, plan);
  else
    launch_program<width>(space, plan);
}

void launch(const Space& space, const DevicePlan& plan, void* results) {
  switch (plan.program->width) {
    case 32:
      return launch<32>(space, plan, results);
    case 64:
      return launch<64>(space, plan, results);
    default:
      return launch<128>(space, plan, results);
  }
}

/// The address of the reduced value if it is an array as it lies in memory.
const void* reduced_array(const DevicePlan& plan) {
  const xp_program& p = *plan.program;
  if (!plan.flat || plan.n_steps != 0 || plan.preload_accumulator == place_none) return nullptr;
  const int k = plan.preload_accumulator;
  const PlannedOperand& operand = plan.operands[k];
  return operand.size == dtype_sizes[p.reduce_type] && (operand.strides[p.ndim - 1] == 1 || p.count == 1) ? operand.data
                                                                                                          : nullptr;
}

void reduce(xp_device& device, const DevicePlan& plan) {
  const xp_program& p = *plan.program;
  const char* label = label_of(p);
  const std::int64_t blocks = (p.count + reduce_block - 1) / reduce_block;
  void* results = p.reduce_out;
  if (blocks > 1) results = device.workspace(combine_bytes(blocks, p.reduce_type));
  if (const void* array = reduced_array(plan))
    sum_blocks(label, device.space, device.multiprocessors, p.reduce_type, array, p.count, results);
  else
    launch(device.space, plan, results);
  if (blocks > 1)
    combine_blocks(label, device.space, device.multiprocessors, p.reduce_type, static_cast<char*>(results), blocks,
                   p.reduce_out);
}

std::int32_t run_whole(xp_device& device, const xp_program& program, std::int64_t origin, xp_error* error);

/// A program of too many positions for 31 bits, in parts along its first axis.
std::int32_t run_parts(xp_device& device, const xp_program& program, std::int64_t origin, xp_error* error) {
  const std::int64_t extent = program.shape[0], inner = program.count / extent;
  const bool single = inner >= narrow_positions;
  constexpr std::int64_t grain = 4096;  // keeps what is aligned aligned
  std::int64_t rows = single ? 1 : (narrow_positions - 1) / inner;
  if (rows > grain) rows = rows / grain * grain;
  for (std::int64_t first = 0; first < extent; first += rows) {
    xp_program part = program;
    part.shape[0] = std::min(rows, extent - first);
    part.count = part.shape[0] * inner;
    for (int k = 0; k < part.n_operands; ++k) {
      xp_operand& operand = part.operands[k];
      if (operand.dtype < XP_DTYPE_COUNT)
        operand.data = static_cast<char*>(operand.data) + first * operand.strides[0] * dtype_sizes[operand.dtype];
      if (part.shape[0] == 1) std::copy(operand.strides + 1, operand.strides + part.ndim, operand.strides);
    }
    if (part.shape[0] == 1 && part.ndim > 1) {
      std::copy(part.shape + 1, part.shape + part.ndim, part.shape);
      --part.ndim;
    }
    if (const std::int32_t code = run_whole(device, part, origin + first * inner, error)) return code;
  }
  return XP_OK;
}

std::int32_t run_whole(xp_device& device, const xp_program& program, std::int64_t origin, xp_error* error) {
  DevicePlan plan;
  if (const std::int32_t code = make_plan(program, origin, plan, error)) return code;
  plan.multiprocessors = device.multiprocessors;
  if (program.reduce_ref != XP_REF_NONE)
    reduce(device, plan);
  else if (!plan.flat && program.count >= narrow_positions)
    return run_parts(device, program, origin, error);
  else if (plan.n_steps > 0)
    launch(device.space, plan, nullptr);
  return XP_OK;
}

}  // namespace

std::int32_t run_program(xp_device& device, const xp_program& program, xp_error* error) {
  if (const std::int32_t code = check_bounds(program, error)) return code;
  if (program.count == 0) {
    if (program.reduce_ref != XP_REF_NONE && program.reduce_out && program.reduce_type < XP_DTYPE_COUNT &&
        has_sum(program.reduce_type))
      sum_blocks(label_of(program), device.space, device.multiprocessors, program.reduce_type, nullptr, 0,
                 program.reduce_out);
    return XP_OK;
  }
  if (run_single(device, program) || run_chain(device, program)) return XP_OK;
  return run_whole(device, program, 0, error);
}

}  // namespace xp::kernels
