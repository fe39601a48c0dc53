// SPDX-License-Identifier: Apache-2.0
// Finds, opens and checks backend libraries.
#pragma once

#include <xp/backend.h>

#include <string>
#include <vector>

namespace xp::detail {

struct Backend {
  std::string name;
  std::string path;
  const xp_backend* api = nullptr;
  xp_backend_info info{};
};

/// The backend of this name, opened on the first call; never closed. BackendError with one sentence that says why it
/// cannot be used.
const Backend& load_backend(const std::string& name);

/// Names of the backend libraries that are found, "host" and "cuda" always among them.
std::vector<std::string> backend_names();

/// Path of the library that load_backend(name) would open; empty when there is none.
std::string find_backend_library(const std::string& name);

}  // namespace xp::detail
