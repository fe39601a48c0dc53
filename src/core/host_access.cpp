// SPDX-License-Identifier: Apache-2.0
// Reads, writes and transfers: what crosses from a device to host memory and back.
#include <xp/array.hpp>

#include "core/storage.hpp"
#include "device/stats.hpp"
#include "fusion/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace xp {
namespace detail {
namespace {

// Launches what the array's memory waits for; everything that touches it when it is going to be written.
void settle(Storage& storage, bool for_write) {
  storage.device->check_usable();
  if (for_write)
    Recorder::close_foreign(storage, nullptr);
  else if (Recorder* writer = storage.writer.load(std::memory_order_acquire))
    writer->close();
  if (storage.failure) throw DeviceError(*storage.failure);
}

void download(DeviceState& device, void* to, const void* from, std::size_t bytes) {
  xp_error error{sizeof error, XP_OK, {}};
  device.check(device.backend->api->copy_to_host(device.handle, to, from, bytes, &error), error);
}

void upload(DeviceState& device, void* to, const void* from, std::size_t bytes) {
  xp_error error{sizeof error, XP_OK, {}};
  device.check(device.backend->api->copy_from_host(device.handle, to, from, bytes, &error), error);
}

void synchronize_device(DeviceState& device) {
  device.check_usable();
  xp_error error;  // not cleared: half a kilobyte
  error.size = sizeof error;
  error.message[0] = '\0';
  device.check(device.backend->api->synchronize(device.handle, &error), error);
}

Array dense_copy(const Array& array) {
  Array copy = Access::fresh(Access::device(array), array.dtype(), array.shape(), array.size());
  copy.assign(array);
  return copy;
}

// One element of any dtype, for item().
struct Element {
  double real = 0, imag = 0;
  std::int64_t integer = 0;
  bool is_integer = false, is_unsigned = false, is_complex = false;
};

template <class T>
T read_as(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class T>
Element integer_element(const std::byte* bytes) {
  Element element;
  const T value = read_as<T>(bytes);
  element.integer = static_cast<std::int64_t>(+value);  // promoted: a signed char is a number here
  element.real = static_cast<double>(value);
  element.is_integer = true;
  element.is_unsigned = std::is_unsigned_v<T>;
  return element;
}

Element decode(const std::byte* bytes, DType dtype) {
  switch (dtype) {
    case DType::bool_:
    case DType::uint8:
      return integer_element<std::uint8_t>(bytes);
    case DType::int8:
      return integer_element<std::int8_t>(bytes);
    case DType::int16:
      return integer_element<std::int16_t>(bytes);
    case DType::int32:
      return integer_element<std::int32_t>(bytes);
    case DType::int64:
      return integer_element<std::int64_t>(bytes);
    case DType::uint16:
      return integer_element<std::uint16_t>(bytes);
    case DType::uint32:
      return integer_element<std::uint32_t>(bytes);
    case DType::uint64:
      return integer_element<std::uint64_t>(bytes);
    case DType::float16:
      return {static_cast<double>(static_cast<float>(read_as<Half>(bytes)))};
    case DType::bfloat16:
      return {static_cast<double>(static_cast<float>(read_as<BFloat16>(bytes)))};
    case DType::float32:
      return {static_cast<double>(read_as<float>(bytes))};
    case DType::float64:
      return {read_as<double>(bytes)};
    case DType::complex64: {
      const auto value = read_as<std::complex<float>>(bytes);
      return {static_cast<double>(value.real()), static_cast<double>(value.imag()), 0, false, false, true};
    }
    case DType::complex128: {
      const auto value = read_as<std::complex<double>>(bytes);
      return {value.real(), value.imag(), 0, false, false, true};
    }
  }
  throw DTypeError("item: unknown dtype");
}

template <class T>
T convert(const Element& element) {
  if constexpr (std::is_same_v<T, bool>) {
    return element.is_integer ? element.integer != 0 : element.real != 0 || element.imag != 0;
  } else if constexpr (std::is_integral_v<T>) {
    if (element.is_integer) return static_cast<T>(element.integer);
    // As astype: truncated, saturated, NaN gives 0.
    constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    if (std::isnan(element.real)) return 0;
    if (element.real <= static_cast<double>(low)) return low;
    if (element.real >= static_cast<double>(high)) return high;
    return static_cast<T>(element.real);
  } else {
    if (!element.is_integer) return static_cast<T>(element.real);
    return element.is_unsigned ? static_cast<T>(static_cast<std::uint64_t>(element.integer))
                               : static_cast<T>(element.integer);
  }
}

}  // namespace

const std::byte* elements_on_host(const Array& array) {
  DeviceState& device = Access::device(array);
  Storage& storage = *Access::storage(array);
  if (!device.is_host || !Access::contiguous(array)) return nullptr;
  settle(storage, false);
  if (storage.data == nullptr) return nullptr;
  synchronize_device(device);
  return static_cast<const std::byte*>(storage.data) + array.offset() * itemsize(array.dtype());
}

}  // namespace detail

using detail::Access;
using detail::Storage;

void Array::check_holds(DType dtype) const {
  if (dtype != dtype_)
    throw DTypeError("to_vector: the array holds " + std::string(name(dtype_)) + ", not " + std::string(name(dtype)) +
                     "; convert it with astype first");
}

void Array::copy_to_host(void* destination) const {
  detail::check_has_value(*this, "copy_to_host");
  if (size_ == 0) return;
  if (!contiguous_) {
    detail::dense_copy(*this).copy_to_host(destination);
    return;
  }
  Storage& storage = *Access::storage(*this);
  detail::settle(storage, false);
  detail::Recorder::close_current_thread_if_possible();
  detail::download(*storage.device, destination, Access::address(*this), static_cast<std::size_t>(nbytes()));
  detail::counters().device_to_host.add();
  detail::counters().device_to_host_bytes.add(static_cast<std::uint64_t>(nbytes()));
}

const Array& Array::copy_from_host(const void* source) const {
  detail::check_has_value(*this, "copy_from_host");
  if (!writeable()) throw ShapeError("copy_from_host: assignment destination is read-only");
  if (size_ == 0) return *this;
  if (!contiguous_) {
    Array dense = Access::fresh(Access::device(*this), dtype_, shape_, size_);
    detail::allocate_now(*Access::storage(dense));
    dense.copy_from_host(source);
    return assign(std::move(dense));
  }
  Storage& storage = *Access::storage(*this);
  detail::settle(storage, true);
  if (storage.data == nullptr) detail::allocate_now(storage);
  detail::upload(*storage.device, Access::address(*this), source, static_cast<std::size_t>(nbytes()));
  detail::counters().host_to_device.add();
  detail::counters().host_to_device_bytes.add(static_cast<std::uint64_t>(nbytes()));
  return *this;
}

Array Array::to(Device where) const {
  detail::check_has_value(*this, "to");
  detail::DeviceState& target = detail::open_device(where);
  detail::DeviceState& source = Access::device(*this);
  if (&target == &source) return *this;
  target.check_usable();
  if (!contiguous_) {
    if (is_f_contiguous()) return transpose().to(where).transpose();
    return detail::dense_copy(*this).to(where);
  }
  Array result = Access::fresh(target, dtype_, shape_, size_);
  if (size_ == 0) return result;
  Storage& storage = *Access::storage(*this);
  detail::settle(storage, false);
  detail::Recorder::close_current_thread();
  detail::allocate_now(*Access::storage(result));
  const auto bytes = static_cast<std::size_t>(nbytes());
  std::byte *from = Access::address(*this), *into = Access::address(result);
  if (source.is_host) {
    detail::synchronize_device(source);
    detail::upload(target, into, from, bytes);
  } else if (target.is_host) {
    detail::download(source, into, from, bytes);
  } else if (target.backend == source.backend && target.backend->api->copy_between != nullptr) {
    xp_error error{sizeof error, XP_OK, {}};
    const std::int32_t code =
        target.backend->api->copy_between(target.handle, into, source.handle, from, bytes, &error);
    if (code != XP_OK) detail::synchronize_device(source);  // throws if it is the source that failed
    target.check(code, error);
  } else {
    // Neither is host memory: through a host buffer, a piece at a time.
    const std::size_t piece = std::min<std::size_t>(bytes, std::size_t{32} << 20);
    std::vector<std::byte> staging(piece);
    for (std::size_t done = 0; done < bytes; done += piece) {
      const std::size_t now = std::min(piece, bytes - done);
      detail::download(source, staging.data(), from + done, now);
      detail::upload(target, into + done, staging.data(), now);
    }
  }
  detail::counters().device_to_device.add();
  detail::counters().device_to_device_bytes.add(bytes);
  return result;
}

template <class T>
T Array::item_as() const {
  detail::check_has_value(*this, "item");
  if (size_ != 1)
    throw ShapeError("item: can only convert an array of size 1 to a scalar (shape " + to_string(shape_) + ")");
  Storage& storage = *Access::storage(*this);
  detail::settle(storage, false);
  detail::Recorder::close_current_thread_if_possible();
  std::byte bytes[16];
  detail::download(*storage.device, bytes, Access::address(*this), static_cast<std::size_t>(itemsize()));
  detail::counters().device_to_host.add();
  detail::counters().device_to_host_bytes.add(static_cast<std::uint64_t>(itemsize()));
  const detail::Element element = detail::decode(bytes, dtype_);
  if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    using Real = typename T::value_type;
    return T(detail::convert<Real>(element), static_cast<Real>(element.imag));
  } else {
    if (element.is_complex && !std::is_same_v<T, bool>)
      throw DTypeError("item: a complex number has no real value; ask for std::complex or take xp::abs first");
    return detail::convert<T>(element);
  }
}

