#!/usr/bin/env python3
"""Draws and sums up what mpi.sh recorded.

  mpi_plot.py CSV [-o PREFIX] [--study weak|strong|overlap|iterations]...

writes, for the studies that the file has,
  PREFIX-weak.png        time of an apply and of an iteration, and iterations, over the processes; points a process are constant
  PREFIX-strong.png      the same, with a constant grid
  PREFIX-iterations.png  iterations over the processes, of several preconditioners
and prints the weak efficiency of an apply (its time on the fewest processes over its time), and of overlap how many times as long the
blocks take one after the other as all at once.  Only rows of one machine are read; of repeated runs the median counts.
"""
import argparse
import collections
import csv
import statistics
import sys

import matplotlib

matplotlib.use("Agg")  # no display needed
import matplotlib.pyplot as plt
from matplotlib import ticker

COLUMNS = (("apply_us", "apply, us"), ("iteration_us", "iteration, us"), ("iterations", "iterations"))


def read_rows(path):
    with open(path, newline="") as file:
        reader = csv.DictReader(file)
        if "in_turn_us" not in (reader.fieldnames or []):
            sys.exit(f"{path}: no CSV file of bench_mpi")
        rows = [r for r in reader if r["reason"].startswith("CONVERGED")]
    if len({(r["machine"], r["gpu"]) for r in rows}) > 1:
        sys.exit(f"{path}: rows of several machines")
    return rows


def check_sizes(study, rows):
    """Rows of several sizes would be taken for repeated runs of one"""
    sizes = {int(r["rows"]) / (1 if study == "strong" else int(r["ranks"])) for r in rows if "blocks" not in r["name"]}
    if study != "iterations" and len(sizes) > 1:
        sys.exit(f"{study}: rows of several sizes, which belong into files of their own")


def medians(rows, column, label):
    """{label(row): {processes: median}}"""
    samples = collections.defaultdict(lambda: collections.defaultdict(list))
    for r in rows:
        if r[column]:
            samples[label(r)][int(r["ranks"])].append(float(r[column]))
    return {name: {n: statistics.median(s) for n, s in sorted(found.items())} for name, found in samples.items()}


def draw(axes, table, ylabel):
    for name, found in table.items():
        axes.plot(list(found), list(found.values()), "o-", label=name, markersize=4, linewidth=1)
    processes = sorted({n for found in table.values() for n in found})
    axes.set(xscale="log", yscale="log", xlabel="processes", ylabel=ylabel)
    axes.set_xticks(processes, [str(n) for n in processes])
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(ticker.LogFormatter(minor_thresholds=(2, 0.4)))
    axes.grid(alpha=0.3)


def save(figure, title, path):
    figure.axes[-1].legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    figure.suptitle(title, fontsize="medium")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)
    print(path)


def where(rows):
    first = rows[0]
    return first["machine"] if first["gpu"] == "none" else f"{first['machine']}, {first['gpu']}"


def draw_scaling(rows, study, path):
    figure, axes = plt.subplots(1, len(COLUMNS), figsize=(14.0, 4.5))
    for place, (column, ylabel) in zip(axes, COLUMNS):
        draw(place, medians(rows, column, lambda r: f"{r['kind']}: {r['name']}"), ylabel)
    save(figure, f"{study} scaling, {rows[0]['points']} points on {rows[0]['ranks']} ({where(rows)})", path)


def draw_iterations(rows, path):
    problems = list(dict.fromkeys((r["points"], r["kind"], r["ksp"]) for r in rows))
    figure, axes = plt.subplots(1, len(problems), squeeze=False, figsize=(1.5 + 3.6 * len(problems), 4.2))
    for place, problem in zip(axes.flat, problems):
        found = [r for r in rows if (r["points"], r["kind"], r["ksp"]) == problem and not r["name"].startswith("bjacobi")]
        draw(place, medians(found, "iterations", lambda r: r["name"]), "")
        place.set_title("{}, {}, {}".format(*problem), fontsize="small")
    axes[0, 0].set_ylabel("iterations")
    save(figure, f"iterations ({where(rows)})", path)


def tell_weak(rows):
    for name, found in medians(rows, "apply_us", lambda r: f"{r['kind']}: {r['name']}").items():
        base = found[min(found)]
        print(f"weak efficiency of an apply, {name}: " + ", ".join(f"{n}: {100 * base / us:.0f} %" for n, us in found.items()))


def tell_overlap(rows):
    """A block is the same on all rows: slabs of one grid"""
    at_once, in_turn = (medians(rows, column, lambda r: r["name"]) for column in ("apply_us", "in_turn_us"))
    for name in [name for name in at_once if "blocks" not in name]:
        for n, us in at_once[name].items():
            alone = at_once.get(f"{n} blocks of {name}", {}).get(1)
            print(f"overlap, {name}, {n} processes: at once {us:.0f} us, in turn {in_turn[name][n]:.0f} us "
                  f"({in_turn[name][n] / us:.2f} times)" + (f", on one process {alone:.0f} us ({alone / us:.2f} times)" if alone else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv")
    parser.add_argument("-o", "--output", default="mpi", metavar="PREFIX")
    parser.add_argument("--study", action="append", choices=["weak", "strong", "overlap", "iterations"])
    arguments = parser.parse_args()
    studies = collections.defaultdict(list)
    for r in read_rows(arguments.csv):
        if not arguments.study or r["study"] in arguments.study:
            studies[r["study"]].append(r)
    if not studies:
        sys.exit("no results of these studies")
    for study, rows in studies.items():
        check_sizes(study, rows)
    for study in ("weak", "strong"):
        if studies[study]:
            draw_scaling(studies[study], study, f"{arguments.output}-{study}.png")
    if studies["iterations"]:
        draw_iterations(studies["iterations"], f"{arguments.output}-iterations.png")
    tell_weak(studies["weak"])
    tell_overlap(studies["overlap"])


if __name__ == "__main__":
    main()
