// SPDX-License-Identifier: Apache-2.0
// A program with a Kokkos of its own beside the backend's. Where that is a shared library it is the same one: the
// backend must neither initialise it again nor finalise it, and is at its end when the program finalises it.
#include <Kokkos_Core.hpp>
#include <xp/xp.hpp>

#include <cstdio>
#include <string>

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

// Memory of the program's View, read and written by xp.
bool shares_a_view() {
  const Kokkos::View<double*, Kokkos::HostSpace> view("user's", 1000);
  Kokkos::deep_copy(view, 2.0);
  xp::Array x = xp::wrap_pointer(view.data(), {1000}, xp::float64, {}, "host");
  x *= 4;
  xp::synchronize("host");
  return view(999) == 8 && xp::sum(x).item<double>() == 8000;
}

// What a call after Kokkos' end throws; "" when it works.
std::string refusal() {
  try {
    return xp_works() ? "" : "wrong result";
  } catch (const xp::DeviceError& error) {
    return error.what();
  }
}

bool step(bool works, const char* what) {
  if (!works) std::printf("not so: %s\n", what);
  return works;
}

}  // namespace

int main() {
  bool good = true;
  bool shared = false;
  for (const xp::BackendDescription& backend : xp::backends())
    shared |= backend.name == "host" && backend.kokkos_shared;
  good &= step(!xp::devices().empty(), "xp finds its devices");
  good &= step(!Kokkos::is_initialized(), "looking for devices initialises nothing");
  xp::Array outlives, pending;
  Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
  good &= step(kokkos_works(), "Kokkos works before xp");
  good &= step(xp_works(), "xp works beside it");
  good &= step(kokkos_works(), "Kokkos works after xp");
  good &= step(shares_a_view(), "a View's memory can be wrapped");
  good &= step(Kokkos::is_initialized(), "xp has left the program's Kokkos alone");
  outlives = xp::ones({10}, "host");
  xp::synchronize();
  pending = outlives + 1;
  Kokkos::finalize();
  good &= step(Kokkos::is_finalized(), "Kokkos ends");
  const std::string message = refusal();
  std::printf("Kokkos is %s; after its end: %s\n", shared ? "shared" : "static",
              message.empty() ? "xp works" : message.c_str());
  good &= step(message.empty() != shared, "after the end of a shared Kokkos xp refuses, beside a static one it works");
  good &= step(refusal() == message, "it refuses the second time too");
  return good ? 0 : 1;  // and arrays outlive Kokkos
}
