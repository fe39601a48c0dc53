// SPDX-License-Identifier: Apache-2.0
// The host: kernels_host run on the calling thread and on Kokkos' threads, and are done when a call returns.
#include <mutex>

#include "kernels/host_memory.hpp"
#include "kernels/launch_host.hpp"
#include "kernels/policy.hpp"
#include "platform/host_space.hpp"
#include "platform/lifetime.hpp"
#include "platform/platform.hpp"

struct xp_device {
  std::int32_t ordinal;
};

namespace xp::platform {

void describe(xp_backend_info& info) noexcept {
  info.isa = XP_BACKEND_ISA;
#if defined(XP_HAVE_SLEEF)
  info.math_library = "SLEEF";
#else
  info.math_library = "libm";
#endif
}

void probe(xp_probe& probe) noexcept {
  probe.available = 1;
  probe.device_count = 1;
}

std::int32_t initialize(xp_error* error) {
  static std::mutex& mutex = *new std::mutex;
  const std::lock_guard lock(mutex);
  if (state == State::ready) return XP_OK;
  if (const std::int32_t code = start_host_kokkos([] {}, error)) return code;
  kernels::set_thread_count(kernels::Space().concurrency());
  state.store(State::ready, std::memory_order_release);
  return XP_OK;
}

std::int32_t device_info(std::int32_t ordinal, xp_device_info& info, xp_error* error) {
  if (ordinal != 0) return bad_ordinal(ordinal, error);
  describe_machine(info);
  info.threads = kernels::thread_count();
  info.cache_bytes = kernels::cache_bytes();
  return XP_OK;
}

std::int32_t open(std::int32_t ordinal, xp_device** device, xp_error* error) {
  static xp_device host{0};
  if (ordinal != 0) return bad_ordinal(ordinal, error);
  *device = &host;
  return XP_OK;
}

std::int32_t allocate(xp_device&, std::uint64_t bytes, void** data, xp_error* error) {
  return allocate_slab(bytes, data, error);
}

std::int32_t deallocate(xp_device&, void* data, xp_error* error) { return deallocate_slab(data, error); }

void advise_idle(void* data, std::uint64_t bytes) noexcept { kernels::discard(data, bytes); }

std::int32_t copy_from_host(xp_device&, void* to, const void* from, std::uint64_t bytes, xp_error*) {
  kernels::copy_bytes(to, from, bytes);
  return XP_OK;
}

std::int32_t copy_to_host(xp_device&, void* to, const void* from, std::uint64_t bytes, xp_error*) {
  kernels::copy_bytes(to, from, bytes);
  return XP_OK;
}

std::int32_t copy_between(xp_device&, void* to, xp_device&, const void* from, std::uint64_t bytes, xp_error*) {
  kernels::copy_bytes(to, from, bytes);
  return XP_OK;
}

std::int32_t synchronize(xp_device&, xp_error*) { return XP_OK; }

}  // namespace xp::platform
