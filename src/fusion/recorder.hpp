// SPDX-License-Identifier: Apache-2.0
// The open program of one thread on one device: elementwise operations are appended while they can join, then closed
// (launched) as one kernel.
#pragma once

#include <xp/backend.h>
#include <xp/array.hpp>

#include "core/lock.hpp"
#include "core/ops.hpp"
#include "core/promote.hpp"
#include "core/storage.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>

namespace xp::detail {

/// An operand of a recorded operation: an array or a number, converted to dtype `as`.
struct Argument {
  const Operand* operand = nullptr;
  DType as = DType::float64;
};

/// An elementwise operation after checking and promotion. Op::load with one argument is a copy.
struct Operation {
  Op op = Op::load;
  DType type = DType::float64;    // computed in
  DType result = DType::float64;  // of the value
  int count = 0;
  std::array<Argument, 3> arguments{};
};

class Lowering;

class Recorder {
 public:
  /// The calling thread's recorder for the device.
  static Recorder& of(DeviceState& device);

  explicit Recorder(DeviceState& device) : device_(device) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Records the operation into `out`, whose shape the arguments broadcast to, and releases consumed operands. Operands
  /// that overlap `out` without being the same view must have been dealt with. `fresh`: nobody else knows the storage.
  void record(const Operation& operation, const Array& out, bool fresh);

  /// The commonest step of a loop, `x op= number` or `x op= x` on the view that the open program wrote last, without
  /// the checks that such a step cannot fail. False, with nothing done, when it is anything else. `type`: computed in,
  /// and x's dtype.
  bool record_again(Op op, DType type, const Array& target, const Operand& value);

  /// Records `op` on dense arrays of one dtype and shape, in which it computes, or such an array and a number (`b` is
  /// null for one operand), and makes the result `out`. False, with nothing recorded, when it is anything else.
  static bool record_dense(Op op, const OwnResults& results, const Operand& a, const Operand* b, Array& out);

  /// Sums `operand`, converted to `type`, into the single element of `out` (fresh storage of that dtype), as the last
  /// step of the open program if it joins, and launches.
  void record_sum(const Operand& operand, DType type, const Array& out);

  /// Launches the open program, if any. OutOfMemoryError leaves it open; DeviceError marks its outputs failed.
  void close();

  /// Drops the open program without running it (process exit).
  void abandon() noexcept;

  DeviceState& device() const { return device_; }

  /// Launches every other thread's program that reads or writes the storage.
  static void close_foreign(Storage& storage, const Recorder* own);
  /// Launches what the calling thread has recorded, on all devices.
  static void close_current_thread();
  /// Likewise, but programs that lack memory stay open: a read of something else must not fail for them.
  static void close_current_thread_if_possible();
  /// Tries to launch all programs on the device but `own`, to free memory; skips those in use.
  static void close_others_for_memory(DeviceState& device, const Recorder* own) noexcept;

 private:
  friend class Grants;
  friend class Lowering;
  using Ref = std::uint8_t;  // XP_REF_REGISTER + instruction, XP_REF_OPERAND + entry, XP_REF_CONSTANT + constant

  static constexpr int max_entries = XP_MAX_OPERANDS;
  static constexpr int max_instructions = 64;
  // Rebinding a name in a loop leaves a dead result each time; few at once keep every search short.
  static constexpr int collect_every = 8;

  struct Instruction {
    Op op;
    DType type, to;
    Ref a, b, c;
    std::uint8_t zero = 0;  // where padding would be: instructions are compared as bytes
  };

  /// A view that the program reads or writes. Slots of values nobody holds any more are reused.
  struct Entry {
    StorageRef storage;  // empty: free slot
    Index offset = 0;
    DType dtype = DType::float64;
    DType load_type = DType::float64;
    bool read = false;
    bool written = false;       // as in written_slots_
    bool contiguous = false;    // C order over the program's whole shape
    Ref current = XP_REF_NONE;  // value it will hold, when written
    Shape strides;              // over the program's shape; not kept for contiguous ones
  };

  // References that a program held, released after its lock.
  class Garbage {
   public:
    Garbage() noexcept {}  // the storage stays uninitialised
    Garbage(const Garbage&) = delete;
    Garbage& operator=(const Garbage&) = delete;
    ~Garbage() {
      while (count_ > 0) StorageRef(bases_[--count_]).reset();
    }
    void take(StorageRef& ref) noexcept { bases_[count_++] = ref.detach(); }

   private:
    int count_ = 0;
    StorageBase* bases_[2 * max_entries];
  };

