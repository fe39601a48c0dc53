// SPDX-License-Identifier: Apache-2.0
// Random sequences of operations over a few named arrays and views. A program is data: it can run on the library and on
// the oracle, be printed, and be cut down to what still fails.
#pragma once

#include <array>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "support/operations.hpp"
#include "support/sum_tree.hpp"
#include "support/values.hpp"

namespace xp_test {

using oracle::Extents;
using oracle::Rng;
using oracle::View;
using xp::Array;
using xp::Index;
using xp::Scalar;

inline constexpr int slot_count = 9;
inline constexpr int a_number = -1;  // instead of a slot: the step's scalar

enum class Kind {
  upload,
  constant,
  arange,
  binary,
  unary,
  where,
  cast,
  copy,
  sum,
  in_place,
  assign,
  slice,
  transpose,
  broadcast,
  reshape,
  alias,
  drop,
  eval,
  read,
  lease
};
inline constexpr const char* kind_names[] = {
    "upload", "constant", "arange",    "binary",    "unary",   "where", "cast", "copy", "sum",  "in_place",
    "assign", "slice",    "transpose", "broadcast", "reshape", "alias", "drop", "eval", "read", "lease"};

struct Part {  // of a slice: start is counted from the front, count elements
  Index start, count, step;
};

struct Step {
  Kind kind = Kind::read;
  int out = 0, a = 0, b = 0, c = 0;  // slots
  bool consume = false;              // the first operand is moved from, its slot is empty afterwards
  bool within = false;               // in_place, assign: into the slice `parts` of the slot
  Op op = Op::add;
  DType dtype = xp::float64;
  Scalar number = 0;
  Extents shape;  // or axes
  std::vector<Part> parts;
  std::uint64_t seed = 0;
};

using Program = std::vector<Step>;

/// Of an upload: moderate numbers mostly, since infinities and NaN hide what comes after them.
inline oracle::Flavour flavour(const Step& s) {
  return s.seed % 8 == 0 ? oracle::Flavour::any : oracle::Flavour::finite;
}

inline std::string to_text(const Step& s) {
  std::ostringstream text;
  auto slot = [&](int k) { return k == a_number ? oracle::text(value_of(s.number)) : "s" + std::to_string(k); };
  text << kind_names[static_cast<int>(s.kind)] << ' ' << slot(s.out);
  if (s.kind == Kind::binary || s.kind == Kind::unary || s.kind == Kind::in_place) text << ' ' << xp::info(s.op).name;
  text << " (" << slot(s.a) << ", " << slot(s.b) << ", " << slot(s.c) << ") " << xp::name(s.dtype) << ' '
       << xp::to_string(xp::Shape(s.shape)) << (s.consume ? " consume" : "");
  for (const Part& part : s.parts) text << " [" << part.start << " x" << part.count << " by " << part.step << ']';
  if (s.within) text << " within";
  return text.str();
}

inline std::string to_text(const Program& program) {
  std::string text;
  for (const Step& step : program) text += "  " + to_text(step) + "\n";
  return text;
}

// ---- On the oracle
// ----------------------------------------------------------------------------------------------------

inline bool writeable(const View& view) {
  if (view.size() == 0) return true;
  for (std::size_t d = 0; d < view.shape.size(); ++d)
    if (view.shape[d] > 1 && view.strides[d] == 0) return false;
  return true;
}

inline View sliced(const View& view, const std::vector<Part>& parts) {
  View result = view;
  for (std::size_t d = 0; d < parts.size(); ++d) {
    result.offset += parts[d].start * view.strides[d];
    result.shape[d] = parts[d].count;
    result.strides[d] *= parts[d].step;
  }
  return result;
}

/// A reshape is a view exactly if some strides give every element its place.
inline View reshaped(const View& view, const Extents& shape) {
  View result{view.storage, view.offset, shape, Extents(shape.size(), 0)};
  std::vector<Index> places, trial;
  view.each([&](Index position) { places.push_back(position); });
  Index step = 1;
  for (std::size_t d = shape.size(); d-- > 0; step *= shape[d])
    if (shape[d] > 1 && !places.empty()) result.strides[d] = places[static_cast<std::size_t>(step)] - places[0];
  result.each([&](Index position) { trial.push_back(position); });
  return trial == places ? result : View::of(view.gather(), shape);
}

struct OracleMachine {
  std::array<std::optional<View>, slot_count> slots;
  std::vector<oracle::Buffer> seen;  // by `read` steps
  bool inexact = false;              // whether steps make sense whose bits differ between devices
  // Results have their operands' memory order, which is not modelled here. It decides whether a reshape is a view; so
  // reshapes of what is not known to be in C order are copied.
  std::array<bool, slot_count> c_order{};

