// SPDX-License-Identifier: Apache-2.0
#include "device/loader.hpp"

#include <xp/error.hpp>

#include "core/ops.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

namespace xp::detail {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view prefix = "libxparray_";
constexpr std::string_view suffix = ".so";

fs::path own_directory() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&own_directory), &own) == 0 || own.dli_fname == nullptr) return {};
  std::error_code error;
  const fs::path path = fs::canonical(own.dli_fname, error);
  return error ? fs::path(own.dli_fname).parent_path() : path.parent_path();
}

std::vector<fs::path> search_directories() {
  std::vector<fs::path> result;
  if (const char* text = std::getenv("XP_BACKEND_PATH")) {
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t colon = std::min(rest.find(':'), rest.size());
      if (colon != 0) result.emplace_back(rest.substr(0, colon));
      rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
  }
  result.push_back(own_directory());
  return result;
}

// What follows the name in a file: variants of one backend for instruction sets, best first.
std::vector<std::string> isa_suffixes(const std::string& name) {
  if (name != "host") return {std::string()};
#if defined(__x86_64__)
  if (const char* forced = std::getenv("XP_HOST_ISA"); forced != nullptr && *forced != '\0') {
    const std::string_view isa = forced;
    if (isa == "baseline") return {std::string()};
    if (isa == "v3" || isa == "v4") return {"_" + std::string(isa)};
    throw BackendError("XP_HOST_ISA='" + std::string(isa) + "' is not one of v4, v3 and baseline");
  }
  std::vector<std::string> result;
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) result.emplace_back("_v4");
  if (__builtin_cpu_supports("x86-64-v3")) result.emplace_back("_v3");
  result.emplace_back();
  return result;
#else
  return {std::string()};
#endif
}

bool openmp_is_loaded() {
  auto is_runtime = [](dl_phdr_info* info, std::size_t, void*) {
    const std::string_view path = info->dlpi_name ? info->dlpi_name : "";
    for (const std::string_view name : {"libgomp", "libomp", "libiomp"})
      if (path.find(name) != std::string_view::npos) return 1;
    return 0;
  };
  return dl_iterate_phdr(is_runtime, nullptr) != 0;
}

// libgomp's threads spin for several milliseconds by default when they wait for each other. On a machine with other
// work that makes every parallel kernel cost as much (measured: 11 ms instead of 0.2 for 1e5 elements; less than this,
// and threads sleep between kernels). It reads its settings when it is loaded, so the time is shortened for a moment,
// unless the user has an opinion or the runtime is there already.
class ShortSpin {
 public:
  ShortSpin() {
    for (const char* variable : {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY", "KMP_BLOCKTIME"})
      if (std::getenv(variable) != nullptr) return;
    if (openmp_is_loaded()) return;
    is_set_ = setenv("GOMP_SPINCOUNT", "3000", 0) == 0;
  }
  ~ShortSpin() {
    if (is_set_) unsetenv("GOMP_SPINCOUNT");
  }
  ShortSpin(const ShortSpin&) = delete;
  ShortSpin& operator=(const ShortSpin&) = delete;

 private:
  bool is_set_ = false;
};

std::string open_and_check(Backend& backend) {
  const ShortSpin short_spin;
  void* library = dlopen(backend.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return std::string("cannot be opened: ") + (reason ? reason : "unknown reason");
  }
  const auto entry = reinterpret_cast<xp_backend_entry_fn>(dlsym(library, XP_BACKEND_ENTRY));
  if (entry == nullptr) return "is not an xparray backend: it has no symbol " XP_BACKEND_ENTRY;
  const xp_backend* api = entry();
  if (api == nullptr || api->size < offsetof(xp_backend, table_hash) + sizeof(api->table_hash))
    return "is not an xparray backend: its table of functions is too short";
  if (api->abi_major != XP_ABI_MAJOR)
    return "was built for backend ABI " + std::to_string(api->abi_major) + ", this library has ABI " +
           std::to_string(XP_ABI_MAJOR) + "; rebuild the backend";
  if (api->table_hash != operation_table_hash())
    return "was built with another operation table than this library; rebuild the backend";
  if (api->size < sizeof(xp_backend)) return "is too old: its table of functions is too short; rebuild the backend";
  backend.info.size = sizeof(backend.info);
  api->info(&backend.info);
  if (backend.info.name == nullptr || backend.name != backend.info.name)
    return std::string("is the backend '") + (backend.info.name ? backend.info.name : "") + "' under another name";
  backend.api = api;
  return {};
}

struct Loader {
  std::mutex mutex;
  // Failures are remembered too: a library is tried once.
  std::map<std::string, std::pair<std::unique_ptr<Backend>, std::string>> opened;
};

Loader& loader() {
  static Loader& instance = *new Loader;  // never destroyed: static Arrays outlive everything
  return instance;
}

}  // namespace

std::string find_backend_library(const std::string& name) {
  for (const fs::path& directory : search_directories()) {
    for (const std::string& isa : isa_suffixes(name)) {
      const fs::path path = directory / (std::string(prefix) + name + isa + std::string(suffix));
      std::error_code error;
      if (fs::is_regular_file(path, error)) return path.string();
    }
  }
  return {};
}

std::vector<std::string> backend_names() {
  std::vector<std::string> names{"host", "cuda"};
  for (const fs::path& directory : search_directories()) {
    std::error_code error;
    for (const auto& file : fs::directory_iterator(directory, error)) {
      const std::string text = file.path().filename().string();
      if (!text.starts_with(prefix) || !text.ends_with(suffix)) continue;
      std::string name = text.substr(prefix.size(), text.size() - prefix.size() - suffix.size());
      for (const std::string_view isa : {"_v3", "_v4"})
        if (name.ends_with(isa)) name.resize(name.size() - isa.size());
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

const Backend& load_backend(const std::string& name) {
  Loader& state = loader();
  const std::lock_guard lock(state.mutex);
  auto [place, is_new] = state.opened.try_emplace(name);
  auto& [backend, failure] = place->second;
  if (is_new) {
    auto candidate = std::make_unique<Backend>();
    candidate->name = name;
    try {
      candidate->path = find_backend_library(name);
    } catch (const BackendError& error) {
      failure = error.what();
    }
    if (!failure.empty()) {
      // Said already.
    } else if (candidate->path.empty()) {
      failure = "backend '" + name + "' was not found: there is no " + std::string(prefix) + name +
                std::string(suffix) + " beside libxparray or in XP_BACKEND_PATH";
    } else {
      const std::string reason = open_and_check(*candidate);
      if (!reason.empty()) failure = "backend '" + name + "': " + candidate->path + " " + reason;
    }
    if (failure.empty()) backend = std::move(candidate);
  }
  if (!backend) throw BackendError(failure);
  return *backend;
}

}  // namespace xp::detail
