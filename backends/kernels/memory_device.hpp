// SPDX-License-Identifier: Apache-2.0
// Loads and stores of the device kernel: which elements a thread works on, and where an operand has them.
#pragma once

#include "kernels/program_device.hpp"

namespace xp::kernels {

// Elements as they are moved, with the alignment that memory guarantees. Kernels read what was written as another type.
struct Word2 {
  std::uint32_t low, high;
};
struct Pair8 {
  std::uint64_t first, second;
};

template <class U>
struct __attribute__((may_alias)) Element {
  U value;
};
/// One access of up to 16 bytes.
template <int bytes>
struct __attribute__((may_alias)) alignas(bytes) Access {
  std::uint32_t words[bytes / 4];
};
template <>
struct __attribute__((may_alias)) alignas(2) Access<2> {
  std::uint16_t value;
};

template <class U>
KOKKOS_FORCEINLINE_FUNCTION U read(const char* at) {
  return reinterpret_cast<const Element<U>*>(at)->value;
}
template <class U>
KOKKOS_FORCEINLINE_FUNCTION void write(char* at, const U& value) {
  reinterpret_cast<Element<U>*>(at)->value = value;
}

/// Element j of what was read.
template <class U>
KOKKOS_FORCEINLINE_FUNCTION U element_of(const std::uint32_t* words, int j) {
  if constexpr (sizeof(U) == 16) {
    const std::uint32_t* w = words + 4 * j;
    return U{w[0] | static_cast<std::uint64_t>(w[1]) << 32, w[2] | static_cast<std::uint64_t>(w[3]) << 32};
  } else if constexpr (std::is_same_v<U, Word2>) {
    return U{words[2 * j], words[2 * j + 1]};
  } else if constexpr (sizeof(U) == 8) {
    return words[2 * j] | static_cast<std::uint64_t>(words[2 * j + 1]) << 32;
  } else {
    constexpr int per_word = 4 / static_cast<int>(sizeof(U));
    return static_cast<U>(words[j / per_word] >> (j % per_word) * 8 * static_cast<int>(sizeof(U)));
  }
}

template <class U>
KOKKOS_FORCEINLINE_FUNCTION void put_element(std::uint32_t* words, int j, const U& value) {
  if constexpr (sizeof(U) == 16) {
    std::uint32_t* w = words + 4 * j;
    w[0] = static_cast<std::uint32_t>(value.first);
    w[1] = static_cast<std::uint32_t>(value.first >> 32);
    w[2] = static_cast<std::uint32_t>(value.second);
    w[3] = static_cast<std::uint32_t>(value.second >> 32);
  } else if constexpr (std::is_same_v<U, Word2>) {
    words[2 * j] = value.low;
    words[2 * j + 1] = value.high;
  } else if constexpr (sizeof(U) == 8) {
    words[2 * j] = static_cast<std::uint32_t>(value);
    words[2 * j + 1] = static_cast<std::uint32_t>(value >> 32);
  } else {
    constexpr int per_word = 4 / static_cast<int>(sizeof(U));
    const std::uint32_t bits = static_cast<std::uint32_t>(value) << (j % per_word) * 8 * static_cast<int>(sizeof(U));
    words[j / per_word] = j % per_word == 0 ? bits : words[j / per_word] | bits;
  }
}

/// V neighbours in as few accesses as there can be. The operand is aligned to them.
template <int V, class U>
KOKKOS_FORCEINLINE_FUNCTION void read_vector(const char* at, U* out) {
  constexpr int bytes = V * static_cast<int>(sizeof(U)), step = bytes < 16 ? bytes : 16;
  if constexpr (V == 1 && step < 16) {
    out[0] = read<U>(at);
  } else if constexpr (step == 2) {
    const std::uint32_t word = reinterpret_cast<const Access<2>*>(at)->value;
    XP_UNROLL
    for (int j = 0; j < V; ++j) out[j] = element_of<U>(&word, j);
  } else {
    std::uint32_t words[bytes / 4];
    XP_UNROLL
    for (int i = 0; i < bytes / step; ++i) {
      const Access<step> access = reinterpret_cast<const Access<step>*>(at)[i];
      XP_UNROLL
      for (int w = 0; w < step / 4; ++w) words[i * (step / 4) + w] = access.words[w];
    }
    XP_UNROLL
    for (int j = 0; j < V; ++j) out[j] = element_of<U>(words, j);
  }
}

template <int V, class U>
KOKKOS_FORCEINLINE_FUNCTION void write_vector(char* at, const U* values) {
  constexpr int bytes = V * static_cast<int>(sizeof(U)), step = bytes < 16 ? bytes : 16;
  if constexpr (V == 1 && step < 16) {
    write<U>(at, values[0]);
  } else if constexpr (step == 2) {
    std::uint32_t word;
    XP_UNROLL
    for (int j = 0; j < V; ++j) put_element<U>(&word, j, values[j]);
    reinterpret_cast<Access<2>*>(at)->value = static_cast<std::uint16_t>(word);
  } else {
    std::uint32_t words[bytes / 4];
    XP_UNROLL
    for (int j = 0; j < V; ++j) put_element<U>(words, j, values[j]);
    XP_UNROLL
    for (int i = 0; i < bytes / step; ++i) {
      Access<step> access;
      XP_UNROLL
      for (int w = 0; w < step / 4; ++w) access.words[w] = words[i * (step / 4) + w];
      reinterpret_cast<Access<step>*>(at)[i] = access;
    }
  }
}

/// A thread's elements: k is the one at position base + first + k / V * group + k % V * next, if that part after base
/// is below limit.
struct Span {
  std::int64_t base;
  int first, group, next, limit;

