// SPDX-License-Identifier: Apache-2.0
// The entry points of a backend (xp/backend.h): whether they may run, and exceptions as codes. What they do is the
// platform's and the kernels'.
#include "xp/backend.h"

#include <cstdio>
#include <exception>
#include <mutex>
#include <new>
#include <string>

#include "core/ops.hpp"
#include "kernels/host_memory.hpp"
#include "kernels/policy.hpp"
#include "kernels/status.hpp"
#include "platform/lifetime.hpp"
#include "platform/platform.hpp"

namespace {

using xp::kernels::fail;
namespace platform = xp::platform;

/// Runs f and turns exceptions into a status.
template <class F>
std::int32_t caught(const char* what, xp_device* device, xp_error* error, F&& f) noexcept {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    if (const std::int32_t code = platform::fault(device, error)) return code;
    return fail(error, XP_OUT_OF_MEMORY, "%s: out of memory", what);
  } catch (const std::exception& exception) {
    if (const std::int32_t code = platform::fault(device, error)) return code;
    return fail(error, XP_INVALID, "%s: %s", what, exception.what());
  } catch (...) {
    if (const std::int32_t code = platform::fault(device, error)) return code;
    return fail(error, XP_INVALID, "%s: unknown exception", what);
  }
}

/// For what needs an initialised backend.
template <class F>
std::int32_t guarded(const char* what, xp_device* device, xp_error* error, F&& f) noexcept {
  const platform::State state = platform::state.load(std::memory_order_acquire);
  if (state == platform::State::finalised) return platform::finalised(error);
  if (state == platform::State::fresh) return fail(error, XP_INVALID, "%s: the backend is not initialised", what);
  if (const std::int32_t code = platform::refuse(device, error)) return code;
  return caught(what, device, error, [&] {
    const platform::Scope scope(device);
    return f();
  });
}

void info(xp_backend_info* out) noexcept {
  static char version[32];
  static std::once_flag once;
  std::call_once(once, [] {
    std::snprintf(version, sizeof version, "%d.%d.%d", KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100,
                  KOKKOS_VERSION % 100);
  });
  out->name = XP_BACKEND_NAME;
  out->kokkos_version = version;
  out->kokkos_shared = XP_KOKKOS_SHARED;
  out->execution_space = xp::kernels::Space::name();
  platform::describe(*out);
}

void probe(xp_probe* out) noexcept {
  out->available = 0;
  out->device_count = 0;
  out->reason[0] = '\0';
  xp_error error{sizeof error, XP_OK, {}};
  if (platform::is_finalised())
    std::snprintf(out->reason, sizeof out->reason, "Kokkos was finalised in this process");
  else if (platform::refuse(nullptr, &error))
    std::snprintf(out->reason, sizeof out->reason, "%.*s", static_cast<int>(sizeof out->reason) - 1, error.message);
  else
    platform::probe(*out);
}

std::int32_t initialize(xp_error* error) noexcept {
  if (platform::state.load(std::memory_order_acquire) == platform::State::ready)
    return platform::refuse(nullptr, error);
  if (platform::is_finalised()) return platform::finalised(error);
  if (const std::int32_t code = platform::refuse(nullptr, error)) return code;
  return caught("initialize", nullptr, error, [&] { return platform::initialize(error); });
}

std::int32_t device_info(std::int32_t ordinal, xp_device_info* out, xp_error* error) noexcept {
  if (const std::int32_t code = platform::refuse(nullptr, error)) return code;
  return caught("device_info", nullptr, error, [&] { return platform::device_info(ordinal, *out, error); });
}

std::int32_t open(std::int32_t ordinal, xp_device** out, xp_error* error) noexcept {
  return guarded("open", nullptr, error, [&] { return platform::open(ordinal, out, error); });
}

std::int32_t allocate(xp_device* device, std::uint64_t bytes, void** out, xp_error* error) noexcept {
  *out = nullptr;
  return guarded("allocate", device, error, [&] { return platform::allocate(*device, bytes, out, error); });
}

std::int32_t deallocate(xp_device* device, void* data, xp_error* error) noexcept {
  if (!data) return XP_OK;
  return guarded("deallocate", device, error, [&] { return platform::deallocate(*device, data, error); });
}

void advise_idle(xp_device*, void* data, std::uint64_t bytes) noexcept { platform::advise_idle(data, bytes); }

std::int32_t copy_from_host(xp_device* device, void* to, const void* from, std::uint64_t bytes,
                            xp_error* error) noexcept {
  return guarded("copy from host", device, error,
                 [&] { return platform::copy_from_host(*device, to, from, bytes, error); });
}

std::int32_t copy_to_host(xp_device* device, void* to, const void* from, std::uint64_t bytes,
                          xp_error* error) noexcept {
  return guarded("copy to host", device, error,
                 [&] { return platform::copy_to_host(*device, to, from, bytes, error); });
}

std::int32_t run(xp_device* device, const xp_program* program, xp_error* error) noexcept {
  return guarded("run", device, error, [&] { return platform::run(*device, *program, error); });
}

std::int32_t random(xp_device* device, const xp_random_args* args, xp_error* error) noexcept {
  return guarded("random", device, error, [&] { return platform::random(*device, *args, error); });
}

std::int32_t synchronize(xp_device* device, xp_error* error) noexcept {
  return guarded("synchronize", device, error, [&] { return platform::synchronize(*device, error); });
}

std::int32_t openmp_runtimes(char* text, std::uint32_t size) noexcept {
  try {
    std::string names;
    const int count = xp::kernels::openmp_runtimes(names);
    if (text && size > 0) std::snprintf(text, size, "%s", names.c_str());
    return count;
  } catch (...) {
    return 0;
  }
}

std::int32_t copy_between(xp_device* to_device, void* to, xp_device* from_device, const void* from, std::uint64_t bytes,
                          xp_error* error) noexcept {
  if (const std::int32_t code = platform::refuse(from_device, error)) return code;
  return guarded("copy between devices", to_device, error, [&] {
    const std::int32_t code = platform::copy_between(*to_device, to, *from_device, from, bytes, error);
    return code;
  });
}

constexpr xp_backend table{sizeof(xp_backend),
                           XP_ABI_MAJOR,
                           XP_ABI_MINOR,
                           0,
                           xp::operation_table_hash(),
                           info,
                           probe,
                           initialize,
                           device_info,
                           open,
                           allocate,
                           deallocate,
                           advise_idle,
                           copy_from_host,
                           copy_to_host,
                           run,
                           random,
                           synchronize,
                           openmp_runtimes,
                           copy_between};

}  // namespace

extern "C" __attribute__((visibility("default"))) const xp_backend* xp_backend_entry(void) noexcept { return &table; }
