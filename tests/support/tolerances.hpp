// SPDX-License-Identifier: Apache-2.0
// How far a row's result may be from the oracle's: exact rows not at all, functions by what the documentation promises
// for the host, and for other devices by the maximum errors of the CUDA C++ Programming Guide.
#pragma once

#include <algorithm>
#include <string>

#include "support/oracle.hpp"

namespace xp_test {

using oracle::DType;
using oracle::Op;
using oracle::Tolerance;

/// Maximum errors in ULP; 0 for a row that is exact.
struct FunctionError {
  double host, cuda_float32, cuda_float64;
};

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
    case Op::atan:
    case Op::erf:
      return {1, 2, 2};
    case Op::acos:
    case Op::atan2:
    case Op::hypot:
    case Op::sinh:
      return {1, 3, 2};
    case Op::atanh:
      return {1, 3, 2};
    case Op::tan:
    case Op::asin:
      return {1, 4, 2};
    case Op::asinh:
    case Op::acosh:
      return {1, 4, 3};
    case Op::power:
      return {2, 5, 2};
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

/// Magnitude below which the error of a function is absolute.
inline double least_of(Op op, DType computed, bool cuda) {
  if (computed >= xp::complex64)  // log near 1
    return op == Op::log || op == Op::log1p || op == Op::log2 || op == Op::log10 ? 1 : 0;
  // The definition subtracts.
  if (op == Op::logaddexp || op == Op::logaddexp2) return 1;
  // Between the poles, negative arguments have zeros (CUDA documents no bound from -2.3 down to -23).
  if (op == Op::lgamma) return cuda ? 64 : 2;
  return 0;
}

inline Tolerance tolerance_of(Op op, DType computed, const std::string& device = "host") {
  const bool portable = device.rfind("portable", 0) == 0, cuda = portable || device.rfind("cuda", 0) == 0;
  double ulps = 0;
  if (computed >= xp::complex64) {
    ulps = error_of_complex_function(op) * (cuda ? 2 : 1);
  } else if (computed >= xp::float16) {
    const FunctionError error = error_of_function(op);
    if (computed < xp::float32)
      ulps = error.host > 0 ? 1 : 0;  // rounded twice: a float's last bit can tip a half's
    else
      ulps = !cuda ? error.host : computed == xp::float32 ? error.cuda_float32 : error.cuda_float64;
    if (portable && ulps > 0) ulps = op == Op::cbrt ? 4 : std::max(ulps, 2.0);
  }
  return {ulps, ulps > 0 ? least_of(op, computed, cuda) : 0};
}

/// Whether every device gives the same bits.
inline bool is_exact(Op op, DType computed) { return tolerance_of(op, computed).ulps == 0; }

/// Complex functions are compared by their modulus, which infinities and overflow would not meet.
inline bool needs_finite(Op op, DType computed) { return computed >= xp::complex64 && !is_exact(op, computed); }

}  // namespace xp_test
