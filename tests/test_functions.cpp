// SPDX-License-Identifier: Apache-2.0
// Functions in the ranges where they are hard: every value of the 16-bit floats, all exponents, neighbourhoods of
// zeros, poles and limits of the domain, huge arguments. Errors are bounded in units of the last place
// (support/tolerances.hpp).
#include <bit>
#include <functional>
#include <numbers>

#include "support/devices.hpp"
#include "support/layouts.hpp"
#include "support/main.hpp"
#include "support/operations.hpp"

namespace {

using namespace xp_test;
using oracle::Rng;
using oracle::Tolerance;
using xp::Index;

std::vector<Op> functions_of(DType dtype) {
  std::vector<Op> rows;
  for (const Op op : callable_rows())
    if (oracle::computes_in(op, dtype) && !is_exact(op, dtype)) rows.push_back(op);
  return rows;
}

// ---- Arguments of real functions ----

using Draw = std::function<double(Rng&)>;

Draw uniform(double low, double high) {
  return [=](Rng& rng) { return low + (high - low) * rng.uniform(); };
}
// A random mantissa and sign at an exponent of 2 between two.
Draw scaled(int low, int high) {
  return [=](Rng& rng) {
    const double mantissa = 1 + rng.uniform();
    return std::ldexp(rng.chance(50) ? mantissa : -mantissa, static_cast<int>(rng.between(low, high)));
  };
}
// As close as the dtype allows, and further away.
Draw around(double centre, int nearest) {
  return [=](Rng& rng) {
    const double distance = std::ldexp(1 + rng.uniform(), static_cast<int>(rng.between(nearest, -2)));
    return centre + (rng.chance(50) ? distance : -distance) * std::max(1.0, std::fabs(centre));
  };
}
Draw around_multiples_of(double period, int most, int nearest) {
  return [=](Rng& rng) { return around(period * static_cast<double>(rng.between(-most, most)), nearest)(rng); };
}

// Where a row's first operand is drawn from, besides all exponents.
std::vector<Draw> domain(Op op, bool is_double) {
  const double overflow = is_double ? 710 : 89, underflow = is_double ? -746 : -104;
  const int nearest = is_double ? -52 : -23;
  switch (op) {
    case Op::exp:
    case Op::expm1:
    case Op::sinh:
    case Op::cosh:
      return {uniform(underflow, overflow), uniform(-1, 1), around(0, -40)};
    case Op::exp2:
      return {uniform(is_double ? -1080 : -152, is_double ? 1025 : 129), uniform(-1, 1)};
    case Op::log:
    case Op::log2:
    case Op::log10:
      return {uniform(0, 4), around(1, nearest)};
    case Op::log1p:
      return {uniform(-1, 3), around(0, -60), around(-1, nearest)};
    case Op::sin:
    case Op::cos:
    case Op::tan:
      return {uniform(-8, 8), uniform(-1e5, 1e5), around_multiples_of(std::numbers::pi / 2, 100, nearest),
              around_multiples_of(std::numbers::pi / 2, 1000000, nearest), scaled(20, is_double ? 1023 : 127)};
    case Op::asin:
    case Op::acos:
    case Op::atanh:
      return {uniform(-1, 1), around(1, nearest), around(-1, nearest), around(0, -40)};
    case Op::acosh:
      return {uniform(1, 4), around(1, nearest), scaled(1, is_double ? 1023 : 127)};
    case Op::erf:
    case Op::erfc:
      return {uniform(-7, 7), uniform(0, is_double ? 28 : 11), around(0, -40)};
    case Op::gamma:
      return {uniform(is_double ? -184 : -42, is_double ? 172 : 36), around_multiples_of(1, 30, nearest),
              uniform(0, 3)};
    case Op::lgamma:
      return {uniform(-60, 60), around_multiples_of(1, 30, nearest), around(1, nearest), around(2, nearest),
              scaled(5, is_double ? 1000 : 120)};
    case Op::power:
      return {uniform(0, 10), around(1, nearest), uniform(-4, 4)};
    case Op::logaddexp:
    case Op::logaddexp2:
      return {uniform(-2, 2), uniform(-50, 50), uniform(-800, 800)};
    default:
      return {uniform(-1, 1), uniform(-20, 20), around(0, -40)};
  }
}

// The second operand of a pair whose first is `first`.
double second_operand(Op op, double first, bool is_double, Rng& rng) {
  if (op == Op::power) {
    if (first < 0 || rng.chance(20)) return static_cast<double>(rng.between(-30, 30));
    // The whole range of results, evenly in their exponents.
    const double range = is_double ? 745 : 103, log = std::log(first);
    return log == 0 ? 1e10 * rng.uniform() : (2 * rng.uniform() - 1) * range / log;
  }
  if (rng.chance(50)) return first * (0.5 + rng.uniform());
  return scaled(-4, 4)(rng) * (op == Op::atan2 || op == Op::hypot ? std::fabs(first) : 1);
}

template <class T>
T any_bits(Rng& rng) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<std::uint32_t>(rng.bits()));
  else
    return std::bit_cast<double>(rng.bits());
}

