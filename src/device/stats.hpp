// SPDX-License-Identifier: Apache-2.0
// The counters behind xp::stats().
#pragma once

#include <atomic>
#include <cstdint>

namespace xp::detail {

/// Written by one thread, read by any: no locked instruction, which five counters per small operation would feel.
class Counter {
 public:
  void add(std::uint64_t n = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

struct Counters {
  Counter operations, kernels, instructions, allocations, bytes_allocated, donations, slabs;
  Counter host_to_device, host_to_device_bytes, device_to_host, device_to_host_bytes, device_to_device,
      device_to_device_bytes;
};

/// Makes the calling thread's counters.
Counters& make_counters();

[[gnu::tls_model("initial-exec")]] inline thread_local Counters* thread_counters = nullptr;

/// The calling thread's counters.
inline Counters& counters() { return thread_counters != nullptr ? *thread_counters : make_counters(); }

}  // namespace xp::detail
