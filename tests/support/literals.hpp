// SPDX-License-Identifier: Apache-2.0
// Tests whose arrays and results are written out.
#pragma once

#include <complex>

#include "support/devices.hpp"

namespace xp_test {

using Complex = std::complex<double>;
using Reals = std::vector<double>;
using Integers = std::vector<std::int64_t>;
using Mask = std::vector<bool>;

class OnDeviceWithLiterals : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    xp::set_default_device(device);  // for functions of numbers alone
  }
  xp::Array reals(Reals values) const { return xp::asarray(values, device); }
  xp::Array integers(Integers values) const { return xp::asarray(values, device); }
  xp::Array mask(Mask values) const { return xp::asarray(values, device); }
  xp::Array numbers(std::vector<Complex> values) const { return xp::asarray(values, device); }
};

template <class F>
std::string type_error(F&& f) {
  return message_of<xp::DTypeError>(f);
}
template <class F>
std::string shape_error(F&& f) {
  return message_of<xp::ShapeError>(f);
}

}  // namespace xp_test
