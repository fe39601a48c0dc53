// SPDX-License-Identifier: Apache-2.0
// JSON as the benchmarks need it: a value tree that is printed and parsed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

class Json {
 public:
  enum class Kind { null, boolean, number, text, list, object };

  Json() = default;
  Json(bool value) : kind_(Kind::boolean), number_(value) {}
  Json(double value) : kind_(Kind::number), number_(value) {}
  Json(int value) : Json(static_cast<double>(value)) {}
  Json(std::int64_t value) : Json(static_cast<double>(value)) {}
  Json(std::uint64_t value) : Json(static_cast<double>(value)) {}
  Json(std::string value) : kind_(Kind::text), text_(std::move(value)) {}
  Json(std::string_view value) : Json(std::string(value)) {}
  Json(const char* value) : Json(std::string(value)) {}

  static Json list() { return Json(Kind::list); }
  static Json object() { return Json(Kind::object); }
  /// Throws std::runtime_error with the byte at which the text stops being JSON.
  static Json parse(std::string_view text);

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::null; }
  double number() const { return number_; }
  const std::string& text() const { return text_; }
  const std::vector<Json>& items() const { return items_; }

  void push_back(Json value) { items_.push_back(std::move(value)); }
  /// Adds a member; members keep the order in which they were added.
  void set(std::string name, Json value) { members_.emplace_back(std::move(name), std::move(value)); }
  /// The member, or null.
  const Json& operator[](std::string_view name) const;

  std::string dump(int indent = 0) const;

 private:
  explicit Json(Kind kind) : kind_(kind) {}

  Kind kind_ = Kind::null;
  double number_ = 0;
  std::string text_;
  std::vector<Json> items_;
  std::vector<std::pair<std::string, Json>> members_;
};

/// Throws std::runtime_error that names the file.
Json read_json(const std::string& path);
void write_json(const std::string& path, const Json& value);

}  // namespace bench
