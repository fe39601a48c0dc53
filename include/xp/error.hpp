// SPDX-License-Identifier: Apache-2.0
// Exceptions. Messages are in NumPy's wording where NumPy has one, and otherwise read `operation: what is wrong
// (values)`.
#pragma once

#include <stdexcept>

namespace [[gnu::visibility("default")]] xp {

/// Base of everything this library throws.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Shapes that do not broadcast, a reshape that does not fit, an axis out of bounds, an output that cannot be written.
struct ShapeError : Error {
  using Error::Error;
};

/// An operation that a dtype does not have, a cast that `casting` forbids, a scalar out of a dtype's range, a negative
/// power of integers.
struct DTypeError : Error {
  using Error::Error;
};

/// An index out of bounds, or one that is not an index.
struct IndexError : Error {
  using Error::Error;
};

/// No such device, operands on different devices, or a device that failed.
struct DeviceError : Error {
  using Error::Error;
};

/// The device has not enough memory. Nothing was changed; the same call may succeed after arrays are released.
struct OutOfMemoryError : DeviceError {
  using DeviceError::DeviceError;
};

/// Singular or not positive definite input, or an iteration that did not converge.
struct LinAlgError : Error {
  using Error::Error;
};

/// A file that cannot be read or written, or is malformed.
struct IoError : Error {
  using Error::Error;
};

/// A backend library that cannot be used: missing symbol, other ABI, other operation table.
struct BackendError : Error {
  using Error::Error;
};

}  // namespace gnu::visibility("default")]]xp
