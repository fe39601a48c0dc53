// SPDX-License-Identifier: Apache-2.0
// Functions made of elementwise operations. They are recorded like those, and so join one program where shapes agree.
#pragma once

#include <xp/elementwise.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace [[gnu::visibility("default")]] xp {

/// (floor_divide, remainder).
std::pair<Array, Array> divmod(const Operand& a, const Operand& b);
/// (mantissa, exponent as int32): a = mantissa * 2**exponent, 0.5 <= abs(mantissa) < 1. Of 0, infinities and NaN the
/// number itself and 0.
std::pair<Array, Array> frexp(const Operand& a);
/// (fraction, integral part), both with the sign of a.
std::pair<Array, Array> modf(const Operand& a);

/// To `decimals` places, half to even; complex numbers part by part. Integers stay as they are unless `decimals` is
/// negative.
Array round(const Operand& a, int decimals = 0);

/// minimum(maximum(a, low), high); `xp::none` leaves a bound out. A bound that is a number and that no element of an
/// integer array can pass is left out, too.
Array clip(const Operand& a, const std::optional<Operand>& low, const std::optional<Operand>& high);

/// bool: abs(a - b) <= atol + rtol * abs(b), or both are the same infinity, or (equal_nan) both NaN.
Array isclose(const Operand& a, const Operand& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);
/// Whether isclose holds everywhere. Waits for the device.
bool allclose(const Operand& a, const Operand& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);

/// A copy with NaN and infinities replaced, in each part of complex numbers: infinities by the dtype's greatest and
/// least numbers unless others are given.
Array nan_to_num(const Operand& a, double nan = 0.0, std::optional<double> posinf = {},
                 std::optional<double> neginf = {});

/// sin(pi * a) / (pi * a), 1 for 0.
Array sinc(const Operand& a);

/// Where conditions[i] is the first that is true, choices[i]; where none is, `fallback`. Conditions are arrays of bool;
/// ShapeError when there are none, or not as many as choices.
Array select(const std::vector<Operand>& conditions, const std::vector<Operand>& choices, const Operand& fallback = 0);

}  // namespace gnu::visibility("default")]]xp
