#!/usr/bin/env python3
"""Picture of a cavity run: python3 cavity_plot.py NAME PICTURE.png, after cavity -field NAME"""
import csv
import re
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def read_vts(path):
    """The arrays of a structured grid as PETSc writes it: a piece per process; raw doubles, each array after its size."""
    with open(path, "rb") as file:
        header, data = file.read().split(b'<AppendedData encoding="raw">', 1)
    data = data[data.index(b"_") + 1:]
    header = header.decode()
    size = 8 if 'header_type="UInt64"' in header else 4  # bytes
    nx, ny = (int(n) + 1 for n in re.search(r'WholeExtent="0 (\d+) 0 (\d+)', header).groups())
    fields = {}
    for extent, piece in re.findall(r'<Piece Extent="([\d ]+)">(.*?)</Piece>', header, re.S):
        x0, x1, y0, y1 = (int(n) for n in extent.split()[:4])
        for name, components, offset in re.findall(r'Name="(\w+)" NumberOfComponents="(\d+)".*?offset="(\d+)"', piece):
            shape = (y1 - y0 + 1, x1 - x0 + 1, int(components))
            values = np.frombuffer(data, "f8", count=np.prod(shape), offset=int(offset) + size).reshape(shape)
            fields.setdefault(name, np.zeros((ny, nx, int(components))))[y0:y1 + 1, x0:x1 + 1] = values
    return fields


def read_profile(path):
    """Reynolds number, and for each curve its positions and velocities."""
    with open(path) as file:
        reynolds = float(re.match(r"# Re (\S+);", file.readline()).group(1))
        curves = {}
        for curve, position, velocity in csv.reader(file):
            curves.setdefault(curve, []).append((float(position), float(velocity)))
    return reynolds, {curve: np.array(points).T for curve, points in curves.items()}


def with_walls(f, lid=0.0):
    """Values at the middles of the cells, framed by those on the walls."""
    f = np.pad(f, 1)
    f[-1, 1:-1] = lid
    return f


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        field = read_vts(sys.argv[1] + ".vts")
        reynolds, curves = read_profile(sys.argv[1] + ".csv")
    except OSError as error:
        sys.exit(f"{error}: run cavity -field {sys.argv[1]} first")
    n = field["velocity"].shape[0]
    s = np.concatenate(([0], (np.arange(n) + 0.5) / n, [1]))
    u, v = with_walls(field["velocity"][..., 0], lid=1.0), with_walls(field["velocity"][..., 1])
    even = np.linspace(0, 1, n + 1)  # streamplot wants evenly spaced points: the corners of the cells

    def at_corners(f):
        f = np.array([np.interp(even, s, row) for row in f])
        return np.array([np.interp(even, s, column) for column in f.T]).T

    plt.rcParams.update({"font.size": 10, "lines.markersize": 5, "axes.titlesize": 11})
    figure, (flow, lines) = plt.subplots(1, 2, figsize=(11.5, 5.2), layout="constrained", width_ratios=(1.12, 1))
    colours = flow.pcolormesh(s, s, np.hypot(u, v), shading="gouraud", cmap="viridis", vmin=0, vmax=1, rasterized=True)
    # from the lower left corner through its vortex to the middle of the main one, and from the right corner through its vortex
    left = np.concatenate((np.linspace(0.015, 0.07, 3), np.linspace(0.1, 0.56, 12)))
    right = np.linspace(0.02, 0.2, 6)
    seeds = np.concatenate((np.column_stack((left, left)), np.column_stack((1 - right, right))))
    flow.streamplot(even, even, at_corners(u), at_corners(v), start_points=seeds, density=4, broken_streamlines=False,
                    color="white", linewidth=0.7, arrowsize=0.8)
    flow.set(title=f"Lid-driven cavity, Re {reynolds:g}, {n} x {n} cells", xlabel="x", ylabel="y")
    flow.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    figure.colorbar(colours, ax=flow, label="speed (lid = 1)", shrink=0.85)

    for curve, across, colour, label in (("u", "y", "C0", "u on x = 1/2"), ("v", "x", "C3", "v on y = 1/2")):
        lines.plot(*curves[curve], color=colour, label=f"{label}, against {across}")
        if "ghia_" + curve in curves:
            lines.plot(*curves["ghia_" + curve], "o", color=colour, mfc="none", label=f"{curve}: Ghia, Ghia and Shin (1982)")
        if "misprint_" + curve in curves:
            lines.plot(*curves["misprint_" + curve], "x", color=colour, label=f"{curve}: a misprint in the table")
    lines.axhline(0, color="0.7", linewidth=0.8, zorder=0)
    lines.set(title="Velocity on the centrelines", xlabel="y for u, x for v", ylabel="velocity (lid = 1)", xlim=(0, 1))
    lines.legend(frameon=False)
    figure.savefig(sys.argv[2], dpi=130)


if __name__ == "__main__":
    main()
