#!/usr/bin/env python3
"""Fills the tables of pages from the measurements in bench/results and bench/papers/results; needs nothing but Python.

  tables.py [--check]

A table stands between <!-- begin NAME --> and <!-- end NAME -->; TABLES says in which page, and by which function.  With --check nothing
is written, and a page whose table is another one is named, as an error.
"""
import argparse
import importlib
import math
import os
import re
import sys

from figures import PAPERS, ROOT, goals, in_order, least, plain_rows, reached, rows_of, short, shorts
from host_tables import host_applies, host_blocks, host_orders, host_setup
from results import Table, fill_tables, finite, geomean, markdown, papers, read

# ---- sweeps ----
def of_auto():
    return Table(rows_of("h100-auto.csv", "algorithm", "apply_us"))


def sweeps():
    table, goal = of_auto(), goals("apply_us")
    rows, ratios = [], {name: [] for name in ("levelorder", "auto")}
    for m in in_order(table.matrices):
        apply = {a: table.get(m, a, "apply_us") for a in ("cusparse", "levelorder", "auto")}
        for name, found in ratios.items():
            found.append(apply["cusparse"] / apply[name])
        levels = table.get(m, "auto", "levels_lower")
        rows.append([m, table.one(m, "rows"), f"{levels:.0f}", *shorts(*apply.values(), ratios["auto"][-1]),
                     *shorts(table.get(m, "auto", "lower_us") / levels, table.get(m, "auto", "floor_bandwidth_us")),
                     short(goal[m]) if m in goal else "", reached(apply["auto"] <= goal[m]) if m in goal else ""])
    for name, mean in ("geometric mean", geomean), ("least", least):
        value = mean(ratios["auto"])
        rows.append([f"{name}, times cuSPARSE", "", "", 1, *shorts(mean(ratios["levelorder"]), value, value), "", "", short(goal[name]),
                     reached(value >= goal[name])])
    return markdown(["matrix", "rows", "levels", "`cusparse`", "`levelorder`", "`auto`", "times `cusparse`", "us a level", "its bytes",
                     "goal", "reached"], rows)


TIMED_AUTO = "auto:auto_budget=2000"


def choice(description):
    """What auto chose, in short, and how many plans it compared"""
    chosen, _, tried = description.removeprefix("auto: ").partition("; forecast: ")
    strips = re.match(r"strips, \d+ (.*?), \d+ chunks", chosen)
    text = strips[1].replace("strips of", "`strips` of") if strips else f"`{chosen.partition(',')[0]}`"
    by_list = ", by list" if "by a list schedule" in chosen else ""
    return [text.replace("bricks of", "`strips`, bricks of") + by_list, tried.partition(";")[0].count(",") + 1]


def least_forecast(description):
    tried = description.partition("; forecast: ")[2].partition(";")[0]
    return min(float(number) for number in re.findall(r"([\d.]+) us", tried))


def choices():
    table, rows, ratios, errors = of_auto(), [], [], []
    for m in in_order(table.matrices):
        text, apply, timed = table.text(m, "auto", "description"), table.get(m, "auto", "apply_us"), table.get(m, TIMED_AUTO, "apply_us")
        forecast, lower = least_forecast(text), table.get(m, "auto", "lower_us")
        ratios.append(apply / timed)
        errors.append(max(forecast / lower, lower / forecast))
        setups = (table.get(m, a, "first_setup_ms") for a in ("levelorder", "auto", TIMED_AUTO))
        rows.append([m, *choice(text), *shorts(forecast, lower, apply, timed, apply / timed, *setups)])
    rows.append(["geometric mean", "", "", "", f"off by {short(geomean(errors))} times", "", "", short(geomean(ratios)), "", "", ""])
    rows.append(["most", "", "", "", f"off by {short(max(errors))} times", "", "", short(max(ratios)), "", "", ""])
    return markdown(["matrix", "lower sweep", "plans compared", "forecast, us", "its time", "apply, us", "by timing", "times",
                     "set-up, ms: `levelorder`", "`auto`", "with timing"], rows)


