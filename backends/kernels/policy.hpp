// SPDX-License-Identifier: Apache-2.0
// What differs between the execution spaces that this folder is compiled for.
#pragma once

#include <Kokkos_Core.hpp>

namespace xp::kernels {

#if defined(KOKKOS_ENABLE_CUDA)
using Space = Kokkos::Cuda;
#else
using Space = Kokkos::DefaultHostExecutionSpace;
#endif
using MemorySpace = Space::memory_space;

}  // namespace xp::kernels
