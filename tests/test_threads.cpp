// SPDX-License-Identifier: Apache-2.0
// Several recording threads: shared inputs, results and targets that are pending in another thread, threads that end.
// Meaningful under ThreadSanitizer too; what must happen in order is ordered by joins and barriers, nothing else.
#include <atomic>
#include <barrier>
#include <functional>
#include <latch>
#include <thread>

#include "support/devices.hpp"
#include "support/main.hpp"

namespace {

using namespace xp_test;
using xp::Array;
using xp::Index;
using xp::slice;
using Doubles = std::vector<double>;

class Threads : public OnDevice {
 protected:
  Array iota(Index n) const { return xp::arange(0, n, 1, xp::float64, device); }

  // Runs f(0) … f(count - 1) at once; their exceptions are failures.
  static void together(int count, const std::function<void(int)>& f) {
    std::latch start(count);
    std::vector<std::thread> threads;
    std::vector<std::string> errors(static_cast<std::size_t>(count));
    for (int t = 0; t < count; ++t) {
      threads.emplace_back([&, t] {
        start.arrive_and_wait();
        try {
          f(t);
        } catch (const std::exception& error) {
          errors[static_cast<std::size_t>(t)] = error.what();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& error : errors) EXPECT_EQ(error, "");
  }
  int rounds(int usual) const { return interpreted() ? usual / 10 : usual; }
};

TEST_P(Threads, RecordOnSharedInputs) {
  const Array shared = iota(1000);
  for (const int count : {2, 8}) {
    together(count, [&](int t) {
      for (int i = 0; i < rounds(300); ++i) {
        Array x = shared + t;
        x *= 2;
        x += shared;
        const double sum = xp::sum(x).item<double>();
        if (sum != 3 * 499500.0 + 2000.0 * t) throw std::runtime_error("wrong sum " + std::to_string(sum));
      }
    });
  }
}

TEST_P(Threads, ReadWhatAnotherHasRecorded) {
  for (int i = 0; i < rounds(200); ++i) {
    Array recorded;
    std::latch ready(1), read(1);
    std::thread writer([&] {
      recorded = iota(100) * 3 + 1;
      ready.count_down();
      read.wait();  // its program stays open; only the reader can launch it
    });
    ready.wait();
    EXPECT_EQ(recorded(33).item<double>(), 100);
    const Array copy = recorded + 1;
    EXPECT_EQ(copy(0).item<double>(), 2);
    read.count_down();
    writer.join();
  }
}

TEST_P(Threads, WriteWhatAnotherIsGoingToRead) {
  for (int i = 0; i < rounds(200); ++i) {
    Array x = iota(100);
    xp::eval(x);
    Array result;
    std::latch ready(1), written(1);
    std::thread reader([&] {
      result = x + 1;  // not launched
      ready.count_down();
      written.wait();
    });
    ready.wait();
    x *= 100;
    const double now = x(5).item<double>();
    written.count_down();
    reader.join();
    EXPECT_EQ(now, 500);
    EXPECT_EQ(result(5).item<double>(), 6);  // the elements as they were when it was recorded
  }
}

TEST_P(Threads, WriteWhatAnotherIsGoingToWrite) {
  for (int i = 0; i < rounds(200); ++i) {
    Array x = iota(100);
    std::latch first(1), second(1);
    std::thread other([&] {
      x += 1;
      first.count_down();
      second.wait();
      x += 1000;  // after the main thread's operation
    });
    first.wait();
    x *= 2;
    second.count_down();
    other.join();
    EXPECT_EQ(x(3).item<double>(), 1008);
  }
}

TEST_P(Threads, CopyFromHostWaitsForReaders) {
  for (int i = 0; i < rounds(100); ++i) {
    const Array x = iota(50);
    xp::eval(x);
    Array result;
    std::latch ready(1), written(1);
    std::thread reader([&] {
      result = x * 2;
      ready.count_down();
      written.wait();
    });
    ready.wait();
    x.copy_from_host(Doubles(50, -1).data());
    written.count_down();
    reader.join();
    EXPECT_EQ(result(49).item<double>(), 98);
    EXPECT_EQ(x(49).item<double>(), -1);
  }
}

TEST_P(Threads, EndWithPendingWork) {
  for (int i = 0; i < rounds(200); ++i) {
    Array a, b;
    Array target = xp::zeros({10}, device);
    std::thread([&] {
      a = iota(1000) + 1;
      b = a * a;
      target += 5;
    }).join();
    EXPECT_EQ(b(9).item<double>(), 100);
    EXPECT_EQ(a(9).item<double>(), 10);
    EXPECT_EQ(target(9).item<double>(), 5);
  }
}

TEST_P(Threads, TakeTurnsOnOneArray) {
  Array x = xp::zeros({100}, device);
  std::barrier turn(2);
  together(2, [&](int t) {
    for (int i = 0; i < rounds(500); ++i) {
      if (i % 2 == t) {
        x += 1;
        x = x * 1;
      }
      turn.arrive_and_wait();
    }
  });
  EXPECT_EQ(xp::sum(x).item<double>(), 100.0 * rounds(500));
}

TEST_P(Threads, ReadOneValueAtOnce) {
  for (int i = 0; i < rounds(100); ++i) {
    const Array pending = iota(100) * 2 + 1;
    together(8, [&](int t) {
      if (pending(t).item<double>() != 2 * t + 1) throw std::runtime_error("wrong value");
      const Array more = pending + t;
      if (more(0).item<double>() != 1 + t) throw std::runtime_error("wrong derived value");
    });
  }
}

TEST_P(Threads, WriteDisjointPartsOfOneArray) {
  for (int i = 0; i < rounds(50); ++i) {
    const Array x = iota(800);
    together(8, [&](int t) {
      Array part = x(slice(100 * t, 100 * t + 100));
      part += 1000 * t;
      part *= 2;
      part -= part * 0.5;
    });
    for (int t = 0; t < 8; ++t) ASSERT_EQ(x(100 * t + 7).item<double>(), 100 * t + 7 + 1000 * t) << t;
  }
}

TEST_P(Threads, DisjointWritesAreSeenWhileTheWritersLive) {
  // Their programs are still open when the main thread reads: each must be found.
  Array x;
  std::barrier start(3), written(3);
  const int count = rounds(3000);
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < count; ++i) {
        start.arrive_and_wait();
        Array part = x(slice(100 * t, 100 * t + 100));
        part += 1000;
        part *= 2;
        written.arrive_and_wait();
      }
    });
  }
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    x = xp::zeros({200}, device);
    xp::eval(x);
    start.arrive_and_wait();
    written.arrive_and_wait();
    wrong += x.to_vector<double>() != Doubles(200, 2000);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0) << "of " << count << " rounds";
}

