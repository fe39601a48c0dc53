// SPDX-License-Identifier: Apache-2.0
// Lack of memory and broken devices, on the fake backend, which can be told to fail. Faults are for ever: child
// processes.
#include "support/devices.hpp"
#include "support/fake.hpp"
#include "support/main.hpp"

namespace {

using namespace xp_test;
using xp::Array;
using xp::Index;

Array iota(Index n, xp::Device device) { return xp::arange(0, n, 1, xp::float64, device); }

class OutOfMemory : public testing::Test {
 protected:
  void SetUp() override {
    xp::initialize("fake:0");
    xp::set_fusion(true);
    fake_control().fail_allocations = 0;
    xp::synchronize();
    xp::empty_cache(fake);
  }
  void TearDown() override { fake_control().spare_allocations = fake_control().fail_allocations = 0; }
  const xp::Device fake{"fake:0"};
  static constexpr Index n =
      290000;  // more than half of the slab that the pool takes for it: the next one needs another
};

TEST_F(OutOfMemory, LeavesTheProgramOpenAndARetryWorks) {
  const Array x = iota(n, fake);
  xp::eval(x);
  const Array y = x * 2 + 1;
  fake_control().fail_allocations = 1000;
  EXPECT_THROW(xp::eval(y), xp::OutOfMemoryError);
  EXPECT_THROW(y(5).item<double>(), xp::OutOfMemoryError);
  EXPECT_THROW(xp::synchronize(), xp::OutOfMemoryError);
  fake_control().fail_allocations = 0;
  EXPECT_EQ(y(5).item<double>(), 11);
  EXPECT_EQ(x(5).item<double>(), 5);
}

TEST_F(OutOfMemory, ArraysDroppedMeanwhileAreNotNeeded) {
  const Array x = iota(n, fake);
  xp::eval(x);
  const Array kept = x(xp::slice(0, 10)).copy();
  xp::eval(kept);
  const Array s = xp::sum(kept);
  Array y = x * 2;
  fake_control().fail_allocations = 1000;
  EXPECT_THROW(xp::eval(y), xp::OutOfMemoryError);
  y = Array();  // what asked for the memory is gone: nothing is left to fail
  EXPECT_NO_THROW(xp::synchronize());
  EXPECT_EQ(s.item<double>(), 45);
}

TEST_F(OutOfMemory, AfterAFailedReductionARetryWorks) {
  const Array x = iota(n, fake);
  xp::eval(x);
  const Array y = x + 1;
  fake_control().fail_allocations = 1000;
  EXPECT_THROW(xp::sum(y), xp::OutOfMemoryError);  // y is held, so the program must give it memory
  fake_control().fail_allocations = 0;
  EXPECT_EQ(xp::sum(y).item<double>(), static_cast<double>(n) * (n + 1) / 2);
  EXPECT_EQ(y(0).item<double>(), 1);
}

TEST_F(OutOfMemory, TheMessageSaysWhatWasAskedAndWhatThereIs) {
  fake_control().fail_allocations = 1000;
  const std::string message = message_of<xp::OutOfMemoryError>([&] { xp::empty({n}, fake); });
  for (const char* part : {"fake:0", "2320000 bytes", "used", "cached", "limit"})
    EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
}

TEST_F(OutOfMemory, CachedBlocksAreFreedBeforeGivingUp) {
  const Index limit = xp::memory_info(fake).limit;
  const Index part = limit / 4 / 8;
  { const Array a = xp::empty({part}, fake), b = xp::empty({part}, fake), c = xp::empty({part}, fake); }
  // The three quarters that are cached as blocks of a quarter must go back to make room for a block of two.
  EXPECT_NO_THROW(xp::empty({2 * part}, fake));
}

TEST_F(OutOfMemory, NothingIsChangedByARefusedAllocation) {
  Array x = iota(n, fake);
  xp::eval(x);
  const Index used = xp::memory_info(fake).used;
  fake_control().fail_allocations = 1000;
  EXPECT_THROW(x.copy().item<double>(), xp::Error);
  EXPECT_THROW(xp::eval(x + 1), xp::OutOfMemoryError);
  fake_control().fail_allocations = 0;
  xp::synchronize();
  EXPECT_EQ(xp::memory_info(fake).used, used);
  EXPECT_EQ(x(7).item<double>(), 7);
}

TEST_F(OutOfMemory, HalfAnAllocationIsTakenBack) {
  // Of eight results the first takes over a dead input's block, the next ones get memory, the last ones do not.
  const Array kept = iota(n, fake);
  xp::eval(kept);
  const Index before = xp::memory_info(fake).used;
  Array x = iota(n, fake);
  xp::eval(x);
  const Index used = xp::memory_info(fake).used;
  Array a = x + kept, b = x - kept, c = x * kept;
  std::vector<Array> more;
  for (int i = 0; i < 5; ++i) more.push_back(kept + i);
  x = Array();
  fake_control().spare_allocations = 1;
  fake_control().fail_allocations = 1000;
  EXPECT_THROW(xp::eval(), xp::OutOfMemoryError);
  EXPECT_EQ(xp::memory_info(fake).used, used);
  EXPECT_THROW(xp::eval(), xp::OutOfMemoryError);
  EXPECT_EQ(xp::memory_info(fake).used, used);
  fake_control().fail_allocations = 0;
  EXPECT_EQ(a(n - 1).item<double>(), 2.0 * (n - 1));
  EXPECT_EQ(b(n - 1).item<double>(), 0);
  EXPECT_EQ(c(3).item<double>(), 9);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(more[static_cast<std::size_t>(i)](n - 1).item<double>(), n - 1 + i);
  EXPECT_EQ(kept(5).item<double>(), 5);
  a = b = c = Array();
  more.clear();
  EXPECT_EQ(xp::memory_info(fake).used, before);  // nothing is lost
}

TEST_F(OutOfMemory, ARefusedCallKeepsWhatItWouldHaveConsumed) {
  const Array x = iota(n, fake);
  Array small = iota(10, fake);
  xp::eval();
  const Array y = x * 2;  // pending
  fake_control().fail_allocations = 1000;
  // An operation of another shape launches what is pending, which fails: the call changes nothing.
  EXPECT_THROW(std::move(small) + 1, xp::OutOfMemoryError);
  EXPECT_TRUE(small.has_value());  // NOLINT: not consumed
  EXPECT_THROW(small += 1, xp::OutOfMemoryError);
  fake_control().fail_allocations = 0;
  EXPECT_EQ(small(3).item<double>(), 3);
  EXPECT_EQ(y(3).item<double>(), 6);
}

TEST_F(OutOfMemory, InPlaceWorkNeedsNoMemory) {
  Array x = iota(n, fake);
  xp::eval(x);
  fake_control().fail_allocations = 1000;
  x *= 2;
  x += x;
  EXPECT_NO_THROW(xp::eval(x));
  fake_control().fail_allocations = 0;
  EXPECT_EQ(x(3).item<double>(), 12);
}

TEST(MixedDevices, AreRefusedAndBothAreNamed) {
  if (!has_device("host")) GTEST_SKIP() << "built without the host backend";
  const Array a = iota(4, "fake:0"), b = iota(4, "fake:1"), h = iota(4, "host");
  xp::reset_stats();
  const std::string message = message_of<xp::DeviceError>([&] { a + b; });
  EXPECT_NE(message.find("fake:0"), std::string::npos) << message;
  EXPECT_NE(message.find("fake:1"), std::string::npos) << message;
  Array target = h;
  EXPECT_THROW(target += a, xp::DeviceError);
  EXPECT_THROW(target.assign(a), xp::DeviceError);
  EXPECT_THROW(target(0) = b(0), xp::DeviceError);
  EXPECT_THROW(xp::where(h > 1, a, b), xp::DeviceError);
  const xp::Stats stats = xp::stats();
  EXPECT_EQ(stats.device_to_device + stats.device_to_host + stats.host_to_device, 0u);  // no silent transfer
}

TEST(MixedDevices, TransfersAreCountedAndKeepTheValues) {
  if (!has_device("host")) GTEST_SKIP() << "built without the host backend";
  const Array h = iota(1000, "host");
  xp::reset_stats();
  const Array a = h.to("fake:0");
  const Array b = a.to("fake:1");
  const Array back = b.to("host");
  EXPECT_EQ(xp::stats().device_to_device, 3u);
  EXPECT_EQ(xp::stats().device_to_device_bytes, 24000u);
  EXPECT_EQ(back.to_vector<double>(), h.to_vector<double>());
  EXPECT_EQ(a.device().name(), "fake:0");
  EXPECT_EQ(b.device().name(), "fake:1");
  xp::reset_stats();
  const Array same = a.to("fake:0");
  EXPECT_EQ(xp::stats().device_to_device, 0u);
  EXPECT_TRUE(xp::may_share_memory(same, a));  // the array itself
  // Views and transposes, half of them pending.
  const Array view = (iota(24, "fake:0") + 1).reshape({4, 6})(xp::slice(1, 3), xp::slice(xp::none, xp::none, -2)).T();
  EXPECT_EQ(view.to("host").to_vector<double>(), view.to_vector<double>());
  EXPECT_EQ(view.to("fake:1").shape(), view.shape());
  EXPECT_EQ(xp::empty({0, 3}, "fake:0").to("host").shape(), (xp::Shape{0, 3}));
}

// ---- A device that breaks
// ---------------------------------------------------------------------------------------------

// Its outputs, in place ones included, and everything later on it throw one message; the other device goes on.
XP_CHILD(device_fault) {
  xp::set_fusion(true);
  Array x = iota(100, "fake:0");
  const Array untouched = iota(100, "fake:0");
  xp::eval();
  const Array other = iota(100, "fake:1");
  const Array y = x + 1;
  x *= 2;
  fake_control().fault_next_run[0] = 1;
  const std::string first = message_of<xp::DeviceError>([&] { xp::eval(y); });
  XP_CHILD_EXPECT(first.find("fake:0") != std::string::npos);
  XP_CHILD_EXPECT(first.find("as it was told to") != std::string::npos);
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { y.item<double>(); }) != "(no exception)");
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { y.to_vector<double>(); }) == first);
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { x.to_vector<double>(); }) == first);
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { xp::eval(x); }) == first);
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { untouched.to_vector<double>(); }) == first);
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { x + 1; }) == first);
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { xp::zeros({3}, "fake:0"); }) == first);
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { xp::synchronize("fake:0"); }) == first);
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { other.to("fake:0"); }) == first);
  XP_CHILD_EXPECT((other + 1)(99).item<double>() == 100);
  xp::synchronize("fake:1");
  XP_CHILD_EXPECT(!has_device("host") || (iota(10, "host") + 1)(9).item<double>() == 10);
  std::cout << "done\n";
  return 0;
}

