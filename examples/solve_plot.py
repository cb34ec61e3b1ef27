#!/usr/bin/env python3
"""Pictures of a solve: python3 solve_plot.py FOLDER, after solve -record FOLDER; writes FOLDER/convergence.png and FOLDER/sparsity.png"""
import csv
import re
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm


def convergence(folder):
    curves = {}
    with open(folder + "/history.csv", newline="") as file:
        for row in csv.DictReader(file):
            curves.setdefault(row["solver"], []).append((int(row["iteration"]), float(row["norm"])))
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for k, (solver, points) in enumerate(curves.items()):
        iteration, norm = np.array(points).T
        axes.semilogy(iteration, norm / (norm[0] or 1), "-" if k == 0 else "--", label=solver)
    axes.set_xlabel("iteration")
    axes.set_ylabel("residual norm of the Krylov method / its first")
    axes.grid(alpha=0.3)
    if curves:
        axes.legend()
    figure.savefig(folder + "/convergence.png", dpi=150)


def sparsity(folder):
    with open(folder + "/pattern.csv") as file:
        rows, cells = (int(n) for n in re.match(r"# (\d+) rows, (\d+) x", file.readline()).groups())
        row, col, entries = np.loadtxt(file, delimiter=",", skiprows=1, dtype=int, ndmin=2, unpack=True)
    grid = np.zeros((cells, cells))
    grid[row, col] = entries
    figure, axes = plt.subplots(figsize=(5.5, 4.6), layout="constrained")
    image = axes.imshow(np.ma.masked_equal(grid, 0), extent=(0, rows, rows, 0), norm=LogNorm(1, max(2, grid.max())),
                        interpolation="nearest")
    axes.set_xlabel("column")
    axes.set_ylabel("row")
    figure.colorbar(image, label=f"entries in a cell of {max(1, rows // cells)} rows and columns")
    figure.savefig(folder + "/sparsity.png", dpi=150)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        convergence(sys.argv[1])
        sparsity(sys.argv[1])
    except OSError as error:
        sys.exit(f"{error}: run solve -record {sys.argv[1]} first")


if __name__ == "__main__":
    main()