def strips():
    table, bricks = of_auto(), "strips:strips_order=bricks"
    rows = []
    for m in in_order(table.matrices):
        size = re.search(r"strips of (\d+) rows", table.text(m, "strips", "description"))
        rows.append([m, table.text(m, "strips", "levels_lower"),
                     *shorts(*(table.get(m, a, "lower_us") for a in ("levelorder", "strips", bricks))), size[1] if size else ""])
    return markdown(["matrix", "levels", "`levelorder`", "natural order", "bricks", "rows of a natural strip"], rows)


def levelset():
    table = Table(rows_of("h200-levelset.csv", "algorithm", "apply_us"))
    return markdown(["matrix", "rows", "levels: lower", "upper", "`cusparse`", "`levelorder`", "`levelset`", "`auto`",
                     "`levelset`, us a level: lower", "upper"],
                    [[m, table.one(m, "rows"), table.one(m, "levels_lower"), table.one(m, "levels_upper"),
                      *shorts(*(table.get(m, a, "apply_us") for a in ("cusparse", "levelorder", "levelset", "auto"))),
                      *shorts(*(table.get(m, "levelset", f"{side}_us") / table.get(m, "levelset", f"levels_{side}")
                                for side in ("lower", "upper")))]
                     for m in table.matrices])


# ---- through PETSc ----
def petsc_pairs(name, kind):
    """{matrix: (PETSc's row, SyncFree's)}"""
    table = Table(rows_of(name, "pc", "first_setup_ms"), "pc", lambda row: row["kind"] == kind)
    return {m: (table.rows[m, kind], table.rows[m, "syncfree"]) for m in in_order(table.matrices)}


def times(pair, column):
    return float(pair[0][column]) / float(pair[1][column])


def cells(pair, column):
    """PETSc's value, SyncFree's, and how many times faster it is"""
    return shorts(float(pair[0][column]), float(pair[1][column]), times(pair, column))


TIMED = ("first_setup_ms", "refactor_us", "apply_us")


def setup():
    rows, found = [], []
    for kind in "ilu", "icc":
        for m, pair in petsc_pairs("h100-setup.csv", kind).items():
            found.append(pair)
            rows.append([m, kind, *(cell for column in TIMED for cell in cells(pair, column)),
                         *shorts(float(pair[0]["gpu_mb"]), float(pair[1]["gpu_mb"]))])
    for name, mean in ("geometric mean", geomean), ("least", least):
        rows.append([name, "", *(cell for column in TIMED for cell in ("", "", short(mean([times(p, column) for p in found])))), "", ""])
    return markdown(["matrix", "kind", "first set-up, ms: PETSc", "SyncFree", "times", "refactor, us: PETSc", "SyncFree", "times",
                     "apply, us: PETSc", "SyncFree", "times", "GPU, MB: PETSc", "SyncFree"], rows)


def complex_scalars():
    rows, found = [], []
    for m, pair in petsc_pairs("h100-complex.csv", "ilu").items():
        found.append(times(pair, "apply_us"))
        rows.append([m, *cells(pair, "apply_us"), *cells(pair, "refactor_us"), *(row["iterations"] for row in pair)])
    rows += [["geometric mean", "", "", short(geomean(found)), *[""] * 5], ["least", "", "", short(min(found)), *[""] * 5]]
    return markdown(["matrix", "apply, us: PETSc", "SyncFree", "times", "refactor, us: PETSc", "SyncFree", "times", "iterations: PETSc",
                     "SyncFree"], rows)


