// SPDX-License-Identifier: Apache-2.0
// What joins a program, what a program costs, and that views and aliases never see the difference.
#include "support/devices.hpp"
#include "support/layouts.hpp"
#include "support/main.hpp"
#include "support/sum_tree.hpp"

namespace {

using namespace xp_test;
using oracle::Buffer;
using oracle::DType;
using oracle::Rng;
using xp::Array;
using xp::slice;

class Fusion : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    xp::set_fusion(true);
    xp::synchronize();
    xp::reset_stats();
  }
  Array iota(Index n) const {
    const Array x = xp::arange(0, n, 1, xp::float64, device);
    xp::eval(x);
    return x;
  }
};

// What was counted since the last look.
xp::Stats take_stats() {
  const xp::Stats stats = xp::stats();
  xp::reset_stats();
  return stats;
}

TEST_P(Fusion, AChainIsOneKernel) {
  Array x = iota(1000);
  take_stats();
  x *= 5;
  x *= x;
  x += x;
  xp::eval(x);
  const xp::Stats stats = take_stats();
  EXPECT_EQ(stats.kernels, 1u);
  EXPECT_EQ(stats.operations, 3u);
  EXPECT_EQ(stats.instructions, 4u);  // three and a store
  EXPECT_EQ(stats.allocations, 0u);
  EXPECT_EQ(x(7).item<double>(), 2.0 * 35 * 35);
}

TEST_P(Fusion, SwitchedOffEveryOperationIsAKernel) {
  xp::set_fusion(false);
  EXPECT_FALSE(xp::fusion_enabled());
  Array x = iota(1000);
  take_stats();
  x *= 5;
  x *= x;
  x += x;
  EXPECT_EQ(take_stats().kernels, 3u);
  EXPECT_EQ(x(7).item<double>(), 2.0 * 35 * 35);
}

TEST_P(Fusion, NothingRunsBeforeItIsWanted) {
  const Array x = iota(100);
  take_stats();
  const Array y = x + 1;
  EXPECT_EQ(take_stats().kernels, 0u);
  EXPECT_EQ(y(0).item<double>(), 1);
  EXPECT_EQ(take_stats().kernels, 1u);
  EXPECT_EQ(y(1).item<double>(), 2);
  EXPECT_EQ(take_stats().kernels, 0u);  // it has run
}

TEST_P(Fusion, SwitchingItOffLaunchesWhatIsRecorded) {
  const Array y = iota(100) + 1;
  take_stats();
  xp::set_fusion(false);
  EXPECT_EQ(take_stats().kernels, 1u);
  EXPECT_EQ(y(3).item<double>(), 4);
}

TEST_P(Fusion, DeadTemporariesAllocateNothing) {
  const Array x = iota(1000), y = iota(1000);
  take_stats();
  const Array z = (x + y) * (x - y) + xp::sqrt(x) / 2;
  xp::eval(z);
  const xp::Stats stats = take_stats();
  EXPECT_EQ(stats.kernels, 1u);
  EXPECT_EQ(stats.allocations, 1u);
  EXPECT_EQ(stats.bytes_allocated, 8000u);
  EXPECT_EQ(z(16).item<double>(), 2.0);
}

TEST_P(Fusion, AResultNobodyHoldsIsNotComputed) {
  const Array x = iota(1000);
  take_stats();
  {
    const Array unused = xp::exp(x) * 3;
    static_cast<void>(unused);
  }
  xp::synchronize();
  const xp::Stats stats = take_stats();
  EXPECT_EQ(stats.kernels, 0u);
  EXPECT_EQ(stats.allocations, 0u);
  // In a program that runs for another result, its instructions are left out.
  Array kept;
  {
    const Array unused = xp::exp(x) * 3;
    kept = x + 1;
  }
  xp::eval(kept);
  EXPECT_EQ(take_stats().instructions, 2u);
}

TEST_P(Fusion, NamedTemporariesAreAllocated) {
  const Array x = iota(1000);
  take_stats();
  const Array t = x + 1;
  const Array z = t * 2;
  xp::eval(z);
  const xp::Stats stats = take_stats();
  EXPECT_EQ(stats.kernels, 1u);
  EXPECT_EQ(stats.allocations, 2u);
  EXPECT_EQ(t(9).item<double>(), 10);
  EXPECT_EQ(z(9).item<double>(), 20);
}

TEST_P(Fusion, ASumOfAProductAllocatesItsResultOnly) {
  const Array x = iota(10000), y = iota(10000);
  take_stats();
  const Array s = xp::sum(x * y);
  const double total = s.item<double>();
  const xp::Stats stats = take_stats();
  EXPECT_EQ(stats.kernels, 1u);
  EXPECT_EQ(stats.allocations, 1u);
  EXPECT_EQ(stats.bytes_allocated, 8u);
  EXPECT_EQ(total, 333283335000.0);
}

