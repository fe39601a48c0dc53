// SPDX-License-Identifier: Apache-2.0
// Lowered programs are kept and found again by their structure: a loop over small arrays records the same operations on
// other storages each time, and lowering costs more than computing ten elements.
#include "device/stats.hpp"
#include "fusion/lowering.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace xp::detail {

struct Recorder::KeptProgram {
  Structure structure{};
  std::array<Instruction, max_instructions> instructions;
  std::array<std::uint8_t, XP_MAX_OPERANDS> entry_of;  // per operand
  xp_program program;
};

struct Recorder::KeptPrograms {
  std::array<KeptProgram, 8> programs;
};

void Recorder::FreeKeptPrograms::operator()(KeptPrograms* kept) const { delete kept; }

// Gives every live result memory on the way. False, with nothing changed, when there is not enough: the general way
// then frees some.
bool Recorder::describe(Structure& structure) {
  structure.width = width_;
  structure.instructions = instruction_count_;
  structure.constants = constant_count_;
  structure.entries = entry_count_;
  structure.reduce_ref = reduce_out_ != nullptr ? reduce_ref_ : static_cast<Ref>(XP_REF_NONE);
  structure.reduce_type = reduce_type_;
  for (int k = 0; k < entry_count_; ++k) structure.entry[static_cast<std::size_t>(k)] = ~std::uint64_t{0};
  Grants grants(*this);
  std::uint32_t live = 0;
  auto give = [&grants](Storage& storage, Entry* entry) {
    const bool enough = grants.give(storage, entry);
    if (!enough) grants.take_back();
    return enough;
  };
  for (std::uint32_t rest = written_slots_; rest != 0; rest &= rest - 1) {
    const int k = std::countr_zero(rest);
    if (!dead(entries_[static_cast<std::size_t>(k)])) live |= 1u << k;
  }
  for (std::uint32_t rest = used_slots_; rest != 0; rest &= rest - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(rest));
    Entry& entry = entries_[k];
    int donor = -1;
    if ((live >> k & 1) != 0) {
      if (!give(*get(entry.storage), &entry)) return false;
      donor = grants.donor();
    }
    structure.entry[k] = static_cast<std::uint64_t>(entry.dtype) | static_cast<std::uint64_t>(entry.load_type) << 8 |
                         static_cast<std::uint64_t>(entry.written ? int{entry.current} : XP_REF_NONE) << 16 |
                         static_cast<std::uint64_t>(donor & 0xff) << 24 | std::uint64_t{entry.read} << 32 |
                         std::uint64_t{entry.written} << 33 | std::uint64_t{live >> k & 1} << 34;
  }
  return reduce_out_ == nullptr || give(*reduce_out_, nullptr);
}

// The place of a program of this structure; whether it is there already.
Recorder::KeptProgram* Recorder::find_kept(const Structure& structure, bool& found) {
  if (kept_ == nullptr) kept_.reset(new KeptPrograms);
  const auto last = static_cast<unsigned>(instructions_[static_cast<std::size_t>(instruction_count_ - 1)].op);
  const unsigned place = static_cast<unsigned>(instruction_count_) + 3 * last + 5 * static_cast<unsigned>(entry_count_);
  KeptProgram& kept = kept_->programs[place % kept_->programs.size()];
  const Structure& other = kept.structure;
  found = structure.width == other.width && structure.instructions == other.instructions &&
          structure.constants == other.constants && structure.entries == other.entries &&
          structure.reduce_ref == other.reduce_ref && structure.reduce_type == other.reduce_type &&
          std::memcmp(structure.entry.data(), other.entry.data(),
                      static_cast<std::size_t>(structure.entries) * sizeof(std::uint64_t)) == 0 &&
          std::memcmp(instructions_.data(), kept.instructions.data(),
                      static_cast<std::size_t>(instruction_count_) * sizeof(Instruction)) == 0;
  return &kept;
}

std::int32_t Recorder::run_kept(KeptProgram& kept, xp_error& error) {
  xp_program& program = kept.program;
  for (int o = 0; o < program.n_operands; ++o) {
    const Entry& entry = entries_[kept.entry_of[static_cast<std::size_t>(o)]];
    program.operands[o].data = static_cast<std::byte*>(get(entry.storage)->data) + entry.offset * itemsize(entry.dtype);
  }
  std::copy_n(constants_.begin(), constant_count_, program.constants);
  program.count = program.shape[0] = count_;
  if (reduce_out_ != nullptr) program.reduce_out = reduce_out_->data;
  counters().kernels.add();
  counters().instructions.add(program.n_instructions);
  return device_.backend->api->run(device_.handle, &program, &error);
}

void Recorder::keep(KeptProgram& kept, const Structure& structure, const Lowering& lowering) {
  kept.structure = structure;
  std::copy_n(instructions_.begin(), instruction_count_, kept.instructions.begin());
  kept.entry_of = lowering.entry_of();
  kept.program = lowering.program();
}

}  // namespace xp::detail
