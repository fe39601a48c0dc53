// SPDX-License-Identifier: Apache-2.0
// The operation table: one row per elementwise operation, read by the front end, the kernels, the tests and the docs.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace xp {

/// Append only: the numbers are part of the backend ABI.
enum class Op : std::uint16_t {
  store = 0,  // dst operand = a
  load,       // accumulator = a
  cast,       // a from `type` to `to`
  index,      // position in the iteration space, C order, as int64 (width 64)
  add,
  subtract,
  multiply,
  divide,
  negative,
  absolute,
  sqrt,
  exp,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  where,  // a ? b : c
  sum,    // reduction
  count_
};

/// Which dtypes an operation takes (after promotion).
enum class Accepts : std::uint8_t {
  none,          // structural, not callable
  any,           // every dtype
  numeric,       // all but bool
  inexact,       // floats and complex; integers and bool are promoted to the narrowest float that NumPy takes
  inexact_wide,  // likewise, but to float64
  ordered,       // every dtype but complex
};

/// dtype of the result, given the dtype the operation computes in.
enum class Returns : std::uint8_t {
  same,
  boolean,
  real,  // same, but the real part's dtype for complex
};

struct OpInfo {
  Op op;
  std::string_view name;  // NumPy's
  std::uint8_t arity;
  Accepts accepts;
  Returns returns;
  bool commutative;
  std::uint8_t cost;  // relative to an addition, for the choice between one and several threads
};

inline constexpr std::array<OpInfo, static_cast<std::size_t>(Op::count_)> operation_table{{
    {Op::store, "assign", 1, Accepts::none, Returns::same, false, 0},
    {Op::load, "copy", 1, Accepts::none, Returns::same, false, 0},
    {Op::cast, "astype", 1, Accepts::none, Returns::same, false, 1},
    {Op::index, "index", 0, Accepts::none, Returns::same, false, 1},
    {Op::add, "add", 2, Accepts::any, Returns::same, true, 1},
    {Op::subtract, "subtract", 2, Accepts::numeric, Returns::same, false, 1},
    {Op::multiply, "multiply", 2, Accepts::any, Returns::same, true, 1},
    {Op::divide, "divide", 2, Accepts::inexact_wide, Returns::same, false, 3},
    {Op::negative, "negative", 1, Accepts::numeric, Returns::same, false, 1},
    {Op::absolute, "absolute", 1, Accepts::any, Returns::real, false, 1},
    {Op::sqrt, "sqrt", 1, Accepts::inexact, Returns::same, false, 4},
    {Op::exp, "exp", 1, Accepts::inexact, Returns::same, false, 16},
    {Op::equal, "equal", 2, Accepts::any, Returns::boolean, true, 1},
    {Op::not_equal, "not_equal", 2, Accepts::any, Returns::boolean, true, 1},
    {Op::less, "less", 2, Accepts::any, Returns::boolean, false, 1},
    {Op::less_equal, "less_equal", 2, Accepts::any, Returns::boolean, false, 1},
    {Op::greater, "greater", 2, Accepts::any, Returns::boolean, false, 1},
    {Op::greater_equal, "greater_equal", 2, Accepts::any, Returns::boolean, false, 1},
    {Op::where, "where", 3, Accepts::any, Returns::same, false, 1},
    {Op::sum, "sum", 1, Accepts::any, Returns::same, false, 1},
}};

constexpr const OpInfo& info(Op op) { return operation_table[static_cast<std::size_t>(op)]; }

/// FNV-1a over the rows: a backend built from another table is refused when it is loaded.
constexpr std::uint64_t operation_table_hash() {
  std::uint64_t hash = 0xcbf29ce484222325u;
  auto mix = [&hash](std::uint64_t byte) { hash = (hash ^ (byte & 0xff)) * 0x100000001b3u; };
  for (const OpInfo& row : operation_table) {
    for (char c : row.name) mix(static_cast<unsigned char>(c));
    mix(row.arity);
    mix(static_cast<std::uint64_t>(row.accepts));
    mix(static_cast<std::uint64_t>(row.returns));
  }
  return hash;
}

}  // namespace xp
