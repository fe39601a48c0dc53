# SPDX-License-Identifier: Apache-2.0
"""The workloads of xp-bench for Python array libraries.

Names, sizes, variants, value ranges and batch lengths are those of bench/xp_bench_operations.cpp and
bench/xp_bench_workloads.cpp, and the JSON is the same, so that rows can be compared (bench/compare.py). A library is
described by a subclass of Library; what is timed is Python source written as a user of that library would.
"""

import argparse
import json
import math
import os
import statistics
import sys
import time

import numpy

ADD_LOOP_SIZE = 1024 * 512 * 4 * 4
MIXED_STEPS = 20
SAMPLE_SECONDS = 1e-3
CASE_SECONDS = 6.0

WORKLOADS = {
    "ones": ("x = ones(shape) after releasing the array before", [10**9], True),
    "scale": ("x *= 5", [10**8], True),
    "chain3": ("x *= 5; x *= x; x += x", [10**8], True),
    "add-loop": ("g = add(g, g), 1024 times (float32: 200)", [ADD_LOOP_SIZE], True),
    "add-loop-operator": ("g = g + g, as often", [ADD_LOOP_SIZE], True),
    "mixed": ("20 steps of x *= 0.5; x += 0.25 that stay, or copy their data in and back", [10**7], True),
    "size-sweep": (
        "ones, scale, x*=x, x+=x, chain3 and y = x + y*x, each with a wait of its own and pipelined",
        [10**k for k in range(1, 10)],
        False,
    ),
}


class Library:
    """An array library: its functions under the names that the timed source uses."""

    name = ""
    version = ""
    device = "cpu"
    # Statements that make an array of ones, add two arrays, fetch `v` from host memory and put it back.
    ones = ""
    add = ""
    fetch = ""
    put_back = ""

    def namespace(self):
        """Names that the statements use."""
        raise NotImplementedError

    # What the library raises when memory does not suffice.
    out_of_memory = (MemoryError,)
    # None where operations have ended when they return: a call that does nothing would be timed otherwise.
    synchronize = None

    def dtype(self, name):
        raise NotImplementedError

    def to_device(self, values):
        """A new array with the values of a NumPy array."""
        raise NotImplementedError

    def to_host(self, array):
        """NumPy array with the values of an array."""
        raise NotImplementedError

    def host_buffer(self, values):
        """What `fetch` and `put_back` use as `v`."""
        return values

    def free_bytes(self):
        raise NotImplementedError


class Mismatch(Exception):
    pass


def size_text(size):
    zeros = len(str(size)) - len(str(size).rstrip("0"))
    zeros = min(zeros, len(str(size)) - 1)
    return str(size) if zeros < 3 else f"{size // 10**zeros}e{zeros}"


def time_text(seconds):
    for unit, name in ((1e-6, "ns"), (1e-3, "us"), (1, "ms")):
        if seconds < unit:
            value = seconds / unit * 1e3
            break
    else:
        value, name = seconds, "s"
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {name}"


def bytes_text(count):
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count} bytes"


