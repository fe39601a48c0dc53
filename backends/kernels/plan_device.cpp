// SPDX-License-Identifier: Apache-2.0
#include "kernels/planner_device.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kernels/functions_device.hpp"
#include "kernels/reduce_device.hpp"
#include "kernels/tiles_device.hpp"

namespace xp::kernels {

// ---- Values ----

bool Planner::source(std::uint8_t ref, Source& result) {
  if (ref == XP_REF_ACC) {
    result = accumulator_;
    return result != no_source;
  }
  if (ref < XP_REF_REGISTER + program_.n_registers) {
    result = registers_[ref - XP_REF_REGISTER];
    return result != no_source;
  }
  if (ref >= XP_REF_OPERAND && ref < XP_REF_OPERAND + program_.n_operands) return load(ref - XP_REF_OPERAND, result);
  if (ref >= XP_REF_CONSTANT && ref < XP_REF_CONSTANT + program_.n_constants) {
    result = constant_source(ref - XP_REF_CONSTANT);
    return true;
  }
  return false;
}

/// How an element becomes a value of `load_type`: what of it is read, decoded, and then converted in the slot.
bool Planner::find_decoding(int dtype, int load_type, Node& node, bool& real_part) const {
  const Kind target = kind_of(load_type);
  const bool to_bool = target == Kind::boolean, half = is_half_dtype(load_type);
  real_part = false;
  node.convert = convert_none;
  if (width_ != 128 && kind_of(dtype) == Kind::complex && !has_slot(width_, dtype)) {
    if (to_bool) {
      node.dtype = dtype == XP_COMPLEX64 ? decode_complex64_truth : decode_complex128_truth;
      return true;
    }
    if (target == Kind::complex) {
      node.dtype = XP_COMPLEX128;
      return true;
    }
    real_part = true;
    dtype = dtype == XP_COMPLEX64 ? XP_FLOAT32 : XP_FLOAT64;
  }
  node.dtype = static_cast<std::uint8_t>(dtype);
  if (width_ == 32 && (dtype == XP_INT64 || dtype == XP_UINT64)) {
    const bool is_signed = dtype == XP_INT64;
    if (to_bool) {
      node.dtype = decode_truth;
    } else if (is_integer(target)) {
      node.dtype = decode_low;
      node.convert = normalisation(load_type);
    } else {
      node.dtype = half ? (is_signed ? decode_signed_float_odd : decode_unsigned_float_odd)
                        : (is_signed ? decode_signed_float : decode_unsigned_float);
      if (half) node.convert = normalisation(load_type);
    }
    return true;
  }
  if (width_ == 32 && dtype == XP_FLOAT64) {
    if (to_bool) {
      node.dtype = decode_double_truth;
    } else if (is_integer(target)) {
      node.dtype = target == Kind::signed_ ? decode_double_signed : decode_double_unsigned;
      if (dtype_sizes[load_type] < 4) node.convert = convert_code(convert_clamped, load_type);
    } else {
      node.dtype = half ? decode_double_float_odd : decode_double_float;
      if (half) node.convert = normalisation(load_type);
    }
    return true;
  }
  if (width_ == 128 && !has_slot(width_, dtype)) {
    // Integers come as doubles, complex64 as complex128.
    if (dtype == XP_COMPLEX64) return load_type == XP_COMPLEX128 || cast(XP_COMPLEX128, load_type, node.convert);
    const bool rounds = half || load_type == XP_FLOAT32;
    if (rounds && dtype == XP_INT64) node.dtype = decode_signed_double_odd;
    if (rounds && dtype == XP_UINT64) node.dtype = decode_unsigned_double_odd;
    return cast(XP_FLOAT64, load_type, node.convert);
  }
  return cast(dtype, load_type, node.convert);
}

/// An operand of its own for the real parts of a complex one.
int Planner::add_operand(int from, bool real_part) {
  if (!real_part) return from;
  const PlannedOperand& whole = plan_.operands[from];
  const bool stored = (program_.operands[from].flags & XP_WRITE) != 0;
  if (stored && plan_.n_operands == XP_MAX_OPERANDS) return -1;
  const int k = stored ? plan_.n_operands++ : from;
  PlannedOperand& operand = plan_.operands[k];
  operand = whole;
  operand.size /= 2;
  for (int d = 0; d < program_.ndim; ++d) operand.strides[d] *= 2;
  misaligned_[k] = false;
  return k;
}

bool Planner::load(int k, Source& result) {
  result = loaded_[k];
  if (result != no_source) return true;
  const xp_operand& operand = program_.operands[k];
  Node node = node_of(Code::load_1);
  bool real_part;
  if (operand.load_type >= XP_DTYPE_COUNT || !has_slot(width_, operand.load_type) ||
      !find_decoding(operand.dtype, operand.load_type, node, real_part)) {
    load_failure_ = "operand cannot be loaded at this width";
    return false;
  }
  const int index = add_operand(k, real_part);
  if (index < 0 || full()) {
    load_failure_ = "too long";
    return false;
  }
  node.code = misaligned_[index] ? Code::load_4x2 : load_code(plan_.operands[index].size);
  node.operand = static_cast<std::uint8_t>(index);
  plan_.operands[index].used = plan_.operands[index].read = true;
  result = loaded_[k] = emit(node);
  return true;
}

// ---- Conversions ----

/// Wraps or rounds a value to a dtype narrower than its slot.
std::uint8_t Planner::normalisation(int dtype) const {
  if (dtype == XP_BOOL || dtype_sizes[dtype] >= slot_bytes_ || (width_ == 128 && dtype == XP_FLOAT64))
    return convert_none;
  const Kind kind = kind_of(dtype);
  return convert_code(static_cast<int>(is_integer(kind) ? Kind::unsigned_ : kind), dtype);
}

bool Planner::cast(int from, int to, std::uint8_t& conversion) const {
  conversion = convert_none;
  if (from == to) return true;
  const Kind kind = kind_of(from), target = kind_of(to);
  if (kind == Kind::complex) {
    if (target == Kind::complex) return false;  // complex64 and complex128 never share a width
    conversion = convert_code(static_cast<int>(kind), to);
    return true;
  }
  const bool integer = kind != Kind::real;
  const Kind as_integer = kind == Kind::signed_ ? Kind::signed_ : Kind::unsigned_;  // bool is 0 or 1
  if (target == Kind::boolean) {
    conversion = convert_code(static_cast<int>(integer ? Kind::unsigned_ : kind), to);
  } else if (is_integer(target)) {
    conversion = integer ? normalisation(to) : convert_code(static_cast<int>(kind), to);
  } else if (integer) {
    conversion = convert_code(static_cast<int>(as_integer), to);
  } else if (target == Kind::complex) {
    conversion = convert_code(static_cast<int>(kind), to);
  } else {
    const bool exact = to == XP_FLOAT64 || (to == XP_FLOAT32 && from != XP_FLOAT64);
    conversion = exact ? convert_none : normalisation(to);
  }
  return true;
}

// ---- Instructions ----

constexpr Code by_kind(Kind kind, Code integer, Code real, Code complex) {
  return kind == Kind::real ? real : kind == Kind::complex ? complex : integer;
}
/// With an order: signed integers have their own.
constexpr Code ordered(Kind kind, Code signed_code, Code unsigned_code, Code real, Code complex) {
  return kind == Kind::signed_ ? signed_code : by_kind(kind, unsigned_code, real, complex);
}

/// Which operations are functions of a slot's type, by the list of those that the kernels call.
template <int width, class T, int arity>
static bool calls(Op op) {
  constexpr OpList light = FunctionList<width, T, arity, true>::value,
                   heavy = FunctionList<width, T, arity, false>::value;
  auto has = [op](const OpList& list) { return std::find(list.ops, list.ops + list.size, op) != list.ops + list.size; };
  return has(light) || has(heavy);
}
template <int width, int arity>
static Code function_code(Op op, Kind kind) {
  constexpr int offset = arity == 1 ? 0 : static_cast<int>(Code::binary_u) - static_cast<int>(Code::unary_u);
  auto code = [](Code unary) { return static_cast<Code>(static_cast<int>(unary) + offset); };
  using S = Slots<width>;
  switch (kind) {
    case Kind::real:
      return calls<width, typename S::Real, arity>(op) ? code(Code::unary_f) : Code::count_;
    case Kind::complex:
      return S::has_complex && calls<width, typename S::Pairwise, arity>(op) ? code(Code::unary_c) : Code::count_;
    case Kind::signed_:
      return S::has_integers && calls<width, typename S::Signed, arity>(op) ? code(Code::unary_s) : Code::count_;
    default:
      return calls<width, typename S::Unsigned, arity>(op) ? code(Code::unary_u) : Code::count_;
  }
}
static Code function_code(int width, Op op, Kind kind) {
  const bool unary = info(op).arity == 1;
  switch (width) {
    case 32:
      return unary ? function_code<32, 1>(op, kind) : function_code<32, 2>(op, kind);
    case 64:
      return unary ? function_code<64, 1>(op, kind) : function_code<64, 2>(op, kind);
    default:
      return unary ? function_code<128, 1>(op, kind) : function_code<128, 2>(op, kind);
  }
}

/// The value itself is the result.
static bool is_identity(Op op, Kind kind) {
  switch (op) {
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
      return kind != Kind::real && kind != Kind::complex;
    case Op::conj:
    case Op::real:
      return kind != Kind::complex;
    default:
      return false;
  }
}

/// Of operations that are no functions; Code::count_ where there is no such operation.
static Code code_for(Op op, Kind kind) {
  const bool boolean = kind == Kind::boolean, inexact = kind == Kind::real || kind == Kind::complex;
  constexpr Code none = Code::count_;
  switch (op) {
    case Op::square:
      return by_kind(kind, Code::multiply_i, Code::multiply_f, Code::multiply_c);
    case Op::add:
      return boolean ? Code::or_i : by_kind(kind, Code::add_i, Code::add_f, Code::add_c);
    case Op::subtract:
      return boolean ? none : by_kind(kind, Code::subtract_i, Code::subtract_f, Code::subtract_c);
    case Op::multiply:
      return boolean ? Code::and_i : by_kind(kind, Code::multiply_i, Code::multiply_f, Code::multiply_c);
    case Op::divide:
      return inexact ? by_kind(kind, none, Code::divide_f, Code::divide_c) : none;
    case Op::negative:
      return boolean ? none : by_kind(kind, Code::negative_i, Code::negative_f, Code::negative_c);
    case Op::absolute:
      return ordered(kind, Code::absolute_s, Code::move, Code::absolute_f, Code::absolute_c);
    case Op::sqrt:
      return by_kind(kind, none, Code::sqrt_f, Code::sqrt_c);
    case Op::exp:
      return by_kind(kind, none, Code::exp_f, Code::exp_c);
    case Op::equal:
      return by_kind(kind, Code::equal_i, Code::equal_f, Code::equal_c);
    case Op::not_equal:
      return by_kind(kind, Code::not_equal_i, Code::not_equal_f, Code::not_equal_c);
    case Op::less:
    case Op::greater:
      return ordered(kind, Code::less_s, Code::less_u, Code::less_f, Code::less_c);
    case Op::less_equal:
    case Op::greater_equal:
      return ordered(kind, Code::less_equal_s, Code::less_equal_u, Code::less_equal_f, Code::less_equal_c);
    default:
      return none;
  }
}

std::int32_t Planner::store(const xp_instruction& in) {
  const int k = in.dst - XP_REF_OPERAND;
  Source value;
  if (in.dst < XP_REF_OPERAND || k >= program_.n_operands || !source(in.a, value))
    return invalid(in, load_failure_ ? load_failure_ : "no such value");
  if (!has_slot(width_, in.type)) return invalid(in, "dtype does not fit the slot");
  accumulator_ = value;
  const int dtype = program_.operands[k].dtype;
  PlannedOperand& operand = plan_.operands[k];
  if (operand.size != dtype_sizes[dtype]) return invalid(in, "operand is read as real numbers and written");
  operand.used = true;
  Node node = node_of(misaligned_[k] ? Code::store_4x2 : store_code(operand.size));
  node.operand = static_cast<std::uint8_t>(k);
  node.dtype = static_cast<std::uint8_t>(dtype);
  if (!has_slot(width_, dtype)) {
    if (full()) return invalid(in, "program too long");
    value = emit_move(value, convert_none);
    values_[value].in_scratch = true;
    node.code = Code::store_any;
    node.dtype = static_cast<std::uint8_t>(static_cast<int>(kind_of(in.type)) | dtype << 4);
  } else if (in.type != dtype) {
    std::uint8_t conversion;
    if (!cast(in.type, dtype, conversion)) return invalid(in, "no such operation");
    if (full()) return invalid(in, "program too long");
    if (conversion != convert_none) value = emit_move(value, conversion);
  }
  if (full()) return invalid(in, "program too long");
  node.a = value;
  nodes_[n_nodes_++] = node;
  return XP_OK;
}

std::int32_t Planner::operation(const xp_instruction& in, Node& node, bool& same_value) {
  const Op op = row_of(static_cast<Op>(in.op), in.type);
  const Kind kind = kind_of(in.type);
  if (kind == Kind::boolean && op >= Op::floor_divide && !takes_bool(op)) return invalid(in, "no such operation");
  same_value = is_identity(op, kind);
  if (same_value) return XP_OK;
  node.code = code_for(op, kind);
  if (node.code == Code::count_) {
    node.code = function_code(width_, op, kind);
    node.dtype = static_cast<std::uint8_t>(op);
  }
  if (node.code == Code::count_) return invalid(in, "no such operation");
  if (op == Op::greater || op == Op::greater_equal) std::swap(node.a, node.b);
  if (op == Op::square) node.b = node.a;
  if (info(op).returns != Returns::boolean) node.convert = normalisation(in.to);
  return XP_OK;
}

std::int32_t Planner::instruction(const xp_instruction& in) {
  if (in.op >= op_count || in.type >= XP_DTYPE_COUNT || in.to >= XP_DTYPE_COUNT)
    return invalid(in, "unknown operation or dtype");
  const Op op = static_cast<Op>(in.op);
  if (op == Op::store) return store(in);
  if (!has_slot(width_, in.type) || !has_slot(width_, in.to)) return invalid(in, "dtype does not fit the slot");
  const int arity = operation_table[in.op].arity;
  Node node = node_of(Code::move);
  if ((arity > 0 && !source(in.a, node.a)) || (arity > 1 && !source(in.b, node.b)) ||
      (arity > 2 && !source(in.c, node.c)))
    return invalid(in, load_failure_ ? load_failure_ : "no such value");
  if (full()) return invalid(in, "program too long");

  bool same_value = false;
  switch (op) {
    case Op::load:
      same_value = true;
      break;
    case Op::cast:
      if (!cast(in.type, in.to, node.convert)) return invalid(in, "no such operation");
      same_value = node.convert == convert_none;
      break;
    case Op::index:
      if (width_ != 64) return invalid(in, "no such operation");
      node.code = Code::index;
      break;
    case Op::where:
      node.code = Code::where;
      break;
    default:
      if (const std::int32_t code = operation(in, node, same_value)) return code;
  }
  accumulator_ = same_value ? node.a : emit(node);
  if (in.dst != XP_REF_NONE) {
    if (in.dst >= XP_REF_REGISTER + program_.n_registers) return invalid(in, "no such register");
    registers_[in.dst - XP_REF_REGISTER] = accumulator_;
  }
  return XP_OK;
}

std::int32_t Planner::reduction() {
  const xp_program& p = program_;
  if (p.reduce_op != static_cast<int>(Op::sum) || p.reduce_type >= XP_DTYPE_COUNT || !has_slot(width_, p.reduce_type))
    return fail(error_, XP_INVALID, "reduction %d of dtype %d: no such operation at width %d", p.reduce_op,
                p.reduce_type, width_);
  if (!has_sum(p.reduce_type))
    return fail(error_, XP_INVALID, "sum: no such operation (%s)", dtype_names[p.reduce_type]);
  if (!p.reduce_out || !source(p.reduce_ref, reduced_)) return fail(error_, XP_INVALID, "sum: no such value");
  return XP_OK;
}

std::int32_t Planner::operands() {
  const xp_program& p = program_;
  plan_.n_operands = p.n_operands;
  for (int k = 0; k < p.n_operands; ++k) {
    const xp_operand& from = p.operands[k];
    if (from.dtype >= XP_DTYPE_COUNT) return fail(error_, XP_INVALID, "operand %d: unknown dtype %d", k, from.dtype);
    PlannedOperand& operand = plan_.operands[k];
    operand.data = static_cast<char*>(from.data);
    std::copy_n(from.strides, p.ndim, operand.strides);
    operand.size = dtype_sizes[from.dtype];
    operand.used = operand.read = false;
    misaligned_[k] = from.dtype == XP_COMPLEX64 && reinterpret_cast<std::uintptr_t>(from.data) % 8 != 0;
  }
  return XP_OK;
}

std::int32_t Planner::run() {
  const xp_program& p = program_;
  std::fill(std::begin(registers_), std::end(registers_), no_source);
  std::fill(std::begin(loaded_), std::end(loaded_), no_source);
  if (const std::int32_t code = operands()) return code;
  for (int i = 0; i < p.n_instructions; ++i)
    if (const std::int32_t code = instruction(p.instructions[i])) return code;
  if (p.reduce_ref != XP_REF_NONE)
    if (const std::int32_t code = reduction()) return code;
  find_flat(plan_);
  arrange();
  preload();
  allocate();
  place_chunks(plan_);
  return XP_OK;
}

std::int32_t make_plan(const xp_program& program, std::int64_t origin, DevicePlan& plan, xp_error* error) {
  if (program.width != 32 && program.width != 64 && program.width != 128)
    return fail(error, XP_INVALID, "width %d: no such slot width", program.width);
  plan.program = &program;
  plan.origin = origin;
  return Planner(program, plan, error).run();
}

}  // namespace xp::kernels