template bool Array::item_as<bool>() const;
template std::int8_t Array::item_as<std::int8_t>() const;
template std::int16_t Array::item_as<std::int16_t>() const;
template std::int32_t Array::item_as<std::int32_t>() const;
template std::int64_t Array::item_as<std::int64_t>() const;
template std::uint8_t Array::item_as<std::uint8_t>() const;
template std::uint16_t Array::item_as<std::uint16_t>() const;
template std::uint32_t Array::item_as<std::uint32_t>() const;
template std::uint64_t Array::item_as<std::uint64_t>() const;
template float Array::item_as<float>() const;
template double Array::item_as<double>() const;
template std::complex<float> Array::item_as<std::complex<float>>() const;
template std::complex<double> Array::item_as<std::complex<double>>() const;

Array::operator bool() const {
  detail::check_has_value(*this, "bool");
  if (size_ != 1)
    throw ShapeError(size_ == 0 ? "the truth value of an empty array is ambiguous; use size() > 0"
                                : "the truth value of an array with more than one element is ambiguous; "
                                  "xp::sum(x != 0) counts the true ones");
  return item_as<bool>();
}

void eval(const Array& array) {
  detail::check_has_value(array, "eval");
  Storage& storage = *Access::storage(array);
  if (detail::Recorder* writer = storage.writer.load(std::memory_order_acquire)) writer->close();
  if (storage.failure) throw DeviceError(*storage.failure);
}

