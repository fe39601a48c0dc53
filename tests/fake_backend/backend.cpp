// SPDX-License-Identifier: Apache-2.0
// A backend without Kokkos: two devices whose memory the host cannot touch and whose programs are interpreted. It
// proves the loader and the ABI, and is the second opinion on what a program means. Compiled with XP_FAKE_NAME, and
// with one of XP_FAKE_STALE, XP_FAKE_OTHER_ABI, XP_FAKE_NO_ENTRY, XP_FAKE_ABSENT to be refused by the loader.
#include <algorithm>
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include "core/ops.hpp"
#include "fake_backend/control.hpp"
#include "fake_backend/interpreter.hpp"
#include "fake_backend/philox.hpp"

namespace {

XpFakeControl control;

// Device addresses are real ones moved to where no user memory can be: host code that follows one crashes at once.
constexpr std::uintptr_t device_bit = std::uintptr_t{1} << 52;

std::int32_t answer(xp_error* error, std::int32_t code, const char* message) {
  if (error != nullptr) {
    error->code = code;
    std::snprintf(error->message, sizeof error->message, "%s", message);
  }
  return code;
}

std::int64_t memory_size() {
  const char* text = std::getenv("XP_FAKE_MEMORY");
  return text != nullptr ? std::atoll(text) : std::int64_t{1} << 30;
}

}  // namespace

struct xp_device {
  int ordinal = 0;
  std::mutex mutex;
  std::map<std::uintptr_t, std::uint64_t> blocks;  // real address -> bytes
  std::int64_t used = 0;
  bool broken = false;

  /// Real address of device memory that lies within one live block, else null.
  unsigned char* resolve(std::uintptr_t address, std::uint64_t bytes) const {
    if ((address & device_bit) == 0) return nullptr;
    const std::uintptr_t real = address & ~device_bit;
    auto place = blocks.upper_bound(real);
    if (place == blocks.begin()) return nullptr;
    --place;
    const std::uint64_t inside = real - place->first;
    if (inside > place->second || bytes > place->second - inside) return nullptr;
    return reinterpret_cast<unsigned char*>(real);
  }
};

namespace {

// Never destroyed, as in every backend: static arrays outlive everything here.
xp_device* const devices = new xp_device[2];

void info(xp_backend_info* out) noexcept {
  out->name = XP_FAKE_NAME;
  out->isa = "interpreter";
  out->kokkos_version = "none";
  out->kokkos_shared = 0;
  out->execution_space = "none";
  out->math_library = "libm";
}

void probe(xp_probe* out) noexcept {
#ifdef XP_FAKE_ABSENT
  out->available = 0;
  out->device_count = 0;
  std::snprintf(out->reason, sizeof out->reason, "no fake device is plugged in");
#else
  out->available = 1;
  out->device_count = 2;
  out->reason[0] = '\0';
#endif
}

std::int32_t initialize(xp_error*) noexcept { return XP_OK; }

std::int32_t device_info(std::int32_t ordinal, xp_device_info* out, xp_error* error) noexcept {
  if (ordinal < 0 || ordinal > 1) return answer(error, XP_INVALID, "there is no such fake device");
  const std::lock_guard lock(devices[ordinal].mutex);
  out->threads = 1;
  out->memory_total = memory_size();
  out->memory_free = memory_size() - devices[ordinal].used;
  out->cache_bytes = 1 << 20;
  std::snprintf(out->name, sizeof out->name, "interpreter %d", ordinal);
  return XP_OK;
}

std::int32_t open_device(std::int32_t ordinal, xp_device** out, xp_error* error) noexcept {
  if (ordinal < 0 || ordinal > 1) return answer(error, XP_INVALID, "there is no such fake device");
  devices[ordinal].ordinal = ordinal;
  *out = &devices[ordinal];
  return XP_OK;
}

std::int32_t fault(xp_error* error) {
  return answer(error, XP_DEVICE_FAULT, "the fake device has broken, as it was told to");
}

std::int32_t allocate(xp_device* device, std::uint64_t bytes, void** out, xp_error* error) noexcept {
  const std::lock_guard lock(device->mutex);
  if (device->broken) return fault(error);
  ++control.allocations;
  if (control.spare_allocations.load() > 0) {
    --control.spare_allocations;
  } else if (control.fail_allocations.load() > 0) {
    --control.fail_allocations;
    return answer(error, XP_OUT_OF_MEMORY, "the allocation failed, as it was told to");
  }
  if (static_cast<std::int64_t>(bytes) > memory_size() - device->used)
    return answer(error, XP_OUT_OF_MEMORY, "the fake device's memory is exhausted");
  const std::uint64_t alignment = bytes >= (2u << 20) ? 2u << 20 : 64;
  void* real = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (real == nullptr) return answer(error, XP_OUT_OF_MEMORY, "the host's memory is exhausted");
  std::memset(real, 0xcb, std::min<std::uint64_t>(bytes, 1u << 20));  // whoever relies on zeros finds none
  device->blocks.emplace(reinterpret_cast<std::uintptr_t>(real), bytes);
  device->used += static_cast<std::int64_t>(bytes);
  ++control.live_blocks;
  control.live_bytes += static_cast<std::int64_t>(bytes);
  *out = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(real) | device_bit);
  return XP_OK;
}

