// SPDX-License-Identifier: Apache-2.0
#include "xp_bench_operations.hpp"

#include <bit>
#include <cstdio>

namespace bench {

OpTraits traits(Op op, xp::DType dtype) {
  const bool wide = dtype == xp::float64;
  // Far enough below 1 for hundreds of doublings, far enough above the denormals for a random number of that size.
  const double low = wide ? 0x1p-960 : 0x1p-100;
  // Squaring doubles the distance to the fixed point, relatively: 2^40 x 2^-32 in the exponent of e.
  const double near = wide ? 0x1p-32 : 0x1p-14;
  const xp::Index squarings = wide ? 40 : 20;
  switch (op) {
    case Op::ones:
      return {"ones", Pattern::fill, 1, 1, 0, 0, 0};
    case Op::scale:
      return {"scale", Pattern::in_place, 2, 1, low, 2 * low, wide ? 800 : 90};
    case Op::square:
      return {"x*=x", Pattern::in_place, 2, 1, 1 - near, 1 + near, squarings};
    case Op::twice:
      return {"x+=x", Pattern::in_place, 2, 1, low, 2 * low, wide ? 1800 : 200};
    // 2 (5 x)^2 = x at 0.02.
    case Op::chain3:
      return {"chain3", Pattern::in_place, 2, 1, 0.02 * (1 - near), 0.02 * (1 + near), squarings};
    // y = x + y x tends to x / (1 - x).
    case Op::multiply_add:
      return {"x+y*x", Pattern::two_reads, 3, 3, 0.25, 0.5, 0};
  }
  return {};
}

Sample::Sample(xp::Index size) {
  constexpr xp::Index most = 24;
  if (size <= most) {
    for (xp::Index i = 0; i < size; ++i) where_.push_back(i);
    return;
  }
  where_ = {0, 1, size - 2, size - 1};
  std::uint64_t state = 0x9e3779b97f4a7c15u;
  while (where_.size() < static_cast<std::size_t>(most)) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    where_.push_back(static_cast<xp::Index>((state >> 11) % static_cast<std::uint64_t>(size)));
  }
}

std::vector<double> Sample::read(const xp::Array& array) const {
  const xp::Array flat = array.ravel();
  std::vector<double> values;
  for (const xp::Index i : where_) values.push_back(flat(i).item<double>());
  return values;
}

void Sample::compare(const xp::Array& array, const std::vector<double>& expected) const {
  const std::vector<double> values = read(array);
  for (std::size_t i = 0; i < where_.size(); ++i) {
    if (std::bit_cast<std::uint64_t>(values[i]) == std::bit_cast<std::uint64_t>(expected[i])) continue;
    char text[160];
    std::snprintf(text, sizeof text, "element %lld is %.17g and should be %.17g", static_cast<long long>(where_[i]),
                  values[i], expected[i]);
    throw Mismatch(text);
  }
}

namespace {

// volatile: a compiler that contracts x + y * x would not round twice, as the arrays do.
template <class T>
T product(T a, T b) {
  volatile T result = a * b;
  return result;
}

template <class T>
T stepped(Op op, T x, T y, xp::Index operations) {
  for (xp::Index i = 0; i < operations; ++i) {
    switch (op) {
      case Op::ones:
        return T(1);
      case Op::scale:
        x = product(x, T(5));
        break;
      case Op::square:
        x = product(x, x);
        break;
      case Op::twice:
        x = x + x;
        break;
      case Op::chain3:
        x = product(x, T(5));
        x = product(x, x);
        x = x + x;
        break;
      case Op::multiply_add:
        y = x + product(y, x);
        break;
    }
  }
  return op == Op::multiply_add ? y : x;
}

template <class T>
T stepped_mixed(T x, xp::Index steps) {
  for (xp::Index i = 0; i < steps; ++i) x = product(x, T(0.5)) + T(0.25);
  return x;
}

}  // namespace

double reference(Op op, xp::DType dtype, double x, double y, xp::Index operations) {
  if (dtype == xp::float64) return stepped(op, x, y, operations);
  return static_cast<double>(stepped(op, static_cast<float>(x), static_cast<float>(y), operations));
}

double reference_mixed(xp::DType dtype, double x, xp::Index steps) {
  if (dtype == xp::float64) return stepped_mixed(x, steps);
  return static_cast<double>(stepped_mixed(static_cast<float>(x), steps));
}

}  // namespace bench
