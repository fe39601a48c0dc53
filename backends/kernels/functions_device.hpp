// SPDX-License-Identifier: Apache-2.0
// Steps of the device kernel that are functions: one of Function<op> for each element.
#pragma once

#include <utility>

#include "kernels/conversions_device.hpp"
#include "kernels/functions.hpp"
#include "kernels/rows.hpp"

namespace xp::kernels {

/// Whether steps call the operation in slots of type T. At width 128 there are no integers, only bool.
template <int width, Op op, class T>
inline constexpr bool is_unary = op >= Op::floor_divide&& op != Op::square&& HasUnary<op, T> &&
                                 (width != 128 || !std::is_integral_v<T> || takes_bool(op));
template <int width, Op op, class T>
inline constexpr bool is_binary = op >= Op::floor_divide&& HasBinary<op, T> &&
                                  (width != 128 || !std::is_integral_v<T> || takes_bool(op));

/// A few instructions: not worth a loop.
template <Op op, class T>
inline constexpr bool is_light = info(op).cost <= 1 && !(is_complex<T> && op == Op::sign);

struct OpList {
  std::size_t size = 0;
  Op ops[static_cast<std::size_t>(Op::count_)] = {};
};
template <int width, class T, int arity, bool light>
struct FunctionList {
  template <std::size_t... numbers>
  static constexpr OpList make(std::index_sequence<numbers...>) {
    OpList list;
    auto add = [&list](Op op, bool wanted) {
      if (wanted) list.ops[list.size++] = op;
    };
    (add(static_cast<Op>(numbers),
         (arity == 1 ? is_unary<width, static_cast<Op>(numbers), T>
                     : is_binary<width, static_cast<Op>(numbers), T>)&&is_light<static_cast<Op>(numbers), T> == light),
     ...);
    return list;
  }
  static constexpr OpList value = make(std::make_index_sequence<static_cast<std::size_t>(Op::count_)>());
};

/// Of W values at a time.
template <int width, int W>
class Functions {
  using R = Raw<width>;
  using U = typename Slots<width>::Unsigned;
  using F = typename Slots<width>::Real;

 public:
  using Values = R[W];

  /// v[k] = op(v[k])
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void unary(int op, Values& v) {
    auto all = [&]<Op o>() {
      XP_UNROLL
      for (int k = 0; k < W; ++k) v[k] = result(Function<o>::apply(as<T>(v[k])));
    };
    auto one = [&]<Op o>() { v[0] = result(Function<o>::apply(as<T>(v[0]))); };
    if (choose<FunctionList<width, T, 1, true>>(op, all)) return;
    XP_ROLLED
    for (int i = 0; i < W; ++i) {
      choose<FunctionList<width, T, 1, false>>(op, one);
      turn(v);
    }
  }
  /// v[k] = op(v[k], b[k])
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void binary(int op, Values& v, Values& b) {
    auto all = [&]<Op o>() {
      XP_UNROLL
      for (int k = 0; k < W; ++k) v[k] = result(Function<o>::apply(as<T>(v[k]), as<T>(b[k])));
    };
    auto one = [&]<Op o>() { v[0] = result(Function<o>::apply(as<T>(v[0]), as<T>(b[0]))); };
    if (choose<FunctionList<width, T, 2, true>>(op, all)) return;
    XP_ROLLED
    for (int i = 0; i < W; ++i) {
      choose<FunctionList<width, T, 2, false>>(op, one);
      turn(v);
      turn(b);
    }
  }

 private:
  /// Calls `body` with the operation of this number, if it is in the list. A search by halves, as compilers made long
  /// chains of comparisons of what was one.
  template <class List, std::size_t first = 0, std::size_t size = List::value.size, class Body>
  KOKKOS_FORCEINLINE_FUNCTION static bool choose(int op, const Body& body) {
    if constexpr (size == 0) {
      return false;
    } else if constexpr (size == 1) {
      constexpr Op found = List::value.ops[first];
      if (op != static_cast<int>(found)) return false;
      body.template operator()<found>();
      return true;
    } else {
      constexpr std::size_t half = size / 2;
      constexpr int middle = static_cast<int>(List::value.ops[first + half]);
      if (op < middle) return choose<List, first, half>(op, body);
      return choose<List, first + half, size - half>(op, body);
    }
  }

  /// What is narrower than the slot's type: bool, and the real part of complex64.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static R result(const T& value) {
    if constexpr (std::is_same_v<T, bool>)
      return raw<R>(static_cast<U>(value));
    else if constexpr (std::is_floating_point_v<T>)
      return raw<R>(static_cast<F>(value));
    else
      return raw<R>(value);
  }

  /// The arrays turn under the loops, so that indices are constants; a function is there once.
  KOKKOS_FORCEINLINE_FUNCTION static void turn(Values& v) {
    const R first = v[0];
    XP_UNROLL
    for (int k = 0; k + 1 < W; ++k) v[k] = v[k + 1];
    v[W - 1] = first;
  }
};

}  // namespace xp::kernels
