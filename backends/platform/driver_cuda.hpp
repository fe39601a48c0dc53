// SPDX-License-Identifier: Apache-2.0
// CUDA's errors as exceptions, and the few functions of its driver library that are needed. That library comes with the
// driver: where there is none, this backend must still load and say so, so it is not linked against.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace xp::platform {

class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t code, const char* call)
      : std::runtime_error(std::string(call) + ": " + cudaGetErrorName(code) + ": " + cudaGetErrorString(code)),
        code_(code) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

inline void require(cudaError_t code, const char* call) {
  if (code != cudaSuccess) [[unlikely]] {
    (void)cudaGetLastError();  // or the next launch would find it again
    throw CudaError(code, call);
  }
}

/// Why there is no driver.
std::string driver_failure();

/// The thread's current context. Without a driver, none.
CUcontext current_context() noexcept;
void set_current_context(CUcontext context) noexcept;

/// Restores the thread's current context. Saving the device instead would create a context on device 0 in every process
/// that uses another one: setting a device does that.
class ContextScope {
 public:
  ContextScope() noexcept : before_(current_context()) {}
  explicit ContextScope(CUcontext wanted) noexcept : before_(current_context()) {
    if (before_ != wanted) set_current_context(wanted);
  }
  ~ContextScope() {
    if (current_context() != before_) set_current_context(before_);
  }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  CUcontext before_;
};

}  // namespace xp::platform
