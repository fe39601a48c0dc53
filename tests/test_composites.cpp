// SPDX-License-Identifier: Apache-2.0
// Functions that are made of elementwise operations: values, and the keywords that NumPy's have.
#include <cmath>
#include <limits>

#include "support/literals.hpp"
#include "support/main.hpp"

namespace {

using namespace xp_test;
using xp::Array;
using xp::Casting;
using xp::DTypeError;
using xp::ShapeError;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

class Composites : public OnDeviceWithLiterals {};

// ---- Two results ----

TEST_P(Composites, PairsOfResults) {
  const auto [quotient, rest] = xp::divmod(integers({7, -7, 7}), integers({2, 2, -2}));
  EXPECT_EQ(quotient.to_vector<std::int64_t>(), (Integers{3, -4, -4}));
  EXPECT_EQ(rest.to_vector<std::int64_t>(), (Integers{1, 1, -1}));
  const auto [mantissa, exponent] = xp::frexp(reals({8, -0.3, 0}));
  EXPECT_EQ(mantissa.to_vector<double>(), (Reals{0.5, -0.6, 0}));
  EXPECT_EQ(exponent.to_vector<std::int32_t>(), (std::vector<std::int32_t>{4, -1, 0}));
  EXPECT_EQ(xp::ldexp(mantissa, exponent).to_vector<double>(), (Reals{8, -0.3, 0}));
  const auto [fraction, integral] = xp::modf(reals({2.75, -2.75, -inf}));
  EXPECT_EQ(fraction.to_vector<double>(), (Reals{0.75, -0.75, 0}));
  EXPECT_EQ(integral.to_vector<double>(), (Reals{2, -2, -inf}));
  EXPECT_EQ(xp::modf(integers({3}).astype(xp::int8) + 0).second.dtype(), xp::float16);  // a temporary, used twice
}

TEST_P(Composites, OutOfPairs) {
  const Array x = reals({1, 2, 3}), q = reals({0, 0, 0}), r = reals({0, 0, 0});
  const auto [quotient, rest] = xp::divmod(x, 2, {.out = {q, r}});
  EXPECT_TRUE(xp::may_share_memory(quotient, q) && xp::may_share_memory(rest, r));
  EXPECT_EQ(q.to_vector<double>(), (Reals{0, 1, 1}));
  EXPECT_EQ(r.to_vector<double>(), (Reals{1, 0, 1}));
  // One of them.
  EXPECT_EQ(xp::divmod(x, -2, {.out = {q, {}}}).second.to_vector<double>(), (Reals{-1, 0, -1}));
  EXPECT_EQ(q.to_vector<double>(), (Reals{-1, -1, -2}));
  EXPECT_EQ(xp::divmod(x, 3, {.out = {{}, r}}).first.to_vector<double>(), (Reals{0, 0, 1}));
  EXPECT_EQ(r.to_vector<double>(), (Reals{1, 2, 0}));
  // Numbers alone, operands that broadcast to it, and a result that takes the other's shape.
  xp::modf(3.25, {.out = {q, r}});
  EXPECT_EQ(q.to_vector<double>(), (Reals{0.25, 0.25, 0.25}));
  EXPECT_EQ(r.to_vector<double>(), (Reals{3, 3, 3}));
  xp::divmod(7, 2, {.out = {q, r}});
  EXPECT_EQ(q.to_vector<double>(), (Reals{3, 3, 3}));
  const Array matrix = xp::zeros({2, 3}, device);
  EXPECT_EQ(xp::divmod(x, 2, {.out = {matrix, {}}}).second.to_vector<double>(), (Reals{1, 0, 1, 1, 0, 1}));
  EXPECT_EQ(matrix.to_vector<double>(), (Reals{0, 1, 1, 0, 1, 1}));
  // Other dtypes, and interleaved views of one array.
  const Array narrow = xp::zeros(3, xp::float32, device), exponents = xp::zeros(3, xp::int16, device);
  xp::frexp(x, {.out = {narrow, exponents}});
  EXPECT_EQ(narrow.to_vector<float>(), (std::vector<float>{0.5, 0.5, 0.75}));
  EXPECT_EQ(exponents.to_vector<std::int16_t>(), (std::vector<std::int16_t>{1, 2, 2}));
  const Array both = xp::zeros({3, 2}, device);
  xp::modf(x / 2, {.out = {both(xp::all, 0), both(xp::all, 1)}});
  EXPECT_EQ(both.to_vector<double>(), (Reals{0.5, 0, 0, 1, 0.5, 1}));
}

TEST_P(Composites, OutOfPairsThatOverlapsOperands) {
  const Array n = reals({7, 8, 9}), d = reals({2, 3, 4});
  xp::divmod(n, d, {.out = {n, d}});
  EXPECT_EQ(n.to_vector<double>(), (Reals{3, 2, 2}));
  EXPECT_EQ(d.to_vector<double>(), (Reals{1, 2, 1}));
  n.copy_from_host(Reals{7, 8, 9}.data());
  d.copy_from_host(Reals{2, 3, 4}.data());
  xp::divmod(n, d, {.out = {d, n}});
  EXPECT_EQ(d.to_vector<double>(), (Reals{3, 2, 2}));
  EXPECT_EQ(n.to_vector<double>(), (Reals{1, 2, 1}));
  const Array shifted = reals({7, 8, 9, 10}), other = reals({0, 0, 0});
  xp::divmod(shifted(xp::slice(0, 3)), 2, {.out = {shifted(xp::slice(1, 4)), other}});
  EXPECT_EQ(shifted.to_vector<double>(), (Reals{7, 3, 4, 4}));
  EXPECT_EQ(other.to_vector<double>(), (Reals{1, 0, 1}));
  const Array again = reals({7, 8, 9, 10});
  xp::divmod(again(xp::slice(0, 3)), 2, {.out = {other, again(xp::slice(1, 4))}});
  EXPECT_EQ(again.to_vector<double>(), (Reals{7, 1, 0, 1}));
  EXPECT_EQ(other.to_vector<double>(), (Reals{3, 4, 4}));
  // The mask, too.
  const Array bytes = integers({5, 6, 7}).astype(xp::int8), rest = xp::zeros(3, xp::int8, device);
  const Array truth = mask({true, false, true});
  xp::divmod(bytes, 6, {.out = {truth, rest}, .where = truth, .casting = Casting::unsafe});
  EXPECT_EQ(truth.to_vector<bool>(), (Mask{false, false, true}));
  EXPECT_EQ(rest.to_vector<std::int8_t>(), (std::vector<std::int8_t>{5, 0, 1}));
  const Array flags = mask({true, false, true});
  xp::divmod(bytes, 6, {.out = {bytes, flags}, .where = flags, .casting = Casting::unsafe});
  EXPECT_EQ(bytes.to_vector<std::int8_t>(), (std::vector<std::int8_t>{0, 6, 1}));
  EXPECT_EQ(flags.to_vector<bool>(), (Mask{true, false, true}));
}

TEST_P(Composites, OutOfPairsThatCannotBeWritten) {
  const Array x = reals({1, 2, 3}), q = reals({-1, -1, -1}), r = reals({-1, -1, -1}), i = integers({-1, -1, -1});
  const auto before = xp::stats().operations;
  EXPECT_EQ(type_error([&] {
              xp::divmod(x, 2, {.out = {i, r}});
            }),
            "divmod: Cannot cast ufunc 'divmod' output 2 from dtype('float64') to dtype('int64') with casting rule "
            "'same_kind'");
  EXPECT_EQ(type_error([&] {
              xp::divmod(x, 2, {.out = {q, i}});
            }),
            "divmod: Cannot cast ufunc 'divmod' output 3 from dtype('float64') to dtype('int64') with casting rule "
            "'same_kind'");
  EXPECT_EQ(type_error([&] {
              xp::frexp(x, {.out = {q, xp::empty(3, xp::uint8, device)}});
            }),
            "frexp: Cannot cast ufunc 'frexp' output 2 from dtype('int32') to dtype('uint8') with casting rule "
            "'same_kind'");
  EXPECT_EQ(shape_error([&] {
              xp::divmod(x, 2, {.out = {q, xp::empty(1, device)}});
            }),
            "divmod: non-broadcastable output operand with shape (1,) doesn't match the broadcast shape (3,)");
  EXPECT_EQ(shape_error([&] {
              xp::divmod(x, 2, {.out = {q, xp::empty({2, 3}, device)}});
            }),
            "divmod: non-broadcastable output operand with shape (3,) doesn't match the broadcast shape (2,3)");
  EXPECT_EQ(shape_error([&] {
              xp::divmod(x, 2, {.out = {q, xp::empty(4, device)}});
            }),
            "divmod: operands could not be broadcast together with shapes (3,) (4,)");
  EXPECT_EQ(shape_error([&] {
              xp::divmod(x, 2, {.out = {q, xp::empty({}, device).broadcast_to({3})}});
            }),
            "divmod: output array is read-only");
  EXPECT_EQ(shape_error([&] { xp::divmod(x, 2, {.out = {q, q}}); }), "divmod: output arrays share memory");
  const Array long_one = xp::empty(4, device);
  EXPECT_EQ(shape_error([&] {
              xp::modf(x, {.out = {long_one(xp::slice(0, 3)), long_one(xp::slice(1, 4))}});
            }),
            "modf: output arrays share memory");
  EXPECT_EQ(type_error([&] {
              xp::divmod(x, 2, {.out = {q, r}, .where = i});
            }),
            "divmod: Cannot cast array data from dtype('int64') to dtype('bool') according to the rule 'safe'");
  EXPECT_EQ(type_error([&] { xp::divmod(numbers({1}), 2); }),
            "divmod: ufunc 'divmod' not supported for the input types, and the inputs could not be safely coerced to "
            "any supported types according to the casting rule ''safe'' (complex128, int64)");
  EXPECT_EQ(xp::stats().operations, before);
  EXPECT_EQ(q.to_vector<double>(), (Reals{-1, -1, -1}));
  EXPECT_EQ(r.to_vector<double>(), (Reals{-1, -1, -1}));
}

TEST_P(Composites, OtherOptionsOfPairs) {
  const Array x = reals({1, 2, 3}), i = integers({1, 2, 3}), m = mask({false, true, true});
  const Array q = reals({-1, -1, -1}), r = reals({-1, -1, -1});
  xp::divmod(x, 2, {.out = {q, r}, .where = m});
  EXPECT_EQ(q.to_vector<double>(), (Reals{-1, 1, 1}));
  EXPECT_EQ(r.to_vector<double>(), (Reals{-1, 0, 1}));
  const auto [fraction, integral] = xp::modf(x / 2, {.where = m});
  EXPECT_EQ(fraction.to_vector<double>(), (Reals{0, 0, 0.5}));
  EXPECT_EQ(integral.to_vector<double>(), (Reals{0, 1, 1}));
  const Array rows = xp::asarray(Mask{true, false}, {2, 1}, device);
  EXPECT_EQ(xp::frexp(x + 1, {.where = rows}).second.to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{2, 2, 3, 0, 0, 0}));

