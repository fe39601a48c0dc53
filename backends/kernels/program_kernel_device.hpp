// SPDX-License-Identifier: Apache-2.0
// The kernels of one slot width, for the sources that instantiate them.
#pragma once

#include <algorithm>
#include <cstring>

#include "kernels/machine_device.hpp"
#include "kernels/plan_device.hpp"
#include "kernels/program_checks.hpp"
#include "kernels/reduce_device.hpp"

namespace xp::kernels {

template <int width, Repertoire repertoire>
using StridedBounds = Kokkos::LaunchBounds<is_host_space ? 0 : strided_shape(repertoire, width).team,
                                           is_host_space ? 0 : strided_shape(repertoire, width).teams>;
template <Flat kind>
using FlatBounds =
    Kokkos::LaunchBounds<is_host_space ? 0 : flat_shape(kind).team, is_host_space ? 0 : flat_shape(kind).teams>;
template <int width, Repertoire repertoire>
using Member = typename Policy<StridedBounds<width, repertoire>>::member_type;
template <Flat kind>
using FlatMember = typename Policy<FlatBounds<kind>>::member_type;

using ReduceBounds = Kokkos::LaunchBounds<is_host_space ? 0 : reduce_shape(Repertoire::arithmetic).team,
                                          is_host_space ? 0 : reduce_shape(Repertoire::arithmetic).teams>;
using ReduceMember = Policy<ReduceBounds>::member_type;

constexpr std::size_t scratch_alignment = 16;

/// The team's level-0 scratch.
template <class R, class Member>
KOKKOS_FORCEINLINE_FUNCTION R* team_scratch_of(const Member& team, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  return static_cast<R*>(team.team_scratch(0).get_shmem_aligned(bytes, scratch_alignment));
}

// ---- Kernels with functions ----

// They are so much code that nvcc does not inline them into Kokkos' driver, whose argument would then be copied to each
// thread's local memory. Instead a team has one copy in its scratch, before the rest, and calls the kernel's body.

template <Repertoire repertoire>
inline constexpr bool runs_from_scratch = repertoire == Repertoire::functions && !is_host_space;

/// Scratch for the copy.
template <class Kernel>
inline constexpr std::uint32_t copy_bytes =
    runs_from_scratch<Kernel::repertoire>
        ? (sizeof(Kernel) + scratch_alignment - 1) / scratch_alignment* scratch_alignment
        : 0;

template <class Kernel, class Member>
XP_NOINLINE KOKKOS_FUNCTION void run_copy(const Kernel& kernel, const Member team, void* scratch) {
  kernel.run(team, static_cast<typename Kernel::R*>(scratch));
}

template <class Kernel, class Member>
KOKKOS_FORCEINLINE_FUNCTION void run_kernel(const Kernel& kernel, const Member& team) {
  if constexpr (runs_from_scratch<Kernel::repertoire>) {
    constexpr std::uint32_t copy = copy_bytes<Kernel>;
    auto* scratch = team_scratch_of<char>(team, copy + kernel.scratch_bytes);
    using Word = Access<4>;
    const auto* from = reinterpret_cast<const Word*>(&kernel);
    auto* to = reinterpret_cast<Word*>(scratch);
    for (int i = team.team_rank(); i < static_cast<int>(sizeof(Kernel) / sizeof(Word)); i += team.team_size())
      to[i] = from[i];
    team.team_barrier();
    run_copy(*reinterpret_cast<const Kernel*>(scratch), team, scratch + copy);
  } else {
    kernel.run(team, team_scratch_of<typename Kernel::R>(team, kernel.scratch_bytes));
  }
}

// ---- Elementwise ----

template <int width, Flat kind>
struct FlatKernel {
  static constexpr Repertoire repertoire = repertoire_of(kind);
  static constexpr bool only_quick = repertoire == Repertoire::quick;
  static constexpr int W = flat_shape(kind).elements(width), V = vector_elements(width);
  // For each chunk there is a team (league_for).
  static constexpr bool one_chunk = only_quick && !is_host_space;
  using R = Raw<width>;

  std::int64_t count, chunks;
  std::uint32_t scratch_bytes;
  FlatOperands operands;
  Steps<width> steps;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const FlatMember<kind>& team) const { run_kernel(*this, team); }

