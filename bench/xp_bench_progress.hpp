// SPDX-License-Identifier: Apache-2.0
// A line on stderr that says how far the run is; only on a terminal.
#pragma once

#include <chrono>
#include <string>

namespace bench {

class Progress {
 public:
  explicit Progress(int steps);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// What is being done; drawn a few times per second at most.
  void note(const std::string& text);
  void step() { ++done_; }
  /// Takes the line away, so that stdout can be written to the same terminal.
  void clear();

 private:
  bool shown_, drawn_ = false;
  int steps_, done_ = 0, width_;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace bench
