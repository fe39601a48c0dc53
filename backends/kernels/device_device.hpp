// SPDX-License-Identifier: Apache-2.0
// A device as the kernels see it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/policy.hpp"
#include "kernels/status.hpp"
#include "xp/backend.h"

namespace xp::kernels {
class Platform;  // streams, memory and errors of one device: platform_cuda.hpp, platform_portable.hpp
}

/// All work of a device goes to one execution-space instance, in the order of the calls. Entry points hold the device's
/// lock and have made it the current one; kernels are launched on `space`, without waiting.
struct xp_device {
  std::int32_t ordinal;
  xp::kernels::Space space;
  int multiprocessors;  // a host space: its threads
  xp::kernels::Platform* platform;

  /// Device memory for partial results, at least 256-byte aligned. Later work may use it until the next call; growing
  /// keeps no contents. Throws std::bad_alloc.
  void* workspace(std::size_t bytes);
};
