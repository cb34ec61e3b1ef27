#!/usr/bin/env python3
"""Stands in the place of mpiexec in the scripts of PETSc's test harness:  launch.py -n PROCESSES PROGRAM ARGUMENT...

Runs the program with PETSc's own factorizations and prints what that printed, so that the script goes on as always.  If the program made
incomplete factorizations, as factors.c tells, it is run again with SyncFree in each of its faces, and the outputs are compared:

  solver  -PREFIXpc_factor_mat_solver_type syncfree for each of these PCs, and -PREFIXpc_type KIND where PETSc ignores the former alone
  pc      -PREFIXpc_type syncfree -PREFIXpc_syncfree_factor KIND
  matrix  for programs that call MatGetFactor() themselves, which get the solver type syncfree

A line of JSON for each run of the program goes to the file SUITE_RECORD.  SUITE_OPTIONS are given in all of the runs.  SUITE_EXPECTED is
the output that PETSc's own test wants: where the outputs differ, the record tells which of them is like it.
"""
import glob
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import time
import zlib
from collections import namedtuple

from compare import ALIKE, SHOWN, compare

MOST = 4  # processes
NO_GPU = 97  # PETSC_ERR_GPU
LIMIT = int(os.environ.get("SUITE_LIMIT", "60"))  # seconds for a run with PETSc's own factorizations
FIRST, OTHERS = 6, 8  # of a long loop of options: the first combinations, and one in so many of the others
RESULT = namedtuple("RESULT", "status output seconds factors calls solves vectors")
# PETSc's own factorizations and products, with sums of the same terms in another order: on a GPU, those of the host
OTHER_ORDER = ("-mat_no_inode -mat_type aij -vec_type standard -dm_mat_type aij -dm_vec_type standard"
               if "cusparse" in os.environ.get("SUITE_OPTIONS", "") else "-mat_no_inode").split()
OWN = ("petsc", "cusparse", "-")  # solver types that are replaced; "-" is not decided, as for factors in place
MPIEXEC = os.environ.get("MPIEXEC", "mpiexec").split()
LOAD = " -dll_append " + os.environ["SYNCFREE_LIB"]


def read_log(name):
    """(PCs as (kind, prefix, matrix type, solver type), calls of MatGetFactor(), [solves, iterations] of all processes, [matrix type of the
    GPU, vector type of the host])"""
    lines, solves = set(), [0, 0]
    if os.path.exists(name):
        with open(name) as file:
            for word, *values in map(str.split, file):
                if word == "KSP":
                    solves = [solves[0] + int(values[0]), solves[1] + int(values[1])]
                else:
                    lines.add((word, *values))
    factors, calls, vectors = ([line[1:] for line in sorted(lines) if line[0] == word] for word in ("PC", "MatGetFactor", "VECTORS"))
    return factors, calls, solves, vectors


