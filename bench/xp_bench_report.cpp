// SPDX-License-Identifier: Apache-2.0
#include "xp_bench_report.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include "xp_bench_meta.hpp"

namespace bench {

namespace {

// Columns of a size, in the order of sizes; lines in the order of the run.
struct SpeedupTable {
  std::vector<std::pair<std::string, std::map<xp::Index, double>>> lines;
  std::set<xp::Index> sizes;

  void add(const std::string& name, xp::Index size, double ratio) {
    auto line = std::find_if(lines.begin(), lines.end(), [&](const auto& other) { return other.first == name; });
    if (line == lines.end()) line = lines.insert(lines.end(), {name, {}});
    line->second[size] = ratio;
    sizes.insert(size);
  }
  void print(const std::string& title) const {
    if (lines.empty()) return;
    std::size_t width = 8;
    for (const auto& line : lines) width = std::max(width, line.first.size());
    std::printf("\n%s\n%-*s", title.c_str(), static_cast<int>(width), "");
    for (const xp::Index size : sizes) std::printf(" %9s", size_text(size).c_str());
    std::printf("\n");
    for (const auto& [name, ratios] : lines) {
      std::printf("%-*s", static_cast<int>(width), name.c_str());
      for (const xp::Index size : sizes) {
        const auto ratio = ratios.find(size);
        if (ratio == ratios.end())
          std::printf(" %9s", "-");
        else
          std::printf(" %8.*fx", ratio->second < 10 ? 2 : ratio->second < 100 ? 1 : 0, ratio->second);
      }
      std::printf("\n");
    }
  }
};

std::string label(const Row& row) { return row.workload + " " + row.variant; }

Json meta(const Options& options) {
  Json result = describe_run();
  result.set("fusion", options.fuse);
  result.set("environment", describe_environment());
  Json devices = Json::list();
  for (const xp::Device device : options.devices) devices.push_back(describe_device(device));
  result.set("devices", devices);
  return result;
}

}  // namespace

void print_header() {
  std::printf("%-18s %-17s %9s %-8s %-7s %10s %22s %9s %9s %6s\n", "workload", "variant", "elements", "dtype", "device",
              "median", "least - most", "GB/s", "ceiling", "of it");
}

void print_row(const Row& row) {
  const std::string range = time_text(row.seconds.least) + " - " + time_text(row.seconds.most);
  std::printf("%-18s %-17s %9s %-8s %-7s %10s %22s %9.2f", row.workload.c_str(), row.variant.c_str(),
              size_text(row.size).c_str(), row.dtype.c_str(), row.device.c_str(), time_text(row.seconds.median).c_str(),
              range.c_str(), row.speed() / 1e9);
  if (row.ceiling > 0)
    std::printf(" %9.2f %6.2f\n", row.ceiling / 1e9, row.speed() / row.ceiling);
  else
    std::printf(" %9s %6s\n", "-", "-");
  std::fflush(stdout);
}

void print_notes(const std::vector<Row>& rows) {
  std::map<std::string, std::set<std::string>> ceilings;
  bool moved = false;
  for (const Row& row : rows) {
    if (row.ceiling > 0) ceilings[row.device].insert(row.ceiling_by);
    const xp::Stats& s = row.per_operation;
    if (row.workload != "mixed") continue;
    if (!moved) std::printf("\nmixed, counted by xp::stats() in one loop:\n");
    moved = true;
    std::printf("  %-17s %9s on %s: %llu copies in (%s), %llu back (%s), %llu between devices (%s), %llu kernels\n",
                row.variant.c_str(), size_text(row.size).c_str(), row.device.c_str(),
                static_cast<unsigned long long>(s.host_to_device),
                bytes_text(static_cast<double>(s.host_to_device_bytes)).c_str(),
                static_cast<unsigned long long>(s.device_to_host),
                bytes_text(static_cast<double>(s.device_to_host_bytes)).c_str(),
                static_cast<unsigned long long>(s.device_to_device),
                bytes_text(static_cast<double>(s.device_to_device_bytes)).c_str(),
                static_cast<unsigned long long>(s.kernels));
  }
  if (ceilings.empty()) return;
  std::printf(
      "\nGB/s counts what each operation must read and write once; a loop or batch of operations that runs as one "
      "pass\n"
      "moves less and can exceed the ceiling. Ceilings have the same access pattern and were measured in this run "
      "with:\n");
  for (const auto& [device, names] : ceilings) {
    std::printf("  %s:", device.c_str());
    const char* separator = " ";
    for (const std::string& name : names) {
      std::printf("%s%s", separator, name.c_str());
      separator = "; ";
    }
    std::printf("\n");
  }
}

void print_speedups(const std::vector<Row>& rows, const std::vector<xp::Device>& devices) {
  using Key = std::tuple<std::string, xp::Index, std::string>;
  std::map<Key, double> first;
  for (const Row& row : rows)
    if (row.device == devices[0].name()) first[{label(row), row.size, row.dtype}] = row.seconds.median;
  for (std::size_t k = 1; k < devices.size(); ++k) {
    SpeedupTable table;
    for (const Row& row : rows) {
      const auto found = first.find({label(row), row.size, row.dtype});
      if (row.device != devices[k].name() || found == first.end()) continue;
      table.add(label(row), row.size, found->second / row.seconds.median);
    }
    table.print("speed-up of " + devices[k].name() + " over " + devices[0].name() + ", by elements");
  }
}

void print_crossovers(const std::vector<Row>& rows, const std::vector<xp::Device>& devices) {
  for (std::size_t k = 1; k < devices.size(); ++k) {
    // Seconds on both, by label and size; labels in the order of the run.
    std::vector<std::string> labels;
    std::map<std::string, std::map<xp::Index, std::pair<double, double>>> times;
    for (const Row& row : rows) {
      if (row.device != devices[0].name() && row.device != devices[k].name()) continue;
      if (std::find(labels.begin(), labels.end(), label(row)) == labels.end()) labels.push_back(label(row));
      auto& [first, other] = times[label(row)][row.size];
      (row.device == devices[0].name() ? first : other) = row.seconds.median;
    }
    bool titled = false;
    for (const std::string& name : labels) {
      std::map<xp::Index, std::pair<double, double>>& sizes = times[name];
      std::erase_if(sizes, [](const auto& size) { return size.second.first == 0 || size.second.second == 0; });
      if (sizes.size() < 2) continue;
      auto from = sizes.end();
      while (from != sizes.begin() && std::prev(from)->second.second < std::prev(from)->second.first) --from;
      if (!titled) {
        std::printf("\ncrossover: %s is faster than %s\n", devices[k].name().c_str(), devices[0].name().c_str());
        titled = true;
      }
      std::string text = "from " + (from == sizes.end() ? "" : size_text(from->first)) + " elements on";
      if (from == sizes.begin()) text = "at every size that was measured";
      if (from == sizes.end()) text = "at no size up to " + size_text(std::prev(from)->first);
      std::printf("  %-28s %s\n", name.c_str(), text.c_str());
    }
  }
}

void print_speedups_over(const std::vector<Row>& rows, const Json& other, const std::string& path) {
  using Key = std::tuple<std::string, std::string, xp::Index, std::string, std::string>;
  std::map<Key, double> theirs;
  std::set<std::string> devices, their_devices;
  for (const Row& row : rows) devices.insert(row.device);
  for (const Json& result : other["results"].items()) {
    const Key key{result["workload"].text(), result["variant"].text(), static_cast<xp::Index>(result["size"].number()),
                  result["dtype"].text(), result["device"].text()};
    theirs.emplace(key, result["median_s"].number());
    their_devices.insert(result["device"].text());
  }
  // The same device of a file with several; the only one of others ("cpu" of a peer).
  auto their_device = [&](const std::string& device) {
    return their_devices.size() == 1 ? *their_devices.begin() : device;
  };
  const std::string library = other["meta"]["library"].text() + " " + other["meta"]["version"].text();
  bool any = false;
  for (const std::string& device : devices) {
    SpeedupTable table;
    for (const Row& row : rows) {
      const auto found = theirs.find({row.workload, row.variant, row.size, row.dtype, their_device(device)});
      if (row.device != device || found == theirs.end()) continue;
      table.add(label(row), row.size, found->second / row.seconds.median);
      any = true;
    }
    table.print("speed-up of " + device + " over " + library + " on " + their_device(device) + " (" + path +
                "), by elements");
  }
  if (!any) std::printf("\n%s has no row of this run\n", path.c_str());
}

Json to_json(const std::vector<Row>& rows, const std::vector<Skipped>& skipped, const Options& options) {
  Json results = Json::list();
  for (const Row& row : rows) {
    Json result = Json::object();
    result.set("workload", row.workload);
    result.set("variant", row.variant);
    result.set("size", row.size);
    result.set("dtype", row.dtype);
    result.set("device", row.device);
    result.set("median_s", row.seconds.median);
    result.set("min_s", row.seconds.least);
    result.set("max_s", row.seconds.most);
    result.set("repeats", row.samples);
    result.set("operations_per_sample", row.operations);
    result.set("bytes", row.bytes);
    result.set("gb_s", row.speed() / 1e9);
    result.set("ceiling_gb_s", row.ceiling > 0 ? Json(row.ceiling / 1e9) : Json());
    result.set("fraction", row.ceiling > 0 ? Json(row.speed() / row.ceiling) : Json());
    result.set("ceiling_by", row.ceiling > 0 ? Json(row.ceiling_by) : Json());
    result.set("kernels", row.kernels);
    result.set("allocations", row.allocations);
    const xp::Stats& s = row.per_operation;
    if (row.workload == "mixed") {
      result.set("host_to_device_bytes", s.host_to_device_bytes);
      result.set("device_to_host_bytes", s.device_to_host_bytes);
      result.set("device_to_device_bytes", s.device_to_device_bytes);
    }
    results.push_back(result);
  }
  Json missing = Json::list();
  for (const Skipped& skip : skipped) {
    Json entry = Json::object();
    entry.set("workload", skip.workload);
    entry.set("variant", skip.variant);
    entry.set("size", skip.size);
    entry.set("device", skip.device);
    entry.set("reason", skip.reason);
    missing.push_back(entry);
  }
  Json result = Json::object();
  result.set("meta", meta(options));
  result.set("results", results);
  result.set("skipped", missing);
  return result;
}

}  // namespace bench