class Functions : public OnDevice {
 protected:
  void check(Op op, const Buffer& a, const Buffer& b) const {
    const Tolerance tolerance = tolerance_of(op, a.dtype, GetParam());
    Buffer got = oracle::read(call(op, oracle::upload(a, {a.count}, device), oracle::upload(b, {b.count}, device)));
    const Buffer want = oracle::apply(op, a, b);
    if (a.dtype >= xp::complex64) leave_out_limits(got, want);
    for (Index i = 0; i < a.count; ++i) {
      Buffer x(got.dtype, 1), y(want.dtype, 1);
      x.set(0, got.get(i));
      y.set(0, want.get(i));
      if (oracle::equal(x, y, tolerance)) continue;
      ADD_FAILURE() << xp::info(op).name << " of " << xp::name(a.dtype) << ": (" << oracle::text(a.get(i)) << ", "
                    << oracle::text(b.get(i)) << ") gives " << oracle::text(got.get(i)) << ", expected "
                    << oracle::text(want.get(i));
      return;
    }
  }

 private:
  // A modulus that overflows or underflows has no relative error; special values are in the golden files.
  static void leave_out_limits(Buffer& got, const Buffer& want) {
    oracle::visit(want.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (oracle::is_complex<T>) {
        using R = typename T::value_type;
        using Limits = std::numeric_limits<R>;
        for (Index i = 0; i < want.count; ++i) {
          const R size = std::hypot(want.data<T>()[i].real(), want.data<T>()[i].imag());
          if (!(size > Limits::min() * 1024 && size < Limits::max() / 1024)) got.data<T>()[i] = want.data<T>()[i];
        }
      }
    });
  }
};

TEST_P(Functions, OfEveryHalf) {
  Rng rng(1);
  for (const DType dtype : {xp::float16, xp::bfloat16}) {
    Buffer all(dtype, 65536), other(dtype, 65536);
    for (Index i = 0; i < 65536; ++i) {
      all.data<std::uint16_t>()[i] = static_cast<std::uint16_t>(i);
      other.data<std::uint16_t>()[i] = static_cast<std::uint16_t>(rng.bits());
    }
    for (const Op op : functions_of(dtype)) check(op, all, other);
  }
}

TEST_P(Functions, WhereTheyAreHard) {
  const Index count = interpreted() ? 500 : 4000;
  for (const DType dtype : {xp::float32, xp::float64}) {
    const bool is_double = dtype == xp::float64;
    oracle::visit(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_floating_point_v<T>)
        for (const Op op : functions_of(dtype)) {
          Rng rng(100 + static_cast<std::uint64_t>(op));
          std::vector<Draw> draws = domain(op, is_double);
          draws.push_back([](Rng& source) { return static_cast<double>(any_bits<T>(source)); });
          for (const Draw& draw : draws) {
            Buffer a(dtype, count), b(dtype, count);
            for (Index i = 0; i < count; ++i) {
              const auto first = static_cast<T>(draw(rng));
              a.data<T>()[i] = first;
              b.data<T>()[i] = rng.chance(10)
                                   ? any_bits<T>(rng)
                                   : static_cast<T>(second_operand(op, static_cast<double>(first), is_double, rng));
            }
            check(op, a, b);
          }
        }
    });
  }
}

TEST_P(Functions, OfSpecialValues) {
  for (const DType dtype : {xp::float32, xp::float64}) {
    oracle::visit(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      using Limits = std::numeric_limits<T>;
      if constexpr (std::is_floating_point_v<T>) {
        std::vector<T> values;
        for (const T value :
             {T(0), T(1), T(0.5), T(1.5), T(2), T(3), T(4), T(100), T(1e10), T(170.6), T(35.04), Limits::min(),
              Limits::denorm_min(), Limits::max(), Limits::infinity(), Limits::quiet_NaN(), Limits::epsilon(),
              T(1) + Limits::epsilon(), T(1) - Limits::epsilon() / 2})
          for (const T sign : {T(1), T(-1)}) values.push_back(sign * value);
        const auto n = static_cast<Index>(values.size());
        Buffer a(dtype, n * n), b(dtype, n * n);
        for (Index i = 0; i < n * n; ++i) {
          a.data<T>()[i] = values[static_cast<std::size_t>(i / n)];
          b.data<T>()[i] = values[static_cast<std::size_t>(i % n)];
        }
        for (const Op op : functions_of(dtype)) check(op, a, b);
      }
    });
  }
}

