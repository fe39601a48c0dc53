// SPDX-License-Identifier: Apache-2.0
// Rules of NumPy 2, found out by printing with NumPy 2.4; tests/golden/print.txt holds its output.
//
// bfloat16, which NumPy does not know, is written like the other floats: the fewest digits that tell its values apart.
// (ml_dtypes writes six significant digits without alignment.)
#include "io/format.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "core/half.hpp"
#include "io/decimal.hpp"
#include "io/tuple.hpp"

namespace xp::detail {
namespace {

// Twice this must not overflow.
Index edge_items(const PrintOptions& options) { return std::clamp<Index>(options.edgeitems, 1, Index{1} << 40); }

// ---- Elements from bytes

template <class T>
std::vector<T> elements(const PrintData& data) {
  std::vector<T> values(data.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), data.bytes.data(), values.size() * sizeof(T));
  return values;
}

template <class T>
std::vector<double> widened(const std::vector<T>& values) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const T value : values) result.push_back(static_cast<double>(static_cast<float>(value)));
  return result;
}

std::vector<double> real_values(const PrintData& data) {
  switch (data.dtype) {
    case DType::float16:
      return widened(elements<Half>(data));
    case DType::bfloat16:
      return widened(elements<BFloat16>(data));
    case DType::float32:
      return widened(elements<float>(data));
    default:
      return elements<double>(data);
  }
}

std::vector<std::complex<double>> complex_values(const PrintData& data) {
  if (data.dtype == DType::complex128) return elements<std::complex<double>>(data);
  std::vector<std::complex<double>> result;
  for (const auto value : elements<std::complex<float>>(data)) result.emplace_back(value.real(), value.imag());
  return result;
}

// ---- Floats

// From here on scientific notation: about the number of digits that the dtype always keeps. NumPy has no bfloat16; with
// three digits 256 and 512 stay readable and every value below 1000 is told apart.
double scientific_from(DType dtype, double for_float64) {
  return itemsize(dtype) == 2 ? 1e3 : dtype == DType::float32 ? 1e6 : for_float64;
}