  const auto [quotient, rest] = xp::divmod(x, 2, {.dtype = xp::float32});
  EXPECT_EQ(quotient.dtype(), xp::float32);
  EXPECT_EQ(rest.to_vector<float>(), (std::vector<float>{1, 0, 1}));
  EXPECT_EQ(xp::divmod(i, 2, {.dtype = xp::int32}).second.dtype(), xp::int32);
  EXPECT_EQ(xp::modf(i, {.dtype = xp::float32}).first.dtype(), xp::float32);
  EXPECT_EQ(type_error([&] { xp::divmod(x, 2, {.dtype = xp::int32}); }),
            "divmod: Cannot cast ufunc 'divmod' input 0 from dtype('float64') to dtype('int32') with casting rule "
            "'same_kind'");
  const auto no_loop = [](const std::string& name) {
    return name + ": No loop matching the specified signature and casting was found for ufunc " + name;
  };
  EXPECT_EQ(type_error([&] { xp::divmod(m, true, {.dtype = xp::bool_}); }), no_loop("divmod"));
  EXPECT_EQ(type_error([&] { xp::modf(x, {.dtype = xp::int32}); }), no_loop("modf"));
  EXPECT_EQ(type_error([&] { xp::frexp(x, {.dtype = xp::float32}); }), no_loop("frexp"));
  EXPECT_EQ(type_error([&] { xp::frexp(x, {.dtype = xp::int32}); }), no_loop("frexp"));

