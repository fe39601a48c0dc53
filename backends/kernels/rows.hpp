// SPDX-License-Identifier: Apache-2.0
// What dtypes make of the rows of the operation table: the same for every execution space.
#pragma once

#include "core/ops.hpp"
#include "xp/backend.h"

namespace xp::kernels {

/// Whether the operation, if it is a function, takes bool: as 0 or 1 in an unsigned slot.
constexpr bool takes_bool(Op op) {
  const Accepts accepts = info(op).accepts;
  return accepts == Accepts::any || accepts == Accepts::ordered || accepts == Accepts::bits;
}

/// The row whose function computes the operation on values of the dtype.
constexpr Op row_of(Op op, int dtype) {
  // The neighbours of 16-bit floats are not those of the floats that hold them.
  if (op == Op::nextafter && dtype == XP_FLOAT16) return Op::nextafter_float16;
  if (op == Op::nextafter && dtype == XP_BFLOAT16) return Op::nextafter_bfloat16;
  // bool is 0 or 1 in its slot: not all bits of that are turned.
  return op == Op::invert && dtype == XP_BOOL ? Op::logical_not : op;
}

}  // namespace xp::kernels