  bool copies(const Step& s) const {
    return s.kind == Kind::reshape && s.a != a_number && !c_order[static_cast<std::size_t>(s.a)];
  }
  bool has(int k) const { return k == a_number || slots[static_cast<std::size_t>(k)].has_value(); }
  const View& at(int k) const { return *slots[static_cast<std::size_t>(k)]; }

  bool run(const Step& s) {
    switch (s.kind) {
      case Kind::upload: {
        Rng rng(s.seed);
        return set(s.out, View::of(oracle::random_buffer(s.dtype, oracle::product(s.shape), rng, flavour(s)), s.shape),
                   true);
      }
      case Kind::constant:
        return set(s.out, View::of(filled(s.number, s.dtype, oracle::product(s.shape)), s.shape), true);
      case Kind::arange: {
        oracle::Buffer values(xp::int64, oracle::product(s.shape));
        for (Index i = 0; i < values.count; ++i) values.data<std::int64_t>()[i] = i;
        return set(s.out, View::of(oracle::cast(values, s.dtype), {values.count}), true);
      }
      case Kind::binary:
      case Kind::unary: {
        const bool unary = s.kind == Kind::unary;
        const auto shape = joint({s.a, unary ? s.a : s.b});
        if (!shape || (s.a == a_number && (unary || s.b == a_number))) return false;
        const DType common = unary ? at(s.a).dtype() : promoted({s.a, s.b}, s.number);
        const bool arrays = !unary && s.a != a_number && s.b != a_number;
        const DType type = s.op == Op::ldexp && s.a != a_number ? computed_in(s.op, at(s.a).dtype())
                           : arrays                             ? computed_in(s.op, at(s.a).dtype(), at(s.b).dtype())
                                                                : computed_in(s.op, common);
        if (!allows(s, type) || !fits(s, common)) return false;
        const oracle::Buffer a = operand(s.a, s.number, type, *shape);
        const oracle::Buffer b = unary ? a : second_operand(s, type, *shape);
        if (forbids_negative_exponents(s.op, type) && !is_exponent(s, b)) return false;
        return store(s, View::of(oracle::apply(s.op, a, b), *shape));
      }
      case Kind::where: {
        const auto shape = joint({s.a, s.b, s.c});
        if (!shape || s.a == a_number || (s.b == a_number && s.c == a_number)) return false;
        const DType type = promoted({s.b, s.c}, s.number);
        if (!fits(s, type)) return false;
        return store(
            s, View::of(oracle::where(operand(s.a, s.number, xp::bool_, *shape), operand(s.b, s.number, type, *shape),
                                      operand(s.c, s.number, type, *shape)),
                        *shape));
      }
      case Kind::cast:
        return has_array(s.a) && store(s, View::of(oracle::cast(at(s.a).gather(), s.dtype), at(s.a).shape));
      case Kind::copy:
        return has_array(s.a) && store(s, View::of(at(s.a).gather(), at(s.a).shape));
      case Kind::sum:
        return has_array(s.a) && store(s, View::of(oracle::sum(at(s.a).gather()), {}));
      case Kind::in_place:
      case Kind::assign:
        return write(s);
      case Kind::slice:
        return has_array(s.a) && fits_parts(s) && set(s.out, sliced(at(s.a), s.parts), known(s.a));
      case Kind::transpose:
        return has_array(s.a) && at(s.a).shape.size() == s.shape.size() &&
               set(s.out, at(s.a).transpose(s.shape), known(s.a));
      case Kind::broadcast: {
        if (!has_array(s.a)) return false;
        const View& a = at(s.a);
        if (a.shape.size() > s.shape.size()) return false;
        for (std::size_t d = 0; d < a.shape.size(); ++d) {
          const Index to = s.shape[s.shape.size() - 1 - d], from = a.shape[a.shape.size() - 1 - d];
          if (from != 1 && from != to) return false;
        }
        return set(s.out, a.broadcast_to(s.shape), known(s.a));
      }
      case Kind::reshape:
        if (!has_array(s.a) || at(s.a).size() != oracle::product(s.shape)) return false;
        return set(s.out, copies(s) ? View::of(at(s.a).gather(), s.shape) : reshaped(at(s.a), s.shape), !copies(s));
      case Kind::alias:
        return has_array(s.a) && set(s.out, View(at(s.a)), known(s.a));
      case Kind::drop:
        slots[static_cast<std::size_t>(s.out)].reset();
        return true;
      case Kind::eval:
      case Kind::lease:
        return has_array(s.a);
      case Kind::read:
        if (!has_array(s.a)) return false;
        seen.push_back(at(s.a).gather());
        return true;
    }
    return false;
  }

  static oracle::Buffer filled(const Scalar& number, DType dtype, Index count) {
    oracle::Buffer values(dtype, count);
    for (Index i = 0; i < count; ++i) values.set(i, oracle::convert(value_of(number), dtype));
    return values;
  }

