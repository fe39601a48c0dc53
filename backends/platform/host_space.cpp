// SPDX-License-Identifier: Apache-2.0
#include "platform/host_space.hpp"

#include <cstdio>
#include <exception>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "kernels/host_memory.hpp"
#include "kernels/policy.hpp"
#include "kernels/status.hpp"
#include "platform/lifetime.hpp"
#if defined(_OPENMP)
#include <omp.h>
#endif

namespace xp::platform {
namespace {

using kernels::fail;
using Slab = Kokkos::View<char*, kernels::MemorySpace>;

constexpr std::uint64_t huge_page = std::uint64_t{2} << 20;
constexpr int most_threads = 512;

/// Never destroyed: arrays with static storage duration may outlive everything here.
struct Slabs {
  std::mutex mutex;
  std::unordered_map<void*, Slab> by_address;
};

Slabs& slabs() {
  static Slabs& instance = *new Slabs;
  return instance;
}

}  // namespace

std::int32_t start_host_kokkos(void (*release)(), xp_error* error) {
  auto settings = Kokkos::InitializationSettings().set_disable_warnings(true);
#if defined(_OPENMP)
  if (!Kokkos::is_initialized()) {
    if (omp_in_parallel())
      return fail(error, XP_IN_PARALLEL,
                  "%s: first use inside an OpenMP parallel region; call xp::initialize(device) before the region",
                  XP_BACKEND_NAME);
    // Kokkos' pool of threads is of fixed size and is overrun beyond it.
    if (omp_get_max_threads() > most_threads) settings.set_num_threads(most_threads);
  }
#endif
  return start_kokkos(settings, {[] { return true; }, release, [] {}}, error);
}

void describe_machine(xp_device_info& info) {
  const kernels::MemoryState memory = kernels::memory_state();
  info.memory_total = memory.total;
  info.memory_free = memory.available;
  std::snprintf(info.name, sizeof info.name, "%s", kernels::processor_name().c_str());
}

std::int32_t bad_ordinal(std::int32_t ordinal, xp_error* error) noexcept {
  return fail(error, XP_INVALID, "%s: there is no device %d, only 0", XP_BACKEND_NAME, ordinal);
}

std::int32_t allocate_slab(std::uint64_t bytes, void** data, xp_error* error) {
  auto refuse_bytes = [&](std::int64_t available) {
    return fail(error, XP_OUT_OF_MEMORY, "%s: %llu bytes asked, %lld available", XP_BACKEND_NAME,
                static_cast<unsigned long long>(bytes), static_cast<long long>(available));
  };
  const std::uint64_t alignment = bytes >= huge_page ? huge_page : 64;
  // Linux would promise more memory than there is and kill the process when it is touched.
  if (bytes >= huge_page) {
    const std::int64_t available = kernels::memory_state().available;
    if (bytes > static_cast<std::uint64_t>(available)) return refuse_bytes(available);
  }
  Slab slab;
  try {
    slab = Slab(Kokkos::view_alloc("xp::pool", Kokkos::WithoutInitializing), bytes + alignment);
  } catch (const std::exception&) {
    return refuse_bytes(kernels::memory_state().available);
  }
  const std::uintptr_t address =
      (reinterpret_cast<std::uintptr_t>(slab.data()) + alignment - 1) / alignment * alignment;
  void* aligned = reinterpret_cast<void*>(address);
  if (bytes >= huge_page) kernels::use_huge_pages(aligned, bytes);
  const std::lock_guard lock(slabs().mutex);
  slabs().by_address.emplace(aligned, std::move(slab));
  *data = aligned;
  return XP_OK;
}

std::int32_t deallocate_slab(void* data, xp_error* error) {
  Slab slab;  // freed after the lock
  const std::lock_guard lock(slabs().mutex);
  const auto found = slabs().by_address.find(data);
  if (found == slabs().by_address.end())
    return fail(error, XP_INVALID, "deallocate: %p is not a slab of this backend", data);
  slab = std::move(found->second);
  slabs().by_address.erase(found);
  return XP_OK;
}

}  // namespace xp::platform
