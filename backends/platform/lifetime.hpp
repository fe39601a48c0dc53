// SPDX-License-Identifier: Apache-2.0
// When this backend can be used, and the beginning and end of its Kokkos.
#pragma once

#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstdint>

#include "xp/backend.h"

namespace xp::platform {

enum class State : int { fresh, ready, finalised };

/// Read by every entry point.
inline std::atomic<State> state{State::fresh};

/// Also when the program has ended a Kokkos that it shares with this backend.
bool is_finalised();
std::int32_t finalised(xp_error* error) noexcept;

/// What a platform adds to the end of Kokkos.
struct Ending {
  bool (*may_finalise)();  // asked at exit, where finalising with lost hardware would end in abort()
  void (*release)();       // before Kokkos ends, whoever ends it
  void (*abandon)();       // at exit, when our own Kokkos is not finalised
};

/// Initialises Kokkos, or adopts the one that the program has initialised, which is then never finalised here; our own
/// is at exit, so that Kokkos Tools get their summary. Not thread-safe; not to be repeated after a failure.
std::int32_t start_kokkos(const Kokkos::InitializationSettings& settings, Ending ending, xp_error* error) noexcept;

}  // namespace xp::platform
