// SPDX-License-Identifier: Apache-2.0
// The front end of elementwise functions: result dtypes, errors and options.
#include <cmath>
#include <complex>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <sstream>
#include <type_traits>

#include "support/literals.hpp"
#include "support/main.hpp"

namespace {

using namespace xp_test;
using xp::Array;
using xp::Casting;
using xp::DType;
using xp::DTypeError;
using xp::Operand;
using xp::ShapeError;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// ---- Names ----

namespace c_functions_stay_reachable {
using namespace xp;
static_assert(std::is_same_v<decltype(sin(1.0)), double>);
static_assert(std::is_same_v<decltype(atan2(1, 2)), double>);
static_assert(std::is_same_v<decltype(pow(2.0, 3)), double>);
static_assert(std::is_same_v<decltype(fmod(1.0, 2)), double>);
static_assert(std::is_same_v<decltype(ldexp(1.0, 2)), double>);
static_assert(std::is_same_v<decltype(round(2.5)), double>);
static_assert(std::is_same_v<decltype(lgamma(2.5)), double>);
static_assert(std::is_same_v<decltype(abs(-1)), int>);
static_assert(std::is_same_v<decltype(1 << 2), int>);
static_assert(std::is_same_v<decltype(sin(std::declval<const Array&>())), Array>);
}  // namespace c_functions_stay_reachable

#define XP_NAME(f)                                                \
  {                                                               \
#f, [](const Operand& a, const Operand&) { return xp::f(a); } \
  }
#define XP_NAME2(f)                                                    \
  {                                                                    \
#f, [](const Operand& a, const Operand& b) { return xp::f(a, b); } \
  }
const std::map<std::string, std::function<Array(const Operand&, const Operand&)>> functions{
    XP_NAME(positive),     XP_NAME(negative),     XP_NAME(absolute),       XP_NAME(fabs),          XP_NAME(square),
    XP_NAME(reciprocal),   XP_NAME(sign),         XP_NAME(conjugate),      XP_NAME(real),          XP_NAME(imag),
    XP_NAME(floor),        XP_NAME(ceil),         XP_NAME(trunc),          XP_NAME(rint),          XP_NAME(sqrt),
    XP_NAME(cbrt),         XP_NAME(exp),          XP_NAME(exp2),           XP_NAME(expm1),         XP_NAME(log),
    XP_NAME(log2),         XP_NAME(log10),        XP_NAME(log1p),          XP_NAME(sin),           XP_NAME(cos),
    XP_NAME(tan),          XP_NAME(arcsin),       XP_NAME(arccos),         XP_NAME(arctan),        XP_NAME(sinh),
    XP_NAME(cosh),         XP_NAME(tanh),         XP_NAME(arcsinh),        XP_NAME(arccosh),       XP_NAME(arctanh),
    XP_NAME(deg2rad),      XP_NAME(rad2deg),      XP_NAME(isnan),          XP_NAME(isinf),         XP_NAME(isfinite),
    XP_NAME(signbit),      XP_NAME(logical_not),  XP_NAME(invert),         XP_NAME(sinc),          XP_NAME2(add),
    XP_NAME2(subtract),    XP_NAME2(multiply),    XP_NAME2(divide),        XP_NAME2(floor_divide), XP_NAME2(remainder),
    XP_NAME2(fmod),        XP_NAME2(power),       XP_NAME2(float_power),   XP_NAME2(maximum),      XP_NAME2(minimum),
    XP_NAME2(fmax),        XP_NAME2(fmin),        XP_NAME2(arctan2),       XP_NAME2(hypot),        XP_NAME2(copysign),
    XP_NAME2(nextafter),   XP_NAME2(logaddexp),   XP_NAME2(logaddexp2),    XP_NAME2(heaviside),    XP_NAME2(ldexp),
    XP_NAME2(gcd),         XP_NAME2(lcm),         XP_NAME2(equal),         XP_NAME2(not_equal),    XP_NAME2(less),
    XP_NAME2(less_equal),  XP_NAME2(greater),     XP_NAME2(greater_equal), XP_NAME2(logical_and),  XP_NAME2(logical_or),
    XP_NAME2(logical_xor), XP_NAME2(bitwise_and), XP_NAME2(bitwise_or),    XP_NAME2(bitwise_xor),  XP_NAME2(left_shift),
    XP_NAME2(right_shift), XP_NAME2(isclose)};

// ---- dtypes ----

constexpr char characters[] = "?bhilBHILefdFD";

char character(DType dtype) {
  for (const char c : std::string(characters))
    if (xp::dtype_from_name(std::string(1, c)) == dtype) return c;
  return 'E';
}

// No elements: what is asked for is the dtype alone.
Array nothing(char c) { return xp::empty({0}, xp::dtype_from_name(std::string(1, c)), device_names().at(0)); }

template <class F>
char result_of(F&& function) {
  try {
    return character(function().dtype());
  } catch (const DTypeError&) {
    return '-';
  }
}

std::string results_of(const std::string& name, char first, bool unary) {
  const auto& function = functions.at(name);
  const Array a = nothing(first);
  if (unary) return std::string(1, result_of([&] { return function(a, a); }));
  std::string results;
  for (const char second : std::string(characters)) {
    const Array b = nothing(second);
    results += result_of([&] { return function(a, b); });
  }
  const Operand numbers[] = {true, 1, 1.0, Complex(0, 1)};
  for (const Operand& number : numbers) results += result_of([&] { return function(a, number); });
  for (const Operand& number : numbers) results += result_of([&] { return function(number, a); });
  return results;
}

TEST(Types, AgreeWithNumPy) {
  std::ifstream file(XP_GOLDEN_DIR "/ufunc_types.csv");
  std::map<std::string, int> seen;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string name, first, results;
    std::getline(fields, name, ',');
    std::getline(fields, first, ',');
    std::getline(fields, results);
    ASSERT_TRUE(functions.contains(name)) << name;
    EXPECT_EQ(results_of(name, first.at(0), results.size() == 1), results) << name << " of " << first;
    ++seen[name];
  }
  EXPECT_EQ(seen.size(), functions.size());
  for (const auto& [name, count] : seen) EXPECT_EQ(count, 14) << name;
}

