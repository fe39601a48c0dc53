// SPDX-License-Identifier: Apache-2.0
// Arrays from nothing, from numbers, from host data and from random numbers.
#include "fake_backend/philox.hpp"
#include "support/devices.hpp"
#include "support/layouts.hpp"
#include "support/main.hpp"

namespace {

using namespace xp_test;
using oracle::Buffer;
using oracle::DType;
using oracle::Rng;
using oracle::Value;
using xp::Array;
using Doubles = std::vector<double>;

class Creation : public OnDevice {};

Buffer repeated(const Value& value, DType dtype, Index count) {
  Buffer result(dtype, count);
  for (Index i = 0; i < count; ++i) result.set(i, oracle::convert(value, dtype));
  return result;
}

TEST_P(Creation, ConstantsOfEveryDTypeAndSize) {
  for (const DType dtype : all_dtypes) {
    for (const Index n : {Index{0}, Index{1}, Index{33}, Index{1025}, Index{100003}}) {
      if (n > 2000 && interpreted()) continue;
      ASSERT_TRUE(oracle::equal(xp::zeros({n}, dtype, device), repeated(Value::of(0), dtype, n))) << xp::name(dtype);
      ASSERT_TRUE(oracle::equal(xp::ones({n}, dtype, device), repeated(Value::of(1), dtype, n))) << xp::name(dtype);
      ASSERT_TRUE(oracle::equal(xp::full({n}, 3, dtype, device), repeated(Value::of(3), dtype, n))) << xp::name(dtype);
      const Array e = xp::empty({n}, dtype, device);
      EXPECT_EQ(e.dtype(), dtype);
      EXPECT_EQ(e.size(), n);
    }
  }
}

TEST_P(Creation, ShapesAndDefaults) {
  const Array x = xp::zeros({2, 3, 4}, device);
  EXPECT_EQ(x.shape(), (xp::Shape{2, 3, 4}));
  EXPECT_EQ(x.strides(), (xp::Shape{12, 4, 1}));
  EXPECT_EQ(x.dtype(), xp::float64);
  EXPECT_EQ(x.ndim(), 3);
  EXPECT_EQ(x.size(), 24);
  EXPECT_EQ(x.nbytes(), 192);
  EXPECT_EQ(x.shape(-1), 4);
  EXPECT_THROW(x.shape(3), xp::Error);
  EXPECT_TRUE(x.is_c_contiguous());
  EXPECT_TRUE(x.writeable());
  const Array scalar = xp::ones({}, device);
  EXPECT_EQ(scalar.ndim(), 0);
  EXPECT_EQ(scalar.size(), 1);
  EXPECT_EQ(scalar.item<double>(), 1);
  const Array none = xp::ones({3, 0, 2}, device);
  EXPECT_EQ(none.size(), 0);
  EXPECT_EQ(none.to_vector<double>(), Doubles());
  EXPECT_TRUE(none.is_c_contiguous());
  EXPECT_EQ(xp::zeros(10, device).shape(), (xp::Shape{10}));
}

TEST_P(Creation, FullTakesTheDTypeOfItsNumber) {
  EXPECT_EQ(xp::full({2}, true, device).dtype(), xp::bool_);
  EXPECT_EQ(xp::full({2}, 7, device).dtype(), xp::int64);
  EXPECT_EQ(xp::full({2}, 7u, device).dtype(), xp::int64);
  EXPECT_EQ(xp::full({2}, std::numeric_limits<std::uint64_t>::max(), device).dtype(), xp::uint64);
  EXPECT_EQ(xp::full({2}, 7.0f, device).dtype(), xp::float64);
  EXPECT_EQ(xp::full({2}, std::complex<float>(1, 2), device).dtype(), xp::complex128);
  const double inf = std::numeric_limits<double>::infinity();
  for (const DType dtype : all_dtypes) {
    for (const double value : {0.1, -2.7, 1e300, -1e300, inf, std::nan(""), -0.0})
      ASSERT_TRUE(oracle::equal(xp::full({5}, value, dtype, device), repeated(Value::of(value), dtype, 5)))
          << xp::name(dtype) << ' ' << value;
    const std::complex<double> z(1.5, -2);
    if (dtype >= xp::complex64 || dtype == xp::bool_) {
      ASSERT_TRUE(oracle::equal(xp::full({5}, z, dtype, device), repeated(Value::of(z), dtype, 5))) << xp::name(dtype);
    } else {
      EXPECT_THROW(xp::full({5}, z, dtype, device), xp::DTypeError) << xp::name(dtype);
    }
  }
}

TEST_P(Creation, IntegersOutOfRangeAreRefused) {
  EXPECT_THROW(xp::full({2}, 256, xp::uint8, device), xp::DTypeError);
  EXPECT_THROW(xp::full({2}, -1, xp::uint64, device), xp::DTypeError);
  EXPECT_THROW(xp::full({2}, 128, xp::int8, device), xp::DTypeError);
  EXPECT_THROW(xp::full({2}, -129, xp::int8, device), xp::DTypeError);
  EXPECT_THROW(xp::full({2}, std::numeric_limits<std::uint64_t>::max(), xp::int64, device), xp::DTypeError);
  EXPECT_NE(
      message_of<xp::DTypeError>([&] { xp::full({2}, 256, xp::uint8, device); }).find("256 out of bounds for uint8"),
      std::string::npos);
  EXPECT_EQ(xp::full({1}, -128, xp::int8, device).item<std::int8_t>(), -128);
  EXPECT_EQ(xp::full({1}, 255, xp::uint8, device).item<std::uint8_t>(), 255);
  EXPECT_EQ(xp::full({1}, std::numeric_limits<std::int64_t>::min(), xp::int64, device).item<std::int64_t>(),
            std::numeric_limits<std::int64_t>::min());
}

TEST_P(Creation, HugeAndNegativeShapesAreRefused) {
  const Index huge = Index{1} << 62;
  EXPECT_THROW(xp::zeros({-1}, device), xp::ShapeError);
  EXPECT_THROW(xp::empty({3, -2}, device), xp::ShapeError);
  EXPECT_THROW(xp::empty({huge, 4}, device), xp::ShapeError);
  EXPECT_THROW(xp::zeros({huge}, xp::float64, device), xp::ShapeError);  // 2^65 bytes
  EXPECT_THROW(xp::zeros({huge, huge, huge}, xp::int8, device), xp::ShapeError);
  EXPECT_NE(message_of<xp::ShapeError>([&] { xp::zeros({-1}, device); }).find("negative dimensions are not allowed"),
            std::string::npos);
  EXPECT_NO_THROW(xp::zeros({huge, 0, huge}, device));
  EXPECT_EQ(xp::zeros({huge, 0}, device).size(), 0);
  // Fits 63 bits, but no memory.
  EXPECT_THROW(xp::empty({Index{1} << 50}, xp::float64, device), xp::OutOfMemoryError);
  EXPECT_THROW(xp::eval(xp::zeros({Index{1} << 50}, xp::float64, device)), xp::OutOfMemoryError);
  EXPECT_NO_THROW(xp::synchronize());
}

TEST_P(Creation, LikeKeepsTheMemoryOrder) {
  const Array x = xp::ones({2, 3, 4}, xp::float32, device).transpose({1, 2, 0});
  for (const Array& y : {xp::empty_like(x), xp::zeros_like(x), xp::ones_like(x), xp::full_like(x, 2.5)}) {
    EXPECT_EQ(y.shape(), x.shape());
    EXPECT_EQ(y.strides(), x.strides());
    EXPECT_EQ(y.dtype(), xp::float32);
    EXPECT_EQ(y.device(), x.device());
    EXPECT_FALSE(xp::may_share_memory(x, y));
  }
  EXPECT_EQ(xp::full_like(x, 7, xp::int8)(0, 0, 0).item<std::int8_t>(), 7);
  EXPECT_EQ(xp::sum(xp::zeros_like(x)).item<float>(), 0);
  EXPECT_EQ(xp::sum(xp::ones_like(x, xp::int16)).item<std::int64_t>(), 24);
  EXPECT_THROW(xp::full_like(xp::ones({2}, xp::uint8, device), 300), xp::DTypeError);
  // Gaps and repetition are not kept.
  EXPECT_TRUE(xp::zeros_like(xp::ones({10}, device)(xp::slice(0, 10, 2))).is_c_contiguous());
  EXPECT_TRUE(xp::zeros_like(xp::ones({3}, device).broadcast_to({4, 3})).writeable());
}

TEST_P(Creation, ArangeOfIntegers) {
  auto values = [&](xp::Scalar a, xp::Scalar b, xp::Scalar step) {
    return xp::arange(a, b, step, {}, device).to_vector<std::int64_t>();
  };
  using Integers = std::vector<std::int64_t>;
  // The number 0 is no device name.
  xp::set_default_device(device);
  EXPECT_EQ(xp::arange(-2, 0).to_vector<std::int64_t>(), (Integers{-2, -1}));
  EXPECT_EQ(xp::arange(0, 0).size(), 0);
  EXPECT_EQ(xp::arange(5, {}, device).to_vector<std::int64_t>(), (Integers{0, 1, 2, 3, 4}));
  EXPECT_EQ(values(2, 10, 3), (Integers{2, 5, 8}));
  EXPECT_EQ(values(2, 11, 3), (Integers{2, 5, 8}));
  EXPECT_EQ(values(2, 12, 3), (Integers{2, 5, 8, 11}));
  EXPECT_EQ(values(5, 0, -2), (Integers{5, 3, 1}));
  EXPECT_EQ(values(0, 5, -1), Integers());
  EXPECT_EQ(values(5, 5, 1), Integers());
  const std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(values(most - 2, most, 1), (Integers{most - 2, most - 1}));
  EXPECT_EQ(values(least, most, most), (Integers{least, -1, most - 1}));
  EXPECT_EQ(values(most, least, least), (Integers{most, -1}));
  EXPECT_EQ(xp::arange(3, {}, device).dtype(), xp::int64);
  EXPECT_EQ(xp::arange(0, 300, 100, xp::int16, device).to_vector<std::int16_t>(),
            (std::vector<std::int16_t>{0, 100, 200}));
  EXPECT_EQ(xp::arange(0, 4, 1, xp::complex64, device).to_vector<std::complex<float>>()[3], std::complex<float>(3));
}

TEST_P(Creation, ArangeOfFloats) {
  for (const auto& [start, stop, step] :
       {std::tuple{0.0, 1.0, 0.1}, {0.0, 3.0, 0.7}, {1.0, -2.0, -0.3}, {0.5, 100.0, 1.0}, {1e300, 3e300, 1e299}}) {
    const Array x = xp::arange(start, stop, step, {}, device);
    ASSERT_EQ(x.dtype(), xp::float64);
    ASSERT_EQ(x.size(), static_cast<Index>(std::ceil((stop - start) / step)));
    const Doubles got = x.to_vector<double>();
    // As NumPy fills: start, start + step, then start + i * ((start + step) - start).
    const double delta = (start + step) - start;
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], start + static_cast<double>(i) * delta) << i;
  }
  EXPECT_EQ(xp::arange(0, 1, 0.25, xp::float32, device).to_vector<float>(),
            (std::vector<float>{0, 0.25f, 0.5f, 0.75f}));
  EXPECT_EQ(xp::arange(0.0, 3.0, 1.0, xp::int32, device).to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(xp::arange(3.0, {}, device).dtype(), xp::float64);
}

