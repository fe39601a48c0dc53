// SPDX-License-Identifier: Apache-2.0
// The host backend's entry points (xp/backend.h).
#include "xp/backend.h"

#include <omp.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>

#include "core/ops.hpp"
#include "kernels/host_memory.hpp"
#include "kernels/launch_host.hpp"
#include "kernels/policy.hpp"
#include "kernels/program.hpp"

struct xp_device {
  std::int32_t ordinal;
};

namespace {

using xp::kernels::fail;
using Slab = Kokkos::View<char*, xp::kernels::MemorySpace>;

constexpr std::uint64_t huge_page = std::uint64_t{2} << 20;

enum class State : int { fresh, ready, finalised };

/// Never destroyed: arrays with static storage duration may outlive everything here.
struct Backend {
  std::mutex initializing;
  std::atomic<State> state{State::fresh};
  bool owns_kokkos = false;
  pid_t owner = 0;  // the process that initialised Kokkos
  std::mutex slabs_mutex;
  std::unordered_map<void*, Slab> slabs;
  xp_device device{0};
};

Backend& backend() {
  static Backend& instance = *new Backend;
  return instance;
}

std::int32_t finalised(xp_error* error) {
  return fail(error, XP_UNAVAILABLE, "host: Kokkos was finalised; arrays can no longer be used");
}

bool is_finalised() { return backend().state == State::finalised || Kokkos::is_finalized(); }

/// Runs f and turns exceptions into a status.
template <class F>
std::int32_t guarded(const char* what, xp_error* error, F&& f) noexcept {
  try {
    const State state = backend().state.load(std::memory_order_acquire);
    if (state == State::finalised) return finalised(error);
    if (state == State::fresh) return fail(error, XP_INVALID, "%s: the backend is not initialised", what);
    return f();
  } catch (const std::bad_alloc&) {
    return fail(error, XP_OUT_OF_MEMORY, "%s: out of host memory", what);
  } catch (const std::exception& exception) {
    return fail(error, XP_INVALID, "%s: %s", what, exception.what());
  } catch (...) {
    return fail(error, XP_INVALID, "%s: unknown exception", what);
  }
}

void info(xp_backend_info* out) noexcept {
  static char version[32];
  static std::once_flag once;
  std::call_once(once, [] {
    std::snprintf(version, sizeof version, "%d.%d.%d", KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100,
                  KOKKOS_VERSION % 100);
  });
  out->name = XP_BACKEND_NAME;
  out->isa = XP_BACKEND_ISA;
  out->kokkos_version = version;
  out->kokkos_shared = XP_KOKKOS_SHARED;
  out->execution_space = xp::kernels::Space::name();
#if defined(XP_HAVE_SLEEF)
  out->math_library = "SLEEF";
#else
  out->math_library = "libm";
#endif
}

void probe(xp_probe* out) noexcept {
  out->available = 1;
  out->device_count = 1;
  out->reason[0] = '\0';
  if (is_finalised()) {
    out->available = 0;
    out->device_count = 0;
    std::snprintf(out->reason, sizeof out->reason, "Kokkos was finalised in this process");
  }
}

/// At exit: Kokkos tools get their summary. Slabs stay, since arrays that live longer still refer to them.
void finalize_at_exit() {
  Backend& b = backend();
  if (b.owner != getpid()) return;  // in a forked child the threads that Kokkos would stop do not exist
  if (b.state.exchange(State::finalised) != State::ready || !b.owns_kokkos || !Kokkos::is_initialized() ||
      Kokkos::is_finalized())
    return;
  try {
    Kokkos::finalize();
  } catch (...) {
  }
}

constexpr int most_threads = 512;

std::int32_t initialize(xp_error* error) noexcept {
  Backend& b = backend();
  if (b.state.load(std::memory_order_acquire) == State::ready) return XP_OK;
  try {
    const std::lock_guard lock(b.initializing);
    if (b.state == State::ready) return XP_OK;
    if (is_finalised()) return finalised(error);
    if (!Kokkos::is_initialized()) {
      if (omp_in_parallel())
        return fail(error, XP_IN_PARALLEL,
                    "host: first use inside an OpenMP parallel region; call xp::initialize(device) before the region");
      auto settings = Kokkos::InitializationSettings().set_disable_warnings(true);
      // Kokkos' pool of threads is of fixed size and is overrun beyond it.
      if (omp_get_max_threads() > most_threads) settings.set_num_threads(most_threads);
      Kokkos::initialize(settings);
      b.owns_kokkos = true;
      b.owner = getpid();
      std::atexit(finalize_at_exit);
    }
    Kokkos::push_finalize_hook([] { backend().state = State::finalised; });
    xp::kernels::set_thread_count(xp::kernels::Space().concurrency());
    b.state.store(State::ready, std::memory_order_release);
    return XP_OK;
  } catch (const std::exception& exception) {
    return fail(error, XP_UNAVAILABLE, "host: Kokkos could not be initialised: %s", exception.what());
  } catch (...) {
    return fail(error, XP_UNAVAILABLE, "host: Kokkos could not be initialised");
  }
}

std::int32_t bad_ordinal(std::int32_t ordinal, xp_error* error) {
  return fail(error, XP_INVALID, "host: there is no device %d, only 0", ordinal);
}

std::int32_t device_info(std::int32_t ordinal, xp_device_info* out, xp_error* error) noexcept {
  if (ordinal != 0) return bad_ordinal(ordinal, error);
  try {
    const xp::kernels::MemoryState memory = xp::kernels::memory_state();
    out->threads = xp::kernels::thread_count();
    out->memory_total = memory.total;
    out->memory_free = memory.available;
    out->cache_bytes = xp::kernels::cache_bytes();
    std::snprintf(out->name, sizeof out->name, "%s", xp::kernels::processor_name().c_str());
    return XP_OK;
  } catch (...) {
    return fail(error, XP_OUT_OF_MEMORY, "host: out of memory");
  }
}

std::int32_t open(std::int32_t ordinal, xp_device** out, xp_error* error) noexcept {
  if (ordinal != 0) return bad_ordinal(ordinal, error);
  return guarded("open", error, [&] {
    *out = &backend().device;
    return XP_OK;
  });
}

std::int32_t allocate(xp_device*, std::uint64_t bytes, void** out, xp_error* error) noexcept {
  return guarded("allocate", error, [&] {
    *out = nullptr;
    auto refuse = [&](std::int64_t available) {
      return fail(error, XP_OUT_OF_MEMORY, "host: %llu bytes asked, %lld available",
                  static_cast<unsigned long long>(bytes), static_cast<long long>(available));
    };
    const std::uint64_t alignment = bytes >= huge_page ? huge_page : 64;
    // Linux would promise more memory than there is and kill the process when it is touched.
    if (bytes >= huge_page) {
      const std::int64_t available = xp::kernels::memory_state().available;
      if (bytes > static_cast<std::uint64_t>(available)) return refuse(available);
    }
    Slab slab;
    try {
      slab = Slab(Kokkos::view_alloc("xp::pool", Kokkos::WithoutInitializing), bytes + alignment);
    } catch (const std::exception&) {
      return refuse(xp::kernels::memory_state().available);
    }
    const std::uintptr_t address =
        (reinterpret_cast<std::uintptr_t>(slab.data()) + alignment - 1) / alignment * alignment;
    void* data = reinterpret_cast<void*>(address);
    if (bytes >= huge_page) xp::kernels::use_huge_pages(data, bytes);
    const std::lock_guard lock(backend().slabs_mutex);
    backend().slabs.emplace(data, std::move(slab));
    *out = data;
    return static_cast<std::int32_t>(XP_OK);
  });
}

std::int32_t deallocate(xp_device*, void* data, xp_error* error) noexcept {
  if (!data) return XP_OK;
  return guarded("deallocate", error, [&] {
    Slab slab;  // freed after the lock
    const std::lock_guard lock(backend().slabs_mutex);
    const auto found = backend().slabs.find(data);
    if (found == backend().slabs.end())
      return fail(error, XP_INVALID, "deallocate: %p is not a slab of this backend", data);
    slab = std::move(found->second);
    backend().slabs.erase(found);
    return static_cast<std::int32_t>(XP_OK);
  });
}

void advise_idle(xp_device*, void* data, std::uint64_t bytes) noexcept { xp::kernels::discard(data, bytes); }

std::int32_t copy(xp_device*, void* to, const void* from, std::uint64_t bytes, xp_error* error) noexcept {
  return guarded("copy", error, [&] {
    xp::kernels::copy_bytes(to, from, bytes);
    return XP_OK;
  });
}

std::int32_t run(xp_device* device, const xp_program* program, xp_error* error) noexcept {
  return guarded("run", error, [&] { return xp::kernels::run_program(*device, *program, error); });
}

std::int32_t random(xp_device* device, const xp_random_args* args, xp_error* error) noexcept {
  return guarded("random", error, [&] { return xp::kernels::run_random(*device, *args, error); });
}

/// Nothing is ever in flight: launches return when they are done.
std::int32_t synchronize(xp_device*, xp_error* error) noexcept {
  return guarded("synchronize", error, [] { return XP_OK; });
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
                           copy,
                           copy,
                           run,
                           random,
                           synchronize,
                           openmp_runtimes};

}  // namespace

extern "C" __attribute__((visibility("default"))) const xp_backend* xp_backend_entry(void) noexcept { return &table; }
