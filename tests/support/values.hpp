// SPDX-License-Identifier: Apache-2.0
// Random elements of any dtype, with the values among them that break things.
#pragma once

#include <array>
#include <random>

#include "support/oracle.hpp"

namespace oracle {

/// SplitMix64: small, seedable, the same everywhere (the standard's distributions are not).
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// In [0, bound).
  Index below(Index bound) { return static_cast<Index>(bits() % static_cast<std::uint64_t>(bound)); }
  Index between(Index low, Index high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }
  /// In [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

enum class Flavour {
  any,     // every exponent, infinities, NaN, -0
  finite,  // moderate numbers
};

template <class R>
double random_real(Rng& rng, Flavour flavour) {
  using Limits = std::numeric_limits<std::conditional_t<is_half<R>, float, R>>;
  const double moderate = (rng.uniform() - 0.5) * 16;
  if (flavour == Flavour::finite) return moderate;
  const int exponent = std::is_same_v<R, double> ? 1000 : std::is_same_v<R, F16> ? 20 : 130;
  switch (rng.below(16)) {
    case 0: {
      constexpr std::array specials{0.0,   -0.0,   1.0,     -1.0,         0.5,
                                    255.5, -128.5, 65504.0, 2147483648.0, -9223372036854775808.0};
      return specials[static_cast<std::size_t>(rng.below(specials.size()))];
    }
    case 1: {
      const std::array limits{static_cast<double>(Limits::infinity()),  -static_cast<double>(Limits::infinity()),
                              static_cast<double>(Limits::quiet_NaN()), static_cast<double>(Limits::max()),
                              static_cast<double>(Limits::lowest()),    static_cast<double>(Limits::denorm_min()),
                              static_cast<double>(Limits::min())};
      return limits[static_cast<std::size_t>(rng.below(limits.size()))];
    }
    case 2:
    case 3:
      return std::ldexp(moderate, static_cast<int>(rng.between(-exponent, exponent)));
    case 4:
      return std::nearbyint(moderate * 64);  // exact halves and integers meet ties
    default:
      return moderate;
  }
}

template <class T>
T random_value(Rng& rng, Flavour flavour) {
  if constexpr (is_bool<T>) {
    return (rng.bits() & 1) != 0;
  } else if constexpr (is_integer<T>) {
    using Limits = std::numeric_limits<T>;
    switch (rng.below(8)) {
      case 0: {
        constexpr std::array<T, 6> specials{0, 1, static_cast<T>(-1), Limits::min(), Limits::max(), Limits::max() / 2};
        return specials[static_cast<std::size_t>(rng.below(specials.size()))];
      }
      case 1:
      case 2:
      case 3:
        return static_cast<T>(rng.bits());
      default:
        return static_cast<T>(rng.between(-100, 100));
    }
  } else if constexpr (is_complex<T>) {
    using R = typename T::value_type;
    const auto real = static_cast<R>(random_real<R>(rng, flavour));
    return {real, static_cast<R>(random_real<R>(rng, flavour))};
  } else if constexpr (is_half<T>) {
    return narrow<T>(random_real<T>(rng, flavour));
  } else {
    return static_cast<T>(random_real<T>(rng, flavour));
  }
}

inline Buffer random_buffer(DType dtype, Index count, Rng& rng, Flavour flavour = Flavour::any) {
  Buffer result(dtype, count);
  visit(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (Index i = 0; i < count; ++i) result.data<T>()[i] = random_value<T>(rng, flavour);
  });
  return result;
}

}  // namespace oracle
