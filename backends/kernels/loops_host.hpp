// SPDX-License-Identifier: Apache-2.0
// Plain loops over contiguous operands in their own dtype.
#pragma once

#include <array>
#include <bit>

#include "core/ops.hpp"
#include "kernels/rows.hpp"
#include "kernels/types.hpp"
#include "kernels/vector_functions_host.hpp"

namespace xp::kernels {

/// `stream`: past the caches; `to` is then aligned to the vector.
using Loop = void (*)(void* to, const void* a, const void* b, std::int64_t count, bool stream);

/// Which operand is one element for all.
enum Shape : int { vector_vector = 0, vector_scalar, scalar_vector, shape_count };

/// Calls f(load) for each vector of the result, where load(p, splatted) gives the vector of operand p.
template <class T, class F>
[[gnu::always_inline]] inline void vector_loop(T* to, std::int64_t count, bool stream, F f) {
  constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T)), unroll = 4;
  using V = Vector<T>;
  auto whole = [](const T* p) { return load_vector<V>(p); };
  std::int64_t i = 0;
  if (stream) [[unlikely]] {
    for (; i + lanes <= count; i += lanes) stream_vector(to + i, f(i, whole));
    stream_fence();
  }
  for (; i + unroll * lanes <= count; i += unroll * lanes) {
    const V r0 = f(i, whole), r1 = f(i + lanes, whole), r2 = f(i + 2 * lanes, whole), r3 = f(i + 3 * lanes, whole);
    store_vector(to + i, r0);
    store_vector(to + i + lanes, r1);
    store_vector(to + i + 2 * lanes, r2);
    store_vector(to + i + 3 * lanes, r3);
  }
  for (; i + lanes <= count; i += lanes) store_vector(to + i, f(i, whole));
  if (i < count) {
    const std::int64_t bytes = (count - i) * static_cast<std::int64_t>(sizeof(T));
    // 0 would be a special value of many functions.
    const V filler = std::is_floating_point_v<T> ? splat<T>(static_cast<T>(0.5)) : V{};
    store_partial(to + i, f(i, [=](const T* p) { return load_partial(filler, p, bytes); }), bytes);
  }
}

/// F has a static apply for vectors of T. Unequal alignment of the operands does not matter much; memory bandwidth
/// does.
template <class T, class F, Shape shape>
void binary_loop(void* to, const void* a, const void* b, std::int64_t count, bool stream) {
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  const Vector<T> one = splat_bits<T>(shape == scalar_vector ? *x : *y);
  vector_loop(static_cast<T*>(to), count, stream, [=](std::int64_t i, auto load) [[gnu::always_inline]] {
    if constexpr (shape == vector_vector)
      return F::apply(load(x + i), load(y + i));
    else if constexpr (shape == vector_scalar)
      return F::apply(load(x + i), one);
    else
      return F::apply(one, load(y + i));
  });
}

template <class T, class F>
void unary_loop(void* to, const void* a, const void*, std::int64_t count, bool stream) {
  const T* x = static_cast<const T*>(a);
  vector_loop(static_cast<T*>(to), count, stream,
              [=](std::int64_t i, auto load) [[gnu::always_inline]] { return F::apply(load(x + i)); });
}

/// The compiler makes vectors of it where it can; F is a scalar functor. Truths are packed to bytes.
template <class T, class F, Shape shape, class R = T>
void scalar_loop(void* to, const void* a, const void* b, std::int64_t count, bool) {
  R* result = static_cast<R*>(to);
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  const T one = shape == scalar_vector ? *x : *y;
#pragma GCC ivdep  // what is written lies apart, or is the same view: elements of another size never are
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (shape == vector_vector)
      result[i] = F::apply(x[i], y[i]);
    else if constexpr (shape == vector_scalar)
      result[i] = F::apply(x[i], one);
    else
      result[i] = F::apply(one, y[i]);
  }
}

