#!/usr/bin/env python3
"""Programs of PETSc's users, unmodified, with PETSc's own factorization and with SyncFree:  make clients [CLIENTS="NAME..."]

Options reach them in PETSC_OPTIONS, those of OpenFOAM in its fvSolution.  Debian's packages run with Debian's PETSc, for which a plugin is
built.  SYNCFREE_VENV names a Python environment in which dolfinx-solver-real and the wheel petsc-syncfree are installed (conf/packaging),
SYNCFREE_FIREDRAKE one with firedrake and this wheel, SYNCFREE_PETSC4FOAM the folder of a libpetscFoam.so for Debian's OpenFOAM.  Counts are
left for records.py in build/clients.csv.
"""
import csv
import os
import re
import subprocess
import sys
from collections import namedtuple

from report import TESTS, Report

DEALII = "/usr/share/doc/libdeal.ii-doc/examples"
SLEPC = "/usr/share/slepc/*/share/slepc/examples/src/eps/tutorials"
PETSC4PY = "/usr/share/doc/python-petsc4py-doc/examples/demo"
FOLDER = os.path.abspath(f"{TESTS}/clients")
CAVITY = "/usr/share/doc/openfoam-examples/examples/incompressible/icoFoam/cavity/cavity"
PETSC4FOAM = os.environ.get("SYNCFREE_PETSC4FOAM", "")
HEAD = ["client", "version", "petsc", "program", "processes", "factor", "solves", "own", "syncfree"]
SOLVE = r"Linear +(?:\S+ )?solve (?:converged|did not converge) due to \w+ iterations (\d+)"
# Debian's compilers and mpiexec, not those of the makefile's PETSc
ENVIRONMENT = {**{name: value for name, value in os.environ.items() if name not in ("PETSC_DIR", "PETSC_ARCH", "MAKEFLAGS", "MFLAGS")},
               "PATH": "/usr/bin:/bin:" + os.environ["PATH"], "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
               "WM_PROJECT_DIR": "/usr/share/openfoam"}

# name; its Debian packages, the first of which gives the version; what makes the program, and of what; what that solves; arguments;
# processes; factor; its own options and SyncFree's
Client = namedtuple("Client", "name packages make source what arguments ranks factor own ours")


def run(command, limit=1800, folder=None, **environment):
    """(status, output)"""
    result = subprocess.run(["timeout", str(limit), *command], capture_output=True, text=True, errors="replace", check=False, cwd=folder,
                            env={**ENVIRONMENT, **environment})
    return result.returncode, result.stdout + result.stderr


def must(command, **options):
    status, output = run(command, **options)
    if status:
        raise RuntimeError(f"{' '.join(command)}: status {status}\n{output}")
    return output


# ---------------------------------------------------- programs ----------------------------------------------------
def dealii(step):
    folder = f"{FOLDER}/{step}"
    must(["cmake", "-DCMAKE_BUILD_TYPE=Release", "-S", f"{DEALII}/{step}", "-B", folder])
    must(["make", "-C", folder])
    return [f"{folder}/{step}"]


def slepc(name):
    flags = must(["pkg-config", "--cflags", "--libs", "slepc", "petsc"])
    must(["sh", "-c", f"mpicc -o {FOLDER}/{name} {SLEPC}/{name}.c {flags.strip()} -lm"])
    return [f"{FOLDER}/{name}"]


def debian_python(path):
    return ["/usr/bin/python3", os.path.abspath(path)]


class Venv(namedtuple("Venv", "variable version")):
    """A Python environment with petsc-syncfree and a package: the variable that names its folder, and what prints the package's version"""
    @property
    def python(self):
        return f"{os.environ[self.variable]}/bin/python3" if self.variable in os.environ else ""

    def __call__(self, path):
        return [self.python, os.path.abspath(path)]

    def ask(self, *arguments):
        return must([self.python, *arguments], PYTHONWARNINGS="ignore").strip()

    def plugin(self):
        petsc = "import mpi4py.MPI, petsc4py.PETSc as p; print(*p.Sys.getVersion(), sep='.')"
        return self.ask("-m", "syncfree"), self.ask("-c", petsc)


