#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the golden files of this folder with NumPy 2 and ml_dtypes (README.md describes them).

Needed only when the files are to change, never to build or test:
    python3 -m venv venv && venv/bin/pip install numpy ml_dtypes && venv/bin/python generate.py
Options: --print-cases N and --seed N make more printing cases, e.g. for a long comparison; --out names another folder.
"""

import argparse
import itertools
import math
import os
import pathlib
import warnings

# The C library's functions rather than NumPy's own, which err by several units in the last place and vary with the machine.
os.environ["NPY_DISABLE_CPU_FEATURES"] = "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"

import ml_dtypes
import numpy as np

from rows import generate_rows  # after the environment is set

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
NUMPY_NAMES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
)
NAMES = NUMPY_NAMES[:10] + ["bfloat16"] + NUMPY_NAMES[10:]  # in the order of xp::DType
INTEGERS = NAMES[1:9]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]


def dtype(name):
    return BFLOAT16 if name == "bfloat16" else np.dtype(name)


def shape_text(shape):
    return "x".join(map(str, shape)) if shape else "scalar"


def hex_of(array):
    """Bytes of the elements, little-endian, in C order."""
    array = np.ascontiguousarray(array)
    data = array.tobytes().hex()
    return data if data else "-"


# ---- io/: files to load ----------------------------------------------------------------------------------------------


def io_values(name, shape):
    """Element k in C order; tests/test_io.cpp computes the same."""
    k = np.arange(math.prod(shape), dtype=np.int64).reshape(shape)
    if name == "bool":
        return k % 3 == 0
    if name in INTEGERS:
        with np.errstate(over="ignore"):
            return ((k - 5) * 0x0102030405060708 + 7 * k).astype(name)
    if name in FLOATS:
        return ((k - 5) * 0.75).astype(dtype(name))
    return ((k - 5) * 0.75 + 0.5j * k).astype(name)


def write_npy(path, array, version):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # versions above 1.0 are unknown to old readers
        with open(path, "wb") as file:
            np.lib.format.write_array(file, array, version=version)


def generate_io(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.npy"):
        old.unlink()
    for name, order, endian in itertools.product(NAMES, "cf", ("le", "be")):
        array = io_values(name, (3, 4))
        if endian == "be":
            if array.dtype.itemsize == 1:
                continue
            array = array.astype(array.dtype.newbyteorder(">"))
        if order == "f":
            array = np.asfortranarray(array)
        write_npy(folder / f"{name}-{order}-{endian}-3x4-v1.npy", array, (1, 0))
        if name in ("int16", "complex128"):
            for version in (2, 3):
                write_npy(folder / f"{name}-{order}-{endian}-3x4-v{version}.npy", array, (version, 0))
    for shape in ((), (0,), (5,), (0, 3), (3, 0, 2), (2, 3, 1, 4), (1, 2, 1, 2, 1, 3)):
        write_npy(folder / f"float64-c-le-{shape_text(shape)}-v1.npy", io_values("float64", shape), (1, 0))
    write_npy(folder / "float32-f-le-2x3x4-v1.npy", np.asfortranarray(io_values("float32", (2, 3, 4))), (1, 0))


# ---- print.txt -------------------------------------------------------------------------------------------------------

DEFAULTS = {"precision": 8, "threshold": 1000, "edgeitems": 3, "linewidth": 75, "suppress": False}


def print_case(array, **options):
    options = {**DEFAULTS, **options}
    lines = ["case " + " ".join(f"{key}={int(value)}" for key, value in options.items())]
    lines.append(f"data {array.dtype.name} {shape_text(array.shape)} {hex_of(array)}")
    with np.printoptions(**options):
        for kind, text in (("str", str(array)), ("repr", repr(array))):
            lines.append(f"{kind} {text.count(chr(10)) + 1}")
            lines.extend("|" + line for line in text.split("\n"))
    return lines


def picked_print_cases():
    f64 = [
        [1e8, 1], [99999999.0, 1], [1e8], [1e16], [1e15, 1e15 + 1], [1e-4], [9e-5], [1000.0, 1], [1000.5, 1],
        [1e3, 1e-1], [0.1, 100.1], [0, 1e-3], [np.nan, 1e300], [np.inf, -np.inf, 1], [np.nan], [], [-np.inf],
        [np.inf, 0.5], [np.nan, -1], [np.nan, 123.5], [1 / 3, 2 / 3, 1e5 / 3], [0.0, -0.0], [1e-300, 1.0],
        [1e-100, 1e100], [1.123456789e10, 1.1e-5], [1e23], [5e-324], [1.7976931348623157e308], [0.1000000001, 0.2],
        [0.123456785, 0.123456775, 0.999999999], [9.999999999e10], [0.25, 0.5, 1.5, 2.5], [2.0**53, 1],
        [np.nan, np.inf], [1, np.nan, 1e-10],
    ]  # fmt: skip
    for values in f64:
        yield np.array(values, np.float64), {}
        yield np.array(values, np.float64), {"precision": 3}
    for values in ([1e-10, 1e5], [1e-10, 1e9], [1e-10], [-1e-10, 1], [1e-10, 99999999.5]):
        yield np.array(values), {"suppress": True}
    for values in ([0.25, 0.5, 1.5, 2.5], [1 / 3, 1e5, 1.5, 2.5], [1e-5, 2.5e-5]):
        yield np.array(values), {"precision": 0}
    f32 = [[99999992], [1e7, 1e8], [1e38], [999999.94], [1e6], [1e-4], [1 / 3, 1e-3], [0.1, 0.2], [16777216, 1],
           [700, 0.7], [1e-45, 3e-39], [3.4028235e38], [33554432, np.nan], [2.0**-96, -7 * 2.0**-96], [2.0**90]]  # fmt: skip
    for values in f32:
        yield np.array(values, np.float32), {}
    f16 = [[65504, 60000], [999.5], [1000], [0.0001], [9.9e-5], [1000.5, 1], [6e-8], [1 / 3, 1], [100, 0.1], [np.inf, 1],
           [999, 1e-3], [2.0**-6, -(2.0**-13)]]  # fmt: skip
    for values in f16:
        yield np.array(values, np.float16), {}
    c128 = [[1 + 1j, 1 / 3 - 2e-5j], [1e20 + 1j], [complex(np.nan, 1), complex(1, np.inf)], [1e100 + 1e90j, 1],
            [complex(0, -0.0)], [complex(1, np.nan)], [complex(1, -np.inf), 1.25j], [1.5 + 22.25j, -3.125 - 4j],
            [complex(np.inf, np.nan), -1e-7j], []]  # fmt: skip
    for values in c128:
        yield np.array(values, np.complex128), {}
        with np.errstate(over="ignore"):
            yield np.array(values, np.complex64), {}
    scalars = [0.0, -0.0, 1.0, 3.5, 1 / 3, 1e15, 1e16, 123456789.123456789, 1e-4, 9e-5, 1e300, 5e-324, np.nan, -np.inf]
    for value in scalars:
        for name in ("float16", "float32", "float64"):
            with np.errstate(over="ignore", under="ignore"):
                yield np.array(value).astype(name), {}
    parts = [2j, complex(0, -0.0), complex(-0.0, 1), complex(np.nan, np.inf), complex(0, np.nan), complex(1, -np.inf),
             complex(1e16, 1e-5), complex(1 / 3, 1e16), 0j, 1.5, complex(1, -0.0)]  # fmt: skip
    for value in parts:
        yield np.array(value, np.complex64), {}
        yield np.array(value, np.complex128), {}
    for value in (True, False):
        yield np.array(value), {}
        yield np.array([value]), {}
    for name in INTEGERS:
        info = np.iinfo(name)
        yield np.array(info.min, name), {}
        yield np.array([info.min, info.max], name), {}
        yield np.array([[1, 10], [100, 7]], name), {}
    for name in NUMPY_NAMES:
        for shape in ((0,), (0, 3), (2, 0, 3)):
            yield np.zeros(shape, name), {}
    for shape in ((1,), (1, 1), (2, 3, 2, 2), (2, 2, 1, 2, 2), (1, 20), (20, 1), (3, 1, 3)):
        yield np.zeros(shape, np.float32), {}
    for count in (17, 18, 19, 20, 24, 25):
        for name in ("int16", "int64", "float32", "float64", "bool"):
            yield (np.arange(count) % 13).astype(name), {}
    yield np.arange(1001, dtype=np.int16), {}
    yield np.arange(1000, dtype=np.int16) % 7, {}
    yield np.zeros((10, 10, 11), np.float16), {}
    yield np.zeros((1001, 1), bool), {}
    yield np.zeros((2000, 0), np.float64), {"threshold": 5}
    for shape in ((6,), (7,), (8,), (3, 4), (7, 7), (2, 9), (9, 2), (7, 1, 8)):
        yield np.arange(math.prod(shape), dtype=np.int32).reshape(shape), {"threshold": 5}
        yield np.arange(math.prod(shape)).reshape(shape) * 0.5, {"threshold": 5, "edgeitems": 1}
    yield np.array(1.0), {"threshold": 0}
    yield np.array([1.0]), {"threshold": 0}
    for width in (1, 20, 40):
        yield np.arange(10.0), {"linewidth": width}
        yield np.arange(12).reshape(3, 4) * 10**16, {"linewidth": width}
        yield np.arange(12, dtype=np.int16).reshape(3, 2, 2), {"linewidth": width}
        yield np.arange(6) * (1 + 0.5j), {"linewidth": width}


def random_reals(rng, count, name):
    """Values of one of several flavours; finite ones within the dtype's range."""
    flavour = rng.integers(8)
    top = {"float16": 4.5, "float32": 38, "float64": 300}[name]
    low = {"float16": 7.5, "float32": 44, "float64": 310}[name]
    if flavour == 0:
        values = rng.random(count)
    elif flavour == 1:
        values = rng.normal(size=count) * 10 ** rng.uniform(-3, 3)
    elif flavour == 2:
        values = rng.integers(-1000, 1000, count).astype(float)
    elif flavour == 3:
        values = rng.normal(size=count) * 10.0 ** rng.integers(-3, 4, count)
    elif flavour == 4:
        values = rng.choice([-1.0, 1.0], count) * 10.0 ** rng.uniform(-low, top, count)
    elif flavour == 5:
        values = rng.integers(-40, 40, count) / 8
    elif flavour == 6:
        values = 10.0 ** rng.integers(-min(low, 20), min(top, 20), count)
    else:
        values = np.round(rng.normal(size=count), int(rng.integers(0, 6)))
    if rng.random() < 0.3:
        values[rng.random(count) < 0.25] = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0])
    if rng.random() < 0.1:
        values[rng.random(count) < 0.5] = np.nan
    if rng.random() < 0.2:
        values = np.abs(values)
    with np.errstate(over="ignore", under="ignore"):
        return values.astype(name)


