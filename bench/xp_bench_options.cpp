// SPDX-License-Identifier: Apache-2.0
#include "xp_bench_options.hpp"

#include "xp_bench_workloads.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace bench {

namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string result;
  for (const std::string& name : names) result += (result.empty() ? "" : ", ") + name;
  return result;
}

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const Workload& workload : workloads()) names.push_back(workload.name);
  return names;
}

void print_list() {
  std::printf("workloads (* in a run that names none):\n");
  for (const Workload& workload : workloads()) {
    std::string sizes;
    for (const xp::Index size : workload.sizes) sizes += (sizes.empty() ? "" : ", ") + size_text(size);
    if (workload.sizes.size() > 4)
      sizes = size_text(workload.sizes.front()) + ", ... " + size_text(workload.sizes.back());
    std::printf(" %c %-18s %s (elements: %s)\n", workload.by_default ? '*' : ' ', workload.name.c_str(),
                workload.description.c_str(), sizes.c_str());
  }
  std::printf("devices:\n");
  for (const xp::BackendDescription& backend : xp::backends()) {
    if (!backend.available) std::printf("   %-18s not available: %s\n", backend.name.c_str(), backend.reason.c_str());
    for (const auto& device : backend.devices) std::printf("   %-18s %s\n", device.name.c_str(), device.model.c_str());
  }
}

xp::Device opened(const std::string& name) {
  const xp::Device device = name == "auto" ? xp::default_device() : xp::Device(name);
  xp::initialize(device);
  // The name in full, as results carry it: "cuda" is "cuda:0".
  return xp::empty({1}, xp::float64, device).device();
}

/// Whether text is a whole number of samples; else what CLI11 prints after the option's name.
std::string check_repeat(const std::string& text) {
  int value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && value >= 1) return {};
  return "'" + text + "' is not a number of samples (1 or more)";
}

/// CLI11 would take the next argument for the value that is missing.
void check_values(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--") return;
    if (argument.starts_with("--") && argument.ends_with('='))
      throw UsageError(std::string(argument.substr(0, argument.size() - 1)) + ": there is no value after '='");
  }
}

bool has_host() {
  const std::vector<xp::Device> all = xp::devices();
  return std::any_of(all.begin(), all.end(), [](xp::Device device) { return device.name() == "host"; });
}

}  // namespace

xp::Index parse_size(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  double factor = 1;
  if (parsed.ptr + 1 == end) {
    switch (*parsed.ptr) {
      case 'k':
      case 'K':
        factor = 1e3;
        break;
      case 'M':
        factor = 1e6;
        break;
      case 'G':
        factor = 1e9;
        break;
      default:
        factor = 0;
    }
  } else if (parsed.ptr != end) {
    factor = 0;
  }
  value *= factor;
  if (parsed.ec != std::errc() || !(value >= 1 && value <= 1e15) || value != std::floor(value))
    throw UsageError("--size: '" + text + "' is not a number of elements (write 10000000, 1e7 or 10M)");
  return static_cast<xp::Index>(value);
}

bool parse_options(int argc, char** argv, Options& options, int& exit_code) {
  check_values(argc, argv);
  CLI::App app("Times xparray's workloads on one or several devices, against the memory ceilings of the same run.",
               "xp-bench");
  std::vector<std::string> devices, sizes;
  std::string dtype = "float64";
  bool list = false, no_fuse = false;
  app.add_option("-d,--device", devices,
                 "host, cuda, cuda:1; several: the speed-up is printed; auto: host and the fastest")
      ->delimiter(',');
  app.add_option("-w,--workload", options.workloads, "one or several, or all (see --list)")->delimiter(',');
  app.add_option("-n,--size", sizes, "elements: 1e7, 10M, ...; one or several")->delimiter(',');
  app.add_option("-t,--dtype", dtype, "float64 or float32")->capture_default_str();
  app.add_option("-r,--repeat", options.repeat, "timed samples per row (default: 3 to 9, by how long they take)")
      ->check(check_repeat);
  app.add_option("--json", options.json, "write the results to this file");
  app.add_option("--compare", options.compare, "print the speed-up over the results in this file (a peer's, say)");
  app.add_flag("--no-fuse", no_fuse, "one kernel per operation, as with XP_FUSE=0");
  app.add_flag("--list", list, "name the workloads and devices");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error) == 0 ? 0 : 2;
    return false;
  }
  if (list) {
    print_list();
    exit_code = 0;
    return false;
  }

  for (const std::string& size : sizes) options.sizes.push_back(parse_size(size));
  if (dtype != "float64" && dtype != "float32")
    throw UsageError("--dtype: '" + dtype + "' is not one that the workloads have (float64, float32)");
  options.dtype = dtype == "float64" ? xp::float64 : xp::float32;

  const std::vector<std::string> known = workload_names();
  for (const std::string& name : options.workloads)
    if (name != "all" && std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError("--workload: there is no '" + name + "' (" + joined(known) + ")");
  if (std::find(options.workloads.begin(), options.workloads.end(), "all") != options.workloads.end())
    options.workloads = known;
  const bool names_workloads = !options.workloads.empty();
  if (!names_workloads)
    for (const Workload& workload : workloads())
      if (workload.by_default) options.workloads.push_back(workload.name);

  options.fuse = !no_fuse && xp::fusion_enabled();
  xp::set_fusion(options.fuse);
  if (devices.empty()) devices.emplace_back("auto");
  const auto take = [&options](xp::Device device) {
    if (std::find(options.devices.begin(), options.devices.end(), device) == options.devices.end())
      options.devices.push_back(device);
  };
  for (const std::string& name : devices) {
    const xp::Device device = opened(name);
    if (name == "auto" && std::getenv("XP_DEVICE") == nullptr && device.name() != "host" && has_host()) {
      // What the chosen device buys, and from which size on.
      take(opened("host"));
      if (!names_workloads) options.workloads.push_back("size-sweep");
    }
    take(device);
  }
  return true;
}

}  // namespace bench