def openfoam(name):
    """Two cases of the same flow: with the solvers of examples/openfoam, and with PETSc's own factorizations in their place"""
    with open("examples/openfoam/fvSolution", encoding="utf-8") as file:
        solvers = file.read()
    for which, text in ("ours", solvers), ("own", re.sub(r"pc_type +syncfree;\s+pc_syncfree_factor( +\w+;)", r"pc_type \1", solvers)):
        case = f"{FOLDER}/{name}-{which}"
        must(["rm", "-rf", case])
        must(["cp", "-r", CAVITY, case])
        must(["sh", "-c", "gunzip -f */*.gz || true; echo 'libs (petscFoam);' >>system/controlDict"], folder=case)
        with open(f"{case}/system/fvSolution", "w", encoding="utf-8") as file:
            file.write(text)
        must(["blockMesh"], folder=case)
    return ["icoFoam"]


def factors(factor, prefix=""):
    return f"-{prefix}pc_type {factor}", f"-{prefix}pc_type syncfree -{prefix}pc_syncfree_factor {factor}"


SHIFT = "-m 30 -n 30 -eps_nev 4 -eps_target 0.5 -st_type sinvert -st_ksp_type gmres -st_ksp_gmres_restart 200 -st_ksp_rtol 1e-10"
DAVIDSON = "-m 30 -n 30 -eps_nev 4 -eps_type jd -eps_smallest_magnitude -st_ksp_type gmres"
OF_DEALII, OF_SLEPC = ("libdeal.ii-dev", "libdeal.ii-doc", "cmake"), ("slepc-dev", "libslepc3.18-dev-examples")
OF_PETSC4PY, OF_FENICSX = ("python3-petsc4py", "python-petsc4py-doc"), ("python3-dolfinx-real",)
DOLFINX = Venv("SYNCFREE_VENV", "import mpi4py.MPI, dolfinx; print(dolfinx.__version__)")
FIREDRAKE = Venv("SYNCFREE_FIREDRAKE", "import importlib.metadata; print(importlib.metadata.version('firedrake'))")
CLIENTS = [
    Client("deal.II", OF_DEALII, dealii, "step-17", "elasticity", "", 1, "ilu", "", "-pc_type syncfree"),
    Client("deal.II", OF_DEALII, dealii, "step-40", "adaptive", "", 1, "ilu", "-pc_type bjacobi", "-pc_type syncfree"),
    Client("deal.II", OF_DEALII, dealii, "step-17", "elasticity", "", 2, "ilu", "", "-pc_type syncfree"),
    Client("SLEPc", OF_SLEPC, slepc, "ex2", "shift and invert", SHIFT, 1, "ilu", *factors("ilu", "st_")),
    Client("SLEPc", OF_SLEPC, slepc, "ex2", "Jacobi-Davidson", DAVIDSON, 1, "icc", *factors("icc", "st_")),
    Client("petsc4py", OF_PETSC4PY, debian_python, f"{PETSC4PY}/bratu3d/bratu3d.py", "nonlinear", "-N 24", 1, "ilu", *factors("ilu")),
    *(Client("OpenFOAM", ("openfoam", "openfoam-examples"), openfoam, "cavity", field, "", 1, factor, "", "")
      for field, factor in (("p", "icc"), ("U", "ilu"))),
    *(Client(name, packages, make, f"tests/clients/{program}", "quadratic elements", f"-ksp_type {ksp}", 1, factor, *factors(factor))
      for name, packages, make, program in (("FEniCSx", OF_FENICSX, debian_python, "poisson.py"), ("FEniCSx", (), DOLFINX, "poisson.py"),
                                            ("Firedrake", (), FIREDRAKE, "firedrake_poisson.py"))
      for ksp, factor in (("gmres", "ilu"), ("cg", "icc")))
]


