// SPDX-License-Identifier: Apache-2.0
// A program as the device kernel runs it.
//
// A thread works on a few elements at a time. Values live in the accumulator and in one more register ("fast"), the
// rest in the team's scratch. A step loads, or stores the accumulator, or computes: the result of an operation is
// converted, stays in the accumulator, and goes to one more place if it is wanted later.
#pragma once

#include <cstdint>

#include "core/ops.hpp"
#include "kernels/launch_device.hpp"
#include "kernels/types.hpp"

namespace xp::kernels {

/// What a slot of 128 bits is made of.
struct alignas(16) Pair {
  std::uint64_t first, second;
};

template <int width>
using Raw = std::conditional_t<width == 32, std::uint32_t, std::conditional_t<width == 64, std::uint64_t, Pair>>;

/// has_slot() and kind_of() for device code, which calls no functions of the host's.
template <int width, int dtype>
inline constexpr bool slot_exists = has_slot(width, dtype);
template <int dtype>
inline constexpr Kind kind_constant = kind_of(dtype);

/// Operations by the slot's C++ type: _i any integer or bool, _s signed, _u unsigned, _f real, _c complex.
enum class Code : std::uint8_t {
  // Memory: by the size of the element.
  load_1,
  load_2,
  load_4,
  load_8,
  load_4x2,  // complex64 on 4-byte boundaries
  load_16,
  store_1,
  store_2,
  store_4,
  store_8,
  store_4x2,
  store_16,
  store_any,  // from scratch, to a dtype without a slot
  index,
  move,
  add_i,
  add_f,
  add_c,
  subtract_i,
  subtract_f,
  subtract_c,
  multiply_i,
  multiply_f,
  multiply_c,
  divide_f,
  divide_c,
  negative_i,
  negative_f,
  negative_c,
  absolute_s,
  absolute_f,
  absolute_c,
  sqrt_f,
  sqrt_c,
  exp_f,
  exp_c,
  or_i,
  and_i,
  equal_i,
  equal_f,
  equal_c,
  not_equal_i,
  not_equal_f,
  not_equal_c,
  less_s,
  less_u,
  less_f,
  less_c,
  less_equal_s,
  less_equal_u,
  less_equal_f,
  less_equal_c,
  where,
  // Functions, by the number of values and the slot's type.
  unary_u,
  unary_s,
  unary_f,
  unary_c,
  binary_u,
  binary_s,
  binary_f,
  binary_c,
  count_
};

/// The commonest steps have codes of their own, after the others: the first value is in the accumulator, the result
/// stays there as it is, and where the second one comes from is part of the code. Such a step is one jump and its
/// arithmetic; finding all that out step by step cost as much as ten operations.
enum class Quick : std::uint8_t { add_f, subtract_f, multiply_f, add_i, subtract_i, multiply_i, count_ };
enum class Second : std::uint8_t { accumulator, constant, fast, scratch, operand, count_ };
constexpr int quick_codes = static_cast<int>(Quick::count_) * static_cast<int>(Second::count_) * 2;
inline constexpr auto quick_store = static_cast<Code>(static_cast<int>(Code::count_) + 1 + quick_codes);
inline constexpr auto quick_fill = static_cast<Code>(static_cast<int>(quick_store) + 1);  // stores a constant
static_assert(static_cast<int>(quick_fill) < 255);

/// `exchanged`: the accumulator is the second value.
constexpr Code quick_code(Quick op, Second second, bool exchanged) {
  const int index = static_cast<int>(op) * static_cast<int>(Second::count_) + static_cast<int>(second);
  return static_cast<Code>(static_cast<int>(Code::count_) + 1 + 2 * index + exchanged);
}

/// The same as a label.
template <Quick op, Second second, bool exchanged>
inline constexpr int quick_label = static_cast<int>(quick_code(op, second, exchanged));

/// How the bits in memory become a slot: a dtype as it is, or what only elements without a slot of the width need.
enum Decode : std::uint8_t {
  decode_dtype = 0,  // + dtype
  decode_none = XP_DTYPE_COUNT,
  decode_low,    // low half of 64 bits
  decode_truth,  // any bit set
  decode_signed_float,
  decode_signed_float_odd,
  decode_unsigned_float,
  decode_unsigned_float_odd,
  decode_double_signed,
  decode_double_unsigned,
  decode_double_float,
  decode_double_float_odd,
  decode_double_truth,
  decode_complex64_truth,
  decode_complex128_truth,
  decode_signed_double_odd,
  decode_unsigned_double_odd
};

/// Conversion of a value in its slot: convert_from(kind) + dtype. Integers to integers count as unsigned ones, clamped
/// integers as a kind of their own.
inline constexpr std::uint8_t convert_none = 0xff;
inline constexpr int convert_clamped = kind_count;
constexpr std::uint8_t convert_code(int kind, int dtype) { return static_cast<std::uint8_t>(kind << 4 | dtype); }

/// Places of values: the accumulator, the fast register, scratch registers; operands as they lie in memory; constants.
inline constexpr std::uint8_t place_accumulator = 0, place_fast = 1, place_scratch = 2, place_operand = 0x40,
                              place_constant = 0x80, place_none = 0xff;
inline constexpr int most_scratch_registers = XP_MAX_REGISTERS + XP_MAX_OPERANDS;
static_assert(place_scratch + most_scratch_registers <= place_operand);

struct Step {
  Code code;
  std::uint8_t convert;  // of the result
  std::uint8_t to;       // place of the result, or a second one if it is computed
  std::uint8_t a, b, c;  // places; `a` is brought to the accumulator
  std::uint8_t operand;  // of loads and stores; else whether a and b are exchanged
  std::uint8_t dtype;    // of loads: a Decode; of stores: the memory's dtype; store_any: the value's Kind | dtype << 4;
                         // of functions: the operation
};
static_assert(sizeof(Step) == 8);

/// Instructions, loads, and a last one for the reduction.
inline constexpr int most_steps = XP_MAX_INSTRUCTIONS + XP_MAX_OPERANDS + 1;

template <int width>
struct Steps {
  std::uint8_t count;
  // Operands that are loaded before the first step, into the accumulator and the fast register, or place_none. They are
  // native: their elements are slots as they are.
  std::uint8_t preload_accumulator, preload_fast;
  std::uint8_t reduce_type;
  Step steps[most_steps];
  Raw<width> constants[XP_MAX_CONSTANTS];
};

// ---- Where the operands' elements are ----

/// Division by multiplication: exact for dividends below 2^31.
struct Divisor {
  std::uint32_t value, magic;
  std::uint32_t shift;

