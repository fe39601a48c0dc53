// SPDX-License-Identifier: Apache-2.0
// Elementwise operations: NumPy's ufuncs. Operands broadcast; the result dtype is NumPy 2's: C++ numbers are weak,
// arrays (0-d too) are strong. Operands on different devices are a DeviceError; shapes that do not broadcast a
// ShapeError; dtypes that an operation does not take a DTypeError (docs/operations.md lists them). A pair of
// declarations is one function, without and with options; the names of the Python array API are at the end. See
// xp/functions.hpp for what is made of them.
#pragma once

#include <xp/array.hpp>

#include <optional>

namespace [[gnu::visibility("default")]] xp {

/// The keywords of NumPy's ufuncs: `xp::add(x, y, {.out = z, .where = mask})`. All is checked before anything is
/// written.
struct UfuncOptions {
  /// Written and returned. It must have the operands' broadcast shape (smaller operands broadcast to it, it does not),
  /// and `casting` must allow its dtype. It may overlap operands, which are read as they were before.
  Array out{};
  /// An array of bool that broadcasts with the operands: where it is false, `out` keeps its element; without `out` the
  /// result is 0 there (NumPy: anything).
  Array where{};
  /// dtype of the result, and so the one to compute in. For functions whose result is bool only that.
  std::optional<DType> dtype{};
  /// Which conversions of operands to the computing dtype, and of the result to `out`, are allowed.
  Casting casting = Casting::same_kind;
};

// ---- Arithmetic ----

/// Integers wrap; for bool, add is `or` and multiply `and`; subtract of bools is a DTypeError.
Array add(const Operand& a, const Operand& b);
Array add(const Operand& a, const Operand& b, const UfuncOptions& options);
Array subtract(const Operand& a, const Operand& b);
Array subtract(const Operand& a, const Operand& b, const UfuncOptions& options);
Array multiply(const Operand& a, const Operand& b);
Array multiply(const Operand& a, const Operand& b, const UfuncOptions& options);
/// True division: integers and bool give float64 (float32 or float16 never arise from integers, as in NumPy).
Array divide(const Operand& a, const Operand& b);
Array divide(const Operand& a, const Operand& b, const UfuncOptions& options);
/// Python's `//` and `%`: rounds down, the remainder has the sign of the divisor. An integer divided by 0 gives 0 and
/// remainder 0. bool is computed in int8.
Array floor_divide(const Operand& a, const Operand& b);
Array floor_divide(const Operand& a, const Operand& b, const UfuncOptions& options);
Array remainder(const Operand& a, const Operand& b);
Array remainder(const Operand& a, const Operand& b, const UfuncOptions& options);
/// C's `%`: the sign of the dividend. Integers by 0 give 0.
Array fmod(const Operand& a, const Operand& b);
Array fmod(const Operand& a, const Operand& b, const UfuncOptions& options);
/// Integers wrap. A negative power of integers is a DTypeError: an exponent array of a signed dtype is looked at when
/// the result is of integers, which waits for the device. An exponent 2 that is a number gives square(a) for floats.
Array power(const Operand& a, const Operand& b);
Array power(const Operand& a, const Operand& b, const UfuncOptions& options);
/// power in float64, or complex128 for complex operands.
Array float_power(const Operand& a, const Operand& b);
Array float_power(const Operand& a, const Operand& b, const UfuncOptions& options);
/// A copy. DTypeError for bool.
Array positive(const Operand& a);
Array positive(const Operand& a, const UfuncOptions& options);
/// DTypeError for bool. Unsigned integers wrap.
Array negative(const Operand& a);
Array negative(const Operand& a, const UfuncOptions& options);
/// The real part's dtype for complex. The least signed integer stays itself.
Array abs(const Operand& a);
Array abs(const Operand& a, const UfuncOptions& options);
/// Of floats; integers as in sqrt, complex is a DTypeError.
Array fabs(const Operand& a);
Array fabs(const Operand& a, const UfuncOptions& options);
/// bool is computed in int8.
Array square(const Operand& a);
Array square(const Operand& a, const UfuncOptions& options);
/// 1 / a in a's own dtype: of integers truncated, 0 for 0. bool is computed in int8.
Array reciprocal(const Operand& a);
Array reciprocal(const Operand& a, const UfuncOptions& options);
/// -1, 0 or 1; NaN for NaN; z / abs(z) for complex, 0 for 0. DTypeError for bool.
Array sign(const Operand& a);
Array sign(const Operand& a, const UfuncOptions& options);
/// Of the absolute values of integers; gcd(0, 0) is 0, lcm with 0 is 0.
Array gcd(const Operand& a, const Operand& b);
Array gcd(const Operand& a, const Operand& b, const UfuncOptions& options);
Array lcm(const Operand& a, const Operand& b);
Array lcm(const Operand& a, const Operand& b, const UfuncOptions& options);
/// 0 where a < 0, b where a is 0, 1 where a > 0, NaN for NaN.
Array heaviside(const Operand& a, const Operand& b);
Array heaviside(const Operand& a, const Operand& b, const UfuncOptions& options);

// ---- Choosing ----

/// A NaN operand is the result (the first of two); +0 is greater than -0. Complex numbers are ordered as in less.
Array maximum(const Operand& a, const Operand& b);
Array maximum(const Operand& a, const Operand& b, const UfuncOptions& options);
Array minimum(const Operand& a, const Operand& b);
Array minimum(const Operand& a, const Operand& b, const UfuncOptions& options);
/// The same, but of a NaN and a number the number.
Array fmax(const Operand& a, const Operand& b);
Array fmax(const Operand& a, const Operand& b, const UfuncOptions& options);
Array fmin(const Operand& a, const Operand& b);
Array fmin(const Operand& a, const Operand& b, const UfuncOptions& options);

/// `condition ? a : b`, elementwise; a condition that is not bool is true where it is not 0. No ufunc, and so without
/// options, as in NumPy.
Array where(const Operand& condition, const Operand& a, const Operand& b);

// ---- Rounding ----

/// Integers and bool stay as they are; complex is a DTypeError.
Array floor(const Operand& a);
Array floor(const Operand& a, const UfuncOptions& options);
Array ceil(const Operand& a);
Array ceil(const Operand& a, const UfuncOptions& options);
Array trunc(const Operand& a);
Array trunc(const Operand& a, const UfuncOptions& options);
/// To the nearest integer, half to even; complex part by part. Integers as in sqrt.
Array rint(const Operand& a);
Array rint(const Operand& a, const UfuncOptions& options);

// ---- Roots, exponentials, logarithms ----

/// Of integers: float16 for 8 bits and bool, float32 for 16 bits, else float64, as in NumPy. Negative numbers give NaN.
Array sqrt(const Operand& a);
Array sqrt(const Operand& a, const UfuncOptions& options);
/// DTypeError for complex, as are all functions below that say so.
Array cbrt(const Operand& a);
Array cbrt(const Operand& a, const UfuncOptions& options);
/// Within 1 ULP on the host in float32 and float64, as are all functions here unless they say otherwise. Integers as in
/// sqrt.
Array exp(const Operand& a);
Array exp(const Operand& a, const UfuncOptions& options);
Array exp2(const Operand& a);
Array exp2(const Operand& a, const UfuncOptions& options);
/// exp(a) - 1, also for small a.
Array expm1(const Operand& a);
Array expm1(const Operand& a, const UfuncOptions& options);
/// Of negative real numbers NaN; of complex ones the principal value.
Array log(const Operand& a);
Array log(const Operand& a, const UfuncOptions& options);
Array log2(const Operand& a);
Array log2(const Operand& a, const UfuncOptions& options);
Array log10(const Operand& a);
Array log10(const Operand& a, const UfuncOptions& options);
/// log(1 + a), also for small a.
Array log1p(const Operand& a);
Array log1p(const Operand& a, const UfuncOptions& options);
/// log(exp(a) + exp(b)), within 2 ULP. DTypeError for complex.
Array logaddexp(const Operand& a, const Operand& b);
Array logaddexp(const Operand& a, const Operand& b, const UfuncOptions& options);
/// log2(exp2(a) + exp2(b)), likewise.
Array logaddexp2(const Operand& a, const Operand& b);
Array logaddexp2(const Operand& a, const Operand& b, const UfuncOptions& options);
/// a * 2**b. b is of integers or bool (not uint64), DTypeError otherwise; a decides the dtype, integers as in sqrt.
Array ldexp(const Operand& a, const Operand& b);
Array ldexp(const Operand& a, const Operand& b, const UfuncOptions& options);

// ---- Angles ----

/// Radians. Complex numbers with C's branch cuts and special values.
Array sin(const Operand& a);
Array sin(const Operand& a, const UfuncOptions& options);
Array cos(const Operand& a);
Array cos(const Operand& a, const UfuncOptions& options);
Array tan(const Operand& a);
Array tan(const Operand& a, const UfuncOptions& options);
Array arcsin(const Operand& a);
Array arcsin(const Operand& a, const UfuncOptions& options);
Array arccos(const Operand& a);
Array arccos(const Operand& a, const UfuncOptions& options);
Array arctan(const Operand& a);
Array arctan(const Operand& a, const UfuncOptions& options);
Array sinh(const Operand& a);
Array sinh(const Operand& a, const UfuncOptions& options);
Array cosh(const Operand& a);
Array cosh(const Operand& a, const UfuncOptions& options);
Array tanh(const Operand& a);
Array tanh(const Operand& a, const UfuncOptions& options);
Array arcsinh(const Operand& a);
Array arcsinh(const Operand& a, const UfuncOptions& options);
Array arccosh(const Operand& a);
Array arccosh(const Operand& a, const UfuncOptions& options);
Array arctanh(const Operand& a);
Array arctanh(const Operand& a, const UfuncOptions& options);
/// The angle of the point (b, a) in [-pi, pi]. DTypeError for complex.
Array arctan2(const Operand& a, const Operand& b);
Array arctan2(const Operand& a, const Operand& b, const UfuncOptions& options);
/// sqrt(a * a + b * b) without overflow. DTypeError for complex.
Array hypot(const Operand& a, const Operand& b);
Array hypot(const Operand& a, const Operand& b, const UfuncOptions& options);
/// a * (pi / 180) and a * (180 / pi), both factors in the dtype. DTypeError for complex.
Array deg2rad(const Operand& a);
Array deg2rad(const Operand& a, const UfuncOptions& options);
Array rad2deg(const Operand& a);
Array rad2deg(const Operand& a, const UfuncOptions& options);

// ---- Special functions ----

/// The error function and 1 - erf(a), within 2 ULP. DTypeError for complex.
Array erf(const Operand& a);
Array erf(const Operand& a, const UfuncOptions& options);
Array erfc(const Operand& a);
Array erfc(const Operand& a, const UfuncOptions& options);
/// The gamma function and log(abs(gamma(a))), within 2 ULP. DTypeError for complex.
Array gamma(const Operand& a);
Array gamma(const Operand& a, const UfuncOptions& options);
Array lgamma(const Operand& a);
Array lgamma(const Operand& a, const UfuncOptions& options);

// ---- Parts of numbers ----

/// The magnitude of a with the sign of b; the neighbour of a in the direction of b. Integers as in sqrt, complex is a
/// DTypeError.
Array copysign(const Operand& a, const Operand& b);
Array copysign(const Operand& a, const Operand& b, const UfuncOptions& options);
Array nextafter(const Operand& a, const Operand& b);
Array nextafter(const Operand& a, const Operand& b, const UfuncOptions& options);
/// bool gives int8.
Array conjugate(const Operand& a);
Array conjugate(const Operand& a, const UfuncOptions& options);
/// Copies, in the real part's dtype; of real numbers themselves, and 0. (The options are not NumPy's.)
Array real(const Operand& a);
Array real(const Operand& a, const UfuncOptions& options);
Array imag(const Operand& a);
Array imag(const Operand& a, const UfuncOptions& options);

// ---- Truth ----

/// bool. NaN compares as in IEEE 754; complex numbers are ordered by real part, then imaginary part.
Array equal(const Operand& a, const Operand& b);
Array equal(const Operand& a, const Operand& b, const UfuncOptions& options);
Array not_equal(const Operand& a, const Operand& b);
Array not_equal(const Operand& a, const Operand& b, const UfuncOptions& options);
Array less(const Operand& a, const Operand& b);
Array less(const Operand& a, const Operand& b, const UfuncOptions& options);
Array less_equal(const Operand& a, const Operand& b);
Array less_equal(const Operand& a, const Operand& b, const UfuncOptions& options);
Array greater(const Operand& a, const Operand& b);
Array greater(const Operand& a, const Operand& b, const UfuncOptions& options);
Array greater_equal(const Operand& a, const Operand& b);
Array greater_equal(const Operand& a, const Operand& b, const UfuncOptions& options);
/// bool, of every dtype; of complex numbers either part is, for isfinite both are.
Array isnan(const Operand& a);
Array isnan(const Operand& a, const UfuncOptions& options);
Array isinf(const Operand& a);
Array isinf(const Operand& a, const UfuncOptions& options);
Array isfinite(const Operand& a);
Array isfinite(const Operand& a, const UfuncOptions& options);
/// bool; true for -0 and for NaN with that bit. DTypeError for complex.
Array signbit(const Operand& a);
Array signbit(const Operand& a, const UfuncOptions& options);
/// bool, of every dtype: true is what is not 0, NaN too.
Array logical_not(const Operand& a);
Array logical_not(const Operand& a, const UfuncOptions& options);
Array logical_and(const Operand& a, const Operand& b);
Array logical_and(const Operand& a, const Operand& b, const UfuncOptions& options);
Array logical_or(const Operand& a, const Operand& b);
Array logical_or(const Operand& a, const Operand& b, const UfuncOptions& options);
Array logical_xor(const Operand& a, const Operand& b);
Array logical_xor(const Operand& a, const Operand& b, const UfuncOptions& options);

// ---- Bits ----

/// Of integers and bool, DTypeError otherwise.
Array bitwise_and(const Operand& a, const Operand& b);
Array bitwise_and(const Operand& a, const Operand& b, const UfuncOptions& options);
Array bitwise_or(const Operand& a, const Operand& b);
Array bitwise_or(const Operand& a, const Operand& b, const UfuncOptions& options);
Array bitwise_xor(const Operand& a, const Operand& b);
Array bitwise_xor(const Operand& a, const Operand& b, const UfuncOptions& options);
/// All bits of integers; of bool the other value.
Array invert(const Operand& a);
Array invert(const Operand& a, const UfuncOptions& options);
/// Of integers, and bool in int8. Counts that are negative or not below the number of bits give 0 (right_shift of a
/// negative number: -1).
Array left_shift(const Operand& a, const Operand& b);
Array left_shift(const Operand& a, const Operand& b, const UfuncOptions& options);
Array right_shift(const Operand& a, const Operand& b);
Array right_shift(const Operand& a, const Operand& b, const UfuncOptions& options);

// ---- The array API's names, and NumPy's other ones ----

inline Array absolute(const Operand& a) { return abs(a); }
inline Array absolute(const Operand& a, const UfuncOptions& options) { return abs(a, options); }
inline Array true_divide(const Operand& a, const Operand& b) { return divide(a, b); }
inline Array true_divide(const Operand& a, const Operand& b, const UfuncOptions& options) {
  return divide(a, b, options);
}
inline Array mod(const Operand& a, const Operand& b) { return remainder(a, b); }
inline Array mod(const Operand& a, const Operand& b, const UfuncOptions& options) { return remainder(a, b, options); }
inline Array pow(const Operand& a, const Operand& b) { return power(a, b); }
inline Array pow(const Operand& a, const Operand& b, const UfuncOptions& options) { return power(a, b, options); }
inline Array conj(const Operand& a) { return conjugate(a); }
inline Array conj(const Operand& a, const UfuncOptions& options) { return conjugate(a, options); }
inline Array asin(const Operand& a) { return arcsin(a); }
inline Array asin(const Operand& a, const UfuncOptions& options) { return arcsin(a, options); }
inline Array acos(const Operand& a) { return arccos(a); }
inline Array acos(const Operand& a, const UfuncOptions& options) { return arccos(a, options); }
inline Array atan(const Operand& a) { return arctan(a); }
inline Array atan(const Operand& a, const UfuncOptions& options) { return arctan(a, options); }
inline Array atan2(const Operand& a, const Operand& b) { return arctan2(a, b); }
inline Array atan2(const Operand& a, const Operand& b, const UfuncOptions& options) { return arctan2(a, b, options); }
inline Array asinh(const Operand& a) { return arcsinh(a); }
inline Array asinh(const Operand& a, const UfuncOptions& options) { return arcsinh(a, options); }
inline Array acosh(const Operand& a) { return arccosh(a); }
inline Array acosh(const Operand& a, const UfuncOptions& options) { return arccosh(a, options); }
inline Array atanh(const Operand& a) { return arctanh(a); }
inline Array atanh(const Operand& a, const UfuncOptions& options) { return arctanh(a, options); }
inline Array radians(const Operand& a) { return deg2rad(a); }
inline Array radians(const Operand& a, const UfuncOptions& options) { return deg2rad(a, options); }
inline Array degrees(const Operand& a) { return rad2deg(a); }
inline Array degrees(const Operand& a, const UfuncOptions& options) { return rad2deg(a, options); }
inline Array tgamma(const Operand& a) { return gamma(a); }
inline Array tgamma(const Operand& a, const UfuncOptions& options) { return gamma(a, options); }
inline Array bitwise_invert(const Operand& a) { return invert(a); }
inline Array bitwise_invert(const Operand& a, const UfuncOptions& options) { return invert(a, options); }
inline Array bitwise_not(const Operand& a) { return invert(a); }
inline Array bitwise_not(const Operand& a, const UfuncOptions& options) { return invert(a, options); }
inline Array bitwise_left_shift(const Operand& a, const Operand& b) { return left_shift(a, b); }
inline Array bitwise_left_shift(const Operand& a, const Operand& b, const UfuncOptions& options) {
  return left_shift(a, b, options);
}
inline Array bitwise_right_shift(const Operand& a, const Operand& b) { return right_shift(a, b); }
inline Array bitwise_right_shift(const Operand& a, const Operand& b, const UfuncOptions& options) {
  return right_shift(a, b, options);
}

// ---- Operators ----

inline Array operator+(const Operand& a, const Operand& b) { return add(a, b); }
inline Array operator-(const Operand& a, const Operand& b) { return subtract(a, b); }
inline Array operator*(const Operand& a, const Operand& b) { return multiply(a, b); }
inline Array operator/(const Operand& a, const Operand& b) { return divide(a, b); }
inline Array operator%(const Operand& a, const Operand& b) { return remainder(a, b); }
inline Array operator&(const Operand& a, const Operand& b) { return bitwise_and(a, b); }
inline Array operator|(const Operand& a, const Operand& b) { return bitwise_or(a, b); }
inline Array operator^(const Operand& a, const Operand& b) { return bitwise_xor(a, b); }
inline Array operator<<(const Operand& a, const Operand& b) { return left_shift(a, b); }
inline Array operator>>(const Operand& a, const Operand& b) { return right_shift(a, b); }
inline Array operator-(const Operand& a) { return negative(a); }
inline Array operator+(const Operand& a) { return positive(a); }
inline Array operator~(const Operand& a) { return invert(a); }
inline Array operator==(const Operand& a, const Operand& b) { return equal(a, b); }
inline Array operator!=(const Operand& a, const Operand& b) { return not_equal(a, b); }
inline Array operator<(const Operand& a, const Operand& b) { return less(a, b); }
inline Array operator<=(const Operand& a, const Operand& b) { return less_equal(a, b); }
inline Array operator>(const Operand& a, const Operand& b) { return greater(a, b); }
inline Array operator>=(const Operand& a, const Operand& b) { return greater_equal(a, b); }

}  // namespace gnu::visibility("default")]]xp
