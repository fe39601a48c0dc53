// SPDX-License-Identifier: Apache-2.0
#include "kernels/gather_host.hpp"

#include <array>
#include <utility>

namespace xp::kernels {
namespace {

// Operands may have any alignment that their dtype has; elements never alias slots.

template <int width, int dtype>
void fetch(void* slots, const void* from, const Block& block) {
  using T = Storage<dtype>;
  using S = SlotType<width, dtype>;
  S* __restrict to = static_cast<S*>(slots);
  const T* row = static_cast<const T*>(from);
  const std::int64_t inner = block.inner, stride = block.inner_stride;
  for (std::int64_t o = 0; o < block.outer; ++o, row += block.outer_stride, to += inner) {
    const T* __restrict source = row;
    if (stride == 1)
      for (std::int64_t i = 0; i < inner; ++i) to[i] = to_slot<S>(source[i]);
    else
      for (std::int64_t i = 0; i < inner; ++i) to[i] = to_slot<S>(source[i * stride]);
  }
}

template <int width, int dtype>
void spread(void* to, const void* slots, const Block& block) {
  using T = Storage<dtype>;
  using S = SlotType<width, dtype>;
  T* row = static_cast<T*>(to);
  const S* __restrict from = static_cast<const S*>(slots);
  const std::int64_t inner = block.inner, stride = block.inner_stride;
  for (std::int64_t o = 0; o < block.outer; ++o, row += block.outer_stride, from += inner) {
    T* __restrict target = row;
    if (stride == 1)
      for (std::int64_t i = 0; i < inner; ++i) target[i] = from_slot<T>(from[i]);
    else
      for (std::int64_t i = 0; i < inner; ++i) target[i * stride] = from_slot<T>(from[i]);
  }
}

template <int width>
struct Widths {
  std::array<Fetch, XP_DTYPE_COUNT> fetches{};
  std::array<Spread, XP_DTYPE_COUNT> spreads{};
};

template <int width, int dtype>
constexpr void set(Widths<width>& table) {
  if constexpr (has_slot(width, dtype)) {
    table.fetches[dtype] = fetch<width, dtype>;
    table.spreads[dtype] = spread<width, dtype>;
  }
}

template <int width, int... dtypes>
constexpr Widths<width> make(std::integer_sequence<int, dtypes...>) {
  Widths<width> table;
  (set<width, dtypes>(table), ...);
  return table;
}

template <int width>
constexpr Widths<width> table = make<width>(std::make_integer_sequence<int, XP_DTYPE_COUNT>{});

}  // namespace

Fetch fetch_for(int width, int dtype) {
  switch (width) {
    case 32:
      return table<32>.fetches[dtype];
    case 64:
      return table<64>.fetches[dtype];
    case 128:
      return table<128>.fetches[dtype];
    default:
      return nullptr;
  }
}

Spread spread_for(int width, int dtype) {
  switch (width) {
    case 32:
      return table<32>.spreads[dtype];
    case 64:
      return table<64>.spreads[dtype];
    case 128:
      return table<128>.spreads[dtype];
    default:
      return nullptr;
  }
}

}  // namespace xp::kernels
