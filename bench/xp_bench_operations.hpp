// SPDX-License-Identifier: Apache-2.0
// The operations of the workloads, and what they are checked with: plain C++ on a few elements.
#pragma once

#include "xp_bench_workloads.hpp"

#include <string_view>
#include <vector>

namespace bench {

enum class Op { ones, scale, square, twice, chain3, multiply_add };

/// Data is uniform in [low, high). Operations that grow values start low enough, or near enough to their fixed point,
/// for `limit` of them in a row: infinities and denormals would change what is timed.
struct OpTraits {
  std::string_view name;
  Pattern pattern;
  int touched;  // elements read and written per element of the result
  int arrays;   // that live at once
  double low, high;
  xp::Index limit;
};
OpTraits traits(Op op, xp::DType dtype);

/// The elements of an array that are checked: all of a small one, some of a large one (both ends among them).
class Sample {
 public:
  explicit Sample(xp::Index size);
  /// Their values now; each read waits for the device.
  std::vector<double> read(const xp::Array& array) const;
  /// Throws Mismatch that names the first element whose value is not the expected one, bit for bit.
  void compare(const xp::Array& array, const std::vector<double>& expected) const;
  std::size_t size() const { return where_.size(); }

 private:
  std::vector<xp::Index> where_;
};

/// What `operations` operations make of one element, rounded to `dtype` after each step.
double reference(Op op, xp::DType dtype, double x, double y, xp::Index operations);
/// One step of the mixed workload, repeated.
double reference_mixed(xp::DType dtype, double x, xp::Index steps);

}  // namespace bench