/// floor_divide or remainder of integers by one number, with a multiplication by its reciprocal, of as many bits as T
/// has or one more: Granlund and Montgomery, "Division by Invariant Integers using Multiplication" (1994).
template <class T, Op op>
void divide_by_number_loop(void* to, const void* a, const void* b, std::int64_t count, bool stream) {
  using U = std::make_unsigned_t<T>;
  using Wide =
      std::conditional_t<sizeof(T) == 1, std::uint16_t,
                         std::conditional_t<sizeof(T) == 2, std::uint32_t,
                                            std::conditional_t<sizeof(T) == 4, std::uint64_t, unsigned __int128>>>;
  constexpr int bits = sizeof(T) * 8;
  const T divisor = *static_cast<const T*>(b);
  if (divisor < 2) return scalar_loop<T, Function<op>, vector_scalar>(to, a, b, count, stream);
  const int shift = std::bit_width(static_cast<U>(divisor - 1));  // of the next power of two
  T* result = static_cast<T*>(to);
  const T* x = static_cast<const T*>(a);
  if constexpr (std::is_signed_v<T>) {
    // Of ~a for negative numbers, which gives ~quotient, rounded down.
    const auto factor =
        static_cast<Wide>(((static_cast<unsigned __int128>(1) << (bits - 1 + shift)) + static_cast<U>(divisor) - 1) /
                          static_cast<U>(divisor));
    const int down = bits + shift - 1;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) {
      const T number = x[i], sign = static_cast<T>(number >> (bits - 1));
      const auto size = static_cast<Wide>(static_cast<U>(number ^ sign));
      const T quotient = static_cast<T>(static_cast<T>(static_cast<Wide>(size * factor) >> down) ^ sign);
      result[i] = op == Op::floor_divide
                      ? quotient
                      : static_cast<T>(static_cast<U>(number) -
                                       static_cast<U>(static_cast<U>(quotient) * static_cast<U>(divisor)));
    }
  } else if constexpr (sizeof(T) == 1) {
    // Sixteen bits are enough for bytes.
    const auto factor = static_cast<std::uint16_t>((0xffff + divisor) / divisor);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) {
      const T number = x[i];
      const T quotient = static_cast<T>((static_cast<std::uint32_t>(std::uint16_t{number}) * factor) >> 16);
      result[i] = op == Op::floor_divide ? quotient : static_cast<T>(number - static_cast<T>(quotient * divisor));
    }
  } else {
    const auto factor =
        static_cast<Wide>((((static_cast<unsigned __int128>(1) << shift) - divisor) << bits) / divisor + 1);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) {
      const T number = x[i];
      const T high = static_cast<T>(static_cast<Wide>(number * factor) >> bits);
      const T quotient =
          static_cast<T>(static_cast<T>(static_cast<T>(static_cast<T>(number - high) >> 1) + high) >> (shift - 1));
      result[i] = op == Op::floor_divide ? quotient : static_cast<T>(number - static_cast<T>(quotient * divisor));
    }
  }
}

/// Of bools in memory, whatever bit makes them true.
template <class F>
struct Truths {
  static std::uint8_t apply(std::uint8_t a, std::uint8_t b) {
    return F::apply(static_cast<std::uint8_t>(a != 0), static_cast<std::uint8_t>(b != 0));
  }
};

// ---- Operations on vectors ----

struct LoopAdd {
  template <class V>
  static V apply(V a, V b) {
    return a + b;
  }
};
struct LoopSubtract {
  template <class V>
  static V apply(V a, V b) {
    return a - b;
  }
};
struct LoopMultiply {
  template <class V>
  static V apply(V a, V b) {
    return a * b;
  }
};
struct LoopMultiplyBytes {
  using V = Vector<std::uint8_t>;
  static V apply(V a, V b) { return multiply_bytes<std::uint8_t>(a, b); }
};
struct LoopSame {
  template <class V>
  static V apply(V a) {
    return a;
  }
};
/// 16-bit floats as their bits.
struct LoopHalfNegative {
  static Vector<std::uint16_t> apply(Vector<std::uint16_t> a) { return a ^ 0x8000; }
};
struct LoopHalfAbsolute {
  static Vector<std::uint16_t> apply(Vector<std::uint16_t> a) { return a & 0x7fff; }
};
struct LoopDivide {
  template <class V>
  static V apply(V a, V b) {
    return a / b;
  }
};
struct LoopOr {
  template <class V>
  static V apply(V a, V b) {
    return (a | b) != 0 ? V{} + 1 : V{};
  }
};
struct LoopAnd {
  template <class V>
  static V apply(V a, V b) {
    return ((a != 0) & (b != 0)) ? V{} + 1 : V{};
  }
};
struct LoopNegative {
  template <class V>
  static V apply(V a) {
    return -a;
  }
};
template <class T>
struct LoopAbsolute {
  static Vector<T> apply(Vector<T> a) {
    using U = Vector<Unsigned<T>>;
    if constexpr (std::is_floating_point_v<T>)
      return reinterpret_cast<Vector<T>>(reinterpret_cast<U>(a) & (static_cast<Unsigned<T>>(-1) >> 1));
    else
      return reinterpret_cast<Vector<T>>(a < 0 ? -reinterpret_cast<U>(a) : reinterpret_cast<U>(a));
  }
};
template <class T>
struct LoopSqrt {
  static Vector<T> apply(Vector<T> a) { return vector_sqrt<T>(a); }
};

