// SPDX-License-Identifier: Apache-2.0
#include "ops/ufunc.hpp"

#include <xp/creation.hpp>
#include <xp/reduce.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace xp::detail {
namespace {

std::string prefix(std::string_view name) { return std::string(name) + ": "; }

std::string quoted(DType dtype) { return "dtype('" + std::string(name(dtype)) + "')"; }

// Where an operation writes instead of into a new array, and how it converts.
struct Target {
  const Array* out = nullptr;
  const Array* where = nullptr;
  std::optional<DType> dtype;
  Casting casting = Casting::same_kind;
};

[[gnu::noinline]] void join_other_shape(std::string_view name, const Array& array, Common& common) {
  try {
    Shape joint = broadcast_shapes(*common.shape, array.shape());
    if (common.dense != nullptr && !(joint == common.dense->shape())) common.dense = nullptr;
    if (Access::contiguous(array) && joint == array.shape()) common.dense = &array;
    common.joint = std::move(joint);
  } catch (const ShapeError& error) {
    throw ShapeError(prefix(name) + error.what());
  }
  common.shape = &common.joint;
}

inline void join_shape(std::string_view name, const Array& array, Common& common) {
  if (common.shape == &array.shape()) return;
  if (!(*common.shape == array.shape()))
    join_other_shape(name, array, common);
  else if (Access::contiguous(array))
    common.dense = &array;
}

[[noreturn]] void throw_boolean(const Rule& rule) {
  if (rule.op == Op::subtract)
    throw DTypeError(
        "subtract: numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, "
        "or "
        "the logical_xor function instead.");
  throw DTypeError(
      "negative: The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the "
      "logical_not "
      "function instead.");
}

bool says_boolean(const Rule& rule, DType type) {
  return type == DType::bool_ && (rule.op == Op::subtract || rule.op == Op::negative);
}

[[noreturn]] void throw_not_supported(const Rule& rule, Operands operands) {
  std::string types;
  for (const Operand* operand : operands) {
    if (!types.empty()) types += ", ";
    types += name(operand->is_scalar() ? default_dtype(operand->scalar()) : operand->array().dtype());
  }
  throw DTypeError(
      prefix(rule.name) + "ufunc '" + std::string(rule.name) +
      "' not supported for the input types, and the inputs could not be safely coerced to any supported types "
      "according to the casting rule ''safe'' (" +
      types + ")");
}

// The first operand alone decides; the second must be an integer that an int64 can hold. A number as the first one is
// taken as NumPy's type resolution takes it, which for integers is the narrowest float.
DType ldexp_type(const Rule& rule, Operands operands) {
  const Operand &number = *operands.begin()[0], &exponent = *operands.begin()[1];
  const DType exponent_type = exponent.is_scalar() ? default_dtype(exponent.scalar()) : exponent.array().dtype();
  if (kind(exponent_type) >= DTypeKind::real || exponent_type == DType::uint64) throw_not_supported(rule, operands);
  if (!number.is_scalar()) return number.array().dtype();
  switch (number.scalar().kind()) {
    case Scalar::Kind::boolean:
      return DType::float16;
    case Scalar::Kind::integer:
    case Scalar::Kind::unsigned_integer:
      return exponent_type == DType::bool_ ? DType::float64 : DType::float16;
    case Scalar::Kind::real:
      return DType::float64;
    case Scalar::Kind::complex:
      break;
  }
  return DType::complex128;
}

// A function of floats takes each integer operand as the narrowest float that holds it: int8 with uint8 is float16, not
// the float32 of the int16 that they promote to.
DType float_type(Operands operands, DType promoted) {
  const Operand &a = *operands.begin()[0], &b = *operands.begin()[1];
  if (kind(promoted) > DTypeKind::real || a.is_scalar() || b.is_scalar()) return promoted;
  const DType first = a.array().dtype(), second = b.array().dtype();
  if (kind(first) >= DTypeKind::real || kind(second) >= DTypeKind::real) return promoted;
  return promote_types(float_for(first), float_for(second));
}

// dtype the function computes in. DTypeError when it takes no such operands.
inline DType compute_type(const Rule& rule, Operands operands, DType promoted) {
  if (rule.accepts == Accepts::any) return promoted;
  if (rule.op == Op::ldexp)
    promoted = ldexp_type(rule, operands);
  else if (rule.accepts == Accepts::real && operands.size() == 2)
    promoted = float_type(operands, promoted);
  if (const std::optional<DType> type = computing_dtype(rule.accepts, promoted)) return *type;
  if (says_boolean(rule, promoted)) throw_boolean(rule);
  throw_not_supported(rule, operands);
}

// The same when the result's dtype is asked for.
DType compute_type(const Rule& rule, Operands operands, DType promoted, DType dtype) {
  if (rule.op == Op::ldexp) ldexp_type(rule, operands);
  if (rule.returns == Returns::boolean) {
    if (dtype == DType::bool_) return compute_type(rule, operands, promoted);
  } else {
    if (rule.returns == Returns::real && kind(promoted) == DTypeKind::complex)
      for (const DType type : {DType::complex64, DType::complex128})
        if (real_part(type) == dtype && can_cast(promoted, type)) return type;
    if (computing_dtype(rule.accepts, dtype) == dtype && result_dtype(rule.returns, dtype) == dtype) return dtype;
    if (says_boolean(rule, dtype)) throw_boolean(rule);
  }
  throw DTypeError(prefix(rule.name) + "No loop matching the specified signature and casting was found for ufunc " +
                   std::string(rule.name));
}

[[noreturn]] void throw_cast(const Rule& rule, const std::string& what, DType from, DType to, Casting casting) {
  throw DTypeError(prefix(rule.name) + "Cannot cast ufunc '" + std::string(rule.name) + "' " + what + " from " +
                   quoted(from) + " to " + quoted(to) + " with casting rule '" + std::string(name(casting)) + "'");
}

// A number is weak: it goes to every dtype of its kind or a later one, whatever `casting` is.
bool is_weak_enough(Scalar::Kind scalar, DType to) {
  switch (scalar) {
    case Scalar::Kind::boolean:
      return true;
    case Scalar::Kind::integer:
    case Scalar::Kind::unsigned_integer:
      return to != DType::bool_;
    case Scalar::Kind::real:
      return kind(to) >= DTypeKind::real;
    case Scalar::Kind::complex:
      return kind(to) == DTypeKind::complex;
  }
  return false;
}

void check_inputs(const Rule& rule, Operands operands, DType type, Casting casting) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i == 1 && rule.op == Op::ldexp) continue;
    const Operand& operand = *operands.begin()[i];
    if (operand.is_scalar() && is_weak_enough(operand.scalar().kind(), type)) continue;
    const DType from = operand.is_scalar() ? default_dtype(operand.scalar()) : operand.array().dtype();
    if (can_cast(from, type, casting)) continue;
    throw_cast(rule, operands.size() == 1 ? "input" : "input " + std::to_string(i), from, type, casting);
  }
}