TEST_P(Threads, ShareHandlesWithoutSharingTheName) {
  // Copies and destruction of handles to one storage from everywhere, with reads in between.
  const Array x = iota(64) + 1;
  together(8, [&](int t) {
    std::vector<Array> copies;
    for (int i = 0; i < rounds(500); ++i) {
      copies.push_back(x);
      copies.push_back(x(slice(t, t + 10)));
      if (copies.size() > 20) copies.clear();
      if (i % 100 == 0) static_cast<void>(xp::sum(copies.empty() ? x : copies[0]).item<double>());
    }
  });
  EXPECT_EQ(x(63).item<double>(), 64);
}

TEST_P(Threads, ExposeAndScopes) {
  Array x = iota(100);
  xp::eval(x);
  together(4, [&](int t) {
    for (int i = 0; i < rounds(100); ++i) {
      if (t == 0) {
        const xp::Exposed lease = xp::expose(x);
      } else {
        const xp::FusionScope scope;
        const Array y = x + t;
        if (y(1).item<double>() != 1 + t) throw std::runtime_error("wrong value");
      }
    }
  });
}

TEST_P(Threads, SwitchFusionWhileOthersRecord) {
  const Array x = iota(100);
  together(4, [&](int t) {
    for (int i = 0; i < rounds(100); ++i) {
      if (t == 0) xp::set_fusion(i % 2 == 0);
      Array y = x + t;
      y *= 2;
      if (y(9).item<double>() != 2 * (9 + t)) throw std::runtime_error("wrong value");
    }
  });
}

TEST_P(Threads, DifferentDevicesAtOnce) {
  const std::vector<xp::Device> devices = xp::devices();
  together(4, [&](int t) {
    const xp::Device mine = devices[static_cast<std::size_t>(t) % devices.size()];
    for (int i = 0; i < rounds(100); ++i) {
      Array y = xp::ones({100}, mine) * t;
      if (xp::sum(y.to(device)).item<double>() != 100.0 * t) throw std::runtime_error("wrong sum");
    }
  });
}

XP_INSTANTIATE_ON_DEVICES(Threads);

XP_CHILD(first_use_at_once) {
  const xp::Device device = std::getenv("XP_TEST_CHILD_DEVICE");
  std::atomic<int> right{0};
  std::latch start(8);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      right += xp::sum(xp::ones({100}, device)).item<double>() == 100;
    });
  }
  for (std::thread& thread : threads) thread.join();
  return right == 8 ? 0 : 1;
}

TEST(ThreadsAtStart, UseADeviceForTheFirstTimeTogether) {
  for (const std::string& name : device_names()) {
    const ChildResult result = run_child("first_use_at_once", {{"XP_TEST_CHILD_DEVICE", name}});
    EXPECT_EQ(result.exit_code, 0) << result;
  }
}

}  // namespace
