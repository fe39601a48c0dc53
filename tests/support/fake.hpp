// SPDX-License-Identifier: Apache-2.0
// Access to the controls of the fake backend that this process has opened.
#pragma once

#include <dlfcn.h>
#include <xp/xp.hpp>

#include <stdexcept>

#include "fake_backend/control.hpp"

namespace xp_test {

inline XpFakeControl& fake_control() {
  static XpFakeControl* const control = [] {
    xp::initialize("fake:0");
    for (const xp::BackendDescription& backend : xp::backends()) {
      if (backend.name != "fake") continue;
      void* library = dlopen(backend.path.c_str(), RTLD_NOW | RTLD_NOLOAD);
      auto* entry = library ? reinterpret_cast<XpFakeControlFn>(dlsym(library, XP_FAKE_CONTROL)) : nullptr;
      if (entry != nullptr) return entry();
    }
    throw std::runtime_error("the fake backend is not loaded");
  }();
  return *control;
}

}  // namespace xp_test
