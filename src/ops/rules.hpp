// SPDX-License-Identifier: Apache-2.0
// Which dtypes an elementwise function takes, computes in and gives.
#pragma once

#include <xp/dtype.hpp>

#include "core/ops.hpp"
#include "core/promote.hpp"

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
std::optional<DType> computing_dtype(Accepts accepts, DType type);

/// dtype of the result of what is computed in `type`.
inline DType result_dtype(Returns returns, DType type) {
  if (returns == Returns::same) return type;
  if (returns == Returns::boolean) return DType::bool_;
  return returns == Returns::real ? real_part(type) : DType::int32;
}

}  // namespace xp::detail
