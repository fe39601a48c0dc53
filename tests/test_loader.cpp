// SPDX-License-Identifier: Apache-2.0
// Finding, opening and refusing backends; device names; the default device. What a process decides once is tested in
// child processes.
#include <xp/backend.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/ops.hpp"
#include "support/devices.hpp"
#include "support/main.hpp"

namespace {

using namespace xp_test;
using xp::Array;
using xp::Device;

const xp::BackendDescription* find(const std::vector<xp::BackendDescription>& rows, const std::string& name) {
  const auto place = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
  return place == rows.end() ? nullptr : &*place;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// One sentence: no line break, and nothing that looks like an abort or an exception's name.
bool is_sentence(const std::string& text) {
  return text.size() > 10 && !contains(text, "\n") && !contains(text, "terminate");
}

TEST(Backends, TheFakeOneIsFoundThroughThePath) {
  const auto rows = xp::backends();
  const xp::BackendDescription* fake = find(rows, "fake");
  ASSERT_NE(fake, nullptr);
  EXPECT_TRUE(fake->available) << fake->reason;
  EXPECT_TRUE(contains(fake->path, "libxparray_fake.so")) << fake->path;
  EXPECT_EQ(fake->reason, "");
  EXPECT_EQ(fake->abi, std::to_string(XP_ABI_MAJOR) + "." + std::to_string(XP_ABI_MINOR));
  EXPECT_EQ(fake->isa, "interpreter");
  EXPECT_FALSE(fake->kokkos_shared);
  ASSERT_EQ(fake->devices.size(), 2u);
  EXPECT_EQ(fake->devices[0].name, "fake:0");
  EXPECT_EQ(fake->devices[1].name, "fake:1");
  EXPECT_EQ(fake->devices[1].model, "interpreter 1");
  EXPECT_GT(fake->devices[0].memory_total, 0);
}

TEST(Backends, HostAndCudaAreAlwaysListed) {
  const auto rows = xp::backends();
  ASSERT_NE(find(rows, "host"), nullptr);
  const xp::BackendDescription* cuda = find(rows, "cuda");
  ASSERT_NE(cuda, nullptr);
  if (!cuda->available) {
    EXPECT_TRUE(is_sentence(cuda->reason)) << cuda->reason;
  }
  for (const xp::BackendDescription& row : rows) EXPECT_EQ(row.available, row.reason.empty()) << row.name;
  EXPECT_EQ(std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.name == "host"; }), 1);
}

TEST(Backends, DevicesAreThoseOfAvailableBackendsFastestFirst) {
  std::vector<std::string> names, listed;
  for (const Device device : xp::devices()) names.push_back(device.name());
  for (const auto& row : xp::backends())
    for (const auto& device : row.devices) listed.push_back(device.name);
  EXPECT_TRUE(std::is_permutation(names.begin(), names.end(), listed.begin(), listed.end()));
  const auto host = std::find(names.begin(), names.end(), "host"),
             cuda = std::find(names.begin(), names.end(), "cuda:0");
  if (host != names.end() && cuda != names.end()) {
    EXPECT_LT(cuda, host);
  }
}

// ---- Refusals
// ---------------------------------------------------------------------------------------------------------

struct Refused {
  const char* name;
  const char* because;
};
class Refusals : public testing::TestWithParam<Refused> {};

XP_CHILD(refused) {
  const std::string name = std::getenv("XP_TEST_NAME");
  const auto rows = xp::backends();
  const xp::BackendDescription* row = find(rows, name);
  XP_CHILD_EXPECT(row != nullptr);
  XP_CHILD_EXPECT(!row->available);
  XP_CHILD_EXPECT(row->devices.empty());
  const std::string message = message_of<xp::DeviceError>([&] { xp::zeros({3}, Device(name)); });
  XP_CHILD_EXPECT(is_sentence(message));
  for (const Device device : xp::devices()) XP_CHILD_EXPECT(!contains(device.name(), name));
  // A second try gives the same answer.
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([&] { xp::initialize(Device(name)); }) == message);
  std::cout << row->reason << '\n' << message << '\n';
  return 0;
}

TEST_P(Refusals, SayWhyInOneSentence) {
  const ChildResult result = run_child("refused", {{"XP_TEST_NAME", GetParam().name}});
  EXPECT_EQ(result.exit_code, 0) << result;
  const std::string reason = result.out.substr(0, result.out.find('\n'));
  const std::string message = result.out.substr(std::min(reason.size() + 1, result.out.size()));
  EXPECT_TRUE(is_sentence(reason)) << result;
  EXPECT_TRUE(contains(reason, GetParam().because)) << reason;
  EXPECT_TRUE(contains(message, GetParam().because)) << message;
  EXPECT_TRUE(contains(message, GetParam().name)) << message;
}

