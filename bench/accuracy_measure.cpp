// SPDX-License-Identifier: Apache-2.0
#include "accuracy_measure.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <thread>

#include "accuracy_arguments.hpp"
#include "accuracy_reference.hpp"
#include "support/bounds.hpp"

namespace accuracy {

namespace {

using xp::Array;
using xp::DType;
using xp::Index;
using xp::Op;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Call {
  Op op;
  Array (*function)(const Array& a, const Array& b);
};

#define XP_UNARY(name)                                                 \
  {                                                                    \
    Op::name, [](const Array& a, const Array&) { return xp::name(a); } \
  }
#define XP_BINARY(name)                                                     \
  {                                                                         \
    Op::name, [](const Array& a, const Array& b) { return xp::name(a, b); } \
  }
constexpr Call calls[] = {
    {Op::absolute, [](const Array& a, const Array&) { return xp::abs(a); }},
    XP_UNARY(sqrt),
    XP_UNARY(exp),
    XP_BINARY(power),
    XP_UNARY(sign),
    XP_UNARY(expm1),
    XP_UNARY(exp2),
    XP_UNARY(log),
    XP_UNARY(log1p),
    XP_UNARY(log2),
    XP_UNARY(log10),
    XP_UNARY(sin),
    XP_UNARY(cos),
    XP_UNARY(tan),
    XP_UNARY(asin),
    XP_UNARY(acos),
    XP_UNARY(atan),
    XP_UNARY(sinh),
    XP_UNARY(cosh),
    XP_UNARY(tanh),
    XP_UNARY(asinh),
    XP_UNARY(acosh),
    XP_UNARY(atanh),
    XP_UNARY(cbrt),
    XP_UNARY(erf),
    XP_UNARY(erfc),
    XP_UNARY(gamma),
    XP_UNARY(lgamma),
    XP_UNARY(deg2rad),
    XP_UNARY(rad2deg),
    XP_BINARY(atan2),
    XP_BINARY(hypot),
    XP_BINARY(logaddexp),
    XP_BINARY(logaddexp2),
};
#undef XP_UNARY
#undef XP_BINARY

Array call(Op op, const Array& a, const Array& b) {
  for (const Call& entry : calls)
    if (entry.op == op) return entry.function(a, b);
  throw std::logic_error("not measured: " + std::string(xp::info(op).name));
}

// ---- Units in the last place ----

Wide unit_at(Wide size, Format format) {
  const int exponent = size == 0 ? format.least : std::max(exponent_of(size) - 1, format.least);
  return std::ldexp(1.0, exponent - format.digits + 1);
}
// The narrower dtypes' units are normal in double. From the bits: this is called for each of 2^32 arguments.
double unit_at(double size, Format format) {
  const int exponent = std::max(static_cast<int>(std::bit_cast<std::uint64_t>(size) >> 52) - 1023, format.least);
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent - format.digits + 1 + 1023) << 52);
}

/// Error of a real result in units of the exact value; infinite where their classes differ. An infinity is right for
/// what is rounded to it, and as far from less as the number after the greatest one.
template <class W>
double error_of(double result, W exact, Format format, double least) {
  if (exact != exact || result != result) return exact != exact && result != result ? 0 : infinity;
  const W size = exact < 0 ? -exact : exact;
  if (size - size != 0) return result == static_cast<double>(exact) ? 0 : infinity;
  const bool signs_differ = std::signbit(result) != std::signbit(static_cast<double>(exact));
  W difference;
  if (std::isinf(result)) {
    if (signs_differ) return infinity;
    // In two steps: 2^1024 is no double.
    const W end = W(std::ldexp(1.0, format.greatest - 1)) * 2;
    if (end - end != 0 || size >= end) return 0;
    difference = end - size;
  } else {
    // Zeros have the sign of what they stand for; but where the error is absolute, that may be either.
    if (result == 0 && signs_differ && (least == 0 || exact == 0)) return infinity;
    difference = W(result) - exact;
  }
  const W unit = unit_at(size > least ? size : W(least), format);
  return std::fabs(static_cast<double>(difference / unit));
}

/// Of a complex result by its modulus. Negative where that has no such error: exact values that overflow, and what
/// comes of arguments without a value.
double error_of(std::complex<double> result, WideComplex exact, Format format, double least) {
  const Wide size = modulus(exact);
  if (!(size < Wide(std::ldexp(1.0, format.greatest - 2)))) return -1;
  if (!std::isfinite(result.real()) || !std::isfinite(result.imag())) return infinity;
  const Wide difference = modulus({Wide(result.real()) - exact.re, Wide(result.imag()) - exact.im});
  return static_cast<double>(difference / unit_at(size > least ? size : Wide(least), format));
}

