// SPDX-License-Identifier: Apache-2.0
// Decimal digits of floating-point values.
#pragma once

#include <xp/dtype.hpp>

#include <string>

namespace xp::detail {

/// A finite number as d.ddd x 10^exponent. `digits` holds at least one digit, no trailing zeros, and for zero is "0".
struct Decimal {
  bool negative = false;
  std::string digits = "0";
  int exponent = 0;

  /// Digits after the point in plain notation.
  int fraction_digits() const {
    const int count = static_cast<int>(digits.size()) - 1 - exponent;
    return count > 0 ? count : 0;
  }
};

/// Whether 16-bit floats, float32 or float64 hold the value exactly is the caller's business: `value` is one of
/// `dtype`. The fewest digits that read back as that value.
Decimal shortest(double value, DType dtype);

/// The exact value rounded (ties to even) to that many digits after the point, in plain or in scientific notation. The
/// shortest digits are not what is rounded: 0.123456785 lies below its decimal name.
Decimal round_plain(double value, int fraction_digits);
Decimal round_scientific(double value, int fraction_digits);

/// `value` rounded to the precision of a real dtype.
double round_to_dtype(double value, DType dtype);

/// Parts of a number's text.
struct NumberText {
  std::string whole;     // with the sign
  std::string fraction;  // may be empty
  std::string exponent;  // "+05", empty in plain notation
};
NumberText plain_text(const Decimal& number);
NumberText scientific_text(const Decimal& number);

}  // namespace xp::detail