void synchronize(Device device) {
  detail::Recorder::close_current_thread();
  detail::synchronize_device(detail::open_device(device));
}

void synchronize() {
  detail::Recorder::close_current_thread();
  const detail::DeviceState* failed = nullptr;
  detail::opened_devices().for_each([&failed](detail::DeviceState& device) {
    if (device.usable())
      detail::synchronize_device(device);
    else
      failed = &device;
  });
  if (failed != nullptr) failed->check_usable();
}

void empty_cache(Device device) {
  detail::DeviceState& state = detail::open_device(device);
  state.check_usable();
  // Launched first, so that what dead inputs hold is free, and waited for, since a slab may still be read.
  synchronize(device);
  state.pool.trim();
}

Exposed expose(const Array& array) {
  detail::check_has_value(array, "expose");
  Storage& storage = *Access::storage(array);
  detail::settle(storage, true);
  storage.leases.fetch_add(1, std::memory_order_acq_rel);
  return Exposed(Access::ref(array), storage.data == nullptr ? nullptr : Access::address(array));
}

Exposed::~Exposed() {
  if (storage_) detail::get(storage_)->leases.fetch_sub(1, std::memory_order_acq_rel);
}

Exposed& Exposed::operator=(Exposed&& other) noexcept {
  if (this != &other) {
    if (storage_) detail::get(storage_)->leases.fetch_sub(1, std::memory_order_acq_rel);
    storage_ = std::move(other.storage_);
    data_ = std::exchange(other.data_, nullptr);
  }
  return *this;
}

Array wrap_pointer(void* data, const Shape& shape, DType dtype, const Shape& strides, Device device,
                   std::shared_ptr<void> owner) {
  const Index size = element_count(shape);
  if (!strides.empty() && strides.size() != shape.size())
    throw ShapeError("wrap_pointer: strides " + to_string(strides) + " do not fit shape " + to_string(shape));
  if (data == nullptr && size != 0) throw Error("wrap_pointer: the pointer is null");
  if (reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(std::min<Index>(itemsize(dtype), 8)) != 0)
    throw Error("wrap_pointer: the pointer is not aligned for " + std::string(name(dtype)));
  detail::DeviceState& state = detail::open_device(device);
  state.check_usable();
  auto storage = std::make_unique<Storage>(&state, detail::checked_bytes(size, dtype, shape));
  storage->data = data;
  storage->wrapped = true;
  storage->owner = std::move(owner);
  return Access::make(detail::StorageRef(storage.release()), 0, dtype, shape,
                      strides.empty() ? detail::contiguous_strides(shape) : strides, size);
}

}  // namespace xp
