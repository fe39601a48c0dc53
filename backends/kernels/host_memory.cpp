// SPDX-License-Identifier: Apache-2.0
#include "kernels/host_memory.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <string_view>

namespace xp::kernels {
namespace {

/// A number that is alone in a file; -1 if there is none ("max", no such file).
std::int64_t number_in(const std::string& path) {
  std::ifstream file(path);
  std::int64_t value = -1;
  return file >> value ? value : -1;
}

std::int64_t kilobytes_of(std::string_view key) {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind(key, 0) == 0) return std::strtoll(line.c_str() + key.size(), nullptr, 10);
  return 0;
}

/// This process' folder in the unified hierarchy, or "".
std::string control_group() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("0::", 0) == 0) return "/sys/fs/cgroup" + line.substr(3);
  return "";
}

struct Whole {
  char* begin;
  std::size_t bytes;
};

Whole whole_pages(void* data, std::uint64_t bytes, std::uintptr_t page) {
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
  return {reinterpret_cast<char*>(begin), end > begin ? end - begin : 0};
}

}  // namespace

MemoryState memory_state() {
  MemoryState state{kilobytes_of("MemTotal:") * 1024, kilobytes_of("MemAvailable:") * 1024};
  auto limit = [&](std::int64_t maximum, std::int64_t used) {
    if (maximum < 0 || used < 0 || maximum >= state.total) return;
    state.total = maximum;
    state.available = std::min(state.available, std::max<std::int64_t>(maximum - used, 0));
  };
  // Limits of every level hold.
  for (std::string group = control_group(); group.size() > std::strlen("/sys/fs/cgroup"); group.erase(group.rfind('/')))
    limit(number_in(group + "/memory.max"), number_in(group + "/memory.current"));
  limit(number_in("/sys/fs/cgroup/memory.max"), number_in("/sys/fs/cgroup/memory.current"));
  limit(number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        number_in("/sys/fs/cgroup/memory/memory.usage_in_bytes"));
  return state;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "host";
}

void use_huge_pages(void* data, std::uint64_t bytes) {
  const Whole whole = whole_pages(data, bytes, std::uintptr_t{2} << 20);
  if (whole.bytes > 0) madvise(whole.begin, whole.bytes, MADV_HUGEPAGE);
}

void discard(void* data, std::uint64_t bytes) {
  const Whole whole = whole_pages(data, bytes, static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)));
#if defined(MADV_FREE)
  if (whole.bytes > 0) madvise(whole.begin, whole.bytes, MADV_FREE);
#endif
}

int openmp_runtimes(std::string& names) {
  struct Found {
    std::string& names;
    int count = 0;
  } found{names};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        Found& result = *static_cast<Found*>(data);
        const std::string_view path = info->dlpi_name ? info->dlpi_name : "";
        const std::string_view file = path.substr(path.rfind('/') + 1);
        for (const std::string_view runtime : {"libgomp", "libomp.", "libomp5", "libiomp", "libomp-"}) {
          if (file.substr(0, runtime.size()) != runtime) continue;
          if (result.count++ > 0) result.names += ',';
          result.names += file;
          break;
        }
        return 0;
      },
      &found);
  return found.count;
}

}  // namespace xp::kernels
