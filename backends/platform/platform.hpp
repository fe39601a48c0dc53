// SPDX-License-Identifier: Apache-2.0
// What the entry points of backend.cpp need of the system, once for each kind: platform_host.cpp, platform_portable.cpp
// (the device kernels on a host Kokkos), platform_cuda.cpp. Functions may throw, unless they say noexcept.
#pragma once

#include <cstdint>

#include "kernels/program.hpp"
#include "xp/backend.h"

namespace xp::platform {

/// Fills in isa and math_library, which must live for ever.
void describe(xp_backend_info& info) noexcept;
void probe(xp_probe& probe) noexcept;

std::int32_t initialize(xp_error* error);
std::int32_t device_info(std::int32_t ordinal, xp_device_info& info, xp_error* error);
std::int32_t open(std::int32_t ordinal, xp_device** device, xp_error* error);

std::int32_t allocate(xp_device& device, std::uint64_t bytes, void** data, xp_error* error);
std::int32_t deallocate(xp_device& device, void* data, xp_error* error);
void advise_idle(void* data, std::uint64_t bytes) noexcept;

std::int32_t copy_from_host(xp_device& device, void* to, const void* from, std::uint64_t bytes, xp_error* error);
std::int32_t copy_to_host(xp_device& device, void* to, const void* from, std::uint64_t bytes, xp_error* error);
std::int32_t copy_between(xp_device& to_device, void* to, xp_device& from_device, const void* from, std::uint64_t bytes,
                          xp_error* error);
std::int32_t synchronize(xp_device& device, xp_error* error);

#if defined(XP_PLATFORM_HOST)

// A program of ten elements takes 10 to 30 ns: nothing may come between.
inline std::int32_t refuse(const xp_device*, xp_error*) noexcept { return XP_OK; }
inline std::int32_t fault(xp_device*, xp_error*) noexcept { return XP_OK; }
struct Scope {
  explicit Scope(const xp_device*) {}
};
inline std::int32_t run(xp_device& device, const xp_program& program, xp_error* error) {
  return kernels::run_program(device, program, error);
}
inline std::int32_t random(xp_device& device, const xp_random_args& args, xp_error* error) {
  return kernels::run_random(device, args, error);
}

#else

/// Says why this process or device (which may be null) cannot be used any more, if so. Touches no device.
std::int32_t refuse(const xp_device* device, xp_error* error) noexcept;

/// After an exception: whether the device is lost. If so, it is from now on refused.
std::int32_t fault(xp_device* device, xp_error* error) noexcept;

/// While it lives, the device (which may be null) is the thread's current one; what was current before is restored.
class Scope {
 public:
  explicit Scope(const xp_device* device) noexcept;
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  void* before_ = nullptr;
  bool restore_ = false;
};

std::int32_t run(xp_device& device, const xp_program& program, xp_error* error);
std::int32_t random(xp_device& device, const xp_random_args& args, xp_error* error);

#endif

}  // namespace xp::platform
