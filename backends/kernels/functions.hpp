// SPDX-License-Identifier: Apache-2.0
// What the operations beyond plain arithmetic mean for one element, by their row of the table: Function<op>::apply.
// Slots hold int32, uint32, float, int64, uint64, double and complex numbers; bool rides as 0 or 1 in an unsigned slot,
// 16-bit floats as float, narrower integers in wider slots: results are wrapped or rounded afterwards.
//
// Host kernels have vector forms of many; those must give the same bits where the result is exact.
#pragma once

#include "core/ops.hpp"
#include "kernels/complex_functions.hpp"
#include "kernels/division.hpp"
#include "kernels/numbers.hpp"

namespace xp::kernels {

template <Op op>
struct Function;

/// Whether the operation computes in slots of type T.
template <Op op, class T>
concept HasUnary = requires(T a) {
  Function<op>::apply(a);
};
template <Op op, class T>
concept HasBinary = requires(T a) {
  Function<op>::apply(a, a);
};

// ---- Division ----

template <>
struct Function<Op::floor_divide> {
  template <RealNumber T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    if constexpr (Integer<T>) {
      return quotient_down(a, b);
    } else {
      T remainder;
      return divide_down(a, b, remainder);
    }
  }
};
template <>
struct Function<Op::remainder> {
  template <RealNumber T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    if constexpr (Integer<T>) {
      const T rest = rest_toward_zero(a, b);
      if constexpr (std::is_signed_v<T>)
        return static_cast<T>(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
      else
        return rest;
    } else {
      T remainder;
      divide_down(a, b, remainder);
      return remainder;
    }
  }
};
template <>
struct Function<Op::fmod> {
  template <RealNumber T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    return rest_toward_zero(a, b);
  }
};

// ---- Powers ----

template <>
struct Function<Op::power> {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    if constexpr (Floating<T>) {
      return std::pow(a, b);
    } else if constexpr (Imaginary<T>) {
      return complex_power(a, b);
    } else {
      using W = typename Wrapping<T>::type;
      if constexpr (std::is_signed_v<T>)
        if (b < 0) return 0;  // refused before it comes here
      W result = 1, base = static_cast<W>(a);
      for (W exponent = static_cast<W>(b); exponent != 0; exponent >>= 1) {
        if ((exponent & 1) != 0) result *= base;
        base *= base;
      }
      return static_cast<T>(result);
    }
  }
};
template <>
struct Function<Op::square> {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T apply(T a) {
    return Multiply::apply(a, a);
  }
};
template <>
struct Function<Op::reciprocal> {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T apply(T a) {
    if constexpr (Imaginary<T>) {
      // Smith's method, as NumPy does it.
      using R = decltype(T::re);
      if (std::fabs(a.im) <= std::fabs(a.re)) {
        const R ratio = a.im / a.re, scale = a.re + a.im * ratio;
        return {1 / scale, -ratio / scale};
      }
      const R ratio = a.re / a.im, scale = a.re * ratio + a.im;
      return {ratio / scale, -1 / scale};
    } else if constexpr (Floating<T>) {
      return 1 / a;
    } else {
      return whole_reciprocal(a);
    }
  }

 private:
  template <class T>
  KOKKOS_INLINE_FUNCTION static T whole_reciprocal(T a) {
    if (a == 1) return 1;
    if constexpr (std::is_signed_v<T>)
      if (a == -1) return -1;
    return 0;
  }
};

// ---- Greater and less ----

/// `+0` counts as greater than `-0`.
template <RealNumber T>
KOKKOS_INLINE_FUNCTION T greater_of(T a, T b) {
  if constexpr (Floating<T>)
    if (a == b) return sign_bit(a) ? b : a;
  return a > b ? a : b;
}
template <RealNumber T>
KOKKOS_INLINE_FUNCTION T less_of(T a, T b) {
  if constexpr (Floating<T>)
    if (a == b) return sign_bit(a) ? a : b;
  return a < b ? a : b;
}
template <Imaginary T>
KOKKOS_INLINE_FUNCTION T greater_of(T a, T b) {
  return LessEqual::apply(b, a) ? a : b;
}
template <Imaginary T>
KOKKOS_INLINE_FUNCTION T less_of(T a, T b) {
  return LessEqual::apply(a, b) ? a : b;
}

template <>
struct Function<Op::maximum> {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, float>) {
      float result;
      asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
      return result;
    }
#endif
    return any_nan(a) ? a : any_nan(b) ? b : greater_of(a, b);
  }
};
template <>
struct Function<Op::minimum> {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, float>) {
      float result;
      asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
      return result;
    }
