// SPDX-License-Identifier: Apache-2.0
#include "fake_backend/interpreter.hpp"

#include <array>
#include <vector>

#include "fake_backend/check.hpp"
#include "support/kernels.hpp"
#include "support/scalar_arithmetic.hpp"

namespace fake {
namespace {

// Blocks of 64 rows of 64 lanes: a lane adds its rows in order, lanes are halved, then the same over the blocks' sums.
template <class T>
T reduce_sum(std::vector<T> values) {
  if (values.empty()) return T{};
  while (values.size() > 1) {
    std::vector<T> sums;
    for (std::size_t begin = 0; begin < values.size(); begin += 4096) {
      const std::size_t count = std::min<std::size_t>(4096, values.size() - begin);
      std::array<T, 64> lanes{};
      std::size_t used = std::min<std::size_t>(64, count);
      for (std::size_t i = 0; i < count; ++i) {
        T& lane = lanes[i % 64];
        lane = i < 64 ? values[begin + i] : oracle::arithmetic<Op::add>(lane, values[begin + i]);
      }
      for (std::size_t half = 32; half > 0; half /= 2) {
        for (std::size_t l = 0; l < half && l + half < used; ++l)
          lanes[l] = oracle::arithmetic<Op::add>(lanes[l], lanes[l + half]);
        used = std::min(used, half);
      }
      sums.push_back(lanes[0]);
    }
    values = std::move(sums);
  }
  return values[0];
}

class Interpreter {
 public:
  Interpreter(const xp_program& program, const Resolve& resolve) : p_(program) {
    for (int k = 0; k < p_.n_operands && p_.count > 0; ++k) {
      const xp_operand& o = p_.operands[k];
      const Span span = span_of(p_, o);
      unsigned char* real = resolve(reinterpret_cast<std::uintptr_t>(o.data) + static_cast<std::uintptr_t>(span.low),
                                    static_cast<std::uint64_t>(span.high - span.low));
      if (real == nullptr)
        throw InvalidProgram("invalid program: operand " + std::to_string(k) + " lies outside the device's memory");
      base_[static_cast<std::size_t>(k)] = real - span.low;
    }
    if (p_.reduce_ref == XP_REF_NONE) return;
    const auto size = static_cast<std::uint64_t>(xp::itemsize(static_cast<DType>(p_.reduce_type)));
    reduce_out_ = resolve(reinterpret_cast<std::uintptr_t>(p_.reduce_out), size);
    if (reduce_out_ == nullptr)
      throw InvalidProgram("invalid program: the reduction's output lies outside the device's memory");
  }

  void run() {
    std::vector<Value> reduced;
    for (element_ = 0; element_ < p_.count; ++element_) {
      for (int i = 0; i < p_.n_instructions; ++i) execute(p_.instructions[i]);
      if (p_.reduce_ref != XP_REF_NONE) reduced.push_back(value(p_.reduce_ref, static_cast<DType>(p_.reduce_type)));
    }
    if (p_.reduce_ref == XP_REF_NONE) return;
    oracle::visit(static_cast<DType>(p_.reduce_type), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (!oracle::is_half<T> && !oracle::is_bool<T>) {
        std::vector<T> values;
        for (const Value& v : reduced) values.push_back(v.as<T>());
        Value::of(reduce_sum(std::move(values))).store(reduce_out_);
      }
    });
  }

 private:
  unsigned char* address(int k) const {
    const xp_operand& o = p_.operands[k];
    std::int64_t rest = element_, offset = 0;
    for (int d = p_.ndim - 1; d >= 0; --d) {
      offset += rest % p_.shape[d] * o.strides[d];
      rest /= p_.shape[d];
    }
    return base_[static_cast<std::size_t>(k)] + offset * xp::itemsize(static_cast<DType>(o.dtype));
  }

  Value value(std::uint8_t ref, DType dtype) const {
    if (ref == XP_REF_ACC) return acc_;
    if (ref >= XP_REF_CONSTANT) return decode(p_.constants[ref - XP_REF_CONSTANT], dtype, p_.width);
    if (ref < XP_REF_OPERAND) return registers_[ref];
    const xp_operand& o = p_.operands[ref - XP_REF_OPERAND];
    return oracle::convert(Value::load(static_cast<DType>(o.dtype), address(ref - XP_REF_OPERAND)),
                           static_cast<DType>(o.load_type));
  }

  void execute(const xp_instruction& in) {
    const auto op = static_cast<Op>(in.op);
    const auto type = static_cast<DType>(in.type);
    switch (op) {
      case Op::store:
        acc_ = value(in.a, type);
        acc_.store(address(in.dst - XP_REF_OPERAND));
        return;
      case Op::load:
        acc_ = value(in.a, type);
        break;
      case Op::cast:
        acc_ = oracle::convert(value(in.a, type), static_cast<DType>(in.to));
        break;
      case Op::index:
        acc_ = Value::of(element_);
        break;
      case Op::where:
        acc_ = value(value(in.a, DType::bool_).as<bool>() ? in.b : in.c, type);
        break;
      default: {
        const Value a = value(in.a, type);
        acc_ = oracle::evaluate(op, a, xp::info(op).arity > 1 ? value(in.b, type) : a);
      }
    }
    if (in.dst != XP_REF_NONE) registers_[in.dst] = acc_;
  }

  const xp_program& p_;
  std::array<unsigned char*, XP_MAX_OPERANDS> base_{};
  unsigned char* reduce_out_ = nullptr;
  std::array<Value, XP_MAX_REGISTERS> registers_{};
  Value acc_;
  std::int64_t element_ = 0;
};

}  // namespace

void run_program(const xp_program& program, const Resolve& resolve) {
  check_program(program);
  Interpreter(program, resolve).run();
}

}  // namespace fake
