// SPDX-License-Identifier: Apache-2.0
// The tests' main(), and child processes: what a process does when it starts, exits or dies is tested from outside, by
// running the test program again with another environment. Included by one source of each test program.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace xp_test {

inline std::map<std::string, std::function<int()>>& children() {
  static std::map<std::string, std::function<int()>> table;
  return table;
}

struct RegisterChild {
  RegisterChild(const char* name, std::function<int()> body) { children()[name] = std::move(body); }
};

struct ChildResult {
  int exit_code = -1;  // -1 when a signal ended it
  int signal = 0;
  std::string out, err;
};

using Environment = std::vector<std::pair<std::string, std::string>>;

/// Runs XP_CHILD(name) in a process of its own; an empty value removes the variable.
inline ChildResult run_child(const std::string& name, const Environment& changes = {}) {
  int out[2], err[2];
  if (pipe(out) != 0 || pipe(err) != 0) throw std::runtime_error("pipe");
  const std::string argument = "--child=" + name;
  const pid_t child = fork();
  if (child == 0) {
    dup2(out[1], 1);
    dup2(err[1], 2);
    for (const int fd : {out[0], out[1], err[0], err[1]}) close(fd);
    for (const auto& [key, value] : changes)
      if (value.empty())
        unsetenv(key.c_str());
      else
        setenv(key.c_str(), value.c_str(), 1);
    execl("/proc/self/exe", "/proc/self/exe", argument.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(out[1]);
  close(err[1]);
  ChildResult result;
  pollfd streams[2] = {{out[0], POLLIN, 0}, {err[0], POLLIN, 0}};
  for (int open = 2; open > 0;) {
    poll(streams, 2, -1);
    for (int i = 0; i < 2; ++i) {
      if (streams[i].fd < 0 || streams[i].revents == 0) continue;
      char buffer[4096];
      const ssize_t got = read(streams[i].fd, buffer, sizeof buffer);
      if (got > 0) {
        (i == 0 ? result.out : result.err).append(buffer, static_cast<std::size_t>(got));
      } else {
        close(streams[i].fd);
        streams[i].fd = -1;
        --open;
      }
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

inline std::ostream& operator<<(std::ostream& stream, const ChildResult& result) {
  return stream << "exit code " << result.exit_code << ", signal " << result.signal << "\nstdout: " << result.out
                << "\nstderr: " << result.err;
}

/// For the body of a child: prints and fails.
inline bool expect(bool condition, const char* what) {
  if (!condition) std::cerr << "not so: " << what << '\n';
  return condition;
}

}  // namespace xp_test

/// A program that run_child(#name) runs: `XP_CHILD(name) { ... return exit_code; }`.
#define XP_CHILD(name)                                                            \
  static int xp_child_##name();                                                   \
  static const xp_test::RegisterChild xp_register_##name(#name, xp_child_##name); \
  static int xp_child_##name()
#define XP_CHILD_EXPECT(condition) \
  if (!xp_test::expect((condition), #condition)) return 1

int main(int argc, char** argv) {
  setenv("XP_BACKEND_PATH", XP_TEST_FAKE_PATH, 0);
  const std::string first = argc > 1 ? argv[1] : "";
  if (first.rfind("--child=", 0) == 0) {
    const auto found = xp_test::children().find(first.substr(8));
    if (found == xp_test::children().end()) return 126;
    try {
      return found->second();
    } catch (const std::exception& error) {
      std::cerr << "exception: " << error.what() << '\n';
      return 125;
    }
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
