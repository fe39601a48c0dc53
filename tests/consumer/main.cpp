// SPDX-License-Identifier: Apache-2.0
// A user's program: no Kokkos, no CUDA, the device chosen when it runs.
#include <xp/xp.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  const char* device = argc > 1 ? argv[1] : "host";
  xp::Array x = xp::ones({100, 10, 10}, device);
  x *= 5;
  x *= x;
  x += x;
  xp::Array y = x + 2 * xp::ones({10}, device);
  const double total = xp::sum(y).item<double>();
  std::printf("sum on %s: %g\n", device, total);
  return total == 52.0 * 100 * 10 * 10 ? 0 : 1;
}
