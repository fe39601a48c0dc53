// SPDX-License-Identifier: Apache-2.0
// Bit patterns of the 16-bit floats: conversions from and to the wider IEEE types, rounding to nearest even.
#pragma once

#include <bit>
#include <cstdint>

namespace xp::detail {

/// binary16 nearest to `value`, ties to even; beyond 65504 by half a unit or more: infinity. A NaN stays a (quiet) NaN.
/// From double in one rounding: going through float would round twice.
constexpr std::uint16_t half_bits(double value) {
  constexpr std::uint64_t infinity = 0x7ff0'0000'0000'0000u;
  constexpr std::uint64_t overflow = std::bit_cast<std::uint64_t>(65520.0);
  constexpr std::uint64_t least_normal = std::bit_cast<std::uint64_t>(0x1p-14);
  constexpr std::uint64_t underflow = std::bit_cast<std::uint64_t>(0x1p-25);  // ties to even: zero
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  const std::uint64_t sign = bits >> 48 & 0x8000;
  std::uint64_t rounded = 0;
  if (magnitude > infinity) {
    rounded = 0x7e00 | (magnitude >> 42 & 0x3ff);
  } else if (magnitude >= overflow) {
    rounded = 0x7c00;
  } else if (magnitude > underflow) {
    // Both kinds in the end: drop `shift` bits of an integer, to nearest even. A carry moves into the exponent by
    // itself.
    std::uint64_t exact = magnitude - (std::uint64_t{1023 - 15} << 52);
    unsigned shift = 52 - 10;
    if (magnitude < least_normal) {
      const auto exponent = static_cast<unsigned>(magnitude >> 52);
      exact = (magnitude & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1} << 52;
      shift = 1023 - 14 - exponent + 42;
    }
    const std::uint64_t odd = exact >> shift & 1;
    rounded = (exact + (std::uint64_t{1} << (shift - 1)) - 1 + odd) >> shift;
  }
  return static_cast<std::uint16_t>(sign | rounded);
}

/// Exact.
constexpr float half_value(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16;
  const std::uint32_t magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00) return std::bit_cast<float>(sign | 0x7f80'0000u | (magnitude & 0x3ff) << 13);
  if (magnitude < 0x0400) {  // subnormal: units of 2^-24
    const float unsigned_value = static_cast<float>(magnitude) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(unsigned_value));
  }
  return std::bit_cast<float>(sign | (magnitude + ((127 - 15) << 10)) << 13);
}

/// bfloat16 nearest to `value`, ties to even. A NaN stays a (quiet) NaN.
constexpr std::uint16_t bfloat16_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fff'ffffu) > 0x7f80'0000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// Exact.
constexpr float bfloat16_value(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

}  // namespace xp::detail