template <class T>
bool any_negative(const std::byte* elements, Index count) {
  T signs = 0;
  for (Index i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, elements + i * static_cast<Index>(sizeof(T)), sizeof value);
    signs = static_cast<T>(signs | value);
  }
  return signs < 0;
}

// Whether some element of a signed integer array is negative; waits.
bool any_negative(const Array& array, const Array* where) {
  if (where != nullptr) return sum((array < 0) * *where).item<std::int64_t>() != 0;
  if (const std::byte* elements = elements_on_host(array)) {
    switch (itemsize(array.dtype())) {
      case 1:
        return any_negative<std::int8_t>(elements, array.size());
      case 2:
        return any_negative<std::int16_t>(elements, array.size());
      case 4:
        return any_negative<std::int32_t>(elements, array.size());
      default:
        return any_negative<std::int64_t>(elements, array.size());
    }
  }
  return sum(array < 0).item<std::int64_t>() != 0;
}

// Integers to negative powers, before anything is changed: of arrays this looks at the elements, and waits.
void check_exponent(Operands operands, DType type, const Array* where) {
  const Operand& exponent = *operands.begin()[1];
  if (kind(type) != DTypeKind::signed_integer) return;
  bool negative;
  if (exponent.is_scalar()) {
    if (exponent.scalar().kind() != Scalar::Kind::integer || exponent.scalar().integer() >= 0) return;
    negative = where == nullptr || sum(*where).item<std::int64_t>() != 0;
  } else {
    const Array& array = exponent.array();
    if (kind(array.dtype()) != DTypeKind::signed_integer) return;
    negative = any_negative(array, where);
  }
  if (negative) throw DTypeError("power: Integers to negative integer powers are not allowed.");
}