// ---- Tables ----

/// By row_of().
struct LoopTable {
  std::array<Loop, shape_count> binary[static_cast<int>(Op::count_)][XP_DTYPE_COUNT];
  Loop unary[static_cast<int>(Op::count_)][XP_DTYPE_COUNT];
};

template <class T, class F>
constexpr void set_loop(LoopTable& table, Op op, int dtype) {
  table.binary[static_cast<int>(op)][dtype] = {binary_loop<T, F, vector_vector>, binary_loop<T, F, vector_scalar>,
                                               binary_loop<T, F, scalar_vector>};
}

template <class T, class F>
constexpr void set_compare(LoopTable& table, Op op, int dtype) {
  table.binary[static_cast<int>(op)][dtype] = {scalar_loop<T, F, vector_vector, std::uint8_t>,
                                               scalar_loop<T, F, vector_scalar, std::uint8_t>,
                                               scalar_loop<T, F, scalar_vector, std::uint8_t>};
}

/// a > b as b < a: F with its operands exchanged.
template <class F>
struct Exchanged {
  template <class T>
  static bool apply(T a, T b) {
    return F::apply(b, a);
  }
};

template <int dtype>
constexpr void set_arithmetic(LoopTable& table) {
  using T = Storage<dtype>;
  if constexpr (std::is_same_v<T, Bool>) {
    set_loop<std::uint8_t, LoopOr>(table, Op::add, dtype);
    set_loop<std::uint8_t, LoopAnd>(table, Op::multiply, dtype);
    set_compare<std::uint8_t, Truths<Equal>>(table, Op::equal, dtype);
    set_compare<std::uint8_t, Truths<NotEqual>>(table, Op::not_equal, dtype);
    set_compare<std::uint8_t, Truths<Less>>(table, Op::less, dtype);
    set_compare<std::uint8_t, Truths<LessEqual>>(table, Op::less_equal, dtype);
    set_compare<std::uint8_t, Truths<Exchanged<Less>>>(table, Op::greater, dtype);
    set_compare<std::uint8_t, Truths<Exchanged<LessEqual>>>(table, Op::greater_equal, dtype);
  } else if constexpr (is_half<T>) {
    table.unary[static_cast<int>(Op::negative)][dtype] = unary_loop<std::uint16_t, LoopHalfNegative>;
    table.unary[static_cast<int>(Op::absolute)][dtype] = unary_loop<std::uint16_t, LoopHalfAbsolute>;
  } else if constexpr (std::is_arithmetic_v<T>) {
    using W =
        typename std::conditional_t<std::is_floating_point_v<T>, std::type_identity<T>, std::make_unsigned<T>>::type;
    set_loop<W, LoopAdd>(table, Op::add, dtype);
    set_loop<W, LoopSubtract>(table, Op::subtract, dtype);
    set_loop<W, std::conditional_t<sizeof(T) == 1, LoopMultiplyBytes, LoopMultiply>>(table, Op::multiply, dtype);
    table.unary[static_cast<int>(Op::negative)][dtype] = unary_loop<W, LoopNegative>;
    if constexpr (std::is_signed_v<T>)
      table.unary[static_cast<int>(Op::absolute)][dtype] = unary_loop<T, LoopAbsolute<T>>;
    else
      table.unary[static_cast<int>(Op::absolute)][dtype] = unary_loop<T, LoopSame>;
    if constexpr (std::is_floating_point_v<T>) {
      set_loop<T, LoopDivide>(table, Op::divide, dtype);
      table.unary[static_cast<int>(Op::sqrt)][dtype] = unary_loop<T, LoopSqrt<T>>;
    }
    set_compare<T, Equal>(table, Op::equal, dtype);
    set_compare<T, NotEqual>(table, Op::not_equal, dtype);
    set_compare<T, Less>(table, Op::less, dtype);
    set_compare<T, LessEqual>(table, Op::less_equal, dtype);
    set_compare<T, Exchanged<Less>>(table, Op::greater, dtype);
    set_compare<T, Exchanged<LessEqual>>(table, Op::greater_equal, dtype);
  }
}

