// SPDX-License-Identifier: Apache-2.0
// Shapes (also strides and axes), and the parts of a basic index.
#pragma once

#include <xp/dtype.hpp>

#include <concepts>
#include <cstddef>
#include <cstring>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace [[gnu::visibility("default")]] xp {

/// A short list of extents, strides or axes. Up to four are kept in place, so that small arrays cost no allocation.
class Shape {
 public:
  static constexpr std::size_t inline_capacity = 4;

  Shape() noexcept : size_(0), capacity_(inline_capacity) {}
  /// `xp::zeros(10)`, `xp::zeros({rows, 3})`; integers of any type.
  template <std::integral... I>
  requires(sizeof...(I) > 0) Shape(I... extents) : Shape() {
    resize_uninitialized(sizeof...(I));
    Index* target = data();
    ((*target++ = static_cast<Index>(extents)), ...);
  }
  Shape(const std::vector<Index>& values) : Shape(values.data(), values.size()) {}
  explicit Shape(std::span<const Index> values) : Shape(values.data(), values.size()) {}
  Shape(const Index* values, std::size_t count) : Shape() {
    resize_uninitialized(count);
    if (count != 0) std::memcpy(data(), values, count * sizeof(Index));
  }
  /// `count` times `value`.
  static Shape filled(std::size_t count, Index value) {
    Shape result;
    result.resize_uninitialized(count);
    for (Index& extent : result) extent = value;
    return result;
  }

  Shape(const Shape& other) : Shape() {
    if (other.capacity_ == inline_capacity)
      copy_inline(other);
    else
      copy_from(other);
  }
  Shape(Shape&& other) noexcept : size_(other.size_), capacity_(other.capacity_) { steal(other); }
  Shape& operator=(const Shape& other) {
    if (capacity_ == inline_capacity && other.capacity_ == inline_capacity)
      copy_inline(other);
    else if (this != &other)
      copy_from(other);
    return *this;
  }
  Shape& operator=(Shape&& other) noexcept {
    if (this != &other) {
      if (capacity_ > inline_capacity) delete[] heap_;
      size_ = other.size_;
      capacity_ = other.capacity_;
      steal(other);
    }
    return *this;
  }
  ~Shape() {
    if (capacity_ > inline_capacity) delete[] heap_;
  }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  Index* data() noexcept { return capacity_ > inline_capacity ? heap_ : inline_; }
  const Index* data() const noexcept { return capacity_ > inline_capacity ? heap_ : inline_; }
  Index& operator[](std::size_t i) noexcept { return data()[i]; }
  Index operator[](std::size_t i) const noexcept { return data()[i]; }
  Index* begin() noexcept { return data(); }
  Index* end() noexcept { return data() + size_; }
  const Index* begin() const noexcept { return data(); }
  const Index* end() const noexcept { return data() + size_; }
  Index back() const noexcept { return data()[size_ - 1]; }

  void push_back(Index value) {
    const std::size_t count = size_;
    resize_uninitialized(count + 1);
    data()[count] = value;
  }
  void clear() noexcept { size_ = 0; }
  /// Keeps the first elements; new ones are uninitialised.
  void resize_uninitialized(std::size_t count) {
    if (count > capacity_) grow(count);
    size_ = static_cast<std::uint32_t>(count);
  }

  friend bool operator==(const Shape& a, const Shape& b) noexcept {
    if (a.size_ != b.size_) return false;
    const Index *p = a.data(), *q = b.data();
    for (std::size_t i = 0; i < a.size_; ++i)
      if (p[i] != q[i]) return false;
    return true;
  }

 private:
  // All four, whether in use or not: five moves without a loop.
  void copy_inline(const Shape& other) noexcept {
    size_ = other.size_;
    for (std::size_t i = 0; i < inline_capacity; ++i) inline_[i] = other.inline_[i];
  }
  void copy_from(const Shape& other) {
    resize_uninitialized(other.size_);
    const Index* from = other.data();
    Index* to = data();
    for (std::size_t i = 0; i < other.size_; ++i) to[i] = from[i];
  }
  void steal(Shape& other) noexcept {
    if (capacity_ > inline_capacity) {
      heap_ = other.heap_;
      other.capacity_ = inline_capacity;
      other.size_ = 0;
    } else {
      copy_inline(other);
    }
  }
  void grow(std::size_t count);

  std::uint32_t size_;
  std::uint32_t capacity_;
  union {
    Index inline_[inline_capacity] = {};
    Index* heap_;
  };
};

/// As NumPy writes shapes in messages: "(3,4)", "(3,)", "()".
std::string to_string(const Shape& shape);
std::ostream& operator<<(std::ostream& stream, const Shape& shape);

/// Product of the extents. ShapeError when negative extents are given or the product exceeds 64 bits.
Index element_count(const Shape& shape);

/// Shape that arrays of the two shapes broadcast to. ShapeError with both shapes when they do not.
Shape broadcast_shapes(const Shape& a, const Shape& b);

/// Python's slice: `slice(stop)`, `slice(start, stop)`, `slice(start, stop, step)`; `{}` or `xp::none` leaves a part
/// out.
struct Slice {
  std::optional<Index> start, stop;
  Index step = 1;
};
inline constexpr std::nullopt_t none = std::nullopt;
inline Slice slice(std::optional<Index> stop) { return {std::nullopt, stop, 1}; }
inline Slice slice(std::optional<Index> start, std::optional<Index> stop, Index step = 1) {
  return {start, stop, step};
}

struct AllType {};
struct EllipsisType {};
struct NewAxisType {};
/// `:` — a whole axis.
inline constexpr AllType all{};
/// `...` — as many whole axes as are needed.
inline constexpr EllipsisType ellipsis{};
/// `None` — a new axis of extent 1.
inline constexpr NewAxisType newaxis{};

/// One part of a basic index: integer, slice, all, ellipsis or newaxis.
class IndexItem {
 public:
  enum class Kind : std::uint8_t { integer, slice, dots, new_axis };
  template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) IndexItem(T value)
      : kind_(Kind::integer), integer_(static_cast<Index>(value)) {}
  IndexItem(Slice slice) : kind_(Kind::slice), slice_(slice) {}
  IndexItem(AllType) : kind_(Kind::slice) {}
  IndexItem(EllipsisType) : kind_(Kind::dots) {}
  IndexItem(NewAxisType) : kind_(Kind::new_axis) {}
  Kind kind() const { return kind_; }
  Index integer() const { return integer_; }
  const Slice& slice() const { return slice_; }

 private:
  Kind kind_;
  Index integer_ = 0;
  Slice slice_;
};

}  // namespace gnu::visibility("default")]]xp
