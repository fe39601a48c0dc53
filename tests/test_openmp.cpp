// SPDX-License-Identifier: Apache-2.0
// Use from inside OpenMP parallel regions of the program's own.
#include <omp.h>

#include <algorithm>
#include <mutex>

#include "support/devices.hpp"
#include "support/main.hpp"

namespace {

using namespace xp_test;
using xp::Array;

XP_CHILD(first_use_in_region) {
  std::vector<std::string> messages;
  std::mutex mutex;
#pragma omp parallel num_threads(2)
  {
    std::string message = message_of<xp::DeviceError>([] { xp::ones({100}, "host"); });
    const std::lock_guard lock(mutex);
    messages.push_back(message);
  }
  XP_CHILD_EXPECT(messages.size() == 2);
  for (const std::string& message : messages) {
    XP_CHILD_EXPECT(message.find("xp::initialize") != std::string::npos);
    XP_CHILD_EXPECT(message.find("parallel") != std::string::npos);
  }
  // Refused, not broken.
  XP_CHILD_EXPECT(xp::sum(xp::ones({100}, "host")).item<double>() == 100);
  return 0;
}

TEST(OpenMP, TheFirstUseInsideARegionIsRefused) {
  const ChildResult result = run_child("first_use_in_region");
  EXPECT_EQ(result.exit_code, 0) << result;
}

// Every thread works on arrays of its own, large enough that the library would use several threads by itself.
double work(int t) {
  Array x = xp::arange(0, 300000, 1, xp::float64, "host");
  x *= t + 1;
  x += x;
  return xp::sum(xp::sqrt(x * x)).item<double>();
}

XP_CHILD(use_in_region) {
  xp::initialize("host");
  const double serial[4] = {work(0), work(1), work(2), work(3)};
  double inside[4] = {};
  bool threads_changed = false;
#pragma omp parallel for num_threads(4)
  for (int t = 0; t < 4; ++t) {
    inside[t] = work(t);
#pragma omp atomic write
    threads_changed = omp_get_num_threads() > 4;
  }
  for (int t = 0; t < 4; ++t) XP_CHILD_EXPECT(inside[t] == serial[t]);
  XP_CHILD_EXPECT(!threads_changed);
  XP_CHILD_EXPECT(work(2) == serial[2]);  // and outside again
  return 0;
}

TEST(OpenMP, LaterUseInsideRegionsGivesTheSameBits) {
  const ChildResult result = run_child("use_in_region");
  EXPECT_EQ(result.exit_code, 0) << result;
}

XP_CHILD(threads_kept) {
  // The program's own settings are left alone.
  omp_set_num_threads(3);
  xp::initialize("host");
  work(1);
  int seen = 0;
#pragma omp parallel
#pragma omp single
  seen = omp_get_num_threads();
  XP_CHILD_EXPECT(seen == 3);
  XP_CHILD_EXPECT(omp_get_max_threads() == 3);
  return 0;
}

TEST(OpenMP, TheProgramsThreadCountIsLeftAlone) {
  const ChildResult result = run_child("threads_kept");
  EXPECT_EQ(result.exit_code, 0) << result;
}

TEST(OpenMP, TheRuntimeIsListed) {
  const auto rows = xp::backends();
  const auto host = std::find_if(rows.begin(), rows.end(), [](const auto& row) { return row.name == "host"; });
  ASSERT_NE(host, rows.end());
  EXPECT_NE(host->openmp_runtimes, "");
}

}  // namespace