Operation make_operation(const Rule& rule, DType type, DType result, Operands operands) {
  Operation operation;
  operation.op = rule.op;
  operation.type = type;
  operation.result = result;
  for (const Operand* operand : operands) {
    if (operand->is_scalar())
      check_scalar_fits(operand->scalar(), rule.op == Op::ldexp && operation.count == 1 ? DType::int64 : type);
    operation.arguments[static_cast<std::size_t>(operation.count++)] = {operand, type};
  }
  return operation;
}

// A result among the operands of a ufunc, which NumPy counts on from the inputs; "output" where there is but one.
constexpr int only_output = -1;

void check_output(const Rule& rule, int number, DType result, const Array& out, Casting casting) {
  if (!can_cast(result, out.dtype(), casting))
    throw_cast(rule, number == only_output ? "output" : "output " + std::to_string(number), result, out.dtype(),
               casting);
  if (!out.writeable()) throw ShapeError(prefix(rule.name) + "output array is read-only");
}

void check_mask(const Rule& rule, const Array& where) {
  if (where.dtype() != DType::bool_)
    throw DTypeError(prefix(rule.name) + "Cannot cast array data from " + quoted(where.dtype()) +
                     " to dtype('bool') according to the rule 'safe'");
}

// Once all shapes are joined.
inline void check_output_shape(const Rule& rule, const Array& out, const Common& common) {
  if (common.shape != &out.shape() && !(*common.shape == out.shape())) [[unlikely]]
    throw ShapeError(prefix(rule.name) + "non-broadcastable output operand with shape " + to_string(out.shape()) +
                     " doesn't match the broadcast shape " + to_string(*common.shape));
}

Array record(const Operation& operation, Operands operands, const Common& common) {
  Array out = result_array(common, operation.result, operands);
  if (out.size() != 0) Recorder::of(*common.device).record(operation, out, true);
  return out;
}

bool is_same_view(const Array& a, const Array& b) {
  return Access::storage(a) == Access::storage(b) && a.offset() == b.offset() && a.dtype() == b.dtype() &&
         a.shape() == b.shape() && a.strides() == b.strides();
}

// Whether writing `out` element by element would change what is still to be read of the array.
bool disturbs(const Array& out, const Array& array) {
  return !is_same_view(array, out) && may_share_memory(array, out);
}

// out = where ? value : other, in out's dtype.
void record_where(const Array& where, Array value, const Operand& other, const Array& out, bool fresh) {
  const Operand mask(where), chosen(std::move(value));
  Operation operation;
  operation.op = Op::where;
  operation.type = operation.result = out.dtype();
  operation.count = 3;
  operation.arguments = {{{&mask, DType::bool_}, {&chosen, out.dtype()}, {&other, out.dtype()}}};
  Recorder::of(Access::device(out)).record(operation, out, fresh);
}

void write_masked(const Operation& operation, Operands operands, const Common& common, const Array& out,
                  const Array& where) {
  const Array mask = disturbs(out, where) ? where.copy() : where;
  record_where(mask, record(operation, operands, common), Operand(out), out, false);
}

void check_place(const Rule& rule, const Array& array, const Common& common) {
  if (!array.has_value()) check_has_value(array, std::string(rule.name).c_str());
  if (&Access::device(array) != common.device)
    throw_different_devices(rule.name, *common.device, Access::device(array));
}

