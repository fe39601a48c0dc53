// SPDX-License-Identifier: Apache-2.0
// Copies between host memory and devices and among devices: values, order with the work around them, and what a device
// that computes while the host goes on must not show.
#include "support/devices.hpp"
#include "support/main.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

namespace {

using namespace xp_test;
using xp::Array;
using xp::Index;

class Transfers : public OnDevice {
 protected:
  Array from(const std::vector<double>& values) const {
    const Array array = xp::empty({static_cast<Index>(values.size())}, xp::float64, device);
    array.copy_from_host(values.data());
    return array;
  }
};

std::vector<double> numbers(std::size_t count, double first = 0) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

// Around the sizes at which copies go other ways: through one buffer, in pieces, by several threads.
std::vector<std::size_t> sizes_in_bytes(bool interpreted) {
  std::vector<std::size_t> sizes = {8, 4096, (64 << 10) - 8, 64 << 10, (64 << 10) + 8, 300 << 10, 1 << 20};
  if (!interpreted)
    for (const std::size_t size : {(2 << 20) + 8, (9 << 20) - 8, 33 << 20, 100 << 20}) sizes.push_back(size);
  return sizes;
}

TEST_P(Transfers, ThereAndBack) {
  for (const std::size_t bytes : sizes_in_bytes(interpreted())) {
    const std::vector<double> values = numbers(bytes / 8, 0.5);
    EXPECT_EQ(from(values).to_vector<double>(), values) << bytes;
  }
}

TEST_P(Transfers, OddBytesAtOddAddresses) {
  for (const std::size_t count : {1u, 7u, 65537u, 3000001u}) {
    if (interpreted() && count > 100000) continue;
    std::vector<std::int8_t> values(count + 3);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int8_t>(i % 251);
    const Array array = xp::zeros({static_cast<Index>(count)}, xp::int8, device);
    array.copy_from_host(values.data() + 3);
    EXPECT_EQ(array.to_vector<std::int8_t>(), std::vector<std::int8_t>(values.begin() + 3, values.end())) << count;
    std::vector<std::int8_t> back(count + 1);
    array.copy_to_host(back.data() + 1);
    EXPECT_TRUE(std::equal(back.begin() + 1, back.end(), values.begin() + 3)) << count;
  }
}

TEST_P(Transfers, TheSourceIsFreeWhenTheCallReturns) {
  for (const std::size_t bytes : sizes_in_bytes(interpreted())) {
    std::vector<double> values = numbers(bytes / 8);
    std::vector<Array> arrays;
    for (int i = 0; i < 4; ++i) {
      arrays.push_back(from(values));
      for (double& value : values) value += 1;
    }
    for (int i = 0; i < 4; ++i) {
      const std::vector<double> got = arrays[static_cast<std::size_t>(i)].to_vector<double>();
      EXPECT_EQ(got.front(), i) << bytes;
      EXPECT_EQ(got.back(), static_cast<double>(got.size() - 1) + i) << bytes;
    }
  }
}

// Work is queued before and after each copy, and nothing waits in between.
TEST_P(Transfers, CopiesKeepTheirPlaceAmongOperations) {
  const std::size_t count = interpreted() ? 1000 : 3000000;
  std::vector<double> values(count, 1.0);
  Array x = from(values);
  for (int i = 0; i < 5; ++i) {
    const Array before = x * 2;  // reads what is overwritten next
    xp::eval();
    for (double& value : values) value = i + 10.0;
    x.copy_from_host(values.data());
    x += 1;
    const Array after = x * 1;
    xp::eval();
    std::vector<double> read(count);
    before.copy_to_host(read.data());
    EXPECT_EQ(read.front(), i == 0 ? 2 : 2 * (i + 10.0)) << i;
    EXPECT_EQ(read.back(), read.front());
    after.copy_to_host(read.data());
    EXPECT_EQ(read.front(), i + 11.0) << i;
    EXPECT_EQ(read.back(), read.front());
  }
}

TEST_P(Transfers, ReusedMemoryIsNotReadTooEarly) {
  const Index count = interpreted() ? 1000 : 1 << 20;
  std::vector<Array> kept;
  for (int i = 0; i < 50; ++i) {
    Array x = xp::full({count}, static_cast<double>(i), {}, device);
    Array y = x * 2 + 1;
    xp::eval();
    x = Array();  // its block is given to the next array at once
    Array z = xp::full({count}, -1.0, {}, device);
    xp::eval();
    kept.push_back(y(xp::slice(0, 1)).copy());
    EXPECT_EQ(z(count - 1).item<double>(), -1);
  }
  for (int i = 0; i < 50; ++i) EXPECT_EQ(kept[static_cast<std::size_t>(i)](0).item<double>(), 2 * i + 1);
}

TEST_P(Transfers, AmongAllDevices) {
  std::vector<xp::Device> devices = xp::devices();
  const Index count = interpreted() ? 1000 : 1 << 19;
  const Array start = xp::arange(count, xp::float64, device);
  for (const xp::Device other : devices) {
    if (other == device) continue;
    const bool small = is_interpreted(other.name());
    const Array source = small && !interpreted() ? start(xp::slice(0, 1000)) : start;
    Array there = source.to(other);
    EXPECT_EQ(there.device(), other);
    there += 1;
    Array back = there.to(device);
    there *= 0;  // after the copy
    xp::eval();
    EXPECT_EQ(back(0).item<double>(), 1) << other;
    EXPECT_EQ(back(-1).item<double>(), static_cast<double>(source.size())) << other;
    EXPECT_EQ(there(-1).item<double>(), 0);
    // Reversed, transposed, in parts.
    const Array odd = source.reshape({source.size() / 4, 4})(xp::slice(xp::none, xp::none, -3), xp::slice(1, 3)).T();
    EXPECT_EQ(odd.to(other).to_vector<double>(), odd.to_vector<double>()) << other;
    // A chain through both and back, never waited for.
    Array x = source(xp::slice(0, 100)).copy();
    for (int i = 0; i < 20; ++i) {
      Array y = x.to(other);
      x *= 0;
      y += 1;
      x = y.to(device);
      y *= 0;
    }
    EXPECT_EQ(x(99).item<double>(), 119) << other;
  }
}

TEST_P(Transfers, FromManyThreads) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const std::size_t count = (i % 3 == 0 && !interpreted()) ? 500000 : 100 * (t + 1);
        const std::vector<double> values = numbers(count, static_cast<double>(t * 1000 + static_cast<std::size_t>(i)));
        const Array x = from(values);
        const Array y = x + 1;
        wrong[t] += y.to_vector<double>() != numbers(count, values[0] + 1);
        wrong[t] += x.to_vector<double>() != values;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(wrong.size(), 0));
}

TEST_P(Transfers, AThousandArraysLeaveNothing) {
  auto cycle = [&](int i) {
    const Index count = 1 + (i * 7919) % (interpreted() ? 500 : 50000);
    Array x = xp::ones({count}, xp::float64, device);
    x += i;
    const Array y = x * x;
    return y(count - 1).item<double>();
  };
  for (int i = 0; i < 50; ++i) cycle(i);
  xp::synchronize();
  xp::empty_cache(device);
  const Index used = xp::memory_info(device).used, free = xp::memory_info(device).free;
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(cycle(i), (i + 1.0) * (i + 1.0));
  xp::synchronize();
  xp::empty_cache(device);
  EXPECT_EQ(xp::memory_info(device).used, used);
  // A host's memory goes up and down with other programs; a GPU's does so for moments only.
  if (device.name().rfind("cuda", 0) != 0) return;
  bool all_back = false;
  for (int i = 0; i < 100 && !all_back; ++i) {
    all_back = xp::memory_info(device).free + (2 << 20) >= free;
    if (!all_back) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  EXPECT_TRUE(all_back) << free << " bytes were free, now " << xp::memory_info(device).free;
}

XP_INSTANTIATE_ON_DEVICES(Transfers);

}  // namespace
