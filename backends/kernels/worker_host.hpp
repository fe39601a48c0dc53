// SPDX-License-Identifier: Apache-2.0
// One thread's part of a program on the accumulator machine.
#pragma once

#include <cstdint>

#include "kernels/plan_host.hpp"

namespace xp::kernels {

/// Bytes of scratch that a Worker needs.
std::size_t scratch_bytes(const Plan& plan);

class Worker {
 public:
  /// `scratch` has scratch_bytes(plan) and is aligned to 64.
  Worker(const Plan& plan, char* scratch);

  /// Before another run, after the program's operands, or its constants too, were given other values.
  void renew(bool constants);

  /// Runs elements [begin, end) in C order; begin is a multiple of plan.chunk_elements.
  /// `results` receives the results of the reduction's blocks; begin is then a multiple of reduce_block.
  void run(std::int64_t begin, std::int64_t end, char* results);
  /// Runs bands of tiles.
  void run_tiles(std::int64_t begin, std::int64_t end);

 private:
  struct Cursor;

  void splat_constants();
  void splat_operands();
  char* take(std::int64_t bytes);
  /// One element of an operand, in all slots of a block.
  void splat(int k, std::int64_t element);

  void run_flat(std::int64_t begin, std::int64_t end, char* results);
  void run_rows(std::int64_t begin, std::int64_t end);
  /// Runs `count` elements, for which every slot is set; what does not fill a block goes through padded copies.
  void run_piece(std::int64_t count, std::int64_t position);
  void run_tail(std::int64_t full, std::int64_t rest, std::int64_t position);

  template <class F>
  void walk(const std::int64_t* strides, const std::int64_t* index, std::int64_t count, F f) const;
  void gather(int k, const std::int64_t* index, std::int64_t count);
  void scatter(int k, const std::int64_t* index, std::int64_t count);
  void run_tile(std::int64_t* index, std::int64_t rows, std::int64_t columns, std::int64_t position,
                std::int64_t row_positions);
  void gather_tile(int k, const std::int64_t* index, std::int64_t rows, std::int64_t columns);
  void scatter_tile(int k, const std::int64_t* index, std::int64_t rows, std::int64_t columns);
  void reduce(std::int64_t position, std::int64_t count, std::int64_t begin, std::int64_t end, char* results);
  void advance(std::int64_t* index, std::int64_t count) const;
  void locate(std::int64_t position, std::int64_t* index) const;
  std::int64_t offset_of(const std::int64_t* strides, const std::int64_t* index) const;

  const Plan& plan_;
  const xp_program& program_;
  const std::int64_t slot_bytes_;
  char* scratch_;
  char* load_pad_[XP_MAX_OPERANDS];  // a block for the tail, or the whole chunk of a buffered operand
  char* store_pad_[XP_MAX_OPERANDS];
  char* reduce_buffer_ = nullptr;
  char* lanes_ = nullptr;
  char* temporary_[2] = {nullptr, nullptr};
  char* columns_ = nullptr;  // of a tile, before they are transposed
  Context context_;
};

}  // namespace xp::kernels
