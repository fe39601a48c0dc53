// SPDX-License-Identifier: Apache-2.0
#include "kernels/narrow_device.hpp"

#include <algorithm>
#include <utility>

#include "kernels/functions.hpp"
#include "kernels/launch_device.hpp"
#include "kernels/memory_device.hpp"
#include "kernels/program_checks.hpp"
#include "kernels/rows.hpp"

namespace xp::kernels {
namespace {

using Bounds = Kokkos::LaunchBounds<is_host_space ? 0 : full_team, is_host_space ? 0 : 4>;
using Member = Policy<Bounds>::member_type;

/// Where an operation takes its elements from: memory, or one element that lies there or in the kernel's arguments.
template <class U>
struct Source {
  const char* data;
  U constant;
  bool dense;
};

/// The elements' bits as numbers, and back.
template <class T, class U>
KOKKOS_INLINE_FUNCTION auto number_of(U bits) {
  if constexpr (is_bool<T>)
    return static_cast<std::uint8_t>(bits != 0);
  else
    return bits_as<T>(bits);
}
template <class U, class T>
KOKKOS_INLINE_FUNCTION U bits_of(T number) {
  return bits_as<U>(number);
}
template <class T>
KOKKOS_INLINE_FUNCTION auto comparable(T number) {
  if constexpr (is_half<T>)
    return operand_of(number);
  else
    return number;
}

/// Whether an element is not zero.
template <class T, class U>
KOKKOS_INLINE_FUNCTION bool truth_of_bits(U bits) {
  if constexpr (is_half<T>)
    return (bits & 0x7fffu) != 0;
  else
    return bits != 0;
}

/// Function<op> as other kernels compute it: in the slot of 32 bits.
template <Op op>
struct InSlot {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    using Slot = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
    return static_cast<T>(Function<op>::apply(static_cast<Slot>(a), static_cast<Slot>(b)));
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION static T apply(T a) {
    using Slot = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
    return static_cast<T>(Function<op>::apply(static_cast<Slot>(a)));
  }
};

/// Of 16-bit floats: chooses one of the two as it is, but for NaNs, which are quieted.
template <bool maximum>
struct HalfExtreme {
  template <class T>
  KOKKOS_INLINE_FUNCTION static T apply(T a, T b) {
    const float x = operand_of(a), y = operand_of(b);
    const bool negative = (a.bits & 0x8000u) != 0;
    const bool beyond = maximum ? x > y || (x == y && !negative) : x < y || (x == y && negative);
    T result = is_nan(x) || (!is_nan(y) && beyond) ? a : b;
    constexpr std::uint16_t quiet = std::is_same_v<T, Half> ? 0x200 : 0x40;
    if (is_nan(x) || is_nan(y)) result.bits |= quiet;
    return result;
  }
};

template <class T>
struct NarrowKernel {
  using U = std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>;
  static constexpr int N = 16 / static_cast<int>(sizeof(T));  // of one vector
  /// Vectors that a thread has of each operand at a time. Each element takes a register.
  static constexpr int vectors_per_thread = static_cast<int>(sizeof(T));