  template <int V>
  KOKKOS_FORCEINLINE_FUNCTION int offset(int k) const {
    return first + k / V * group + k % V * next;
  }
};

/// The same, but the compiler cannot know: it would compute all of many offsets ahead, and keep them in registers
/// meanwhile.
template <int elements>
KOKKOS_FORCEINLINE_FUNCTION Span opaque(Span span) {
  if constexpr (elements > 8) asm volatile("" : "+r"(span.first), "+r"(span.limit));
  return span;
}

/// The elements of a thread where all operands are flat.
///
/// `vectors`: a thread's elements are neighbours by vectors, which are accessed whole where all elements exist.
template <int width, int elements, bool vectors>
class FlatPlace {
 public:
  static constexpr int W = elements, V = vector_elements(width);
  using Operands = FlatOperands;
  /// Steps may name an operand instead of a value that was loaded from it.
  static constexpr bool reads_in_place = true;

  /// `whole`: all elements exist, and operands are aligned for vectors. As an opaque number: the compiler would
  /// otherwise keep copies of what it was computed from.
  KOKKOS_FORCEINLINE_FUNCTION FlatPlace(const FlatOperands& operands, const Span& span, bool whole)
      : operands_(operands), span_(span), whole_(whole) {
    asm("" : "+r"(whole_));
  }

  /// Where an operand has the elements.
  struct Address {
    char* data;
    bool scalar;
  };
  KOKKOS_FORCEINLINE_FUNCTION Address locate(int operand) const {
    return {operands_.data[operand], (operands_.scalars >> operand & 1) != 0};
  }

  KOKKOS_FORCEINLINE_FUNCTION bool valid(int k) const { return span_.template offset<V>(k) < span_.limit; }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t position(int k) const { return span_.base + span_.template offset<V>(k); }

  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION void load(const Address& address, U (&out)[W]) const {
    constexpr int size = static_cast<int>(sizeof(U));
    if (address.scalar) {
      const U value = read<U>(address.data);
      XP_UNROLL
      for (int k = 0; k < W; ++k) out[k] = value;
      return;
    }
    const char* base = address.data + span_.base * size;
    if (whole_ != 0) {
      // One address, from which the others are constants apart where the team's size is known.
      const char* first = base + static_cast<std::int64_t>(span_.first) * size;
      if constexpr (vectors) {
        XP_UNROLL
        for (int g = 0; g < W / V; ++g) read_vector<V>(first + g * span_.group * size, out + g * V);
      } else {
        XP_UNROLL
        for (int k = 0; k < W; ++k)
          out[k] = read<U>(first + static_cast<std::int64_t>(k / V * span_.group + k % V * span_.next) * size);
      }
      return;
    }
    const Span span = opaque<W>(span_);
    XP_UNROLL
    for (int k = 0; k < W; ++k) {
      const int offset = span.template offset<V>(k);
      out[k] = U{};
      if (offset < span.limit) out[k] = read<U>(base + static_cast<std::int64_t>(offset) * size);
    }
  }

  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Address& address, const U (&values)[W]) const {
    constexpr int size = static_cast<int>(sizeof(U));
    char* base = address.data + (address.scalar ? 0 : span_.base * size);
    if (vectors && whole_ != 0 && !address.scalar) {
      char* first = base + static_cast<std::int64_t>(span_.first) * size;
      XP_UNROLL
      for (int g = 0; g < W / V; ++g) write_vector<V>(first + g * span_.group * size, values + g * V);
      return;
    }
    const Span span = opaque<W>(span_);
    XP_UNROLL
    for (int k = 0; k < W; ++k) {
      const int offset = span.template offset<V>(k);
      if (offset < span.limit)
        write<U>(base + static_cast<std::int64_t>(address.scalar ? 0 : offset) * size, values[k]);
    }
  }