  KOKKOS_FORCEINLINE_FUNCTION void run(const FlatMember<kind>& team, R* scratch) const {
    using Place = FlatPlace<width, W, true>;
    // Teams of programs without scratch are always whole.
    const int rank = team.team_rank(), size = only_quick ? quick_team : team.team_size(), elements = size * W;
    Machine<width, Place, repertoire> machine(steps, scratch, rank, size);
    for (std::int64_t chunk = team.league_rank(); chunk < chunks; chunk += team.league_size()) {
      const std::int64_t base = chunk * elements, rest = count - base;
      const bool vectors = operands.vectors;
      // Of programs that are bound by memory, a warp has a piece of its own.
      const Sharing sharing = only_quick ? share(rank, size, vectors ? W / V : W) : Sharing{rank, size};
      Span span;
      span.base = base;
      span.first = vectors ? sharing.first * V : sharing.first;
      span.group = sharing.step * V;
      span.next = vectors ? 1 : sharing.step;
      span.limit = rest < elements ? static_cast<int>(rest) : elements;
      machine.run(Place(operands, span, vectors && span.limit == elements));
      if (one_chunk) return;
    }
  }
};

template <int width, Repertoire steps_repertoire>
struct StridedKernel {
  static constexpr Repertoire repertoire = steps_repertoire;
  static constexpr bool only_quick = repertoire == Repertoire::quick;
  using Place = StridedPlace<width, strided_shape(repertoire, width).elements(width), only_quick, false>;
  static constexpr int W = Place::W, V = Place::V;
  using R = Raw<width>;

