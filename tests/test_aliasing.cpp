// SPDX-License-Identifier: Apache-2.0
// Views of one storage, read and written in one program or across programs: always what NumPy's order of events gives.
#include "support/devices.hpp"
#include "support/layouts.hpp"
#include "support/main.hpp"

namespace {

using namespace xp_test;
using xp::all;
using xp::Array;
using xp::none;
using xp::slice;
using Doubles = std::vector<double>;

class Aliasing : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    xp::set_fusion(true);
  }
  Array iota(Index n) const { return xp::arange(0, n, 1, xp::float64, device); }
};

TEST_P(Aliasing, ShiftedViewsReadTheOldElements) {
  for (const bool fuse : {true, false}) {
    xp::set_fusion(fuse);
    for (const Index n : {Index{5}, Index{70}, Index{5000}}) {
      Array x = iota(n);
      x(slice(1, none)) += x(slice(none, -1));
      Doubles want(static_cast<std::size_t>(n));
      for (Index i = 0; i < n; ++i) want[static_cast<std::size_t>(i)] = i == 0 ? 0 : static_cast<double>(2 * i - 1);
      EXPECT_EQ(x.to_vector<double>(), want) << n;

      Array y = iota(n);
      y(slice(none, -1)) += y(slice(1, none));
      for (Index i = 0; i < n; ++i) want[static_cast<std::size_t>(i)] = static_cast<double>(i + 1 < n ? 2 * i + 1 : i);
      EXPECT_EQ(y.to_vector<double>(), want) << n;

      Array z = iota(n);
      z(slice(1, none)) = z(slice(none, -1));
      for (Index i = 0; i < n; ++i) want[static_cast<std::size_t>(i)] = static_cast<double>(i == 0 ? 0 : i - 1);
      EXPECT_EQ(z.to_vector<double>(), want) << n;
    }
  }
}

TEST_P(Aliasing, AStepOnAPartOfWhatIsPending) {
  // The part begins where the whole does and is as dense: only its shape tells them apart.
  for (const bool fuse : {true, false}) {
    xp::set_fusion(fuse);
    const Array x = xp::ones({90}, device) + 1;
    Array part = x(slice(0, 89));
    part *= 10;
    part += part;
    EXPECT_EQ(x(88).item<double>(), 40);
    EXPECT_EQ(x(89).item<double>(), 2);
    const Array m = xp::ones({4, 5}, device) + 1;
    Array rows = m(slice(0, 2)), one = m(0, slice(0, 1));
    rows *= 3;
    one += 1;
    rows -= rows * 0.5;
    EXPECT_EQ(m.to_vector<double>(), (Doubles{3.5, 3, 3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}));
    Array whole = xp::ones({12}, device) + 1;
    whole.reshape({3, 4}) += 1;  // another shape of all of it
    whole *= 2;
    whole.reshape({2, 6})(0) *= 2;
    EXPECT_EQ(whole.to_vector<double>(), (Doubles{12, 12, 12, 12, 12, 12, 6, 6, 6, 6, 6, 6}));
  }
}

TEST_P(Aliasing, ReversedAndTransposedViewsOfTheTarget) {
  for (const bool fuse : {true, false}) {
    xp::set_fusion(fuse);
    const Array x = iota(1001);
    x.assign(x(slice(none, none, -1)));
    EXPECT_EQ(x(0).item<double>(), 1000);
    EXPECT_EQ(x(700).item<double>(), 300);
    Array y = iota(1001);
    y += y(slice(none, none, -1));
    EXPECT_EQ(y.to_vector<double>(), Doubles(1001, 1000.0));

    Array m = iota(40 * 40).reshape({40, 40});
    m += m.T();
    for (Index i : {Index{0}, Index{3}, Index{39}})
      for (Index j : {Index{0}, Index{17}, Index{39}})
        EXPECT_EQ(m(i, j).item<double>(), static_cast<double>(41 * (i + j))) << i << ' ' << j;
    const Array t = iota(9).reshape({3, 3});
    t.assign(t.T());
    EXPECT_EQ(t.to_vector<double>(), (Doubles{0, 3, 6, 1, 4, 7, 2, 5, 8}));
  }
}

