// SPDX-License-Identifier: Apache-2.0
// The table's rows as functions of the library, and the dtypes NumPy computes them in.
#pragma once

#include "support/oracle.hpp"
#include "support/tolerances.hpp"

namespace xp_test {

using oracle::Buffer;
using oracle::DType;
using oracle::Op;

/// ldexp takes integer exponents; what is not an integer of 32 bits becomes one.
inline xp::Array scaled(const xp::Operand& a, const xp::Operand& exponent) {
  if (exponent.is_scalar() || exponent.array().dtype() == xp::int32) return xp::ldexp(a, exponent);
  return xp::ldexp(a, exponent.array().astype(xp::int32));
}

/// Calls the public function of a row with one or two operands. NoOracle for a row that has none here.
inline xp::Array call(Op op, const xp::Operand& a, const xp::Operand& b) {
  // clang-format off
  switch (op) {
    case Op::add: return xp::add(a, b);
    case Op::subtract: return xp::subtract(a, b);
    case Op::multiply: return xp::multiply(a, b);
    case Op::divide: return xp::divide(a, b);
    case Op::negative: return xp::negative(a);
    case Op::absolute: return xp::abs(a);
    case Op::sqrt: return xp::sqrt(a);
    case Op::exp: return xp::exp(a);
    case Op::equal: return xp::equal(a, b);
    case Op::not_equal: return xp::not_equal(a, b);
    case Op::less: return xp::less(a, b);
    case Op::less_equal: return xp::less_equal(a, b);
    case Op::greater: return xp::greater(a, b);
    case Op::greater_equal: return xp::greater_equal(a, b);
    case Op::floor_divide: return xp::floor_divide(a, b);
    case Op::remainder: return xp::remainder(a, b);
    case Op::fmod: return xp::fmod(a, b);
    case Op::power: return xp::power(a, b);
    case Op::maximum: return xp::maximum(a, b);
    case Op::minimum: return xp::minimum(a, b);
    case Op::fmax: return xp::fmax(a, b);
    case Op::fmin: return xp::fmin(a, b);
    case Op::square: return xp::square(a);
    case Op::reciprocal: return xp::reciprocal(a);
    case Op::conj: return xp::conj(a);
    case Op::real: return xp::real(a);
    case Op::imag: return xp::imag(a);
    case Op::sign: return xp::sign(a);
    case Op::signbit: return xp::signbit(a);
    case Op::isnan: return xp::isnan(a);
    case Op::isinf: return xp::isinf(a);
    case Op::isfinite: return xp::isfinite(a);
    case Op::logical_not: return xp::logical_not(a);
    case Op::logical_and: return xp::logical_and(a, b);
    case Op::logical_or: return xp::logical_or(a, b);
    case Op::logical_xor: return xp::logical_xor(a, b);
    case Op::bitwise_and: return xp::bitwise_and(a, b);
    case Op::bitwise_or: return xp::bitwise_or(a, b);
    case Op::bitwise_xor: return xp::bitwise_xor(a, b);
    case Op::invert: return xp::invert(a);
    case Op::left_shift: return xp::left_shift(a, b);
    case Op::right_shift: return xp::right_shift(a, b);
    case Op::floor: return xp::floor(a);
    case Op::ceil: return xp::ceil(a);
    case Op::trunc: return xp::trunc(a);
    case Op::rint: return xp::rint(a);
    case Op::expm1: return xp::expm1(a);
    case Op::exp2: return xp::exp2(a);
    case Op::log: return xp::log(a);
    case Op::log1p: return xp::log1p(a);
    case Op::log2: return xp::log2(a);
    case Op::log10: return xp::log10(a);
    case Op::sin: return xp::sin(a);
    case Op::cos: return xp::cos(a);
    case Op::tan: return xp::tan(a);
    case Op::asin: return xp::asin(a);
    case Op::acos: return xp::acos(a);
    case Op::atan: return xp::atan(a);
    case Op::sinh: return xp::sinh(a);
    case Op::cosh: return xp::cosh(a);
    case Op::tanh: return xp::tanh(a);
    case Op::asinh: return xp::asinh(a);
    case Op::acosh: return xp::acosh(a);
    case Op::atanh: return xp::atanh(a);
    case Op::cbrt: return xp::cbrt(a);
    case Op::erf: return xp::erf(a);
    case Op::erfc: return xp::erfc(a);
    case Op::gamma: return xp::gamma(a);
    case Op::lgamma: return xp::lgamma(a);
    case Op::deg2rad: return xp::deg2rad(a);
    case Op::rad2deg: return xp::rad2deg(a);
    case Op::atan2: return xp::atan2(a, b);
    case Op::hypot: return xp::hypot(a, b);
    case Op::copysign: return xp::copysign(a, b);
    case Op::nextafter: return xp::nextafter(a, b);
    case Op::logaddexp: return xp::logaddexp(a, b);
    case Op::logaddexp2: return xp::logaddexp2(a, b);
    case Op::heaviside: return xp::heaviside(a, b);
    case Op::gcd: return xp::gcd(a, b);
    case Op::lcm: return xp::lcm(a, b);
    case Op::ldexp: return scaled(a, b);
    case Op::frexp_mantissa: return xp::frexp(a).first;
    case Op::frexp_exponent: return xp::frexp(a).second;
    case Op::modf_fraction: return xp::modf(a).first;
    default: break;
  }
  // clang-format on
  throw oracle::NoOracle("no function for " + std::string(xp::info(op).name));
}

/// Rows that call() covers: all but the structural ones, `where` and the reductions, which have tests of their own.
inline std::vector<Op> callable_rows() {
  std::vector<Op> rows;
  for (const xp::OpInfo& row : xp::operation_table)
    if (row.accepts != xp::Accepts::none && row.op != Op::where && row.op != Op::sum) rows.push_back(row.op);
  return rows;
}

/// Whether a row's operands are promoted to one dtype; ldexp's are not.
inline bool is_binary(Op op) { return xp::info(op).arity == 2 && op != Op::ldexp; }

/// dtype in which NumPy computes a row for operands of one dtype.
inline DType computed_in(Op op, DType dtype) {
  if (dtype >= xp::float16) return dtype;
  switch (xp::info(op).accepts) {
    case xp::Accepts::any_int8:
    case xp::Accepts::ordered_int8:
    case xp::Accepts::bits_int8:
      return dtype == xp::bool_ ? xp::int8 : dtype;
    case xp::Accepts::inexact_wide:
      return xp::float64;
    case xp::Accepts::inexact:
    case xp::Accepts::real: {
      const xp::Index size = xp::itemsize(dtype);
      return size == 1 ? xp::float16 : size == 2 ? xp::float32 : xp::float64;
    }
    default:
      return dtype;
  }
}

/// Of two: the functions take integers as the float that either becomes, which their common dtype may not.
inline DType computed_in(Op op, DType a, DType b) {
  const xp::Accepts accepts = xp::info(op).accepts;
  const bool function = accepts == xp::Accepts::inexact || accepts == xp::Accepts::real;
  if (function && a < xp::float16 && b < xp::float16) return xp::promote_types(computed_in(op, a), computed_in(op, b));
  return computed_in(op, xp::promote_types(a, b));
}

/// What the row gives for operands of any dtypes, computed in `type`.
inline Buffer expected(Op op, DType type, const Buffer& a, const Buffer& b) {
  if (op == Op::ldexp) return oracle::apply(op, oracle::cast(a, type), oracle::cast(oracle::cast(b, xp::int32), type));
  return oracle::apply(op, oracle::cast(a, type), oracle::cast(b, type));
}
/// For operands of one dtype.
inline Buffer expected(Op op, const Buffer& a, const Buffer& b) { return expected(op, computed_in(op, a.dtype), a, b); }

/// Whether an operand is an exponent that must not be negative: integer powers of such are errors.
inline bool forbids_negative_exponents(Op op, DType type) {
  return op == Op::power && xp::kind(type) == xp::DTypeKind::signed_integer;
}

/// The same elements, but without a sign.
inline Buffer without_sign(const Buffer& values) {
  Buffer result = values;
  oracle::visit(values.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (oracle::is_integer<T>)
      for (xp::Index i = 0; i < result.count; ++i)
        result.data<T>()[i] = static_cast<T>(result.data<T>()[i] & std::numeric_limits<T>::max());
  });
  return result;
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
