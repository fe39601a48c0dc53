// SPDX-License-Identifier: Apache-2.0
// Backends as the front end uses them, through the C ABI: copies of every size, the order of work, errors as sentences,
// lost devices. What a process cannot be used after is done in a child.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xp/backend.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "core/ops.hpp"
#include "support/devices.hpp"
#include "support/main.hpp"

namespace {

using namespace xp_test;

struct Opened {
  const xp_backend* api = nullptr;
  xp_device* device = nullptr;
  xp_error error{sizeof(xp_error), XP_OK, {}};
  int ordinal = 0;
};

/// The library of a device's backend; the one that the front end would take.
const xp_backend* backend_of(const std::string& device) {
  const std::string name = device.substr(0, device.find(':'));
  for (const auto& row : xp::backends()) {
    if (row.name != name || row.path.empty()) continue;
    void* library = dlopen(row.path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    const auto entry = reinterpret_cast<xp_backend_entry_fn>(dlsym(library, XP_BACKEND_ENTRY));
    return entry == nullptr ? nullptr : entry();
  }
  return nullptr;
}

Opened open(const std::string& name) {
  Opened opened;
  opened.api = backend_of(name);
  if (opened.api == nullptr) throw std::runtime_error("no backend for " + name);
  const std::size_t colon = name.find(':');
  if (colon != std::string::npos) opened.ordinal = std::stoi(name.substr(colon + 1));
  if (opened.api->initialize(&opened.error) != XP_OK ||
      opened.api->open(opened.ordinal, &opened.device, &opened.error) != XP_OK)
    throw std::runtime_error(opened.error.message);
  return opened;
}

/// x += 1 for `count` float64.
xp_program increment(void* data, std::int64_t count) {
  xp_program program{};
  program.size = sizeof program;
  program.width = 64;
  program.ndim = 1;
  program.n_operands = 1;
  program.n_instructions = 2;
  program.n_constants = 1;
  program.reduce_ref = XP_REF_NONE;
  program.count = program.shape[0] = count;
  program.operands[0] = {data, {1}, XP_FLOAT64, XP_FLOAT64, XP_READ | XP_WRITE, {}};
  program.instructions[0] = {static_cast<std::uint16_t>(xp::Op::add),
                             XP_FLOAT64,
                             XP_REF_NONE,
                             XP_REF_OPERAND,
                             XP_REF_CONSTANT,
                             XP_REF_NONE,
                             XP_FLOAT64};
  program.instructions[1] = {static_cast<std::uint16_t>(xp::Op::store),
                             XP_FLOAT64,
                             XP_REF_OPERAND,
                             XP_REF_ACC,
                             XP_REF_NONE,
                             XP_REF_NONE,
                             XP_FLOAT64};
  program.constants[0].f64[0] = 1;
  program.label = "xp::increment";
  return program;
}

std::vector<unsigned char> pattern(std::size_t bytes, unsigned seed) {
  std::vector<unsigned char> data(bytes);
  for (unsigned char& byte : data) byte = static_cast<unsigned char>((seed = seed * 1664525u + 1013904223u) >> 24);
  return data;
}

class BackendAbi : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { opened = open(GetParam()); }
  void* allocate(std::uint64_t bytes) {
    void* data = nullptr;
    EXPECT_EQ(opened.api->allocate(opened.device, bytes, &data, &opened.error), XP_OK) << opened.error.message;
    return data;
  }
  void deallocate(void* data) {
    EXPECT_EQ(opened.api->deallocate(opened.device, data, &opened.error), XP_OK) << opened.error.message;
  }
  void run(void* data, std::int64_t count) {
    const xp_program program = increment(data, count);
    EXPECT_EQ(opened.api->run(opened.device, &program, &opened.error), XP_OK) << opened.error.message;
  }
  void upload(void* to, const void* from, std::size_t bytes) {
    EXPECT_EQ(opened.api->copy_from_host(opened.device, to, from, bytes, &opened.error), XP_OK) << opened.error.message;
  }
  void download(void* to, const void* from, std::size_t bytes) {
    EXPECT_EQ(opened.api->copy_to_host(opened.device, to, from, bytes, &opened.error), XP_OK) << opened.error.message;
  }

  Opened opened;
};

TEST_P(BackendAbi, Information) {
  xp_backend_info info{};
  info.size = sizeof info;
  opened.api->info(&info);
  EXPECT_STREQ(info.name, GetParam().substr(0, GetParam().find(':')).c_str());
  for (const char* text : {info.isa, info.kokkos_version, info.execution_space, info.math_library})
    EXPECT_NE(std::string(text ? text : ""), "");
  xp_device_info device{};
  device.size = sizeof device;
  ASSERT_EQ(opened.api->device_info(opened.ordinal, &device, &opened.error), XP_OK) << opened.error.message;
  EXPECT_GT(device.memory_total, 0);
  EXPECT_GT(device.memory_free, 0);
  EXPECT_LE(device.memory_free, device.memory_total);
  EXPECT_NE(std::string(device.name), "");
}

TEST_P(BackendAbi, OrdinalsThatDoNotExist) {
  xp_probe probe{};
  probe.size = sizeof probe;
  opened.api->probe(&probe);
  ASSERT_TRUE(probe.available) << probe.reason;
  for (const int ordinal : {-1, probe.device_count}) {
    xp_device* device = nullptr;
    xp_device_info info{};
    info.size = sizeof info;
    EXPECT_NE(opened.api->open(ordinal, &device, &opened.error), XP_OK);
    EXPECT_NE(opened.api->device_info(ordinal, &info, &opened.error), XP_OK);
    EXPECT_NE(std::string(opened.error.message).find(std::to_string(ordinal)), std::string::npos)
        << opened.error.message;
  }
}

TEST_P(BackendAbi, CopiesOfEverySize) {
  constexpr std::size_t kibi = 1024, mebi = kibi * kibi;
  constexpr std::size_t most = 70 * mebi;
  auto* data = static_cast<unsigned char*>(allocate(most + 64));
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{13}, 64 * kibi - 1, 64 * kibi,
                                  64 * kibi + 1, 256 * kibi + 5, mebi, 3 * mebi + 1, 16 * mebi, 67 * mebi + 3}) {
    for (const std::size_t offset : {0, 1, 32}) {
      const std::vector<unsigned char> want = pattern(bytes, static_cast<unsigned>(bytes + offset));
      std::vector<unsigned char> source = want, got(bytes);
      upload(data + offset, source.data(), bytes);
      std::fill(source.begin(), source.end(), static_cast<unsigned char>(0x5a));  // it has been read
      download(got.data(), data + offset, bytes);
      ASSERT_TRUE(got == want) << bytes << " bytes at " << offset;
    }
  }
  deallocate(data);
}

