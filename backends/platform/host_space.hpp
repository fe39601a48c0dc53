// SPDX-License-Identifier: Apache-2.0
// What the platforms share whose execution space is the processor: host and portable.
#pragma once

#include <cstdint>

#include "xp/backend.h"

namespace xp::platform {

/// Initialises or adopts Kokkos; refused inside an OpenMP parallel region, where OpenMP's threads cannot be had.
std::int32_t start_host_kokkos(void (*release)(), xp_error* error);

/// Memory and processor of this machine, as far as this process may use them.
void describe_machine(xp_device_info& info);

std::int32_t allocate_slab(std::uint64_t bytes, void** data, xp_error* error);
std::int32_t deallocate_slab(void* data, xp_error* error);

std::int32_t bad_ordinal(std::int32_t ordinal, xp_error* error) noexcept;

}  // namespace xp::platform
