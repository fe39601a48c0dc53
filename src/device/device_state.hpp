// SPDX-License-Identifier: Apache-2.0
// An opened device: its backend, its pool, and whether it still works.
#pragma once

#include <xp/backend.h>
#include <xp/device.hpp>
#include <xp/error.hpp>

#include "device/loader.hpp"
#include "device/pool.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <string>

namespace xp::detail {

struct DeviceState;

/// Interned; `state` is filled when the device is first used.
struct DeviceName {
  std::string name;
  std::atomic<DeviceState*> state{nullptr};
};

/// Open programs are kept per thread and device in a table of this size.
inline constexpr int max_devices = 32;

struct DeviceState {
  int index = 0;
  const DeviceName* name = nullptr;  // canonical: "host", "cuda:0"
  const Backend* backend = nullptr;
  xp_device* handle = nullptr;
  xp_device_info info{};
  bool is_host = false;  // its memory is this process's own
  Pool pool;

  /// Throws DeviceError when the device has failed for good, or after fork().
  void check_usable() const {
    if (unusable_.load(std::memory_order_acquire)) [[unlikely]]
      throw_unusable();
  }
  bool usable() const { return !unusable_.load(std::memory_order_acquire); }
  /// Ends the use of this device: every later call throws `message`.
  void poison(const std::string& message);

  /// Turns a backend's answer into an exception.
  void check(std::int32_t code, const xp_error& error);

  void mark_forked() { unusable_.store(true, std::memory_order_release); }

 private:
  [[noreturn]] void throw_unusable() const;
  std::atomic<bool> unusable_{false};
  mutable std::mutex poison_mutex_;
  std::string poison_message_;
};

/// The opened device of this name, or of the default device. DeviceError with one sentence when it cannot be had.
DeviceState& open_device(Device device);

/// XP_FUSE. DeviceError when it is neither 0 nor 1.
bool fuse_setting();

/// Every device opened so far; devices are never closed. Read without a lock, because every synchronize() does.
struct OpenedDevices {
  std::array<std::atomic<DeviceState*>, max_devices> slots{};
  std::atomic<int> count{0};

  template <class F>
  void for_each(F f) const {
    const int n = count.load(std::memory_order_acquire);
    for (int i = 0; i < n; ++i) f(*slots[static_cast<std::size_t>(i)].load(std::memory_order_relaxed));
  }
};
const OpenedDevices& opened_devices();

}  // namespace xp::detail
