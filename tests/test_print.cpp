// SPDX-License-Identifier: Apache-2.0
// Printing against NumPy's own output (golden/print.txt), literals, and what a summary transfers.
#include <gtest/gtest.h>
#include <xp/xp.hpp>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "core/half.hpp"
#include "golden/reader.hpp"
#include "io/decimal.hpp"
#include "io/format.hpp"
#include "support/devices.hpp"
#include "support/main.hpp"

namespace {

// ---- Host side

// The elements of a value that printing shows, picked one by one.
xp::detail::PrintData print_data(const golden::Value& value, const xp::PrintOptions& options) {
  xp::detail::PrintData data{value.dtype, value.shape, xp::detail::printed_shape(value.shape, options), {}};
  const auto itemsize = static_cast<std::size_t>(xp::itemsize(value.dtype));
  const xp::Index count = xp::element_count(value.shape);
  for (xp::Index flat = 0; flat < count; ++flat) {
    bool kept = true;
    xp::Index rest = flat;
    for (std::size_t axis = value.shape.size(); axis-- > 0;) {
      const xp::Index extent = value.shape[axis], i = rest % extent;
      rest /= extent;
      if (data.kept[axis] != extent) kept = kept && (i < options.edgeitems || i >= extent - options.edgeitems);
    }
    if (!kept) continue;
    const std::byte* element = value.bytes.data() + static_cast<std::size_t>(flat) * itemsize;
    data.bytes.insert(data.bytes.end(), element, element + itemsize);
  }
  return data;
}

TEST(Format, AgreesWithNumPy) {
  const std::vector<golden::PrintCase> cases = golden::read_print_cases(XP_GOLDEN_DIR "/print.txt");
  ASSERT_GT(cases.size(), 500u);
  for (const golden::PrintCase& item : cases) {
    const xp::detail::PrintData data = print_data(item.value, item.options);
    EXPECT_EQ(xp::detail::format_str(data, item.options), item.str) << "print.txt:" << item.line;
    EXPECT_EQ(xp::detail::format_repr(data, item.options), item.repr) << "print.txt:" << item.line;
  }
}

std::string bfloat16_repr(const std::vector<float>& values) {
  xp::detail::PrintData data;
  data.dtype = xp::bfloat16;
  data.shape = data.kept = xp::Shape{static_cast<xp::Index>(values.size())};
  for (const float value : values) {
    const xp::BFloat16 element(value);
    const auto* bytes = reinterpret_cast<const std::byte*>(&element.bits);
    data.bytes.insert(data.bytes.end(), bytes, bytes + 2);
  }
  return xp::detail::format_repr(data, {});
}

TEST(Format, BFloat16HasTheFewestDigits) {
  EXPECT_EQ(bfloat16_repr({1, 2.5, -0.25}), "array([ 1.  ,  2.5 , -0.25], dtype=bfloat16)");
  EXPECT_EQ(bfloat16_repr({1.0f / 3, 0.1f}), "array([0.334, 0.1  ], dtype=bfloat16)");
  EXPECT_EQ(bfloat16_repr({256, 512}), "array([256., 512.], dtype=bfloat16)");
  EXPECT_EQ(bfloat16_repr({1e10f, NAN}), "array([1.e+10,    nan], dtype=bfloat16)");
  EXPECT_EQ(bfloat16_repr({3.3895314e38f}), "array([3.39e+38], dtype=bfloat16)");
}

TEST(Format, EdgeItemsIsAtLeastOne) {
  xp::PrintOptions options;
  options.threshold = 3;
  options.edgeitems = 0;
  EXPECT_EQ(xp::detail::printed_shape(xp::Shape{100, 2}, options), (xp::Shape{2, 2}));
}

TEST(Decimal, SixteenBitFloatsReadBack) {
  for (const xp::DType dtype : {xp::float16, xp::bfloat16}) {
    for (unsigned bits = 0; bits < 0x8000; ++bits) {
      const auto pattern = static_cast<std::uint16_t>(bits);
      const double value = dtype == xp::float16 ? xp::detail::half_value(pattern) : xp::detail::bfloat16_value(pattern);
      if (!std::isfinite(value)) continue;
      const xp::detail::Decimal decimal = xp::detail::shortest(value, dtype);
      ASSERT_LE(decimal.digits.size(), 5u);
      const double back = std::stod(decimal.digits.substr(0, 1) + "." + decimal.digits.substr(1) + "e" +
                                    std::to_string(decimal.exponent));
      ASSERT_EQ(xp::detail::round_to_dtype(back, dtype), value) << "bits " << bits;
    }
  }
}

// ---- Halves

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(xp::Half(1.0f).bits, 0x3c00);
  EXPECT_EQ(xp::Half(-0.0f).bits, 0x8000);
  EXPECT_EQ(xp::Half(1.0f + 0x1p-11f).bits, 0x3c00);     // tie, down to even
  EXPECT_EQ(xp::Half(1.0f + 0x3p-11f).bits, 0x3c02);     // tie, up to even
  EXPECT_EQ(xp::Half(1.0f + 0x1.01p-11f).bits, 0x3c01);  // above a tie
  EXPECT_EQ(xp::Half(65519.0f).bits, 0x7bff);
  EXPECT_EQ(xp::Half(65520.0f).bits, 0x7c00);
  EXPECT_EQ(xp::Half(INFINITY).bits, 0x7c00);
  EXPECT_EQ(xp::Half(0x1p-24f).bits, 0x0001);
  EXPECT_EQ(xp::Half(0x1p-25f).bits, 0x0000);      // tie, down to even
  EXPECT_EQ(xp::Half(0x1.8p-24f).bits, 0x0002);    // tie, up to even
  EXPECT_EQ(xp::Half(0x1.ffep-15f).bits, 0x0400);  // rounds up into the normal numbers
  EXPECT_TRUE(std::isnan(static_cast<float>(xp::Half(NAN))));
  // In one rounding from double: through float this would be a tie.
  EXPECT_EQ(xp::detail::half_bits(1.0 + 0x1p-11 + 0x1p-40), 0x3c01);
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    xp::Half half;
    half.bits = static_cast<std::uint16_t>(bits);
    const float value = static_cast<float>(half);
    if (std::isnan(value))
      EXPECT_GT(xp::Half(value).bits & 0x7fff, 0x7c00);
    else
      EXPECT_EQ(xp::Half(value).bits, bits);
  }
}