def random_print_cases(rng, count):
    shapes = [
        (),
        (1,),
        (2,),
        (3,),
        (5,),
        (9,),
        (30,),
        (2, 2),
        (3, 4),
        (1, 7),
        (4, 1),
        (2, 3, 2),
        (5, 5),
        (2, 1, 3, 2),
        (8, 8),
    ]
    weights = np.array([2, 2, 4, 4, 4, 3, 1, 4, 3, 1, 1, 2, 1, 1, 0.5])
    for _ in range(count):
        name = str(rng.choice(NUMPY_NAMES, p=np.array([1] * 9 + [5, 6, 8, 4, 5]) / 37))
        shape = shapes[rng.choice(len(shapes), p=weights / weights.sum())]
        size = math.prod(shape)
        if name == "bool":
            array = rng.random(size) < 0.5
        elif name in INTEGERS:
            info = np.iinfo(name)
            bits = int(rng.integers(1, 8 * info.dtype.itemsize + 1))
            array = (
                rng.integers(info.min, info.max, size, dtype=name, endpoint=True) >> (8 * info.dtype.itemsize - bits)
            ).astype(name)
        elif name in COMPLEX:
            part = "float32" if name == "complex64" else "float64"
            array = np.empty(size, name)
            array.real, array.imag = random_reals(rng, size, part), random_reals(rng, size, part)
        else:
            array = random_reals(rng, size, name)
        options = {}
        if rng.random() < 0.2:
            options["precision"] = int(rng.integers(0, 18))
        if rng.random() < 0.15:
            options["suppress"] = True
        if rng.random() < 0.2:
            options["linewidth"] = int(rng.integers(10, 100))
        if rng.random() < 0.2:
            options["threshold"], options["edgeitems"] = int(rng.integers(0, 20)), int(rng.integers(1, 4))
        yield array.reshape(shape), options


