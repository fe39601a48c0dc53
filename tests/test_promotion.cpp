// SPDX-License-Identifier: Apache-2.0
// Result dtypes: NumPy 2's promotion between arrays, and C++ numbers as weak operands on either side.
#include <array>
#include <fstream>
#include <map>

#include "support/devices.hpp"
#include "support/layouts.hpp"
#include "support/main.hpp"
#include "support/operations.hpp"

namespace {

using namespace xp_test;
using oracle::Rng;
using oracle::Value;
using xp::Array;
using xp::Scalar;

TEST(Promotion, LiteralsCheckedByEye) {
  using xp::promote_types;
  EXPECT_EQ(promote_types(xp::int8, xp::uint8), xp::int16);
  EXPECT_EQ(promote_types(xp::int64, xp::uint64), xp::float64);
  EXPECT_EQ(promote_types(xp::int32, xp::uint32), xp::int64);
  EXPECT_EQ(promote_types(xp::bool_, xp::uint8), xp::uint8);
  EXPECT_EQ(promote_types(xp::bool_, xp::float16), xp::float16);
  EXPECT_EQ(promote_types(xp::int8, xp::float16), xp::float16);
  EXPECT_EQ(promote_types(xp::int16, xp::float16), xp::float32);
  EXPECT_EQ(promote_types(xp::int16, xp::float32), xp::float32);
  EXPECT_EQ(promote_types(xp::int32, xp::float32), xp::float64);
  EXPECT_EQ(promote_types(xp::int64, xp::float32), xp::float64);
  EXPECT_EQ(promote_types(xp::float32, xp::float64), xp::float64);
  EXPECT_EQ(promote_types(xp::float16, xp::complex64), xp::complex64);
  EXPECT_EQ(promote_types(xp::float64, xp::complex64), xp::complex128);
  EXPECT_EQ(promote_types(xp::int32, xp::complex64), xp::complex128);
  EXPECT_EQ(promote_types(xp::float16, xp::bfloat16), xp::float32);
  EXPECT_EQ(promote_types(xp::bfloat16, xp::float32), xp::float32);
}

TEST(Promotion, IsCommutativeAndHoldsBothOperands) {
  for (const DType a : all_dtypes) {
    EXPECT_EQ(xp::promote_types(a, a), a);
    for (const DType b : all_dtypes) {
      const DType both = xp::promote_types(a, b);
      EXPECT_EQ(both, xp::promote_types(b, a));
      EXPECT_EQ(both, xp::promote_types(both, a)) << xp::name(a) << ' ' << xp::name(b);
    }
  }
}

// Rows of three cells, after a header.
std::vector<std::array<std::string, 3>> read_table(const std::string& name) {
  std::ifstream file(std::string(XP_GOLDEN_DIR) + "/" + name);
  std::vector<std::array<std::string, 3>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::array<std::string, 3> cells;
    std::istringstream in(line);
    for (std::string& cell : cells) std::getline(in, cell, ',');
    rows.push_back(cells);
  }
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

TEST(Promotion, AgreesWithNumPy) {
  const auto rows = read_table("promotion.csv");
  EXPECT_EQ(rows.size(), xp::dtype_count * xp::dtype_count);
  for (const auto& [a, b, result] : rows)
    EXPECT_EQ(xp::name(xp::promote_types(xp::dtype_from_name(a), xp::dtype_from_name(b))), result) << a << ' ' << b;
}

TEST(Promotion, OfWeakNumbersAgreesWithNumPy) {
  const std::map<std::string, Scalar> numbers{
      {"bool", true}, {"int", 1}, {"float", 1.0}, {"complex", std::complex<double>(1, 1)}};
  const auto rows = read_table("weak.csv");
  EXPECT_EQ(rows.size(), xp::dtype_count * numbers.size());
  for (const auto& [dtype, kind, result] : rows) {
    const Array x = xp::ones({2}, xp::dtype_from_name(dtype), device_names().at(0));
    EXPECT_EQ(xp::name((x + numbers.at(kind)).dtype()), result) << dtype << ' ' << kind;
  }
}

TEST(Promotion, SameKindCasts) {
  EXPECT_TRUE(xp::can_cast_same_kind(xp::float64, xp::float16));
  EXPECT_TRUE(xp::can_cast_same_kind(xp::int64, xp::int8));
  EXPECT_TRUE(xp::can_cast_same_kind(xp::uint64, xp::int8));
  EXPECT_FALSE(xp::can_cast_same_kind(xp::int8, xp::uint64));
  EXPECT_FALSE(xp::can_cast_same_kind(xp::float16, xp::int64));
  EXPECT_FALSE(xp::can_cast_same_kind(xp::complex64, xp::float64));
  EXPECT_FALSE(xp::can_cast_same_kind(xp::int8, xp::bool_));
  EXPECT_TRUE(xp::can_cast_same_kind(xp::bool_, xp::int8));
}

Buffer repeated(const Value& value, Index count) {
  Buffer result(value.dtype, count);
  for (Index i = 0; i < count; ++i) result.set(i, value);
  return result;
}

class WeakScalars : public OnDevice {};

TEST_P(WeakScalars, OnEitherSideOfEveryBinaryRow) {
  const Scalar scalars[] = {true,
                            0,
                            1,
                            7,
                            -3,
                            2u,
                            0.1,
                            -0.0,
                            3.0f,
                            1e300,
                            std::numeric_limits<double>::infinity(),
                            std::complex<float>(1.5f, -2.0f),
                            std::complex<double>(0.1, 0.2)};
  Rng rng(11);
  for (const DType dtype : all_dtypes) {
    const Buffer values = oracle::random_buffer(dtype, 37, rng);
    const Array x = oracle::upload(values, {37}, device);
    for (const Scalar& scalar : scalars) {
      const DType common = with_scalar(dtype, scalar.kind());
      if (xp::kind(dtype) == xp::DTypeKind::unsigned_integer && scalar.kind() == Scalar::Kind::integer &&
          scalar.integer() < 0)
        continue;  // has a test of its own
      const Buffer number = repeated(oracle::convert(value_of(scalar), common), 37);
      const Buffer wide = oracle::cast(values, common);
      const std::string where = std::string(xp::name(dtype)) + " with " + oracle::text(value_of(scalar));
      for (const Op op : callable_rows()) {
        if (!is_binary(op)) continue;
        const DType type = computed_in(op, common);
        if (!oracle::computes_in(op, type)) {
          EXPECT_THROW(call(op, x, scalar), xp::DTypeError) << xp::info(op).name << " of " << where;
          continue;
        }
        if (needs_finite(op, type)) continue;
        const oracle::Tolerance tolerance = tolerance_of(op, type, GetParam());
        const bool powers = forbids_negative_exponents(op, type);
        if (powers && scalar.integer() < 0) {
          EXPECT_THROW(call(op, x, scalar), xp::DTypeError) << where;
          continue;
        }
        ASSERT_TRUE(oracle::equal(call(op, x, scalar), expected(op, wide, number), tolerance))
            << xp::info(op).name << " of " << where;
        const Buffer second = powers ? without_sign(values) : values;
        ASSERT_TRUE(oracle::equal(call(op, scalar, powers ? oracle::upload(second, {37}, device) : x),
                                  expected(op, number, oracle::cast(second, common)), tolerance))
            << xp::info(op).name << " of " << where << " on the left";
      }
      const Buffer mask = oracle::random_buffer(xp::bool_, 37, rng);
      const Array m = oracle::upload(mask, {37}, device);
      ASSERT_TRUE(oracle::equal(xp::where(m, x, scalar), oracle::where(mask, wide, number))) << "where of " << where;
      ASSERT_TRUE(oracle::equal(xp::where(m, scalar, x), oracle::where(mask, number, wide))) << "where of " << where;

      Array target = x.copy();
      Buffer want = values;
      if (xp::can_cast_same_kind(common, dtype)) {
        target += scalar;
        want = oracle::cast(expected(Op::add, wide, number), dtype);
      } else {
        EXPECT_THROW(target += scalar, xp::DTypeError) << where;
      }
      ASSERT_TRUE(oracle::equal(target, want)) << "in-place add of " << where;
    }
  }
}

TEST_P(WeakScalars, LiteralsKeepTheirPrecision) {
  const Array x = xp::array({1.0}, device);
  EXPECT_EQ((x * 0.1).item<double>(), 0.1);
  EXPECT_EQ((x.astype(xp::float32) * 0.1).item<float>(), 0.1f);
  EXPECT_EQ((xp::zeros({1}, xp::int64, device) + std::int64_t{9007199254740993}).item<std::int64_t>(),
            9007199254740993);
  EXPECT_EQ((xp::zeros({1}, xp::uint64, device) + std::numeric_limits<std::uint64_t>::max()).item<std::uint64_t>(),
            std::numeric_limits<std::uint64_t>::max());
  // One rounding from an integer to float32, not two through float64: 2^54 + 2^30 + 1 is just above a tie.
  const std::int64_t above_tie = (std::int64_t{1} << 54) + (std::int64_t{1} << 30) + 1;
  EXPECT_EQ((xp::zeros({1}, xp::float32, device) + above_tie).item<float>(), static_cast<float>(above_tie));
}

TEST_P(WeakScalars, ZeroDimensionalArraysAreStrong) {
  const Array f32 = xp::ones({3}, xp::float32, device);
  const Array f64 = xp::full({}, 2.0, xp::float64, device);
  EXPECT_EQ((f32 * f64).dtype(), xp::float64);
  EXPECT_EQ((f64 * f32).dtype(), xp::float64);
  EXPECT_EQ((xp::ones({3}, xp::int8, device) + xp::full({}, 1, xp::int64, device)).dtype(), xp::int64);
}

TEST_P(WeakScalars, IntegersOutOfRangeAreRefused) {
  const Array u8 = xp::ones({3}, xp::uint8, device), i8 = xp::ones({3}, xp::int8, device);
  EXPECT_THROW(u8 + 256, xp::DTypeError);
  EXPECT_THROW(u8 + -1, xp::DTypeError);
  EXPECT_THROW(128 + i8, xp::DTypeError);
  EXPECT_THROW(xp::ones({3}, xp::uint64, device) * -1, xp::DTypeError);
  EXPECT_NE(message_of<xp::DTypeError>([&] { u8 + 256; }).find("integer 256 out of bounds for uint8"),
            std::string::npos);
  EXPECT_NO_THROW(u8 + 255);
  EXPECT_NO_THROW(i8 + -128);
  Array target = u8.copy();
  EXPECT_THROW(target += 300, xp::DTypeError);
  EXPECT_THROW(target += 1.5, xp::DTypeError);  // float64 does not go into uint8
  EXPECT_EQ(target.to_vector<std::uint8_t>(), (std::vector<std::uint8_t>{1, 1, 1}));
}

TEST_P(WeakScalars, TwoNumbersGiveAnArrayOfTheDefaultDType) {
  xp::set_default_device(device);
  EXPECT_EQ(xp::add(1, 2).dtype(), xp::int64);
  EXPECT_EQ(xp::add(1, 2).item<std::int64_t>(), 3);
  EXPECT_EQ(xp::divide(1, 2).item<double>(), 0.5);
  EXPECT_EQ(xp::add(true, 2.5).item<double>(), 3.5);
  EXPECT_EQ(xp::where(xp::array({true, false}, device), 1.0, 2).to_vector<double>(), (std::vector<double>{1, 2}));
}

TEST_P(WeakScalars, ConditionsOfEveryDType) {
  Rng rng(29);
  for (const DType dtype : all_dtypes) {
    const Buffer values = oracle::random_buffer(dtype, 100, rng);
    Buffer condition = values;
    for (Index i = 0; i < 100; i += 3) condition.set(i, oracle::convert(Value::of(false), dtype));
    const Buffer got =
        oracle::read(xp::where(oracle::upload(condition, {100}, device), oracle::upload(values, {100}, device), 0));
    const Buffer zeros = oracle::cast(repeated(Value::of(false), 100), got.dtype);
    EXPECT_TRUE(
        oracle::equal(got, oracle::where(oracle::cast(condition, xp::bool_), oracle::cast(values, got.dtype), zeros)))
        << xp::name(dtype);
  }
}

XP_INSTANTIATE_ON_DEVICES(WeakScalars);

}  // namespace