// bfloat16 is a float like float16: in what accepts it, and in what it gives.
TEST(Types, OfBfloat16FollowFloat16) {
  const Array half = nothing('e'), brain = xp::empty({0}, xp::bfloat16, device_names().at(0));
  for (const auto& [name, function] : functions) {
    const char want = result_of([&] { return function(half, half); });
    EXPECT_EQ(result_of([&] { return function(brain, brain); }), want == 'e' ? 'E' : want) << name;
  }
}

TEST(Types, OfPairs) {
  const xp::Device device(device_names().at(0));
  for (const auto& [first, parts] : std::map<char, char>{{'b', 'e'}, {'h', 'f'}, {'l', 'd'}, {'e', 'e'}, {'f', 'f'}}) {
    const auto [mantissa, exponent] = xp::frexp(nothing(first));
    EXPECT_EQ(character(mantissa.dtype()), parts) << first;
    EXPECT_EQ(exponent.dtype(), xp::int32) << first;
    const auto [fraction, integral] = xp::modf(nothing(first));
    EXPECT_EQ(character(fraction.dtype()), parts) << first;
    EXPECT_EQ(character(integral.dtype()), parts) << first;
  }
  EXPECT_THROW(xp::frexp(nothing('F')), DTypeError);
  EXPECT_THROW(xp::modf(nothing('F')), DTypeError);
  EXPECT_EQ(xp::divmod(nothing('?'), nothing('?')).first.dtype(), xp::int8);
  EXPECT_EQ(xp::divmod(nothing('i'), 2.0).second.dtype(), xp::float64);
}

