// SPDX-License-Identifier: Apache-2.0
// What only a GPU has: lost devices, several of them, and the sentence where there is none.
#include "support/devices.hpp"
#include "support/main.hpp"

#include <xp/xp.hpp>

#include <thread>

namespace {

using namespace xp_test;
using xp::Array;

bool cuda_must_be_here() {
  const char* only = std::getenv("XP_TEST_DEVICE");
  return only != nullptr && std::string_view(only).rfind("cuda", 0) == 0;
}

std::vector<xp::Device> cuda_devices() {
  std::vector<xp::Device> result;
  for (const xp::Device device : xp::devices())
    if (device.name().rfind("cuda", 0) == 0) result.push_back(device);
  return result;
}

// Skips, or fails where XP_TEST_DEVICE wants CUDA.
#define XP_NEEDS_CUDA(count)                                     \
  if (cuda_devices().size() < static_cast<std::size_t>(count)) { \
    ASSERT_FALSE((count) == 1 && cuda_must_be_here());           \
    GTEST_SKIP() << "fewer than " << (count) << " CUDA devices"; \
  }

TEST(Cuda, WhereItIsNotASentenceSaysWhy) {
  if (!cuda_devices().empty()) GTEST_SKIP() << "there is a CUDA device";
  const std::string message = message_of<xp::DeviceError>([] { xp::zeros({3}, "cuda"); });
  EXPECT_EQ(message.rfind("device 'cuda' is not available: ", 0), 0u) << message;
  EXPECT_GT(message.size(), 50u) << message;
  EXPECT_EQ(message_of<xp::DeviceError>([] { xp::zeros({3}, "cuda"); }), message);  // again the same
  if (!has_device("host")) return;
  EXPECT_EQ(xp::ones({3}, "host")(2).item<double>(), 1);  // and the host works
}

TEST(Cuda, WithoutVisibleDevicesTheSentenceSaysSo) {
  XP_NEEDS_CUDA(1);
  const ChildResult result = run_child("cuda_hidden", {{"CUDA_VISIBLE_DEVICES", "-1"}, {"XP_TEST_DEVICE", ""}});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_NE(result.out.find("no CUDA device is visible"), std::string::npos) << result;
  EXPECT_NE(result.out.find("host works"), std::string::npos) << result;
}
XP_CHILD(cuda_hidden) {
  std::cout << message_of<xp::DeviceError>([] { xp::zeros({3}, "cuda"); }) << '\n';
  XP_CHILD_EXPECT(xp::default_device().name() == "host");
  XP_CHILD_EXPECT(xp::ones({3})(2).item<double>() == 1);
  std::cout << "host works\n";
  return 0;
}

// An address that is none: the device is lost, for this process; the host is not.
XP_CHILD(cuda_fault) {
  const Array host = xp::arange(10, xp::float64, "host");
  const Array x = xp::ones({1000}, "cuda");
  Array pending = x + 1;
  xp::eval();
  const Array wild = xp::wrap_pointer(reinterpret_cast<void*>(0x10), {1 << 20}, xp::float64, {}, "cuda");
  std::string first;
  try {
    const Array y = wild + 1;
    xp::synchronize("cuda");
  } catch (const xp::DeviceError& error) {
    first = error.what();
  }
  XP_CHILD_EXPECT(first.find("cuda:0") != std::string::npos);
  XP_CHILD_EXPECT(first.find("llegal") != std::string::npos);
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { x.to_vector<double>(); }) != "(no exception)");
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { pending(0).item<double>(); }) != "(no exception)");
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { xp::zeros({3}, "cuda"); }) != "(no exception)");
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { x.to("host"); }) != "(no exception)");
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { host.to("cuda"); }) != "(no exception)");
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { xp::synchronize(); }) != "(no exception)");
  XP_CHILD_EXPECT((host + 1)(9).item<double>() == 10);
  static Array survives = x;
  std::cout << "done\n";
  return 0;
}
TEST(Cuda, AFaultPoisonsTheDeviceNotTheProcess) {
  XP_NEEDS_CUDA(1);
  const ChildResult result = run_child("cuda_fault");
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(result.signal, 0) << result;
  EXPECT_EQ(result.out, "done\n") << result;
}

