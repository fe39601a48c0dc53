#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A page and a plot from the JSON of xp-bench and its peers.

usage: bench/report.py FOLDER XPARRAY.json [PEER.json ...] [--note TEXT ...]

Writes FOLDER/README.md, and FOLDER/speedup.svg when matplotlib is there and the run had several devices: their speed-up over
the first one by size. The JSON files are named by the page, so they belong into FOLDER, too.
"""

import argparse
import json
import os
import sys

from compare import size_text, time_text


def ratio_text(ratio):
    return "-" if ratio is None else f"{ratio:.{2 if ratio < 10 else 1 if ratio < 100 else 0}f}"


def key(row):
    return row["workload"], row["variant"], row["size"], row["dtype"]


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join(["---"] * len(header)) + " |"]
    return lines + ["| " + " | ".join(row) + " |" for row in rows] + [""]


def label(run):
    meta = run["meta"]
    return meta["library"].replace("numpy", "NumPy").replace("cupy", "CuPy").replace("torch", "PyTorch") + " " + meta["version"]


def workloads(run, peers):
    rows = []
    for row in run["results"]:
        if row["workload"] == "size-sweep":
            continue
        ratios = []
        for peer in peers:
            theirs = {key(other): other["median_s"] for other in peer["results"]}
            same_place = is_host(peer) == (row["device"] == "host")
            median = theirs.get(key(row)) if same_place else None
            ratios.append(ratio_text(median / row["median_s"] if median else None))
        fraction = "-" if row["fraction"] is None else f"{row['fraction']:.2f}"
        name = row["workload"] + ("" if row["variant"] == "each" else " (" + row["variant"] + ")")
        rows.append(
            [name, size_text(row["size"]), row["dtype"], row["device"], time_text(row["median_s"])]
            + [f"{row['gb_s']:.0f}" if row["bytes"] else "-", fraction]
            + ratios
        )
    header = ["workload", "elements", "dtype", "device", "median", "GB/s", "of the ceiling"]
    return table(header + ["x " + label(peer) for peer in peers], rows)


def is_host(run):
    return all(device.get("name", device) in ("host", "cpu") for device in run["meta"]["devices"])


def by_size(ours, theirs):
    """Lines of a speed-up table: sizes across, operations down."""
    ratios = {}
    for row in ours:
        if row["workload"] == "size-sweep" and key(row) in theirs:
            line = ratios.setdefault((row["variant"], row["dtype"]), {})
            line[row["size"]] = theirs[key(row)] / row["median_s"]
    return ratios


def sweep_table(ratios):
    sizes = sorted({size for line in ratios.values() for size in line})
    dtypes = {dtype for _, dtype in ratios}
    rows = []
    for (variant, dtype), line in ratios.items():
        name = variant if len(dtypes) == 1 else f"{variant} {dtype}"
        rows.append([name] + [ratio_text(line.get(size)) for size in sizes])
    return table(["elements"] + [size_text(size) for size in sizes], rows)


def plot(path, ratios, title):
    try:
        import matplotlib

        matplotlib.use("svg")
        import matplotlib.pyplot as pyplot
    except ImportError:
        return False
    matplotlib.rcParams["svg.hashsalt"] = "xparray"  # the same file for the same numbers
    figure, axes = pyplot.subplots(figsize=(8, 5))
    colors = {}
    for (variant, dtype), line in ratios.items():
        operation, _, mode = variant.partition("/")
        color = colors.setdefault(operation, f"C{len(colors)}")
        sizes = sorted(line)
        axes.plot(
            sizes,
            [line[size] for size in sizes],
            color=color,
            linestyle="--" if mode == "pipelined" else "-",
            marker=".",
            label=variant,
        )
    axes.axhline(1, color="gray", linewidth=0.8)
    axes.set(xscale="log", yscale="log", xlabel="elements", ylabel="speed-up", title=title)
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize="small", ncols=2)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("xparray")
    parser.add_argument("peers", nargs="*")
    parser.add_argument("--note", action="append", default=[], help="a line for the page: the commands that were run")
    arguments = parser.parse_args()

    def read(path):
        with open(path) as file:
            return json.load(file)

    run, peers = read(arguments.xparray), [read(path) for path in arguments.peers]
    meta = run["meta"]
    devices = [device["name"] for device in meta["devices"]]
    used = list(dict.fromkeys(row["device"] for row in run["results"]))
    lines = ["# xp-bench: " + ", ".join(f"{d['model']} (`{d['name']}`)" for d in meta["devices"]), ""]
    lines.append(f"xparray {meta['version']}, commit {meta.get('commit', 'unknown')}, {meta['date']}, {meta['cpu']}.")
    for device in meta["devices"]:
        threads = f", {device['threads']} threads" if device["threads"] else ""
        lines.append(f"`{device['name']}`: Kokkos {device['kokkos_version']} {device['execution_space']}, {device['isa']}{threads}.")
    lines += ["", "Made by", "", "```sh"] + arguments.note + ["```", ""]
    files = [arguments.xparray] + arguments.peers
    lines += ["Data: " + ", ".join(f"[{os.path.basename(path)}]({os.path.basename(path)})" for path in files) + ".", ""]
    lines += ["## Workloads", "", "Medians. The ceiling is that of the same access pattern on the same device, in the same run; the last columns"]
    lines += ["are the peers' time divided by ours.", ""]
    lines += workloads(run, peers)
    rows_of = {name: [row for row in run["results"] if row["device"] == name] for name in used}
    if len(used) > 1:
        first = {key(row): row["median_s"] for row in rows_of[used[0]]}
        for name in used[1:]:
            ratios = by_size(rows_of[name], first)
            if not ratios:
                continue
            title = f"Speed-up of {name} over {used[0]}, by size"
            lines += ["## " + title, ""]
            if plot(os.path.join(arguments.folder, "speedup.svg"), ratios, title):
                lines += [f"![{title}](speedup.svg)", ""]
            lines += sweep_table(ratios)
    for peer in peers:
        theirs = {key(row): row["median_s"] for row in peer["results"]}
        for name in used:
            ratios = by_size(rows_of[name], theirs)
            if is_host(peer) == (name == "host") and ratios:
                lines += [f"## Speed-up of {name} over {label(peer)}, by size", ""] + sweep_table(ratios)
    with open(os.path.join(arguments.folder, "README.md"), "w") as file:
        file.write("\n".join(lines).rstrip() + "\n")
    print(f"{arguments.folder}/README.md ({len(devices)} devices, {len(run['results'])} rows)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