std::int32_t deallocate(xp_device* device, void* data, xp_error* error) noexcept {
  const std::lock_guard lock(device->mutex);
  const auto place = device->blocks.find(reinterpret_cast<std::uintptr_t>(data) & ~device_bit);
  if (place == device->blocks.end())
    return answer(error, XP_INVALID, "deallocate: this address was not allocated here");
  device->used -= static_cast<std::int64_t>(place->second);
  --control.live_blocks;
  control.live_bytes -= static_cast<std::int64_t>(place->second);
  std::free(reinterpret_cast<void*>(place->first));
  device->blocks.erase(place);
  return XP_OK;
}

void advise_idle(xp_device* device, void* data, std::uint64_t bytes) noexcept {
  const std::lock_guard lock(device->mutex);
  unsigned char* real = device->resolve(reinterpret_cast<std::uintptr_t>(data), bytes);
  if (real != nullptr)
    std::memset(real, 0xdb, std::min<std::uint64_t>(bytes, 1u << 20));  // the contents no longer matter
}

std::int32_t copy_from_host(xp_device* device, void* to, const void* from, std::uint64_t bytes,
                            xp_error* error) noexcept {
  const std::lock_guard lock(device->mutex);
  if (device->broken) return fault(error);
  unsigned char* real = device->resolve(reinterpret_cast<std::uintptr_t>(to), bytes);
  if (real == nullptr) return answer(error, XP_INVALID, "copy_from_host: the target lies outside the device's memory");
  ++control.copies;
  std::memcpy(real, from, bytes);
  return XP_OK;
}

std::int32_t copy_to_host(xp_device* device, void* to, const void* from, std::uint64_t bytes,
                          xp_error* error) noexcept {
  const std::lock_guard lock(device->mutex);
  if (device->broken) return fault(error);
  const unsigned char* real = device->resolve(reinterpret_cast<std::uintptr_t>(from), bytes);
  if (real == nullptr) return answer(error, XP_INVALID, "copy_to_host: the source lies outside the device's memory");
  ++control.copies;
  std::memcpy(to, real, bytes);
  return XP_OK;
}

std::int32_t copy_between(xp_device* to_device, void* to, xp_device* from_device, const void* from, std::uint64_t bytes,
                          xp_error* error) noexcept {
  std::vector<unsigned char> bytes_between;
  {
    const std::lock_guard lock(from_device->mutex);
    if (from_device->broken) return fault(error);
    const unsigned char* real = from_device->resolve(reinterpret_cast<std::uintptr_t>(from), bytes);
    if (real == nullptr) return answer(error, XP_INVALID, "copy_between: the source lies outside its device's memory");
    bytes_between.assign(real, real + bytes);
  }
  const std::lock_guard lock(to_device->mutex);
  if (to_device->broken) return fault(error);
  unsigned char* real = to_device->resolve(reinterpret_cast<std::uintptr_t>(to), bytes);
  if (real == nullptr) return answer(error, XP_INVALID, "copy_between: the target lies outside its device's memory");
  ++control.copies;
  std::copy(bytes_between.begin(), bytes_between.end(), real);
  return XP_OK;
}

