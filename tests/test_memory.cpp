// SPDX-License-Identifier: Apache-2.0
// The pool: reuse, limits, giving back. Limits are read when a device is opened: child processes.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#include "support/devices.hpp"
#include "support/main.hpp"

namespace {

using namespace xp_test;
using xp::Array;
using xp::Index;

constexpr Index MiB = Index{1} << 20;

Array bytes(Index count, xp::Device device) { return xp::empty({count}, xp::int8, device); }

class Memory : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    xp::synchronize();
    xp::empty_cache(device);
  }
};

TEST_P(Memory, FreedBlocksAreReused) {
  for (const Index size : {Index{1}, Index{1000}, Index{100000}, 3 * MiB, 40 * MiB}) {
    bytes(size, device);
    xp::reset_stats();
    for (int i = 0; i < 10; ++i) bytes(size, device);
    EXPECT_EQ(xp::stats().allocations, 10u) << size;
    EXPECT_EQ(xp::stats().bytes_allocated, static_cast<std::uint64_t>(10 * size)) << size;
    EXPECT_EQ(xp::stats().slabs, 0u) << size;
  }
}

TEST_P(Memory, InfoFollowsArrays) {
  const xp::MemoryInfo before = xp::memory_info(device);
  EXPECT_GT(before.limit, 0);
  EXPECT_GT(before.total, 0);
  EXPECT_LE(before.limit, before.total);
  {
    const Array x = bytes(5 * MiB, device);
    const xp::MemoryInfo during = xp::memory_info(device);
    EXPECT_GE(during.used, before.used + 5 * MiB);
    EXPECT_LE(during.used, before.used + 5 * MiB + 4096);
    const Array view = x(xp::slice(0, 10));  // shares it
    EXPECT_EQ(xp::memory_info(device).used, during.used);
  }
  const xp::MemoryInfo after = xp::memory_info(device);
  EXPECT_EQ(after.used, before.used);
  EXPECT_GE(after.cached, 5 * MiB);
  xp::empty_cache(device);
  const xp::MemoryInfo emptied = xp::memory_info(device);
  EXPECT_EQ(emptied.used, before.used);
  EXPECT_EQ(emptied.cached, before.cached);
}

TEST_P(Memory, ManySizesInAnyOrderComeBackWhole) {
  const xp::MemoryInfo before = xp::memory_info(device);
  std::vector<Array> arrays;
  std::uint64_t state = 1;
  for (int i = 0; i < 3000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto size = static_cast<Index>((state >> 33) % (i % 50 == 0 ? 3000000 : 20000)) + 1;
    if (arrays.size() > 100) arrays.erase(arrays.begin() + static_cast<std::ptrdiff_t>((state >> 40) % 100));
    arrays.push_back(bytes(size, device));
  }
  // No two live arrays share a byte.
  std::vector<std::pair<std::uintptr_t, Index>> places;
  for (const Array& x : arrays) places.emplace_back(reinterpret_cast<std::uintptr_t>(xp::expose(x).data()), x.size());
  std::sort(places.begin(), places.end());
  for (std::size_t i = 1; i < places.size(); ++i)
    EXPECT_GE(places[i].first, places[i - 1].first + static_cast<std::uintptr_t>(places[i - 1].second));
  arrays.clear();
  xp::empty_cache(device);
  EXPECT_EQ(xp::memory_info(device).used, before.used);
  EXPECT_EQ(xp::memory_info(device).cached, before.cached);
}

TEST_P(Memory, BlocksAreAligned) {
  for (const Index size : {Index{1}, Index{513}, 3 * MiB, 33 * MiB}) {
    const Array a = bytes(size, device), b = bytes(size, device);
    for (const Array& x : {a, b}) {
      const auto address = reinterpret_cast<std::uintptr_t>(xp::expose(x).data());
      EXPECT_EQ(address % 64, 0u) << size;
      if (size >= 32 * MiB && GetParam() == "host") {
        EXPECT_EQ(address % static_cast<std::uintptr_t>(2 * MiB), 0u) << size;
      }
    }
  }
}

TEST_P(Memory, LargeBlocksAreReusedForNearlyTheirSizeOnly) {
  bytes(40 * MiB, device);
  xp::reset_stats();
  bytes(38 * MiB, device);
  EXPECT_EQ(xp::stats().slabs, 0u);
  const Array smaller = bytes(33 * MiB, device);  // more than 12.5 % less
  EXPECT_EQ(xp::stats().slabs, 1u);
  const Array small = bytes(MiB, device);  // not cut from it
  EXPECT_EQ(xp::stats().slabs, 2u);
}

TEST_P(Memory, EmptyArraysTakeNone) {
  xp::reset_stats();
  const Array x = xp::zeros({0, 5}, device) + 1;
  const Array y = xp::empty({3, 0}, device).copy();
  xp::synchronize();
  EXPECT_EQ(xp::stats().allocations, 0u);
  EXPECT_EQ(x.size() + y.size(), 0);
}

TEST_P(Memory, ThreadsShareThePool) {
  const Index before = xp::memory_info(device).used;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const Array x = xp::full({1 + (i * 37 + t * 11) % 3000}, t, xp::int32, device);
        if (x(x.size() - 1).item<int>() != t) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(xp::memory_info(device).used, before);
}

XP_INSTANTIATE_ON_DEVICES(Memory);

