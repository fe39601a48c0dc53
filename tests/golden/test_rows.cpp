// SPDX-License-Identifier: Apache-2.0
// Results of NumPy for every row (golden/rows.txt) against the oracle's and ours.
#include <xp/xp.hpp>

#include <string>
#include <utility>

#include "golden/reader.hpp"
#include "support/devices.hpp"
#include "support/main.hpp"
#include "support/operations.hpp"

namespace {

using namespace xp_test;

const golden::OpFile& file() {
  static const golden::OpFile read = golden::read_operations(XP_GOLDEN_DIR "/rows.txt");
  return read;
}

Buffer buffer_of(const golden::Value& value) {
  Buffer result(value.dtype, xp::element_count(value.shape));
  std::memcpy(result.bytes.data(), value.bytes.data(), value.bytes.size());
  return result;
}

// "frexp:1" is the second of two results.
Op row_of(const std::string& name) {
  if (name == "frexp:0") return Op::frexp_mantissa;
  if (name == "frexp:1") return Op::frexp_exponent;
  if (name == "modf:0") return Op::modf_fraction;
  if (name == "modf:1") return Op::trunc;
  for (const xp::OpInfo& row : xp::operation_table)
    if (row.name == name) return row.op;
  throw std::runtime_error("no row " + name);
}

// NumPy's own functions are the C library's: within 1 ULP, as Python's gamma is within a few.
Tolerance numpys(Op op, DType computed, const std::string& device) {
  Tolerance tolerance = tolerance_of(op, computed, device);
  if (tolerance.ulps == 0) return tolerance;
  tolerance.ulps += op == Op::gamma || op == Op::lgamma ? 10 : 2;
  if (op == Op::exp2 && computed >= xp::complex64) tolerance.ulps = 2000;  // of arguments up to 1000
  if (op == Op::lgamma) tolerance.least = std::max(tolerance.least, 8.0);
  return tolerance;
}

// Parts of complex numbers: NaN, infinities and zeros with their signs as they are. C leaves open the sign of a zero
// beside a NaN, and of the zeros that powers with an infinity underflow to, by way of exp(-inf + nan i).
template <class R>
bool same_class(R got, R want, R beside, bool power) {
  if (want == 0 && (std::isnan(beside) || (power && beside == 0))) return got == 0;
  if (std::isnan(want) || std::isinf(want) || want == 0) return oracle::same_bits(got, want);
  return std::isfinite(got);
}

testing::AssertionResult same_classes(const Buffer& got, const Buffer& want, bool power) {
  return oracle::visit(want.dtype, [&](auto tag) -> testing::AssertionResult {
    using T = typename decltype(tag)::type;
    if constexpr (oracle::is_complex<T>)
      for (xp::Index i = 0; i < want.count; ++i) {
        const T a = got.data<T>()[i], b = want.data<T>()[i];
        if (!same_class(a.real(), b.real(), b.imag(), power) || !same_class(a.imag(), b.imag(), b.real(), power))
          return testing::AssertionFailure() << "element " << i << ": got " << a << ", want " << b;
      }
    return testing::AssertionSuccess();
  });
}

// Values that are not finite are of the same class, which is tested apart.
Buffer finite_where(const Buffer& values, const Buffer& finite) {
  Buffer result = values;
  oracle::visit(values.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (oracle::is_complex<T>)
      for (xp::Index i = 0; i < values.count; ++i) {
        const T x = finite.data<T>()[i];
        if (!std::isfinite(x.real()) || !std::isfinite(x.imag())) result.data<T>()[i] = 0;
      }
  });
  return result;
}

testing::AssertionResult agrees(Op op, const Buffer& got, const Buffer& want, Tolerance tolerance) {
  if (got.dtype != want.dtype)
    return testing::AssertionFailure() << "dtype " << xp::name(got.dtype) << ", expected " << xp::name(want.dtype);
  if (tolerance.ulps > 0)
    if (const auto result = same_classes(got, want, op == Op::power); !result) return result;
  return oracle::equal(finite_where(got, want), finite_where(want, want), tolerance);
}

std::string describe(const golden::OpCase& item) {
  return "rows.txt:" + std::to_string(item.line) + ": " + item.op + " of " +
         std::string(xp::name(file().arrays.at(item.operands[0]).dtype));
}

// The first operands with the result, for the message.
std::string inputs(Op op, const Buffer& a, const Buffer& b, const Buffer& got, const Buffer& want,
                   Tolerance tolerance) {
  for (xp::Index i = 0; i < got.count; ++i) {
    Buffer x(got.dtype, 1), y(want.dtype, 1);
    x.set(0, got.get(i));
    y.set(0, want.get(i));
    if (!agrees(op, x, y, tolerance))
      return " (" + oracle::text(a.get(i)) + ", " + oracle::text(b.get(i)) + ") gives " + oracle::text(got.get(i)) +
             ", NumPy " + oracle::text(want.get(i));
  }
  return "";
}

TEST(Oracle, AgreesWithNumPy) {
  ASSERT_GT(file().cases.size(), 600u);
  for (const golden::OpCase& item : file().cases) {
    const Op op = row_of(item.op);
    const Buffer a = buffer_of(file().arrays.at(item.operands.front())),
                 b = buffer_of(file().arrays.at(item.operands.back()));
    const DType type = computed_in(op, a.dtype);
    const Tolerance tolerance = numpys(op, type, "host");
    const Buffer got = item.op == "modf:1" ? oracle::apply(op, oracle::cast(a, computed_in(Op::sqrt, a.dtype)), a)
                                           : expected(op, type, a, b);
    const Buffer want = buffer_of(item.result);
    EXPECT_TRUE(agrees(op, got, want, tolerance)) << describe(item) << inputs(op, a, b, got, want, tolerance);
  }
}

#ifndef XP_ORACLE_ONLY
class Rows : public OnDevice {};

TEST_P(Rows, AgreeWithNumPy) {
  for (const golden::OpCase& item : file().cases) {
    const Op op = row_of(item.op);
    const golden::Value &first = file().arrays.at(item.operands.front()),
                        &last = file().arrays.at(item.operands.back());
    const xp::Array a = first.array(device), b = last.array(device);
    try {
      const Buffer got = oracle::read(item.op == "modf:1" ? xp::modf(a).second : call(op, a, b));
      const Buffer want = buffer_of(item.result);
      const Tolerance tolerance = numpys(op, computed_in(op, first.dtype), GetParam());
      EXPECT_TRUE(agrees(op, got, want, tolerance))
          << describe(item) << inputs(op, buffer_of(first), buffer_of(last), got, want, tolerance);
    } catch (const xp::Error& error) {
      ADD_FAILURE() << describe(item) << ": " << error.what();
    }
  }
}

XP_INSTANTIATE_ON_DEVICES(Rows);
#endif

}  // namespace
