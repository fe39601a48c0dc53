// SPDX-License-Identifier: Apache-2.0
// Handles, views and basic indexing.
#include <xp/array.hpp>

#include "core/storage.hpp"
#include "fusion/recorder.hpp"

#include <algorithm>

namespace xp {
namespace detail {

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int most_kept = 0;  // so that the sanitizer sees every use after the end
#else
constexpr int most_kept = 64;
#endif

struct KeptStorage {
  KeptStorage* next;
};
[[gnu::tls_model("initial-exec")]] thread_local KeptStorage* kept = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local int kept_count = -1;  // -1: nobody will free them at the thread's end

struct FreeKept {
  FreeKept() { kept_count = 0; }
  ~FreeKept() {
    kept_count = most_kept;  // from now on nothing is kept
    while (kept != nullptr) ::operator delete(std::exchange(kept, kept->next));
  }
};

void arrange_freeing() {
  thread_local FreeKept at_end;
  static_cast<void>(at_end);
}

}  // namespace

void* Storage::operator new(std::size_t size) {
  if (kept == nullptr) return ::operator new(size);
  --kept_count;
  return std::exchange(kept, kept->next);
}

void Storage::operator delete(void* memory) noexcept {
  if (kept_count < 0) arrange_freeing();
  if (kept_count >= most_kept) {
    ::operator delete(memory);
    return;
  }
  ++kept_count;
  kept = new (memory) KeptStorage{kept};
}

void destroy(StorageBase* base) noexcept {
  auto* storage = static_cast<Storage*>(base);
  // In a forked child the pool's lock may be held by a thread that does not exist; a failed device is left alone.
  if (storage->block != nullptr && storage->device->usable()) storage->device->pool.release(storage->block);
  delete storage;
}

void throw_too_big(DType dtype, const Shape& shape) {
  throw ShapeError("array is too big: the bytes of " + to_string(shape) + " elements of " + std::string(name(dtype)) +
                   " exceed 63 bits");
}

Array Access::fresh(DeviceState& device, DType dtype, const Shape& shape, Index size) {
  Array array;
  array.storage_ = StorageRef(new Storage(&device, checked_bytes(size, dtype, shape)));
  array.size_ = size;
  array.dtype_ = dtype;
  array.contiguous_ = true;
  array.shape_ = shape;
  array.strides_ = contiguous_strides(shape);
  return array;
}

Array Access::fresh(DeviceState& device, DType dtype, const Shape& shape, Shape strides, Index size) {
  return make(StorageRef(new Storage(&device, checked_bytes(size, dtype, shape))), 0, dtype, shape, std::move(strides),
              size);
}

void allocate_now(Storage& storage) {
  Block* block = storage.device->pool.allocate(storage.bytes);
  if (block == nullptr) {
    Recorder::close_current_thread();
    Recorder::close_others_for_memory(*storage.device, nullptr);
    block = storage.device->pool.allocate(storage.bytes);
  }
  if (block == nullptr) throw OutOfMemoryError(storage.device->pool.failure_message(storage.bytes));
  storage.block = block;
  storage.data = block->data;
}

void check_has_value(const Array& array, const char* operation) {
  if (!array.has_value())
    throw Error(std::string(operation) + ": the array holds nothing (default-constructed or moved from)");
}

}  // namespace detail

using detail::Access;

Index Array::shape(Index axis) const {
  const Index n = ndim();
  if (axis < -n || axis >= n)
    throw ShapeError("axis " + std::to_string(axis) + " is out of bounds for array of dimension " + std::to_string(n));
  return shape_[static_cast<std::size_t>(axis < 0 ? axis + n : axis)];
}

Device Array::device() const {
  detail::check_has_value(*this, "device");
  return Device(Access::device(*this).name);
}

bool Array::is_c_contiguous() const { return contiguous_; }

bool Array::is_f_contiguous() const {
  const Shape shape(
      std::vector<Index>(std::make_reverse_iterator(shape_.end()), std::make_reverse_iterator(shape_.begin())));
  const Shape strides(
      std::vector<Index>(std::make_reverse_iterator(strides_.end()), std::make_reverse_iterator(strides_.begin())));
  return detail::is_contiguous(shape, strides);
}