// The fault is met by a read, not by a wait.
XP_CHILD(cuda_fault_met_by_read) {
  const Array x = xp::ones({1000}, "cuda");
  const Array wild = xp::wrap_pointer(reinterpret_cast<void*>(0x10), {1000}, xp::float64, {}, "cuda");
  const Array y = x + wild;
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { y.to_vector<double>(); }).find("llegal") != std::string::npos);
  const std::string first = message_of<xp::DeviceError>([&] { y.to_vector<double>(); });
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { y.to_vector<double>(); }) == first);
  std::cout << "done\n";
  return 0;
}
TEST(Cuda, AFaultIsMetByARead) {
  XP_NEEDS_CUDA(1);
  const ChildResult result = run_child("cuda_fault_met_by_read");
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(result.out, "done\n") << result;
}

// Both backends in one process, in either order of first use.
XP_CHILD(both_backends) {
  const char* order = std::getenv("XP_TEST_ORDER");
  const bool host_first = order != nullptr && std::string_view(order) == "host";
  for (const char* name : {host_first ? "host" : "cuda", host_first ? "cuda" : "host"}) {
    Array x = xp::arange(100000, xp::float64, name);
    x *= 2;
    XP_CHILD_EXPECT(xp::sum(x).item<double>() == 99999.0 * 100000);
  }
  const Array h = xp::random::Generator(7, "host").uniform(-1, 1, {100003});
  const Array c = xp::random::Generator(7, "cuda").uniform(-1, 1, {100003});
  XP_CHILD_EXPECT(h.to_vector<double>() == c.to_vector<double>());
  XP_CHILD_EXPECT(xp::sum(h * h).item<double>() == xp::sum(c * c).item<double>());
  std::cout << "done\n";
  return 0;
}
TEST(Cuda, BesideTheHostInEitherOrder) {
  XP_NEEDS_CUDA(1);
  if (!has_device("host")) GTEST_SKIP() << "built without the host backend";
  for (const char* order : {"host", "cuda"}) {
    const ChildResult result = run_child("both_backends", {{"XP_TEST_ORDER", order}});
    EXPECT_EQ(result.exit_code, 0) << order << '\n' << result;
    EXPECT_EQ(result.out, "done\n") << order << '\n' << result;
  }
}

TEST(Cuda, TheLocalRankTakesItsGpu) {
  XP_NEEDS_CUDA(1);
  const std::size_t count = cuda_devices().size();
  for (const int rank : {0, 1, 2, 5}) {
    const ChildResult result =
        run_child("cuda_name", {{"OMPI_COMM_WORLD_LOCAL_RANK", std::to_string(rank)}, {"XP_TEST_DEVICE", ""}});
    EXPECT_EQ(result.out, "cuda:" + std::to_string(static_cast<std::size_t>(rank) % count)) << result;
  }
}
XP_CHILD(cuda_name) {
  std::cout << xp::ones({3}, "cuda").device().name();
  return 0;
}

TEST(Cuda, SeveralDevices) {
  XP_NEEDS_CUDA(2);
  const std::vector<xp::Device> devices = cuda_devices();
  std::vector<Array> arrays;
  for (const xp::Device device : devices) {
    Array x = xp::arange(1000003, xp::float64, device);
    x *= 3;
    arrays.push_back(x);
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    EXPECT_EQ(xp::sum(arrays[i]).item<double>(), xp::sum(arrays[0]).item<double>());
    const Array there = arrays[i].to(devices[(i + 1) % devices.size()]);
    EXPECT_EQ((there - arrays[(i + 1) % devices.size()])(-1).item<double>(), 0);
    EXPECT_EQ(there.to_vector<double>(), arrays[i].to_vector<double>());
  }
  EXPECT_THROW(arrays[0] + arrays[1], xp::DeviceError);
}

