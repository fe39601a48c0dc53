// SPDX-License-Identifier: Apache-2.0
// xp-accuracy: errors of the functions on one or several devices, beside what is promised of them.
// Exit status: 0; 1 when a promise is broken or a device fails; 2 for a command line that cannot be run.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <thread>

#include "accuracy_measure.hpp"
#include "accuracy_report.hpp"
#include "xp_bench_progress.hpp"

namespace {

using namespace accuracy;

struct Options {
  std::vector<std::string> devices, functions, dtypes;
  double samples = 1e6;
  bool exhaustive = false, check = false, merge = false;
  int jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::string format = "table", record, page;
};

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr xp::DType dtypes[] = {xp::float16, xp::bfloat16, xp::float32, xp::float64, xp::complex64, xp::complex128};

// As the tests: the device that XP_TEST_DEVICE names, which must be there, or all.
std::vector<std::string> tested_devices() {
  if (const char* only = std::getenv("XP_TEST_DEVICE"); only != nullptr && *only != '\0') return {only};
  std::vector<std::string> names;
  for (const xp::Device device : xp::devices()) names.push_back(device.name());
  return names;
}

std::vector<xp::Device> opened(const std::vector<std::string>& names) {
  std::vector<xp::Device> result;
  for (const std::string& name : names) {
    const xp::Device device = name == "auto" ? xp::default_device() : xp::Device(name);
    xp::initialize(device);
    // The name in full: "cuda" is "cuda:0".
    result.push_back(xp::empty({1}, xp::float64, device).device());
  }
  return result;
}

bool is_wanted(const std::vector<std::string>& parts, std::string_view name) {
  return parts.empty() || std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
           return name.find(part) != std::string_view::npos;
         });
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw UsageError(path + ": cannot be written");
}

int run(const Options& options) {
  if (options.merge) {
    const std::string text = page(options.record);
    if (options.page.empty())
      std::fputs(text.c_str(), stdout);
    else
      write(options.page, text);
    return 0;
  }
  std::vector<std::string> names = options.devices;
  if (names.empty()) names = options.check ? tested_devices() : std::vector<std::string>{"auto"};
  const std::vector<xp::Device> devices = opened(names);

  struct Task {
    xp::Op op;
    xp::DType dtype;
    xp::Device device;
  };
  std::vector<Task> tasks;
  for (const xp::Op op : measured_functions())
    for (const xp::DType dtype : dtypes)
      for (const xp::Device device : devices)
        if (is_measured(op, dtype) && is_wanted(options.functions, xp::info(op).name) &&
            (options.dtypes.empty() || is_wanted(options.dtypes, xp::name(dtype))))
          tasks.push_back({op, dtype, device});
  if (tasks.empty()) throw UsageError("no function has such a name and dtype");

  const bool prints_rows = options.format == "table" && !options.check;
  const Plan plan{static_cast<xp::Index>(options.samples), options.exhaustive, options.jobs};
  bench::Progress progress(static_cast<int>(tasks.size()));
  std::vector<Measurement> rows;
  if (prints_rows) print_header();
  for (const Task& task : tasks) {
    rows.push_back(
        measure(task.op, task.dtype, task.device, plan, [&](const std::string& text) { progress.note(text); }));
    progress.clear();
    progress.step();
    if (prints_rows) print_row(rows.back());
  }
  if (options.format == "markdown") std::fputs(markdown(rows).c_str(), stdout);
  if (options.format == "json")
    for (const xp::Device device : devices) std::printf("%s\n", to_json(rows, device).dump().c_str());
  if (!options.record.empty())
    for (const xp::Device device : devices) std::fprintf(stderr, "%s\n", record(options.record, rows, device).c_str());
  if (!options.page.empty()) write(options.page, page(options.record));

  const bool kept = std::all_of(rows.begin(), rows.end(), [](const Measurement& row) { return row.within_bound(); });
  if (!kept && options.format == "table") {
    std::printf("\npromises that are broken:\n");
    for (const Measurement& row : rows)
      if (!row.within_bound()) print_broken(row);
  }
  if (kept && options.check) std::printf("%zu measurements within what is promised\n", rows.size());
  return kept ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures the errors of xparray's functions in units in the last place, against more digits.",
               "xp-accuracy");
  Options options;
  app.add_option("-d,--device", options.devices, "host, cuda, cuda:1; one or several (default: the fastest)")
      ->delimiter(',');
  app.add_option("-f,--function", options.functions, "functions whose names contain this; one or several")
      ->delimiter(',');
  app.add_option("-t,--dtype", options.dtypes, "float32, complex, ...: parts of names; one or several")->delimiter(',');
  app.add_option("-n,--samples", options.samples, "arguments per function and dtype")
      ->check(CLI::Range(1.0, 1e12))
      ->capture_default_str();
  app.add_flag("--exhaustive", options.exhaustive, "all arguments of float32 functions of one operand");
  app.add_option("-j,--jobs", options.jobs, "threads that compute exact values")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--format", options.format, "what is printed: table, markdown, json")
      ->check(CLI::IsMember({"table", "markdown", "json"}))
      ->capture_default_str();
  app.add_option("--record", options.record, "folder in which each device's results are written or brought up to date");
  app.add_option("--page", options.page, "write the page of the results in --record's folder to this file");
  app.add_flag("--merge", options.merge, "measure nothing: only the page");
  app.add_flag("--check", options.check, "print broken promises only; devices as the tests choose them");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    if (options.record.empty() && (options.merge || !options.page.empty()))
      throw UsageError("the page is made of the results in a folder: --record");
    return run(options);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "xp-accuracy: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "xp-accuracy: %s\n", error.what());
    return 1;
  }
}
