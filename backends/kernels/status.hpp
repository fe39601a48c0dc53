// SPDX-License-Identifier: Apache-2.0
// How entry points and kernels report that they cannot do something (xp/backend.h).
#pragma once

#include <cstdint>
#include <cstdio>

#include "xp/backend.h"

namespace xp::kernels {

/// Writes the sentence and returns `code`. Allocates nothing, throws nothing.
template <class... Args>
std::int32_t fail(xp_error* error, std::int32_t code, const char* format, Args... args) noexcept {
  if (error) {
    error->code = code;
    std::snprintf(error->message, sizeof error->message, format, args...);
  }
  return code;
}

}  // namespace xp::kernels
