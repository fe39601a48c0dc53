// SPDX-License-Identifier: Apache-2.0
// Every row of the operation table, for every dtype, layout and size, alone and inside a longer program. Functions in
// the ranges that matter to them are in test_functions.cpp.
#include "support/devices.hpp"
#include "support/layouts.hpp"
#include "support/main.hpp"
#include "support/operations.hpp"

namespace {

using namespace xp_test;
using oracle::Extents;
using oracle::Flavour;
using oracle::Rng;
using oracle::Tolerance;
using xp::Array;

TEST(OperationTable, EveryRowHasAnOracle) {
  const Array x = xp::ones({2}, device_names().at(0));
  for (const Op op : callable_rows()) {
    int dtypes = 0;
    for (const DType type : all_dtypes) {
      if (!oracle::computes_in(op, type)) continue;
      ++dtypes;
      EXPECT_NO_THROW(oracle::apply(op, Buffer(type, 2), Buffer(type, 2))) << xp::info(op).name;
      EXPECT_NO_THROW(call(op, x.astype(type), x.astype(type))) << xp::info(op).name;
    }
    EXPECT_GT(dtypes, 0) << xp::info(op).name;
  }
}

class Rows : public testing::TestWithParam<std::tuple<std::string, DType>> {
 protected:
  void SetUp() override { xp::initialize(xp::Device(device_name())); }
  std::string device_name() const { return std::get<0>(GetParam()); }
  DType dtype() const { return std::get<1>(GetParam()); }
};

std::string describe(Op op, DType dtype, Layout a, Layout b, const Extents& shape) {
  return std::string(xp::info(op).name) + " of " + std::string(xp::name(dtype)) + ", layouts " + name(a) + " and " +
         name(b) + ", shape " + xp::to_string(xp::Shape(shape));
}

// Combinations of layouts: each with itself, with C order on either side, and with another one.
std::vector<std::pair<Layout, Layout>> layout_pairs(Index size) {
  std::vector<std::pair<Layout, Layout>> pairs;
  const std::size_t count = std::size(layouts);
  for (std::size_t i = 0; i < count; ++i) {
    pairs.emplace_back(layouts[i], layouts[(i * 3 + 1) % count]);
    if (size > 2000) continue;  // each layout once on either side is enough there
    pairs.emplace_back(layouts[i], layouts[i]);
    if (i != 0) pairs.emplace_back(layouts[i], Layout::c);
    if (i != 0) pairs.emplace_back(Layout::c, layouts[i]);
  }
  return pairs;
}

// Two operands, and the same without signs: integers' exponents.
struct Pair {
  LaidOut a, b, a_unsigned, b_unsigned, mask;
  Pair(DType dtype, const Extents& shape, Layout first, Layout second, Flavour flavour, xp::Device device, Rng& rng) {
    const Index count = oracle::product(shape);
    a = lay_out(oracle::random_buffer(dtype, count, rng, flavour), shape, first, device, rng);
    b = lay_out(oracle::random_buffer(dtype, count, rng, flavour), shape, second, device, rng);
    mask = lay_out(oracle::random_buffer(xp::bool_, count, rng), shape, second, device, rng);
    if (!forbids_negative_exponents(Op::power, dtype)) return;
    a_unsigned = lay_out(without_sign(a.values), shape, first, device, rng);
    b_unsigned = lay_out(without_sign(b.values), shape, second, device, rng);
  }
};

// One row: alone, and on selections so that inputs and results stay in registers.
void check_row(Op op, const Pair& x, Flavour flavour, const std::string& device, const std::string& where) {
  const DType dtype = x.a.values.dtype, type = computed_in(op, dtype);
  const bool unsigned_b = forbids_negative_exponents(op, dtype);
  const LaidOut &b = unsigned_b ? x.b_unsigned : x.b, &other_a = unsigned_b ? x.a_unsigned : x.a;
  if (!oracle::computes_in(op, type)) {
    EXPECT_THROW(call(op, x.a.array, b.array), xp::DTypeError) << xp::info(op).name << " of " << where;
    return;
  }
  if (needs_finite(op, type) != (flavour == Flavour::finite)) return;
  const Tolerance tolerance = tolerance_of(op, type, device);
  ASSERT_TRUE(oracle::equal(call(op, x.a.array, b.array), expected(op, x.a.values, b.values), tolerance))
      << xp::info(op).name << " of " << where;
  const Array mask = x.mask.array;
  const Array chained = call(op, xp::where(mask, x.a.array, b.array), xp::where(mask, b.array, other_a.array));
  const Buffer left = oracle::where(x.mask.values, x.a.values, b.values),
               right = oracle::where(x.mask.values, b.values, other_a.values);
  ASSERT_TRUE(oracle::equal(chained, expected(op, left, right), tolerance))
      << xp::info(op).name << " of two selections of " << where;
}

// The oracle of functions is slow, and so is an interpreter: rows take turns, so that each meets every dtype, size and
// layout, but not every combination. There are at least 8 pairs of layouts for each size. Integers are only converted
// for a function.
Index turns(Op op, DType dtype, Index size, bool interpreted) {
#if defined(__SANITIZE_ADDRESS__)
  return size > 2000 ? 16 : 5;  // everything is ten times slower
#endif
  const bool function = xp::info(op).cost >= 16;
  if (interpreted) return function ? 6 : 2;
  if (!function) return 1;
  return size > 2000 ? 8 : computed_in(op, dtype) == dtype ? 3 : 6;
}

TEST_P(Rows, EveryLayoutAndSize) {
  const xp::Device device(device_name());
  Rng rng(17 + static_cast<std::uint64_t>(dtype()));
  const bool has_complex = dtype() >= xp::complex64;
  std::size_t turn = 0;
  for (const Index size : sizes) {
    if (size > 2000 && is_interpreted(device_name())) continue;
    for (const auto& [first, second] : layout_pairs(size)) {
      const auto shapes = shapes_of(size);
      const Extents& shape = shapes[turn++ % shapes.size()];
      for (const Flavour flavour : {Flavour::any, Flavour::finite}) {
        if (flavour == Flavour::finite && !has_complex) continue;
        const Pair pair(dtype(), shape, first, second, flavour, device, rng);
        const std::string where = std::string(xp::name(dtype())) + ", layouts " + name(first) + " and " + name(second) +
                                  ", shape " + xp::to_string(xp::Shape(shape));
        Index row = 0;
        for (const Op op : callable_rows()) {
          const DType type = computed_in(op, dtype());
          // Integers are only converted for a function.
          if (size > 2000 && xp::info(op).cost >= 16 && type != dtype()) continue;
          if ((static_cast<Index>(turn) + row++) % turns(op, dtype(), size, is_interpreted(device_name())) != 0)
            continue;
          check_row(op, pair, flavour, device_name(), where);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

template <class Function>
void check_in_place(Op op, Function&& update, LaidOut& target, const LaidOut& other, const std::string& where) {
  const DType type = computed_in(op, target.values.dtype);
  if (!oracle::computes_in(op, type) || !xp::can_cast_same_kind(type, target.values.dtype)) {
    EXPECT_THROW(update(target.array, other.array), xp::DTypeError) << where;
  } else if (!target.array.writeable()) {
    EXPECT_THROW(update(target.array, other.array), xp::ShapeError) << where;
  } else {
    update(target.array, other.array);
    target.values = oracle::cast(expected(op, target.values, other.values), target.values.dtype);
    target.view.scatter(target.values);
  }
  ASSERT_TRUE(target.storage_matches()) << where;
}

TEST_P(Rows, InPlaceWritesTheViewAndNothingElse) {
  const xp::Device device(device_name());
  Rng rng(71 + static_cast<std::uint64_t>(dtype()));
  std::size_t turn = 0;
  for (const Index size : sizes) {
    if (size > 2000 && is_interpreted(device_name())) continue;
    for (const auto& [first, second] : layout_pairs(size)) {
      const auto shapes = shapes_of(size);
      const Extents& shape = shapes[turn++ % shapes.size()];
      const Index count = oracle::product(shape);
      LaidOut x = lay_out(oracle::random_buffer(dtype(), count, rng), shape, first, device, rng);
      const LaidOut y = lay_out(oracle::random_buffer(dtype(), count, rng), shape, second, device, rng);
      check_in_place(
          Op::add, [](Array a, const Array& b) { a += b; }, x, y, describe(Op::add, dtype(), first, second, shape));
      check_in_place(
          Op::subtract, [](Array a, const Array& b) { a -= b; }, x, y,
          describe(Op::subtract, dtype(), first, second, shape));
      check_in_place(
          Op::multiply, [](Array a, const Array& b) { a *= b; }, x, y,
          describe(Op::multiply, dtype(), first, second, shape));
      check_in_place(
          Op::divide, [](Array a, const Array& b) { a /= b; }, x, y,
          describe(Op::divide, dtype(), first, second, shape));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Rows, CastsToEveryDType) {
  const xp::Device device(device_name());
  Rng rng(3 + static_cast<std::uint64_t>(dtype()));
  std::size_t turn = 0;
  for (const DType to : all_dtypes) {
    for (const Index size : {Index{0}, Index{1}, Index{33}, Index{1025}, Index{100003}}) {
      if (size > 2000 && is_interpreted(device_name())) continue;
      const Layout layout = layouts[turn++ % std::size(layouts)];
      const auto shapes = shapes_of(size);
      const Extents& shape = shapes[turn % shapes.size()];
      const LaidOut x =
          lay_out(oracle::random_buffer(dtype(), oracle::product(shape), rng), shape, layout, device, rng);
      const Buffer want = oracle::cast(x.values, to);
      const std::string where =
          std::string(xp::name(dtype())) + " to " + std::string(xp::name(to)) + ", layout " + name(layout);
      ASSERT_TRUE(oracle::equal(x.array.astype(to), want)) << where;
      // Written into the elements of a view by assignment.
      LaidOut target = lay_out(oracle::random_buffer(to, x.values.count, rng), shape, Layout::stepped, device, rng);
      target.array.assign(x.array);
      target.view.scatter(want);
      ASSERT_TRUE(target.storage_matches()) << where << ", assigned";
      // There and back within a program.
      const Array doubled = xp::where(x.array.astype(to) == x.array.astype(to), x.array.astype(to), x.array.astype(to));
      ASSERT_TRUE(oracle::equal(doubled, want)) << where << ", in a program";
    }
  }
}

TEST_P(Rows, MixedDTypesPromote) {
  const xp::Device device(device_name());
  Rng rng(5 + static_cast<std::uint64_t>(dtype()));
  const Extents shape{3, 11};
  for (const DType other : all_dtypes) {
    const DType common = xp::promote_types(dtype(), other);
    const Buffer a = oracle::random_buffer(dtype(), 33, rng), b = oracle::random_buffer(other, 33, rng);
    const Buffer mask = oracle::random_buffer(xp::bool_, 33, rng);
    const Array x = oracle::upload(a, {3, 11}, device), y = oracle::upload(b, {3, 11}, device);
    const Array m = oracle::upload(mask, {3, 11}, device);
    const Buffer wide_a = oracle::cast(a, common), wide_b = oracle::cast(b, common);
    const std::string where = std::string(xp::name(dtype())) + " with " + std::string(xp::name(other));
    for (const Op op : callable_rows()) {
      if (!is_binary(op)) continue;
      const DType type = computed_in(op, dtype(), other);
      if (!oracle::computes_in(op, type)) {
        EXPECT_THROW(call(op, x, y), xp::DTypeError) << xp::info(op).name << " of " << where;
        continue;
      }
      if (needs_finite(op, type)) continue;
      const Buffer second = forbids_negative_exponents(op, type) ? without_sign(b) : b;
      const Array y_second = oracle::upload(second, {3, 11}, device);
      ASSERT_TRUE(
          oracle::equal(call(op, x, y_second), expected(op, type, a, second), tolerance_of(op, type, device_name())))
          << xp::info(op).name << " of " << where;
    }
    ASSERT_TRUE(oracle::equal(xp::where(m, x, y), oracle::where(mask, wide_a, wide_b))) << "where of " << where;

    // In place: computed in the common dtype, then cast to the target's, where same_kind allows it.
    Array target = x.copy();
    Buffer want = a;
    if (oracle::computes_in(Op::multiply, common) && xp::can_cast_same_kind(common, dtype())) {
      target *= y;
      want = oracle::cast(expected(Op::multiply, wide_a, wide_b), dtype());
    } else {
      EXPECT_THROW(target *= y, xp::DTypeError) << where;
    }
    ASSERT_TRUE(oracle::equal(target, want)) << "in-place multiply of " << where;
  }
}

// Larger than any cache: stores that pass it, transposition by tiles, several threads. Elements are small integers, so
// that every result is known without an oracle.
class Large : public OnDevice {
 protected:
  template <class T, class F>
  static Index first_wrong(const Array& array, F&& want) {
    const std::vector<T> got = array.to_vector<T>();
    for (std::size_t i = 0; i < got.size(); ++i)
      if (got[i] != static_cast<T>(want(static_cast<Index>(i)))) return static_cast<Index>(i);
    return -1;
  }
};

TEST_P(Large, StreamedResults) {
  if (interpreted()) GTEST_SKIP() << "too slow on an interpreter";
  const Index n = 6000011;
  const Array x = xp::arange(0, n, 1, xp::float64, device);
  xp::eval(x);
  EXPECT_EQ(first_wrong<double>(x * 2 + 1, [](Index i) { return 2 * i + 1; }), -1);
  EXPECT_EQ(first_wrong<double>(-x, [](Index i) { return -i; }), -1);
  EXPECT_EQ(first_wrong<bool>(x > 3000000, [](Index i) { return i > 3000000; }), -1);
  EXPECT_EQ(first_wrong<std::int64_t>(x.astype(xp::int64) - 7, [](Index i) { return i - 7; }), -1);
  EXPECT_EQ(first_wrong<double>(xp::zeros({n}, device), [](Index) { return 0; }), -1);
  EXPECT_EQ(first_wrong<double>(xp::full({n}, 2.5, device), [](Index) { return 2.5; }), -1);
  // Into the middle of another array, not aligned to anything, and nothing beside it.
  const Array target = xp::full({n + 3}, -1.0, device);
  target(xp::slice(1, n + 1)) = x * 3;
  EXPECT_EQ(first_wrong<double>(target, [n](Index i) { return i == 0 || i > n ? -1 : 3 * (i - 1); }), -1);
  Array y = x.copy();
  y *= 2;
  y += x;
  EXPECT_EQ(first_wrong<double>(y, [](Index i) { return 3 * i; }), -1);
  EXPECT_EQ(xp::sum(x + x).item<double>(), static_cast<double>(n) * static_cast<double>(n - 1));
}

TEST_P(Large, Transposed) {
  if (interpreted()) GTEST_SKIP() << "too slow on an interpreter";
  for (const auto& [rows, columns] : {std::pair<Index, Index>{1801, 2203}, {3, 1000003}, {1000003, 3}, {70001, 65}}) {
    const Array m = xp::arange(0, rows * columns, 1, xp::float64, device).reshape({rows, columns});
    xp::eval(m);
    auto transposed = [&, c = columns, r = rows](Index i) { return i % r * c + i / r; };  // of the C-ordered transpose
    Array t = xp::zeros({columns, rows}, device);
    t.assign(m.T() * 2);
    EXPECT_EQ(first_wrong<double>(t, [&](Index i) { return 2 * transposed(i); }), -1) << rows;
    t += m.T();
    EXPECT_EQ(first_wrong<double>(t, [&](Index i) { return 3 * transposed(i); }), -1) << rows;
    const Array narrow = xp::zeros({columns, rows}, xp::float32, device);
    narrow.assign(m.T() + t);
    EXPECT_EQ(first_wrong<float>(narrow, [&](Index i) { return 4 * transposed(i); }), -1) << rows;
    EXPECT_EQ(first_wrong<double>(m.T()(xp::slice(xp::none, xp::none, -1)).copy(),
                                  [&](Index i) { return transposed((columns - 1 - i / rows) * rows + i % rows); }),
              -1)
        << rows;
  }
}

// What C++ gives for one pair, by NumPy's rules.
template <class T>
struct Divided {
  T quotient = 0, remainder = 0, rest = 0;
  Divided(std::int64_t a, std::int64_t b) {
    if (b == 0) return;
    const std::int64_t toward_zero = a / b, left = a % b;
    const bool below = left != 0 && (left < 0) != (b < 0);
    quotient = static_cast<T>(toward_zero - below);  // wraps for the least number by -1
    remainder = static_cast<T>(below ? left + b : left);
    rest = static_cast<T>(left);
  }
};

// Quotients are computed in floats, or with reciprocals of the divisor: by arrays and by numbers.
class Divisions : public OnDevice {
 protected:
  template <class T>
  void check(const std::vector<T>& numerators, const std::vector<T>& divisors) {
    std::vector<T> a, b;
    for (const T x : numerators)
      for (const T y : divisors) {
        a.push_back(x);
        b.push_back(y);
      }
    const Index n = static_cast<Index>(a.size());
    const Array x = xp::asarray(a, {n}, device), y = xp::asarray(b, {n}, device);
    compare<T>(xp::floor_divide(x, y), xp::remainder(x, y), xp::fmod(x, y), a, [&](std::size_t i) { return b[i]; });
    // In a program of several steps, and where vectors are not aligned.
    compare<T>(xp::floor_divide(x, y) + xp::remainder(x, y) - xp::remainder(x, y), {}, {}, a,
               [&](std::size_t i) { return b[i]; });
    const std::vector<T> later(a.begin() + 1, a.end());
    compare<T>(xp::floor_divide(x(xp::slice(1, xp::none)), y(xp::slice(1, xp::none))), {}, {}, later,
               [&](std::size_t i) { return b[i + 1]; });
    const Array column = xp::asarray(numerators, {static_cast<Index>(numerators.size())}, device);
    for (const T divisor : divisors) {
      const xp::Scalar number(divisor);
      compare<T>(xp::floor_divide(column, number), xp::remainder(column, number), xp::fmod(column, number), numerators,
                 [divisor](std::size_t) { return divisor; });
      if (testing::Test::HasFailure()) return;
    }
  }

 private:
  template <class T, class Divisor>
  static void compare(const Array& quotient, const Array& remainder, const Array& rest, const std::vector<T>& a,
                      Divisor&& divisor) {
    const auto values = [](const Array& array) { return array.has_value() ? array.to_vector<T>() : std::vector<T>{}; };
    const std::vector<T> quotients = values(quotient), remainders = values(remainder), rests = values(rest);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const T b = divisor(i);
      const Divided<T> want(static_cast<std::int64_t>(a[i]), static_cast<std::int64_t>(b));
      ASSERT_EQ(quotients[i], want.quotient) << +a[i] << " // " << +b;
      if (remainders.empty()) continue;
      ASSERT_EQ(remainders[i], want.remainder) << +a[i] << " % " << +b;
      ASSERT_EQ(rests[i], want.rest) << "fmod " << +a[i] << ", " << +b;
    }
  }
};

template <class T>
std::vector<T> all_of() {
  std::vector<T> values;
  for (int i = std::numeric_limits<T>::min(); i <= std::numeric_limits<T>::max(); ++i)
    values.push_back(static_cast<T>(i));
  return values;
}
// Around powers of two, the ends of the dtype and of float's and double's mantissas; and some in between.
template <class T>
std::vector<T> edges() {
  std::vector<T> values;
  for (int bit = 0; bit < std::numeric_limits<T>::digits; ++bit)
    for (int near = -1; near <= 1; ++near) {
      const T value = static_cast<T>((T{1} << bit) + near);
      values.push_back(value);
      if (std::is_signed_v<T>) values.push_back(static_cast<T>(-value));
    }
  std::uint64_t some = 12345;
  for (int i = 0; i < 30; ++i) {
    some = some * 6364136223846793005u + 1442695040888963407u;
    values.push_back(static_cast<T>(some >> (64 - std::numeric_limits<T>::digits + i % 8)));
  }
  values.push_back(0);
  values.push_back(std::numeric_limits<T>::max());
  // The least int64 by -1 is not for C++.
  values.push_back(static_cast<T>(std::numeric_limits<T>::min() + (sizeof(T) == 8 ? 1 : 0)));
  return values;
}

TEST_P(Divisions, OfIntegersAreExact) {
  if (interpreted()) GTEST_SKIP() << "too slow on an interpreter";
  check(all_of<std::int8_t>(), all_of<std::int8_t>());
  check(all_of<std::uint8_t>(), all_of<std::uint8_t>());
  check(edges<std::int16_t>(), edges<std::int16_t>());
  check(edges<std::uint16_t>(), edges<std::uint16_t>());
  check(edges<std::int32_t>(), edges<std::int32_t>());
  check(edges<std::uint32_t>(), edges<std::uint32_t>());
  check(edges<std::int64_t>(), edges<std::int64_t>());
}

// GPUs compute them by Newton's method: a mantissa of ones, squares and their neighbours, and what is rare are hard.
TEST_P(Divisions, AndRootsOfDoublesAreRounded) {
  std::vector<double> a, b;
  for (const double x : {1.0, 0x1.fffffffffffffp0, 0x1.0000000000001p0, 3.0, 0x1.5555555555555p0, 0.1, 1e300, 1e-300,
                         5e-324, 0x1p-1022, 1.7976931348623157e308, 0.0, std::numeric_limits<double>::infinity()})
    for (const double y : {1.0, 0x1.fffffffffffffp5, 0x1.0000000000001p-3, 7.0, 0x1.aaaaaaaaaaaaap2, 1e-290, 1e290,
                           5e-324, 0x1p-1022, 0.0, std::numeric_limits<double>::infinity()})
      for (const double sign : {1.0, -1.0}) {
        a.push_back(sign * x);
        b.push_back(y);
      }
  for (int i = 1; i < 4000; ++i) {
    const double root = 1 + i / 4096.0;
    a.push_back(i % 3 == 0 ? root * root : std::nextafter(root * root, i % 3 == 1 ? 0 : 9));
    b.push_back(std::nextafter(2.0, 0) * (1 + i % 5));
  }
  const Index n = static_cast<Index>(a.size());
  const Array x = xp::asarray(a, {n}, device), y = xp::asarray(b, {n}, device);
  const std::vector<double> quotients = (x / y).to_vector<double>(), roots = xp::sqrt(x).to_vector<double>(),
                            chained = (-(x / y) * 2).to_vector<double>();
  auto same = [](double got, double want) {
    return std::isnan(want) ? std::isnan(got) : std::memcmp(&got, &want, sizeof got) == 0;
  };
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(same(quotients[i], a[i] / b[i])) << a[i] << " / " << b[i] << " gave " << quotients[i];
    EXPECT_TRUE(same(roots[i], std::sqrt(a[i]))) << "sqrt " << a[i] << " gave " << roots[i];
    EXPECT_TRUE(same(chained[i], -(a[i] / b[i]) * 2)) << a[i] << " / " << b[i] << " in a program";
  }
}

XP_INSTANTIATE_ON_DEVICES(Divisions);

// Positions that 32 bits do not hold. It takes tens of gigabytes: GPUs have them, a host only if it is told.
TEST_P(Large, MoreThanTwoToThe31Elements) {
  const char* allowed = std::getenv("XP_TEST_HUGE");
  if (interpreted() ||
      (device.name().rfind("cuda", 0) != 0 && (allowed == nullptr || std::string_view(allowed) != "1")))
    GTEST_SKIP() << "needs a GPU of 80 GB, or a host and XP_TEST_HUGE=1";
  constexpr Index rows = 46411, columns = 46351, n = rows * columns, boundary = Index{1} << 31;
  static_assert(n > boundary);
  auto check = [](const Array& array, auto&& want, const char* what) {
    Index i = 0;
    for (int sample = 0; sample < 64; ++sample) {
      const Index at = sample < 5 ? boundary - 2 + sample : sample < 8 ? n - 1 - (sample - 5) : i % n;
      i += 77777777777;
      if (at >= array.size()) continue;
      const Array element = array.reshape({array.size()})(at);
      ASSERT_EQ(element.astype(xp::float64).item<double>(), static_cast<double>(want(at))) << what << " at " << at;
    }
  };
  try {
    const Array x = (xp::arange(0, n, 1, xp::int64, device) % 100 - 50).astype(xp::int8);
    auto value = [](Index i) { return i % 100 - 50; };
    xp::eval(x);
    check(x, value, "a program");
    check(
        x + x, [&](Index i) { return 2 * value(i); }, "one operation");
    check(
        x < 0, [&](Index i) { return value(i) < 0; }, "a comparison");
    check(
        x * x / 7 > 3,
        [&](Index i) { return static_cast<double>(static_cast<std::int8_t>(value(i) * value(i))) / 7 > 3; },
        "several operations");
    check(
        x(xp::slice(1, xp::none)) - 1, [&](Index i) { return value(i + 1) - 1; }, "not aligned");
    check(
        x(xp::slice(xp::none, xp::none, -1)).copy(), [&](Index i) { return value(n - 1 - i); }, "reversed");
    check(
        xp::where(x > 0, x, xp::Scalar(0)), [&](Index i) { return std::max<Index>(value(i), 0); }, "where");
    check(
        xp::floor(xp::sqrt(xp::absolute(x.astype(xp::float32)))),
        [&](Index i) { return std::floor(std::sqrt(std::abs(value(i)))); }, "functions");
    const Array turned = (x.reshape({rows, columns}).T() + 0).copy();
    check(
        turned, [&](Index i) { return value(i % rows * columns + i / rows); }, "transposed");
    EXPECT_EQ(xp::sum(x).item<std::int64_t>(), [&] {
      std::int64_t total = 0;
      for (Index i = n / 100 * 100; i < n; ++i) total += value(i);
      return total + n / 100 * -50;
    }());
  } catch (const xp::OutOfMemoryError& error) {
    GTEST_SKIP() << error.what();
  }
}

XP_INSTANTIATE_ON_DEVICES(Large);

INSTANTIATE_TEST_SUITE_P(On, Rows, testing::Combine(testing::ValuesIn(device_names()), testing::ValuesIn(all_dtypes)),
                         [](const testing::TestParamInfo<Rows::ParamType>& info) {
                           std::string text =
                               std::get<0>(info.param) + "_" + std::string(xp::name(std::get<1>(info.param)));
                           std::replace(text.begin(), text.end(), ':', '_');
                           return text;
                         });

}  // namespace
