// SPDX-License-Identifier: Apache-2.0
// The most that a device's memory gives for an access pattern, measured beside each workload.
#pragma once

#include "xp_bench_workloads.hpp"

#include <memory>
#include <string>

namespace bench {

class Ceiling {
 public:
  virtual ~Ceiling() = default;
  /// Chooses the best way to go through arrays of `array_bytes` (at most 1 GiB of each is used). False when there is no
  /// memory for it.
  virtual bool prepare(Pattern pattern, double array_bytes) = 0;
  /// Bytes per second, counted as the workloads count them: what the operation must read and write.
  virtual double sample() = 0;
  /// Gives its memory back.
  virtual void release() = 0;
  /// What it was measured with: "AVX-512 loops, 2 threads, non-temporal stores".
  virtual std::string description() const = 0;
};

/// For devices whose memory host code reaches: loops of our own, without the library, on that many threads.
std::unique_ptr<Ceiling> host_ceiling(int threads);
/// For others: the best of the library's own plainest operations with the pattern.
std::unique_ptr<Ceiling> library_ceiling(xp::Device device);

}  // namespace bench
