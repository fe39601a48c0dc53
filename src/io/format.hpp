// SPDX-License-Identifier: Apache-2.0
// Text of an array as NumPy 2 writes it, from host data alone.
#pragma once

#include <xp/io.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace xp::detail {

/// What printing needs of an array: only the elements that will be shown.
struct PrintData {
  DType dtype = DType::float64;
  Shape shape;                   // of the whole array
  Shape kept;                    // what is here: printed_shape(shape, options)
  std::vector<std::byte> bytes;  // of the kept elements, in C order
};

/// Whether only the edges of an array of this shape are shown: it has more elements than options.threshold.
bool is_summarised(const Shape& shape, const PrintOptions& options);

/// Extents of what is shown: of an axis that is cut, the first and the last `edgeitems` (at least 1) entries.
Shape printed_shape(const Shape& shape, const PrintOptions& options);

/// As NumPy's str(array). One number (0-d) is written as NumPy writes a scalar: in full, whatever the options.
std::string format_str(const PrintData& data, const PrintOptions& options);

/// As NumPy's repr(array).
std::string format_repr(const PrintData& data, const PrintOptions& options);

}  // namespace xp::detail
