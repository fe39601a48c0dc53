// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan_host.hpp"

#include <algorithm>
#include <cstdlib>

#include "kernels/launch_host.hpp"
#include "kernels/program_checks.hpp"
#include "kernels/rows.hpp"

namespace xp::kernels {
namespace {

constexpr int no_slot = -1;  // the accumulator

/// Builds the steps of one program.
class Planner {
 public:
  Planner(const xp_program& program, Plan& plan, xp_error* error) : program_(program), plan_(plan), error_(error) {}

  std::int32_t run();

 private:
  std::int32_t instruction(const xp_instruction& in);
  std::int32_t store(const xp_instruction& in);
  std::int32_t reduction();
  std::int32_t operands();
  bool is_tiled(const xp_operand& operand, int axis) const;
  void find_tiles();
  void estimate();
  void prefetch();
  bool is_aligned(const xp_operand& operand) const;

  /// The slot of a value, no_slot for the accumulator; false if there is no such value.
  bool resolve(std::uint8_t ref, int& slot);
  /// The accumulator's form of in.a and in.b.
  static Form form_of(int a, int b) {
    if (a == no_slot) return b == no_slot ? acc_acc : acc_mem;
    return b == no_slot ? mem_acc : mem_mem;
  }

  void emit(Handler handler, int a = 0, int b = 0, int c = 0, int d = 0) {
    plan_.steps[plan_.n_steps++] = {handler, static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b),
                                    static_cast<std::uint16_t>(c), static_cast<std::uint16_t>(d)};
  }
  bool emit(Conversion conversion) {
    const Handler handler = plan_.handlers->convert[static_cast<int>(conversion)];
    if (handler) emit(handler);
    return handler != nullptr;
  }
  /// Wraps or rounds the accumulator to a dtype narrower than the slot.
  bool normalise(int dtype);
  bool wraps_when_stored() const;
  bool cast(int from, int to);
  bool sets_register(const xp_instruction& in);

  std::int32_t invalid(const xp_instruction& in, const char* what) {
    return invalid_instruction(in, program_.width, what, error_);
  }

