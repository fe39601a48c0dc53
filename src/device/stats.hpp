// SPDX-License-Identifier: Apache-2.0
// The counters behind xp::stats().
#pragma once

#include <atomic>
#include <cstdint>

namespace xp::detail {

// Relaxed: they are counts, they order nothing.
class Counter {
 public:
  void add(std::uint64_t n = 1) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }
  void reset() noexcept { value_.store(0, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

struct Counters {
  Counter operations, kernels, instructions, allocations, bytes_allocated, donations, slabs;
  Counter host_to_device, host_to_device_bytes, device_to_host, device_to_host_bytes, device_to_device,
      device_to_device_bytes;
};

extern Counters counters;

}  // namespace xp::detail
