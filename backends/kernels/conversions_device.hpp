// SPDX-License-Identifier: Apache-2.0
// Conversions in the device kernel: of elements to slots, and of values from dtype to dtype.
#pragma once

#include "kernels/memory_device.hpp"

namespace xp::kernels {

// ---- A slot as a number ----

template <class T, class R>
KOKKOS_FORCEINLINE_FUNCTION T as(const R& raw) {
  if constexpr (sizeof(T) == sizeof(R))
    return bits_as<T>(raw);
  else if constexpr (sizeof(R) == 16)
    return bits_as<T>(raw.first);
}

template <class R, class T>
KOKKOS_FORCEINLINE_FUNCTION R raw(const T& value) {
  if constexpr (sizeof(T) == sizeof(R))
    return bits_as<R>(value);
  else if constexpr (sizeof(R) == 16)
    return {bits_as<std::uint64_t>(value), 0};
}

template <class R>
KOKKOS_FORCEINLINE_FUNCTION bool truth(const R& raw) {
  return as<std::conditional_t<sizeof(R) == 4, std::uint32_t, std::uint64_t>>(raw) != 0;
}

/// C++ types of a width's slots.
template <int width>
struct Slots {
  using Unsigned = std::conditional_t<width == 32, std::uint32_t, std::uint64_t>;
  using Signed = std::make_signed_t<Unsigned>;
  using Real = std::conditional_t<width == 32, float, double>;
  using Pairwise = Complex<std::conditional_t<width == 64, float, double>>;
  static constexpr bool has_integers = width != 128, has_complex = width != 32;
};

/// Of W values at a time.
template <int width, int W>
class Conversions {
  using R = Raw<width>;
  using U = typename Slots<width>::Unsigned;
  using S = typename Slots<width>::Signed;
  using F = typename Slots<width>::Real;
  using C = typename Slots<width>::Pairwise;
  static constexpr bool has_integers = Slots<width>::has_integers, has_complex = Slots<width>::has_complex;

 public:
  using Values = R[W];

  // ---- Rolled loops ----

  // For what is much code and little used: a kernel that becomes too large is no longer inlined into Kokkos' own, and
  // every thread then copies the kernel's arguments. The array turns under the loop, so that its indices are constants.

  static constexpr int rolled = W < 2 ? W : 2;  // elements at a time

  KOKKOS_FORCEINLINE_FUNCTION static void turn(Values& v) {
    R first[rolled];
    XP_UNROLL
    for (int k = 0; k < rolled; ++k) first[k] = v[k];
    XP_UNROLL
    for (int k = 0; k + rolled < W; ++k) v[k] = v[k + rolled];
    XP_UNROLL
    for (int k = 0; k < rolled; ++k) v[W - rolled + k] = first[k];
  }
  /// v[k] = f(v[k])
  template <class Function>
  KOKKOS_FORCEINLINE_FUNCTION static void each(Values& v, const Function& f) {
    XP_ROLLED
    for (int i = 0; i < W; i += rolled) {
      XP_UNROLL
      for (int k = 0; k < rolled; ++k) v[k] = f(v[k]);
      turn(v);
    }
  }
  /// v[k] = f(v[k], other[k])
  template <class Function>
  KOKKOS_FORCEINLINE_FUNCTION static void each(Values& v, Values& other, const Function& f) {
    XP_ROLLED
    for (int i = 0; i < W; i += rolled) {
      XP_UNROLL
      for (int k = 0; k < rolled; ++k) v[k] = f(v[k], other[k]);
      turn(v);
      turn(other);
    }
  }

  // ---- Conversions of a value in its slot ----

  /// As the value's widest type would be converted: what is narrower lies in the slot exactly.
  template <class From, int to>
  KOKKOS_FORCEINLINE_FUNCTION static void convert_all(Values& v) {
    if constexpr (slot_exists<width, to>) {
      each(v, [](const R& x) {
        if constexpr (width == 128 && to == XP_BOOL)
          return raw<R>(static_cast<U>(convert<Bool>(as<From>(x)).value));
        else if constexpr (width == 128 && kind_constant<to> == Kind::real)
          return raw<R>(convert<double>(convert<Storage<to>>(as<From>(x))));
        else
          return raw<R>(to_slot<SlotType<width, to>>(convert<Storage<to>>(as<From>(x))));
      });
    }
  }
  template <class Limit>
  KOKKOS_FORCEINLINE_FUNCTION static void clamp_all(Values& v) {
    using I = std::conditional_t<std::is_signed_v<Limit>, S, U>;
    constexpr I low = least<Limit>, high = most<Limit>;
    XP_UNROLL
    for (int k = 0; k < W; ++k) {
      const I value = as<I>(v[k]);
      I clamped = value > high ? high : value;
      if constexpr (std::is_signed_v<I>) clamped = clamped < low ? low : clamped;
      v[k] = raw<R>(clamped);
    }
  }

