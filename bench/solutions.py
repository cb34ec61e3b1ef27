#!/usr/bin/env python3
"""Times whole solves on a GPU, by several preconditioners and their options: set-up, refactorization, solve.

  solutions.py run CSV --bench PROGRAM --plugin LIBRARY --label MACHINE MATRIX...
  solutions.py draw CSV -o PICTURE.png

`run` starts bench_ksp for each matrix and each way to solve it, in a process of its own, in which a small grid comes first: starts of
libraries are left out.  The CSV file has bench_ksp's columns and `way`.  `draw` shows, for each matrix, the time of one solve with its
set-up, and of a hundred with new values each, refactorizations included.
"""
import argparse
import csv
import os
import subprocess
import sys
import tempfile

START = "3d7:10x10x10"
SHOWN = ("first_setup_ms", "refactor_us", "solve_ms", "iterations", "reason")
SMOOTHER = "-pc_gamg_reuse_interpolation 1 -mg_levels_ksp_type richardson -mg_levels_ksp_max_it 1"
# name, PC, options
WAYS = [
    ("ilu, cuSPARSE", "ilu", ""),
    ("syncfree", "syncfree", ""),
    ("syncfree, k = 1", "syncfree", "-pc_factor_levels 1"),
    ("syncfree, k = 2", "syncfree", "-pc_factor_levels 2"),
    ("syncfree, rcm", "syncfree", "-pc_factor_mat_ordering_type rcm"),
    ("syncfree, nd", "syncfree", "-pc_factor_mat_ordering_type nd"),
    ("jacobi", "jacobi", ""),
    ("gamg, jacobi", "gamg", "-pc_gamg_reuse_interpolation 1 -mg_levels_pc_type jacobi"),
    ("gamg, syncfree", "gamg", f"{SMOOTHER} -mg_levels_pc_type syncfree"),
]
SOLVERS = ["gmres", "bcgs", "pipebcgs", "tfqmr", "cgs", "bcgsl"]  # with syncfree, of the matrices that --solvers names


def solve(args, matrix, pc, options):
    """The row of bench_ksp, or None if it gave none"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.csv")
        command = [args.bench, START, matrix, "-dll_append", args.plugin, "-label", args.label, "-csv", path, "-pc_list", pc,
                   *f"-mat_type aijcusparse -use_gpu_aware_mpi 0 -solves 3 -repeat 11 -budget 0.2 -ksp_rtol 1e-8 {options}".split()]
        try:
            subprocess.run(command, timeout=args.limit, stdout=subprocess.DEVNULL, check=False)
        except subprocess.TimeoutExpired:
            return None
        if not os.path.exists(path):
            return None
        with open(path, newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["matrix"] != START]
    return rows[0] if rows else None


def run(args):
    writer = None
    with open(args.csv, "w", newline="") as file:
        for matrix in args.matrices:
            ways = WAYS if matrix not in args.solvers else WAYS + [(f"syncfree, {ksp}", "syncfree", f"-ksp_type {ksp}") for ksp in SOLVERS]
            for way, pc, options in ways:
                row = solve(args, matrix, pc, f"-ksp_type bcgs {options}")
                print(matrix, way, *(row[c] for c in SHOWN) if row else "no result", flush=True)
                if not row:
                    continue
                if not writer:
                    writer = csv.DictWriter(file, [*row, "way"])
                    writer.writeheader()
                writer.writerow({**row, "way": way})
                file.flush()


def total(row, count):
    """Milliseconds of so many solves with new values each"""
    setup, refactor, one = (float(row[c]) for c in ("first_setup_ms", "refactor_us", "solve_ms"))
    return setup + (count - 1) * refactor * 1e-3 + count * one


def draw(args):
    import matplotlib
    matplotlib.use("Agg")  # no display needed
    import matplotlib.pyplot as plt

    with open(args.csv, newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["reason"].startswith("CONVERGED") and row["way"] in [way for way, *_ in WAYS]]
    matrices = list(dict.fromkeys(row["matrix"] for row in rows))
    figure, axes = plt.subplots(2, 1, figsize=(11, 8), sharex=True)
    for axis, count in zip(axes, (1, 100)):
        for k, (way, *_) in enumerate(WAYS):
            found = {row["matrix"]: total(row, count) for row in rows if row["way"] == way}
            axis.bar([matrices.index(m) + (k - len(WAYS) / 2) * 0.09 for m in found], found.values(), 0.08, label=way, color=f"C{k}")
        axis.set(yscale="log", ylabel="ms", title="one solve and its set-up" if count == 1 else f"{count} solves with new values each")
        axis.grid(True, axis="y", linewidth=0.3)
    axes[1].set_xticks(range(len(matrices)), matrices)
    axes[0].legend(fontsize=8, ncols=3)
    figure.tight_layout()
    figure.savefig(args.output, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    of_run, of_draw = commands.add_parser("run"), commands.add_parser("draw")
    for command in (of_run, of_draw):
        command.add_argument("csv")
    for name in ("--bench", "--plugin", "--label"):
        of_run.add_argument(name, required=True)
    of_run.add_argument("--limit", type=float, default=120, help="seconds for a process")
    of_run.add_argument("--solvers", nargs="*", default=[], help="matrices that other Krylov methods solve, too")
    of_run.add_argument("matrices", nargs="+")
    of_draw.add_argument("-o", "--output", required=True)
    args = parser.parse_args()
    if args.command == "draw":
        draw(args)
    elif os.path.exists(args.csv):
        sys.exit(f"{args.csv} is there already")
    else:
        run(args)


if __name__ == "__main__":
    main()