# ------------------------------------------------------ runs ------------------------------------------------------
def missing(client):
    """Why a client cannot run here"""
    if isinstance(client.make, Venv):
        return "" if client.make.python else f"{client.make.variable} names no Python environment with its wheel and petsc-syncfree"
    if client.make is openfoam and not PETSC4FOAM:
        return "SYNCFREE_PETSC4FOAM names no folder of libpetscFoam.so"
    absent = [name for name in client.packages if not installed(name)]
    return f"these packages are missing: {' '.join(absent)}" if absent else ""


def installed(package):
    """Its version without Debian's part, or nothing"""
    status, output = run(["dpkg-query", "-W", "-f", "${db:Status-Abbrev} ${Version}", package])
    match = re.match(r"ii +(?:\d+:)?([0-9.]+)", output)
    return match[1] if not status and match else ""


def debian_plugin():
    """(options, release) of Debian's PETSc"""
    prefix = must(["pkg-config", "--variable=prefix", "petsc"]).strip()
    must(["make", "-s", f"BUILD={FOLDER}/plugin", "all"], PETSC_DIR=prefix, PETSC_ARCH="", SYNCFREE_PYTHON=sys.executable,
         SYNCFREE_CUDA="0")
    return f"-dll_append {FOLDER}/plugin/lib/libpetscsyncfree.so", must(["pkg-config", "--modversion", "petsc"]).strip()


def version(client):
    if isinstance(client.make, Venv):
        return client.make.ask("-c", client.make.version)
    return installed(client.packages[0])


def counts(client, program, which, options=""):
    """(iterations of each solve, output)"""
    if client.make is openfoam:
        solve = rf"Solving for {client.what}[xy]?, .*No Iterations (\d+)"
        status, output = run(program, folder=f"{FOLDER}/{client.source}-{which}", PETSC_OPTIONS=options, LD_LIBRARY_PATH=PETSC4FOAM)
    else:
        solve = SOLVE
        launch = ["mpiexec", "-n", str(client.ranks)] if client.ranks > 1 else []
        options += f" -{'st_' if client.make is slepc else ''}ksp_converged_reason {getattr(client, which)}"
        status, output = run([*launch, *program, *client.arguments.split()], folder=FOLDER, PETSC_OPTIONS=options)
    return ([] if status else [int(n) for n in re.findall(solve, output)]), output


def alike(own, ours, ranks):
    """Sums of several processes come in any order, and solves of a thousand iterations end where rounding lets them"""
    return own and len(own) == len(ours) and all(abs(a - b) <= (0.1 * a if a > 1000 else ranks > 1) for a, b in zip(own, ours))


def judge(report, client, plugin, release, program):
    """The row of a client"""
    own, petsc = counts(client, program, "own")
    ours, output = counts(client, program, "ours", plugin)
    name = f"{os.path.basename(client.source)}, {client.what}"
    good = alike(own, ours, client.ranks)
    report.case(f"{client.name} {name}, {client.factor}, {client.ranks} processes", good, f"PETSc's own: {own}\nsyncfree: {ours}\n"
                + ("" if own else petsc) + ("" if ours else output))
    return dict(zip(HEAD, (client.name, version(client), release, name, client.ranks, client.factor, len(own),
                           sum(own), sum(ours))))


def main():
    report, rows, plugins, programs = Report("clients"), [], {}, {}
    os.makedirs(FOLDER, exist_ok=True)
    for client in [client for client in CLIENTS if client.name in (sys.argv[1:] or [client.name])]:
        why = missing(client)
        if why:
            report.skip(f"{client.name}, {client.source}: {why}")
            continue
        find = client.make.plugin if isinstance(client.make, Venv) else debian_plugin
        key = client.make, client.source
        try:
            plugins[find] = plugins.get(find) or find()
            programs[key] = programs.get(key) or client.make(client.source)
            rows.append(judge(report, client, *plugins[find], programs[key]))
        except RuntimeError as error:
            report.case(f"{client.name}, {client.source}", False, str(error))
    with open(os.path.join(os.path.dirname(TESTS), "clients.csv"), "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, HEAD, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    report.finish()


if __name__ == "__main__":
    main()
