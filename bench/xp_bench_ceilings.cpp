// SPDX-License-Identifier: Apache-2.0
#include "xp_bench_ceilings.hpp"

#include "xp_bench_loops.hpp"

#if defined(__linux__)
#include <sched.h>
#endif
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace bench {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr double most_bytes = 0x1p30;
constexpr double target_seconds = 1e-3;

int touched(Pattern pattern) { return pattern == Pattern::fill ? 1 : pattern == Pattern::two_reads ? 3 : 2; }
int arrays(Pattern pattern) { return pattern == Pattern::two_reads ? 3 : pattern == Pattern::copy ? 2 : 1; }

// ---- Threads --------------------------------------------------------------------------------------------------------

#if defined(__linux__)
// Before any OpenMP runtime binds the main thread (OMP_PROC_BIND): threads that it starts later would inherit its one
// processor.
const cpu_set_t processors_at_start = [] {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return set;
}();

/// Puts the calling thread on a processor of its own: the id-th after the main thread's.
void bind_worker(int id, int main_processor) {
  const int count = CPU_COUNT(&processors_at_start);
  if (count == 0 || main_processor < 0) return;
  int processor = main_processor;
  for (int left = id % count; left > 0;) {
    processor = (processor + 1) % CPU_SETSIZE;
    if (CPU_ISSET(processor, &processors_at_start)) --left;
  }
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  sched_setaffinity(0, sizeof set, &set);
}
int current_processor() { return sched_getcpu(); }
#else
void bind_worker(int, int) {}
int current_processor() { return -1; }
#endif

/// Threads that sleep between jobs, so that they take no time from what is measured next, and start together.
class Team {
 public:
  explicit Team(int size) : size_(std::max(size, 1)) {
    for (int id = 1; id < size_; ++id) threads_.emplace_back([this, id] { work(id); });
  }
  ~Team() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
      ++job_number_;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return size_; }

  /// Runs job(id) on all threads; seconds from the common start to the last one's end.
  double run(const std::function<void(int)>& job) {
    job_ = &job;
    ready_ = 0;
    finished_ = 0;
    go_ = false;
    main_processor_ = current_processor();
    {
      const std::lock_guard lock(mutex_);
      ++job_number_;
    }
    wake_.notify_all();
    spin_until([&] { return ready_.load(std::memory_order_acquire) == size_ - 1; });
    const auto start = Clock::now();
    go_.store(true, std::memory_order_release);
    job(0);
    spin_until([&] { return finished_.load(std::memory_order_acquire) == size_ - 1; });
    return seconds_since(start);
  }

 private:
  template <class Condition>
  static void spin_until(Condition condition) {
    for (int i = 0; !condition(); ++i)
      if (i > 10000) std::this_thread::yield();
  }
  void work(int id) {
    std::uint64_t seen = 0;
    int bound_beside = -1;
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return job_number_ != seen; });
        seen = job_number_;
        if (stop_) return;
      }
      if (bound_beside != main_processor_) bind_worker(id, bound_beside = main_processor_);
      ready_.fetch_add(1, std::memory_order_release);
      spin_until([&] { return go_.load(std::memory_order_acquire); });
      (*job_)(id);
      finished_.fetch_add(1, std::memory_order_release);
    }
  }

  int size_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::uint64_t job_number_ = 0;
  bool stop_ = false;
  int main_processor_ = -1;
  const std::function<void(int)>* job_ = nullptr;
  std::atomic<int> ready_{0}, finished_{0};
  std::atomic<bool> go_{false};
};