  EXPECT_EQ(type_error([&] { xp::divmod(i, 2.5, {.casting = Casting::no}); }),
            "divmod: Cannot cast ufunc 'divmod' input 0 from dtype('int64') to dtype('float64') with casting rule "
            "'no'");
  EXPECT_EQ(type_error([&] { xp::modf(i, {.casting = Casting::no}); }),
            "modf: Cannot cast ufunc 'modf' input from dtype('int64') to dtype('float64') with casting rule 'no'");
  const Array bytes = xp::zeros(3, xp::uint8, device);
  xp::divmod(x, 0.75, {.out = {bytes, {}}, .casting = Casting::unsafe});
  EXPECT_EQ(bytes.to_vector<std::uint8_t>(), (std::vector<std::uint8_t>{1, 2, 4}));

  const Array none = xp::empty({0, 3}, device), nothing = xp::empty({0, 3}, device);
  EXPECT_EQ(xp::divmod(none, 2, {.out = {none, nothing}, .where = none < 1}).first.shape(), xp::Shape(0, 3));
  EXPECT_EQ(xp::frexp(none, {.where = none < 1}).second.dtype(), xp::int32);
}

// ---- One result ----

TEST_P(Composites, OptionsOfRealAndImag) {
  const Array z = numbers({{1, 2}, {3, 4}}), narrow = xp::zeros(2, xp::float32, device);
  xp::imag(z, {.out = narrow});
  EXPECT_EQ(narrow.to_vector<float>(), (std::vector<float>{2, 4}));
  xp::real(z, {.out = narrow, .where = mask({false, true})});
  EXPECT_EQ(narrow.to_vector<float>(), (std::vector<float>{2, 3}));
  const Array parts = xp::zeros({2, 2}, device);
  xp::real(z * z, {.out = parts(xp::all, 0)});
  xp::imag(reals({5, 6}), {.out = parts(xp::all, 1)});
  EXPECT_EQ(parts.to_vector<double>(), (Reals{-3, 0, -7, 0}));
  EXPECT_EQ(type_error([&] { xp::real(z, {.out = xp::zeros(2, xp::int64, device)}); }),
            "real: Cannot cast ufunc 'real' output from dtype('float64') to dtype('int64') with casting rule "
            "'same_kind'");
}

