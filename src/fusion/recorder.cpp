// SPDX-License-Identifier: Apache-2.0
#include "fusion/recorder.hpp"

#include "core/promote.hpp"
#include "device/stats.hpp"
#include "fusion/lowering.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
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

using ThreadTable = std::array<Recorder*, max_devices>;

// A plain pointer, so that reading it needs no guard and it outlives the thread's destructors.
[[gnu::tls_model("initial-exec")]] thread_local ThreadTable* thread_table = nullptr;
thread_local int fusion_scopes = 0;

// At the end of a thread its programs are launched, since other threads may hold their results. At the end of the process
// they are dropped.
struct ThreadEnd {
  ~ThreadEnd() {
    if (thread_table == nullptr) return;
    const bool process_ends = syscall(SYS_gettid) == getpid();
    for (Recorder* recorder : *thread_table) {
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

Recorder& make_recorder(DeviceState& device) {
  thread_local ThreadEnd at_end;
  static_cast<void>(at_end);
  if (thread_table == nullptr) thread_table = new ThreadTable{};
  Recorder*& slot = (*thread_table)[static_cast<std::size_t>(device.index)];
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

std::atomic<bool>& fusion_flag() {
  static std::atomic<bool> flag = [] {
    const char* text = std::getenv("XP_FUSE");
    return text == nullptr || std::string_view(text) != "0";
  }();
  return flag;
}

// Lets the same bits be one constant.
bool same_bits(const xp_constant& a, const xp_constant& b) { return a.u64[0] == b.u64[0] && a.u64[1] == b.u64[1]; }

std::int64_t wrap_to(DType dtype, std::int64_t value) {
  switch (dtype) {
    case DType::int8:
      return static_cast<std::int8_t>(value);
    case DType::int16:
      return static_cast<std::int16_t>(value);
    case DType::int32:
      return static_cast<std::int32_t>(value);
    case DType::uint8:
      return static_cast<std::uint8_t>(value);
    case DType::uint16:
      return static_cast<std::uint16_t>(value);
    case DType::uint32:
      return static_cast<std::uint32_t>(value);
    default:
      return value;
  }
}

// As the kernels cast: truncated, saturated, NaN gives 0.
std::int64_t integer_from(double value, DType dtype) {
  if (value != value) return 0;
  const int bits = static_cast<int>(8 * itemsize(dtype));
  if (kind(dtype) == DTypeKind::unsigned_integer) {
    if (value <= 0) return 0;
    if (value >= 0x1p63 * 2 || (bits < 64 && value >= static_cast<double>(std::uint64_t{1} << bits)))
      return static_cast<std::int64_t>(bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(value));
  }
  const double limit = static_cast<double>(std::uint64_t{1} << (bits - 1));
  if (value >= limit) return static_cast<std::int64_t>((std::uint64_t{1} << (bits - 1)) - 1);
  if (value <= -limit) return bits == 64 ? INT64_MIN : -(std::int64_t{1} << (bits - 1));
  return static_cast<std::int64_t>(value);
}

// Rounded so that a second rounding, to 16 bits, gives what one rounding would: towards zero, last bit set if inexact.
float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || value != value || nearest == 0) return nearest;
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  if (std::abs(static_cast<double>(nearest)) > std::abs(value)) --bits;
  return std::bit_cast<float>(bits | 1);
}

double round_to(DType dtype, double value) {
  switch (dtype) {
    case DType::float32:
      return static_cast<double>(static_cast<float>(value));
    case DType::float16:
      return static_cast<double>(static_cast<float>(Half(round_to_odd(value))));
    case DType::bfloat16:
      return static_cast<double>(static_cast<float>(BFloat16(round_to_odd(value))));
    default:
      return value;
  }
}

// A number as a value of `dtype` in a slot of `width` bits.
xp_constant constant_bits(const Scalar& scalar, DType dtype, int width) {
  xp_constant bits{};
  const bool integral = scalar.kind() <= Scalar::Kind::unsigned_integer;
  switch (kind(dtype)) {
    case DTypeKind::boolean: {
      const bool truth = integral ? scalar.integer() != 0 : scalar.real() != 0 || scalar.imag() != 0;
      if (width == 32)
        bits.u32[0] = truth;
      else
        bits.u64[0] = truth;
      break;
    }
    case DTypeKind::signed_integer:
    case DTypeKind::unsigned_integer: {
      const std::int64_t value =
          integral ? wrap_to(dtype, scalar.integer()) : integer_from(scalar.real(), dtype);
      if (width == 32)
        bits.u32[0] = static_cast<std::uint32_t>(value);
      else
        bits.i64[0] = value;
      break;
    }
    case DTypeKind::real: {
      const double value = round_to(dtype, scalar.real());
      if (width == 32)
        bits.f32[0] = static_cast<float>(value);
      else
        bits.f64[0] = value;
      break;
    }
    case DTypeKind::complex:
      if (width == 64) {
        bits.f32[0] = static_cast<float>(scalar.real());
        bits.f32[1] = static_cast<float>(scalar.imag());
      } else if (dtype == DType::complex64) {
        bits.f64[0] = round_to(DType::float32, scalar.real());
        bits.f64[1] = round_to(DType::float32, scalar.imag());
      } else {
        bits.f64[0] = scalar.real();
        bits.f64[1] = scalar.imag();
      }
      break;
  }
  return bits;
}

}  // namespace

bool fusion_on() noexcept { return fusion_flag().load(std::memory_order_relaxed); }
bool in_fusion_scope() noexcept { return fusion_scopes > 0; }

Recorder& Recorder::of(DeviceState& device) {
  if (thread_table != nullptr) {
    if (Recorder* recorder = (*thread_table)[static_cast<std::size_t>(device.index)]) return *recorder;
  }
  return make_recorder(device);
}

// --- joining ---------------------------------------------------------------------------------------------------------

bool Recorder::same_view(const Entry& entry, const Array& array) const {
  if (get(entry.storage) != Access::storage(array) || entry.offset != array.offset() || entry.dtype != array.dtype())
    return false;
  if (array.shape() == shape_) {
    if (entry.contiguous && Access::contiguous(array)) return true;
    return entry.strides == array.strides() ||
           entry.strides == broadcast_strides(array.shape(), array.strides(), shape_);
  }
  return entry.strides == broadcast_strides(array.shape(), array.strides(), shape_);
}

bool Recorder::entry_overlaps(const Entry& entry, const Array& array) const {
  const Storage *mine = get(entry.storage), *other = Access::storage(array);
  // Two wrapped storages may be the same memory under two names.
  if (mine != other && !((mine->wrapped || other->wrapped) && mine->data && other->data)) return false;
  const auto base = reinterpret_cast<std::intptr_t>(mine->data ? mine->data : static_cast<const void*>(mine));
  const ByteView view{base + entry.offset * itemsize(entry.dtype), itemsize(entry.dtype), &shape_, &entry.strides};
  return overlaps(view, byte_view(array));
}

bool Recorder::input_joins(const Array& array) const {
  for (int k = 0; k < entry_count_; ++k) {
    const Entry& entry = entries_[static_cast<std::size_t>(k)];
    if (!entry.storage || !entry.written) continue;
    if (get(entry.storage) != Access::storage(array) && !get(entry.storage)->wrapped) continue;
    if (!same_view(entry, array) && entry_overlaps(entry, array)) return false;
  }
  return true;
}

bool Recorder::has_room(int entries, int instructions, int constants) {
  auto fits = [&] {
    int free_slots = max_entries - entry_count_;
    for (int k = 0; k < entry_count_ && free_slots < entries; ++k)
      free_slots += !entries_[static_cast<std::size_t>(k)].storage;
    // Lowering adds at most a load and a store per written view.
    return free_slots >= entries && 2 * (written_count_ + 1) + instruction_count_ + instructions <= XP_MAX_INSTRUCTIONS;
  };
  if (instruction_count_ + instructions > max_instructions || constant_count_ + constants > XP_MAX_CONSTANTS)
    return false;
  if (fits()) return true;
  collect_dead_entries();
  return fits();
}

bool Recorder::dead(const Entry& entry) const {
  const Storage& storage = *get(entry.storage);
  if (storage.exposed()) return false;
  const std::int64_t references = storage.references.load(std::memory_order_acquire);
  if (references == 1) return true;
  if (references > entry_count_) return false;
  std::int64_t own = 0;
  for (int k = 0; k < entry_count_; ++k) own += get(entries_[static_cast<std::size_t>(k)].storage) == &storage;
  return own == references;
}

void Recorder::collect_dead_entries() {
  // Only results without memory: their storages go without ceremony, and no read of the program refers to them.
  for (int k = 0; k < entry_count_; ++k) {
    Entry& entry = entries_[static_cast<std::size_t>(k)];
    if (!entry.storage || entry.read || !entry.written || get(entry.storage)->data != nullptr || !dead(entry)) continue;
    get(entry.storage)->writer.store(nullptr, std::memory_order_release);
    entry.storage.reset();
    entry.written = false;
    --written_count_;
  }
}

bool Recorder::retains_too_much() const {
  const std::size_t bound = device_.pool.limit() / 8;
  if (retained_bytes_ <= bound) return false;
  std::size_t dead_bytes = 0;
  for (int k = 0; k < entry_count_; ++k) {
    const Entry& entry = entries_[static_cast<std::size_t>(k)];
    if (entry.storage && entry.read && dead(entry)) dead_bytes += get(entry.storage)->bytes;
  }
  return dead_bytes > bound;
}

bool Recorder::joins(const Operation& operation, const Array& out, bool fresh) {
  if (!(out.shape() == shape_)) return false;
  const int need = slot_width(operation.type);
  if (operation.op == Op::load || operation.op == Op::cast) {
    if (need > width_) return false;
  } else if (need != 0 && need != width_) {
    return false;
  }
  if (slot_width(operation.result) > width_) return false;
  for (int i = 0; i < operation.count; ++i) {
    const Argument& argument = operation.arguments[static_cast<std::size_t>(i)];
    if (argument.operand->is_scalar()) continue;
    const Array& array = argument.operand->array();
    if (!input_joins(array)) return false;
    // A value of the program that is converted rides in its slots.
    if (Access::storage(array)->writer.load(std::memory_order_relaxed) == this && slot_width(array.dtype()) > width_)
      return false;
  }
  if (!fresh) {
    for (int k = 0; k < entry_count_; ++k) {
      const Entry& entry = entries_[static_cast<std::size_t>(k)];
      if (!entry.storage || (get(entry.storage) != Access::storage(out) && !get(entry.storage)->wrapped &&
                             !Access::storage(out)->wrapped))
        continue;
      if (!same_view(entry, out) && entry_overlaps(entry, out)) return false;
    }
  }
  return has_room(operation.count + 1, operation.count + 2, operation.count) && !retains_too_much();
}

// --- appending -------------------------------------------------------------------------------------------------------

void Recorder::begin(const Shape& shape, int width) {
  open_ = true;
  shape_ = shape;
  width_ = width == 0 ? 32 : width;
}

Recorder::Entry& Recorder::new_entry(const Array& array) {
  int k = 0;
  while (k < entry_count_ && entries_[static_cast<std::size_t>(k)].storage) ++k;
  if (k == entry_count_) ++entry_count_;
  Entry& entry = entries_[static_cast<std::size_t>(k)];
  entry.storage = Access::ref(array);
  entry.offset = array.offset();
  entry.dtype = entry.load_type = array.dtype();
  entry.read = entry.written = false;
  entry.current = XP_REF_NONE;
  if (array.shape() == shape_) {
    entry.contiguous = Access::contiguous(array);
    entry.strides = array.strides();
  } else {
    entry.contiguous = false;
    entry.strides = broadcast_strides(array.shape(), array.strides(), shape_);
  }
  return entry;
}

Recorder::Ref Recorder::emit(const Instruction& instruction) {
  instructions_[static_cast<std::size_t>(instruction_count_)] = instruction;
  return static_cast<Ref>(instruction_count_++);
}

Recorder::Ref Recorder::converted(Ref value, DType from, DType to) {
  if (from == to) return value;
  return emit({Op::cast, from, to, value, XP_REF_NONE, XP_REF_NONE});
}

Recorder::Ref Recorder::load(const Array& array, DType as) {
  Entry* match = nullptr;
  bool storage_read = false;
  for (int k = 0; k < entry_count_; ++k) {
    Entry& entry = entries_[static_cast<std::size_t>(k)];
    if (get(entry.storage) != Access::storage(array)) continue;
    storage_read |= entry.read;
    if (!same_view(entry, array)) continue;
    if (entry.written) return converted(entry.current, entry.dtype, as);
    if (entry.load_type == as) match = &entry;
  }
  if (match == nullptr) {
    match = &new_entry(array);
    match->load_type = as;
  }
  if (!match->read) {
    match->read = true;
    if (!storage_read) {
      get(match->storage)->readers.add(this);
      retained_bytes_ += get(match->storage)->bytes;
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

void Recorder::write(const Array& out, Ref value) {
  Entry* target = nullptr;
  for (int k = 0; k < entry_count_ && target == nullptr; ++k) {
    Entry& entry = entries_[static_cast<std::size_t>(k)];
    // A view loaded as another dtype keeps its own entry: stores go through one that loads as it stores.
    if (get(entry.storage) == Access::storage(out) && same_view(entry, out) && entry.load_type == entry.dtype)
      target = &entry;
  }
  if (target == nullptr) target = &new_entry(out);
  if (!target->written) {
    target->written = true;
    ++written_count_;
    get(target->storage)->writer.store(this, std::memory_order_release);
  }
  target->current = value;
}

void Recorder::settle_foreign(const Operation& operation, const Array* out) {
  auto settle = [this](Storage& storage, bool written) {
    if (storage.failure) throw DeviceError(*storage.failure);
    Recorder* writer = storage.writer.load(std::memory_order_acquire);
    if ((writer != nullptr && writer != this) || (written && storage.readers.any_but(this)))
      close_foreign(storage, this);
  };
  for (int i = 0; i < operation.count; ++i) {
    const Operand& operand = *operation.arguments[static_cast<std::size_t>(i)].operand;
    if (!operand.is_scalar()) settle(*Access::storage(operand.array()), false);
  }
  if (out != nullptr) settle(*Access::storage(*out), true);
}

void Recorder::record(const Operation& operation, const Array& out, bool fresh) {
  device_.check_usable();
  settle_foreign(operation, fresh ? nullptr : &out);
  counters.operations.add();
  bool exposed = !fresh && Access::storage(out)->exposed();
  for (int i = 0; i < operation.count; ++i) {
    const Operand& operand = *operation.arguments[static_cast<std::size_t>(i)].operand;
    if (!operand.is_scalar()) exposed |= Access::storage(operand.array())->exposed();
  }

  Garbage garbage;  // before the lock, so that it is emptied after it
  const std::lock_guard lock(mutex_);
  if (open_ && !joins(operation, out, fresh)) launch(garbage);
  if (!open_) begin(out.shape(), std::max(slot_width(operation.type), slot_width(operation.result)));
  std::array<Ref, 3> refs{XP_REF_NONE, XP_REF_NONE, XP_REF_NONE};
  for (int i = 0; i < operation.count; ++i)
    refs[static_cast<std::size_t>(i)] = argument(operation.arguments[static_cast<std::size_t>(i)]);
  const Ref value = operation.op == Op::load
                        ? refs[0]
                        : emit({operation.op, operation.type, operation.result, refs[0], refs[1], refs[2]});
  write(out, converted(value, operation.result, out.dtype()));
  // The program holds every storage it refers to, so nothing is destroyed here.
  for (int i = 0; i < operation.count; ++i) operation.arguments[static_cast<std::size_t>(i)].operand->release();
  if (!fusion_on() || (exposed && !in_fusion_scope())) launch(garbage);
}

void Recorder::record_sum(const Operand& operand, DType type, const Array& out) {
  device_.check_usable();
  Operation operation;
  operation.type = operation.result = type;
  operation.count = 1;
  operation.arguments[0] = {&operand, type};
  settle_foreign(operation, nullptr);
  counters.operations.add();

  Garbage garbage;
  const std::lock_guard lock(mutex_);
  const Array& array = operand.array();
  // The order of additions follows the array's own shape, so only a program over that very shape can take the sum along;
  // and a backend takes no more axes than XP_MAX_NDIM in a given order.
  auto takes_sum = [&] {
    return array.shape() == shape_ && slot_width(type) == width_ && shape_.size() <= XP_MAX_NDIM &&
           input_joins(array) && has_room(1, 2, 0) &&
           (Access::storage(array)->writer.load(std::memory_order_relaxed) != this || slot_width(array.dtype()) <= width_);
  };
  if (open_ && !takes_sum()) launch(garbage);
  if (!open_) begin(array.shape(), slot_width(type));
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

// --- closing ---------------------------------------------------------------------------------------------------------

void Recorder::clear(Garbage& garbage) noexcept {
  for (int k = 0; k < entry_count_; ++k) {
    Entry& entry = entries_[static_cast<std::size_t>(k)];
    if (!entry.storage) continue;
    Storage& storage = *get(entry.storage);
    if (entry.written) storage.writer.store(nullptr, std::memory_order_release);
    if (entry.read) {
      bool read_before = false;
      for (int j = 0; j < k; ++j)
        read_before |= garbage[static_cast<std::size_t>(j)].base() == &storage && entries_[static_cast<std::size_t>(j)].read;
      if (!read_before) storage.readers.remove();
    }
    garbage[static_cast<std::size_t>(k)] = std::move(entry.storage);
  }
  entry_count_ = written_count_ = instruction_count_ = constant_count_ = 0;
  retained_bytes_ = 0;
  reduce_out_ = nullptr;
  reduce_ref_ = XP_REF_NONE;
  open_ = false;
}

void Recorder::launch(Garbage& garbage) {
  Lowering lowering(*this);
  if (!lowering.select()) {
    clear(garbage);
    return;
  }
  std::int32_t code = XP_UNAVAILABLE;
  xp_error error;
  error.size = sizeof error;
  error.message[0] = '\0';
  if (device_.usable()) {
    lowering.allocate();
    code = lowering.run(error);
  }
  if (code == XP_OK) [[likely]] {
    clear(garbage);
    return;
  }
  std::string reason;
  try {
    device_.check_usable();
    device_.check(code, error);
  } catch (const Error& fault) {
    reason = fault.what();
    // A refusal before anything ran leaves the program open, as a lack of memory does.
    if (code == XP_OUT_OF_MEMORY || code == XP_IN_PARALLEL) throw;
    lowering.fail_outputs(reason);
    clear(garbage);
    throw;
  }
}

void Recorder::close() {
  Garbage garbage;
  const std::lock_guard lock(mutex_);
  if (open_) launch(garbage);
}

void Recorder::abandon() noexcept {
  Garbage garbage;
  const std::lock_guard lock(mutex_);
  clear(garbage);
}

void Recorder::close_foreign(Storage& storage, const Recorder* own) {
  Recorder* writer = storage.writer.load(std::memory_order_acquire);
  if (writer != nullptr && writer != own) writer->close();
  if (!storage.readers.any_but(own)) return;
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
  for (Recorder* recorder : *thread_table)
    if (recorder != nullptr) recorder->close();
}

void Recorder::close_others_for_memory(DeviceState& device, const Recorder* own) noexcept {
  for (Recorder* recorder : all_recorders()) {
    if (recorder == own || &recorder->device_ != &device) continue;
    Garbage garbage;
    const std::unique_lock lock(recorder->mutex_, std::try_to_lock);
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

bool fusion_enabled() { return detail::fusion_on(); }

void set_fusion(bool enabled) {
  detail::Recorder::close_current_thread();
  detail::fusion_flag().store(enabled, std::memory_order_relaxed);
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
