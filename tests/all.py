#!/usr/bin/env python3
"""Runs the groups of tests named on the command line, or all, and adds up what they counted.

The programs and scripts end in "name: N passed, N failed, N skipped".  One that crashes or runs out of time counts as a failure.
The last line here is the sum, and the exit status is 1 if anything failed.
"""
import io
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from report import LAST_LINE, TESTS

PYTHON = sys.executable
TIMEOUT = int(os.environ.get("SYNCFREE_TEST_TIMEOUT", "1500"))  # seconds for one program; a hang is a failure too

# The makefile names the programs that it builds.
KERNEL_TESTS = os.environ["SYNCFREE_KERNEL_TESTS"].split()
SIMT_TESTS = os.environ["SYNCFREE_SIMT_TESTS"].split()  # none without Boost.Context
ARGUMENTS = {"files": ["--quick", "2d9:40x30", "3d7:12x11x10", "3d27:9x8x7", "2d5:20x20,dof=3", "kron:9,ef=3"]}
PARTS = 17  # of the campaign, for the time limit
SIZES = ("64", "40", "64", "48")  # of its matrices, in turn: warps, chunks and strides end in other places
STEPS = "500000"  # of a case: one in ten takes more, and these would take half of the time
LONG = ("sweeps", "memory", "factor", "histories")  # first, so that none is left alone at the end
ROWS = {"sweeps": "9", "accounts": "200", "block_pattern": "64", "columns": "160", "complex": "40", "complex_factor": "40", "factor": "60",
        "fill": "60", "histories": "72", "memory": "16", "pivots": "60", "ranges": "40", "reuse": "60", "shortage": "24",
        "streams": "80", "sweep_ranges": "40", "trials": "9"}


def campaign(k, *options):
    return [f"{TESTS}/simt/campaign", "--rows", SIZES[k % len(SIZES)], "--seeds", "1", "--steps", STEPS, *options]


SIMT = [["env", "SIMT_PATIENT=1", f"{TESTS}/simt/watchdog"]]  # only the kernels themselves see a deadlock
SIMT += [[f"{TESTS}/simt/{name}", "--quick", "--rows", ROWS.get(name, "1000")]
         for name in sorted(SIMT_TESTS, key=lambda name: name not in LONG) if name != "watchdog"]
SIMT += [campaign(k, "--part", f"{k}/{PARTS}") for k in range(PARTS)]
SIMT += [["env", f"SIMT_MODE={mode}", f"SIMT_SEED={seed}", f"{TESTS}/simt/concurrent", "--quick"]
         for mode, seed in (("weak", 2), ("pollers", 3), ("starve", 4))]
SIMT += [["env", "SIMT_MODE=weak", f"{TESTS}/simt/blocks", "--quick", "--rows", "20"]]
SIMT += [["env", "SIMT_DEVICES=0", f"{TESTS}/simt/{name}", "--quick", "--rows", "100"] for name in ("levels", "factor")]  # no GPU
LITMUS = ("litmus", "litmus_races", "litmus_streams", "litmus_memory", "litmus_graphs", "litmus_early")
SIMT += [[f"{TESTS}/simt/{name}"] for name in LITMUS]
SIMT += [[PYTHON, "tests/simt/mutants.py", "--check"]]
SIMT64 = f"{TESTS}/simt64"  # warps of 64 lanes in lockstep: a slice of the same
SIMT += [
    [f"{SIMT64}/litmus"],
    [f"{SIMT64}/litmus_races"],
    [f"{SIMT64}/campaign", "--rows", "80", "--seeds", "1", "--mode", "lockstep", "--part", "3/17"],
    [f"{SIMT64}/campaign", "--rows", "80", "--seeds", "1", "--mode", "weak", "--part", "5/29"],
    [f"{SIMT64}/levels", "--quick", "--rows", "1000"],
    [f"{SIMT64}/ways", "--quick", "--rows", "100"],
]

COMPARED = ("compare_petsc", "iterations", "fill", "fill_options", "factored", "block_types", "block_levels", "bad_matrices",
            "views_citations")

