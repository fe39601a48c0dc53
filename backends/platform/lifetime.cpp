// SPDX-License-Identifier: Apache-2.0
#include "platform/lifetime.hpp"

#include <unistd.h>

#include <cstdlib>
#include <exception>

#include "kernels/status.hpp"

namespace xp::platform {
namespace {

Ending ending{};
pid_t owner = 0;  // the process that initialised our own Kokkos

void finalise_at_exit() {
  if (!Kokkos::is_initialized() || Kokkos::is_finalized()) return;
  // In a forked child the threads that Kokkos would stop do not exist.
  if (owner != getpid() || state != State::ready || !ending.may_finalise()) {
    state = State::finalised;
    ending.abandon();
    return;
  }
  try {
    Kokkos::finalize();  // calls the hook
  } catch (...) {
  }
}

}  // namespace

bool is_finalised() { return state == State::finalised || Kokkos::is_finalized(); }

std::int32_t finalised(xp_error* error) noexcept {
  return kernels::fail(error, XP_UNAVAILABLE, "%s: Kokkos was finalised; arrays can no longer be used",
                       XP_BACKEND_NAME);
}

std::int32_t start_kokkos(const Kokkos::InitializationSettings& settings, Ending at_end, xp_error* error) noexcept {
  try {
    if (is_finalised()) return finalised(error);
    ending = at_end;
    if (!Kokkos::is_initialized()) {
      Kokkos::initialize(settings);
      owner = getpid();
      std::atexit(finalise_at_exit);
    }
    // Slabs stay, since arrays that live longer still refer to them.
    Kokkos::push_finalize_hook([] {
      state = State::finalised;
      ending.release();
    });
    return XP_OK;
  } catch (const std::exception& exception) {
    return kernels::fail(error, XP_UNAVAILABLE, "%s: Kokkos could not be initialised: %s", XP_BACKEND_NAME,
                         exception.what());
  } catch (...) {
    return kernels::fail(error, XP_UNAVAILABLE, "%s: Kokkos could not be initialised", XP_BACKEND_NAME);
  }
}

}  // namespace xp::platform
