// SPDX-License-Identifier: Apache-2.0
// The command line of xp-bench.
#pragma once

#include <xp/xp.hpp>

#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

/// A command line that cannot be run; the message is the sentence to print.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  std::vector<xp::Device> devices;
  std::vector<std::string> workloads;
  std::vector<xp::Index> sizes;  // empty: each workload's own
  xp::DType dtype = xp::float64;
  int repeat = 0;  // 0: chosen by the time that a repetition takes
  bool fuse = true;
  std::string json;
  std::string compare;
};

/// "10", "1e7", "10M", "2.5k": a whole number of elements. UsageError otherwise.
xp::Index parse_size(const std::string& text);

/// Returns true when there is something to run; false when --help or --list has been answered. `exit_code` is set when
/// it returns false. UsageError for names that do not exist; xp::DeviceError for devices that cannot be used.
bool parse_options(int argc, char** argv, Options& options, int& exit_code);

}  // namespace bench
