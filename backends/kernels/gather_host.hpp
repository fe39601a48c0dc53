// SPDX-License-Identifier: Apache-2.0
// Moving elements between memory of any dtype and stride and contiguous slots.
#pragma once

#include <cstdint>

#include "kernels/types.hpp"

namespace xp::kernels {

/// A block of `outer` rows of `inner` elements; strides in elements. The other side is contiguous.
struct Block {
  std::int64_t inner, inner_stride, outer, outer_stride;
};

/// Slots from memory of one dtype.
using Fetch = void (*)(void* slots, const void* from, const Block&);
/// Memory of one dtype from slots.
using Spread = void (*)(void* to, const void* slots, const Block&);
/// Contiguous elements from one dtype to another.
using Convert = void (*)(void* to, const void* from, std::int64_t count);
/// A block of elements of one size; the sides do not overlap, or `to` is `from`.
struct Sides {
  std::int64_t to_inner, to_outer, from_inner, from_outer;  // strides in elements
};
using Copy = void (*)(void* to, const void* from, const Sides&, std::int64_t inner, std::int64_t outer);

/// Null where the width has no slot for the dtype.
Fetch fetch_for(int width, int dtype);
Spread spread_for(int width, int dtype);
Convert convert_for(int from, int to);
Copy copy_for(int element_size);

}  // namespace xp::kernels
