// SPDX-License-Identifier: Apache-2.0
// Handlers for programs with 64-bit slots.
#include "kernels/handlers_host.hpp"
#include "kernels/sleef_host.hpp"

namespace xp::kernels {
namespace {

using D = Vector<double>;
using S = Vector<std::int64_t>;
using U = Vector<std::uint64_t>;
using C = Complex<float>;

struct Select {
  static Raw apply(Raw mask, Raw b, Raw c) { return raw(as<U>(mask) != 0 ? as<U>(b) : as<U>(c)); }
};

template <int bits>
struct WrapSigned {
  using V = U;
  static S apply(V x) {
    // Sign extension without a 64-bit arithmetic shift, which AVX2 and SSE2 lack.
    constexpr std::uint64_t sign = std::uint64_t{1} << (bits - 1), mask = 2 * sign - 1;
    return reinterpret_cast<S>(((x & mask) ^ sign) - sign);
  }
};
template <int bits>
struct WrapUnsigned {
  using V = U;
  static V apply(V x) { return x & ((std::uint64_t{1} << bits) - 1); }
};

/// float, still held as a double.
struct RoundFloat {
  using V = D;
  static V apply(V x) {
    typedef float Narrow __attribute__((vector_size(vector_bytes / 2)));
    return __builtin_convertvector(__builtin_convertvector(x, Narrow), D);
  }
};

/// The rest goes lane by lane, by the functions that define it.
template <class H>
struct RoundHalf {
  static double apply(double x) { return to_float(convert<H>(x)); }
};
struct SignedToReal {
  using V = S;
  static D apply(V x) { return __builtin_convertvector(x, D); }
};
struct UnsignedToReal {
  using V = U;
  static D apply(V x) { return __builtin_convertvector(x, D); }
};
struct ToRealOdd {
  template <class I>
  static double apply(I x) {
    return to_double_odd(x);
  }
};
template <class I>
struct RealToInteger {
  using Wide = std::conditional_t<std::is_signed_v<I>, std::int64_t, std::uint64_t>;
  static Wide apply(double x) { return convert<I>(x); }
};
struct RealToComplex {
  static C apply(double x) { return convert<C>(x); }
};
struct ComplexToReal {
  static double apply(C x) { return x.re; }
};
struct IntegerToBool {
  using V = U;
  static auto apply(V x) { return as_bool(x != 0); }
};
struct RealToBool {
  using V = D;
  static auto apply(V x) { return as_bool(x != 0); }
};
struct ComplexToBool {
  static std::uint64_t apply(C x) { return convert<Bool>(x).value; }
};

/// Scalar functors whose result is not of the slot's own type.
template <class F>
struct Compare {
  static std::uint64_t apply(C a, C b) { return F::apply(a, b); }
};
/// The squares of floats are exact in double, and so nearly is their sum, which is rounded to float before its root.
struct Modulus {
  using V = Vector<std::uint64_t>;
  typedef std::uint32_t Words __attribute__((vector_size(vector_bytes / 2)));
  typedef float Narrow __attribute__((vector_size(vector_bytes / 2)));
  static D apply(V x) {
    const Words low = __builtin_convertvector(x, Words), high = __builtin_convertvector(x >> 32, Words);
    const D re = __builtin_convertvector(reinterpret_cast<Narrow>(low), D),
            im = __builtin_convertvector(reinterpret_cast<Narrow>(high), D), sum = re * re + im * im;
    Narrow root = __builtin_convertvector(sum, Narrow);
    for (std::size_t i = 0; i < sizeof(Narrow) / sizeof(float); ++i) root[i] = __builtin_sqrtf(root[i]);
    const D result = __builtin_convertvector(root, D);
    const auto easy = (sum >= 0x1p-120) & (sum <= 0x1p120);
    if (!any_lane(~easy)) [[likely]]
      return result;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const D exact = __builtin_convertvector(__builtin_convertvector(vector_sqrt<double>(sum), Narrow), D);
    const auto infinite = (re == infinity) | (re == -infinity) | (im == infinity) | (im == -infinity);
    return easy ? result : infinite ? D{} + infinity : exact;
  }
};

template <class F, class In, class Out>
constexpr void set_conversion_lanes(Handlers& h, Conversion conversion) {
  h.convert[static_cast<int>(conversion)] = lane_step<F, In, Out, acc_acc>;
}

constexpr Handlers make() {
  Handlers h{};
  set_structure<Select>(h);
  h.index = index_step<>;
  set_float<double>(h, Kind::real);
  set_integers<std::int64_t, std::uint64_t>(h);
  set_bool<std::uint64_t>(h);

  set_binary<VectorAdd<float>>(h, Op::add, Kind::complex);
  set_binary<VectorSubtract<float>>(h, Op::subtract, Kind::complex);
  set_binary<PairMultiply<float>>(h, Op::multiply, Kind::complex);
  set_unary<VectorNegative<float>>(h, Op::negative, Kind::complex);
  set_binary<PairDivide<float>>(h, Op::divide, Kind::complex);
  set_unary<Modulus>(h, Op::absolute, Kind::complex);
  set_unary_lanes<Sqrt, C, C>(h, Op::sqrt, Kind::complex);
  set_unary_lanes<Exp, C, C>(h, Op::exp, Kind::complex);
  set_binary_lanes<Compare<Equal>, C, std::uint64_t>(h, Op::equal, Kind::complex);
  set_binary_lanes<Compare<NotEqual>, C, std::uint64_t>(h, Op::not_equal, Kind::complex);
  set_binary_lanes<Compare<Less>, C, std::uint64_t>(h, Op::less, Kind::complex);
  set_binary_lanes<Compare<LessEqual>, C, std::uint64_t>(h, Op::less_equal, Kind::complex);

  set_conversion<WrapSigned<8>>(h, Conversion::wrap_int8);
  set_conversion<WrapSigned<16>>(h, Conversion::wrap_int16);
  set_conversion<WrapSigned<32>>(h, Conversion::wrap_int32);
  set_conversion<WrapUnsigned<8>>(h, Conversion::wrap_uint8);
  set_conversion<WrapUnsigned<16>>(h, Conversion::wrap_uint16);
  set_conversion<WrapUnsigned<32>>(h, Conversion::wrap_uint32);
  set_conversion<RoundFloat>(h, Conversion::round_float32);
  set_conversion<SignedToReal>(h, Conversion::signed_to_real);
  set_conversion<UnsignedToReal>(h, Conversion::unsigned_to_real);
  set_conversion<IntegerToBool>(h, Conversion::integer_to_bool);
  set_conversion<RealToBool>(h, Conversion::real_to_bool);
  set_conversion_lanes<RoundHalf<Half>, double, double>(h, Conversion::round_float16);
  set_conversion_lanes<RoundHalf<BFloat16>, double, double>(h, Conversion::round_bfloat16);
  set_conversion_lanes<ToRealOdd, std::int64_t, double>(h, Conversion::signed_to_real_odd);
  set_conversion_lanes<ToRealOdd, std::uint64_t, double>(h, Conversion::unsigned_to_real_odd);
  set_conversion_lanes<RealToInteger<std::int8_t>, double, std::int64_t>(h, Conversion::real_to_int8);
  set_conversion_lanes<RealToInteger<std::int16_t>, double, std::int64_t>(h, Conversion::real_to_int16);
  set_conversion_lanes<RealToInteger<std::int32_t>, double, std::int64_t>(h, Conversion::real_to_int32);
  set_conversion_lanes<RealToInteger<std::int64_t>, double, std::int64_t>(h, Conversion::real_to_int64);
  set_conversion_lanes<RealToInteger<std::uint8_t>, double, std::uint64_t>(h, Conversion::real_to_uint8);
  set_conversion_lanes<RealToInteger<std::uint16_t>, double, std::uint64_t>(h, Conversion::real_to_uint16);
  set_conversion_lanes<RealToInteger<std::uint32_t>, double, std::uint64_t>(h, Conversion::real_to_uint32);
  set_conversion_lanes<RealToInteger<std::uint64_t>, double, std::uint64_t>(h, Conversion::real_to_uint64);
  set_conversion_lanes<RealToComplex, double, C>(h, Conversion::real_to_complex);
  set_conversion_lanes<ComplexToReal, C, double>(h, Conversion::complex_to_real);
  set_conversion_lanes<ComplexToBool, C, std::uint64_t>(h, Conversion::complex_to_bool);
  return h;
}

}  // namespace

const Handlers& handlers_64() {
  static const Handlers table = [] {
    Handlers h = make();
    add_functions_64(h);
    set_unary<PairSquare<float>>(h, Op::square, Kind::complex);
    return h;
  }();
  return table;
}

}  // namespace xp::kernels