TEST(Types, OfNumbersAlone) {
  xp::set_default_device(xp::Device(device_names().at(0)));
  EXPECT_EQ(xp::add(1, 2).dtype(), xp::int64);
  EXPECT_EQ(xp::ldexp(1, 2).dtype(), xp::float64);
  EXPECT_EQ(xp::multiply(1, 2.5).dtype(), xp::float64);
  EXPECT_EQ(xp::multiply(true, Complex(1)).dtype(), xp::complex128);
  EXPECT_THROW(xp::bitwise_and(1.5, 1), DTypeError);
}

TEST(Types, OfComposites) {
  EXPECT_EQ(xp::round(nothing('?')).dtype(), xp::float16);
  EXPECT_THROW(xp::round(nothing('?'), 1), DTypeError);
  EXPECT_EQ(xp::round(nothing('b'), 2).dtype(), xp::int8);
  EXPECT_EQ(xp::round(nothing('B'), -1).dtype(), xp::uint8);
  EXPECT_EQ(xp::round(nothing('e'), 1).dtype(), xp::float16);
  EXPECT_EQ(xp::round(nothing('F'), 1).dtype(), xp::complex64);
  EXPECT_EQ(xp::clip(nothing('b'), 0, 300).dtype(), xp::int8);
  EXPECT_EQ(xp::clip(nothing('b'), xp::none, 2.5).dtype(), xp::float64);
  EXPECT_EQ(xp::clip(nothing('b'), 0, nothing('h')).dtype(), xp::int16);
  EXPECT_EQ(xp::clip(nothing('b'), xp::none, xp::none).dtype(), xp::int8);
  EXPECT_EQ(xp::nan_to_num(nothing('?')).dtype(), xp::bool_);
  EXPECT_EQ(xp::nan_to_num(nothing('e')).dtype(), xp::float16);
  EXPECT_EQ(xp::nan_to_num(nothing('F')).dtype(), xp::complex64);
  const Array mask = nothing('?');
  EXPECT_EQ(xp::select({mask, mask}, {nothing('b'), 2.5}, 0).dtype(), xp::float64);
  EXPECT_EQ(xp::select({mask, mask}, {nothing('b'), 2}, 0).dtype(), xp::int8);
  EXPECT_EQ(xp::select({mask, mask}, {1, 2}).dtype(), xp::int64);
  EXPECT_EQ(xp::select({mask, mask}, {1, 2.5}).dtype(), xp::float64);
}

TEST(Casts, Rules) {
  EXPECT_TRUE(xp::can_cast(xp::int64, xp::float64));
  EXPECT_TRUE(xp::can_cast(xp::bool_, xp::int8));
  EXPECT_TRUE(xp::can_cast(xp::int8, xp::float16));
  EXPECT_TRUE(xp::can_cast(xp::bfloat16, xp::float32));
  EXPECT_FALSE(xp::can_cast(xp::int16, xp::float16));
  EXPECT_FALSE(xp::can_cast(xp::int64, xp::complex64));
  EXPECT_FALSE(xp::can_cast(xp::float16, xp::bfloat16));
  EXPECT_FALSE(xp::can_cast(xp::float64, xp::float32));
  EXPECT_TRUE(xp::can_cast(xp::float64, xp::float32, Casting::same_kind));
  EXPECT_FALSE(xp::can_cast(xp::float64, xp::int64, Casting::same_kind));
  EXPECT_TRUE(xp::can_cast(xp::float64, xp::int64, Casting::unsafe));
  EXPECT_FALSE(xp::can_cast(xp::int8, xp::int16, Casting::equiv));
  EXPECT_TRUE(xp::can_cast(xp::int8, xp::int8, Casting::no));
}

// ---- Errors and options ----

class Ufuncs : public OnDeviceWithLiterals {};

constexpr const char* not_supported =
    " not supported for the input types, and the inputs could not be safely coerced to any supported types according "
    "to "
    "the casting rule ''safe''";

