// SPDX-License-Identifier: Apache-2.0
// Storage, and what the library may do with an array handle.
#pragma once

#include <xp/array.hpp>

#include "core/layout.hpp"
#include "device/device_state.hpp"

#include <memory>
#include <string>

namespace xp::detail {

class Recorder;

/// Which open programs read a storage: none, exactly one, or several that are only counted. Half a word, so that a
/// writer can tell "only my own program" from "another thread's too" without a lock, and a program takes and gives up
/// its reference with the same instruction.
class ReaderSet {
 public:
  explicit ReaderSet(StorageBase& storage) : word_(storage.holds) {}

  /// `reader`: the number of a recorder, from 1.
  void add(std::uint32_t reader) noexcept { add(reader, 0); }
  void add_with_reference(std::uint32_t reader) noexcept { add(reader, 1); }
  /// Gives up the reader's reference, too, unless it is the last one: then nothing but the reader goes, and it is
  /// false.
  bool remove_with_reference() noexcept {
    std::uint64_t seen = word_.load(std::memory_order_relaxed), next;
    bool last;
    do {
      const auto readers = static_cast<std::uint32_t>(seen >> 32);
      last = (seen & StorageBase::reference_bits) == 1;
      next = word((readers & 1) == 0 || readers >> 1 == 1 ? 0 : readers - 2, seen) - (last ? 0 : 1);
    } while (!word_.compare_exchange_weak(seen, next, std::memory_order_acq_rel));
    return !last;
  }
  bool any() const noexcept { return readers() != 0; }
  /// Whether `reader` may be among them.
  bool may_hold(std::uint32_t reader) const noexcept {
    const std::uint32_t seen = readers();
    return seen == reader << 1 || (seen & 1) != 0;
  }
  bool any_but(std::uint32_t reader) const noexcept {
    const std::uint32_t seen = readers();
    return seen != 0 && seen != reader << 1;
  }

 private:
  // The upper half is 0, a recorder's number << 1, or count << 1 | 1.
  static std::uint64_t word(std::uint32_t readers, std::uint64_t references) noexcept {
    return static_cast<std::uint64_t>(readers) << 32 | (references & StorageBase::reference_bits);
  }
  void add(std::uint32_t reader, int references) noexcept {
    std::uint64_t seen = word_.load(std::memory_order_relaxed), next;
    do {
      const auto readers = static_cast<std::uint32_t>(seen >> 32);
      next = word(readers == 0         ? reader << 1
                  : (readers & 1) != 0 ? readers + 2
                                       : std::uint32_t{2} << 1 | 1,
                  seen) +
             static_cast<std::uint64_t>(references);
    } while (!word_.compare_exchange_weak(seen, next, std::memory_order_acq_rel));
  }
  std::uint32_t readers() const noexcept {
    return static_cast<std::uint32_t>(word_.load(std::memory_order_acquire) >> 32);
  }

  std::atomic<std::uint64_t>& word_;
};

/// The memory that arrays share. `data` is null while the first program that writes it has not been launched; it
/// changes only under the lock of that program's recorder.
struct Storage : StorageBase {
  Storage(DeviceState* on, std::size_t size) : device(on), bytes(size) {}

  DeviceState* device;
  std::size_t bytes;
  void* data = nullptr;
  Block* block = nullptr;                       // null for wrapped memory
  std::atomic<Recorder*> writer{nullptr};       // the recorder whose open program writes it
  std::atomic<std::uint8_t> last_read_slot{0};  // where some reader keeps it: a hint
  std::uint8_t last_written_slot = 0;           // the writer's own notes: which of its views was written last,
  std::uint8_t written_views = 0;               // and how many it writes
  std::atomic<int> leases{0};                   // outside code that may look at the memory
  bool wrapped = false;                         // memory of the caller's
  std::shared_ptr<void> owner;
  std::unique_ptr<std::string> failure;  // the device fault that left it without a value

  // One comes and goes with every result of an operation: a few are kept per thread.
  static void* operator new(std::size_t size);
  static void operator delete(void* memory) noexcept;

  ReaderSet readers() noexcept { return ReaderSet(*this); }
  ReaderSet readers() const noexcept { return ReaderSet(const_cast<Storage&>(*this)); }
  bool exposed() const noexcept { return wrapped || leases.load(std::memory_order_acquire) > 0; }
};

[[noreturn]] void throw_too_big(DType dtype, const Shape& shape);

/// Bytes of `count` elements. ShapeError when they exceed 63 bits.
inline std::size_t checked_bytes(Index count, DType dtype, const Shape& shape) {
  Index bytes;
  if (__builtin_mul_overflow(count, itemsize(dtype), &bytes)) [[unlikely]]
    throw_too_big(dtype, shape);
  return static_cast<std::size_t>(bytes);
}

inline Storage* get(const StorageRef& ref) noexcept { return static_cast<Storage*>(ref.base()); }

struct Access {
  static Storage* storage(const Array& array) noexcept { return get(array.storage_); }
  static const StorageRef& ref(const Array& array) noexcept { return array.storage_; }
  static bool contiguous(const Array& array) noexcept { return array.contiguous_; }

  static Array make(StorageRef storage, Index offset, DType dtype, Shape shape, Shape strides, Index size) {
    Array array;
    array.storage_ = std::move(storage);
    array.offset_ = offset;
    array.size_ = size;
    array.dtype_ = dtype;
    array.contiguous_ = is_contiguous(shape, strides);
    array.shape_ = std::move(shape);
    array.strides_ = std::move(strides);
    return array;
  }
  /// A view of the same storage.
  static Array view(const Array& array, Index offset, Shape shape, Shape strides) {
    const Index size = element_count(shape);
    return make(array.storage_, offset, array.dtype_, std::move(shape), std::move(strides), size);
  }
  /// A C-ordered array of fresh storage without memory.
  static Array fresh(DeviceState& device, DType dtype, const Shape& shape, Index size);
  static Array fresh(DeviceState& device, DType dtype, const Shape& shape, Shape strides, Index size);
  /// As `like`, which is in C order.
  static Array fresh_like(DeviceState& device, DType dtype, const Array& like) {
    Array array;
    make_like(array, device, dtype, like);
    return array;
  }
  /// The same in a handle that holds nothing.
  static void make_like(Array& array, DeviceState& device, DType dtype, const Array& like) {
    array.size_ = like.size_;
    array.dtype_ = dtype;
    array.contiguous_ = true;
    array.shape_ = like.shape_;
    array.strides_ = like.strides_;
    array.storage_.adopt(new Storage(&device, checked_bytes(like.size_, dtype, like.shape_)));
  }

  static DeviceState& device(const Array& array) { return *get(array.storage_)->device; }
  static std::byte* address(const Array& array) {
    return static_cast<std::byte*>(get(array.storage_)->data) + array.offset_ * array.itemsize();
  }
};

/// Gives a storage memory. OutOfMemoryError after launching what is recorded and trimming the pool did not help.
void allocate_now(Storage& storage);

/// Error for an operand that holds nothing.
void check_has_value(const Array& array, const char* operation);

/// Addresses for the overlap test. Storage without memory counts from its own address: only views of one storage are
/// then compared.
inline ByteView byte_view(const Array& array) {
  const Storage* storage = Access::storage(array);
  const auto base = reinterpret_cast<std::intptr_t>(storage->data ? storage->data : static_cast<const void*>(storage));
  return {base + array.offset() * array.itemsize(), array.itemsize(), &array.shape(), &array.strides()};
}

/// The elements of a dense array on the host, once they are computed; null if it is not such a one.
const std::byte* elements_on_host(const Array& array);

}  // namespace xp::detail