TEST_P(Fusion, ReboundNamesReleaseTheirValues) {
  Array g = iota(1000);
  take_stats();
  for (int i = 0; i < 20; ++i) g = g + g;  // each old value is dead once its name is given to the new one
  xp::eval(g);
  const xp::Stats stats = take_stats();
  EXPECT_EQ(stats.kernels, 1u);
  EXPECT_LE(stats.allocations, 1u);
  EXPECT_EQ(g(3).item<double>(), 3.0 * (1 << 20));
}

TEST_P(Fusion, DeadResultsTakeNoRoomInAProgram) {
  Array x = iota(1000);
  take_stats();
  for (int i = 0; i < 400; ++i) x = x + 1;
  xp::eval(x);
  const xp::Stats stats = take_stats();
  EXPECT_LE(stats.kernels, 10u);  // a program takes some sixty instructions, though only two dozen views
  EXPECT_EQ(stats.allocations, 0u);
  EXPECT_EQ(x(5).item<double>(), 405);
}

TEST_P(Fusion, ADeadInputGivesItsBlock) {
  Array x = iota(1000);
  take_stats();
  x = x + 1;
  xp::eval(x);
  xp::Stats stats = take_stats();
  EXPECT_EQ(stats.donations, 1u);
  EXPECT_EQ(stats.allocations, 0u);
  EXPECT_EQ(x(5).item<double>(), 6);

  // Consumed by move, into an output of another dtype of the same size.
  take_stats();
  const Array y = std::move(x) > 3;  // bool is smaller: no donation
  xp::eval(y);
  stats = take_stats();
  EXPECT_EQ(stats.donations, 0u);
  EXPECT_EQ(stats.allocations, 1u);
}

TEST_P(Fusion, ASumReadsItsDeadOperandBeforeTheBlockIsGivenAway) {
  Array x = iota(1000);
  take_stats();
  const Array z = x + 1;  // takes over the block of x, which the sum still wants
  const Array total = xp::sum(std::move(x));
  const xp::Stats stats = take_stats();
  EXPECT_EQ(stats.kernels, 1u);
  EXPECT_EQ(stats.donations, 1u);
  EXPECT_EQ(total.item<double>(), 499500);
  EXPECT_EQ(z(999).item<double>(), 1000);
}

TEST_P(Fusion, NoDonationWhileSomebodyLooks) {
  const Array keep = iota(1000);
  Array x = keep;
  take_stats();
  x = x + 1;
  xp::eval(x);
  EXPECT_EQ(take_stats().donations, 0u);
  EXPECT_EQ(keep(5).item<double>(), 5);
  EXPECT_EQ(x(5).item<double>(), 6);

  // A view keeps the whole storage.
  Array y = iota(1000);
  const Array view = y(slice(10, 20));
  y = y * 2;
  xp::eval(y);
  EXPECT_EQ(take_stats().donations, 0u);
  EXPECT_EQ(view(0).item<double>(), 10);
  EXPECT_EQ(y(10).item<double>(), 20);
}

TEST_P(Fusion, NoDonationToAnotherView) {
  // The dead input is read back to front as well: an output in its block would overtake those reads.
  Array a = iota(1000);
  Array b = a(slice(xp::none, xp::none, -1)) * 1000 + a;
  a = Array();
  xp::eval(b);
  EXPECT_EQ(b(0).item<double>(), 999000);
  EXPECT_EQ(b(999).item<double>(), 999);
}

TEST_P(Fusion, LongChainsKeepTheirOrder) {
  // Hundreds of operations: many programs, one after the other, with the values of an exact integer model.
  Array x = xp::array({1, 2, 3, 4, 5}, device).astype(xp::int64);
  std::vector<std::int64_t> model{1, 2, 3, 4, 5};
  Rng rng(5);
  take_stats();
  for (int i = 0; i < 700; ++i) {
    const auto k = static_cast<std::int64_t>(rng.between(-9, 9));
    const Index which = rng.below(4);
    if (which == 0)
      x += k;
    else if (which == 1)
      x = x * k;
    else if (which == 2)
      x = k - x;
    else
      x += x;
    for (std::int64_t& m : model) {
      const auto u = static_cast<std::uint64_t>(m), v = static_cast<std::uint64_t>(k);
      m = static_cast<std::int64_t>(which == 0 ? u + v : which == 1 ? u * v : which == 2 ? v - u : u + u);
    }
  }
  EXPECT_EQ(x.to_vector<std::int64_t>(), model);
  const xp::Stats stats = take_stats();
  EXPECT_GE(stats.kernels, 700u / 64);
  EXPECT_LT(stats.kernels, 100u);
}

