// SPDX-License-Identifier: Apache-2.0
// Counters of what the library did, so that a test can assert it.
#pragma once

#include <cstdint>

namespace [[gnu::visibility("default")]] xp {

/// Counted over all threads and devices since the start or reset_stats().
struct Stats {
  std::uint64_t operations = 0;       ///< elementwise operations and reductions that were recorded
  std::uint64_t kernels = 0;          ///< programs and other kernels that were launched
  std::uint64_t instructions = 0;     ///< instructions of the launched programs
  std::uint64_t allocations = 0;      ///< blocks taken from pools for arrays
  std::uint64_t bytes_allocated = 0;  ///< in those blocks, as asked
  std::uint64_t donations = 0;        ///< results that took over the block of a dead input
  std::uint64_t slabs = 0;            ///< allocations a pool made from its device
  std::uint64_t host_to_device = 0;   ///< copies from host memory into arrays
  std::uint64_t host_to_device_bytes = 0;
  std::uint64_t device_to_host = 0;  ///< copies from arrays into host memory
  std::uint64_t device_to_host_bytes = 0;
  std::uint64_t device_to_device = 0;  ///< copies between arrays of different devices
  std::uint64_t device_to_device_bytes = 0;
};

Stats stats();
void reset_stats();

}  // namespace gnu::visibility("default")]]xp