TEST_P(Ufuncs, ErrorsOfTypes) {
  const Array x = reals({1, 2, 3}), i = integers({1, 2, 3}), m = mask({true, false, true}), z = numbers({1, 2, 3});
  const auto before = xp::stats().operations;
  EXPECT_EQ(type_error([&] { xp::floor(z); }), "floor: ufunc 'floor'" + std::string(not_supported) + " (complex128)");
  EXPECT_EQ(type_error([&] { xp::bitwise_and(x, 1); }),
            "bitwise_and: ufunc 'bitwise_and'" + std::string(not_supported) + " (float64, int64)");
  EXPECT_EQ(type_error([&] { ~x; }), "invert: ufunc 'invert'" + std::string(not_supported) + " (float64)");
  EXPECT_EQ(
      type_error([&] { m - m; }),
      "subtract: numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, "
      "or the logical_xor function instead.");
  EXPECT_EQ(type_error([&] { -m; }),
            "negative: The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the "
            "logical_not function instead.");
  EXPECT_THROW(+m, DTypeError);
  EXPECT_THROW(xp::gcd(x, x), DTypeError);
  EXPECT_THROW(xp::ldexp(x, 2.0), DTypeError);
  EXPECT_THROW(xp::ldexp(x, x), DTypeError);
  EXPECT_THROW(x << 1, DTypeError);
  EXPECT_THROW(xp::left_shift(i.astype(xp::uint8), -1), DTypeError);
  Array y = reals({1, 2});
  EXPECT_THROW(y &= 1, DTypeError);
  EXPECT_THROW(y <<= 1, DTypeError);
  Array k = i.copy();
  EXPECT_EQ(
      type_error([&] { k += 0.5; }),
      "add: Cannot cast ufunc 'add' output from dtype('float64') to dtype('int64') with casting rule 'same_kind'");
  EXPECT_EQ(xp::stats().operations, before + 2);  // the two copies
}

TEST_P(Ufuncs, NegativePowersOfIntegers) {
  const Array i = integers({1, 2, 3}), none = xp::empty({0}, xp::int64, device);
  const char* message = "power: Integers to negative integer powers are not allowed.";
  EXPECT_EQ(type_error([&] { xp::power(i, -1); }), message);
  EXPECT_EQ(type_error([&] { xp::power(i, integers({0, -1, 0})); }), message);
  EXPECT_EQ(type_error([&] { xp::power(2, integers({0, -1, 0})); }), message);
  EXPECT_EQ(type_error([&] { xp::power(i.astype(xp::uint8), integers({0, -1, 0}).astype(xp::int8)); }), message);
  EXPECT_EQ(type_error([&] { xp::power(i > 0, -1); }), message);
  EXPECT_EQ(type_error([&] { xp::power(i, -1, {.where = i > 2}); }), message);
  EXPECT_EQ(type_error([&] { xp::pow(2, -1); }), message);
  EXPECT_EQ(xp::power(none, -1).size(), 0);
  EXPECT_EQ(xp::power(none, none).size(), 0);
  EXPECT_THROW(xp::power(i.astype(xp::uint8), -1), DTypeError);  // out of bounds for uint8
}

TEST_P(Ufuncs, Out) {
  const Array x = reals({1, 2, 3}), i = integers({10, 20, 30});
  const Array out = reals({0, 0, 0});
  const Array result = xp::add(x, i, {.out = out});
  EXPECT_TRUE(xp::may_share_memory(result, out));
  EXPECT_EQ(out.to_vector<double>(), (Reals{11, 22, 33}));
  // A number alone, and operands that broadcast to it.
  xp::negative(2, {.out = out});
  EXPECT_EQ(out.to_vector<double>(), (Reals{-2, -2, -2}));
  xp::multiply(2, 4, {.out = out});
  EXPECT_EQ(out.to_vector<double>(), (Reals{8, 8, 8}));
  const Array matrix = xp::zeros({2, 3}, device);
  xp::sqrt(x * x, {.out = matrix});
  EXPECT_EQ(matrix.to_vector<double>(), (Reals{1, 2, 3, 1, 2, 3}));
  xp::subtract(x, 1, {.out = matrix.T()(xp::all, 0)});
  EXPECT_EQ(matrix.to_vector<double>(), (Reals{0, 1, 2, 1, 2, 3}));
  // Another dtype, narrower or wider.
  const Array narrow = xp::zeros(3, xp::float32, device), wide = xp::zeros(3, xp::complex128, device);
  xp::add(x, 0.5, {.out = narrow});
  EXPECT_EQ(narrow.to_vector<float>(), (std::vector<float>{1.5, 2.5, 3.5}));
  xp::less(x, 2, {.out = narrow});
  EXPECT_EQ(narrow.to_vector<float>(), (std::vector<float>{1, 0, 0}));
  xp::add(i.astype(xp::int8), 1, {.out = wide});
  EXPECT_EQ(wide.to_vector<Complex>(), (std::vector<Complex>{11, 21, 31}));
  // A comparison whose number decides alone.
  xp::less(i.astype(xp::int8), 300, {.out = narrow});
  EXPECT_EQ(narrow.to_vector<float>(), (std::vector<float>{1, 1, 1}));
  // A temporary that is consumed.
  xp::add(x + 1, x * 2, {.out = out});
  EXPECT_EQ(out.to_vector<double>(), (Reals{4, 7, 10}));
}

