// SPDX-License-Identifier: Apache-2.0
// How the device kernels are launched: the numbers that decide about speed, in one place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/policy.hpp"

/// Before loops over arrays that must stay in registers, which they do if every index is a constant.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define XP_UNROLL _Pragma("unroll")
/// Before loops that must stay loops.
#define XP_ROLLED _Pragma("unroll 1")
#else
#define XP_UNROLL
#define XP_ROLLED
#endif

namespace xp::kernels {

/// A space whose threads are the host's has teams of one: nothing is gained there from more.
inline constexpr bool is_host_space = Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible;

/// Threads of a team. Tests may set another number for a host space; results never depend on it.
#if defined(XP_TEAM_SIZE)
inline constexpr int full_team = XP_TEAM_SIZE;
#else
inline constexpr int full_team = is_host_space ? 1 : 256;
#endif

/// Scratch that a team may use, of 48 KiB without asking the driver for more (which Kokkos 4.6 does not). A program
/// that needs more runs with smaller teams.
inline constexpr std::size_t team_scratch = 40 << 10;

/// What a thread has of each operand at a time: the elements of so many bytes of slots. Less has too few loads in
/// flight (a third less bandwidth with half of it), and spends more on the interpretation of each element; more makes
/// kernels too large. Where all operands are flat there is room for twice as many.
inline constexpr int flat_bytes = 64;
inline constexpr int thread_bytes = 32;
constexpr int flat_elements(int width) { return flat_bytes * 8 / width; }
/// Programs of quick steps have a small kernel of their own, which keeps more loads in flight.
inline constexpr int quick_bytes = 64;
constexpr int quick_elements(int width) { return quick_bytes * 8 / width; }
constexpr int elements_per_thread(int width) { return thread_bytes * 8 / width; }

/// Of those, the ones that are neighbours in memory: 16 bytes, one access.
constexpr int vector_elements(int width) { return 128 / width; }

/// Teams that should fit on a multiprocessor; bounds the registers of a thread.
inline constexpr int flat_teams = 2;
inline constexpr int quick_teams = 4;
constexpr int teams_per_multiprocessor(int width) { return width == 128 ? 2 : 3; }

template <class Bounds>
using Policy = Kokkos::TeamPolicy<Space, Bounds>;

/// Launches a functor that takes a team. It is passed as kernel argument: Kokkos would put larger ones into constant
/// memory, for which launches wait.
template <class Bounds, class Kernel>
void launch_teams(const char* label, const Space& space, std::int64_t league, int team, std::size_t scratch,
                  const Kernel& kernel) {
  static_assert(sizeof(Kernel) <= 3840, "Kokkos adds its policy, and 4096 bytes is the limit");
  Policy<Bounds> policy(space, static_cast<int>(league), team);
  if (scratch > 0) policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch)));
  Kokkos::parallel_for(
      label, Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight), kernel);
}

}  // namespace xp::kernels
