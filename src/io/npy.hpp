// SPDX-License-Identifier: Apache-2.0
// The .npy format, as numpy.lib.format documents it: magic, version, length of the header, header (a Python dict),
// data.
#pragma once

#include <xp/array.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

namespace xp::detail {

/// Bytes from which npy_preamble can be read, in every version.
inline constexpr std::size_t npy_preamble_size = 12;

/// Longer headers are refused: those of plain arrays have about a hundred bytes.
inline constexpr std::size_t npy_header_limit = 65536;

/// Where the dict stands in the file.
struct NpyPreamble {
  std::size_t offset = 0, length = 0;
  std::size_t data_offset() const { return offset + length; }
};

/// What the header says. `shape` is as written: for Fortran order the first extent varies fastest.
struct NpyHeader {
  DType dtype = DType::float64;
  bool swapped = false;  // not this machine's byte order
  bool fortran_order = false;
  Shape shape;
  Index bytes = 0;  // of the data; does not overflow
};

// All of these take untrusted bytes and throw IoError with what is wrong, without the name of the file.

/// Reads the first bytes of a file (all of them when it has fewer than npy_preamble_size).
NpyPreamble parse_npy_preamble(std::span<const std::byte> bytes);

/// Reads the dict.
NpyHeader parse_npy_header(std::span<const std::byte> dict);

/// Everything before the data, byte for byte as NumPy 2 writes it.
std::string npy_header(DType dtype, const Shape& shape, bool fortran_order);

/// Turns the byte order of elements around (of both parts of complex numbers).
void swap_byte_order(std::span<std::byte> elements, DType dtype);

/// Calls `visit` with views that together are `array` in C order, each of at most `bytes` bytes (or one element).
template <class Visit>
void for_each_block(const Array& array, Index bytes, const Visit& visit) {
  if (array.size() == 0) return;
  if (array.nbytes() <= bytes || array.size() == 1) return visit(array);
  const Index extent = array.shape()[0];
  if (extent == 1) return for_each_block(array(0), bytes, visit);
  const Index rows = std::max<Index>(bytes / (array.nbytes() / extent), 1);
  for (Index begin = 0; begin < extent; begin += rows)
    for_each_block(array(slice(begin, std::min(begin + rows, extent))), bytes, visit);
}

}  // namespace xp::detail
