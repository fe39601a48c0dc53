// SPDX-License-Identifier: Apache-2.0
// xp-bench: the library's workloads on one or several devices, against the ceilings of the same run.
// Exit status: 0; 1 when a result is wrong or a device fails; 2 for a command line that cannot be run; 3 when no row
// fits.
#include "xp_bench_options.hpp"
#include "xp_bench_progress.hpp"
#include "xp_bench_report.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>

namespace {

using namespace bench;

struct Task {
  CaseSpec spec;
  std::size_t device;
};

// Devices innermost, so that rows to compare are measured and printed one after the other.
std::vector<Task> tasks_of(const Options& options) {
  std::vector<Task> tasks;
  for (const Workload& workload : workloads()) {
    for (const std::string& name : options.workloads) {
      if (name != workload.name) continue;
      for (const xp::Index size : options.sizes.empty() ? workload.sizes : options.sizes) {
        std::vector<std::vector<CaseSpec>> per_device;
        std::size_t rows = 0;
        for (std::size_t k = 0; k < options.devices.size(); ++k) {
          per_device.push_back(cases_of(name, size, options.dtype, options.devices, k));
          rows = std::max(rows, per_device.back().size());
        }
        for (std::size_t row = 0; row < rows; ++row)
          for (std::size_t k = 0; k < per_device.size(); ++k)
            if (row < per_device[k].size()) tasks.push_back({per_device[k][row], k});
      }
      break;
    }
  }
  return tasks;
}

int run(const Options& options) {
  Json compared;
  if (!options.compare.empty()) {
    try {
      compared = read_json(options.compare);
    } catch (const std::runtime_error& error) {
      throw UsageError(std::string("--compare: ") + error.what());
    }
  }
  // Not after minutes of work.
  if (!options.json.empty() && !std::ofstream(options.json, std::ios::app))
    throw UsageError("--json: " + options.json + ": cannot be written");
  const std::vector<Task> tasks = tasks_of(options);
  Progress progress(static_cast<int>(tasks.size()));
  std::vector<Meter> meters;
  for (const xp::Device device : options.devices)
    meters.emplace_back(device, options.repeat, [&](const std::string& text) { progress.note(text); });

  std::vector<Row> rows;
  std::vector<Skipped> skipped;
  int status = 0;
  print_header();
  for (const Task& task : tasks) {
    const CaseSpec& spec = task.spec;
    std::string reason;
    try {
      if (const auto row = meters[task.device].measure(spec, options.dtype, reason)) {
        progress.clear();
        print_row(*row);
        rows.push_back(*row);
      } else {
        progress.clear();
        std::fprintf(stderr, "xp-bench: %s\n", reason.c_str());
        skipped.push_back({spec.workload, spec.variant, options.devices[task.device].name(), reason, spec.size});
      }
    } catch (const Mismatch& error) {
      progress.clear();
      std::fprintf(stderr, "xp-bench: %s\n", error.what());
      status = 1;
    }
    progress.step();
  }
  progress.clear();
  print_notes(rows);
  if (options.devices.size() > 1) {
    print_speedups(rows, options.devices);
    print_crossovers(rows, options.devices);
  }
  if (!options.compare.empty()) print_speedups_over(rows, compared, options.compare);
  if (!options.json.empty()) write_json(options.json, to_json(rows, skipped, options));
  return status != 0 ? status : rows.empty() ? 3 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Options options;
    int exit_code = 0;
    if (!parse_options(argc, argv, options, exit_code)) return exit_code;
    return run(options);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "xp-bench: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "xp-bench: %s\n", error.what());
    return 1;
  }
}
