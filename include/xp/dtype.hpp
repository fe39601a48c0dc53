// SPDX-License-Identifier: Apache-2.0
// Element types: names, sizes, NumPy 2 promotion.
#pragma once

#if __cplusplus < 202002L
#error "xparray needs C++20: compile with -std=c++20 or later"
#endif

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <type_traits>

namespace [[gnu::visibility("default")]] xp {

/// Sizes, strides, axes and indices.
using Index = std::int64_t;

/// Element type of an array. The numbers are those of the backend ABI.
enum class DType : std::uint8_t {
  bool_ = 0,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
};

inline constexpr std::size_t dtype_count = 15;

inline constexpr DType bool_ = DType::bool_;
inline constexpr DType int8 = DType::int8;
inline constexpr DType int16 = DType::int16;
inline constexpr DType int32 = DType::int32;
inline constexpr DType int64 = DType::int64;
inline constexpr DType uint8 = DType::uint8;
inline constexpr DType uint16 = DType::uint16;
inline constexpr DType uint32 = DType::uint32;
inline constexpr DType uint64 = DType::uint64;
inline constexpr DType float16 = DType::float16;
inline constexpr DType bfloat16 = DType::bfloat16;
inline constexpr DType float32 = DType::float32;
inline constexpr DType float64 = DType::float64;
inline constexpr DType complex64 = DType::complex64;
inline constexpr DType complex128 = DType::complex128;

/// Kinds in the order of promotion.
enum class DTypeKind : std::uint8_t { boolean, unsigned_integer, signed_integer, real, complex };

/// IEEE 754 binary16 as stored in float16 arrays; converts to and from float, rounding to nearest even.
struct Half {
  std::uint16_t bits = 0;
  Half() = default;
  explicit Half(float value);
  explicit operator float() const;
};

/// The upper half of a binary32 as stored in bfloat16 arrays; rounds to nearest even.
struct BFloat16 {
  std::uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value);
  explicit operator float() const;
};

namespace detail {
// Not inside itemsize(), which would build the table at every call.
inline constexpr std::uint8_t itemsizes[dtype_count] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
}  // namespace detail

/// Bytes of one element.
constexpr Index itemsize(DType dtype) { return detail::itemsizes[static_cast<std::size_t>(dtype)]; }

constexpr DTypeKind kind(DType dtype) {
  if (dtype == DType::bool_) return DTypeKind::boolean;
  if (dtype <= DType::int64) return DTypeKind::signed_integer;
  if (dtype <= DType::uint64) return DTypeKind::unsigned_integer;
  if (dtype <= DType::float64) return DTypeKind::real;
  return DTypeKind::complex;
}

/// NumPy's name: "float64", "bool", "complex128".
std::string_view name(DType dtype);
std::ostream& operator<<(std::ostream& stream, DType dtype);

/// The dtype with NumPy's name or character code ("float64", "f8", "<f8", "d", "bool", "?"). DTypeError for anything
/// else.
DType dtype_from_name(std::string_view name);

/// dtype of an operation on arrays of the two dtypes, by NumPy 2's rules. bfloat16 promotes as in ml_dtypes: with
/// float16 to float32, with integers and bool to bfloat16 or wider as float16 would.
DType promote_types(DType a, DType b);

/// Which conversions are allowed, as NumPy's `casting`: none, none (there is one byte order), those that keep every
/// value, also those within a kind or to a later one (float64 to float32, int64 to float32), any.
enum class Casting : std::uint8_t { no, equiv, safe, same_kind, unsafe };

/// NumPy's name: "same_kind".
std::string_view name(Casting casting);

/// Whether `casting` allows `from` to be stored as `to`.
bool can_cast(DType from, DType to, Casting casting = Casting::safe);
inline bool can_cast_same_kind(DType from, DType to) { return can_cast(from, to, Casting::same_kind); }

/// The dtype that holds C++ values of type T; for a type without one, does not compile.
template <class T>
constexpr DType dtype_of() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, bool>) {
    return DType::bool_;
  } else if constexpr (std::is_integral_v<U>) {
    constexpr int log2_size = sizeof(U) == 1 ? 0 : sizeof(U) == 2 ? 1 : sizeof(U) == 4 ? 2 : 3;
    return static_cast<DType>(static_cast<int>(std::is_signed_v<U> ? DType::int8 : DType::uint8) + log2_size);
  } else if constexpr (std::is_same_v<U, float>) {
    return DType::float32;
  } else if constexpr (std::is_same_v<U, double>) {
    return DType::float64;
  } else if constexpr (std::is_same_v<U, std::complex<float>>) {
    return DType::complex64;
  } else if constexpr (std::is_same_v<U, std::complex<double>>) {
    return DType::complex128;
  } else if constexpr (std::is_same_v<U, Half>) {
    return DType::float16;
  } else {
    static_assert(std::is_same_v<U, BFloat16>, "no xp dtype holds this C++ type");
    return DType::bfloat16;
  }
}

}  // namespace gnu::visibility("default")]]xp
