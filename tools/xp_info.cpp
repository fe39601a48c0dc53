// SPDX-License-Identifier: Apache-2.0
// xp-info: which backends were found, what they can do, and why one cannot be used.
#include <xp/backend.h>
#include <xp/xp.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using Table = std::vector<std::vector<std::string>>;

void print(const std::string& title, const Table& table) {
  std::printf("\n%s\n", title.c_str());
  std::vector<std::size_t> widths(table[0].size());
  for (const auto& line : table)
    for (std::size_t k = 0; k < line.size(); ++k) widths[k] = std::max(widths[k], line[k].size());
  for (const auto& line : table) {
    std::string text;
    for (std::size_t k = 0; k < line.size(); ++k) {
      text += "  " + line[k];
      if (k + 1 < line.size()) text.append(widths[k] - line[k].size(), ' ');
    }
    std::printf("%s\n", text.c_str());
  }
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

std::string gibibytes(xp::Index bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / 0x1p30);
  return text;
}

std::string mebibytes(xp::Index bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / 0x1p20);
  return bytes == 0 ? "-" : text;
}

void print_all() {
#ifdef XP_VERSION
  std::printf("xparray %s, ", XP_VERSION);
#else
  std::printf("xparray, ");
#endif
  std::printf("backend ABI %d.%d\n", XP_ABI_MAJOR, XP_ABI_MINOR);
  try {
    std::printf("default device: %s\n", xp::default_device().name().c_str());
  } catch (const xp::Error& error) {
    std::printf("default device: none (%s)\n", error.what());
  }
  try {
    std::printf("fusion: %s\n", xp::fusion_enabled() ? "on" : "off");
  } catch (const xp::Error& error) {
    std::printf("fusion: none (%s)\n", error.what());
  }

  const std::vector<xp::BackendDescription> backends = xp::backends();
  Table table = {{"backend", "available", "ABI", "ISA", "Kokkos", "execution space", "mathematics"}};
  Table places = {{"backend", "library"}};
  Table devices = {{"device", "model", "threads", "memory", "free", "last-level cache"}};
  std::string runtimes;
  for (const xp::BackendDescription& backend : backends) {
    std::string kokkos = or_dash(backend.kokkos_version);
    if (!backend.kokkos_version.empty()) kokkos += backend.kokkos_shared ? " (shared)" : " (static)";
    table.push_back({backend.name, backend.available ? "yes" : "no", or_dash(backend.abi), or_dash(backend.isa), kokkos,
                     or_dash(backend.execution_space), or_dash(backend.math_library)});
    places.push_back({backend.name, backend.path.empty() ? "not found" : backend.path});
    for (const auto& device : backend.devices)
      devices.push_back({device.name, or_dash(device.model), device.threads > 0 ? std::to_string(device.threads) : "-",
                         gibibytes(device.memory_total), gibibytes(device.memory_free), mebibytes(device.cache_bytes)});
    if (runtimes.empty()) runtimes = backend.openmp_runtimes;
  }
  if (backends.empty()) {
    std::printf("\nno backend found: set XP_BACKEND_PATH to the folder that holds one\n");
    return;
  }
  print("Backends", table);
  for (const xp::BackendDescription& backend : backends)
    if (!backend.available) std::printf("  %s: %s\n", backend.name.c_str(), backend.reason.c_str());
  print("Found in", places);
  if (devices.size() > 1) print("Devices", devices);
  // More than one in a process is a common reason for threads that fight over processors.
  std::printf("\nOpenMP runtimes loaded: %s\n", runtimes.empty() ? "none" : runtimes.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    const std::string argument = argv[1];
    const bool help = argument == "-h" || argument == "--help";
    std::fprintf(help ? stdout : stderr, "xp-info takes no arguments: it prints which devices this machine offers\n");
    return help ? 0 : 2;
  }
  try {
    print_all();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "xp-info: %s\n", error.what());
    return 1;
  }
}
