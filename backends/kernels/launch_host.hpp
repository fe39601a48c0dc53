// SPDX-License-Identifier: Apache-2.0
// Work for one or all threads of the host.
#pragma once

#include <cstdint>

#include "kernels/floating_point.hpp"
#include "kernels/status.hpp"

namespace xp::kernels {

/// Serial work up to here is not worth waking threads for (microbenchmarks: 0.6 us when they spin, 30-46 us when they
/// sleep).
inline constexpr double parallel_threshold_ns = 20000;

/// How many threads to use for work that takes one thread this long: 1 inside a parallel region and in a forked child.
int parts_for(double serial_ns);

/// Threads of a parallel region; before initialisation, what OpenMP would use.
int thread_count();

/// To be called once Kokkos is initialised.
void set_thread_count(int threads);

/// Calls body(data, part) for every part in [0, parts), in parallel, as one Kokkos launch.
void launch_parts(const char* label, int parts, void (*body)(const void* data, int part), const void* data);

template <class F>
void launch(const char* label, int parts, const F& f) {
  if (parts == 1) {
    f(0);
    return;
  }
  launch_parts(
      label, parts, [](const void* data, int part) { (*static_cast<const F*>(data))(part); }, &f);
}

struct Range {
  std::int64_t begin, end;
};

/// Part `part` of [0, count), with boundaries at multiples of `grain`. The same thread gets the same part every time.
inline Range part_of(std::int64_t count, std::int64_t grain, int part, int parts) {
  const std::int64_t units = (count + grain - 1) / grain;
  const std::int64_t share = units / parts, more = units % parts;
  auto start = [&](int i) { return (share * i + (i < more ? i : more)) * grain; };
  const std::int64_t end = start(part + 1);
  return {start(part), end < count ? end : count};
}

/// memcpy on several threads, where it pays.
void copy_bytes(void* to, const void* from, std::uint64_t bytes);

/// Non-temporal stores pay from this footprint (bytes of all operands) on.
std::uint64_t stream_threshold();
/// The last-level cache as one process can use it.
std::int64_t cache_bytes();

}  // namespace xp::kernels
