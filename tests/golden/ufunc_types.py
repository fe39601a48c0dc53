#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes ufunc_types.csv beside this file: result dtypes of NumPy's ufuncs (development only).

A line is NAME,FIRST,RESULTS. FIRST and RESULTS are dtype characters; `-` stands for a TypeError. RESULTS of a function of one
operand is one character. Otherwise there is one per second operand: the dtypes in the order of DTYPES, then Python's bool, int,
float and complex, then the same four as first operands before an array of FIRST.
"""

import pathlib
import warnings

import numpy as np

DTYPES = "?bhilBHILefdFD"
NUMBERS = (True, 1, 1.0, 1j)
UNARY = (
    "positive negative absolute fabs square reciprocal sign conjugate real imag floor ceil trunc rint sqrt cbrt exp exp2 expm1 "
    "log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh deg2rad rad2deg isnan isinf "
    "isfinite signbit logical_not invert sinc"
).split()
BINARY = (
    "add subtract multiply divide floor_divide remainder fmod power float_power maximum minimum fmax fmin arctan2 hypot copysign "
    "nextafter logaddexp logaddexp2 heaviside ldexp gcd lcm equal not_equal less less_equal greater greater_equal logical_and "
    "logical_or logical_xor bitwise_and bitwise_or bitwise_xor left_shift right_shift isclose"
).split()


def result(function, *operands):
    try:
        return function(*operands).dtype.char
    except TypeError:
        return "-"


def empty(char):
    return np.zeros(0, char)


def lines():
    for name in UNARY:
        for first in DTYPES:
            yield f"{name},{first},{result(getattr(np, name), empty(first))}"
    for name in BINARY:
        function = getattr(np, name)
        for first in DTYPES:
            a = empty(first)
            results = [result(function, a, empty(second)) for second in DTYPES]
            results += [result(function, a, number) for number in NUMBERS]
            results += [result(function, number, a) for number in NUMBERS]
            yield f"{name},{first},{''.join(results)}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    pathlib.Path(__file__).with_name("ufunc_types.csv").write_text("\n".join(lines()) + "\n")