INSTANTIATE_TEST_SUITE_P(Each, Refusals,
                         testing::Values(Refused{"stale", "operation table"}, Refused{"other_abi", "ABI 2"},
                                         Refused{"no_entry", XP_BACKEND_ENTRY},
                                         Refused{"absent", "no fake device is plugged in"}),
                         [](const testing::TestParamInfo<Refused>& info) { return std::string(info.param.name); });

TEST(Refusals, OfAFileThatIsNoLibrary) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("xp_loader_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "libxparray_broken.so") << "not a library";
  // Empty and missing folders of the path do no harm.
  const ChildResult result = run_child(
      "refused",
      {{"XP_BACKEND_PATH", ":/nowhere::" + folder.string() + ":" + XP_TEST_FAKE_PATH}, {"XP_TEST_NAME", "broken"}});
  std::filesystem::remove_all(folder);
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_TRUE(contains(result.out, "cannot be opened")) << result;
}

XP_CHILD(renamed_backend) {
  std::cout << message_of<xp::DeviceError>([] { xp::zeros({3}, "renamed"); });
  return 0;
}
TEST(Refusals, OfABackendUnderAnotherName) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("xp_renamed_" + std::to_string(getpid()));
  fs::create_directories(folder);
  fs::copy_file(fs::path(XP_TEST_FAKE_PATH) / "libxparray_fake.so", folder / "libxparray_renamed.so",
                fs::copy_options::overwrite_existing);
  const ChildResult result = run_child("renamed_backend", {{"XP_BACKEND_PATH", folder.string()}});
  fs::remove_all(folder);
  EXPECT_TRUE(contains(result.out, "is the backend 'fake' under another name")) << result;
}

XP_CHILD(wrong_isa) {
  std::cout << message_of<xp::DeviceError>([] { xp::zeros({3}, "nonsense"); });
  XP_CHILD_EXPECT(xp::ones({3}, "fake:0")(2).item<double>() == 1);
  return 0;
}
TEST(Refusals, AWrongHostIsaIsTheHostsAlone) {
  const ChildResult result = run_child("wrong_isa", {{"XP_HOST_ISA", "v9"}});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_FALSE(contains(result.out, "v9")) << result;
}

TEST(Refusals, DoNotDisturbOtherBackends) {
  const auto rows = xp::backends();
  ASSERT_NE(find(rows, "stale"), nullptr);
  EXPECT_FALSE(find(rows, "stale")->available);
  EXPECT_EQ((xp::ones({3}, "fake:1") + 1)(0).item<double>(), 2);
}

// ---- Device names
// -----------------------------------------------------------------------------------------------------

TEST(DeviceNames, MalformedOnesAreRefusedAtOnce) {
  for (const char* text : {"cuda:x", "cuda:", "cuda:-1", ":0", "", "host:0x", "cuda:1:2", "CUDA", "host 0",
                           "cuda:99999999999", "auto:0"}) {
    const std::string message = message_of<xp::DeviceError>([&] { Device{text}; });
    EXPECT_TRUE(is_sentence(message) && contains(message, std::string("'") + text + "'")) << text << ": " << message;
  }
}

TEST(DeviceNames, ThoseThatAreNotThereAreRefusedOnUse) {
  const std::string second_host = message_of<xp::DeviceError>([] { xp::zeros({3}, "host:1"); });
  EXPECT_TRUE(contains(second_host, "host:1") && is_sentence(second_host)) << second_host;
  const std::string third_fake = message_of<xp::DeviceError>([] { xp::zeros({3}, "fake:2"); });
  EXPECT_TRUE(contains(third_fake, "fake:2") && contains(third_fake, "2 devices")) << third_fake;
  const std::string unknown = message_of<xp::DeviceError>([] { xp::initialize("npu"); });
  EXPECT_TRUE(contains(unknown, "npu") && is_sentence(unknown)) << unknown;
  EXPECT_NO_THROW(Device("npu"));  // naming opens nothing
}

TEST(DeviceNames, CudaWithoutABackendIsASentence) {
  const auto rows = xp::backends();
  if (find(rows, "cuda")->available) GTEST_SKIP() << "there is a CUDA device";
  for (const char* name : {"cuda", "cuda:1"}) {
    const std::string message = message_of<xp::DeviceError>([&] { xp::zeros({3}, name); });
    EXPECT_TRUE(is_sentence(message) && contains(message, name)) << message;
    EXPECT_EQ(message.rfind("(another", 0), std::string::npos) << message;
  }
}

TEST(DeviceNames, AnArraysDeviceHasItsFullName) {
  EXPECT_EQ(xp::zeros({1}, "fake").device().name(), "fake:0");
  EXPECT_EQ(xp::zeros({1}, "fake:1").device().name(), "fake:1");
  EXPECT_EQ(xp::zeros({1}, "fake").device(), xp::zeros({1}, "fake:0").device());
  EXPECT_EQ(Device().name(), "");
}