TEST_P(Functions, OfComplexNumbers) {
  const Index count = interpreted() ? 300 : 2000;
  for (const DType dtype : {xp::complex64, xp::complex128}) {
    oracle::visit(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (oracle::is_complex<T>) {
        using R = typename T::value_type;
        for (const Op op : functions_of(dtype)) {
          Rng rng(200 + static_cast<std::uint64_t>(op));
          // Moderate; small; one part small; near the unit circle; larger.
          for (int kind = 0; kind < 5; ++kind) {
            if (op == Op::power && kind == 4) continue;  // its error grows with b log(a)
            Buffer a(dtype, count), b(dtype, count);
            for (Index i = 0; i < count; ++i) {
              double x = 6 * rng.uniform() - 3, y = 6 * rng.uniform() - 3;
              if (kind == 1 || kind == 2) x *= 1e-4;
              if (kind == 1) y *= 1e-4;
              if (kind == 3) {
                x = std::cos(y) * (1 + 1e-2 * rng.uniform());
                y = std::sin(y);
              }
              if (kind == 4) {
                x *= 10;
                y *= 10;
              }
              a.data<T>()[i] = {static_cast<R>(x), static_cast<R>(y)};
              b.data<T>()[i] = {static_cast<R>(4 * rng.uniform() - 2), static_cast<R>(4 * rng.uniform() - 2)};
            }
            check(op, a, b);
          }
        }
      }
    });
  }
}

XP_INSTANTIATE_ON_DEVICES(Functions);

// The oracle's half of a ULP is added to a tolerance.
TEST(Tolerances, CountUnitsInTheLastPlace) {
  const Tolerance one{1}, two{2};
  const float next = std::nextafter(1.0f, 2.0f), second = std::nextafter(next, 2.0f),
              third = std::nextafter(second, 2.0f);
  EXPECT_TRUE(oracle::close(next, 1.0f, one));
  EXPECT_FALSE(oracle::close(next, 1.0f, oracle::equal_bits));
  EXPECT_FALSE(oracle::close(second, 1.0f, one));
  EXPECT_TRUE(oracle::close(second, 1.0f, two));
  EXPECT_FALSE(oracle::close(third, 1.0f, two));
  // Subnormal numbers have the spacing of the least normal ones; infinity follows the greatest number.
  const double least = std::numeric_limits<double>::denorm_min(), most = std::numeric_limits<double>::max();
  EXPECT_TRUE(oracle::close(2 * least, least, one));
  EXPECT_FALSE(oracle::close(3 * least, least, one));
  EXPECT_TRUE(oracle::close(0.0, least, one));
  EXPECT_TRUE(oracle::close(std::numeric_limits<double>::infinity(), most, one));
  EXPECT_FALSE(oracle::close(-std::numeric_limits<double>::infinity(), most, one));
  EXPECT_FALSE(oracle::close(std::numeric_limits<double>::infinity(), most / 2, one));
  EXPECT_FALSE(oracle::close(0.0, -0.0, two));
  EXPECT_FALSE(oracle::close(std::numeric_limits<double>::quiet_NaN(), 1.0, two));
  EXPECT_TRUE(oracle::close(oracle::F16{0x3c01}, oracle::F16{0x3c00}, one));
  EXPECT_FALSE(oracle::close(oracle::F16{0x3c02}, oracle::F16{0x3c00}, one));
  EXPECT_TRUE(oracle::close(oracle::BF16{0x7f80}, oracle::BF16{0x7f7f}, one));
  EXPECT_FALSE(oracle::close(oracle::BF16{0x0000}, oracle::BF16{0x0002}, one));
  // Absolute below a magnitude; by the modulus.
  EXPECT_TRUE(oracle::close(1e-16, 2e-16, Tolerance{1, 1}));
  EXPECT_FALSE(oracle::close(1e-15, 2e-16, Tolerance{1, 1}));
  using Complex = std::complex<double>;
  EXPECT_TRUE(oracle::close(Complex(1, 1e-16), Complex(1, 0), one));
  EXPECT_FALSE(oracle::close(Complex(1, 1e-15), Complex(1, 0), one));
}

}  // namespace
