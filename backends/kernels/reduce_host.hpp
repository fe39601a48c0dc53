// SPDX-License-Identifier: Apache-2.0
// The reduction tree (docs: one order of operations, whatever the layout, the threads or the instruction set): blocks
// of 4096 = 64 rows x 64 lanes; a lane adds its rows in order, lanes combine by halving, blocks combine by the same
// procedure. Lanes and rows that do not exist are skipped.
#pragma once

#include <cstddef>
#include <cstdint>

#include "xp/backend.h"

namespace xp::kernels {

inline constexpr std::int64_t reduce_lanes = 64;
inline constexpr std::int64_t reduce_block = 64 * reduce_lanes;

/// A reduction over one accumulator dtype.
struct Reducer {
  std::size_t size;  // of the accumulator's dtype
  /// Adds `count` elements, the first of which belongs to lane 0, to 64 lanes; the first rows of a block start them.
  void (*rows)(void* lanes, const void* elements, std::int64_t count, bool first);
  /// Combines the first `count` lanes into lanes[0].
  void (*finish)(void* lanes, std::int64_t count);
  /// The result of one block of `count` <= 4096 elements.
  void (*block)(void* result, const void* elements, std::int64_t count);
};

/// Null where there is none for this dtype.
const Reducer* sum_reducer(int dtype);

/// Combines `count` block results in place; the result is results[0].
inline void combine(const Reducer& reducer, char* results, std::int64_t count) {
  while (count > 1) {
    const std::int64_t blocks = (count + reduce_block - 1) / reduce_block;
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::int64_t begin = b * reduce_block, rest = count - begin;
      reducer.block(results + b * reducer.size, results + begin * reducer.size,
                    rest < reduce_block ? rest : reduce_block);
    }
    count = blocks;
  }
}

}  // namespace xp::kernels
