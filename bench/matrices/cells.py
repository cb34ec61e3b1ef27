#!/usr/bin/env python3
"""Writes matrices of heat conduction on cells of unstructured meshes into a folder:  python3 bench/matrices/cells.py FOLDER [NAME...]

octree.mtx.gz       cubes, refined towards a sphere, numbered as they were refined
octree_rcm.mtx.gz   the same by reverse Cuthill-McKee
prisms.mtx.gz       layers of prisms over triangles of scattered points, layers thinner towards the ground, by reverse Cuthill-McKee
tetra.mtx.gz        tetrahedra, six in each cube of a box some of which are left out, by reverse Cuthill-McKee

One unknown each, symmetric; a coefficient is the face's size over the distance of the middles, and a time step is in the diagonal.  It
needs numpy and matplotlib.
"""
import gzip
import itertools
import sys

import numpy as np
from matplotlib.tri import Triangulation

from meshes import reverse_cuthill_mckee


def joined(keys, owner):
    """Pairs of owners with equal keys, each key at most twice"""
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    return owner[order[same]], owner[order[same + 1]]


def octree(base=18, refinements=3, radius=0.3):
    """Cells that the sphere's surface passes are cut in eight, so often: middles, and faces between cells with size and distance"""
    grid = np.stack(np.meshgrid(*[np.arange(base)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    level, place = np.zeros(len(grid), int), grid  # the place in units of the cell's own size
    for depth in range(refinements):
        size = 1 / (base * 2**depth)
        middle = (place + 0.5) * size
        cut = (level == depth) & (np.abs(np.linalg.norm(middle - 0.5, axis=1) - radius) < 1.5 * size)
        parts = np.array(list(itertools.product((0, 1), repeat=3)))
        children = (2 * place[cut][:, None] + parts).reshape(-1, 3)
        level = np.concatenate((level[~cut], np.full(len(children), depth + 1)))
        place = np.concatenate((place[~cut], children))
    number = {(int(l), *p): k for k, (l, p) in enumerate(zip(level, place.tolist()))}
    size, faces = 1 / (base * 2.0**level), []
    for k, (l, p) in enumerate(zip(level.tolist(), place.tolist())):  # each looks for its neighbour of the same or a larger size
        for d, way in itertools.product(range(3), (-1, 1)):
            q, m = list(p), l
            q[d] += way
            while m >= 0 and (m, *q) not in number:
                q, m = [c // 2 for c in q], m - 1
            if m >= 0 and (m < l or way > 0):
                faces.append((k, number[m, *q]))
    i, j = np.array(faces).T
    middle = (place + 0.5) * size[:, None]
    return len(level), i, j, np.minimum(size[i], size[j])**2 / np.linalg.norm(middle[i] - middle[j], axis=1)


def prisms(points=3200, layers=24):
    scattered = np.random.default_rng(3).random((points, 2))
    triangles = Triangulation(*scattered.T).triangles
    count, edges = len(triangles), np.concatenate([np.sort(triangles[:, [k, (k + 1) % 3]]) for k in range(3)])
    a, b = joined(edges @ (points, 1), np.tile(np.arange(count), 3))
    middle = scattered[triangles].mean(axis=1)
    height = 0.001 * 1.2**np.arange(layers)
    beside = np.linalg.norm(middle[a] - middle[b], axis=1)
    side = [(a + k * count, b + k * count, 0.02 * height[k] / beside) for k in range(layers)]
    below = np.arange(count * (layers - 1))
    over = np.repeat(2e-4 / (height[1:] + height[:-1]), count)
    i, j, value = map(np.concatenate, zip(*side, (below, below + count, over)))
    return count * layers, i, j, value


def tetra(cells=(44, 42, 42), left_out=0.06):
    random, n = np.random.default_rng(5), np.array(cells) + 1
    strides = np.array((n[1] * n[2], n[2], 1))
    cube = np.stack(np.meshgrid(*map(np.arange, cells), indexing="ij"), axis=-1).reshape(-1, 3)
    cube = cube[random.random(len(cube)) > left_out]
    start, step = (cube + cube % 2) @ strides, (1 - 2 * (cube % 2)) * strides
    corners = np.concatenate([np.cumsum(np.column_stack((start, *step.T[list(order)])), axis=1)
                              for order in itertools.permutations(range(3))])
    corners = np.sort(corners)[random.permutation(len(corners))]
    sides = np.concatenate([np.delete(corners, k, axis=1) for k in range(4)])
    i, j = joined(sides @ (n.prod()**2, n.prod(), 1), np.tile(np.arange(len(corners)), 4))
    return len(corners), i, j, random.uniform(0.5, 2, len(i))


def renumbered(count, i, j, value):
    number = reverse_cuthill_mckee(count, i, j)
    return count, number[i], number[j], value


def write(path, count, i, j, value):
    diagonal = np.bincount(np.concatenate((i, j)), np.concatenate((value, value)), count)
    diagonal += 0.05 * diagonal.mean()
    rows, columns = np.concatenate((np.maximum(i, j), np.arange(count))), np.concatenate((np.minimum(i, j), np.arange(count)))
    values, order = np.concatenate((-value, diagonal)), np.lexsort((columns, rows))
    with gzip.open(path, "wt", compresslevel=6) as file:
        file.write(f"%%MatrixMarket matrix coordinate real symmetric\n{count} {count} {len(rows)}\n")
        for line in zip((rows[order] + 1).tolist(), (columns[order] + 1).tolist(), values[order].tolist()):
            file.write("%d %d %.6g\n" % line)
    print(f"{path}: {count} rows, {2 * len(i) + count} entries")


def main():
    problems = {"octree": octree, "octree_rcm": lambda: renumbered(*octree()), "prisms": lambda: renumbered(*prisms()),
                "tetra": lambda: renumbered(*tetra())}
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(problems):
        sys.exit(__doc__)
    for name in sys.argv[2:] or problems:
        write(f"{sys.argv[1]}/{name}.mtx.gz", *problems[name]())


if __name__ == "__main__":
    main()
