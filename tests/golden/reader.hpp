// SPDX-License-Identifier: Apache-2.0
// Reads the golden text files (README.md). Malformed lines are a std::runtime_error with the line's number.
#pragma once

#include <xp/creation.hpp>
#include <xp/io.hpp>

#include <cstddef>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace golden {

/// Elements in C order, little-endian.
struct Value {
  xp::DType dtype = xp::DType::float64;
  xp::Shape shape;
  std::vector<std::byte> bytes;

  xp::Array array(xp::Device device = {}) const {
    xp::Array result = xp::empty(shape, dtype, device);
    result.copy_from_host(bytes.data());
    return result;
  }
};

struct PrintCase {
  int line = 0;
  xp::PrintOptions options;
  Value value;
  std::string str, repr;
};

struct OpCase {
  int line = 0;
  std::string op;                     // NumPy's name; "astype:float32" for casts
  std::vector<std::string> operands;  // names of arrays, or "py:int:3" (weak numbers)
  std::string error;                  // "ShapeError"; empty when there is a result
  Value result;
};

struct OpFile {
  std::map<std::string, Value> arrays;
  std::vector<OpCase> cases;
};

namespace detail {

class Lines {
 public:
  explicit Lines(const std::string& path) : path_(path), file_(path) {
    if (!file_) throw std::runtime_error("cannot open " + path);
  }
  // The next line that is not a comment.
  bool next(std::string& line) {
    while (std::getline(file_, line)) {
      ++number_;
      if (!line.starts_with('#')) return true;
    }
    return false;
  }
  int number() const { return number_; }
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(path_ + ":" + std::to_string(number_) + ": " + what);
  }

 private:
  std::string path_;
  std::ifstream file_;
  int number_ = 0;
};

// "float32 3x4 0000803f..."
inline Value parse_value(std::istream& words, const Lines& lines) {
  std::string dtype, shape, hex;
  if (!(words >> dtype >> shape >> hex)) lines.fail("dtype, shape and bytes expected");
  Value value;
  value.dtype = xp::dtype_from_name(dtype);
  if (shape != "scalar") {
    std::istringstream extents(shape);
    for (std::string extent; std::getline(extents, extent, 'x');) value.shape.push_back(std::stoll(extent));
  }
  if (hex == "-") hex.clear();
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    value.bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  if (static_cast<xp::Index>(value.bytes.size()) != xp::element_count(value.shape) * xp::itemsize(value.dtype))
    lines.fail("number of bytes does not match the shape");
  return value;
}

// "str 2", then two lines that begin with |
inline std::string parse_text(Lines& lines, const std::string& kind) {
  std::string line;
  if (!lines.next(line) || !line.starts_with(kind + " ")) lines.fail("'" + kind + "' expected");
  std::string text;
  const int count = std::stoi(line.substr(kind.size() + 1));
  for (int i = 0; i < count; ++i) {
    if (!lines.next(line) || !line.starts_with('|')) lines.fail("'|' expected");
    text += (i == 0 ? "" : "\n") + line.substr(1);
  }
  return text;
}

}  // namespace detail

inline std::vector<PrintCase> read_print_cases(const std::string& path) {
  detail::Lines lines(path);
  std::vector<PrintCase> cases;
  for (std::string line; lines.next(line);) {
    PrintCase item;
    item.line = lines.number();
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || word != "case") lines.fail("'case' expected");
    while (words >> word) {
      const std::size_t equals = word.find('=');
      const std::string key = word.substr(0, equals);
      const int value = std::stoi(word.substr(equals + 1));
      if (key == "precision")
        item.options.precision = value;
      else if (key == "threshold")
        item.options.threshold = value;
      else if (key == "edgeitems")
        item.options.edgeitems = value;
      else if (key == "linewidth")
        item.options.linewidth = value;
      else if (key == "suppress")
        item.options.suppress = value != 0;
      else
        lines.fail("unknown option " + key);
    }
    if (!lines.next(line)) lines.fail("'data' expected");
    std::istringstream data(line);
    if (!(data >> word) || word != "data") lines.fail("'data' expected");
    item.value = detail::parse_value(data, lines);
    item.str = detail::parse_text(lines, "str");
    item.repr = detail::parse_text(lines, "repr");
    cases.push_back(item);
  }
  return cases;
}

inline OpFile read_operations(const std::string& path) {
  detail::Lines lines(path);
  OpFile file;
  for (std::string line; lines.next(line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "array") {
      words >> word;
      file.arrays[word] = detail::parse_value(words, lines);
      continue;
    }
    if (word != "case") lines.fail("'array' or 'case' expected");
    OpCase item;
    item.line = lines.number();
    words >> item.op;
    while (words >> word && word != "=") item.operands.push_back(word);
    const std::istringstream::pos_type result = words.tellg();
    words >> word;
    if (word == "error") {
      words >> item.error;
    } else {
      words.clear();
      words.seekg(result);
      item.result = detail::parse_value(words, lines);
    }
    file.cases.push_back(item);
  }
  return file;
}

}  // namespace golden