TEST_P(Aliasing, BroadcastOfAPartOfTheTarget) {
  Array m = iota(12).reshape({3, 4});
  m += m(1);  // the row it reads is one it writes
  EXPECT_EQ(m.to_vector<double>(), (Doubles{4, 6, 8, 10, 8, 10, 12, 14, 12, 14, 16, 18}));
  Array x = iota(5);
  x -= x(slice(2, 3));
  EXPECT_EQ(x.to_vector<double>(), (Doubles{-2, -1, 0, 1, 2}));
  Array y = iota(5);
  y *= y(3);
  EXPECT_EQ(y.to_vector<double>(), (Doubles{0, 3, 6, 9, 12}));
}

TEST_P(Aliasing, SwapThroughATemporary) {
  const Array x = iota(100);
  const Array t = x(slice(0, 50)).copy();
  x(slice(0, 50)) = x(slice(50, 100));
  x(slice(50, 100)) = t;
  EXPECT_EQ(x(0).item<double>(), 50);
  EXPECT_EQ(x(99).item<double>(), 49);
  // The temporary is an expression that the program still holds in registers.
  const Array a = iota(100), b = iota(100) * 100;
  const Array old_a = a + 0;
  a.assign(b);
  b.assign(old_a);
  EXPECT_EQ(a(7).item<double>(), 700);
  EXPECT_EQ(b(7).item<double>(), 7);
}

TEST_P(Aliasing, ACopyIsTakenBeforeTheChange) {
  Array x = iota(100);
  const Array before = x.copy();
  const Array doubled = x * 2;
  x += 1;
  const Array after = x.copy();
  x *= 0;
  EXPECT_EQ(before(9).item<double>(), 9);
  EXPECT_EQ(doubled(9).item<double>(), 18);
  EXPECT_EQ(after(9).item<double>(), 10);
  EXPECT_EQ(x(9).item<double>(), 0);
}

TEST_P(Aliasing, AReadAfterAWriteSeesTheNewValue) {
  Array x = iota(100);
  const Array view = x(slice(10, 20));
  x += 1;
  const Array y = view * 1;  // another shape: the write runs first
  x += 1;
  EXPECT_EQ(y(0).item<double>(), 11);
  EXPECT_EQ(view(0).item<double>(), 12);
  // A write through the view after a pending read of the whole.
  const Array z = x * 10;
  view.fill(0);
  EXPECT_EQ(z(15).item<double>(), 170);
  EXPECT_EQ(x(15).item<double>(), 0);
}

TEST_P(Aliasing, DisjointInterleavedViewsJoin) {
  const Array x = iota(1000);
  xp::eval();
  Array even = x(slice(0, none, 2)), odd = x(slice(1, none, 2));
  xp::reset_stats();
  even += 1;
  odd *= 2;
  even += odd;
  xp::eval();
  EXPECT_EQ(xp::stats().kernels, 1u);
  EXPECT_EQ(x(4).item<double>(), 4 + 1 + 5 * 2);
  EXPECT_EQ(x(5).item<double>(), 10);
  // Columns of a matrix, and quadrants.
  const Array m = iota(64).reshape({8, 8});
  xp::eval();
  xp::reset_stats();
  const Array a = m(slice(0, 4), slice(0, 4)), b = m(slice(4, 8), slice(4, 8));
  a.assign(a + b);
  b.assign(a);
  xp::eval();
  EXPECT_EQ(xp::stats().kernels, 1u);
  EXPECT_EQ(m(0, 0).item<double>(), 36);
  EXPECT_EQ(m(7, 7).item<double>(), 27 + 63);
}

