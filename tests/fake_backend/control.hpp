// SPDX-License-Identifier: Apache-2.0
// What a test may look at and break in the fake backend. The library exports xp_fake_control().
#pragma once

#include <atomic>
#include <cstdint>

struct XpFakeControl {
  // Counters since the library was loaded.
  std::atomic<std::int64_t> runs{0};
  std::atomic<std::int64_t> allocations{0};
  std::atomic<std::int64_t> live_blocks{0};
  std::atomic<std::int64_t> live_bytes{0};
  std::atomic<std::int64_t> copies{0};
  std::atomic<std::int64_t> synchronizations{0};
  // Of the last program.
  std::atomic<std::int64_t> last_instructions{0};
  std::atomic<std::int64_t> last_operands{0};
  std::atomic<std::int64_t> last_ndim{0};
  // Faults to come: after so many allocations, the next so many fail; the next run on a device breaks it for good.
  std::atomic<std::int64_t> spare_allocations{0};
  std::atomic<std::int64_t> fail_allocations{0};
  std::atomic<std::int64_t> fault_next_run[2]{};
};

#define XP_FAKE_CONTROL "xp_fake_control"
using XpFakeControlFn = XpFakeControl* (*)();