TEST(DeviceNames, ALocalRankPicksAmongSeveral) {
  for (const char* variable : {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"}) {
    for (const auto& [rank, name] : {std::pair{"0", "fake:0"}, {"1", "fake:1"}, {"3", "fake:1"}}) {
      const ChildResult result = run_child("print_fake", {{variable, rank}});
      EXPECT_EQ(result.out, std::string(name) + "\n") << result;
    }
  }
}
XP_CHILD(print_fake) {
  std::cout << xp::zeros({1}, "fake").device().name() << '\n';
  return 0;
}

// ---- The default device
// -----------------------------------------------------------------------------------------------

XP_CHILD(print_default) {
  std::cout << xp::zeros({1}).device().name() << '\n' << xp::default_device().name() << '\n';
  const Array x = xp::ones({3}) + xp::arange(3);
  std::cout << x(2).item<double>() << '\n';
  return 0;
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(DefaultDevice, ComesFromTheEnvironment) {
  const ChildResult result = run_child("print_default", {{"XP_DEVICE", "fake:1"}});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(result.out, "fake:1\nfake:1\n3\n") << result;
  EXPECT_EQ(result.err, "") << result;  // nothing to tell: the user said it
}

// "auto" takes no backend that it does not know.
bool auto_finds_one() { return has_device("host") || has_device("cuda:0"); }

TEST(DefaultDevice, AutoIsToldOnce) {
  if (!auto_finds_one()) GTEST_SKIP() << "built without a backend";
  for (const std::string setting : {"", "auto"}) {
    const ChildResult result = run_child("print_default", {{"XP_DEVICE", setting}, {"XP_QUIET", ""}});
    EXPECT_EQ(result.exit_code, 0) << result;
    const std::string name = result.out.substr(0, result.out.find('\n'));
    EXPECT_EQ(lines(result.err), 1u) << result;
    EXPECT_TRUE(contains(result.err, name)) << result;
    EXPECT_FALSE(contains(name, "fake")) << result;  // never chosen by itself
  }
}

TEST(DefaultDevice, QuietIsQuiet) {
  if (!auto_finds_one()) GTEST_SKIP() << "built without a backend";
  const ChildResult result = run_child("print_default", {{"XP_DEVICE", ""}, {"XP_QUIET", "1"}});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(result.err, "") << result;
}

TEST(DefaultDevice, AnEnvironmentThatNamesNothingIsAnError) {
  for (const char* setting : {"cuda:x", "npu", "fake:7"}) {
    const ChildResult result = run_child("print_default", {{"XP_DEVICE", setting}});
    EXPECT_EQ(result.exit_code, 125) << result;  // the exception arrived in main()
    EXPECT_TRUE(contains(result.err, setting) && lines(result.err) == 1) << result;
  }
}

// A wrong setting is told as it is, not as the lack of a device.
TEST(DefaultDevice, IsNotSearchedForWithAWrongSetting) {
  for (const std::string device : {"auto", "fake:1"}) {
    const ChildResult result = run_child("print_default", {{"XP_DEVICE", device}, {"XP_MEMORY_LIMIT", "much"}});
    EXPECT_EQ(result.exit_code, 125) << result;
    EXPECT_EQ(result.err, "exception: XP_MEMORY_LIMIT='much' is not a size; expected for example 8GiB or 50%\n")
        << result;
  }
}

XP_CHILD(set_default) {
  const Array before = xp::zeros({1});
  xp::set_default_device("fake:1");
  XP_CHILD_EXPECT(xp::zeros({1}).device().name() == "fake:1");
  XP_CHILD_EXPECT(xp::default_device().name() == "fake:1");
  XP_CHILD_EXPECT(before.device().name() == "fake:0");
  // One that cannot be opened changes nothing.
  XP_CHILD_EXPECT(message_of<xp::DeviceError>([] { xp::set_default_device("fake:5"); }) != "(no exception)");
  XP_CHILD_EXPECT(xp::zeros({1}).device().name() == "fake:1");
  xp::set_default_device("fake:0");
  XP_CHILD_EXPECT(xp::zeros({1}).device().name() == "fake:0");
  return 0;
}

TEST(DefaultDevice, CanBeSet) {
  const ChildResult result = run_child("set_default", {{"XP_DEVICE", "fake:0"}});
  EXPECT_EQ(result.exit_code, 0) << result;
}

TEST(OperationTable, RowsStandAtTheirNumbers) {
  for (std::size_t i = 0; i < xp::operation_table.size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(xp::operation_table[i].op), i) << xp::operation_table[i].name;
}

}  // namespace