// ---- Statistics ----

struct Statistics {
  Index samples = 0, mismatches = 0;
  double most = -1, sum = 0;
  std::size_t worst = 0, mismatch = 0;  // indices into the block

  void add(std::size_t index, double error) {
    if (error < 0) return;
    ++samples;
    if (error == infinity) {
      if (mismatches++ == 0) mismatch = index;
      return;
    }
    sum += error;
    if (error > most) {
      most = error;
      worst = index;
    }
  }
};

template <class R>
std::string digits(R value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}
std::string digits(xp::Half value) { return digits(static_cast<float>(value)); }
std::string digits(xp::BFloat16 value) { return digits(static_cast<float>(value)); }
template <class R>
std::string digits(std::complex<R> value) {
  return "(" + digits(value.real()) + ", " + digits(value.imag()) + ")";
}
// More digits than the dtype has, so that the error can be seen.
std::string exact_digits(Wide value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.21Lg", static_cast<long double>(value));
  return text;
}
std::string exact_digits(WideComplex value) {
  return "(" + exact_digits(value.re) + ", " + exact_digits(value.im) + ")";
}

// ---- Blocks of arguments ----

template <class T>
struct IsComplex : std::false_type {
  using Source = Arguments<T>;
};
template <class R>
struct IsComplex<std::complex<R>> : std::true_type {
  using Source = ComplexArguments<R>;
};

template <class T>
class Meter {
  static constexpr bool is_complex = IsComplex<T>::value;
  static constexpr DType dtype = xp::dtype_of<T>();
  static constexpr Format format = format_of(dtype);
  using W = std::conditional_t<sizeof(T) == 8 || is_complex, Wide, double>;
  using Exact = std::conditional_t<is_complex, WideComplex, W>;
  using Function = std::conditional_t<is_complex, ComplexReference, Reference<W>>;

 public:
  Meter(Op op, xp::Device device, int jobs) : device_(device), jobs_(jobs) {
    result_.op = op;
    result_.dtype = dtype;
    result_.device = device.name();
    bound_ = xp_test::bound_of(op, dtype, result_.device);
    result_.bound = bound_.ulps;
    result_.least = bound_.least;
    if constexpr (is_complex)
      exact_ = complex_reference_of(op);
    else
      exact_ = reference_of<W>(op);
  }

  void add(const std::vector<T>& a, const std::vector<T>& b) {
    const Array x = uploaded(a);
    const Array y = call(result_.op, x, xp::info(result_.op).arity == 2 ? uploaded(b) : x);
    std::vector<T> got(a.size());
    y.astype(dtype).copy_to_host(got.data());  // absolute values of complex numbers are real

    std::vector<Statistics> parts(static_cast<std::size_t>(jobs_));
    std::vector<std::thread> threads;
    const std::size_t share = (a.size() + parts.size() - 1) / parts.size();
    for (std::size_t part = 0; part < parts.size(); ++part)
      threads.emplace_back([&, part] {
        const std::size_t end = std::min(a.size(), (part + 1) * share);
        for (std::size_t i = part * share; i < end; ++i)
          parts[part].add(i, error_of(value(got[i]), exact(a[i], b[i]), format, least(a[i])));
      });
    for (std::thread& thread : threads) thread.join();
    for (const Statistics& part : parts) {
      result_.samples += part.samples;
      sum_ += part.sum;
      if (part.most > most_) {
        most_ = part.most;
        result_.worst = example(a[part.worst], b[part.worst], got[part.worst]);
      }
      if (part.mismatches > 0 && result_.mismatches == 0)
        result_.mismatch = example(a[part.mismatch], b[part.mismatch], got[part.mismatch]);
      result_.mismatches += part.mismatches;
    }
  }

  Measurement result(bool exhaustive) {
    result_.exhaustive = exhaustive;
    result_.most = std::max(most_, 0.0);
    const Index counted = result_.samples - result_.mismatches;
    result_.mean = counted > 0 ? sum_ / static_cast<double>(counted) : 0;
    return result_;
  }