TEST_P(Ufuncs, OutThatOverlapsOperands) {
  const Array same = integers({1, 2, 3});
  xp::multiply(same, same, {.out = same});
  EXPECT_EQ(same.to_vector<std::int64_t>(), (Integers{1, 4, 9}));
  const Array shifted = integers({0, 1, 2, 3, 4, 5});
  xp::add(shifted(xp::slice(0, 5)), 1, {.out = shifted(xp::slice(1, 6))});
  EXPECT_EQ(shifted.to_vector<std::int64_t>(), (Integers{0, 1, 2, 3, 4, 5}));
  const Array reversed = integers({0, 1, 2, 3});
  xp::add(reversed(xp::slice(xp::none, xp::none, -1)), 10, {.out = reversed});
  EXPECT_EQ(reversed.to_vector<std::int64_t>(), (Integers{13, 12, 11, 10}));
  const Array masked = integers({0, 1, 2, 3});
  xp::add(masked(xp::slice(xp::none, xp::none, -1)), 10, {.out = masked, .where = masked > 1});
  EXPECT_EQ(masked.to_vector<std::int64_t>(), (Integers{0, 1, 11, 10}));
  // The mask itself is written, and a mask that overlaps what is written.
  const Array truth = mask({true, false, true, false});
  xp::equal(integers({1, 1, 0, 0}), 1, {.out = truth, .where = truth});
  EXPECT_EQ(truth.to_vector<bool>(), (Mask{true, false, false, false}));
  const Array flags = mask({true, false, false, true});
  xp::equal(integers({0, 0, 0}), 1, {.out = flags(xp::slice(1, 4)), .where = flags(xp::slice(0, 3))});
  EXPECT_EQ(flags.to_vector<bool>(), (Mask{true, false, false, true}));
}

TEST_P(Ufuncs, OutThatCannotBeWritten) {
  const Array x = reals({1, 2, 3}), i = integers({1, 2, 3});
  const auto before = xp::stats().operations;
  EXPECT_EQ(shape_error([&] { xp::add(x, 1, {.out = xp::empty(1, device)}); }),
            "add: non-broadcastable output operand with shape (1,) doesn't match the broadcast shape (3,)");
  EXPECT_EQ(shape_error([&] {
              xp::add(xp::empty({2, 3}, device), x, {.out = x});
            }),
            "add: non-broadcastable output operand with shape (3,) doesn't match the broadcast shape (2,3)");
  EXPECT_EQ(shape_error([&] { xp::add(x, 1, {.out = xp::empty(4, device)}); }),
            "add: operands could not be broadcast together with shapes (3,) (4,)");
  EXPECT_EQ(shape_error([&] { xp::add(x, 1, {.out = xp::empty({}, device).broadcast_to({3})}); }),
            "add: output array is read-only");
  EXPECT_EQ(shape_error([&] {
              xp::add(x, 1, {.out = x, .where = xp::empty({2, 1}, xp::bool_, device)});
            }),
            "add: non-broadcastable output operand with shape (3,) doesn't match the broadcast shape (2,3)");
  EXPECT_EQ(
      type_error([&] { xp::add(x, x, {.out = i}); }),
      "add: Cannot cast ufunc 'add' output from dtype('float64') to dtype('int64') with casting rule 'same_kind'");
  EXPECT_EQ(type_error([&] { xp::equal(x, x, {.out = xp::empty(3, xp::int8, device), .casting = Casting::no}); }),
            "equal: Cannot cast ufunc 'equal' output from dtype('bool') to dtype('int8') with casting rule 'no'");
  EXPECT_EQ(xp::stats().operations, before);
  xp::add(x, x, {.out = i, .casting = Casting::unsafe});
  EXPECT_EQ(i.to_vector<std::int64_t>(), (Integers{2, 4, 6}));
}

