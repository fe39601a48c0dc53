// SPDX-License-Identifier: Apache-2.0
// The device kernels on a host Kokkos: for tests of them without a GPU, and to begin a port to another space from.
#include <pthread.h>

#include <atomic>
#include <cstring>
#include <mutex>

#include "kernels/device_device.hpp"
#include "kernels/floating_point.hpp"
#include "kernels/host_memory.hpp"
#include "platform/host_space.hpp"
#include "platform/lifetime.hpp"
#include "platform/platform.hpp"

namespace xp::kernels {

class Platform {
 public:
  void* workspace(std::size_t bytes) {
    if (bytes > bytes_) {
      constexpr std::size_t grain = 64 << 10;
      bytes_ = 0;
      View grown(Kokkos::view_alloc("xp::workspace", Kokkos::WithoutInitializing), (bytes + grain - 1) / grain * grain);
      view_ = grown;
      bytes_ = view_.extent(0);
    }
    const auto address = reinterpret_cast<std::uintptr_t>(view_.data());
    return reinterpret_cast<void*>((address + alignment - 1) / alignment * alignment);
  }

 private:
  using View = Kokkos::View<char*, MemorySpace>;
  static constexpr std::uintptr_t alignment = 256;
  View view_;
  std::size_t bytes_ = 0;
};

}  // namespace xp::kernels

void* xp_device::workspace(std::size_t bytes) { return platform->workspace(bytes + 256); }

namespace xp::platform {
namespace {

using kernels::fail;

std::atomic<bool> forked{false};

/// The one device, once it is open; gone before Kokkos ends.
struct Opened {
  kernels::Platform platform;
  xp_device device;
};
Opened* opened = nullptr;

/// Opening, and one launch at a time: host threads may call in parallel, a Kokkos instance may not.
std::mutex& mutex() {
  static std::mutex& instance = *new std::mutex;
  return instance;
}

}  // namespace

void describe(xp_backend_info& info) noexcept {
  info.isa = XP_BACKEND_ISA;
  info.math_library = "libm";
}

void probe(xp_probe& probe) noexcept {
  probe.available = 1;
  probe.device_count = 1;
}

std::int32_t refuse(const xp_device*, xp_error* error) noexcept {
  // A child has none of the threads; an OpenMP region would wait for them for ever.
  if (!forked.load(std::memory_order_relaxed)) return XP_OK;
  return fail(error, XP_UNAVAILABLE, "%s: cannot be used in a child process after fork()", XP_BACKEND_NAME);
}

std::int32_t fault(xp_device*, xp_error*) noexcept { return XP_OK; }

Scope::Scope(const xp_device*) noexcept {}
Scope::~Scope() = default;

std::int32_t initialize(xp_error* error) {
  const std::lock_guard lock(mutex());
  if (state == State::ready) return XP_OK;
  if (const std::int32_t code = start_host_kokkos(
          [] {
            delete opened;
            opened = nullptr;
          },
          error))
    return code;
  pthread_atfork(nullptr, nullptr, [] { forked = true; });
  state.store(State::ready, std::memory_order_release);
  return XP_OK;
}

std::int32_t device_info(std::int32_t ordinal, xp_device_info& info, xp_error* error) {
  if (ordinal != 0) return bad_ordinal(ordinal, error);
  describe_machine(info);
  info.threads = 0;
  info.cache_bytes = 0;
  return XP_OK;
}

std::int32_t open(std::int32_t ordinal, xp_device** device, xp_error* error) {
  if (ordinal != 0) return bad_ordinal(ordinal, error);
  const std::lock_guard lock(mutex());
  if (!opened) {
    const kernels::Space space;
    opened = new Opened{{}, {0, space, space.concurrency(), nullptr}};
    opened->device.platform = &opened->platform;
  }
  *device = &opened->device;
  return XP_OK;
}

std::int32_t allocate(xp_device&, std::uint64_t bytes, void** data, xp_error* error) {
  return allocate_slab(bytes, data, error);
}

std::int32_t deallocate(xp_device& device, void* data, xp_error* error) {
  synchronize(device, error);
  return deallocate_slab(data, error);
}

void advise_idle(void*, std::uint64_t) noexcept {}

std::int32_t copy_from_host(xp_device& device, void* to, const void* from, std::uint64_t bytes, xp_error* error) {
  return copy_between(device, to, device, from, bytes, error);
}

std::int32_t copy_to_host(xp_device& device, void* to, const void* from, std::uint64_t bytes, xp_error* error) {
  return copy_between(device, to, device, from, bytes, error);
}

std::int32_t copy_between(xp_device& device, void* to, xp_device&, const void* from, std::uint64_t bytes,
                          xp_error* error) {
  synchronize(device, error);
  std::memcpy(to, from, bytes);
  return XP_OK;
}

std::int32_t synchronize(xp_device& device, xp_error*) {
  const std::lock_guard lock(mutex());
  device.space.fence("xp::synchronize");
  return XP_OK;
}

std::int32_t run(xp_device& device, const xp_program& program, xp_error* error) {
  const std::lock_guard lock(mutex());
  const kernels::FloatingPointScope floating_point;  // the calling thread is one of Kokkos'
  return kernels::run_program(device, program, error);
}

std::int32_t random(xp_device& device, const xp_random_args& args, xp_error* error) {
  const std::lock_guard lock(mutex());
  const kernels::FloatingPointScope floating_point;  // the calling thread is one of Kokkos'
  return kernels::run_random(device, args, error);
}

}  // namespace xp::platform
