// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <xp/shape.hpp>

#include <string>

namespace xp::detail {

/// A shape exactly as Python's repr writes a tuple, in files and in repr: "(3, 4)", "(3,)", "()".
inline std::string python_tuple(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace xp::detail
