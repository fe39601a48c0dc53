// SPDX-License-Identifier: Apache-2.0
#include "kernels/chain_device.hpp"

#include <algorithm>
#include <utility>

#include "kernels/dense_device.hpp"
#include "kernels/program_checks.hpp"

namespace xp::kernels {
namespace {

ChainOperation find_operation(int dtype, Op op) {
  switch (dtype) {
    case XP_FLOAT16:
    case XP_BFLOAT16:
      return chain_operation_half(dtype, op);
    case XP_FLOAT32:
      return chain_operation_float32(op);
    case XP_FLOAT64:
      return chain_operation_float64(op);
    case XP_COMPLEX64:
    case XP_COMPLEX128:
      return chain_operation_complex(dtype, op);
    default:
      return chain_operation_integer(dtype, op);
  }
}

void launch(const Space& space, const Chain& chain) {
  switch (chain.dtype) {
    case XP_FLOAT16:
    case XP_BFLOAT16:
      return launch_chain_half(space, chain);
    case XP_FLOAT32:
      return launch_chain_float32(space, chain);
    case XP_FLOAT64:
      return launch_chain_float64(space, chain);
    case XP_COMPLEX64:
    case XP_COMPLEX128:
      return launch_chain_complex(space, chain);
    default:
      return launch_chain_integer(space, chain);
  }
}

/// Operations for which the interpreter has kernels as good, of the dtypes whose elements are its slots.
bool is_quick(Op op, int dtype) {
  return dtype_sizes[dtype] >= 4 && (op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::square);
}

/// Registers that the program leaves free begin with operands: those that are read first.
void preload(const xp_program& p, Chain& chain) {
  int loads = 0;
  std::uint32_t seen = 0;
  for (int i = 0; i < chain.n_steps; ++i)
    for (const std::uint8_t ref : {chain.steps[i].a, chain.steps[i].b})
      if (is_operand(p, ref) && (chain.scalars >> (ref - XP_REF_OPERAND) & 1) == 0) {
        ++loads;
        seen |= 1u << (ref - XP_REF_OPERAND);
      }
  std::fill_n(chain.preloaded, chain_registers, static_cast<std::uint8_t>(XP_REF_NONE));
  chain.registers = p.n_registers > 0 || loads > 1;
  if (!chain.registers && !chain.functions) return;
  int next = p.n_registers;
  for (int i = 0; i < chain.n_steps && next < chain_registers; ++i)
    for (const std::uint8_t ref : {chain.steps[i].a, chain.steps[i].b}) {
      if (next == chain_registers || !is_operand(p, ref) || (seen >> (ref - XP_REF_OPERAND) & 1) == 0) continue;
      seen &= ~(1u << (ref - XP_REF_OPERAND));
      chain.preloaded[next] = static_cast<std::uint8_t>(ref - XP_REF_OPERAND);
      for (int j = 0; j < chain.n_steps; ++j) {
        ChainStep& step = chain.steps[j];
        if (step.a == ref) step.a = static_cast<std::uint8_t>(next);
        if (step.b == ref) step.b = static_cast<std::uint8_t>(next);
      }
      ++next;
    }
}

bool find_chain(const xp_program& p, Chain& chain) {
  if (p.reduce_ref != XP_REF_NONE || p.n_instructions < 2 || p.n_instructions > chain_steps ||
      p.n_operands > chain_operands || p.n_constants > chain_constants || p.n_registers > chain_registers ||
      p.n_operands == 0)
    return false;
  const int dtype = chain.dtype = p.operands[0].dtype;
  if (dtype >= XP_DTYPE_COUNT || !has_slot(p.width, dtype)) return false;
  chain.aligned = true;
  for (int k = 0; k < p.n_operands; ++k) {
    const xp_operand& operand = p.operands[k];
    const bool loaded = (operand.flags & XP_READ) != 0, stored = (operand.flags & XP_WRITE) != 0;
    if (operand.dtype != dtype || (loaded && operand.load_type != dtype)) return false;
    chain.operands[k] = static_cast<char*>(operand.data);
    if (is_dense(p, operand))
      chain.aligned = chain.aligned && is_aligned(operand.data);
    else if (!stored && is_one_element(p, operand))
      chain.scalars |= 1u << k;
    else
      return false;
  }
  auto known = [&](std::uint8_t ref) {
    return ref == XP_REF_ACC || ref < p.n_registers || is_operand(p, ref) || is_constant(p, ref);
  };
  bool stored = false, quick = true;
  for (int i = 0; i < p.n_instructions; ++i) {
    const xp_instruction& in = p.instructions[i];
    if (in.op >= static_cast<int>(Op::count_) || in.type != dtype || !known(in.a)) return false;
    ChainStep& step = chain.steps[i];
    step = {static_cast<std::uint8_t>(in.op), in.a, XP_REF_NONE, in.dst};
    if (in.op == static_cast<int>(Op::store)) {
      // What is stored may lie where another operand is read: that has been done by then.
      stored = true;
      if (!is_operand(p, in.dst) || is_operand(p, in.a)) return false;
      continue;
    }
    if (stored || in.to != dtype || (in.dst != XP_REF_NONE && in.dst >= p.n_registers)) return false;
    const auto op = static_cast<Op>(in.op);
    const Op same = same_as(op, dtype);
    step.op = static_cast<std::uint8_t>(same);
    const int arity = info(op).arity;
    if (arity == 2) {
      if (!known(in.b)) return false;
      step.b = in.b;
      if (op == Op::greater || op == Op::greater_equal) std::swap(step.a, step.b);
      if (same == Op::multiply && step.a == step.b) {  // one value less to fetch
        step.op = static_cast<std::uint8_t>(Op::square);
        step.b = XP_REF_NONE;
      }
    } else if (arity != 1) {
      return false;
    }
    // The second value is fetched before the first one, which may take the accumulator's place.
    if (op != Op::load) {
      const ChainOperation found = find_operation(dtype, same);
      if (found == ChainOperation::none) return false;
      chain.functions = chain.functions || found == ChainOperation::heavy;
      quick = quick && is_quick(same, dtype);
    }
  }
  chain.n_steps = p.n_instructions;
  preload(p, chain);
  for (int i = 0; i < p.n_constants; ++i) put_constant(p.width, p.constants[i], dtype, chain.constants[i]);
  return stored && !quick;
}

}  // namespace

bool run_chain(const xp_device& device, const xp_program& program) {
  Chain chain{};
  if (!find_chain(program, chain)) return false;
  chain.label = label_of(program);
  chain.count = program.count;
  launch(device.space, chain);
  return true;
}

}  // namespace xp::kernels
