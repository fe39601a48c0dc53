// SPDX-License-Identifier: Apache-2.0
#include "xp_bench_progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace bench {

Progress::Progress(int steps) : shown_(isatty(STDERR_FILENO) == 1), steps_(std::max(steps, 1)), width_(80) {
  winsize size{};
  if (shown_ && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) width_ = size.ws_col;
}

void Progress::note(const std::string& text) {
  if (!shown_) return;
  // Drawing makes the terminal emulator work: on a machine with few cores that is seen in the next sample.
  const auto now = std::chrono::steady_clock::now();
  if (drawn_ && now - last_ < std::chrono::milliseconds(250)) return;
  last_ = now;
  drawn_ = true;
  constexpr int cells = 20;
  const int filled = std::min(cells, cells * done_ / steps_);
  std::string line = "[" + std::string(static_cast<std::size_t>(filled), '#') +
                     std::string(static_cast<std::size_t>(cells - filled), '.') + "] " + std::to_string(done_) + "/" +
                     std::to_string(steps_) + " " + text;
  line.resize(std::min(line.size(), static_cast<std::size_t>(std::max(width_ - 1, 1))));
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
}

void Progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace bench
