"""Heat conduction in a plate, with petsc4py and SyncFree.

The conductivity grows with the temperature: u_t = div((1 + u) grad u) in the unit square, u = 0 at x = 0, u = 1 at x = 1, and no heat
passes the other two sides.  The steady temperature is u = sqrt(1 + 3 x) - 1, and the finite volumes below have it without an error.
Each time step solves (I + dt L(u)) u_new = u + boundary: symmetric positive definite, new values in an unchanged pattern.

    python3 plate.py                                                          # on the host
    python3 plate.py -dm_mat_type aijcusparse -dm_vec_type cuda               # on a GPU
    mpiexec -n 2 python3 plate.py -plate_n 200 -pc_syncfree_factor ilu -ksp_type bcgs -ksp_view

SYNCFREE_LIB names the plugin, and -plate_n, -plate_dt, -plate_steps the cells on a side, the time step and the largest number of steps.
"""
import os
import sys

import numpy as np
import petsc4py

plugin = os.environ.get("SYNCFREE_LIB", "build/lib/libpetscsyncfree.so")
petsc4py.init(["-dll_append", plugin, *sys.argv[1:]])
from petsc4py import PETSc  # noqa: E402, the options above are read when PETSc is imported

DEFAULTS = {"ksp_type": "cg", "ksp_rtol": 1e-10, "pc_type": "syncfree", "pc_syncfree_factor": "icc"}  # the command line is stronger
NEIGHBOURS = ((0, -1), (0, 1), (-1, 0), (1, 0))  # steps in y and x: left, right, down, up


class Plate:
    def __init__(self, n, dt):
        self.n, self.ratio = n, dt * n * n  # dt / h^2
        self.da = PETSc.DMDA().create([n, n], dof=1, stencil_width=1, stencil_type="star", setup=False)
        self.da.setFromOptions()
        self.da.setUp()
        (self.x, end_x), (self.y, end_y) = self.da.getRanges()
        self.own = end_y - self.y, end_x - self.x
        (ghost_x, end_x), (ghost_y, end_y) = self.da.getGhostRanges()
        self.ghosted = end_y - ghost_y, end_x - ghost_x
        self.corner = self.y - ghost_y, self.x - ghost_x
        self.local = self.da.createLocalVec()
        self.A = self.da.createMat()
        cell = np.pad(np.arange(np.prod(self.ghosted), dtype=PETSc.IntType).reshape(self.ghosted), 1, constant_values=-1)
        columns = [self.shifted(cell, *step).ravel() for step in ((0, 0), *NEIGHBOURS)]
        self.A.setPreallocationCOOLocal(np.tile(columns[0], 5), np.concatenate(columns))  # -1, beyond a side of the plate, is left out

    def shifted(self, padded, dy, dx):
        """Values of this process's cells, or of their neighbours, out of an array with ghost points and a margin of one"""
        (y, x), (ny, nx) = self.corner, self.own
        return padded[y + 1 + dy:y + 1 + dy + ny, x + 1 + dx:x + 1 + dx + nx]

    def assemble(self, u, b):
        """A and b of the time step that begins with the temperature u"""
        self.da.globalToLocal(u, self.local)
        padded = np.pad(self.local.getArray(readonly=True).reshape(self.ghosted), 1)
        here = self.shifted(padded, 0, 0)
        left, right, down, up = (self.ratio * (1 + (here + self.shifted(padded, *step)) / 2) for step in NEIGHBOURS)
        rhs = here.copy()
        if self.x == 0:  # the side x = 0 is half a cell away
            left[:, 0] = 2 * self.ratio * (1 + here[:, 0] / 2)
        if self.x + self.own[1] == self.n:
            right[:, -1] = 2 * self.ratio * (1 + (here[:, -1] + 1) / 2)
            rhs[:, -1] += right[:, -1]
        if self.y == 0:
            down[0, :] = 0
        if self.y + self.own[0] == self.n:
            up[-1, :] = 0
        diagonal = 1 + left + right + down + up
        self.A.setValuesCOO(np.concatenate([part.ravel() for part in (diagonal, -left, -right, -down, -up)]))
        b.setArray(rhs.ravel())

    def steady(self):
        """The steady temperature in this process's cells"""
        x = (self.x + np.arange(self.own[1]) + 0.5) / self.n
        return np.tile(np.sqrt(1 + 3 * x) - 1, self.own[0])


def main():
    options = PETSc.Options()
    plate = Plate(options.getInt("plate_n", 100), options.getReal("plate_dt", 1.0))
    steps = options.getInt("plate_steps", 50)
    for name, value in DEFAULTS.items():
        if name not in options:
            options[name] = value
    ksp = PETSc.KSP().create()
    ksp.setFromOptions()

    u, b = plate.da.createGlobalVec(), plate.da.createGlobalVec()
    for step in range(1, steps + 1):
        before = u.copy()
        plate.assemble(u, b)
        ksp.setOperators(plate.A)
        ksp.solve(b, u)
        if ksp.reason < 0:
            raise SystemExit(f"step {step}: {ksp.getConvergedReason()}; -ksp_error_if_not_converged says more")
        before.axpy(-1, u)
        change = before.norm(PETSc.NormType.INFINITY)
        PETSc.Sys.Print(f"step {step:3d}  iterations {ksp.its:4d}  change {change:.2e}")
        if change < 1e-9:
            break
    b.setArray(plate.steady())
    b.axpy(-1, u)
    PETSc.Sys.Print(f"largest error of the steady temperature: {b.norm(PETSc.NormType.INFINITY):.2e}")


main()
