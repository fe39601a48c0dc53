// SPDX-License-Identifier: Apache-2.0
// Kinds of the numbers that slots hold, and what is asked of them.
#pragma once

#include <concepts>

#include "kernels/functors.hpp"

namespace xp::kernels {

template <class T>
concept Floating = std::is_floating_point_v<T>;
template <class T>
concept Integer = std::is_integral_v<T>;
template <class T>
concept Imaginary = is_complex<T>;
template <class T>
concept RealNumber = Floating<T> || Integer<T>;
template <class T>
concept Inexact = Floating<T> || Imaginary<T>;

template <class T>
KOKKOS_INLINE_FUNCTION bool truth_of(T a) {
  if constexpr (Imaginary<T>)
    return a.re != 0 || a.im != 0;
  else
    return a != 0;
}
template <class T>
KOKKOS_INLINE_FUNCTION bool any_nan(T a) {
  if constexpr (Imaginary<T>)
    return is_nan(a.re) || is_nan(a.im);
  else if constexpr (Floating<T>)
    return is_nan(a);
  else
    return false;
}
template <Floating T>
KOKKOS_INLINE_FUNCTION bool is_infinite(T a) {
  return std::fabs(a) > most<T>;
}
template <Floating T>
KOKKOS_INLINE_FUNCTION bool sign_bit(T a) {
  return (bits_as<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(a) >> (sizeof(T) * 8 - 1)) != 0;
}

}  // namespace xp::kernels
