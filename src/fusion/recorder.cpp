// SPDX-License-Identifier: Apache-2.0
#include "fusion/recorder.hpp"

#include "device/stats.hpp"
#include "fusion/constant.hpp"
#include "fusion/lowering.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace xp {
namespace detail {
namespace {

// Recorders are never destroyed, because storages may name one at any time; those of ended threads are used again.
struct Registry {
  std::mutex mutex;
  std::vector<Recorder*> all;
  std::array<std::vector<Recorder*>, max_devices> idle;
};

Registry& registry() {
  static Registry& instance = *new Registry;
  return instance;
}

struct ThreadTable {
  int count = 0;  // slots in use are below this
  std::array<Recorder*, max_devices> recorders{};
};

// A plain pointer, so that reading it needs no guard and it outlives the thread's destructors.
[[gnu::tls_model("initial-exec")]] thread_local ThreadTable* thread_table = nullptr;
thread_local int fusion_scopes = 0;

// At the end of a thread its programs are launched, since other threads may hold their results. At the end of the
// process they are dropped.
struct ThreadEnd {
  ~ThreadEnd() {
    if (thread_table == nullptr) return;
    const bool process_ends = syscall(SYS_gettid) == getpid();
    for (Recorder* recorder : thread_table->recorders) {
      if (recorder == nullptr) continue;
      if (process_ends) {
        recorder->abandon();
        continue;
      }
      try {
        recorder->close();
      } catch (const Error&) {
        // Out of memory leaves the program open, for whoever reads a result; a fault is stored in the results.
      }
      Registry& r = registry();
      const std::lock_guard lock(r.mutex);
      r.idle[static_cast<std::size_t>(recorder->device().index)].push_back(recorder);
    }
    delete thread_table;
    thread_table = nullptr;
  }
};

// Out of line, so that of() needs no frame.
[[gnu::noinline]] Recorder& make_recorder(DeviceState& device) {
  thread_local ThreadEnd at_end;
  static_cast<void>(at_end);
  if (thread_table == nullptr) thread_table = new ThreadTable{};
  thread_table->count = std::max(thread_table->count, device.index + 1);
  Recorder*& slot = thread_table->recorders[static_cast<std::size_t>(device.index)];
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  auto& idle = r.idle[static_cast<std::size_t>(device.index)];
  if (!idle.empty()) {
    slot = idle.back();
    idle.pop_back();
  } else {
    slot = new Recorder(device);
    r.all.push_back(slot);
  }
  return *slot;
}

std::vector<Recorder*> all_recorders() {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  return r.all;
}

// -1 until the environment has been read: a function-local static would be guarded at every operation.
constinit std::atomic<int> fusion_flag{-1};

[[gnu::noinline]] bool read_fusion_flag() {
  const char* text = std::getenv("XP_FUSE");  // fuse_setting() without errors: a device was not opened with those
  int unread = -1;
  fusion_flag.compare_exchange_strong(unread, text == nullptr || std::string_view(text) != "0" ? 1 : 0);
  return fusion_flag.load() != 0;
}

// Lets the same bits be one constant.
bool same_bits(const xp_constant& a, const xp_constant& b) { return a.u64[0] == b.u64[0] && a.u64[1] == b.u64[1]; }

}  // namespace

bool fusion_on() noexcept {
  const int flag = fusion_flag.load(std::memory_order_relaxed);
  return flag < 0 ? read_fusion_flag() : flag != 0;
}
bool in_fusion_scope() noexcept { return fusion_scopes > 0; }

std::uint32_t Recorder::next_number() noexcept {
  static std::atomic<std::uint32_t> last{0};
  return ++last;
}

Recorder& Recorder::of(DeviceState& device) {
  if (thread_table != nullptr) {
    if (Recorder* recorder = thread_table->recorders[static_cast<std::size_t>(device.index)]) return *recorder;
  }
  return make_recorder(device);
}

// ---- joining ----

bool Recorder::same_view(const Entry& entry, const Array& array) const {
  if (get(entry.storage) != Access::storage(array) || entry.offset != array.offset() || entry.dtype != array.dtype())
    return false;
  if (entry.contiguous && Access::contiguous(array) && array.size() == count_ && array.shape() == shape_) return true;
  const Shape& strides = strides_of(entry);
  if (array.shape() == shape_ && strides == array.strides()) return true;
  return strides == broadcast_strides(array.shape(), array.strides(), shape_);
}

bool Recorder::entry_overlaps(const Entry& entry, const Array& array) const {
  const Storage *mine = get(entry.storage), *other = Access::storage(array);
  // Two wrapped storages may be the same memory under two names.
  if (mine != other && !((mine->wrapped || other->wrapped) && mine->data && other->data)) return false;
  const auto base = reinterpret_cast<std::intptr_t>(mine->data ? mine->data : static_cast<const void*>(mine));
  const ByteView view{base + entry.offset * itemsize(entry.dtype), itemsize(entry.dtype), &shape_, &strides_of(entry)};
  return overlaps(view, byte_view(array));
}

bool Recorder::reads_or_writes(const Storage& storage) const {
  return writes(storage) || storage.readers().may_hold(number_);
}

bool Recorder::input_joins(const Array& array) const {
  const Storage& storage = *Access::storage(array);
  // What this program does not write cannot be in its way, unless memory goes by two names.
  if (!touches_wrapped_ && !storage.wrapped) {
    if (!writes(storage)) return true;
    if (storage.written_views == 1 && same_view(entries_[storage.last_written_slot], array)) return true;
  }
  for (std::uint32_t rest = written_slots_; rest != 0; rest &= rest - 1) {
    const Entry& entry = entries_[static_cast<std::size_t>(std::countr_zero(rest))];
    if (get(entry.storage) != &storage && !touches_wrapped_ && !storage.wrapped) continue;
    if (!same_view(entry, array) && entry_overlaps(entry, array)) return false;
  }
  return true;
}

bool Recorder::has_room(int entries, int instructions, int constants) {
  auto fits = [&] { return max_entries - used_count_ >= entries && takes_instructions(instructions); };
  if (instruction_count_ + instructions > max_instructions || constant_count_ + constants > XP_MAX_CONSTANTS)
    return false;
  if (written_count_ < collect_at_ && fits()) return true;
  collect_dead_entries();
  collect_at_ = written_count_ + collect_every;
  return fits();
}

bool Recorder::dead(const Entry& entry) const {
  const Storage& storage = *get(entry.storage);
  if (storage.exposed()) return false;
  const auto references = static_cast<std::int64_t>(storage.references());
  if (references == 1) return true;
  if (references > entry_count_) return false;
  std::int64_t own = 0;
  for (int k = 0; k < entry_count_; ++k) own += get(entries_[static_cast<std::size_t>(k)].storage) == &storage;
  return own == references;
}

void Recorder::collect_dead_entries() {
  // Only results without memory: their storages go without ceremony, and no read of the program refers to them.
  for (std::uint32_t rest = written_slots_; rest != 0; rest &= rest - 1) {
    const int k = std::countr_zero(rest);
    Entry& entry = entries_[static_cast<std::size_t>(k)];
    if (entry.read || get(entry.storage)->data != nullptr || !dead(entry)) continue;
    Storage& storage = *get(entry.storage);
    if (--storage.written_views == 0) storage.writer.store(nullptr, std::memory_order_release);
    entry.storage.reset();
    entry.written = false;
    used_slots_ &= ~(1u << k);
    written_slots_ &= ~(1u << k);
    --used_count_;
    --written_count_;
  }
}

bool Recorder::dead_inputs_exceed(std::size_t bound) const {
  std::size_t dead_bytes = 0;
  for (int k = 0; k < entry_count_; ++k) {
    const Entry& entry = entries_[static_cast<std::size_t>(k)];
    if (entry.storage && entry.read && dead(entry)) dead_bytes += get(entry.storage)->bytes;
  }
  return dead_bytes > bound;
}

bool Recorder::joins(const Operation& operation, const Array& out, bool fresh) {
  if (!(out.shape() == shape_)) return false;
  if (operation.op == Op::load) {
    if (!fits_slot(operation.type, width_)) return false;
  } else if (const int need = slot_width(operation.type); need != 0 && need != width_) {
    return false;
  }
  if (!fits_slot(operation.result, width_) || !fits_slot(out.dtype(), width_)) return false;
  for (int i = 0; i < operation.count; ++i) {
    const Argument& argument = operation.arguments[static_cast<std::size_t>(i)];
    if (argument.operand->is_scalar()) continue;
    const Array& array = argument.operand->array();
    if (!input_joins(array)) return false;
  }
  if (!fresh && (touches_wrapped_ || Access::storage(out)->wrapped || reads_or_writes(*Access::storage(out)))) {
    for (std::uint32_t rest = used_slots_; rest != 0; rest &= rest - 1) {
      const Entry& entry = entries_[static_cast<std::size_t>(std::countr_zero(rest))];
      if (!same_view(entry, out) && entry_overlaps(entry, out)) return false;
    }
  }
  return has_room(operation.count + 1, operation.count + 2, operation.count) && !retains_too_much();
}

// ---- appending ----

void Recorder::begin(const Array& space, int width) {
  open_.store(true, std::memory_order_relaxed);
  shape_ = space.shape();
  dense_strides_ = Access::contiguous(space) ? space.strides() : contiguous_strides(shape_);
  count_ = space.size();
  width_ = width == 0 ? 32 : width;
}

Recorder::Entry& Recorder::new_entry(const Array& array) {
  const int k = take_slot();
  touches_wrapped_ |= Access::storage(array)->wrapped;
  Entry& entry = entries_[static_cast<std::size_t>(k)];
  entry.storage.hold(Access::storage(array));
  entry.offset = array.offset();
  entry.dtype = entry.load_type = array.dtype();
  entry.read = entry.written = false;
  entry.current = XP_REF_NONE;
  const bool whole = array.size() == count_ && array.shape() == shape_;
  entry.contiguous = whole && Access::contiguous(array);
  is_plain_ &= entry.contiguous && !touches_wrapped_;
  if (!entry.contiguous)
    entry.strides = whole ? array.strides() : broadcast_strides(array.shape(), array.strides(), shape_);
  return entry;
}

Recorder::Ref Recorder::converted(Ref value, DType from, DType to) {
  if (from == to) return value;
  return emit({Op::cast, from, to, value, XP_REF_NONE, XP_REF_NONE});
}

Recorder::Ref Recorder::load(const Array& array, DType as) {
  Storage& storage = *Access::storage(array);
  const bool is_written = writes(storage);
  if (is_written) {
    // Mostly the value is asked for through the view that was written last.
    const Entry& entry = entries_[storage.last_written_slot];
    if (get(entry.storage) == &storage && entry.written && same_view(entry, array))
      return converted(entry.current, entry.dtype, as);
  }
  Entry* match = nullptr;
  bool storage_read = false;
  if (is_written || storage.readers().may_hold(number_)) {
    for (std::uint32_t rest = used_slots_; rest != 0; rest &= rest - 1) {
      Entry& entry = entries_[static_cast<std::size_t>(std::countr_zero(rest))];
      if (get(entry.storage) != &storage) continue;
      storage_read |= entry.read;
      if (!same_view(entry, array)) continue;
      if (entry.written) return converted(entry.current, entry.dtype, as);
      if (entry.load_type != as) continue;
      match = &entry;
      if (!is_written) break;
    }
  }
  if (match == nullptr) {
    is_plain_ &= !is_written && !storage_read;
    match = &new_entry(array);
    match->load_type = as;
  }
  if (!match->read) {
    match->read = true;
    if (!storage_read) {
      storage.readers().add(number_);
      retained_bytes_ += storage.bytes;
    }
  }
  return static_cast<Ref>(XP_REF_OPERAND + (match - entries_.data()));
}

Recorder::Ref Recorder::constant(const Scalar& scalar, DType as) {
  const xp_constant bits = constant_bits(scalar, as, width_);
  for (int i = 0; i < constant_count_; ++i)
    if (same_bits(constants_[static_cast<std::size_t>(i)], bits)) return static_cast<Ref>(XP_REF_CONSTANT + i);
  constants_[static_cast<std::size_t>(constant_count_)] = bits;
  return static_cast<Ref>(XP_REF_CONSTANT + constant_count_++);
}

Recorder::Ref Recorder::argument(const Argument& argument) {
  return argument.operand->is_scalar() ? constant(argument.operand->scalar(), argument.as)
                                       : load(argument.operand->array(), argument.as);
}

void Recorder::write(const Array& out, Ref value, bool fresh) {
  Entry* target = nullptr;
  Storage& storage = *Access::storage(out);
  if (!fresh && reads_or_writes(storage)) {
    if (writes(storage)) {
      Entry& entry = entries_[storage.last_written_slot];
      if (get(entry.storage) == &storage && entry.written && same_view(entry, out)) target = &entry;
    }
    for (std::uint32_t rest = used_slots_; rest != 0 && target == nullptr; rest &= rest - 1) {
      Entry& entry = entries_[static_cast<std::size_t>(std::countr_zero(rest))];
      // A view loaded as another dtype keeps its own entry: stores go through one that loads as it stores.
      if (entry.load_type == entry.dtype && same_view(entry, out)) target = &entry;
    }
  }
  if (target == nullptr) {
    is_plain_ &= fresh || !reads_or_writes(storage);
    target = &new_entry(out);
  }
  if (!target->written) {
    target->written = true;
    written_slots_ |= 1u << (target - entries_.data());
    ++written_count_;
    ++storage.written_views;
    if (fresh) storage.writer.store(this, std::memory_order_release);
  }
  storage.last_written_slot = static_cast<std::uint8_t>(target - entries_.data());
  target->current = value;
}

// Launches what other threads have recorded on the storage and checks that it has a value. Whether it is exposed.
bool Recorder::settle(Storage& storage, bool for_write) {
  if (storage.failure) [[unlikely]]
    throw DeviceError(*storage.failure);
  const Recorder* writer = storage.writer.load(std::memory_order_acquire);
  if ((writer != nullptr && writer != this) || (for_write && storage.readers().any_but(number_))) [[unlikely]]
    close_foreign(storage, this);
  return storage.exposed();
}

// Makes this recorder the writer of the storage. False when another one is: threads may write parts of one array that
// do not overlap, but only one of them at a time has such writes pending.
bool Recorder::claim(Storage& storage) {
  if (storage.writer.load(std::memory_order_relaxed) == this) return true;
  Recorder* nobody = nullptr;
  if (!storage.writer.compare_exchange_strong(nobody, this, std::memory_order_acq_rel)) return false;
  storage.written_views = 0;
  return true;
}

void Recorder::record(const Operation& operation, const Array& out, bool fresh) {
  device_.check_usable();
  counters().operations.add();
  Garbage garbage;  // before the lock, so that it is emptied after it
  for (;;) {
    bool exposed = !fresh && settle(*Access::storage(out), true);
    for (int i = 0; i < operation.count; ++i) {
      const Operand& operand = *operation.arguments[static_cast<std::size_t>(i)].operand;
      if (!operand.is_scalar()) exposed |= settle(*Access::storage(operand.array()), false);
    }
    const std::lock_guard lock(mutex_);
    if (open_.load(std::memory_order_relaxed) && !joins(operation, out, fresh)) launch(garbage);
    if (!fresh && !claim(*Access::storage(out))) continue;
    if (!open_.load(std::memory_order_relaxed))
      begin(out, std::max(slot_width(operation.type), slot_width(operation.result)));
    Ref refs[3] = {XP_REF_NONE, XP_REF_NONE, XP_REF_NONE};
    for (int i = 0; i < operation.count; ++i) refs[i] = argument(operation.arguments[static_cast<std::size_t>(i)]);
    const Ref value = operation.op == Op::load
                          ? refs[0]
                          : emit({operation.op, operation.type, operation.result, refs[0], refs[1], refs[2]});
    write(out, converted(value, operation.result, out.dtype()), fresh);
    // The program holds every storage it refers to, so nothing is destroyed here.
    for (int i = 0; i < operation.count; ++i) operation.arguments[static_cast<std::size_t>(i)].operand->release();
    if (!fusion_on() || (exposed && !in_fusion_scope())) launch(garbage);
    return;
  }
}

void Recorder::record_sum(const Operand& operand, DType type, const Array& out) {
  device_.check_usable();
  settle(*Access::storage(operand.array()), false);
  counters().operations.add();

  Garbage garbage;
  const std::lock_guard lock(mutex_);
  const Array& array = operand.array();
  // The order of additions follows the array's own shape, so only a program over that very shape can take the sum
  // along; and a backend takes no more axes than XP_MAX_NDIM in a given order.
  auto takes_sum = [&] {
    return array.shape() == shape_ && slot_width(type) == width_ && shape_.size() <= XP_MAX_NDIM &&
           input_joins(array) && has_room(1, 2, 0);
  };
  if (open_ && !takes_sum()) launch(garbage);
  if (!open_) begin(array, slot_width(type));
  reduce_ref_ = load(array, type);
  reduce_type_ = type;
  reduce_out_ = Access::storage(out);
  operand.release();
  try {
    launch(garbage);
  } catch (...) {
    reduce_out_ = nullptr;
    reduce_ref_ = XP_REF_NONE;
    throw;
  }
}

// ---- closing ----

void Recorder::clear(Garbage& garbage) noexcept {
  for (std::uint32_t rest = used_slots_; rest != 0; rest &= rest - 1) {
    const int k = std::countr_zero(rest);
    Entry& entry = entries_[static_cast<std::size_t>(k)];
    Storage& storage = *get(entry.storage);
    if (entry.written) storage.writer.store(nullptr, std::memory_order_release);
    if (entry.read) {
      // Counted once, however many views of it were read.
      bool read_again = false;
      for (std::uint32_t later = is_plain_ ? 0 : rest & (rest - 1); later != 0 && !read_again; later &= later - 1) {
        const Entry& other = entries_[static_cast<std::size_t>(std::countr_zero(later))];
        read_again = other.read && get(other.storage) == &storage;
      }
      if (!read_again && storage.readers().remove_with_reference()) {
        entry.storage.detach();
        continue;
      }
    }
    garbage.take(entry.storage);
  }
  entry_count_ = instruction_count_ = constant_count_ = 0;
  used_slots_ = written_slots_ = 0;
  used_count_ = written_count_ = 0;
  collect_at_ = collect_every;
  touches_wrapped_ = false;
  is_plain_ = true;
  retained_bytes_ = 0;
  reduce_out_ = nullptr;
  reduce_ref_ = XP_REF_NONE;
  open_.store(false, std::memory_order_relaxed);
}

void Recorder::launch(Garbage& garbage) {
  if (instruction_count_ <= 1 && written_count_ == 1 && reduce_out_ == nullptr && launch_single(garbage)) return;
  std::int32_t code = XP_UNAVAILABLE;
  xp_error error;
  error.size = sizeof error;
  error.message[0] = '\0';
  Structure structure;
  KeptProgram* kept = nullptr;
  bool found = false;
  if (is_plain_ && instruction_count_ != 0 && device_.usable() && describe(structure))
    kept = find_kept(structure, found);
  if (found) {
    code = run_kept(*kept, error);
  } else {
    Lowering lowering(*this);
    if (!lowering.select()) {
      clear(garbage);
      return;
    }
    if (device_.usable()) {
      lowering.allocate();
      code = lowering.run(error);
    }
    if (code == XP_OK && kept != nullptr) keep(*kept, structure, lowering);
  }
  if (code == XP_OK) [[likely]] {
    clear(garbage);
    return;
  }
  fail(code, error, garbage);
}

// Throws what the backend answered.
void Recorder::fail(std::int32_t code, const xp_error& error, Garbage& garbage) {
  // A refusal before anything ran leaves the program open, as a lack of memory does.
  if (code == XP_OUT_OF_MEMORY || code == XP_IN_PARALLEL) device_.check(code, error);
  try {
    device_.check_usable();
    device_.check(code, error);
  } catch (const Error& fault) {
    // The results have no value: reading one throws the same again.
    for (std::uint32_t rest = written_slots_; rest != 0; rest &= rest - 1) {
      Storage& storage = *get(entries_[static_cast<std::size_t>(std::countr_zero(rest))].storage);
      if (!storage.failure) storage.failure = std::make_unique<std::string>(fault.what());
    }
    if (reduce_out_ != nullptr) reduce_out_->failure = std::make_unique<std::string>(fault.what());
    clear(garbage);
    throw;
  }
}

void Recorder::close() {
  Garbage garbage;
  const std::lock_guard lock(mutex_);
  if (open_.load(std::memory_order_relaxed)) launch(garbage);
}

void Recorder::abandon() noexcept {
  Garbage garbage;
  const std::lock_guard lock(mutex_);
  clear(garbage);
}

void Recorder::close_foreign(Storage& storage, const Recorder* own) {
  Recorder* writer = storage.writer.load(std::memory_order_acquire);
  if (writer != nullptr && writer != own) writer->close();
  if (!storage.readers().any_but(own != nullptr ? own->number_ : 0)) return;
  for (Recorder* recorder : all_recorders()) {
    if (recorder == own || &recorder->device_ != storage.device) continue;
    bool reads = false;
    {
      const std::lock_guard lock(recorder->mutex_);
      for (int k = 0; k < recorder->entry_count_; ++k)
        reads |= get(recorder->entries_[static_cast<std::size_t>(k)].storage) == &storage;
    }
    if (reads) recorder->close();
  }
}

void Recorder::close_current_thread() {
  if (thread_table == nullptr) return;
  for (int i = 0; i < thread_table->count; ++i) {
    Recorder* recorder = thread_table->recorders[static_cast<std::size_t>(i)];
    // Only this thread opens its programs, so a closed one stays closed while we look.
    if (recorder != nullptr && recorder->open_.load(std::memory_order_relaxed)) recorder->close();
  }
}

void Recorder::close_current_thread_if_possible() {
  try {
    close_current_thread();
  } catch (const OutOfMemoryError&) {
    // Whoever reads what they are to compute meets it again.
  }
}

void Recorder::close_others_for_memory(DeviceState& device, const Recorder* own) noexcept {
  for (Recorder* recorder : all_recorders()) {
    if (recorder == own || &recorder->device_ != &device) continue;
    Garbage garbage;
    const std::unique_lock<Lock> lock(recorder->mutex_, std::try_to_lock);
    if (!lock.owns_lock() || !recorder->open_) continue;
    try {
      recorder->launch(garbage);
    } catch (const std::exception&) {
      // It stays open; its own thread will meet the same error.
    }
  }
}

}  // namespace detail

void eval() { detail::Recorder::close_current_thread(); }

bool fusion_enabled() {
  if (detail::fusion_flag.load(std::memory_order_relaxed) < 0) detail::fuse_setting();
  return detail::fusion_on();
}

void set_fusion(bool enabled) {
  detail::Recorder::close_current_thread();
  detail::fusion_flag.store(enabled ? 1 : 0, std::memory_order_relaxed);
}

FusionScope::FusionScope() { ++detail::fusion_scopes; }

FusionScope::~FusionScope() {
  if (--detail::fusion_scopes > 0) return;
  try {
    detail::Recorder::close_current_thread();
  } catch (const Error&) {
    // A destructor cannot report it; the results do when they are read.
  }
}

}  // namespace xp
