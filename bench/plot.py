#!/usr/bin/env python3
"""Draws what bench_sptrsv recorded.

  plot.py CSV [CSV ...] [-o PREFIX] [--algorithms NAME,...] [--baseline NAME] [--kind ilu|icc] [--type double|float]

writes
  PREFIX-speedup.png  the speed-up of each algorithm's apply over the baseline's (cusparse), per matrix
  PREFIX-level.png    the time of a lower sweep per level, over the rows per level, with the least time from one SM to another
  PREFIX-setup.png    the first set-up in applies, per matrix
  PREFIX-growth.png   the time of an apply over the rows of square or cubic grids, with the time that its bytes take
Only rows of one run on one matrix are compared with each other; an algorithm measured in several runs gets the median.  Results that were
not OK are left out, and pictures for which there are no results.
"""
import argparse
import collections
import csv
import math
import re
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


def table_of(rows, value):
    """Medians of value(row), where it has one"""
    samples = collections.defaultdict(list)
    for r in rows:
        if value(r) is not None:
            samples[r["matrix"], r["algorithm"]].append(value(r))
    return medians(samples)


def time_per_level(row):
    levels = int(row["levels_lower"])
    return float(row["lower_us"]) / levels if levels else None


def rows_per_level(row):
    levels = int(row["levels_lower"])
    return int(row["rows"]) / levels if levels else None


def setup_in_applies(row):
    return 1e3 * float(row["first_setup_ms"]) / float(row["apply_us"])


def apply_time(row):
    return float(row["apply_us"])


def square_grids(rows):
    """stencil -> rows of its grids that are as long as they are wide and high, where there are three or more of them"""
    families = collections.defaultdict(list)
    for r in rows:
        grid = re.fullmatch(r"(\w+):(\d+)((?:x\2)+)", r["matrix"])
        if grid:
            families[grid[1]].append(r)
    return {stencil: found for stencil, found in families.items() if len({r["matrix"] for r in found}) >= 3}


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
    save(figure, path)


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


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)
    print(path)


def draw_points(axes, table, place, style):
    """The values of each algorithm over the matrices' places"""
    for algorithm, values in table.items():
        points = sorted((place[matrix], value) for matrix, value in values.items())
        axes.plot(*zip(*points), style, label=algorithm, markersize=4, linewidth=1)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.grid(alpha=0.3)


def draw_levels(rows, title, path):
    hops = [float(r["floor_hop_us"]) / (int(r["levels_lower"]) + int(r["levels_upper"])) for r in rows if float(r["floor_hop_us"] or 0)]
    figure, axes = plt.subplots(figsize=(9.0, 5.5))
    draw_points(axes, table_of(rows, time_per_level), {r["matrix"]: rows_per_level(r) for r in rows}, "o")
    if hops:
        axes.axhline(statistics.median(hops), color="black", linewidth=0.8, label="from one SM to another")
    axes.set(xlabel="rows per level", ylabel="lower sweep, us per level", title=title)
    axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    save(figure, path)


def draw_growth(rows, title, path):
    families = square_grids(rows)
    if not families:
        return
    figure, axes = plt.subplots(1, len(families), sharey=True, squeeze=False, figsize=(2.0 + 5.0 * len(families), 5.5))
    for place, (stencil, found) in zip(axes.flat, families.items()):
        draw_points(place, table_of(found, apply_time), {r["matrix"]: int(r["rows"]) for r in found}, "o-")
        floor = sorted({int(r["rows"]): float(r["floor_bandwidth_us"]) for r in found}.items())
        place.plot(*zip(*floor), "k--", linewidth=0.8, label="bytes at copy bandwidth")
        place.set(xlabel="rows", title=stencil)
    axes[0, 0].set_ylabel("apply, us")
    axes[0, -1].legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    figure.suptitle(title, fontsize="medium")
    save(figure, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", nargs="+")
    parser.add_argument("-o", "--output", default="bench", metavar="PREFIX")
    parser.add_argument("--algorithms", metavar="NAME,...", help="all, unless they are given; the baseline need not be among them")
    parser.add_argument("--baseline", default="cusparse")
    parser.add_argument("--kind", choices=["ilu", "icc"], default="ilu")
    parser.add_argument("--type", choices=["double", "float"], default="double")
    arguments = parser.parse_args()
    rows = read_rows(arguments.csv, arguments.kind, arguments.type)
    if arguments.algorithms:
        rows = [r for r in rows if r["algorithm"] in {arguments.baseline, *arguments.algorithms.split(",")}]
    if not rows:
        sys.exit("no results of this kind and type")
    matrices, title = order_of(rows), title_of(rows, arguments.kind, arguments.type)
    draw_bars(speedups(rows, arguments.baseline), matrices, f"apply, times faster than {arguments.baseline}", title,
              f"{arguments.output}-speedup.png", start=1.0)
    draw_bars(table_of(rows, setup_in_applies), matrices, "first set-up, in applies", title, f"{arguments.output}-setup.png")
    draw_levels(rows, title, f"{arguments.output}-level.png")
    draw_growth(rows, title, f"{arguments.output}-growth.png")


if __name__ == "__main__":
    main()
