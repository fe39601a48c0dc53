// SPDX-License-Identifier: Apache-2.0
// How elementwise functions run: check -> promote -> broadcast -> record.
#pragma once

#include <xp/functions.hpp>

#include "core/promote.hpp"
#include "core/storage.hpp"
#include "fusion/recorder.hpp"
#include "ops/rules.hpp"

#include <initializer_list>
#include <utility>

namespace xp::detail {

using Operands = std::initializer_list<const Operand*>;

/// What the operands have in common; one pass, since for ten elements every pass counts.
struct Common {
  DeviceState* device = nullptr;
  DType type = DType::bool_;     // promoted
  const Shape* shape = nullptr;  // broadcast
  const Array* dense = nullptr;  // an operand of that shape in C order
  Shape joint;
};

/// Of at least one array. ShapeError and DeviceError begin with `name`.
void analyse(std::string_view name, Operands operands, Common& common);

bool no_arrays(Operands operands);

[[noreturn]] void throw_different_devices(std::string_view name, const DeviceState& a, const DeviceState& b);

/// An array for the result, in the operands' memory order where they agree (NumPy's order='K').
Array result_array(const Common& common, DType dtype, Operands operands);

/// Records the function in dtype `type` into a new array.
Array record(const Rule& rule, Operands operands, const Common& common, DType type);

/// The function of one or two operands, of which one is an array.
Array apply(const Rule& rule, Operands operands);
Array apply(const Rule& rule, Operands operands, const UfuncOptions& options);

/// The same of any operands; a number alone becomes a 0-d array.
Array unary(const Rule& rule, const Operand& a);
Array unary(const Rule& rule, const Operand& a, const UfuncOptions& options);
Array binary(const Rule& rule, const Operand& a, const Operand& b);
Array binary(const Rule& rule, const Operand& a, const Operand& b, const UfuncOptions& options);

/// Two functions of the same operands, which compute in the same dtype, as one ufunc with two results.
std::pair<Array, Array> unary_pair(const Rule& first, const Rule& second, const Operand& a,
                                   const UfuncPairOptions& options);
std::pair<Array, Array> binary_pair(const Rule& first, const Rule& second, const Operand& a, const Operand& b,
                                    const UfuncPairOptions& options);

/// Throws what a ufunc of these operands would, of which one is an array; the dtype that it computes in.
DType check(const Rule& rule, Operands operands, const UfuncOptions& options);

/// The short way first.
inline Array quick_unary(const Rule& rule, const Operand& a) {
  if (Array out; !a.is_scalar() && Recorder::record_dense(rule.op, own_results_of(rule.op), a, nullptr, out))
    return out;
  return unary(rule, a);
}

inline Array quick_binary(const Rule& rule, const Operand& a, const Operand& b) {
  if (Array out;
      !(a.is_scalar() && b.is_scalar()) && Recorder::record_dense(rule.op, own_results_of(rule.op), a, &b, out))
    return out;
  return binary(rule, a, b);
}

inline Array unary(Op op, const Operand& a) { return quick_unary(rule_of(op), a); }

inline Array binary(Op op, const Operand& a, const Operand& b) { return quick_binary(rule_of(op), a, b); }

inline Array unary(Op op, const Operand& a, const UfuncOptions& options) { return unary(rule_of(op), a, options); }

inline Array binary(Op op, const Operand& a, const Operand& b, const UfuncOptions& options) {
  return binary(rule_of(op), a, b, options);
}

/// target op= value.
void in_place(Op op, Array& target, const Operand& value);

/// The operand without its hold on a temporary, for all uses but the last.
inline Operand kept(const Operand& operand) { return operand.is_scalar() ? operand : Operand(operand.array()); }

}  // namespace xp::detail
