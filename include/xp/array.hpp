// SPDX-License-Identifier: Apache-2.0
// The array handle, C++ scalars as operands, basic indexing, host access.
#pragma once

#include <xp/device.hpp>
#include <xp/dtype.hpp>
#include <xp/error.hpp>
#include <xp/shape.hpp>

#include <atomic>
#include <complex>
#include <concepts>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace [[gnu::visibility("default")]] xp {

class Array;
class Operand;

namespace detail {

struct Storage;

// The part of a storage that handles need: copying an Array is one increment, without a call.
struct StorageBase {
  /// The lower half counts references. The upper half says which open programs read it (core/storage.hpp); each of them
  /// has a reference, too.
  std::atomic<std::uint64_t> holds{1};
  static constexpr std::uint64_t reference_bits = 0xffffffff;
  std::uint64_t references() const noexcept { return holds.load(std::memory_order_acquire) & reference_bits; }
};
void destroy(StorageBase*) noexcept;

/// Intrusive reference to a storage.
class StorageRef {
 public:
  StorageRef() = default;
  explicit StorageRef(StorageBase* adopted) noexcept : storage_(adopted) {}
  StorageRef(const StorageRef& other) noexcept : storage_(other.storage_) {
    if (storage_) storage_->holds.fetch_add(1, std::memory_order_relaxed);
  }
  StorageRef(StorageRef&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}
  StorageRef& operator=(StorageRef other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~StorageRef() { reset(); }
  void reset() noexcept {
    // The only reference needs no locked instruction: nobody is left to make another from.
    if (storage_ && (storage_->holds.load(std::memory_order_acquire) == 1 ||
                     (storage_->holds.fetch_sub(1, std::memory_order_acq_rel) & StorageBase::reference_bits) == 1))
      destroy(storage_);
    storage_ = nullptr;
  }
  StorageBase* base() const noexcept { return storage_; }
  /// Sets an empty reference to one that is given up to it.
  void adopt(StorageBase* storage) noexcept { storage_ = storage; }
  /// Sets an empty reference.
  void hold(StorageBase* storage) noexcept {
    storage->holds.fetch_add(1, std::memory_order_relaxed);
    storage_ = storage;
  }
  /// Gives the reference up without ending it.
  StorageBase* detach() noexcept { return std::exchange(storage_, nullptr); }
  explicit operator bool() const noexcept { return storage_ != nullptr; }

 private:
  StorageBase* storage_ = nullptr;
};

struct Access;  // what the rest of the library may do with a handle

}  // namespace detail

/// A C++ number as an operand. It is weak in promotion, as Python's are in NumPy 2: its kind counts, not its type.
class Scalar {
 public:
  enum class Kind : std::uint8_t { boolean, integer, unsigned_integer, real, complex };
  template <class T>
  requires std::is_arithmetic_v<T> Scalar(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      kind_ = Kind::boolean;
      integer_ = value;
      real_ = value;
    } else if constexpr (std::is_integral_v<T>) {
      kind_ = std::is_signed_v<T> ? Kind::integer : Kind::unsigned_integer;
      integer_ = static_cast<std::int64_t>(value);
      real_ = static_cast<double>(value);
    } else {
      kind_ = Kind::real;
      real_ = static_cast<double>(value);
    }
  }
  template <class T>
  Scalar(std::complex<T> value)
      : kind_(Kind::complex), real_(static_cast<double>(value.real())), imag_(static_cast<double>(value.imag())) {}

  Kind kind() const { return kind_; }
  std::int64_t integer() const { return integer_; }
  std::uint64_t unsigned_integer() const { return static_cast<std::uint64_t>(integer_); }
  double real() const { return real_; }
  double imag() const { return imag_; }

 private:
  Kind kind_ = Kind::real;
  std::int64_t integer_ = 0;
  double real_ = 0, imag_ = 0;
};

/// A lease on the memory of an array that outside code reads or writes. While one lives, every operation that touches
/// that memory is launched at once, in program order (see FusionScope). Call synchronize() before using the pointer.
class Exposed {
 public:
  Exposed(Exposed&&) noexcept = default;
  Exposed& operator=(Exposed&&) noexcept;
  ~Exposed();
  /// Address of the element with all indices 0, in the device's memory.
  void* data() const { return data_; }

 private:
  friend Exposed expose(const Array&);
  Exposed(detail::StorageRef storage, void* data) : storage_(std::move(storage)), data_(data) {}
  detail::StorageRef storage_;
  void* data_ = nullptr;
};

/// An n-dimensional array: a handle to storage that may be shared. Copying a handle aliases, as in NumPy; `const` is
/// shallow. Slices, transposes and (where possible) reshapes are views: writing to them writes to the same storage.
class Array {
 public:
  /// Holds nothing; only assignment and destruction are valid.
  Array() = default;
  Array(const Array&) = default;
  /// Leaves `other` holding nothing.
  Array(Array&& other) noexcept
      : storage_(std::move(other.storage_)),
        offset_(std::exchange(other.offset_, 0)),
        size_(std::exchange(other.size_, 0)),
        dtype_(other.dtype_),
        contiguous_(other.contiguous_),
        shape_(std::move(other.shape_)),
        strides_(std::move(other.strides_)) {
    other.shape_.clear();
    other.strides_.clear();
  }
  ~Array() = default;

