// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan_device.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "kernels/reduce_device.hpp"
#include "kernels/status.hpp"
#include "kernels/tiles_device.hpp"

namespace xp::kernels {
namespace {

constexpr int op_count = static_cast<int>(Op::count_);

/// Where a step takes a value from: another step (its number in values_), or a constant.
using Source = int;
constexpr Source no_source = -1;
constexpr Source constant_source(int index) { return -2 - index; }

constexpr bool is_integer(Kind kind) { return kind == Kind::signed_ || kind == Kind::unsigned_; }
constexpr bool is_half_dtype(int dtype) { return dtype == XP_FLOAT16 || dtype == XP_BFLOAT16; }

// Arrays of these are not initialised: for a program of two instructions that would take longer than all the rest.
struct Node {
  Code code;
  std::uint8_t convert;
  Source a, b, c;
  int result;
  std::uint8_t operand, dtype;
};
constexpr Node node_of(Code code) { return {code, convert_none, no_source, no_source, no_source, no_source, 0, 0}; }

struct Value {
  int uses;        // to come
  int load;        // the node that loads it, before it is loaded; or -1
  int last_fetch;  // the step that takes it from its home last, or -1
  bool in_scratch;
  std::uint8_t home;
};
constexpr Value new_value{0, -1, -1, false, place_none};

/// A node whose values' places are known.
struct Arranged {
  Node node;
  std::uint8_t a, b, c;  // where not in a home
  bool exchanged, to_accumulator;
};
constexpr Arranged arranged_of(const Node& node) {
  return {node, place_accumulator, place_accumulator, place_accumulator, false, false};
}

/// A load is started before the first step from no further than this.
constexpr int preload_reach = 4;

constexpr Code load_code(int size) {
  switch (size) {
    case 1:
      return Code::load_1;
    case 2:
      return Code::load_2;
    case 4:
      return Code::load_4;
    case 8:
      return Code::load_8;
    default:
      return Code::load_16;
  }
}

class Planner {
 public:
  Planner(const xp_program& program, DevicePlan& plan, xp_error* error)
      : program_(program), plan_(plan), error_(error), width_(program.width), slot_bytes_(program.width / 8) {}

  std::int32_t run();

 private:
  std::int32_t instruction(const xp_instruction& in);
  std::int32_t store(const xp_instruction& in);
  std::int32_t reduction();
  std::int32_t operands();

  bool source(std::uint8_t ref, Source& result);
  bool load(int operand, Source& result);
  bool find_decoding(int dtype, int load_type, Node& node, bool& real_part) const;
  int add_operand(int from, bool real_part);

  bool full() const { return n_nodes_ == most_steps - 1; }
  Source add_value() {
    values_[n_values_] = new_value;
    return n_values_++;
  }
  Source emit(Node node) {
    node.result = add_value();
    nodes_[n_nodes_++] = node;
    return node.result;
  }
  Source emit_move(Source from, std::uint8_t conversion) {
    Node node = node_of(Code::move);
    node.a = from;
    node.convert = conversion;
    return emit(node);
  }

  std::uint8_t normalisation(int dtype) const;
  bool cast(int from, int to, std::uint8_t& conversion) const;

  void arrange();
  void arrange(const Node& node);
  std::uint8_t place_for(Source source, int uses_for_accumulator);
  void emit_load(Source value, bool to_accumulator);
  bool is_native(const Node& load) const { return load.code == load_code(slot_bytes_) && load.convert == convert_none; }
  void preload();
  void allocate();
  std::uint8_t take_home(const Value& value);
  Code quick(const Step& step) const;
  std::uint8_t settle(Source source, std::uint8_t place) const {
    return place == place_none ? values_[source].home : place;
  }
  void release(Source source, int position);

  std::int32_t invalid(const xp_instruction& in, const char* what) {
    const char* name = in.op < op_count ? operation_table[in.op].name.data() : "?";
    const char* type = in.type < XP_DTYPE_COUNT ? dtype_names[in.type] : "?";
    const char* to = in.to < XP_DTYPE_COUNT ? dtype_names[in.to] : "?";
    return fail(error_, XP_INVALID, "%s: %s (type %s, to %s, width %d)", name, what, type, to, width_);
  }

