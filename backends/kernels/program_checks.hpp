// SPDX-License-Identifier: Apache-2.0
// What every execution space refuses in a program, and in the same words.
#pragma once

#include <cstdint>

#include "core/ops.hpp"
#include "kernels/status.hpp"
#include "kernels/types.hpp"

namespace xp::kernels {

inline std::int32_t check_bounds(const xp_program& p, xp_error* error) {
  if (p.size < sizeof(xp_program) || p.ndim < 1 || p.ndim > XP_MAX_NDIM || p.n_operands > XP_MAX_OPERANDS ||
      p.n_instructions > XP_MAX_INSTRUCTIONS || p.n_constants > XP_MAX_CONSTANTS || p.n_registers > XP_MAX_REGISTERS ||
      p.count < 0)
    return fail(error, XP_INVALID,
                "program: out of bounds (size %u, ndim %d, operands %d, instructions %d, constants %d, registers %d)",
                p.size, p.ndim, p.n_operands, p.n_instructions, p.n_constants, p.n_registers);
  return XP_OK;
}

inline std::int32_t invalid_instruction(const xp_instruction& in, int width, const char* what, xp_error* error) {
  const char* name = in.op < operation_table.size() ? operation_table[in.op].name.data() : "?";
  const char* type = in.type < XP_DTYPE_COUNT ? dtype_names[in.type] : "?";
  const char* to = in.to < XP_DTYPE_COUNT ? dtype_names[in.to] : "?";
  return fail(error, XP_INVALID, "%s: %s (type %s, to %s, width %d)", name, what, type, to, width);
}

/// For Kokkos Tools.
inline const char* label_of(const xp_program& p) { return p.label ? p.label : "xp::program"; }

}  // namespace xp::kernels
