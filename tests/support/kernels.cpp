// SPDX-License-Identifier: Apache-2.0
#include "support/kernels.hpp"

#include "support/scalar_complex.hpp"

namespace oracle {
namespace {

// The loop over elements of type T around a function of two.
template <class T, class F>
Kernel loop(F) {
  return [](const void* a, const void* b, void* result, Index count) {
    using R = std::decay_t<decltype(F{}(T{}, T{}))>;
    const T *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
    for (Index i = 0; i < count; ++i) static_cast<R*>(result)[i] = F{}(x[i], y[i]);
  };
}

// In groups by the dtypes that have them; null where T has none.

template <class T>
Kernel for_any(Op op) {
  // clang-format off
  switch (op) {
    case Op::absolute: return loop<T>([](T a, T) { return absolute(a); });
    case Op::equal: return loop<T>([](T a, T b) { return compare<Op::equal>(a, b); });
    case Op::not_equal: return loop<T>([](T a, T b) { return compare<Op::not_equal>(a, b); });
    case Op::less: return loop<T>([](T a, T b) { return compare<Op::less>(a, b); });
    case Op::less_equal: return loop<T>([](T a, T b) { return compare<Op::less_equal>(a, b); });
    case Op::greater: return loop<T>([](T a, T b) { return compare<Op::greater>(a, b); });
    case Op::greater_equal: return loop<T>([](T a, T b) { return compare<Op::greater_equal>(a, b); });
    case Op::add: return loop<T>([](T a, T b) { return arithmetic<Op::add>(a, b); });
    case Op::multiply: return loop<T>([](T a, T b) { return arithmetic<Op::multiply>(a, b); });
    case Op::maximum: return loop<T>([](T a, T b) { return extremum<Op::maximum>(a, b); });
    case Op::minimum: return loop<T>([](T a, T b) { return extremum<Op::minimum>(a, b); });
    case Op::fmax: return loop<T>([](T a, T b) { return extremum<Op::fmax>(a, b); });
    case Op::fmin: return loop<T>([](T a, T b) { return extremum<Op::fmin>(a, b); });
    case Op::real: return loop<T>([](T a, T) { return real_of(a); });
    case Op::imag: return loop<T>([](T a, T) { return imag_of(a); });
    case Op::isnan: return loop<T>([](T a, T) { return is_nan(a); });
    case Op::isinf: return loop<T>([](T a, T) { return is_inf(a); });
    case Op::isfinite: return loop<T>([](T a, T) { return is_finite(a); });
    case Op::logical_not: return loop<T>([](T a, T) { return !truth(a); });
    case Op::logical_and: return loop<T>([](T a, T b) { return truth(a) && truth(b); });
    case Op::logical_or: return loop<T>([](T a, T b) { return truth(a) || truth(b); });
    case Op::logical_xor: return loop<T>([](T a, T b) { return truth(a) != truth(b); });
    default: return nullptr;
  }
  // clang-format on
}

template <class T>
Kernel for_numbers(Op op) {
  // clang-format off
  switch (op) {
    case Op::subtract: return loop<T>([](T a, T b) { return arithmetic<Op::subtract>(a, b); });
    case Op::negative: return loop<T>([](T a, T) { return negative(a); });
    case Op::square: return loop<T>([](T a, T) { return square(a); });
    case Op::reciprocal: return loop<T>([](T a, T) { return reciprocal(a); });
    case Op::conj: return loop<T>([](T a, T) { return conjugate(a); });
    case Op::sign: return loop<T>([](T a, T) { return sign(a); });
    default: return nullptr;
  }
  // clang-format on
}

template <class T>
Kernel for_ordered(Op op) {
  // clang-format off
  switch (op) {
    case Op::signbit: return loop<T>([](T a, T) { return sign_bit(a); });
    case Op::floor: return loop<T>([](T a, T) { return rounded<Op::floor>(a); });
    case Op::ceil: return loop<T>([](T a, T) { return rounded<Op::ceil>(a); });
    case Op::trunc: return loop<T>([](T a, T) { return rounded<Op::trunc>(a); });
    default: break;
  }
  if constexpr (!is_bool<T>) switch (op) {
    case Op::floor_divide: return loop<T>([](T a, T b) { return division<Op::floor_divide>(a, b); });
    case Op::remainder: return loop<T>([](T a, T b) { return division<Op::remainder>(a, b); });
    case Op::fmod: return loop<T>([](T a, T b) { return division<Op::fmod>(a, b); });
    default: break;
  }
  return nullptr;
  // clang-format on
}

template <class T>
Kernel for_bits(Op op) {
  // clang-format off
  switch (op) {
    case Op::bitwise_and: return loop<T>([](T a, T b) { return bits<Op::bitwise_and>(a, b); });
    case Op::bitwise_or: return loop<T>([](T a, T b) { return bits<Op::bitwise_or>(a, b); });
    case Op::bitwise_xor: return loop<T>([](T a, T b) { return bits<Op::bitwise_xor>(a, b); });
    case Op::invert: return loop<T>([](T a, T) { return bits<Op::invert>(a, a); });
    default: break;
  }
  if constexpr (!is_bool<T>) switch (op) {
    case Op::left_shift: return loop<T>([](T a, T b) { return shift<Op::left_shift>(a, b); });
    case Op::right_shift: return loop<T>([](T a, T b) { return shift<Op::right_shift>(a, b); });
    case Op::power: return loop<T>([](T a, T b) { return integer_power(a, b); });
    case Op::gcd: return loop<T>([](T a, T b) { return gcd(a, b); });
    case Op::lcm: return loop<T>([](T a, T b) { return lcm(a, b); });
    default: break;
  }
  return nullptr;
  // clang-format on
}

template <class T>
Kernel for_floats(Op op) {
  // clang-format off
  switch (op) {
    case Op::cbrt: return loop<T>([](T a, T b) { return function<Op::cbrt>(a, b); });
    case Op::erf: return loop<T>([](T a, T b) { return function<Op::erf>(a, b); });
    case Op::erfc: return loop<T>([](T a, T b) { return function<Op::erfc>(a, b); });
    case Op::gamma: return loop<T>([](T a, T b) { return function<Op::gamma>(a, b); });
    case Op::lgamma: return loop<T>([](T a, T b) { return function<Op::lgamma>(a, b); });
    case Op::atan2: return loop<T>([](T a, T b) { return function<Op::atan2>(a, b); });
    case Op::hypot: return loop<T>([](T a, T b) { return function<Op::hypot>(a, b); });
    case Op::logaddexp: return loop<T>([](T a, T b) { return function<Op::logaddexp>(a, b); });
    case Op::logaddexp2: return loop<T>([](T a, T b) { return function<Op::logaddexp2>(a, b); });
    case Op::deg2rad: return loop<T>([](T a, T) { return angle<Op::deg2rad>(a); });
    case Op::rad2deg: return loop<T>([](T a, T) { return angle<Op::rad2deg>(a); });
    case Op::copysign: return loop<T>([](T a, T b) { return oracle::copysign(a, b); });
    case Op::nextafter: return loop<T>([](T a, T b) { return oracle::nextafter(a, b); });
    case Op::heaviside: return loop<T>([](T a, T b) { return heaviside(a, b); });
    case Op::ldexp: return loop<T>([](T a, T b) { return oracle::ldexp(a, b); });
    case Op::frexp_mantissa: return loop<T>([](T a, T) { return mantissa(a); });
    case Op::frexp_exponent: return loop<T>([](T a, T) { return exponent(a); });
    case Op::modf_fraction: return loop<T>([](T a, T) { return fraction(a); });
    default: return nullptr;
  }
  // clang-format on
}

template <class T>
Kernel for_inexact(Op op) {
  // clang-format off
  switch (op) {
    case Op::divide: return loop<T>([](T a, T b) { return arithmetic<Op::divide>(a, b); });
    case Op::rint: return loop<T>([](T a, T) { return rounded<Op::rint>(a); });
    case Op::power: return loop<T>([](T a, T b) { return function<Op::power>(a, b); });
    case Op::sqrt: return loop<T>([](T a, T b) { return function<Op::sqrt>(a, b); });
    case Op::exp: return loop<T>([](T a, T b) { return function<Op::exp>(a, b); });
    case Op::exp2: return loop<T>([](T a, T b) { return function<Op::exp2>(a, b); });
    case Op::expm1: return loop<T>([](T a, T b) { return function<Op::expm1>(a, b); });
    case Op::log: return loop<T>([](T a, T b) { return function<Op::log>(a, b); });
    case Op::log1p: return loop<T>([](T a, T b) { return function<Op::log1p>(a, b); });
    case Op::log2: return loop<T>([](T a, T b) { return function<Op::log2>(a, b); });
    case Op::log10: return loop<T>([](T a, T b) { return function<Op::log10>(a, b); });
    case Op::sin: return loop<T>([](T a, T b) { return function<Op::sin>(a, b); });
    case Op::cos: return loop<T>([](T a, T b) { return function<Op::cos>(a, b); });
    case Op::tan: return loop<T>([](T a, T b) { return function<Op::tan>(a, b); });
    case Op::asin: return loop<T>([](T a, T b) { return function<Op::asin>(a, b); });
    case Op::acos: return loop<T>([](T a, T b) { return function<Op::acos>(a, b); });
    case Op::atan: return loop<T>([](T a, T b) { return function<Op::atan>(a, b); });
    case Op::sinh: return loop<T>([](T a, T b) { return function<Op::sinh>(a, b); });
    case Op::cosh: return loop<T>([](T a, T b) { return function<Op::cosh>(a, b); });
    case Op::tanh: return loop<T>([](T a, T b) { return function<Op::tanh>(a, b); });
    case Op::asinh: return loop<T>([](T a, T b) { return function<Op::asinh>(a, b); });
    case Op::acosh: return loop<T>([](T a, T b) { return function<Op::acosh>(a, b); });
    case Op::atanh: return loop<T>([](T a, T b) { return function<Op::atanh>(a, b); });
    default: return nullptr;
  }
  // clang-format on
}

}  // namespace

Kernel kernel_of(Op op, DType dtype) {
  return visit(dtype, [op, dtype](auto tag) {
    using T = typename decltype(tag)::type;
    Kernel kernel = for_any<T>(op);
    const auto look_in = [&](Kernel (*group)(Op)) {
      if (kernel == nullptr) kernel = group(op);
    };
    if constexpr (!is_bool<T>) look_in(for_numbers<T>);
    if constexpr (!is_complex<T>) look_in(for_ordered<T>);
    if constexpr (std::is_integral_v<T>) look_in(for_bits<T>);
    if constexpr (is_inexact<T>) look_in(for_inexact<T>);
    if constexpr (is_real<T>) look_in(for_floats<T>);
    if (kernel == nullptr)
      throw NoOracle("no oracle for " + std::string(xp::info(op).name) + " of dtype " +
                     std::to_string(static_cast<int>(dtype)));
    return kernel;
  });
}

}  // namespace oracle
