// SPDX-License-Identifier: Apache-2.0
#include "io/decimal.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "core/half.hpp"

namespace xp::detail {
namespace {

// Plain text of a double has at most 309 digits before the point and 1074 after it.
using Buffer = std::array<char, 1536>;

// Reads what std::to_chars wrote, in either notation.
Decimal parse(std::string_view text) {
  Decimal result;
  result.digits.clear();
  if (text.starts_with('-')) {
    result.negative = true;
    text.remove_prefix(1);
  }
  int exponent = 0;
  if (const std::size_t at = text.find('e'); at != std::string_view::npos) {
    const char* begin = text.data() + at + 1;
    if (*begin == '+') ++begin;
    std::from_chars(begin, text.data() + text.size(), exponent);
    text = text.substr(0, at);
  }
  const std::size_t point = std::min(text.find('.'), text.size());
  result.exponent = exponent + static_cast<int>(point) - 1;
  for (const char c : text) {
    if (c == '.') continue;
    if (c == '0' && result.digits.empty()) {
      --result.exponent;  // a leading zero
      continue;
    }
    result.digits += c;
  }
  while (result.digits.ends_with('0')) result.digits.pop_back();
  if (result.digits.empty()) {
    result.digits = "0";
    result.exponent = 0;
  }
  return result;
}

template <class T>
Decimal parse_shortest(T value) {
  Buffer buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific).ptr;
  return parse({buffer.data(), end});
}

Decimal parse_rounded(double value, std::chars_format format, int digits) {
  Buffer buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, digits).ptr;
  return parse({buffer.data(), end});
}

bool reads_back(const Decimal& decimal, double value, DType dtype) {
  const NumberText text = scientific_text(decimal);
  const std::string all = text.whole + '.' + text.fraction + 'e' + text.exponent;
  double back = 0;
  std::from_chars(all.data(), all.data() + all.size(), back);
  return round_to_dtype(back, dtype) == value;
}

// The next number of that many digits, away from zero.
Decimal next_above(Decimal decimal, std::size_t digits) {
  decimal.digits.append(digits - decimal.digits.size(), '0');
  std::size_t at = digits;
  while (at > 0 && decimal.digits[at - 1] == '9') decimal.digits[--at] = '0';
  if (at > 0) {
    ++decimal.digits[at - 1];
  } else {
    decimal.digits.insert(0, 1, '1');
    ++decimal.exponent;
  }
  while (decimal.digits.size() > 1 && decimal.digits.ends_with('0')) decimal.digits.pop_back();
  return decimal;
}

}  // namespace

double round_to_dtype(double value, DType dtype) {
  if (dtype == DType::float16) return half_value(half_bits(value));
  if (dtype == DType::bfloat16) return bfloat16_value(bfloat16_bits(static_cast<float>(value)));
  return dtype == DType::float32 ? static_cast<double>(static_cast<float>(value)) : value;
}

Decimal shortest(double value, DType dtype) {
  if (dtype == DType::float32) return parse_shortest(static_cast<float>(value));
  if (itemsize(dtype) == 2) {
    // There is no std::to_chars for these. Five digits tell float16 values apart, four bfloat16 values.
    for (int digits = 0; digits < 5; ++digits) {
      Decimal nearest = round_scientific(value, digits);
      if (reads_back(nearest, value, dtype)) return nearest;
      // Above a power of two lies twice as much room as below it.
      const Decimal above = next_above(nearest, static_cast<std::size_t>(digits) + 1);
      if (reads_back(above, value, dtype)) return above;
    }
  }
  return parse_shortest(value);
}

Decimal round_plain(double value, int fraction_digits) {
  return parse_rounded(value, std::chars_format::fixed, fraction_digits);
}

Decimal round_scientific(double value, int fraction_digits) {
  return parse_rounded(value, std::chars_format::scientific, fraction_digits);
}

NumberText plain_text(const Decimal& number) {
  NumberText text;
  if (number.negative) text.whole = "-";
  const int count = static_cast<int>(number.digits.size());
  if (number.exponent < 0) {
    text.whole += '0';
    text.fraction.assign(static_cast<std::size_t>(-number.exponent - 1), '0');
    if (number.digits != "0") text.fraction += number.digits;
    return text;
  }
  for (int i = 0; i <= number.exponent; ++i) text.whole += i < count ? number.digits[static_cast<std::size_t>(i)] : '0';
  if (count > number.exponent + 1) text.fraction = number.digits.substr(static_cast<std::size_t>(number.exponent) + 1);
  return text;
}

NumberText scientific_text(const Decimal& number) {
  NumberText text;
  if (number.negative) text.whole = "-";
  text.whole += number.digits[0];
  text.fraction = number.digits.substr(1);
  const std::string magnitude = std::to_string(std::abs(number.exponent));
  text.exponent = (number.exponent < 0 ? "-" : "+") + std::string(magnitude.size() < 2 ? 1 : 0, '0') + magnitude;
  return text;
}

}  // namespace xp::detail
