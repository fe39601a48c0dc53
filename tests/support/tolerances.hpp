// SPDX-License-Identifier: Apache-2.0
// How far a row's result may be from the oracle's: exact rows not at all, functions by what is promised of them
// (bounds.hpp).
#pragma once

#include <string>

#include "support/bounds.hpp"
#include "support/oracle.hpp"

namespace xp_test {

using oracle::Tolerance;

inline Tolerance tolerance_of(Op op, DType computed, const std::string& device = "host") {
  const double ulps = promised_ulps(op, computed, device);
  return {ulps, ulps > 0 ? least_of(op, computed, runs_device_kernels(device)) : 0};
}

/// Whether every device gives the same bits.
inline bool is_exact(Op op, DType computed) { return tolerance_of(op, computed).ulps == 0; }

/// Complex functions are compared by their modulus, which infinities and overflow would not meet.
inline bool needs_finite(Op op, DType computed) { return computed >= xp::complex64 && !is_exact(op, computed); }

}  // namespace xp_test
