// SPDX-License-Identifier: Apache-2.0
#include "fake_backend/check.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace fake {
namespace {

std::string dtype_text(DType dtype) {
  static constexpr const char* names[XP_DTYPE_COUNT] = {"bool",     "int8",    "int16",   "int32",     "int64",
                                                        "uint8",    "uint16",  "uint32",  "uint64",    "float16",
                                                        "bfloat16", "float32", "float64", "complex64", "complex128"};
  return names[static_cast<std::size_t>(dtype)];
}

[[noreturn]] void fail(const std::string& what) { throw InvalidProgram("invalid program: " + what); }

void require(bool condition, const std::string& what) {
  if (!condition) fail(what);
}

DType dtype_from(std::uint8_t number, const std::string& where) {
  require(number < XP_DTYPE_COUNT, where + " has no dtype");
  return static_cast<DType>(number);
}

bool has_slot(int width, DType dtype) {
  switch (width) {
    case 32:
      return xp::itemsize(dtype) <= 4;
    case 64:
      return dtype != DType::complex128;
    case 128:
      return dtype == DType::bool_ || (dtype >= DType::float16 && dtype != DType::complex64);
    default:
      return false;
  }
}

// Narrower values may appear in a program, but are not computed with.
bool computes_at(int width, DType dtype) {
  if (dtype == DType::bool_) return true;
  const auto bits = static_cast<int>(8 * xp::itemsize(dtype));
  return width == 32 ? bits <= 32 : bits == width;
}

bool same_view(const xp_program& program, const xp_operand& a, const xp_operand& b) {
  if (a.data != b.data || xp::itemsize(static_cast<DType>(a.dtype)) != xp::itemsize(static_cast<DType>(b.dtype)))
    return false;
  for (int d = 0; d < program.ndim; ++d)
    if (program.shape[d] > 1 && a.strides[d] != b.strides[d]) return false;
  return true;
}

class Checker {
 public:
  explicit Checker(const xp_program& program) : p_(program) {}

  void check() {
    shape();
    for (int k = 0; k < p_.n_operands; ++k) operand(k);
    overlaps();
    for (int i = 0; i < p_.n_instructions; ++i) instruction(i);
    if (p_.reduce_ref != XP_REF_NONE) {
      const DType type = dtype_from(p_.reduce_type, "the reduction");
      require(p_.reduce_op == static_cast<std::uint16_t>(Op::sum), "unknown reduction");
      require(type == DType::int64 || type == DType::uint64 || type >= DType::float32,
              "reduction in " + dtype_text(type));
      require(p_.reduce_out != nullptr, "the reduction has no output");
      reference(p_.reduce_ref, type, "the reduction");
    }
    for (int k = 0; k < p_.n_operands; ++k)
      require((p_.operands[k].flags & XP_WRITE) == 0 || stored_[static_cast<std::size_t>(k)],
              "operand " + std::to_string(k) + " is flagged as written but no instruction stores to it");
  }

 private:
  void shape() const {
    require(p_.size == sizeof(xp_program), "size " + std::to_string(p_.size));
    require(p_.width == 32 || p_.width == 64 || p_.width == 128, "width " + std::to_string(p_.width));
    require(p_.ndim >= 1 && p_.ndim <= XP_MAX_NDIM, "ndim " + std::to_string(p_.ndim));
    require(p_.n_operands <= XP_MAX_OPERANDS && p_.n_instructions <= XP_MAX_INSTRUCTIONS &&
                p_.n_constants <= XP_MAX_CONSTANTS && p_.n_registers <= XP_MAX_REGISTERS,
            "over capacity");
    require(p_.label != nullptr, "no label");
    std::int64_t count = 1;
    for (int d = 0; d < p_.ndim; ++d) {
      require(p_.ndim == 1 || p_.shape[d] > 1,
              "extent " + std::to_string(p_.shape[d]) + " of dimension " + std::to_string(d));
      count *= p_.shape[d];
    }
    require(count == p_.count, "count is not the product of the extents");
  }

  void operand(int k) const {
    const xp_operand& o = p_.operands[k];
    const std::string where = "operand " + std::to_string(k);
    const DType dtype = dtype_from(o.dtype, where);
    const DType load_type = dtype_from(o.load_type, where);
    require((o.flags & (XP_READ | XP_WRITE)) != 0, where + " is neither read nor written");
    if (o.flags & XP_READ) require(has_slot(p_.width, load_type), where + " is loaded as " + dtype_text(load_type));
    if (o.flags & XP_WRITE) require(has_slot(p_.width, dtype), where + " is stored as " + dtype_text(dtype));
    require(o.data != nullptr || p_.count == 0, where + " has no address");
    // Complex numbers are aligned as their parts.
    const auto alignment =
        static_cast<std::uintptr_t>(dtype >= DType::complex64 ? xp::itemsize(dtype) / 2 : xp::itemsize(dtype));
    require(reinterpret_cast<std::uintptr_t>(o.data) % alignment == 0, where + " is not aligned");
  }

