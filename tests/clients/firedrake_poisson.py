"""poisson.py's equation by Firedrake; PETSc's options choose the solver."""
import firedrake as fd

mesh = fd.UnitSquareMesh(128, 128)
space = fd.FunctionSpace(mesh, "Lagrange", 2)
u, v, x = fd.TrialFunction(space), fd.TestFunction(space), fd.SpatialCoordinate(mesh)
source = 10 * fd.exp(-((x[0] - 0.5) ** 2 + (x[1] - 0.5) ** 2) / 0.02)
fd.solve(fd.inner(fd.grad(u), fd.grad(v)) * fd.dx == source * v * fd.dx, fd.Function(space), bcs=fd.DirichletBC(space, 0, (1, 2)),
         options_prefix="", solver_parameters={"pc_type": "ilu", "ksp_rtol": 1e-8})
