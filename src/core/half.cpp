// SPDX-License-Identifier: Apache-2.0
#include "core/half.hpp"

#include <xp/dtype.hpp>

namespace xp {

Half::Half(float value) : bits(detail::half_bits(value)) {}
Half::operator float() const { return detail::half_value(bits); }

BFloat16::BFloat16(float value) : bits(detail::bfloat16_bits(value)) {}
BFloat16::operator float() const { return detail::bfloat16_value(bits); }

}  // namespace xp
