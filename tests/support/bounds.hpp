// SPDX-License-Identifier: Apache-2.0
// What is promised of functions that IEEE 754 does not fix, in units in the last place (ULP): read by the tests, which
// compare with the oracle, and by xp-accuracy, which measures against more digits than the dtype has.
#pragma once

#include <xp/dtype.hpp>

#include <algorithm>
#include <limits>
#include <string>

#include "core/ops.hpp"

namespace xp_test {

using xp::DType;
using xp::Op;

/// Maximum errors in ULP; 0 for a row that is exact.
struct FunctionError {
  double host, cuda_float32, cuda_float64;
};

/// The host's errors count from the exact value. Those of CUDA are the maximum errors of the CUDA C++ Programming Guide
/// (13, appendix "Mathematical Functions", tables of the C++ standard library's exponential, power, trigonometric,
/// hyperbolic, error and gamma functions; unchanged since 12) for compilation without --use_fast_math. They count from
/// the correctly rounded result, and NVIDIA calls them observed, not guaranteed. logaddexp is composed of exp and
/// log1p.
inline FunctionError error_of_function(Op op) {
  switch (op) {
    case Op::log:
    case Op::log2:
    case Op::log1p:
    case Op::expm1:
    case Op::cbrt:
      return {1, 1, 1};
    case Op::exp:
    case Op::exp2:
    case Op::log10:
    case Op::cosh:
    case Op::tanh:
      return {1, 2, 1};
    case Op::sin:
    case Op::cos:
    case Op::asin:
    case Op::acos:
    case Op::atan:
    case Op::erf:
      return {1, 2, 2};
    case Op::atan2:
    case Op::hypot:
    case Op::sinh:
    case Op::atanh:
      return {1, 3, 2};
    case Op::tan:
      return {1, 4, 2};
    case Op::asinh:
      return {1, 3, 3};
    case Op::acosh:
      return {1, 4, 3};
    case Op::power:
      return {2, 4, 2};
    case Op::erfc:
      return {2, 4, 5};
    case Op::gamma:
      return {2, 5, 10};
    case Op::lgamma:
      return {2, 6, 4};
    case Op::logaddexp:
    case Op::logaddexp2:
      return {2, 4, 4};
    default:
      return {0, 0, 0};
  }
}

/// Of a complex number's modulus; 0 for a row that is exact.
inline double error_of_complex_function(Op op) {
  switch (op) {
    case Op::absolute:
      return 2;
    case Op::sign:
      return 4;
    case Op::sqrt:
    case Op::exp:
    case Op::expm1:
    case Op::log:
    case Op::log1p:
    case Op::log2:
    case Op::log10:
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::asin:
    case Op::acos:
    case Op::atan:
    case Op::sinh:
    case Op::cosh:
    case Op::tanh:
    case Op::asinh:
    case Op::acosh:
    case Op::atanh:
      return 8;
    case Op::exp2:
      return 32;  // exp(z ln 2): the product's rounding counts |z| times
    case Op::power:
      return 128;  // exp(b log(a)), likewise
    default:
      return 0;
  }
}

/// Whether a device runs CUDA's kernels, on a GPU or on a host.
inline bool runs_device_kernels(const std::string& device) {
  return device.rfind("portable", 0) == 0 || device.rfind("cuda", 0) == 0;
}

/// Magnitude below which the error of a function is absolute.
inline double least_of(Op op, DType computed, bool cuda) {
  if (computed >= xp::complex64)  // log near 1
    return op == Op::log || op == Op::log1p || op == Op::log2 || op == Op::log10 ? 1 : 0;
  // The definition subtracts.
  if (op == Op::logaddexp || op == Op::logaddexp2) return 1;
  // Between the poles, negative arguments have zeros (CUDA documents no bound from -2.264 down to -10.001 in float and
  // from -2.2637 to -23.0001 in double).
  if (op == Op::lgamma) return cuda ? 64 : 2;
  return 0;
}

/// Maximum error of a row, from the exact value on the host and from the correctly rounded result elsewhere.
inline double promised_ulps(Op op, DType computed, const std::string& device) {
  const bool portable = device.rfind("portable", 0) == 0, cuda = runs_device_kernels(device);
  if (computed >= xp::complex64) return error_of_complex_function(op) * (cuda ? 2 : 1);
  const FunctionError error = error_of_function(op);
  if (computed < xp::float16 || error.host == 0) return 0;
  if (computed < xp::float32) return 1;  // rounded twice: a float's last bit can tip a half's
  const double ulps = !cuda ? error.host : computed == xp::float32 ? error.cuda_float32 : error.cuda_float64;
  if (!portable) return ulps;
  return op == Op::cbrt ? 4 : std::max(ulps, 2.0);  // by the host's C library
}

/// Error from the exact value. Results smaller than `least` are counted in its units, if the argument is within an
/// interval.
struct Bound {
  double ulps, least, low, high;

  double least_at(double argument) const { return argument >= low && argument <= high ? least : 0; }
};
inline Bound bound_of(Op op, DType dtype, const std::string& device) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const bool cuda = runs_device_kernels(device);
  Bound bound{promised_ulps(op, dtype, device), least_of(op, dtype, cuda), -infinity, infinity};
  if (dtype >= xp::complex64) return bound;
  if (op == Op::lgamma) {
    // Elsewhere its zeros are 1 and 2, where it is as exact as anywhere.
    bound.low = !cuda ? -infinity : dtype == xp::float64 ? -23.0001 : -10.001;
    bound.high = !cuda ? 0 : dtype == xp::float64 ? -2.2637 : -2.264;
  }
  if (dtype < xp::float32)
    bound.ulps = 0.51;  // rounded from float32, where a few units are thousandths of one here
  else
    bound.ulps = bound.ulps == 0 ? 0.5 : cuda ? bound.ulps + 0.5 : bound.ulps;
  // glibc (2.41) reduces the float64 that is closest to a multiple of pi / 2 with an error of 8 units, and tan has two.
  const bool reduces = op == Op::sin || op == Op::cos || op == Op::tan;
  if (reduces && dtype == xp::float64 && device.rfind("portable", 0) == 0) bound.ulps = 16;
  return bound;
}

}  // namespace xp_test
