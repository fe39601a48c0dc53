// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce_device.hpp"

#include <algorithm>

#include "kernels/launch_device.hpp"
#include "kernels/memory_device.hpp"

namespace xp::kernels {
namespace {

using Bounds = Kokkos::LaunchBounds<is_host_space ? 0 : full_team, is_host_space ? 0 : 4>;
using Member = Policy<Bounds>::member_type;

/// Rows that a thread has in flight; its additions stay in order.
template <class T>
inline constexpr int rows_in_flight = sizeof(T) == 16 ? 8 : 16;

/// Sums of blocks of contiguous elements.
template <class T>
struct SumKernel {
  static constexpr int batch = rows_in_flight<T>;

  const char* from;
  char* results;
  std::int64_t count;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int rank = team.team_rank(), size = team.team_size();
    const int blocks = size > reduce_lanes ? size / reduce_lanes : 1;
    T* lanes = static_cast<T*>(team.team_scratch(0).get_shmem_aligned(scratch_bytes(size), 16));
    const std::int64_t first_block = static_cast<std::int64_t>(team.league_rank()) * blocks;
    for (int at = rank; at < blocks * reduce_lanes; at += size)
      lanes[at] = lane_sum((first_block + at / reduce_lanes) * reduce_block, at % reduce_lanes);
    for (int half = reduce_lanes / 2; half > 0; half /= 2) {
      team.team_barrier();
      for (int at = rank; at < blocks * half; at += size) {
        const int block = at / half, lane = at % half;
        const std::int64_t rest = count - (first_block + block) * reduce_block;
        T* block_lanes = lanes + block * reduce_lanes;
        if (lane + half < (rest < 2 * half ? static_cast<int>(rest) : 2 * half))
          block_lanes[lane] = Add::apply(block_lanes[lane], block_lanes[lane + half]);
      }
    }
    team.team_barrier();
    for (int block = rank; block < blocks; block += size) {
      const std::int64_t result = first_block + block;
      if (result * reduce_block < count || result == 0)
        write<T>(results + result * static_cast<std::int64_t>(sizeof(T)), lanes[block * reduce_lanes]);
    }
  }

  KOKKOS_INLINE_FUNCTION static constexpr std::size_t scratch_bytes(int team) {
    return static_cast<std::size_t>(team > reduce_lanes ? team : reduce_lanes) * sizeof(T);
  }

 private:
  KOKKOS_INLINE_FUNCTION T lane_sum(std::int64_t base, int lane) const {
    constexpr std::int64_t row_bytes = reduce_lanes * static_cast<std::int64_t>(sizeof(T));
    const std::int64_t rest = count - base - lane;
    if (rest <= 0) return T{};
    const char* at = from + (base + lane) * static_cast<std::int64_t>(sizeof(T));
    T sum = read<T>(at);
    if (rest > reduce_block - reduce_lanes) {
      // All rows: the first batch has one of them already.
      T values[batch];
      XP_UNROLL
      for (int i = 1; i < batch; ++i) values[i] = read<T>(at + i * row_bytes);
      XP_UNROLL
      for (int i = 1; i < batch; ++i) sum = Add::apply(sum, values[i]);
      for (int row = batch; row < reduce_rows; row += batch) {
        at += batch * row_bytes;
        XP_UNROLL
        for (int i = 0; i < batch; ++i) values[i] = read<T>(at + i * row_bytes);
        XP_UNROLL
        for (int i = 0; i < batch; ++i) sum = Add::apply(sum, values[i]);
      }
      return sum;
    }
    const int rows = static_cast<int>((rest + reduce_lanes - 1) / reduce_lanes);
    for (int row = 1; row < rows; ++row) sum = Add::apply(sum, read<T>(at + row * row_bytes));
    return sum;
  }
};

template <class T>
void sum_blocks_of(const char* label, const Space& space, int multiprocessors, const void* from, std::int64_t count,
                   void* results) {
  const std::int64_t blocks = std::max<std::int64_t>(1, (count + reduce_block - 1) / reduce_block);
  // Few blocks are spread over as many multiprocessors as there are.
  const int team = is_host_space || blocks >= std::int64_t{8} * multiprocessors ? full_team : reduce_lanes;
  const int per_team = std::max(1, team / reduce_lanes);
  launch_teams<Bounds>(label, space, (blocks + per_team - 1) / per_team, team, SumKernel<T>::scratch_bytes(team) + 16,
                       SumKernel<T>{static_cast<const char*>(from), static_cast<char*>(results), count});
}

}  // namespace

bool has_sum(int dtype) {
  return dtype == XP_INT64 || dtype == XP_UINT64 || (dtype >= XP_FLOAT32 && dtype <= XP_COMPLEX128);
}

void sum_blocks(const char* label, const Space& space, int multiprocessors, int dtype, const void* from,
                std::int64_t count, void* results) {
  switch (dtype) {
    case XP_FLOAT32:
      return sum_blocks_of<float>(label, space, multiprocessors, from, count, results);
    case XP_FLOAT64:
      return sum_blocks_of<double>(label, space, multiprocessors, from, count, results);
    case XP_COMPLEX64:
      return sum_blocks_of<Complex<float>>(label, space, multiprocessors, from, count, results);
    case XP_COMPLEX128:
      return sum_blocks_of<Complex<double>>(label, space, multiprocessors, from, count, results);
    default:
      return sum_blocks_of<std::uint64_t>(label, space, multiprocessors, from, count, results);
  }
}

std::size_t combine_bytes(std::int64_t blocks, int dtype) {
  std::int64_t results = blocks;
  for (std::int64_t count = blocks; count > 1; results += count) count = (count + reduce_block - 1) / reduce_block;
  return static_cast<std::size_t>(results) * dtype_sizes[dtype];
}

void combine_blocks(const char* label, const Space& space, int multiprocessors, int dtype, char* results,
                    std::int64_t count, void* out) {
  for (;;) {
    const std::int64_t blocks = (count + reduce_block - 1) / reduce_block;
    char* next = results + count * dtype_sizes[dtype];
    sum_blocks(label, space, multiprocessors, dtype, results, count, blocks == 1 ? out : next);
    if (blocks == 1) return;
    results = next;
    count = blocks;
  }
}

}  // namespace xp::kernels
