// SPDX-License-Identifier: Apache-2.0
#include "device/stats.hpp"

#include <xp/stats.hpp>

#include <mutex>
#include <vector>

namespace xp {
namespace detail {
namespace {

// Never destroyed: static Arrays count to the end. The counters of ended threads go on with new threads.
struct Registry {
  std::mutex mutex;
  std::vector<Counters*> all, idle;
  Stats baseline;  // totals at reset_stats()
};

Registry& registry() {
  static Registry& instance = *new Registry;
  return instance;
}

struct ThreadEnd {
  ~ThreadEnd() {
    if (thread_counters == nullptr) return;
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    r.idle.push_back(thread_counters);
    thread_counters = nullptr;
  }
};

struct Pair {
  std::uint64_t Stats::*total;
  Counter Counters::*counter;
};

constexpr Pair pairs[] = {
    {&Stats::operations, &Counters::operations},
    {&Stats::kernels, &Counters::kernels},
    {&Stats::instructions, &Counters::instructions},
    {&Stats::allocations, &Counters::allocations},
    {&Stats::bytes_allocated, &Counters::bytes_allocated},
    {&Stats::donations, &Counters::donations},
    {&Stats::slabs, &Counters::slabs},
    {&Stats::host_to_device, &Counters::host_to_device},
    {&Stats::host_to_device_bytes, &Counters::host_to_device_bytes},
    {&Stats::device_to_host, &Counters::device_to_host},
    {&Stats::device_to_host_bytes, &Counters::device_to_host_bytes},
    {&Stats::device_to_device, &Counters::device_to_device},
    {&Stats::device_to_device_bytes, &Counters::device_to_device_bytes},
};

Stats totals(const Registry& r) {
  Stats result;
  for (const Counters* thread : r.all)
    for (const Pair& pair : pairs) result.*pair.total += (thread->*pair.counter).get();
  return result;
}

}  // namespace

Counters& make_counters() {
  thread_local ThreadEnd at_end;
  static_cast<void>(at_end);
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  if (r.idle.empty()) {
    thread_counters = new Counters;
    r.all.push_back(thread_counters);
  } else {
    thread_counters = r.idle.back();
    r.idle.pop_back();
  }
  return *thread_counters;
}

}  // namespace detail

Stats stats() {
  detail::Registry& r = detail::registry();
  const std::lock_guard lock(r.mutex);
  Stats result = detail::totals(r);
  for (const detail::Pair& pair : detail::pairs) result.*pair.total -= r.baseline.*pair.total;
  return result;
}

void reset_stats() {
  detail::Registry& r = detail::registry();
  const std::lock_guard lock(r.mutex);
  r.baseline = detail::totals(r);
}

}  // namespace xp
