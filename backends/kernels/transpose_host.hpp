// SPDX-License-Identifier: Apache-2.0
// Transposition of blocks of slots.
#pragma once

#include "kernels/simd_host.hpp"

namespace xp::kernels {

/// A square of vectors, in registers: one stage of exchanges for each bit of the lane number.
template <class T, int lanes>
[[gnu::always_inline]] inline void transpose_square(Vector<T> (&v)[lanes]) {
  using Order = Vector<Signed<T>>;
#pragma GCC unroll 8
  for (int h = lanes / 2; h > 0; h /= 2) {
    Order low, high;
    for (int j = 0; j < lanes; ++j) {
      low[j] = (j & h) == 0 ? j : lanes + j - h;
      high[j] = (j & h) == 0 ? j + h : lanes + j;
    }
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i) {
      if (i & h) continue;
      const Vector<T> a = v[i], b = v[i + h];
      v[i] = __builtin_shuffle(a, b, low);
      v[i + h] = __builtin_shuffle(a, b, high);
    }
  }
}

/// to[r][c] = from[c][r] for `rows` r and `columns` c; pitches in bytes.
template <class T>
void transpose(char* to, std::int64_t to_pitch, const char* from, std::int64_t from_pitch, std::int64_t rows,
               std::int64_t columns) {
  constexpr int lanes = vector_bytes / sizeof(T);
  auto one = [&](std::int64_t r, std::int64_t c) {
    std::memcpy(to + r * to_pitch + c * static_cast<std::int64_t>(sizeof(T)),
                from + c * from_pitch + r * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  };
  std::int64_t c = 0;
  for (; c + lanes <= columns; c += lanes) {
    std::int64_t r = 0;
    for (; r + lanes <= rows; r += lanes) {
      Vector<T> v[lanes];
      for (int i = 0; i < lanes; ++i) {
        const char* p = from + (c + i) * from_pitch + r * static_cast<std::int64_t>(sizeof(T));
        v[i] = load_vector<Vector<T>>(p);
        // The next columns lie elsewhere, too far for the hardware to see them coming.
        __builtin_prefetch(p + lanes * from_pitch);
      }
      transpose_square<T, lanes>(v);
      for (int i = 0; i < lanes; ++i)
        store_vector(to + (r + i) * to_pitch + c * static_cast<std::int64_t>(sizeof(T)), v[i]);
    }
    for (; r < rows; ++r)
      for (int i = 0; i < lanes; ++i) one(r, c + i);
  }
  for (; c < columns; ++c)
    for (std::int64_t r = 0; r < rows; ++r) one(r, c);
}

struct Slot16 {
  std::uint64_t a, b;
};

inline void transpose_slots(std::int64_t slot_bytes, char* to, std::int64_t to_pitch, const char* from,
                            std::int64_t from_pitch, std::int64_t rows, std::int64_t columns) {
  switch (slot_bytes) {
    case 4:
      return transpose<std::uint32_t>(to, to_pitch, from, from_pitch, rows, columns);
    case 8:
      return transpose<std::uint64_t>(to, to_pitch, from, from_pitch, rows, columns);
    default:
      for (std::int64_t c = 0; c < columns; ++c)
        for (std::int64_t r = 0; r < rows; ++r)
          std::memcpy(to + r * to_pitch + c * 16, from + c * from_pitch + r * 16, 16);
  }
}

}  // namespace xp::kernels