TEST_P(Aliasing, PartlyOverlappingWritesKeepTheirOrder) {
  for (const bool fuse : {true, false}) {
    xp::set_fusion(fuse);
    const Array x = xp::zeros({100}, device);
    x(slice(0, 60)) = 1;
    x(slice(40, 100)) = 2;
    x(slice(20, 80)) += 10;
    x(slice(0, 60)) *= 3;
    EXPECT_EQ(x(10).item<double>(), 3);
    EXPECT_EQ(x(30).item<double>(), 33);
    EXPECT_EQ(x(50).item<double>(), 36);
    EXPECT_EQ(x(70).item<double>(), 12);
    EXPECT_EQ(x(90).item<double>(), 2);
  }
}

TEST_P(Aliasing, OneOutputManyReadsOfItsOldValue) {
  // The store waits for every instruction that still wants what was there.
  Array x = iota(1000), y = iota(1000) * 2;
  const Array a = x + y;
  x.assign(y);
  const Array b = x - a;
  y.assign(a);
  const Array c = x * y;
  EXPECT_EQ(a(10).item<double>(), 30);
  EXPECT_EQ(x(10).item<double>(), 20);
  EXPECT_EQ(b(10).item<double>(), -10);
  EXPECT_EQ(y(10).item<double>(), 30);
  EXPECT_EQ(c(10).item<double>(), 600);
}

TEST_P(Aliasing, RotationOfThreeArrays) {
  Array a = iota(50), b = iota(50) + 100, c = iota(50) + 200;
  for (int i = 0; i < 4; ++i) {
    const Array t = a + 0;
    a.assign(b);
    b.assign(c);
    c.assign(t);
  }
  EXPECT_EQ(a(1).item<double>(), 101);
  EXPECT_EQ(b(1).item<double>(), 201);
  EXPECT_EQ(c(1).item<double>(), 1);
}

TEST_P(Aliasing, CopiesOfHandlesAreOneArray) {
  Array x = iota(10);
  const Array y = x;
  x += 1;
  EXPECT_EQ(y(0).item<double>(), 1);
  x = x + 1;  // rebinds x only
  EXPECT_EQ(y(0).item<double>(), 1);
  EXPECT_EQ(x(0).item<double>(), 2);
}

TEST_P(Aliasing, NonInjectiveOutputsAreRefused) {
  const Array x = iota(3);
  Array repeated = x.broadcast_to({4, 3});
  EXPECT_FALSE(repeated.writeable());
  EXPECT_THROW(repeated += 1, xp::ShapeError);
  EXPECT_THROW(repeated.fill(1), xp::ShapeError);
  EXPECT_THROW(repeated.assign(1), xp::ShapeError);
  const Doubles data(12, 5.0);
  EXPECT_THROW(repeated.copy_from_host(data.data()), xp::ShapeError);
  EXPECT_EQ(x.to_vector<double>(), (Doubles{0, 1, 2}));
}

// A copy of what is overwritten, in one program with functions of much code.
TEST_P(Aliasing, CopiesBesideFunctions) {
  const xp::DType dtypes[] = {xp::float16, xp::bfloat16, xp::float32, xp::float64};
  for (const bool fuse : {true, false}) {
    xp::set_fusion(fuse);
    for (const xp::DType dtype : dtypes)
      for (const Index n : {Index{5}, Index{70}, Index{1000}}) {
        const Array base = (iota(n) % 7).astype(dtype);
        Array a = base.copy(), b = base.copy(), c = base.copy();
        xp::synchronize();
        xp::multiply(a(slice(0, -1)), 1, {.out = a(slice(1, none))});
        const Array rest = xp::remainder(a(slice(1, none)), 3);
        xp::synchronize();
        b(slice(1, none)) = b(slice(none, -1));
        const Array power = xp::power(b, 2), size = xp::hypot(b, b * 0), same = b.copy();
        xp::synchronize();
        c(slice(none, -1)).assign(c(slice(1, none)));
        c(slice(none, -1)) += xp::floor_divide(c(slice(1, none)), 2);
        const Doubles all_rest = rest.astype(xp::float64).to_vector<double>(),
                      all_a = a.astype(xp::float64).to_vector<double>(),
                      all_b = same.astype(xp::float64).to_vector<double>(),
                      all_power = power.astype(xp::float64).to_vector<double>(),
                      all_size = size.astype(xp::float64).to_vector<double>(),
                      all_c = c.astype(xp::float64).to_vector<double>();
        auto value = [](Index i) { return static_cast<double>(i % 7); };
        auto after = [&](Index i) { return i + 1 < n ? value(i + 1) : value(i); };
        for (Index i = 0; i < n; ++i) {
          const auto k = static_cast<std::size_t>(i);
          const double shifted = i == 0 ? 0 : value(i - 1);
          ASSERT_EQ(all_a[k], shifted) << xp::name(dtype) << ' ' << n << ' ' << i;
          ASSERT_EQ(all_b[k], shifted);
          ASSERT_EQ(all_power[k], shifted * shifted) << xp::name(dtype) << ' ' << n << ' ' << i;
          ASSERT_EQ(all_size[k], shifted);
          if (i > 0) {
            ASSERT_EQ(all_rest[k - 1], std::fmod(shifted, 3)) << xp::name(dtype) << ' ' << n << ' ' << i;
          }
          if (i + 1 < n) {
            ASSERT_EQ(all_c[k], after(i) + std::floor(after(i + 1) / 2)) << i;
          }
        }
      }
  }
}

