#!/usr/bin/env python3
"""Runs the scripts that PETSc's gmakegentest.py made of the TEST blocks in tests/petsc and examples, or of the programs that are named, and
counts their lines of TAP.

PETSc's `requires: cuda` asks how PETSc was built, not for a GPU.  So tests whose suffix begins with gpu are skipped here if there is
none, and those whose suffix begins with cuda if the plugin was built without CUDA.  A failure that older_petsc.txt explains by the release
of PETSc, or by its scalars, counts as skipped, and so does a program none of whose tests PETSc can run.
"""
import concurrent.futures
import fnmatch
import glob
import itertools
import os
import re
import subprocess
import sys
import tempfile

from report import TESTS, Report, have_gpu


# MPICH: processes that wait give their processor away; on two processors four processes take a tenth of the time
os.environ.update(MPIR_CVAR_CH4_PROGRESS_THROTTLE="1", MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT="10")


GREEDY = ("runscarce_gpu",)  # they leave others no memory on the GPU


def release(version):
    return [int(n) for n in version.split(".")[:2]]


def explained(petsc, scalars):
    """{test: reason} of this release and these scalars; a test is a pattern, of its name with the values that it loops over or without"""
    with open("tests/petsc/older_petsc.txt", encoding="utf-8") as file:
        rows = [line.split(None, 2) for line in file if not line.startswith("#")]
    return {test: reason.strip() for test, last, reason in rows if last == scalars or last != "complex" and release(petsc) <= release(last)}


def reason_of(test):
    names = test, test.partition("+")[0]
    return next((reason for pattern, reason in REASONS.items() if any(fnmatch.fnmatchcase(name, pattern) for name in names)), None)


REASONS = explained(os.environ["SYNCFREE_PETSC"], os.environ["SYNCFREE_SCALARS"])


def run(script):
    # Open MPI: the first mpiexec of several at a time makes a folder for all, which the last removes while others begin
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(["bash", script], capture_output=True, text=True, errors="replace", check=False,
                                env={**os.environ, "TMPDIR": folder})
    return result.stdout + result.stderr


def main():
    report = Report("petsc")
    names = [f"petsc/run{name}" for name in sys.argv[1:]] or ["petsc/run", "examples/run"]
    scripts = sorted({script for name in names for script in glob.glob(f"{TESTS}/{name}*.sh")})  # some names begin with another
    if not os.path.getsize(f"{TESTS}/petsc/testfiles"):
        report.skip("programs with TEST blocks: this PETSc was installed without its gmakegentest.py")
    elif not glob.glob(f"{TESTS}/petsc/run*.sh"):
        report.case("programs with TEST blocks", False, "gmakegentest.py made no scripts of them")
    else:
        for name in sys.argv[1:] or [os.path.basename(path)[:-2] for path in sorted(glob.glob("tests/petsc/*.c"))]:
            if not glob.glob(f"{TESTS}/petsc/run{name}_*.sh"):
                report.skip(f"{name}: this PETSc lacks what its tests require")
    gpu = have_gpu()
    runnable = []
    for script in scripts:
        name = os.path.basename(script)[3:-3]
        if "_gpu" in name and not gpu:
            report.skip(f"{name}: there is no GPU")
        elif "_cuda" in name and not os.environ.get("SYNCFREE_CUDA_BUILD"):
            report.skip(f"{name}: the plugin was built without CUDA")
        else:
            runnable.append(script)
    alone = [script for script in runnable if os.path.basename(script).startswith(GREEDY)]
    together = [script for script in runnable if script not in alone]
    with concurrent.futures.ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        for script, output in zip(together + alone, itertools.chain(pool.map(run, together), map(run, alone))):
            count(report, os.path.basename(script), output)
    report.finish()


def count(report, script, output):
    lines = [line.strip() for line in output.splitlines()]
    tap = [k for k, line in enumerate(lines) if line.startswith(("ok ", "not ok "))]
    if not tap:
        report.case(script, False, "no test was run\n" + output)
    for k, end in zip(tap, tap[1:] + [len(lines)]):
        if "# SKIP" in lines[k] and "Command failed" not in lines[k]:
            report.skip(lines[k][3:])
        elif (failed := re.match(r"not ok (?:diff-)?\.-(\S+)", lines[k])) and (reason := reason_of(failed[1])):
            report.skip(f"{failed[1]}: {reason}")
        elif "Command failed" not in lines[k]:  # that run has been counted
            report.case(lines[k].partition("ok ")[2].lstrip(".-"), lines[k].startswith("ok "), "\n".join(lines[k + 1:end]))


main()
