// SPDX-License-Identifier: Apache-2.0
// What is timed. Names, sizes, variants, value ranges and batch lengths are those of bench/peers/common.py, so that
// rows can be compared.
#pragma once

#include <xp/xp.hpp>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

/// How an operation goes through memory, which decides the ceiling that it is measured against.
enum class Pattern {
  none,
  fill,       ///< one write
  in_place,   ///< one read, one write to the same place
  copy,       ///< one read, one write elsewhere
  two_reads,  ///< two reads, one write
};

/// A result that differs from the independent computation.
struct Mismatch : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One row: data, and an operation on it that is repeated.
class Case {
 public:
  virtual ~Case() = default;
  /// Makes the data new; never timed.
  virtual void refill() = 0;
  /// Runs the operation that often, and has waited for the device when it returns.
  virtual void run(xp::Index operations) = 0;
  /// Throws Mismatch unless the data is what `operations` operations since refill() make of it.
  virtual void check(xp::Index operations) = 0;
};

struct CaseSpec {
  std::string workload, variant;
  xp::Index size = 0;
  Pattern pattern = Pattern::none;
  double bytes = 0;     // that one operation must move, were it alone; 0: what xp::stats() counts as transferred
  double memory = 0;    // bytes of the arrays that live at once
  xp::Index limit = 0;  // operations for which values stay finite and normal; 0: any number
  xp::Index batch = 1;  // operations between two synchronisations: run() is called with multiples of it
  std::function<std::unique_ptr<Case>()> make;
};

struct Workload {
  std::string name, description;
  std::vector<xp::Index> sizes;
  bool by_default = true;
};

const std::vector<Workload>& workloads();

/// The rows of a workload at one size, on devices[which]; only `mixed` looks at the other devices.
std::vector<CaseSpec> cases_of(const std::string& workload, xp::Index size, xp::DType dtype,
                               const std::vector<xp::Device>& devices, std::size_t which);

/// "1e6", "8388608".
std::string size_text(xp::Index size);

}  // namespace bench
