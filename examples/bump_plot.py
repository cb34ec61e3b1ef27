#!/usr/bin/env python3
"""Table and picture of bump runs: python3 bump_plot.py NAME PICTURE.png SUMMARY ...: after bump -field NAME and bump -summary SUMMARY

Files of summaries name their rows.
"""
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from cavity_plot import read_vts

GAMMA = 1.4


def print_table(paths):
    runs = {path.stem: [item.rsplit(" ", 1) for item in path.read_text().strip().split(", ")] for path in map(pathlib.Path, paths)}
    names = [name for name, _ in next(iter(runs.values()))]
    print(f"{'run':<10}", *(f"{name:>12}" for name in names))
    for run, items in runs.items():
        print(f"{run:<10}", *(f"{value:>12}" for _, value in items))


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    print_table(sys.argv[3:])
    field = read_vts(sys.argv[1] + ".vts")
    x, y = field["Position"][..., 0], field["Position"][..., 1]
    density, along, across, energy = np.moveaxis(field["state"], -1, 0)
    pressure = (GAMMA - 1) * (energy - (along**2 + across**2) / density / 2)
    mach = np.hypot(along, across) / density / np.sqrt(GAMMA * pressure / density)

    figure, axes = plt.subplots(2, 1, figsize=(9, 6.6), layout="constrained", sharex=True)
    for axis, values, label in zip(axes, (mach, GAMMA * pressure), ("Mach number", "pressure (in front = 1)")):
        colours = axis.contourf(x, y, values, 40, cmap="viridis")
        axis.set(ylabel="y", aspect="equal")
        figure.colorbar(colours, ax=axis, label=label)
    axes[0].set_title(f"Supersonic flow over a bump, {x.shape[1]} x {x.shape[0]} cells")
    axes[1].set_xlabel("x")
    figure.savefig(sys.argv[2], dpi=130)


if __name__ == "__main__":
    main()
