#!/usr/bin/env python3
"""Writes matrices of three meshes into a folder:  python3 bench/matrices/meshes.py FOLDER [NAME...]

naca0012.mtx.gz     compressible Euler about a profile, vertices of triangles, 4 unknowns each
cgrid.mtx.gz        laminar Navier-Stokes about the same profile, cells of a C-grid with its wake cut, 4 unknowns each
tetrahedra.mtx.gz   linear elasticity of a block clamped at one side, vertices of tetrahedra, 3 unknowns each

Unknowns of a point are consecutive, and blocks are stored with their zeros.  The flows are first-order finite volumes, marched towards a
steady state and linearized there by a flux difference splitting, with a pseudo-time term.  Points are numbered by reverse Cuthill-McKee,
but on the C-grid line by line.  It needs numpy and matplotlib.
"""
import gzip
import itertools
import sys

import numpy as np
from matplotlib.tri import Triangulation

from flow import Flow, Mesh

CLAMPED = 1e-9  # vertices up to this x do not move


def profile(count):
    """NACA 0012 with a sharp trailing edge, from there below the chord to the nose and above it back; both ends are the same point"""
    x = (1 + np.cos(np.linspace(0, 2 * np.pi, count))) / 2
    y = 0.6 * (0.2969 * np.sqrt(x) - 0.126 * x - 0.3516 * x**2 + 0.2843 * x**3 - 0.1036 * x**4)
    return np.column_stack((x, np.where(np.arange(count) < count // 2, -y, y)))


def resampled(points, position):
    """Points of a polygon at these parts of its length"""
    length = np.concatenate(([0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))))
    return np.column_stack([np.interp(position * length[-1], length, points[:, d]) for d in range(2)])


def turned(vectors):
    """By a right angle, clockwise: an outward normal of an edge that goes counterclockwise"""
    return np.stack((vectors[..., 1], -vectors[..., 0]), axis=-1)


def reverse_cuthill_mckee(count, i, j):
    """The new number of each vertex; i, j: edges"""
    beside = [[] for _ in range(count)]
    for a, b in zip(i.tolist(), j.tolist()):
        beside[a].append(b)
        beside[b].append(a)
    degree = [len(b) for b in beside]
    for b in beside:
        b.sort(key=degree.__getitem__)
    start = 0
    for _ in range(3):  # the last vertex of one search is a far one to begin the next
        order, seen = [start], {start}
        for a in order:
            new = [b for b in beside[a] if b not in seen]
            order += new
            seen.update(new)
        start = order[-1]
    number = np.empty(count, int)
    number[order[::-1]] = np.arange(count)
    return number


# ------------------------------------------------------------- meshes ---------------------------------------------------------


def scattered_about_profile(finest, growth, radius):
    """Points in rings around the profile, wider outwards, moved a little; how many the first ring, on the profile, and the last one have"""
    random = np.random.default_rng(12)
    outline = profile(161)
    normal = turned(-np.gradient(outline, axis=0))
    normal /= np.hypot(*normal.T)[:, None]
    angle = np.linspace(*np.arctan2(normal[[-1, 0], 1], normal[[-1, 0], 0]), 40)
    normal = np.concatenate((normal[1:-1], np.column_stack((np.cos(angle), np.sin(angle)))))
    outline = np.concatenate((outline[1:-1], np.repeat(outline[:1], 40, axis=0)))
    rings, distance = [], 0.0
    while distance < radius:
        width = finest + growth * distance
        ring = outline + distance * normal
        ring = np.concatenate((ring, ring[:1]))
        if distance == 0:
            ring = profile(2 * int(1 / finest) + 1)[:-1]
        else:
            count = int(np.hypot(*np.diff(ring, axis=0).T).sum() / width)
            ring = resampled(ring, (np.arange(count) + random.random()) / count) + random.uniform(-0.2, 0.2, (count, 2)) * width
        rings.append(ring)
        distance += width * np.sqrt(3) / 2
    return np.concatenate(rings), len(rings[0]), len(rings[-1])


def triangulated(points, fixed):
    """Without triangles inside the profile, whose corners are all on it"""
    triangles = Triangulation(*points.T).triangles
    return triangles[(triangles >= fixed).any(axis=1)]


def edges_of(triangles):
    """All of them, in the direction of their triangle"""
    return np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)])


