// SPDX-License-Identifier: Apache-2.0
// The interpreter of the device kernel. All branches on steps are the same for a whole launch. Values are fixed-size
// arrays with constant indices, so that they are registers: a dynamically indexed array was twice as slow.
#pragma once

#include "kernels/functions_device.hpp"

namespace xp::kernels {

/// The interpreter for one thread: W elements.
template <int width, class Place, Repertoire repertoire>
class Machine {
  static constexpr bool only_quick = repertoire == Repertoire::quick;
  static constexpr int W = Place::W;
  using R = Raw<width>;
  using Convert = Conversions<width, W>;
  using U = typename Slots<width>::Unsigned;
  using S = typename Slots<width>::Signed;
  using F = typename Slots<width>::Real;
  using C = typename Slots<width>::Pairwise;
  static constexpr bool has_integers = Slots<width>::has_integers, has_complex = Slots<width>::has_complex;

 public:
  using Values = R[W];

  /// Scratch is laid out [register][element][thread].
  KOKKOS_FORCEINLINE_FUNCTION Machine(const Steps<width>& steps, R* scratch, int rank, int team)
      : steps_(steps), scratch_(scratch + rank), team_(team) {}

  /// Runs the program for the elements of `place`.
  KOKKOS_FORCEINLINE_FUNCTION void run(const Place& place) {
    // Both loads are on their way before anything waits for them. nvcc (13.0) moves parts of the accumulator about as
    // soon as it is loaded, so it comes last.
    if constexpr (Place::reads_in_place || only_quick) {
      if (steps_.preload_fast != place_none) load_native(place, steps_.preload_fast, fast_);
      if (steps_.preload_accumulator != place_none) load_native(place, steps_.preload_accumulator, accumulator_);
    } else {
      // The code of a load only once: nvcc does not inline kernels that grow beyond a measure into Kokkos' driver, and
      // then every thread has a copy of the functor.
      XP_ROLLED
      for (int i = 0; i < 2; ++i) {
        const std::uint8_t operand = i == 0 ? steps_.preload_fast : steps_.preload_accumulator;
        if (operand == place_none) continue;
        load_native(place, operand, accumulator_);
        if (i == 0) copy(fast_, accumulator_);
      }
    }
    execute(place);
  }

  /// The first loads of run() in two parts: of what lies in memory, and of what is staged.
  KOKKOS_FORCEINLINE_FUNCTION void preload(const Place& place, bool staged) {
    auto wanted = [&](std::uint8_t operand) { return operand != place_none && place.is_staged(operand) == staged; };
    if (wanted(steps_.preload_fast)) load_native(place, steps_.preload_fast, fast_);
    if (wanted(steps_.preload_accumulator)) load_native(place, steps_.preload_accumulator, accumulator_);
  }

