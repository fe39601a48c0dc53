// SPDX-License-Identifier: Apache-2.0
// Arrays of given elements in every layout that views can have, with the host's picture of the whole storage.
#pragma once

#include "support/values.hpp"

namespace xp_test {

using xp::Index;

enum class Layout { c, f, sliced, reversed, stepped, broadcast, transposed, offset };
inline constexpr Layout layouts[] = {Layout::c,       Layout::f,         Layout::sliced,     Layout::reversed,
                                     Layout::stepped, Layout::broadcast, Layout::transposed, Layout::offset};

inline const char* name(Layout layout) {
  constexpr const char* names[] = {"C", "F", "sliced", "reversed", "stepped", "broadcast", "transposed", "offset"};
  return names[static_cast<int>(layout)];
}

struct LaidOut {
  xp::Array base;         // all of the storage
  xp::Array array;        // the view of it
  oracle::View view;      // the same on the host
  oracle::Buffer values;  // the view's elements in C order

  /// Whether the storage holds what the host's does: the view's elements and, untouched, all others.
  testing::AssertionResult storage_matches() const { return oracle::equal(base, *view.storage); }
};

/// A view of `shape` whose elements are `values` (for a broadcast one, those that survive repetition).
inline LaidOut lay_out(const oracle::Buffer& values, const oracle::Extents& shape, Layout layout, xp::Device device,
                       oracle::Rng& rng) {
  using oracle::Extents;
  const std::size_t ndim = shape.size();
  Extents base = shape, start(ndim, 0), step(ndim, 1), axes;
  const std::size_t repeated = ndim == 0 ? 0 : static_cast<std::size_t>(rng.below(static_cast<Index>(ndim)));
  std::vector<xp::IndexItem> items;
  for (std::size_t d = 0; d < ndim; ++d) {
    switch (layout) {
      case Layout::sliced:
        base[d] = shape[d] + 3;
        start[d] = 1;
        items.emplace_back(xp::slice(1, 1 + shape[d]));
        break;
      case Layout::reversed:
        start[d] = std::max<Index>(shape[d] - 1, 0);
        step[d] = -1;
        items.emplace_back(xp::slice(xp::none, xp::none, -1));
        break;
      case Layout::stepped:
        step[d] = d + 1 == ndim ? 3 : 2;
        base[d] = step[d] * shape[d] + 1;
        start[d] = 1;
        items.emplace_back(xp::slice(1, xp::none, step[d]));
        break;
      case Layout::broadcast:
        if (d == repeated) base[d] = 1;
        break;
      case Layout::f:
        base[d] = shape[ndim - 1 - d];
        break;
      case Layout::transposed:
        base[d] = shape[(d + 1) % ndim];
        break;
      default:
        break;
    }
  }
  if (layout == Layout::offset) base = Extents(1, oracle::product(shape) + 8);

  LaidOut result;
  result.view = oracle::View::of(oracle::random_buffer(values.dtype, oracle::product(base), rng), base);
  oracle::View& view = result.view;
  result.base = oracle::upload(*view.storage, xp::Shape(base), device);
  switch (layout) {
    case Layout::f:
      view = view.transpose();
      result.array = result.base.T();
      break;
    case Layout::transposed:
      for (std::size_t d = 0; d < ndim; ++d) axes.push_back(static_cast<Index>((d + ndim - 1) % ndim));
      view = view.transpose(axes);
      result.array = result.base.transpose(xp::Shape(axes));
      break;
    case Layout::broadcast:
      view = view.broadcast_to(shape);
      result.array = result.base.broadcast_to(xp::Shape(shape));
      break;
    case Layout::offset:
      view = {view.storage, 5, shape, oracle::c_strides(shape)};
      result.array = result.base(xp::slice(5, 5 + oracle::product(shape))).reshape(xp::Shape(shape));
      break;
    default:
      for (std::size_t d = 0; d < ndim; ++d) {
        view.offset += start[d] * view.strides[d];
        view.strides[d] *= step[d];
        view.shape[d] = shape[d];
      }
      result.array = result.base.index(items);
  }
  view.scatter(values);
  result.values = view.gather();
  result.base.copy_from_host(view.storage->bytes.data());
  return result;
}

/// Shapes with about n elements: {n} among them, and where n allows it two and three dimensions.
inline std::vector<oracle::Extents> shapes_of(Index n) {
  switch (n) {
    case 0:
      return {{0}, {0, 3}, {2, 0, 3}};
    case 1:
      return {{1}, {1, 1}, {}};
    case 31:
      return {{31}, {1, 31}, {31, 1, 1}};
    case 33:
      return {{33}, {3, 11}, {11, 1, 3}};
    case 1023:
      return {{1023}, {33, 31}, {11, 3, 31}};
    case 1025:
      return {{1025}, {25, 41}, {5, 5, 41}};
    case 100003:
      return {{100003}, {313, 321}, {46, 47, 47}};
    default:
      return {{n}};
  }
}

inline constexpr Index sizes[] = {0, 1, 31, 33, 1023, 1025, 100003};

inline constexpr oracle::DType all_dtypes[] = {xp::bool_,    xp::int8,    xp::int16,   xp::int32,     xp::int64,
                                               xp::uint8,    xp::uint16,  xp::uint32,  xp::uint64,    xp::float16,
                                               xp::bfloat16, xp::float32, xp::float64, xp::complex64, xp::complex128};

}  // namespace xp_test
