// SPDX-License-Identifier: Apache-2.0
// usage: make_operations FILE [--check]
//
// Writes docs/operations.md from the operation table and the front end's rules; --check fails when the file differs.
#include <xp/dtype.hpp>

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "ops/rules.hpp"

namespace {

using xp::DType;
using xp::Op;
using xp::detail::Rule;

std::string result_of(const Rule& rule) {
  switch (rule.returns) {
    case xp::Returns::same:
      return "";
    case xp::Returns::boolean:
      return "bool";
    case xp::Returns::real:
      return "real part";
    case xp::Returns::int32:
      return "int32";
  }
  return "";
}

std::vector<Rule> rules() {
  std::vector<Rule> result;
  for (const xp::OpInfo& row : xp::operation_table) {
    if (row.accepts == xp::Accepts::none || row.op == Op::sum) continue;
    if (row.op == Op::frexp_exponent || row.op == Op::frexp_mantissa || row.op == Op::modf_fraction) continue;
    result.push_back(xp::detail::rule_of(row.op));
    if (row.op == Op::negative) result.push_back(xp::detail::positive_rule);
    if (row.op == Op::absolute) result.push_back(xp::detail::fabs_rule);
  }
  result.push_back({Op::frexp_mantissa, "frexp (mantissa)", xp::Accepts::real, xp::Returns::same});
  result.push_back({Op::frexp_exponent, "frexp (exponent)", xp::Accepts::real, xp::Returns::int32});
  result.push_back(xp::detail::modf_integral_rule);
  return result;
}

std::string document() {
  std::ostringstream out;
  out << "# Operations and dtypes\n\n"
         "The dtype in which an elementwise operation computes operands that have promoted to the column's dtype, or "
         "`-`\n"
         "where it takes none such (a `DTypeError`). The result has the same dtype unless the second column names "
         "another;\n"
         "\"real part\" is float32 of complex64 and float64 of complex128. Made from the operation table: do not "
         "edit.\n\n"
         "`where` promotes its last two operands. `ldexp` goes by its first operand; the second is of integers. "
         "`float_power` is\n"
         "`power` in float64 or complex128. The other functions of `xp/functions.hpp` are made of these. "
         "[accuracy.md](accuracy.md)\nhas the errors of functions.\n\n";
  out << "| operation | result |";
  for (std::size_t i = 0; i < xp::dtype_count; ++i) out << ' ' << xp::name(static_cast<DType>(i)) << " |";
  out << "\n| --- | --- |";
  for (std::size_t i = 0; i < xp::dtype_count; ++i) out << " --- |";
  out << '\n';
  for (const Rule& rule : rules()) {
    out << "| " << rule.name << " | " << result_of(rule) << " |";
    for (std::size_t i = 0; i < xp::dtype_count; ++i) {
      const auto type = xp::detail::computing_dtype(rule.accepts, static_cast<DType>(i));
      out << ' ' << (type ? xp::name(*type) : "-") << " |";
    }
    out << '\n';
  }
  return out.str();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: make_operations FILE [--check]\n";
    return 2;
  }
  const std::string path = argv[1], text = document();
  if (argc == 2) {
    std::ofstream(path) << text;
    return 0;
  }
  std::ifstream file(path);
  const std::string old{std::istreambuf_iterator<char>(file), {}};
  if (old == text) return 0;
  std::cerr << path << " is not what the operation table says; write it anew: " << argv[0] << ' ' << path << '\n';
  return 1;
}
