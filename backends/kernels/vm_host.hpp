// SPDX-License-Identifier: Apache-2.0
// The accumulator machine that runs fused programs on the host.
//
// A program becomes a row of steps. A step's handler works on one block of eight vectors, which stay in the vector
// argument registers from step to step, and ends in a tail call of the next handler. The last handler starts over with
// the next block. Everything else that a step reads or writes is memory, addressed as slot.base + (offset & slot.mask):
// operands, or buffers standing for them, have mask -1; registers and constants are one block of L1 and have mask 0.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/ops.hpp"
#include "kernels/simd_host.hpp"
#include "kernels/types.hpp"

namespace xp::kernels {

inline constexpr int block_vectors = 8;
inline constexpr int block_bytes = block_vectors * vector_bytes;

/// The accumulator's eighth, whatever it holds.
using Raw = Vector<double>;

struct Slot {
  char* base;
  std::ptrdiff_t mask;
};

inline constexpr int load_slot = 0;
inline constexpr int store_slot = load_slot + XP_MAX_OPERANDS;
inline constexpr int register_slot = store_slot + XP_MAX_OPERANDS;
inline constexpr int constant_slot = register_slot + XP_MAX_REGISTERS;
inline constexpr int reduce_slot = constant_slot + XP_MAX_CONSTANTS;
inline constexpr int slot_count = reduce_slot + 1;

struct Step;

struct Context {
  Slot slots[slot_count];
  const Step* first;
  std::ptrdiff_t end;   // offset after the last block
  std::int64_t origin;  // position in the iteration space of offset 0
};

using Handler = void (*)(Context&, const Step*, std::ptrdiff_t, Raw, Raw, Raw, Raw, Raw, Raw, Raw, Raw);

struct Step {
  Handler handler;
  std::uint16_t a, b, c, d;  // slots; d is written
};

/// Where the operands of a step are: in the accumulator or in memory.
enum Form : int { acc_mem = 0, mem_acc, acc_acc, mem_mem, form_count };

/// Conversions of the accumulator's values, from which casts and the rounding to narrow dtypes are put together.
enum class Conversion : std::uint8_t {
  wrap_int8,
  wrap_int16,
  wrap_int32,
  wrap_uint8,
  wrap_uint16,
  wrap_uint32,
  round_float16,
  round_bfloat16,
  round_float32,
  signed_to_real,
  unsigned_to_real,
  signed_to_real_odd,  // where a rounding to a narrower float follows
  unsigned_to_real_odd,
  real_to_int8,
  real_to_int16,
  real_to_int32,
  real_to_int64,
  real_to_uint8,
  real_to_uint16,
  real_to_uint32,
  real_to_uint64,
  real_to_complex,
  complex_to_real,
  integer_to_bool,
  real_to_bool,
  complex_to_bool,
  count_
};
inline constexpr int conversion_count = static_cast<int>(Conversion::count_);
inline constexpr int op_count = static_cast<int>(Op::count_);

/// All handlers for one slot width; a null pointer where the width has no such operation.
struct Handlers {
  Handler load, store, store_end, stream, stream_end, end, index, prefetch;
  Handler unary[op_count][kind_count][2];  // accumulator, memory
  Handler binary[op_count][kind_count][form_count];
  Handler select[8];  // bit 0: a in memory, bit 1: b, bit 2: c
  Handler convert[conversion_count];
};

const Handlers& handlers_32();
const Handlers& handlers_64();
const Handlers& handlers_128();

/// The rows of functions.hpp, which compile long: in sources of their own.
void add_functions_32(Handlers& handlers);
void add_functions_64(Handlers& handlers);
void add_functions_128(Handlers& handlers);

inline const Handlers* handlers_for(int width) {
  switch (width) {
    case 32:
      return &handlers_32();
    case 64:
      return &handlers_64();
    case 128:
      return &handlers_128();
    default:
      return nullptr;
  }
}

/// Where calls are not turned into jumps (no optimisation, sanitisers) the last handler returns after every block.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
inline constexpr std::ptrdiff_t blocks_per_run = 32;
#else
inline constexpr std::ptrdiff_t blocks_per_run = 1;
#endif

/// Runs the steps over [0, end). From time to time the handlers return to this loop: should the compiler not have
/// turned some call into a jump, the stack stays small.
inline void run_blocks(Context& context, std::ptrdiff_t end) {
  const Raw zero{};
  for (std::ptrdiff_t offset = 0; offset < end; offset = context.end) {
    context.end = end - offset < blocks_per_run * block_bytes ? end : offset + blocks_per_run * block_bytes;
    context.first->handler(context, context.first, offset, zero, zero, zero, zero, zero, zero, zero, zero);
  }
}

}  // namespace xp::kernels