#endif
    return any_nan(a) ? a : any_nan(b) ? b : less_of(a, b);
  }
};
template <>
struct Function<Op::fmax> {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    return any_nan(b) ? a : any_nan(a) ? b : greater_of(a, b);
  }
};
template <>
struct Function<Op::fmin> {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    return any_nan(b) ? a : any_nan(a) ? b : less_of(a, b);
  }
};

// ---- Parts and classes ----

template <>
struct Function<Op::conj> {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T apply(T a) {
    if constexpr (Imaginary<T>)
      return {a.re, -a.im};
    else
      return a;
  }
};
template <>
struct Function<Op::real> {
  template <class T>
  KOKKOS_INLINE_FUNCTION static auto apply(T a) {
    if constexpr (Imaginary<T>)
      return a.re;
    else
      return a;
  }
};
template <>
struct Function<Op::imag> {
  template <class T>
  KOKKOS_INLINE_FUNCTION static auto apply(T a) {
    if constexpr (Imaginary<T>)
      return a.im;
    else
      return T{0};
  }
};
template <>
struct Function<Op::sign> {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T apply(T a) {
    if constexpr (Imaginary<T>) {
      using R = decltype(T::re);
      const R length = std::hypot(a.re, a.im);
      if (is_nan(length)) return {length, length};
      if (is_infinite(length)) {
        const bool both = is_infinite(a.re) && is_infinite(a.im);
        if (both) return {not_a_number<R>, not_a_number<R>};
        return is_infinite(a.re) ? T{std::copysign(R{1}, a.re), 0} : T{0, std::copysign(R{1}, a.im)};
      }
      if (length == 0) return {0, 0};
      return {a.re / length, a.im / length};
    } else if constexpr (Floating<T>) {
      return a > 0 ? T{1} : a < 0 ? T{-1} : a == 0 ? T{0} : a;
    } else {
      const auto positive = static_cast<T>(a > 0);
      if constexpr (std::is_signed_v<T>)
        return static_cast<T>(positive - static_cast<T>(a < 0));
      else
        return positive;
    }
  }
};
template <>
struct Function<Op::signbit> {
  template <RealNumber T>
  KOKKOS_INLINE_FUNCTION static bool apply(T a) {
    if constexpr (Floating<T>)
      return sign_bit(a);
    else if constexpr (std::is_signed_v<T>)
      return a < 0;
    else
      return false;
  }
};
template <>
struct Function<Op::isnan> {
  template <class T>
  KOKKOS_INLINE_FUNCTION static bool apply(T a) {
    return any_nan(a);
  }
};
template <>
struct Function<Op::isinf> {
  template <class T>
  KOKKOS_INLINE_FUNCTION static bool apply(T a) {
    if constexpr (Imaginary<T>)
      return is_infinite(a.re) || is_infinite(a.im);
    else if constexpr (Floating<T>)
      return is_infinite(a);
    else
      return false;
  }
};
template <>
struct Function<Op::isfinite> {
  template <class T>
  KOKKOS_INLINE_FUNCTION static bool apply(T a) {
    return !Function<Op::isinf>::apply(a) && !any_nan(a);
  }
};

// ---- Truth and bits ----

template <>
struct Function<Op::logical_not> {
  template <class T>
  KOKKOS_INLINE_FUNCTION static bool apply(T a) {
    return !truth_of(a);
  }
};
template <>
struct Function<Op::logical_and> {
  template <class T>
  KOKKOS_INLINE_FUNCTION static bool apply(T a, T b) {
    return truth_of(a) && truth_of(b);
  }
};
template <>
struct Function<Op::logical_or> {
  template <class T>
  KOKKOS_INLINE_FUNCTION static bool apply(T a, T b) {
    return truth_of(a) || truth_of(b);
  }
};
template <>
struct Function<Op::logical_xor> {
  template <class T>
  KOKKOS_INLINE_FUNCTION static bool apply(T a, T b) {
    return truth_of(a) != truth_of(b);
  }
};
template <>
struct Function<Op::bitwise_and> {
  template <Integer T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    return a & b;
  }
};
template <>
struct Function<Op::bitwise_or> {
  template <Integer T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    return a | b;
  }
};
template <>
struct Function<Op::bitwise_xor> {
  template <Integer T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    return a ^ b;
  }
};
/// Of integers; of bool it is logical_not.
template <>
struct Function<Op::invert> {
  template <Integer T>
  KOKKOS_INLINE_FUNCTION static T apply(T a) {
    return ~a;
  }
};
/// Counts beyond the slot's bits and negative ones shift everything out. Counts between a narrower dtype's bits and the
/// slot's do so, too: the result is wrapped, and numbers to be shifted right are sign-extended.
template <>
struct Function<Op::left_shift> {
  template <Integer T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    using W = typename Wrapping<T>::type;
    constexpr W bits = sizeof(T) * 8;
    return static_cast<W>(b) < bits ? static_cast<T>(static_cast<W>(a) << static_cast<W>(b)) : 0;
  }
};
template <>
struct Function<Op::right_shift> {
  template <Integer T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    using W = typename Wrapping<T>::type;
    constexpr W bits = sizeof(T) * 8;
    return a >> (static_cast<W>(b) < bits ? static_cast<W>(b) : bits - 1) >>
           static_cast<int>(static_cast<W>(b) >= bits);
  }
};

