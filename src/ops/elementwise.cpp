// SPDX-License-Identifier: Apache-2.0
// Elementwise operations: check -> promote -> broadcast -> record.
#include <xp/creation.hpp>
#include <xp/elementwise.hpp>

#include "core/ops.hpp"
#include "core/promote.hpp"
#include "core/storage.hpp"
#include "fusion/recorder.hpp"

#include <initializer_list>

namespace xp {
namespace detail {
namespace {

using Operands = std::initializer_list<const Operand*>;

std::string prefix(Op op) { return std::string(info(op).name) + ": "; }

bool no_arrays(Operands operands) {
  for (const Operand* operand : operands)
    if (!operand->is_scalar()) return false;
  return true;
}

// What the operands have in common; one pass, since for ten elements every pass counts.
struct Common {
  DeviceState* device = nullptr;
  DType type = DType::bool_;     // promoted
  const Shape* shape = nullptr;  // broadcast
  const Array* dense = nullptr;  // an operand of that shape in C order
  Shape joint;
};

[[noreturn]] void throw_different_devices(Op op, const DeviceState& a, const DeviceState& b) {
  throw DeviceError(prefix(op) + "operands are on different devices (" + a.name->name + " and " + b.name->name +
                    "); move one with to()");
}

void analyse(Op op, Operands operands, Common& common) {
  bool scalars = false;
  for (const Operand* operand : operands) {
    if (operand->is_scalar()) {
      scalars = true;
      continue;
    }
    const Array& array = operand->array();
    if (!array.has_value()) [[unlikely]]
      check_has_value(array, std::string(info(op).name).c_str());
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
      throw_different_devices(op, *common.device, device);
    if (common.type != dtype) common.type = promote_types(common.type, dtype);
    if (*common.shape == array.shape()) {
      if (Access::contiguous(array)) common.dense = &array;
      continue;
    }
    try {
      Shape joint = broadcast_shapes(*common.shape, array.shape());
      if (common.dense != nullptr && !(joint == common.dense->shape())) common.dense = nullptr;
      if (Access::contiguous(array) && joint == array.shape()) common.dense = &array;
      common.joint = std::move(joint);
    } catch (const ShapeError& error) {
      throw ShapeError(prefix(op) + error.what());
    }
    common.shape = &common.joint;
  }
  if (!scalars) return;
  for (const Operand* operand : operands)
    if (operand->is_scalar()) common.type = promote_weak(common.type, operand->scalar().kind());
}

// dtype an operation computes in for promoted operands of `type`. DTypeError when it has none.
DType compute_type(Op op, DType type) {
  switch (info(op).accepts) {
    case Accepts::inexact:
      return float_for(type);
    case Accepts::inexact_wide:
      return kind(type) < DTypeKind::real ? DType::float64 : type;
    case Accepts::numeric:
      if (type == DType::bool_)
        throw DTypeError(prefix(op) + "boolean " + std::string(info(op).name) + ", the `-` operator, is not supported");
      return type;
    case Accepts::ordered:
      if (kind(type) == DTypeKind::complex)
        throw DTypeError(prefix(op) + "not supported for dtype " + std::string(name(type)));
      return type;
    default:
      return type;
  }
}

DType result_type(Op op, DType type) {
  switch (info(op).returns) {
    case Returns::boolean:
      return DType::bool_;
    case Returns::real:
      return real_part(type);
    default:
      return type;
  }
}

// An array for the result, in the operands' memory order where they agree (NumPy's order='K').
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

Operation make_operation(Op op, DType type, DType result, Operands operands) {
  Operation operation;
  operation.op = op;
  operation.type = type;
  operation.result = result;
  for (const Operand* operand : operands) {
    if (operand->is_scalar()) check_scalar_fits(operand->scalar(), type);
    operation.arguments[static_cast<std::size_t>(operation.count++)] = {operand, type};
  }
  return operation;
}

Array record(Op op, Operands operands, const Common& common, DType type) {
  const DType result = result_type(op, type);
  Operation operation = make_operation(op, type, result, operands);
  if (op == Op::where) operation.arguments[0].as = DType::bool_;
  Array out = result_array(common, result, operands);
  if (out.size() != 0) Recorder::of(*common.device).record(operation, out, true);
  return out;
}

Array apply(Op op, Operands operands) {
  Common common;
  analyse(op, operands, common);
  return record(op, operands, common, compute_type(op, common.type));
}

Array unary(Op op, const Operand& a) {
  if (Array out; !a.is_scalar() && Recorder::record_dense(op, a, nullptr, out)) return out;
  if (a.is_scalar()) return unary(op, full({}, a.scalar()));
  return apply(op, {&a});
}

Array binary(Op op, const Operand& a, const Operand& b) {
  if (Array out; !(a.is_scalar() && b.is_scalar()) && Recorder::record_dense(op, a, &b, out)) return out;
  if (no_arrays({&a, &b})) {
    const Array first = full({}, a.scalar());
    return binary(op, first, b);
  }
  return apply(op, {&a, &b});
}

// An integer that the other operand's dtype cannot hold is greater or less than all its values.
bool decides_alone(const Operand& array, const Operand& scalar, bool& scalar_is_greater) {
  if (array.is_scalar() || !scalar.is_scalar()) return false;
  const Scalar& value = scalar.scalar();
  try {
    check_scalar_fits(value, promote_weak(array.array().dtype(), value.kind()));
    return false;
  } catch (const DTypeError&) {
    scalar_is_greater = value.kind() == Scalar::Kind::unsigned_integer || value.integer() > 0;
    return true;
  }
}

Array compare(Op op, const Operand& a, const Operand& b) {
  for (const bool scalar_right : {true, false}) {
    const Operand &array = scalar_right ? a : b, &scalar = scalar_right ? b : a;
    bool scalar_is_greater = false;
    if (!decides_alone(array, scalar, scalar_is_greater)) continue;
    const bool a_is_less = scalar_is_greater == scalar_right;
    const bool truth =
        op == Op::not_equal || (op != Op::equal && (op == Op::less || op == Op::less_equal) == a_is_less);
    return full(array.array().shape(), truth, DType::bool_, array.array().device());
  }
  return binary(op, a, b);
}

// a op= b.
void in_place(Op op, Array& target, const Operand& value) {
  if (!target.has_value()) check_has_value(target, std::string(info(op).name).c_str());
  if (!value.is_scalar() && &value.array() == &target && value.is_consumed()) {
    in_place(op, target, Operand(std::as_const(target)));  // `a += std::move(a)` keeps its target
    return;
  }
  if (const DType type = target.dtype(); kind(type) == DTypeKind::real) {
    // Real numbers stay of their dtype with any number but a complex one.
    const bool is_same = !value.is_scalar() && Access::storage(value.array()) == Access::storage(target) &&
                         value.array().offset() == target.offset() && value.array().dtype() == type &&
                         Access::contiguous(value.array()) && value.array().shape() == target.shape();
    DeviceState& device = Access::device(target);
    if ((is_same || (value.is_scalar() && value.scalar().kind() != Scalar::Kind::complex)) && device.usable() &&
        Recorder::of(device).record_again(op, type, target, value)) {
      value.release();
      return;
    }
  }
  const Operand self(target);
  const Operands operands{&self, &value};
  Common common;
  analyse(op, operands, common);
  const DType type = compute_type(op, common.type);
  const DType result = result_type(op, type);
  if (!can_cast_same_kind(result, target.dtype()))
    throw DTypeError(prefix(op) + "Cannot cast ufunc '" + std::string(info(op).name) + "' output from dtype('" +
                     std::string(name(result)) + "') to dtype('" + std::string(name(target.dtype())) +
                     "') with casting rule 'same_kind'");
  if (!target.writeable()) throw ShapeError(prefix(op) + "output array is read-only");
  const Operation operation = make_operation(op, type, result, operands);
  if (!(*common.shape == target.shape()))
    throw ShapeError(prefix(op) + "non-broadcastable output operand with shape " + to_string(target.shape()) +
                     " doesn't match the broadcast shape " + to_string(*common.shape));
  if (target.size() == 0) return;
  if (!value.is_scalar()) {
    const Array& other = value.array();
    const bool same = Access::storage(other) == Access::storage(target) && other.offset() == target.offset() &&
                      other.dtype() == target.dtype() && other.shape() == target.shape() &&
                      other.strides() == target.strides();
    if (!same && may_share_memory(other, target)) {
      target.assign(record(op, operands, common, type));
      return;
    }
  }
  if (!fits_slot(target.dtype(), slot_width(type))) {
    target.assign(record(op, operands, common, type));
    return;
  }
  Recorder::of(*common.device).record(operation, target, false);
}

}  // namespace
}  // namespace detail

using detail::binary;
using detail::compare;
using detail::in_place;
using detail::unary;

Array add(const Operand& a, const Operand& b) { return binary(Op::add, a, b); }
Array subtract(const Operand& a, const Operand& b) { return binary(Op::subtract, a, b); }
Array multiply(const Operand& a, const Operand& b) { return binary(Op::multiply, a, b); }
Array divide(const Operand& a, const Operand& b) { return binary(Op::divide, a, b); }
Array negative(const Operand& a) { return unary(Op::negative, a); }
Array abs(const Operand& a) { return unary(Op::absolute, a); }
Array sqrt(const Operand& a) { return unary(Op::sqrt, a); }
Array exp(const Operand& a) { return unary(Op::exp, a); }
Array equal(const Operand& a, const Operand& b) { return compare(Op::equal, a, b); }
Array not_equal(const Operand& a, const Operand& b) { return compare(Op::not_equal, a, b); }
Array less(const Operand& a, const Operand& b) { return compare(Op::less, a, b); }
Array less_equal(const Operand& a, const Operand& b) { return compare(Op::less_equal, a, b); }
Array greater(const Operand& a, const Operand& b) { return compare(Op::greater, a, b); }
Array greater_equal(const Operand& a, const Operand& b) { return compare(Op::greater_equal, a, b); }

Array where(const Operand& condition, const Operand& a, const Operand& b) {
  if (detail::no_arrays({&condition, &a, &b})) {
    const Array first = full({}, condition.scalar());
    return where(first, a, b);
  }
  const detail::Operands all{&condition, &a, &b};
  detail::Common common;
  detail::analyse(Op::where, all, common);
  DType type;
  if (detail::no_arrays({&a, &b})) {
    // Two numbers promote as NumPy's where does: each to its own default dtype.
    type = promote_types(detail::default_dtype(a.scalar()), detail::default_dtype(b.scalar()));
  } else {
    detail::Common values;
    detail::analyse(Op::where, {&a, &b}, values);
    type = values.type;
  }
  return detail::record(Op::where, all, common, type);
}

Array& Array::operator+=(const Operand& value) & {
  in_place(Op::add, *this, value);
  return *this;
}
Array& Array::operator-=(const Operand& value) & {
  in_place(Op::subtract, *this, value);
  return *this;
}
Array& Array::operator*=(const Operand& value) & {
  in_place(Op::multiply, *this, value);
  return *this;
}
Array& Array::operator/=(const Operand& value) & {
  in_place(Op::divide, *this, value);
  return *this;
}
Array Array::operator+=(const Operand& value) && {
  in_place(Op::add, *this, value);
  return std::move(*this);
}
Array Array::operator-=(const Operand& value) && {
  in_place(Op::subtract, *this, value);
  return std::move(*this);
}
Array Array::operator*=(const Operand& value) && {
  in_place(Op::multiply, *this, value);
  return std::move(*this);
}
Array Array::operator/=(const Operand& value) && {
  in_place(Op::divide, *this, value);
  return std::move(*this);
}

const Array& Array::assign(const Operand& value) const {
  detail::check_has_value(*this, "assign");
  if (!writeable()) throw ShapeError("assign: assignment destination is read-only");
  detail::Operation operation;
  operation.type = operation.result = dtype_;
  operation.count = 1;
  if (value.is_scalar()) {
    detail::check_scalar_fits(value.scalar(), dtype_);
    operation.arguments[0] = {&value, dtype_};
    if (size_ != 0) detail::Recorder::of(detail::Access::device(*this)).record(operation, *this, false);
    return *this;
  }
  const Array& source = value.array();
  detail::check_has_value(source, "assign");
  detail::DeviceState& device = detail::Access::device(*this);
  if (&device != &detail::Access::device(source))
    detail::throw_different_devices(Op::store, device, detail::Access::device(source));
  if (!(source.shape() == shape_)) {
    // As NumPy: leading axes of extent 1 are dropped, then the value broadcasts.
    std::size_t extra = 0;
    while (source.shape().size() - extra > shape_.size() && source.shape()[extra] == 1) ++extra;
    const Shape shape(source.shape().data() + extra, source.shape().size() - extra);
    bool fits = shape.size() <= shape_.size();
    for (std::size_t i = 0; fits && i < shape.size(); ++i) {
      const Index extent = shape_[shape_.size() - shape.size() + i];
      fits = shape[i] == extent || shape[i] == 1;
    }
    if (!fits)
      throw ShapeError("assign: could not broadcast input array from shape " + to_string(source.shape()) +
                       " into shape " + to_string(shape_));
    if (extra != 0) {
      Shape strides(source.strides().data() + extra, shape.size());
      return assign(detail::Access::view(source, source.offset(), shape, std::move(strides)));
    }
  }
  if (size_ == 0) return *this;
  if (detail::Access::storage(source) == detail::Access::storage(*this) || detail::Access::storage(source)->wrapped ||
      detail::Access::storage(*this)->wrapped) {
    const bool same = detail::Access::storage(source) == detail::Access::storage(*this) && source.offset() == offset_ &&
                      source.dtype() == dtype_ && source.shape() == shape_ && source.strides() == strides_;
    if (same) return *this;
    if (may_share_memory(source, *this)) return assign(source.copy());
  }
  operation.arguments[0] = {&value, dtype_};
  detail::Recorder::of(device).record(operation, *this, false);
  return *this;
}

const Array& Array::fill(Scalar value) const { return assign(value); }

namespace {

// A copy in the array's own axis order (NumPy's order='K').
Array copy_as(const Array& array, DType dtype) {
  const Operand operand(array);
  detail::Common common;
  detail::analyse(Op::load, {&operand}, common);
  Array out = detail::result_array(common, dtype, {&operand});
  out.assign(array);
  return out;
}

}  // namespace

Array Array::copy() const {
  detail::check_has_value(*this, "copy");
  return copy_as(*this, dtype_);
}

Array Array::astype(DType dtype) const {
  detail::check_has_value(*this, "astype");
  return copy_as(*this, dtype);
}

}  // namespace xp