TEST_P(Ufuncs, Where) {
  const Array x = reals({1, 2, 3}), m = mask({true, false, true});
  const Array out = reals({-1, -1, -1});
  xp::add(x, 10, {.out = out, .where = m});
  EXPECT_EQ(out.to_vector<double>(), (Reals{11, -1, 13}));
  EXPECT_EQ(xp::add(x, 10, {.where = m}).to_vector<double>(), (Reals{11, 0, 13}));
  EXPECT_EQ(xp::less(x, 10, {.where = m}).to_vector<bool>(), (Mask{true, false, true}));
  // It broadcasts, and is broadcast.
  const Array rows = xp::asarray(std::vector<bool>{true, false}, {2, 1}, device);
  EXPECT_EQ(xp::negative(x, {.where = rows}).to_vector<double>(), (Reals{-1, -2, -3, 0, 0, 0}));
  const Array matrix = xp::ones({2, 3}, device);
  xp::negative(x, {.out = matrix, .where = m});
  EXPECT_EQ(matrix.to_vector<double>(), (Reals{-1, 1, -3, -1, 1, -3}));
  // With other dtypes of the result.
  const Array narrow = xp::full(3, 7, xp::int16, device);
  xp::add(x, 0.75, {.out = narrow, .where = m, .casting = Casting::unsafe});
  EXPECT_EQ(narrow.to_vector<std::int16_t>(), (std::vector<std::int16_t>{1, 7, 3}));
  const Array wide = xp::full(3, 7, xp::complex128, device);
  xp::sqrt(xp::asarray(std::vector<float>{4, 9, 16}, device), {.out = wide, .where = m});
  EXPECT_EQ(wide.to_vector<Complex>(), (std::vector<Complex>{2, 7, 4}));
  EXPECT_EQ(type_error([&] { xp::add(x, 1, {.where = x}); }),
            "add: Cannot cast array data from dtype('float64') to dtype('bool') according to the rule 'safe'");
  EXPECT_THROW(xp::add(x, 1, {.where = mask({true, true})}), ShapeError);
}

