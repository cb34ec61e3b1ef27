#!/usr/bin/env python3
"""PETSc's tutorials, unmodified, with the plugin loaded: every solve must take as many iterations as with PETSc's own ilu or icc.

Each case runs a program twice on the same problem.  On a machine with a GPU a third run has its matrices and vectors there; the
reference is PETSc's factorization on the host in both cases.
"""
import concurrent.futures
import os
import re
import subprocess

from report import MPIEXEC, PLUGIN, TESTS, Report, have_gpu

GPU = {"mat": "-mat_type aijcusparse -vec_type cuda", "dm": "-dm_mat_type aijcusparse -dm_vec_type cuda"}

# name: program, arguments, which options choose the types
EX2 = ("ksp/ex2", "-m 23 -n 19", "mat")  # 2D Laplacian
EX23 = ("ksp/ex23", "-n 40", "mat")  # tridiagonal
EX45 = ("ksp/ex45", "-da_grid_x 9 -da_grid_y 7 -da_grid_z 5", "dm")  # 3D Laplacian with Dirichlet rows
BENCH = ("ksp/bench_kspsolve", "-n 10", "mat")  # 27 points, and known to be SPD
EX19 = ("snes/ex19", "-da_grid_x 9 -da_grid_y 9 -snes_max_it 6", "dm")  # driven cavity, 4 unknowns a point
EX1_PC, EX2_PC = ("pc/ex1", "", ""), ("pc/ex2", "", "")  # ask the factor for its pivots; on the host, whatever the options say
ALL = (EX2, EX23, EX45, BENCH, EX19)
SYMMETRIC = (EX2, EX23, BENCH)


def pair(kind, prefix=""):
    """Options that choose a factorization with the plugin, and those that choose PETSc's own."""
    return f"-{prefix}pc_type syncfree -{prefix}pc_syncfree_factor {kind}", f"-{prefix}pc_type {kind}"


def cases():
    """(name, program, options with the plugin, options with PETSc's own, processes)"""
    def add(name, program, kind, extra="", prefix="", both="", ranks=1):
        ours, theirs = pair(kind, prefix)
        return (f"{name}, {kind}, {program[0]}", program, f"{both} {ours} {extra}", f"{both} {theirs} {extra}", ranks)

    for program in ALL:
        yield add("natural ordering", program, "ilu")
        for ordering in ("rcm", "nd", "qmd"):
            yield add(ordering, program, "ilu", f"-pc_factor_mat_ordering_type {ordering}")
        yield add("transposes (bicg)", program, "ilu", "-ksp_type bicg")
        along = "-pc_factor_nonzeros_along_diagonal -pc_factor_mat_ordering_type rcm"
        yield add("nonzeros along the diagonal", program, "ilu", along)
        alone = "-pc_type ilu -pc_factor_mat_solver_type syncfree"
        yield (f"MatSolver alone, ilu, {program[0]}", program, alone, "-pc_type ilu", 1)
        for outer in ("bjacobi", "asm"):
            yield add(f"{outer} on 2 processes", program, "ilu", prefix="sub_", both=f"-pc_type {outer}", ranks=2)
        yield add("bjacobi, 3 blocks", program, "ilu", prefix="sub_", both="-pc_type bjacobi -pc_bjacobi_blocks 3")
        yield (f"2 processes alone, ilu, {program[0]}", program, pair("ilu")[0], "-pc_type bjacobi -sub_pc_type ilu", 2)
    yield ("icc chosen for an SPD matrix, ksp/bench_kspsolve", BENCH, "-pc_type syncfree", "-pc_type icc", 1)
    yield ("ilu chosen for others, snes/ex19", EX19, "-pc_type syncfree", "-pc_type ilu", 1)
    for program in SYMMETRIC:
        yield add("natural ordering", program, "icc", "-ksp_type cg")
        for ordering in ("rcm", "nd"):
            yield add(ordering, program, "icc", f"-ksp_type cg -pc_factor_mat_ordering_type {ordering}")
        yield add("symmetric side", program, "icc", "-ksp_type gmres -ksp_pc_side symmetric")
        yield add("transposes (bicg)", program, "icc", "-ksp_type bicg")
        yield add("bjacobi on 2 processes", program, "icc", prefix="sub_", both="-pc_type bjacobi -ksp_type cg", ranks=2)
        yield add("asm on 2 processes", program, "icc", prefix="sub_", both="-pc_type asm", ranks=2)
        alone = "-pc_type icc -pc_factor_mat_solver_type syncfree"
        yield (f"MatSolver alone, icc, {program[0]}", program, alone, "-pc_type icc", 1)
    for program in (EX1_PC, EX2_PC):
        for kind in ("ilu", "icc"):
            for shift in ("none", "positive_definite"):
                yield add(f"pivots, shift {shift}", program, kind, f"-pc_factor_shift_type {shift}")
            alone = f"-pc_type {kind} -pc_factor_mat_solver_type syncfree"
            yield (f"pivots, MatSolver alone, {kind}, {program[0]}", program, alone, f"-pc_type {kind}", 1)
    # a large tolerance forces shifts on matrices that need none
    for kind in ("ilu", "icc"):
        for program in (EX2, EX45, BENCH) if kind == "ilu" else (EX2, BENCH):
            for shift, amount, zeropivot in (("positive_definite", 0, 1.3), ("nonzero", 0.1, 1.3), ("inblocks", 0.7, 3.5)):
                options = f"-pc_factor_shift_type {shift} -pc_factor_zeropivot {zeropivot}"
                yield add(f"shift {shift}", program, kind, options + (f" -pc_factor_shift_amount {amount}" if amount else ""))
    multigrid = "-pc_type mg -pc_mg_levels 2 -mg_levels_ksp_type richardson"
    yield add("multigrid smoother", EX45, "ilu", prefix="mg_levels_", both=multigrid)
    yield add("multigrid smoother", EX19, "ilu", prefix="mg_levels_", both=multigrid)
    fields = ("x_velocity", "y_velocity", "Omega", "temperature")
    ours, theirs = (" ".join(f"-fieldsplit_{field}_pc_type {pc}" for field in fields) for pc in ("syncfree", "ilu"))
    yield ("fieldsplit, ilu, snes/ex19", EX19, "-pc_type fieldsplit " + ours, "-pc_type fieldsplit " + theirs, 1)