 private:
  static auto value(T element) {
    if constexpr (is_complex)
      return std::complex<double>(element);
    else
      return widened(element);
  }
  Exact exact(T a, T b) const {
    if constexpr (is_complex)
      return exact_({Wide(a.real()), Wide(a.imag())}, {Wide(b.real()), Wide(b.imag())});
    else
      return exact_(W(widened(a)), W(widened(b)));
  }
  double least(T a) const {
    if constexpr (is_complex)
      return bound_.least;
    else
      return bound_.least_at(widened(a));
  }
  Array uploaded(const std::vector<T>& values) const {
    Array array = xp::empty({static_cast<Index>(values.size())}, dtype, device_);
    array.copy_from_host(values.data());
    return array;
  }
  Example example(T a, T b, T got) const {
    const bool two = xp::info(result_.op).arity == 2;
    return {digits(a) + (two ? ", " + digits(b) : ""), digits(got), exact_digits(exact(a, b))};
  }

  Function exact_;
  xp_test::Bound bound_;
  xp::Device device_;
  int jobs_;
  double most_ = -1, sum_ = 0;
  Measurement result_;
};

constexpr Index block_size = 1 << 18;

template <class T>
Measurement measure_as(Op op, xp::Device device, const Plan& plan,
                       const std::function<void(const std::string&)>& note) {
  const std::string what =
      std::string(xp::info(op).name) + " " + std::string(xp::name(xp::dtype_of<T>())) + " " + device.name();
  Meter<T> meter(op, device, plan.jobs);
  const bool unary = xp::info(op).arity == 1;
  std::vector<T> a, b;
  if constexpr (!IsComplex<T>::value && sizeof(T) <= 4) {
    if (unary && (sizeof(T) == 2 || plan.exhaustive)) {
      using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;
      constexpr std::uint64_t count = std::uint64_t{1} << (sizeof(T) * 8);
      for (std::uint64_t first = 0; first < count; first += a.size()) {
        note(what + ": " + std::to_string(100 * first / count) + " %");
        a.resize(std::min<std::uint64_t>(block_size << 3, count - first));
        for (std::size_t k = 0; k < a.size(); ++k) a[k] = std::bit_cast<T>(static_cast<Bits>(first + k));
        meter.add(a, a);
      }
      return meter.result(true);
    }
  }
  // Seeded by the function, so that a function's numbers do not depend on which others were measured.
  typename IsComplex<T>::Source source(op, 1000 + static_cast<std::uint64_t>(op));
  for (Index done = 0; done < plan.samples; done += static_cast<Index>(a.size())) {
    note(what + ": " + std::to_string(100 * done / plan.samples) + " %");
    a.clear();
    b.clear();
    for (Index k = 0; k < std::min(block_size, plan.samples - done); ++k) {
      const auto [first, second] = source.next();
      a.push_back(first);
      b.push_back(second);
    }
    meter.add(a, b);
  }
  return meter.result(false);
}

}  // namespace

std::vector<Op> measured_functions() {
  std::vector<Op> result;
  for (const xp::OpInfo& row : xp::operation_table) {
    if (!is_measured(row.op, xp::float64) && !is_measured(row.op, xp::complex128)) continue;
    const auto found = std::find_if(std::begin(calls), std::end(calls), [&](const Call& c) { return c.op == row.op; });
    if (found == std::end(calls)) throw std::logic_error("no call of " + std::string(row.name));
    result.push_back(row.op);
  }
  return result;
}

bool is_measured(Op op, DType dtype) {
  if (dtype >= xp::complex64) return xp_test::error_of_complex_function(op) > 0;
  if (dtype < xp::float16) return false;
  // These are rounded once and counted with the functions all the same.
  const bool exact = op == Op::sqrt || op == Op::deg2rad || op == Op::rad2deg;
  return exact || xp_test::error_of_function(op).host > 0;
}

Measurement measure(Op op, DType dtype, xp::Device device, const Plan& plan,
                    const std::function<void(const std::string&)>& note) {
  switch (dtype) {
    case xp::float16:
      return measure_as<xp::Half>(op, device, plan, note);
    case xp::bfloat16:
      return measure_as<xp::BFloat16>(op, device, plan, note);
    case xp::float32:
      return measure_as<float>(op, device, plan, note);
    case xp::float64:
      return measure_as<double>(op, device, plan, note);
    case xp::complex64:
      return measure_as<std::complex<float>>(op, device, plan, note);
    default:
      return measure_as<std::complex<double>>(op, device, plan, note);
  }
}

}  // namespace accuracy
