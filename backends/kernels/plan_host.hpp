// SPDX-License-Identifier: Apache-2.0
// A program, checked and translated for the accumulator machine.
#pragma once

#include <cstdint>

#include "kernels/gather_host.hpp"
#include "kernels/reduce_host.hpp"
#include "kernels/vm_host.hpp"

namespace xp::kernels {

/// Bytes of an operand's buffer: a chunk, 512 elements of 64 bits.
inline constexpr int chunk_bytes = 4096;
/// Inner dimensions at least this long are run row by row, so that contiguous rows are used where they lie.
inline constexpr std::int64_t minimum_row = 256;
/// Rows of a tile. Along its own fastest axis a transposed operand is read by as many elements: 1 KiB of 64-bit ones,
/// of as many columns as stay in L2 with the other operands (tile_blocks of a block's elements). On a Xeon with AVX-512
/// x + y.T takes 1.7 times as long as x + y, with 64 rows and 8 blocks 2.3 times.
inline constexpr std::int64_t tile_rows = 128, tile_blocks = 2;

enum class Access : std::uint8_t {
  unused,
  direct,     // native and contiguous: used where it lies
  splat,      // one element for the whole iteration space
  row_splat,  // one element for a row
  buffered,   // gathered or scattered by chunks
  tiled       // fastest along the tile's other axis: transposed by tiles
};

struct OperandPlan {
  Access load;
  Access store;
  std::uint8_t value_type;  // dtype of the value stored
  Fetch fetch;
  Spread spread;
  Convert convert_load;   // memory's dtype to load_type, null if they are the same
  Convert convert_store;  // value_type to the memory's dtype, likewise
};

struct Plan {
  const xp_program* program;
  const Handlers* handlers;
  const Reducer* reducer;  // null without a reduction
  int slot_bytes;
  std::int64_t block_elements, chunk_elements;
  bool by_rows;               // pieces end at the end of a row, and direct operands are contiguous in rows only
  bool buffered;              // some operand is
  bool converts;              // some buffered operand needs a conversion between two dtypes
  bool streams;               // stores pass the caches
  int tile_axis;              // the fastest axis of the tiled operands, or -1: no tiles. Tiles imply by_rows.
  std::int64_t tile_columns;  // along the last axis
  std::int64_t tile_pitch;    // bytes from row to row of a tile's buffer
  std::int64_t tile_bands;    // of tile_rows rows, in the whole iteration space
  int n_stores;
  std::uint8_t store_order[XP_MAX_OPERANDS];  // operands stored to, by their last store
  std::uint32_t registers;                    // used, as a bit set
  std::uint32_t constants;
  double serial_ns;  // estimate for the whole program
  int n_steps;
  OperandPlan operands[XP_MAX_OPERANDS];
  // An instruction makes five at most, an operand one.
  Step steps[5 * XP_MAX_INSTRUCTIONS + XP_MAX_OPERANDS + 4];
};

/// Checks the program and fills in the plan; XP_INVALID says what is wrong.
std::int32_t make_plan(const xp_program& program, Plan& plan, xp_error* error);

/// Whether element i of the operand, in C order, lies at data + i.
bool is_contiguous(const xp_program& program, const xp_operand& operand);
bool is_scalar(const xp_program& program, const xp_operand& operand);

}  // namespace xp::kernels