  static Divisor of(std::uint32_t value);

  KOKKOS_INLINE_FUNCTION std::uint32_t divide(std::uint32_t n) const {
    const auto high = static_cast<std::uint32_t>(static_cast<std::uint64_t>(n) * magic >> 32);
    return magic == 0 ? n : high >> shift;
  }
};

/// Every operand is in C order without gaps, or one element.
struct FlatOperands {
  char* data[XP_MAX_OPERANDS];
  std::uint32_t scalars;  // as a bit set
  bool vectors;           // all others are aligned for vector accesses
};

inline constexpr int most_staged = 4;

struct StridedOperand {
  char* data;
  std::int64_t strides[XP_MAX_NDIM];
};

/// How an operand's elements are found.
enum class Layout : std::uint8_t {
  scalar,   // one element
  linear,   // in C order without gaps: as the position
  strided,  // by the indices
  staged,   // turned in scratch
};

/// What a chunk is.
enum class Chunks : std::uint8_t {
  rows,       // consecutive positions; vectors of a thread's elements never cross the end of a row
  positions,  // consecutive positions, each of which is divided into indices by itself
  tiles,      // rows along one axis by columns along the last one
};

/// Any strides. Tiles are for operands that are fastest along another axis than the last one: those are read along it,
/// and turned in scratch.
struct StridedOperands {
  StridedOperand operands[XP_MAX_OPERANDS];
  Layout layout[XP_MAX_OPERANDS];
  std::uint8_t staged_index[XP_MAX_OPERANDS];  // of those that are staged
  std::uint32_t vectors;                       // operands whose groups of neighbours are vectors, as a bit set
  std::int64_t shape[XP_MAX_NDIM];
  Divisor divisors[XP_MAX_NDIM];  // tiles along each axis; or the shape, if !wide
  std::int64_t origin;            // position of the first element, of a part of a larger program
  std::uint8_t ndim;
  Chunks chunks;
  bool wide;        // positions need more than 31 bits
  bool neighbours;  // a thread's elements are neighbours by vectors
  std::uint8_t tile_axis;
  std::uint8_t column_bits, row_bits;
  std::uint8_t n_staged;
  std::uint8_t staged_operand[most_staged];
  std::uint8_t staged_size[most_staged];  // of their elements
};

}  // namespace xp::kernels
