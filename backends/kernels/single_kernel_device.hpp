// SPDX-License-Identifier: Apache-2.0
// The kernels of programs of one operation (single_device.hpp), for the sources that instantiate them.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/double_device.hpp"
#include "kernels/functions.hpp"
#include "kernels/launch_device.hpp"
#include "kernels/memory_device.hpp"
#include "kernels/rows.hpp"
#include "kernels/single_device.hpp"

namespace xp::kernels {

// ---- Elements ----

/// An element's bits as memory_device.hpp moves them.
template <int size>
using Bits = std::conditional_t<
    size == 1, std::uint8_t,
    std::conditional_t<size == 2, std::uint16_t, std::conditional_t<size == 4, std::uint32_t, std::uint64_t>>>;
template <class T>
using BitsOf = std::conditional_t<std::is_same_v<T, Complex<float>>, Word2,
                                  std::conditional_t<sizeof(T) == 16, Pair8, Bits<static_cast<int>(sizeof(T))>>>;

/// What an element of the dtype is computed in: as in the slots of a program.
template <int dtype>
using Computed = SlotType<(dtype_sizes[dtype] <= 4 ? 32 : dtype_sizes[dtype] * 8), dtype>;

template <int dtype>
KOKKOS_FORCEINLINE_FUNCTION Computed<dtype> number_of(const BitsOf<Storage<dtype>>& bits) {
  const auto element = bits_as<Storage<dtype>>(bits);
  if constexpr (is_half<Storage<dtype>>)
    return operand_of(element);
  else
    return to_slot<Computed<dtype>>(element);
}
template <int dtype>
KOKKOS_FORCEINLINE_FUNCTION BitsOf<Storage<dtype>> bits_of(const Computed<dtype>& number) {
  using T = Storage<dtype>;
  if constexpr (is_half<T>)
    return bits_as<BitsOf<T>>(rounded<T>(number));
  else
    return bits_as<BitsOf<T>>(from_slot<T>(number));
}

// ---- What a thread has of the elements ----

/// Words that hold W elements of U, as they lie in memory.
template <class U, int W>
inline constexpr int words_for = (W * static_cast<int>(sizeof(U)) + 3) / 4;

/// W elements of one value.
template <class U, int W>
KOKKOS_FORCEINLINE_FUNCTION void repeat(const U& value, std::uint32_t* words) {
  if constexpr (sizeof(U) >= 4) {
    XP_UNROLL
    for (int k = 0; k < W; ++k) put_element<U>(words, k, value);
  } else {
    const std::uint32_t word = value * (sizeof(U) == 1 ? 0x01010101u : 0x00010001u);
    XP_UNROLL
    for (int w = 0; w < words_for<U, W>; ++w) words[w] = word;
  }
}

/// Makes a decision of branches, not of selections among all that either way might give.
KOKKOS_FORCEINLINE_FUNCTION void branch() {
  if constexpr (!is_host_space) asm volatile("");
}

/// A thread's W elements: G vectors of N neighbours, or, where vectors are not aligned, each W-th of a warp's.
template <int N, int G, int team>
class DensePlace {
 public:
  static constexpr int W = N * G;

  KOKKOS_FORCEINLINE_FUNCTION DensePlace(std::int64_t base, std::int64_t count, int rank, bool aligned)
      : first_(base + share(rank, team, aligned ? G : W).first * (aligned ? N : 1)),
        left_(count - first_),
        vectors_(aligned && left_ > (G - 1) * vector_step + N - 1),
        apart_(aligned) {
    // The compiler would compute it again each time, from more than it is.
    asm("" : "+r"(vectors_));
  }
  KOKKOS_FORCEINLINE_FUNCTION bool any() const { return left_ > 0; }

  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION void load(const char* data, std::uint32_t* words) const {
    const char* from = data + first_ * static_cast<std::int64_t>(sizeof(U));
    if (vectors_ != 0) {
      branch();
      XP_UNROLL
      for (int g = 0; g < G; ++g) {
        U values[N];
        read_vector<N>(from + g * vector_step * static_cast<int>(sizeof(U)), values);
        XP_UNROLL
        for (int i = 0; i < N; ++i) put_element<U>(words, g * N + i, values[i]);
      }
    } else {
      branch();
      XP_UNROLL
      for (int k = 0; k < W; ++k) {
        U value{};
        if (offset(k) < left_) value = read<U>(from + offset(k) * static_cast<int>(sizeof(U)));
        put_element<U>(words, k, value);
      }
    }
  }
  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION void store(char* data, const std::uint32_t* words) const {
    char* to = data + first_ * static_cast<std::int64_t>(sizeof(U));
    if (vectors_ != 0) {
      XP_UNROLL
      for (int g = 0; g < G; ++g) {
        U values[N];
        XP_UNROLL
        for (int i = 0; i < N; ++i) values[i] = element_of<U>(words, g * N + i);
        write_vector<N>(to + g * vector_step * static_cast<int>(sizeof(U)), values);
      }
    } else {
      XP_UNROLL
      for (int k = 0; k < W; ++k)
        if (offset(k) < left_) write<U>(to + offset(k) * static_cast<int>(sizeof(U)), element_of<U>(words, k));
    }
  }

