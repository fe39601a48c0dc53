// SPDX-License-Identifier: Apache-2.0
#include "xp_bench_json.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace bench {

namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char digits[] = "0123456789abcdef";
      result += "\\u00";
      result += digits[c >> 4];
      result += digits[c & 15];
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string number_text(double value) {
  if (!std::isfinite(value)) return "null";  // JSON has no infinities
  char buffer[32];
  // Counts and sizes as integers, not as 1e+08.
  const bool integral = value == std::floor(value) && std::fabs(value) < 9e15;
  const auto end = integral ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<std::int64_t>(value))
                            : std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, end.ptr);
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Json document() {
    Json result = value(0);
    skip_space();
    if (at_ != text_.size()) fail("text after the end");
    return result;
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw std::runtime_error(std::string("JSON: ") + what + " at byte " + std::to_string(at_));
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c, const char* what) {
    if (!take(c)) fail(what);
  }
  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  Json value(int depth) {
    if (depth > 64) fail("nested too deeply");
    switch (peek()) {
      case '{':
        return object(depth);
      case '[':
        return list(depth);
      case '"':
        return Json(string());
      default:
        break;
    }
    if (take_word("true")) return Json(true);
    if (take_word("false")) return Json(false);
    // Python writes NaN where a peer had nothing to report.
    if (take_word("null") || take_word("NaN")) return Json();
    double number = 0;
    const char* begin = text_.data() + at_;
    const auto end = std::from_chars(begin, text_.data() + text_.size(), number);
    if (end.ec != std::errc()) fail("expected a value");
    at_ += static_cast<std::size_t>(end.ptr - begin);
    return Json(number);
  }
  Json object(int depth) {
    expect('{', "expected '{'");
    Json result = Json::object();
    if (take('}')) return result;
    do {
      if (peek() != '"') fail("expected a member name");
      std::string name = string();
      expect(':', "expected ':'");
      result.set(std::move(name), value(depth + 1));
    } while (take(','));
    expect('}', "expected ',' or '}'");
    return result;
  }
  Json list(int depth) {
    expect('[', "expected '['");
    Json result = Json::list();
    if (take(']')) return result;
    do result.push_back(value(depth + 1));
    while (take(','));
    expect(']', "expected ',' or ']'");
    return result;
  }
  std::string string() {
    expect('"', "expected '\"'");
    std::string result;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        result += text_[at_++];
        continue;
      }
      if (++at_ == text_.size()) break;
      const char c = text_[at_++];
      switch (c) {
        case 'n':
          result += '\n';
          break;
        case 't':
          result += '\t';
          break;
        case 'r':
          result += '\r';
          break;
        case 'b':
          result += '\b';
          break;
        case 'f':
          result += '\f';
          break;
        case 'u': {
          unsigned code = 0;
          const char* begin = text_.data() + at_;
          if (at_ + 4 > text_.size() || std::from_chars(begin, begin + 4, code, 16).ptr != begin + 4)
            fail("bad \\u escape");
          at_ += 4;
          // No name or figure that is compared needs more than ASCII.
          result += code < 0x80 ? static_cast<char>(code) : '?';
          break;
        }
        default:
          result += c;
      }
    }
    if (at_ == text_.size()) fail("unterminated string");
    ++at_;
    return result;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Json Json::parse(std::string_view text) { return Parser(text).document(); }

const Json& Json::operator[](std::string_view name) const {
  static const Json nothing;
  for (const auto& [key, value] : members_)
    if (key == name) return value;
  return nothing;
}

std::string Json::dump(int indent) const {
  switch (kind_) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return number_ != 0 ? "true" : "false";
    case Kind::number:
      return number_text(number_);
    case Kind::text:
      return quoted(text_);
    default:
      break;
  }
  const bool is_list = kind_ == Kind::list;
  if (is_list ? items_.empty() : members_.empty()) return is_list ? "[]" : "{}";
  const std::string inner(static_cast<std::size_t>(indent + 2), ' ');
  std::string result(1, is_list ? '[' : '{');
  bool first = true;
  const auto separate = [&] {
    result += first ? "\n" : ",\n";
    result += inner;
    first = false;
  };
  for (const Json& item : items_) {
    separate();
    result += item.dump(indent + 2);
  }
  for (const auto& [name, value] : members_) {
    separate();
    result += quoted(name) + ": " + value.dump(indent + 2);
  }
  result += '\n' + std::string(static_cast<std::size_t>(indent), ' ');
  return result + (is_list ? ']' : '}');
}

Json read_json(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) throw std::runtime_error(path + ": cannot be read");
  try {
    return Json::parse(text.str());
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(path + ": " + error.what());
  }
}

void write_json(const std::string& path, const Json& value) {
  std::ofstream file(path, std::ios::binary);
  file << value.dump() << '\n';
  file.close();
  if (!file) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace bench
