// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "kernels/device_device.hpp"
#include "kernels/launch_device.hpp"
#include "kernels/memory_device.hpp"
#include "kernels/philox.hpp"
#include "kernels/program.hpp"

namespace xp::kernels {
namespace {

/// Blocks that a thread makes.
inline constexpr int blocks_per_thread = 4;

using Bounds = Kokkos::LaunchBounds<is_host_space ? 0 : full_team, is_host_space ? 0 : 4>;
using Member = Policy<Bounds>::member_type;

template <class T>
struct UniformKernel {
  static constexpr int per_block = 16 / static_cast<int>(sizeof(T));

  char* data;
  std::int64_t count;
  std::uint64_t seed, stream, offset;
  T low, range;
  bool aligned;  // to 16 bytes

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::int64_t blocks = (count + per_block - 1) / per_block;
    const std::int64_t chunk = static_cast<std::int64_t>(team.team_size()) * blocks_per_thread;
    for (std::int64_t base = team.league_rank() * chunk; base < blocks; base += team.league_size() * chunk) {
      const Sharing sharing = share(team.team_rank(), team.team_size(), blocks_per_thread);
      XP_UNROLL
      for (int k = 0; k < blocks_per_thread; ++k) {
        const std::int64_t block = base + sharing.first + k * sharing.step;
        if (block < blocks) fill(block);
      }
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION void fill(std::int64_t block) const {
    const PhiloxBlock bits = philox(offset + static_cast<std::uint64_t>(block), stream, seed);
    T values[per_block];
    XP_UNROLL
    for (int i = 0; i < per_block; ++i) values[i] = uniform(bits, i);
    const std::int64_t first = block * per_block, rest = count - first;
    char* at = data + first * static_cast<std::int64_t>(sizeof(T));
    if (aligned && rest >= per_block) {
      using U = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
      U words[per_block];
      XP_UNROLL
      for (int i = 0; i < per_block; ++i) words[i] = bits_as<U>(values[i]);
      write_vector<per_block>(at, words);
      return;
    }
    XP_UNROLL
    for (int i = 0; i < per_block; ++i)
      if (i < rest) write<T>(at + i * static_cast<std::int64_t>(sizeof(T)), values[i]);
  }

  KOKKOS_INLINE_FUNCTION T uniform(const PhiloxBlock& bits, int i) const {
    if constexpr (sizeof(T) == 8) {
      const std::uint64_t word = bits.words[2 * i] | static_cast<std::uint64_t>(bits.words[2 * i + 1]) << 32;
      return low + range * (static_cast<double>(word >> 11) * 0x1p-53);
    } else {
      return low + range * (static_cast<float>(bits.words[i] >> 8) * 0x1p-24f);
    }
  }
};

template <class T>
void run(const xp_device& device, const xp_random_args& args) {
  constexpr std::int64_t chunk = std::int64_t{full_team} * blocks_per_thread, most = std::int64_t{1} << 30;
  const UniformKernel<T> kernel{static_cast<char*>(args.data),
                                args.count,
                                args.seed,
                                args.stream,
                                args.offset,
                                static_cast<T>(args.low),
                                static_cast<T>(args.high - args.low),
                                reinterpret_cast<std::uintptr_t>(args.data) % 16 == 0};
  const std::int64_t blocks = (args.count + kernel.per_block - 1) / kernel.per_block;
  const std::int64_t league =
      std::min((blocks + chunk - 1) / chunk, is_host_space ? std::int64_t{4} * device.space.concurrency() : most);
  launch_teams<Bounds>("xp::random", device.space, league, full_team, 0, kernel);
}

}  // namespace

std::int32_t run_random(xp_device& device, const xp_random_args& args, xp_error* error) {
  if (args.size < sizeof(xp_random_args) || args.count < 0) return fail(error, XP_INVALID, "random: invalid arguments");
  if (args.count == 0) return XP_OK;
  switch (args.dtype) {
    case XP_FLOAT32:
      run<float>(device, args);
      return XP_OK;
    case XP_FLOAT64:
      run<double>(device, args);
      return XP_OK;
    default:
      return fail(error, XP_INVALID, "random: dtype %d is neither float32 nor float64", args.dtype);
  }
}

}  // namespace xp::kernels