GROUPS = {
    "kernels": [[f"{TESTS}/kernels/{name}", *ARGUMENTS.get(name, [])] for name in KERNEL_TESTS],
    "simt": SIMT if SIMT_TESTS else [["echo", "simt: 0 passed, 0 failed, 1 skipped"]],
    "package": [["tests/package.sh"], ["tests/bench.sh"], [PYTHON, "tests/bench_tables.py"]],
    "device": [[PYTHON, "tests/device_header.py"]],
    "hip": [["tests/hip.sh"]],
    "petsc": [[PYTHON, "tests/petsc_tests.py"], ["tests/malformed.sh"], ["tests/solve.sh"]],
    "releases": [["tests/releases.sh", name] for name in ("petsc", "petsc64", "petsc-complex")],
    "debian": [[*script, name, *COMPARED] for script in (["tests/releases.sh"], ["tests/debian.sh", "trixie"])
               for name in ("petsc", "petsc-complex")],
    "tutorials": [[PYTHON, "tests/tutorials.py"]],
    "suite": [[PYTHON, "tests/petsc_suite.py", "--slice"]],
    "petsc4py": [[PYTHON, "tests/petsc4py_tests.py"]],
    "install": [["tests/install_test.sh"]],
    "fuzz": [["tests/fuzz.sh"]],
    "sanitize": [["tests/sanitize.sh"]],
    "lint": [["tests/lint.sh"]],
}


ALONE = ("kernels", "sanitize")  # their threads wait for each other, which takes long beside other programs


took, failures = [], []  # seconds and name of each program; and what failed, told again at the end


def run(command, out):
    """Passes the output on as it comes and returns the counts of its last line."""
    counts, start, name = None, time.time(), " ".join(command)
    limited = ["timeout", "-k", "10", str(TIMEOUT), *command]
    with subprocess.Popen(limited, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as process:
        for line in process.stdout:
            out.write("  " + line)
            out.flush()
            if line.lstrip().startswith("FAIL "):
                failures.append(f"{name}: {line.strip()}")
            match = LAST_LINE.match(line)
            if match:
                counts = [int(n) for n in match.groups()]
    if counts is None or (process.returncode != 0) != (counts[1] > 0):
        why = f"ran longer than {TIMEOUT} s" if process.returncode in (124, 137) else f"ended with status {process.returncode}"
        failures.append(f"FAIL {name} {why} after {time.time() - start:.0f} s")
        out.write(f"  {failures[-1]}\n")
        counts = counts or [0, 0, 0]
        counts[1] += 1
    took.append((time.time() - start, name))
    return counts


def add(total, counts):
    total[:] = [a + b for a, b in zip(total, counts)]


def run_groups(names):
    """One after the other, as some make files in the same folders, and the longest use all cores"""
    total, start = [0, 0, 0], time.time()
    for name in names:
        print(f"== {name} ({time.time() - start:.0f} s so far)", flush=True)
        for command in GROUPS[name]:
            add(total, run(command, sys.stdout))
    return total


def run_apart(command):
    out = io.StringIO()
    return run(command, out), out.getvalue()


def main():
    names = sys.argv[1:] or [name for name in GROUPS if name != "releases"]  # some of PETSc's own faults fail there
    unknown = [name for name in names if name not in GROUPS]
    if unknown:
        sys.exit(f"unknown group {unknown[0]}; there are: {' '.join(GROUPS)}")
    total = run_groups([name for name in names if name in ALONE])
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # the emulator's programs have one thread each: they fill idle cores
        others = pool.submit(run_groups, [name for name in names if name not in (*ALONE, "simt")])
        emulated = [pool.submit(run_apart, command) for command in GROUPS["simt"]] if "simt" in names else []
        add(total, others.result())
        if emulated:
            print("== simt", flush=True)
        for counts, text in (future.result() for future in emulated):
            sys.stdout.write(text)
            sys.stdout.flush()
            add(total, counts)
    print("longest programs:", *(f"  {seconds:.0f} s {name}" for seconds, name in sorted(took, reverse=True)[:12]), sep="\n")
    print(*failures, f"{total[0]} passed, {total[1]} failed" + (f", {total[2]} skipped" if total[2] else ""), sep="\n")
    sys.exit(1 if total[1] or not total[0] else 0)


if __name__ == "__main__":
    main()
