// SPDX-License-Identifier: Apache-2.0
// The short ways into the open program, for the commonest operations: dense arrays of one shape and dtype, in which the
// operation computes. They skip the checks that such operations cannot fail, because for ten elements every check
// counts. Each either records the whole operation, or answers that the general way must decide.
#include "core/promote.hpp"
#include "device/stats.hpp"
#include "fusion/constant.hpp"
#include "fusion/recorder.hpp"

#include <algorithm>
#include <bit>

namespace xp::detail {

[[gnu::always_inline]] inline bool Recorder::takes_input(const Array& array) const {
  const Storage& storage = *Access::storage(array);
  if (storage.failure || storage.exposed()) return false;
  const Recorder* writer = storage.writer.load(std::memory_order_acquire);
  return writer == nullptr || writer == this;
}

// Dense entries are one view when they begin at one element of one storage and have one dtype.
[[gnu::always_inline]] inline bool Recorder::is_dense_view(const Entry& entry, const Storage& storage,
                                                           const Array& array) {
  return get(entry.storage) == &storage && entry.contiguous && entry.offset == array.offset() &&
         entry.dtype == array.dtype() && entry.load_type == entry.dtype;
}

[[gnu::always_inline]] inline std::uint8_t Recorder::add_dense_entry(const Array& array) {
  const int k = take_slot();
  Entry& entry = entries_[static_cast<std::size_t>(k)];
  entry.offset = array.offset();
  entry.dtype = entry.load_type = array.dtype();
  entry.read = entry.written = false;
  entry.contiguous = true;
  return static_cast<std::uint8_t>(k);
}

// The value of a dense array, loaded if need be; XP_REF_NONE when the storage has other views in this program.
[[gnu::always_inline]] inline Recorder::Ref Recorder::dense_value(const Array& array) {
  Storage& storage = *Access::storage(array);
  if (writes(storage)) {
    const Entry& entry = entries_[storage.last_written_slot];
    return storage.written_views == 1 && is_dense_view(entry, storage, array) ? entry.current : Ref{XP_REF_NONE};
  }
  std::uint8_t slot;
  if (storage.readers().may_hold(number_)) {
    slot = storage.last_read_slot.load(std::memory_order_relaxed);
    if (!is_dense_view(entries_[slot], storage, array) || !entries_[slot].read) return XP_REF_NONE;
  } else {
    slot = add_dense_entry(array);
    Entry& entry = entries_[slot];
    entry.storage.adopt(&storage);
    entry.read = true;
    storage.readers().add_with_reference(number_);
    storage.last_read_slot.store(slot, std::memory_order_relaxed);
    retained_bytes_ += storage.bytes;
  }
  return static_cast<Ref>(XP_REF_OPERAND + slot);
}

bool Recorder::record_dense(Op op, const OwnResults& results, const Operand& a, const Operand* b, Array& out) {
  const Array& lead = a.is_scalar() ? b->array() : a.array();
  if (!lead.has_value() || !Access::contiguous(lead) || lead.size() == 0) return false;
  const DType type = lead.dtype();
  const std::optional<DType> result = results[static_cast<std::size_t>(type)];
  if (!result) return false;
  const Array* other = nullptr;
  if (b != nullptr) {
    const Operand& second = a.is_scalar() ? a : *b;
    if (second.is_scalar()) {
      if (!is_plain_number(second.scalar(), type)) return false;
    } else {
      other = &second.array();
      if (!other->has_value() || other->dtype() != type || !Access::contiguous(*other) ||
          !(other->shape() == lead.shape()) || &Access::device(*other) != &Access::device(lead))
        return false;
    }
  }
  DeviceState& device = Access::device(lead);
  if (!fusion_on() || !device.usable()) return false;
  return of(device).append_dense(op, type, *result, a, b, lead, other, out);
}

bool Recorder::append_dense(Op op, DType type, DType returned, const Operand& a, const Operand* b, const Array& lead,
                            const Array* other, Array& out) {
  if (!takes_input(lead) || (other != nullptr && !takes_input(*other))) return false;
  const std::lock_guard lock(mutex_);
  if (!open_.load(std::memory_order_relaxed)) {
    begin(lead, slot_width(type));
  } else if ((slot_width(type) != 0 && slot_width(type) != width_) || touches_wrapped_ ||
             used_count_ + 3 > max_entries || constant_count_ + 1 > XP_MAX_CONSTANTS || !takes_instructions(1) ||
             written_count_ >= collect_at_ || !(lead.shape() == shape_) || retains_too_much()) {
    return false;
  }
  auto value = [&](const Operand& operand) {
    return operand.is_scalar() ? constant(operand.scalar(), type) : dense_value(operand.array());
  };
  const Ref first = value(a);
  if (first == XP_REF_NONE) return false;
  const Ref second = b != nullptr ? value(*b) : Ref{XP_REF_NONE};
  if (b != nullptr && second == XP_REF_NONE) return false;
  const Ref result = emit({op, type, returned, first, second, XP_REF_NONE});
  counters().operations.add();

  // A temporary that only this expression and this program hold takes the result, as `op=` would.
  for (const Operand* operand : {&a, b}) {
    if (operand == nullptr || !operand->is_consumed()) continue;
    const Array& temporary = operand->array();
    Storage& storage = *Access::storage(temporary);
    if (temporary.dtype() != returned || !writes(storage) || storage.data != nullptr || storage.references() != 2)
      continue;
    Entry& entry = entries_[storage.last_written_slot];
    if (entry.read || entry.offset != 0 || storage.bytes != static_cast<std::size_t>(temporary.nbytes())) continue;
    entry.current = result;
    out = std::move(const_cast<Array&>(temporary));
    if (other != nullptr) (operand == &a ? *b : a).release();
    return true;
  }
  Access::make_like(out, device_, returned, lead);
  Storage& storage = *Access::storage(out);
  storage.holds.store(2, std::memory_order_relaxed);  // the handle's and the program's; nobody else has it yet
  const std::uint8_t slot = add_dense_entry(out);
  Entry& entry = entries_[slot];
  entry.storage.adopt(&storage);
  entry.written = true;
  entry.current = result;
  written_slots_ |= 1u << slot;
  ++written_count_;
  storage.written_views = 1;
  storage.last_written_slot = slot;
  storage.writer.store(this, std::memory_order_release);
  // The program holds every storage it refers to, so nothing is destroyed here.
  a.release();
  if (b != nullptr) b->release();
  return true;
}

bool Recorder::record_again(Op op, DType type, const Array& target, const Operand& value) {
  Storage& storage = *Access::storage(target);
  if (!fusion_on() || storage.exposed()) return false;
  const Recorder* writer = storage.writer.load(std::memory_order_relaxed);
  if (writer == nullptr && !open_.load(std::memory_order_relaxed)) return record_first(op, type, target, value);
  // Read without the lock: only this thread makes this recorder the writer, and another that closes the program
  // meanwhile is seen under the lock.
  if (writer != this) return false;
  const std::lock_guard lock(mutex_);
  if (!writes(storage) || storage.written_views != 1 || storage.readers().any_but(number_)) return false;
  Entry& entry = entries_[storage.last_written_slot];
  if (!Access::contiguous(target) || !(target.shape() == shape_) || !same_view(entry, target)) return false;
  if (const int need = slot_width(type); need != 0 && need != width_) return false;
  // Other views of the storage may be read by this program: then the general way decides.
  if (storage.readers().may_hold(number_) && !entry.read) return false;
  if (constant_count_ + 1 > XP_MAX_CONSTANTS || !takes_instructions(1) || retains_too_much()) return false;
  if (entry.read) {
    for (std::uint32_t rest = used_slots_; rest != 0; rest &= rest - 1) {
      const Entry& other = entries_[static_cast<std::size_t>(std::countr_zero(rest))];
      if (&other != &entry && get(other.storage) == &storage) return false;
    }
  }
  const Ref b = value.is_scalar() ? constant(value.scalar(), type) : entry.current;
  entry.current = emit({op, type, type, entry.current, b, XP_REF_NONE});
  counters().operations.add();
  return true;
}

// The same as the first step of a program.
bool Recorder::record_first(Op op, DType type, const Array& target, const Operand& value) {
  Storage& storage = *Access::storage(target);
  if (!Access::contiguous(target) || target.size() == 0 || storage.failure || storage.readers().any()) return false;
  const std::lock_guard lock(mutex_);
  if (!claim(storage)) return false;
  begin(target, slot_width(type));
  const Ref first = load(target, type);
  const Ref second = value.is_scalar() ? constant(value.scalar(), type) : first;
  write(target, emit({op, type, type, first, second, XP_REF_NONE}), false);
  counters().operations.add();
  return true;
}

}  // namespace xp::detail
