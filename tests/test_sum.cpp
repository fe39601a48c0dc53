// SPDX-License-Identifier: Apache-2.0
// The exact bits of sums: one tree, whatever the layout, the device, the threads and the program around it.
#include "support/devices.hpp"
#include "support/layouts.hpp"
#include "support/main.hpp"
#include "support/operations.hpp"
#include "support/sum_tree.hpp"

namespace {

using namespace xp_test;
using oracle::Extents;
using oracle::Flavour;
using oracle::Rng;
using xp::Array;

class Sum : public OnDevice {};

// Sizes about every boundary of the tree: lanes, rows, blocks, blocks of blocks.
std::vector<Index> tree_sizes(bool interpreted) {
  std::vector<Index> result;
  for (Index n = 0; n <= 140; ++n) result.push_back(n);
  for (const Index n :
       {191, 192, 193, 1000, 2047, 4032, 4033, 4064, 4095, 4096, 4097, 4128, 4160, 8191, 8192, 8193, 12288, 20000})
    result.push_back(n);
  if (!interpreted)
    for (const Index n : {Index{100003}, Index{262143}, Index{262144}, Index{262145}, Index{1000000}})
      result.push_back(n);
  return result;
}

TEST_P(Sum, FloatBitsAreThoseOfTheTree) {
  Rng rng(1);
  for (const DType dtype : {xp::float32, xp::float64, xp::complex64, xp::complex128, xp::float16, xp::bfloat16}) {
    for (const Index n : tree_sizes(interpreted())) {
      const Buffer values = oracle::random_buffer(dtype, n, rng, Flavour::finite);
      ASSERT_TRUE(oracle::equal(xp::sum(oracle::upload(values, {n}, device)), oracle::sum(values)))
          << xp::name(dtype) << ", " << n;
    }
  }
}

TEST_P(Sum, TheTreeBeyondOneLevelOfBlocks) {
  if (interpreted()) GTEST_SKIP() << "too slow on an interpreter";
  // 4096 blocks of 4096 and a bit: a third level.
  Rng rng(2);
  const Index n = 4096 * 4096 + 4097;
  const Buffer values = oracle::random_buffer(xp::float32, n, rng, Flavour::finite);
  EXPECT_TRUE(oracle::equal(xp::sum(oracle::upload(values, {n}, device)), oracle::sum(values)));
}

TEST_P(Sum, EveryDTypeAndLayout) {
  Rng rng(3);
  for (const DType dtype : all_dtypes) {
    for (const Layout layout : layouts) {
      for (const Index size : sizes) {
        if (size > 2000 && interpreted()) continue;
        const auto shapes = shapes_of(size);
        const Extents& shape = shapes[static_cast<std::size_t>(rng.below(static_cast<Index>(shapes.size())))];
        const LaidOut x = lay_out(oracle::random_buffer(dtype, oracle::product(shape), rng, Flavour::finite), shape,
                                  layout, device, rng);
        const Array total = xp::sum(x.array);
        ASSERT_EQ(total.ndim(), 0);
        ASSERT_TRUE(oracle::equal(total, oracle::sum(x.values)))
            << xp::name(dtype) << ", layout " << name(layout) << ", shape " << xp::to_string(xp::Shape(shape));
      }
    }
  }
}

TEST_P(Sum, FusedWithWhatItSums) {
  Rng rng(4);
  for (const Index size : {Index{0}, Index{1}, Index{33}, Index{1025}, Index{100003}}) {
    if (size > 2000 && interpreted()) continue;
    for (const Layout layout : layouts) {
      const auto shapes = shapes_of(size);
      const Extents& shape = shapes[static_cast<std::size_t>(rng.below(static_cast<Index>(shapes.size())))];
      const Index n = oracle::product(shape);
      const LaidOut x =
          lay_out(oracle::random_buffer(xp::float64, n, rng, Flavour::finite), shape, layout, device, rng);
      const LaidOut y =
          lay_out(oracle::random_buffer(xp::float64, n, rng, Flavour::finite), shape, Layout::c, device, rng);
      const Buffer want = oracle::sum(oracle::apply(Op::multiply, x.values, y.values));
      for (const bool fuse : {true, false}) {
        xp::set_fusion(fuse);
        ASSERT_TRUE(oracle::equal(xp::sum(x.array * y.array), want)) << name(layout) << ", fused " << fuse;
        // The product is kept: stored and summed in one pass.
        const Array product = x.array * y.array;
        ASSERT_TRUE(oracle::equal(xp::sum(product), want)) << name(layout) << ", kept, fused " << fuse;
        ASSERT_TRUE(oracle::equal(product, oracle::apply(Op::multiply, x.values, y.values)));
        // A mask counts; the sum is of another width than what is compared.
        ASSERT_TRUE(
            oracle::equal(xp::sum(x.array > y.array), oracle::sum(oracle::apply(Op::greater, x.values, y.values))));
        const Array narrow = x.array.astype(xp::float32);
        ASSERT_TRUE(oracle::equal(xp::sum(narrow * narrow),
                                  oracle::sum(oracle::apply(Op::multiply, oracle::cast(x.values, xp::float32),
                                                            oracle::cast(x.values, xp::float32)))));
      }
    }
  }
}

TEST_P(Sum, OfManyAxesInTheOrderOfTheArrayItself) {
  Rng rng(6);
  const Extents shape{2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2};
  const Buffer values = oracle::random_buffer(xp::float32, oracle::product(shape), rng, Flavour::finite);
  const oracle::View view = oracle::View::of(values, shape).transpose();
  const Array x = oracle::upload(values, xp::Shape(shape), device).T();
  EXPECT_TRUE(oracle::equal(xp::sum(x), oracle::sum(view.gather())));
  EXPECT_TRUE(oracle::equal(xp::sum(x * 1), oracle::sum(view.gather())));
  EXPECT_TRUE(oracle::equal(xp::sum(x + x), oracle::sum(oracle::apply(Op::add, view.gather(), view.gather()))));
}

TEST_P(Sum, Literals) {
  EXPECT_EQ(xp::sum(xp::array({1.5, 2.0, -0.5}, device)).item<double>(), 3.0);
  EXPECT_EQ(xp::sum(xp::array({true, false, true}, device)).item<std::int64_t>(), 2);
  EXPECT_EQ(xp::sum(xp::ones({70000}, xp::uint8, device)).item<std::uint64_t>(), 70000u);
  EXPECT_EQ(xp::sum(xp::full({300}, -128, xp::int8, device)).item<std::int64_t>(), -38400);
  // Integers wrap in 64 bits.
  EXPECT_EQ(xp::sum(xp::full({2}, std::numeric_limits<std::int64_t>::max(), {}, device)).item<std::int64_t>(), -2);
  // float32 accumulates in float32, halves too, and are rounded once, at the end.
  EXPECT_EQ(static_cast<float>(xp::sum(xp::ones({4097}, xp::float16, device)).to_vector<xp::Half>()[0]), 4096.0f);
  EXPECT_EQ(static_cast<float>(xp::sum(xp::full({5000}, 20, xp::float16, device)).to_vector<xp::Half>()[0]),
            std::numeric_limits<float>::infinity());
}

TEST_P(Sum, ResultDTypes) {
  for (const DType dtype : all_dtypes) {
    EXPECT_EQ(xp::sum(xp::zeros({3}, dtype, device)).dtype(), oracle::sum_result(dtype)) << xp::name(dtype);
    const Array none = xp::sum(xp::zeros({0}, dtype, device));
    EXPECT_EQ(none.dtype(), oracle::sum_result(dtype));
    EXPECT_TRUE(oracle::equal(none, Buffer(oracle::sum_result(dtype), 1))) << xp::name(dtype);
  }
}

TEST_P(Sum, SpecialValues) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(xp::sum(xp::array({1.0, std::nan(""), inf}, device)).item<double>()));
  EXPECT_TRUE(std::isnan(xp::sum(xp::array({inf, -inf}, device)).item<double>()));
  EXPECT_EQ(xp::sum(xp::array({1e308, 1e308, -1e308}, device)).item<double>(), 1e308);  // lane 0 meets lane 2 first
}

TEST_P(Sum, OfZeroDimensionalAndNumbers) {
  EXPECT_EQ(xp::sum(xp::full({}, 2.5, {}, device)).item<double>(), 2.5);
  xp::set_default_device(device);
  EXPECT_EQ(xp::sum(7).item<std::int64_t>(), 7);
}

XP_INSTANTIATE_ON_DEVICES(Sum);

}  // namespace
