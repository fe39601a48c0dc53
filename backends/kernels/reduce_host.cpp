// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce_host.hpp"

#include <algorithm>

#include "kernels/simd_host.hpp"
#include "kernels/types.hpp"

namespace xp::kernels {
namespace {

/// S is the scalar added, `parts` of which are one element: a complex lane is two scalar lanes.
template <class S, int parts>
struct Sum {
  static constexpr int lanes = static_cast<int>(reduce_lanes) * parts;
  using V = Vector<S>;
  static constexpr int vector_lanes = vector_bytes / static_cast<int>(sizeof(S));
  /// Vectors that stay in registers at a time; lanes do not depend on each other, so that a group may do all its rows
  /// first.
  static constexpr int group = std::min(8, lanes / vector_lanes);

  static void add_rows(S* acc, const S* from, std::int64_t rows, bool first) {
    for (int lane = 0; lane < lanes; lane += group * vector_lanes) {
      V sum[group];
      const S* row = from + lane;
      std::int64_t r = 0;
      if (first) {
        for (int v = 0; v < group; ++v) sum[v] = load_vector<V>(row + v * vector_lanes);
        r = 1;
        row += lanes;
      } else {
        for (int v = 0; v < group; ++v) sum[v] = load_vector<V>(acc + lane + v * vector_lanes);
      }
      for (; r < rows; ++r, row += lanes)
        for (int v = 0; v < group; ++v) sum[v] += load_vector<V>(row + v * vector_lanes);
      for (int v = 0; v < group; ++v) store_vector(acc + lane + v * vector_lanes, sum[v]);
    }
  }

  static void rows(void* lanes_, const void* elements, std::int64_t count, bool first) {
    S* acc = static_cast<S*>(lanes_);
    const S* from = static_cast<const S*>(elements);
    const std::int64_t full = count / reduce_lanes;
    if (full > 0) add_rows(acc, from, full, first);
    const std::int64_t rest = (count - full * reduce_lanes) * parts;
    from += full * lanes;
    if (first && full == 0)
      for (std::int64_t i = 0; i < rest; ++i) acc[i] = from[i];
    else
      for (std::int64_t i = 0; i < rest; ++i) acc[i] += from[i];
  }

  static void finish(void* lanes_, std::int64_t count) {
    S* acc = static_cast<S*>(lanes_);
    if (count == reduce_lanes) {
      halve<lanes / 2>(acc);
    } else {
      std::int64_t alive = count * parts;
      for (std::int64_t half = lanes / 2; half >= parts; half /= 2) {
        for (std::int64_t i = 0; i + half < alive; ++i) acc[i] += acc[i + half];
        alive = std::min(alive, half);
      }
    }
  }

  template <int half>
  static void halve(S* acc) {
    for (int i = 0; i < half; ++i) acc[i] += acc[i + half];
    if constexpr (half > parts) halve<half / 2>(acc);
  }

  static void block(void* result, const void* elements, std::int64_t count) {
    alignas(64) S acc[lanes];
    rows(acc, elements, count, true);
    finish(acc, std::min(count, reduce_lanes));
    std::copy_n(acc, parts, static_cast<S*>(result));
  }

  static constexpr Reducer reducer{sizeof(S) * parts, rows, finish, block};
};

}  // namespace

const Reducer* sum_reducer(int dtype) {
  switch (dtype) {
    case XP_INT64:
    case XP_UINT64:
      return &Sum<std::uint64_t, 1>::reducer;
    case XP_FLOAT32:
      return &Sum<float, 1>::reducer;
    case XP_FLOAT64:
      return &Sum<double, 1>::reducer;
    case XP_COMPLEX64:
      return &Sum<float, 2>::reducer;
    case XP_COMPLEX128:
      return &Sum<double, 2>::reducer;
    default:
      return nullptr;
  }
}

}  // namespace xp::kernels