// Records what has been checked. Makes `fresh` the result unless there is an `out`.
[[gnu::always_inline]] inline void write(const Operation& operation, Operands operands, const Common& common,
                                         const Array* out, const Array* where, Array* fresh) {
  const bool is_empty = (out != nullptr ? out->size() : element_count(*common.shape)) == 0;
  if (out == nullptr) {
    if (where == nullptr || is_empty) {
      *fresh = record(operation, operands, common);
      return;
    }
    *fresh = result_array(common, operation.result, operands);
    record_where(*where, record(operation, operands, common), Operand(Scalar(0)), *fresh, true);
    return;
  }
  if (is_empty) return;
  if (where != nullptr) {
    write_masked(operation, operands, common, *out, *where);
    return;
  }
  bool in_order = fits_slot(out->dtype(), slot_width(operation.type));
  for (const Operand* operand : operands)
    in_order = in_order && (operand->is_scalar() || !disturbs(*out, operand->array()));
  if (in_order)
    Recorder::of(*common.device).record(operation, *out, false);
  else
    out->assign(record(operation, operands, common));
}

// Makes `fresh` the result unless there is an `out`. Inlined, so that operations in place pay for no options.
[[gnu::always_inline]] inline void run(const Rule& rule, Operands operands, const Target& target, Array* fresh) {
  Common common;
  analyse(rule.name, operands, common);
  const DType promoted = common.type;
  const DType type =
      target.dtype ? compute_type(rule, operands, promoted, *target.dtype) : compute_type(rule, operands, promoted);
  const DType result = result_dtype(rule.returns, type);
  if (target.dtype || target.casting != Casting::same_kind) check_inputs(rule, operands, type, target.casting);
  const Array* const out = target.out;
  if (target.where != nullptr) check_place(rule, *target.where, common);
  if (out != nullptr && out != &operands.begin()[0]->array()) check_place(rule, *out, common);
  if (target.where != nullptr) {
    check_mask(rule, *target.where);
    join_shape(rule.name, *target.where, common);
  }
  if (out != nullptr) check_output(rule, only_output, result, *out, target.casting);
  const Operation operation = make_operation(rule, type, result, operands);
  if (out != nullptr) {
    join_shape(rule.name, *out, common);
    check_output_shape(rule, *out, common);
  }
  if (rule.op == Op::power && element_count(*common.shape) != 0) check_exponent(operands, type, target.where);
  write(operation, operands, common, out, target.where, fresh);
}

const Array* given(const Array& array) { return array.has_value() ? &array : nullptr; }

// A number alone becomes an array where the others are.
Array as_array(const Operand& scalar, std::initializer_list<const Array*> others) {
  Device device;
  for (const Array* other : others)
    if (device.name().empty() && other->has_value()) device = other->device();
  return full({}, scalar.scalar(), std::nullopt, device);
}

