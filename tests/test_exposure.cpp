// SPDX-License-Identifier: Apache-2.0
// Memory that outside code can see: a lease or wrapped memory makes the library launch at once, in program order.
#include "support/devices.hpp"
#include "support/main.hpp"

namespace {

using namespace xp_test;
using xp::Array;
using xp::Index;
using xp::slice;

class Exposure : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    xp::set_fusion(true);
  }
  Array iota(Index n) const { return xp::arange(0, n, 1, xp::float64, device); }
  bool host_memory() const { return GetParam() == "host"; }
};

std::uint64_t kernels() { return xp::stats().kernels; }

TEST_P(Exposure, ALeaseMakesOperationsRunAtOnce) {
  Array x = iota(100);
  {
    const xp::Exposed lease = xp::expose(x);  // launches what makes x
    xp::reset_stats();
    x += 1;
    EXPECT_EQ(kernels(), 1u);
    x *= 2;
    EXPECT_EQ(kernels(), 2u);
    const Array y = x + 1;  // reads it
    EXPECT_EQ(kernels(), 3u);
    const Array unrelated = iota(100) + 1;
    EXPECT_EQ(kernels(), 3u);
    xp::synchronize();
    if (host_memory()) {
      EXPECT_EQ(static_cast<const double*>(lease.data())[3], 8);
    }
    EXPECT_EQ(y(3).item<double>(), 9);
    EXPECT_EQ(unrelated(3).item<double>(), 4);
  }
  xp::synchronize();
  xp::reset_stats();
  x += 1;
  x *= 2;
  xp::eval(x);
  EXPECT_EQ(kernels(), 1u);  // the lease is over
  EXPECT_EQ(x(3).item<double>(), 18);
}

TEST_P(Exposure, TakingALeaseLaunchesWhatTouchesTheMemory) {
  Array x = iota(100);
  xp::eval(x);
  const Array pending_read = x * 3;
  x += 5;
  const xp::Exposed lease = xp::expose(x);
  xp::synchronize();
  if (host_memory()) {
    auto* data = static_cast<double*>(lease.data());
    EXPECT_EQ(data[2], 7);
    data[2] = 1000;  // outside code writes: the read before it is not affected, the one after it is
    EXPECT_EQ(x(2).item<double>(), 1000);
  }
  EXPECT_EQ(pending_read(2).item<double>(), 6);
}

TEST_P(Exposure, TheAddressIsThatOfTheFirstIndex) {
  const Array x = iota(100);
  const xp::Exposed whole = xp::expose(x), part = xp::expose(x(slice(10, 20))),
                    reversed = xp::expose(x(slice(xp::none, xp::none, -1)));
  EXPECT_EQ(static_cast<const char*>(part.data()) - static_cast<const char*>(whole.data()), 80);
  EXPECT_EQ(static_cast<const char*>(reversed.data()) - static_cast<const char*>(whole.data()), 99 * 8);
}

TEST_P(Exposure, LeasesNestAndMove) {
  Array x = iota(10);
  xp::Exposed first = xp::expose(x);
  {
    xp::Exposed second = xp::expose(x(slice(0, 5)));
    first = std::move(second);
  }
  xp::reset_stats();
  x += 1;
  EXPECT_EQ(kernels(), 1u);
}

TEST_P(Exposure, ALeaseKeepsTheMemory) {
  Array x = iota(100);
  const xp::Exposed lease = xp::expose(x);
  const Index used = xp::memory_info(device).used;
  x = Array();
  EXPECT_EQ(xp::memory_info(device).used, used);
  const Array other = iota(100) + 1;  // does not get the block
  xp::synchronize();
  EXPECT_NE(xp::expose(other).data(), lease.data());
}

TEST_P(Exposure, AScopeLetsExposedArraysJoin) {
  Array x = iota(100);
  const xp::Exposed lease = xp::expose(x);
  xp::synchronize();
  xp::reset_stats();
  {
    const xp::FusionScope scope;
    x += 1;
    {
      const xp::FusionScope inner;
      x *= 2;
    }
    EXPECT_EQ(kernels(), 0u);  // the inner scope's end is not the outer one's
    x += x;
  }
  EXPECT_EQ(kernels(), 1u);  // launched when the scope ended
  EXPECT_EQ(x(1).item<double>(), 8);
}