// Copies are ordered with what both devices are asked for, before and after, though nobody waits.
TEST(Cuda, CopiesBetweenDevicesAreOrdered) {
  XP_NEEDS_CUDA(2);
  const std::vector<xp::Device> devices = cuda_devices();
  const xp::Device a = devices[0], b = devices[1];
  for (const xp::Index n : {1, 100, 1000003, 20000000}) {
    Array x = xp::zeros({n}, xp::float64, a);
    std::vector<Array> copies;
    for (int i = 0; i < 8; ++i) {
      for (int k = 0; k < 10; ++k) x += 1;  // behind a copy that still reads
      copies.push_back(x.to(b));
      copies.back() *= 2;
    }
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(copies[static_cast<std::size_t>(i)](0).item<double>(), 20 * (i + 1)) << n;
      EXPECT_EQ(copies[static_cast<std::size_t>(i)](-1).item<double>(), 20 * (i + 1)) << n;
      EXPECT_EQ(xp::sum(copies[static_cast<std::size_t>(i)]).item<double>(), 20.0 * (i + 1) * static_cast<double>(n));
    }
  }
}

TEST(Cuda, CopiesBetweenDevicesOfEveryDtypeAndLayout) {
  XP_NEEDS_CUDA(2);
  const std::vector<xp::Device> devices = cuda_devices();
  xp::PrintOptions whole;
  whole.threshold = 10000;
  for (const xp::DType dtype : {xp::bool_, xp::int8, xp::uint16, xp::float16, xp::bfloat16, xp::float32, xp::int64,
                                xp::complex64, xp::complex128}) {
    const Array base = (xp::arange(4200, xp::float64, devices[0]).reshape({60, 70}) * 0.01).astype(dtype);
    for (const Array& x : {base, base.T(), base(xp::slice({}, {}, -1), xp::slice(3, {}, 2)), base(7), base(5, 6),
                           base(xp::slice(0, 1)).broadcast_to({4, 70}), base(xp::slice(0, 0))}) {
      const Array there = x.to(devices[1]), back = there.to(devices[0]);
      EXPECT_EQ(there.device(), devices[1]);
      EXPECT_EQ(there.shape(), x.shape());
      const std::string expected = xp::repr(x, whole);
      EXPECT_EQ(xp::repr(there, whole), expected);
      EXPECT_EQ(xp::repr(back, whole), expected);
    }
  }
}

// A thread for each device, and copies round in a ring.
TEST(Cuda, AThreadForEachDevice) {
  XP_NEEDS_CUDA(2);
  const std::vector<xp::Device> devices = cuda_devices();
  std::vector<std::thread> threads;
  std::vector<double> sums(devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    threads.emplace_back([&, i] {
      Array x = xp::full({300000}, static_cast<double>(i + 1), xp::float64, devices[i]);
      for (int k = 0; k < 50; ++k) x = (x.to(devices[(i + 1) % devices.size()]) + 1.0).to(devices[i]) * 1.0;
      sums[i] = xp::sum(x).item<double>();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < devices.size(); ++i) EXPECT_EQ(sums[i], 300000.0 * (static_cast<double>(i) + 51));
}

// CUDA takes every device from a process whose kernel has faulted on one of them. Each says so, and the host goes on.
TEST(Cuda, AFaultOfOneOfSeveralDevices) {
  XP_NEEDS_CUDA(2);
  const ChildResult result = run_child("cuda_fault_of_one", {{"XP_TEST_DEVICE", ""}});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(result.out, "the host works\n") << result;
}
XP_CHILD(cuda_fault_of_one) {
  const Array host = xp::arange(1000, xp::float64, "host");
  const Array well = host.to("cuda:0"), x = xp::ones({1000}, "cuda:1");
  xp::synchronize("cuda:0");
  xp::synchronize("cuda:1");
  Array none = xp::wrap_pointer(reinterpret_cast<void*>(0x10000), {1000}, xp::float64, {}, "cuda:1");
  const std::string message = message_of<xp::DeviceError>([&] {
    none += 1;
    xp::synchronize("cuda:1");
  });
  XP_CHILD_EXPECT(message.find("cuda:1") != std::string::npos);
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { (void)(x + 1)(0).item<double>(); }) == message);
  for (int i = 0; i < 2; ++i) {
    const std::string other = message_of<xp::DeviceError>([&] { (void)(well * 2)(999).item<double>(); });
    XP_CHILD_EXPECT(other.find("cuda:0") != std::string::npos && other.find("llegal") != std::string::npos);
  }
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { (void)well.to("cuda:1"); }) != "(no exception)");
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { (void)x.to("cuda:0"); }) != "(no exception)");
  XP_CHILD_EXPECT((host * 2)(999).item<double>() == 1998);
  std::cout << "the host works\n";
  return 0;
}

}  // namespace
