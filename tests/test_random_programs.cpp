// SPDX-License-Identifier: Apache-2.0
// Random programs of all rows of the operation table, run fused, one operation at a time, and on the oracle: equal
// bits. Those with functions, whose last bits differ between devices, are not compared with the oracle.
// XP_TEST_PROGRAMS sets how many, XP_TEST_SEED the first seed.
#include <cstdlib>
#include <thread>

#include "support/devices.hpp"
#include "support/main.hpp"
#include "support/program_generator.hpp"

namespace {

using namespace xp_test;

class RandomPrograms : public OnDevice {
 protected:
  static std::uint64_t first_seed() {
    const char* text = std::getenv("XP_TEST_SEED");
    return text != nullptr ? std::strtoull(text, nullptr, 10) : 1;
  }
  static int programs(int usual) {
    const char* text = std::getenv("XP_TEST_PROGRAMS");
    return text != nullptr ? std::atoi(text) : usual;
  }

  struct Outcome {
    std::array<std::optional<oracle::Buffer>, slot_count> slots;
    std::vector<oracle::Buffer> seen;
    std::string failure;
    std::uint64_t kernels = 0;
  };

  Outcome on_library(const Program& program, bool inexact, bool fuse) const {
    xp::set_fusion(fuse);
    return on_library(program, inexact);
  }
  Outcome on_library(const Program& program, bool inexact) const {
    Outcome outcome;
    const std::uint64_t before = xp::stats().kernels;
    try {
      LibraryMachine machine{device, {}, {}, {}};
      OracleMachine guard;  // says which steps make sense, when the program has been cut down
      guard.inexact = inexact;
      for (const Step& step : program) {
        const bool copy_reshape = guard.copies(step);
        if (guard.run(step)) machine.run(step, copy_reshape);
      }
      for (std::size_t k = 0; k < slot_count; ++k)
        if (machine.slots[k].has_value()) outcome.slots[k] = oracle::read(machine.slots[k]);
      outcome.seen = std::move(machine.seen);
    } catch (const std::exception& error) {
      outcome.failure = error.what();
    }
    outcome.kernels = xp::stats().kernels - before;
    return outcome;
  }

  static Outcome on_oracle(const Program& program) {
    OracleMachine machine;
    for (const Step& step : program) machine.run(step);
    Outcome outcome;
    for (std::size_t k = 0; k < slot_count; ++k)
      if (machine.slots[k]) outcome.slots[k] = machine.slots[k]->gather();
    outcome.seen = std::move(machine.seen);
    return outcome;
  }

  static std::string difference(const Outcome& got, const Outcome& want) {
    if (!got.failure.empty() || !want.failure.empty()) return "exception: " + got.failure + want.failure;
    if (got.seen.size() != want.seen.size()) return "number of reads";
    for (std::size_t i = 0; i < got.seen.size(); ++i)
      if (const auto same = oracle::equal(got.seen[i], want.seen[i]); !same)
        return "read " + std::to_string(i) + ": " + same.message();
    for (std::size_t k = 0; k < slot_count; ++k) {
      if (got.slots[k].has_value() != want.slots[k].has_value())
        return "s" + std::to_string(k) + " is there in one only";
      if (!got.slots[k]) continue;
      if (const auto same = oracle::equal(*got.slots[k], *want.slots[k]); !same)
        return "s" + std::to_string(k) + ": " + same.message();
    }
    return "";
  }

  // Leaves out steps as long as it still fails.
  template <class Fails>
  static Program shrink(Program program, Fails&& fails) {
    for (bool smaller = true; smaller;) {
      smaller = false;
      for (std::size_t i = program.size(); i-- > 0;) {
        Program shorter = program;
        shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(i));
        if (!fails(shorter)) continue;
        program = std::move(shorter);
        smaller = true;
      }
    }
    return program;
  }

