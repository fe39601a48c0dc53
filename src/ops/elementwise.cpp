// SPDX-License-Identifier: Apache-2.0
// The public elementwise functions.
#include <xp/creation.hpp>
#include <xp/elementwise.hpp>
#include <xp/functions.hpp>

#include "ops/ufunc.hpp"

namespace xp {
namespace detail {
namespace {

// ---- Comparisons ----

// An integer that the other operand's dtype cannot hold is greater or less than all its values.
bool decides_alone(const Operand& array, const Operand& scalar, bool& scalar_is_greater) {
  if (array.is_scalar() || !scalar.is_scalar()) return false;
  const Scalar& value = scalar.scalar();
  try {
    check_scalar_fits(value, promote_weak(array.array().dtype(), value.kind()));
    return false;
  } catch (const DTypeError&) {
    scalar_is_greater = value.kind() == Scalar::Kind::unsigned_integer || value.integer() > 0;
    return true;
  }
}

// The array that such a number is compared with, and the answer.
const Array* compared_alone(Op op, const Operand& a, const Operand& b, bool& truth) {
  for (const bool scalar_right : {true, false}) {
    const Operand &array = scalar_right ? a : b, &scalar = scalar_right ? b : a;
    bool scalar_is_greater = false;
    if (!decides_alone(array, scalar, scalar_is_greater)) continue;
    const bool a_is_less = scalar_is_greater == scalar_right;
    truth = op == Op::not_equal || (op != Op::equal && (op == Op::less || op == Op::less_equal) == a_is_less);
    return &array.array();
  }
  return nullptr;
}

Array compare(Op op, const Operand& a, const Operand& b) {
  bool truth = false;
  if (const Array* array = compared_alone(op, a, b, truth))
    return full(array->shape(), truth, DType::bool_, array->device());
  return binary(op, a, b);
}

Array compare(Op op, const Operand& a, const Operand& b, const UfuncOptions& options) {
  bool truth = false;
  if (const Array* array = compared_alone(op, a, b, truth)) {
    const Array all = full({}, truth, DType::bool_, array->device()).broadcast_to(array->shape());
    return unary({Op::load, info(op).name, Accepts::any, Returns::same}, all, options);
  }
  return binary(op, a, b, options);
}

// ---- Logic: of a number only its truth counts, not whether the other operand's dtype holds it ----

Operand truth_of(const Operand& operand) {
  if (!operand.is_scalar()) return operand;
  const Scalar& value = operand.scalar();
  if (value.kind() <= Scalar::Kind::unsigned_integer) return value.integer() != 0;
  return value.real() != 0 || value.imag() != 0;
}

// ---- Powers ----

// Whether a ** b is the square of a: floats and complex numbers to the power of a number 2.
bool is_square(const Operand& a, const Operand& b) {
  if (a.is_scalar() || !b.is_scalar() || kind(a.array().dtype()) < DTypeKind::real) return false;
  const Scalar& value = b.scalar();
  return value.kind() <= Scalar::Kind::unsigned_integer ? value.integer() == 2
                                                        : value.kind() == Scalar::Kind::real && value.real() == 2;
}

// Whether the second operand is an integer, so that the short way may take it as a number of the first one's dtype.
bool is_integer_number(const Operand& operand) {
  return operand.is_scalar() && operand.scalar().kind() <= Scalar::Kind::integer;
}

UfuncOptions in_wide_float(const Operand& a, const Operand& b, const UfuncOptions& options) {
  bool complex = false;
  for (const Operand* operand : {&a, &b})
    complex = complex || (operand->is_scalar() ? operand->scalar().kind() == Scalar::Kind::complex
                                               : kind(operand->array().dtype()) == DTypeKind::complex);
  UfuncOptions result = options;
  if (!options.dtype) result.dtype = complex ? DType::complex128 : DType::float64;
  if (result.dtype != DType::float64 && result.dtype != DType::complex128)
    throw DTypeError(
        "float_power: No loop matching the specified signature and casting was found for ufunc float_power");
  return result;
}

}  // namespace
}  // namespace detail

using detail::binary;
using detail::compare;
using detail::in_place;
using detail::truth_of;
using detail::unary;

// Each without and with options. (The names of the rows are C's where NumPy's are longer.)
#define XP_UNARY(function, row)                                  \
  Array function(const Operand& a) { return unary(Op::row, a); } \
  Array function(const Operand& a, const UfuncOptions& options) { return unary(Op::row, a, options); }
#define XP_BINARY(function, row)                                                       \
  Array function(const Operand& a, const Operand& b) { return binary(Op::row, a, b); } \
  Array function(const Operand& a, const Operand& b, const UfuncOptions& options) {    \
    return binary(Op::row, a, b, options);                                             \
  }
#define XP_COMPARISON(function)                                                              \
  Array function(const Operand& a, const Operand& b) { return compare(Op::function, a, b); } \
  Array function(const Operand& a, const Operand& b, const UfuncOptions& options) {          \
    return compare(Op::function, a, b, options);                                             \
  }
#define XP_LOGICAL(function)                                                                                    \
  Array function(const Operand& a, const Operand& b) { return binary(Op::function, truth_of(a), truth_of(b)); } \
  Array function(const Operand& a, const Operand& b, const UfuncOptions& options) {                             \
    return binary(Op::function, truth_of(a), truth_of(b), options);                                             \
  }

// clang-format off
XP_BINARY(add, add)
XP_BINARY(subtract, subtract)
XP_BINARY(multiply, multiply)
XP_BINARY(divide, divide)
XP_BINARY(floor_divide, floor_divide)
XP_BINARY(remainder, remainder)
XP_BINARY(fmod, fmod)
XP_UNARY(negative, negative)
XP_UNARY(abs, absolute)
XP_UNARY(square, square)
XP_UNARY(reciprocal, reciprocal)
XP_UNARY(sign, sign)
XP_BINARY(gcd, gcd)
XP_BINARY(lcm, lcm)
XP_BINARY(heaviside, heaviside)
XP_BINARY(maximum, maximum)
XP_BINARY(minimum, minimum)
XP_BINARY(fmax, fmax)
XP_BINARY(fmin, fmin)
XP_UNARY(floor, floor)
XP_UNARY(ceil, ceil)
XP_UNARY(trunc, trunc)
XP_UNARY(rint, rint)
XP_UNARY(sqrt, sqrt)
XP_UNARY(cbrt, cbrt)
XP_UNARY(exp, exp)
XP_UNARY(exp2, exp2)
XP_UNARY(expm1, expm1)
XP_UNARY(log, log)
XP_UNARY(log2, log2)
XP_UNARY(log10, log10)
XP_UNARY(log1p, log1p)
XP_BINARY(logaddexp, logaddexp)
XP_BINARY(logaddexp2, logaddexp2)
XP_UNARY(sin, sin)
XP_UNARY(cos, cos)
XP_UNARY(tan, tan)
XP_UNARY(arcsin, asin)
XP_UNARY(arccos, acos)
XP_UNARY(arctan, atan)
XP_UNARY(sinh, sinh)
XP_UNARY(cosh, cosh)
XP_UNARY(tanh, tanh)
XP_UNARY(arcsinh, asinh)
XP_UNARY(arccosh, acosh)
XP_UNARY(arctanh, atanh)
XP_BINARY(arctan2, atan2)
XP_BINARY(hypot, hypot)
XP_UNARY(deg2rad, deg2rad)
XP_UNARY(rad2deg, rad2deg)
XP_UNARY(erf, erf)
XP_UNARY(erfc, erfc)
XP_UNARY(gamma, gamma)
XP_UNARY(lgamma, lgamma)
XP_BINARY(copysign, copysign)
XP_BINARY(nextafter, nextafter)
XP_UNARY(conjugate, conj)
XP_UNARY(real, real)
XP_UNARY(imag, imag)
XP_UNARY(isnan, isnan)
XP_UNARY(isinf, isinf)
XP_UNARY(isfinite, isfinite)
XP_UNARY(signbit, signbit)
XP_UNARY(logical_not, logical_not)
XP_BINARY(bitwise_and, bitwise_and)
XP_BINARY(bitwise_or, bitwise_or)
XP_BINARY(bitwise_xor, bitwise_xor)
XP_UNARY(invert, invert)
XP_BINARY(left_shift, left_shift)
XP_BINARY(right_shift, right_shift)
XP_COMPARISON(equal)
XP_COMPARISON(not_equal)
XP_COMPARISON(less)
XP_COMPARISON(less_equal)
XP_COMPARISON(greater)
XP_COMPARISON(greater_equal)
XP_LOGICAL(logical_and)
XP_LOGICAL(logical_or)
XP_LOGICAL(logical_xor)
// clang-format on

#undef XP_UNARY
#undef XP_BINARY
#undef XP_COMPARISON
#undef XP_LOGICAL

Array positive(const Operand& a) { return unary(detail::positive_rule, a); }
Array positive(const Operand& a, const UfuncOptions& options) { return unary(detail::positive_rule, a, options); }

Array fabs(const Operand& a) { return unary(detail::fabs_rule, a); }
Array fabs(const Operand& a, const UfuncOptions& options) { return unary(detail::fabs_rule, a, options); }

Array power(const Operand& a, const Operand& b) {
  return detail::is_square(a, b) ? unary(Op::square, a) : binary(Op::power, a, b);
}
Array power(const Operand& a, const Operand& b, const UfuncOptions& options) {
  if (detail::is_square(a, b) && (!options.dtype || kind(*options.dtype) >= DTypeKind::real))
    return unary(detail::square_rule, a, options);
  return binary(Op::power, a, b, options);
}

Array float_power(const Operand& a, const Operand& b) { return float_power(a, b, {}); }
Array float_power(const Operand& a, const Operand& b, const UfuncOptions& options) {
  return binary(detail::float_power_rule, a, b, detail::in_wide_float(a, b, options));
}

Array ldexp(const Operand& a, const Operand& b) {
  return detail::is_integer_number(b) ? binary(Op::ldexp, a, b) : binary(detail::rule_of(Op::ldexp), a, b);
}
Array ldexp(const Operand& a, const Operand& b, const UfuncOptions& options) {
  return binary(Op::ldexp, a, b, options);
}

Array where(const Operand& condition, const Operand& a, const Operand& b) {
  if (detail::no_arrays({&condition, &a, &b})) {
    const Array first = full({}, condition.scalar());
    return where(first, a, b);
  }
  const Operand truth = truth_of(condition);
  const detail::Operands all{&truth, &a, &b};
  detail::Common common;
  detail::analyse("where", all, common);
  DType type;
  if (detail::no_arrays({&a, &b})) {
    // Two numbers promote as NumPy's where does: each to its own default dtype.
    type = promote_types(detail::default_dtype(a.scalar()), detail::default_dtype(b.scalar()));
  } else {
    detail::Common values;
    detail::analyse("where", {&a, &b}, values);
    type = values.type;
  }
  return detail::record(detail::rule_of(Op::where), all, common, type);
}

#define XP_IN_PLACE(symbol, row)                         \
  Array& Array::operator symbol(const Operand& value)& { \
    in_place(Op::row, *this, value);                     \
    return *this;                                        \
  }                                                      \
  Array Array::operator symbol(const Operand& value)&& { \
    in_place(Op::row, *this, value);                     \
    return std::move(*this);                             \
  }

// clang-format off
XP_IN_PLACE(+=, add)
XP_IN_PLACE(-=, subtract)
XP_IN_PLACE(*=, multiply)
XP_IN_PLACE(/=, divide)
XP_IN_PLACE(%=, remainder)
XP_IN_PLACE(&=, bitwise_and)
XP_IN_PLACE(|=, bitwise_or)
XP_IN_PLACE(^=, bitwise_xor)
XP_IN_PLACE(<<=, left_shift)
XP_IN_PLACE(>>=, right_shift)
// clang-format on

#undef XP_IN_PLACE

}  // namespace xp