  /// Assigning to a named array rebinds the name.
  Array& operator=(const Array&) & = default;
  Array& operator=(Array&& other) & noexcept {
    if (this != &other) {
      storage_ = std::move(other.storage_);
      offset_ = std::exchange(other.offset_, 0);
      size_ = std::exchange(other.size_, 0);
      dtype_ = other.dtype_;
      contiguous_ = other.contiguous_;
      shape_ = std::move(other.shape_);
      strides_ = std::move(other.strides_);
      other.shape_.clear();
      other.strides_.clear();
    }
    return *this;
  }
  /// Assigning to a temporary — a slice — writes through: `x(xp::slice(1, -1)) = y`. Broadcasts; casts as NumPy's
  /// assignment does (any cast).
  const Array& operator=(const Array& value) &&;
  const Array& operator=(Array&& value) &&;
  const Array& operator=(Scalar value) &&;

  DType dtype() const noexcept { return dtype_; }
  const Shape& shape() const noexcept { return shape_; }
  Index shape(Index axis) const;
  /// In elements, not bytes.
  const Shape& strides() const noexcept { return strides_; }
  /// Of the first element in its storage, in elements.
  Index offset() const noexcept { return offset_; }
  Index ndim() const noexcept { return static_cast<Index>(shape_.size()); }
  Index size() const noexcept { return size_; }
  Index itemsize() const noexcept { return xp::itemsize(dtype_); }
  Index nbytes() const noexcept { return size_ * itemsize(); }
  Device device() const;
  bool is_c_contiguous() const;
  bool is_f_contiguous() const;
  /// False for a broadcast view, whose elements share memory.
  bool writeable() const;
  /// False for a default-constructed or moved-from handle.
  bool has_value() const noexcept { return static_cast<bool>(storage_); }

  /// Basic indexing; a view. `x(xp::slice(1, -1), xp::ellipsis, xp::newaxis, 3)`.
  template <class... Items>
  requires(std::constructible_from<IndexItem, Items>&&...) Array operator()(Items... items) const {
    if constexpr (sizeof...(Items) == 0) {
      return *this;
    } else {
      const IndexItem list[] = {IndexItem(items)...};
      return index(list);
    }
  }
  Array index(std::span<const IndexItem> items) const;
  // C++20 reads x[1, 2] as x[2].
  template <std::integral I>
  Array operator[](I) const = delete;

  /// Views: axes reversed, or in the order given.
  Array T() const { return transpose(); }
  Array transpose() const;
  Array transpose(const Shape& axes) const;
  /// A view where strides allow it, else a copy. One extent may be -1.
  Array reshape(const Shape& shape) const;
  Array ravel() const { return reshape(Shape{-1}); }
  /// A read-only view.
  Array broadcast_to(const Shape& shape) const;

  /// A copy in C order, or (copy) in this array's own axis order, as NumPy's order='K'.
  Array copy() const;
  /// A copy of another dtype: any cast. Floats out of an integer's range saturate, NaN gives 0.
  Array astype(DType dtype) const;
  /// On that device; the array itself when it is there already.
  Array to(Device device) const;

  /// Writes `value` into this array's elements, broadcast and cast to it (any cast).
  const Array& assign(const Operand& value) const;
  const Array& fill(Scalar value) const;

  Array& operator+=(const Operand& value) &;
  Array& operator-=(const Operand& value) &;
  Array& operator*=(const Operand& value) &;
  Array& operator/=(const Operand& value) &;
  Array& operator%=(const Operand& value) &;
  Array& operator&=(const Operand& value) &;
  Array& operator|=(const Operand& value) &;
  Array& operator^=(const Operand& value) &;
  Array& operator<<=(const Operand& value) &;
  Array& operator>>=(const Operand& value) &;
  Array operator+=(const Operand& value) &&;
  Array operator-=(const Operand& value) &&;
  Array operator*=(const Operand& value) &&;
  Array operator/=(const Operand& value) &&;
  Array operator%=(const Operand& value) &&;
  Array operator&=(const Operand& value) &&;
  Array operator|=(const Operand& value) &&;
  Array operator^=(const Operand& value) &&;
  Array operator<<=(const Operand& value) &&;
  Array operator>>=(const Operand& value) &&;

