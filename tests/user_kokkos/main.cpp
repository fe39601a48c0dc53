// SPDX-License-Identifier: Apache-2.0
// A program with a Kokkos of its own beside the backend's. Where that is a shared library it is the same one, and the
// backend must neither initialise it again nor finalise it.
#include <Kokkos_Core.hpp>
#include <xp/xp.hpp>

#include <cstdio>

namespace {

bool kokkos_works() {
  double sum = 0;
  Kokkos::parallel_reduce(
      "user", Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, 1000),
      KOKKOS_LAMBDA(int i, double& partial) { partial += i; }, sum);
  return sum == 499500;
}

bool xp_works() {
  xp::Array x = xp::ones({1000, 100}, "host");
  x *= 3;
  return xp::sum(x).item<double>() == 3e5;
}

bool step(bool works, const char* what) {
  if (!works) std::printf("not so: %s\n", what);
  return works;
}

}  // namespace

int main() {
  xp::Array outlives;
  bool good = true;
  Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
  good &= step(kokkos_works(), "Kokkos works before xp");
  good &= step(xp_works(), "xp works beside it");
  good &= step(kokkos_works(), "Kokkos works after xp");
  good &= step(Kokkos::is_initialized(), "xp has left the program's Kokkos alone");
  outlives = xp::ones({10}, "host");
  Kokkos::finalize();
  return good ? 0 : 1;  // and an Array outlives Kokkos
}
