// SPDX-License-Identifier: Apache-2.0
// How far a device's functions are from the exact values.
#pragma once

#include <xp/xp.hpp>

#include <functional>
#include <string>
#include <vector>

#include "core/ops.hpp"

namespace accuracy {

/// The functions that are measured, in the order of the table's rows.
std::vector<xp::Op> measured_functions();
/// Whether a function has errors to be measured in the dtype.
bool is_measured(xp::Op op, xp::DType dtype);

/// Errors are told to three digits.
inline constexpr double rounding = 0.0005;

/// A result, in digits that give the same numbers when they are read.
struct Example {
  std::string arguments, result, exact;
};

struct Measurement {
  xp::Op op{};
  xp::DType dtype{};
  std::string device;
  xp::Index samples = 0;
  bool exhaustive = false;    // every argument of the dtype
  double most = 0, mean = 0;  // in units in the last place
  Example worst;
  /// Results of another class than the exact value's: a number for a NaN, an infinity for a number, a zero of another
  /// sign.
  xp::Index mismatches = 0;
  Example mismatch;
  double bound = 0, least = 0;  // what is promised (support/bounds.hpp)

  bool within_bound() const { return most < bound + rounding && mismatches == 0; }
};

struct Plan {
  xp::Index samples;  // of functions and dtypes that are not measured exhaustively
  bool exhaustive;    // float32 functions of one operand: all of 2^32
  int jobs;           // threads that compute exact values
};

/// Unary functions of 16-bit floats are measured exhaustively always. `note` is called now and then with what is being
/// done.
Measurement measure(xp::Op op, xp::DType dtype, xp::Device device, const Plan& plan,
                    const std::function<void(const std::string&)>& note);

}  // namespace accuracy