  /// The only element, converted to T. ShapeError unless size() is 1. Waits for the device.
  template <class T>
  T item() const {
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, float> || std::is_same_v<T, double> ||
                  std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
      return item_as<T>();
    } else if constexpr (std::is_integral_v<T>) {
      // `long` and `long long` are one size and two types.
      constexpr DType dtype = dtype_of<T>();
      if constexpr (dtype == DType::int8) return static_cast<T>(item_as<std::int8_t>());
      if constexpr (dtype == DType::int16) return static_cast<T>(item_as<std::int16_t>());
      if constexpr (dtype == DType::int32) return static_cast<T>(item_as<std::int32_t>());
      if constexpr (dtype == DType::int64) return static_cast<T>(item_as<std::int64_t>());
      if constexpr (dtype == DType::uint8) return static_cast<T>(item_as<std::uint8_t>());
      if constexpr (dtype == DType::uint16) return static_cast<T>(item_as<std::uint16_t>());
      if constexpr (dtype == DType::uint32) return static_cast<T>(item_as<std::uint32_t>());
      if constexpr (dtype == DType::uint64) return static_cast<T>(item_as<std::uint64_t>());
    } else if constexpr (std::is_same_v<T, long double>) {
      return static_cast<T>(item_as<double>());
    } else {
      static_assert(std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, "item: not a number type");
      return T(item_as<float>());
    }
  }
  /// All elements in C order. T must be the C++ type of dtype(); DTypeError otherwise. Waits for the device.
  template <class T>
  std::vector<T> to_vector() const {
    check_holds(dtype_of<T>());
    if constexpr (std::is_same_v<T, bool>) {
      const auto bytes = std::make_unique<std::uint8_t[]>(static_cast<std::size_t>(size_));
      copy_to_host(bytes.get());
      return std::vector<bool>(bytes.get(), bytes.get() + size_);
    } else {
      std::vector<T> values(static_cast<std::size_t>(size_));
      copy_to_host(values.data());
      return values;
    }
  }
  /// Copies nbytes() bytes, elements in C order, to host memory. Waits for the device.
  void copy_to_host(void* destination) const;
  /// Copies nbytes() bytes, elements in C order, from host memory into this array's elements.
  const Array& copy_from_host(const void* source) const;

  /// As NumPy: the truth of the only element; ShapeError for any other size.
  explicit operator bool() const;

 private:
  friend struct detail::Access;
  friend class Operand;
  void reset() noexcept {
    storage_.reset();
    offset_ = size_ = 0;
    shape_.clear();
    strides_.clear();
  }
  void check_holds(DType dtype) const;
  template <class T>
  T item_as() const;

  detail::StorageRef storage_;
  Index offset_ = 0;
  Index size_ = 0;
  DType dtype_ = DType::float64;
  bool contiguous_ = false;  // C order; computed when the handle is made
  Shape shape_, strides_;
};

extern template bool Array::item_as<bool>() const;
extern template std::int8_t Array::item_as<std::int8_t>() const;
extern template std::int16_t Array::item_as<std::int16_t>() const;
extern template std::int32_t Array::item_as<std::int32_t>() const;
extern template std::int64_t Array::item_as<std::int64_t>() const;
extern template std::uint8_t Array::item_as<std::uint8_t>() const;
extern template std::uint16_t Array::item_as<std::uint16_t>() const;
extern template std::uint32_t Array::item_as<std::uint32_t>() const;
extern template std::uint64_t Array::item_as<std::uint64_t>() const;
extern template float Array::item_as<float>() const;
extern template double Array::item_as<double>() const;
extern template std::complex<float> Array::item_as<std::complex<float>>() const;
extern template std::complex<double> Array::item_as<std::complex<double>>() const;

/// What functions take where NumPy takes array_like: an array, or a C++ number. A temporary array is consumed: its
/// storage is released before the operation launches anything, so that intermediate results need no memory.
class Operand {
 public:
  Operand(const Array& array) : array_(&array) {}
  Operand(Array&& array) : array_(&array), consumed_(true) {}
  template <class T>
  requires std::is_arithmetic_v<T> Operand(T value) : scalar_(value) {}
  template <class T>
  Operand(std::complex<T> value) : scalar_(value) {}
  Operand(Scalar value) : scalar_(value) {}

  bool is_scalar() const { return array_ == nullptr; }
  const Scalar& scalar() const { return scalar_; }
  const Array& array() const { return *array_; }
  bool is_consumed() const { return consumed_; }
  /// Ends a consumed temporary's hold on its storage.
  void release() const {
    if (consumed_) const_cast<Array*>(array_)->reset();
  }

 private:
  const Array* array_ = nullptr;
  bool consumed_ = false;
  Scalar scalar_ = 0.0;
};

/// Launches what `array` waits for, without waiting for the device.
void eval(const Array& array);

/// Whether the two arrays have an element in common. Exact for views of one storage up to a bounded search, then
/// conservative (true).
bool may_share_memory(const Array& a, const Array& b);

/// A lease on the array's memory; launches what touches it.
Exposed expose(const Array& array);

/// An array over the caller's memory, in the device's address space: `data` is the element with all indices 0,
/// `strides` in elements (empty: C order). `owner` is kept until no array refers to the memory. Such arrays are
/// exposed: every operation on them is launched at once, except inside a FusionScope.
Array wrap_pointer(void* data, const Shape& shape, DType dtype, const Shape& strides = {}, Device device = {},
                   std::shared_ptr<void> owner = nullptr);

std::ostream& operator<<(std::ostream& stream, const Array& array);

}  // namespace gnu::visibility("default")]]xp
