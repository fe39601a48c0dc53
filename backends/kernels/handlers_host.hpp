// SPDX-License-Identifier: Apache-2.0
// The handlers of the accumulator machine, for the three sources that fill in a table of them.
#pragma once

#include <utility>

#include "kernels/sleef_host.hpp"
#include "kernels/vm_host.hpp"

namespace xp::kernels {

template <class To>
[[gnu::always_inline]] inline To as(Raw raw) {
  return reinterpret_cast<To>(raw);
}
template <class V>
[[gnu::always_inline]] inline Raw raw(V value) {
  return reinterpret_cast<Raw>(value);
}

[[gnu::always_inline]] inline char* address(const Context& context, int slot, std::ptrdiff_t offset) {
  const Slot& s = context.slots[slot];
  return s.base + (offset & s.mask);
}

template <class V>
[[gnu::always_inline]] inline V at(const char* block, int i) {
  return load_vector<V>(block + i * vector_bytes);
}

[[gnu::always_inline]] inline void next(Context& context, const Step* step, std::ptrdiff_t offset, Raw x0, Raw x1,
                                        Raw x2, Raw x3, Raw x4, Raw x5, Raw x6, Raw x7) {
  return step[1].handler(context, step + 1, offset, x0, x1, x2, x3, x4, x5, x6, x7);
}

[[gnu::always_inline]] inline void next_block(Context& context, std::ptrdiff_t offset, Raw x0, Raw x1, Raw x2, Raw x3,
                                              Raw x4, Raw x5, Raw x6, Raw x7) {
  if constexpr (blocks_per_run > 1) {
    offset += block_bytes;
    if (offset < context.end) [[likely]] {
      const Step* first = context.first;
      return first->handler(context, first, offset, x0, x1, x2, x3, x4, x5, x6, x7);
    }
  }
}

/// Calls f(x, i) for each vector of a block.
template <class F>
[[gnu::always_inline]] inline void each(F&& f, Raw& x0, Raw& x1, Raw& x2, Raw& x3, Raw& x4, Raw& x5, Raw& x6, Raw& x7) {
  f(x0, 0);
  f(x1, 1);
  f(x2, 2);
  f(x3, 3);
  f(x4, 4);
  f(x5, 5);
  f(x6, 6);
  f(x7, 7);
}

// ---- Handlers ----

template <int = 0>
void load_step(Context& context, const Step* step, std::ptrdiff_t offset, Raw x0, Raw x1, Raw x2, Raw x3, Raw x4,
               Raw x5, Raw x6, Raw x7) {
  const char* a = address(context, step->a, offset);
  each([&](Raw& x, int i) { x = at<Raw>(a, i); }, x0, x1, x2, x3, x4, x5, x6, x7);
  return next(context, step, offset, x0, x1, x2, x3, x4, x5, x6, x7);
}

/// How far ahead of its use memory is asked for. The processor's own prefetching stops at pages and is late by as much
/// as the dispatch of a chain takes. Fractions of the ceiling at 1e8 elements, a chain of three in place and y = x +
/// y*x: 0.95 and 0.95 with 1 KiB, 0.86 and less with 2 KiB, 0.97 and 0.85 with 4 KiB.
inline constexpr std::ptrdiff_t prefetch_distance = 1024;

template <int = 0>
void prefetch_step(Context& context, const Step* step, std::ptrdiff_t offset, Raw x0, Raw x1, Raw x2, Raw x3, Raw x4,
                   Raw x5, Raw x6, Raw x7) {
  const char* a = address(context, step->a, offset) + prefetch_distance;
  for (int i = 0; i < block_bytes; i += 64) __builtin_prefetch(a + i);
  return next(context, step, offset, x0, x1, x2, x3, x4, x5, x6, x7);
}

template <bool past_caches, bool last>
void store_step(Context& context, const Step* step, std::ptrdiff_t offset, Raw x0, Raw x1, Raw x2, Raw x3, Raw x4,
                Raw x5, Raw x6, Raw x7) {
  char* d = address(context, step->d, offset);
  each(
      [&](Raw& x, int i) {
        if constexpr (past_caches)
          stream_vector(d + i * vector_bytes, x);
        else
          store_vector(d + i * vector_bytes, x);
      },
      x0, x1, x2, x3, x4, x5, x6, x7);
  if constexpr (last)
    return next_block(context, offset, x0, x1, x2, x3, x4, x5, x6, x7);
  else
    return next(context, step, offset, x0, x1, x2, x3, x4, x5, x6, x7);
}

template <int = 0>
void end_step(Context& context, const Step*, std::ptrdiff_t offset, Raw x0, Raw x1, Raw x2, Raw x3, Raw x4, Raw x5,
              Raw x6, Raw x7) {
  return next_block(context, offset, x0, x1, x2, x3, x4, x5, x6, x7);
}

/// F has a vector type V and a static apply(V).
template <class F, bool from_memory>
void unary_step(Context& context, const Step* step, std::ptrdiff_t offset, Raw x0, Raw x1, Raw x2, Raw x3, Raw x4,
                Raw x5, Raw x6, Raw x7) {
  using V = typename F::V;
  const char* a = from_memory ? address(context, step->a, offset) : nullptr;
  each([&](Raw& x, int i) { x = raw(F::apply(from_memory ? at<V>(a, i) : as<V>(x))); }, x0, x1, x2, x3, x4, x5, x6, x7);
  return next(context, step, offset, x0, x1, x2, x3, x4, x5, x6, x7);
}

template <class F, Form form>
void binary_step(Context& context, const Step* step, std::ptrdiff_t offset, Raw x0, Raw x1, Raw x2, Raw x3, Raw x4,
                 Raw x5, Raw x6, Raw x7) {
  using V = typename F::V;
  constexpr bool a_in_memory = form == mem_acc || form == mem_mem, b_in_memory = form == acc_mem || form == mem_mem;
  const char* a = a_in_memory ? address(context, step->a, offset) : nullptr;
  const char* b = b_in_memory ? address(context, step->b, offset) : nullptr;
  each([&](Raw& x,
           int i) { x = raw(F::apply(a_in_memory ? at<V>(a, i) : as<V>(x), b_in_memory ? at<V>(b, i) : as<V>(x))); },
       x0, x1, x2, x3, x4, x5, x6, x7);
  return next(context, step, offset, x0, x1, x2, x3, x4, x5, x6, x7);
}

/// F::apply(mask, b, c) chooses lanes.
template <class F, int memory>
void select_step(Context& context, const Step* step, std::ptrdiff_t offset, Raw x0, Raw x1, Raw x2, Raw x3, Raw x4,
                 Raw x5, Raw x6, Raw x7) {
  const char* a = memory & 1 ? address(context, step->a, offset) : nullptr;
  const char* b = memory & 2 ? address(context, step->b, offset) : nullptr;
  const char* c = memory & 4 ? address(context, step->c, offset) : nullptr;
  each(
      [&](Raw& x, int i) {
        x = F::apply(memory & 1 ? at<Raw>(a, i) : x, memory & 2 ? at<Raw>(b, i) : x, memory & 4 ? at<Raw>(c, i) : x);
      },
      x0, x1, x2, x3, x4, x5, x6, x7);
  return next(context, step, offset, x0, x1, x2, x3, x4, x5, x6, x7);
}

template <int = 0>
void index_step(Context& context, const Step* step, std::ptrdiff_t offset, Raw x0, Raw x1, Raw x2, Raw x3, Raw x4,
                Raw x5, Raw x6, Raw x7) {
  using V = Vector<std::int64_t>;
  constexpr int lanes = vector_bytes / 8;
  V position{};
  for (int i = 0; i < lanes; ++i) position[i] = i;
  position += context.origin + offset / 8;
  each([&](Raw& x, int i) { x = raw(position + std::int64_t{i} * lanes); }, x0, x1, x2, x3, x4, x5, x6, x7);
  return next(context, step, offset, x0, x1, x2, x3, x4, x5, x6, x7);
}

/// For what has no vector form: the block goes through memory, F::apply takes one element at a time.
template <class F, class In, class Out>
[[gnu::noinline]] void each_lane(char* __restrict block, const char* a, const char* b) {
  for (std::size_t i = 0; i < block_bytes / sizeof(Out); ++i) {
    const In x = load_vector<In>(a + i * sizeof(In));
    if constexpr (requires { F::apply(x, x); })
      store_vector<Out>(block + i * sizeof(Out), F::apply(x, load_vector<In>(b + i * sizeof(In))));
    else
      store_vector<Out>(block + i * sizeof(Out), F::apply(x));
  }
}

template <class F, class In, class Out, Form form>
void lane_step(Context& context, const Step* step, std::ptrdiff_t offset, Raw x0, Raw x1, Raw x2, Raw x3, Raw x4,
               Raw x5, Raw x6, Raw x7) {
  static_assert(sizeof(In) == sizeof(Out));
  alignas(vector_bytes) char acc[block_bytes];
  alignas(vector_bytes) char result[block_bytes];
  const char* a = acc;
  const char* b = acc;
  if constexpr (form == mem_acc || form == mem_mem) a = address(context, step->a, offset);
  if constexpr (form == acc_mem || form == mem_mem) b = address(context, step->b, offset);
  if constexpr (form != mem_mem)
    each([&](Raw& x, int i) { store_vector(acc + i * vector_bytes, x); }, x0, x1, x2, x3, x4, x5, x6, x7);
  each_lane<F, In, Out>(result, a, b);
  each([&](Raw& x, int i) { x = at<Raw>(result, i); }, x0, x1, x2, x3, x4, x5, x6, x7);
  return next(context, step, offset, x0, x1, x2, x3, x4, x5, x6, x7);
}

// ---- Vector functors ----

template <class T>
struct VectorAdd {
  using V = Vector<T>;
  static V apply(V a, V b) { return a + b; }
};
template <class T>
struct VectorSubtract {
  using V = Vector<T>;
  static V apply(V a, V b) { return a - b; }
};
template <class T>
struct VectorMultiply {
  using V = Vector<T>;
  static V apply(V a, V b) { return a * b; }
};
template <class T>
struct VectorDivide {
  using V = Vector<T>;
  static V apply(V a, V b) { return a / b; }
};
template <class U>
struct VectorOr {
  using V = Vector<U>;
  static V apply(V a, V b) { return a | b; }
};
template <class U>
struct VectorAnd {
  using V = Vector<U>;
  static V apply(V a, V b) { return a & b; }
};
template <class T>
struct VectorNegative {
  using V = Vector<T>;
  static V apply(V a) { return -a; }
};
template <class T>
struct VectorAbsolute {
  using V = Vector<T>;
  static V apply(V a) {
    using U = Unsigned<T>;
    if constexpr (std::is_floating_point_v<T>)
      return reinterpret_cast<V>(reinterpret_cast<Vector<U>>(a) & (static_cast<U>(-1) >> 1));
    else
      return reinterpret_cast<V>(a < 0 ? -reinterpret_cast<Vector<U>>(a) : reinterpret_cast<Vector<U>>(a));
  }
};
template <class T>
struct VectorIdentity {
  using V = Vector<T>;
  static V apply(V a) { return a; }
};
template <class T>
struct VectorSqrt {
  using V = Vector<T>;
  static V apply(V a) { return vector_sqrt<T>(a); }
};
template <class T>
struct VectorExp {
  using V = Vector<T>;
  static V apply(V a) { return vector_exp<T>(a); }
};

/// Comparisons give 0 or 1 in T's unsigned counterpart.
template <class Mask>
[[gnu::always_inline]] inline auto as_bool(Mask mask) {
  return mask ? Mask{} + 1 : Mask{};  // the compiler makes better AVX-512 code of this than of mask & 1
}
template <class T>
struct VectorEqual {
  using V = Vector<T>;
  static auto apply(V a, V b) { return as_bool(a == b); }
};
template <class T>
struct VectorNotEqual {
  using V = Vector<T>;
  static auto apply(V a, V b) { return as_bool(a != b); }
};
template <class T>
struct VectorLess {
  using V = Vector<T>;
  static auto apply(V a, V b) { return as_bool(a < b); }
};
template <class T>
struct VectorLessEqual {
  using V = Vector<T>;
  static auto apply(V a, V b) { return as_bool(a <= b); }
};

/// Pairs of R as complex numbers.
template <class R>
struct Pairs {
  using V = Vector<R>;
  using U = Vector<Unsigned<R>>;
  static constexpr int lanes = vector_bytes / sizeof(R);