TEST_P(BackendAbi, WorkIsDoneInTheOrderOfTheCalls) {
  constexpr std::int64_t count = 1 << 20;
  constexpr std::size_t bytes = count * sizeof(double);
  auto* data = static_cast<double*>(allocate(bytes));
  std::vector<double> values(count, 1.0), got(count);
  for (int round = 0; round < 20; ++round) {
    std::fill(values.begin(), values.end(), round);
    upload(data, values.data(), bytes);
    for (int i = 0; i < 5; ++i) run(data, count);
    const double first = -round;
    upload(data, &first, sizeof first);
    run(data, count);
    download(got.data(), data, bytes);
    ASSERT_EQ(got[0], 1.0 - round);
    ASSERT_EQ(std::count(got.begin() + 1, got.end(), round + 6.0), count - 1);
  }
  deallocate(data);
}

TEST_P(BackendAbi, SmallCopiesThatAreUnderWayAtOnce) {
  constexpr int count = 1000;
  auto* data = static_cast<int*>(allocate(count * sizeof(int)));
  for (int i = 0; i < count; ++i) {
    int value = i * i;
    upload(data + i, &value, sizeof value);
    value = -1;
  }
  std::vector<int> got(count);
  download(got.data(), data, count * sizeof(int));
  for (int i = 0; i < count; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i)], i * i);
  deallocate(data);
}

