// SPDX-License-Identifier: Apache-2.0
// Conversion between any two dtypes: the one table over dtype pairs. Only contiguous elements, so that each pair is one
// small loop (with strides the table had 1.2 MB of code); strided sides go through a buffer with the copies below.
#include <array>
#include <utility>

#include "kernels/gather_host.hpp"

namespace xp::kernels {
namespace {

template <class From, class To>
void convert_all(void* to, const void* from, std::int64_t count) {
  To* __restrict target = static_cast<To*>(to);
  const From* __restrict source = static_cast<const From*>(from);
  for (std::int64_t i = 0; i < count; ++i) target[i] = convert<To>(source[i]);
}

using Row = std::array<Convert, XP_DTYPE_COUNT>;

template <int from, int... to>
constexpr Row make_row(std::integer_sequence<int, to...>) {
  return {convert_all<Storage<from>, Storage<to>>...};
}

template <int... from>
constexpr std::array<Row, XP_DTYPE_COUNT> make(std::integer_sequence<int, from...> dtypes) {
  return {make_row<from>(dtypes)...};
}

constexpr std::array<Row, XP_DTYPE_COUNT> table = make(std::make_integer_sequence<int, XP_DTYPE_COUNT>{});

/// T has the element's size; complex elements are aligned like their parts.
template <class T>
void copy_block(void* to, const void* from, const Sides& sides, std::int64_t inner, std::int64_t outer) {
  T* to_row = static_cast<T*>(to);
  const T* from_row = static_cast<const T*>(from);
  for (std::int64_t o = 0; o < outer; ++o, to_row += sides.to_outer, from_row += sides.from_outer) {
    T* __restrict target = to_row;
    const T* __restrict source = from_row;
    if (sides.to_inner == 1 && sides.from_inner == 1)
      for (std::int64_t i = 0; i < inner; ++i) target[i] = source[i];
    else if (sides.to_inner == 1)
      for (std::int64_t i = 0; i < inner; ++i) target[i] = source[i * sides.from_inner];
    else if (sides.from_inner == 1)
      for (std::int64_t i = 0; i < inner; ++i) target[i * sides.to_inner] = source[i];
    else
      for (std::int64_t i = 0; i < inner; ++i) target[i * sides.to_inner] = source[i * sides.from_inner];
  }
}

struct alignas(4) Pair4 {
  std::uint32_t a, b;
};

}  // namespace

Convert convert_for(int from, int to) { return table[from][to]; }

Copy copy_for(int element_size) {
  switch (element_size) {
    case 1:
      return copy_block<std::uint8_t>;
    case 2:
      return copy_block<std::uint16_t>;
    case 4:
      return copy_block<std::uint32_t>;
    case 8:
      return copy_block<Pair4>;
    case 16:
      return copy_block<Complex<double>>;
    default:
      return nullptr;
  }
}

}  // namespace xp::kernels
