// SPDX-License-Identifier: Apache-2.0
// The oracle's operations by row of the table and dtype. Compiled once: kernels.cpp.
#pragma once

#include "support/scalar.hpp"

namespace oracle {

struct NoOracle : std::logic_error {
  using std::logic_error::logic_error;
};

/// An operation on `count` elements of the dtype it computes in; a unary one ignores b.
using Kernel = void (*)(const void* a, const void* b, void* result, Index count);

/// NoOracle for an operation without one, or that the dtype does not have. `where` is not among them: its operands are
/// of different dtypes.
Kernel kernel_of(Op op, DType dtype);

/// An operation on values of the dtype it computes in.
inline Value evaluate(Op op, const Value& a, const Value& b) {
  Value result;
  result.dtype = result_of(op, a.dtype);
  kernel_of(op, a.dtype)(a.bytes, b.bytes, result.bytes, 1);
  return result;
}

}  // namespace oracle