  template <class Pick>
  static V permute(V v, Pick pick) {
    Vector<Signed<R>> order;
    for (int i = 0; i < lanes; ++i) order[i] = pick(i);
    return __builtin_shuffle(v, order);
  }
  static V real(V v) {
    return permute(v, [](int i) { return i & ~1; });
  }
  static V imag(V v) {
    return permute(v, [](int i) { return i | 1; });
  }
  static V swap(V v) {
    return permute(v, [](int i) { return i ^ 1; });
  }
  /// a / b of what each pair has twice: one division for both, as those take their time by the lane.
  static V divided(V a, V b) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      const auto quotients = __builtin_shufflevector(a, a, static_cast<int>(2 * i)...) /
                             __builtin_shufflevector(b, b, static_cast<int>(2 * i)...);
      return [&]<std::size_t... j>(std::index_sequence<j...>) {
        return __builtin_shufflevector(quotients, quotients, static_cast<int>(j / 2)...);
      }
      (std::make_index_sequence<lanes>{});
    }
    (std::make_index_sequence<lanes / 2>{});
  }
  static U odd_lanes() {
    U mask;
    for (int i = 0; i < lanes; ++i) mask[i] = i & 1 ? ~Unsigned<R>{0} : 0;
    return mask;
  }
};

template <class R>
struct PairMultiply {
  using V = Vector<R>;
  static V apply(V a, V b) {
    using P = Pairs<R>;
    using U = typename P::U;
    // (ar br - ai bi, ar bi + ai br); subtraction is the addition of the negated product.
    const V first = P::real(a) * b, second = P::imag(a) * P::swap(b);
    const U sign = ~P::odd_lanes() & (Unsigned<R>{1} << (sizeof(R) * 8 - 1));
    return first + reinterpret_cast<V>(reinterpret_cast<U>(second) ^ sign);
  }
};