std::string pad_left(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

// All numbers of an array in one notation, points under each other.
class FloatFormat {
 public:
  FloatFormat(std::span<const double> values, DType dtype, const PrintOptions& options, bool always_sign)
      : dtype_(dtype), precision_(std::max(options.precision, 0)), always_sign_(always_sign) {
    choose_notation(values, options.suppress);
    std::size_t exponent_width = 0;
    std::size_t nonfinite_width = 0;
    for (const double value : values) {
      if (!std::isfinite(value)) {
        nonfinite_width = std::max(nonfinite_width, nonfinite(value).size());
        continue;
      }
      const NumberText text = finite(value);
      whole_width_ = std::max(whole_width_, text.whole.size());
      fraction_width_ = std::max(fraction_width_, text.fraction.size());
      exponent_width = std::max(exponent_width, text.exponent.size());
    }
    exponent_width_ = exponent_width;
    const std::size_t right = 1 + right_width();
    if (nonfinite_width > right) whole_width_ = std::max(whole_width_, nonfinite_width - right);
  }

  std::string operator()(double value) const {
    if (!std::isfinite(value)) return pad_left(nonfinite(value), whole_width_ + 1 + right_width());
    if (scientific_) {
      NumberText text = finite(value);
      // Shorter ones are filled up with the exact value's digits, not with zeros.
      if (text.fraction.size() < fraction_width_)
        text = signed_text(round_scientific(value, static_cast<int>(fraction_width_)));
      text.fraction.append(fraction_width_ - text.fraction.size(), '0');
      text.exponent.insert(1, exponent_width_ - text.exponent.size(), '0');
      return pad_left(text.whole, whole_width_) + '.' + text.fraction + 'e' + text.exponent;
    }
    NumberText text = finite(value);
    text.fraction.append(fraction_width_ - text.fraction.size(), ' ');
    return pad_left(text.whole, whole_width_) + '.' + text.fraction;
  }

 private:
  void choose_notation(std::span<const double> values, bool suppress) {
    double greatest = 0, least = 0;
    for (const double value : values) {
      const double magnitude = std::abs(value);
      if (!std::isfinite(value) || value == 0) continue;
      greatest = std::max(greatest, magnitude);
      least = least == 0 ? magnitude : std::min(least, magnitude);
    }
    if (greatest == 0) return;
    // In the dtype's own arithmetic, as NumPy does it.
    scientific_ =
        greatest >= scientific_from(dtype_, 1e8) ||
        (!suppress && (least < round_to_dtype(1e-4, dtype_) || round_to_dtype(greatest / least, dtype_) > 1e3));
  }

  NumberText finite(double value) const {
    Decimal number = shortest(value, dtype_);
    if (scientific_) {
      if (static_cast<int>(number.digits.size()) - 1 > precision_) number = round_scientific(value, precision_);
    } else if (number.fraction_digits() > precision_) {
      number = round_plain(value, precision_);
    }
    return signed_text(number);
  }

  NumberText signed_text(const Decimal& number) const {
    NumberText text = scientific_ ? scientific_text(number) : plain_text(number);
    if (always_sign_ && !number.negative) text.whole.insert(0, 1, '+');
    return text;
  }

  std::string nonfinite(double value) const {
    const bool minus = value < 0;  // not for nan
    return std::string(minus ? "-" : always_sign_ ? "+" : "") + (std::isnan(value) ? "nan" : "inf");
  }

  // Of what follows the point.
  std::size_t right_width() const { return fraction_width_ + (scientific_ ? 1 + exponent_width_ : 0); }

  DType dtype_;
  int precision_;
  bool always_sign_;
  bool scientific_ = false;
  std::size_t whole_width_ = 0, fraction_width_ = 0, exponent_width_ = 0;
};

// ---- Words: the elements' texts, of equal width

using Words = std::vector<std::string>;

Words align(Words words) {
  std::size_t width = 0;
  for (const std::string& word : words) width = std::max(width, word.size());
  for (std::string& word : words) word = pad_left(std::move(word), width);
  return words;
}

template <class T>
Words integer_words(const PrintData& data) {
  Words words;
  for (const T value : elements<T>(data)) words.push_back(std::to_string(value));
  return align(std::move(words));
}

Words bool_words(const PrintData& data) {
  Words words;
  for (const std::byte value : data.bytes) words.emplace_back(value != std::byte{0} ? "True" : "False");
  // Always as wide as False, except alone.
  if (data.shape.empty()) return words;
  for (std::string& word : words) word = pad_left(std::move(word), 5);
  return words;
}

Words float_words(const PrintData& data, const PrintOptions& options) {
  const std::vector<double> values = real_values(data);
  const FloatFormat format(values, data.dtype, options, false);
  Words words;
  for (const double value : values) words.push_back(format(value));
  return words;
}

Words complex_words(const PrintData& data, const PrintOptions& options) {
  const std::vector<std::complex<double>> values = complex_values(data);
  std::vector<double> real, imag;
  for (const auto value : values) {
    real.push_back(value.real());
    imag.push_back(value.imag());
  }
  const DType part = data.dtype == DType::complex64 ? DType::float32 : DType::float64;
  const FloatFormat real_format(real, part, options, false), imag_format(imag, part, options, true);
  Words words;
  for (const auto value : values) {
    std::string text = imag_format(value.imag());
    text.insert(text.find_last_not_of(' ') + 1, 1, 'j');
    words.push_back(real_format(value.real()) + text);
  }
  return words;
}

Words array_words(const PrintData& data, const PrintOptions& options) {
  switch (data.dtype) {
    case DType::bool_:
      return bool_words(data);
    case DType::int8:
      return integer_words<std::int8_t>(data);
    case DType::int16:
      return integer_words<std::int16_t>(data);
    case DType::int32:
      return integer_words<std::int32_t>(data);
    case DType::int64:
      return integer_words<std::int64_t>(data);
    case DType::uint8:
      return integer_words<std::uint8_t>(data);
    case DType::uint16:
      return integer_words<std::uint16_t>(data);
    case DType::uint32:
      return integer_words<std::uint32_t>(data);
    case DType::uint64:
      return integer_words<std::uint64_t>(data);
    case DType::complex64:
    case DType::complex128:
      return complex_words(data, options);
    default:
      return float_words(data, options);
  }
}

// ---- One number

std::string scalar_part(double value, DType dtype, bool always_sign, bool point) {
  const std::string plus = always_sign ? "+" : "";
  if (std::isnan(value)) return plus + "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : plus + "inf";
  const Decimal number = shortest(value, dtype);
  const double magnitude = std::abs(value);
  const bool scientific = magnitude != 0 && (magnitude < 1e-4 || magnitude >= scientific_from(dtype, 1e16));
  const NumberText text = scientific ? scientific_text(number) : plain_text(number);
  std::string result = (number.negative ? "" : plus) + text.whole;
  if (!text.fraction.empty()) result += '.' + text.fraction;
  if (scientific) return result + 'e' + text.exponent;
  return text.fraction.empty() && point ? result + ".0" : result;
}

std::string scalar_text(const PrintData& data, const PrintOptions& options) {
  if (kind(data.dtype) == DTypeKind::real) return scalar_part(real_values(data)[0], data.dtype, false, true);
  if (kind(data.dtype) != DTypeKind::complex) return array_words(data, options)[0];
  const std::complex<double> value = complex_values(data)[0];
  const DType part = data.dtype == DType::complex64 ? DType::float32 : DType::float64;
  if (value.real() == 0 && !std::signbit(value.real())) return scalar_part(value.imag(), part, false, false) + 'j';
  return '(' + scalar_part(value.real(), part, false, false) + scalar_part(value.imag(), part, true, false) + "j)";
}

// ---- Brackets and lines

class Layout {
 public:
  Layout(const PrintData& data, const PrintOptions& options, std::string_view separator, std::size_t indent)
      : data_(data),
        words_(array_words(data, options)),
        separator_(separator),
        indent_(indent),
        edge_(edge_items(options)),
        summarised_(is_summarised(data.shape, options)),
        // repr's closing parenthesis needs a place on the last line; NumPy keeps it free on all.
        width_(std::max(options.linewidth, 0) - (indent == 0 ? 0 : 1)) {}

  std::string text() { return data_.shape.empty() ? words_[0] : block(0); }

 private:
  // Column of the contents of the axis' brackets.
  std::size_t column(std::size_t axis) const { return indent_ + axis + 1; }

  // Brackets of one entry of axis - 1; takes words in order.
  std::string block(std::size_t axis) {
    const Index count = data_.kept[axis];
    const bool cut = summarised_ && data_.shape[axis] > 2 * edge_;
    const bool innermost = axis + 1 == data_.shape.size();
    std::string text = "[";
    if (innermost) {
      std::size_t used = column(axis);
      for (Index i = 0; i < count; ++i) {
        if (cut && i == edge_) add_word(text, used, "...", axis, false);
        add_word(text, used, words_[next_word_++], axis, i + 1 == count);
      }
      return text + ']';
    }
    const std::string between = std::string(separator_.substr(0, separator_.find(' '))) +
                                std::string(data_.shape.size() - 1 - axis, '\n') + std::string(column(axis), ' ');
    for (Index i = 0; i < count; ++i) {
      if (i != 0) text += between;
      if (cut && i == edge_) text += "..." + between;
      text += block(axis + 1);
    }
    return text + ']';
  }

  // `used` is the width of the line so far. A word that does not fit starts a new line unless it is the first on its
  // own.
  void add_word(std::string& text, std::size_t& used, std::string_view word, std::size_t axis, bool last) {
    const std::size_t start = column(axis);
    // Room for the brackets that may close behind the word, or for its comma.
    const int reserved = static_cast<int>(axis + 1);
    if (static_cast<int>(used + word.size()) > width_ - reserved && used > start) {
      text.erase(text.find_last_not_of(' ') + 1);
      text += '\n' + std::string(start, ' ');
      used = start;
    }
    text += word;
    used += word.size();
    if (!last) {
      text += separator_;
      used += separator_.size();
    }
  }

  const PrintData& data_;
  Words words_;
  std::string_view separator_;
  std::size_t indent_;
  Index edge_;
  bool summarised_;
  int width_;
  std::size_t next_word_ = 0;
};

// NumPy leaves these out of repr.
bool is_implied(DType dtype) {
  return dtype == DType::bool_ || dtype == DType::int64 || dtype == DType::float64 || dtype == DType::complex128;
}

}  // namespace

