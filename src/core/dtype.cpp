// SPDX-License-Identifier: Apache-2.0
// dtype names and NumPy 2 promotion.
#include <xp/dtype.hpp>
#include <xp/error.hpp>

#include "core/promote.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <string>

namespace xp {
namespace {

struct NameRow {
  std::string_view name, code, character;
};

constexpr std::array<NameRow, dtype_count> names{{{"bool", "b1", "?"},
                                                  {"int8", "i1", "b"},
                                                  {"int16", "i2", "h"},
                                                  {"int32", "i4", "i"},
                                                  {"int64", "i8", "l"},
                                                  {"uint8", "u1", "B"},
                                                  {"uint16", "u2", "H"},
                                                  {"uint32", "u4", "I"},
                                                  {"uint64", "u8", "L"},
                                                  {"float16", "f2", "e"},
                                                  {"bfloat16", "bf16", "E"},
                                                  {"float32", "f4", "f"},
                                                  {"float64", "f8", "d"},
                                                  {"complex64", "c8", "F"},
                                                  {"complex128", "c16", "D"}}};

constexpr DType signed_of_size(Index bytes) {
  return bytes == 1 ? DType::int8 : bytes == 2 ? DType::int16 : bytes == 4 ? DType::int32 : DType::int64;
}

// The narrowest float that NumPy takes for an integer of this many bytes.
constexpr bool is_integer(DType t) {
  return kind(t) == DTypeKind::signed_integer || kind(t) == DTypeKind::unsigned_integer;
}

constexpr DType promote_reals(DType a, DType b) {
  if (a == b) return a;
  if (itemsize(a) == 2 && itemsize(b) == 2) return DType::float32;  // float16 with bfloat16: neither holds the other
  return itemsize(a) > itemsize(b) ? a : b;
}

}  // namespace

std::string_view name(DType dtype) { return names[static_cast<std::size_t>(dtype)].name; }

std::ostream& operator<<(std::ostream& stream, DType dtype) { return stream << name(dtype); }

DType dtype_from_name(std::string_view text) {
  std::string_view plain = text;
  if (!plain.empty() && (plain[0] == '<' || plain[0] == '=' || plain[0] == '|')) plain.remove_prefix(1);
  for (std::size_t i = 0; i < dtype_count; ++i)
    if (plain == names[i].name || plain == names[i].code || plain == names[i].character) return static_cast<DType>(i);
  throw DTypeError("data type '" + std::string(text) + "' not understood");
}

DType promote_types(DType a, DType b) {
  if (a == b) return a;
  if (kind(a) > kind(b) || (kind(a) == kind(b) && itemsize(a) > itemsize(b))) std::swap(a, b);
  // From here on b is of the higher kind, or of the same kind and at least as wide.
  if (a == DType::bool_) return b;
  switch (kind(b)) {
    case DTypeKind::boolean:
    case DTypeKind::unsigned_integer:
      return b;
    case DTypeKind::signed_integer:
      if (kind(a) == DTypeKind::signed_integer || itemsize(b) > itemsize(a)) return b;
      return itemsize(a) == 8 ? DType::float64 : signed_of_size(2 * itemsize(a));
    case DTypeKind::real: {
      if (!is_integer(a)) return promote_reals(a, b);
      const DType least = detail::float_for_integer(itemsize(a));
      return itemsize(least) > itemsize(b) ? least : b;
    }
    case DTypeKind::complex: {
      if (kind(a) == DTypeKind::complex) return b;
      const DType real = is_integer(a) ? detail::float_for_integer(itemsize(a)) : a;
      return real == DType::float64 ? DType::complex128 : b;
    }
  }
  return b;
}

std::string_view name(Casting casting) {
  constexpr std::string_view casting_names[] = {"no", "equiv", "safe", "same_kind", "unsafe"};
  return casting_names[static_cast<std::size_t>(casting)];
}

bool can_cast(DType from, DType to, Casting casting) {
  switch (casting) {
    case Casting::no:
    case Casting::equiv:
      return from == to;
    case Casting::safe:
      return promote_types(from, to) == to;
    case Casting::same_kind:
      // NumPy's order of kinds: bool < unsigned < signed < float < complex, and signed does not go to unsigned.
      return kind(from) <= kind(to);
    case Casting::unsafe:
      return true;
  }
  return false;
}

namespace detail {

DType promote_weak(DType array, Scalar::Kind scalar) {
  switch (scalar) {
    case Scalar::Kind::boolean:
      return array;
    case Scalar::Kind::integer:
    case Scalar::Kind::unsigned_integer:
      return array == DType::bool_ ? DType::int64 : array;
    case Scalar::Kind::real:
      return kind(array) < DTypeKind::real ? DType::float64 : array;
    case Scalar::Kind::complex:
      if (kind(array) == DTypeKind::complex) return array;
      return kind(array) == DTypeKind::real && array != DType::float64 ? DType::complex64 : DType::complex128;
  }
  return array;
}

DType default_dtype(const Scalar& scalar) {
  switch (scalar.kind()) {
    case Scalar::Kind::boolean:
      return DType::bool_;
    case Scalar::Kind::integer:
      return DType::int64;
    case Scalar::Kind::unsigned_integer:
      return scalar.integer() < 0 ? DType::uint64 : DType::int64;
    case Scalar::Kind::real:
      return DType::float64;
    case Scalar::Kind::complex:
      return DType::complex128;
  }
  return DType::float64;
}

bool scalar_fits(const Scalar& scalar, DType dtype) {
  const bool negative = scalar.kind() == Scalar::Kind::integer && scalar.integer() < 0;
  const int bits = static_cast<int>(8 * itemsize(dtype));
  if (kind(dtype) == DTypeKind::unsigned_integer)
    return !negative && (bits == 64 || scalar.unsigned_integer() >> bits == 0);
  return negative ? scalar.integer() >= -(std::int64_t{1} << (bits - 2)) * 2
                  : scalar.unsigned_integer() >> (bits - 1) == 0;
}

void check_scalar_fits(const Scalar& scalar, DType dtype) {
  if (scalar.kind() == Scalar::Kind::complex && kind(dtype) != DTypeKind::complex && dtype != DType::bool_)
    throw DTypeError("can't convert a complex number to " + std::string(name(dtype)));
  const bool integral = scalar.kind() == Scalar::Kind::integer || scalar.kind() == Scalar::Kind::unsigned_integer;
  if (!integral || !is_integer(dtype)) return;
  if (scalar_fits(scalar, dtype)) return;
  const bool negative = scalar.kind() == Scalar::Kind::integer && scalar.integer() < 0;
  const std::string text = negative ? std::to_string(scalar.integer()) : std::to_string(scalar.unsigned_integer());
  throw DTypeError("integer " + text + " out of bounds for " + std::string(name(dtype)));
}

}  // namespace detail
}  // namespace xp
