// SPDX-License-Identifier: Apache-2.0
// A program with a Kokkos of its own beside the backend's. Where that is a shared library it is the same one: the
// backend must neither initialise it again nor finalise it, and is at its end when the program finalises it.
//   user_kokkos [DEVICE]    "host" by default; "cuda" where the program's Kokkos has CUDA, too
#include <Kokkos_Core.hpp>
#include <xp/xp.hpp>

#include <cstdio>
#include <string>

namespace user {

std::string device = "host";

struct Count {
  KOKKOS_FUNCTION void operator()(int i, double& partial) const { partial += i; }
};
template <class Space>
bool kokkos_works() {
  double sum = 0;
  Kokkos::parallel_reduce("user", Kokkos::RangePolicy<Space>(0, 1000), Count{}, sum);
  return sum == 499500;
}
bool kokkos_works() {
  return kokkos_works<Kokkos::DefaultHostExecutionSpace>() && kokkos_works<Kokkos::DefaultExecutionSpace>();
}

bool xp_works() {
  xp::Array x = xp::ones({1000, 100}, device);
  x *= 3;
  return xp::sum(x).item<double>() == 3e5;
}

// Memory of the program's View, read and written by xp, then by the program again.
template <class Space>
bool shares_a_view() {
  const Kokkos::View<double*, Space> view("user's", 1000);
  Kokkos::deep_copy(view, 2.0);
  Kokkos::fence();
  xp::Array x = xp::wrap_pointer(view.data(), {1000}, xp::float64, {}, device);
  x *= 4;
  xp::synchronize(device);
  const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return mirror(999) == 8 && xp::sum(x).item<double>() == 8000;
}
bool shares_a_view() {
  return device == "host" ? shares_a_view<Kokkos::HostSpace>()
                          : shares_a_view<Kokkos::DefaultExecutionSpace::memory_space>();
}

// Whatever device xp works on, the program's own current device stays what it was.
bool leaves_the_current_device() {
#if defined(KOKKOS_ENABLE_CUDA)
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return false;
  for (int mine = 0; mine < count; ++mine) {
    for (int other = 0; other < count; ++other) {
      if (cudaSetDevice(mine) != cudaSuccess) return false;
      xp::Array x = xp::ones({1000}, "cuda:" + std::to_string(other));
      x += 1;
      const xp::Array there = x.to("cuda:" + std::to_string(mine)).to("host");
      int now = -1;
      if (cudaGetDevice(&now) != cudaSuccess || now != mine || there(999).item<double>() != 2) return false;
    }
  }
  return cudaSetDevice(0) == cudaSuccess;
#else
  return true;
#endif
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

}  // namespace user

int main(int argc, char** argv) {
  using namespace user;
  if (argc > 1) device = argv[1];
  bool good = true;
  bool shared = false;
  for (const xp::BackendDescription& backend : xp::backends())
    shared |= backend.name == device && backend.kokkos_shared;
  good &= step(!xp::devices().empty(), "xp finds its devices");
  good &= step(!Kokkos::is_initialized(), "looking for devices initialises nothing");
  xp::Array outlives, pending;
  Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
  good &= step(kokkos_works(), "Kokkos works before xp");
  good &= step(xp_works(), "xp works beside it");
  good &= step(kokkos_works(), "Kokkos works after xp");
  good &= step(shares_a_view(), "a View's memory can be wrapped");
  if (device != "host") good &= step(leaves_the_current_device(), "the current device is left alone");
  good &= step(Kokkos::is_initialized(), "xp has left the program's Kokkos alone");
  outlives = xp::ones({10}, device);
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
