// SPDX-License-Identifier: Apache-2.0
// Memory of the current device. Not as Kokkos Views, whose constructors and destructors fence all devices and end the
// process where that fails; Kokkos Tools are told of it all the same.
#pragma once

#include <cstdint>

namespace xp::platform {

/// Null when there is not enough; throws CudaError for other errors.
void* allocate_memory(const char* label, std::uint64_t bytes);

/// Nothing may be using it. `bytes` only serves Kokkos Tools.
void deallocate_memory(const char* label, void* data, std::uint64_t bytes);

}  // namespace xp::platform
