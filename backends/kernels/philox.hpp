// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11), one block.
#pragma once

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace xp::kernels {

struct PhiloxBlock {
  std::uint32_t words[4];
};

KOKKOS_INLINE_FUNCTION PhiloxBlock philox(std::uint64_t block, std::uint64_t stream, std::uint64_t seed) {
  std::uint32_t c0 = static_cast<std::uint32_t>(block), c1 = static_cast<std::uint32_t>(block >> 32);
  std::uint32_t c2 = static_cast<std::uint32_t>(stream), c3 = static_cast<std::uint32_t>(stream >> 32);
  std::uint32_t key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round, key0 += 0x9E3779B9u, key1 += 0xBB67AE85u) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53u} * c0, product1 = std::uint64_t{0xCD9E8D57u} * c2;
    c0 = static_cast<std::uint32_t>(product1 >> 32) ^ c1 ^ key0;
    c1 = static_cast<std::uint32_t>(product1);
    c2 = static_cast<std::uint32_t>(product0 >> 32) ^ c3 ^ key1;
    c3 = static_cast<std::uint32_t>(product0);
  }
  return {{c0, c1, c2, c3}};
}

}  // namespace xp::kernels