  template <class From, Kind from>
  KOKKOS_FORCEINLINE_FUNCTION static void convert_to_inexact(int dtype, Values& v) {
    switch (dtype) {
      case XP_BOOL:
        return convert_all<From, XP_BOOL>(v);
      case XP_FLOAT16:
        return convert_all<From, XP_FLOAT16>(v);
      case XP_BFLOAT16:
        return convert_all<From, XP_BFLOAT16>(v);
      case XP_FLOAT32:
        return convert_all<From, XP_FLOAT32>(v);
      case XP_FLOAT64:
        return convert_all<From, XP_FLOAT64>(v);
      case XP_COMPLEX64:
        if constexpr (width == 64 && from != Kind::complex) convert_all<From, XP_COMPLEX64>(v);
        return;
      case XP_COMPLEX128:
        if constexpr (width == 128 && from != Kind::complex) convert_all<From, XP_COMPLEX128>(v);
        return;
      default:
        return;
    }
  }
  template <class From>
  KOKKOS_FORCEINLINE_FUNCTION static void convert_to_integer(int dtype, Values& v) {
    if constexpr (has_integers) {
      switch (dtype) {
        case XP_INT8:
          return convert_all<From, XP_INT8>(v);
        case XP_INT16:
          return convert_all<From, XP_INT16>(v);
        case XP_INT32:
          return convert_all<From, XP_INT32>(v);
        case XP_INT64:
          return convert_all<From, XP_INT64>(v);
        case XP_UINT8:
          return convert_all<From, XP_UINT8>(v);
        case XP_UINT16:
          return convert_all<From, XP_UINT16>(v);
        case XP_UINT32:
          return convert_all<From, XP_UINT32>(v);
        case XP_UINT64:
          return convert_all<From, XP_UINT64>(v);
        default:
          return;
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void convert_values(int conversion, Values& v) {
    const int dtype = conversion & 15;
    const bool to_integer = dtype >= XP_INT8 && dtype <= XP_UINT64;
    switch (conversion >> 4) {
      case static_cast<int>(Kind::unsigned_):
        if (to_integer)
          convert_to_integer<U>(dtype, v);
        else
          convert_to_inexact<U, Kind::unsigned_>(dtype, v);
        return;
      case static_cast<int>(Kind::signed_):
        if constexpr (has_integers) convert_to_inexact<S, Kind::signed_>(dtype, v);
        return;
      case static_cast<int>(Kind::real):
        if (to_integer)
          convert_to_integer<F>(dtype, v);
        else
          convert_to_inexact<F, Kind::real>(dtype, v);
        return;
      case static_cast<int>(Kind::complex):
        if constexpr (has_complex) {
          if (to_integer)
            convert_to_integer<C>(dtype, v);
          else
            convert_to_inexact<C, Kind::complex>(dtype, v);
        }
        return;
      case convert_clamped:
        if constexpr (width == 32) {
          if (dtype == XP_INT8) return clamp_all<std::int8_t>(v);
          if (dtype == XP_INT16) return clamp_all<std::int16_t>(v);
          if (dtype == XP_UINT8) return clamp_all<std::uint8_t>(v);
          return clamp_all<std::uint16_t>(v);
        }
        return;
      default:
        return;
    }
  }

  // ---- Elements ----

  template <int dtype>
  KOKKOS_FORCEINLINE_FUNCTION static void decode_as(Values& v) {
    constexpr int size = dtype_sizes[dtype];
    using M = std::conditional_t<
        size == 1, std::uint8_t,
        std::conditional_t<size == 2, std::uint16_t, std::conditional_t<size == 4, std::uint32_t, std::uint64_t>>>;
    each(v, [](const R& x) {
      const auto element = bits_as<Storage<dtype>>(static_cast<M>(as<U>(x)));
      if constexpr (width == 128) {
        if constexpr (dtype == XP_BOOL)
          return raw<R>(static_cast<U>(element.value != 0));
        else if constexpr (dtype == XP_COMPLEX64)
          return raw<R>(convert<C>(element));
        else
          return raw<R>(convert<double>(element));
      } else if constexpr (slot_exists<width, dtype>) {
        return raw<R>(to_slot<SlotType<width, dtype>>(element));
      } else {
        return x;
      }
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION static void decode(int code, Values& v) {
    switch (code) {
      case XP_BOOL:
        return decode_as<XP_BOOL>(v);
      case XP_INT8:
        return decode_as<XP_INT8>(v);
      case XP_INT16:
        return decode_as<XP_INT16>(v);
      case XP_FLOAT16:
        return decode_as<XP_FLOAT16>(v);
      case XP_BFLOAT16:
        return decode_as<XP_BFLOAT16>(v);
      case XP_INT32:
        if constexpr (width != 32) decode_as<XP_INT32>(v);
        return;
      case XP_FLOAT32:
        if constexpr (width != 32) decode_as<XP_FLOAT32>(v);
        return;
      default:
        if constexpr (width == 128) decode_wide(code, v);
    }
  }
  /// Elements that only a slot of 128 bits must convert.
  KOKKOS_FORCEINLINE_FUNCTION static void decode_wide(int code, Values& v) {
    switch (code) {
      case XP_INT64:
        return decode_as<XP_INT64>(v);
      case XP_UINT8:
      case XP_UINT16:
      case XP_UINT32:
      case XP_UINT64:
        return decode_as<XP_UINT64>(v);
      case XP_COMPLEX64:
        return decode_as<XP_COMPLEX64>(v);
      case decode_signed_double_odd:
        XP_UNROLL
        for (int k = 0; k < W; ++k) v[k] = raw<R>(to_double_odd(as<std::int64_t>(v[k])));
        return;
      case decode_unsigned_double_odd:
        XP_UNROLL
        for (int k = 0; k < W; ++k) v[k] = raw<R>(to_double_odd(as<std::uint64_t>(v[k])));
        return;
      default:
        return;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t decode_element_8(int code, std::uint64_t m) {
    switch (code) {
      case decode_low:
        return static_cast<std::uint32_t>(m);
      case decode_truth:
        return m != 0;
      case decode_signed_float:
        return bits_as<std::uint32_t>(static_cast<float>(static_cast<std::int64_t>(m)));
      case decode_signed_float_odd:
        return bits_as<std::uint32_t>(to_float_odd(to_double_odd(static_cast<std::int64_t>(m))));
      case decode_unsigned_float:
        return bits_as<std::uint32_t>(static_cast<float>(m));
      case decode_unsigned_float_odd:
        return bits_as<std::uint32_t>(to_float_odd(to_double_odd(m)));
      case decode_double_signed:
        return bits_as<std::uint32_t>(convert<std::int32_t>(bits_as<double>(m)));
      case decode_double_unsigned:
        return convert<std::uint32_t>(bits_as<double>(m));
      case decode_double_float:
        return bits_as<std::uint32_t>(static_cast<float>(bits_as<double>(m)));
      case decode_double_float_odd:
        return bits_as<std::uint32_t>(to_float_odd(bits_as<double>(m)));
      case decode_double_truth:
        return bits_as<double>(m) != 0;
      default:
        return convert<Bool>(bits_as<Complex<float>>(m)).value;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static void decode_8(int code, const std::uint64_t (&m)[W], Values& v) {
    if constexpr (width == 32) {
      XP_UNROLL
      for (int k = 0; k < W; ++k) v[k] = decode_element_8(code, m[k]);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void decode_16(int code, const Pair8 (&m)[W], Values& v) {
    XP_UNROLL
    for (int k = 0; k < W; ++k) {
      if constexpr (width == 128) {
        v[k] = {m[k].first, m[k].second};
      } else {
        const auto element = bits_as<Complex<double>>(m[k]);
        if constexpr (width == 64) {
          if (code == XP_COMPLEX128) {
            v[k] = raw<R>(convert<Complex<float>>(element));
            continue;
          }
        }
        v[k] = convert<Bool>(element).value;
      }
    }
  }
};

}  // namespace xp::kernels