def setup_goals():
    first, again, auto = goals("first_setup_ms"), goals("refactor_us"), of_auto()
    pairs = petsc_pairs("h100-setup.csv", "ilu")
    every = [p for kind in ("ilu", "icc") for p in petsc_pairs("h100-setup.csv", kind).values()]
    means = {"geometric mean": geomean, "least": least}
    rows = []
    for column, wanted, what in ("first_setup_ms", first, "first set-up"), ("refactor_us", again, "refactorization"):
        for name, goal in wanted.items():
            if name in means:
                value = means[name]([times(p, column) for p in every])
                rows.append([f"{what}, {name} of the table above", "times", *shorts(goal, value), reached(value >= goal)])
            else:
                value = float(pairs[name][1][column]) if column == "first_setup_ms" else auto.get(name, "auto", column)
                rows.append([f"{what}, {name}", column.rpartition("_")[2], *shorts(goal, value), reached(value <= goal)])
    return markdown(["", "unit", "goal", "measured", "reached"], rows)


def counters():
    """The longest launch of each kernel"""
    longest = {}
    for row in plain_rows("h200-counters.csv"):
        key = row["matrix"], row["work"].partition(",")[0], row["kernel"]
        longest[key] = max(longest.get(key, row), row, key=lambda r: float(r["duration_us"]))
    columns = "duration_us", "dram_percent", "l2_percent", "l1_percent", "occupancy_percent", "cycles_per_instruction", "stall_cycles"
    return markdown(["matrix", "work", "kernel", "registers", "us", "memory, %", "L2, %", "L1, %", "resident warps, %",
                     "cycles to the next instruction", "of which for loads"],
                    [[*key[:2], f"`{key[2]}`", f"{float(row['registers']):.0f}", *shorts(*(float(row[c]) for c in columns))]
                     for key, row in longest.items()])


def memory():
    rows = plain_rows("emulated-memory.csv")
    found = {}
    for row in rows:
        found.setdefault(row["algorithm"], {})[row["part"]] = int(row["device_bytes"]) / int(row["nnz"])
    return markdown(["algorithm", "factor", "lower plan", "upper plan", "all"],
                    [[f"`{a}`", *(f"{parts[p]:.1f}" for p in ("factor", "lower plan", "upper plan")), f"{sum(parts.values()):.1f}"]
                     for a, parts in found.items()])


README = {"2d5:1024x1024": "5-point stencil", "3d7:128x128x128": "7-point stencil", "3d27:128x128x128": "27-point stencil",
          "G3_circuit": "SuiteSparse", "usroads": "SuiteSparse", "Dubcova1": "SuiteSparse"}
README_TIMES = "apply_us", "solve_ms", "refactor_us", "first_setup_ms"


def readme():
    found = petsc_pairs("h100-ksp.csv", "ilu")
    return markdown(["matrix", "rows", "apply, us: PETSc", "SyncFree", "times", "solve, ms: PETSc", "SyncFree", "times",
                     "refactor, us: PETSc", "SyncFree", "times", "first set-up, ms: PETSc", "SyncFree", "times", "iterations: PETSc",
                     "SyncFree"],
                    [[f"{m} ({what})", found[m][0]["rows"], *(cell for column in README_TIMES for cell in cells(found[m], column)),
                      *(row["iterations"] for row in found[m])] for m, what in README.items()])


def solutions():
    """One solve with its set-up, and a hundred with new values each, in ms; iterations"""
    rows = plain_rows("h100-solutions.csv")
    matrices = list(dict.fromkeys(row["matrix"] for row in rows))
    found = {(row["way"], row["matrix"]): row for row in rows if row["reason"].startswith("CONVERGED")}

    def cell(row):
        if not row:
            return "-"
        first, again, solve = float(row["first_setup_ms"]), float(row["refactor_us"]) * 1e-3, float(row["solve_ms"])
        return f"{short(first + solve)}, {short(first + 99 * again + 100 * solve)} ({row['iterations']})"

    ways = dict.fromkeys(row["way"] for row in rows if row["ksp"] == "bcgs" and row["way"] != "syncfree, bcgs")
    return markdown(["", *matrices], [[way, *(cell(found.get((way, m))) for m in matrices)] for way in ways])