TEST_P(BackendAbi, ThreadsAtOnce) {
  constexpr std::int64_t count = 100000;
  std::vector<std::thread> threads;
  std::vector<double> sums(4);
  for (std::size_t t = 0; t < sums.size(); ++t)
    threads.emplace_back([&, t] {
      auto* data = static_cast<double*>(allocate(count * sizeof(double)));
      std::vector<double> values(count, static_cast<double>(t));
      for (int round = 0; round < 20; ++round) {
        upload(data, values.data(), count * sizeof(double));
        run(data, count);
        download(values.data(), data, count * sizeof(double));
      }
      for (const double value : values) sums[t] += value;
      deallocate(data);
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < sums.size(); ++t) EXPECT_EQ(sums[t], static_cast<double>(count) * (20.0 + t));
}

TEST_P(BackendAbi, CopyWithinAndBetweenDevices) {
  if (opened.api->size < offsetof(xp_backend, copy_between) + sizeof(void*) || opened.api->copy_between == nullptr)
    GTEST_SKIP() << "this backend has none";
  xp_probe probe{};
  probe.size = sizeof probe;
  opened.api->probe(&probe);
  xp_device* other = nullptr;
  ASSERT_EQ(opened.api->open((opened.ordinal + 1) % probe.device_count, &other, &opened.error), XP_OK);
  constexpr std::int64_t count = 3 << 20;
  constexpr std::size_t bytes = count * sizeof(double);
  auto* data = static_cast<double*>(allocate(bytes));
  void* there = nullptr;
  ASSERT_EQ(opened.api->allocate(other, bytes, &there, &opened.error), XP_OK) << opened.error.message;
  std::vector<double> values(count, 1), got(count);
  upload(data, values.data(), bytes);
  for (int round = 0; round < 10; ++round) {
    run(data, count);
    ASSERT_EQ(opened.api->copy_between(other, there, opened.device, data, bytes, &opened.error), XP_OK);
    run(data, count);  // may not reach what is copied
    const xp_program program = increment(there, count);
    ASSERT_EQ(opened.api->run(other, &program, &opened.error), XP_OK);
    ASSERT_EQ(opened.api->copy_between(opened.device, data, other, there, bytes, &opened.error), XP_OK);
  }
  download(got.data(), data, bytes);
  EXPECT_EQ(std::count(got.begin(), got.end(), 21.0), count);
  EXPECT_EQ(opened.api->deallocate(other, there, &opened.error), XP_OK);
  deallocate(data);
}

TEST_P(BackendAbi, TooMuchMemoryIsRefused) {
  void* data = &opened;
  EXPECT_EQ(opened.api->allocate(opened.device, std::uint64_t{1} << 50, &data, &opened.error), XP_OUT_OF_MEMORY);
  EXPECT_EQ(data, nullptr);
  EXPECT_NE(std::string(opened.error.message).find("1125899906842624 bytes asked"), std::string::npos)
      << opened.error.message;
  deallocate(allocate(1 << 20));  // it goes on
}

TEST_P(BackendAbi, WhatIsNoSlabIsRefused) {
  int local = 0;
  EXPECT_EQ(opened.api->deallocate(opened.device, &local, &opened.error), XP_INVALID);
  EXPECT_EQ(opened.api->deallocate(opened.device, nullptr, &opened.error), XP_OK);
}

TEST_P(BackendAbi, ManyCyclesLeakNothing) {
  auto free_memory = [&] {
    xp_device_info info{};
    info.size = sizeof info;
    EXPECT_EQ(opened.api->device_info(opened.ordinal, &info, &opened.error), XP_OK);
    return info.memory_free;
  };
  std::vector<char> host(1 << 20);
  auto cycle = [&] {
    void* data = allocate(4 << 20);
    upload(data, host.data(), host.size());
    run(data, 1000);
    download(host.data(), data, 100);
    EXPECT_EQ(opened.api->synchronize(opened.device, &opened.error), XP_OK);
    deallocate(data);
  };
  for (int i = 0; i < 10; ++i) cycle();
  const std::int64_t before = free_memory();
  for (int i = 0; i < 1000; ++i) cycle();
  // Others use the machine, too: their memory comes and goes.
  std::int64_t after = free_memory();
  for (int i = 0; i < 100 && after <= before - (std::int64_t{256} << 20); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    after = free_memory();
  }
  EXPECT_GT(after, before - (std::int64_t{256} << 20));
}

// ---- In processes of their own
// ---------------------------------------------------------------------------------------

std::string child_device() { return std::getenv("XP_TEST_CHILD_DEVICE"); }

XP_CHILD(before_initialize) {
  const xp_backend* api = backend_of(child_device());
  xp_error error{sizeof error, XP_OK, {}};
  xp_device* device = nullptr;
  XP_CHILD_EXPECT(api->open(0, &device, &error) == XP_INVALID);
  XP_CHILD_EXPECT(std::string(error.message).find("not initialised") != std::string::npos);
  std::cout << "done\n";
  return 0;
}

XP_CHILD(forked) {
  Opened opened = open(child_device());
  void* data = nullptr;
  XP_CHILD_EXPECT(opened.api->allocate(opened.device, 1024, &data, &opened.error) == XP_OK);
  const pid_t child = fork();
  if (child == 0) {
    xp_probe probe{};
    probe.size = sizeof probe;
    opened.api->probe(&probe);
    const bool refused = probe.available == 0 && std::string(probe.reason).find("fork") != std::string::npos;
    const bool all = opened.api->initialize(&opened.error) == XP_UNAVAILABLE &&
                     opened.api->synchronize(opened.device, &opened.error) == XP_UNAVAILABLE &&
                     opened.api->deallocate(opened.device, data, &opened.error) == XP_UNAVAILABLE;
    exit(refused && all ? 0 : 1);  // with everything that is done at exit
  }
  int status = 0;
  waitpid(child, &status, 0);
  XP_CHILD_EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  XP_CHILD_EXPECT(opened.api->deallocate(opened.device, data, &opened.error) == XP_OK);
  std::cout << "done\n";
  return 0;
}

// A kernel that writes where there is no memory loses the device, and nothing else.
XP_CHILD(lost) {
  Opened opened = open(child_device());
  void* data = nullptr;
  XP_CHILD_EXPECT(opened.api->allocate(opened.device, 1 << 20, &data, &opened.error) == XP_OK);
  const xp_program good = increment(data, 1000);
  const xp_program bad = increment(reinterpret_cast<void*>(std::uintptr_t{0x10000}), 1000);
  XP_CHILD_EXPECT(opened.api->run(opened.device, &good, &opened.error) == XP_OK);
  XP_CHILD_EXPECT(opened.api->run(opened.device, &bad, &opened.error) == XP_OK);
  // At some point from here on it is seen; Kokkos, which would end the process, must not be the one to see it.
  for (int i = 0; i < 10000; ++i) {
    const std::int32_t code = opened.api->run(opened.device, &good, &opened.error);
    XP_CHILD_EXPECT(code == XP_OK || code == XP_DEVICE_FAULT);
  }
  XP_CHILD_EXPECT(opened.api->synchronize(opened.device, &opened.error) == XP_DEVICE_FAULT);
  XP_CHILD_EXPECT(std::string(opened.error.message).find("cudaErrorIllegalAddress") != std::string::npos);
  char byte = 0;
  XP_CHILD_EXPECT(opened.api->run(opened.device, &good, &opened.error) == XP_DEVICE_FAULT);
  XP_CHILD_EXPECT(opened.api->copy_to_host(opened.device, &byte, data, 1, &opened.error) == XP_DEVICE_FAULT);
  XP_CHILD_EXPECT(opened.api->copy_from_host(opened.device, data, &byte, 1, &opened.error) == XP_DEVICE_FAULT);
  XP_CHILD_EXPECT(opened.api->deallocate(opened.device, data, &opened.error) == XP_DEVICE_FAULT);
  XP_CHILD_EXPECT(opened.api->allocate(opened.device, 1024, &data, &opened.error) == XP_DEVICE_FAULT);
  std::cout << "done\n";
  return 0;
}

class BackendAbiChild : public BackendAbi {
 protected:
  void SetUp() override {}
  void expect_done(const char* child) const {
    const ChildResult result = run_child(child, {{"XP_TEST_CHILD_DEVICE", GetParam()}});
    EXPECT_EQ(result.exit_code, 0) << result;
    EXPECT_EQ(result.err, "") << result;
    EXPECT_EQ(result.out, "done\n") << result;
  }
};

TEST_P(BackendAbiChild, NothingBeforeInitialize) { expect_done("before_initialize"); }

TEST_P(BackendAbiChild, ForkedChildrenAreRefused) {
  if (GetParam() == "host") GTEST_SKIP() << "the host's kernels run there on one thread";
  expect_done("forked");
}

TEST_P(BackendAbiChild, ALostDeviceIsASentence) {
  if (GetParam().rfind("cuda", 0) != 0) GTEST_SKIP() << "elsewhere the process is lost";
  expect_done("lost");
}

/// Without the tests' own backend, which has no platform.
std::vector<std::string> real_devices() {
  std::vector<std::string> names = device_names();
  std::erase_if(names, is_interpreted);
  return names;
}
INSTANTIATE_TEST_SUITE_P(On, BackendAbi, testing::ValuesIn(real_devices()), test_suffix);
INSTANTIATE_TEST_SUITE_P(On, BackendAbiChild, testing::ValuesIn(real_devices()), test_suffix);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BackendAbi);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BackendAbiChild);

}  // namespace