def run(command, processes, limit=LIMIT, plugin=True, force=False):
    """Runs a program in a copy of this folder, so that it does not find its files of the last time."""
    folder = os.getcwd() + ".run"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(".", folder)
    log = folder + ".log"
    if os.path.exists(log):
        os.remove(log)
    preload = ["env", "LD_PRELOAD=" + os.environ["SUITE_PRELOAD"], "SUITE_LOG=" + log, *(["SUITE_FORCE=1"] if force else [])]
    many = [*MPIEXEC, "-n", str(processes)] if processes > 1 else []
    environment = dict(os.environ, PETSC_OPTIONS=os.environ["PETSC_OPTIONS"] + (LOAD if plugin else ""))
    environment.pop("MPIEXEC_TIMEOUT", None)
    start = time.time()
    result = subprocess.run(["timeout", "-k", "5", str(limit), *many, *preload, *command], cwd=folder, env=environment,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    seconds = time.time() - start
    return RESULT(result.returncode, result.stdout.decode(errors="replace"), round(seconds, 2), *read_log(log))


def replaceable(result, command):
    """{prefix: kind} of the PCs that were PETSc's own ilu or icc.  One for which the test asks for another type or package is left."""
    given = {option[1:-len("pc_type")]: kind for option, kind in zip(command, command[1:]) if re.fullmatch(r"-\w*pc_type", option)}
    found = {}
    for kind, prefix, _, solver in result.factors:
        prefix = "" if prefix == "-" else prefix
        if given.get(prefix, kind) in ("ilu", "icc") and solver in OWN:
            found.setdefault(prefix, kind)
    return found


def error_of(output):
    """The messages of a PETSc error, without what follows them"""
    lines = re.findall(r"^\[\d+\]PETSC ERROR: (?!--)(.*)$", output, re.M)
    return list(itertools.takewhile(lambda line: not re.match(r"WARNING!|See \S*/faq", line), lines))[:SHOWN]


def text_of(result):
    """What is compared: the output, or the messages of an error, since what follows them names lines of the source"""
    return "\n".join(error_of(result.output)) if "PETSC ERROR" in result.output else result.output


def as_expected(result):
    """Whether the output is what the test wants, or one of its alternatives; not for a test that filters its output"""
    wanted = os.environ.get("SUITE_EXPECTED", "")
    for name in [wanted, *glob.glob(wanted[:-len(".out")] + "_alt*.out")] if wanted else []:
        with open(name, errors="replace") as file:
            if compare(result.output, file.read())[0] in ALIKE:
                return True
    return False


def judge(reference, result, replaced, again):
    """(outcome, details) of a run with SyncFree; again() repeats PETSc's own run, with more options."""
    if result.status in (124, 137):
        return "time", []
    if bool(result.status) != bool(reference.status) or "PETSC ERROR" in result.output and "PETSC ERROR" not in reference.output:
        crashed = result.status > 128 or result.status < 0 or "Caught signal" in result.output
        return "crash" if crashed else "error", error_of(result.output) or result.output.splitlines()[-SHOWN:]
    if not replaced:
        return "unused", [" ".join(factor) for factor in result.factors]
    outcome, details = compare(text_of(reference), text_of(result))
    if outcome == "differs":
        if compare(text_of(reference), text_of(again()))[0] == "differs":
            outcome = "unstable"
        elif compare(text_of(reference), text_of(again(*OTHER_ORDER)))[0] == "differs":
            outcome = "sensitive"
    return outcome, details


def faces(command, processes, reference):
    """{face: {outcome, details, solves, seconds}}"""
    limit = LIMIT + 10 * int(reference.seconds)
    prefixes = replaceable(reference, command)

    def report(result, replaced):
        outcome, details = judge(reference, result, replaced, lambda *more: run([*command, *more], processes, limit, plugin=False))
        found = {"outcome": outcome, "details": details, "solves": result.solves, "seconds": result.seconds}
        return found if outcome in ALIKE else {**found, "expected": as_expected(result), "reference_expected": as_expected(reference)}

    def replaced(result):
        used = {"" if prefix == "-" else prefix for kind, prefix, _, solver in result.factors if "syncfree" in (kind, solver)}
        return used >= set(prefixes)

    found = {}
    if prefixes:
        solver = [word for prefix in prefixes for word in (f"-{prefix}pc_factor_mat_solver_type", "syncfree")]
        types = [word for prefix, kind in prefixes.items() for word in (f"-{prefix}pc_type", kind)]
        result = run(command + solver, processes, limit)
        typed = not replaced(result)
        if typed:
            result = run(command + types + solver, processes, limit)
        found["solver"] = {**report(result, replaced(result)), "typed": typed}
        own = [word for prefix, kind in prefixes.items()
               for word in (f"-{prefix}pc_type", "syncfree", f"-{prefix}pc_syncfree_factor", kind)]
        result = run(command + own, processes, limit)
        found["pc"] = report(result, replaced(result))
    if reference.calls:
        result = run(command, processes, limit, force=True)
        found["matrix"] = report(result, bool(result.calls))
    return found


def main():
    processes, program, arguments = int(sys.argv[2]), os.path.abspath(sys.argv[3]), sys.argv[4:]
    with open(os.environ["SUITE_RECORD"], "a+") as file:
        file.seek(0)
        number = len(file.readlines())
        record = {"combination": number, "processes": processes, "arguments": " ".join(arguments)}
        if processes > MOST:
            record["skip"] = f"more than {MOST} processes"
        elif number >= FIRST and zlib.crc32(record["arguments"].encode()) % OTHERS:
            record["skip"] = "long loop"
        else:
            command = [program, *os.environ.get("SUITE_OPTIONS", "").split(), *arguments]
            reference = run(command, processes, plugin=False)
            record.update(status=reference.status, seconds=reference.seconds, solves=reference.solves, factors=reference.factors,
                          calls=reference.calls, vectors=reference.vectors)
            if reference.status in (124, 137):
                record["skip"] = f"longer than {LIMIT} s with PETSc's own"
            elif reference.status == NO_GPU:
                record["skip"] = "no GPU"
            else:
                record["faces"] = faces(command, processes, reference)
            print(reference.output, end="")
        file.write(json.dumps(record) + "\n")
    sys.exit(bool(record.get("status")))  # not NO_GPU itself: the harness would try again


if __name__ == "__main__":
    main()
