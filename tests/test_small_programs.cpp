// SPDX-License-Identifier: Apache-2.0
// Dense operations on few elements take short ways: into the program, through a lowered program of the same structure
// that was kept, and on one worker that was kept. None of it may show: neither in values nor in what is allocated.
#include "support/devices.hpp"
#include "support/main.hpp"

#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace xp_test;
using xp::Array;
using Arrays = std::vector<Array>;

class SmallPrograms : public OnDevice {};

/// Takes x and y by value: a body owns them, and dropping them makes them dead inputs.
struct Body {
  const char* name;
  std::function<Arrays(Array x, Array y, int round)> run;
};

// Bodies of one recorded structure that differ in what is alive at the end stand side by side.
const std::vector<Body>& bodies() {
  static const std::vector<Body> all = {
      {"y = x + y*x, dropping the old y",
       [](Array x, Array y, int) {
         y = x + y * x;
         return Arrays{x, y};
       }},
      {"z = x + y*x, keeping y",
       [](Array x, Array y, int) {
         const Array z = x + y * x;
         return Arrays{x, y, z};
       }},
      {"both inputs dropped",
       [](Array x, Array y, int) {
         const Array z = x + y * x;
         x = Array();
         y = Array();
         return Arrays{z};
       }},
      {"t = y*x kept beside z = x + t",
       [](const Array& x, const Array& y, int) {
         const Array t = y * x;
         const Array z = x + t;
         return Arrays{t, z};
       }},
      {"t = y*x given up to z = x + t",
       [](const Array& x, const Array& y, int) {
         Array t = y * x;
         const Array z = x + std::move(t);
         EXPECT_FALSE(t.has_value());
         return Arrays{z};
       }},
      {"t given up, but held by another handle",
       [](const Array& x, const Array& y, int) {
         Array t = y * x;
         const Array same = t;
         const Array z = x + std::move(t);
         return Arrays{same, z};
       }},
      {"t given up, but held through a view",
       [](const Array& x, const Array& y, int) {
         Array t = y * x;
         const Array view = t(xp::slice(0, 1));
         const Array z = std::move(t) + x;
         return Arrays{view, z};
       }},
      {"t given up twice in one operation",
       [](const Array& x, const Array& y, int) {
         Array t = y - x;
         const Array same = t;
         const Array z = t * std::move(t);
         return Arrays{same, z};
       }},
      {"two temporaries",
       [](const Array& x, const Array& y, int) {
         return Arrays{(x + y) * (x - y), y};
       }},
      {"a view given up",
       [](const Array& x, const Array& y, int) {
         return Arrays{(x + y)(xp::all)*y, x};
       }},
      {"in place, then read",
       [](Array x, const Array& y, int) {
         x *= y;
         x += 2;
         return Arrays{x, x - y};
       }},
      {"read, then in place",
       [](Array x, const Array& y, int) {
         const Array before = x + y;
         x *= 3;
         const Array after = x + y;
         return Arrays{before, after, x};
       }},
      {"constants of every round",
       [](const Array& x, const Array& y, int round) {
         return Arrays{x * (round + 0.5) + (2 * round), (round - 1.25) - y};
       }},
      {"one constant twice",
       [](const Array& x, const Array& y, int round) {
         return Arrays{x * (round + 0.5) + (round + 0.5), y};
       }},
      {"unary",
       [](const Array& x, const Array& y, int) {
         return Arrays{-xp::sqrt(xp::abs(x)), xp::exp(y) / x};
       }},
      {"one operand twice",
       [](const Array& x, const Array& y, int) {
         return Arrays{x + x, y / y, x - x};
       }},
      {"a part",
       [](const Array& x, const Array& y, int) {
         const Array part = x(xp::slice(x.size() / 2, xp::none));
         const Array z = part * part + 1;
         return Arrays{z, x + y};
       }},
      {"a sum",
       [](const Array& x, const Array& y, int) {
         return Arrays{xp::sum(x * y), y};
       }},
      {"a sum beside a result",
       [](const Array& x, const Array& y, int) {
         const Array z = x * y;
         const Array total = xp::sum(z + 1);
         return Arrays{z, total};
       }},
      {"another dtype on the way",
       [](const Array& x, const Array& y, int) {
         return Arrays{xp::where(x < y, x, y) + 1, (x + y).astype(xp::float32)};
       }},
      {"two axes",
       [](const Array& x, const Array& y, int) {
         const Array a = x.reshape({1, x.size()}), b = y.reshape({1, y.size()});
         return Arrays{a + b * a};
       }},
      {"nobody wants it",
       [](const Array& x, const Array& y, int) {
         const Array dropped = x + y * x;
         return Arrays{x, y};
       }},
  };
  return all;
}

