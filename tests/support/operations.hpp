// SPDX-License-Identifier: Apache-2.0
// The table's rows as functions of the library, and the dtypes NumPy computes them in.
#pragma once

#include "support/oracle.hpp"

namespace xp_test {

using oracle::Buffer;
using oracle::DType;
using oracle::Op;

/// Calls the public function of a row with one or two operands. NoOracle for a row that has none here.
inline xp::Array call(Op op, const xp::Operand& a, const xp::Operand& b) {
  switch (op) {
    case Op::add:
      return xp::add(a, b);
    case Op::subtract:
      return xp::subtract(a, b);
    case Op::multiply:
      return xp::multiply(a, b);
    case Op::divide:
      return xp::divide(a, b);
    case Op::negative:
      return xp::negative(a);
    case Op::absolute:
      return xp::abs(a);
    case Op::sqrt:
      return xp::sqrt(a);
    case Op::exp:
      return xp::exp(a);
    case Op::equal:
      return xp::equal(a, b);
    case Op::not_equal:
      return xp::not_equal(a, b);
    case Op::less:
      return xp::less(a, b);
    case Op::less_equal:
      return xp::less_equal(a, b);
    case Op::greater:
      return xp::greater(a, b);
    case Op::greater_equal:
      return xp::greater_equal(a, b);
    default:
      throw oracle::NoOracle("no function for " + std::string(xp::info(op).name));
  }
}

/// Rows that call() covers: all but the structural ones, `where` and the reductions, which have tests of their own.
inline std::vector<Op> callable_rows() {
  std::vector<Op> rows;
  for (const xp::OpInfo& row : xp::operation_table)
    if (row.accepts != xp::Accepts::none && row.op != Op::where && row.op != Op::sum) rows.push_back(row.op);
  return rows;
}

/// dtype in which NumPy computes a row for operands of one dtype.
inline DType computed_in(Op op, DType dtype) {
  if (dtype >= xp::float16) return dtype;
  if (xp::info(op).accepts == xp::Accepts::inexact_wide) return xp::float64;
  if (xp::info(op).accepts != xp::Accepts::inexact) return dtype;
  const xp::Index size = xp::itemsize(dtype);
  return size == 1 ? xp::float16 : size == 2 ? xp::float32 : xp::float64;
}

inline oracle::Tolerance tolerance_of(Op op, DType computed) {
  const bool complex = computed >= xp::complex64;
  if (op == Op::exp) return complex ? oracle::Tolerance::complex : oracle::Tolerance::one_ulp;
  if (complex && (op == Op::sqrt || op == Op::absolute)) return oracle::Tolerance::complex;
  return oracle::Tolerance::bits;
}

/// Functions of complex numbers are compared within a tolerance, which infinities and overflow would not meet.
inline bool needs_finite(Op op, DType computed) { return tolerance_of(op, computed) == oracle::Tolerance::complex; }

/// What the row gives for operands of one dtype.
inline Buffer expected(Op op, const Buffer& a, const Buffer& b) {
  const DType type = computed_in(op, a.dtype);
  return oracle::apply(op, oracle::cast(a, type), oracle::cast(b, type));
}

/// dtype of an array together with a C++ number. NEP 50: only the number's kind counts.
inline DType with_scalar(DType array, xp::Scalar::Kind kind) {
  const xp::DTypeKind own = xp::kind(array);
  switch (kind) {
    case xp::Scalar::Kind::boolean:
      return array;
    case xp::Scalar::Kind::integer:
    case xp::Scalar::Kind::unsigned_integer:
      return array == xp::bool_ ? xp::int64 : array;
    case xp::Scalar::Kind::real:
      return own < xp::DTypeKind::real ? xp::float64 : array;
    case xp::Scalar::Kind::complex:
      break;
  }
  if (own == xp::DTypeKind::complex) return array;
  return own == xp::DTypeKind::real && array != xp::float64 ? xp::complex64 : xp::complex128;
}

inline oracle::Value value_of(const xp::Scalar& scalar) {
  switch (scalar.kind()) {
    case xp::Scalar::Kind::boolean:
      return oracle::Value::of(scalar.integer() != 0);
    case xp::Scalar::Kind::integer:
      return oracle::Value::of(scalar.integer());
    case xp::Scalar::Kind::unsigned_integer:
      return oracle::Value::of(scalar.unsigned_integer());
    case xp::Scalar::Kind::real:
      return oracle::Value::of(scalar.real());
    case xp::Scalar::Kind::complex:
      break;
  }
  return oracle::Value::of(std::complex<double>(scalar.real(), scalar.imag()));
}

}  // namespace xp_test