TEST_P(Composites, Select) {
  const Array x = reals({1, 2, 3, 4});
  EXPECT_EQ(xp::select({x < 2, x < 4}, {x * 10, 0.5}, -1).to_vector<double>(), (Reals{10, 0.5, 0.5, -1}));
  EXPECT_EQ(xp::select({x < 2, true}, {1, 2}, 3).to_vector<std::int64_t>(), (Integers{1, 2, 2, 2}));
  EXPECT_EQ(xp::select({false}, {1}, 3).to_vector<std::int64_t>(), (Integers{3}));
  EXPECT_EQ(xp::select({x.reshape({4, 1}) < 2}, {x(xp::slice(2))}).shape(), xp::Shape(4, 2));
  EXPECT_EQ(shape_error([&] {
              xp::select({x < 1}, {1, 2});
            }),
            "select: list of cases must be same length as list of conditions");
  EXPECT_EQ(shape_error([&] { xp::select({}, {}); }), "select: select with an empty condition list is not possible");
  EXPECT_EQ(type_error([&] { xp::select({x}, {1}); }),
            "select: invalid entry 0 in condlist: should be boolean ndarray");
  EXPECT_EQ(xp::where(300, xp::ones(2, xp::int8, device), 0).to_vector<std::int8_t>(),
            (std::vector<std::int8_t>{1, 1}));
}

TEST_P(Composites, Round) {
  EXPECT_EQ(xp::round(reals({0.5, 1.5, -2.5})).to_vector<double>(), (Reals{0, 2, -2}));
  EXPECT_EQ(xp::round(reals({1.25, 2.675}), 1).to_vector<double>(), (Reals{1.2, 2.7}));
  EXPECT_EQ(xp::round(reals({1250, 1350}), -2).to_vector<double>(), (Reals{1200, 1400}));
  EXPECT_EQ(xp::round(integers({15, 25, -15}).astype(xp::int8), -1).to_vector<std::int8_t>(),
            (std::vector<std::int8_t>{20, 20, -20}));
  EXPECT_EQ(xp::round(integers({15}), 3).to_vector<std::int64_t>(), (Integers{15}));
  EXPECT_EQ(xp::round(numbers({{1.25, 2.75}, {-0.35, inf}}), 1).to_vector<Complex>(),
            (std::vector<Complex>{{1.2, 2.8}, {-0.4, inf}}));
}

