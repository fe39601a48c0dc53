#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ratios between two files of results, of xp-bench or of bench/peers/*.py.

The ratio is B's time over A's: how many times faster A is. Exit status 1 when a ratio is below --min-ratio, or when
nothing could be compared.
"""

import argparse
import json
import math
import sys


def size_text(size):
    digits = str(size)
    zeros = min(len(digits) - len(digits.rstrip("0")), len(digits) - 1)
    return digits if zeros < 3 else f"{size // 10**zeros}e{zeros}"


def time_text(seconds):
    for unit, name in ((1e-6, "ns"), (1e-3, "us"), (1, "ms")):
        if seconds < unit:
            value = seconds / unit * 1e3
            break
    else:
        value, name = seconds, "s"
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {name}"


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        rows = {}
        for row in content["results"]:
            key = (row["workload"], row["variant"], row["size"], row["dtype"])
            rows.setdefault(key, []).append((row["device"], float(row["median_s"])))
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"compare.py: {path}: not a file of results: {error!r}")
    meta = content.get("meta", {})
    return rows, f"{meta.get('library', '?')} {meta.get('version', '')}".strip()


def row_name(key):
    workload, variant, size, dtype = key
    return f"{workload} {variant} {size_text(size)} {dtype}"


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("a", metavar="A.json")
    parser.add_argument("b", metavar="B.json")
    parser.add_argument("--min-ratio", type=float, help="fail when A is not this many times faster in every row")
    options = parser.parse_args()
    rows_a, name_a = load(options.a)
    rows_b, name_b = load(options.b)

    print(f"A: {name_a} ({options.a})\nB: {name_b} ({options.b})\n")
    print(f"{'workload':18} {'variant':17} {'elements':>9} {'dtype':8} {'devices':16} {'A':>10} {'B':>10} {'B/A':>7}")
    ratios, below = {}, []
    for key, of_a in rows_a.items():
        for device_a, time_a in of_a:
            for device_b, time_b in rows_b.get(key, []):
                ratio = time_b / time_a
                ratios.setdefault(key[0], []).append(ratio)
                mark = ""
                if options.min_ratio is not None and ratio < options.min_ratio:
                    below.append(f"{row_name(key)}: {ratio:.2f}")
                    mark = " <"
                workload, variant, size, dtype = key
                print(
                    f"{workload:18} {variant:17} {size_text(size):>9} {dtype:8} {device_a + ' / ' + device_b:16} "
                    f"{time_text(time_a):>10} {time_text(time_b):>10} {ratio:7.2f}{mark}"
                )
    if ratios:
        print("\ngeometric means of B/A:")
        for workload, values in ratios.items():
            print(f"  {workload:18} {geometric_mean(values):7.2f}  ({len(values)} rows)")
        every = [ratio for values in ratios.values() for ratio in values]
        print(f"  {'all':18} {geometric_mean(every):7.2f}  ({len(every)} rows)")
    for path, mine, other in ((options.a, rows_a, rows_b), (options.b, rows_b, rows_a)):
        alone = [row_name(key) for key in mine if key not in other]
        if alone:
            print(f"\nonly in {path}:")
            for name in alone:
                print(f"  {name}")
    if not ratios:
        print("\nnothing to compare: the files have no row in common", file=sys.stderr)
        return 1
    if below:
        print(f"\nbelow {options.min_ratio}:", file=sys.stderr)
        for name in below:
            print(f"  {name}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