  /// The address of one element, for what is not worth unrolling.
  KOKKOS_FORCEINLINE_FUNCTION char* element(const Address& address, int k, int size) const {
    return address.data + (address.scalar ? 0 : position(k) * size);
  }

 private:
  const FlatOperands& operands_;
  Span span_;
  int whole_;
};

/// The elements of a thread where operands have any strides.
template <int width>
class StridedPlace {
 public:
  static constexpr int W = elements_per_thread(width), V = 1;
  using Operands = StridedOperands;
  static constexpr bool reads_in_place = false;  // finding the offsets is too much code to have it often

  /// The span counts the elements of a tile, row by row, or consecutive positions.
  KOKKOS_FORCEINLINE_FUNCTION StridedPlace(const StridedOperands& operands, const Span& span, std::uint32_t tile)
      : operands_(operands), span_(span), tile_(tile) {
    int rows = 1, columns = 1;
    if (operands.tiled) remaining(rows, columns);
    XP_UNROLL
    for (int k = 0; k < W; ++k) {
      const bool inside =
          operands.tiled ? row(k) < rows && column(k) < columns : span.template offset<V>(k) < span.limit;
      valid_ |= static_cast<unsigned>(inside) << k;
    }
  }

  struct Address {
    char* data;
    std::int64_t offsets[W];
  };
  KOKKOS_FORCEINLINE_FUNCTION Address locate(int operand) const {
    const StridedOperand& o = operands_.operands[operand];
    Address address;
    address.data = o.data;
    if (operands_.tiled) {
      const std::int64_t origin = tile_offset(o.strides);
      const std::int64_t down = o.strides[operands_.tile_axis], along = o.strides[operands_.ndim - 1];
      XP_UNROLL
      for (int k = 0; k < W; ++k) address.offsets[k] = origin + row(k) * down + column(k) * along;
    } else if (operands_.wide) {
      divide_wide(o.strides, operands_.first_axis[operand], address.offsets);
    } else {
      divide_narrow(o.strides, operands_.first_axis[operand], address.offsets);
    }
    return address;
  }

