// SPDX-License-Identifier: Apache-2.0
// Every operation against results that NumPy computed (golden/ops.txt).
#include <algorithm>

#include "golden/reader.hpp"
#include "support/devices.hpp"
#include "support/main.hpp"
#include "support/operations.hpp"

namespace {

using namespace xp_test;
using xp::Array;
using xp::Index;

class Golden : public OnDevice {
 protected:
  static const golden::OpFile& file() {
    static const golden::OpFile contents = golden::read_operations(std::string(XP_TEST_DATA) + "/ops.txt");
    return contents;
  }

  // An array's name, or "py:int:3".
  xp::Operand operand(const std::string& text, std::map<std::string, Array>& arrays) const {
    if (text.rfind("py:", 0) == 0) {
      const std::size_t colon = text.find(':', 3);
      const std::string kind = text.substr(3, colon - 3), value = text.substr(colon + 1);
      if (kind == "bool") return xp::Operand(value == "1");
      if (kind == "float") return xp::Operand(std::stod(value));
      if (kind == "int") return value[0] == '-' ? xp::Operand(std::stoll(value)) : xp::Operand(std::stoull(value));
      throw std::runtime_error("unknown number " + text);
    }
    Array& array = arrays[text];
    if (!array.has_value()) array = file().arrays.at(text).array(device);
    return xp::Operand(array);
  }

  Array evaluate(const golden::OpCase& item, std::map<std::string, Array>& arrays) const {
    std::vector<xp::Operand> operands;
    for (const std::string& text : item.operands) operands.push_back(operand(text, arrays));
    if (item.op.rfind("astype:", 0) == 0) return operands.at(0).array().astype(xp::dtype_from_name(item.op.substr(7)));
    if (item.op == "where") return xp::where(operands.at(0), operands.at(1), operands.at(2));
    if (item.op == "sum") return xp::sum(operands.at(0));
    const auto row = std::find_if(xp::operation_table.begin(), xp::operation_table.end(),
                                  [&](const xp::OpInfo& candidate) { return candidate.name == item.op; });
    if (row == xp::operation_table.end()) throw oracle::NoOracle("no function for " + item.op);
    return call(row->op, operands.at(0), operands.at(operands.size() - 1));
  }

  // Sums are added in another order than NumPy's; functions differ in their last bits.
  static bool close(const golden::OpCase& item, const Buffer& got, const Buffer& want) {
    if (item.op != "sum" && item.op != "exp") {
      const DType type = got.dtype;
      const bool complex_function = item.op == "sqrt" && type >= xp::complex64;
      const bool magnitude = item.op == "absolute";
      return static_cast<bool>(oracle::equal(got, want, complex_function || magnitude ? oracle::Tolerance::complex : oracle::Tolerance::bits));
    }
    if (got.dtype != want.dtype || got.count != want.count) return false;
    if (got.dtype < xp::float16) return got.bytes == want.bytes;
    const DType wide = got.dtype >= xp::complex64 ? xp::complex128 : xp::float64;
    const double epsilon = got.dtype == xp::bfloat16 ? 0x1p-7 : got.dtype == xp::float16 ? 0x1p-10
                           : xp::itemsize(got.dtype) / (got.dtype >= xp::complex64 ? 2 : 1) == 4 ? 0x1p-23 : 0x1p-52;
    const Buffer a = oracle::cast(oracle::cast(got, wide), xp::complex128), b = oracle::cast(oracle::cast(want, wide), xp::complex128);
    for (Index i = 0; i < a.count; ++i) {
      const auto p = a.data<std::complex<double>>()[i], q = b.data<std::complex<double>>()[i];
      const bool same = oracle::close(p, q, oracle::Tolerance::bits);
      // 3.1 ULP is what NumPy's own exp is off by at most; a sum of n terms by n roundings.
      if (!same && !(std::abs(p - q) <= 8 * epsilon * std::max(std::abs(q), item.op == "sum" ? 16.0 : 0.0))) return false;
    }
    return true;
  }
};

TEST_P(Golden, OperationsGiveNumPysResults) {
  std::map<std::string, Array> arrays;
  EXPECT_GT(file().cases.size(), 1000u);
  for (const golden::OpCase& item : file().cases) {
    std::string where = "golden/ops.txt:" + std::to_string(item.line) + ": " + item.op;
    for (const std::string& text : item.operands) where += " " + text;
    if (!item.error.empty()) {
      std::string thrown = "nothing";
      try {
        evaluate(item, arrays);
      } catch (const xp::ShapeError&) {
        thrown = "ShapeError";
      } catch (const xp::DTypeError&) {
        thrown = "DTypeError";
      } catch (const xp::Error& error) {
        thrown = error.what();
      }
      EXPECT_EQ(thrown, item.error) << where;
      continue;
    }
    try {
      const Array got = evaluate(item, arrays);
      EXPECT_EQ(got.shape(), item.result.shape) << where;
      Buffer want(item.result.dtype, static_cast<Index>(item.result.bytes.size()) / xp::itemsize(item.result.dtype));
      std::memcpy(want.bytes.data(), item.result.bytes.data(), want.bytes.size());
      const Buffer values = oracle::read(got);
      EXPECT_TRUE(close(item, values, want)) << where << ": " << oracle::equal(values, want).message();
    } catch (const xp::Error& error) {
      ADD_FAILURE() << where << ": " << error.what();
    }
  }
}

XP_INSTANTIATE_ON_DEVICES(Golden);

}  // namespace
