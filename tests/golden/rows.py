# SPDX-License-Identifier: Apache-2.0
"""rows.txt: every row of the operation table on special and random values, by NumPy, or Python's math module where NumPy has
no such function. Used by generate.py. What xp defines otherwise than NumPy (docs/numpy-differences) is left out."""

import itertools
import math

import numpy as np

INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
FLOATS = "float16 float32 float64".split()
COMPLEX = "complex64 complex128".split()
ANY = ["bool"] + INTEGERS + FLOATS + COMPLEX
ORDERED = ["bool"] + INTEGERS + FLOATS
PROMOTED = "bool int8 uint8 int16 int64".split()  # of the functions: integers become floats
RANDOM = 40

UNARY = {
    **dict.fromkeys(["absolute", "isnan", "isinf", "isfinite", "logical_not"], ANY),
    **dict.fromkeys(["negative", "sign"], ANY[1:]),
    **dict.fromkeys(["square", "reciprocal", "conjugate", "real", "imag"], ANY),
    **dict.fromkeys(["signbit", "floor", "ceil", "trunc"], ORDERED),
    "invert": ["bool"] + INTEGERS,
    **dict.fromkeys(
        "rint sqrt exp exp2 expm1 log log1p log2 log10 sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh"
        " arctanh".split(),
        PROMOTED + FLOATS + COMPLEX,
    ),
    **dict.fromkeys("cbrt deg2rad rad2deg frexp modf erf erfc gamma lgamma".split(), PROMOTED + FLOATS),
}
BINARY = {
    **dict.fromkeys("floor_divide remainder fmod".split(), ORDERED),
    **dict.fromkeys("power maximum minimum fmax fmin".split(), ANY),
    **dict.fromkeys("logical_and logical_or logical_xor".split(), ANY),
    **dict.fromkeys("bitwise_and bitwise_or bitwise_xor left_shift right_shift".split(), ["bool"] + INTEGERS),
    **dict.fromkeys("gcd lcm".split(), INTEGERS),
    **dict.fromkeys("arctan2 hypot copysign nextafter logaddexp logaddexp2 heaviside".split(), PROMOTED + FLOATS),
    "ldexp": PROMOTED + FLOATS,
}


def hex_of(array):
    """As generate.hex_of, with one NaN."""
    array = np.ascontiguousarray(array)
    if array.dtype.kind == "c":
        parts = array.view(array.real.dtype)
        parts[np.isnan(parts)] = np.nan
    elif array.dtype.kind == "f":
        array = array.copy()
        array[np.isnan(array)] = np.nan
    return array.tobytes().hex()


def floats(name):
    info = np.finfo(name)
    values = [0, 1, 0.5, 1.5, 2, 2.5, 3, 10, 0.1, 170.5, info.max, info.tiny, info.smallest_subnormal, np.inf]
    values += [1 + info.eps, 1 - info.eps / 2, math.pi, math.pi / 2]
    if name != "float16":
        values += [1e5 + 0.3, 1e22, 100.5, 2.0**31]
    values = np.array(values).astype(name)
    return np.concatenate([values, -values, np.array([np.nan], name)])


def few_floats(name):
    """For pairs."""
    info = np.finfo(name)
    values = np.array([0, 1, 2, 3, 0.5, 2.5, 7, info.max, info.smallest_subnormal, np.inf]).astype(name)
    return np.concatenate([values, -values, np.array([np.nan], name)])


