// SPDX-License-Identifier: Apache-2.0
// Samples, and what is made of them.
#pragma once

#include "xp_bench_ceilings.hpp"
#include "xp_bench_workloads.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace bench {

struct Summary {
  double median = 0, least = 0, most = 0;
};
Summary summarize(std::vector<double> values);

/// One line of the result.
struct Row {
  std::string workload, variant, dtype, device;
  xp::Index size = 0;
  int samples = 0;
  xp::Index operations = 0;  // in one sample
  Summary seconds;           // per operation
  double bytes = 0;          // per operation, as the workload counts them
  double ceiling = 0;        // bytes per second; 0: none was measured
  std::string ceiling_by;
  xp::Stats per_operation;              // of one operation, or of one batch divided by its length
  double kernels = 0, allocations = 0;  // per operation

  double speed() const { return seconds.median > 0 ? bytes / seconds.median : 0; }
};

/// Of one device.
class Meter {
 public:
  /// `repeat` 0: as many samples as fit into some seconds, 3 to 9. `note` is told what is being done.
  Meter(xp::Device device, int repeat, std::function<void(const std::string&)> note);

  /// Warms up, takes samples of the workload and of its ceiling in turn, checks the result. Nothing, with `skipped` set
  /// to the reason, when memory does not suffice; Mismatch when the result is wrong.
  std::optional<Row> measure(const CaseSpec& spec, xp::DType dtype, std::string& skipped);

 private:
  double available();

  xp::Device device_;
  int repeat_;
  bool host_ = false;
  std::function<void(const std::string&)> note_;
  std::unique_ptr<Ceiling> ceiling_;
};

/// "1.23 us", "4.5 ms".
std::string time_text(double seconds);
/// "8.00 GB".
std::string bytes_text(double bytes);

}  // namespace bench
