// SPDX-License-Identifier: Apache-2.0
#include "platform/driver_cuda.hpp"

#include <dlfcn.h>

namespace xp::platform {
namespace {

/// The driver library's functions, found when they are first needed.
struct Driver {
  CUresult (*get_current)(CUcontext*) = nullptr;
  CUresult (*set_current)(CUcontext) = nullptr;
  CUresult (*get_device)(CUdevice*) = nullptr;
  CUresult (*stream_context)(CUstream, CUcontext*) = nullptr;

  std::string failure;  // why the library cannot be opened

  Driver() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);  // CUDA's runtime has it open, too
    if (!library) {
      const char* reason = dlerror();
      failure = reason ? reason : "";
      return;
    }
    auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    };
    find(get_current, "cuCtxGetCurrent");
    find(set_current, "cuCtxSetCurrent");
    find(get_device, "cuCtxGetDevice");
    find(stream_context, "cuStreamGetCtx");
  }
};

const Driver& driver() {
  static const Driver instance;
  return instance;
}

}  // namespace

std::string driver_failure() {
  if (driver().failure.find("No such file") != std::string::npos) return "libcuda.so.1 was not found";
  if (!driver().failure.empty()) return "libcuda.so.1 cannot be opened: " + driver().failure;
  return "libcuda.so.1 lacks the functions of one";
}

CUcontext current_context() noexcept {
  CUcontext context = nullptr;
  if (driver().get_current) driver().get_current(&context);
  return context;
}

void set_current_context(CUcontext context) noexcept {
  if (driver().set_current) driver().set_current(context);
}

}  // namespace xp::platform

// What Kokkos calls of the driver library. If another version of it calls more, the link falls back to that library
// (CMakeLists.txt), and this backend then loads only where there is a driver.
extern "C" {

CUresult CUDAAPI cuCtxGetDevice(CUdevice* device) {
  const auto& driver = xp::platform::driver();
  return driver.get_device ? driver.get_device(device) : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult CUDAAPI cuStreamGetCtx(CUstream stream, CUcontext* context) {
  const auto& driver = xp::platform::driver();
  return driver.stream_context ? driver.stream_context(stream, context) : CUDA_ERROR_NOT_INITIALIZED;
}

/// Kokkos pushes and never pops. Setting is enough for it, and leaves the caller's stack of contexts alone.
CUresult CUDAAPI cuCtxPushCurrent(CUcontext context) {
  const auto& driver = xp::platform::driver();
  return driver.set_current ? driver.set_current(context) : CUDA_ERROR_NOT_INITIALIZED;
}
}

// Kokkos ends the process when CUDA reports a lost device, and for whatever else it cannot do. The linker redirects
// these calls to here (--wrap in CMakeLists.txt): all of them in a static Kokkos, those from its headers in a shared
// one.
extern "C" {

[[noreturn]] void __wrap__ZN6Kokkos4Impl10host_abortEPKc(const char* message) {
  throw std::runtime_error(message ? message : "Kokkos::abort");
}

[[noreturn]] void __wrap__ZN6Kokkos4Impl25cuda_internal_error_abortE9cudaErrorPKcS3_i(cudaError_t code,
                                                                                      const char* call, const char*,
                                                                                      int) {
  throw xp::platform::CudaError(code, call);
}
}