TEST_P(Creation, ArangeRefusals) {
  EXPECT_THROW(xp::arange(0, 5, 0, {}, device), xp::Error);
  EXPECT_THROW(xp::arange(0, 1, std::nan(""), {}, device), xp::Error);
  EXPECT_THROW(xp::arange(0, std::numeric_limits<double>::infinity(), 1, {}, device), xp::Error);
  EXPECT_THROW(xp::arange(std::complex<double>(1, 1), {}, device), xp::DTypeError);
  EXPECT_THROW(xp::arange(0, 1e30, 1, {}, device), xp::Error);
  // A value on the way does not fit the dtype.
  EXPECT_THROW(xp::arange(300, 302, 1, xp::uint8, device), xp::DTypeError);
}

TEST_P(Creation, Linspace) {
  EXPECT_EQ(xp::linspace(0, 1, 5, true, xp::float64, device).to_vector<double>(), (Doubles{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(xp::linspace(0, 1, 4, false, xp::float64, device).to_vector<double>(), (Doubles{0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(xp::linspace(3, 9, 1, true, xp::float64, device).to_vector<double>(), (Doubles{3}));
  EXPECT_EQ(xp::linspace(3, 9, 1, false, xp::float64, device).to_vector<double>(), (Doubles{3}));
  EXPECT_EQ(xp::linspace(3, 9, 0, true, xp::float64, device).size(), 0);
  EXPECT_EQ(xp::linspace(2, 2, 3, true, xp::float64, device).to_vector<double>(), (Doubles{2, 2, 2}));
  EXPECT_EQ(xp::linspace(0, 10, 50, true, xp::float64, device).size(), 50);
  EXPECT_EQ(xp::linspace(0, 10, 3, true, xp::float32, device).to_vector<float>(), (std::vector<float>{0, 5, 10}));
  EXPECT_EQ(xp::linspace(0, 3, 4, true, xp::int32, device).to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_THROW(xp::linspace(0, 1, -1, true, xp::float64, device), xp::Error);
  const Doubles fine = xp::linspace(-1.1, 2.3, 1001, true, xp::float64, device).to_vector<double>();
  const double step = (2.3 - -1.1) / 1000;
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(fine[i], static_cast<double>(i) * step + -1.1) << i;
  EXPECT_EQ(fine[1000], 2.3);  // exactly, whatever the rounding
}

TEST_P(Creation, FromHostData) {
  EXPECT_EQ(xp::array({1.0, 2.0}, device).dtype(), xp::float64);
  EXPECT_EQ(xp::array({{1, 2, 3}, {4, 5, 6}}, device).shape(), (xp::Shape{2, 3}));
  EXPECT_EQ(xp::array({{1, 2, 3}, {4, 5, 6}}, device).dtype(), xp::int32);
  EXPECT_EQ(xp::array({true, false}, device).to_vector<bool>(), (std::vector<bool>{true, false}));
  EXPECT_EQ(xp::array({1.5f}, device).item<float>(), 1.5f);
  EXPECT_EQ(xp::asarray(std::vector<bool>{false, true}, device).to_vector<bool>(), (std::vector<bool>{false, true}));
  EXPECT_EQ(xp::asarray(Doubles{1, 2, 3, 4, 5, 6}, {2, 3}, device)(1, 0).item<double>(), 4);
  EXPECT_THROW(xp::asarray(Doubles{1, 2, 3}, {2, 2}, device), xp::ShapeError);
  EXPECT_THROW(xp::array({{1, 2}, {3}}, device), xp::ShapeError);
  EXPECT_EQ(xp::asarray(Doubles{}, device).size(), 0);
  const std::vector<std::complex<double>> z{{1, 2}, {3, 4}};
  EXPECT_EQ(xp::asarray(z, device).to_vector<std::complex<double>>(), z);
  Rng rng(1);
  for (const DType dtype : all_dtypes) {
    const Buffer values = oracle::random_buffer(dtype, 777, rng);
    const Array x = oracle::upload(values, {7, 111}, device);
    const Buffer back = oracle::read(x);
    EXPECT_EQ(back.bytes, values.bytes) << xp::name(dtype);  // NaN payloads too
  }
}

TEST_P(Creation, ReadingBackChecksTheType) {
  const Array x = xp::array({1.5}, device);
  EXPECT_THROW(x.to_vector<float>(), xp::DTypeError);
  EXPECT_EQ(x.item<int>(), 1);
  EXPECT_EQ(x.item<bool>(), true);
  EXPECT_EQ(x.item<std::complex<double>>(), 1.5);
  EXPECT_EQ(x.item<long long>(), 1);
  EXPECT_EQ(x.item<long double>(), 1.5L);
  EXPECT_EQ(static_cast<float>(x.item<xp::Half>()), 1.5f);
  EXPECT_THROW(xp::array({1.0, 2.0}, device).item<double>(), xp::ShapeError);
  EXPECT_THROW(xp::zeros({0}, device).item<double>(), xp::ShapeError);
  EXPECT_THROW(xp::full({1}, std::complex<double>(1, 2), device).item<double>(), xp::DTypeError);
  // Rounded once.
  const std::int64_t above_tie = (std::int64_t{1} << 54) + (std::int64_t{1} << 30) + 1;
  EXPECT_EQ(xp::full({1}, above_tie, device).item<float>(), static_cast<float>(above_tie));
  EXPECT_EQ(xp::full({1}, std::numeric_limits<std::uint64_t>::max(), device).item<double>(), 0x1p64);
}

TEST_P(Creation, TruthOfAnArray) {
  EXPECT_TRUE(static_cast<bool>(xp::array({2.0}, device)));
  EXPECT_FALSE(static_cast<bool>(xp::array({0.0}, device)));
  EXPECT_TRUE(static_cast<bool>(xp::full({1, 1}, std::complex<double>(0, 1), device)));
  EXPECT_TRUE(static_cast<bool>(xp::array({std::nan("")}, device)));
  EXPECT_THROW(static_cast<void>(static_cast<bool>(xp::array({1, 2}, device))), xp::ShapeError);
  EXPECT_THROW(static_cast<void>(static_cast<bool>(xp::zeros({0}, device))), xp::ShapeError);
}

TEST_P(Creation, CopiesOfHostDataIntoViews) {
  const Array x = xp::zeros({4, 5}, device);
  const Doubles block{1, 2, 3, 4};
  x(xp::slice(1, 3), xp::slice(0, 4, 2)).copy_from_host(block.data());
  EXPECT_EQ(x.to_vector<double>(), (Doubles{0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 3, 0, 4, 0, 0, 0, 0, 0, 0, 0}));
  // The data are read before the call returns.
  Doubles reused{9, 9, 9, 9, 9};
  x(0).copy_from_host(reused.data());
  reused.assign(5, -1);
  EXPECT_EQ(x(0).to_vector<double>(), Doubles(5, 9));
  // Pending work on the old elements comes first.
  const Array twice = x * 2;
  x(0).copy_from_host(reused.data());
  EXPECT_EQ(twice(0, 0).item<double>(), 18);
}

TEST_P(Creation, TransfersAreCounted) {
  xp::synchronize();
  xp::reset_stats();
  const Array x = xp::asarray(Doubles(100, 1.0), device);
  EXPECT_EQ(xp::stats().host_to_device, 1u);
  EXPECT_EQ(xp::stats().host_to_device_bytes, 800u);
  x(xp::slice(0, 10)).to_vector<double>();
  EXPECT_EQ(xp::stats().device_to_host, 1u);
  EXPECT_EQ(xp::stats().device_to_host_bytes, 80u);
  xp::sum(x).item<double>();
  EXPECT_EQ(xp::stats().device_to_host, 2u);
  EXPECT_EQ(xp::stats().device_to_host_bytes, 88u);
  EXPECT_EQ(xp::stats().operations, 1u);
}

// ---- Random numbers
// ---------------------------------------------------------------------------------------------------

TEST(Philox, KnownAnswers) {
  // Random123's kat_vectors for philox4x32 with 10 rounds.
  EXPECT_EQ(fake::philox({0, 0, 0, 0}, {0, 0}),
            (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(fake::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (std::array<std::uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST_P(Creation, RandomNumbersAreThoseOfTheCounter) {
  for (const Index n : {Index{0}, Index{1}, Index{2}, Index{5}, Index{1023}, Index{100003}}) {
    xp_random_args args{};
    args.seed = 0x123456789abcdef0u;
    args.low = 0;
    args.high = 1;
    xp::random::Generator generator(args.seed, device);
    const Doubles doubles = generator.random({n}).to_vector<double>();
    for (Index i = 0; i < n; ++i) ASSERT_EQ(doubles[static_cast<std::size_t>(i)], fake::uniform64(args, i)) << i;
    args.offset = static_cast<std::uint64_t>(n + 1) / 2;  // the first array's blocks are used up
    args.low = -3;
    args.high = 5;
    const auto floats = generator.uniform(-3, 5, {n}, xp::float32).to_vector<float>();
    for (Index i = 0; i < n; ++i) ASSERT_EQ(floats[static_cast<std::size_t>(i)], fake::uniform32(args, i)) << i;
  }
}

TEST_P(Creation, RandomNumbersAreUniform) {
  xp::random::Generator generator(42, device);
  const Array x = generator.random({20000});
  const Doubles values = x.to_vector<double>();
  for (const double v : values) ASSERT_TRUE(v >= 0 && v < 1);
  EXPECT_NEAR(xp::sum(x).item<double>() / 20000, 0.5, 0.01);
  EXPECT_NEAR(xp::sum(x * x).item<double>() / 20000, 1.0 / 3, 0.01);
  EXPECT_EQ(xp::random::Generator(42, device).random({20000}).to_vector<double>(), values);
  EXPECT_NE(xp::random::Generator(43, device).random({20000}).to_vector<double>(), values);
  EXPECT_EQ(message_of<xp::DTypeError>([&] { generator.random({3}, xp::int32); }),
            "random: unsupported dtype int32; expected float32 or float64");
  EXPECT_EQ(message_of<xp::DTypeError>([&] { generator.uniform(0, 1, {3}, xp::int32); }),
            "uniform: unsupported dtype int32; expected float32 or float64");
  EXPECT_THROW(generator.uniform(0, std::numeric_limits<double>::infinity(), {3}), xp::Error);
  EXPECT_THROW(generator.random({-3}), xp::ShapeError);
}

XP_INSTANTIATE_ON_DEVICES(Creation);

}  // namespace