  Op op;
  bool to_bool, aligned;
  Source<U> a, b;
  char* to;
  std::int64_t count;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::int64_t vectors = (count + N - 1) / N;
    const std::int64_t chunk = static_cast<std::int64_t>(team.team_size()) * vectors_per_thread;
    for (std::int64_t first = team.league_rank() * chunk; first < vectors; first += team.league_size() * chunk) {
      U x[vectors_per_thread * N], y[vectors_per_thread * N];
      const Sharing sharing = share(team.team_rank(), team.team_size(), vectors_per_thread);
      std::int64_t at[vectors_per_thread];
      XP_UNROLL
      for (int v = 0; v < vectors_per_thread; ++v) at[v] = (first + sharing.first + v * sharing.step) * N;
      XP_UNROLL
      for (int v = 0; v < vectors_per_thread; ++v) {
        load(a, at[v], x + v * N);
        load(b, at[v], y + v * N);
      }
      compute(x, y);
      XP_UNROLL
      for (int v = 0; v < vectors_per_thread; ++v) {
        if (to_bool && sizeof(U) == 2)
          store_bools(at[v], x + v * N);
        else
          store(at[v], x + v * N);
      }
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION void load(const Source<U>& source, std::int64_t at, U* out) const {
    if (!source.dense) {
      const U value = source.data ? read<U>(source.data) : source.constant;
      XP_UNROLL
      for (int i = 0; i < N; ++i) out[i] = value;
    } else if (aligned && at + N <= count) {
      read_vector<N>(source.data + at * static_cast<std::int64_t>(sizeof(U)), out);
    } else {
      XP_UNROLL
      for (int i = 0; i < N; ++i) {
        out[i] = 0;
        if (at + i < count) out[i] = read<U>(source.data + (at + i) * static_cast<std::int64_t>(sizeof(U)));
      }
    }
  }

  KOKKOS_INLINE_FUNCTION void store(std::int64_t at, const U* values) const {
    if (aligned && at + N <= count) {
      write_vector<N>(to + at * static_cast<std::int64_t>(sizeof(U)), values);
    } else {
      XP_UNROLL
      for (int i = 0; i < N; ++i)
        if (at + i < count) write<U>(to + (at + i) * static_cast<std::int64_t>(sizeof(U)), values[i]);
    }
  }
  KOKKOS_INLINE_FUNCTION void store_bools(std::int64_t at, const U* values) const {
    std::uint8_t bytes[N];
    XP_UNROLL
    for (int i = 0; i < N; ++i) bytes[i] = static_cast<std::uint8_t>(values[i]);
    if (aligned && at + N <= count) {
      write_vector<N>(to + at, bytes);
    } else {
      XP_UNROLL
      for (int i = 0; i < N; ++i)
        if (at + i < count) write<std::uint8_t>(to + at + i, bytes[i]);
    }
  }

  template <class F>
  KOKKOS_INLINE_FUNCTION static void binary(U* x, const U* y) {
    XP_UNROLL
    for (int i = 0; i < vectors_per_thread * N; ++i)
      x[i] = bits_of<U>(F::apply(number_of<T>(x[i]), number_of<T>(y[i])));
  }
  template <class F>
  KOKKOS_INLINE_FUNCTION static void unary(U* x) {
    XP_UNROLL
    for (int i = 0; i < vectors_per_thread * N; ++i) x[i] = bits_of<U>(F::apply(number_of<T>(x[i])));
  }
  template <class F>
  KOKKOS_INLINE_FUNCTION static void compare(U* x, const U* y) {
    XP_UNROLL
    for (int i = 0; i < vectors_per_thread * N; ++i)
      x[i] = static_cast<U>(F::apply(comparable(number_of<T>(x[i])), comparable(number_of<T>(y[i]))));
  }

  template <class F>
  KOKKOS_INLINE_FUNCTION static void combine(U* x, const U* y, const F& f) {
    XP_UNROLL
    for (int i = 0; i < vectors_per_thread * N; ++i)
      x[i] = static_cast<U>(f(truth_of_bits<T>(x[i]), truth_of_bits<T>(y[i])));
  }

  KOKKOS_INLINE_FUNCTION void compute(U* x, const U* y) const {
    switch (op) {
      case Op::equal:
        return compare<Equal>(x, y);
      case Op::not_equal:
        return compare<NotEqual>(x, y);
      case Op::less:
        return compare<Less>(x, y);
      case Op::less_equal:
        return compare<LessEqual>(x, y);
      case Op::add:
        if constexpr (is_bool<T>) {
          XP_UNROLL
          for (int i = 0; i < vectors_per_thread * N; ++i) x[i] = (x[i] | y[i]) != 0;
        } else {
          binary<Add>(x, y);
        }
        return;
      case Op::multiply:
        if constexpr (is_bool<T>) {
          XP_UNROLL
          for (int i = 0; i < vectors_per_thread * N; ++i) x[i] = static_cast<U>(x[i] != 0) & static_cast<U>(y[i] != 0);
        } else {
          binary<Multiply>(x, y);
        }
        return;
      case Op::logical_not:
        return combine(x, y, [](bool a, bool) { return !a; });
      case Op::logical_and:
        return combine(x, y, [](bool a, bool b) { return a && b; });
      case Op::logical_or:
        return combine(x, y, [](bool a, bool b) { return a || b; });
      case Op::logical_xor:
        return combine(x, y, [](bool a, bool b) { return a != b; });
      default:
        if constexpr (!is_bool<T>) compute_number(x, y);
    }
  }
  KOKKOS_INLINE_FUNCTION void compute_number(U* x, const U* y) const {
    if (op == Op::subtract) return binary<Subtract>(x, y);
    if (op == Op::negative) return unary<Negative>(x);
    if (op == Op::absolute) return unary<Absolute>(x);
    if constexpr (is_half<T>) {
      if (op == Op::divide) return binary<Divide>(x, y);
      if (op == Op::maximum) return binary<HalfExtreme<true>>(x, y);
      if (op == Op::minimum) return binary<HalfExtreme<false>>(x, y);
    } else {
      if (op == Op::maximum) return binary<InSlot<Op::maximum>>(x, y);
      if (op == Op::minimum) return binary<InSlot<Op::minimum>>(x, y);
      if (op == Op::bitwise_and) return binary<InSlot<Op::bitwise_and>>(x, y);
      if (op == Op::bitwise_or) return binary<InSlot<Op::bitwise_or>>(x, y);
      if (op == Op::bitwise_xor) return binary<InSlot<Op::bitwise_xor>>(x, y);
      if (op == Op::invert) return unary<InSlot<Op::invert>>(x);
      if (op == Op::left_shift) return binary<InSlot<Op::left_shift>>(x, y);
      if (op == Op::right_shift) return binary<InSlot<Op::right_shift>>(x, y);
    }
  }
};

constexpr bool is_narrow(int dtype) { return dtype < XP_DTYPE_COUNT && dtype_sizes[dtype] <= 2; }

/// Operations that the kernel has, after another that it does the same by; the rest are copies to it.
constexpr bool has_operation(Op op, int dtype) {
  if (op == Op::add || op == Op::multiply || (op >= Op::equal && op <= Op::less_equal) ||
      (op >= Op::logical_not && op <= Op::logical_xor))
    return true;
  if (dtype == XP_BOOL) return false;
  if (op == Op::subtract || op == Op::negative || op == Op::absolute || op == Op::maximum || op == Op::minimum)
    return true;
  if (kind_of(dtype) == Kind::real) return op == Op::divide;
  return op >= Op::bitwise_and && op <= Op::right_shift;
}
constexpr Op same_as(Op op, int dtype) {
  const bool boolean = dtype == XP_BOOL, real = kind_of(dtype) == Kind::real;
  switch (op) {
    case Op::greater:
      return Op::less;
    case Op::greater_equal:
      return Op::less_equal;
    case Op::maximum:
    case Op::minimum:
    case Op::fmax:
    case Op::fmin: {
      const bool greater = op == Op::maximum || op == Op::fmax;
      if (boolean) return greater ? Op::logical_or : Op::logical_and;
      return real ? op : greater ? Op::maximum : Op::minimum;
    }
    case Op::bitwise_and:
      return boolean ? Op::logical_and : op;
    case Op::bitwise_or:
      return boolean ? Op::logical_or : op;
    case Op::bitwise_xor:
      return boolean ? Op::logical_xor : op;
    case Op::square:
      return boolean ? op : Op::multiply;
    default:
      return row_of(op, dtype);
  }
}

bool is_dense(const xp_program& p, const xp_operand& operand) {
  std::int64_t expected = 1;
  for (int d = p.ndim - 1; d >= 0; --d) {
    if (operand.strides[d] != expected && p.shape[d] != 1) return false;
    expected *= p.shape[d];
  }
  return true;
}

/// What an operation is made of, once it is known to be narrow.
struct Single {
  Op op = Op::load;
  int dtype;
  std::uint8_t a, b = XP_REF_NONE;
  bool to_bool = false;
  const xp_operand* target;
};

/// Whether the value is dense elements of the dtype, or one.
bool is_source(const xp_program& p, std::uint8_t ref, int dtype) {
  if (ref >= XP_REF_CONSTANT && ref < XP_REF_CONSTANT + p.n_constants) return true;
  if (ref < XP_REF_OPERAND || ref >= XP_REF_OPERAND + p.n_operands) return false;
  const xp_operand& operand = p.operands[ref - XP_REF_OPERAND];
  if (operand.dtype != dtype || operand.load_type != dtype) return false;
  return is_dense(p, operand) ||
         std::all_of(operand.strides, operand.strides + p.ndim, [](std::int64_t stride) { return stride == 0; });
}

bool find_single(const xp_program& p, Single& single) {
  const int n = p.n_instructions;
  if (p.width != 32 || p.reduce_ref != XP_REF_NONE || n < 1 || n > 3) return false;
  const xp_instruction* in = p.instructions;
  std::uint8_t loaded = XP_REF_ACC;
  int rest = n;
  if (n > 1 && in->op == static_cast<int>(Op::load) && in->dst == XP_REF_NONE && in->type == in->to) {
    loaded = in->a;
    ++in;
    --rest;
  }
  const xp_instruction& store = in[rest - 1];
  if (rest > 2 || store.op != static_cast<int>(Op::store) || store.dst < XP_REF_OPERAND ||
      store.dst >= XP_REF_OPERAND + p.n_operands)
    return false;
  single.target = &p.operands[store.dst - XP_REF_OPERAND];
  if (single.target->dtype != store.type || !is_dense(p, *single.target)) return false;
  auto value = [&](std::uint8_t ref) { return ref == XP_REF_ACC ? loaded : ref; };
  if (rest == 1) {
    single.dtype = store.type;
    single.a = value(store.a);
  } else {
    const xp_instruction& operation = in[0];
    if (operation.op >= static_cast<int>(Op::count_) || operation.dst != XP_REF_NONE || store.a != XP_REF_ACC ||
        operation.to != store.type)
      return false;
    single.dtype = operation.type;
    if (!is_narrow(single.dtype)) return false;
    const auto op = static_cast<Op>(operation.op);
    single.op = same_as(op, single.dtype);
    single.a = value(operation.a);
    if (!has_operation(single.op, single.dtype)) return false;
    single.to_bool = info(op).returns == Returns::boolean;
    if (store.type != (single.to_bool ? XP_BOOL : single.dtype)) return false;
    if (info(op).arity == 2) single.b = value(operation.b);
    if (op == Op::square) single.b = single.a;
    if (op == Op::greater || op == Op::greater_equal) std::swap(single.a, single.b);
  }
  return is_narrow(single.dtype) && is_source(p, single.a, single.dtype) &&
         (single.b == XP_REF_NONE || is_source(p, single.b, single.dtype));
}

template <class T>
Source<typename NarrowKernel<T>::U> source_of(const xp_program& p, std::uint8_t ref) {
  using U = typename NarrowKernel<T>::U;
  if (ref == XP_REF_NONE) return {nullptr, U{}, false};
  if (ref < XP_REF_CONSTANT) {
    const xp_operand& operand = p.operands[ref - XP_REF_OPERAND];
    return {static_cast<const char*>(operand.data), U{}, is_dense(p, operand)};
  }
  const xp_constant& constant = p.constants[ref - XP_REF_CONSTANT];
  if constexpr (is_half<T>)
    return {nullptr, bits_of<U>(convert<T>(constant.f32[0])), false};
  else
    return {nullptr, static_cast<U>(constant.u32[0]), false};
}

template <class T>
void launch(const xp_device& device, const xp_program& p, const Single& single) {
  NarrowKernel<T> kernel;
  kernel.op = single.op;
  kernel.to_bool = single.to_bool;
  kernel.a = source_of<T>(p, single.a);
  kernel.b = source_of<T>(p, single.b);
  kernel.to = static_cast<char*>(single.target->data);
  kernel.count = p.count;
  auto aligned = [](const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; };
  kernel.aligned =
      (!kernel.a.dense || aligned(kernel.a.data)) && (!kernel.b.dense || aligned(kernel.b.data)) && aligned(kernel.to);
  constexpr std::int64_t per_team = std::int64_t{full_team} * NarrowKernel<T>::vectors_per_thread * NarrowKernel<T>::N;
  const std::int64_t most = is_host_space ? std::int64_t{4} * device.space.concurrency() : std::int64_t{1} << 30;
  launch_teams<Bounds>(label_of(p), device.space, std::min((p.count + per_team - 1) / per_team, most), full_team, 0,
                       kernel);
}

}  // namespace

bool run_narrow(const xp_device& device, const xp_program& program) {
  Single single;
  if (!find_single(program, single)) return false;
  switch (single.dtype) {
    case XP_BOOL:
      launch<Bool>(device, program, single);
      return true;
    case XP_INT8:
      launch<std::int8_t>(device, program, single);
      return true;
    case XP_INT16:
      launch<std::int16_t>(device, program, single);
      return true;
    case XP_UINT8:
      launch<std::uint8_t>(device, program, single);
      return true;
    case XP_UINT16:
      launch<std::uint16_t>(device, program, single);
      return true;
    case XP_FLOAT16:
      launch<Half>(device, program, single);
      return true;
    default:
      launch<BFloat16>(device, program, single);
      return true;
  }
}

}  // namespace xp::kernels
