#!/usr/bin/env python3
"""examples/plate.py and the lines of doc/using/python.md, with the petsc4py that conf/bootstrap built against the PETSc in use."""
import os
import re
import subprocess
import tempfile

from report import MPIEXEC, PLUGIN, Report, have_gpu

PETSC4PY = os.environ.get("SYNCFREE_PETSC4PY", "")
SMALL = "-plate_n 24 -plate_steps 30"
SOLVE = """
A = PETSc.Mat().createAIJ([9, 9], nnz=1)
for i in range(9):
    A.setValue(i, i, 2)
A.assemble()
x, b = A.createVecs()
b.set(6)
ksp.setOperators(A)
ksp.solve(b, x)
ksp.view()
print("sum", round(x.sum(), 9))
"""
GPU = "-dm_mat_type aijcusparse -dm_vec_type cuda"


def python(arguments, processes=1):
    """(status, output)"""
    command = [*MPIEXEC, "-n", str(processes), PETSC4PY, *arguments]
    environment = dict(os.environ, SYNCFREE_LIB=PLUGIN, OPENBLAS_NUM_THREADS="1")
    result = subprocess.run(["timeout", "120", *command], capture_output=True, text=True, errors="replace", env=environment, check=False)
    return result.returncode, result.stdout + result.stderr


def plate(options, processes=1):
    """(status, iterations of the steps, error, output)"""
    status, output = python(["examples/plate.py", *f"{SMALL} -use_gpu_aware_mpi 0 {options}".split()], processes)
    error = re.search(r"largest error of the steady temperature: (\S+)", output)
    return status, re.findall(r"iterations +(\d+)", output), float(error[1]) if error else float("nan"), output


def iterations_of_petsc(report, name, ours, theirs, processes=1):
    status, iterations, error, output = plate(ours, processes)
    _, reference, _, petsc = plate(theirs, processes)
    good = status == 0 and error < 1e-8 and iterations == reference and len(iterations) > 3
    report.case(name, good, f"status {status}, error {error}, iterations {iterations}\n{output}PETSc: {reference}\n{petsc}")


def test_plate(report):
    iterations_of_petsc(report, "plate, icc", "", "-pc_type icc")
    iterations_of_petsc(report, "plate, ilu", "-pc_syncfree_factor ilu -ksp_type bcgs", "-pc_type ilu -ksp_type bcgs")
    iterations_of_petsc(report, "plate on 2 processes", "", "-pc_type bjacobi -sub_pc_type icc", processes=2)
    if have_gpu():
        iterations_of_petsc(report, "plate on a GPU", GPU, "-pc_type icc")
    else:
        report.skip("plate on a GPU: there is none")
    _, _, _, output = plate("-ksp_view -plate_steps 1")
    report.case("plate's PC", "type: syncfree" in output, output)


def test_page(report):
    with open("doc/using/python.md", encoding="utf-8") as page:
        lines = re.search(r"(?s)```python\n(.*?)```", page.read())[1]
    program = f"plugin = {PLUGIN!r}\n" + lines + SOLVE
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(program)
        file.flush()
        status, output = python([file.name])
    report.case("lines of doc/using/python.md", status == 0 and "type: syncfree" in output and "sum 27.0" in output, program + output)


def main():
    report = Report("petsc4py")
    if not os.access(PETSC4PY, os.X_OK):
        report.skip("petsc4py was not built against this PETSc; make petsc4py tries to, and says why it cannot")
        report.finish()
    test_plate(report)
    test_page(report)
    report.finish()


if __name__ == "__main__":
    main()
