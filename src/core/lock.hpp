// SPDX-License-Identifier: Apache-2.0
// A lock whose uncontended cost is one atomic exchange: half of a std::mutex, which an operation on ten elements feels.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace xp::detail {

class Lock {
 public:
  void lock() noexcept {
    if (!held_.exchange(true, std::memory_order_acquire)) return;
    // The holder may be running a whole program, so waiting soon turns into sleeping.
    for (int round = 0;; ++round) {
      if (!held_.load(std::memory_order_relaxed) && !held_.exchange(true, std::memory_order_acquire)) return;
      if (round < 64)
        relax();
      else if (round < 128)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  bool try_lock() noexcept {
    return !held_.load(std::memory_order_relaxed) && !held_.exchange(true, std::memory_order_acquire);
  }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  static void relax() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  std::atomic<bool> held_{false};
};

}  // namespace xp::detail
