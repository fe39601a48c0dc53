// SPDX-License-Identifier: Apache-2.0
#include <xp/creation.hpp>
#include <xp/reduce.hpp>

#include "core/promote.hpp"
#include "core/storage.hpp"
#include "fusion/recorder.hpp"

namespace xp {

using detail::Access;

namespace {

// What sums of the dtype are accumulated in.
DType accumulator_of(DType dtype) {
  switch (kind(dtype)) {
    case DTypeKind::boolean:
    case DTypeKind::signed_integer:
      return DType::int64;
    case DTypeKind::unsigned_integer:
      return DType::uint64;
    default:
      return itemsize(dtype) == 2 ? DType::float32 : dtype;
  }
}

}  // namespace

Array sum(const Operand& operand) {
  if (operand.is_scalar()) return sum(full({}, operand.scalar()));
  const Array& array = operand.array();
  detail::check_has_value(array, "sum");
  const DType accumulator = accumulator_of(array.dtype());
  const DType result =
      itemsize(array.dtype()) == 2 && kind(array.dtype()) == DTypeKind::real ? array.dtype() : accumulator;
  detail::DeviceState& device = Access::device(array);
  if (array.size() == 0) return zeros({}, result, Device(device.name));
  // More axes than a backend takes in a given order: through a copy in that order.
  if (array.ndim() > XP_MAX_NDIM && !array.is_c_contiguous()) return sum(array.reshape({-1}));
  Array out = Access::fresh(device, accumulator, {}, 1);
  detail::Recorder::of(device).record_sum(operand, accumulator, out);
  return result == accumulator ? out : out.astype(result);
}

}  // namespace xp
