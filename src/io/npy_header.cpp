// SPDX-License-Identifier: Apache-2.0
#include <xp/error.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include "io/npy.hpp"
#include "io/tuple.hpp"

namespace xp::detail {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t alignment = 64;

// dtype.str without the byte order. bfloat16 is what ml_dtypes makes NumPy write: raw bytes.
constexpr std::array<std::string_view, dtype_count> codes{"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4",
                                                          "u8", "f2", "V2", "f4", "f8", "c8", "c16"};

// For messages: untrusted text may hold anything, and a lot of it.
std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text.substr(0, 60)) result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > 60 ? "...'" : "'");
}

// The few parts of Python's syntax that the header of a plain array has.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  // Skips white space first, like all of these.
  bool accept(char wanted) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted, const char* where) {
    if (!accept(wanted)) fail(std::string("'") + wanted + "' expected " + where);
  }
  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }
  char peek() {
    skip_space();
    return at_ == text_.size() ? '\0' : text_[at_];
  }

  std::string_view string(const char* what) {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail(std::string(what) + " is not a string");
    const std::size_t begin = ++at_;
    const std::size_t end = text_.find(quote, begin);
    if (end == std::string_view::npos) fail(std::string(what) + " is a string without end");
    const std::string_view content = text_.substr(begin, end - begin);
    if (content.find_first_of("\\\n") != std::string_view::npos) fail(std::string(what) + " is not a plain string");
    at_ = end + 1;
    return content;
  }

  bool boolean(const char* what) {
    skip_space();
    for (const auto& [word, value] : {std::pair{"True", true}, std::pair{"False", false}}) {
      const std::string_view name = word;
      if (text_.substr(at_, name.size()) != name) continue;
      at_ += name.size();
      return value;
    }
    fail(std::string(what) + " is neither True nor False");
  }

  Index extent() {
    skip_space();
    if (peek() == '-') fail("negative extent in 'shape'");
    Index value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail("extent in 'shape' does not fit in 64 bits");
    if (error != std::errc()) fail("'shape' is not a tuple of integers");
    at_ += static_cast<std::size_t>(end - begin);
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2's long integers
    return value;
  }

  Shape tuple() {
    Shape shape;
    if (!accept('(')) fail("'shape' is not a tuple");
    while (!accept(')')) {
      shape.push_back(extent());
      if (accept(',')) continue;
      if (peek() == ')' && shape.size() == 1) fail("'shape' is not a tuple");  // (3) is a number
      expect(')', "at the end of 'shape'");
      break;
    }
    return shape;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw IoError("malformed header: " + what + " (at byte " + std::to_string(at_) + " of " + quoted(text_) + ")");
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n\f").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void parse_descr(std::string_view descr, NpyHeader& header) {
  std::string_view code = descr;
  char order = '=';
  if (!code.empty() && std::string_view("<>=|").find(code[0]) != std::string_view::npos) {
    order = code[0];
    code.remove_prefix(1);
  }
  const auto* const found = std::find(codes.begin(), codes.end(), code);
  if (found == codes.end()) {
    if (code.starts_with('O'))
      throw IoError("object dtype " + quoted(descr) + " is not supported: it holds pickled Python");
    throw IoError("dtype " + quoted(descr) + " is not supported");
  }
  header.dtype = static_cast<DType>(found - codes.begin());
  constexpr bool little = std::endian::native == std::endian::little;
  header.swapped = itemsize(header.dtype) > 1 && order == (little ? '>' : '<');
}

}  // namespace

NpyPreamble parse_npy_preamble(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.empty()) throw IoError("the file is empty");
  if (text.starts_with("PK\x03\x04")) throw IoError("a zip archive (.npz?), not a .npy file");
  if (!text.starts_with(magic)) {
    if (magic.starts_with(text)) throw IoError("truncated: the file ends within the magic string");
    throw IoError("not a .npy file: it does not begin with \\x93NUMPY");
  }
  const auto byte = [&](std::size_t at) { return std::to_integer<std::size_t>(bytes[at]); };
  if (bytes.size() < 8) throw IoError("truncated: the file ends within the format version");
  const std::size_t major = byte(6), minor = byte(7);
  if (major < 1 || major > 3 || minor != 0)
    throw IoError("format version " + std::to_string(major) + '.' + std::to_string(minor) +
                  " is not supported (1.0, 2.0 and 3.0 are)");
  NpyPreamble preamble;
  preamble.offset = major == 1 ? 10 : 12;
  if (bytes.size() < preamble.offset) throw IoError("truncated: the file ends within the header's length");
  for (std::size_t at = preamble.offset; at-- > 8;) preamble.length = preamble.length << 8 | byte(at);
  if (preamble.length > npy_header_limit)
    throw IoError("a header of " + std::to_string(preamble.length) + " bytes is longer than any of a plain array");
  return preamble;
}

