// SPDX-License-Identifier: Apache-2.0
#include "platform/device_cuda.hpp"

#include <algorithm>
#include <cstdio>
#include <new>
#include <utility>

#include "platform/memory_cuda.hpp"

namespace xp::kernels {

using platform::require;

Platform::Platform(int ordinal, CUcontext context, cudaStream_t stream)
    : ordinal_(ordinal), context_(context), stream_(stream), staging_(context, stream) {
  require(cudaEventCreateWithFlags(&reached_, cudaEventDisableTiming), "cudaEventCreate");
}

void* Platform::workspace(std::size_t bytes) {
  if (bytes <= workspace_bytes_) return workspace_;
  constexpr std::size_t grain = 1 << 20;
  const std::size_t wanted = (std::max(bytes, 2 * workspace_bytes_) + grain - 1) / grain * grain;
  require(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");  // earlier work may use the old one
  void* old = std::exchange(workspace_, nullptr);
  platform::deallocate_memory("xp::workspace", old, std::exchange(workspace_bytes_, 0));
  workspace_ = platform::allocate_memory("xp::workspace", wanted);
  if (!workspace_) throw std::bad_alloc();
  workspace_bytes_ = wanted;
  return workspace_;
}

void Platform::let_wait(Platform& to) {
  const platform::ContextScope scope(context_);
  require(cudaEventRecord(reached_, stream_), "cudaEventRecord");
  require(cudaStreamWaitEvent(to.stream_, reached_, 0), "cudaStreamWaitEvent");
}

bool Platform::check_lost() noexcept {
  if (is_lost()) return true;
  const platform::ContextScope scope(context_);
  (void)cudaGetLastError();
  const cudaError_t code = cudaStreamQuery(stream_);
  (void)cudaGetLastError();
  if (code != cudaSuccess && code != cudaErrorNotReady) mark_lost(code);
  return is_lost();
}

void Platform::mark_lost(cudaError_t code) noexcept {
  const std::lock_guard lock(losing_);
  if (is_lost()) return;
  std::snprintf(why_, sizeof why_, "%s: %s", cudaGetErrorName(code), cudaGetErrorString(code));
  lost_.store(true, std::memory_order_release);
}

std::int32_t Platform::refuse(xp_error* error) const noexcept {
  if (!is_lost()) return XP_OK;
  return fail(error, XP_DEVICE_FAULT, "cuda:%d was lost (%s); restart the program to use it again", ordinal_, why_);
}

}  // namespace xp::kernels

void* xp_device::workspace(std::size_t bytes) { return platform->workspace(bytes); }
