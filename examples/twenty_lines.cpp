// SPDX-License-Identifier: Apache-2.0
// The README's example; tests/check_readme.sh compares the two.
#include <xp/xp.hpp>

#include <iostream>

int main(int argc, char** argv) try {
  const std::string device = argc > 1 ? argv[1] : "auto";  // "host", "cuda", "cuda:1", "auto"
  xp::set_default_device(device);

  xp::Array x = xp::linspace(0, 1, 1'000'001);
  xp::Array y = 3 * x * x - 2 * x + 1;  // one pass over memory, no temporary arrays
  y *= 5;                               // joins it
  y(xp::slice(1, -1)) += 0.5;           // slices are writable views
  y(0) = 0;
  xp::Array z = xp::where(y > 2, xp::sqrt(y), y.T());
  std::cout << z(xp::slice(xp::none, 5)) << "\n";      // prints as NumPy prints
  std::cout << xp::sum(z * z).item<double>() << "\n";  // fused into the reduction

  xp::save("z.npy", z);  // numpy.load("z.npy")
  std::cout << xp::stats().kernels << " kernels\n";
} catch (const xp::Error& error) {  // "device 'cuda' is not available: …"
  std::cerr << error.what() << "\n";
  return 1;
}
