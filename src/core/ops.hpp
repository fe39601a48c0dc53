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
  floor_divide,
  remainder,
  fmod,
  power,
  maximum,
  minimum,
  fmax,
  fmin,
  square,
  reciprocal,
  conj,
  real,
  imag,
  sign,
  signbit,
  isnan,
  isinf,
  isfinite,
  logical_not,
  logical_and,
  logical_or,
  logical_xor,
  bitwise_and,
  bitwise_or,
  bitwise_xor,
  invert,
  left_shift,
  right_shift,
  floor,
  ceil,
  trunc,
  rint,
  expm1,
  exp2,
  log,
  log1p,
  log2,
  log10,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  cbrt,
  erf,
  erfc,
  gamma,
  lgamma,
  deg2rad,
  rad2deg,
  atan2,
  hypot,
  copysign,
  nextafter,
  logaddexp,
  logaddexp2,
  heaviside,
  ldexp,
  frexp_mantissa,
  frexp_exponent,
  modf_fraction,
  gcd,
  lcm,
  nextafter_float16,  // what backends make of nextafter of these dtypes
  nextafter_bfloat16,
  count_
};

/// Which dtypes an operation takes (after promotion), and in which it then computes.
enum class Accepts : std::uint8_t {
  none,          // structural, not callable
  any,           // every dtype
  any_int8,      // every dtype; bool is computed in int8
  numeric,       // all but bool
  ordered,       // every dtype but complex
  ordered_int8,  // likewise; bool is computed in int8
  inexact,       // floats and complex; integers and bool are promoted to the narrowest float that NumPy takes
  inexact_wide,  // likewise, but to float64
  real,          // floats; integers and bool as in inexact
  bits,          // bool and integers
  bits_int8,     // likewise; bool is computed in int8
  integers,      // integers, not bool
};

