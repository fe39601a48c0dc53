// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files, and printing.
#pragma once

#include <xp/array.hpp>

#include <filesystem>
#include <string>

namespace [[gnu::visibility("default")]] xp {

/// Reads a .npy file of format 1.0 to 3.0, either byte order, C or Fortran order (an F-contiguous array); what follows
/// the array in the file is ignored, as in NumPy. '<V2', '>V2' and '|V2' are read as bfloat16: two raw bytes are what
/// the ml_dtypes package makes NumPy write for it. Malformed, truncated and unreadable files and other dtypes (strings,
/// dates, objects, structures) are an IoError that names the file and what is wrong.
Array load(const std::filesystem::path& path, Device device = {});

/// Writes a .npy file, byte for byte as NumPy does: little-endian, Fortran order for F-contiguous arrays that are not
/// C-contiguous. bfloat16 is written as '<V2'; NumPy reads two raw bytes, `.view(ml_dtypes.bfloat16)` gives the
/// numbers. The name is used as given: no ".npy" is appended. The file is written beside its place and renamed, so that
/// a file that was there stays as it was until the new one is complete (its permissions pass on; a symbolic link is
/// followed). IoError otherwise.
void save(const std::filesystem::path& path, const Array& array);

/// As numpy.set_printoptions.
struct PrintOptions {
  int precision = 8;
  Index threshold = 1000;  ///< more elements are summarised
  Index edgeitems = 3;     ///< of each end of an axis, at least 1
  int linewidth = 75;
  bool suppress = false;  ///< never scientific notation for small numbers
};

/// As NumPy's str(array): "[[1. 2.]\n [3. 4.]]". A 0-d array is written as NumPy writes its scalars, in full. bfloat16
/// like the other floats: the fewest digits that tell its values apart. Waits for the device; of an array that is
/// summarised only about what is shown is transferred.
std::string to_string(const Array& array, const PrintOptions& options = {});
/// As repr(array): "array([1., 2.], dtype=float32)".
std::string repr(const Array& array, const PrintOptions& options = {});

}  // namespace gnu::visibility("default")]]xp
