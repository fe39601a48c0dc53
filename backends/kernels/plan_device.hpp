// SPDX-License-Identifier: Apache-2.0
// A program, checked and translated for the device kernel.
#pragma once

#include <cstdint>

#include "kernels/program_device.hpp"

namespace xp::kernels {

struct PlannedOperand {
  char* data;
  std::int64_t strides[XP_MAX_NDIM];
  std::uint8_t size;  // of an element
  bool used, read;
};

/// Whatever the slot width.
struct DevicePlan {
  const xp_program* program;
  int n_steps;
  std::uint8_t preload_accumulator, preload_fast;  // as in Steps
  int scratch_registers;
  int n_operands;
  Repertoire repertoire;
  bool flat;  // every operand is in C order without gaps, or one element
  PlannedOperand operands[XP_MAX_OPERANDS];
  Step steps[most_steps];

  // By place_chunks(); `strided` where a chunk is a tile.
  Flat kind;
  bool quick_strided;  // the quick kernel of strided operands will do
  int team;
  StridedOperands strided;
  std::int64_t chunks;
  std::int64_t origin;  // position of the first element, of a part of a larger program
  int multiprocessors;
};

/// Checks the program and fills in the plan; XP_INVALID says what is wrong. `origin`: DevicePlan's.
std::int32_t make_plan(const xp_program& program, std::int64_t origin, DevicePlan& plan, xp_error* error);

/// Launches for one width, defined in the source of that width; of programs with functions or without.
template <int width>
void launch_program(const Space& space, const DevicePlan& plan);
template <int width>
void launch_functions(const Space& space, const DevicePlan& plan);
/// Likewise, for the blocks of a reduction, whose results go to `results`.
template <int width>
void launch_reduction(const Space& space, const DevicePlan& plan, void* results);
template <int width>
void launch_function_reduction(const Space& space, const DevicePlan& plan, void* results);

}  // namespace xp::kernels
