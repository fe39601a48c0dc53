// SPDX-License-Identifier: Apache-2.0
// Naive arrays on the host: flat buffers of any dtype, strided views of them, every elementwise operation, and the
// comparison with what the library computed.
#pragma once

#include <gtest/gtest.h>
#include <xp/xp.hpp>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "support/kernels.hpp"

namespace oracle {

/// Elements of one dtype in C order.
struct Buffer {
  DType dtype = DType::float64;
  Index count = 0;
  std::vector<unsigned char> bytes;

  Buffer() = default;
  Buffer(DType type, Index size)
      : dtype(type), count(size), bytes(static_cast<std::size_t>(size * xp::itemsize(type))) {}
  template <class T>
  static Buffer of(const std::vector<T>& values) {
    Buffer result(oracle::dtype_of<T>(), static_cast<Index>(values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) result.set(static_cast<Index>(i), Value::of<T>(values[i]));
    return result;
  }
  template <class T>
  T* data() {
    return reinterpret_cast<T*>(bytes.data());
  }
  template <class T>
  const T* data() const {
    return reinterpret_cast<const T*>(bytes.data());
  }
  Value get(Index i) const { return Value::load(dtype, bytes.data() + i * xp::itemsize(dtype)); }
  void set(Index i, const Value& value) { value.store(bytes.data() + i * xp::itemsize(dtype)); }
};

inline Buffer cast(const Buffer& from, DType to) {
  Buffer result(to, from.count);
  visit(from.dtype, [&](auto from_tag) {
    visit(to, [&](auto to_tag) {
      using From = typename decltype(from_tag)::type;
      using To = typename decltype(to_tag)::type;
      for (Index i = 0; i < from.count; ++i) result.data<To>()[i] = convert<To>(from.data<From>()[i]);
    });
  });
  return result;
}

/// An operation on buffers of the dtype it computes in; `b` is ignored by unary ones.
inline Buffer apply(Op op, const Buffer& a, const Buffer& b) {
  Buffer result(result_of(op, a.dtype), a.count);
  kernel_of(op, a.dtype)(a.bytes.data(), b.bytes.data(), result.bytes.data(), a.count);
  return result;
}

inline Buffer where(const Buffer& mask, const Buffer& a, const Buffer& b) {
  Buffer result(a.dtype, a.count);
  const auto size = static_cast<std::size_t>(xp::itemsize(a.dtype));
  for (Index i = 0; i < a.count; ++i) {
    const Buffer& from = mask.data<bool>()[i] ? a : b;
    std::memcpy(result.bytes.data() + static_cast<std::size_t>(i) * size,
                from.bytes.data() + static_cast<std::size_t>(i) * size, size);
  }
  return result;
}

// ---- Comparison
// ------------------------------------------------------------------------------------------------------

inline std::string text(const Value& value) {
  std::ostringstream out;
  out.precision(17);
  visit(value.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (is_half<T>)
      out << widen(value.as<T>());
    else if constexpr (std::is_integral_v<T> && sizeof(T) == 1)
      out << static_cast<int>(value.as<T>());
    else
      out << value.as<T>();
  });
  return out.str();
}

/// How far a result may be from the oracle's, which itself is within half a unit in the last place (ULP).
struct Tolerance {
  double ulps = 0;   // 0: equal bits, but for a NaN's sign and payload. Complex numbers are measured by their modulus
  double least = 0;  // below it a ULP is no longer smaller: where the definition cancels
};
inline constexpr Tolerance equal_bits{};

template <class R>
bool same_bits(R a, R b) {
  if constexpr (is_half<R>) {
    return a.bits == b.bits || (std::isnan(widen(a)) && std::isnan(widen(b)));
  } else if constexpr (std::is_floating_point_v<R>) {
    return std::memcmp(&a, &b, sizeof(R)) == 0 || (std::isnan(a) && std::isnan(b));
  } else {
    return a == b;
  }
}

/// Digits of the mantissa, and the exponents of the format: 2^greatest is the first that is too large.
struct Format {
  int digits, least, greatest;
};
template <class R>
constexpr Format format_of() {
  if constexpr (std::is_same_v<R, F16>) return {11, -14, 16};
  if constexpr (std::is_same_v<R, BF16>) return {8, -126, 128};
  if constexpr (std::is_same_v<R, float>) return {24, -126, 128};
  return {53, -1022, 1024};
}

/// Distance between a number and the next one away from zero.
inline long double spacing(long double value, Format format) {
  int exponent = format.least + 1;
  if (value != 0) std::frexp(value, &exponent);
  return std::ldexp(1.0L, std::max(exponent - 1, format.least) - format.digits + 1);
}

template <class R>
bool within_ulps(R got, R want, Tolerance tolerance) {
  if (same_bits(got, want)) return true;
  if constexpr (is_real<R>) {
    const Format format = format_of<R>();
    const auto wide = [format](R value) {
      // An infinity is the number after the greatest one.
      const auto x = static_cast<long double>(convert<double>(value));
      return std::isinf(x) ? std::copysign(std::ldexp(1.0L, format.greatest), x) : x;
    };
    const long double a = wide(got), b = wide(want);
    if (tolerance.ulps == 0 || std::isnan(a) || std::isnan(b)) return false;
    if (a == 0 && b == 0) return false;  // of different signs
    return std::fabs(a - b) <=
           (tolerance.ulps + 0.5) * spacing(std::max(std::fabs(b), static_cast<long double>(tolerance.least)), format);
  } else {
    return false;
  }
}

template <class T>
bool close(T got, T want, Tolerance tolerance) {
  if constexpr (is_complex<T>) {
    using R = typename T::value_type;
    if (same_bits(got.real(), want.real()) && same_bits(got.imag(), want.imag())) return true;
    if (tolerance.ulps == 0) return false;
    const long double size = std::hypot(static_cast<long double>(want.real()), static_cast<long double>(want.imag()));
    const long double error = std::hypot(static_cast<long double>(got.real()) - static_cast<long double>(want.real()),
                                         static_cast<long double>(got.imag()) - static_cast<long double>(want.imag()));
    return error <= tolerance.ulps * spacing(std::max(size, static_cast<long double>(tolerance.least)), format_of<R>());
  } else {
    return within_ulps(got, want, tolerance);
  }
}

inline testing::AssertionResult equal(const Buffer& got, const Buffer& want, Tolerance tolerance = equal_bits) {
  if (got.dtype != want.dtype)
    return testing::AssertionFailure() << "dtype " << xp::name(got.dtype) << ", expected " << xp::name(want.dtype);
  if (got.count != want.count) return testing::AssertionFailure() << got.count << " elements, expected " << want.count;
  if (got.bytes == want.bytes) return testing::AssertionSuccess();
  return visit(got.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    Index wrong = 0, first = 0;
    for (Index i = got.count - 1; i >= 0; --i) {
      // A bool is one of two bytes: reading another one as a bool would hide it.
      const bool same = is_bool<T> ? got.bytes[static_cast<std::size_t>(i)] == want.bytes[static_cast<std::size_t>(i)]
                                   : close(got.data<T>()[i], want.data<T>()[i], tolerance);
      if (!same) {
        ++wrong;
        first = i;
      }
    }
    if (wrong == 0) return testing::AssertionSuccess();
    return testing::AssertionFailure() << wrong << " of " << got.count << " elements of " << xp::name(got.dtype)
                                       << " differ, the first at " << first << ": got " << text(got.get(first))
                                       << ", expected " << text(want.get(first));
  });
}

