// SPDX-License-Identifier: Apache-2.0
// The caller's rounding mode, flush-to-zero and traps change no bits, and are the same after a call as before it.
#include <cfenv>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "support/devices.hpp"
#include "support/main.hpp"
#include "support/operations.hpp"
#include "support/sum_tree.hpp"
#include "support/values.hpp"

namespace {

using namespace xp_test;
using oracle::Rng;
using xp::Array;
using xp::Index;

class FloatEnvironment : public OnDevice {
 protected:
  // What depends on rounding, on subnormals, on constants and on casts; large enough for several threads on the host.
  std::vector<Buffer> compute(const Buffer& values) const {
    const xp::Shape shape{values.count};
    const Array x = oracle::upload(values, shape, device);
    std::vector<Buffer> results;
    results.push_back(oracle::read(x / 3 + 0.1));
    results.push_back(oracle::read(xp::sqrt(xp::abs(x)) * 1e-300 * 1e-10));
    results.push_back(oracle::read(x.astype(xp::float32) * 0.1));
    results.push_back(oracle::read(x.astype(xp::float16) + 0.1));
    results.push_back(oracle::read(xp::exp(x * 0.01)));
    results.push_back(oracle::read(xp::sum(x / 7)));
    results.push_back(oracle::read(xp::full({3}, 0.1, xp::float32, device)));
    results.push_back(oracle::read(xp::full({3}, 0.1, xp::bfloat16, device)));
    results.push_back(oracle::read(xp::arange(0.0, 3.0, 0.1, {}, device)));
    results.push_back(oracle::read(xp::linspace(0, 1, 11, true, xp::float32, device)));
    results.push_back(oracle::read(x / 0));
    return results;
  }

  static void expect_same(const std::vector<Buffer>& got, const std::vector<Buffer>& want, const char* where) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_TRUE(oracle::equal(got[i], want[i])) << where << ", result " << i;
  }

  Buffer values() const {
    Rng rng(3);
    return oracle::random_buffer(xp::float64, interpreted() ? 500 : 400000, rng, oracle::Flavour::finite);
  }
};

TEST_P(FloatEnvironment, RoundingModesOfTheCaller) {
  const Buffer input = values();
  const std::vector<Buffer> want = compute(input);
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    const std::vector<Buffer> got = compute(input);
    const int after = std::fegetround();
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(after, mode);
    expect_same(got, want, mode == FE_UPWARD ? "upward" : mode == FE_DOWNWARD ? "downward" : "toward zero");
  }
}

#if defined(__SSE__)
TEST_P(FloatEnvironment, FlushToZeroOfTheCaller) {
  const Buffer input = values();
  const std::vector<Buffer> want = compute(input);
  const unsigned int before = _mm_getcsr();
  constexpr unsigned int flush = 0x8040, sticky = 0x3f;
  _mm_setcsr(before | flush);
  const std::vector<Buffer> got = compute(input);
  const unsigned int after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(after & ~sticky, (before | flush) & ~sticky);
  expect_same(got, want, "flush to zero");
}

TEST_P(FloatEnvironment, TrapsOfTheCaller) {
  const Buffer input = values();
  const std::vector<Buffer> want = compute(input);
  const unsigned int before = _mm_getcsr();
  constexpr unsigned int traps = 0x0680, sticky = 0x3f;  // invalid, division by zero, overflow
  _mm_setcsr(before & ~(traps | sticky));
  const std::vector<Buffer> got = compute(input);  // x / 0 would end the process
  const unsigned int after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(after & traps, 0u);
  expect_same(got, want, "traps");
}
#endif

XP_INSTANTIATE_ON_DEVICES(FloatEnvironment);

}  // namespace
