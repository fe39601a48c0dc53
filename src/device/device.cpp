// SPDX-License-Identifier: Apache-2.0
// Device names, opening devices, the default device.
#include "device/device_state.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <ostream>

namespace xp {
namespace detail {
namespace {

std::atomic<bool> in_forked_child{false};

struct Registry {
  std::mutex mutex;  // names and opened devices
  std::map<std::string, std::unique_ptr<DeviceName>, std::less<>> names;
  OpenedDevices opened;
  std::atomic<const DeviceName*> default_name{nullptr};
  std::mutex open_mutex;  // held while a device is opened
};

Registry& registry() {
  static Registry& instance = *new Registry;  // never destroyed: static Arrays outlive everything
  return instance;
}

const DeviceName* intern(std::string_view name) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  auto place = r.names.find(name);
  if (place == r.names.end()) {
    auto entry = std::make_unique<DeviceName>();
    entry->name = name;
    place = r.names.emplace(std::string(name), std::move(entry)).first;
  }
  return place->second.get();
}

struct ParsedName {
  std::string backend;
  int ordinal = -1;  // none given
};

ParsedName parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  ParsedName parsed{std::string(text.substr(0, colon)), -1};
  bool valid = !parsed.backend.empty();
  for (const char c : parsed.backend) valid &= (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  if (colon != std::string_view::npos) {
    const std::string_view number = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), parsed.ordinal);
    valid &= error == std::errc() && end == number.data() + number.size() && parsed.ordinal >= 0;
    valid &= parsed.backend != "auto";
  }
  if (!valid)
    throw DeviceError("'" + std::string(text) +
                      "' is not a device name; expected \"host\", \"cuda\", \"cuda:1\" or \"auto\"");
  return parsed;
}

