// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "kernels/launch_host.hpp"

namespace xp::kernels {

void copy_bytes(void* to, const void* from, std::uint64_t bytes) {
  if (bytes == 0) return;
  constexpr std::int64_t grain = 4096;
  const int parts = parts_for(static_cast<double>(bytes) * 0.015);  // parallel from about 1.3 MB on
  launch("xp::copy", parts, [&](int part) {
    const Range range = part_of(static_cast<std::int64_t>(bytes), grain, part, parts);
    if (range.begin < range.end)
      std::memcpy(static_cast<char*>(to) + range.begin, static_cast<const char*>(from) + range.begin,
                  static_cast<std::size_t>(range.end - range.begin));
  });
}

}  // namespace xp::kernels