// ---- Rounding ----

template <>
struct Function<Op::floor> {
  template <RealNumber T>
  KOKKOS_INLINE_FUNCTION static T apply(T a) {
    if constexpr (Floating<T>)
      return std::floor(a);
    else
      return a;
  }
};
template <>
struct Function<Op::ceil> {
  template <RealNumber T>
  KOKKOS_INLINE_FUNCTION static T apply(T a) {
    if constexpr (Floating<T>)
      return std::ceil(a);
    else
      return a;
  }
};
template <>
struct Function<Op::trunc> {
  template <RealNumber T>
  KOKKOS_INLINE_FUNCTION static T apply(T a) {
    if constexpr (Floating<T>)
      return std::trunc(a);
    else
      return a;
  }
};
template <>
struct Function<Op::rint> {
  template <Inexact T>
  KOKKOS_INLINE_FUNCTION static T apply(T a) {
    if constexpr (Imaginary<T>)
      return {std::rint(a.re), std::rint(a.im)};
    else
      return std::rint(a);
  }
};

// ---- Functions of the C++ library ----

#define XP_FUNCTION(op, real_form, complex_form) \
  template <>                                    \
  struct Function<Op::op> {                      \
    template <Inexact T>                         \
    KOKKOS_INLINE_FUNCTION static T apply(T a) { \
      if constexpr (Imaginary<T>)                \
        return complex_form(a);                  \
      else                                       \
        return real_form(a);                     \
    }                                            \
  };
XP_FUNCTION(expm1, std::expm1, complex_expm1)
XP_FUNCTION(exp2, std::exp2, complex_exp2)
XP_FUNCTION(log, std::log, complex_log)
XP_FUNCTION(log1p, std::log1p, complex_log1p)
XP_FUNCTION(log2, std::log2, complex_log2)
XP_FUNCTION(log10, std::log10, complex_log10)
XP_FUNCTION(sin, std::sin, complex_sin)
XP_FUNCTION(cos, std::cos, complex_cos)
XP_FUNCTION(tan, std::tan, complex_tan)
XP_FUNCTION(asin, std::asin, complex_asin)
XP_FUNCTION(acos, std::acos, complex_acos)
XP_FUNCTION(atan, std::atan, complex_atan)
XP_FUNCTION(sinh, std::sinh, complex_sinh)
XP_FUNCTION(cosh, std::cosh, complex_cosh)
XP_FUNCTION(tanh, std::tanh, complex_tanh)
XP_FUNCTION(asinh, std::asinh, complex_asinh)
XP_FUNCTION(acosh, std::acosh, complex_acosh)
XP_FUNCTION(atanh, std::atanh, complex_atanh)
#undef XP_FUNCTION

#define XP_FUNCTION(op, form)                    \
  template <>                                    \
  struct Function<Op::op> {                      \
    template <Floating T>                        \
    KOKKOS_INLINE_FUNCTION static T apply(T a) { \
      return form(a);                            \
    }                                            \
  };
XP_FUNCTION(cbrt, std::cbrt)
XP_FUNCTION(erf, std::erf)
XP_FUNCTION(erfc, std::erfc)
XP_FUNCTION(gamma, std::tgamma)
XP_FUNCTION(lgamma, std::lgamma)
#undef XP_FUNCTION

#define XP_FUNCTION(op, form)                         \
  template <>                                         \
  struct Function<Op::op> {                           \
    template <Floating T>                             \
    KOKKOS_INLINE_FUNCTION static T apply(T a, T b) { \
      return form(a, b);                              \
    }                                                 \
  };
XP_FUNCTION(atan2, std::atan2)
XP_FUNCTION(hypot, std::hypot)
XP_FUNCTION(copysign, std::copysign)
XP_FUNCTION(nextafter, std::nextafter)
#undef XP_FUNCTION

