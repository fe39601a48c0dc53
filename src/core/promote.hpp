// SPDX-License-Identifier: Apache-2.0
// Promotion with C++ scalars, and the dtypes operations compute in.
#pragma once

#include <xp/array.hpp>
#include <xp/dtype.hpp>

#include <array>
#include <optional>

namespace xp::detail {

/// NEP 50: dtype of an array operand together with a weak scalar of this kind.
DType promote_weak(DType array, Scalar::Kind scalar);

/// dtype NumPy gives a Python number of this kind and value.
DType default_dtype(const Scalar& scalar);

/// Whether an integer dtype holds an integer scalar.
bool scalar_fits(const Scalar& scalar, DType dtype);

/// Whether operations on arrays of the dtype take the number as one of the dtype, and do not fail.
inline bool is_plain_number(const Scalar& scalar, DType dtype) {
  switch (kind(dtype)) {
    case DTypeKind::complex:
      return true;
    case DTypeKind::real:
      return scalar.kind() != Scalar::Kind::complex;
    case DTypeKind::boolean:
      return scalar.kind() == Scalar::Kind::boolean;
    default:
      return scalar.kind() <= Scalar::Kind::unsigned_integer && scalar_fits(scalar, dtype);
  }
}

/// DTypeError when an integer scalar is outside an integer dtype's range, or a complex one is to become real.
void check_scalar_fits(const Scalar& scalar, DType dtype);

/// The narrowest float that holds integers of so many bytes as NumPy has it.
constexpr DType float_for_integer(Index bytes) {
  return bytes == 1 ? DType::float16 : bytes == 2 ? DType::float32 : DType::float64;
}

/// The inexact dtype in which NumPy evaluates a function of floats for this argument dtype.
constexpr DType float_for(DType dtype) {
  if (kind(dtype) >= DTypeKind::real) return dtype;
  return dtype == DType::bool_ ? DType::float16 : float_for_integer(itemsize(dtype));
}

/// float32 for complex64, float64 for complex128, else the dtype itself.
constexpr DType real_part(DType dtype) {
  if (dtype == DType::complex64) return DType::float32;
  if (dtype == DType::complex128) return DType::float64;
  return dtype;
}

/// What an operation gives on arrays of each dtype that it computes in this dtype; none where it does not.
using OwnResults = std::array<std::optional<DType>, dtype_count>;

}  // namespace xp::detail
