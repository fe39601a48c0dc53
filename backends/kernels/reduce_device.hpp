// SPDX-License-Identifier: Apache-2.0
// The reduction tree, as on the host: blocks of 4096 = 64 rows x 64 lanes; a lane adds its rows in order, lanes combine
// by halving, blocks combine by the same procedure. Lanes and rows that do not exist are skipped.
#pragma once

#include <cstdint>

#include "kernels/device_device.hpp"

namespace xp::kernels {

inline constexpr int reduce_lanes = 64;
inline constexpr int reduce_rows = 64;
inline constexpr int reduce_block = reduce_rows * reduce_lanes;

/// Whether sums of this accumulator dtype exist.
bool has_sum(int dtype);

/// results[b] = the sum of block b of `count` contiguous elements; one element, 0, if there are none.
void sum_blocks(const char* label, const Space& space, int multiprocessors, int dtype, const void* from,
                std::int64_t count, void* results);

/// Combines `count` block results into one, written to `out`; `results` and the bytes after it are overwritten.
void combine_blocks(const char* label, const Space& space, int multiprocessors, int dtype, char* results,
                    std::int64_t count, void* out);

/// Bytes for the results of `blocks` blocks and for combining them.
std::size_t combine_bytes(std::int64_t blocks, int dtype);

}  // namespace xp::kernels
