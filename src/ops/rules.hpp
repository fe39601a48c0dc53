// SPDX-License-Identifier: Apache-2.0
// Which dtypes an elementwise function takes, computes in and gives.
#pragma once

#include <xp/dtype.hpp>

#include "core/ops.hpp"
#include "core/promote.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace xp::detail {

/// A public function: mostly a row of the table; some use a row under another name or for fewer dtypes.
struct Rule {
  Op op;
  std::string_view name;
  Accepts accepts;
  Returns returns;
};

constexpr Rule rule_of(Op op) {
  const OpInfo& row = info(op);
  return {op, row.name, row.accepts, row.returns};
}

inline constexpr Rule positive_rule{Op::load, "positive", Accepts::numeric, Returns::same};
inline constexpr Rule fabs_rule{Op::absolute, "fabs", Accepts::real, Returns::same};
inline constexpr Rule square_rule{Op::square, "power", Accepts::inexact, Returns::same};
inline constexpr Rule float_power_rule{Op::power, "float_power", Accepts::inexact, Returns::same};
inline constexpr Rule divmod_quotient_rule{Op::floor_divide, "divmod", Accepts::ordered_int8, Returns::same};
inline constexpr Rule divmod_remainder_rule{Op::remainder, "divmod", Accepts::ordered_int8, Returns::same};
inline constexpr Rule clip_rule{Op::maximum, "clip", Accepts::any, Returns::same};  // its first step
inline constexpr Rule round_rule{Op::load, "round", Accepts::any, Returns::same};   // its last step
inline constexpr Rule modf_integral_rule{Op::trunc, "modf", Accepts::real, Returns::same};

/// dtype that promoted operands of `type` are computed in; none when they are not accepted.
constexpr std::optional<DType> computing_dtype(Accepts accepts, DType type) {
  const bool is_bool = type == DType::bool_, is_complex = kind(type) == DTypeKind::complex;
  const DType number = is_bool ? DType::int8 : type;
  switch (accepts) {
    case Accepts::none:
      return std::nullopt;
    case Accepts::any:
      return type;
    case Accepts::any_int8:
      return number;
    case Accepts::numeric:
      if (is_bool) return std::nullopt;
      return type;
    case Accepts::ordered:
      if (is_complex) return std::nullopt;
      return type;
    case Accepts::ordered_int8:
      if (is_complex) return std::nullopt;
      return number;
    case Accepts::inexact:
      return float_for(type);
    case Accepts::inexact_wide:
      return kind(type) < DTypeKind::real ? DType::float64 : type;
    case Accepts::real:
      if (is_complex) return std::nullopt;
      return float_for(type);
    case Accepts::bits:
      if (kind(type) >= DTypeKind::real) return std::nullopt;
      return type;
    case Accepts::bits_int8:
      if (kind(type) >= DTypeKind::real) return std::nullopt;
      return number;
    case Accepts::integers:
      if (is_bool || kind(type) >= DTypeKind::real) return std::nullopt;
      return type;
  }
  return std::nullopt;
}

/// dtype of the result of what is computed in `type`.
constexpr DType result_dtype(Returns returns, DType type) {
  if (returns == Returns::same) return type;
  if (returns == Returns::boolean) return DType::bool_;
  return returns == Returns::real ? real_part(type) : DType::int32;
}

/// Per row, for the recorder's short ways: what arrays of a dtype give that are computed in it and need no check of
/// their elements, as exponents do.
inline constexpr auto own_results = [] {
  std::array<OwnResults, operation_table.size()> table{};
  for (const OpInfo& row : operation_table)
    for (std::size_t i = 0; i < dtype_count; ++i) {
      const auto type = static_cast<DType>(i);
      const bool is_checked = row.op == Op::power && kind(type) == DTypeKind::signed_integer;
      if (row.returns != Returns::int32 && !is_checked && computing_dtype(row.accepts, type) == type)
        table[static_cast<std::size_t>(row.op)][i] = result_dtype(row.returns, type);
    }
  return table;
}();
constexpr const OwnResults& own_results_of(Op op) { return own_results[static_cast<std::size_t>(op)]; }

}  // namespace xp::detail
