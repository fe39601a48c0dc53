// SPDX-License-Identifier: Apache-2.0
// What programs on operands without gaps have in common (single_device.hpp, chain_device.hpp).
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/ops.hpp"
#include "kernels/rows.hpp"
#include "kernels/types.hpp"

namespace xp::kernels {

inline bool is_dense(const xp_program& p, const xp_operand& operand) {
  std::int64_t expected = 1;
  for (int d = p.ndim - 1; d >= 0; --d) {
    if (operand.strides[d] != expected && p.shape[d] != 1) return false;
    expected *= p.shape[d];
  }
  return true;
}
/// One element for all positions.
inline bool is_one_element(const xp_program& p, const xp_operand& operand) {
  return std::all_of(operand.strides, operand.strides + p.ndim, [](std::int64_t stride) { return stride == 0; });
}
/// For vectors.
inline bool is_aligned(const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; }
inline bool is_operand(const xp_program& p, std::uint8_t ref) {
  return ref >= XP_REF_OPERAND && ref < XP_REF_OPERAND + p.n_operands &&
         p.operands[ref - XP_REF_OPERAND].dtype < XP_DTYPE_COUNT;
}
inline bool is_constant(const xp_program& p, std::uint8_t ref) {
  return ref >= XP_REF_CONSTANT && ref < XP_REF_CONSTANT + p.n_constants;
}

template <int width, int dtype>
void put_constant(const xp_constant& constant, char* to) {
  if constexpr (has_slot(width, dtype)) {
    SlotType<width, dtype> slot;
    std::memcpy(&slot, &constant, sizeof slot);
    const auto element = from_slot<Storage<dtype>>(slot);
    std::memcpy(to, &element, sizeof element);
  }
}
template <int width, int... dtypes>
void put_constant(const xp_constant& constant, int dtype, char* to, std::integer_sequence<int, dtypes...>) {
  ((dtype == dtypes ? put_constant<width, dtypes>(constant, to) : void()), ...);
}
/// The constant as it would lie in memory.
inline void put_constant(int width, const xp_constant& constant, int dtype, char* to) {
  constexpr auto all = std::make_integer_sequence<int, XP_DTYPE_COUNT>{};
  switch (width) {
    case 32:
      return put_constant<32>(constant, dtype, to, all);
    case 64:
      return put_constant<64>(constant, dtype, to, all);
    default:
      return put_constant<128>(constant, dtype, to, all);
  }
}

/// The row whose code computes an operation; for `greater` and `greater_equal` with the values exchanged.
inline Op same_as(Op op, int dtype) {
  if (op == Op::greater) return Op::less;
  if (op == Op::greater_equal) return Op::less_equal;
  if (dtype == XP_BOOL) {
    if (op == Op::add) return Op::logical_or;
    if (op == Op::multiply) return Op::logical_and;
  }
  return row_of(op, dtype);
}

}  // namespace xp::kernels