/// dtype of the result, given the dtype the operation computes in.
enum class Returns : std::uint8_t {
  same,
  boolean,
  real,   // same, but the real part's dtype for complex
  int32,  // of an exponent
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
    {Op::floor_divide, "floor_divide", 2, Accepts::ordered_int8, Returns::same, false, 8},
    {Op::remainder, "remainder", 2, Accepts::ordered_int8, Returns::same, false, 8},
    {Op::fmod, "fmod", 2, Accepts::ordered_int8, Returns::same, false, 8},
    {Op::power, "power", 2, Accepts::any_int8, Returns::same, false, 40},
    {Op::maximum, "maximum", 2, Accepts::any, Returns::same, false, 1},
    {Op::minimum, "minimum", 2, Accepts::any, Returns::same, false, 1},
    {Op::fmax, "fmax", 2, Accepts::any, Returns::same, false, 1},
    {Op::fmin, "fmin", 2, Accepts::any, Returns::same, false, 1},
    {Op::square, "square", 1, Accepts::any_int8, Returns::same, false, 1},
    {Op::reciprocal, "reciprocal", 1, Accepts::any_int8, Returns::same, false, 3},
    {Op::conj, "conjugate", 1, Accepts::any_int8, Returns::same, false, 1},
    {Op::real, "real", 1, Accepts::any, Returns::real, false, 1},
    {Op::imag, "imag", 1, Accepts::any, Returns::real, false, 1},
    {Op::sign, "sign", 1, Accepts::numeric, Returns::same, false, 1},
    {Op::signbit, "signbit", 1, Accepts::ordered, Returns::boolean, false, 1},
    {Op::isnan, "isnan", 1, Accepts::any, Returns::boolean, false, 1},
    {Op::isinf, "isinf", 1, Accepts::any, Returns::boolean, false, 1},
    {Op::isfinite, "isfinite", 1, Accepts::any, Returns::boolean, false, 1},
    {Op::logical_not, "logical_not", 1, Accepts::any, Returns::boolean, false, 1},
    {Op::logical_and, "logical_and", 2, Accepts::any, Returns::boolean, true, 1},
    {Op::logical_or, "logical_or", 2, Accepts::any, Returns::boolean, true, 1},
    {Op::logical_xor, "logical_xor", 2, Accepts::any, Returns::boolean, true, 1},
    {Op::bitwise_and, "bitwise_and", 2, Accepts::bits, Returns::same, true, 1},
    {Op::bitwise_or, "bitwise_or", 2, Accepts::bits, Returns::same, true, 1},
    {Op::bitwise_xor, "bitwise_xor", 2, Accepts::bits, Returns::same, true, 1},
    {Op::invert, "invert", 1, Accepts::bits, Returns::same, false, 1},
    {Op::left_shift, "left_shift", 2, Accepts::bits_int8, Returns::same, false, 1},
    {Op::right_shift, "right_shift", 2, Accepts::bits_int8, Returns::same, false, 1},
    {Op::floor, "floor", 1, Accepts::ordered, Returns::same, false, 1},
    {Op::ceil, "ceil", 1, Accepts::ordered, Returns::same, false, 1},
    {Op::trunc, "trunc", 1, Accepts::ordered, Returns::same, false, 1},
    {Op::rint, "rint", 1, Accepts::inexact, Returns::same, false, 1},
    {Op::expm1, "expm1", 1, Accepts::inexact, Returns::same, false, 20},
    {Op::exp2, "exp2", 1, Accepts::inexact, Returns::same, false, 16},
    {Op::log, "log", 1, Accepts::inexact, Returns::same, false, 18},
    {Op::log1p, "log1p", 1, Accepts::inexact, Returns::same, false, 24},
    {Op::log2, "log2", 1, Accepts::inexact, Returns::same, false, 18},
    {Op::log10, "log10", 1, Accepts::inexact, Returns::same, false, 20},
    {Op::sin, "sin", 1, Accepts::inexact, Returns::same, false, 24},
    {Op::cos, "cos", 1, Accepts::inexact, Returns::same, false, 24},
    {Op::tan, "tan", 1, Accepts::inexact, Returns::same, false, 32},
    {Op::asin, "arcsin", 1, Accepts::inexact, Returns::same, false, 24},
    {Op::acos, "arccos", 1, Accepts::inexact, Returns::same, false, 24},
    {Op::atan, "arctan", 1, Accepts::inexact, Returns::same, false, 28},
    {Op::sinh, "sinh", 1, Accepts::inexact, Returns::same, false, 32},
    {Op::cosh, "cosh", 1, Accepts::inexact, Returns::same, false, 32},
    {Op::tanh, "tanh", 1, Accepts::inexact, Returns::same, false, 32},
    {Op::asinh, "arcsinh", 1, Accepts::inexact, Returns::same, false, 40},
    {Op::acosh, "arccosh", 1, Accepts::inexact, Returns::same, false, 40},
    {Op::atanh, "arctanh", 1, Accepts::inexact, Returns::same, false, 40},
    {Op::cbrt, "cbrt", 1, Accepts::real, Returns::same, false, 24},
    {Op::erf, "erf", 1, Accepts::real, Returns::same, false, 30},
    {Op::erfc, "erfc", 1, Accepts::real, Returns::same, false, 40},
    {Op::gamma, "gamma", 1, Accepts::real, Returns::same, false, 60},
    {Op::lgamma, "lgamma", 1, Accepts::real, Returns::same, false, 70},
    {Op::deg2rad, "deg2rad", 1, Accepts::real, Returns::same, false, 1},
    {Op::rad2deg, "rad2deg", 1, Accepts::real, Returns::same, false, 1},
    {Op::atan2, "arctan2", 2, Accepts::real, Returns::same, false, 36},
    {Op::hypot, "hypot", 2, Accepts::real, Returns::same, false, 10},
    {Op::copysign, "copysign", 2, Accepts::real, Returns::same, false, 1},
    {Op::nextafter, "nextafter", 2, Accepts::real, Returns::same, false, 3},
    {Op::logaddexp, "logaddexp", 2, Accepts::real, Returns::same, false, 40},
    {Op::logaddexp2, "logaddexp2", 2, Accepts::real, Returns::same, false, 40},
    {Op::heaviside, "heaviside", 2, Accepts::real, Returns::same, false, 1},
    {Op::ldexp, "ldexp", 2, Accepts::real, Returns::same, false, 3},
    {Op::frexp_mantissa, "frexp", 1, Accepts::real, Returns::same, false, 2},
    {Op::frexp_exponent, "frexp", 1, Accepts::real, Returns::int32, false, 2},
    {Op::modf_fraction, "modf", 1, Accepts::real, Returns::same, false, 2},
    {Op::gcd, "gcd", 2, Accepts::integers, Returns::same, false, 60},
    {Op::lcm, "lcm", 2, Accepts::integers, Returns::same, false, 70},
    {Op::nextafter_float16, "nextafter", 2, Accepts::none, Returns::same, false, 3},
    {Op::nextafter_bfloat16, "nextafter", 2, Accepts::none, Returns::same, false, 3},
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
