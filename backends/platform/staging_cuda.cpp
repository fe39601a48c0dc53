// SPDX-License-Identifier: Apache-2.0
#include "platform/staging_cuda.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace xp::platform {
namespace {

constexpr std::uint64_t small_bytes = 64 << 10;
constexpr std::size_t small_buffers = 16;  // this many small copies can be under way at once
constexpr std::uint64_t lane_buffer_bytes = 4 << 20, least_chunk = 256 << 10;
constexpr std::uint64_t bytes_for_a_thread = 1 << 20;  // starting one takes as long as copying a fifth of this
constexpr int most_lanes = 12;
constexpr std::uint64_t past_caches = 32 << 20;  // copies that large leave the caches alone

int processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());
}

/// memcpy for what the caller is given and the processor does not need soon: past the caches, since an ordinary store
/// would first read the line that it overwrites. 40 of a bus's 55 GB/s with memcpy on an H200's host.
void copy_past_caches(char* to, const char* from, std::size_t bytes) {
#if defined(__SSE2__)
  constexpr std::size_t line = 64;
  const std::size_t head = std::min((line - reinterpret_cast<std::uintptr_t>(to) % line) % line, bytes);
  std::memcpy(to, from, head);
  to += head;
  from += head;
  bytes -= head;
  for (; bytes >= line; bytes -= line, to += line, from += line) {
    const __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)),
                  b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 16)),
                  c = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 32)),
                  d = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 48));
    _mm_stream_si128(reinterpret_cast<__m128i*>(to), a);
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + 16), b);
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + 32), c);
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + 48), d);
  }
  _mm_sfence();
#endif
  std::memcpy(to, from, bytes);
}

/// False when there is no memory that can be pinned.
template <class Buffer>
bool pin(Buffer& buffer, std::uint64_t bytes) {
  void* data = nullptr;
  // Portable: usable with every device, whichever is current.
  const cudaError_t code = cudaHostAlloc(&data, bytes, cudaHostAllocPortable);
  if (code == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    return false;
  }
  require(code, "cudaHostAlloc");
  buffer.data = static_cast<char*>(data);
  require(cudaEventCreateWithFlags(&buffer.free, cudaEventDisableTiming), "cudaEventCreate");
  return true;
}

/// Whether CUDA can copy from or to this memory without buffers: it was pinned by the caller, whole.
bool is_pinned(const void* data, std::uint64_t bytes) {
  for (const char* byte : {static_cast<const char*>(data), static_cast<const char*>(data) + bytes - 1}) {
    cudaPointerAttributes attributes{};
    if (cudaPointerGetAttributes(&attributes, byte) != cudaSuccess) {
      (void)cudaGetLastError();
      return false;
    }
    if (attributes.type != cudaMemoryTypeHost && attributes.type != cudaMemoryTypeManaged) return false;
  }
  return true;
}

}  // namespace

struct Staging::Job {
  char* to;
  const char* from;
  std::uint64_t bytes, chunk;
  bool to_device;
  int lanes;
  std::atomic<std::uint64_t> next{0};  // chunk
  std::atomic<cudaError_t> error{cudaSuccess};

  std::uint64_t size_of(std::uint64_t index) const { return std::min(chunk, bytes - index * chunk); }
};

/// Null when no memory can be pinned.
Staging::Buffer* Staging::small_buffer() {
  if (small_.empty()) {
    Buffer whole;
    if (pinning_failed_ || !pin(whole, small_bytes * small_buffers)) {
      pinning_failed_ = true;
      return nullptr;
    }
    std::vector<Buffer> buffers(small_buffers, whole);
    for (std::size_t i = 1; i < small_buffers; ++i) {
      buffers[i].data += i * small_bytes;
      require(cudaEventCreateWithFlags(&buffers[i].free, cudaEventDisableTiming), "cudaEventCreate");
    }
    small_ = std::move(buffers);
  }
  return &small_[next_small_++ % small_buffers];
}

/// How many lanes to use, 0 if no memory can be pinned.
int Staging::lanes_for(std::uint64_t bytes) {
  static const int available = std::clamp(processors() * 3 / 4, 1, most_lanes);
  const auto wanted = static_cast<std::size_t>(std::clamp<std::uint64_t>(bytes / bytes_for_a_thread, 1, available));
  while (lanes_.size() < wanted && !pinning_failed_) {
    Lane lane;
    if (pin(lane.buffers[0], lane_buffer_bytes) && pin(lane.buffers[1], lane_buffer_bytes))
      lanes_.push_back(lane);
    else
      pinning_failed_ = true;
  }
  return static_cast<int>(std::min(wanted, lanes_.size()));
}