  const xp_program& program_;
  DevicePlan& plan_;
  xp_error* error_;
  const int width_, slot_bytes_;

  // The conversion of a store needs a step and a value more.
  Node nodes_[most_steps];
  Value values_[most_steps + XP_MAX_OPERANDS];
  int n_nodes_ = 0, n_values_ = 0;
  Source accumulator_ = no_source, reduced_ = no_source;
  Source registers_[XP_MAX_REGISTERS], loaded_[XP_MAX_OPERANDS];
  bool misaligned_[XP_MAX_OPERANDS];
  Arranged arranged_[most_steps];
  int n_arranged_ = 0;
  Source held_ = no_source;  // in the accumulator
  int fast_until_ = -1;      // the step that takes the preloaded value of the fast register last
  bool fast_used_ = false;
  std::uint64_t scratch_used_ = 0;
  const char* load_failure_ = nullptr;
};

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

constexpr Code store_code(int size) {
  return static_cast<Code>(static_cast<int>(load_code(size)) - static_cast<int>(Code::load_1) +
                           static_cast<int>(Code::store_1));
}
static_assert(store_code(1) == Code::store_1 && store_code(2) == Code::store_2 && store_code(4) == Code::store_4 &&
              store_code(8) == Code::store_8);

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

/// Code::count_ where there is no such operation.
Code code_for(Op op, Kind kind) {
  const bool boolean = kind == Kind::boolean, inexact = kind == Kind::real || kind == Kind::complex;
  constexpr Code none = Code::count_;
  switch (op) {
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
      node.code = code_for(op, kind_of(in.type));
      if (node.code == Code::count_) return invalid(in, "no such operation");
      if (op == Op::greater || op == Op::greater_equal) std::swap(node.a, node.b);
      if (operation_table[in.op].returns != Returns::boolean) node.convert = normalisation(in.to);
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

// ---- Order and places ----

constexpr bool is_commutative(Code code) {
  switch (code) {
    case Code::add_i:
    case Code::add_f:
    case Code::add_c:
    case Code::multiply_i:
    case Code::multiply_f:
    case Code::or_i:
    case Code::and_i:
    case Code::equal_i:
    case Code::equal_f:
    case Code::equal_c:
    case Code::not_equal_i:
    case Code::not_equal_f:
    case Code::not_equal_c:
      return true;
    default:
      return false;
  }
}

/// Loads a value into its home, or only into the accumulator.
void Planner::emit_load(Source value, bool to_accumulator) {
  Arranged& load = arranged_[n_arranged_++];
  load = arranged_of(nodes_[values_[value].load]);
  load.to_accumulator = to_accumulator;
  values_[value].load = -1;
  if (to_accumulator) held_ = value;
}

/// Where the next step finds a value; place_none means in its home. One use of it is over then. A value for the
/// accumulator is used as often by that step as said.
std::uint8_t Planner::place_for(Source source, int uses_for_accumulator) {
  if (source <= constant_source(0)) return static_cast<std::uint8_t>(place_constant + (constant_source(0) - source));
  Value& value = values_[source];
  const bool last = --value.uses < std::max(uses_for_accumulator, 1);
  if (source == held_) return place_accumulator;
  if (value.load >= 0) {
    const Node& load = nodes_[value.load];
    if (last && plan_.flat && is_native(load)) {
      value.load = -1;
      return static_cast<std::uint8_t>(place_operand + load.operand);
    }
    const bool to_accumulator = last && uses_for_accumulator > 0;
    emit_load(source, to_accumulator);
    if (to_accumulator) return place_accumulator;
  }
  value.last_fetch = n_arranged_;
  return place_none;
}

void Planner::arrange(const Node& original) {
  Node node = original;
  const bool stores = node.result == no_source;
  if (stores) {
    // Memory that is loaded from later may be what is stored to.
    for (int v = 0; v < n_values_; ++v)
      if (values_[v].load >= 0 && values_[v].uses > 0 && v != node.a) emit_load(v, false);
  } else if (values_[node.result].uses == 0) {
    for (const Source s : {node.a, node.b, node.c})
      if (s >= 0) --values_[s].uses;
    return;  // nobody wants it
  }
  Arranged step = arranged_of(node);
  if (node.code == Code::store_any) {
    node.b = std::exchange(node.a, no_source);
    --values_[node.b].uses;
    values_[node.b].last_fetch = n_arranged_;
    step.b = place_none;
  } else {
    if (node.b != no_source && node.b == held_ && node.a != held_ && node.code != Code::where) {
      std::swap(node.a, node.b);
      step.exchanged = !is_commutative(node.code);
    }
    // What the second value needs must not come between the accumulator and its use.
    for (const Source s : {node.b, node.c})
      if (s >= 0 && s != node.a && values_[s].load >= 0 &&
          !(values_[s].uses == 1 && plan_.flat && is_native(nodes_[values_[s].load])))
        emit_load(s, false);
    if (node.a != no_source) {
      step.a = place_for(node.a, 1 + (node.b == node.a) + (node.c == node.a));
      held_ = node.a;
    }
    if (node.b != no_source) step.b = place_for(node.b, 0);
    if (node.c != no_source) step.c = place_for(node.c, 0);
  }
  step.node = node;
  arranged_[n_arranged_++] = step;
  if (!stores) held_ = node.result;
}

/// Decides where each step takes its values from.
void Planner::arrange() {
  for (int i = 0; i < n_nodes_; ++i)
    for (const Source s : {nodes_[i].a, nodes_[i].b, nodes_[i].c})
      if (s >= 0) ++values_[s].uses;
  if (reduced_ >= 0) ++values_[reduced_].uses;
  for (int i = 0; i < n_nodes_; ++i) {
    if (nodes_[i].code < Code::store_1)
      values_[nodes_[i].result].load = i;
    else
      arrange(nodes_[i]);
  }
  if (reduced_ != no_source && reduced_ != held_) {
    Node node = node_of(Code::move);
    node.a = reduced_;
    node.result = add_value();
    values_[node.result].uses = 1;
    arrange(node);
  }
}

/// Loads that need nothing else and are wanted soon are started before the first step.
void Planner::preload() {
  plan_.preload_accumulator = plan_.preload_fast = place_none;
  const int turned = program_.ndim > 1 && !plan_.flat ? find_turned_axis(plan_) : -1;
  auto suits = [&](const Node& load) {
    return load.code < Code::store_1 && is_native(load) &&
           (turned < 0 || !is_turned(program_, plan_.operands[load.operand], turned));
  };
  bool accumulator_free = true;
  for (int i = 0; i < n_arranged_ && i < preload_reach; ++i) {
    Arranged& step = arranged_[i];
    auto in_memory = [](std::uint8_t place) { return place >= place_operand && place < place_constant; };
    auto to_fast = [&](std::uint8_t& place) {
      if (!in_memory(place) || plan_.preload_fast != place_none) return;
      plan_.preload_fast = static_cast<std::uint8_t>(place - place_operand);
      place = place_fast;
      fast_until_ = i;
    };
    if (step.node.code < Code::store_1) {
      if (!suits(step.node)) {
        accumulator_free = accumulator_free && !step.to_accumulator;
      } else if (step.to_accumulator) {
        if (accumulator_free) {
          plan_.preload_accumulator = step.node.operand;
          step.node.code = Code::count_;
        }
        accumulator_free = false;
      } else if (plan_.preload_fast == place_none && !values_[step.node.result].in_scratch) {
        plan_.preload_fast = step.node.operand;
        values_[step.node.result].home = place_fast;
        fast_until_ = values_[step.node.result].last_fetch;
        step.node.code = Code::count_;
      }
      continue;
    }
    if (accumulator_free && in_memory(step.a)) {
      plan_.preload_accumulator = static_cast<std::uint8_t>(step.a - place_operand);
      step.a = place_accumulator;
    }
    if (step.node.code >= Code::index) {
      to_fast(step.b);
      to_fast(step.c);
    }
    accumulator_free = false;
  }
}

std::uint8_t Planner::take_home(const Value& value) {
  if (!value.in_scratch && !fast_used_) {
    fast_used_ = true;
    return place_fast;
  }
  const int slot = std::countr_one(scratch_used_);
  scratch_used_ |= std::uint64_t{1} << slot;
  plan_.scratch_registers = std::max(plan_.scratch_registers, slot + 1);
  return static_cast<std::uint8_t>(place_scratch + slot);
}

void Planner::release(Source source, int position) {
  if (source < 0 || values_[source].last_fetch != position) return;
  const int home = values_[source].home;
  if (home == place_fast)
    fast_used_ = false;
  else if (home >= place_scratch && home < place_operand)
    scratch_used_ &= ~(std::uint64_t{1} << (home - place_scratch));
  values_[source].last_fetch = -1;
}

/// The step's own code, or the one of a quick step that does the same.
Code Planner::quick(const Step& step) const {
  if (width_ == 128 || step.a != place_accumulator) return step.code;
  if (step.code == store_code(slot_bytes_)) return quick_store;
  if (step.convert != convert_none || step.to != place_none) return step.code;
  Quick op;
  switch (step.code) {
    case Code::add_f:
      op = Quick::add_f;
      break;
    case Code::subtract_f:
      op = Quick::subtract_f;
      break;
    case Code::multiply_f:
      op = Quick::multiply_f;
      break;
    case Code::add_i:
      op = Quick::add_i;
      break;
    case Code::subtract_i:
      op = Quick::subtract_i;
      break;
    case Code::multiply_i:
      op = Quick::multiply_i;
      break;
    default:
      return step.code;
  }
  Second second = Second::scratch;
  if (step.b == place_accumulator)
    second = Second::accumulator;
  else if (step.b == place_fast)
    second = Second::fast;
  else if (step.b >= place_constant)
    second = Second::constant;
  else if (step.b >= place_operand)
    second = Second::operand;
  return quick_code(op, second, step.operand != 0 && !is_commutative(step.code));
}

/// Gives homes to the values that are wanted when the accumulator has gone on, and writes the steps.
void Planner::allocate() {
  plan_.scratch_registers = 0;
  plan_.n_steps = 0;
  fast_used_ = plan_.preload_fast != place_none;
  for (int i = 0; i < n_arranged_; ++i) {
    const Arranged& from = arranged_[i];
    const Node& node = from.node;
    const bool preloaded = node.code == Code::count_;
    Step step{
        node.code,    node.convert, place_none, settle(node.a, from.a), settle(node.b, from.b), settle(node.c, from.c),
        node.operand, node.dtype};
    // A step has read its values when it writes its result.
    for (const Source s : {node.a, node.b, node.c}) release(s, i);
    if (i == fast_until_) fast_used_ = false;
    if (preloaded) continue;
    if (node.code >= Code::index) step.operand = from.exchanged;
    if (node.result >= 0) {
      Value& value = values_[node.result];
      if (from.to_accumulator)
        step.to = place_accumulator;
      else if (value.last_fetch >= 0)
        step.to = value.home = take_home(value);
    }
    step.code = quick(step);
    const bool nothing =
        step.code == Code::move && step.a == place_accumulator && step.convert == convert_none && step.to == place_none;
    if (!nothing) plan_.steps[plan_.n_steps++] = step;
  }
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

}  // namespace

std::int32_t make_plan(const xp_program& program, DevicePlan& plan, xp_error* error) {
  if (program.width != 32 && program.width != 64 && program.width != 128)
    return fail(error, XP_INVALID, "width %d: no such slot width", program.width);
  plan.program = &program;
  return Planner(program, plan, error).run();
}

}  // namespace xp::kernels