 private:
  /// From one vector of a thread to the next.
  static constexpr int vector_step = share(0, team, G).step * N;
  static constexpr int element_step = share(0, team, W).step;
  KOKKOS_FORCEINLINE_FUNCTION int offset(int k) const {
    return apart_ ? k / N * vector_step + k % N : k * element_step;
  }

  std::int64_t first_, left_;
  int vectors_;  // all there, and aligned
  bool apart_;   // by vectors
};

/// A source of elements U: those of a place, or one element as often.
template <class U>
struct DeviceSource {
  const char* data;
  U constant;
  bool dense;

  explicit DeviceSource(const SingleSource& source) : data(source.data), dense(source.dense) {
    std::memcpy(&constant, source.constant, sizeof constant);
  }
  template <class Place>
  KOKKOS_FORCEINLINE_FUNCTION void load(const Place& place, std::uint32_t* words) const {
    if (dense) {
      place.template load<U>(data, words);
    } else {
      repeat<U, Place::W>(data ? read<U>(data) : constant, words);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION U at(std::int64_t i) const {
    return data ? read<U>(data + (dense ? i * static_cast<std::int64_t>(sizeof(U)) : 0)) : constant;
  }
};

// ---- Operations ----

/// The functor of a row: Operation<op>::apply. bool is 0 or 1.
template <Op op>
struct Operation : Function<op> {};
template <>
struct Operation<Op::add> : Add {};
template <>
struct Operation<Op::subtract> : Subtract {};
template <>
struct Operation<Op::multiply> : Multiply {};
template <>
struct Operation<Op::divide> : Divide {};
template <>
struct Operation<Op::negative> : Negative {};
template <>
struct Operation<Op::absolute> : Absolute {};
template <>
struct Operation<Op::sqrt> {
  template <class C>
  KOKKOS_FORCEINLINE_FUNCTION static C apply(C a) {
    if constexpr (is_complex<C>)
      return complex_sqrt(a);
    else
      return Sqrt::apply(a);
  }
};
template <>
struct Operation<Op::exp> {
  template <class C>
  KOKKOS_FORCEINLINE_FUNCTION static C apply(C a) {
    if constexpr (is_complex<C>)
      return complex_exp(a);
    else
      return Exp::apply(a);
  }
};
template <>
struct Operation<Op::equal> : Equal {};
template <>
struct Operation<Op::not_equal> : NotEqual {};
template <>
struct Operation<Op::less> : Less {};
template <>
struct Operation<Op::less_equal> : LessEqual {};
/// A copy.
template <>
struct Operation<Op::load> {
  template <class C>
  KOKKOS_FORCEINLINE_FUNCTION static C apply(C a) {
    return a;
  }
};

/// How much code an operation is.
enum class Weight {
  light,  ///< a few instructions: memory decides
  heavy,
  none,  ///< the kernels do not have it
};

constexpr bool is_core(Op op) { return op <= Op::less_equal && op >= Op::add; }
// Variables: device code calls no functions of the host's.
template <Op op>
inline constexpr int arity = info(op).arity;
template <Op op>
inline constexpr bool is_comparison = is_core(op) && info(op).returns == Returns::boolean;

template <Op op, int dtype>
constexpr Weight weight() {
  using C = Computed<dtype>;
  constexpr Kind kind = kind_of(dtype);
  constexpr OpInfo row = info(op);
  if constexpr (op == Op::load) {
    return Weight::light;
  } else if constexpr (is_core(op)) {
    constexpr bool inexact = kind == Kind::real || kind == Kind::complex;
    if (kind == Kind::boolean && row.returns != Returns::boolean) return Weight::none;
    if (op == Op::absolute) return kind == Kind::complex ? Weight::heavy : Weight::light;
    if (op == Op::divide || op == Op::sqrt || op == Op::exp) {
      if (!inexact || (kind == Kind::complex && op != Op::divide)) return Weight::none;
      // The square root and the quotient are common, and not much code.
      return kind == Kind::complex || op == Op::exp ? Weight::heavy : Weight::light;
    }
    return Weight::light;
  } else if constexpr (op < Op::floor_divide) {
    return Weight::none;
  } else if constexpr (op == Op::nextafter && is_half<Storage<dtype>>) {
    return Weight::none;  // other rows
  } else if constexpr (op == Op::nextafter_float16 || op == Op::nextafter_bfloat16) {
    return op == (dtype == XP_FLOAT16 ? Op::nextafter_float16 : Op::nextafter_bfloat16) && is_half<Storage<dtype>>
               ? Weight::heavy
               : Weight::none;
  } else if constexpr (row.arity == 1 ? HasUnary<op, C> : HasBinary<op, C>) {
    constexpr bool light = row.cost <= 1 || (op == Op::reciprocal && kind == Kind::real);
    if (kind == Kind::boolean && !(takes_bool(op) && row_of(op, dtype) == op)) return Weight::none;
    if (row.returns == Returns::int32) return Weight::none;
    // Functions of complex numbers are bound by what they compute, and long.
    if (kind == Kind::complex) return light && op != Op::sign ? Weight::light : Weight::none;
    return light ? Weight::light : Weight::heavy;
  } else {
    return Weight::none;
  }
}

struct SingleList {
  std::size_t size = 0;
  Op ops[static_cast<std::size_t>(Op::count_)] = {};
};
template <int dtype, Weight... wanted>
struct SingleOperations {
  template <std::size_t... numbers>
  static constexpr SingleList make(std::index_sequence<numbers...>) {
    SingleList list;
    auto add = [&list](Op op, Weight its) {
      if (((its == wanted) || ...)) list.ops[list.size++] = op;
    };
    (add(static_cast<Op>(numbers), weight<static_cast<Op>(numbers), dtype>()), ...);
    return list;
  }
  static constexpr SingleList value = make(std::make_index_sequence<static_cast<std::size_t>(Op::count_)>());
  static constexpr bool has(Op op) {
    for (std::size_t i = 0; i < value.size; ++i)
      if (value.ops[i] == op) return true;
    return false;
  }
};

/// Calls `body` with the operation of this number, which is in the list. A search by halves, as compilers made long
/// chains of comparisons of what was one.
template <class List, std::size_t first = 0, std::size_t size = List::value.size, class Body>
KOKKOS_FORCEINLINE_FUNCTION void with_operation(int op, const Body& body) {
  if constexpr (size == 1) {
    body.template operator()<List::value.ops[first]>();
  } else if constexpr (size > 1) {
    constexpr std::size_t half = size / 2;
    constexpr int middle = static_cast<int>(List::value.ops[first + half]);
    if (op < middle)
      with_operation<List, first, half>(op, body);
    else
      with_operation<List, first + half, size - half>(op, body);
  }
}

/// The same, if it is in the list.
template <class List, std::size_t first = 0, std::size_t size = List::value.size, class Body>
KOKKOS_FORCEINLINE_FUNCTION bool with_listed(int op, const Body& body) {
  if constexpr (size == 0) {
    return false;
  } else if constexpr (size == 1) {
    if (op != static_cast<int>(List::value.ops[first])) return false;
    body.template operator()<List::value.ops[first]>();
    return true;
  } else {
    constexpr std::size_t half = size / 2;
    constexpr int middle = static_cast<int>(List::value.ops[first + half]);
    if (op < middle) return with_listed<List, first, half>(op, body);
    return with_listed<List, first + half, size - half>(op, body);
  }
}

// ---- Kernels ----

/// Threads of a team, and teams that should fit on a multiprocessor.
template <int threads, int teams>
using SingleBounds = Kokkos::LaunchBounds<is_host_space ? 0 : threads, is_host_space ? 0 : teams>;

template <class Kernel>
void launch_dense(const Space& space, const char* label, std::int64_t count, const Kernel& kernel) {
  constexpr std::int64_t chunk = std::int64_t{Kernel::team_size} * Kernel::W;
  const std::int64_t chunks = (count + chunk - 1) / chunk;
  const std::int64_t most = is_host_space ? std::int64_t{4} * space.concurrency() : chunks;
  launch_teams<typename Kernel::Bounds>(label, space, std::min(chunks, most), Kernel::team_size, 0, kernel);
}

/// What a kernel does with a place, and how it is launched.
template <class Body, int N, int G, int threads, int teams>
struct DenseKernel {
  using Bounds = SingleBounds<threads, teams>;
  using Member = typename Policy<Bounds>::member_type;
  static constexpr int team_size = full_team < threads ? full_team : threads;
  using Place = DensePlace<N, G, team_size>;
  static constexpr int W = Place::W;

  Body body;
  std::int64_t count;
  bool aligned;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::int64_t chunk = static_cast<std::int64_t>(team_size) * Place::W;
    if constexpr (is_host_space) {
      for (std::int64_t base = team.league_rank() * chunk; base < count; base += team.league_size() * chunk)
        run(base, team.team_rank());
    } else {
      run(team.league_rank() * chunk, team.team_rank());
    }
  }

  static void launch(const Space& space, const char* label, std::int64_t count, bool aligned, const Body& body) {
    launch_dense(space, label, count, DenseKernel{body, count, aligned});
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void run(std::int64_t base, int rank) const {
    const Place place(base, count, rank, aligned);
    if (place.any()) body.run(place);
  }
};

/// Operations on packed elements of a dtype.
template <int dtype>
struct ElementsOf {
  using T = Storage<dtype>;
  using U = BitsOf<T>;
  using C = Computed<dtype>;
  static constexpr bool is_narrow = std::is_integral_v<T> && sizeof(T) <= 2 && dtype != XP_BOOL;

  /// result = op(x), or op(x, y), of the first `count` elements. The result may be x if elements are words, or several.
  template <Op op, int count>
  KOKKOS_FORCEINLINE_FUNCTION static void compute(const std::uint32_t* x, const std::uint32_t* y,
                                                  std::uint32_t* result) {
    if constexpr (dtype == XP_FLOAT64 && count > 1 && (op == Op::sqrt || op == Op::divide)) {
      compute_side_by_side<op, count>(x, y, result);
    } else {
      XP_UNROLL
      for (int k = 0; k < count; ++k) {
        const U bits = element_of<U>(x, k);
        if constexpr (arity<op> == 1)
          put(result, k, apply<op>(bits));
        else
          put(result, k, apply<op>(bits, element_of<U>(y, k)));
      }
    }
  }

 private:
  template <Op op, int count>
  KOKKOS_FORCEINLINE_FUNCTION static void compute_side_by_side(const std::uint32_t* x, const std::uint32_t* y,
                                                               std::uint32_t* result) {
    double a[count], b[count], numbers[count];
    XP_UNROLL
    for (int k = 0; k < count; ++k) {
      a[k] = number_of<dtype>(element_of<U>(x, k));
      if constexpr (op == Op::divide) b[k] = number_of<dtype>(element_of<U>(y, k));
    }
    if constexpr (op == Op::divide)
      divide_all<count>(a, b, numbers);
    else
      sqrt_all<count>(a, numbers);
    XP_UNROLL
    for (int k = 0; k < count; ++k) put(result, k, numbers[k]);
  }

  template <Op o, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION static auto apply(const Arguments&... bits) {
    if constexpr (o == Op::load)
      return (bits, ...);
    else if constexpr (is_half<T> && (o == Op::negative || o == Op::absolute))
      return bits_as<U>(Operation<o>::apply(bits_as<T>(bits)...));
    else if constexpr (is_narrow && (o == Op::floor_divide || o == Op::remainder || o == Op::fmod))
      return static_cast<C>(divide_narrow<o>(static_cast<std::int32_t>(number_of<dtype>(bits))...));
    else
      return Operation<o>::apply(number_of<dtype>(bits)...);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void put(std::uint32_t* words, int k, bool truth) {
    put_element<std::uint8_t>(words, k, static_cast<std::uint8_t>(truth));
  }
  KOKKOS_FORCEINLINE_FUNCTION static void put(std::uint32_t* words, int k,
                                              const U& bits) requires(!std::is_same_v<U, C>) {
    put_element<U>(words, k, bits);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void put(std::uint32_t* words, int k, const C& number) {
    put_element<U>(words, k, bits_of<dtype>(number));
  }
  template <class R>
  requires(is_complex<C>&& std::is_floating_point_v<R>) KOKKOS_FORCEINLINE_FUNCTION
      static void put(std::uint32_t* words, int k, R real) {
    put_element<BitsOf<R>>(words, k, bits_as<BitsOf<R>>(real));
  }
};

/// Drops the first words and appends others.
template <int words, int step>
KOKKOS_FORCEINLINE_FUNCTION void turn(std::uint32_t* values, const std::uint32_t (&next)[step]) {
  XP_UNROLL
  for (int w = 0; w + step < words; ++w) values[w] = values[w + step];
  XP_UNROLL
  for (int w = 0; w < step; ++w) values[words - step + w] = next[w];
}

/// Elements that lie in whole vectors.
template <int N, int G, int team>
class VectorPlace {
 public:
  static constexpr int W = N * G;
  static constexpr int step = share(0, team, G).step * N;

  KOKKOS_FORCEINLINE_FUNCTION VectorPlace(std::int64_t base, int rank)
      : first_(base + share(rank, team, G).first * N) {}
  KOKKOS_FORCEINLINE_FUNCTION bool is_within(std::int64_t count) const { return first_ + (G - 1) * step + N <= count; }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t element(int k) const { return first_ + k / N * step + k % N; }

  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION void load(const char* data, std::uint32_t* words) const {
    const char* from = data + first_ * static_cast<std::int64_t>(sizeof(U));
    XP_UNROLL
    for (int g = 0; g < G; ++g) {
      U values[N];
      read_vector<N>(from + g * step * static_cast<int>(sizeof(U)), values);
      XP_UNROLL
      for (int i = 0; i < N; ++i) put_element<U>(words, g * N + i, values[i]);
    }
  }
  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION void store(char* data, const std::uint32_t* words) const {
    char* to = data + first_ * static_cast<std::int64_t>(sizeof(U));
    XP_UNROLL
    for (int g = 0; g < G; ++g) {
      U values[N];
      XP_UNROLL
      for (int i = 0; i < N; ++i) values[i] = element_of<U>(words, g * N + i);
      write_vector<N>(to + g * step * static_cast<int>(sizeof(U)), values);
    }
  }

 private:
  std::int64_t first_;
};

/// `List`: the operations that a kernel has. side_by_side: elements that an operation is computed of at once.
template <int dtype, class List, int G, int side_by_side>
struct SingleBody {
  using T = Storage<dtype>;
  using U = BitsOf<T>;
  using Elements = ElementsOf<dtype>;
  static constexpr int size = static_cast<int>(sizeof(T)), N = 16 / size;
  static constexpr bool alone = List::value.size == 1;
  static constexpr OpInfo row = info(List::value.ops[0]);

  int op;
  bool binary, to_bool, to_real;
  DeviceSource<U> a, b;
  char* to;

  explicit SingleBody(const Single& single)
      : op(static_cast<int>(single.op)),
        binary(info(single.op).arity == 2),
        to_bool(info(single.op).returns == Returns::boolean),
        to_real(info(single.op).returns == Returns::real && is_complex<T>),
        a(single.a),
        b(single.b),
        to(single.to) {}

  template <class Place>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Place& place) const {
    constexpr int W = Place::W;
    std::uint32_t x[words_for<U, W>], y[words_for<U, W>] = {};
    a.load(place, x);
    if (takes_two()) b.load(place, y);
    if constexpr (side_by_side == W) {
      std::uint32_t result[words_for<U, W>] = {};
      with_operation<List>(op, [&]<Op o>() { Elements::template compute<o, W>(x, y, result); });
      store(place, result);
    } else {
      // The arrays turn under the loop, so that indices are constants and the code is there once.
      constexpr int words = words_for<U, W>, step = words_for<U, side_by_side>;
      XP_ROLLED
      for (int i = 0; i < W / side_by_side; ++i) {
        std::uint32_t some[step] = {};
        with_operation<List>(op, [&]<Op o>() { Elements::template compute<o, side_by_side>(x, y, some); });
        turn<words, step>(x, some);
        turn<words, step>(y, some);
      }
      store(place, x);
    }
  }
  /// Of one element.
  KOKKOS_FORCEINLINE_FUNCTION void run(std::int64_t i) const {
    constexpr int words = words_for<U, 1>;
    std::uint32_t x[words] = {}, y[words] = {}, result[words] = {};
    put_element<U>(x, 0, a.at(i));
    if (takes_two()) put_element<U>(y, 0, b.at(i));
    with_operation<List>(op, [&]<Op o>() { Elements::template compute<o, 1>(x, y, result); });
    store(ElementPlace{i}, result);
  }

 private:
  struct ElementPlace {
    std::int64_t i;
    template <class R>
    KOKKOS_FORCEINLINE_FUNCTION void store(char* data, const std::uint32_t* words) const {
      write<R>(data + i * static_cast<std::int64_t>(sizeof(R)), element_of<R>(words, 0));
    }
  };
  KOKKOS_FORCEINLINE_FUNCTION bool takes_two() const { return alone ? row.arity == 2 : binary; }
  template <class Place>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Place& place, const std::uint32_t* result) const {
    if (size > 1 && (alone ? row.returns == Returns::boolean : to_bool))
      return place.template store<std::uint8_t>(to, result);
    if constexpr (is_complex<T>)
      if (alone ? row.returns == Returns::real : to_real)
        return place.template store<BitsOf<decltype(T::re)>>(to, result);
    place.template store<U>(to, result);
  }
};

/// A kernel for one operation on aligned memory: threads have as many registers as it needs, not as many as the worst.
template <int dtype, Op op>
struct AloneKernel {
  struct List {
    static constexpr SingleList value = {1, {op}};
  };
  static constexpr int size = static_cast<int>(sizeof(Storage<dtype>)), N = 16 / size, G = 2, W = N * G;
  static constexpr bool all = weight<op, dtype>() == Weight::light || kind_of(dtype) == Kind::complex;
  static constexpr int threads = 128, team_size = full_team < threads ? full_team : threads;
  using Body = SingleBody<dtype, List, G, all ? W : size <= 2 ? 8 : 4>;
  using Bounds = SingleBounds<threads, 1>;
  using Member = typename Policy<Bounds>::member_type;

  Body body;
  std::int64_t count;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    constexpr std::int64_t chunk = std::int64_t{team_size} * W;
    if constexpr (is_host_space) {
      for (std::int64_t base = team.league_rank() * chunk; base < count; base += team.league_size() * chunk)
        run(base, team.team_rank());
    } else {
      run(team.league_rank() * chunk, team.team_rank());
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void run(std::int64_t base, int rank) const {
    const VectorPlace<N, G, team_size> place(base, rank);
    if (place.is_within(count)) return body.run(place);
    XP_ROLLED
    for (int k = 0; k < W; ++k)
      if (const std::int64_t i = place.element(k); i < count) body.run(i);
  }
};

template <int dtype, std::size_t... numbers>
bool launch_alone(const Space& space, const Single& single, std::index_sequence<numbers...>) {
  using List = SingleOperations<dtype, Weight::light, Weight::heavy>;
  auto launch = [&]<class Kernel>(Kernel kernel) {
    launch_dense(space, single.label, single.count, kernel);
    return true;
  };
  return ((single.op == List::value.ops[numbers] &&
           launch(AloneKernel<dtype, List::value.ops[numbers]>{
               typename AloneKernel<dtype, List::value.ops[numbers]>::Body(single), single.count})) ||
          ...);
}

/// One kernel for all operations of a weight, on memory that is not aligned.
template <int dtype, Weight weight>
bool launch_together(const Space& space, const Single& single) {
  using List = SingleOperations<dtype, weight>;
  if constexpr (List::value.size > 0) {
    if (!List::has(single.op)) return false;
    constexpr int size = sizeof(Storage<dtype>), G = 2;
    constexpr bool light = weight == Weight::light;
    using Body = SingleBody<dtype, List, G, light || kind_of(dtype) == Kind::complex ? 16 / size * G : 4>;
    // Elements of a byte want registers more than threads.
    constexpr int teams = !light ? 6 : size == 1 ? 8 : size == 2 ? 10 : 12;
    DenseKernel<Body, Body::N, G, 128, teams>::launch(space, single.label, single.count, false, Body(single));
    return true;
  }
  return false;
}

template <int dtype>
bool launch_single(const Space& space, const Single& single) {
  if (!single.aligned)
    return launch_together<dtype, Weight::light>(space, single) || launch_together<dtype, Weight::heavy>(space, single);
  constexpr std::size_t size = SingleOperations<dtype, Weight::light, Weight::heavy>::value.size;
  return launch_alone<dtype>(space, single, std::make_index_sequence<size>{});
}

}  // namespace xp::kernels