TEST_P(Fusion, MoreOperandsThanAProgramTakes) {
  std::vector<Array> inputs, outputs;
  double expected_sum = 0;
  for (int i = 0; i < 60; ++i) {
    inputs.push_back(xp::full({50}, i, xp::float64, device));
    expected_sum += i;
  }
  for (const Array& x : inputs) xp::eval(x);
  Array total = xp::zeros({50}, device);
  for (const Array& x : inputs) {
    total += x;
    outputs.push_back(x * 2 + 1);
  }
  EXPECT_EQ(total.to_vector<double>(), std::vector<double>(50, expected_sum));
  for (int i = 0; i < 60; ++i) EXPECT_EQ(outputs[static_cast<std::size_t>(i)](49).item<double>(), 2 * i + 1);
}

TEST_P(Fusion, MoreConstantsThanAProgramTakes) {
  Array x = xp::zeros({50}, device);
  double expected = 0;
  for (int i = 0; i < 100; ++i) {
    x += 0.5 + i;
    expected += 0.5 + i;
  }
  EXPECT_EQ(x(0).item<double>(), expected);
}

TEST_P(Fusion, ConstantsThatDifferInOnePartOnly) {
  using Complex = std::complex<double>;
  const Array z = xp::zeros({3}, xp::complex128, device);
  const Array a = z + Complex(1, 2), b = z + Complex(1, 3), c = z + Complex(2, 2);
  EXPECT_EQ(a(0).item<Complex>(), Complex(1, 2));
  EXPECT_EQ(b(0).item<Complex>(), Complex(1, 3));
  EXPECT_EQ(c(0).item<Complex>(), Complex(2, 2));
  // 0 and -0 are two constants.
  const Array x = xp::ones({3}, device);
  const Array plus = x / 0.0, minus = x / -0.0;
  EXPECT_EQ(plus(0).item<double>(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(minus(0).item<double>(), -std::numeric_limits<double>::infinity());
  // The same bits as another dtype.
  const Array f = xp::ones({3}, xp::float32, device), i = xp::ones({3}, xp::int32, device);
  const Array g = f * 1.0, j = i * 1065353216;  // the bits of 1.0f
  EXPECT_EQ(g(0).item<float>(), 1);
  EXPECT_EQ(j(0).item<std::int32_t>(), 1065353216);
}

TEST_P(Fusion, ManyLiveValuesAtOnce) {
  // All are wanted at the end, in the opposite order: as many live registers as anything can ask for.
  const Array x = iota(300);
  for (const int count : {10, 20, 23, 24, 25, 31, 33, 40, 70}) {
    std::vector<Array> values;
    for (int i = 0; i < count; ++i) values.push_back(x + i);
    Array combined = values.back() * 1;
    for (int i = count - 1; i-- > 0;) combined = values[static_cast<std::size_t>(i)] - combined;
    double want = 7 + count - 1;
    for (int i = count - 1; i-- > 0;) want = 7 + i - want;
    EXPECT_EQ(combined(7).item<double>(), want) << count;
    for (int i = 0; i < count; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)](299).item<double>(), 299 + i);
  }
  // Dead temporaries that are all alive within one expression.
  auto tree = [&](auto&& self, int depth) -> Array {
    return depth == 0 ? x * 1 : self(self, depth - 1) + self(self, depth - 1);
  };
  EXPECT_EQ(tree(tree, 6)(3).item<double>(), 3.0 * 64);
}

TEST_P(Fusion, ADifferentShapeClosesTheProgram) {
  const Array x = iota(100), y = iota(101);
  take_stats();
  const Array a = x + 1, b = y + 1;
  xp::eval();
  EXPECT_EQ(take_stats().kernels, 2u);
  EXPECT_EQ(a(99).item<double>() + b(100).item<double>(), 201);
  // A broadcast operand does not change the iteration space.
  const Array column = xp::ones({30, 1}, device), row = xp::ones({1, 20}, device), full = xp::ones({30, 20}, device);
  xp::eval();
  take_stats();
  const Array c = (full + column) * row;
  xp::eval(c);
  EXPECT_EQ(take_stats().kernels, 1u);
  EXPECT_EQ(xp::sum(c).item<double>(), 1200);
}

TEST_P(Fusion, OnlyAChangeOfWidthClosesTheProgram) {
  const Array d = iota(100), f = iota(100).astype(xp::float32), i = iota(100).astype(xp::int64);
  xp::eval();
  take_stats();
  // int64, float64 and masks share a width.
  const Array a = d * (i > 3) + (i + 1) * d;
  xp::eval(a);
  EXPECT_EQ(take_stats().kernels, 1u);
  EXPECT_EQ(a(5).item<double>(), 35);
  EXPECT_EQ(a(2).item<double>(), 6);
  const Array b = d + 1, c = f + 1;
  xp::eval();
  EXPECT_EQ(take_stats().kernels, 2u);
  EXPECT_EQ(b(1).item<double>(), 2);
  EXPECT_EQ(c(1).item<float>(), 2);
}