TEST_P(Exposure, WrappedBoolsAreTrueUnlessTheirByteIsZero) {
  std::vector<std::uint8_t> p, q;
  for (int i = 0; i < 300; ++i) {
    p.push_back(static_cast<std::uint8_t>(i % 3 == 0 ? 0 : i));
    q.push_back(static_cast<std::uint8_t>(i % 2 == 0 ? 128 : i % 5));
  }
  const Index n = 300;
  const Array lender_a = xp::asarray(p, {n}, device), lender_b = xp::asarray(q, {n}, device);
  const xp::Exposed memory_a = xp::expose(lender_a), memory_b = xp::expose(lender_b);
  const Array a = xp::wrap_pointer(memory_a.data(), {n}, xp::bool_, {}, device),
              b = xp::wrap_pointer(memory_b.data(), {n}, xp::bool_, {}, device);
  auto check = [&](const Array& got, auto&& want, const char* what) {
    const std::vector<bool> values = got.to_vector<bool>();
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(values[i], want(p[i] != 0, q[i] != 0)) << what << " at " << i;
  };
  check(
      a & b, [](bool x, bool y) { return x && y; }, "&");
  check(
      a | b, [](bool x, bool y) { return x || y; }, "|");
  check(
      a ^ b, [](bool x, bool y) { return x != y; }, "^");
  check(
      a & true, [](bool x, bool) { return x; }, "& true");
  check(
      a == b, [](bool x, bool y) { return x == y; }, "==");
  check(
      a < b, [](bool x, bool y) { return !x && y; }, "<");
  check(
      ~a, [](bool x, bool) { return !x; }, "~");
  check(((a & b) ^ b) | (a ^ b), [](bool x, bool y) { return ((x && y) != y) || x != y; }, "a program");
}

TEST_P(Exposure, WrappedMemoryIsWrittenInOrder) {
  // Device memory of the caller's, here lent by another array.
  const Array lender = iota(24);
  const xp::Exposed memory = xp::expose(lender);
  Array x = xp::wrap_pointer(memory.data(), {4, 6}, xp::float64, {}, device);
  EXPECT_EQ(x.shape(), (xp::Shape{4, 6}));
  EXPECT_EQ(x.device().name(), lender.device().name());
  xp::synchronize();
  xp::reset_stats();
  x += 1;
  x(0) *= 10;
  EXPECT_EQ(kernels(), 2u);
  EXPECT_EQ(lender(5).item<double>(), 60);
  EXPECT_EQ(lender(6).item<double>(), 7);
  // With strides: the transpose, and every second element backwards.
  const Array t = xp::wrap_pointer(memory.data(), {6, 4}, xp::float64, {1, 6}, device);
  EXPECT_EQ(t(5, 0).item<double>(), 60);
  EXPECT_EQ(t(0, 1).item<double>(), 7);
  const Array back = xp::wrap_pointer(static_cast<char*>(memory.data()) + 23 * 8, {12}, xp::float64, {-2}, device);
  EXPECT_EQ(back(0).item<double>(), 24);
  EXPECT_EQ(back(1).item<double>(), 22);
}

TEST_P(Exposure, OverlappingWrapsOfOneMemoryAreSeen) {
  // Two storages, the same addresses: only their address ranges tell.
  const Array lender = iota(100);
  const xp::Exposed memory = xp::expose(lender);
  Array low = xp::wrap_pointer(memory.data(), {90}, xp::float64, {}, device);
  Array high = xp::wrap_pointer(static_cast<char*>(memory.data()) + 80, {90}, xp::float64, {}, device);
  EXPECT_TRUE(xp::may_share_memory(low, high));
  {
    const xp::FusionScope scope;
    low += 1;
    high += low;  // reads what the line above has written, shifted
    low *= 2;
  }
  xp::synchronize();
  std::vector<double> want(100);
  for (int i = 0; i < 100; ++i) want[static_cast<std::size_t>(i)] = i;
  for (std::size_t i = 0; i < 90; ++i) want[i] += 1;
  std::vector<double> low_old(want.begin(), want.begin() + 90);
  for (std::size_t i = 0; i < 90; ++i) want[10 + i] += low_old[i];
  for (std::size_t i = 0; i < 90; ++i) want[i] *= 2;
  EXPECT_EQ(lender.to_vector<double>(), want);
}

