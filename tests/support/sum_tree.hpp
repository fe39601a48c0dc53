// SPDX-License-Identifier: Apache-2.0
// The documented order of additions of a sum (DESIGN section 5), as its definition reads: recursively.
#pragma once

#include <algorithm>
#include <vector>

#include "support/oracle.hpp"
#include "support/scalar_arithmetic.hpp"

namespace oracle {

/// Sum of one block of at most 64 rows of 64 lanes.
template <class T>
class SumBlock {
 public:
  SumBlock(const T* values, Index count) : values_(values), count_(count) {}
  T total() const { return combined(0, 1); }

 private:
  // What lane `l` holds when lanes have been halved down to `width`.
  T combined(Index l, Index width) const {
    if (width == 64) {
      T lane = values_[l];
      for (Index i = l + 64; i < count_; i += 64) lane = arithmetic<Op::add>(lane, values_[i]);
      return lane;
    }
    const T left = combined(l, 2 * width);
    return l + width < count_ ? arithmetic<Op::add>(left, combined(l + width, 2 * width)) : left;
  }
  const T* values_;
  Index count_;
};

template <class T>
T tree_sum(const T* values, Index count) {
  if (count == 0) return T{};
  if (count == 1) return values[0];
  std::vector<T> blocks;
  for (Index i = 0; i < count; i += 4096)
    blocks.push_back(SumBlock<T>(values + i, std::min<Index>(4096, count - i)).total());
  return tree_sum(blocks.data(), static_cast<Index>(blocks.size()));
}

/// dtype in which a sum accumulates, and that of its result.
inline DType sum_accumulator(DType dtype) {
  if (dtype <= DType::int64) return DType::int64;
  if (dtype <= DType::uint64) return DType::uint64;
  return dtype <= DType::bfloat16 ? DType::float32 : dtype;
}
inline DType sum_result(DType dtype) { return dtype >= DType::float16 ? dtype : sum_accumulator(dtype); }

/// Sum of elements in C order.
inline Buffer sum(const Buffer& values) {
  const Buffer wide = cast(values, sum_accumulator(values.dtype));
  Buffer result(wide.dtype, 1);
  visit(wide.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!is_bool<T> && !is_half<T>) result.data<T>()[0] = tree_sum(wide.data<T>(), wide.count);
  });
  return cast(result, sum_result(values.dtype));
}

}  // namespace oracle