  std::int64_t count, chunks;
  std::uint32_t scratch_bytes, staged_offset;  // in slots
  StridedOperands operands;
  Steps<width> steps;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member<width, repertoire>& team) const { run_kernel(*this, team); }

  KOKKOS_FORCEINLINE_FUNCTION void run(const Member<width, repertoire>& team, R* scratch) const {
    const int rank = team.team_rank(), size = team.team_size(), elements = size * W;
    R* staged = scratch + staged_offset;
    Machine<width, Place, repertoire> machine(steps, scratch, rank, size);
    for (std::int64_t chunk = team.league_rank(); chunk < chunks; chunk += team.league_size()) {
      const std::int64_t base = chunk * elements, rest = count - base;
      const bool neighbours = operands.neighbours;
      Span span;
      span.base = base;
      span.first = neighbours ? rank * V : rank;
      span.group = size * V;
      span.next = neighbours ? 1 : size;
      span.limit = rest < elements ? static_cast<int>(rest) : elements;
      const Place place(operands, span, static_cast<std::uint32_t>(chunk), rank, size,
                        neighbours && span.limit == elements, staged);
      // What is not staged is on its way before the staged operands are waited for.
      if constexpr (only_quick) machine.preload(place, false);
      if (operands.n_staged > 0) {
        if (chunk != team.league_rank()) team.team_barrier();  // the tile before has been read
        for (int i = 0; i < operands.n_staged; ++i)
          stage(place, i, rank, size, staged + i * Place::staged_slots(operands));
        team.team_barrier();
      }
      if constexpr (only_quick) {
        machine.preload(place, true);
        machine.execute(place);
      } else {
        machine.run(place);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void stage(const Place& place, int i, int rank, int team, R* to) const {
    const int operand = operands.staged_operand[i];
    switch (operands.staged_size[i]) {
      case 1:
        return place.template stage<std::uint8_t>(operand, rank, team, to);
      case 2:
        return place.template stage<std::uint16_t>(operand, rank, team, to);
      case 4:
        return place.template stage<std::uint32_t>(operand, rank, team, to);
      case 8:
        if constexpr (width != 32) place.template stage<std::uint64_t>(operand, rank, team, to);
        return;
      default:
        if constexpr (width == 128) place.template stage<Pair8>(operand, rank, team, to);
    }
  }
};

// ---- Reduction ----

/// The sum of a lane's rows, in the accumulator's type.
template <int width, int W>
class LaneSum {
  using R = Raw<width>;

 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit LaneSum(int dtype) : dtype_(dtype) {}

  /// The rows of a group in order; all of them, or those that are valid.
  template <class Place>
  KOKKOS_FORCEINLINE_FUNCTION void add(const R (&values)[W], const Place& place, bool whole) {
    switch (dtype_) {
      case XP_FLOAT32:
        // In a wider slot a float32 is exact, and so is the way back.
        return add_as<float, typename Slots<width>::Real>(values, place, whole);
      case XP_FLOAT64:
        if constexpr (width != 32) add_as<double, double>(values, place, whole);
        return;
      case XP_COMPLEX64:
        if constexpr (width == 64) add_as<Complex<float>, Complex<float>>(values, place, whole);
        return;
      case XP_COMPLEX128:
        if constexpr (width == 128) add_as<Complex<double>, Complex<double>>(values, place, whole);
        return;
      default:
        if constexpr (width == 64) add_as<std::uint64_t, std::uint64_t>(values, place, whole);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION R value() const { return sum_; }
  KOKKOS_FORCEINLINE_FUNCTION static R add(int dtype, const R& a, const R& b) {
    LaneSum sum(dtype);
    sum.sum_ = a;
    sum.started_ = true;
    R values[W] = {};
    values[0] = b;
    sum.add(values, First{}, false);
    return sum.sum_;
  }

 private:
  struct First {
    KOKKOS_FORCEINLINE_FUNCTION bool valid(int k) const { return k == 0; }
  };

  template <class T, class Slot, class Place>
  KOKKOS_FORCEINLINE_FUNCTION void add_as(const R (&values)[W], const Place& place, bool whole) {
    auto number = [](const R& slot) { return convert<T>(as<Slot>(slot)); };
    if (whole) {
      // 0 + x is not x for -0: a lane begins with its first row.
      T sum = number(values[0]);
      if (started_) sum = Add::apply(number(sum_), sum);
      XP_UNROLL
      for (int k = 1; k < W; ++k) sum = Add::apply(sum, number(values[k]));
      sum_ = raw<R>(convert<Slot>(sum));
      started_ = true;
      return;
    }
    XP_UNROLL
    for (int k = 0; k < W; ++k) {
      if (!place.valid(k)) continue;
      sum_ = started_ ? raw<R>(convert<Slot>(Add::apply(number(sum_), number(values[k])))) : values[k];
      started_ = true;
    }
  }

  int dtype_;
  bool started_ = false;
  R sum_{};
};

/// Blocks of 64 rows x 64 lanes (reduce_device.hpp); a team has several blocks if it has more threads than lanes. A
/// thread works on W rows of its lane at a time.
template <int width, class Place, Repertoire steps_repertoire>
struct ReduceKernel {
  static constexpr Repertoire repertoire = steps_repertoire;
  static constexpr int W = Place::W, V = Place::V;
  using R = Raw<width>;

  std::int64_t count;
  char* results;
  std::uint32_t scratch_bytes, lanes_offset;  // in slots
  typename Place::Operands operands;
  Steps<width> steps;

  KOKKOS_FUNCTION void operator()(const ReduceMember& team) const { run_kernel(*this, team); }

  KOKKOS_FORCEINLINE_FUNCTION void run(const ReduceMember& team, R* scratch) const {
    const int rank = team.team_rank(), size = team.team_size();
    R* lanes = scratch + lanes_offset;
    Machine<width, Place, repertoire> machine(steps, scratch, rank, size);
    const int blocks = size > reduce_lanes ? size / reduce_lanes : 1;
    const std::int64_t first_block = static_cast<std::int64_t>(team.league_rank()) * blocks;
    for (int at = rank; at < blocks * reduce_lanes; at += size) {
      const std::int64_t base = (first_block + at / reduce_lanes) * reduce_block, rest = count - base;
      Span span;
      span.base = base;
      span.next = reduce_lanes;
      span.group = V * reduce_lanes;
      span.limit = rest < reduce_block ? static_cast<int>(rest) : reduce_block;
      LaneSum<width, W> sum(steps.reduce_type);
      for (int row = 0; row < reduce_rows; row += W) {
        span.first = row * reduce_lanes + at % reduce_lanes;
        if (span.first >= span.limit) break;
        const Place place = make(span);
        machine.run(place);
        sum.add(machine.accumulator(), place, span.limit == reduce_block);
      }
      lanes[at] = sum.value();
    }
    for (int half = reduce_lanes / 2; half > 0; half /= 2) {
      team.team_barrier();
      for (int at = rank; at < blocks * half; at += size) {
        const int block = at / half, lane = at % half;
        const std::int64_t rest = count - (first_block + block) * reduce_block;
        const int alive = rest < 2 * half ? static_cast<int>(rest) : 2 * half;
        R* block_lanes = lanes + block * reduce_lanes;
        if (lane + half < alive)
          block_lanes[lane] = LaneSum<width, W>::add(steps.reduce_type, block_lanes[lane], block_lanes[lane + half]);
      }
    }
    team.team_barrier();
    for (int block = rank; block < blocks; block += size)
      if ((first_block + block) * reduce_block < count) write_result(first_block + block, lanes[block * reduce_lanes]);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Place make(const Span& span) const {
    if constexpr (std::is_same_v<typename Place::Operands, FlatOperands>)
      return Place(operands, span, span.limit == reduce_block);
    else
      return Place(operands, span, 0, 0, 1, false, nullptr);
  }

  KOKKOS_FORCEINLINE_FUNCTION void write_result(std::int64_t block, const R& value) const {
    if (steps.reduce_type == XP_FLOAT32) {
      write<float>(results + block * 4, static_cast<float>(as<typename Slots<width>::Real>(value)));
    } else if constexpr (width == 128) {
      if (steps.reduce_type == XP_COMPLEX128)
        write<Pair8>(results + block * 16, Pair8{value.first, value.second});
      else
        write<std::uint64_t>(results + block * 8, value.first);
    } else if constexpr (width == 64) {
      // complex64 has its parts' alignment.
      write<Word2>(results + block * 8,
                   Word2{static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)});
    }
  }
};

// ---- Launching ----

template <int width>
void fill_steps(const DevicePlan& plan, Steps<width>& out) {
  out.count = static_cast<std::uint8_t>(plan.n_steps);
  out.preload_accumulator = plan.preload_accumulator;
  out.preload_fast = plan.preload_fast;
  out.reduce_type = plan.program->reduce_type;
  std::copy_n(plan.steps, plan.n_steps, out.steps);
  for (int c = 0; c < plan.program->n_constants; ++c)
    std::memcpy(&out.constants[c], &plan.program->constants[c], sizeof out.constants[c]);
}

template <int width>
void fill_flat(const DevicePlan& plan, FlatOperands& out) {
  out.scalars = 0;
  out.vectors = true;
  for (int k = 0; k < plan.n_operands; ++k) {
    const PlannedOperand& operand = plan.operands[k];
    out.data[k] = operand.data;
    if (!operand.used) continue;
    if (operand.strides[plan.program->ndim - 1] == 0 && plan.program->count > 1) {
      out.scalars |= 1u << k;
    } else {
      const std::uintptr_t bytes = std::min(16, operand.size * vector_elements(width));
      out.vectors = out.vectors && reinterpret_cast<std::uintptr_t>(operand.data) % bytes == 0;
    }
  }
}

/// Slots of scratch registers.
inline std::uint32_t register_slots(const DevicePlan& plan, int elements) {
  return static_cast<std::uint32_t>(plan.scratch_registers * plan.team * elements);
}

/// With room for the alignment.
inline std::size_t scratch_with_alignment(std::uint32_t bytes) { return bytes == 0 ? 0 : bytes + scratch_alignment; }

/// Teams of a host space loop over chunks. On a device there is one for each chunk, or (`most` of them at a time on a
/// multiprocessor) as many as fit, which pays for kernels that begin with much work.
inline std::int64_t league_for(const Space& space, const DevicePlan& plan, int most) {
  constexpr std::int64_t largest = std::int64_t{1} << 30;
  const std::int64_t teams = is_host_space ? std::int64_t{4} * space.concurrency()
                             : most == 0   ? largest
                                           : std::int64_t{plan.multiprocessors} * most * (full_team / plan.team);
  return std::min(plan.chunks, teams);
}

template <int width, class Kernel, class Bounds>
void launch_map(const Space& space, const DevicePlan& plan, Kernel& kernel, Bounds, std::uint32_t slots, int most) {
  kernel.count = plan.program->count;
  kernel.chunks = plan.chunks;
  kernel.scratch_bytes = static_cast<std::uint32_t>(slots * sizeof(Raw<width>));
  fill_steps<width>(plan, kernel.steps);
  launch_teams<Bounds>(label_of(*plan.program), space, league_for(space, plan, most), plan.team,
                       scratch_with_alignment(copy_bytes<Kernel> + kernel.scratch_bytes), kernel);
}

template <int width, Flat kind>
void launch_flat(const Space& space, const DevicePlan& plan) {
  FlatKernel<width, kind> kernel;
  constexpr bool quick = repertoire_of(kind) == Repertoire::quick;
  fill_flat<width>(plan, kernel.operands);
  launch_map<width>(space, plan, kernel, FlatBounds<kind>(),
                    quick ? 0 : register_slots(plan, flat_shape(kind).elements(width)),
                    quick ? 0 : flat_shape(kind).teams);
}

template <int width, Repertoire repertoire>
void launch_strided(const Space& space, const DevicePlan& plan) {
  StridedKernel<width, repertoire> kernel;
  kernel.operands = plan.strided;
  kernel.staged_offset = register_slots(plan, StridedKernel<width, repertoire>::W);
  const int staged = plan.strided.n_staged * StridedKernel<width, repertoire>::Place::staged_slots(plan.strided);
  launch_map<width>(space, plan, kernel, StridedBounds<width, repertoire>(),
                    kernel.staged_offset + static_cast<std::uint32_t>(staged),
                    runs_from_scratch<repertoire> ? strided_shape(repertoire, width).teams : 0);
}

/// Without functions.
template <int width>
void launch_arithmetic(const Space& space, const DevicePlan& plan) {
  if constexpr (width != 128) {
    if (plan.quick_strided) return launch_strided<width, Repertoire::quick>(space, plan);
    if (plan.kind == Flat::brief) return launch_flat<width, Flat::brief>(space, plan);
    if (plan.kind == Flat::quick) return launch_flat<width, Flat::quick>(space, plan);
  }
  if (plan.flat)
    launch_flat<width, Flat::general>(space, plan);
  else
    launch_strided<width, Repertoire::arithmetic>(space, plan);
}

template <int width, Repertoire repertoire, class Place>
void launch_blocks(const Space& space, const DevicePlan& plan, const typename Place::Operands& operands,
                   void* results) {
  const xp_program& p = *plan.program;
  const int per_team = std::max(1, plan.team / reduce_lanes);
  const std::int64_t blocks = (p.count + reduce_block - 1) / reduce_block;
  using Kernel = ReduceKernel<width, Place, repertoire>;
  Kernel kernel;
  kernel.operands = operands;
  kernel.count = p.count;
  kernel.results = static_cast<char*>(results);
  kernel.lanes_offset = register_slots(plan, reduce_shape(repertoire).elements(width));
  kernel.scratch_bytes = static_cast<std::uint32_t>(
      (kernel.lanes_offset + static_cast<std::uint32_t>(per_team * reduce_lanes)) * sizeof(Raw<width>));
  fill_steps<width>(plan, kernel.steps);
  launch_teams<ReduceBounds>(label_of(p), space, (blocks + per_team - 1) / per_team, plan.team,
                             scratch_with_alignment(copy_bytes<Kernel> + kernel.scratch_bytes), kernel);
}

template <int width, Repertoire repertoire>
void launch_blocks(const Space& space, const DevicePlan& plan, void* results) {
  constexpr int elements = reduce_shape(repertoire).elements(width);
  if (!plan.flat)
    return launch_blocks<width, repertoire, StridedPlace<width, elements, false, true>>(space, plan, plan.strided,
                                                                                        results);
  FlatOperands operands;
  fill_flat<width>(plan, operands);
  if constexpr (width != 128 && repertoire == Repertoire::arithmetic)
    if (plan.repertoire == Repertoire::quick)
      return launch_blocks<width, Repertoire::quick,
                           FlatPlace<width, reduce_shape(Repertoire::quick).elements(width), false>>(space, plan,
                                                                                                     operands, results);
  launch_blocks<width, repertoire, FlatPlace<width, elements, false>>(space, plan, operands, results);
}

}  // namespace xp::kernels
