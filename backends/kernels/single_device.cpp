// SPDX-License-Identifier: Apache-2.0
#include "kernels/single_device.hpp"

#include <algorithm>
#include <utility>

#include "kernels/dense_device.hpp"
#include "kernels/program_checks.hpp"

namespace xp::kernels {
namespace {

/// Whether the value is dense elements of the dtype, or one; of tiled programs, elements anywhere.
bool find_source(const xp_program& p, std::uint8_t ref, int dtype, bool tiled, SingleSource& source) {
  source.data = nullptr;
  source.dense = false;
  source.turned = false;
  if (is_constant(p, ref)) {
    if (!has_slot(p.width, dtype)) return false;
    put_constant(p.width, p.constants[ref - XP_REF_CONSTANT], dtype, source.constant);
    return true;
  }
  if (!is_operand(p, ref)) return false;
  const xp_operand& operand = p.operands[ref - XP_REF_OPERAND];
  if (operand.dtype != dtype || operand.load_type != dtype) return false;
  source.data = static_cast<const char*>(operand.data);
  if (tiled) {
    source.dense = true;
    source.down = operand.strides[0];
    source.along = operand.strides[1];
    source.turned = source.down == 1 && source.along != 0 && source.along != 1;
    return true;
  }
  source.dense = is_dense(p, operand);
  return source.dense || is_one_element(p, operand);
}

/// The dtype of what an operation returns.
int returned_by(Op op, int dtype) {
  switch (info(op).returns) {
    case Returns::boolean:
      return XP_BOOL;
    case Returns::real:
      return dtype == XP_COMPLEX64 ? XP_FLOAT32 : dtype == XP_COMPLEX128 ? XP_FLOAT64 : dtype;
    default:
      return dtype;
  }
}

/// A store of what another dtype may be.
bool find_conversion(const xp_program& p, std::uint8_t ref, int type, int target, Single& single) {
  single.dtype = type;
  single.op = type == target ? Op::load : Op::cast;
  if (is_constant(p, ref))
    return type == target && dtype_sizes[type] <= 2 && find_source(p, ref, type, single.tiled, single.a);
  if (!is_operand(p, ref)) return false;
  const xp_operand& operand = p.operands[ref - XP_REF_OPERAND];
  if (operand.dtype != operand.load_type) {
    // Converted while it is loaded: one conversion all the same if it is to the dtype stored.
    if (single.tiled || operand.load_type != type || type != target || !is_dense(p, operand)) return false;
    single.dtype = operand.dtype;
    single.op = Op::cast;
    single.a.data = static_cast<const char*>(operand.data);
    single.a.dense = true;
    return true;
  }
  return find_source(p, ref, type, single.tiled, single.a) && single.a.dense;
}

bool find_operation(const xp_program& p, const xp_instruction& in, std::uint8_t a, std::uint8_t b, std::uint8_t c,
                    Single& single) {
  const auto op = static_cast<Op>(in.op);
  single.dtype = in.type;
  if (op == Op::where) {
    single.op = op;
    return !single.tiled && single.returned == in.type && find_source(p, a, XP_BOOL, false, single.condition) &&
           find_source(p, b, in.type, false, single.a) && find_source(p, c, in.type, false, single.b) &&
           single.condition.dense;
  }
  if (op == Op::greater || op == Op::greater_equal) std::swap(a, b);
  single.op = same_as(op, in.type);
  if (single.returned != returned_by(single.op, in.type) || !find_source(p, a, in.type, single.tiled, single.a))
    return false;
  if (info(op).arity == 1) return info(op).arity == 1 && single.a.dense;
  return info(op).arity == 2 && find_source(p, b, in.type, single.tiled, single.b) &&
         (single.a.dense || single.b.dense);
}

/// minimum(maximum(x, lower), upper), of which each may be the first operand or the second.
bool find_clip(const xp_program& p, const xp_instruction* in, std::uint8_t a, std::uint8_t b, Single& single) {
  if (single.tiled || in[0].op != static_cast<int>(Op::maximum) || in[1].op != static_cast<int>(Op::minimum) ||
      in[1].dst != XP_REF_NONE || in[1].type != in[0].type || in[1].to != in[0].type ||
      (in[1].a == XP_REF_ACC) == (in[1].b == XP_REF_ACC))
    return false;
  single.clip = true;
  return find_operation(p, in[0], a, b, XP_REF_NONE, single) &&
         find_source(p, in[1].a == XP_REF_ACC ? in[1].b : in[1].a, in[0].type, false, single.upper);
}

bool find_single(const xp_program& p, Single& single) {
  const int n = p.n_instructions;
  if (p.reduce_ref != XP_REF_NONE || n < 1 || n > 4) return false;
  const xp_instruction* in = p.instructions;
  std::uint8_t loaded = XP_REF_ACC;
  int rest = n;
  if (n > 1 && in->op == static_cast<int>(Op::load) && in->dst == XP_REF_NONE && in->type == in->to) {
    loaded = in->a;
    ++in;
    --rest;
  }
  const xp_instruction& store = in[rest - 1];
  if (rest > 3 || store.op != static_cast<int>(Op::store) || !is_operand(p, store.dst) || store.type >= XP_DTYPE_COUNT)
    return false;
  const xp_operand& target = p.operands[store.dst - XP_REF_OPERAND];
  if (single.tiled ? target.strides[1] != 1 || target.strides[0] < p.shape[1] : !is_dense(p, target)) return false;
  single.to_down = target.strides[0];
  single.to = static_cast<char*>(target.data);
  single.returned = target.dtype;
  auto value = [&](std::uint8_t ref) { return ref == XP_REF_ACC ? loaded : ref; };
  if (rest == 1) return find_conversion(p, value(store.a), store.type, target.dtype, single);
  const xp_instruction& operation = in[0];
  if (operation.op >= static_cast<int>(Op::count_) || operation.dst != XP_REF_NONE || store.a != XP_REF_ACC ||
      operation.type >= XP_DTYPE_COUNT || operation.to != store.type || store.type != target.dtype)
    return false;
  if (rest == 3) return find_clip(p, in, value(operation.a), value(operation.b), single);
  if (operation.op == static_cast<int>(Op::cast)) {
    const std::uint8_t ref = value(operation.a);
    if (!is_operand(p, ref) || p.operands[ref - XP_REF_OPERAND].dtype != p.operands[ref - XP_REF_OPERAND].load_type)
      return false;
    return find_conversion(p, ref, operation.type, target.dtype, single);
  }
  return find_operation(p, operation, value(operation.a), value(operation.b), value(operation.c), single);
}

/// Elements of another size would be overwritten before they are read.
bool is_safe(const Single& single) {
  const std::int64_t written = single.count * dtype_sizes[single.returned];
  auto apart = [&](const SingleSource& source, int dtype) {
    if (!source.data || dtype_sizes[dtype] == dtype_sizes[single.returned]) return true;
    const std::int64_t read = (source.dense ? single.count : 1) * dtype_sizes[dtype];
    return source.data + read <= single.to || single.to + written <= source.data;
  };
  return apart(single.a, single.dtype) && apart(single.b, single.dtype) && apart(single.upper, single.dtype) &&
         apart(single.condition, XP_BOOL);
}

bool launch(const Space& space, const Single& single) {
  if (single.clip) return launch_single_clip(space, single);
  if (single.op == Op::where) {
    launch_single_where(space, single);
    return true;
  }
  if (single.op == Op::cast) {
    launch_single_cast(space, single);
    return true;
  }
  switch (single.dtype) {
    case XP_BOOL:
      return launch_single_boolean(space, single);
    case XP_FLOAT16:
    case XP_BFLOAT16:
      return launch_single_half(space, single);
    case XP_FLOAT32:
      return launch_single_float32(space, single);
    case XP_FLOAT64:
      return launch_single_float64(space, single);
    case XP_COMPLEX64:
    case XP_COMPLEX128:
      return launch_single_complex(space, single);
    case XP_INT8:
    case XP_UINT8:
      return launch_single_integer8(space, single);
    case XP_INT16:
    case XP_UINT16:
      return launch_single_integer16(space, single);
    case XP_INT32:
    case XP_UINT32:
      return launch_single_integer32(space, single);
    default:
      return launch_single_integer64(space, single);
  }
}

/// Matrices smaller than this are no worse off with the interpreter.
constexpr std::int64_t least_extent = 16;

bool find_tiled(const xp_program& p, Single& single) {
  if (p.ndim != 2 || p.shape[0] < least_extent || p.shape[1] < least_extent) return false;
  single.tiled = true;
  single.height = p.shape[0];
  single.width = p.shape[1];
  return find_single(p, single) && (single.a.turned || single.b.turned) && single.op != Op::cast;
}

}  // namespace

bool run_single(const xp_device& device, const xp_program& program) {
  Single single{};
  single.label = label_of(program);
  single.count = program.count;
  if (!find_single(program, single)) {
    single.a = single.b = single.upper = {};
    single.clip = false;
    return find_tiled(program, single) && launch_single_tiled(device.space, single);
  }
  if (!is_safe(single)) return false;
  auto aligned = [](const SingleSource& source) { return !source.dense || is_aligned(source.data); };
  single.aligned = aligned(single.a) && aligned(single.b) && aligned(single.upper) && aligned(single.condition) &&
                   is_aligned(single.to);
  return launch(device.space, single);
}

}  // namespace xp::kernels
