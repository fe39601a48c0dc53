// SPDX-License-Identifier: Apache-2.0
// The kernels of chain_device.hpp, for the sources that instantiate them.
#pragma once

#include "kernels/chain_device.hpp"
#include "kernels/single_kernel_device.hpp"

namespace xp::kernels {

/// Rows whose result is of the same dtype.
template <Op op, int dtype>
constexpr Weight chain_weight() {
  if constexpr (op == Op::load)
    return Weight::none;
  else if constexpr (dtype != XP_BOOL && info(op).returns == Returns::boolean)
    return Weight::none;
  else if constexpr (kind_of(dtype) == Kind::complex && info(op).returns == Returns::real)
    return Weight::none;
  else
    return weight<op, dtype>();
}

template <int dtype, Weight wanted>
struct ChainList {
  template <std::size_t... numbers>
  static constexpr SingleList make(std::index_sequence<numbers...>) {
    SingleList list;
    auto add = [&list](Op op, Weight its) {
      if (its == wanted) list.ops[list.size++] = op;
    };
    (add(static_cast<Op>(numbers), chain_weight<static_cast<Op>(numbers), dtype>()), ...);
    return list;
  }
  static constexpr SingleList value = make(std::make_index_sequence<static_cast<std::size_t>(Op::count_)>());
};

/// What a kernel has beside the accumulator and operations of little code.
enum class ChainKind {
  plain,
  registers,  ///< which take half of those that a thread has
  functions,  ///< registers, and the long operations
};

template <int dtype, ChainKind kind>
struct ChainBody {
  using T = Storage<dtype>;
  using U = BitsOf<T>;
  using Elements = ElementsOf<dtype>;
  using Light = ChainList<dtype, Weight::light>;
  using Heavy = ChainList<dtype, Weight::heavy>;
  static constexpr int size = static_cast<int>(sizeof(T));
  static constexpr int N = 16 / size, G = size == 1 ? 1 : size == 2 ? 2 : 4, W = N * G, words = words_for<U, W>;
  /// Threads of many registers, for the interpreter's sake, which costs each thread the same whatever it has of
  /// elements.
  static constexpr int teams = (kind == ChainKind::plain ? 7 : kind == ChainKind::registers ? 4 : 3) + (G < 4 ? 2 : 0);
  /// Elements that a long operation is computed of side by side.
  static constexpr int side_by_side = size <= 4 ? 4 : 16 / size;
  using Values = std::uint32_t[words];

  int n_steps;
  std::uint32_t steps[chain_steps];  // a ChainStep each, to be read at once
  char* operands[chain_operands];
  std::uint32_t scalars;
  std::uint8_t preloaded[chain_registers];
  U constants[chain_constants];

  explicit ChainBody(const Chain& chain) : n_steps(chain.n_steps), scalars(chain.scalars) {
    std::memcpy(steps, chain.steps, sizeof steps);
    std::copy_n(chain.operands, chain_operands, operands);
    std::copy_n(chain.preloaded, chain_registers, preloaded);
    for (int i = 0; i < chain_constants; ++i) std::memcpy(&constants[i], chain.constants[i], sizeof constants[i]);
  }

  template <class Place>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Place& place) const {
    Values accumulator = {}, second = {};
    Registers registers;
    if constexpr (kind != ChainKind::plain) {
      // All on their way before anything waits for one.
      if (preloaded[0] != XP_REF_NONE) place.template load<U>(operands[preloaded[0]], registers.first);
      if (preloaded[1] != XP_REF_NONE) place.template load<U>(operands[preloaded[1]], registers.second);
      if (preloaded[2] != XP_REF_NONE) place.template load<U>(operands[preloaded[2]], registers.third);
    }
    XP_ROLLED
    for (int i = 0; i < n_steps; ++i) {
      const auto step = bits_as<ChainStep>(steps[i]);
      // The second value first: the accumulator may be it.
      if (step.b != XP_REF_NONE) fetch(step.b, place, accumulator, registers, second);
      if (step.a == step.b) {
        if (step.a != XP_REF_ACC) copy(accumulator, second);
      } else if (step.a != XP_REF_ACC) {
        fetch(step.a, place, accumulator, registers, accumulator);
      }
      if (step.op == static_cast<std::uint8_t>(Op::store)) {
        place.template store<U>(operands[step.to - XP_REF_OPERAND], accumulator);
        continue;
      }
      if (step.op != static_cast<std::uint8_t>(Op::load)) compute(step.op, accumulator, second);
      if constexpr (kind != ChainKind::plain) keep(step.to, accumulator, registers);
    }
  }