def generate_print(path, rng, count):
    lines = ["# SPDX-License-Identifier: Apache-2.0"]
    for array, options in itertools.chain(picked_print_cases(), random_print_cases(rng, count)):
        lines += print_case(array, **options)
    path.write_text("\n".join(lines) + "\n")


# ---- promotion.csv and weak.csv --------------------------------------------------------------------------------------


def promote(a, b):
    """NumPy's rule. bfloat16 (xp/dtype.hpp): float32 with float16, else as float16, where NumPy knows nothing of it."""
    if "bfloat16" not in (a, b):
        return str(np.promote_types(a, b))
    other = a if b == "bfloat16" else b
    if other in ("bfloat16", "float16"):
        return "bfloat16" if other == "bfloat16" else "float32"
    result = str(np.promote_types(other, "float16"))
    result = "bfloat16" if result == "float16" else result
    try:  # where ml_dtypes has an answer it is the same
        assert str(np.promote_types(dtype(a), dtype(b))) == result, (a, b)
    except np.exceptions.DTypePromotionError:
        pass
    return result


WEAK = {"bool": True, "int": 1, "float": 1.0, "complex": 1j}


def promote_weak(name, kind):
    if name != "bfloat16":
        return str(np.result_type(np.dtype(name), WEAK[kind]))
    # ml_dtypes is not weak against Python floats (float32 arrays from bfloat16 + 1.0); xp is, as for every other dtype.
    return "complex64" if kind == "complex" else "bfloat16"