TEST_P(Fusion, CastsBetweenWidthsGiveTheSameBits) {
  Rng rng(8);
  const Buffer values = oracle::random_buffer(xp::float64, 500, rng);
  const Array x = oracle::upload(values, {500}, device);
  const DType chain[] = {xp::float32, xp::int32, xp::float16, xp::complex128, xp::complex64, xp::bfloat16,
                         xp::int64,   xp::uint8, xp::float64, xp::bool_,      xp::int8,      xp::float32};
  Array y = x;
  Buffer want = values;
  for (const DType to : chain) {
    y = y.astype(to);
    want = oracle::cast(want, to);
    const Array doubled = y + y;  // used in the program that casts
    ASSERT_TRUE(oracle::equal(doubled, oracle::apply(oracle::Op::add, want, want))) << xp::name(to);
  }
  EXPECT_TRUE(oracle::equal(y, want));
  // Without a look in between.
  y = x;
  for (const DType to : chain) y = y.astype(to);
  EXPECT_TRUE(oracle::equal(y, want));
}

TEST_P(Fusion, AssigningAnArrayToItselfIsNothing) {
  const Array x = iota(100);
  x.assign(x);
  x(slice(10, 20)) = x(slice(10, 20));
  EXPECT_EQ(x(15).item<double>(), 15);
}

TEST_P(Fusion, RefusedCallsChangeNothing) {
  Array x = iota(6).reshape({2, 3});
  const Array y = iota(4), larger = xp::ones({5, 2, 3}, device), complex = xp::ones({2, 3}, xp::complex128, device);
  xp::eval();
  const Array pending = x + 1;
  take_stats();
  EXPECT_THROW(x + y, xp::ShapeError);
  EXPECT_THROW(x += y, xp::ShapeError);
  EXPECT_THROW(x += larger, xp::ShapeError);
  EXPECT_THROW(x.broadcast_to({4, 2, 3}) += 1, xp::ShapeError);
  EXPECT_THROW(x += complex, xp::DTypeError);
  EXPECT_THROW(x(0, slice(0, 2)) = y, xp::ShapeError);
  EXPECT_NE(message_of<xp::ShapeError>([&] {
              x + y;
            }).find("operands could not be broadcast together with shapes (2,3) (4,)"),
            std::string::npos);
  EXPECT_EQ(take_stats().kernels, 0u);
  EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(pending.to_vector<double>(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST_P(Fusion, EmptyHandlesAreRefused) {
  const Array nothing;
  EXPECT_THROW(nothing + 1, xp::Error);
  EXPECT_THROW(xp::sum(nothing), xp::Error);
  EXPECT_THROW(nothing.copy(), xp::Error);
  EXPECT_THROW(nothing.item<double>(), xp::Error);
  Array moved = iota(3);
  const Array target = std::move(moved);
  EXPECT_FALSE(moved.has_value());  // NOLINT: its state after the move is documented
  EXPECT_THROW(moved += 1, xp::Error);
}

XP_INSTANTIATE_ON_DEVICES(Fusion);

XP_CHILD(print_fusion) {
  std::cout << xp::fusion_enabled();
  return 0;
}

TEST(FusionSwitch, IsReadFromTheEnvironment) {
  EXPECT_EQ(run_child("print_fusion", {{"XP_FUSE", "0"}}).out, "0");
  EXPECT_EQ(run_child("print_fusion", {{"XP_FUSE", "1"}}).out, "1");
  EXPECT_EQ(run_child("print_fusion", {{"XP_FUSE", ""}}).out, "1");
}

XP_CHILD(print_fusion_errors) {
  const std::string name = device_names().at(0);
  std::cout << message_of<xp::DeviceError>([] { xp::fusion_enabled(); }) << '\n'
            << message_of<xp::DeviceError>([&] { xp::ones({3}, name); }) << '\n';
  // What the program says itself is not in doubt.
  xp::set_fusion(false);
  XP_CHILD_EXPECT(!xp::fusion_enabled());
  return 0;
}

TEST(FusionSwitch, IsZeroOrOne) {
  const ChildResult result = run_child("print_fusion_errors", {{"XP_FUSE", "maybe"}});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(result.out, "XP_FUSE='maybe' is not one of 0 and 1\nXP_FUSE='maybe' is not one of 0 and 1\n") << result;
}

}  // namespace