def krylov():
    rows = [row for row in plain_rows("h100-solutions.csv") if row["way"] == f"syncfree, {row['ksp']}"]
    matrices = list(dict.fromkeys(row["matrix"] for row in rows))
    found = {(row["ksp"], row["matrix"]): row for row in rows}

    def cells_of(row):
        if not row or not row["reason"].startswith("CONVERGED"):
            return ["-", "-", "-"]
        solve, count = float(row["solve_ms"]), int(row["iterations"])
        return [*shorts(solve), count, short(1e3 * solve / count)]

    head = [f"{m}: {what}" for m in matrices for what in ("ms", "iterations", "us an iteration")]
    return markdown(["", *head], [[f"`{ksp}`", *(c for m in matrices for c in cells_of(found.get((ksp, m))))]
                                  for ksp in dict.fromkeys(row["ksp"] for row in rows)])


# ---- factorization ----
def factor_methods():
    methods = "sweep", "rows", "entries"
    found = {}
    for row in rows_of("h200-factor-methods.csv", "algorithm", "factor_us"):
        found.setdefault(row["matrix"], {})[row["algorithm"].rpartition("=")[2]] = float(row["factor_us"])
    table = Table(rows_of("h200-factor-methods.csv", "algorithm"))
    return markdown(["matrix", "levels", *(f"`{m}`" for m in methods)],
                    [[m, table.one(m, "levels_lower"), *shorts(*(found[m].get(name, math.nan) for name in methods))]
                     for m in in_order(found)])


# ---- host ----
# ---- studies ----
THEIRS = {"capellini": ("wrtfst",), "twophase": ("twopart",), "yuenyeung": ("yy",), "syncfree-csr": ("yywarp",),
          "syncfree-csc": ("SpTRSV_cuda", "SyncFree_csc")}
GRIDS = {"3d27_32": "3d27:32x32x32", "3d7_64": "3d7:64x64x64", "2d5_512": "2d5:512x512"}


def with_grids(rows):
    """Rows in which grids have the names that they have elsewhere"""
    return [{**row, "matrix": GRIDS.get(row["matrix"], row["matrix"])} for row in rows]


def authors():
    theirs = {(row["matrix"], row["program"]): 1e3 * float(row["ms"]) for row in with_grids(plain_rows("h200-authors-programs.csv"))}
    for row in plain_rows("h100-authors-programs.csv"):
        if row["clock"] == "events":
            theirs[row["matrix"], row["program"]] = float(row["us"])
    ours = Table(with_grids(rows_of("h200-authors.csv", "algorithm")))
    columns = Table(with_grids(rows_of("h100-authors.csv", "algorithm")))
    rows, ratios = [], {name: [] for name in THEIRS}
    for m in in_order(ours.matrices):
        row = [m]
        for name, programs in THEIRS.items():
            table = columns if name == "syncfree-csc" else ours
            pair = least([theirs.get((m, p), math.nan) for p in programs]), table.get(m, name, "lower_us")
            ratios[name].append(pair[0] / pair[1])
            row += shorts(*pair)
        rows.append(row)
    for name, mean in ("geometric mean, times", geomean), ("least, times", least):
        rows.append([name, *(cell for found in ratios.values() for cell in ("", short(mean(found))))])
    return markdown(["matrix", *(head for name in THEIRS for head in (f"`{name}`: theirs", "ours"))], rows)


POLLING = "slfr", "slfc", "syncfree-csc", "ata-push"


def polling():
    """How many times faster methods became when all lanes poll and entries of a column are in order"""
    table = Table(rows_of("h100-authors.csv", "algorithm"))
    rows = []
    for name in POLLING:
        ratios = [table.ratio(m, name, f"{name}-old", "lower_us") for m in table.matrices]
        rows.append([f"`{name}`", len(finite(ratios)), *shorts(geomean(ratios), least(ratios), max(finite(ratios)))])
    return markdown(["method", "matrices", "geometric mean, times faster", "least", "most"], rows)