  /// What follows them.
  KOKKOS_FORCEINLINE_FUNCTION void execute(const Place& place) {
    if constexpr (only_quick) {
      for (int i = 0; i < steps_.count; ++i) quick_step(steps_.steps[i], place);
      return;
    }
    // Quick steps and loads in loops of their own: in one loop with the rest every step began with copies.
    const int count = steps_.count;
    for (int i = 0; i < count;) {
      Step s = steps_.steps[i];
      if (s.code > Code::count_) {
        do {
          quick_step(s, place);
          if (++i == count) return;
          s = steps_.steps[i];
        } while (s.code > Code::count_);
      }
      if (s.code < Code::store_1)
        load_step(s, place);
      else
        step(s, place);
      ++i;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION const Values& accumulator() const { return accumulator_; }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static void copy(Values& to, const Values& from) {
    XP_UNROLL
    for (int k = 0; k < W; ++k) to[k] = from[k];
  }

  /// Value of a place other than the accumulator.
  KOKKOS_FORCEINLINE_FUNCTION void fetch(Values& v, std::uint8_t from, const Place& place) const {
    if (from >= place_constant) {
      const R constant = steps_.constants[from - place_constant];
      XP_UNROLL
      for (int k = 0; k < W; ++k) v[k] = constant;
    } else if (from == place_fast) {
      copy(v, fast_);
    } else if (Place::reads_in_place && from >= place_operand) {
      load_native(place, from - place_operand, v);
    } else {
      const R* slot = scratch_ + (from - place_scratch) * W * team_;
      XP_UNROLL
      for (int k = 0; k < W; ++k) v[k] = slot[k * team_];
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void put(std::uint8_t to, const Values& v) {
    if (to == place_accumulator) {
      copy(accumulator_, v);
    } else if (to == place_fast) {
      copy(fast_, v);
    } else {
      R* slot = scratch_ + (to - place_scratch) * W * team_;
      XP_UNROLL
      for (int k = 0; k < W; ++k) slot[k * team_] = v[k];
    }
  }

  // ---- Quick steps ----

  /// What a quick step's second value is, when it comes from memory.
  struct Fetched {
    R constant{};
    Values values{};
  };

  template <class Functor, class T, bool exchanged>
  KOKKOS_FORCEINLINE_FUNCTION void with(const Values& second) {
    XP_UNROLL
    for (int k = 0; k < W; ++k) {
      const T a = as<T>(accumulator_[k]), b = as<T>(second[k]);
      accumulator_[k] = raw<R>(exchanged ? Functor::apply(b, a) : Functor::apply(a, b));
    }
  }
  template <class Functor, class T, bool exchanged, Second second>
  KOKKOS_FORCEINLINE_FUNCTION void quick(const Step& s, const Fetched& fetched) {
    if constexpr (second == Second::accumulator) {
      with<Functor, T, false>(accumulator_);
    } else if constexpr (second == Second::fast) {
      with<Functor, T, exchanged>(fast_);
    } else if constexpr (second == Second::constant) {
      const T constant = as<T>(fetched.constant);
      XP_UNROLL
      for (int k = 0; k < W; ++k) {
        const T a = as<T>(accumulator_[k]);
        accumulator_[k] = raw<R>(exchanged ? Functor::apply(constant, a) : Functor::apply(a, constant));
      }
    } else if constexpr (only_quick) {
      return;
    } else if constexpr (second == Second::scratch) {
      const R* slot = scratch_ + (s.b - place_scratch) * W * team_;
      XP_UNROLL
      for (int k = 0; k < W; ++k) {
        const T a = as<T>(accumulator_[k]), b = as<T>(slot[k * team_]);
        accumulator_[k] = raw<R>(exchanged ? Functor::apply(b, a) : Functor::apply(a, b));
      }
    } else if constexpr (Place::reads_in_place) {
      with<Functor, T, exchanged>(fetched.values);
    }
  }

// All places of the second value; the labels are why this is no function.
#define XP_QUICK_CASES(op, Functor, T, exchanged)                      \
  case quick_label<op, Second::constant, exchanged>:                   \
    return quick<Functor, T, exchanged, Second::constant>(s, fetched); \
  case quick_label<op, Second::fast, exchanged>:                       \
    return quick<Functor, T, exchanged, Second::fast>(s, fetched);     \
  case quick_label<op, Second::scratch, exchanged>:                    \
    return quick<Functor, T, exchanged, Second::scratch>(s, fetched);  \
  case quick_label<op, Second::operand, exchanged>:                    \
    return quick<Functor, T, exchanged, Second::operand>(s, fetched);
#define XP_QUICK_ON_ITSELF(op, Functor, T)          \
  case quick_label<op, Second::accumulator, false>: \
    return quick<Functor, T, false, Second::accumulator>(s, fetched);

  KOKKOS_FORCEINLINE_FUNCTION void quick_step(const Step& s, const Place& place) {
    if constexpr (width != 128) {
      // Here and not in each case: the kernel's arguments would be copied to local memory if the compiler joined
      // accesses to them.
      Fetched fetched;
      if (s.b >= place_constant) {
        if (s.b != place_none) fetched.constant = steps_.constants[s.b - place_constant];
      } else if (!only_quick && s.b >= place_operand) {
        if constexpr (Place::reads_in_place) load_native(place, s.b - place_operand, fetched.values);
      }
      switch (static_cast<int>(s.code)) {
        XP_QUICK_ON_ITSELF(Quick::add_f, Add, F)
        XP_QUICK_CASES(Quick::add_f, Add, F, false)
        XP_QUICK_ON_ITSELF(Quick::subtract_f, Subtract, F)
        XP_QUICK_CASES(Quick::subtract_f, Subtract, F, false)
        XP_QUICK_CASES(Quick::subtract_f, Subtract, F, true)
        XP_QUICK_ON_ITSELF(Quick::multiply_f, Multiply, F)
        XP_QUICK_CASES(Quick::multiply_f, Multiply, F, false)
        XP_QUICK_ON_ITSELF(Quick::add_i, Add, U)
        XP_QUICK_CASES(Quick::add_i, Add, U, false)
        XP_QUICK_ON_ITSELF(Quick::subtract_i, Subtract, U)
        XP_QUICK_CASES(Quick::subtract_i, Subtract, U, false)
        XP_QUICK_CASES(Quick::subtract_i, Subtract, U, true)
        XP_QUICK_ON_ITSELF(Quick::multiply_i, Multiply, U)
        XP_QUICK_CASES(Quick::multiply_i, Multiply, U, false)
        case static_cast<int>(quick_fill):
          XP_UNROLL
          for (int k = 0; k < W; ++k) accumulator_[k] = fetched.constant;
          [[fallthrough]];
        default:
          return place.store(place.locate(s.operand, true), accumulator_);
      }
    }
  }
#undef XP_QUICK_CASES
#undef XP_QUICK_ON_ITSELF

  // ---- Operations ----

  template <class Functor, class T>
  KOKKOS_FORCEINLINE_FUNCTION static void unary(Values& v, const Values& a) {
    XP_UNROLL
    for (int k = 0; k < W; ++k) v[k] = raw<R>(Functor::apply(as<T>(a[k])));
  }
  template <class Functor, class T>
  KOKKOS_FORCEINLINE_FUNCTION static void binary(Values& v, const Values& a, const Values& b) {
    XP_UNROLL
    for (int k = 0; k < W; ++k) v[k] = raw<R>(Functor::apply(as<T>(a[k]), as<T>(b[k])));
  }
  template <class Functor, class T>
  KOKKOS_FORCEINLINE_FUNCTION static void compare(Values& v, const Values& a, const Values& b) {
    XP_UNROLL
    for (int k = 0; k < W; ++k) v[k] = raw<R>(static_cast<U>(Functor::apply(as<T>(a[k]), as<T>(b[k]))));
  }
  /// The same for functions of much code.
  template <class Functor, class T>
  KOKKOS_FORCEINLINE_FUNCTION static void large_unary(Values& v, const Values& a) {
    copy(v, a);
    Convert::each(v, [](const R& x) { return raw<R>(Functor::apply(as<T>(x))); });
  }
  template <class Functor, class T>
  KOKKOS_FORCEINLINE_FUNCTION static void large_binary(Values& v, const Values& a, Values& b) {
    copy(v, a);
    Convert::each(v, b, [](const R& x, const R& y) { return raw<R>(Functor::apply(as<T>(x), as<T>(y))); });
  }
  KOKKOS_FORCEINLINE_FUNCTION static void modulus(Values& v, const Values& a) {
    copy(v, a);
    Convert::each(v, [](const R& x) { return raw<R>(static_cast<F>(Absolute::apply(as<C>(x)))); });
  }
  struct ComplexSqrt {
    KOKKOS_FORCEINLINE_FUNCTION static C apply(C a) { return complex_sqrt(a); }
  };
  struct ComplexExp {
    KOKKOS_FORCEINLINE_FUNCTION static C apply(C a) { return complex_exp(a); }
  };

  KOKKOS_FORCEINLINE_FUNCTION void load_step(const Step& s, const Place& place) {
    Values v{};
    load(s, place, v);
    if (s.convert != convert_none) Convert::convert_values(s.convert, v);
    put(s.to, v);
  }

  KOKKOS_FORCEINLINE_FUNCTION void step(const Step& s, const Place& place) {
    if (s.a != place_accumulator) fetch(accumulator_, s.a, place);
    if (s.code < Code::index) {
      store(s, place, accumulator_);
      return;
    }
    if (repertoire == Repertoire::functions && s.code >= Code::unary_u)
      call(s, place);
    else
      compute(s, place);
    if (s.convert != convert_none) Convert::convert_values(s.convert, accumulator_);
    if (s.to != place_none) put(s.to, accumulator_);
  }

  KOKKOS_FORCEINLINE_FUNCTION void compute(const Step& s, const Place& place) {
    Values& v = accumulator_;
    Values a, b;
    if (s.b == place_accumulator)
      copy(b, accumulator_);
    else
      fetch(b, s.b, place);
    if (s.operand != 0) {
      copy(a, b);
      copy(b, accumulator_);
    } else {
      copy(a, accumulator_);
    }
    switch (s.code) {
      case Code::index:
        if constexpr (width == 64) {
          XP_UNROLL
          for (int k = 0; k < W; ++k) v[k] = static_cast<R>(place.position(k));
        }
        break;
      case Code::add_f:
        binary<Add, F>(v, a, b);
        break;
      case Code::subtract_f:
        binary<Subtract, F>(v, a, b);
        break;
      case Code::multiply_f:
        binary<Multiply, F>(v, a, b);
        break;
      case Code::divide_f:
        large_binary<Divide, F>(v, a, b);
        break;
      case Code::negative_f:
        unary<Negative, F>(v, a);
        break;
      case Code::absolute_f:
        unary<Absolute, F>(v, a);
        break;
      case Code::sqrt_f:
        large_unary<Sqrt, F>(v, a);
        break;
      case Code::exp_f:
        large_unary<Exp, F>(v, a);
        break;
      case Code::equal_f:
        compare<Equal, F>(v, a, b);
        break;
      case Code::not_equal_f:
        compare<NotEqual, F>(v, a, b);
        break;
      case Code::less_f:
        compare<Less, F>(v, a, b);
        break;
      case Code::less_equal_f:
        compare<LessEqual, F>(v, a, b);
        break;
      case Code::or_i:
        XP_UNROLL
        for (int k = 0; k < W; ++k) v[k] = raw<R>(static_cast<U>(as<U>(a[k]) | as<U>(b[k])));
        break;
      case Code::and_i:
        XP_UNROLL
        for (int k = 0; k < W; ++k) v[k] = raw<R>(static_cast<U>(as<U>(a[k]) & as<U>(b[k])));
        break;
      case Code::equal_i:
        compare<Equal, U>(v, a, b);
        break;
      case Code::not_equal_i:
        compare<NotEqual, U>(v, a, b);
        break;
      case Code::less_u:
        compare<Less, U>(v, a, b);
        break;
      case Code::less_equal_u:
        compare<LessEqual, U>(v, a, b);
        break;
      case Code::where: {
        Values c;
        if (s.c == place_accumulator)
          copy(c, a);
        else
          fetch(c, s.c, place);
        XP_UNROLL
        for (int k = 0; k < W; ++k) v[k] = truth(a[k]) ? b[k] : c[k];
        break;
      }
      default:
        if constexpr (has_integers) compute_integer(s.code, v, a, b);
        if constexpr (has_complex) compute_complex(s.code, v, a, b);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void compute_integer(Code code, Values& v, const Values& a, const Values& b) {
    switch (code) {
      case Code::add_i:
        return binary<Add, U>(v, a, b);
      case Code::subtract_i:
        return binary<Subtract, U>(v, a, b);
      case Code::multiply_i:
        return binary<Multiply, U>(v, a, b);
      case Code::negative_i:
        return unary<Negative, U>(v, a);
      case Code::absolute_s:
        return unary<Absolute, S>(v, a);
      case Code::less_s:
        return compare<Less, S>(v, a, b);
      case Code::less_equal_s:
        return compare<LessEqual, S>(v, a, b);
      default:
        return;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void compute_complex(Code code, Values& v, const Values& a, Values& b) {
    switch (code) {
      case Code::add_c:
        return binary<Add, C>(v, a, b);
      case Code::subtract_c:
        return binary<Subtract, C>(v, a, b);
      case Code::multiply_c:
        return binary<Multiply, C>(v, a, b);
      case Code::divide_c:
        return large_binary<Divide, C>(v, a, b);
      case Code::negative_c:
        return unary<Negative, C>(v, a);
      case Code::absolute_c:
        return modulus(v, a);
      case Code::sqrt_c:
        return large_unary<ComplexSqrt, C>(v, a);
      case Code::exp_c:
        return large_unary<ComplexExp, C>(v, a);
      case Code::equal_c:
        return compare<Equal, C>(v, a, b);
      case Code::not_equal_c:
        return compare<NotEqual, C>(v, a, b);
      case Code::less_c:
        return compare<Less, C>(v, a, b);
      case Code::less_equal_c:
        return compare<LessEqual, C>(v, a, b);
      default:
        return;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void call(const Step& s, const Place& place) {
    using Call = Functions<width, W>;
    Values& v = accumulator_;
    Values b;
    if (s.code >= Code::binary_u) {
      if (s.b == place_accumulator)
        copy(b, v);
      else
        fetch(b, s.b, place);
      if (s.operand != 0) {
        XP_UNROLL
        for (int k = 0; k < W; ++k) {
          const R first = b[k];
          b[k] = v[k];
          v[k] = first;
        }
      }
    }
    switch (s.code) {
      case Code::unary_u:
        return Call::template unary<U>(s.dtype, v);
      case Code::unary_s:
        if constexpr (has_integers) Call::template unary<S>(s.dtype, v);
        return;
      case Code::unary_f:
        return Call::template unary<F>(s.dtype, v);
      case Code::unary_c:
        if constexpr (has_complex) Call::template unary<C>(s.dtype, v);
        return;
      case Code::binary_u:
        return Call::template binary<U>(s.dtype, v, b);
      case Code::binary_s:
        if constexpr (has_integers) Call::template binary<S>(s.dtype, v, b);
        return;
      case Code::binary_f:
        return Call::template binary<F>(s.dtype, v, b);
      default:
        if constexpr (has_complex) Call::template binary<C>(s.dtype, v, b);
    }
  }

  // ---- Loads ----

  KOKKOS_FORCEINLINE_FUNCTION static void load_native(const Place& place, int operand, Values& v) {
    const typename Place::Address address = place.locate(operand);
    if constexpr (width == 128) {
      Pair8 m[W];
      place.load(address, m);
      XP_UNROLL
      for (int k = 0; k < W; ++k) v[k] = {m[k].first, m[k].second};
    } else {
      place.load(address, v);
    }
  }

  /// Bits of elements no wider than a slot, zero-extended.
  template <class M>
  KOKKOS_FORCEINLINE_FUNCTION static void load_bits(const Place& place, const typename Place::Address& address,
                                                    Values& v) {
    if constexpr (std::is_same_v<M, R>) {
      place.load(address, v);
    } else {
      M m[W];
      place.load(address, m);
      XP_UNROLL
      for (int k = 0; k < W; ++k) {
        if constexpr (width == 128)
          v[k] = {m[k], 0};
        else
          v[k] = m[k];
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void load(const Step& s, const Place& place, Values& v) const {
    const typename Place::Address address = place.locate(s.operand);
    switch (s.code) {
      case Code::load_1:
        load_bits<std::uint8_t>(place, address, v);
        break;
      case Code::load_2:
        load_bits<std::uint16_t>(place, address, v);
        break;
      case Code::load_4:
        load_bits<std::uint32_t>(place, address, v);
        break;
      case Code::load_8:
        if constexpr (width == 32) {
          std::uint64_t m[W];
          place.load(address, m);
          return Convert::decode_8(s.dtype, m, v);
        } else {
          load_bits<std::uint64_t>(place, address, v);
        }
        break;
      case Code::load_4x2: {
        Word2 m[W];
        place.load(address, m);
        std::uint64_t joined[W];
        XP_UNROLL
        for (int k = 0; k < W; ++k) joined[k] = m[k].low | static_cast<std::uint64_t>(m[k].high) << 32;
        if constexpr (width == 32) {
          return Convert::decode_8(s.dtype, joined, v);
        } else {
          XP_UNROLL
          for (int k = 0; k < W; ++k) v[k] = raw<R>(joined[k]);
        }
        break;
      }
      default: {
        Pair8 m[W];
        place.load(address, m);
        return Convert::decode_16(s.dtype, m, v);
      }
    }
    Convert::decode(s.dtype, v);
  }

  // ---- Stores ----

  template <class M>
  KOKKOS_FORCEINLINE_FUNCTION static void store_bits(const Place& place, const typename Place::Address& address,
                                                     const Values& v) {
    if constexpr (std::is_same_v<M, R>) {
      place.store(address, v);
    } else {
      M m[W];
      XP_UNROLL
      for (int k = 0; k < W; ++k) m[k] = static_cast<M>(as<U>(v[k]));
      place.store(address, m);
    }
  }

  template <class M, int dtype>
  KOKKOS_FORCEINLINE_FUNCTION static void store_as(const Place& place, const typename Place::Address& address,
                                                   const Values& v) {
    M m[W];
    XP_UNROLL
    for (int k = 0; k < W; ++k) m[k] = bits_as<M>(convert<Storage<dtype>>(as<F>(v[k])));
    place.store(address, m);
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const Step& s, const Place& place, const Values& v) const {
    const typename Place::Address address = place.locate(s.operand, true);
    switch (s.code) {
      case Code::store_1:
        return store_bits<std::uint8_t>(place, address, v);
      case Code::store_2:
        if (s.dtype == XP_FLOAT16) return store_as<std::uint16_t, XP_FLOAT16>(place, address, v);
        if (s.dtype == XP_BFLOAT16) return store_as<std::uint16_t, XP_BFLOAT16>(place, address, v);
        return store_bits<std::uint16_t>(place, address, v);
      case Code::store_4:
        if constexpr (width != 32)
          if (s.dtype == XP_FLOAT32) return store_as<std::uint32_t, XP_FLOAT32>(place, address, v);
        return store_bits<std::uint32_t>(place, address, v);
      case Code::store_8:
        if constexpr (width != 32) store_bits<std::uint64_t>(place, address, v);
        return;
      case Code::store_4x2:
        if constexpr (width == 64) {
          Word2 m[W];
          XP_UNROLL
          for (int k = 0; k < W; ++k) m[k] = {static_cast<std::uint32_t>(v[k]), static_cast<std::uint32_t>(v[k] >> 32)};
          place.store(address, m);
        }
        return;
      case Code::store_16:
        if constexpr (width == 128) {
          Pair8 m[W];
          XP_UNROLL
          for (int k = 0; k < W; ++k) m[k] = {v[k].first, v[k].second};
          place.store(address, m);
        }
        return;
      default:
        store_any(s, place, address);
    }
  }

  template <class From>
  KOKKOS_FORCEINLINE_FUNCTION static void store_converted(char* to, int dtype, From value) {
    switch (dtype) {
      case XP_BOOL:
        return write(to, convert<Bool>(value));
      case XP_INT8:
      case XP_UINT8:
        return dtype == XP_INT8 ? write(to, convert<std::int8_t>(value)) : write(to, convert<std::uint8_t>(value));
      case XP_INT16:
      case XP_UINT16:
        return dtype == XP_INT16 ? write(to, convert<std::int16_t>(value)) : write(to, convert<std::uint16_t>(value));
      case XP_INT32:
      case XP_UINT32:
        return dtype == XP_INT32 ? write(to, convert<std::int32_t>(value)) : write(to, convert<std::uint32_t>(value));
      case XP_INT64:
      case XP_UINT64:
        return dtype == XP_INT64 ? write(to, convert<std::int64_t>(value)) : write(to, convert<std::uint64_t>(value));
      case XP_FLOAT16:
        return write(to, convert<Half>(value));
      case XP_BFLOAT16:
        return write(to, convert<BFloat16>(value));
      case XP_FLOAT32:
        return write(to, convert<float>(value));
      case XP_FLOAT64:
        return write(to, convert<double>(value));
      case XP_COMPLEX64:
        return write(to, convert<Complex<float>>(value));
      default:
        return write(to, convert<Complex<double>>(value));
    }
  }

  /// A store to a dtype that the width has no slot for: rare, so that it is small code and not fast.
  KOKKOS_FORCEINLINE_FUNCTION void store_any(const Step& s, const Place& place,
                                             const typename Place::Address& address) const {
    const auto kind = static_cast<Kind>(s.dtype & 15);
    const int to = s.dtype >> 4;
    const R* slot = scratch_ + (s.b - place_scratch) * W * team_;
#if defined(__CUDACC__)
#pragma unroll 1
#endif
    for (int k = 0; k < W; ++k) {
      if (!place.valid(k)) continue;
      char* at = place.element(address, k, dtype_size(to));
      const R value = slot[k * team_];
      switch (kind) {
        case Kind::signed_:
          if constexpr (has_integers) store_converted(at, to, static_cast<std::int64_t>(as<S>(value)));
          break;
        case Kind::real:
          store_converted(at, to, static_cast<double>(as<F>(value)));
          break;
        case Kind::complex:
          if constexpr (has_complex) store_converted(at, to, as<C>(value));
          break;
        default:
          store_converted(at, to, static_cast<std::uint64_t>(as<U>(value)));
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static int dtype_size(int dtype) {
    if (dtype == XP_BOOL || dtype == XP_INT8 || dtype == XP_UINT8) return 1;
    if (dtype == XP_INT16 || dtype == XP_UINT16 || dtype == XP_FLOAT16 || dtype == XP_BFLOAT16) return 2;
    if (dtype == XP_INT32 || dtype == XP_UINT32 || dtype == XP_FLOAT32) return 4;
    return dtype == XP_COMPLEX128 ? 16 : 8;
  }

  const Steps<width>& steps_;
  R* scratch_;
  int team_;
  Values accumulator_{}, fast_{};
};

}  // namespace xp::kernels