def run(program, options, ranks):
    """Output of a run, reasons and numbers of iterations of its outer and inner solves, exit status, and leaks."""
    options += " -ksp_converged_reason -malloc_dump -use_gpu_aware_mpi 0"
    command = [f"{TESTS}/tutorials/{program}", *options.split()]
    if program.startswith("snes"):
        command.append("-snes_converged_reason")
    if ranks > 1:
        command = [*MPIEXEC, "-n", str(ranks), *command]
    result = subprocess.run(["timeout", "120", *command], capture_output=True, text=True, errors="replace", check=False)
    output = result.stdout + result.stderr
    solves = re.findall(r"(\w+ solve.*?due to \w+.*?iterations \d+)", output)
    if program.startswith("pc"):
        solves = result.stdout.splitlines()  # with the pivots
    leaks = re.findall(r"^\[ ?\d+\] ?\d+ bytes.*$", output, re.M)
    return output, solves, result.returncode, leaks


def judge(case, gpu):
    """[(name, good, details)] of a case on the host and, if there is one, on the GPU"""
    name, (program, arguments, kind), ours, theirs, ranks = case
    output, reference, code, _ = run(program, f"{arguments} {theirs}", ranks)
    if code or not reference:
        return [(name, False, f"PETSc's own run failed, status {code}: {program} {arguments} {theirs}\n{output}")]
    verdicts = []
    for place, more in [("", ""), *([("GPU: ", GPU[kind])] if gpu and kind else [])]:
        options = f"-dll_append {PLUGIN} {arguments} {ours} {more}"
        output, solves, code, leaks = run(program, options, ranks)
        details = [f"{program} {options}", f"status {code}, {solves[:6]}", f"PETSc: {theirs}", f"{reference[:6]}", *leaks]
        good = not code and solves == reference and not leaks
        verdicts.append((place + name, good, "\n".join(details) + (output if code else "")))
    return verdicts


def main():
    report = Report("tutorials")
    if not os.path.isdir(f"{TESTS}/tutorials"):
        report.skip("PETSc was installed without its tutorials")
        report.finish()
    gpu, todo = have_gpu(), list(cases())
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for verdicts in pool.map(lambda case: judge(case, gpu), todo):
            for verdict in verdicts:
                report.case(*verdict)
    if not gpu:
        count = sum(program[2] in GPU for _, program, *_ in todo)
        report.skip(f"the same {count} with matrices and vectors on a GPU: there is none", count)
    report.finish()


main()
