"""Pictures of yuenyeung.md: GFLOPS against parallel granularity, as in the paper's Figures 3 and 6, its Figure 8 from the training,
and what the threshold costs."""
import os

from matplotlib import pyplot as plt

import yuenyeung_tables
from results import Table, machine_name


MARKERS = {"cusparse": "s", "syncfree-csr": "v", "syncfree-csc": "^", "capellini": "o", "twophase": "x", "yuenyeung": "D",
           "levelorder": "*"}


def sweep(directory):
    rows = yuenyeung_tables.load(directory)
    table = Table(rows)
    figure, axes = plt.subplots(figsize=(9, 6))
    matrices = sorted(table.matrices, key=lambda m: yuenyeung_tables.granularity(table, m))
    for algorithm in [a for a in yuenyeung_tables.ALGORITHMS if a in table.algorithms] or table.algorithms:
        axes.plot([yuenyeung_tables.granularity(table, m) for m in matrices],
                  [yuenyeung_tables.gflops(table, m, algorithm) for m in matrices], MARKERS.get(algorithm, "o"), markersize=5,
                  label=algorithm)
    axes.axvline(yuenyeung_tables.HIGH, color="black", linewidth=0.8, linestyle="--")
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("parallel granularity")
    axes.set_ylabel("GFLOPS, lower sweep")
    axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure, f"one sweep ({machine_name(rows)})"


def training(rows):
    """Which level is faster, for rows per level and entries per row."""
    figure, axes = plt.subplots(figsize=(8, 5))
    for label, marker, chosen in (("warp level", "s", lambda r: float(r["warp_us"]) < float(r["thread_us"])),
                                  ("thread level", "o", lambda r: float(r["warp_us"]) >= float(r["thread_us"]))):
        best = [r for r in rows if chosen(r)]
        axes.plot([float(r["nnz_row"]) for r in best], [float(r["n_level"]) for r in best], marker, markersize=3, linestyle="none",
                  label=f"{label} faster")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("entries per row")
    axes.set_ylabel("rows per level")
    axes.legend(fontsize="small")
    return figure, f"{len(rows)} training matrices ({rows[0]['gpu']})"


def crossover(rows):
    """By how much, for granularity and number of rows."""
    figure, axes = plt.subplots(figsize=(8, 5))
    scales = sorted({int(r["scale"]) for r in rows})
    for k, scale in enumerate(scales):
        some = [r for r in rows if int(r["scale"]) == scale]
        axes.plot([float(r["granularity"]) for r in some], [float(r["thread_us"]) / float(r["warp_us"]) for r in some], "o", markersize=3,
                  color=plt.get_cmap("viridis")(k / max(1, len(scales) - 1)), label=f"{2 ** scale} rows")
    axes.axhline(1, color="black", linewidth=0.8)
    axes.axvline(yuenyeung_tables.HIGH, color="black", linewidth=0.8, linestyle="--")
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("parallel granularity")
    axes.set_ylabel("time at thread level / at warp level")
    axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure, f"{len(rows)} training matrices ({rows[0]['gpu']})"


def thresholds(rows):
    """What the threshold costs yuenyeung, for graphs of each number of rows."""
    figure, axes = plt.subplots(figsize=(8, 5))
    means = yuenyeung_tables.trained_means(rows)
    for k, (name, line) in enumerate(means.items()):
        everything = name == "all"
        axes.plot(list(line), list(line.values()), "o-", markersize=3, linewidth=2.5 if everything else 1,
                  color="black" if everything else plt.get_cmap("viridis")(k / max(1, len(means) - 2)),
                  label="all" if everything else f"{name} rows")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(list(means["all"]))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter("")
    axes.set_yticks([1, 1.5, 2, 3, 5, 10])
    axes.set_xlabel("threshold of yuenyeung, entries per row")
    axes.set_ylabel("time / time with the matrix's best threshold")
    axes.legend(fontsize="small")
    return figure, f"{len(rows)} training matrices, geometric means ({rows[0]['gpu']})"


def yuenyeung(directory, folder, save):
    figure, title = sweep(directory)
    save(figure, title, os.path.join(folder, "yuenyeung.png"))
    rows = yuenyeung_tables.trained(directory)
    for name, draw in (("train", training), ("crossover", crossover), ("thresholds", thresholds)) if rows else ():
        figure, title = draw(rows)
        save(figure, title, os.path.join(folder, f"yuenyeung-{name}.png"))