using Values = std::vector<std::vector<double>>;

Values outcome(const Body& body, xp::Device device, xp::DType dtype, xp::Index n, int round) {
  const Array x = (xp::arange(n, xp::float64, device) * 0.75 + (1 + round)).astype(dtype);
  const Array y = (3.5 - xp::arange(n, xp::float64, device) * 0.25 * (round + 1)).astype(dtype);
  xp::eval();
  Values values;
  const Arrays results = body.run(x.copy(), y.copy(), round);
  xp::eval();
  for (const Array& result : results) values.push_back(result.astype(xp::float64).to_vector<double>());
  values.push_back(x.astype(xp::float64).to_vector<double>());
  values.push_back(y.astype(xp::float64).to_vector<double>());
  return values;
}

// NaN equals NaN here.
testing::AssertionResult same(const Values& a, const Values& b) {
  if (a.size() != b.size()) return testing::AssertionFailure() << a.size() << " results and " << b.size();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].size() != b[i].size()) return testing::AssertionFailure() << "sizes of result " << i;
    for (std::size_t j = 0; j < a[i].size(); ++j)
      if (a[i][j] != b[i][j] && (a[i][j] == a[i][j] || b[i][j] == b[i][j]))
        return testing::AssertionFailure()
               << "result " << i << ", element " << j << ": " << a[i][j] << " and " << b[i][j];
  }
  return testing::AssertionSuccess();
}

TEST_P(SmallPrograms, WhatRanBeforeDoesNotShow) {
  for (int round = 0; round < 4; ++round) {
    for (const xp::Index n : {10, 1, 33, 4097, 10}) {
      if (interpreted() && n > 1000) continue;
      for (const xp::DType dtype : {xp::float64, xp::float32, xp::int64}) {
        for (std::size_t i = 0; i < bodies().size(); ++i) {
          // Odd rounds go backwards, so that other programs have run before.
          const Body& body = bodies()[round % 2 == 0 ? i : bodies().size() - 1 - i];
          xp::set_fusion(false);
          const Values expected = outcome(body, device, dtype, n, round);
          xp::set_fusion(true);
          EXPECT_TRUE(same(outcome(body, device, dtype, n, round), expected))
              << body.name << ", n " << n << ", " << xp::name(dtype) << ", round " << round;
        }
      }
    }
  }
}

TEST_P(SmallPrograms, AKeptProgramCountsAndAllocatesAsTheFirst) {
  xp::set_fusion(true);
  for (const Body& body : bodies()) {
    auto counted = [&] {
      Array x = xp::full({10}, 1.5, {}, device), y = xp::full({10}, 0.5, {}, device);
      xp::eval();
      xp::synchronize();
      xp::reset_stats();
      const Arrays results = body.run(std::move(x), std::move(y), 1);
      xp::eval();
      return xp::stats();
    };
    const xp::Stats first = counted(), again = counted();
    EXPECT_EQ(first.kernels, again.kernels) << body.name;
    EXPECT_EQ(first.operations, again.operations) << body.name;
    EXPECT_EQ(first.instructions, again.instructions) << body.name;
    EXPECT_EQ(first.allocations, again.allocations) << body.name;
    EXPECT_EQ(first.donations, again.donations) << body.name;
  }
}

TEST_P(SmallPrograms, AnExpressionOfTemporariesIsOneResult) {
  xp::set_fusion(true);
  const Array x = xp::full({10}, 1.5, {}, device), y = xp::full({10}, 0.5, {}, device);
  xp::eval();
  for (int i = 0; i < 3; ++i) {
    xp::reset_stats();
    const Array z = (x + y) * (x - y) + x * y - xp::sqrt(x) / 2;
    xp::eval();
    const xp::Stats stats = xp::stats();
    EXPECT_EQ(stats.kernels, 1u);
    EXPECT_EQ(stats.operations, 8u);
    EXPECT_EQ(stats.allocations, 1u);
  }
}

// Each thread has programs of its own, over arrays that all read.
TEST_P(SmallPrograms, ThreadsReadingOneArray) {
  const Array x = xp::full({10}, 1.5, {}, device);
  xp::eval();
  std::vector<double> sums(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < sums.size(); ++t) {
    threads.emplace_back([&, t] {
      Array y = xp::full({10}, 1.0, {}, device);
      for (int i = 0; i < 500; ++i) {
        y = x + y * x;
        y = y / 2.5;
        if (i % 7 == static_cast<int>(t)) xp::eval();
      }
      sums[t] = xp::sum(y).item<double>();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const double sum : sums) EXPECT_EQ(sum, sums[0]);
}

XP_INSTANTIATE_ON_DEVICES(SmallPrograms);

}  // namespace
