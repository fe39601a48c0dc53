// SPDX-License-Identifier: Apache-2.0
// Copies between a device and the host's pageable memory.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "platform/driver_cuda.hpp"

namespace xp::platform {

/// CUDA copies pageable memory through pinned buffers of its own, with one thread, at the speed of one memcpy (about 10
/// GB/s, a fifth of the bus). Here several threads fill or empty pinned buffers while others are on their way. All
/// copies go through the device's stream, so that they keep the order of the calls.
///
/// Not movable; buffers and events are made on first use, kept, and never freed: the driver may be gone at exit.
class Staging {
 public:
  Staging(CUcontext context, cudaStream_t stream) : context_(context), stream_(stream) {}

  /// `from` may be changed when it returns; the copy itself is in the order of the stream.
  void to_device(void* to, const void* from, std::uint64_t bytes);
  /// Returns when the data is there.
  void to_host(void* to, const void* from, std::uint64_t bytes);

 private:
  struct Buffer {
    char* data = nullptr;
    cudaEvent_t free = nullptr;  // recorded after the last copy that uses it
  };
  /// What one thread uses: it fills one buffer while the other one is copied.
  struct Lane {
    Buffer buffers[2];
    int next = 0;
  };
  struct Job;

  Buffer* small_buffer();
  int lanes_for(std::uint64_t bytes);
  void copy_large(void* to, const void* from, std::uint64_t bytes, bool to_device);
  void copy_directly(void* to, const void* from, std::uint64_t bytes, bool to_device);
  void run(Job& job);
  void work(Job& job, Lane& lane);

  const CUcontext context_;
  const cudaStream_t stream_;
  std::mutex mutex_;  // one copy at a time
  std::vector<Buffer> small_;
  std::size_t next_small_ = 0;
  std::vector<Lane> lanes_;
  bool pinning_failed_ = false;
};

}  // namespace xp::platform