// A copy between two devices of one backend: the broken one is named, the other goes on.
XP_CHILD(device_fault_in_copy) {
  xp::set_fusion(true);
  const Array a = iota(100, "fake:0"), b = iota(100, "fake:1");
  xp::eval();
  const Array lost = a + 1;
  fake_control().fault_next_run[0] = 1;
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { lost.to("fake:1"); }).find("fake:0") != std::string::npos);
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { a.to("fake:1"); }).find("fake:0") != std::string::npos);
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { b.to("fake:0"); }).find("fake:0") != std::string::npos);
  XP_CHILD_EXPECT((b + 1)(99).item<double>() == 100);
  std::cout << "done\n";
  return 0;
}
TEST(DeviceFault, InACopyTheBrokenDeviceIsNamed) {
  const ChildResult result = run_child("device_fault_in_copy");
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(result.out, "done\n") << result;
}

TEST(DeviceFault, PoisonsTheDeviceAndNothingElse) {
  const ChildResult result = run_child("device_fault");
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(result.out, "done\n") << result;
}

// Programs of other threads on the broken device end in the same error, and nothing hangs at exit.
XP_CHILD(device_fault_at_exit) {
  xp::set_fusion(true);
  static Array kept = iota(100, "fake:0");
  xp::eval();
  kept += 1;
  fake_control().fault_next_run[0] = 1;
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { xp::synchronize(); }) != "(no exception)");
  std::cout << "done\n";
  return 0;
}

TEST(DeviceFault, TheProcessStillEndsWell) {
  const ChildResult result = run_child("device_fault_at_exit");
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(result.out, "done\n") << result;
}

}  // namespace