/// The array's elements in C order.
inline Buffer read(const xp::Array& array) {
  Buffer result(array.dtype(), array.size());
  array.copy_to_host(result.bytes.data());
  return result;
}

inline testing::AssertionResult equal(const xp::Array& got, const Buffer& want, Tolerance tolerance = equal_bits) {
  return equal(read(got), want, tolerance);
}

/// A C-ordered array of the buffer's elements.
inline xp::Array upload(const Buffer& values, const xp::Shape& shape, xp::Device device) {
  xp::Array result = xp::empty(shape, values.dtype, device);
  result.copy_from_host(values.bytes.data());
  return result;
}

// ---- Strided views
// ---------------------------------------------------------------------------------------------------

using Extents = std::vector<Index>;

inline Index product(const Extents& shape) {
  Index result = 1;
  for (const Index extent : shape) result *= extent;
  return result;
}

inline Extents c_strides(const Extents& shape) {
  Extents strides(shape.size());
  Index step = 1;
  for (std::size_t d = shape.size(); d-- > 0; step *= shape[d]) strides[d] = step;
  return strides;
}

inline Extents extents(const xp::Shape& shape) { return Extents(shape.begin(), shape.end()); }

/// Part of a buffer, as NumPy's views.
struct View {
  std::shared_ptr<Buffer> storage;
  Index offset = 0;
  Extents shape, strides;

  static View make(DType dtype, const Extents& shape) {
    return {std::make_shared<Buffer>(dtype, product(shape)), 0, shape, c_strides(shape)};
  }
  static View of(Buffer values, const Extents& shape) {
    return {std::make_shared<Buffer>(std::move(values)), 0, shape, c_strides(shape)};
  }
  DType dtype() const { return storage->dtype; }
  Index size() const { return product(shape); }

  /// Calls f(position in the storage) for every element, in C order.
  template <class F>
  void each(F&& f) const {
    if (size() == 0) return;
    Extents index(shape.size(), 0);
    Index position = offset;
    while (true) {
      f(position);
      std::size_t d = shape.size();
      while (d-- > 0) {
        position += strides[d];
        if (++index[d] < shape[d]) break;
        position -= shape[d] * strides[d];
        index[d] = 0;
      }
      if (d == static_cast<std::size_t>(-1)) return;
    }
  }

  /// The elements in C order.
  Buffer gather() const {
    Buffer result(dtype(), size());
    visit(dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      T* to = result.data<T>();
      const T* from = storage->data<T>();
      each([&](Index position) { *to++ = from[position]; });
    });
    return result;
  }
  /// Writes elements in C order.
  void scatter(const Buffer& values) const {
    visit(dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* from = values.data<T>();
      T* to = storage->data<T>();
      each([&](Index position) { to[position] = *from++; });
    });
  }

  View transpose(const Extents& axes) const {
    View result = *this;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      result.shape[d] = shape[static_cast<std::size_t>(axes[d])];
      result.strides[d] = strides[static_cast<std::size_t>(axes[d])];
    }
    return result;
  }
  View transpose() const {
    View result = *this;
    std::reverse(result.shape.begin(), result.shape.end());
    std::reverse(result.strides.begin(), result.strides.end());
    return result;
  }
  View broadcast_to(const Extents& to) const {
    View result{storage, offset, to, Extents(to.size(), 0)};
    const std::size_t extra = to.size() - shape.size();
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (shape[d] == to[d + extra]) result.strides[d + extra] = strides[d];
    return result;
  }
};

/// NumPy's broadcasting, for shapes that do broadcast.
inline Extents broadcast(const Extents& a, const Extents& b) {
  Extents result = a.size() > b.size() ? a : b;
  const Extents& shorter = a.size() > b.size() ? b : a;
  for (std::size_t d = 0; d < shorter.size(); ++d) {
    Index& extent = result[result.size() - 1 - d];
    if (extent == 1) extent = shorter[shorter.size() - 1 - d];
  }
  return result;
}

}  // namespace oracle
