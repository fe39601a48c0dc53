// SPDX-License-Identifier: Apache-2.0
// Elementwise operations. Operands broadcast; the result dtype is NumPy 2's: C++ numbers are weak, arrays (0-d too) are
// strong. Operands on different devices are a DeviceError; shapes that do not broadcast a ShapeError.
#pragma once

#include <xp/array.hpp>

namespace [[gnu::visibility("default")]] xp {

/// Integers wrap; for bool, add is `or` and multiply `and`; subtract of bools is a DTypeError.
Array add(const Operand& a, const Operand& b);
Array subtract(const Operand& a, const Operand& b);
Array multiply(const Operand& a, const Operand& b);
/// True division: integers and bool give float64 (float32 or float16 never arise from integers, as in NumPy).
Array divide(const Operand& a, const Operand& b);
/// DTypeError for bool. Unsigned integers wrap.
Array negative(const Operand& a);
/// The real part's dtype for complex. The least signed integer stays itself.
Array abs(const Operand& a);
/// Of integers: float16 for 8 bits and bool, float32 for 16 bits, else float64, as in NumPy. Negative numbers give NaN.
Array sqrt(const Operand& a);
/// Within 1 ULP on the host in float32 and float64. Integers as in sqrt.
Array exp(const Operand& a);

/// bool. NaN compares as in IEEE 754; complex numbers are ordered by real part, then imaginary part.
Array equal(const Operand& a, const Operand& b);
Array not_equal(const Operand& a, const Operand& b);
Array less(const Operand& a, const Operand& b);
Array less_equal(const Operand& a, const Operand& b);
Array greater(const Operand& a, const Operand& b);
Array greater_equal(const Operand& a, const Operand& b);

/// `condition ? a : b`, elementwise; a condition that is not bool is true where it is not 0.
Array where(const Operand& condition, const Operand& a, const Operand& b);

inline Array operator+(const Operand& a, const Operand& b) { return add(a, b); }
inline Array operator-(const Operand& a, const Operand& b) { return subtract(a, b); }
inline Array operator*(const Operand& a, const Operand& b) { return multiply(a, b); }
inline Array operator/(const Operand& a, const Operand& b) { return divide(a, b); }
inline Array operator-(const Operand& a) { return negative(a); }
inline Array operator==(const Operand& a, const Operand& b) { return equal(a, b); }
inline Array operator!=(const Operand& a, const Operand& b) { return not_equal(a, b); }
inline Array operator<(const Operand& a, const Operand& b) { return less(a, b); }
inline Array operator<=(const Operand& a, const Operand& b) { return less_equal(a, b); }
inline Array operator>(const Operand& a, const Operand& b) { return greater(a, b); }
inline Array operator>=(const Operand& a, const Operand& b) { return greater_equal(a, b); }

}  // namespace gnu::visibility("default")]]xp