  // Exact where that is cheap.
  void overlaps() const {
    if (p_.count > 4096) return;
    for (int k = 0; k < p_.n_operands; ++k) {
      if ((p_.operands[k].flags & XP_WRITE) == 0) continue;
      const std::vector<std::int64_t> written = addresses(p_.operands[k]);
      const std::int64_t size = itemsize(p_.operands[k]);
      for (std::size_t i = 1; i < written.size(); ++i)
        require(written[i] - written[i - 1] >= size,
                "operand " + std::to_string(k) + " is written and names an element twice");
      for (int j = 0; j < p_.n_operands; ++j) {
        if (j == k || written.empty() || same_view(p_, p_.operands[j], p_.operands[k])) continue;
        const Span span = span_of(p_, p_.operands[j]);
        const std::int64_t base = address(p_.operands[j]);
        if (base + span.high <= written.front() || written.back() + size <= base + span.low) continue;
        for (const std::int64_t other : addresses(p_.operands[j])) {
          // The first element written that ends behind the other's begin.
          const auto place = std::upper_bound(written.begin(), written.end(), other - size);
          require(place == written.end() || *place >= other + itemsize(p_.operands[j]),
                  "operand " + std::to_string(k) + " is written and overlaps operand " + std::to_string(j) +
                      ", another view");
        }
      }
    }
  }

  static std::int64_t itemsize(const xp_operand& o) { return xp::itemsize(static_cast<DType>(o.dtype)); }
  static std::int64_t address(const xp_operand& o) {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(o.data));
  }

  // Of all elements, in ascending order.
  std::vector<std::int64_t> addresses(const xp_operand& o) const {
    std::vector<std::int64_t> result;
    result.reserve(static_cast<std::size_t>(p_.count));
    for (std::int64_t element = 0; element < p_.count; ++element) {
      std::int64_t rest = element, offset = 0;
      for (int d = p_.ndim - 1; d >= 0; --d) {
        offset += rest % p_.shape[d] * o.strides[d];
        rest /= p_.shape[d];
      }
      result.push_back(address(o) + offset * itemsize(o));
    }
    std::sort(result.begin(), result.end());
    return result;
  }

  // `expected` gives a constant its dtype.
  void reference(std::uint8_t ref, DType expected, const std::string& where) const {
    DType actual = expected;
    if (ref == XP_REF_ACC) {
      require(acc_defined_, where + " uses the accumulator before anything was computed");
      actual = acc_;
    } else if (ref >= XP_REF_CONSTANT) {
      const int k = ref - XP_REF_CONSTANT;
      require(k < p_.n_constants,
              where + " uses constant " + std::to_string(k) + " of " + std::to_string(p_.n_constants));
      decode(p_.constants[k], expected, p_.width);
    } else if (ref >= XP_REF_OPERAND) {
      const int k = ref - XP_REF_OPERAND;
      require(k < p_.n_operands, where + " uses operand " + std::to_string(k) + " of " + std::to_string(p_.n_operands));
      require((p_.operands[k].flags & XP_READ) != 0,
              where + " loads operand " + std::to_string(k) + ", which is not flagged as read");
      for (int j = 0; j < p_.n_operands; ++j)
        require(!stored_[static_cast<std::size_t>(j)] || !same_view(p_, p_.operands[j], p_.operands[k]),
                where + " loads operand " + std::to_string(k) + " after a store to it");
      actual = static_cast<DType>(p_.operands[k].load_type);
    } else {
      require(ref < p_.n_registers,
              where + " uses register " + std::to_string(ref) + " of " + std::to_string(p_.n_registers));
      require(defined_[ref], where + " uses register " + std::to_string(ref) + " before it is set");
      actual = registers_[ref];
    }
    require(actual == expected, where + " expects " + dtype_text(expected) + " and is given " + dtype_text(actual));
  }

