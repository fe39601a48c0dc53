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
#define XP_NOINLINE __noinline__
#else
#define XP_UNROLL
#define XP_ROLLED
#define XP_NOINLINE
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

/// Programs of quick steps want smaller ones: 1 % of the bandwidth.
inline constexpr int quick_team = full_team < 128 ? full_team : 128;

/// Scratch that a team may use, of 48 KiB without asking the driver for more (which Kokkos 4.6 does not). A program
/// that needs more runs with smaller teams.
inline constexpr std::size_t team_scratch = 40 << 10;

/// How a kernel is shaped. bytes: what a thread has of each operand at a time, the elements of so many bytes of slots:
/// less has too few loads in flight, and spends more on the interpretation of each element; more makes kernels too
/// large. team: threads of one. teams: how many should fit on a multiprocessor, which bounds the registers of a thread.
struct Shape {
  int bytes, team, teams;
  constexpr int elements(int width) const { return bytes * 8 / width; }
};

/// Which steps a kernel has. Functions are many and long: a kernel that has them runs everything else slower.
enum class Repertoire {
  quick,       ///< quick steps only, with values in the accumulator, the fast register and constants
  arithmetic,  ///< all but functions
  functions,
};

/// Of a thread's elements, those that are neighbours in memory: 16 bytes, one access.
constexpr int vector_elements(int width) { return 128 / width; }

/// The kernels for flat operands.
enum class Flat {
  general,
  quick,  ///< of quick steps only, with values in registers: a small kernel
  brief,  ///< and of few of them: bound by memory alone, and best with many threads of little work each
  functions,
};
constexpr Repertoire repertoire_of(Flat kind) {
  if (kind == Flat::functions) return Repertoire::functions;
  return kind == Flat::general ? Repertoire::arithmetic : Repertoire::quick;
}
constexpr Shape flat_shape(Flat kind) {
  switch (kind) {
    case Flat::general:
      return {64, full_team, 2};
    case Flat::quick:
      return {64, quick_team, 8};
    case Flat::functions:
      return {32, full_team, 2};
    default:
      return {32, quick_team, 12};
  }
}
/// 3.77 ms instead of 3.91 for the 16 GB that three steps and a store move on an H200; with ten 4.5 instead of 3.83.
inline constexpr int brief_steps = 6;

/// Those for strided operands.
constexpr Shape strided_shape(Repertoire repertoire, int width) {
  if (repertoire == Repertoire::quick) return {32, full_team, 4};
  return {32, full_team, width == 128 || repertoire == Repertoire::functions ? 2 : 3};
}
/// Those of reductions. With the lanes' sums and the place of the rows, three teams would spill registers.
constexpr Shape reduce_shape(Repertoire repertoire) {
  return {repertoire == Repertoire::quick ? 64 : 32, full_team, 2};
}

/// How a team's threads share a chunk: each warp has a piece without gaps, in which its threads' parts alternate. Parts
/// that alternate through the whole team cost 5 % of the bandwidth on an H200, as memory pages are then opened by many
/// warps, each in its own time.
struct Sharing {
  int first, step;  // a thread's parts are first, first + step, ...
};
KOKKOS_FORCEINLINE_FUNCTION constexpr Sharing share(int rank, int team, int parts) {
  const int warp = is_host_space ? 1 : team < 32 ? team : 32;  // teams are powers of two
  const int lane = rank & (warp - 1);
  return {(rank - lane) * parts + lane, warp};
}

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
