// SPDX-License-Identifier: Apache-2.0
// Arrays from nothing and from host data.
#pragma once

#include <xp/array.hpp>

#include <concepts>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

namespace [[gnu::visibility("default")]] xp {

/// Uninitialised; C order. ShapeError for negative extents or more than 2^63 - 1 elements or bytes.
Array empty(const Shape& shape, DType dtype = float64, Device device = {});
Array zeros(const Shape& shape, DType dtype = float64, Device device = {});
Array ones(const Shape& shape, DType dtype = float64, Device device = {});
/// Filled with `value`, in the dtype given or NumPy's default for its kind (bool, int64, float64, complex128).
/// DTypeError when an integer is out of the dtype's range.
Array full(const Shape& shape, Scalar value, std::optional<DType> dtype = {}, Device device = {});
inline Array empty(const Shape& shape, Device device) { return empty(shape, float64, device); }
inline Array zeros(const Shape& shape, Device device) { return zeros(shape, float64, device); }
inline Array ones(const Shape& shape, Device device) { return ones(shape, float64, device); }
inline Array full(const Shape& shape, Scalar value, Device device) { return full(shape, value, std::nullopt, device); }

/// Shape and device of `like`, its dtype unless another is given; memory order of `like` (NumPy's order='K').
Array empty_like(const Array& like, std::optional<DType> dtype = {});
Array zeros_like(const Array& like, std::optional<DType> dtype = {});
Array ones_like(const Array& like, std::optional<DType> dtype = {});
Array full_like(const Array& like, Scalar value, std::optional<DType> dtype = {});

/// start, start + step, … below stop: ceil((stop - start) / step) values, computed as start + i * step in the dtype,
/// which is int64 when all three are integers and float64 otherwise, unless given. Error for step 0.
Array arange(Scalar start, Scalar stop, Scalar step = 1, std::optional<DType> dtype = {}, Device device = {});
Array arange(Scalar stop, std::optional<DType> dtype = {}, Device device = {});
inline Array arange(Scalar stop, Device device) { return arange(stop, std::nullopt, device); }
inline Array arange(Scalar start, Scalar stop, Device device) { return arange(start, stop, 1, std::nullopt, device); }
inline Array arange(Scalar start, Scalar stop, Scalar step, Device device) {
  return arange(start, stop, step, std::nullopt, device);
}
inline Array arange(Scalar start, Scalar stop, DType dtype, Device device = {}) {
  return arange(start, stop, 1, dtype, device);
}

namespace detail {
Array linspace(double start, double stop, Index num, bool endpoint, DType dtype, Device device);
}

/// `num` values from start to stop inclusive (exclusive when endpoint is false), as NumPy computes them: i * step +
/// start, with the last one set to stop.
template <std::same_as<bool> B>  // no number and no device name becomes an endpoint
Array linspace(double start, double stop, Index num, B endpoint, DType dtype = float64, Device device = {}) {
  return detail::linspace(start, stop, num, endpoint, dtype, device);
}
inline Array linspace(double start, double stop, Index num = 50, DType dtype = float64, Device device = {}) {
  return detail::linspace(start, stop, num, true, dtype, device);
}
inline Array linspace(double start, double stop, Index num, Device device) {
  return detail::linspace(start, stop, num, true, float64, device);
}

/// A copy of host elements in C order. ShapeError when there are not as many as the shape has.
template <class T>
Array asarray(std::span<const T> values, const Shape& shape, Device device = {}) {
  if (static_cast<Index>(values.size()) != element_count(shape))
    throw ShapeError("asarray: cannot reshape array of size " + std::to_string(values.size()) + " into shape " +
                     to_string(shape));
  Array result = empty(shape, dtype_of<T>(), device);
  result.copy_from_host(values.data());
  return result;
}
template <class T>
Array asarray(const std::vector<T>& values, const Shape& shape, Device device = {}) {
  if constexpr (std::is_same_v<T, bool>) {
    const auto bytes = std::make_unique<bool[]>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) bytes[i] = values[i];
    return asarray(std::span<const bool>(bytes.get(), values.size()), shape, device);
  } else {
    return asarray(std::span<const T>(values), shape, device);
  }
}
template <class T>
Array asarray(const std::vector<T>& values, Device device = {}) {
  return asarray(values, Shape{static_cast<Index>(values.size())}, device);
}

/// `xp::array({1.0, 2.0})`, `xp::array({{1, 2}, {3, 4}})`; the dtype is that of the C++ type. ShapeError for ragged
/// rows.
template <class T>
Array array(std::initializer_list<T> values, Device device = {}) {
  return asarray(std::vector<T>(values), device);
}
template <class T>
Array array(std::initializer_list<std::initializer_list<T>> rows, Device device = {}) {
  std::vector<T> values;
  const std::size_t columns = rows.size() == 0 ? 0 : rows.begin()->size();
  for (const auto& row : rows) {
    if (row.size() != columns) throw ShapeError("array: rows have different lengths");
    values.insert(values.end(), row.begin(), row.end());
  }
  return asarray(values, Shape{static_cast<Index>(rows.size()), static_cast<Index>(columns)}, device);
}

}  // namespace gnu::visibility("default")]]xp