  bool same_view(const Entry& entry, const Array& array) const;
  const Shape& strides_of(const Entry& entry) const { return entry.contiguous ? dense_strides_ : entry.strides; }
  bool entry_overlaps(const Entry& entry, const Array& array) const;
  bool joins(const Operation& operation, const Array& out, bool fresh);
  bool takes_input(const Array& array) const;
  static bool is_dense_view(const Entry& entry, const Storage& storage, const Array& array);
  std::uint8_t add_dense_entry(const Array& array);
  Ref dense_value(const Array& array);
  bool append_dense(Op op, DType type, DType returned, const Operand& a, const Operand* b, const Array& lead,
                    const Array* other, Array& out);
  bool record_first(Op op, DType type, const Array& target, const Operand& value);
  bool writes(const Storage& storage) const {
    return storage.writer.load(std::memory_order_relaxed) == this && storage.written_views != 0;
  }
  bool reads_or_writes(const Storage& storage) const;
  bool input_joins(const Array& array) const;
  int take_slot() {
    const int k = std::countr_one(used_slots_);
    used_slots_ |= 1u << k;
    ++used_count_;
    entry_count_ = std::max(entry_count_, k + 1);
    return k;
  }
  /// Lowering adds at most a load and a store per written view.
  bool takes_instructions(int more) const {
    return instruction_count_ + more <= max_instructions &&
           2 * (written_count_ + 1) + instruction_count_ + more <= XP_MAX_INSTRUCTIONS;
  }
  bool has_room(int entries, int instructions, int constants);
  bool dead(const Entry& entry) const;
  void collect_dead_entries();
  /// Whether inputs that nobody else holds any more keep too much memory.
  bool retains_too_much() const {
    const std::size_t bound = device_.pool.limit() / 8;
    return retained_bytes_ > bound && dead_inputs_exceed(bound);
  }
  bool dead_inputs_exceed(std::size_t bound) const;
  void begin(const Array& space, int width);
  Ref load(const Array& array, DType as);
  Ref argument(const Argument& argument);
  Ref constant(const Scalar& scalar, DType as);
  Ref emit(const Instruction& instruction) {
    instructions_[static_cast<std::size_t>(instruction_count_)] = instruction;
    return static_cast<Ref>(instruction_count_++);
  }
  Ref converted(Ref value, DType from, DType to);
  Entry& new_entry(const Array& array);
  void write(const Array& out, Ref value, bool fresh);
  void clear(Garbage& garbage) noexcept;
  /// What a program over dense arrays is lowered to depends on nothing but this and the instructions: not on addresses,
  /// the number of elements or the constants' values.
  struct Structure {
    int width, instructions, constants, entries;
    Ref reduce_ref;
    DType reduce_type;
    std::array<std::uint64_t, max_entries> entry;
  };
  struct KeptPrograms;
  struct KeptProgram;
  struct FreeKeptPrograms {
    void operator()(KeptPrograms* kept) const;
  };
  bool describe(Structure& structure);
  KeptProgram* find_kept(const Structure& structure, bool& found);
  std::int32_t run_kept(KeptProgram& kept, xp_error& error);
  void keep(KeptProgram& kept, const Structure& structure, const Lowering& lowering);
  void launch(Garbage& garbage);
  bool launch_single(Garbage& garbage);
  void fail(std::int32_t code, const xp_error& error, Garbage& garbage);
  bool settle(Storage& storage, bool for_write);
  bool claim(Storage& storage);

  static std::uint32_t next_number() noexcept;

  DeviceState& device_;
  const std::uint32_t number_ = next_number();  // for ReaderSet
  Lock mutex_;
  std::atomic<bool> open_ = false;  // read without the lock by its own thread only
  int width_ = 0;
  int entry_count_ = 0;              // slots in use are below this
  std::uint32_t used_slots_ = 0;     // those with a storage
  std::uint32_t written_slots_ = 0;  // those that the program writes
  int used_count_ = 0;               // bits in the two masks
  int written_count_ = 0;
  int collect_at_ = collect_every;  // written views at which dead ones are looked for
  bool touches_wrapped_ = false;    // some storage is memory of the caller's
  bool is_plain_ = true;            // all entries are dense, and no two of them have one storage
  int instruction_count_ = 0;
  int constant_count_ = 0;
  std::size_t retained_bytes_ = 0;  // of all storages read
  Shape shape_;
  Shape dense_strides_;  // of shape_ in C order
  Index count_ = 0;      // elements of shape_
  std::array<Entry, max_entries> entries_;
  std::array<Instruction, max_instructions> instructions_;
  std::array<xp_constant, XP_MAX_CONSTANTS> constants_;
  std::array<DType, XP_MAX_CONSTANTS> constant_types_;
  // Set while a reduction is the last step.
  Ref reduce_ref_ = XP_REF_NONE;
  DType reduce_type_ = DType::float64;
  Storage* reduce_out_ = nullptr;
  std::unique_ptr<KeptPrograms, FreeKeptPrograms> kept_;
};

/// Whether XP_FUSE and set_fusion() let operations join.
bool fusion_on() noexcept;
/// Whether the calling thread is inside a FusionScope.
bool in_fusion_scope() noexcept;

/// Slot width of a dtype; 0 for bool, which fits every width.
constexpr int slot_width(DType dtype) {
  if (dtype == DType::bool_) return 0;
  if (dtype == DType::complex128) return 128;
  return xp::itemsize(dtype) == 8 ? 64 : 32;
}

/// Whether a program of this width can carry values of the dtype (see xp_program): narrow ones ride in wide slots,
/// except that only real numbers ride with complex128.
constexpr bool fits_slot(DType dtype, int width) {
  if (width == 128) return dtype == DType::bool_ || dtype == DType::complex128 || kind(dtype) == DTypeKind::real;
  return slot_width(dtype) <= width;
}

}  // namespace xp::detail