TEST_P(Composites, RoundInto) {
  const Array x = reals({-1.25, 2.675, 35}), i = integers({-15, 25, 4});
  const Array out = reals({0, 0, 0}), narrow = xp::zeros(3, xp::float32, device),
              bytes = xp::zeros(3, xp::int8, device);
  EXPECT_TRUE(xp::may_share_memory(xp::round(x, 1, {.out = out}), out));
  EXPECT_EQ(out.to_vector<double>(), (Reals{-1.2, 2.7, 35}));
  xp::round(x, 0, {.out = narrow});
  EXPECT_EQ(narrow.to_vector<float>(), (std::vector<float>{-1, 3, 35}));
  xp::round(i, 0, {.out = bytes});
  EXPECT_EQ(bytes.to_vector<std::int8_t>(), (std::vector<std::int8_t>{-15, 25, 4}));
  xp::round(i, -1, {.out = out});
  EXPECT_EQ(out.to_vector<double>(), (Reals{-20, 20, 0}));
  xp::round(i > 0, 1, {.out = out});
  EXPECT_EQ(out.to_vector<double>(), (Reals{0, 1, 1}));
  xp::round(x, 1, {.out = x});
  EXPECT_EQ(x.to_vector<double>(), (Reals{-1.2, 2.7, 35}));
  const Array z = xp::zeros(1, xp::complex64, device), single = reals({0});
  xp::round(numbers({{1.25, 2.75}}), 1, {.out = z});
  EXPECT_EQ(z.to_vector<std::complex<float>>(), (std::vector<std::complex<float>>{{1.2f, 2.8f}}));
  xp::round(2.675, 2, {.out = single.reshape({})});
  EXPECT_EQ(single.to_vector<double>(), (Reals{2.68}));
  EXPECT_EQ(xp::round(reals({0.5}), 0, {}).to_vector<double>(), (Reals{0}));

  EXPECT_EQ(type_error([&] { xp::round(x, 1, {.out = i}); }),
            "round: Cannot cast ufunc 'round' output from dtype('float64') to dtype('int64') with casting rule "
            "'same_kind'");
  EXPECT_THROW(xp::round(i, -1, {.out = i}), DTypeError);
  EXPECT_THROW(xp::round(i, 0, {.out = xp::zeros(3, xp::uint8, device)}), DTypeError);
  EXPECT_EQ(shape_error([&] {
              xp::round(x, 1, {.out = xp::zeros({2, 3}, device)});
            }),
            "round: invalid output shape (2,3), the array has (3,)");
  EXPECT_EQ(shape_error([&] { xp::round(x, 1, {.out = xp::zeros({}, device).broadcast_to({3})}); }),
            "round: output array is read-only");
  EXPECT_EQ(i.to_vector<std::int64_t>(), (Integers{-15, 25, 4}));
}

TEST_P(Composites, Clip) {
  const Array i = integers({-5, 0, 5}).astype(xp::int8);
  EXPECT_EQ(xp::clip(i, -1, 3).to_vector<std::int8_t>(), (std::vector<std::int8_t>{-1, 0, 3}));
  EXPECT_EQ(xp::clip(i, xp::none, 3).to_vector<std::int8_t>(), (std::vector<std::int8_t>{-5, 0, 3}));
  EXPECT_EQ(xp::clip(i, -1000, 1000).to_vector<std::int8_t>(), (std::vector<std::int8_t>{-5, 0, 5}));
  EXPECT_EQ(xp::clip(i, xp::none, xp::none).to_vector<std::int8_t>(), (std::vector<std::int8_t>{-5, 0, 5}));
  EXPECT_THROW(xp::clip(i, 300, xp::none), DTypeError);
  EXPECT_EQ(xp::clip(reals({5}), 3, 1).to_vector<double>(), (Reals{1}));
  EXPECT_EQ(xp::clip(reals({0, 9}), reals({1, 2}), reals({5, 6})).to_vector<double>(), (Reals{1, 6}));
  EXPECT_TRUE(std::isnan(xp::clip(reals({nan}), 0, 1).to_vector<double>()[0]));
}