  const xp_program& program_;
  Plan& plan_;
  xp_error* error_;
  bool wraps_at_end_ = false;
};

bool Planner::resolve(std::uint8_t ref, int& slot) {
  if (ref == XP_REF_ACC) {
    slot = no_slot;
    return true;
  }
  if (ref < XP_REF_REGISTER + program_.n_registers) {
    slot = register_slot + ref - XP_REF_REGISTER;
    plan_.registers |= 1u << (ref - XP_REF_REGISTER);
    return true;
  }
  if (ref >= XP_REF_OPERAND && ref < XP_REF_OPERAND + program_.n_operands) {
    slot = load_slot + ref - XP_REF_OPERAND;
    plan_.operands[ref - XP_REF_OPERAND].load = Access::buffered;  // refined by operands()
    return true;
  }
  if (ref >= XP_REF_CONSTANT && ref < XP_REF_CONSTANT + program_.n_constants) {
    slot = constant_slot + ref - XP_REF_CONSTANT;
    plan_.constants |= 1u << (ref - XP_REF_CONSTANT);
    return true;
  }
  return false;
}

/// Whether all that the program does is arithmetic on integers of one dtype, whose last bits depend on no others: then
/// it is enough to wrap what is stored.
bool Planner::wraps_when_stored() const {
  const xp_program& p = program_;
  if (p.reduce_ref != XP_REF_NONE || p.n_instructions == 0) return false;
  const int dtype = p.instructions[0].type;
  if (dtype >= XP_DTYPE_COUNT || (kind_of(dtype) != Kind::signed_ && kind_of(dtype) != Kind::unsigned_)) return false;
  for (int k = 0; k < p.n_operands; ++k)
    if (p.operands[k].dtype != dtype || ((p.operands[k].flags & XP_READ) != 0 && p.operands[k].load_type != dtype))
      return false;
  return std::all_of(p.instructions, p.instructions + p.n_instructions, [dtype](const xp_instruction& in) {
    if (in.type != dtype || in.to != dtype) return false;
    switch (static_cast<Op>(in.op)) {
      case Op::load:
      case Op::store:
      case Op::add:
      case Op::subtract:
      case Op::multiply:
      case Op::square:
      case Op::negative:
      case Op::bitwise_and:
      case Op::bitwise_or:
      case Op::bitwise_xor:
      case Op::invert:
        return true;
      default:
        return false;
    }
  });
}

bool Planner::normalise(int dtype) {
  if (wraps_at_end_) return true;
  const bool narrow = dtype_sizes[dtype] < plan_.slot_bytes;
  if (!narrow) return true;
  switch (dtype) {
    case XP_INT8:
      return emit(Conversion::wrap_int8);
    case XP_INT16:
      return emit(Conversion::wrap_int16);
    case XP_INT32:
      return emit(Conversion::wrap_int32);
    case XP_UINT8:
      return emit(Conversion::wrap_uint8);
    case XP_UINT16:
      return emit(Conversion::wrap_uint16);
    case XP_UINT32:
      return emit(Conversion::wrap_uint32);
    case XP_FLOAT16:
      return emit(Conversion::round_float16);
    case XP_BFLOAT16:
      return emit(Conversion::round_bfloat16);
    case XP_FLOAT32:
      return emit(Conversion::round_float32);
    case XP_BOOL:
      return true;
    case XP_FLOAT64:
      return program_.width == 128;
    default:
      return false;
  }
}

bool Planner::cast(int from, int to) {
  if (from == to) return true;
  Kind kind = kind_of(from);
  const Kind target = kind_of(to);
  if (target == Kind::boolean) {
    if (kind == Kind::complex) return emit(Conversion::complex_to_bool);
    return emit(kind == Kind::real ? Conversion::real_to_bool : Conversion::integer_to_bool);
  }
  if (kind == Kind::complex) {
    if (target == Kind::complex) return false;  // complex64 and complex128 never share a width
    if (!emit(Conversion::complex_to_real)) return false;
    kind = Kind::real;
    from = program_.width == 64 ? XP_FLOAT32 : XP_FLOAT64;
  }
  const bool integer = kind != Kind::real;
  const bool integer_target = target == Kind::signed_ || target == Kind::unsigned_;
  if (integer_target) {
    if (integer) return normalise(to);
    return emit(static_cast<Conversion>(static_cast<int>(Conversion::real_to_int8) + to - XP_INT8));
  }
  const bool widest = program_.width == 32 ? to == XP_FLOAT32 : to == XP_FLOAT64 || to == XP_COMPLEX128;
  if (integer) {
    const bool is_signed = kind == Kind::signed_;
    if (!emit(widest ? (is_signed ? Conversion::signed_to_real : Conversion::unsigned_to_real)
                     : (is_signed ? Conversion::signed_to_real_odd : Conversion::unsigned_to_real_odd)))
      return false;
  }
  if (target == Kind::complex) return emit(Conversion::real_to_complex);
  const bool exact = !integer && (widest || (to == XP_FLOAT32 && from != XP_FLOAT64));
  return exact || widest || normalise(to);
}

bool Planner::sets_register(const xp_instruction& in) {
  if (in.dst == XP_REF_NONE) return true;
  if (in.dst >= XP_REF_REGISTER + program_.n_registers) return false;
  plan_.registers |= 1u << (in.dst - XP_REF_REGISTER);
  emit(plan_.handlers->store, 0, 0, 0, register_slot + in.dst - XP_REF_REGISTER);
  return true;
}

std::int32_t Planner::store(const xp_instruction& in) {
  const int k = in.dst - XP_REF_OPERAND;
  int a;
  if (in.dst < XP_REF_OPERAND || k >= program_.n_operands || !resolve(in.a, a)) return invalid(in, "no such value");
  if (!has_slot(program_.width, in.type)) return invalid(in, "dtype does not fit the slot");
  if (a != no_slot) emit(plan_.handlers->load, a);
  emit(plan_.handlers->store, 0, 0, 0, store_slot + k);
  OperandPlan& operand = plan_.operands[k];
  if (operand.store != Access::unused) {
    if (operand.value_type != in.type) return invalid(in, "operand is stored with two dtypes");
    // Identical views may be operands twice: the last store must be the one that stays.
    std::uint8_t* end = plan_.store_order + plan_.n_stores;
    std::rotate(std::find(plan_.store_order, end, k), std::find(plan_.store_order, end, k) + 1, end);
    return XP_OK;
  }
  operand.store = Access::buffered;
  operand.value_type = in.type;
  plan_.store_order[plan_.n_stores++] = static_cast<std::uint8_t>(k);
  return XP_OK;
}

std::int32_t Planner::instruction(const xp_instruction& in) {
  if (in.op >= op_count || in.type >= XP_DTYPE_COUNT || in.to >= XP_DTYPE_COUNT)
    return invalid(in, "unknown operation or dtype");
  const Op op = static_cast<Op>(in.op);
  if (op == Op::store) return store(in);
  if (!has_slot(program_.width, in.type) || !has_slot(program_.width, in.to))
    return invalid(in, "dtype does not fit the slot");
  const int kind = static_cast<int>(kind_of(in.type));
  int a = 0, b = 0, c = 0;
  const int arity = operation_table[in.op].arity;
  if ((arity > 0 && !resolve(in.a, a)) || (arity > 1 && !resolve(in.b, b)) || (arity > 2 && !resolve(in.c, c)))
    return invalid(in, "no such value");
  const Handlers& handlers = *plan_.handlers;

  switch (op) {
    case Op::load:
      if (a != no_slot) emit(handlers.load, a);
      break;
    case Op::cast:
      if (a != no_slot) emit(handlers.load, a);
      if (!cast(in.type, in.to)) return invalid(in, "no such operation");
      break;
    case Op::index:
      if (!handlers.index) return invalid(in, "no such operation");
      emit(handlers.index);
      break;
    case Op::where: {
      const int memory = (a != no_slot ? 1 : 0) | (b != no_slot ? 2 : 0) | (c != no_slot ? 4 : 0);
      emit(handlers.select[memory], std::max(a, 0), std::max(b, 0), std::max(c, 0));
      break;
    }
    case Op::greater:
    case Op::greater_equal: {
      const Op other = op == Op::greater ? Op::less : Op::less_equal;
      const Handler handler = handlers.binary[static_cast<int>(other)][kind][form_of(b, a)];
      if (!handler) return invalid(in, "no such operation");
      emit(handler, std::max(b, 0), std::max(a, 0));
      break;
    }
    default: {
      const int row = static_cast<int>(row_of(op, in.type));
      const Handler handler = arity == 2   ? handlers.binary[row][kind][form_of(a, b)]
                              : arity == 1 ? handlers.unary[row][kind][a != no_slot ? 1 : 0]
                                           : nullptr;
      if (!handler) return invalid(in, "no such operation");
      emit(handler, std::max(a, 0), std::max(b, 0));
      if (operation_table[in.op].returns != Returns::boolean && !normalise(in.to))
        return invalid(in, "no such operation");
    }
  }
  if (!sets_register(in)) return invalid(in, "no such register");
  return XP_OK;
}

std::int32_t Planner::reduction() {
  const xp_program& p = program_;
  int slot;
  if (p.reduce_op != static_cast<int>(Op::sum) || p.reduce_type >= XP_DTYPE_COUNT || !has_slot(p.width, p.reduce_type))
    return fail(error_, XP_INVALID, "reduction %d of dtype %d: no such operation at width %d", p.reduce_op,
                p.reduce_type, p.width);
  plan_.reducer = sum_reducer(p.reduce_type);
  if (!plan_.reducer) return fail(error_, XP_INVALID, "sum: no such operation (%s)", dtype_names[p.reduce_type]);
  if (!p.reduce_out || !resolve(p.reduce_ref, slot)) return fail(error_, XP_INVALID, "sum: no such value");
  if (slot != no_slot) emit(plan_.handlers->load, slot);
  emit(plan_.handlers->store, 0, 0, 0, reduce_slot);
  return XP_OK;
}

/// The operand's neighbours along `axis` are nearer than those along the last axis, where each is on a cache line of
/// its own. Rows so short that L1 keeps their lines until the next rows come need no tiles (untiled is then 1.3 times
/// faster), unless the lines' distance maps them into few sets of the cache.
bool Planner::is_tiled(const xp_operand& operand, int axis) const {
  const std::int64_t along = std::abs(operand.strides[axis]), last = std::abs(operand.strides[program_.ndim - 1]);
  const std::int64_t row = program_.shape[program_.ndim - 1], distance = last * dtype_sizes[operand.dtype];
  return along > 0 && along < last && distance >= 64 &&
         (row >= 1024 || (row >= 2 * plan_.block_elements && distance >= 2048));
}

void Planner::find_tiles() {
  const xp_program& p = program_;
  const int last = p.ndim - 1;
  if (plan_.reducer || p.ndim < 2) return;
  for (int k = 0; k < p.n_operands && plan_.tile_axis < 0; ++k) {
    const OperandPlan& plan = plan_.operands[k];
    const xp_operand& operand = p.operands[k];
    if (plan.load == Access::unused && plan.store == Access::unused) continue;
    for (int axis = 0; axis < last; ++axis)
      if (p.shape[axis] >= 8 && is_tiled(operand, axis) &&
          (plan_.tile_axis < 0 || std::abs(operand.strides[axis]) < std::abs(operand.strides[plan_.tile_axis])))
        plan_.tile_axis = axis;
  }
  if (plan_.tile_axis < 0) return;
  plan_.tile_columns = tile_blocks * plan_.block_elements;
  // A multiple of 1 KiB would put all rows into few sets of the L1 cache.
  plan_.tile_pitch = plan_.tile_columns * plan_.slot_bytes + 64;
  const std::int64_t extent = p.shape[plan_.tile_axis];
  plan_.tile_bands = p.count / p.shape[last] / extent * ((extent + tile_rows - 1) / tile_rows);
}

std::int32_t Planner::operands() {
  const xp_program& p = program_;
  const int last = p.ndim - 1;
  bool flat = true;
  for (int k = 0; k < p.n_operands; ++k) {
    const OperandPlan& plan = plan_.operands[k];
    if (plan.load == Access::unused && plan.store == Access::unused) continue;
    flat = flat && (is_contiguous(p, p.operands[k]) || is_scalar(p, p.operands[k]));
  }
  if (!flat) find_tiles();
  plan_.by_rows = plan_.tile_axis >= 0 || (!flat && p.ndim > 1 && !plan_.reducer && p.shape[last] >= minimum_row);

  for (int k = 0; k < p.n_operands; ++k) {
    OperandPlan& plan = plan_.operands[k];
    if (plan.load == Access::unused && plan.store == Access::unused) continue;
    const xp_operand& operand = p.operands[k];
    if (operand.dtype >= XP_DTYPE_COUNT)
      return fail(error_, XP_INVALID, "operand %d: unknown dtype %d", k, operand.dtype);
    const bool contiguous = is_contiguous(p, operand) || (plan_.by_rows && operand.strides[last] == 1);
    const bool native = is_native(p.width, operand.dtype);
    if (plan.load != Access::unused) {
      if (operand.load_type >= XP_DTYPE_COUNT || !has_slot(p.width, operand.load_type))
        return fail(error_, XP_INVALID, "operand %d: cannot be loaded at width %d", k, p.width);
      plan.fetch = fetch_for(p.width, operand.load_type);
      plan.convert_load = operand.load_type == operand.dtype ? nullptr : convert_for(operand.dtype, operand.load_type);
      if (is_scalar(p, operand) && p.count > 1)
        plan.load = Access::splat;
      else if (contiguous && native && !plan.convert_load)
        plan.load = Access::direct;
      else if (plan_.by_rows && operand.strides[last] == 0)
        plan.load = Access::row_splat;
      else if (plan_.tile_axis >= 0 && !plan.convert_load && is_tiled(operand, plan_.tile_axis))
        plan.load = Access::tiled;
      plan_.buffered |= plan.load == Access::buffered;
      plan_.converts |= plan.convert_load != nullptr;
    }
    if (plan.store != Access::unused) {
      plan.spread = spread_for(p.width, plan.value_type);
      plan.convert_store = plan.value_type == operand.dtype ? nullptr : convert_for(plan.value_type, operand.dtype);
      if (contiguous && native && !plan.convert_store)
        plan.store = Access::direct;
      else if (plan_.tile_axis >= 0 && !plan.convert_store && is_tiled(operand, plan_.tile_axis))
        plan.store = Access::tiled;
      plan_.buffered |= plan.store == Access::buffered;
      plan_.converts |= plan.convert_store != nullptr;
    }
  }
  return XP_OK;
}

/// Nanoseconds of one thread on data in L2, roughly: only the choice between one and several threads depends on it.
void Planner::estimate() {
  const xp_program& p = program_;
  double per_element = 0.1;
  for (int i = 0; i < p.n_instructions; ++i) {
    const Kind kind = kind_of(p.instructions[i].type);
    per_element += (kind == Kind::complex ? 0.3 : 0.06) * operation_table[p.instructions[i].op].cost;
  }
  if (p.width == 32) per_element *= 0.6;
  for (int k = 0; k < p.n_operands; ++k) {
    const OperandPlan& plan = plan_.operands[k];
    if (plan.load == Access::tiled || plan.store == Access::tiled) per_element += 0.3;
    // Rows that lie in one piece are copied whole vectors at a time, even rows of a hundred elements.
    const double gather = std::abs(p.operands[k].strides[p.ndim - 1]) == 1 ? 0.12 : 0.5;
    if (plan.load == Access::buffered) per_element += plan.convert_load ? 1.0 : gather;
    if (plan.store == Access::buffered) per_element += plan.convert_store ? 1.0 : gather;
  }
  plan_.serial_ns = per_element * static_cast<double>(p.count);
}

/// Every piece of a direct operand begins at a multiple of the vector.
bool Planner::is_aligned(const xp_operand& operand) const {
  if (reinterpret_cast<std::uintptr_t>(operand.data) % vector_bytes != 0) return false;
  if (!plan_.by_rows) return true;
  const std::int64_t size = dtype_sizes[operand.dtype];
  const int last = program_.ndim - 1;
  if (plan_.tile_axis < 0 && program_.shape[last] * size % vector_bytes != 0) return false;  // parts begin inside rows
  for (int d = 0; d < last; ++d)
    if (operand.strides[d] * size % vector_bytes != 0) return false;
  return true;
}

/// Puts a step before all others for each operand that is read where it lies, in memory.
void Planner::prefetch() {
  int count = 0;
  for (int k = 0; k < program_.n_operands; ++k) count += plan_.operands[k].load == Access::direct;
  std::move_backward(plan_.steps, plan_.steps + plan_.n_steps, plan_.steps + plan_.n_steps + count);
  int step = 0;
  for (int k = 0; k < program_.n_operands; ++k)
    if (plan_.operands[k].load == Access::direct)
      plan_.steps[step++] = {plan_.handlers->prefetch, static_cast<std::uint16_t>(load_slot + k), 0, 0, 0};
  plan_.n_steps += count;
}

std::int32_t Planner::run() {
  const xp_program& p = program_;
  wraps_at_end_ = wraps_when_stored();
  for (int i = 0; i < p.n_instructions; ++i)
    if (const std::int32_t code = instruction(p.instructions[i])) return code;
  if (p.reduce_ref != XP_REF_NONE)
    if (const std::int32_t code = reduction()) return code;
  if (const std::int32_t code = operands()) return code;
  estimate();

  // Operands that are also read are in the cache when they are written: streaming them would cost more.
  const Handlers& handlers = *plan_.handlers;
  std::uint64_t bytes = 0;
  for (int k = 0; k < p.n_operands; ++k)
    if (plan_.operands[k].load != Access::splat)
      bytes += static_cast<std::uint64_t>(p.count) * dtype_sizes[p.operands[k].dtype];
  if (bytes >= stream_threshold()) {
    for (int s = 0; s < plan_.n_steps; ++s) {
      Step& step = plan_.steps[s];
      const int k = step.d - store_slot;
      if (step.handler != handlers.store || k < 0 || k >= XP_MAX_OPERANDS || plan_.operands[k].store != Access::direct)
        continue;
      const void* data = p.operands[k].data;
      bool also_read = !is_aligned(p.operands[k]);
      for (int j = 0; j < p.n_operands; ++j)
        also_read |= p.operands[j].data == data && (j != k || plan_.operands[j].load != Access::unused);
      if (also_read) continue;
      step.handler = handlers.stream;
      plan_.streams = true;
    }
    prefetch();
  }

  if (plan_.n_steps == 0) emit(handlers.end);
  Step& last = plan_.steps[plan_.n_steps - 1];
  if (last.handler == handlers.store)
    last.handler = handlers.store_end;
  else if (last.handler == handlers.stream)
    last.handler = handlers.stream_end;
  else if (last.handler != handlers.end)
    emit(handlers.end);
  return XP_OK;
}

}  // namespace

