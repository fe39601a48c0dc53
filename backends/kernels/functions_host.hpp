// SPDX-License-Identifier: Apache-2.0
// Puts every row of the operation table that has a functor into the handlers of one slot width: in its vector form
// where there is one, else element by element.
#pragma once

#include <utility>

#include "kernels/handlers_host.hpp"
#include "kernels/rows.hpp"
#include "kernels/vector_functions_host.hpp"

namespace xp::kernels {

inline constexpr int first_function = static_cast<int>(Op::floor_divide);
inline constexpr int function_count = static_cast<int>(Op::count_) - first_function;

/// What the slots of one width hold by kind, and what a result becomes in its slot.
template <int width>
struct FunctionSlots;
template <>
struct FunctionSlots<32> {
  using Real = float;
  using SignedInteger = std::int32_t;
  using UnsignedInteger = std::uint32_t;
  using RealResult = float;  // of complex numbers: there are none
  using Truth = std::uint32_t;
};
template <>
struct FunctionSlots<64> {
  using Real = double;
  using SignedInteger = std::int64_t;
  using UnsignedInteger = std::uint64_t;
  using Pair = Complex<float>;
  using RealResult = double;
  using Truth = std::uint64_t;
};
template <>
struct FunctionSlots<128> {
  using Pair = Complex<double>;
  using RealResult = FirstHalf<double>;
  using Truth = FirstHalf<std::uint64_t>;
};

template <Op op, class In>
using FunctionResult = decltype([] {
  if constexpr (HasUnary<op, In>)
    return Function<op>::apply(In{});
  else
    return Function<op>::apply(In{}, In{});
}());

template <int width, Op op, class In>
constexpr auto slot_of_result() {
  using Slots = FunctionSlots<width>;
  using Result = FunctionResult<op, In>;
  if constexpr (std::is_same_v<Result, bool>)
    return typename Slots::Truth{};
  else if constexpr (is_complex<In> && std::is_floating_point_v<Result>)
    return typename Slots::RealResult{};
  else
    return Result{};
}

/// One element, as each_lane() wants it.
template <Op op, class In, class Out>
struct LaneFunction {
  template <class Result>
  static Out slot(Result result) {
    if constexpr (std::is_same_v<Out, Result>)
      return result;
    else if constexpr (std::is_arithmetic_v<Out>)
      return static_cast<Out>(result);
    else
      return Out{static_cast<decltype(Out::value)>(result), 0};
  }
  static Out apply(In a) requires HasUnary<op, In> { return slot(Function<op>::apply(a)); }
  static Out apply(In a, In b) requires(HasBinary<op, In> && !HasUnary<op, In>) {
    return slot(Function<op>::apply(a, b));
  }
};

template <Op op, class T>
struct VectorStep : VectorFunction<op, T> {
  using V = Vector<T>;
};

template <int width, Op op, class In>
void set_function(Handlers& h, Kind kind) {
  constexpr bool unary = HasUnary<op, In>, binary = HasBinary<op, In>;
  if constexpr (!is_complex<In> && HasUnaryVector<op, In>) {
    set_unary<VectorStep<op, In>>(h, op, kind);
  } else if constexpr (!is_complex<In> && HasBinaryVector<op, In>) {
    set_binary<VectorStep<op, In>>(h, op, kind);
  } else if constexpr (unary || binary) {
    using Out = decltype(slot_of_result<width, op, In>());
    if constexpr (unary)
      set_unary_lanes<LaneFunction<op, In, Out>, In, Out>(h, op, kind);
    else
      set_binary_lanes<LaneFunction<op, In, Out>, In, Out>(h, op, kind);
  }
}

/// bool is 0 or 1 in an unsigned slot. The other half of a slot of 128 bits does not matter.
template <int width, Op op>
void set_bool_function(Handlers& h) {
  using Unsigned = typename FunctionSlots<width == 32 ? 32 : 64>::UnsignedInteger;
  set_function<width == 32 ? 32 : 64, op, Unsigned>(h, Kind::boolean);
}

template <int width, Op op>
void set_function(Handlers& h) {
  using Slots = FunctionSlots<width>;
  constexpr Accepts accepts = operation_table[static_cast<std::size_t>(op)].accepts;
  if constexpr (requires { typename Slots::Pair; }) set_function<width, op, typename Slots::Pair>(h, Kind::complex);
  if constexpr (requires { typename Slots::Real; }) {
    set_function<width, op, typename Slots::Real>(h, Kind::real);
    if constexpr (accepts != Accepts::real && accepts != Accepts::none) {
      set_function<width, op, typename Slots::SignedInteger>(h, Kind::signed_);
      set_function<width, op, typename Slots::UnsignedInteger>(h, Kind::unsigned_);
    }
  }
  if constexpr (takes_bool(op) && row_of(op, XP_BOOL) == op) set_bool_function<width, op>(h);
}

template <int width>
void set_functions(Handlers& h) {
  [&]<int... i>(std::integer_sequence<int, i...>) {
    (set_function<width, static_cast<Op>(first_function + i)>(h), ...);
  }
  (std::make_integer_sequence<int, function_count>{});
}

}  // namespace xp::kernels