// The function of `rule` in the first result, of `other_rule` in the second. `once` are the operands without their hold
// on temporaries: they are read twice.
std::pair<Array, Array> apply_pair(const Rule& rule, const Rule& other_rule, Operands once, Operands operands,
                                   const UfuncPairOptions& options) {
  Common common;
  analyse(rule.name, operands, common);
  const DType promoted = common.type;
  const DType type =
      options.dtype ? compute_type(rule, operands, promoted, *options.dtype) : compute_type(rule, operands, promoted);
  if (options.dtype) compute_type(other_rule, operands, promoted, *options.dtype);
  if (options.dtype || options.casting != Casting::same_kind) check_inputs(rule, operands, type, options.casting);
  const DType result = result_dtype(rule.returns, type), other_result = result_dtype(other_rule.returns, type);
  const Array *const out = given(options.out.first), *const other_out = given(options.out.second);
  const Array* where = given(options.where);
  for (const Array* array : {where, out, other_out})
    if (array != nullptr) check_place(rule, *array, common);
  if (where != nullptr) {
    check_mask(rule, *where);
    join_shape(rule.name, *where, common);
  }
  const int number = static_cast<int>(operands.size());
  if (out != nullptr) check_output(rule, number, result, *out, options.casting);
  if (other_out != nullptr) check_output(rule, number + 1, other_result, *other_out, options.casting);
  const Operation operation = make_operation(rule, type, result, once);
  const Operation other = make_operation(other_rule, type, other_result, operands);
  for (const Array* array : {out, other_out})
    if (array != nullptr) join_shape(rule.name, *array, common);
  for (const Array* array : {out, other_out})
    if (array != nullptr) check_output_shape(rule, *array, common);
  if (out != nullptr && other_out != nullptr && may_share_memory(*out, *other_out))
    throw ShapeError(prefix(rule.name) + "output arrays share memory");

  Array mask;
  for (const Array* array : {out, other_out})
    if (where != nullptr && array != nullptr && !mask.has_value() && may_share_memory(*array, *where))
      mask = where->copy();
  if (mask.has_value()) where = &mask;
  // The second result is made of what the first one would overwrite.
  bool is_late = false;
  if (out != nullptr && out->size() != 0)
    for (const Operand* operand : once)
      is_late = is_late || (!operand->is_scalar() && may_share_memory(operand->array(), *out));
  Array first, second, late;
  if (is_late)
    late = record(operation, once, common);
  else
    write(operation, once, common, out, where, &first);
  write(other, operands, common, other_out, where, &second);
  if (is_late && where != nullptr)
    record_where(*where, std::move(late), Operand(*out), *out, false);
  else if (is_late)
    out->assign(std::move(late));
  if (out != nullptr) first = *out;
  if (other_out != nullptr) second = *other_out;
  return {std::move(first), std::move(second)};
}

}  // namespace

bool no_arrays(Operands operands) {
  for (const Operand* operand : operands)
    if (!operand->is_scalar()) return false;
  return true;
}

void throw_different_devices(std::string_view name, const DeviceState& a, const DeviceState& b) {
  throw DeviceError(prefix(name) + "operands are on different devices (" + a.name->name + " and " + b.name->name +
                    "); move one with to()");
}

void analyse(std::string_view name, Operands operands, Common& common) {
  bool scalars = false;
  for (const Operand* operand : operands) {
    if (operand->is_scalar()) {
      scalars = true;
      continue;
    }
    const Array& array = operand->array();
    if (!array.has_value()) [[unlikely]]
      check_has_value(array, std::string(name).c_str());
    DeviceState& device = Access::device(array);
    const DType dtype = array.dtype();
    if (common.device == nullptr) {
      common.device = &device;
      common.type = dtype;
      common.shape = &array.shape();
      if (Access::contiguous(array)) common.dense = &array;
      continue;
    }
    if (common.device != &device) [[unlikely]]
      throw_different_devices(name, *common.device, device);
    if (common.type != dtype) common.type = promote_types(common.type, dtype);
    join_shape(name, array, common);
  }
  if (!scalars) return;
  for (const Operand* operand : operands)
    if (operand->is_scalar()) common.type = promote_weak(common.type, operand->scalar().kind());
}

Array result_array(const Common& common, DType dtype, Operands operands) {
  if (common.dense != nullptr) return Access::fresh_like(*common.device, dtype, *common.dense);
  const Shape& shape = *common.shape;
  const Index size = element_count(shape);
  for (const Operand* operand : operands) {
    // Smaller operands have no say.
    if (operand->is_scalar() || !(operand->array().shape() == shape)) continue;
    return Access::fresh(*common.device, dtype, shape, strides_in_order_of(shape, operand->array().strides()), size);
  }
  return Access::fresh(*common.device, dtype, shape, size);
}

Array record(const Rule& rule, Operands operands, const Common& common, DType type) {
  Operation operation = make_operation(rule, type, result_dtype(rule.returns, type), operands);
  if (rule.op == Op::where) operation.arguments[0].as = DType::bool_;
  return record(operation, operands, common);
}

Array apply(const Rule& rule, Operands operands) {
  if (rule.op == Op::power) return apply(rule, operands, {});
  Common common;
  analyse(rule.name, operands, common);
  return record(rule, operands, common, compute_type(rule, operands, common.type));
}

Array apply(const Rule& rule, Operands operands, const UfuncOptions& options) {
  Array result;
  run(rule, operands, {given(options.out), given(options.where), options.dtype, options.casting}, &result);
  return options.out.has_value() ? options.out : result;
}