  void instruction(int i) {
    const xp_instruction& in = p_.instructions[i];
    require(in.op < static_cast<std::uint16_t>(Op::count_), "instruction " + std::to_string(i) + " has no operation");
    const auto op = static_cast<Op>(in.op);
    const std::string where = "instruction " + std::to_string(i) + " (" + std::string(xp::info(op).name) + ")";
    const DType type = dtype_from(in.type, where), to = dtype_from(in.to, where);
    DType result = to;
    switch (op) {
      case Op::store: {
        const int k = in.dst - XP_REF_OPERAND;
        require(k >= 0 && k < p_.n_operands, where + " has no target");
        require((p_.operands[k].flags & XP_WRITE) != 0,
                where + " stores to operand " + std::to_string(k) + ", not flagged as written");
        require(
            type == static_cast<DType>(p_.operands[k].dtype),
            where + " stores " + dtype_text(type) + " into " + dtype_text(static_cast<DType>(p_.operands[k].dtype)));
        reference(in.a, type, where);
        stored_[static_cast<std::size_t>(k)] = true;
        acc_ = type;
        acc_defined_ = true;
        return;
      }
      case Op::load:
        require(type == to, where + " changes the dtype");
        reference(in.a, type, where);
        break;
      case Op::cast:
        reference(in.a, type, where);
        break;
      case Op::index:
        require(to == DType::int64 && p_.width == 64, where + " gives " + dtype_text(to));
        break;
      case Op::where:
        require(type == to, where + " changes the dtype");
        reference(in.a, DType::bool_, where);
        reference(in.b, type, where);
        reference(in.c, type, where);
        break;
      default:
        require(oracle::computes_in(op, type), where + " does not exist for " + dtype_text(type));
        result = oracle::result_of(op, type);
        require(result == to,
                where + " of " + dtype_text(type) + " gives " + dtype_text(result) + ", not " + dtype_text(to));
        require(computes_at(p_.width, type),
                where + " computes in " + dtype_text(type) + " at width " + std::to_string(p_.width));
        reference(in.a, type, where);
        if (xp::info(op).arity > 1) reference(in.b, type, where);
    }
    require(has_slot(p_.width, result),
            where + " gives " + dtype_text(result) + " at width " + std::to_string(p_.width));
    acc_ = result;
    acc_defined_ = true;
    if (in.dst == XP_REF_NONE) return;
    require(in.dst < p_.n_registers,
            where + " sets register " + std::to_string(in.dst) + " of " + std::to_string(p_.n_registers));
    registers_[in.dst] = result;
    defined_[in.dst] = true;
  }

  const xp_program& p_;
  std::array<DType, XP_MAX_REGISTERS> registers_{};
  std::array<bool, XP_MAX_REGISTERS> defined_{};
  std::array<bool, XP_MAX_OPERANDS> stored_{};
  DType acc_ = DType::bool_;
  bool acc_defined_ = false;
};

}  // namespace

Value decode(const xp_constant& c, DType dtype, int width) {
  require(has_slot(width, dtype), "a constant of " + dtype_text(dtype) + " at width " + std::to_string(width));
  auto normalised = [&](const Value& wide) {
    const Value value = oracle::convert(wide, dtype);
    const Value back = oracle::convert(value, wide.dtype);
    const bool is_nan = oracle::visit(wide.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_floating_point_v<T>)
        return std::isnan(wide.as<T>());
      else
        return false;
    });
    require(is_nan || std::memcmp(wide.bytes, back.bytes, sizeof wide.bytes) == 0,
            "a constant is not normalised to " + dtype_text(dtype));
    return value;
  };
  switch (xp::kind(dtype)) {
    case xp::DTypeKind::boolean:
    case xp::DTypeKind::unsigned_integer:
      return normalised(width == 32 ? Value::of(c.u32[0]) : Value::of(c.u64[0]));
    case xp::DTypeKind::signed_integer:
      return normalised(width == 32 ? Value::of(static_cast<std::int32_t>(c.u32[0])) : Value::of(c.i64[0]));
    case xp::DTypeKind::real:
      return normalised(width == 32 ? Value::of(c.f32[0]) : Value::of(c.f64[0]));
    case xp::DTypeKind::complex:
      break;
  }
  return width == 64 ? Value::of(std::complex<float>(c.f32[0], c.f32[1]))
                     : Value::of(std::complex<double>(c.f64[0], c.f64[1]));
}

Span span_of(const xp_program& program, const xp_operand& operand) {
  const std::int64_t size = xp::itemsize(static_cast<DType>(operand.dtype));
  Span span{0, size};
  for (int d = 0; d < program.ndim; ++d) {
    const std::int64_t reach = (program.shape[d] - 1) * operand.strides[d] * size;
    (reach < 0 ? span.low : span.high) += reach;
  }
  return span;
}

void check_program(const xp_program& program) { Checker(program).check(); }

}  // namespace fake
