// SPDX-License-Identifier: Apache-2.0
// Functions made of elementwise operations. They are recorded like those, and so join one program where shapes agree.
// They have the keywords that NumPy's have.
#pragma once

#include <xp/elementwise.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace [[gnu::visibility("default")]] xp {

/// The keywords of ufuncs with two results: `xp::divmod(x, y, {.out = {q, r}})`. As in UfuncOptions but for `out`.
struct UfuncPairOptions {
  /// Each may be left out: `{.out = {q, {}}}`. They must not share memory (ShapeError); either may overlap operands.
  std::pair<Array, Array> out{};
  Array where{};
  std::optional<DType> dtype{};
  Casting casting = Casting::same_kind;
};

/// (floor_divide, remainder).
std::pair<Array, Array> divmod(const Operand& a, const Operand& b);
std::pair<Array, Array> divmod(const Operand& a, const Operand& b, const UfuncPairOptions& options);
/// (mantissa, exponent as int32): a = mantissa * 2**exponent, 0.5 <= abs(mantissa) < 1. Of 0, infinities and NaN the
/// number itself and 0. The option `dtype` would be that of both results: a DTypeError, as in NumPy.
std::pair<Array, Array> frexp(const Operand& a);
std::pair<Array, Array> frexp(const Operand& a, const UfuncPairOptions& options);
/// (fraction, integral part), both with the sign of a.
std::pair<Array, Array> modf(const Operand& a);
std::pair<Array, Array> modf(const Operand& a, const UfuncPairOptions& options);

/// The keyword of functions that are no ufuncs: `xp::round(x, 2, {.out = y})`.
struct OutOptions {
  /// Written and returned. It must have the result's shape, and same_kind casts must allow its dtype.
  Array out{};
};

/// To `decimals` places, half to even; complex numbers part by part. Integers stay as they are unless `decimals` is
/// negative (with `out` they are then rounded as float64, which it must take).
Array round(const Operand& a, int decimals = 0);
Array round(const Operand& a, int decimals, const OutOptions& options);

/// minimum(maximum(a, low), high); `xp::none` leaves a bound out. A bound that is a number and that no element of an
/// integer array can pass is left out, too.
Array clip(const Operand& a, const std::optional<Operand>& low, const std::optional<Operand>& high);
Array clip(const Operand& a, const std::optional<Operand>& low, const std::optional<Operand>& high,
           const UfuncOptions& options);

/// bool: abs(a - b) <= atol + rtol * abs(b), or both are the same infinity, or (equal_nan) both NaN.
Array isclose(const Operand& a, const Operand& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);
/// Whether isclose holds everywhere. Waits for the device.
bool allclose(const Operand& a, const Operand& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);

/// The keywords of nan_to_num.
struct NanToNumOptions {
  /// Without it `a` itself is written and returned (ShapeError if it is read-only).
  bool copy = true;
  double nan = 0.0;
  /// The dtype's greatest and least numbers unless given.
  std::optional<double> posinf{}, neginf{};
};

/// A copy with NaN and infinities replaced, in each part of complex numbers: `xp::nan_to_num(x, {.nan = 1})`.
Array nan_to_num(const Operand& a, const NanToNumOptions& options = {});

/// sin(pi * a) / (pi * a), 1 for 0.
Array sinc(const Operand& a);

/// Where conditions[i] is the first that is true, choices[i]; where none is, `fallback`. Conditions are arrays of bool;
/// ShapeError when there are none, or not as many as choices.
Array select(const std::vector<Operand>& conditions, const std::vector<Operand>& choices, const Operand& fallback = 0);

}  // namespace gnu::visibility("default")]]xp
