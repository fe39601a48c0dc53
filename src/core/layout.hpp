// SPDX-License-Identifier: Apache-2.0
// Shape and stride algebra: pure functions, no storage.
#pragma once

#include <xp/shape.hpp>

#include <span>
#include <vector>

namespace xp::detail {

/// Strides of a C-ordered array.
Shape contiguous_strides(const Shape& shape);

/// Whether elements lie in C order without gaps; extents of 1 do not matter, an array without elements does.
bool is_contiguous(const Shape& shape, const Shape& strides);

/// Strides with which an array broadcasts to `shape`: 0 for repeated axes. The shapes are known to broadcast.
Shape broadcast_strides(const Shape& from, const Shape& strides, const Shape& shape);

/// Strides of a dense array of `shape` whose axes lie in memory in the same order as those of the strides given.
Shape strides_in_order_of(const Shape& shape, const Shape& model);

/// Whether two indices may name one element. Exact for what slicing, transposing and broadcasting make.
bool is_injective(const Shape& shape, const Shape& strides);

/// Least and greatest element offset of a view relative to its first element.
struct Extent {
  Index low = 0, high = 0;
};
Extent extent_of(const Shape& shape, const Shape& strides);

/// A view by addresses.
struct ByteView {
  std::intptr_t address;
  Index itemsize;
  const Shape* shape;
  const Shape* strides;  // in elements
};

/// Whether the two views have a byte in common: exact as far as a bounded search goes, true beyond.
bool overlaps(const ByteView& a, const ByteView& b);

/// Result of a basic index on a view.
struct IndexedView {
  Shape shape, strides;
  Index offset = 0;  // to add, in elements
};
IndexedView apply_index(const Shape& shape, const Shape& strides, std::span<const IndexItem> items);

/// Strides of a reshape that needs no copy. False when there are none.
bool reshape_strides(const Shape& shape, const Shape& strides, const Shape& to, Shape& result);

/// Fills in one extent of -1. ShapeError with NumPy's words when it does not fit.
Shape resolve_reshape(Index size, const Shape& to);

/// Counts up an index in C order; false after the last one.
bool advance(std::vector<Index>& index, const Shape& shape);

}  // namespace xp::detail
