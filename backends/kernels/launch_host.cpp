// SPDX-License-Identifier: Apache-2.0
#include "kernels/launch_host.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>

#include <pthread.h>

#include "kernels/policy.hpp"
#if defined(_OPENMP)
#include <omp.h>
#endif

namespace xp::kernels {
namespace {

std::atomic<int> threads{0};
std::atomic<bool> forked{false};
/// One launch at a time: host threads may call in parallel, a Kokkos instance may not.
std::mutex launching;

bool in_parallel() {
#if defined(_OPENMP)
  return omp_in_parallel();
#else
  return false;
#endif
}

struct Body {
  void (*body)(const void*, int);
  const void* data;
  std::atomic<bool>* out_of_memory;
  void operator()(int part) const {
    FloatingPointScope floating_point;
    try {
      body(data, part);
    } catch (...) {  // scratch; an exception must not leave the parallel region
      *out_of_memory = true;
    }
  }
};

}  // namespace

int thread_count() {
  const int known = threads.load(std::memory_order_relaxed);
  if (known > 0) return known;
#if defined(_OPENMP)
  return omp_get_max_threads();
#else
  return 1;
#endif
}

void set_thread_count(int count) {
  threads = count;
  // A child has none of the threads; an OpenMP region would wait for them for ever.
  static const int registered = pthread_atfork(nullptr, nullptr, [] { forked = true; });
  (void)registered;
}

int parts_for(double serial_ns) {
  if (serial_ns < parallel_threshold_ns) return 1;
  const int available = threads.load(std::memory_order_relaxed);
  if (available <= 1 || forked.load(std::memory_order_relaxed) || in_parallel()) return 1;
  // No more threads than have a quarter of the threshold to do.
  const double useful = serial_ns / (parallel_threshold_ns / 4);
  return useful < available ? static_cast<int>(useful) : available;
}

void launch_parts(const char* label, int parts, void (*body)(const void*, int), const void* data) {
  const std::lock_guard lock(launching);
  const Space space;
  std::atomic<bool> out_of_memory{false};
  using Policy = Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<int>>;
  Kokkos::parallel_for(label, Policy(space, 0, parts, Kokkos::ChunkSize(1)), Body{body, data, &out_of_memory});
  if (out_of_memory) throw std::bad_alloc();
}

std::int64_t cache_bytes() {
  static const std::int64_t bytes = [] {
    const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE), l3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
    const std::int64_t cores = thread_count();
    const std::int64_t reported = l3 > 0 ? l3 : l2 > 0 ? l2 * cores : std::int64_t{8} << 20;
    // A virtual machine reports the socket's cache, which it shares with its neighbours: count at most 16 MiB and its
    // L2 a core. Measured crossover of ordinary and non-temporal stores: 40-80 MB of footprint on 2 cores of a Xeon
    // that reports 480 MiB of L3 (this gives 36 MiB, a threshold of 54 MiB), 48 MB on 2 cores of an EPYC with 32 MiB
    // (gives 32, 48).
    const std::int64_t share = cores * ((l2 > 0 ? l2 : 0) + (std::int64_t{16} << 20));
    return reported < share ? reported : share;
  }();
  return bytes;
}

std::uint64_t stream_threshold() {
  static const std::uint64_t bytes = [] {
    if (const char* text = std::getenv("XP_NT_THRESHOLD"))
      return static_cast<std::uint64_t>(std::strtoull(text, nullptr, 10));
    return static_cast<std::uint64_t>(cache_bytes()) * 3 / 2;
  }();
  return bytes;
}

}  // namespace xp::kernels
