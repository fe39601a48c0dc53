// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files, and printing.
#pragma once

#include <xp/array.hpp>

#include <filesystem>
#include <string>

namespace [[gnu::visibility("default")]] xp {

/// Reads a .npy file of format 1.0 to 3.0, either byte order, C or Fortran order (an F-contiguous array). Writes of
/// structured or object dtype, malformed and truncated files are an IoError that names the file and what is wrong.
Array load(const std::filesystem::path& path, Device device = {});

/// Writes a .npy file that NumPy reads; little-endian, Fortran order for F-contiguous arrays that are not C-contiguous.
/// bfloat16 is written as ml_dtypes writes it ('<V2' … descr "bfloat16" is unknown to NumPy without it). The file is
/// complete or absent: it is written beside its place and renamed. IoError otherwise.
void save(const std::filesystem::path& path, const Array& array);

/// As numpy.set_printoptions.
struct PrintOptions {
  int precision = 8;
  Index threshold = 1000;  ///< more elements are summarised
  Index edgeitems = 3;
  int linewidth = 75;
  bool suppress = false;  ///< never scientific notation for small numbers
};

/// As numpy.array2string / str(array): "[[1. 2.]\n [3. 4.]]".
std::string to_string(const Array& array, const PrintOptions& options = {});
/// As repr(array): "array([1., 2.], dtype=float32)".
std::string repr(const Array& array, const PrintOptions& options = {});

}  // namespace xp
