// SPDX-License-Identifier: Apache-2.0
// Programs of several operations that all compute in the dtype that their operands have in memory, on operands without
// gaps. Their values stay in registers, packed as in memory: a smaller interpreter than that of all programs.
#pragma once

#include "core/ops.hpp"
#include "kernels/device_device.hpp"
#include "kernels/types.hpp"

namespace xp::kernels {

inline constexpr int chain_registers = 3, chain_operands = 8, chain_constants = 8, chain_steps = 32;

/// accumulator = op(a, b), which also goes to a register, if `to` is one; or, if `op` is store, a goes to an operand;
/// if it is load, a stays as it is. `a`, `b` and `to` are a program's references (xp/backend.h).
struct ChainStep {
  std::uint8_t op, a, b, to;
};

struct Chain {
  const char* label;
  int dtype, n_steps;
  bool registers;  // some are used
  bool functions;  // some operation is long
  ChainStep steps[chain_steps];
  char* operands[chain_operands];
  std::uint8_t preloaded[chain_registers];          // the operand that a register begins with, or XP_REF_NONE
  std::uint32_t scalars;                            // operands of one element, as a bit set
  alignas(16) char constants[chain_constants][16];  // as in memory
  std::int64_t count;
  bool aligned;  // whatever is dense, to 16 bytes
};

/// Whether the kernels of a dtype have the operation, and whether it is long.
enum class ChainOperation { none, light, heavy };

/// One for each of the sources that instantiate the kernels.
ChainOperation chain_operation_integer(int dtype, Op op);
ChainOperation chain_operation_half(int dtype, Op op);
ChainOperation chain_operation_float32(Op op);
ChainOperation chain_operation_float64(Op op);
ChainOperation chain_operation_complex(int dtype, Op op);
void launch_chain_integer(const Space& space, const Chain& chain);
void launch_chain_half(const Space& space, const Chain& chain);
void launch_chain_float32(const Space& space, const Chain& chain);
void launch_chain_float64(const Space& space, const Chain& chain);
void launch_chain_complex(const Space& space, const Chain& chain);

/// Launches the program if it is such a one; false if not, and nothing is done.
bool run_chain(const xp_device& device, const xp_program& program);

}  // namespace xp::kernels