// ---- Others of real numbers ----

template <>
struct Function<Op::deg2rad> {
  template <Floating T>
  KOKKOS_INLINE_FUNCTION static T apply(T a) {
    return a * (static_cast<T>(3.14159265358979323846) / T{180});
  }
};
template <>
struct Function<Op::rad2deg> {
  template <Floating T>
  KOKKOS_INLINE_FUNCTION static T apply(T a) {
    return a * (T{180} / static_cast<T>(3.14159265358979323846));
  }
};

/// The neighbour among the values of a 16-bit float: a and b are such values.
template <class H>
KOKKOS_INLINE_FUNCTION float next_half(float a, float b) {
  if (is_nan(a) || is_nan(b)) return a + b;
  if (a == b) return b;
  std::uint32_t bits = convert<H>(a).bits;
  if (a == 0)
    bits = b < 0 ? 0x8001u : 1u;
  else
    bits += (a < b) == (a > 0) ? 1u : ~0u;
  return to_float(H{static_cast<std::uint16_t>(bits)});
}
template <>
struct Function<Op::nextafter_float16> {
  template <std::same_as<float> T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    return next_half<Half>(a, b);
  }
};
template <>
struct Function<Op::nextafter_bfloat16> {
  template <std::same_as<float> T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    return next_half<BFloat16>(a, b);
  }
};

/// log(exp(a) + exp(b)), as NumPy computes it.
template <>
struct Function<Op::logaddexp> {
  template <Floating T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    if (a == b) return a + static_cast<T>(0.693147180559945309417);  // infinities of one sign, too
    const T difference = a - b;
    if (difference > 0) return a + std::log1p(std::exp(-difference));
    if (difference <= 0) return b + std::log1p(std::exp(difference));
    return difference;
  }
};
template <>
struct Function<Op::logaddexp2> {
  template <Floating T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    constexpr T log2_e = static_cast<T>(1.44269504088896340736);
    if (a == b) return a + 1;
    const T difference = a - b;
    if (difference > 0) return a + log2_e * std::log1p(std::exp2(-difference));
    if (difference <= 0) return b + log2_e * std::log1p(std::exp2(difference));
    return difference;
  }
};
template <>
struct Function<Op::heaviside> {
  template <Floating T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    return is_nan(a) ? a : a == 0 ? b : a < 0 ? T{0} : T{1};
  }
};

/// The exponent is a whole number in the float's dtype.
template <>
struct Function<Op::ldexp> {
  template <Floating T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    // More than any finite a can take without becoming 0 or infinite.
    constexpr T limit = 5000;
    const T inside = b > limit ? limit : b < -limit ? -limit : is_nan(b) ? T{0} : b;
    return std::ldexp(a, static_cast<int>(inside));
  }
};
template <>
struct Function<Op::frexp_mantissa> {
  template <Floating T>
  KOKKOS_INLINE_FUNCTION static T apply(T a) {
    if (a == 0 || is_nan(a) || is_infinite(a)) return a;
    int exponent;
    return std::frexp(a, &exponent);
  }
};
template <>
struct Function<Op::frexp_exponent> {
  template <Floating T>
  KOKKOS_INLINE_FUNCTION static auto apply(T a) {
    using I = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    if (a == 0 || is_nan(a) || is_infinite(a)) return I{0};
    int exponent;
    std::frexp(a, &exponent);
    return static_cast<I>(exponent);
  }
};
template <>
struct Function<Op::modf_fraction> {
  template <Floating T>
  KOKKOS_INLINE_FUNCTION static T apply(T a) {
    return std::copysign(is_infinite(a) ? T{0} : a - std::trunc(a), a);
  }
};

template <Integer T>
KOKKOS_INLINE_FUNCTION auto greatest_divisor(T a, T b) {
  using W = typename Wrapping<T>::type;
  W x = static_cast<W>(Absolute::apply(a)), y = static_cast<W>(Absolute::apply(b));
  while (y != 0) {
    const W rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}
template <>
struct Function<Op::gcd> {
  template <Integer T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    return static_cast<T>(greatest_divisor(a, b));
  }
};
template <>
struct Function<Op::lcm> {
  template <Integer T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    using W = typename Wrapping<T>::type;
    const W divisor = greatest_divisor(a, b);
    return divisor == 0
               ? 0
               : static_cast<T>(static_cast<W>(Absolute::apply(a)) / divisor * static_cast<W>(Absolute::apply(b)));
  }
};

}  // namespace xp::kernels