template <class R>
struct PairSquare {
  using V = Vector<R>;
  static V apply(V a) { return PairMultiply<R>::apply(a, a); }
};

/// Smith's method as in Divide, with both of its cases side by side.
template <class R>
struct PairDivide {
  using V = Vector<R>;
  static V apply(V a, V b) {
    using P = Pairs<R>;
    const V size = reinterpret_cast<V>(reinterpret_cast<typename P::U>(b) & (~Unsigned<R>{0} >> 1));
    const V size_re = P::real(size), size_im = P::imag(size);
    const auto real_is_greater = size_re >= size_im;
    const V greater = real_is_greater ? P::real(b) : P::imag(b), less = real_is_greater ? P::imag(b) : P::real(b);
    const V ratio = P::divided(less, greater), scale = P::divided(V{} + 1, greater + less * ratio);
    const V swapped = P::swap(a), first = real_is_greater ? a : swapped,
            product = (real_is_greater ? swapped : a) * ratio;
    const V imag = real_is_greater ? first - product : product - first;
    const V result = (reinterpret_cast<Vector<Signed<R>>>(P::odd_lanes()) != 0 ? imag : first + product) * scale;
    const auto zero = (size_re == 0) & (size_im == 0);
    return zero ? a / size_re : result;
  }
};