TEST_P(Ufuncs, DTypeOption) {
  const Array x = reals({1, 2, 3}), i = integers({1, 2, 3});
  EXPECT_EQ(xp::add(x, i, {.dtype = xp::float32}).dtype(), xp::float32);
  EXPECT_EQ(xp::sqrt(i, {.dtype = xp::float32}).to_vector<float>()[0], 1.0f);
  EXPECT_EQ(xp::divide(i, i, {.dtype = xp::float32}).dtype(), xp::float32);
  EXPECT_EQ(xp::add(i, 5, {.dtype = xp::int8}).to_vector<std::int8_t>(), (std::vector<std::int8_t>{6, 7, 8}));
  EXPECT_EQ(xp::add(i, 2.5, {.dtype = xp::float32, .casting = Casting::same_kind}).dtype(), xp::float32);
  EXPECT_EQ(xp::subtract(i > 1, i > 2, {.dtype = xp::int64}).to_vector<std::int64_t>(), (Integers{0, 1, 0}));
  EXPECT_EQ(xp::equal(x, x, {.dtype = xp::bool_}).dtype(), xp::bool_);
  EXPECT_EQ(xp::absolute(x.astype(xp::complex64), {.dtype = xp::float64}).dtype(), xp::float64);
  // Computed in that dtype, not converted afterwards.
  EXPECT_EQ(xp::add(reals({16777216}), 1, {.dtype = xp::float32}).to_vector<float>()[0], 16777216.0f);
  EXPECT_EQ(xp::add(x, 0.75, {.dtype = xp::int64, .casting = Casting::unsafe}).to_vector<std::int64_t>(),
            (Integers{1, 2, 3}));
  const auto no_loop = [](const std::string& name) {
    return name + ": No loop matching the specified signature and casting was found for ufunc " + name;
  };
  EXPECT_EQ(type_error([&] { xp::sqrt(x, {.dtype = xp::int32}); }), no_loop("sqrt"));
  EXPECT_EQ(type_error([&] { xp::floor(x, {.dtype = xp::complex64}); }), no_loop("floor"));
  EXPECT_EQ(type_error([&] { xp::equal(x, x, {.dtype = xp::float64}); }), no_loop("equal"));
  EXPECT_EQ(type_error([&] { xp::divide(i, i, {.dtype = xp::int64}); }), no_loop("divide"));
  EXPECT_EQ(type_error([&] { xp::absolute(numbers({1}), {.dtype = xp::complex128}); }), no_loop("absolute"));
  EXPECT_EQ(type_error([&] { xp::bitwise_and(i, i, {.dtype = xp::float64}); }), no_loop("bitwise_and"));
  EXPECT_EQ(type_error([&] { xp::float_power(x, 2, {.dtype = xp::float32}); }), no_loop("float_power"));
  EXPECT_EQ(
      type_error([&] { xp::add(x, x, {.dtype = xp::int32}); }),
      "add: Cannot cast ufunc 'add' input 0 from dtype('float64') to dtype('int32') with casting rule 'same_kind'");
  EXPECT_EQ(
      type_error([&] { xp::add(i, 0.5, {.dtype = xp::int32}); }),
      "add: Cannot cast ufunc 'add' input 1 from dtype('float64') to dtype('int32') with casting rule 'same_kind'");
  EXPECT_EQ(
      type_error([&] { xp::floor(x, {.dtype = xp::int32}); }),
      "floor: Cannot cast ufunc 'floor' input from dtype('float64') to dtype('int32') with casting rule 'same_kind'");
  EXPECT_EQ(type_error([&] { xp::add(i > 0, 5, {.dtype = xp::bool_}); }),
            "add: Cannot cast ufunc 'add' input 1 from dtype('int64') to dtype('bool') with casting rule 'same_kind'");
  EXPECT_EQ(type_error([&] { xp::add(i, 500, {.dtype = xp::int8}); }), "integer 500 out of bounds for int8");
}

TEST_P(Ufuncs, CastingOption) {
  const Array x = reals({1, 2, 3}), i = integers({1, 2, 3}), narrow = i.astype(xp::float32);
  EXPECT_EQ(xp::add(x, x, {.casting = Casting::no}).dtype(), xp::float64);
  EXPECT_EQ(xp::add(x, i, {.casting = Casting::safe}).dtype(), xp::float64);
  EXPECT_EQ(xp::add(narrow, 1.5, {.casting = Casting::no}).dtype(), xp::float32);
  EXPECT_EQ(type_error([&] { xp::add(x, i, {.casting = Casting::equiv}); }),
            "add: Cannot cast ufunc 'add' input 1 from dtype('int64') to dtype('float64') with casting rule 'equiv'");
  EXPECT_EQ(type_error([&] { xp::sqrt(i, {.casting = Casting::no}); }),
            "sqrt: Cannot cast ufunc 'sqrt' input from dtype('int64') to dtype('float64') with casting rule 'no'");
  EXPECT_EQ(type_error([&] { xp::add(x, x, {.dtype = xp::float32, .casting = Casting::safe}); }),
            "add: Cannot cast ufunc 'add' input 0 from dtype('float64') to dtype('float32') with casting rule 'safe'");
}

