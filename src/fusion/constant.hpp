// SPDX-License-Identifier: Apache-2.0
// Numbers as constants of a program.
#pragma once

#include <xp/backend.h>
#include <xp/array.hpp>

namespace xp::detail {

/// A number, converted to `dtype` with one rounding, in a slot of `width` bits.
xp_constant constant_bits(const Scalar& scalar, DType dtype, int width);

}  // namespace xp::detail