// ---- Filling a table ----

template <class F>
constexpr void set_unary(Handlers& h, Op op, Kind kind) {
  auto& row = h.unary[static_cast<int>(op)][static_cast<int>(kind)];
  row[0] = unary_step<F, false>;
  row[1] = unary_step<F, true>;
}

template <class F>
constexpr void set_binary(Handlers& h, Op op, Kind kind) {
  auto& row = h.binary[static_cast<int>(op)][static_cast<int>(kind)];
  row[acc_mem] = binary_step<F, acc_mem>;
  row[mem_acc] = binary_step<F, mem_acc>;
  row[acc_acc] = binary_step<F, acc_acc>;
  row[mem_mem] = binary_step<F, mem_mem>;
}

template <class F, class In, class Out>
constexpr void set_unary_lanes(Handlers& h, Op op, Kind kind) {
  auto& row = h.unary[static_cast<int>(op)][static_cast<int>(kind)];
  row[0] = lane_step<F, In, Out, acc_acc>;
  row[1] = lane_step<F, In, Out, mem_mem>;
}

template <class F, class In, class Out>
constexpr void set_binary_lanes(Handlers& h, Op op, Kind kind) {
  auto& row = h.binary[static_cast<int>(op)][static_cast<int>(kind)];
  row[acc_mem] = lane_step<F, In, Out, acc_mem>;
  row[mem_acc] = lane_step<F, In, Out, mem_acc>;
  row[acc_acc] = lane_step<F, In, Out, acc_acc>;
  row[mem_mem] = lane_step<F, In, Out, mem_mem>;
}