TEST_P(Composites, OptionsOfClip) {
  const Array x = reals({-1, 2, 30}), i = integers({-1, 2, 30}), m = mask({true, false, true});
  const Array out = reals({7, 7, 7}), narrow = i.astype(xp::int8);
  EXPECT_TRUE(xp::may_share_memory(xp::clip(x, 0, 5, {.out = out}), out));
  EXPECT_EQ(out.to_vector<double>(), (Reals{0, 2, 5}));
  xp::clip(x, xp::none, 5, {.out = out});
  EXPECT_EQ(out.to_vector<double>(), (Reals{-1, 2, 5}));
  xp::clip(i, xp::none, xp::none, {.out = out});
  EXPECT_EQ(out.to_vector<double>(), (Reals{-1, 2, 30}));
  xp::clip(x, 0, 1, {.out = out, .where = m});
  EXPECT_EQ(out.to_vector<double>(), (Reals{0, 2, 1}));
  EXPECT_EQ(xp::clip(x, 0, 1, {.where = m}).to_vector<double>(), (Reals{0, 0, 1}));
  EXPECT_EQ(xp::clip(x, 0, 5, {.dtype = xp::float32}).dtype(), xp::float32);
  EXPECT_EQ(xp::clip(i, 0, 2.5, {.dtype = xp::int32, .casting = Casting::unsafe}).to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{0, 2, 2}));
  EXPECT_EQ(xp::clip(narrow, -1000, 300, {.dtype = xp::int64}).to_vector<std::int64_t>(), (Integers{-1, 2, 30}));
  // Operands that are written.
  const Array a = reals({1, 2, 3, 4});
  xp::clip(a(xp::slice(0, 3)), 2, a(xp::slice(xp::none, 0, -1)), {.out = a(xp::slice(1, 4))});
  EXPECT_EQ(a.to_vector<double>(), (Reals{1, 2, 2, 2}));
  // Three operands promote together, and a number that is clipped is an array.
  EXPECT_EQ(xp::clip(narrow, 300, i.astype(xp::int16)).to_vector<std::int16_t>(),
            (std::vector<std::int16_t>{-1, 2, 30}));
  EXPECT_EQ(xp::clip(narrow, 0.5, i.astype(xp::float16)).dtype(), xp::float16);
  EXPECT_EQ(xp::clip(5, narrow, 7).to_vector<std::int64_t>(), (Integers{5, 5, 7}));

  EXPECT_EQ(type_error([&] { xp::clip(x, 0, 5, {.out = i}); }),
            "clip: Cannot cast ufunc 'clip' output from dtype('float64') to dtype('int64') with casting rule "
            "'same_kind'");
  EXPECT_EQ(type_error([&] { xp::clip(x, 0, xp::none, {.out = i}); }),
            "maximum: Cannot cast ufunc 'maximum' output from dtype('float64') to dtype('int64') with casting rule "
            "'same_kind'");
  EXPECT_EQ(type_error([&] { xp::clip(i, 0, 2.5, {.dtype = xp::int32}); }),
            "clip: Cannot cast ufunc 'clip' input 2 from dtype('float64') to dtype('int32') with casting rule "
            "'same_kind'");
  EXPECT_EQ(type_error([&] { xp::clip(x, i, 5, {.casting = Casting::no}); }),
            "clip: Cannot cast ufunc 'clip' input 1 from dtype('int64') to dtype('float64') with casting rule 'no'");
  EXPECT_EQ(type_error([&] { xp::clip(i, 0, 300, {.dtype = xp::int8}); }), "integer 300 out of bounds for int8");
  EXPECT_EQ(shape_error([&] { xp::clip(x, 0, 5, {.out = xp::zeros(1, device)}); }),
            "clip: non-broadcastable output operand with shape (1,) doesn't match the broadcast shape (3,)");
  EXPECT_THROW(xp::clip(x, 0, xp::zeros({2, 3}, device), {.out = x}), ShapeError);
  EXPECT_THROW(xp::clip(x, 0, 5, {.out = x, .where = i}), DTypeError);
  EXPECT_EQ(x.to_vector<double>(), (Reals{-1, 2, 30}));
}