// ---- XP_MEMORY_LIMIT, on the device that XP_TEST_CHILD_DEVICE names
// ---------------------------------------------------

xp::Device child_device() { return xp::Device(std::getenv("XP_TEST_CHILD_DEVICE")); }

class MemoryLimit : public testing::TestWithParam<std::string> {
 protected:
  ChildResult run(const char* child, const char* limit) const {
    return run_child(child, {{"XP_TEST_CHILD_DEVICE", GetParam()}, {"XP_MEMORY_LIMIT", limit}});
  }
};

XP_CHILD(print_limit) {
  std::cout << xp::memory_info(child_device()).limit << ' ' << xp::memory_info(child_device()).total << '\n';
  return 0;
}

TEST_P(MemoryLimit, IsReadInSeveralUnits) {
  EXPECT_EQ(run("print_limit", "64MiB").out.find(std::to_string(64 * MiB) + " "), 0u);
  EXPECT_EQ(run("print_limit", "1e8").out.find("100000000 "), 0u);
  EXPECT_EQ(run("print_limit", "0.5GB").out.find("500000000 "), 0u);
  const ChildResult half = run("print_limit", "50%");
  std::istringstream numbers(half.out);
  Index limit = 0, total = 0;
  numbers >> limit >> total;
  EXPECT_NEAR(static_cast<double>(limit), static_cast<double>(total) / 2, 1) << half;
  for (const char* wrong : {"much", "-1", "5 parsecs"}) {
    const ChildResult result = run("print_limit", wrong);
    EXPECT_EQ(result.exit_code, 125) << result;
    EXPECT_NE(result.err.find(wrong), std::string::npos) << result;
  }
}

XP_CHILD(stay_below_limit) {
  const xp::Device device = child_device();
  Array held = bytes(40 * MiB, device);
  const std::string message = message_of<xp::OutOfMemoryError>([&] { bytes(30 * MiB, device); });
  for (const char* part : {"30.00 MiB", "40.00 MiB", "64.00 MiB", "asked", "used", "cached", "limit"})
    XP_CHILD_EXPECT(message.find(part) != std::string::npos);
  XP_CHILD_EXPECT(message.find(xp::zeros({1}, device).device().name()) != std::string::npos);
  held = Array();
  const Array now = bytes(30 * MiB, device);  // the cached block makes room
  XP_CHILD_EXPECT(xp::memory_info(device).used + xp::memory_info(device).cached <= 64 * MiB);
  return 0;
}

TEST_P(MemoryLimit, IsKept) {
  const ChildResult result = run("stay_below_limit", "64MiB");
  EXPECT_EQ(result.exit_code, 0) << result;
}

XP_CHILD(retain_little) {
  // Dead inputs wait in the open program only up to an eighth of the limit.
  const xp::Device device = child_device();
  xp::set_fusion(true);
  const Index n = Index{2} << 20;  // a 2 MiB array of bytes
  std::vector<Array> inputs;
  for (int i = 0; i < 20; ++i) inputs.push_back(xp::ones({n}, xp::int8, device));
  Array total = xp::zeros({n}, xp::int8, device);
  xp::eval();
  Index retained = 0;
  while (!inputs.empty()) {
    total += inputs.back();
    inputs.pop_back();
    const Index held = static_cast<Index>(inputs.size() + 1) * n;
    retained = std::max(retained, xp::memory_info(device).used - held);
  }
  XP_CHILD_EXPECT(retained > 0);  // they did wait
  XP_CHILD_EXPECT(retained <= 8 * MiB + 2 * n);
  XP_CHILD_EXPECT(total(n - 1).item<int>() == 20);
  return 0;
}

TEST_P(MemoryLimit, ProgramsRetainAnEighthOfItAtMost) {
  if (is_interpreted(GetParam())) GTEST_SKIP() << "too slow on an interpreter";
  const ChildResult result = run("retain_little", "64MiB");
  EXPECT_EQ(result.exit_code, 0) << result;
}

XP_CHILD(close_others) {
  // What another thread's open program retains is freed by launching that program.
  const xp::Device device = child_device();
  xp::set_fusion(true);
  std::atomic<int> stage{0};
  double seen = 0;
  std::thread other([&] {
    Array x = bytes(6 * MiB, device);  // below an eighth of the limit, so that it may wait
    Array small = xp::ones({6 * MiB}, xp::int8, device) + 1;
    Array reduced = (x + small)(xp::slice(0, 4));  // a view keeps the sum alive
    x = Array();
    small = Array();
    stage = 1;
    while (stage < 2) std::this_thread::yield();
    seen = reduced.size() == 4;
  });
  while (stage < 1) std::this_thread::yield();
  const Index used = xp::memory_info(device).used;
  const Array large = bytes(64 * MiB - 7 * MiB, device);  // fits beside the one result only
  stage = 2;
  other.join();
  XP_CHILD_EXPECT(seen == 1);
  XP_CHILD_EXPECT(used > 0);
  return 0;
}

TEST_P(MemoryLimit, OtherThreadsProgramsAreLaunchedToMakeRoom) {
  if (is_interpreted(GetParam())) GTEST_SKIP() << "too slow on an interpreter";
  const ChildResult result = run("close_others", "64MiB");
  EXPECT_EQ(result.exit_code, 0) << result;
}

INSTANTIATE_TEST_SUITE_P(On, MemoryLimit, testing::ValuesIn(device_names()), test_suffix);

}  // namespace
