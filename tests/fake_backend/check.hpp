// SPDX-License-Identifier: Apache-2.0
// What the ABI promises about a program (xp/backend.h), checked before it runs.
#pragma once

#include <xp/backend.h>

#include <string>

#include "fake_backend/interpreter.hpp"
#include "support/scalar.hpp"

namespace fake {

using oracle::DType;
using oracle::Index;
using oracle::Op;
using oracle::Value;

/// A constant as a value, from its slot at this width. InvalidProgram where the slot is not normalised.
Value decode(const xp_constant& constant, DType dtype, int width);

/// Lowest and one past the highest byte that an operand touches, relative to its address.
struct Span {
  std::int64_t low, high;
};
Span span_of(const xp_program& program, const xp_operand& operand);

/// Throws InvalidProgram, naming the place.
void check_program(const xp_program& program);

}  // namespace fake
