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
  KOKKOS_FORCEINLINE_FUNCTION Address locate(int operand, bool = false) const {
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
///
/// In a tile they are in one column, rows apart that are `row_step` from each other.
///
/// `quick`: for small kernels, in which there is room for vectors, and of operands whose offsets need 32 bits at most.
/// `wide`: there may be 2^31 elements and more.
template <int width, int elements, bool quick, bool wide>
class StridedPlace {
  using Offset = std::conditional_t<quick, int, std::int64_t>;

 public:
  static constexpr int W = elements, V = vector_elements(width);
  using Operands = StridedOperands;
  using R = Raw<width>;
  static constexpr bool reads_in_place = false;  // finding the offsets is too much code to have it often

  /// `chunk` is the tile, or what the span begins with; `staged`: the team's scratch for staged operands.
  KOKKOS_FORCEINLINE_FUNCTION StridedPlace(const StridedOperands& operands, const Span& span, std::uint32_t chunk,
                                           int rank, int team, bool whole, const R* staged)
      : operands_(operands), span_(span), tile_(chunk), staged_(staged), whole_(whole) {
    if (operands.chunks == Chunks::tiles) {
      rank_ = rank;
      team_ = team;
      column_ = rank & ((1 << operands.column_bits) - 1);
      row_ = rank >> operands.column_bits;
      row_step_ = team >> operands.column_bits;
      int rows = 1, columns = 1;
      remaining(rows, columns);
      XP_UNROLL
      for (int k = 0; k < W; ++k) valid_ |= static_cast<unsigned>(row(k) < rows && column(k) < columns) << k;
    } else {
      XP_UNROLL
      for (int k = 0; k < W; ++k) valid_ |= static_cast<unsigned>(span.template offset<V>(k) < span.limit) << k;
    }
  }

  struct Address {
    char* data;
    Offset offsets[W];
    Layout layout;
    bool vectors;
    std::uint8_t staged;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool is_staged(int operand) const { return operands_.layout[operand] == Layout::staged; }
  /// For loads, or for stores, which go to memory also where loads are staged.
  KOKKOS_FORCEINLINE_FUNCTION Address locate(int operand, bool stores = false) const {
    const StridedOperand& o = operands_.operands[operand];
    Address address;
    address.data = o.data;
    address.layout = operands_.layout[operand];
    if (stores && address.layout == Layout::staged) address.layout = Layout::strided;
    address.vectors = whole_ && (operands_.vectors >> operand & 1) != 0;
    address.staged = operands_.staged_index[operand];
    if (address.layout == Layout::linear) {
      XP_UNROLL
      for (int k = 0; k < W; ++k) address.offsets[k] = static_cast<Offset>(span_.base) + span_.template offset<V>(k);
    } else if (address.layout == Layout::staged) {
      // Scratch is memory like any other; only where there is room for the code it is told apart.
      if constexpr (!quick)
        address.data = reinterpret_cast<char*>(const_cast<R*>(staged_ + address.staged * staged_slots(operands_)));
      XP_UNROLL
      for (int k = 0; k < W; ++k) {
        address.offsets[k] = (row(k) << operands_.column_bits) + row(k) + column(k);
      }
    } else if (address.layout == Layout::scalar) {
      XP_UNROLL
      for (int k = 0; k < W; ++k) address.offsets[k] = 0;
    } else if (operands_.chunks == Chunks::tiles) {
      const auto down = static_cast<Offset>(o.strides[operands_.tile_axis]),
                 along = static_cast<Offset>(o.strides[operands_.ndim - 1]);
      Offset offset = tile_offset(o.strides) + row(0) * down + column(0) * along;
      XP_UNROLL
      for (int k = 0; k < W; ++k) {
        address.offsets[k] = offset;
        offset += is_host_space ? (row(k + 1) - row(k)) * down + (column(k + 1) - column(k)) * along : row_step_ * down;
      }
    } else if (quick && operands_.chunks == Chunks::rows) {
      const auto along = static_cast<Offset>(o.strides[operands_.ndim - 1]);
      divide<V>(o.strides, address.offsets);
      XP_UNROLL
      for (int k = 0; k < W; ++k)
        if (k % V != 0) address.offsets[k] = address.offsets[k - 1] + along;
    } else {
      divide<1>(o.strides, address.offsets);
    }
    return address;
  }

  KOKKOS_FORCEINLINE_FUNCTION bool valid(int k) const { return (valid_ >> k & 1) != 0; }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t position(int k) const {
    if (operands_.chunks != Chunks::tiles) return operands_.origin + span_.base + span_.template offset<V>(k);
    std::int64_t origin = operands_.origin, down = 1, stride = 1;
    std::uint32_t rest = tile_;
    for (int d = operands_.ndim - 1; d >= 0; --d) {
      if (d == operands_.tile_axis) down = stride;
      origin += next_index(d, rest) * stride;
      stride *= operands_.shape[d];
    }
    return origin + row(k) * down + column(k);
  }

  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION void load(const Address& address, U (&out)[W]) const {
    constexpr int size = static_cast<int>(sizeof(U));
    if (quick && address.layout == Layout::scalar) {
      const U value = read<U>(address.data);
      XP_UNROLL
      for (int k = 0; k < W; ++k) out[k] = value;
    } else if (quick && address.vectors) {
      XP_UNROLL
      for (int g = 0; g < W / V; ++g) read_vector<V>(at(address, g * V, size), out + g * V);
    } else if (quick && address.layout == Layout::staged) {
      const U* from = reinterpret_cast<const U*>(staged_ + address.staged * staged_slots(operands_));
      XP_UNROLL
      for (int k = 0; k < W; ++k) out[k] = from[address.offsets[k]];
    } else {
      XP_UNROLL
      for (int k = 0; k < W; ++k) {
        out[k] = U{};
        if (valid(k)) out[k] = read<U>(at(address, k, size));
      }
    }
  }
  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Address& address, const U (&values)[W]) const {
    constexpr int size = static_cast<int>(sizeof(U));
    if (quick && address.vectors) {
      XP_UNROLL
      for (int g = 0; g < W / V; ++g) write_vector<V>(at(address, g * V, size), values + g * V);
      return;
    }
    XP_UNROLL
    for (int k = 0; k < W; ++k)
      if (valid(k)) write<U>(at(address, k, size), values[k]);
  }
  KOKKOS_FORCEINLINE_FUNCTION char* element(const Address& address, int k, int size) const {
    Offset offset = 0;
    XP_UNROLL
    for (int i = 0; i < W; ++i) offset = i == k ? address.offsets[i] : offset;
    return address.data + static_cast<std::int64_t>(offset) * size;
  }

  /// Elements of a staged tile are a little more than `columns` apart from row to row, so that neither reading along
  /// rows nor along columns meets one bank only.
  KOKKOS_FORCEINLINE_FUNCTION static int staged_slots(const StridedOperands& o) {
    return ((1 << o.column_bits) + 1) << o.row_bits;
  }

  /// Reads an operand along the rows' axis into scratch.
  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION void stage(int operand, int rank, int team, R* to) const {
    const StridedOperand& o = operands_.operands[operand];
    int rows = 1, columns = 1;
    remaining(rows, columns);
    // As in row() and column(), the other way round.
    const int mask = (1 << operands_.row_bits) - 1, step = team >> operands_.row_bits;
    auto row = [&](int k) { return is_host_space ? (rank + k * team) & mask : rank & mask; };
    auto column = [&](int k) {
      return is_host_space ? (rank + k * team) >> operands_.row_bits : (rank >> operands_.row_bits) + k * step;
    };
    const std::int64_t down = o.strides[operands_.tile_axis], along = o.strides[operands_.ndim - 1];
    const char* from = o.data + tile_offset(o.strides) * static_cast<std::int64_t>(sizeof(U));
    U values[W];
    XP_UNROLL
    for (int k = 0; k < W; ++k) {
      values[k] = U{};
      if (row(k) < rows && column(k) < columns)
        values[k] = read<U>(from + (row(k) * down + column(k) * along) * static_cast<std::int64_t>(sizeof(U)));
    }
    U* slots = reinterpret_cast<U*>(to);
    XP_UNROLL
    for (int k = 0; k < W; ++k) slots[(row(k) << operands_.column_bits) + row(k) + column(k)] = values[k];
  }

 private:
  // A team of a host space may be shorter than a row of the tile.
  KOKKOS_FORCEINLINE_FUNCTION int row(int k) const {
    return is_host_space ? (rank_ + k * team_) >> operands_.column_bits : row_ + k * row_step_;
  }
  KOKKOS_FORCEINLINE_FUNCTION int column(int k) const {
    return is_host_space ? (rank_ + k * team_) & ((1 << operands_.column_bits) - 1) : column_;
  }
  KOKKOS_FORCEINLINE_FUNCTION static char* at(const Address& address, int k, int size) {
    return address.data + static_cast<std::int64_t>(address.offsets[k]) * size;
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
  KOKKOS_FORCEINLINE_FUNCTION Offset tile_offset(const std::int64_t* strides) const {
    Offset offset = 0;
    std::uint32_t rest = tile_;
    for (int d = operands_.ndim - 1; d >= 0; --d)
      offset += static_cast<Offset>(next_index(d, rest)) * static_cast<Offset>(strides[d]);
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

  /// Of every `step`-th element.
  template <int step>
  KOKKOS_FORCEINLINE_FUNCTION void divide(const std::int64_t* strides, Offset (&offsets)[W]) const {
    if constexpr (wide) {
      if (operands_.wide) return divide_by<std::uint64_t, step>(strides, offsets);
    }
    divide_by<std::uint32_t, step>(strides, offsets);
  }
  template <class Position, int step>
  KOKKOS_FORCEINLINE_FUNCTION void divide_by(const std::int64_t* strides, Offset (&offsets)[W]) const {
    Position rest[W];
    XP_UNROLL
    for (int k = 0; k < W; k += step) {
      rest[k] = static_cast<Position>(span_.base) + static_cast<Position>(span_.template offset<V>(k));
      offsets[k] = 0;
    }
    for (int d = operands_.ndim - 1; d > 0; --d) {
      const Divisor divisor = operands_.divisors[d];
      const auto extent = static_cast<Position>(operands_.shape[d]);
      const auto stride = static_cast<Offset>(strides[d]);
      XP_UNROLL
      for (int k = 0; k < W; k += step) {
        Position quotient;
        if constexpr (sizeof(Position) == 4)
          quotient = divisor.divide(rest[k]);
        else
          quotient = rest[k] / extent;
        offsets[k] += static_cast<Offset>(rest[k] - quotient * extent) * stride;
        rest[k] = quotient;
      }
    }
    const auto stride = static_cast<Offset>(strides[0]);
    XP_UNROLL
    for (int k = 0; k < W; k += step) offsets[k] += static_cast<Offset>(rest[k]) * stride;
  }

  const StridedOperands& operands_;
  Span span_;
  std::uint32_t tile_;
  const R* staged_;
  int rank_ = 0, team_ = 1, row_ = 0, column_ = 0, row_step_ = 0;
  bool whole_;
  unsigned valid_ = 0;
};

}  // namespace xp::kernels