/// Memory on 2 MiB pages, as the library's pool has it.
class Block {
 public:
  Block() = default;
  explicit Block(std::size_t bytes) {
    constexpr std::size_t page = std::size_t{1} << 21;
    bytes_ = (bytes + page - 1) / page * page + page;
    void* address = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address == MAP_FAILED) return;
    start_ = address;
    data_ = reinterpret_cast<double*>((reinterpret_cast<std::uintptr_t>(address) + page - 1) / page * page);
#ifdef MADV_HUGEPAGE
    madvise(start_, bytes_, MADV_HUGEPAGE);
#endif
  }
  Block(Block&& other) noexcept { *this = std::move(other); }
  Block& operator=(Block&& other) noexcept {
    std::swap(start_, other.start_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Block() {
    if (start_ != nullptr) munmap(start_, bytes_);
  }
  double* data() const { return data_; }

 private:
  void* start_ = nullptr;
  double* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// ---- Host -----------------------------------------------------------------------------------------------------------

class HostCeiling final : public Ceiling {
 public:
  explicit HostCeiling(int threads) : all_(threads), one_(1) {}

  bool prepare(Pattern pattern, double array_bytes) override {
    const std::size_t count =
        std::max<std::size_t>(static_cast<std::size_t>(std::min(array_bytes, most_bytes) / sizeof(double)), 1);
    if (prepared_ == pattern && count_ == count) return true;
    prepared_ = Pattern::none;
    count_ = count;
    touched_ = touched(pattern);
    const std::size_t needed = static_cast<std::size_t>(arrays(pattern));
    if (capacity_ < count_) release();
    for (std::size_t k = 0; k < needed; ++k) {
      if (blocks_[k].data() != nullptr) continue;
      blocks_[k] = Block(std::max(capacity_, count_) * sizeof(double));
      if (blocks_[k].data() == nullptr) return false;
    }
    capacity_ = std::max(capacity_, count_);
    const LoopSet& set = loops();
    candidates_ = pattern == Pattern::fill       ? set.fill
                  : pattern == Pattern::in_place ? set.in_place
                  : pattern == Pattern::copy     ? set.copy
                                                 : set.two_reads;
    // Below the size that is worth a second thread one is faster, so both are tried.
    team_ = &all_;
    touch();
    double best = 0;
    Team* best_team = &all_;
    NamedLoop best_loop = candidates_[0];
    for (Team* team : {&all_, &one_}) {
      if (team == &one_ && all_.size() == 1) continue;
      for (const NamedLoop& candidate : candidates_) {
        team_ = team;
        chosen_ = candidate;
        calibrate();
        double speed = 0;
        for (int k = 0; k < 3; ++k) speed = std::max(speed, timed(rounds_));
        // One thread only where it is clearly better: the test is short.
        if (speed > best * (team == best_team ? 1.0 : 1.05)) {
          best = speed;
          best_team = team;
          best_loop = candidate;
        }
      }
    }
    team_ = best_team;
    chosen_ = best_loop;
    calibrate();
    prepared_ = pattern;
    return true;
  }

  double sample() override {
    // Idle workers of an OpenMP runtime spin for up to tens of milliseconds and would take a processor.
    const auto start = Clock::now();
    do timed(rounds_);
    while (seconds_since(start) < 25e-3);
    return timed(rounds_);
  }

  void release() override {
    for (Block& block : blocks_) block = Block();
    capacity_ = 0;
    prepared_ = Pattern::none;
  }

  std::string description() const override {
    return std::string(loops().isa) + " loops, " + std::to_string(team_->size()) +
           (team_->size() == 1 ? " thread, " : " threads, ") + std::string(chosen_.name);
  }

 private:
  // First touch by the thread that will use the part.
  void touch() {
    all_.run([&](int id) {
      const auto [begin, end] = part(id, all_.size());
      for (const Block& block : blocks_)
        if (block.data() != nullptr) std::fill(block.data() + begin, block.data() + end, 1.0);
    });
  }
  std::pair<std::size_t, std::size_t> part(int id, int size) const {
    const auto cut = [&](int k) {
      return k == size ? count_ : count_ * static_cast<std::size_t>(k) / static_cast<std::size_t>(size) / 8 * 8;
    };
    return {cut(id), cut(id + 1)};
  }
  /// Threads meet at both ends only: what a call of a parallel region costs is no part of a memory's ceiling.
  double timed(std::size_t rounds) {
    const double factor = factor_;
    const double seconds = team_->run([&, rounds, factor](int id) {
      const auto [begin, end] = part(id, team_->size());
      double* data[3];
      for (int k = 0; k < 3; ++k) data[k] = blocks_[k].data() == nullptr ? nullptr : blocks_[k].data() + begin;
      for (std::size_t round = 0; round < rounds; ++round) chosen_.loop(data[0], data[1], data[2], end - begin, factor);
    });
    // b = a + b f grows by a per round: far from overflow in any run.
    return static_cast<double>(rounds) * static_cast<double>(count_) * sizeof(double) * touched_ / seconds;
  }
  void calibrate() {
    rounds_ = 1;
    timed(1);
    while (rounds_ < (std::size_t{1} << 30)) {
      const double speed = timed(rounds_);
      const double seconds = static_cast<double>(rounds_ * count_ * sizeof(double)) * touched_ / speed;
      if (seconds >= target_seconds) return;
      rounds_ *= 2;
    }
  }

  Team all_, one_;
  Team* team_ = &all_;
  Block blocks_[3];
  Pattern prepared_ = Pattern::none;
  std::size_t capacity_ = 0, count_ = 0, rounds_ = 1;
  int touched_ = 1;
  std::vector<NamedLoop> candidates_;
  NamedLoop chosen_{};
  volatile double factor_ = 1.0;  // the compiler must not know it
};

// ---- Devices whose memory host code does not reach ------------------------------------------------------------------

class LibraryCeiling final : public Ceiling {
 public:
  explicit LibraryCeiling(xp::Device device) : device_(device) {}

  bool prepare(Pattern pattern, double array_bytes) override {
    const auto count = static_cast<xp::Index>(std::max(1.0, std::min(array_bytes, most_bytes) / sizeof(double)));
    release();
    try {
      for (int k = 0; k < arrays(pattern) + (pattern == Pattern::in_place); ++k)
        arrays_[k] = xp::random::Generator(static_cast<std::uint64_t>(k), device_).uniform(0.5, 1.0, {count});
      xp::synchronize(device_);
    } catch (const xp::OutOfMemoryError&) {
      release();
      return false;
    }
    bytes_ = static_cast<double>(count) * sizeof(double) * touched(pattern);
    operations_.clear();
    xp::Array &a = arrays_[0], &b = arrays_[1], &c = arrays_[2];
    if (pattern == Pattern::fill) {
      operations_ = {{"x.fill(1)", [&] { a.fill(1); }}};
    } else if (pattern == Pattern::two_reads) {
      operations_ = {{"z = x + y", [&] { c.assign(a + b); }}, {"x += y", [&] { a += b; }}};
    } else {
      operations_ = {{"y.assign(x)", [&] { b.assign(a); }}};
      if (pattern == Pattern::in_place) operations_.push_back({"x *= 1", [&] { a *= 1; }});
    }
    double best = 0;
    std::size_t best_operation = 0;
    for (std::size_t k = 0; k < operations_.size(); ++k) {
      chosen_ = k;
      calibrate();
      const double speed = std::max(timed(), timed());
      if (speed > best) {
        best = speed;
        best_operation = k;
      }
    }
    chosen_ = best_operation;
    calibrate();
    return true;
  }

  double sample() override { return timed(); }
  void release() override {
    for (xp::Array& array : arrays_) array = xp::Array();
  }
  std::string description() const override { return "xparray's own " + operations_[chosen_].name; }

 private:
  struct Operation {
    std::string name;
    std::function<void()> run;
  };
  double timed() {
    const auto start = Clock::now();
    for (xp::Index round = 0; round < rounds_; ++round) {
      operations_[chosen_].run();
      xp::eval();  // one kernel each, on any setting of fusion
    }
    xp::synchronize(device_);
    return static_cast<double>(rounds_) * bytes_ / seconds_since(start);
  }
  void calibrate() {
    rounds_ = 1;
    timed();
    while (static_cast<double>(rounds_) * bytes_ / timed() < target_seconds) rounds_ *= 2;
  }

  xp::Device device_;
  xp::Array arrays_[3];
  std::vector<Operation> operations_;
  std::size_t chosen_ = 0;
  xp::Index rounds_ = 1;
  double bytes_ = 0;
};

}  // namespace

std::unique_ptr<Ceiling> host_ceiling(int threads) { return std::make_unique<HostCeiling>(threads); }
std::unique_ptr<Ceiling> library_ceiling(xp::Device device) { return std::make_unique<LibraryCeiling>(device); }

}  // namespace bench