def profile_mesh():
    """Median dual volumes"""
    points, fixed, outer = scattered_about_profile(0.008, 0.1145, 12.0)
    for _ in range(10):  # each point to the middle of its neighbours
        a, b = edges_of(triangulated(points, fixed)).T
        middle, count = np.zeros_like(points), np.bincount(np.concatenate((a, b)), minlength=len(points))
        np.add.at(middle, a, points[b])
        np.add.at(middle, b, points[a])
        points[fixed:-outer] = (middle / count[:, None])[fixed:-outer]
    triangles = triangulated(points, fixed)
    corners = points[triangles]
    edges = edges_of(triangles)
    normal = turned(np.tile(corners.mean(axis=1), (3, 1)) - points[edges].mean(axis=1))
    back = edges[:, 0] > edges[:, 1]
    key, first, count = np.unique(np.sort(edges) @ (len(points), 1), return_inverse=True, return_counts=True)
    faces = np.zeros((len(key), 2))
    np.add.at(faces, first, np.where(back, -1, 1)[:, None] * normal)
    i, j = key // len(points), key % len(points)
    rim = edges[count[first] == 1]
    rim_normal = turned(points[rim[:, 1]] - points[rim[:, 0]])
    on_wall = (rim < fixed).all(axis=1)
    ends = [(rim[which].ravel(), np.repeat(rim_normal[which] / 2, 2, axis=0)) for which in (on_wall, ~on_wall)]
    mesh = Mesh(len(points), (i, j, faces, np.hypot(*(points[i] - points[j]).T)), (*ends[0], None), ends[1])
    mesh.renumber(reverse_cuthill_mckee(len(points), i, j))
    return mesh


def c_grid(around, wake, across, radius=12.0):
    """Cells, from the outflow below the wake around the profile to the outflow above it, line by line outwards"""
    behind = (1, 0) + radius * np.linspace(1, 0, wake + 1)[:-1, None]**2 * (1, 0)
    inner = np.concatenate((behind, profile(around + 1), behind[::-1]))
    bend = np.linspace(-np.pi / 2, -3 * np.pi / 2, around + 1)
    outer = np.concatenate((behind - (0, radius), np.column_stack((1 + (radius + 1) * np.cos(bend), radius * np.sin(bend))),
                            behind[::-1] + (0, radius)))
    level = np.sinh(8 * np.linspace(0, 1, across + 1)) / np.sinh(8)  # thin cells at the wall
    p = inner + level[:, None, None] * (outer - inner)
    columns = p.shape[1] - 1
    number = np.arange(across * columns).reshape(across, columns)
    middle = (p[1:, 1:] + p[1:, :-1] + p[:-1, 1:] + p[:-1, :-1]) / 4
    side, top = turned(p[1:] - p[:-1]), -turned(p[:, 1:] - p[:, :-1])
    i = np.concatenate((number[:, :-1].ravel(), number[:-1].ravel(), number[0, :wake]))
    j = np.concatenate((number[:, 1:].ravel(), number[1:].ravel(), number[0, ::-1][:wake]))
    normal = np.concatenate((side[:, 1:-1].reshape(-1, 2), top[1:-1].reshape(-1, 2), -top[0, :wake]))
    on = slice(wake, columns - wake)
    wall_distance = np.hypot(*(middle[0, on] - (p[0, 1:] + p[0, :-1])[on] / 2).T)
    middle = middle.reshape(-1, 2)
    far = (np.concatenate((number[-1], number[:, 0], number[:, -1])), np.concatenate((top[-1], -side[:, 0], side[:, -1])))
    return Mesh(across * columns, (i, j, normal, np.hypot(*(middle[i] - middle[j]).T)), (number[0, on], -top[0, on], wall_distance), far)


# ----------------------------------------------------------- elasticity -------------------------------------------------------


