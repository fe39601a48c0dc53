// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every device and for any thread count.
#pragma once

#include <xp/array.hpp>

#include <cstdint>

namespace xp {
namespace [[gnu::visibility("default")]] random {

/// Philox4x32-10 (Salmon et al., 2011). The key is the seed and the counter advances with every draw.
class Generator {
 public:
  explicit Generator(std::uint64_t seed, Device device = {});
  /// Uniform in [0, 1); float32 or float64, DTypeError otherwise.
  Array random(const Shape& shape, DType dtype = float64);
  /// Uniform in [low, high).
  Array uniform(double low, double high, const Shape& shape, DType dtype = float64);

 private:
  Array draw(const char* function, double low, double high, const Shape& shape, DType dtype);

  std::uint64_t seed_;
  std::uint64_t offset_ = 0;  // Philox blocks drawn
  Device device_;
};

}  // namespace gnu::visibility("default")]]random
}  // namespace xp