def parse_size(text):
    factors = {"k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9}
    try:
        value = float(text[:-1]) * factors[text[-1]] if text[-1:] in factors else float(text)
        if not 1 <= value <= 1e15 or value != math.floor(value):
            raise ValueError
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of elements (write 10000000, 1e7 or 10M)") from None
    return int(value)


# ---- What is timed ---------------------------------------------------------------------------------------------------


class Operation:
    """Statements on x (and y); data uniform in [low, high), new after `limit` operations (0: never)."""

    def __init__(self, statements, touched, arrays, low=0.0, high=0.0, limit=0):
        self.statements = statements
        self.touched = touched
        self.arrays = arrays
        self.low = low
        self.high = high
        self.limit = limit


def operations(dtype):
    wide = dtype == "float64"
    low = 2.0**-960 if wide else 2.0**-100
    near = 2.0**-32 if wide else 2.0**-14
    squarings = 40 if wide else 20
    return {
        "ones": Operation([], 1, 1),
        "scale": Operation(["x *= 5"], 2, 2, low, 2 * low, 800 if wide else 90),
        "x*=x": Operation(["x *= x"], 2, 2, 1 - near, 1 + near, squarings),
        "x+=x": Operation(["x += x"], 2, 2, low, 2 * low, 1800 if wide else 200),
        "chain3": Operation(
            ["x *= 5", "x *= x", "x += x"], 2, 2, 0.02 * (1 - near), 0.02 * (1 + near), squarings
        ),
        "x+y*x": Operation(["y = x + y * x"], 3, 4, 0.25, 0.5),
    }


def compile_loop(library, statements, each, extra):
    """loop(x, y, n): the statements n times, with one synchronisation each or one at the end; returns (x, y)."""
    names = {**library.namespace(), **extra}
    lines = ["def loop(x, y, n):", "    for i in range(n):"]
    lines += ["        " + statement for statement in statements]
    if library.synchronize is not None:
        names["synchronize"] = library.synchronize
        lines.append(("        " if each else "    ") + "synchronize()")
    lines.append("    return x, y")
    exec("\n".join(lines), names)  # the statements are this file's and the peers'
    return names["loop"]


def sample_positions(size):
    if size <= 24:
        return numpy.arange(size)
    inner = numpy.random.default_rng(7).integers(0, size, 20)
    return numpy.concatenate([[0, 1, size - 2, size - 1], inner])


def uniform(low, high, size, dtype, seed=20240607):
    values = numpy.random.default_rng(seed).random(size, dtype=dtype)
    values *= numpy.dtype(dtype).type(high - low)
    values += numpy.dtype(dtype).type(low)
    return values


class ElementwiseCase:
    def __init__(self, library, name, operation, size, shape, dtype, batch):
        self.library, self.name, self.operation, self.batch = library, name, operation, batch
        self.limit = operation.limit
        self.dtype = dtype
        self.x = self.y = self.master = None
        extra = {"shape": shape, "dtype": library.dtype(dtype)}
        statements = operation.statements
        if name == "ones":
            self.ring = extra["ring"] = [None] * batch
            # Results stay alive for a batch, as in xp-bench, where one that nobody holds is not computed.
            statements = ["ring[i] = None", f"ring[i] = {library.ones}"]
            if batch == 1:
                statements = ["ring[0] = None", f"ring[0] = {library.ones}"]
        self.loop = compile_loop(library, statements, batch == 1, extra)
        self.positions = sample_positions(size)
        self.size = size

    def refill(self):
        if self.name == "ones":
            return
        if self.x is None:
            values = uniform(self.operation.low, self.operation.high, self.size, self.dtype)
            self.x0 = values[self.positions]
            self.x = self.library.to_device(values)
            if self.limit:
                self.master = self.library.to_device(values)
            if self.name == "x+y*x":
                values = uniform(0.5, 1.0, self.size, self.dtype, 1)
                self.y0 = values[self.positions]
                self.y = self.library.to_device(values)
        else:
            self.x[...] = self.master
        if self.library.synchronize is not None:
            self.library.synchronize()

    def run(self, count):
        if self.batch == 1:
            self.x, self.y = self.loop(self.x, self.y, count)
        else:
            for _ in range(count // self.batch):
                self.x, self.y = self.loop(self.x, self.y, self.batch)

    def check(self, count):
        if self.name == "ones":
            for array in self.ring:
                values = self.library.to_host(array.reshape(-1)[:3])
                if not (values == 1).all() or values.dtype != self.dtype:
                    raise Mismatch("not ones")
            return
        x = self.x0.copy()
        y = self.y0.copy() if self.name == "x+y*x" else None
        step = compile("\n".join(self.operation.statements), "<reference>", "exec")
        names = {"x": x, "y": y}
        for _ in range(count):
            before = None if y is None else names["y"]
            exec(step, names)
            if before is not None and (before == names["y"]).all():
                break  # at the fixed point
        result = self.y if self.name == "x+y*x" else self.x
        expect_equal(self.library, result, self.positions, names["y"] if y is not None else names["x"])


class AddLoopCase:
    def __init__(self, library, with_operator, size, dtype):
        self.library, self.limit, self.batch, self.dtype = library, 0, 1, dtype
        self.shape = (size // 8192, 512, 4, 4) if size % 8192 == 0 else (size,)
        self.loops = 1024 if dtype == "float64" else 200
        statement = "g = g + g" if with_operator else f"g = {library.add}"
        statements = ["g = x", f"for k in range({self.loops}):", f"    {statement}", "y = g", "g = None"]
        self.loop = compile_loop(library, statements, True, {})
        self.positions = sample_positions(size)
        self.size = size
        self.x = self.y = None

    def refill(self):
        if self.x is None:
            doubled = operations(self.dtype)["x+=x"]
            values = uniform(doubled.low, doubled.high, self.size, self.dtype)
            self.x0 = values[self.positions]
            self.x = self.library.to_device(values.reshape(self.shape))

    def run(self, count):
        self.y = None
        self.x, self.y = self.loop(self.x, None, count)

    def check(self, _):
        expected = numpy.ldexp(self.x0, self.loops)
        expect_equal(self.library, self.y.reshape(-1), self.positions, expected)


class MixedCase:
    def __init__(self, library, moves, size, dtype):
        self.library, self.moves, self.limit, self.batch, self.dtype, self.size = library, moves, 0, 1, dtype, size
        inner = ["x *= 0.5", "x += 0.25"]
        if moves:
            inner = [library.fetch, *inner, library.put_back]
        statements = [f"for step in range({MIXED_STEPS}):"] + ["    " + line for line in inner]
        self.extra = {"v": None}
        self.statements = statements
        self.positions = sample_positions(size)
        self.x = self.y = None

    def refill(self):
        if self.x is not None:
            return
        values = uniform(0.5, 1.5, self.size, self.dtype)
        self.x0 = values[self.positions]
        self.x = self.library.to_device(values)
        self.v = self.extra["v"] = self.library.host_buffer(values)
        self.loop = compile_loop(self.library, self.statements, True, self.extra)

    def run(self, count):
        self.x, self.y = self.loop(self.x, self.y, count)

    def check(self, count):
        expected = self.x0.copy()
        for _ in range(count * MIXED_STEPS):
            expected *= 0.5
            expected += 0.25
        expect_equal(self.library, self.x, self.positions, expected)


def expect_equal(library, array, positions, expected):
    for position, value in zip(positions, expected, strict=True):
        got = library.to_host(array[int(position) : int(position) + 1])[0]
        if got != value or got.dtype != expected.dtype:
            raise Mismatch(f"element {position} is {got!r} and should be {value!r}")


class Spec:
    def __init__(self, workload, variant, size, bytes_moved, memory, make):
        self.workload, self.variant, self.size = workload, variant, size
        self.bytes, self.memory, self.make = bytes_moved, memory, make


def pipeline_length(size):
    return min(max(2**24 // size, 8), 512)


def specs_of(workload, size, dtype, library):
    nbytes = size * numpy.dtype(dtype).itemsize
    if workload == "mixed":
        both = 2 * nbytes * MIXED_STEPS
        return [
            Spec(workload, "stays", size, both, 2 * nbytes, lambda: MixedCase(library, False, size, dtype)),
            Spec(workload, "moves", size, both, 2 * nbytes, lambda: MixedCase(library, True, size, dtype)),
        ]
    if workload.startswith("add-loop"):
        with_operator = workload == "add-loop-operator"
        moved = (1024 if dtype == "float64" else 200) * 2 * nbytes
        return [
            Spec(workload, "each", size, moved, 3 * nbytes, lambda: AddLoopCase(library, with_operator, size, dtype))
        ]
    specs = []
    sweep = workload == "size-sweep"
    for name, operation in operations(dtype).items():
        if not sweep and name != workload:
            continue
        for pipelined in (False, True) if sweep else (False,):
            batch = pipeline_length(size) if pipelined else 1
            if operation.limit:
                batch = min(batch, operation.limit)
            arrays = operation.arrays
            if name == "ones":
                batch = min(batch, max(1, 2**33 // nbytes))
                arrays = batch
            if pipelined and batch == 1:
                continue
            variant = "pipelined" if pipelined else "each"
            shape = (1000, 1000, 1000) if name == "ones" and size == 10**9 else (size,)
            specs.append(
                Spec(
                    workload,
                    f"{name}/{variant}" if sweep else variant,
                    size,
                    operation.touched * nbytes,
                    arrays * nbytes,
                    lambda name=name, operation=operation, shape=shape, batch=batch: ElementwiseCase(
                        library, name, operation, size, shape, dtype, batch
                    ),
                )
            )
    return specs


# ---- How it is timed -------------------------------------------------------------------------------------------------


class Runner:
    """Runs a case in whole batches, with new data before values leave the normal range."""

    def __init__(self, case):
        self.case, self.done = case, 0
        case.refill()

    def run(self, count):
        case, seconds = self.case, 0.0
        while count > 0:
            room = count if case.limit == 0 else (case.limit - self.done) // case.batch * case.batch
            if room == 0:
                case.refill()
                self.done = 0
                continue
            portion = min(room, count)
            start = time.perf_counter()
            case.run(portion)
            seconds += time.perf_counter() - start
            self.done += portion
            count -= portion
        return seconds


def measure(spec, dtype, library, repeat):
    case = spec.make()
    runner = Runner(case)
    runner.run(case.batch)
    count = case.batch
    seconds = runner.run(count)
    while seconds < SAMPLE_SECONDS:
        factor = min(max(1.5 * SAMPLE_SECONDS / max(seconds, 1e-9), 2.0), 100.0)
        count = int(count * factor) // case.batch * case.batch
        seconds = runner.run(count)
    if not repeat:
        repeat = int(min(max(CASE_SECONDS / seconds, 3), 9))
    samples = []
    for _ in range(repeat):
        if seconds < 20e-3:
            runner.run(count)
        samples.append(runner.run(count) / count)
    case.check(runner.done)
    median = statistics.median(samples)
    return {
        "workload": spec.workload,
        "variant": spec.variant,
        "size": spec.size,
        "dtype": dtype,
        "device": library.device,
        "median_s": median,
        "min_s": min(samples),
        "max_s": max(samples),
        "repeats": repeat,
        "operations_per_sample": count,
        "bytes": spec.bytes,
        "gb_s": spec.bytes / median / 1e9,
        "ceiling_gb_s": None,
        "fraction": None,
    }


def cpu_model():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return ""


def host_free_bytes():
    with open("/proc/meminfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return 0


def comma_list(text):
    return [part for part in text.split(",") if part]


def main(make_library, default_device):
    parser = argparse.ArgumentParser(description="Times the workloads of xp-bench in a Python array library.")
    parser.add_argument("-d", "--device", default=default_device, help="default: %(default)s")
    parser.add_argument("-w", "--workload", type=comma_list, default=[], help="one or several, or all (see --list)")
    parser.add_argument("-n", "--size", type=comma_list, default=[], help="elements: 1e7, 10M, ...; one or several")
    parser.add_argument("-t", "--dtype", default="float64", choices=["float64", "float32"])
    parser.add_argument("-r", "--repeat", type=int, default=0, help="timed samples per row (default: 3 to 9)")
    parser.add_argument("--json", help="write the results to this file")
    parser.add_argument("--list", action="store_true", help="name the workloads")
    options = parser.parse_args()
    if options.list:
        for name, (description, _, by_default) in WORKLOADS.items():
            print(f" {'*' if by_default else ' '} {name:18} {description}")
        return 0
    try:
        sizes = [parse_size(text) for text in options.size]
    except argparse.ArgumentTypeError as error:
        parser.error(f"--size: {error}")
    for name in options.workload:
        if name not in WORKLOADS and name != "all":
            parser.error(f"--workload: there is no '{name}' ({', '.join(WORKLOADS)})")
    chosen = [
        name
        for name, (_, _, by_default) in WORKLOADS.items()
        if name in options.workload or "all" in options.workload or (not options.workload and by_default)
    ]
    try:
        library = make_library(options.device)
    except (ImportError, RuntimeError, ValueError) as error:
        parser.error(str(error))

    results, skipped, status = [], [], 0
    print(f"{library.name} {library.version} on {library.device}")
    print(f"{'workload':18} {'variant':17} {'elements':>9} {'dtype':8} {'median':>10} {'least - most':>22} {'GB/s':>9}")
    for workload in chosen:
        for size in sizes or WORKLOADS[workload][1]:
            for spec in specs_of(workload, size, options.dtype, library):
                what = f"{workload} {spec.variant} {size_text(size)}"
                free = library.free_bytes()
                reason = None
                if spec.memory > free:
                    reason = f"asks for {bytes_text(spec.memory)}, {bytes_text(free)} are free"
                else:
                    try:
                        row = measure(spec, options.dtype, library, options.repeat)
                    except library.out_of_memory as error:
                        reason = f"out of memory: {error}"
                    except Mismatch as error:
                        print(f"{what}: wrong result: {error}", file=sys.stderr)
                        status = 1
                        continue
                if reason:
                    print(f"{what} skipped: {reason}", file=sys.stderr)
                    skipped.append(
                        {
                            "workload": workload,
                            "variant": spec.variant,
                            "size": size,
                            "device": library.device,
                            "reason": reason,
                        }
                    )
                    continue
                results.append(row)
                spread = f"{time_text(row['min_s'])} - {time_text(row['max_s'])}"
                print(
                    f"{workload:18} {spec.variant:17} {size_text(size):>9} {options.dtype:8} "
                    f"{time_text(row['median_s']):>10} {spread:>22} {row['gb_s']:9.2f}",
                    flush=True,
                )
    if options.json:
        meta = {
            "library": library.name,
            "version": library.version,
            "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "cpu": cpu_model(),
            "python": sys.version.split()[0],
            "environment": {"OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS")},
            "devices": [{"name": library.device}],
        }
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"meta": meta, "results": results, "skipped": skipped}, file, indent=2)
            file.write("\n")
    return status if status or results else 3
