// SPDX-License-Identifier: Apache-2.0
#include "accuracy_arguments.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "accuracy_reference.hpp"

namespace accuracy {

namespace {

using xp::Op;

constexpr double ln2 = std::numbers::ln2;

// ---- Numbers of a dtype ----

template <class T>
using Bits =
    std::conditional_t<sizeof(T) == 2, std::uint16_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;

template <class T>
T narrowed(double value) {
  if constexpr (sizeof(T) == 2)
    return T(static_cast<float>(value));
  else
    return static_cast<T>(value);
}

template <class T>
T from_bits(Bits<T> bits) {
  return std::bit_cast<T>(bits);
}
template <class T>
T any(Random& random) {
  return from_bits<T>(static_cast<Bits<T>>(random.bits()));
}

// Numbers in their order are integers in theirs: the n-th of them counted from zero.
template <class T>
std::int64_t rank_of(T value) {
  constexpr int sign = sizeof(T) * 8 - 1;
  const auto bits = std::bit_cast<Bits<T>>(value);
  const auto size = static_cast<std::int64_t>(bits & ~(Bits<T>{1} << sign));
  return (bits >> sign) != 0 ? -size : size;
}
template <class T>
T of_rank(std::int64_t rank) {
  constexpr int sign = sizeof(T) * 8 - 1;
  const auto size = static_cast<Bits<T>>(rank < 0 ? -rank : rank);
  return from_bits<T>(rank < 0 ? static_cast<Bits<T>>(size | (Bits<T>{1} << sign)) : size);
}
template <class T>
std::int64_t most_rank() {
  constexpr Format format = format_of(xp::dtype_of<T>());
  return rank_of(narrowed<T>(std::ldexp(2 - std::ldexp(1, 1 - format.digits), format.greatest - 1)));
}
/// A neighbour of the number, or itself, or the greatest one.
template <class T>
T moved(T value, std::int64_t steps) {
  return of_rank<T>(std::clamp(rank_of(value) + steps, -most_rank<T>(), most_rank<T>()));
}

/// In an interval: evenly in value, or evenly among the dtype's numbers, which is by exponents.
template <class T>
T within(Random& random, double low, double high) {
  if ((random.bits() & 1) != 0) return narrowed<T>(random.uniform(low, high));
  const auto first = static_cast<std::uint64_t>(rank_of(narrowed<T>(low))),
             last = static_cast<std::uint64_t>(rank_of(narrowed<T>(high)));
  return of_rank<T>(static_cast<std::int64_t>(first + random.bits() % (last - first + 1)));
}
/// At a place: one of the nearest numbers, or at a distance of any power of 2.
template <class T>
T near(Random& random, double place) {
  constexpr Format format = format_of(xp::dtype_of<T>());
  if ((random.bits() & 1) != 0) return moved(narrowed<T>(place), random.whole(-32, 32));
  const int deepest = place == 0 ? format.least - format.digits : -format.digits;
  const double distance = std::ldexp(1 + random.unit(), random.whole(deepest, -1));
  return narrowed<T>(place + random.sign() * distance * (place == 0 ? 1 : std::fabs(place)));
}
/// Next to a multiple of pi / 2, the number of turns of any size that the reference can reduce.
template <class T>
T near_quarter_turn(Random& random) {
  const int digits = random.whole(0, 60);
  const double k = std::floor(std::ldexp(1 + random.unit(), digits));
  return moved(narrowed<T>(random.sign() * static_cast<double>(quarter_turns(k))), random.whole(-3, 3));
}

// ---- Places of functions of one operand ----

struct Places {
  std::vector<std::pair<double, double>> intervals;
  std::vector<double> points;
  bool quarter_turns = false;
  int integers = 0;  // 0, -1, ... down to this
};

Places places_of(Op op, Format format) {
  const bool is_double = format.digits == 53;
  // exp overflows above, becomes subnormal below `normal`, and 0 below `under`.
  const double over = format.greatest * ln2, normal = format.least * ln2, under = (format.least - format.digits) * ln2;
  switch (op) {
    case Op::exp:
      return {{{under, over}, {-1, 1}}, {0, over, normal, under}};
    case Op::exp2:
      return {{{under / ln2, over / ln2}, {-1, 1}}, {0, over / ln2, normal / ln2, under / ln2}};
    case Op::expm1:
      return {{{-50, over}, {-1, 1}}, {0, over, -1, ln2, -ln2}};
    case Op::sinh:
    case Op::cosh:
      return {{{-over - 1, over + 1}, {-1, 1}}, {0, over + ln2, -over - ln2, over}};
    case Op::tanh:
      return {{{-25, 25}, {-1, 1}}, {0, 0.5, 1}};
    case Op::log:
    case Op::log2:
    case Op::log10:
      return {{{0, 10}, {0.5, 2}}, {0, 1, 0.5, 2, 10}};
    case Op::log1p:
      return {{{-1, 10}, {-0.5, 1}}, {0, -1, 1}};
    case Op::sin:
    case Op::cos:
    case Op::tan:
      // The last are the numbers of their dtypes that come closest to a multiple of pi / 2.
      return {{{-7, 7}, {-1e5, 1e5}, {1e5, std::ldexp(1, format.greatest - 1)}},
              {0, std::numbers::pi / 2, std::numbers::pi, is_double ? 0x1.6ac5b262ca1ffp+849 : 0x1.f9cbe2p+95},
              true};
    case Op::asin:
    case Op::acos:
    case Op::atanh:
      return {{{-1, 1}, {0.4, 0.6}}, {0, 1, -1, 0.5, -0.5}};
    case Op::acosh:
      return {{{1, 2}, {1, 100}}, {1, 2, std::ldexp(1, format.digits / 2), std::ldexp(1, format.greatest - 1)}};
    case Op::asinh:
      return {{{-1, 1}, {-100, 100}}, {0, 1, std::ldexp(1, format.digits / 2), std::ldexp(1, format.greatest - 1)}};
    case Op::atan:
      return {{{-1, 1}, {-50, 50}}, {0, 1, -1, 0.4375, 0.6875, 1.1875, 2.4375}};
    case Op::cbrt:
      return {{{-10, 10}, {1, 8}}, {0, 1, 8, 27, 1000}};
    case Op::erf:
      return {{{-6, 6}, {-1, 1}}, {0, 1, 0.84375, 1.25}};
    case Op::erfc: {
      const double last = std::sqrt(-under);
      return {{{-6, last}, {0, last}, {-1, 2}}, {0, 0.5, 1, 1.25, last, std::sqrt(-normal)}};
    }
    case Op::gamma: {
      const double last = is_double ? 171.6243769563027 : 35.0400981;
      return {{{is_double ? -184.0 : -42.0, last}, {0, 4}, {-5, 0}, {10, last}},
              {0, 1, 2, last, 1.4616321449683623},
              false,
              is_double ? -185 : -43};
    }
    case Op::lgamma:
      // The last are zeros of negative arguments.
      return {{{-30, 30}, {0, 4}, {-4, -2}, {2, 1e6}},
              {0, 1, 2, -2.457024738220801, -2.7476826467274127, -3.143580888349980, -3.955294284858598},
              false,
              -60};
    default:
      return {{{-1, 1}, {-1000, 1000}, {0, 10}}, {0, 1, 2}};
  }
}

template <class T>
std::vector<T> special_values() {
  constexpr Format format = format_of(xp::dtype_of<T>());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double most = widened(of_rank<T>(most_rank<T>())), normal = std::ldexp(1, format.least);
  std::vector<T> result;
  for (const double value : {0.0,
                             infinity,
                             std::ldexp(1, format.least - format.digits + 1),
                             normal,
                             most,
                             0.25,
                             1.0 / 3,
                             0.5,
                             0.75,
                             1.0,
                             1.5,
                             2.0,
                             2.5,
                             3.0,
                             4.0,
                             5.0,
                             8.0,
                             10.0,
                             27.0,
                             34.0,
                             35.0,
                             100.0,
                             170.0,
                             171.0,
                             172.0,
                             1e4,
                             0x1p23,
                             0x1p31,
                             0x1p53,
                             0x1p63,
                             std::numbers::pi,
                             std::numbers::pi / 2})
    for (const int steps : {-1, 0, 1})
      for (const double sign : {1.0, -1.0}) {
        const T number = narrowed<T>(sign * value);
        if (std::isinf(widened(number)) || value == 0) {
          if (steps == 0) result.push_back(number);
        } else {
          result.push_back(moved(number, steps));
        }
      }
  result.push_back(narrowed<T>(std::numeric_limits<double>::quiet_NaN()));
  return result;
}

// ---- Pairs ----

template <class T>
using PairDraw = std::function<std::pair<T, T>(Random&)>;

template <class T>
std::pair<T, T> pair(double a, double b) {
  return {narrowed<T>(a), narrowed<T>(b)};
}

// Bases with exponents that give every size of result.
template <class T>
std::vector<PairDraw<T>> powers() {
  constexpr Format format = format_of(xp::dtype_of<T>());
  constexpr double over = format.greatest * ln2, under = (format.least - format.digits) * ln2;
  const double most = std::ldexp(1, format.greatest - 1);
  const auto exponent_for = [most](double base, double log_of_result) {
    const double log = std::log(base);
    return log == 0 ? most : std::clamp(log_of_result / log, -most, most);
  };
  return {
      [=](Random& r) {
        const T base = within<T>(r, std::ldexp(1, format.least - format.digits), most);
        return std::pair(base, narrowed<T>(exponent_for(widened(base), r.uniform(under, over))));
      },
      [=](Random& r) {
        const T base = near<T>(r, 1);
        return std::pair(base, narrowed<T>(exponent_for(std::fabs(widened(base)), r.uniform(under, over))));
      },
      [=](Random& r) {
        const T base = within<T>(r, 0, 20);
        const double limit = (r.bits() & 1) != 0 ? over : under;
        return std::pair(base, moved(narrowed<T>(exponent_for(widened(base), limit)), r.whole(-16, 16)));
      },
      [](Random& r) { return std::pair(within<T>(r, 0, 10), within<T>(r, -10, 10)); },
      [](Random& r) { return std::pair(within<T>(r, -50, 50), narrowed<T>(r.whole(-40, 40))); },
      [](Random& r) { return pair<T>(r.whole(-20, 20), r.whole(-40, 40) / 4.0); },
      [](Random& r) {
        return std::pair(near<T>(r, -1), narrowed<T>(std::floor(std::ldexp(r.unit(), r.whole(0, 60)))));
      },
  };
}

template <class T>
std::vector<PairDraw<T>> angles() {
  return {
      [](Random& r) { return std::pair(within<T>(r, -1, 1), within<T>(r, -1, 1)); },
      [](Random& r) {
        // Of one size, up to a factor of any power of 2.
        const T first = any<T>(r);
        const double factor = r.sign() * std::ldexp(1 + r.unit(), r.whole(-60, 60));
        return std::pair(first, narrowed<T>(widened(first) * factor));
      },
      [](Random& r) {
        const T first = any<T>(r);
        return std::pair(first, narrowed<T>(widened(first) * r.sign() * widened(near<T>(r, 1))));
      },
      [](Random& r) {
        // The quotient is subnormal.
        const double size = std::ldexp(1 + r.unit(), r.whole(0, 6));
        return std::pair(within<T>(r, 0, std::ldexp(1, format_of(xp::dtype_of<T>()).least + 4)), narrowed<T>(size));
      },
  };
}

template <class T>
std::vector<PairDraw<T>> sides() {
  constexpr Format format = format_of(xp::dtype_of<T>());
  std::vector<PairDraw<T>> result = angles<T>();
  result.push_back([](Random& r) {
    // Whole, with a whole hypotenuse.
    const int m = r.whole(2, 40), n = r.whole(1, m - 1);
    return pair<T>(m * m - n * n, 2 * m * n);
  });
  for (const int edge : {format.greatest, format.least, format.least - format.digits})
    result.push_back([=](Random& r) {
      return pair<T>(std::ldexp(0.5 + r.unit(), edge - 1), std::ldexp(0.5 + r.unit(), edge - 1 - r.whole(0, 30)));
    });
  return result;
}

template <class T>
std::vector<PairDraw<T>> logarithms(double base) {
  return {
      [](Random& r) { return std::pair(within<T>(r, -2, 2), within<T>(r, -2, 2)); },
      [](Random& r) {
        const T first = within<T>(r, -50, 50);
        return std::pair(first, narrowed<T>(widened(first) + r.uniform(-40, 40)));
      },
      [](Random& r) { return std::pair(within<T>(r, -800, 800), within<T>(r, -800, 800)); },
      [](Random& r) {
        const T first = any<T>(r);
        return std::pair(first, narrowed<T>(widened(first) * r.uniform(0.5, 2)));
      },
      [base](Random& r) {
        // The sum of the powers is near 1, and its logarithm near 0.
        const double part = widened(near<T>(r, r.bits() % 2 != 0 ? 0 : 0.5));
        const double share = std::clamp(std::fabs(part), 1e-30, 1 - 1e-7);
        return std::pair(narrowed<T>(std::log(share) / std::log(base)),
                         moved(narrowed<T>(std::log1p(-share) / std::log(base)), r.whole(-8, 8)));
      },
  };
}

}  // namespace

template <class T>
Arguments<T>::Arguments(Op op, std::uint64_t seed) : random_(seed) {
  constexpr Format format = format_of(xp::dtype_of<T>());
  const std::vector<T> values = special_values<T>();
  if (xp::info(op).arity == 2) {
    for (const T a : values)
      for (const T b : values) special_.push_back({a, b});
    draws_ = op == Op::power   ? powers<T>()
             : op == Op::atan2 ? angles<T>()
             : op == Op::hypot ? sides<T>()
                               : logarithms<T>(op == Op::logaddexp2 ? 2 : std::numbers::e);
    draws_.push_back([](Random& r) { return std::pair(any<T>(r), any<T>(r)); });
    return;
  }
  for (const T value : values) special_.push_back({value, value});
  const auto add = [this](auto draw) {
    draws_.push_back([draw](Random& r) {
      const T value = draw(r);
      return std::pair(value, value);
    });
  };
  const Places places = places_of(op, format);
  add([](Random& r) { return any<T>(r); });
  for (const auto& [low, high] : places.intervals)
    add([low = low, high = high](Random& r) { return within<T>(r, low, high); });
  add([points = places.points](Random& r) { return near<T>(r, points[r.bits() % points.size()]); });
  if (places.quarter_turns) add([](Random& r) { return near_quarter_turn<T>(r); });
  if (places.integers != 0) add([last = places.integers](Random& r) { return near<T>(r, r.whole(last, 0)); });
}

template <class T>
std::pair<T, T> Arguments<T>::next() {
  const std::size_t turn = turn_++;
  return turn < special_.size() ? special_[turn] : draws_[turn % draws_.size()](random_);
}

template class Arguments<xp::Half>;
template class Arguments<xp::BFloat16>;
template class Arguments<float>;
template class Arguments<double>;

// ---- Complex arguments ----

namespace {

template <class R>
std::vector<std::function<std::complex<R>(Random&)>> complex_draws(Op op) {
  using C = std::complex<R>;
  constexpr Format format = format_of(xp::dtype_of<R>());
  const double over = format.greatest * ln2;
  const auto polar = [](double size, double angle) {
    return C(static_cast<R>(size * std::cos(angle)), static_cast<R>(size * std::sin(angle)));
  };
  const auto turn = [](Random& r) { return r.uniform(-std::numbers::pi, std::numbers::pi); };
  std::vector<std::function<C(Random&)>> draws = {
      [](Random& r) { return C(within<R>(r, -3, 3), within<R>(r, -3, 3)); },
      [=](Random& r) { return polar(std::ldexp(1 + r.unit(), r.whole(-20, 5)), turn(r)); },
      // Near the circle around 0 on which log is imaginary.
      [=](Random& r) { return polar(widened(near<R>(r, 1)), turn(r)); },
      // Near a branch point, a zero or a pole of one of the functions.
      [=](Random& r) {
        const C places[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {0, 0}};
        const C place = places[r.bits() % 5];
        return place + polar(std::ldexp(1 + r.unit(), r.whole(-format.digits, -1)), turn(r));
      },
      // One part small.
      [](Random& r) {
        const R small = static_cast<R>(r.sign() * std::ldexp(1 + r.unit(), r.whole(-60, 0)));
        const R other = within<R>(r, -3, 3);
        return (r.bits() & 1) != 0 ? C(small, other) : C(other, small);
      },
  };
  switch (op) {
    case Op::exp:
    case Op::expm1:
    case Op::sinh:
    case Op::cosh:
    case Op::tanh:
      draws.push_back([=](Random& r) { return C(within<R>(r, -over, over), within<R>(r, -1000, 1000)); });
      break;
    case Op::sin:
    case Op::cos:
    case Op::tan:
      draws.push_back([=](Random& r) { return C(within<R>(r, -1000, 1000), within<R>(r, -over, over)); });
      break;
    case Op::exp2:
    case Op::power:
      break;
    default: {
      // Every exponent.
      const double most = std::ldexp(1, format.greatest - 2);
      draws.push_back([=](Random& r) { return C(within<R>(r, -most, most), within<R>(r, -most, most)); });
    }
  }
  return draws;
}

}  // namespace

template <class R>
ComplexArguments<R>::ComplexArguments(Op op, std::uint64_t seed) : random_(seed) {
  // These are exp of a rounded product, whose size their errors grow with.
  constexpr double largest_product = 32;
  for (const auto& first : complex_draws<R>(op)) {
    if (op == Op::power) {
      draws_.push_back([=](Random& r) {
        while (true) {
          const std::pair pair(first(r), Value(within<R>(r, -2, 2), within<R>(r, -2, 2)));
          const auto [a, b] = pair;
          if (std::abs(b) * std::abs(std::log(a)) <= largest_product) return pair;
        }
      });
      // By multiplication.
      draws_.push_back([=](Random& r) { return std::pair(first(r), Value(static_cast<R>(r.whole(-20, 20)), 0)); });
    } else if (op == Op::exp2) {
      draws_.push_back([=](Random& r) {
        while (true)
          if (const Value a = first(r); std::abs(a) <= largest_product) return std::pair(a, a);
      });
    } else {
      draws_.push_back([=](Random& r) {
        const Value a = first(r);
        return std::pair(a, a);
      });
    }
  }
}

template <class R>
std::pair<std::complex<R>, std::complex<R>> ComplexArguments<R>::next() {
  return draws_[turn_++ % draws_.size()](random_);
}

template class ComplexArguments<float>;
template class ComplexArguments<double>;

}  // namespace accuracy