// Which of a node's GPUs this process takes when none is named.
int local_rank() {
  for (const char* variable : {"OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                               "PALS_LOCAL_RANKID", "SLURM_LOCALID"}) {
    if (const char* text = std::getenv(variable)) {
      const int rank = std::atoi(text);
      if (rank >= 0) return rank;
    }
  }
  return 0;
}

std::optional<std::size_t> memory_limit_setting(std::size_t whole) {
  const char* text = std::getenv("XP_MEMORY_LIMIT");
  if (text == nullptr || *text == '\0') return std::nullopt;
  std::size_t bytes = 0;
  if (!parse_bytes(text, whole, bytes))
    throw DeviceError(std::string("XP_MEMORY_LIMIT='") + text + "' is not a size; expected for example 8GiB or 50%");
  return bytes;
}

std::size_t memory_limit(const xp_device_info& info) {
  if (const auto bytes = memory_limit_setting(static_cast<std::size_t>(info.memory_total))) return *bytes;
  return static_cast<std::size_t>(std::max<std::int64_t>(info.memory_free, 0)) / 10 * 9;
}

// What the environment says about every device: no reason to call one of them unavailable and try the next.
void check_settings() {
  fuse_setting();
  memory_limit_setting(0);
}

void mark_child_after_fork() {
  in_forked_child.store(true, std::memory_order_release);
  // No lock: the parent's other threads, which may have held one, do not exist here.
  registry().opened.for_each([](DeviceState& device) { device.mark_forked(); });
}

DeviceState& open_named(const DeviceName* requested) {
  Registry& r = registry();
  const std::lock_guard opening(r.open_mutex);
  auto* writable = const_cast<DeviceName*>(requested);
  if (DeviceState* state = writable->state.load(std::memory_order_acquire)) return *state;
  if (in_forked_child.load(std::memory_order_acquire))
    throw DeviceError("devices cannot be used in a child process after fork()");

  const ParsedName parsed = parse(requested->name);
  const Backend* backend = nullptr;
  try {
    backend = &load_backend(parsed.backend);
  } catch (const BackendError& error) {
    std::string hint;
    try {
      hint = "; '" + requested->name + "' is a dtype: write xp::" + std::string(name(dtype_from_name(parsed.backend)));
    } catch (const DTypeError&) {
      // No dtype either.
    }
    throw DeviceError("device '" + requested->name + "' is not available: " + error.what() + hint);
  }
  xp_probe probe{};
  probe.size = sizeof probe;
  backend->api->probe(&probe);
  if (!probe.available)
    throw DeviceError("device '" + requested->name + "' is not available: " + std::string(probe.reason));
  int ordinal = parsed.ordinal;
  if (ordinal < 0) ordinal = probe.device_count > 1 ? local_rank() % probe.device_count : 0;
  if (ordinal >= probe.device_count)
    throw DeviceError("device '" + requested->name + "' is not available: " + parsed.backend + " has " +
                      std::to_string(probe.device_count) + (probe.device_count == 1 ? " device" : " devices"));

  const std::string canonical =
      parsed.backend == "host" ? parsed.backend : parsed.backend + ":" + std::to_string(ordinal);
  auto* canonical_name = const_cast<DeviceName*>(intern(canonical));
  DeviceState* state = canonical_name->state.load(std::memory_order_acquire);
  if (state == nullptr) {
    xp_error error{sizeof error, XP_OK, {}};
    auto fresh = std::make_unique<DeviceState>();
    auto check_open = [&](std::int32_t code) {
      if (code != XP_OK)
        throw DeviceError("device '" + canonical + "' cannot be opened: " + std::string(error.message));
    };
    check_open(backend->api->initialize(&error));
    fresh->info.size = sizeof fresh->info;
    check_open(backend->api->device_info(ordinal, &fresh->info, &error));
    const std::size_t limit = memory_limit(fresh->info);
    check_open(backend->api->open(ordinal, &fresh->handle, &error));
    fresh->name = canonical_name;
    fresh->backend = backend;
    fresh->is_host = parsed.backend == "host";
    fresh->pool.open(backend->api, fresh->handle, canonical, limit);
    fresh->index = r.opened.count.load(std::memory_order_relaxed);  // open_mutex is held
    if (fresh->index >= max_devices)
      throw DeviceError("device '" + canonical + "': more than " + std::to_string(max_devices) + " devices are open");
    if (fresh->index == 0) pthread_atfork(nullptr, nullptr, mark_child_after_fork);
    state = fresh.release();  // never closed: static Arrays outlive everything
    r.opened.slots[static_cast<std::size_t>(state->index)].store(state, std::memory_order_relaxed);
    r.opened.count.store(state->index + 1, std::memory_order_release);
    canonical_name->state.store(state, std::memory_order_release);
  }
  writable->state.store(state, std::memory_order_release);
  return *state;
}

// Fastest first; names that nobody knows are never chosen by "auto".
constexpr std::string_view auto_order[] = {"cuda", "hip", "sycl", "host"};

const DeviceName* resolve_auto() {
  for (const std::string_view name : auto_order) {
    try {
      const DeviceState& state = open_named(intern(name));
      const char* quiet = std::getenv("XP_QUIET");
      if (quiet == nullptr || std::string_view(quiet) != "1") {
        static std::once_flag told;
        std::call_once(told, [&] {
          std::fprintf(stderr, "xp: device auto is %s (%s)\n", state.name->name.c_str(), state.info.name);
        });
      }
      return state.name;
    } catch (const DeviceError& error) {
      if (name == "host") throw DeviceError(std::string("device 'auto': no device is available; ") + error.what());
    }
  }
  return nullptr;
}

const DeviceName* default_name() {
  Registry& r = registry();
  if (const DeviceName* name = r.default_name.load(std::memory_order_acquire)) return name;
  const char* text = std::getenv("XP_DEVICE");
  const Device device(text != nullptr && *text != '\0' ? std::string_view(text) : std::string_view("auto"));
  const DeviceName* expected = nullptr;
  r.default_name.compare_exchange_strong(expected, device.handle(), std::memory_order_acq_rel);
  return r.default_name.load(std::memory_order_acquire);
}

}  // namespace

bool fuse_setting() {
  const char* text = std::getenv("XP_FUSE");
  const std::string_view value = text != nullptr ? text : "";
  if (!value.empty() && value != "0" && value != "1")
    throw DeviceError("XP_FUSE='" + std::string(value) + "' is not one of 0 and 1");
  return value != "0";
}

void DeviceState::poison(const std::string& message) {
  const std::lock_guard lock(poison_mutex_);
  if (poison_message_.empty()) poison_message_ = message;
  unusable_.store(true, std::memory_order_release);
}

void DeviceState::throw_unusable() const {
  if (in_forked_child.load(std::memory_order_acquire))
    throw DeviceError("device '" + name->name + "' cannot be used in a child process after fork()");
  const std::lock_guard lock(poison_mutex_);
  throw DeviceError(poison_message_);
}

void DeviceState::check(std::int32_t code, const xp_error& error) {
  if (code == XP_OK) return;
  const std::string message = "device '" + name->name + "': " + error.message;
  switch (code) {
    case XP_OUT_OF_MEMORY:
      throw OutOfMemoryError(message);
    case XP_DEVICE_FAULT:
    case XP_UNAVAILABLE:
      poison(message);
      throw DeviceError(message);
    case XP_IN_PARALLEL:
      throw DeviceError(message);
    default:
      throw BackendError(message);
  }
}