/// A row of functions.hpp on vectors of T; truths are then bytes.
template <Op op, class T>
struct LoopFunction {
  static Vector<T> apply(Vector<T> a) { return reinterpret_cast<Vector<T>>(VectorFunction<op, T>::apply(a)); }
  static Vector<T> apply(Vector<T> a, Vector<T> b) {
    return reinterpret_cast<Vector<T>>(VectorFunction<op, T>::apply(a, b));
  }
};
template <Op op, class T>
void truth_loop(void* to, const void* a, const void*, std::int64_t count, bool) {
  std::uint8_t* __restrict result = static_cast<std::uint8_t*>(to);
  const T* __restrict x = static_cast<const T*>(a);
  for (std::int64_t i = 0; i < count; ++i) result[i] = Function<op>::apply(x[i]);
}

template <Op op, class T>
constexpr void set_function_loop(LoopTable& table, int dtype) {
  constexpr bool truth = operation_table[static_cast<std::size_t>(op)].returns == Returns::boolean;
  if constexpr (HasUnaryVector<op, T>) {
    if constexpr (truth && sizeof(T) > 1)
      table.unary[static_cast<int>(op)][dtype] = truth_loop<op, T>;
    else
      table.unary[static_cast<int>(op)][dtype] = unary_loop<T, LoopFunction<op, T>>;
  } else if constexpr (HasBinaryVector<op, T>) {
    if constexpr (truth && sizeof(T) > 1)
      set_compare<T, Function<op>>(table, op, dtype);
    else
      set_loop<T, LoopFunction<op, T>>(table, op, dtype);
  } else if constexpr (op == Op::floor_divide || op == Op::remainder ||
                       (Integer<T> && (op == Op::fmod || op == Op::power))) {
    table.binary[static_cast<int>(op)][dtype] = {scalar_loop<T, Function<op>, vector_vector>,
                                                 scalar_loop<T, Function<op>, vector_scalar>,
                                                 scalar_loop<T, Function<op>, scalar_vector>};
  }
  if constexpr (Integer<T> && (op == Op::floor_divide || op == Op::remainder))
    table.binary[static_cast<int>(op)][dtype][vector_scalar] = divide_by_number_loop<T, op>;
}

/// Of the dtypes that are numbers of C++; bool is an unsigned byte as it lies in memory.
template <Op op, int dtype>
constexpr void set_function_loop(LoopTable& table) {
  using T = Storage<dtype>;
  if constexpr (std::is_same_v<T, Bool> && (op == Op::bitwise_and || op == Op::bitwise_or || op == Op::bitwise_xor)) {
    // Bytes of wrapped memory may both be true and have no bit in common; slots of programs hold 0 or 1.
    constexpr Op logical = op == Op::bitwise_and  ? Op::logical_and
                           : op == Op::bitwise_or ? Op::logical_or
                                                  : Op::logical_xor;
    set_loop<std::uint8_t, LoopFunction<logical, std::uint8_t>>(table, op, dtype);
  } else if constexpr (std::is_same_v<T, Bool>) {
    if constexpr (takes_bool(op) && row_of(op, dtype) == op &&
                  (HasUnaryVector<op, std::uint8_t> || HasBinaryVector<op, std::uint8_t>))
      set_function_loop<op, std::uint8_t>(table, dtype);
  } else if constexpr (LaneType<T>) {
    set_function_loop<op, T>(table, dtype);
  }
}
template <int dtype, int... ops>
constexpr void set_function_loops(LoopTable& table, std::integer_sequence<int, ops...>) {
  constexpr int first = static_cast<int>(Op::floor_divide);
  (set_function_loop<static_cast<Op>(first + ops), dtype>(table), ...);
}

template <int... dtypes>
constexpr LoopTable make_loops(std::integer_sequence<int, dtypes...>) {
  LoopTable table{};
  (set_arithmetic<dtypes>(table), ...);
  constexpr int functions = static_cast<int>(Op::count_) - static_cast<int>(Op::floor_divide);
  (set_function_loops<dtypes>(table, std::make_integer_sequence<int, functions>{}), ...);
  return table;
}

}  // namespace xp::kernels