// A device rounds to nearest and keeps subnormals, whatever its caller does.
class DeviceEnvironment {
 public:
  DeviceEnvironment() {
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DeviceEnvironment() { std::fesetenv(&callers_); }
  DeviceEnvironment(const DeviceEnvironment&) = delete;
  DeviceEnvironment& operator=(const DeviceEnvironment&) = delete;

 private:
  std::fenv_t callers_;
};

std::int32_t run(xp_device* device, const xp_program* program, xp_error* error) noexcept {
  const std::lock_guard lock(device->mutex);
  if (device->broken) return fault(error);
  ++control.runs;
  control.last_instructions = program->n_instructions;
  control.last_operands = program->n_operands;
  control.last_ndim = program->ndim;
  if (control.fault_next_run[device->ordinal].exchange(0) != 0) {
    device->broken = true;
    return fault(error);
  }
  const DeviceEnvironment environment;
  try {
    fake::run_program(
        *program, [device](std::uintptr_t address, std::uint64_t bytes) { return device->resolve(address, bytes); });
  } catch (const std::bad_alloc&) {
    return answer(error, XP_OUT_OF_MEMORY, "the host's memory is exhausted");
  } catch (const std::exception& failure) {
    return answer(error, XP_INVALID, failure.what());
  }
  return XP_OK;
}

std::int32_t random_fill(xp_device* device, const xp_random_args* args, xp_error* error) noexcept {
  const std::lock_guard lock(device->mutex);
  if (device->broken) return fault(error);
  const std::uint64_t itemsize = args->dtype == XP_FLOAT32 ? 4 : 8;
  unsigned char* real =
      device->resolve(reinterpret_cast<std::uintptr_t>(args->data), static_cast<std::uint64_t>(args->count) * itemsize);
  if (real == nullptr && args->count > 0)
    return answer(error, XP_INVALID, "random: the target lies outside the device's memory");
  const DeviceEnvironment environment;
  for (std::int64_t i = 0; i < args->count; ++i) {
    if (args->dtype == XP_FLOAT64) {
      const double value = fake::uniform64(*args, i);
      std::memcpy(real + i * 8, &value, 8);
    } else {
      const float value = fake::uniform32(*args, i);
      std::memcpy(real + i * 4, &value, 4);
    }
  }
  return XP_OK;
}

std::int32_t synchronize(xp_device* device, xp_error* error) noexcept {
  const std::lock_guard lock(device->mutex);
  if (device->broken) return fault(error);
  ++control.synchronizations;
  return XP_OK;
}

std::int32_t openmp_runtimes(char* text, std::uint32_t size) noexcept {
  if (size > 0) text[0] = '\0';
  return 0;
}

#ifdef XP_FAKE_STALE
constexpr std::uint64_t table_hash = xp::operation_table_hash() + 1;
#else
constexpr std::uint64_t table_hash = xp::operation_table_hash();
#endif
#ifdef XP_FAKE_OTHER_ABI
constexpr std::uint32_t abi_major = XP_ABI_MAJOR + 1;
#else
constexpr std::uint32_t abi_major = XP_ABI_MAJOR;
#endif

constexpr xp_backend table{
    sizeof(xp_backend), abi_major,   XP_ABI_MINOR, 0,           table_hash,      info,        probe,
    initialize,         device_info, open_device,  allocate,    deallocate,      advise_idle, copy_from_host,
    copy_to_host,       run,         random_fill,  synchronize, openmp_runtimes, copy_between};

}  // namespace

extern "C" {
#ifdef XP_FAKE_NO_ENTRY
__attribute__((visibility("default"))) const xp_backend* xp_backend_entry_of_another_kind() noexcept { return &table; }
#else
__attribute__((visibility("default"))) const xp_backend* xp_backend_entry() noexcept { return &table; }
#endif
__attribute__((visibility("default"))) XpFakeControl* xp_fake_control() { return &control; }
}
