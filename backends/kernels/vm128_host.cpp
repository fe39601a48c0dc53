// SPDX-License-Identifier: Apache-2.0
// Handlers for programs with 128-bit slots: complex128, and bool or a real float in the first half of a slot. What the
// second half then holds does not matter.
#include "kernels/handlers_host.hpp"

namespace xp::kernels {
namespace {

using D = Vector<double>;
using U = Vector<std::uint64_t>;
using C = Complex<double>;
using Real = FirstHalf<double>;
using Truth = FirstHalf<std::uint64_t>;

struct Select {
  static Raw apply(Raw mask, Raw b, Raw c) {
    return raw(as<U>(Pairs<double>::real(as<D>(mask))) != 0 ? as<U>(b) : as<U>(c));
  }
};

struct RoundFloat {
  using V = D;
  static V apply(V x) {
    typedef float Narrow __attribute__((vector_size(vector_bytes / 2)));
    return __builtin_convertvector(__builtin_convertvector(x, Narrow), D);
  }
};
template <class H>
struct RoundHalf {
  static Real apply(Real x) { return {to_float(convert<H>(x.value)), 0}; }
};
struct BoolToReal {
  using V = U;
  static D apply(V x) { return __builtin_convertvector(x & 1, D); }
};
struct RealToComplex {
  using V = U;
  static V apply(V x) { return x & ~Pairs<double>::odd_lanes(); }
};
struct RealToBool {
  using V = D;
  static auto apply(V x) { return as_bool(x != 0); }
};
struct IntegerToBool {
  using V = U;
  static auto apply(V x) { return as_bool(x != 0); }
};
struct ComplexToBool {
  static Truth apply(C x) { return {convert<Bool>(x).value, 0}; }
};
template <class F>
struct Compare {
  static Truth apply(C a, C b) { return {F::apply(a, b), 0}; }
};
struct Modulus {
  static Real apply(C a) { return {Absolute::apply(a), 0}; }
};

constexpr Handlers make() {
  Handlers h{};
  set_structure<Select>(h);
  set_float<double>(h, Kind::real);
  set_bool<std::uint64_t>(h);

  set_binary<VectorAdd<double>>(h, Op::add, Kind::complex);
  set_binary<VectorSubtract<double>>(h, Op::subtract, Kind::complex);
  set_binary<PairMultiply<double>>(h, Op::multiply, Kind::complex);
  set_unary<VectorNegative<double>>(h, Op::negative, Kind::complex);
  set_binary<PairDivide<double>>(h, Op::divide, Kind::complex);
  set_unary_lanes<Modulus, C, Real>(h, Op::absolute, Kind::complex);
  set_unary_lanes<Sqrt, C, C>(h, Op::sqrt, Kind::complex);
  set_unary_lanes<Exp, C, C>(h, Op::exp, Kind::complex);
  set_binary_lanes<Compare<Equal>, C, Truth>(h, Op::equal, Kind::complex);
  set_binary_lanes<Compare<NotEqual>, C, Truth>(h, Op::not_equal, Kind::complex);
  set_binary_lanes<Compare<Less>, C, Truth>(h, Op::less, Kind::complex);
  set_binary_lanes<Compare<LessEqual>, C, Truth>(h, Op::less_equal, Kind::complex);

  set_conversion<RoundFloat>(h, Conversion::round_float32);
  h.convert[static_cast<int>(Conversion::round_float16)] = lane_step<RoundHalf<Half>, Real, Real, acc_acc>;
  h.convert[static_cast<int>(Conversion::round_bfloat16)] = lane_step<RoundHalf<BFloat16>, Real, Real, acc_acc>;
  set_conversion<BoolToReal>(h, Conversion::unsigned_to_real);
  set_conversion<BoolToReal>(h, Conversion::unsigned_to_real_odd);
  set_conversion<RealToComplex>(h, Conversion::real_to_complex);
  set_conversion<VectorIdentity<double>>(h, Conversion::complex_to_real);
  set_conversion<IntegerToBool>(h, Conversion::integer_to_bool);
  set_conversion<RealToBool>(h, Conversion::real_to_bool);
  h.convert[static_cast<int>(Conversion::complex_to_bool)] = lane_step<ComplexToBool, C, Truth, acc_acc>;
  return h;
}

}  // namespace

const Handlers& handlers_128() {
  static const Handlers table = [] {
    Handlers h = make();
    add_functions_128(h);
    set_unary<PairSquare<double>>(h, Op::square, Kind::complex);
    return h;
  }();
  return table;
}

}  // namespace xp::kernels
