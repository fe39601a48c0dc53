// SPDX-License-Identifier: Apache-2.0
// Results of NumPy (golden/ops.txt) against ours.
#include <gtest/gtest.h>
#include <xp/xp.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/half.hpp"
#include "golden/reader.hpp"
#include "support/devices.hpp"
#include "support/main.hpp"

namespace {

using xp::DType;
using xp::Operand;

// Both parts of element i, a real number's second one is 0.
std::complex<double> element(const std::vector<std::byte>& bytes, DType dtype, std::size_t i) {
  const std::byte* at = bytes.data() + i * static_cast<std::size_t>(xp::itemsize(dtype));
  const auto read = [at]<class T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  switch (dtype) {
    case DType::float16:
      return xp::detail::half_value(read(std::uint16_t{}));
    case DType::bfloat16:
      return xp::detail::bfloat16_value(read(std::uint16_t{}));
    case DType::float32:
      return read(float{});
    case DType::float64:
      return read(double{});
    case DType::complex64:
      return read(std::complex<float>{});
    default:
      return read(std::complex<double>{});
  }
}

double epsilon(DType dtype) {
  if (dtype == DType::float16) return 0x1p-10;
  if (dtype == DType::bfloat16) return 0x1p-7;
  return dtype == DType::float32 || dtype == DType::complex64 ? 0x1p-23 : 0x1p-52;
}

bool close(double got, double want, double tolerance) {
  if (std::isnan(want)) return std::isnan(got);
  if (got == want) return std::signbit(got) == std::signbit(want);
  return std::abs(got - want) <= tolerance;  // false for infinities
}

// Bits, apart from NaN's sign and payload, or within `ulps` of the greater part.
testing::AssertionResult agrees(const golden::Value& want, const std::vector<std::byte>& got, double ulps) {
  if (got == want.bytes) return testing::AssertionSuccess();
  if (xp::kind(want.dtype) < xp::DTypeKind::real) return testing::AssertionFailure() << "integers differ";
  for (std::size_t i = 0; i < got.size() / static_cast<std::size_t>(xp::itemsize(want.dtype)); ++i) {
    const std::complex<double> a = element(got, want.dtype, i), b = element(want.bytes, want.dtype, i);
    const double tolerance = ulps * epsilon(want.dtype) * std::max(std::abs(b.real()), std::abs(b.imag()));
    if (!close(a.real(), b.real(), tolerance) || !close(a.imag(), b.imag(), tolerance))
      return testing::AssertionFailure() << "element " << i << ": got " << a << ", want " << b;
  }
  return testing::AssertionSuccess();
}

class Operations : public xp_test::OnDevice {
 protected:
  xp::Array call(const std::string& op, const std::vector<Operand>& x) const {
    if (op == "add") return x[0] + x[1];
    if (op == "subtract") return x[0] - x[1];
    if (op == "multiply") return x[0] * x[1];
    if (op == "divide") return x[0] / x[1];
    if (op == "equal") return x[0] == x[1];
    if (op == "not_equal") return x[0] != x[1];
    if (op == "less") return x[0] < x[1];
    if (op == "less_equal") return x[0] <= x[1];
    if (op == "greater") return x[0] > x[1];
    if (op == "greater_equal") return x[0] >= x[1];
    if (op == "negative") return -x[0];
    if (op == "absolute") return xp::abs(x[0]);
    if (op == "sqrt") return xp::sqrt(x[0]);
    if (op == "exp") return xp::exp(x[0]);
    if (op == "where") return xp::where(x[0], x[1], x[2]);
    if (op == "sum") return xp::sum(x[0]);
    if (op.starts_with("astype:")) return x[0].array().astype(xp::dtype_from_name(op.substr(7)));
    throw std::runtime_error("unknown operation " + op);
  }

  Operand operand(const golden::OpFile& file, const std::string& text) {
    if (text.starts_with("py:bool:")) return text.ends_with("1");
    if (text.starts_with("py:float:")) return std::stod(text.substr(9));
    if (text.starts_with("py:int:-")) return std::stoll(text.substr(7));
    if (text.starts_with("py:int:")) return std::stoull(text.substr(7));
    auto found = arrays.find(text);
    if (found == arrays.end()) found = arrays.emplace(text, file.arrays.at(text).array(device)).first;
    return found->second;
  }

  std::map<std::string, xp::Array> arrays;
};

TEST_P(Operations, AgreeWithNumPy) {
  const golden::OpFile file = golden::read_operations(XP_GOLDEN_DIR "/ops.txt");
  ASSERT_GT(file.cases.size(), 1000u);
  for (const golden::OpCase& item : file.cases) {
    std::string text = "ops.txt:" + std::to_string(item.line) + ": " + item.op;
    for (const std::string& name : item.operands) text += ' ' + name;
    SCOPED_TRACE(text);
    std::vector<Operand> operands;
    for (const std::string& name : item.operands) operands.push_back(operand(file, name));
    if (item.error == "ShapeError") {
      EXPECT_THROW(call(item.op, operands), xp::ShapeError);
      continue;
    }
    if (item.error == "DTypeError") {
      EXPECT_THROW(call(item.op, operands), xp::DTypeError);
      continue;
    }
    ASSERT_EQ(item.error, "");
    try {
      const xp::Array result = call(item.op, operands);
      EXPECT_EQ(xp::name(result.dtype()), xp::name(item.result.dtype));
      EXPECT_EQ(result.shape(), item.result.shape);
      if (result.dtype() != item.result.dtype || result.shape() != item.result.shape) continue;
      std::vector<std::byte> bytes(item.result.bytes.size());
      result.copy_to_host(bytes.data());
      const bool complex = !operands[0].is_scalar() && xp::kind(operands[0].array().dtype()) == xp::DTypeKind::complex;
      const bool approximate = item.op == "exp" || (complex && (item.op == "sqrt" || item.op == "absolute"));
      EXPECT_TRUE(agrees(item.result, bytes, approximate ? 4 : 0));
    } catch (const xp::Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

XP_INSTANTIATE_ON_DEVICES(Operations);

}  // namespace
