// SPDX-License-Identifier: Apache-2.0
// Writing into arrays, and copies.
#include "ops/ufunc.hpp"

namespace xp {

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
    detail::throw_different_devices("assign", device, detail::Access::device(source));
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
  detail::analyse("copy", {&operand}, common);
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