 private:
  bool allows(const Step& s, DType type) const {
    if (!oracle::computes_in(s.op, type) || (!inexact && !is_exact(s.op, type))) return false;
    // The exponent is an integer, the number an array.
    return s.op != Op::ldexp || (s.a != a_number && (s.b == a_number ? s.number.kind() <= Scalar::Kind::integer
                                                                     : at(s.b).dtype() < xp::complex64));
  }
  oracle::Buffer second_operand(const Step& s, DType type, const Extents& shape) const {
    if (s.op != Op::ldexp) return operand(s.b, s.number, type, shape);
    return oracle::cast(operand(s.b, s.number, xp::int32, shape), type);
  }
  // Integer powers are errors where an exponent is negative. What was computed by functions may be so on one device
  // only.
  bool is_exponent(const Step& s, const oracle::Buffer& values) const {
    return (!inexact || s.b == a_number) && values.bytes == without_sign(values).bytes;
  }
  bool has_array(int k) const { return k != a_number && has(k); }
  bool known(int k) const { return c_order[static_cast<std::size_t>(k)]; }
  bool set(int k, View view, bool in_c_order = false) {
    c_order[static_cast<std::size_t>(k)] = in_c_order;
    slots[static_cast<std::size_t>(k)] = std::move(view);
    return true;
  }
  bool store(const Step& s, View view) {
    if (s.consume) slots[static_cast<std::size_t>(s.a)].reset();
    return set(s.out, std::move(view));
  }
  bool fits_parts(const Step& s) const {
    const View& view = at(s.within ? s.out : s.a);
    if (s.parts.size() > view.shape.size()) return false;
    for (std::size_t d = 0; d < s.parts.size(); ++d) {
      const Index last = s.parts[d].start + (s.parts[d].count - 1) * s.parts[d].step;
      if (std::max(s.parts[d].start, last) >= view.shape[d] || std::min(s.parts[d].start, last) < 0) return false;
    }
    return true;
  }
  // Negative integers do not fit unsigned dtypes, complex numbers none but complex ones (and bool).
  static bool fits(const Step& s, DType type) {
    const bool unary = s.kind == Kind::unary || s.kind == Kind::in_place || s.kind == Kind::assign;
    if (s.b != a_number && (unary || s.a != a_number) && (s.kind != Kind::where || s.c != a_number)) return true;
    if (s.number.kind() == Scalar::Kind::complex) return type >= xp::complex64 || type == xp::bool_;
    return s.number.kind() != Scalar::Kind::integer || s.number.integer() >= 0 ||
           xp::kind(type) != xp::DTypeKind::unsigned_integer;
  }
  std::optional<Extents> joint(std::initializer_list<int> operands) const {
    Extents shape;
    for (const int k : operands) {
      if (!has(k)) return {};
      if (k == a_number) continue;
      const Extents& own = at(k).shape;
      for (std::size_t d = 0; d < std::min(own.size(), shape.size()); ++d) {
        const Index p = own[own.size() - 1 - d], q = shape[shape.size() - 1 - d];
        if (p != q && p != 1 && q != 1) return {};
      }
      shape = oracle::broadcast(shape, own);
    }
    if (oracle::product(shape) > 100000) return {};
    return shape;
  }
  DType promoted(std::initializer_list<int> operands, const Scalar& number) const {
    std::optional<DType> type;
    for (const int k : operands)
      if (k != a_number) type = type ? xp::promote_types(*type, at(k).dtype()) : at(k).dtype();
    for (const int k : operands)
      if (k == a_number) type = with_scalar(*type, number.kind());
    return *type;
  }
  oracle::Buffer operand(int k, const Scalar& number, DType type, const Extents& shape) const {
    if (k == a_number) return filled(number, type, oracle::product(shape));
    return oracle::cast(at(k).broadcast_to(shape).gather(), type);
  }

  bool write(const Step& s) {
    if (!has_array(s.out) || !has(s.b) || (s.within && !fits_parts(s))) return false;
    const View target = s.within ? sliced(at(s.out), s.parts) : at(s.out);
    if (!writeable(target)) return false;
    if (s.b != a_number) {
      const Extents& own = at(s.b).shape;
      if (own.size() > target.shape.size()) return false;
      for (std::size_t d = 0; d < own.size(); ++d) {
        const Index from = own[own.size() - 1 - d];
        if (from != 1 && from != target.shape[target.shape.size() - 1 - d]) return false;
      }
    }
    if (s.kind == Kind::assign) {
      if (!fits(s, target.dtype())) return false;
      target.scatter(operand(s.b, s.number, target.dtype(), target.shape));
      return true;
    }
    const DType common = s.b == a_number ? with_scalar(target.dtype(), s.number.kind())
                                         : xp::promote_types(target.dtype(), at(s.b).dtype());
    const DType type = computed_in(s.op, common);
    if (!allows(s, type) || !xp::can_cast_same_kind(type, target.dtype()) || !fits(s, common)) return false;
    target.scatter(oracle::cast(
        oracle::apply(s.op, oracle::cast(target.gather(), type), operand(s.b, s.number, type, target.shape)),
        target.dtype()));
    return true;
  }
};

// ---- On the library
// -----------------------------------------------------------------------------------------------------

struct LibraryMachine {
  xp::Device device;
  std::array<Array, slot_count> slots;
  std::vector<oracle::Buffer> seen;
  std::optional<xp::Exposed> lease;

