// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10 (Salmon et al., 2011) and the uniform numbers that xp/backend.h makes of it.
#pragma once

#include <xp/backend.h>

#include <array>
#include <cstdint>

namespace fake {

inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xd2511f53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xcd9e8d57} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9e3779b9;
    key[1] += 0xbb67ae85;
  }
  return counter;
}

inline std::array<std::uint32_t, 4> block(const xp_random_args& args, std::uint64_t k) {
  return philox({static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(k >> 32),
                 static_cast<std::uint32_t>(args.stream), static_cast<std::uint32_t>(args.stream >> 32)},
                {static_cast<std::uint32_t>(args.seed), static_cast<std::uint32_t>(args.seed >> 32)});
}

inline double uniform64(const xp_random_args& args, std::int64_t i) {
  const auto words = block(args, args.offset + static_cast<std::uint64_t>(i) / 2);
  const std::size_t half = static_cast<std::size_t>(i % 2) * 2;
  const std::uint64_t bits = std::uint64_t{words[half + 1]} << 32 | words[half];
  return args.low + (args.high - args.low) * (static_cast<double>(bits >> 11) * 0x1p-53);
}

inline float uniform32(const xp_random_args& args, std::int64_t i) {
  const auto words = block(args, args.offset + static_cast<std::uint64_t>(i) / 4);
  const auto low = static_cast<float>(args.low), high = static_cast<float>(args.high);
  return low + (high - low) * (static_cast<float>(words[static_cast<std::size_t>(i % 4)] >> 8) * 0x1p-24f);
}

}  // namespace fake
