// SPDX-License-Identifier: Apache-2.0
// Arguments at which functions are hard, besides all others.
#pragma once

#include <xp/dtype.hpp>

#include <complex>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/ops.hpp"

namespace accuracy {

/// SplitMix64: the same numbers everywhere, which the standard's distributions are not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// In [0, 1).
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * unit(); }
  /// Both ends included.
  int whole(int low, int high) { return low + static_cast<int>(bits() % static_cast<std::uint64_t>(high - low + 1)); }
  double sign() { return (bits() & 1) != 0 ? 1 : -1; }

 private:
  std::uint64_t state_;
};

/// A real format: digits of the mantissa with the leading one, exponents of the least normal number and of the first
/// power of 2 that is too large.
struct Format {
  int digits, least, greatest;
};
constexpr Format format_of(xp::DType dtype) {
  switch (dtype) {
    case xp::float16:
      return {11, -14, 16};
    case xp::bfloat16:
      return {8, -126, 128};
    case xp::float32:
    case xp::complex64:
      return {24, -126, 128};
    default:
      return {53, -1022, 1024};
  }
}

template <class T>
double widened(T value) {
  if constexpr (sizeof(T) == 2)
    return static_cast<double>(static_cast<float>(value));
  else
    return static_cast<double>(value);
}

/// Arguments of a real function, one after the other: special values first, then random ones by turns from every kind
/// of place that the function has. Unary functions leave the second operand alone.
template <class T>
class Arguments {
 public:
  Arguments(xp::Op op, std::uint64_t seed);
  std::pair<T, T> next();

 private:
  using Draw = std::function<std::pair<T, T>(Random&)>;

  Random random_;
  std::vector<std::pair<T, T>> special_;
  std::vector<Draw> draws_;
  std::size_t turn_ = 0;
};
extern template class Arguments<xp::Half>;
extern template class Arguments<xp::BFloat16>;
extern template class Arguments<float>;
extern template class Arguments<double>;

/// Likewise of complex functions; finite ones only.
template <class R>
class ComplexArguments {
 public:
  using Value = std::complex<R>;

  ComplexArguments(xp::Op op, std::uint64_t seed);
  std::pair<Value, Value> next();

 private:
  using Draw = std::function<std::pair<Value, Value>(Random&)>;

  Random random_;
  std::vector<Draw> draws_;
  std::size_t turn_ = 0;
};
extern template class ComplexArguments<float>;
extern template class ComplexArguments<double>;

}  // namespace accuracy