def signs():
    """What signs of life and scaled pivots cost: times of now over those before, of the least of two runs each, or three"""
    rows = []
    for name, what, columns in (("h100-strips.csv", "sweep by strips, without a call", ("lower_us", "upper_us")),
                                ("h100-signs.csv", "sweep", ("lower_us", "upper_us")),
                                ("h100-signs.csv", "factorization", ("factor_us",)),
                                ("h100-signs-ksp.csv", "apply", ("apply_us",)),
                                ("h100-signs-ksp.csv", "refactorization", ("refactor_us",))):
        for kind in ("double", "float") if name == "h100-signs.csv" else ("double",):
            times = {}
            for row in plain_rows(name):
                for column in columns if row.get("type", "double") == kind else ():
                    key = row["matrix"], row["kind"], row.get("algorithm") or row["pc"], column
                    times.setdefault(key, {}).setdefault(row["machine"], []).append(float(row[column]))
            ratios = [min(t["new"]) / min(t["old"]) for t in times.values()]
            rows.append([what, kind, len(ratios), *shorts(geomean(ratios), max(ratios)), sum(r > 1.02 for r in ratios)])
    return markdown(["time of", "precision", "cases", "geometric mean, now over before", "most", "above 1.02"], rows)


SCALED = "apply_us", "iteration_us", "solve_ms", "iterations"


