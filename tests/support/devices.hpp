// SPDX-License-Identifier: Apache-2.0
// Tests run on every device that is available, or on the one that XP_TEST_DEVICE names, which then must be.
#pragma once

#include <gtest/gtest.h>
#include <xp/xp.hpp>

#include <cstdlib>
#include <string>
#include <vector>

namespace xp_test {

inline std::vector<std::string> device_names() {
  if (const char* only = std::getenv("XP_TEST_DEVICE"); only != nullptr && *only != '\0') return {only};
  std::vector<std::string> names;
  for (const xp::Device device : xp::devices())
    if (device.name() != "fake:1") names.push_back(device.name());  // only a partner for fake:0
  return names;
}

/// Whether this build and machine have a device.
inline bool has_device(const std::string& name) {
  for (const xp::Device device : xp::devices())
    if (device.name() == name) return true;
  return false;
}

/// gtest's names are alphanumeric.
inline std::string test_suffix(const testing::TestParamInfo<std::string>& info) {
  std::string text = info.param;
  for (char& c : text)
    if (c == ':') c = '_';
  return text;
}

/// A device whose backend interprets programs element by element: correct, and too slow for the largest sizes.
inline bool is_interpreted(const std::string& name) { return name.rfind("fake", 0) == 0; }

class OnDevice : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    device = xp::Device(GetParam());
    xp::initialize(device);  // a device that was named and is missing fails here
    fusion_ = xp::fusion_enabled();
  }
  void TearDown() override { xp::set_fusion(fusion_); }
  bool interpreted() const { return is_interpreted(GetParam()); }

  xp::Device device;

 private:
  bool fusion_ = true;
};

/// What `f` throws as Exception, or a note that it did not.
template <class Exception, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Exception& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("(another exception) ") + error.what();
  }
  return "(no exception)";
}

}  // namespace xp_test

#define XP_INSTANTIATE_ON_DEVICES(Suite) \
  INSTANTIATE_TEST_SUITE_P(On, Suite, testing::ValuesIn(xp_test::device_names()), xp_test::test_suffix)
