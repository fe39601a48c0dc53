// SPDX-License-Identifier: Apache-2.0
// Programs of one operation (or of clip's two) on operands without gaps, in the dtype that they have in memory; or, if
// the operation is little code, on matrices of which some are read along their columns (tiled). Each operation has a
// kernel of its own for each dtype: the interpreter's time would show beside the memory's.
#pragma once

#include "core/ops.hpp"
#include "kernels/device_device.hpp"
#include "kernels/types.hpp"

namespace xp::kernels {

/// Where an operation takes its elements from: memory, or one element that lies there or in the kernel's arguments.
struct SingleSource {
  const char* data;  // null for a constant
  bool dense;
  alignas(16) char constant[16];
  // Of tiled programs: strides in elements, and whether its elements are contiguous down the columns.
  std::int64_t down, along;
  bool turned;
};

/// What such a program is.
struct Single {
  const char* label;
  Op op;      // load: copy; cast: conversion to `returned`
  bool clip;  // op is maximum, and minimum with `upper` follows
  int dtype;  // in which it computes
  int returned;
  SingleSource a, b, condition, upper;
  char* to;
  std::int64_t count;
  bool aligned;  // whatever is dense, to 16 bytes
  // Of tiled programs.
  bool tiled;
  std::int64_t height, width, to_down;
};

/// Launches it, if the kernels have the operation; one function for each of the sources that instantiate them.
bool launch_single_boolean(const Space& space, const Single& single);
bool launch_single_integer8(const Space& space, const Single& single);
bool launch_single_integer16(const Space& space, const Single& single);
bool launch_single_integer32(const Space& space, const Single& single);
bool launch_single_integer64(const Space& space, const Single& single);
bool launch_single_half(const Space& space, const Single& single);
bool launch_single_float32(const Space& space, const Single& single);
bool launch_single_float64(const Space& space, const Single& single);
bool launch_single_complex(const Space& space, const Single& single);
void launch_single_cast(const Space& space, const Single& single);
void launch_single_where(const Space& space, const Single& single);
bool launch_single_clip(const Space& space, const Single& single);
bool launch_single_tiled(const Space& space, const Single& single);

/// Launches the program if it is such a one; false if not, and nothing is done.
bool run_single(const xp_device& device, const xp_program& program);

}  // namespace xp::kernels