/// One thread's share of a job: chunks, as it comes to them.
void Staging::work(Job& job, Lane& lane) {
  const ContextScope scope(context_);
  auto check = [&](cudaError_t code) {
    if (code == cudaSuccess) return true;
    job.error = code;
    job.next = job.bytes;  // nobody begins another chunk
    return false;
  };
  const std::uint64_t chunks = (job.bytes + job.chunk - 1) / job.chunk;
  Buffer* arriving = nullptr;  // to the host: copied from the device, not yet to its place
  std::uint64_t arriving_index = 0;
  while (true) {
    const std::uint64_t index = job.next.fetch_add(1);
    Buffer* buffer = nullptr;
    if (index < chunks) {
      buffer = &lane.buffers[lane.next ^= 1];
      char* to = job.to + index * job.chunk;
      const char* from = job.from + index * job.chunk;
      const std::uint64_t size = job.size_of(index);
      if (job.to_device) {
        if (!check(cudaEventSynchronize(buffer->free))) return;
        std::memcpy(buffer->data, from, size);
        if (!check(cudaMemcpyAsync(to, buffer->data, size, cudaMemcpyHostToDevice, stream_))) return;
      } else if (!check(cudaMemcpyAsync(buffer->data, from, size, cudaMemcpyDeviceToHost, stream_))) {
        return;
      }
      if (!check(cudaEventRecord(buffer->free, stream_))) return;
    }
    if (arriving) {
      if (!check(cudaEventSynchronize(arriving->free))) return;
      char* to = job.to + arriving_index * job.chunk;
      if (job.bytes >= past_caches)
        copy_past_caches(to, arriving->data, job.size_of(arriving_index));
      else
        std::memcpy(to, arriving->data, job.size_of(arriving_index));
    }
    if (!buffer) return;
    if (!job.to_device) arriving = buffer;
    arriving_index = index;
  }
}

void Staging::run(Job& job) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(job.lanes));
  for (int i = 1; i < job.lanes; ++i) {
    try {
      threads.emplace_back([this, &job, i] { work(job, lanes_[static_cast<std::size_t>(i)]); });
    } catch (const std::system_error&) {
      break;  // fewer threads do it, too
    }
  }
  work(job, lanes_[0]);
  for (std::thread& thread : threads) thread.join();
  require(job.error, "cudaMemcpyAsync");
}

void Staging::copy_large(void* to, const void* from, std::uint64_t bytes, bool to_device) {
  const int lanes = is_pinned(to_device ? from : to, bytes) ? 0 : lanes_for(bytes);
  if (lanes == 0) {
    copy_directly(to, from, bytes, to_device);
    return;
  }
  const auto least = bytes / (2 * static_cast<std::uint64_t>(lanes));
  const std::uint64_t chunk = std::clamp(least, least_chunk, lane_buffer_bytes);
  Job job{static_cast<char*>(to), static_cast<const char*>(from), bytes, chunk, to_device, lanes};
  run(job);
}

void Staging::copy_directly(void* to, const void* from, std::uint64_t bytes, bool to_device) {
  require(cudaMemcpyAsync(to, from, bytes, to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream_),
          "cudaMemcpyAsync");
  require(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
}

void Staging::to_device(void* to, const void* from, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::lock_guard lock(mutex_);
  if (bytes > small_bytes) return copy_large(to, from, bytes, true);
  Buffer* buffer = small_buffer();
  if (!buffer) return copy_directly(to, from, bytes, true);
  require(cudaEventSynchronize(buffer->free), "cudaEventSynchronize");
  std::memcpy(buffer->data, from, bytes);
  require(cudaMemcpyAsync(to, buffer->data, bytes, cudaMemcpyHostToDevice, stream_), "cudaMemcpyAsync");
  require(cudaEventRecord(buffer->free, stream_), "cudaEventRecord");
}

void Staging::to_host(void* to, const void* from, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::lock_guard lock(mutex_);
  if (bytes > small_bytes) return copy_large(to, from, bytes, false);
  Buffer* buffer = small_buffer();
  if (!buffer) return copy_directly(to, from, bytes, false);
  require(cudaMemcpyAsync(buffer->data, from, bytes, cudaMemcpyDeviceToHost, stream_), "cudaMemcpyAsync");
  require(cudaEventRecord(buffer->free, stream_), "cudaEventRecord");
  require(cudaEventSynchronize(buffer->free), "cudaEventSynchronize");
  std::memcpy(to, buffer->data, bytes);
}

}  // namespace xp::platform
