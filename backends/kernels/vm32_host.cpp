// SPDX-License-Identifier: Apache-2.0
// Handlers for programs with 32-bit slots.
#include "kernels/handlers_host.hpp"

namespace xp::kernels {
namespace {

using F = Vector<float>;
using S = Vector<std::int32_t>;
using U = Vector<std::uint32_t>;

struct Select {
  static Raw apply(Raw mask, Raw b, Raw c) { return raw(as<U>(mask) != 0 ? as<U>(b) : as<U>(c)); }
};

template <int bits>
struct WrapSigned {
  using V = S;
  static V apply(V x) { return reinterpret_cast<S>(reinterpret_cast<U>(x) << (32 - bits)) >> (32 - bits); }
};
template <int bits>
struct WrapUnsigned {
  using V = U;
  static V apply(V x) { return x & ((1u << bits) - 1); }
};
template <class H>
struct RoundHalf {
  using V = F;
  static V apply(V x) { return round_to_half<H>(x); }
};
struct SignedToReal {
  using V = S;
  static F apply(V x) { return __builtin_convertvector(x, F); }
};
struct UnsignedToReal {
  using V = U;
  static F apply(V x) { return __builtin_convertvector(x, F); }
};
/// 24 bits with the last one sticky: the rounding to 16-bit floats that follows is then the only one.
struct SignedToRealOdd {
  using V = S;
  static F apply(V x) {
    const S odd = (x & ~0xff) | ((x & 0xff) != 0 ? S{} + 0x100 : S{});
    return __builtin_convertvector((x >= (1 << 24)) | (x <= -(1 << 24)) ? odd : x, F);
  }
};
struct UnsignedToRealOdd {
  using V = U;
  static F apply(V x) {
    const U odd = (x & ~0xffu) | ((x & 0xffu) != 0 ? U{} + 0x100u : U{});
    return __builtin_convertvector(x >= (1u << 24) ? odd : x, F);
  }
};
template <class I>
struct RealToInteger {
  using V = F;
  static auto apply(V x) {
    using Wide = std::conditional_t<std::is_same_v<I, std::uint32_t>, std::uint32_t, std::int32_t>;
    constexpr float low = static_cast<float>(std::numeric_limits<I>::min());
    constexpr float high = static_cast<float>(1u << (std::numeric_limits<I>::digits - 1)) * 2;
    const F inside = (x > low) & (x < high) ? x : F{};
    Vector<Wide> result = __builtin_convertvector(inside, Vector<Wide>);
    result = x >= high ? Vector<Wide>{} + static_cast<Wide>(std::numeric_limits<I>::max()) : result;
    return x <= low ? Vector<Wide>{} + static_cast<Wide>(std::numeric_limits<I>::min()) : result;
  }
};
struct IntegerToBool {
  using V = U;
  static auto apply(V x) { return as_bool(x != 0); }
};
struct RealToBool {
  using V = F;
  static auto apply(V x) { return as_bool(x != 0); }
};

constexpr Handlers make() {
  Handlers h{};
  set_structure<Select>(h);
  set_float<float>(h, Kind::real);
  set_integers<std::int32_t, std::uint32_t>(h);
  set_bool<std::uint32_t>(h);
  set_conversion<WrapSigned<8>>(h, Conversion::wrap_int8);
  set_conversion<WrapSigned<16>>(h, Conversion::wrap_int16);
  set_conversion<WrapUnsigned<8>>(h, Conversion::wrap_uint8);
  set_conversion<WrapUnsigned<16>>(h, Conversion::wrap_uint16);
  set_conversion<RoundHalf<Half>>(h, Conversion::round_float16);
  set_conversion<RoundHalf<BFloat16>>(h, Conversion::round_bfloat16);
  set_conversion<SignedToReal>(h, Conversion::signed_to_real);
  set_conversion<UnsignedToReal>(h, Conversion::unsigned_to_real);
  set_conversion<SignedToRealOdd>(h, Conversion::signed_to_real_odd);
  set_conversion<UnsignedToRealOdd>(h, Conversion::unsigned_to_real_odd);
  set_conversion<RealToInteger<std::int8_t>>(h, Conversion::real_to_int8);
  set_conversion<RealToInteger<std::int16_t>>(h, Conversion::real_to_int16);
  set_conversion<RealToInteger<std::int32_t>>(h, Conversion::real_to_int32);
  set_conversion<RealToInteger<std::uint8_t>>(h, Conversion::real_to_uint8);
  set_conversion<RealToInteger<std::uint16_t>>(h, Conversion::real_to_uint16);
  set_conversion<RealToInteger<std::uint32_t>>(h, Conversion::real_to_uint32);
  set_conversion<IntegerToBool>(h, Conversion::integer_to_bool);
  set_conversion<RealToBool>(h, Conversion::real_to_bool);
  return h;
}

}  // namespace

const Handlers& handlers_32() {
  static const Handlers table = [] {
    Handlers h = make();
    add_functions_32(h);
    return h;
  }();
  return table;
}

}  // namespace xp::kernels