bool is_summarised(const Shape& shape, const PrintOptions& options) { return element_count(shape) > options.threshold; }

Shape printed_shape(const Shape& shape, const PrintOptions& options) {
  Shape kept = shape;
  if (is_summarised(shape, options)) {
    for (Index& extent : kept) extent = std::min(extent, 2 * edge_items(options));
  }
  return kept;
}

std::string format_str(const PrintData& data, const PrintOptions& options) {
  if (data.shape.empty()) return scalar_text(data, options);
  if (element_count(data.shape) == 0) return "[]";
  return Layout(data, options, " ", 0).text();
}

std::string format_repr(const PrintData& data, const PrintOptions& options) {
  constexpr std::string_view prefix = "array(";
  const bool empty = element_count(data.shape) == 0;
  std::string text(prefix);
  text += empty ? "[]" : Layout(data, options, ", ", prefix.size()).text();
  std::string extra;
  if ((empty && data.shape != Shape{0}) || is_summarised(data.shape, options))
    extra = "shape=" + python_tuple(data.shape);
  if (empty || !is_implied(data.dtype)) {
    if (!extra.empty()) extra += ", ";
    extra += "dtype=" + std::string(name(data.dtype));
  }
  if (extra.empty()) return text + ')';
  text += ',';
  const std::size_t last_line = text.size() - (text.rfind('\n') + 1);
  const bool fits = static_cast<Index>(last_line + extra.size()) + 2 <= options.linewidth;
  text += fits ? " " : '\n' + std::string(prefix.size(), ' ');
  return text + extra + ')';
}

}  // namespace xp::detail
