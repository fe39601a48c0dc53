// SPDX-License-Identifier: Apache-2.0
// What xp-accuracy measures against: the functions with more digits than the dtype has, by the C library.
#pragma once

#include <cstdlib>

#include "core/ops.hpp"

#if defined(__x86_64__) && defined(__SIZEOF_FLOAT128__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 26)
#define XP_QUAD 1
#endif
#endif

namespace accuracy {

/// The widest format that the C library computes in: 113 bits of mantissa with glibc on x86-64 and on AArch64, and 64
/// with another C library on x86-64, whose errors are then some thousandths of a float64's unit.
#if defined(XP_QUAD)
using Wide = __float128;
#else
using Wide = long double;
#endif

struct WideComplex {
  Wide re, im;
};

/// A function of one or two numbers: in double for float32 and narrower dtypes, in Wide for float64.
template <class W>
using Reference = W (*)(W a, W b);
template <class W>
Reference<W> reference_of(xp::Op op);
extern template Reference<double> reference_of(xp::Op);
extern template Reference<Wide> reference_of(xp::Op);

using ComplexReference = WideComplex (*)(WideComplex a, WideComplex b);
ComplexReference complex_reference_of(xp::Op op);

Wide modulus(WideComplex z);
/// value = m * 2^exponent, 0.5 <= |m| < 1.
int exponent_of(Wide value);
/// k * pi / 2.
Wide quarter_turns(double k);

}  // namespace accuracy
