// SPDX-License-Identifier: Apache-2.0
#include "device/stats.hpp"

#include <xp/stats.hpp>

namespace xp {

detail::Counters detail::counters;

namespace {

// One list of the pairs, for reading and for resetting.
template <class F>
void for_each_counter(Stats& stats, F f) {
  auto& c = detail::counters;
  f(stats.operations, c.operations);
  f(stats.kernels, c.kernels);
  f(stats.instructions, c.instructions);
  f(stats.allocations, c.allocations);
  f(stats.bytes_allocated, c.bytes_allocated);
  f(stats.donations, c.donations);
  f(stats.slabs, c.slabs);
  f(stats.host_to_device, c.host_to_device);
  f(stats.host_to_device_bytes, c.host_to_device_bytes);
  f(stats.device_to_host, c.device_to_host);
  f(stats.device_to_host_bytes, c.device_to_host_bytes);
  f(stats.device_to_device, c.device_to_device);
  f(stats.device_to_device_bytes, c.device_to_device_bytes);
}

}  // namespace

Stats stats() {
  Stats result;
  for_each_counter(result, [](std::uint64_t& value, detail::Counter& counter) { value = counter.get(); });
  return result;
}

void reset_stats() {
  Stats unused;
  for_each_counter(unused, [](std::uint64_t&, detail::Counter& counter) { counter.reset(); });
}

}  // namespace xp