bool Array::writeable() const {
  detail::check_has_value(*this, "writeable");
  if (contiguous_) return true;
  for (std::size_t i = 0; i < shape_.size(); ++i)
    if (strides_[i] == 0 && shape_[i] > 1) return false;
  // Only the caller's own strides can make other elements coincide.
  return !Access::storage(*this)->wrapped || detail::is_injective(shape_, strides_);
}

Array Array::index(std::span<const IndexItem> items) const {
  detail::check_has_value(*this, "index");
  detail::IndexedView view = detail::apply_index(shape_, strides_, items);
  return Access::view(*this, offset_ + view.offset, std::move(view.shape), std::move(view.strides));
}

Array Array::transpose() const {
  detail::check_has_value(*this, "transpose");
  Shape shape = shape_, strides = strides_;
  std::reverse(shape.begin(), shape.end());
  std::reverse(strides.begin(), strides.end());
  return Access::view(*this, offset_, std::move(shape), std::move(strides));
}

Array Array::transpose(const Shape& axes) const {
  detail::check_has_value(*this, "transpose");
  if (axes.size() != shape_.size()) throw ShapeError("transpose: axes don't match array");
  Shape shape = shape_, strides = strides_;
  std::vector<bool> seen(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Index n = ndim();
    if (axes[i] < -n || axes[i] >= n)
      throw ShapeError("transpose: axis " + std::to_string(axes[i]) + " is out of bounds for array of dimension " +
                       std::to_string(n));
    const auto axis = static_cast<std::size_t>(axes[i] < 0 ? axes[i] + n : axes[i]);
    if (seen[axis]) throw ShapeError("transpose: repeated axis in transpose");
    seen[axis] = true;
    shape[i] = shape_[axis];
    strides[i] = strides_[axis];
  }
  return Access::view(*this, offset_, std::move(shape), std::move(strides));
}

Array Array::reshape(const Shape& to) const {
  detail::check_has_value(*this, "reshape");
  Shape shape = detail::resolve_reshape(size_, to);
  Shape strides;
  if (size_ == 0 || contiguous_) return Access::view(*this, offset_, shape, detail::contiguous_strides(shape));
  if (detail::reshape_strides(shape_, strides_, shape, strides))
    return Access::view(*this, offset_, std::move(shape), std::move(strides));
  const Array dense = Access::fresh(Access::device(*this), dtype_, shape_, size_);
  dense.assign(*this);
  return Access::view(dense, 0, shape, detail::contiguous_strides(shape));
}

Array Array::broadcast_to(const Shape& shape) const {
  detail::check_has_value(*this, "broadcast_to");
  detail::checked_bytes(element_count(shape), dtype_, shape);
  bool fits = shape.size() >= shape_.size();
  for (std::size_t i = 0; fits && i < shape_.size(); ++i) {
    const Index extent = shape[shape.size() - shape_.size() + i];
    fits = shape_[i] == extent || shape_[i] == 1;
  }
  if (!fits)
    throw ShapeError("operands could not be broadcast together with remapped shapes [original->remapped]: " +
                     to_string(shape_) + "  and requested shape " + to_string(shape));
  return Access::view(*this, offset_, shape, detail::broadcast_strides(shape_, strides_, shape));
}

const Array& Array::operator=(const Array& value) && { return assign(value); }
const Array& Array::operator=(Array&& value) && { return assign(std::move(value)); }
const Array& Array::operator=(Scalar value) && { return assign(value); }

bool may_share_memory(const Array& a, const Array& b) {
  detail::check_has_value(a, "may_share_memory");
  detail::check_has_value(b, "may_share_memory");
  const detail::Storage *p = Access::storage(a), *q = Access::storage(b);
  if (p != q && !((p->wrapped || q->wrapped) && p->device == q->device)) return false;
  return detail::overlaps(detail::byte_view(a), detail::byte_view(b));
}

}  // namespace xp