TEST_P(Aliasing, MayShareMemoryIsExactForSlices) {
  const Array x = iota(100);
  EXPECT_TRUE(xp::may_share_memory(x, x(slice(99, none))));
  EXPECT_TRUE(xp::may_share_memory(x(slice(0, 51)), x(slice(50, none))));
  EXPECT_FALSE(xp::may_share_memory(x(slice(0, 50)), x(slice(50, none))));
  EXPECT_FALSE(xp::may_share_memory(x(slice(0, none, 2)), x(slice(1, none, 2))));
  EXPECT_TRUE(xp::may_share_memory(x(slice(0, none, 2)), x(slice(1, none, 3))));
  EXPECT_FALSE(xp::may_share_memory(x, x.copy()));
  EXPECT_FALSE(xp::may_share_memory(x(slice(0, 0)), x));
  const Array m = x.reshape({10, 10});
  EXPECT_FALSE(xp::may_share_memory(m(all, slice(0, 5)), m(all, slice(5, none))));
  EXPECT_TRUE(xp::may_share_memory(m.T()(2), m(3)));
  EXPECT_FALSE(xp::may_share_memory(m(all, 2), m(all, 3)));
}

// Against a bitmap, for many pairs of random views.
TEST_P(Aliasing, MayShareMemoryAgreesWithABitmap) {
  oracle::Rng rng(99);
  const Array x = iota(240).reshape({6, 8, 5});
  const oracle::View whole = oracle::View::make(xp::float64, {6, 8, 5});
  int shared = 0;
  for (int round = 0; round < 300; ++round) {
    Array views[2];
    std::vector<bool> touched[2];
    for (int v = 0; v < 2; ++v) {
      std::vector<xp::IndexItem> items;
      oracle::View view = whole;
      for (std::size_t d = 0; d < 3; ++d) {
        const Index start = rng.below(3), step = rng.between(1, 3);
        const Index stop = rng.between(whole.shape[d] - 2, whole.shape[d]);
        items.emplace_back(slice(start, stop, step));
        view.offset += start * view.strides[d];
        view.shape[d] = (stop - start + step - 1) / step;
        view.strides[d] *= step;
      }
      views[v] = x.index(items);
      touched[v].resize(240);
      view.each([&](Index position) { touched[v][static_cast<std::size_t>(position)] = true; });
    }
    bool common = false;
    for (std::size_t i = 0; i < 240; ++i) common |= touched[0][i] && touched[1][i];
    ASSERT_EQ(xp::may_share_memory(views[0], views[1]), common) << "round " << round;
    shared += common;
  }
  EXPECT_GT(shared, 30);
  EXPECT_LT(shared, 270);
}

XP_INSTANTIATE_ON_DEVICES(Aliasing);

}  // namespace