DeviceState& open_device(Device device) {
  const DeviceName* name = device.handle();
  if (name == nullptr) name = default_name();
  if (DeviceState* state = name->state.load(std::memory_order_acquire)) return *state;
  check_settings();
  if (name->name == "auto") {
    const DeviceName* resolved = resolve_auto();
    DeviceState* state = resolved->state.load(std::memory_order_acquire);
    const_cast<DeviceName*>(name)->state.store(state, std::memory_order_release);
    return *state;
  }
  return open_named(name);
}

const OpenedDevices& opened_devices() { return registry().opened; }

}  // namespace detail

Device::Device(std::string_view name) {
  detail::parse(name);
  name_ = detail::intern(name);
}

bool Device::same_device(Device a, Device b) {
  if (a.name_ == nullptr || b.name_ == nullptr) return false;
  const detail::DeviceState* state = a.name_->state.load(std::memory_order_acquire);
  return state != nullptr && state == b.name_->state.load(std::memory_order_acquire);
}

std::string Device::name() const { return name_ == nullptr ? std::string() : name_->name; }

std::ostream& operator<<(std::ostream& stream, Device device) { return stream << device.name(); }

Device default_device() { return Device(detail::open_device(Device()).name); }

void set_default_device(Device device) {
  const detail::DeviceState& state = detail::open_device(device);
  detail::registry().default_name.store(state.name, std::memory_order_release);
}

void initialize(Device device) { detail::open_device(device).check_usable(); }

std::vector<Device> devices() {
  std::vector<std::string> names = detail::backend_names();
  auto rank = [](const std::string& name) {
    const auto* place = std::find(std::begin(detail::auto_order), std::end(detail::auto_order), name);
    return place - std::begin(detail::auto_order);
  };
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
  std::vector<Device> result;
  for (const std::string& name : names) {
    try {
      const detail::Backend& backend = detail::load_backend(name);
      xp_probe probe{};
      probe.size = sizeof probe;
      backend.api->probe(&probe);
      if (!probe.available) continue;
      for (int i = 0; i < probe.device_count; ++i)
        result.emplace_back(name == "host" ? name : name + ":" + std::to_string(i));
    } catch (const BackendError&) {
      // Not a device; backends() tells why.
    }
  }
  return result;
}

MemoryInfo memory_info(Device device) {
  detail::DeviceState& state = detail::open_device(device);
  state.check_usable();
  xp_device_info info{};
  info.size = sizeof info;
  xp_error error{sizeof error, XP_OK, {}};
  const std::string& name = state.name->name;
  const std::size_t colon = name.find(':');
  const int ordinal = colon == std::string::npos ? 0 : std::atoi(name.c_str() + colon + 1);
  state.check(state.backend->api->device_info(ordinal, &info, &error), error);
  const detail::Pool::Usage usage = state.pool.usage();
  return {static_cast<Index>(usage.used), static_cast<Index>(usage.cached), static_cast<Index>(usage.limit),
          info.memory_free, info.memory_total};
}

std::vector<BackendDescription> backends() {
  std::vector<BackendDescription> result;
  for (const std::string& name : detail::backend_names()) {
    BackendDescription row;
    row.name = name;
    try {
      row.path = detail::find_backend_library(name);
      const detail::Backend& backend = detail::load_backend(name);
      auto text = [](const char* s) { return std::string(s ? s : ""); };
      row.isa = text(backend.info.isa);
      row.kokkos_version = text(backend.info.kokkos_version);
      row.kokkos_shared = backend.info.kokkos_shared != 0;
      row.execution_space = text(backend.info.execution_space);
      row.math_library = text(backend.info.math_library);
      row.abi = std::to_string(backend.api->abi_major) + "." + std::to_string(backend.api->abi_minor);
      char runtimes[1024] = "";
      backend.api->openmp_runtimes(runtimes, sizeof runtimes);
      row.openmp_runtimes = runtimes;
      xp_probe probe{};
      probe.size = sizeof probe;
      backend.api->probe(&probe);
      row.available = probe.available != 0;
      row.reason = probe.available ? "" : probe.reason;
      for (int i = 0; i < probe.device_count && probe.available; ++i) {
        xp_device_info info{};
        info.size = sizeof info;
        xp_error error{sizeof error, XP_OK, {}};
        if (backend.api->device_info(i, &info, &error) != XP_OK) continue;
        row.devices.push_back({name == "host" ? name : name + ":" + std::to_string(i), info.name, info.threads,
                               info.memory_total, info.memory_free, info.cache_bytes});
      }
    } catch (const BackendError& error) {
      row.reason = error.what();
    }
    result.push_back(std::move(row));
  }
  return result;
}

}  // namespace xp