NpyHeader parse_npy_header(std::span<const std::byte> dict) {
  Parser parser({reinterpret_cast<const char*>(dict.data()), dict.size()});
  NpyHeader header;
  bool has_descr = false, has_order = false, has_shape = false;
  parser.expect('{', "at the beginning");
  while (!parser.accept('}')) {
    const std::string_view key = parser.string("a key");
    parser.expect(':', "after a key");
    bool* seen = nullptr;
    if (key == "descr") {
      seen = &has_descr;
      // A list of fields, or a base dtype with a shape.
      if (parser.peek() == '[' || parser.peek() == '(' || parser.peek() == '{')
        throw IoError("structured dtypes are not supported");
      parse_descr(parser.string("'descr'"), header);
    } else if (key == "fortran_order") {
      seen = &has_order;
      header.fortran_order = parser.boolean("'fortran_order'");
    } else if (key == "shape") {
      seen = &has_shape;
      header.shape = parser.tuple();
    } else {
      parser.fail("unknown key " + quoted(key));
    }
    if (*seen) parser.fail("key " + quoted(key) + " twice");
    *seen = true;
    if (parser.accept(',')) continue;
    parser.expect('}', "after the last value");
    break;
  }
  if (!parser.at_end()) parser.fail("text after the dict");
  if (!has_descr) parser.fail("no key 'descr'");
  if (!has_order) parser.fail("no key 'fortran_order'");
  if (!has_shape) parser.fail("no key 'shape'");

  // Also with an extent of 0 the others' product must be a size: NumPy asks for the same.
  constexpr Index most = std::numeric_limits<Index>::max();
  Index bytes = itemsize(header.dtype);
  bool empty = false;
  for (const Index extent : header.shape) {
    if (extent == 0) {
      empty = true;
      continue;
    }
    if (bytes > most / extent)
      throw IoError("an array of shape " + quoted(python_tuple(header.shape)) + " is too large");
    bytes *= extent;
  }
  header.bytes = empty ? 0 : bytes;
  return header;
}

std::string npy_header(DType dtype, const Shape& shape, bool fortran_order) {
  const char order = itemsize(dtype) == 1 ? '|' : '<';
  std::string dict = std::string("{'descr': '") + order + std::string(codes[static_cast<std::size_t>(dtype)]) +
                     "', 'fortran_order': " + (fortran_order ? "True" : "False") + ", 'shape': " + python_tuple(shape) +
                     ", }";
  // Room for the axis along which files grow to be rewritten in place, up to 21 digits.
  if (!shape.empty()) {
    const Index growing = fortran_order ? shape.back() : shape[0];
    dict.append(21 - std::to_string(growing).size(), ' ');
  }
  const auto padded = [&dict](std::size_t offset) {
    const std::size_t used = offset + dict.size() + 1;
    return dict + std::string((alignment - used % alignment) % alignment, ' ') + '\n';
  };
  std::string text = padded(10);
  const bool is_long = text.size() > 0xffff;
  if (is_long) text = padded(12);
  std::string result(magic);
  result += is_long ? '\2' : '\1';
  result += '\0';
  for (int i = 0; i < (is_long ? 4 : 2); ++i) result += static_cast<char>(text.size() >> (8 * i) & 0xff);
  return result + text;
}

void swap_byte_order(std::span<std::byte> elements, DType dtype) {
  const bool complex = kind(dtype) == DTypeKind::complex;
  const auto width = static_cast<std::size_t>(complex ? itemsize(dtype) / 2 : itemsize(dtype));
  // With the width known at compile time these are byte-swap instructions.
  const auto swap = [&]<std::size_t w>(std::integral_constant<std::size_t, w>) {
    for (std::size_t at = 0; at + w <= elements.size(); at += w)
      std::reverse(elements.data() + at, elements.data() + at + w);
  };
  if (width == 2) swap(std::integral_constant<std::size_t, 2>());
  if (width == 4) swap(std::integral_constant<std::size_t, 4>());
  if (width == 8) swap(std::integral_constant<std::size_t, 8>());
}

}  // namespace xp::detail
