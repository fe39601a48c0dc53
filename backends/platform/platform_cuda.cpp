// SPDX-License-Identifier: Apache-2.0
// CUDA devices: one stream each, on which all work of a device is done in the order of the calls.
#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "platform/device_cuda.hpp"
#include "platform/devices_cuda.hpp"
#include "platform/memory_cuda.hpp"
#include "platform/platform.hpp"

namespace xp::platform {
namespace {

using kernels::fail;
using kernels::Platform;

/// One launch at a time, on whatever device: Kokkos keeps what it knows of a kernel in unprotected maps.
std::mutex& launching() {
  static std::mutex& instance = *new std::mutex;
  return instance;
}

template <class F>
std::int32_t launch(F&& f) {
  const std::lock_guard lock(launching());
  (void)cudaGetLastError();
  const std::int32_t code = f();
  require(cudaGetLastError(), "launch");  // Kokkos does not ask
  return code;
}

/// Slabs and their sizes.
struct Slabs {
  std::mutex mutex;
  std::unordered_map<void*, std::uint64_t> sizes;
};
Slabs& slabs() {
  static Slabs& instance = *new Slabs;
  return instance;
}

/// Direct access of two devices to each other's memory, where the machine has it; copies go through the host elsewhere.
void connect(const Platform& one, const Platform& other) {
  static std::mutex& mutex = *new std::mutex;
  static auto& done = *new std::unordered_map<std::uint64_t, bool>;
  const std::lock_guard lock(mutex);
  for (const auto& [accessing, owner] : {std::pair{&one, &other}, std::pair{&other, &one}}) {
    const auto key =
        static_cast<std::uint64_t>(accessing->ordinal()) << 32 | static_cast<std::uint32_t>(owner->ordinal());
    if (!done.try_emplace(key, true).second) continue;
    const ContextScope scope(accessing->context());
    int possible = 0;
    if (cudaDeviceCanAccessPeer(&possible, accessing->ordinal(), owner->ordinal()) == cudaSuccess && possible)
      cudaDeviceEnablePeerAccess(owner->ordinal(), 0);
    (void)cudaGetLastError();
  }
}

}  // namespace

std::int32_t refuse(const xp_device* device, xp_error* error) noexcept {
  if (is_forked())
    return fail(error, XP_UNAVAILABLE, "%s: CUDA cannot be used in a child process after fork()", XP_BACKEND_NAME);
  return device ? device->platform->refuse(error) : XP_OK;
}

std::int32_t fault(xp_device* device, xp_error* error) noexcept {
  return device && device->platform->check_lost() ? device->platform->refuse(error) : XP_OK;
}

Scope::Scope(const xp_device* device) noexcept {
  if (!device) return;
  CUcontext before = current_context();
  if (before != device->platform->context()) set_current_context(device->platform->context());
  before_ = before;
  restore_ = true;
}

Scope::~Scope() {
  const auto before = static_cast<CUcontext>(before_);
  if (restore_ && current_context() != before) set_current_context(before);
}

std::int32_t allocate(xp_device& device, std::uint64_t bytes, void** data, xp_error* error) {
  void* slab = allocate_memory("xp::pool", bytes);
  if (!slab) {
    std::size_t available = 0, total = 0;
    require(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
    return fail(error, XP_OUT_OF_MEMORY, "%s:%d: %llu bytes asked, %llu of %llu available", XP_BACKEND_NAME,
                device.ordinal, static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(available),
                static_cast<unsigned long long>(total));
  }
  const std::lock_guard lock(slabs().mutex);
  slabs().sizes.emplace(slab, bytes);
  *data = slab;
  return XP_OK;
}

std::int32_t deallocate(xp_device& device, void* data, xp_error* error) {
  std::uint64_t bytes = 0;
  {
    const std::lock_guard lock(slabs().mutex);
    const auto found = slabs().sizes.find(data);
    if (found == slabs().sizes.end())
      return fail(error, XP_INVALID, "deallocate: %p is not a slab of this backend", data);
    bytes = found->second;
    slabs().sizes.erase(found);
  }
  require(cudaStreamSynchronize(device.platform->stream()), "cudaStreamSynchronize");
  deallocate_memory("xp::pool", data, bytes);
  return XP_OK;
}

void advise_idle(void*, std::uint64_t) noexcept {}

std::int32_t copy_from_host(xp_device& device, void* to, const void* from, std::uint64_t bytes, xp_error*) {
  device.platform->staging().to_device(to, from, bytes);
  return XP_OK;
}

std::int32_t copy_to_host(xp_device& device, void* to, const void* from, std::uint64_t bytes, xp_error*) {
  device.platform->staging().to_host(to, from, bytes);
  return XP_OK;
}

std::int32_t copy_between(xp_device& to_device, void* to, xp_device& from_device, const void* from, std::uint64_t bytes,
                          xp_error* error) {
  if (bytes == 0) return XP_OK;
  Platform &target = *to_device.platform, &source = *from_device.platform;
  if (&target == &source) {
    require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, target.stream()), "cudaMemcpyAsync");
    return XP_OK;
  }
  try {
    connect(target, source);
    source.let_wait(target);
    require(cudaMemcpyPeerAsync(to, target.ordinal(), from, source.ordinal(), bytes, target.stream()),
            "cudaMemcpyPeerAsync");
    target.let_wait(source);  // later work there may overwrite what is being copied
    return XP_OK;
  } catch (const CudaError&) {
    if (source.check_lost()) return source.refuse(error);
    throw;
  }
}

/// Not a fence of Kokkos, which ends the process when the device is lost.
std::int32_t synchronize(xp_device& device, xp_error*) {
  require(cudaStreamSynchronize(device.platform->stream()), "cudaStreamSynchronize");
  return XP_OK;
}

std::int32_t run(xp_device& device, const xp_program& program, xp_error* error) {
  return launch([&] { return kernels::run_program(device, program, error); });
}

std::int32_t random(xp_device& device, const xp_random_args& args, xp_error* error) {
  return launch([&] { return kernels::run_random(device, args, error); });
}

}  // namespace xp::platform