def elasticity(cells, poisson=0.3):
    """Blocks of linear tetrahedra, each cell of a box cut in six, whose inner vertices are moved a little: rows, columns, values"""
    n = np.array(cells) + 1
    points = np.stack(np.meshgrid(*map(np.arange, n), indexing="ij"), axis=-1).reshape(-1, 3).astype(float)
    inside = ((points > 0) & (points < n - 1)).all(axis=1)
    points[inside] += np.random.default_rng(7).uniform(-0.2, 0.2, (inside.sum(), 3))
    strides = np.array((n[1] * n[2], n[2], 1))
    cell = np.stack(np.meshgrid(*map(np.arange, cells), indexing="ij"), axis=-1).reshape(-1, 3)
    start, step = (cell + cell % 2) @ strides, (1 - 2 * (cell % 2)) * strides  # cuts of neighbours mirror each other
    paths = [np.cumsum(np.column_stack((start, *step.T[list(order)])), axis=1) for order in itertools.permutations(range(3))]
    tetrahedra = np.concatenate(paths)
    edges = points[tetrahedra[:, 1:]] - points[tetrahedra[:, :1]]
    gradient = np.moveaxis(np.linalg.inv(edges), -1, 1)
    gradient = np.concatenate((-gradient.sum(axis=1, keepdims=True), gradient), axis=1)
    volume = np.abs(np.linalg.det(edges)) / 6
    outer = np.einsum("tai,tbj->tabij", gradient, gradient)
    dot = np.einsum("tabii->tab", outer)[..., None, None] * np.eye(3)
    lame = poisson / (1 - 2 * poisson)  # relative to the shear modulus, twice
    blocks = volume[:, None, None, None, None] * (2 * lame * outer + np.swapaxes(outer, 3, 4) + dot)
    free = points[:, 0] > CLAMPED
    number = np.cumsum(free) - 1
    a, b = np.repeat(tetrahedra, 4, axis=1).ravel(), np.tile(tetrahedra, 4).ravel()
    kept = free[a] & free[b]
    a, b = number[a[kept]], number[b[kept]]
    pairs = np.unique(a[a < b] * free.sum() + b[a < b])
    order = reverse_cuthill_mckee(free.sum(), pairs // free.sum(), pairs % free.sum())
    return order[a], order[b], blocks.reshape(-1, 3, 3)[kept]


# ------------------------------------------------------------- files ----------------------------------------------------------


def write(path, rows, columns, blocks, symmetric=False):
    """Blocks of the same place are summed"""
    points, size = rows.max() + 1, blocks.shape[1]
    key, first = np.unique(rows * points + columns, return_inverse=True)
    values = np.zeros((len(key), size, size))
    np.add.at(values, first, blocks)
    inside = np.arange(size)
    i = ((key // points)[:, None, None] * size + inside[:, None] + 0 * inside).ravel()
    j = ((key % points)[:, None, None] * size + inside + 0 * inside[:, None]).ravel()
    kept = i >= j if symmetric else i >= 0
    with gzip.open(path, "wt", compresslevel=6) as file:
        file.write(f"%%MatrixMarket matrix coordinate real {'symmetric' if symmetric else 'general'}\n")
        file.write(f"% unknowns of a point: {size}\n{points * size} {points * size} {kept.sum()}\n")
        for line in zip((i[kept] + 1).tolist(), (j[kept] + 1).tolist(), values.ravel()[kept].tolist()):
            file.write("%d %d %.12g\n" % line)
    print(f"{path}: {points * size} rows, {len(key) * size**2} entries")


def euler():
    flow = Flow(profile_mesh(), 0.8, np.radians(1.25))
    for _ in range(1500):
        flow.step()
    return flow.linearized(50)


def navier_stokes():
    flow = Flow(c_grid(76, 20, 32), 0.5, 0.0, viscosity=0.5 / 5000)
    for _ in range(1500):
        flow.step()
    return flow.linearized(50)


def main():
    problems = {"naca0012": euler, "cgrid": navier_stokes, "tetrahedra": lambda: elasticity((29, 20, 20))}
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(problems):
        sys.exit(__doc__)
    for name in sys.argv[2:] or problems:
        write(f"{sys.argv[1]}/{name}.mtx.gz", *problems[name](), symmetric=name == "tetrahedra")


if __name__ == "__main__":
    main()
