// SPDX-License-Identifier: Apache-2.0
// The Array API standard's special cases (golden/special_cases.txt), each on all values that meet its conditions.
#include <xp/xp.hpp>

#include <functional>

#include "golden/special_cases.hpp"
#include "support/devices.hpp"
#include "support/main.hpp"
#include "support/operations.hpp"

namespace {

using namespace xp_test;
using golden::Operands;
using golden::SpecialCase;

const std::vector<SpecialCase>& cases() {
  static const std::vector<SpecialCase> read = golden::read_special_cases(XP_GOLDEN_DIR "/special_cases.txt");
  return read;
}

Op row_of(const std::string& name) {
  for (const xp::OpInfo& row : xp::operation_table)
    if (row.name == name) return row.op;
  throw std::runtime_error("no row " + name);
}

// Real numbers to choose from; fewer for the parts of two complex operands.
std::vector<double> pool(DType real, bool few) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  std::vector<double> values{0.0, 1.0, 2.5, inf, nan};
  if (!few) {
    for (const double more : {0.5, 0.3, 1.5, 2.0, 3.0, 4.0, 7.25, 1e10}) values.push_back(more);
    const bool single = real == xp::float32;
    values.push_back(single ? double{std::numeric_limits<float>::max()} : std::numeric_limits<double>::max());
    values.push_back(single ? double{std::numeric_limits<float>::min()} : std::numeric_limits<double>::min());
    values.push_back(single ? double{std::numeric_limits<float>::denorm_min()}
                            : std::numeric_limits<double>::denorm_min());
  }
  for (std::size_t i = 0, count = values.size(); i < count; ++i) values.push_back(std::copysign(values[i], -1.0));
  if (real == xp::float32)
    for (double& value : values) value = static_cast<double>(static_cast<float>(value));
  return values;
}

// All combinations of the pool that meet a row's conditions.
std::vector<Operands> operands_for(const SpecialCase& item, DType real, int arity) {
  std::vector<Operands> chosen;
  const std::size_t parts = item.conditions.size();
  if (parts != static_cast<std::size_t>(arity) * (item.complex ? 2 : 1))
    throw std::runtime_error("number of conditions: " + item.text);
  const std::vector<double> values = pool(real, parts == 4);
  std::vector<double> place(4, 0.0);
  const std::function<void(std::size_t)> choose = [&](std::size_t part) {
    if (part < parts) {
      for (const double value : values)
        if (place[part] = value; golden::meets(value, item.conditions[part], place[0])) choose(part + 1);
    } else if (item.complex) {
      chosen.push_back({place[0], place[1], place[2], place[3]});
    } else {
      chosen.push_back({place[0], 0, place[1], 0});
    }
  };
  choose(0);
  return chosen;
}

template <class T>
void fill(Buffer& a, Buffer& b, const std::vector<Operands>& operands) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Operands& o = operands[i];
    if constexpr (oracle::is_complex<T>) {
      using R = typename T::value_type;
      a.data<T>()[i] = {static_cast<R>(o.x), static_cast<R>(o.x_imag)};
      b.data<T>()[i] = {static_cast<R>(o.y), static_cast<R>(o.y_imag)};
    } else if constexpr (std::is_floating_point_v<T>) {
      a.data<T>()[i] = static_cast<T>(o.x);
      b.data<T>()[i] = static_cast<T>(o.y);
    }
  }
}

std::complex<double> element(const Buffer& values, xp::Index i) {
  return oracle::visit(values.dtype, [&](auto tag) -> std::complex<double> {
    using T = typename decltype(tag)::type;
    const T value = values.data<T>()[i];
    if constexpr (oracle::is_complex<T>)
      return {static_cast<double>(value.real()), static_cast<double>(value.imag())};
    else
      return oracle::convert<double>(value);
  });
}

// Every row for both precisions, by `apply(op, a, b)`.
template <class F>
void check(F&& apply) {
  ASSERT_GT(cases().size(), 500u);
  for (const SpecialCase& item : cases()) {
    const Op op = row_of(item.function);
    for (const DType real : {xp::float32, xp::float64}) {
      const DType dtype = !item.complex ? real : real == xp::float32 ? xp::complex64 : xp::complex128;
      const std::vector<Operands> operands = operands_for(item, real, xp::info(op).arity);
      ASSERT_FALSE(operands.empty()) << item.text;
      Buffer a(dtype, static_cast<xp::Index>(operands.size())), b = a;
      oracle::visit(dtype, [&](auto tag) { fill<typename decltype(tag)::type>(a, b, operands); });
      const Buffer got = apply(op, a, b);
      const double error = real == xp::float32 ? 1e-6 : 2e-15;
      int wrong = 0;
      for (std::size_t i = 0; i < operands.size(); ++i) {
        const std::complex<double> value = element(got, static_cast<xp::Index>(i));
        bool right = golden::gives(value.real(), item.results[0], false, operands[i], error);
        if (got.dtype >= xp::complex64)
          right = right && golden::gives(value.imag(), item.results.back(), true, operands[i], error);
        const Operands& o = operands[i];
        if (!right && ++wrong <= 2 && !item.numpy_differs)
          ADD_FAILURE() << "special_cases.txt:" << item.line << ": " << item.text << ", " << xp::name(dtype) << ": ("
                        << o.x << ", " << o.x_imag << "), (" << o.y << ", " << o.y_imag << ") gives " << value;
      }
      EXPECT_TRUE(!item.numpy_differs || wrong > 0) << item.text << " no longer differs";
    }
  }
}

TEST(Oracle, MeetsTheStandardsSpecialCases) {
  check([](Op op, const Buffer& a, const Buffer& b) { return oracle::apply(op, a, b); });
}

#ifndef XP_ORACLE_ONLY
class SpecialCases : public OnDevice {};

TEST_P(SpecialCases, OfTheStandard) {
  check([this](Op op, const Buffer& a, const Buffer& b) {
    return oracle::read(call(op, oracle::upload(a, {a.count}, device), oracle::upload(b, {b.count}, device)));
  });
}

XP_INSTANTIATE_ON_DEVICES(SpecialCases);
#endif

}  // namespace