Array unary(const Rule& rule, const Operand& a) {
  if (a.is_scalar()) return unary(rule, full({}, a.scalar()));
  return apply(rule, {&a});
}

Array unary(const Rule& rule, const Operand& a, const UfuncOptions& options) {
  if (a.is_scalar()) return unary(rule, as_array(a, {&options.out, &options.where}), options);
  return apply(rule, {&a}, options);
}

Array binary(const Rule& rule, const Operand& a, const Operand& b) {
  if (a.is_scalar() && b.is_scalar()) return binary(rule, full({}, a.scalar()), b);
  return apply(rule, {&a, &b});
}

Array binary(const Rule& rule, const Operand& a, const Operand& b, const UfuncOptions& options) {
  if (a.is_scalar() && b.is_scalar()) return binary(rule, as_array(a, {&options.out, &options.where}), b, options);
  return apply(rule, {&a, &b}, options);
}

std::pair<Array, Array> unary_pair(const Rule& first, const Rule& second, const Operand& a,
                                   const UfuncPairOptions& options) {
  const auto& [out, other_out] = options.out;
  if (a.is_scalar()) return unary_pair(first, second, as_array(a, {&out, &other_out, &options.where}), options);
  const Operand once = kept(a);
  return apply_pair(first, second, {&once}, {&a}, options);
}

std::pair<Array, Array> binary_pair(const Rule& first, const Rule& second, const Operand& a, const Operand& b,
                                    const UfuncPairOptions& options) {
  const auto& [out, other_out] = options.out;
  if (a.is_scalar() && b.is_scalar())
    return binary_pair(first, second, as_array(a, {&out, &other_out, &options.where}), b, options);
  const Operand a_once = kept(a), b_once = kept(b);
  return apply_pair(first, second, {&a_once, &b_once}, {&a, &b}, options);
}

DType check(const Rule& rule, Operands operands, const UfuncOptions& options) {
  Common common;
  analyse(rule.name, operands, common);
  const DType type = options.dtype ? compute_type(rule, operands, common.type, *options.dtype)
                                   : compute_type(rule, operands, common.type);
  if (options.dtype || options.casting != Casting::same_kind) check_inputs(rule, operands, type, options.casting);
  const Array *const out = given(options.out), *const where = given(options.where);
  for (const Array* array : {where, out})
    if (array != nullptr) check_place(rule, *array, common);
  if (where != nullptr) {
    check_mask(rule, *where);
    join_shape(rule.name, *where, common);
  }
  if (out != nullptr) check_output(rule, only_output, result_dtype(rule.returns, type), *out, options.casting);
  for (const Operand* operand : operands)
    if (operand->is_scalar()) check_scalar_fits(operand->scalar(), type);
  if (out != nullptr) {
    join_shape(rule.name, *out, common);
    check_output_shape(rule, *out, common);
  }
  return type;
}

void in_place(Op op, Array& target, const Operand& value) {
  if (!target.has_value()) check_has_value(target, std::string(info(op).name).c_str());
  if (!value.is_scalar() && &value.array() == &target && value.is_consumed()) {
    in_place(op, target, Operand(std::as_const(target)));  // `a += std::move(a)` keeps its target
    return;
  }
  const DType type = target.dtype();
  if (own_results_of(op)[static_cast<std::size_t>(type)] == type) {
    const bool is_same = !value.is_scalar() && Access::storage(value.array()) == Access::storage(target) &&
                         value.array().offset() == target.offset() && value.array().dtype() == type &&
                         Access::contiguous(value.array()) && value.array().shape() == target.shape();
    DeviceState& device = Access::device(target);
    if ((is_same || (value.is_scalar() && is_plain_number(value.scalar(), type))) && device.usable() &&
        Recorder::of(device).record_again(op, type, target, value)) {
      value.release();
      return;
    }
  }
  const Operand self(target);
  run(rule_of(op), {&self, &value}, {.out = &target, .where = nullptr, .dtype = {}, .casting = Casting::same_kind},
      nullptr);
}

}  // namespace xp::detail