template <class F>
constexpr void set_conversion(Handlers& h, Conversion conversion) {
  h.convert[static_cast<int>(conversion)] = unary_step<F, false>;
}

/// greater and greater_equal are less and less_equal with the operands exchanged (plan_host.cpp).
template <class T>
constexpr void set_comparisons(Handlers& h, Kind kind) {
  set_binary<VectorEqual<T>>(h, Op::equal, kind);
  set_binary<VectorNotEqual<T>>(h, Op::not_equal, kind);
  set_binary<VectorLess<T>>(h, Op::less, kind);
  set_binary<VectorLessEqual<T>>(h, Op::less_equal, kind);
}

template <class T>
constexpr void set_float(Handlers& h, Kind kind) {
  set_binary<VectorAdd<T>>(h, Op::add, kind);
  set_binary<VectorSubtract<T>>(h, Op::subtract, kind);
  set_binary<VectorMultiply<T>>(h, Op::multiply, kind);
  set_binary<VectorDivide<T>>(h, Op::divide, kind);
  set_unary<VectorNegative<T>>(h, Op::negative, kind);
  set_unary<VectorAbsolute<T>>(h, Op::absolute, kind);
  set_unary<VectorSqrt<T>>(h, Op::sqrt, kind);
  set_unary<VectorExp<T>>(h, Op::exp, kind);
  set_comparisons<T>(h, kind);
}

/// S signed, U unsigned, of the slot's width; bool too.
template <class S, class U>
constexpr void set_integers(Handlers& h) {
  for (const Kind kind : {Kind::signed_, Kind::unsigned_}) {
    set_binary<VectorAdd<U>>(h, Op::add, kind);
    set_binary<VectorSubtract<U>>(h, Op::subtract, kind);
    set_binary<VectorMultiply<U>>(h, Op::multiply, kind);
    set_unary<VectorNegative<U>>(h, Op::negative, kind);
  }
  set_unary<VectorAbsolute<S>>(h, Op::absolute, Kind::signed_);
  set_unary<VectorIdentity<U>>(h, Op::absolute, Kind::unsigned_);
  set_comparisons<S>(h, Kind::signed_);
  set_comparisons<U>(h, Kind::unsigned_);
}

template <class U>
constexpr void set_bool(Handlers& h) {
  set_binary<VectorOr<U>>(h, Op::add, Kind::boolean);
  set_binary<VectorAnd<U>>(h, Op::multiply, Kind::boolean);
  set_unary<VectorIdentity<U>>(h, Op::absolute, Kind::boolean);
  set_comparisons<U>(h, Kind::boolean);
}

template <class F, int... memory>
constexpr void set_select(Handlers& h, std::integer_sequence<int, memory...>) {
  ((h.select[memory] = select_step<F, memory>), ...);
}

template <class F>
constexpr void set_structure(Handlers& h) {
  h.load = load_step<>;
  h.prefetch = prefetch_step<>;
  h.store = store_step<false, false>;
  h.store_end = store_step<false, true>;
  h.stream = store_step<true, false>;
  h.stream_end = store_step<true, true>;
  h.end = end_step<>;
  set_select<F>(h, std::make_integer_sequence<int, 8>{});
}

}  // namespace xp::kernels