TEST(BFloat16, RoundsToNearestEven) {
  EXPECT_EQ(xp::BFloat16(1.0f).bits, 0x3f80);
  EXPECT_EQ(xp::BFloat16(1.0f + 0x1p-8f).bits, 0x3f80);
  EXPECT_EQ(xp::BFloat16(1.0f + 0x3p-8f).bits, 0x3f82);
  EXPECT_EQ(xp::BFloat16(3.4e38f).bits, 0x7f80);
  EXPECT_EQ(xp::BFloat16(-INFINITY).bits, 0xff80);
  EXPECT_TRUE(std::isnan(static_cast<float>(xp::BFloat16(NAN))));
  EXPECT_EQ(xp::BFloat16(std::bit_cast<float>(0x7f800001u)).bits & 0x7fff, 0x7fc0);  // never infinity
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    xp::BFloat16 value;
    value.bits = static_cast<std::uint16_t>(bits);
    if (!std::isnan(static_cast<float>(value))) {
      EXPECT_EQ(xp::BFloat16(static_cast<float>(value)).bits, bits);
    }
  }
}

// ---- Arrays

class Print : public xp_test::OnDevice {};

TEST_P(Print, ArraysAgreeWithNumPy) {
  for (const golden::PrintCase& item : golden::read_print_cases(XP_GOLDEN_DIR "/print.txt")) {
    const xp::Array array = item.value.array(device);
    EXPECT_EQ(xp::to_string(array, item.options), item.str) << "print.txt:" << item.line;
    EXPECT_EQ(xp::repr(array, item.options), item.repr) << "print.txt:" << item.line;
  }
}

TEST_P(Print, ViewsAndStreams) {
  const xp::Array x = xp::array({{1.0, 2.0}, {3.0, 4.0}}, device);
  std::ostringstream stream;
  stream << x.T();
  EXPECT_EQ(stream.str(), "[[1. 3.]\n [2. 4.]]");
  EXPECT_EQ(xp::repr(x(1)), "array([3., 4.])");
  EXPECT_EQ(xp::to_string(x(xp::all, xp::slice(xp::none, xp::none, -1))), "[[2. 1.]\n [4. 3.]]");
  EXPECT_THROW(xp::to_string(xp::Array()), xp::Error);
}

TEST_P(Print, SummariesFetchTheEdgesOnly) {
  // 70 x 80 x 90 float64: every axis is cut on the device or on the host; the numbers tell where they come from.
  const xp::Array x = xp::arange(70 * 80 * 90, {}, device).reshape({70, 80, 90});
  xp::synchronize();
  const std::uint64_t before = xp::stats().device_to_host_bytes;
  const std::string text = xp::to_string(x);
  const std::uint64_t moved = xp::stats().device_to_host_bytes - before;
  EXPECT_LE(moved, 64u * 1024u);
  EXPECT_TRUE(text.starts_with("[[[     0      1      2 ...     87     88     89]\n  [    90     91     92 ..."))
      << text;
  EXPECT_TRUE(text.ends_with("[503910 503911 503912 ... 503997 503998 503999]]]")) << text;
  // The same array in other memory orders.
  EXPECT_EQ(xp::to_string(x.transpose().copy().transpose()), text);
}

TEST_P(Print, SummariesShowTheRightElements) {
  // Axes that are cut on the device, on the host and not at all.
  for (const xp::Shape& shape :
       {xp::Shape{9000}, xp::Shape{5, 5000, 6}, xp::Shape{3, 2, 1500, 7}, xp::Shape{8, 9, 10, 11}}) {
    golden::Value value{xp::int64, shape, {}};
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(xp::element_count(shape)));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int64_t>(i);
    const auto* bytes = reinterpret_cast<const std::byte*>(numbers.data());
    value.bytes.assign(bytes, bytes + numbers.size() * sizeof(std::int64_t));
    const xp::PrintOptions options;
    EXPECT_EQ(xp::to_string(value.array(device)), xp::detail::format_str(print_data(value, options), options));
  }
}

XP_INSTANTIATE_ON_DEVICES(Print);

}  // namespace
