"""Poisson's equation on a square with quadratic elements, by DOLFINx; PETSc's options choose the solver."""
import sys

import petsc4py
from mpi4py import MPI  # first: in a wheel PETSc finds its MPI by it

petsc4py.init(sys.argv)
import dolfinx.fem.petsc  # noqa: E402
import numpy  # noqa: E402
import ufl  # noqa: E402
from petsc4py import PETSc  # noqa: E402

mesh = dolfinx.mesh.create_unit_square(MPI.COMM_WORLD, 128, 128)
space = getattr(dolfinx.fem, "functionspace", dolfinx.fem.FunctionSpace)(mesh, ("Lagrange", 2))
u, v, x = ufl.TrialFunction(space), ufl.TestFunction(space), ufl.SpatialCoordinate(mesh)
source = 10 * ufl.exp(-((x[0] - 0.5) ** 2 + (x[1] - 0.5) ** 2) / 0.02)
sides = dolfinx.mesh.locate_entities_boundary(mesh, 1, lambda x: numpy.isclose(x[0], 0) | numpy.isclose(x[0], 1))
fixed = dolfinx.fem.dirichletbc(PETSc.ScalarType(0), dolfinx.fem.locate_dofs_topological(space, 1, sides), space)
a, L = dolfinx.fem.form(ufl.inner(ufl.grad(u), ufl.grad(v)) * ufl.dx), dolfinx.fem.form(source * v * ufl.dx)

A, b = dolfinx.fem.petsc.assemble_matrix(a, bcs=[fixed]), dolfinx.fem.petsc.assemble_vector(L)
A.assemble()
dolfinx.fem.petsc.apply_lifting(b, [a], bcs=[[fixed]])
b.ghostUpdate(addv=PETSc.InsertMode.ADD, mode=PETSc.ScatterMode.REVERSE)
dolfinx.fem.petsc.set_bc(b, [fixed])
ksp = PETSc.KSP().create(mesh.comm)
ksp.setOperators(A)
ksp.setTolerances(rtol=1e-8)
ksp.setFromOptions()
ksp.solve(b, A.createVecRight())