def integers(name):
    info = np.iinfo(name)
    bits = info.bits
    values = {0, 1, 2, 3, 7, bits - 1, bits, bits + 1, info.max, info.max - 1, info.max // 2 + 1, info.min, info.min + 1}
    if info.min < 0:
        values |= {-1, -2, -3, -7, -bits}
    return np.array(sorted(values), name)


def complex_of(parts, name):
    """All pairs of parts."""
    values = np.empty(len(parts) ** 2, name)
    pairs = list(itertools.product(parts, parts))
    values.real, values.imag = [a for a, _ in pairs], [b for _, b in pairs]
    return values


class Rows:
    def __init__(self, rng):
        self.rng = rng
        self.lines = ["# SPDX-License-Identifier: Apache-2.0"]
        self.count = 0

    def random(self, name):
        rng = self.rng
        if name == "bool":
            return rng.random(8) < 0.5
        if name in INTEGERS:
            info = np.iinfo(name)
            wide = rng.integers(info.min, info.max, RANDOM, dtype=name, endpoint=True)
            return np.where(rng.random(RANDOM) < 0.5, wide, (wide >> (info.bits - 5)).astype(name))
        if name in COMPLEX:
            values = np.empty(RANDOM, name)
            values.real, values.imag = rng.normal(size=RANDOM) * 2, rng.normal(size=RANDOM) * 2
            return values
        scale = 10.0 ** rng.integers(-3, 3, RANDOM)
        return (rng.normal(size=RANDOM) * scale).astype(name)

    def unary_operand(self, name):
        if name == "bool":
            return np.array([False, True])
        if name in INTEGERS:
            return np.concatenate([integers(name), self.random(name)])
        if name in COMPLEX:
            parts = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 0.25, np.inf, -np.inf, np.nan]
            tiny = np.array([complex(1e-5, 1e-6), complex(-1e-6, 1e-5), complex(1e3, 1e-3), complex(0.5, -1e3)], name)
            return np.concatenate([complex_of(parts, name), tiny, self.random(name)])
        return np.concatenate([floats(name), self.random(name)])

    def binary_operands(self, name):
        if name == "bool":
            return np.array([False, False, True, True]), np.array([False, True, False, True])
        if name in INTEGERS:
            values = integers(name)
        elif name in COMPLEX:
            values = complex_of([0.0, -1.5, 2.0, np.inf, np.nan], name)
            values = np.append(values, np.array([complex(-0.0, 0), complex(0, -0.0), complex(2, -0.0)], name))
        else:
            values = few_floats(name)
        pairs = np.array(list(itertools.product(range(len(values)), repeat=2)))
        a, b = values[pairs[:, 0]], values[pairs[:, 1]]
        return np.concatenate([a, self.random(name)]), np.concatenate([b, self.random(name)])

    def array(self, value):
        self.count += 1
        self.lines.append(f"array a{self.count} {value.dtype.name} {len(value)} {hex_of(value)}")
        return f"a{self.count}"

    def case(self, operation, operands, result):
        self.lines.append(f"case {operation} {' '.join(operands)} = {result.dtype.name} {len(result)} {hex_of(result)}")

    def by_math(self, function, x):
        """For each element, in double, rounded to the dtype that NumPy's functions have for it."""
        to = np.sqrt(np.ones(1, x.dtype)).dtype

        def one(value):
            value = float(value)
            if math.isnan(value) or (value == -math.inf and function in (math.gamma,)):
                return math.nan
            try:
                return function(value)
            except OverflowError:
                return math.copysign(math.inf, value) if abs(value) < 1 else math.inf
            except ValueError:  # a pole
                if function is math.lgamma:
                    return math.inf
                return math.copysign(math.inf, value) if value == 0 else math.nan

        return np.array([one(value) for value in x]).astype(to)

    def unary(self):
        for name in ANY:
            x = self.unary_operand(name)
            key = self.array(x)
            nonzero = self.array(x[x != 0]) if name in INTEGERS else key
            for operation, names in UNARY.items():
                if name not in names:
                    continue
                if operation == "reciprocal" and name in INTEGERS:
                    self.case(operation, (nonzero,), np.reciprocal(x[x != 0]))
                elif operation in ("erf", "erfc", "gamma", "lgamma"):
                    self.case(operation, (key,), self.by_math(getattr(math, operation), x))
                elif operation == "frexp":
                    usable = np.isfinite(x.astype(np.float64))  # of others the exponent is unspecified
                    mantissa, exponent = np.frexp(x)
                    self.case("frexp:0", (key,), mantissa)
                    self.case("frexp:1", (self.array(x[usable]),), exponent[usable])
                elif operation == "modf":
                    for part, result in enumerate(np.modf(x)):
                        self.case(f"modf:{part}", (key,), result)
                else:
                    self.case(operation, (key,), getattr(np, operation)(x))

    def binary(self):
        for name in ANY:
            a, b = self.binary_operands(name)
            key_a, key_b = self.array(a), self.array(b)
            for operation, names in BINARY.items():
                if name not in names:
                    continue
                function, x, y, key_x, key_y = getattr(np, operation), a, b, key_a, key_b
                left_out = np.zeros(len(a), bool)
                if operation == "power" and name in INTEGERS:
                    left_out = b < 0
                elif operation in ("maximum", "minimum", "fmax", "fmin", "nextafter") and name in FLOATS:
                    left_out = (a == 0) & (b == 0) & (np.signbit(a) != np.signbit(b))
                elif operation == "ldexp":
                    y = (np.nan_to_num(b.astype(np.float64)) % 45 - 20).astype(np.int32)
                    y[::7] = 3000
                    y[::11] = -3000
                    key_y = self.array(y)
                if left_out.any():
                    x, y = x[~left_out], y[~left_out]
                    key_x, key_y = self.array(x), self.array(y)
                self.case(operation, (key_x, key_y), function(x, y))


def generate_rows(path, rng):
    rows = Rows(rng)
    with np.errstate(all="ignore"):
        rows.unary()
        rows.binary()
    path.write_text("\n".join(rows.lines) + "\n")