  // Returns false after a failure.
  bool check(std::uint64_t seed, const GeneratorOptions& options) {
    OracleMachine machine;
    machine.inexact = options.inexact;
    const Program program = ProgramGenerator(seed, options).generate(machine);
    auto compare = [&](const Program& candidate) {
      const Outcome one_by_one = on_library(candidate, options.inexact, false),
                    fused = on_library(candidate, options.inexact, true);
      if (std::string text = difference(fused, one_by_one); !text.empty()) return "fused against one by one: " + text;
      if (options.inexact) return std::string();
      if (std::string text = difference(fused, on_oracle(candidate)); !text.empty())
        return "against the oracle: " + text;
      return std::string();
    };
    const std::string text = compare(program);
    if (text.empty()) {
      kernels_fused_ += on_library(program, options.inexact, true).kernels;
      kernels_one_by_one_ += on_library(program, options.inexact, false).kernels;
      return true;
    }
    const Program least = shrink(program, [&](const Program& candidate) { return !compare(candidate).empty(); });
    ADD_FAILURE() << "seed " << seed << ", " << text << "\nleast program that fails (" << compare(least) << "):\n"
                  << to_text(least);
    return false;
  }

  std::uint64_t kernels_fused_ = 0, kernels_one_by_one_ = 0;
};

TEST_P(RandomPrograms, AgreeWithTheOracle) {
  int failures = 0;
  const int count = programs(400);
  for (int i = 0; i < count && failures < 5; ++i) failures += !check(first_seed() + static_cast<std::uint64_t>(i), {});
  EXPECT_LT(kernels_fused_, kernels_one_by_one_);
}

TEST_P(RandomPrograms, OfManyStepsAgreeWithTheOracle) {
  int failures = 0;
  const int count = programs(400) / 8;
  for (int i = 0; i < count && failures < 5; ++i)
    failures += !check(first_seed() + 1000000 + static_cast<std::uint64_t>(i), {300, false, 40});
}

TEST_P(RandomPrograms, OnLargerArraysAgreeWithTheOracle) {
  if (interpreted()) GTEST_SKIP() << "too slow on an interpreter";
  int failures = 0;
  const int count = programs(400) / 20;
  for (int i = 0; i < count && failures < 5; ++i)
    failures += !check(first_seed() + 2000000 + static_cast<std::uint64_t>(i), {40, false, 20000});
}

TEST_P(RandomPrograms, OnSeveralThreadsAgreeWithTheOracle) {
  if (interpreted()) GTEST_SKIP() << "too slow on an interpreter";
  // Large enough that the host divides its loops.
  int failures = 0;
  const int count = programs(400) / 50;
  for (int i = 0; i < count && failures < 5; ++i)
    failures += !check(first_seed() + 4000000 + static_cast<std::uint64_t>(i), {25, false, 300000});
}

TEST_P(RandomPrograms, OfConcurrentThreadsAgreeWithTheOracle) {
  xp::set_fusion(true);
  std::vector<std::thread> threads;
  std::array<std::string, 4> failures;
  for (std::size_t t = 0; t < failures.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < programs(400) / 20; ++i) {
        const std::uint64_t seed = first_seed() + 5000000 + 100000 * t + static_cast<std::uint64_t>(i);
        OracleMachine machine;
        const Program program = ProgramGenerator(seed, {}).generate(machine);
        if (const std::string text = difference(on_library(program, false), on_oracle(program)); !text.empty())
          failures[t] += "seed " + std::to_string(seed) + ": " + text + "\n";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : failures) EXPECT_EQ(text, "");
}

TEST_P(RandomPrograms, WithFunctionsAgreeWithThemselves) {
  int failures = 0;
  const int count = programs(400) / 4;
  for (int i = 0; i < count && failures < 5; ++i)
    failures += !check(first_seed() + 3000000 + static_cast<std::uint64_t>(i), {40, true, 300});
}

XP_INSTANTIATE_ON_DEVICES(RandomPrograms);

}  // namespace
