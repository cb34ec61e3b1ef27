#!/usr/bin/env python3
"""Draws what bench_sptrsv recorded.

  plot.py CSV [CSV ...] [-o PREFIX] [--baseline NAME] [--kind ilu|icc] [--type double|float]

writes PREFIX-speedup.png, the speed-up of each algorithm's apply over the baseline's (cusparse) per matrix, and PREFIX-level.png,
the time of an apply per level.  Only rows of one run on one matrix are compared with each other; an algorithm measured in several
runs gets the median of its ratios.  Results that were not OK are left out.
"""
import argparse
import collections
import csv
import math
import statistics
import sys

import matplotlib

matplotlib.use("Agg")  # no display needed
import matplotlib.pyplot as plt
import numpy as np
from matplotlib import ticker


def read_rows(paths, kind, value_type):
    rows = []
    for path in paths:
        with open(path, newline="") as file:
            reader = csv.DictReader(file)
            if "apply_us" not in (reader.fieldnames or []) or "algorithm" not in reader.fieldnames:
                sys.exit(f"{path}: no CSV file of bench_sptrsv")
            rows += [r for r in reader if r["status"] == "OK" and r["kind"] == kind and r["type"] == value_type]
    return rows


def medians(samples):
    """{(matrix, algorithm): [numbers]} -> {algorithm: {matrix: median}}, both in order of appearance."""
    table = collections.defaultdict(dict)
    for (matrix, algorithm), numbers in samples.items():
        table[algorithm][matrix] = statistics.median(numbers)
    return table


def speedups(rows, baseline):
    base = {(r["run"], r["machine"], r["matrix"]): float(r["apply_us"]) for r in rows if r["algorithm"] == baseline}
    samples = collections.defaultdict(list)
    for r in rows:
        key = r["run"], r["machine"], r["matrix"]
        if key in base and r["algorithm"] != baseline:
            samples[r["matrix"], r["algorithm"]].append(base[key] / float(r["apply_us"]))
    return medians(samples)


def times_per_level(rows):
    samples = collections.defaultdict(list)
    for r in rows:
        levels = int(r["levels_lower"]) + int(r["levels_upper"])
        if levels:
            samples[r["matrix"], r["algorithm"]].append(float(r["apply_us"]) / levels)
    return medians(samples)


def order_of(rows):
    return list(dict.fromkeys(r["matrix"] for r in rows))


def title_of(rows, kind, value_type):
    def name(row):
        return row["machine"] if row["gpu"] == "none" else f"{row['machine']}, {row['gpu']}, CUDA {row['cuda']}"

    machines = dict.fromkeys(name(row) for row in rows)
    return f"{kind}, {value_type} ({'; '.join(machines)})"


WIDEST = 15.0  # inches; more bars go below


def draw_bars(table, matrices, ylabel, title, path, start=None):
    """Logarithmic bars from the bottom, or from start up and down."""
    if not table:
        print(f"{path}: nothing to draw")
        return
    wanted = 0.25 * len(matrices) * (len(table) + 1)
    lines = max(1, math.ceil(wanted / WIDEST))
    each = math.ceil(len(matrices) / lines)
    figure, axes = plt.subplots(lines, sharey=True, squeeze=False, figsize=(max(6.0, wanted / lines), 0.9 + 3.6 * lines))
    for line, place in enumerate(axes.flat):
        draw_line(place, table, matrices[line * each:(line + 1) * each], start)
        place.set_ylabel(ylabel)
    axes[0, 0].set_title(title)
    if len(table) > 1:
        axes[0, 0].legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)
    print(path)


def draw_line(axes, table, matrices, start):
    width = 0.85 / len(table)
    places = np.arange(len(matrices))
    for k, (algorithm, values) in enumerate(table.items()):
        heights = np.array([values.get(matrix, np.nan) for matrix in matrices]) - (start or 0)
        axes.bar(places + (k - (len(table) - 1) / 2) * width, heights, width, bottom=start, label=algorithm)
    if start is not None:
        axes.axhline(start, color="black", linewidth=0.8)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(ticker.LogFormatter(minor_thresholds=(2, 0.4)))  # labels if there are few decades
    axes.tick_params(axis="y", which="minor", labelsize="x-small")
    axes.set_xticks(places, matrices, rotation=45, ha="right")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", nargs="+")
    parser.add_argument("-o", "--output", default="bench", metavar="PREFIX")
    parser.add_argument("--baseline", default="cusparse")
    parser.add_argument("--kind", choices=["ilu", "icc"], default="ilu")
    parser.add_argument("--type", choices=["double", "float"], default="double")
    arguments = parser.parse_args()
    rows = read_rows(arguments.csv, arguments.kind, arguments.type)
    if not rows:
        sys.exit("no results of this kind and type")
    matrices, title = order_of(rows), title_of(rows, arguments.kind, arguments.type)
    draw_bars(speedups(rows, arguments.baseline), matrices, f"apply, times faster than {arguments.baseline}", title,
              f"{arguments.output}-speedup.png", start=1.0)
    draw_bars(times_per_level(rows), matrices, "apply, us per level", title, f"{arguments.output}-level.png")


if __name__ == "__main__":
    main()