def generate_promotion(folder):
    lines = ["# promote_types(a, b), SPDX-License-Identifier: Apache-2.0", "a,b,result"]
    lines += [f"{a},{b},{promote(a, b)}" for a in NAMES for b in NAMES]
    (folder / "promotion.csv").write_text("\n".join(lines) + "\n")
    lines = ["# array + C++ number, SPDX-License-Identifier: Apache-2.0", "dtype,kind,result"]
    lines += [f"{name},{kind},{promote_weak(name, kind)}" for name in NAMES for kind in WEAK]
    (folder / "weak.csv").write_text("\n".join(lines) + "\n")


# ---- ops.txt ---------------------------------------------------------------------------------------------------------

PAIRS = [((3, 4), (3, 4)), ((3, 4), (4,)), ((3, 1), (1, 4)), ((), (5,)), ((2, 3, 2), (3, 1)), ((0, 3), (1, 3)), ((17,), (17,)),
         ((7,), (1,)), ((), ())]  # fmt: skip
COMPARISONS = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]
SCALARS = {"py:int:3": 3, "py:int:-2": -2, "py:int:300": 300, "py:float:0.5": 0.5, "py:bool:1": True}


class Operations:
    def __init__(self, rng):
        self.rng = rng
        self.lines = ["# SPDX-License-Identifier: Apache-2.0"]
        self.arrays = {}

    def array(self, name, shape, flavour="any"):
        """One array per dtype, shape and flavour: its name and value."""
        key = f"{name}_{shape_text(shape)}_{flavour}"
        if key not in self.arrays:
            value = self.values(name, math.prod(shape), flavour).reshape(shape)
            self.arrays[key] = value
            self.lines.append(f"array {key} {name} {shape_text(shape)} {hex_of(value)}")
        return key, self.arrays[key]

    def values(self, name, count, flavour):
        rng = self.rng
        if flavour.startswith("small"):  # exact in every dtype, also their sums and products
            low = 0 if name == "bool" or name.startswith("u") else -3
            values = rng.integers(low, 4, count)
            if name in COMPLEX:
                values = values + 1j * rng.integers(-3, 4, count)
            return values.astype(dtype(name))
        if name == "bool":
            return rng.random(count) < 0.5
        if name in INTEGERS:
            info = np.iinfo(name)
            values = rng.integers(info.min, info.max, count, dtype=name, endpoint=True)
            special = np.array([0, 1, info.min, info.max], name)
        else:
            values = (rng.normal(size=count) * 10.0 ** rng.integers(-2, 3, count)).astype(dtype(name))
            special = np.array([0.0, -0.0, 1.0, np.inf, -np.inf, np.nan]).astype(dtype(name))
        chosen = rng.random(count) < 0.3
        values[chosen] = rng.choice(special, int(chosen.sum()))
        return values

    def case(self, operation, operands, result):
        result = np.asarray(result)
        text = f"{result.dtype.name} {shape_text(result.shape)} {hex_of(result)}"
        self.lines.append(f"case {operation} {' '.join(operands)} = {text}")

    def error(self, operation, operands, kind):
        self.lines.append(f"case {operation} {' '.join(operands)} = error {kind}")

    def pair(self, a, b, flavour="any"):
        shapes = PAIRS[self.rng.integers(len(PAIRS))]
        if self.rng.random() < 0.5:
            shapes = shapes[::-1]
        return self.array(a, shapes[0], flavour), self.array(b, shapes[1], flavour + "2")

    def binary(self):
        known = [name for name in NAMES if name not in COMPLEX]
        mixed = [(a, b) for a in known for b in known if a != b]
        for operation in ["add", "subtract", "multiply", "divide"] + COMPARISONS:
            pairs = [(name, name) for name in known for _ in range(2)]
            pairs += [mixed[i] for i in self.rng.choice(len(mixed), 14, replace=False)]
            for a, b in pairs:
                if operation == "subtract" and a == b == "bool":
                    continue
                (key_a, x), (key_b, y) = self.pair(a, b)
                # Where NumPy has no loop for bfloat16 with the other dtype, or compares integers of two dtypes exactly by
                # value, convert first.
                if "bfloat16" in (a, b) and a != b:
                    common = dtype(promote(a, b))
                    x, y = x.astype(common), y.astype(common)
                self.case(operation, (key_a, key_b), getattr(np, operation)(x, y))
        for operation in ("add", "subtract", "multiply", "equal", "not_equal", "less", "greater_equal"):
            for a, b in (
                ("complex64", "complex64"),
                ("complex128", "complex128"),
                ("complex64", "float64"),
                ("int8", "complex64"),
            ):
                (key_a, x), (key_b, y) = self.pair(a, b, "small")
                self.case(operation, (key_a, key_b), getattr(np, operation)(x, y))
        for a, b in (((3, 4), (3,)), ((2,), (3,)), ((0,), (2,)), ((2, 3, 2), (2, 3))):
            self.error("add", (self.array("float64", a)[0], self.array("int32", b)[0]), "ShapeError")
        both = self.array("bool", (7,))[0]
        self.error("subtract", (both, both), "DTypeError")
        self.error("negative", (both,), "DTypeError")

    def scalars(self):
        for name in NAMES[:13]:
            key, x = self.array(name, (7,))
            for text, value in SCALARS.items():
                for operation in ("add", "multiply", "divide", "less", "equal"):
                    arguments = x, value
                    if name == "bfloat16":
                        arguments = x, BFLOAT16.type(value)
                    try:
                        result = getattr(np, operation)(*arguments)
                    except OverflowError:
                        self.error(operation, (key, text), "DTypeError")
                        continue
                    self.case(operation, (key, text), result)
            half = BFLOAT16.type(0.5) if name == "bfloat16" else 0.5
            self.case("subtract", ("py:float:0.5", key), np.subtract(half, x))
        for name in INTEGERS:
            info = np.iinfo(name)
            key, x = self.array(name, (7,))
            for value in (info.min, info.max):
                self.case("add", (key, f"py:int:{value}"), x + int(value))
            for value in (info.min - 1, info.max + 1):
                if -(2**63) <= value < 2**64:
                    self.error("add", (key, f"py:int:{value}"), "DTypeError")
                    self.case("less", (key, f"py:int:{value}"), x < int(value))
                    self.case("equal", (key, f"py:int:{value}"), x == int(value))

    def unary(self):
        for operation in ("negative", "absolute", "sqrt", "exp"):
            for name in NAMES[:13]:
                if operation == "negative" and name == "bool":
                    continue
                for shape in ((17,), (), (0, 3), (3, 4)):
                    key, x = self.array(name, shape)
                    self.case(operation, (key,), getattr(np, operation)(x))
        for name in COMPLEX:
            for shape in ((17,), ()):
                key, x = self.array(name, shape, "small")
                self.case("negative", (key,), np.negative(x))
                for operation in ("absolute", "sqrt", "exp"):
                    self.case(operation, (key,), getattr(np, operation)(x))

    def where(self):
        known = [name for name in NAMES if name != "bfloat16"]
        conditions = [("bool", (3, 4)), ("bool", (4,)), ("int8", (3, 1)), ("float64", (3, 4)), ("bool", ())]
        for a, b in [(name, name) for name in NAMES] + [tuple(self.rng.choice(known, 2)) for _ in range(12)]:
            condition, shape = conditions[self.rng.integers(len(conditions))]
            key_c, c = self.array(condition, shape)
            (key_a, x), (key_b, y) = self.array(a, (3, 4), "small"), self.array(b, (4,), "small")
            self.case("where", (key_c, key_a, key_b), np.where(c, x, y))
        key_c, c = self.array("bool", (7,))
        for name in ("int8", "float32", "float64", "uint16"):
            key, x = self.array(name, (7,))
            self.case("where", (key_c, key, "py:int:3"), np.where(c, x, np.array(3, name)))
        self.case("where", (key_c, "py:float:0.5", "py:int:3"), np.where(c, 0.5, 3))

    def sums(self):
        for name in NAMES:
            for shape in ((), (1,), (17,), (3, 4), (0, 3), (2, 3, 2), (40,)):
                key, x = self.array(name, shape, "small")
                total = x.sum(dtype=np.float32).astype(BFLOAT16) if name == "bfloat16" else x.sum()
                self.case("sum", (key,), total)

    def casts(self):
        """Values that the target holds or rounds; out-of-range floats to integers are where xp differs from NumPy."""
        pool = {
            "bool": [0, 1],
            "int": [0, 1, -1, 2, 100, -128, 127, -129, 300, 32767, -32769, 65537, 2049, -(2**31), 2**31 + 7, 2**53 + 1,
                    2**62 + 12345, -(2**63), 70000, 65519, 65520, 257, 16777217],
            "float": [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.75, 99.99, 1 / 3, 1e-8, 6e-8, 65504, 65520, 1e10, 1e38,
                      3.5e38, 1e-40, -1e-50, np.inf, -np.inf, np.nan, 1 + 2**-11, 1 + 2**-9, 1 + 2**-24, 255.99, 2049],
        }  # fmt: skip
        for source in NAMES:
            if source in INTEGERS:
                bits = np.array([value & (2**64 - 1) for value in pool["int"]], np.uint64)
                x = bits.astype(source)
            elif source == "bool":
                x = np.array(pool["bool"], bool)
            else:
                x = np.array(pool["float"]).astype(dtype(source))
                if source in COMPLEX:
                    x = x + 1j * np.roll(x.real, 3)
                    x = x[np.isfinite(x)].astype(source)
                    x = np.append(x, np.array([0, 1j, -0.0], source))
            for target in NAMES:
                chosen = x
                if target in INTEGERS and source not in INTEGERS and source != "bool":
                    info = np.iinfo(target)
                    with np.errstate(invalid="ignore"):
                        real = np.trunc(x.real.astype(np.float64))
                    chosen = x[(real >= info.min) & (real <= info.max) & (real < 2.0**62)]
                key = f"cast_{source}_{target}"
                self.lines.append(f"array {key} {source} {shape_text(chosen.shape)} {hex_of(chosen)}")
                self.case("astype:" + target, (key,), chosen.astype(dtype(target)))


def generate_ops(path, rng):
    operations = Operations(rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for part in ("binary", "scalars", "unary", "where", "sums", "casts"):
            getattr(operations, part)()
    path.write_text("\n".join(operations.lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--print-cases", type=int, default=250)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    generate_io(arguments.out / "io")
    generate_print(arguments.out / "print.txt", np.random.default_rng(arguments.seed), arguments.print_cases)
    generate_promotion(arguments.out)
    generate_ops(arguments.out / "ops.txt", np.random.default_rng(arguments.seed + 1))
    generate_rows(arguments.out / "rows.txt", np.random.default_rng(arguments.seed + 2))


if __name__ == "__main__":
    main()
