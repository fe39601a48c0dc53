// SPDX-License-Identifier: Apache-2.0
// One CUDA device: its stream, its memory, and whether it still works.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

#include "kernels/device_device.hpp"
#include "platform/driver_cuda.hpp"
#include "platform/staging_cuda.hpp"

namespace xp::kernels {

/// Made by open(), never destroyed: arrays with static storage duration may outlive everything here.
class Platform {
 public:
  /// The device must be current, with `context`.
  Platform(int ordinal, CUcontext context, cudaStream_t stream);

  int ordinal() const { return ordinal_; }
  CUcontext context() const { return context_; }
  cudaStream_t stream() const { return stream_; }
  platform::Staging& staging() { return staging_; }

  void* workspace(std::size_t bytes);

  /// `to` waits until all that is on this device's stream now is done.
  void let_wait(Platform& to);

  bool is_lost() const { return lost_.load(std::memory_order_acquire); }
  /// Asks the stream, after an error. A lost device is never touched again: whatever is asked of it answers the same
  /// error, and Kokkos would abort.
  bool check_lost() noexcept;
  std::int32_t refuse(xp_error* error) const noexcept;

 private:
  void mark_lost(cudaError_t code) noexcept;

  const int ordinal_;
  const CUcontext context_;
  const cudaStream_t stream_;
  cudaEvent_t reached_ = nullptr;  // the point up to which others wait
  void* workspace_ = nullptr;
  std::size_t workspace_bytes_ = 0;
  std::atomic<bool> lost_{false};
  std::mutex losing_;
  char why_[256] = "";
  platform::Staging staging_;
};

}  // namespace xp::kernels