 private:
  // No array: the compiler would put one into local memory.
  struct Registers {
    Values first = {}, second = {}, third = {};
  };
  static_assert(chain_registers == 3);

  KOKKOS_FORCEINLINE_FUNCTION static void copy(Values& to, const Values& from) {
    XP_UNROLL
    for (int w = 0; w < words; ++w) to[w] = from[w];
  }
  KOKKOS_FORCEINLINE_FUNCTION static void keep(int to, const Values& value, Registers& registers) {
    if (to == 0) {
      branch();
      copy(registers.first, value);
    } else if (to == 1) {
      branch();
      copy(registers.second, value);
    } else if (to == 2) {
      branch();
      copy(registers.third, value);
    }
  }
  template <class Place>
  KOKKOS_FORCEINLINE_FUNCTION void fetch(int from, const Place& place, const Values& accumulator,
                                         const Registers& registers, Values& to) const {
    if (from == XP_REF_ACC) {
      branch();
      copy(to, accumulator);
    } else if (from >= XP_REF_CONSTANT) {
      branch();
      repeat<U, W>(constants[from - XP_REF_CONSTANT], to);
    } else if (from >= XP_REF_OPERAND) {
      const char* data = operands[from - XP_REF_OPERAND];
      if ((scalars >> (from - XP_REF_OPERAND) & 1) != 0)
        repeat<U, W>(read<U>(data), to);
      else
        place.template load<U>(data, to);
    } else if constexpr (kind != ChainKind::plain) {
      if (from == 0) {
        branch();
        copy(to, registers.first);
      } else if (from == 1) {
        branch();
        copy(to, registers.second);
      } else {
        branch();
        copy(to, registers.third);
      }
    }
  }

  /// a = op(a, b)
  KOKKOS_FORCEINLINE_FUNCTION static void compute(int op, Values& a, Values& b) {
    Values result = {};
    if (with_listed<Light>(op, [&]<Op o>() { Elements::template compute<o, W>(a, b, result); })) return copy(a, result);
    if constexpr (kind == ChainKind::functions) {
      constexpr int step = words_for<U, side_by_side>;
      XP_ROLLED
      for (int i = 0; i < W / side_by_side; ++i) {
        std::uint32_t some[step] = {};
        with_listed<Heavy>(op, [&]<Op o>() { Elements::template compute<o, side_by_side>(a, b, some); });
        turn<words, step>(a, some);
        turn<words, step>(b, some);
      }
    }
  }
};

template <int dtype>
ChainOperation chain_operation(Op op) {
  const auto has = [op](const SingleList& list) {
    return std::find(list.ops, list.ops + list.size, op) != list.ops + list.size;
  };
  if (has(ChainList<dtype, Weight::light>::value)) return ChainOperation::light;
  return kind_of(dtype) == Kind::real && has(ChainList<dtype, Weight::heavy>::value) ? ChainOperation::heavy
                                                                                     : ChainOperation::none;
}

template <int dtype, ChainKind kind>
void launch_chain(const Space& space, const Chain& chain) {
  using Body = ChainBody<dtype, kind>;
  DenseKernel<Body, Body::N, Body::G, 128, Body::teams>::launch(space, chain.label, chain.count, chain.aligned,
                                                                Body(chain));
}
template <int dtype>
void launch_chain(const Space& space, const Chain& chain) {
  if constexpr (kind_of(dtype) == Kind::real)
    if (chain.functions) return launch_chain<dtype, ChainKind::functions>(space, chain);
  if (chain.registers)
    launch_chain<dtype, ChainKind::registers>(space, chain);
  else
    launch_chain<dtype, ChainKind::plain>(space, chain);
}

}  // namespace xp::kernels