TEST_P(Composites, IsClose) {
  const Array x = reals({1, 1.00001, 1.1, inf, inf, nan}), y = reals({1, 1, 1, inf, -inf, nan});
  EXPECT_EQ(xp::isclose(x, y).to_vector<bool>(), (Mask{true, true, false, true, false, false}));
  EXPECT_EQ(xp::isclose(x, y, 0.2, 0.0, true).to_vector<bool>(), (Mask{true, true, true, true, false, true}));
  EXPECT_EQ(xp::isclose(x, 1).to_vector<bool>(), (Mask{true, true, false, false, false, false}));
  EXPECT_EQ(xp::isclose(x, inf).to_vector<bool>(), (Mask{false, false, false, true, true, false}));
  EXPECT_EQ(xp::isclose(x, nan, 0, 0, true).to_vector<bool>(), (Mask{false, false, false, false, false, true}));
  EXPECT_EQ(xp::isclose(integers({-128}).astype(xp::int8), integers({-128}).astype(xp::int8)).to_vector<bool>(),
            (Mask{true}));
  EXPECT_EQ(xp::isclose(numbers({{1, 1}}), Complex(1, 1)).to_vector<bool>(), (Mask{true}));
  EXPECT_TRUE(xp::allclose(reals({1, 2}), reals({1, 2 + 1e-9})));
  EXPECT_FALSE(xp::allclose(x, y));
  EXPECT_TRUE(xp::allclose(xp::empty({0}, device), 1));
}

TEST_P(Composites, NanToNum) {
  constexpr double most = std::numeric_limits<double>::max();
  EXPECT_EQ(xp::nan_to_num(reals({nan, inf, -inf, 1})).to_vector<double>(), (Reals{0, most, -most, 1}));
  EXPECT_EQ(xp::nan_to_num(reals({nan, inf, -inf, 1}), {.nan = 1, .posinf = 2, .neginf = 3}).to_vector<double>(),
            (Reals{1, 2, 3, 1}));
  EXPECT_EQ(
      xp::nan_to_num(numbers({{inf, nan}, {nan, -inf}}), {.nan = 1, .posinf = 2, .neginf = 3}).to_vector<Complex>(),
      (std::vector<Complex>{{2, 1}, {1, 3}}));
  EXPECT_EQ(xp::nan_to_num(reals({nan, inf}).astype(xp::float16)).astype(xp::float64).to_vector<double>(),
            (Reals{0, 65504}));
  EXPECT_EQ(xp::nan_to_num(integers({3})).to_vector<std::int64_t>(), (Integers{3}));
}

TEST_P(Composites, NanToNumInPlace) {
  const Array x = reals({nan, inf, 1}), i = integers({3});
  EXPECT_TRUE(xp::may_share_memory(xp::nan_to_num(x, {.copy = false, .posinf = 5}), x));
  EXPECT_EQ(x.to_vector<double>(), (Reals{0, 5, 1}));
  EXPECT_TRUE(xp::may_share_memory(xp::nan_to_num(i, {.copy = false}), i));
  EXPECT_FALSE(xp::may_share_memory(xp::nan_to_num(i), i));
  const Array z = numbers({{1, nan}});
  xp::nan_to_num(z, {.copy = false, .nan = 3});
  EXPECT_EQ(z.to_vector<Complex>(), (std::vector<Complex>{{1, 3}}));
  EXPECT_EQ(xp::nan_to_num(reals({nan, 2}) * 2, {.copy = false}).to_vector<double>(), (Reals{0, 4}));
  EXPECT_EQ(shape_error([&] { xp::nan_to_num(reals({nan}).broadcast_to({3}), {.copy = false}); }),
            "nan_to_num: assignment destination is read-only");
}

TEST_P(Composites, Sinc) {
  const Reals got = xp::sinc(reals({0, 0.5, 1})).to_vector<double>();
  EXPECT_EQ(got[0], 1);
  EXPECT_NEAR(got[1], 0.6366197723675814, 1e-15);
  EXPECT_NEAR(got[2], 0, 1e-16);
}

XP_INSTANTIATE_ON_DEVICES(Composites);

}  // namespace
