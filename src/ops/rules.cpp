// SPDX-License-Identifier: Apache-2.0
#include "ops/rules.hpp"

namespace xp::detail {

std::optional<DType> computing_dtype(Accepts accepts, DType type) {
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

}  // namespace xp::detail
