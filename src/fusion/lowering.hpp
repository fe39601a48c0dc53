// SPDX-License-Identifier: Apache-2.0
// From a recorder's values to the program a backend runs: liveness, memory, registers, collapsed dimensions.
#pragma once

#include <xp/backend.h>

#include "fusion/recorder.hpp"

#include <string>
#include <vector>

namespace xp::detail {

/// Memory given to the results of a program before it runs: to all, or, where some is lacking, to none. A program that
/// has not run must not have changed what the caller sees.
class Grants {
 public:
  explicit Grants(Recorder& recorder) : recorder_(recorder) {}

  /// From a dead input, where `entry` is the result's, else from the pool; nothing to do for storage that has memory.
  bool give(Storage& storage, Recorder::Entry* entry);
  /// The entry whose memory was given last, -1 if the pool's was or none.
  int donor() const { return donor_; }
  void take_back() noexcept;

 private:
  struct Given {
    Storage* storage;
    int donor;
  };
  Recorder& recorder_;
  int donor_ = -1;
  int count_ = 0;
  std::array<Given, Recorder::max_entries + 1> given_;
};

class Lowering {
 public:
  explicit Lowering(Recorder& recorder) : r_(recorder) {}

  /// Finds the results somebody still holds and the instructions they need. False when there is nothing to run.
  bool select();
  /// Gives every live result memory: a dead input's block where possible, else a new one. OutOfMemoryError changes
  /// nothing.
  void allocate();
  /// Runs the program; returns the backend's code.
  std::int32_t run(xp_error& error);
  /// Gives the output's storage the memory of an input that nobody holds any more and that the program reads through
  /// the output's own view only; which entry gave it, -1 when none can.
  static int take_over_dead_input(Recorder& recorder, Recorder::Entry& output);

  /// After run(): the program, and the recorder's entry of each of its operands.
  const xp_program& program() const { return program_; }
  const std::array<std::uint8_t, XP_MAX_OPERANDS>& entry_of() const { return entry_of_; }

 private:
  using Ref = Recorder::Ref;

  struct Store {
    std::uint8_t entry;
    Ref value;
    std::int16_t barrier;  // position of the last instruction that reads the same memory, -1 for none
    bool done;
  };

  void mark_used(Ref ref);
  void find_positions();
  void emit_instructions();
  Ref place(Ref ref) const;
  std::uint8_t take_register();
  void release_after(Ref ref, int position);
  void add(Op op, DType type, DType to, std::uint8_t dst, Ref a, Ref b = XP_REF_NONE, Ref c = XP_REF_NONE);
  void collapse();
  std::int32_t run_slices(int axis, xp_error& error);

  Recorder& r_;
  xp_program program_;  // filled field by field

  // Sets as bit masks, and arrays that are filled only as far as they are used: a program of one instruction must not
  // pay for the size of the largest.
  static_assert(Recorder::max_instructions <= 64 && Recorder::max_entries <= 32 && XP_MAX_REGISTERS <= 32);
  std::uint64_t needed_ = 0;       // instructions whose results matter
  std::uint64_t in_register_ = 0;  // instructions whose results are kept beyond the next one
  std::uint32_t loaded_ = 0;       // entries whose memory some instruction or store reads
  std::uint32_t stored_ = 0;       // entries that are written to memory
  std::uint32_t early_ = 0;        // entries that are loaded first, because a store would overtake their reader
  std::array<std::uint8_t, Recorder::max_entries> operand_of_;
  std::array<std::uint8_t, XP_MAX_OPERANDS> entry_of_;  // the inverse
  std::array<std::int16_t, Recorder::max_entries> last_read_;
  std::array<std::int16_t, Recorder::max_instructions> last_use_;
  std::array<std::uint8_t, Recorder::max_instructions> register_of_;
  std::array<std::uint8_t, Recorder::max_entries> early_register_;
  std::array<Store, Recorder::max_entries> stores_;
  int store_count_ = 0;
  int accumulator_ = -1;  // instruction whose result is in the accumulator
  std::uint32_t free_registers_ = 0xffffffffu;
  int register_high_ = 0;

  // Collapsed dimensions beyond XP_MAX_NDIM, outermost first; run one slice at a time.
  std::vector<Index> outer_shape_;
  std::vector<std::vector<Index>> outer_strides_;  // per operand
};

/// Whether the view is one repeated element.
bool all_zero(const Shape& strides);

/// "xp::add", for Kokkos Tools; for the life of the process.
const char* kernel_label(Op op);

}  // namespace xp::detail
