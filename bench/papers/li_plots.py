"""Pictures of li.md: GFLOPS of the grids, as in Li's Figures 3 and 4."""
import os

from matplotlib import pyplot as plt
from matplotlib import ticker

import li_tables
from results import Table, machine_name, read


def aspect_ratio(matrix):
    sizes = [int(n) for n in matrix.partition(":")[2].split(",")[0].split("x")]
    return sizes[-1] / sizes[0]


def grid_lines(table, stencil, axes, paper=None):
    """GFLOPS against the aspect ratio, as in Li's Figures 3 and 4."""
    matrices = sorted((m for m in table.matrices if li_tables.is_grid(m, stencil)), key=aspect_ratio)
    for algorithm in table.algorithms:
        axes.plot([aspect_ratio(m) for m in matrices], [table.get(m, algorithm, "gflops") for m in matrices], "o-", label=algorithm,
                  markersize=3)
    if paper:
        nnz = [float(table.one(m, "nnz")) for m in matrices]
        axes.plot([aspect_ratio(m) for m in matrices], [2e-6 * n / paper.solve(m, "slfc") for m, n in zip(matrices, nnz)], "k--",
                  label="slfc, paper's P100")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(ticker.LogFormatter(minor_thresholds=(2, 0.4)))  # labels if there are few decades
    axes.tick_params(axis="y", which="minor", labelsize="x-small")
    axes.set_title(li_tables.STENCILS[stencil], fontsize="medium")


def li(directory, folder, save):
    rows = read(os.path.join(directory, "li.csv"), ["gflops"])
    for precision in ("double", "float"):
        table = Table(rows, choose=lambda r, p=precision: r["type"] == p)
        figure, axes = plt.subplots(2, 2, figsize=(9, 7), sharex="row")
        for place, stencil in zip(axes.flat, li_tables.STENCILS):
            grid_lines(table, stencil, place, li_tables.Paper() if precision == "double" else None)
        for place in axes[:, 0]:
            place.set_ylabel("GFLOPS")
        for place in axes[1]:
            place.set_xlabel("aspect ratio")
        axes[0, 1].legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
        save(figure, f"both sweeps, {precision} ({machine_name(rows)})", os.path.join(folder, f"li-{precision}.png"))