TEST_P(Exposure, AWrapAndItsLenderAreSeenToOverlap) {
  // The lender's own storage, reached by its own name after a program has touched the wrapped one.
  const Array lender = iota(100);
  const xp::Exposed memory = xp::expose(lender);
  Array wrapped = xp::wrap_pointer(static_cast<char*>(memory.data()) + 8, {90}, xp::float64, {}, device);
  Array part = lender(slice(0, 90));
  {
    const xp::FusionScope scope;
    wrapped += 1000;
    part *= 2;
    wrapped -= part;
  }
  std::vector<double> want(100);
  for (std::size_t i = 0; i < 100; ++i) want[i] = static_cast<double>(i);
  for (std::size_t i = 1; i <= 90; ++i) want[i] += 1000;
  for (std::size_t i = 0; i < 90; ++i) want[i] *= 2;
  const std::vector<double> doubled = want;
  for (std::size_t i = 1; i <= 90; ++i) want[i] -= doubled[i - 1];
  EXPECT_EQ(lender.to_vector<double>(), want);
}

TEST_P(Exposure, WritesToWrappedMemoryHappenThoughNobodyHoldsTheArray) {
  const Array lender = iota(10);
  const xp::Exposed memory = xp::expose(lender);
  {
    const xp::FusionScope scope;
    Array x = xp::wrap_pointer(memory.data(), {10}, xp::float64, {}, device);
    x += 1;
    x *= 2;
  }
  EXPECT_EQ(lender(3).item<double>(), 8);
  // The same through a lease: the memory outlives its last array.
  Array y = iota(10);
  const xp::Exposed lease = xp::expose(y);
  {
    const xp::FusionScope scope;
    y *= 3;
    y = Array();
  }
  xp::synchronize();
  EXPECT_EQ(xp::wrap_pointer(lease.data(), {10}, xp::float64, {}, device)(3).item<double>(), 9);
}

TEST_P(Exposure, TheOwnerLivesAsLongAsArraysDo) {
  const Array lender = iota(10);
  const xp::Exposed memory = xp::expose(lender);
  auto owner = std::make_shared<int>(1);
  std::weak_ptr<int> watch = owner;
  Array view;
  {
    const Array x = xp::wrap_pointer(memory.data(), {10}, xp::float64, {}, device, std::move(owner));
    view = x(slice(2, 4));
  }
  EXPECT_FALSE(watch.expired());
  const Array sum = view + 1;
  view = Array();
  xp::synchronize();
  EXPECT_TRUE(watch.expired());
  EXPECT_EQ(sum(0).item<double>(), 3);
}

TEST_P(Exposure, AnOwnersDeleterMayUseTheLibrary) {
  // Deleters run outside of every lock.
  const Array lender = iota(10);
  const xp::Exposed memory = xp::expose(lender);
  double seen = 0;
  {
    std::shared_ptr<void> owner(nullptr, [&](void*) { seen = xp::sum(xp::ones({4}, device)).item<double>(); });
    Array x = xp::wrap_pointer(memory.data(), {10}, xp::float64, {}, device, std::move(owner));
    const xp::FusionScope scope;
    x = x + 1;  // the program holds the last reference to the wrapped storage
  }
  xp::synchronize();
  EXPECT_EQ(seen, 4);
}

TEST_P(Exposure, WrapsAreChecked) {
  const Array lender = iota(10);
  const xp::Exposed memory = xp::expose(lender);
  EXPECT_THROW(xp::wrap_pointer(memory.data(), {-1}, xp::float64, {}, device), xp::ShapeError);
  EXPECT_THROW(xp::wrap_pointer(memory.data(), {2, 5}, xp::float64, {1}, device), xp::ShapeError);
  EXPECT_THROW(xp::wrap_pointer(nullptr, {2}, xp::float64, {}, device), xp::Error);
  EXPECT_NO_THROW(xp::wrap_pointer(nullptr, {0}, xp::float64, {}, device));
  // Elements that share memory can be read, not written.
  Array repeated = xp::wrap_pointer(memory.data(), {3, 4}, xp::float64, {0, 1}, device);
  EXPECT_FALSE(repeated.writeable());
  EXPECT_EQ(xp::sum(repeated).item<double>(), 18);
  EXPECT_THROW(repeated += 1, xp::ShapeError);
}

XP_INSTANTIATE_ON_DEVICES(Exposure);

}  // namespace
