// SPDX-License-Identifier: Apache-2.0
// C++ types of the dtypes in memory, and of the slots in which a program of each width holds them (xp/backend.h).
#pragma once

#include <tuple>

#include "kernels/functors.hpp"
#include "xp/backend.h"

namespace xp::kernels {

using StorageTypes =
    std::tuple<Bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
               std::uint64_t, Half, BFloat16, float, double, Complex<float>, Complex<double>>;
static_assert(std::tuple_size_v<StorageTypes> == XP_DTYPE_COUNT);

/// The element type of a dtype in memory.
template <int dtype>
using Storage = std::tuple_element_t<dtype, StorageTypes>;

inline constexpr std::uint8_t dtype_sizes[XP_DTYPE_COUNT] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};

inline constexpr const char* dtype_names[XP_DTYPE_COUNT] = {
    "bool",   "int8",    "int16",    "int32",   "int64",   "uint8",     "uint16",    "uint32",
    "uint64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"};

/// Dtypes that share their slot's C++ type and its arithmetic, but for the rounding to the dtype.
enum class Kind : std::uint8_t { unsigned_, signed_, real, complex, boolean };
inline constexpr int kind_count = 5;

constexpr Kind kind_of(int dtype) {
  if (dtype == XP_BOOL) return Kind::boolean;
  if (dtype <= XP_INT64) return Kind::signed_;
  if (dtype <= XP_UINT64) return Kind::unsigned_;
  return dtype <= XP_FLOAT64 ? Kind::real : Kind::complex;
}

/// Slot of width 128 for what is not complex128: the value is in the first half.
template <class T>
struct FirstHalf {
  T value;
  std::uint64_t rest;
};

/// Whether a program of this width can hold values of a dtype.
constexpr bool has_slot(int width, int dtype) {
  switch (width) {
    case 32:
      return dtype == XP_BOOL || (dtype_sizes[dtype] <= 4);
    case 64:
      return dtype != XP_COMPLEX128;
    case 128:
      return dtype == XP_BOOL || (kind_of(dtype) == Kind::real) || dtype == XP_COMPLEX128;
    default:
      return false;
  }
}

template <int width, int dtype>
constexpr auto slot_example() {
  constexpr Kind kind = kind_of(dtype);
  if constexpr (width == 128) {
    if constexpr (kind == Kind::complex)
      return Complex<double>{};
    else if constexpr (kind == Kind::boolean)
      return FirstHalf<std::uint64_t>{};
    else
      return FirstHalf<double>{};
  } else if constexpr (kind == Kind::complex) {
    return Complex<float>{};
  } else if constexpr (kind == Kind::real) {
    return std::conditional_t<width == 32, float, double>{};
  } else if constexpr (kind == Kind::signed_) {
    return std::conditional_t<width == 32, std::int32_t, std::int64_t>{};
  } else {
    return std::conditional_t<width == 32, std::uint32_t, std::uint64_t>{};
  }
}

template <int width, int dtype>
using SlotType = decltype(slot_example<width, dtype>());

template <class Slot, class T>
KOKKOS_INLINE_FUNCTION Slot to_slot(T value) {
  if constexpr (is_bool<T> && std::is_integral_v<Slot>)
    return static_cast<Slot>(value.value != 0);
  else if constexpr (std::is_same_v<Slot, FirstHalf<std::uint64_t>>)
    return {static_cast<std::uint64_t>(value.value != 0), 0};
  else if constexpr (std::is_same_v<Slot, FirstHalf<double>>)
    return {convert<double>(value), 0};
  else
    return convert<Slot>(value);
}

/// Exact: a slot's value is normalised to its dtype.
template <class T, class Slot>
KOKKOS_INLINE_FUNCTION T from_slot(Slot slot) {
  if constexpr (is_bool<T>) {
    if constexpr (std::is_integral_v<Slot>)
      return {static_cast<std::uint8_t>(slot != 0)};
    else
      return {static_cast<std::uint8_t>(slot.value != 0)};
  } else if constexpr (std::is_same_v<Slot, FirstHalf<double>>) {
    return convert<T>(slot.value);
  } else {
    return convert<T>(slot);
  }
}

/// The slot's bytes are the memory's: a contiguous operand is used where it lies.
constexpr bool is_native(int width, int dtype) {
  return dtype != XP_BOOL && dtype_sizes[dtype] * 8 == width && has_slot(width, dtype);
}

}  // namespace xp::kernels
