// SPDX-License-Identifier: Apache-2.0
// How processes end: static arrays, pending work, fork, the first use inside main or before it. All in child processes.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "support/devices.hpp"
#include "support/fake.hpp"
#include "support/main.hpp"

namespace {

using namespace xp_test;
using xp::Array;

// XP_TEST_CHILD_DEVICE
xp::Device child_device() {
  const char* name = std::getenv("XP_TEST_CHILD_DEVICE");
  return xp::Device(name != nullptr ? name : "host");
}

// Lives from before main() until after it.
Array at_namespace_scope;

class Exit : public testing::TestWithParam<std::string> {
 protected:
  ChildResult run(const char* child) const { return run_child(child, {{"XP_TEST_CHILD_DEVICE", GetParam()}}); }
};

// A child that ends well says so last, and writes nothing to stderr.
#define EXPECT_ENDS_WELL(result)                \
  EXPECT_EQ((result).exit_code, 0) << (result); \
  EXPECT_EQ((result).signal, 0) << (result);    \
  EXPECT_EQ((result).err, "") << (result);      \
  EXPECT_EQ((result).out, "done\n") << (result)

XP_CHILD(static_arrays) {
  static Array in_function;
  thread_local Array of_thread;
  at_namespace_scope = xp::ones({1000}, child_device());
  in_function = at_namespace_scope * 2;
  of_thread = in_function + 1;
  XP_CHILD_EXPECT(of_thread(0).item<double>() == 3);
  std::cout << "done\n";
  return 0;
}
TEST_P(Exit, StaticArraysOutliveEverything) { EXPECT_ENDS_WELL(run("static_arrays")); }

XP_CHILD(pending_at_exit) {
  static Array pending;
  at_namespace_scope = xp::ones({1000}, child_device());
  xp::eval();
  at_namespace_scope += 1;
  pending = xp::exp(at_namespace_scope);
  std::cout << "done\n";
  return 0;
}
TEST_P(Exit, PendingWorkIsDropped) { EXPECT_ENDS_WELL(run("pending_at_exit")); }

XP_CHILD(exit_in_function) {
  const Array local = xp::ones({1000}, child_device()) + 1;  // never destroyed
  at_namespace_scope = local * 2;
  std::cout << "done\n" << std::flush;
  std::exit(0);
}
TEST_P(Exit, ByCallingExit) { EXPECT_ENDS_WELL(run("exit_in_function")); }

XP_CHILD(exit_while_thread_waits) {
  // A thread that never ends holds recorded work.
  static std::atomic<bool> recorded{false};
  std::thread([] {
    const Array x = xp::ones({1000}, child_device()) + 1;
    at_namespace_scope = x;
    recorded = true;
    while (true) pause();
  }).detach();
  while (!recorded) std::this_thread::yield();
  std::cout << "done\n";
  return 0;
}
TEST_P(Exit, WhileAThreadHoldsRecordedWork) {
  const ChildResult result = run("exit_while_thread_waits");
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(result.out, "done\n") << result;
}

XP_CHILD(never_used) {
  const xp::Device named = child_device();
  std::cout << (named.name().empty() ? "" : "done\n");
  return 0;
}
TEST_P(Exit, WithoutAnyUse) { EXPECT_ENDS_WELL(run("never_used")); }

XP_CHILD(fork_then_use) {
  at_namespace_scope = xp::ones({10}, child_device());
  const Array pending = at_namespace_scope + 1;
  std::cout.flush();
  const pid_t child = fork();
  if (child == 0) {
    // Everything throws DeviceError; nothing hangs, and leaving as a normal program does is safe.
    int wrong = 0;
    auto check = [&](int which, auto&& f) {
      if (message_of<xp::DeviceError>(f).find("fork") == std::string::npos) wrong |= 1 << which;
    };
    check(0, [&] { xp::ones({3}, child_device()); });
    check(1, [&] { at_namespace_scope + 1; });
    check(2, [&] { at_namespace_scope(0).item<double>(); });
    check(3, [&] { pending.to_vector<double>(); });
    check(4, [&] { xp::synchronize(child_device()); });
    check(5, [&] { xp::initialize(child_device()); });
    check(6, [&] { xp::initialize("fake:1"); });  // not opened before
    std::exit(wrong == 0 ? 7 : wrong);
  }
  int status = 0;
  waitpid(child, &status, 0);
  XP_CHILD_EXPECT(WIFEXITED(status));
  if (WEXITSTATUS(status) != 7) std::cerr << "in the forked child: " << WEXITSTATUS(status) << '\n';
  XP_CHILD_EXPECT(pending(0).item<double>() == 2);  // the parent goes on
  std::cout << "done\n";
  return 0;
}
TEST_P(Exit, ForkedChildrenCannotUseDevices) { EXPECT_ENDS_WELL(run("fork_then_use")); }

XP_CHILD(fork_before_use) {
  // A child of a process that has used nothing is a process like any other.
  std::cout.flush();
  const pid_t child = fork();
  if (child == 0) {
    const bool works = (xp::ones({3}, child_device()) + 1)(0).item<double>() == 2;
    std::exit(works ? 7 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  XP_CHILD_EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  std::cout << "done\n";
  return 0;
}
TEST_P(Exit, ForkBeforeTheFirstUseIsNoRestriction) { EXPECT_ENDS_WELL(run("fork_before_use")); }

XP_CHILD(uncaught_in_thread) {
  // A failed call unwinds through user code that holds arrays and a scope.
  try {
    const xp::FusionScope scope;
    const Array x = xp::ones({3}, child_device()) + 1;
    x + xp::ones({4}, child_device());
  } catch (const xp::ShapeError&) {
    std::cout << "done\n";
  }
  return 0;
}
TEST_P(Exit, AfterAnExceptionInAScope) { EXPECT_ENDS_WELL(run("uncaught_in_thread")); }

INSTANTIATE_TEST_SUITE_P(On, Exit, testing::ValuesIn(device_names()), test_suffix);

// ---- What the fake backend saw at the end
// -----------------------------------------------------------------------------

std::int64_t runs_in_main = 0;

void print_runs() { std::cout << "runs after main: " << fake_control().runs - runs_in_main << '\n' << std::flush; }

XP_CHILD(count_runs_at_exit) {
  std::atexit(print_runs);  // before any array, so that it is called after their end
  static Array pending;
  pending = xp::ones({10}, "fake:0");
  xp::eval(pending);
  pending *= 3;
  runs_in_main = fake_control().runs;
  return 0;
}

TEST(ExitOnFake, NothingRunsAfterMain) {
  const ChildResult result = run_child("count_runs_at_exit");
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(result.out, "runs after main: 0\n") << result;
}

XP_CHILD(thread_exit_runs) {
  Array result;
  std::thread([&] { result = xp::ones({10}, "fake:0") + 2; }).join();
  const std::int64_t runs = fake_control().runs;
  XP_CHILD_EXPECT(runs == 1);  // the end of the thread launched it
  XP_CHILD_EXPECT(result(0).item<double>() == 3);
  XP_CHILD_EXPECT(fake_control().runs == runs);
  return 0;
}

TEST(ExitOnFake, AThreadsEndLaunchesItsWork) {
  const ChildResult result = run_child("thread_exit_runs", {{"XP_FUSE", "1"}});
  EXPECT_EQ(result.exit_code, 0) << result;
}

}  // namespace