  void run(const Step& s, bool copy_reshape) {
    Array& out = slots[static_cast<std::size_t>(s.out)];
    switch (s.kind) {
      case Kind::upload: {
        Rng rng(s.seed);
        out = oracle::upload(oracle::random_buffer(s.dtype, oracle::product(s.shape), rng, flavour(s)),
                             xp::Shape(s.shape), device);
        break;
      }
      case Kind::constant:
        out = xp::full(xp::Shape(s.shape), s.number, s.dtype, device);
        break;
      case Kind::arange:
        out = xp::arange(0, oracle::product(s.shape), 1, xp::int64, device).astype(s.dtype);
        break;
      case Kind::binary:
      case Kind::unary:
        if (s.consume) {
          Array first = std::move(at(s.a));
          // Both operands may be the slot that is moved from.
          if (s.kind == Kind::binary && s.b == s.a) {
            const Array second = first;
            out = call(s.op, std::move(first), second);
          } else {
            out =
                s.kind == Kind::unary ? call(s.op, std::move(first), 0) : call(s.op, std::move(first), operand(s.b, s));
          }
        } else {
          out = s.kind == Kind::unary ? call(s.op, at(s.a), 0) : call(s.op, operand(s.a, s), operand(s.b, s));
        }
        break;
      case Kind::where:
        out = xp::where(at(s.a), operand(s.b, s), operand(s.c, s));
        break;
      case Kind::cast:
        out = at(s.a).astype(s.dtype);
        break;
      case Kind::copy:
        out = at(s.a).copy();
        break;
      case Kind::sum:
        out = xp::sum(at(s.a));
        break;
      case Kind::in_place: {
        Array target = s.within ? sliced(out, s.parts) : out;
        if (s.op == Op::add) target += operand(s.b, s);
        if (s.op == Op::subtract) target -= operand(s.b, s);
        if (s.op == Op::multiply) target *= operand(s.b, s);
        if (s.op == Op::divide) target /= operand(s.b, s);
        if (s.op == Op::remainder) target %= operand(s.b, s);
        if (s.op == Op::bitwise_and) target &= operand(s.b, s);
        if (s.op == Op::bitwise_or) target |= operand(s.b, s);
        if (s.op == Op::bitwise_xor) target ^= operand(s.b, s);
        if (s.op == Op::left_shift) target <<= operand(s.b, s);
        if (s.op == Op::right_shift) target >>= operand(s.b, s);
        break;
      }
      case Kind::assign:
        (s.within ? sliced(out, s.parts) : out).assign(operand(s.b, s));
        break;
      case Kind::slice:
        out = sliced(at(s.a), s.parts);
        break;
      case Kind::transpose:
        out = at(s.a).transpose(xp::Shape(s.shape));
        break;
      case Kind::broadcast:
        out = at(s.a).broadcast_to(xp::Shape(s.shape));
        break;
      case Kind::reshape:
        out = at(s.a).reshape(xp::Shape(s.shape));
        if (copy_reshape) out = out.copy();
        break;
      case Kind::alias:
        out = Array(at(s.a));
        break;
      case Kind::drop:
        out = Array();
        break;
      case Kind::eval:
        xp::eval(at(s.a));
        break;
      case Kind::read:
        seen.push_back(oracle::read(at(s.a)));
        break;
      case Kind::lease:
        lease.emplace(xp::expose(at(s.a)));
        break;
    }
  }

 private:
  Array& at(int k) { return slots[static_cast<std::size_t>(k)]; }
  xp::Operand operand(int k, const Step& s) { return k == a_number ? xp::Operand(s.number) : xp::Operand(at(k)); }
  static Array sliced(const Array& array, const std::vector<Part>& parts) {
    std::vector<xp::IndexItem> items;
    for (const Part& part : parts) {
      const Index stop = part.start + part.count * part.step;
      items.emplace_back(xp::slice(part.start, stop < 0 ? std::optional<Index>() : stop, part.step));
    }
    return array.index(items);
  }
};

}  // namespace xp_test