  KOKKOS_FORCEINLINE_FUNCTION bool valid(int k) const { return (valid_ >> k & 1) != 0; }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t position(int k) const {
    if (!operands_.tiled) return span_.base + span_.template offset<V>(k);
    std::int64_t origin = 0, down = 1, stride = 1;
    std::uint32_t rest = tile_;
    for (int d = operands_.ndim - 1; d >= 0; --d) {
      if (d == operands_.tile_axis) down = stride;
      origin += next_index(d, rest) * stride;
      stride *= operands_.shape[d];
    }
    return origin + (operands_.tile_axis == operands_.ndim - 1 ? 0 : row(k) * down) + column(k);
  }

  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION void load(const Address& address, U (&out)[W]) const {
    XP_UNROLL
    for (int k = 0; k < W; ++k) {
      out[k] = U{};
      if (valid(k)) out[k] = read<U>(address.data + address.offsets[k] * static_cast<std::int64_t>(sizeof(U)));
    }
  }
  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Address& address, const U (&values)[W]) const {
    XP_UNROLL
    for (int k = 0; k < W; ++k)
      if (valid(k)) write<U>(address.data + address.offsets[k] * static_cast<std::int64_t>(sizeof(U)), values[k]);
  }
  KOKKOS_FORCEINLINE_FUNCTION char* element(const Address& address, int k, int size) const {
    std::int64_t offset = 0;
    XP_UNROLL
    for (int i = 0; i < W; ++i) offset = i == k ? address.offsets[i] : offset;
    return address.data + offset * size;
  }

  /// Elements of a staged tile are a little more than `columns` apart from row to row, so that neither reading along
  /// rows nor along columns meets one bank only.
  KOKKOS_FORCEINLINE_FUNCTION static int staged_slots(const StridedOperands& o) {
    return ((1 << o.column_bits) + 1) << o.row_bits;
  }

  /// Reads an operand along the rows' axis into scratch.
  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION void stage(int operand, Raw<width>* to) const {
    const StridedOperand& o = operands_.operands[operand];
    int rows = 1, columns = 1;
    remaining(rows, columns);
    const char* data = o.data + tile_offset(o.strides) * static_cast<std::int64_t>(sizeof(U));
    const std::int64_t down = o.strides[operands_.tile_axis] * static_cast<std::int64_t>(sizeof(U));
    const std::int64_t along = o.strides[operands_.ndim - 1] * static_cast<std::int64_t>(sizeof(U));
    U values[W];
    XP_UNROLL
    for (int k = 0; k < W; ++k) {
      const int at = span_.template offset<V>(k);
      const int r = at & ((1 << operands_.row_bits) - 1), c = at >> operands_.row_bits;
      values[k] = U{};
      if (r < rows && c < columns) values[k] = read<U>(data + r * down + c * along);
    }
    XP_UNROLL
    for (int k = 0; k < W; ++k) {
      const int at = span_.template offset<V>(k);
      const int r = at & ((1 << operands_.row_bits) - 1), c = at >> operands_.row_bits;
      Raw<width>& slot = to[(r << operands_.column_bits) + r + c];
      if constexpr (width == 128)
        slot = {values[k], 0};
      else
        slot = values[k];
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void load_staged(const Raw<width>* from, Raw<width> (&out)[W]) const {
    XP_UNROLL
    for (int k = 0; k < W; ++k) out[k] = from[(row(k) << operands_.column_bits) + row(k) + column(k)];
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION int row(int k) const { return span_.template offset<V>(k) >> operands_.column_bits; }
  KOKKOS_FORCEINLINE_FUNCTION int column(int k) const {
    return span_.template offset<V>(k) & ((1 << operands_.column_bits) - 1);
  }

  /// The tile's first index along an axis; goes from the last axis to the first.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t next_index(int d, std::uint32_t& rest) const {
    const Divisor& divisor = operands_.divisors[d];
    const std::uint32_t quotient = d == 0 ? 0 : divisor.divide(rest);
    const std::int64_t index = rest - quotient * divisor.value;
    rest = quotient;
    if (d == operands_.ndim - 1) return index << operands_.column_bits;
    return d == operands_.tile_axis ? index << operands_.row_bits : index;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t tile_offset(const std::int64_t* strides) const {
    std::int64_t offset = 0;
    std::uint32_t rest = tile_;
    for (int d = operands_.ndim - 1; d >= 0; --d) offset += next_index(d, rest) * strides[d];
    return offset;
  }
  /// Rows and columns of the iteration space from the tile's first one on, up to more than a tile has.
  KOKKOS_FORCEINLINE_FUNCTION void remaining(int& rows, int& columns) const {
    std::uint32_t rest = tile_;
    for (int d = operands_.ndim - 1; d >= 0; --d) {
      const std::int64_t left = operands_.shape[d] - next_index(d, rest);
      const int some = left < (1 << 20) ? static_cast<int>(left) : 1 << 20;
      if (d == operands_.ndim - 1)
        columns = some;
      else if (d == operands_.tile_axis)
        rows = some;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void divide_narrow(const std::int64_t* strides, int first_axis,
                                                 std::int64_t (&offsets)[W]) const {
    std::uint32_t rest[W];
    XP_UNROLL
    for (int k = 0; k < W; ++k) {
      rest[k] = static_cast<std::uint32_t>(span_.base) + static_cast<std::uint32_t>(span_.template offset<V>(k));
      offsets[k] = 0;
    }
    for (int d = operands_.ndim - 1; d >= first_axis; --d) {
      const Divisor divisor = operands_.divisors[d];
      const std::int64_t stride = strides[d];
      XP_UNROLL
      for (int k = 0; k < W; ++k) {
        const std::uint32_t quotient = d == 0 ? 0 : divisor.divide(rest[k]);
        offsets[k] += static_cast<std::int64_t>(rest[k] - quotient * divisor.value) * stride;
        rest[k] = quotient;
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void divide_wide(const std::int64_t* strides, int first_axis,
                                               std::int64_t (&offsets)[W]) const {
    XP_UNROLL
    for (int k = 0; k < W; ++k) offsets[k] = 0;
    XP_UNROLL
    for (int k = 0; k < W; ++k) {
      auto rest = static_cast<std::uint64_t>(span_.base + span_.template offset<V>(k));
      for (int d = operands_.ndim - 1; d >= first_axis; --d) {
        const auto extent = static_cast<std::uint64_t>(operands_.shape[d]);
        const std::uint64_t quotient = d == 0 ? 0 : rest / extent;
        offsets[k] += static_cast<std::int64_t>(rest - quotient * extent) * strides[d];
        rest = quotient;
      }
    }
  }

  const StridedOperands& operands_;
  Span span_;
  std::uint32_t tile_;
  unsigned valid_ = 0;
};

}  // namespace xp::kernels
