// SPDX-License-Identifier: Apache-2.0
#include "xp_bench_meta.hpp"

#include <cstdlib>
#include <ctime>
#include <fstream>

namespace bench {

namespace {

// First line of a file that starts with `key`, after its colon.
std::string field_of(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (line.rfind(key, 0) != 0 || colon == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

Json environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? Json() : Json(value);
}

std::string now() {
  const std::time_t time = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&time, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace

Json describe_run() {
  Json result = Json::object();
  result.set("library", "xparray");
#ifdef XP_VERSION
  result.set("version", XP_VERSION);
#endif
#ifdef XP_COMMIT
  result.set("commit", XP_COMMIT);
#endif
  result.set("date", now());
  result.set("cpu", field_of("/proc/cpuinfo", "model name"));
  return result;
}

Json describe_environment() {
  Json variables = Json::object();
  for (const char* name : {"OMP_NUM_THREADS", "OMP_WAIT_POLICY", "OMP_PROC_BIND", "GOMP_SPINCOUNT", "XP_MEMORY_LIMIT"})
    variables.set(name, environment(name));
  return variables;
}

Json describe_device(xp::Device device) {
  Json result = Json::object();
  for (const xp::BackendDescription& backend : xp::backends()) {
    for (const auto& description : backend.devices) {
      if (device.name() != description.name) continue;
      result.set("name", description.name);
      result.set("model", description.model);
      result.set("threads", description.threads);
      result.set("memory_total", description.memory_total);
      result.set("cache_bytes", description.cache_bytes);
      result.set("isa", backend.isa);
      result.set("execution_space", backend.execution_space);
      result.set("kokkos_version", backend.kokkos_version);
      result.set("math_library", backend.math_library);
    }
  }
  return result;
}

}  // namespace bench