bool is_contiguous(const xp_program& program, const xp_operand& operand) {
  std::int64_t expected = 1;
  for (int d = program.ndim - 1; d >= 0; --d) {
    if (operand.strides[d] != expected && program.shape[d] != 1) return false;
    expected *= program.shape[d];
  }
  return true;
}

bool is_scalar(const xp_program& program, const xp_operand& operand) {
  for (int d = 0; d < program.ndim; ++d)
    if (operand.strides[d] != 0) return false;
  return true;
}

std::int32_t make_plan(const xp_program& program, Plan& plan, xp_error* error) {
  plan.program = &program;
  plan.handlers = handlers_for(program.width);
  plan.reducer = nullptr;
  if (!plan.handlers) return fail(error, XP_INVALID, "width %d: no such slot width", program.width);
  plan.slot_bytes = program.width / 8;
  plan.block_elements = block_bytes / plan.slot_bytes;
  plan.chunk_elements = chunk_bytes / plan.slot_bytes;
  plan.by_rows = plan.buffered = plan.converts = plan.streams = false;
  plan.tile_axis = -1;
  plan.n_stores = 0;
  plan.registers = plan.constants = 0;
  plan.n_steps = 0;
  for (int k = 0; k < program.n_operands; ++k) plan.operands[k].load = plan.operands[k].store = Access::unused;
  return Planner(program, plan, error).run();
}

}  // namespace xp::kernels