def scaling():
    """Times on more GPUs of one host, and efficiencies against one GPU: of an apply, of an iteration, of a solve"""
    rows = {}
    for row in plain_rows("h200-mpi.csv") + plain_rows("h200-mpi-256.csv") + plain_rows("h200-mpi-dof4.csv"):
        points, comma, dof = row["points"].partition(",")
        each = row["study"] == "weak"
        sides = [int(n) // (int(p) if each else 1) for n, p in zip(points.split("x"), row["processes"].split("x"))]
        what = f"{'x'.join(map(str, sides))}{comma}{dof} {'each' if each else 'in all'}", row["kind"], int(row["ranks"]), int(row["gpus"])
        rows.setdefault(what, {})[row["name"].split("+")[0]] = {key: float(row[key]) for key in SCALED}
    found = []
    for what, pair in sorted(rows.items(), key=lambda item: (item[0][0].split()[1:], item[0])):
        points, kind, ranks, gpus = what
        one = rows.get((points, kind, 1, 1)) or rows[points.replace("each", "in all"), kind, 1, 1]
        share = 1 if "each" in points else ranks
        ours, theirs = pair["syncfree"], pair["bjacobi"]
        efficiency = [f"{100 * one['syncfree'][key] / ours[key] / share:.0f} %" if ranks == gpus else "" for key in SCALED[:3]]
        found.append([points, kind, f"{ranks}, {gpus}", *(short(pair[key]) for key in SCALED[:2] for pair in (ours, theirs)),
                      f"{ours['iterations']:.0f}", *(short(pair["solve_ms"]) for pair in (ours, theirs)), *efficiency])
    return markdown(["points", "kind", "processes, GPUs", "apply, us", "PETSc's", "iteration, us", "PETSc's", "iterations", "solve, ms",
                     "PETSc's", "efficiency: apply", "iteration", "solve"], found)


def blocks():
    """Applies by rows and by blocks, beside PETSc's own; iterations are equal, or the table says so"""
    table, rows = {}, []
    for row in plain_rows("h100-blocks.csv"):
        table.setdefault((row["matrix"], row["kind"]), {})[row["pc"]] = row
    for (matrix, kind), pcs in table.items():
        theirs, ours, by_rows = pcs[kind], pcs["syncfree"], pcs["syncfree:auto:sweep_blocks=no"]
        pivots = pcs["syncfree:auto:factor_blocks=matrix"]
        iterations = {int(row["iterations"]) for row in pcs.values()}
        apply, refactor = ([float(row[column]) for row in (theirs, by_rows, ours)] for column in ("apply_us", "refactor_us"))
        times = shorts(*apply, apply[1] / apply[2], *refactor, float(pivots["refactor_us"]))
        rows.append([matrix, kind, ours["rows"], " ".join(map(str, sorted(iterations))), *times])
    return markdown(["matrix", "kind", "rows", "iterations of all", "apply, us: PETSc's", "by rows", "by blocks", "times faster",
                     "refactorization, us: PETSc's", "by rows", "by blocks", "pivot blocks"], rows)


def lists():
    """Applies by level and by list, in natural strips of the rule's rows, and what auto chose before there were lists and since"""
    found = rows_of("h100-lists.csv", "algorithm", "apply_us")
    table, before = (Table([row for row in found if row["machine"].endswith("before") == old]) for old in (False, True))
    rows, gains = [], []
    for m in in_order(table.matrices):
        cusparse, level, listed = (table.get(m, name, "apply_us") for name in ("cusparse", *(f"strips:strips_schedule={order}"
                                                                                            for order in ("level", "list"))))
        was, now = (t.get(m, "auto", "apply_us") for t in (before, table))
        gains.append(was / now)
        rows.append([m, table.one(m, "rows"), table.one(m, "levels_lower"), *shorts(cusparse, level, listed, was, now, was / now),
                     *shorts(*(t.get(m, "auto", "first_setup_ms") for t in (before, table)))])
    rows.append(["geometric mean", *[""] * 7, short(geomean(gains)), "", ""])
    return markdown(["matrix", "rows", "levels", "apply, us: `cusparse`", "strips by level", "by list", "`auto` before", "`auto`",
                     "times faster", "set-up, ms: before", "`auto`"], rows)


def columns():
    """An apply of one column, and the time of each of 16 that are applied together"""
    table = {}
    for row in plain_rows("h100-columns.csv"):
        table.setdefault(row["matrix"], {})[row["pc"]] = row
    rows = []
    for m in in_order(table):
        one, each = ([float(table[m][pc][column]) for pc in ("ilu", "syncfree", "syncfree:levelorder")]
                     for column in ("apply_us", "column_us"))
        rows.append([m, *shorts(*one, *each[:2], each[1] / one[1], each[2] / one[2], each[0] / each[1])])
    return markdown(["matrix", "one column, us: PETSc's", "`auto`", "`levelorder`", "each of 16: PETSc's", "together", "part of `auto`'s",
                     "part of `levelorder`'s", "times faster than PETSc's"], rows)


def precision():
    table = Table(rows_of("h100-precision.csv", "pc"), "pc")
    rows = []
    for m in in_order(table.matrices):
        both = [table.rows[m, pc] for pc in ("syncfree", "syncfree:auto:precision=single")]
        rows.append([m, *cells(both, "apply_us"), *shorts(*(float(row[c]) for c in ("refactor_us", "gpu_mb") for row in both))])
    return markdown(["matrix", "apply, us: double", "single", "times", "refactor, us: double", "single", "GPU, MB: double", "single"], rows)


def kokkos():
    table = {}
    for row in plain_rows("h100-kokkos.csv"):
        table.setdefault(row["matrix"], {})[row["machine"].split()[-1], row["pc"]] = row
    keys = [(kind, pc) for kind in ("aijkokkos", "aijcusparse") for pc in ("ilu", "syncfree")]
    return markdown(["matrix", "apply, us: aijkokkos, PETSc's", "SyncFree", "aijcusparse, PETSc's", "SyncFree", "iterations of the four"],
                    [[m, *shorts(*(float(table[m][key]["apply_us"]) for key in keys)),
                      ", ".join(table[m][key]["iterations"] for key in keys)] for m in in_order(table)])


def fill():
    """Set-ups and applies with levels of fill, beside PETSc's"""
    table = {}
    for row in plain_rows("h100-fill.csv"):
        table.setdefault((row["matrix"], row["machine"].split()[-1]), {})[row["pc"]] = row
    rows = [[*what, *(short(float(pcs[pc][column])) for column in ("first_setup_ms", "refactor_us", "apply_us")
                      for pc in ("ilu", "syncfree"))] for what, pcs in table.items()]
    return markdown(["matrix", "levels", "first set-up, ms: PETSc's", "SyncFree", "refactorization, us: PETSc's", "SyncFree",
                     "apply, us: PETSc's", "SyncFree"], rows)


STUDIES = [("li.csv", "apply_us", ("levr", "levc", "slfr", "slfc", "syncfree-csc")),
           ("yuenyeung.csv", "lower_us", ("syncfree-csr", "syncfree-csc", "twophase", "capellini", "yuenyeung")),
           ("helal.csv", "apply_us", ("ata", "ata-push")),
           ("ahmad.csv", "lower_us", ("split",))]


def studies():
    rows = []
    for name, column, methods in STUDIES:
        table = Table(read(os.path.join(PAPERS, "results", name), ["matrix", column]), choose=lambda row: row["type"] == "double")
        for method in methods:
            over = {base: finite([table.ratio(m, base, method, column) for m in table.matrices]) for base in ("levelorder", "cusparse")}
            page = name.replace(".csv", ".md")
            rows.append([f"`{method}`", f"[{page}](../../bench/papers/{page})", len(over["levelorder"]),
                         *(cell for found in over.values() for cell in shorts(geomean(found), min(found), max(found)))])
    return markdown(["method", "matrices of", "how many", "over `levelorder`: mean", "least", "most", "over `cusparse`: mean", "least",
                     "most"], rows)


def paper(name):
    return lambda: importlib.import_module(f"{name}_tables").tables(os.path.join(PAPERS, "results"))


TABLES = [
    ("readme", "README.md", readme),
    ("solutions", "doc/using/choosing.md", solutions),
    ("krylov", "doc/using/choosing.md", krylov),
    ("sweeps", "doc/performance.md", sweeps),
    ("set-up", "doc/performance.md", setup),
    ("complex", "doc/performance.md", complex_scalars),
    ("goals", "doc/performance.md", setup_goals),
    ("memory", "doc/performance.md", memory),
    ("counters", "doc/performance.md", counters),
    ("auto", "doc/algorithms/auto.md", choices),
    ("strips", "doc/algorithms/strips.md", strips),
    ("lists", "doc/algorithms/strips.md", lists),
    ("columns", "doc/algorithms/levelorder.md", columns),
    ("precision", "doc/algorithms/README.md", precision),
    ("kokkos", "doc/performance.md", kokkos),
    ("levelset", "doc/algorithms/levelset.md", levelset),
    ("factorization", "doc/algorithms/factorization.md", factor_methods),
    ("host-windows", "doc/algorithms/host-windows.md", host_applies),
    ("host-setup", "doc/algorithms/host-windows.md", host_setup),
    ("host-orders", "doc/algorithms/host-windows.md", host_orders),
    ("host-blocks", "doc/algorithms/blocks.md", host_blocks),
    ("authors", "doc/algorithms/authors.md", authors),
    ("polling", "doc/algorithms/authors.md", polling),
    ("signs", "doc/reliability.md", signs),
    ("studies", "doc/algorithms/README.md", studies),
    ("scaling", "doc/parallel.md", scaling),
    ("blocks", "doc/algorithms/blocks.md", blocks),
    ("fill", "doc/algorithms/factorization.md", fill),
    *((name, f"bench/papers/{name}.md", paper(name)) for name in papers()),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    return fill_tables([(name, os.path.join(ROOT, page), table) for name, page, table in TABLES], check)


if __name__ == "__main__":
    sys.exit(main())
