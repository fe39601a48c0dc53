// SPDX-License-Identifier: Apache-2.0
#include "platform/memory_cuda.hpp"

#include <Kokkos_Core.hpp>

#include "platform/driver_cuda.hpp"

namespace xp::platform {
namespace {

Kokkos::Tools::SpaceHandle space() { return Kokkos::Tools::make_space_handle(Kokkos::CudaSpace::name()); }

}  // namespace

void* allocate_memory(const char* label, std::uint64_t bytes) {
  void* data = nullptr;
  const cudaError_t code = cudaMalloc(&data, bytes);
  if (code == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    return nullptr;
  }
  require(code, "cudaMalloc");
  if (Kokkos::Tools::profileLibraryLoaded()) Kokkos::Tools::allocateData(space(), label, data, bytes);
  return data;
}

void deallocate_memory(const char* label, void* data, std::uint64_t bytes) {
  if (!data) return;
  if (Kokkos::Tools::profileLibraryLoaded()) Kokkos::Tools::deallocateData(space(), label, data, bytes);
  require(cudaFree(data), "cudaFree");
}

}  // namespace xp::platform