TEST_P(Ufuncs, OptionsWithoutElements) {
  const Array none = xp::empty({0, 3}, xp::int64, device), out = xp::empty({0, 3}, device);
  EXPECT_EQ(xp::add(none, 1, {.out = out, .where = out < 1}).shape(), xp::Shape(0, 3));
  EXPECT_EQ(xp::add(none, 1, {.where = none < 1}).dtype(), xp::int64);
}

TEST_P(Ufuncs, PositiveCopies) {
  const Array x = reals({1, 2, 3}), y = +x;
  EXPECT_FALSE(xp::may_share_memory(x, y));
  EXPECT_EQ(y.to_vector<double>(), (Reals{1, 2, 3}));
  const Array out = xp::zeros(3, xp::float32, device);
  xp::positive(x, {.out = out});
  EXPECT_EQ(out.to_vector<float>(), (std::vector<float>{1, 2, 3}));
}

// ---- Values ----

TEST_P(Ufuncs, Operators) {
  const Array i = integers({-7, 5, 6}), m = mask({true, false, true});
  EXPECT_EQ((i % 4).to_vector<std::int64_t>(), (Integers{1, 1, 2}));
  EXPECT_EQ((i & 3).to_vector<std::int64_t>(), (Integers{1, 1, 2}));
  EXPECT_EQ((i | 8).to_vector<std::int64_t>(), (Integers{-7, 13, 14}));
  EXPECT_EQ((i ^ i).to_vector<std::int64_t>(), (Integers{0, 0, 0}));
  EXPECT_EQ((~i).to_vector<std::int64_t>(), (Integers{6, -6, -7}));
  EXPECT_EQ((1 << xp::abs(i)).to_vector<std::int64_t>(), (Integers{128, 32, 64}));
  EXPECT_EQ((i >> 1).to_vector<std::int64_t>(), (Integers{-4, 2, 3}));
  EXPECT_EQ((m & ~m).to_vector<bool>(), (Mask{false, false, false}));
  EXPECT_EQ((m ^ true).to_vector<bool>(), (Mask{false, true, false}));
  Array k = i.copy();
  k %= 4;
  k <<= 2;
  k |= 1;
  k ^= 3;
  k >>= 1;
  k &= 7;
  EXPECT_EQ(k.to_vector<std::int64_t>(), (Integers{3, 3, 5}));
  k(xp::slice(1)) %= 2;
  EXPECT_EQ(k.to_vector<std::int64_t>(), (Integers{1, 3, 5}));
  Array x = reals({-7, 5.5});
  x %= 2;
  EXPECT_EQ(x.to_vector<double>(), (Reals{1, 1.5}));
}

TEST_P(Ufuncs, PowersOfNumbersThatAreTwoAreSquares) {
  const Array x = reals({1.1, -2.3, 1e200});
  EXPECT_EQ(xp::pow(x, 2).to_vector<double>(), xp::square(x).to_vector<double>());
  EXPECT_EQ(xp::power(x, 2, {.where = x < 2}).to_vector<double>()[0], 1.1 * 1.1);
  EXPECT_EQ(xp::pow(integers({2, -3}), 3).to_vector<std::int64_t>(), (Integers{8, -27}));
  EXPECT_EQ(xp::power(integers({2, 3}), -1, {.where = integers({2, 3}) > 5}).to_vector<std::int64_t>(),
            (Integers{0, 0}));
  EXPECT_EQ(xp::float_power(integers({2, 4}), -1).to_vector<double>(), (Reals{0.5, 0.25}));
}

TEST_P(Ufuncs, LogicTakesEveryNumber) {
  const Array small = integers({0, 1, 2}).astype(xp::int8);
  EXPECT_EQ(xp::logical_and(small, 300).to_vector<bool>(), (Mask{false, true, true}));
  EXPECT_EQ(xp::logical_or(Complex(0, 0), small).to_vector<bool>(), (Mask{false, true, true}));
  EXPECT_EQ(xp::logical_xor(small, nan).to_vector<bool>(), (Mask{true, false, false}));
}

XP_INSTANTIATE_ON_DEVICES(Ufuncs);

}  // namespace
