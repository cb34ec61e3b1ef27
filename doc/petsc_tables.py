"""Tables of what was measured through PETSc on a GPU, for tables.py"""
from figures import goals, in_order, least, plain_rows, reached, rows_of, short, shorts
from results import Table, geomean, markdown
from sweep_tables import of_auto


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
    for m, pair in petsc_pairs("h200-complex.csv", "ilu").items():
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


PARTS = {"pattern": ["symbolic"], "levels": ["levels"], "lower plan": ["lower plan"], "upper plan": ["upper plan"],
         "factor": ["factor", "numeric"], "values of plans": ["updates"]}


def setup_parts():
    """Where first set-ups spend their time, of the matrices where they are less than twice as fast as PETSc's"""
    found, rows = {}, []
    for row in plain_rows("h100-setup-parts.csv"):
        found.setdefault(row["matrix"], {})[row["phase"]] = float(row["again_ms"])
    for m, pair in petsc_pairs("h100-setup.csv", "ilu").items():
        if times(pair, "first_setup_ms") >= 2 or "dof" in m:  # bench_setup has no sweeps by blocks
            continue
        parts = [sum(found[m][phase] for phase in phases) for phases in PARTS.values()]
        rows.append([m, pair[0]["rows"], *shorts(float(pair[0]["first_setup_ms"]), *parts, sum(parts))])
    return markdown(["matrix", "rows", "PETSc's, all", *PARTS, "all"], rows)


README = {"2d5:1024x1024": "5 points", "3d7:128x128x128": "7 points", "3d27:128x128x128": "27 points",
          "G3_circuit": "SuiteSparse", "usroads": "SuiteSparse", "naca0012,dof=4": "flow, 4 unknowns"}


def other_applies():
    """By what the table has no room for, a line each"""
    parts = [float(row["column_us"]) / float(row["apply_us"]) for row in plain_rows("h100-columns.csv") if row["pc"] == "syncfree"]
    complex_times = [times(pair, "apply_us") for pair in petsc_pairs("h200-complex.csv", "ilu").values()]
    precisions = Table(rows_of("h100-precision.csv", "pc"), "pc")
    single_times = [times([precisions.rows[m, pc] for pc in ("syncfree", "syncfree:auto:precision=single")], "apply_us")
                     for m in precisions.matrices]
    return "\n".join([
        f"- [Sixteen right-hand sides](doc/algorithms/columns.md#measured): each takes {short(min(parts))} to {short(max(parts))} of one's "
        "time.",
        f"- [Complex scalars](doc/performance.md#complex-scalars), on one H200: {short(geomean(complex_times))} times PETSc's speed in the "
        f"mean, {short(min(complex_times))} at least.",
        f"- [32-bit values](doc/algorithms/README.md#values-in-single-precision): {short(min(single_times))} to "
        f"{short(max(single_times))} times as fast.\n"])


def readme():
    """Solves from a run of their own, in which they end; the rest is of the table of set-ups"""
    found, solved = petsc_pairs("h100-setup.csv", "ilu"), petsc_pairs("h100-ksp.csv", "ilu")
    return markdown(["matrix", "rows", "apply, us: PETSc", "SyncFree", "times", "solve, ms: PETSc", "SyncFree", "times",
                     "refactor, us: PETSc", "SyncFree", "times", "first set-up, ms: PETSc", "SyncFree", "times", "iterations of both"],
                    [[f"{m} ({what})", found[m][0]["rows"], *cells(found[m], "apply_us"), *cells(solved[m], "solve_ms"),
                      *cells(found[m], "refactor_us"), *cells(found[m], "first_setup_ms"),
                      ", ".join(row["iterations"] for row in solved[m])]
                     for m, what in README.items()]) + "\n" + other_applies()


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


def memory():
    """Bytes on the GPU, and places of strips for each row; 32 of them are a chunk"""
    pairs, rows = petsc_pairs("h100-setup.csv", "ilu"), []
    for row in plain_rows("h100-memory.csv"):
        times_theirs = short(1 / times(pairs[row["matrix"]], "gpu_mb")) if row["matrix"] in pairs else ""
        places = (short(32 * int(row[f"{side}_chunks"]) / int(row["rows"])) if row[side] == "strips" else "" for side in ("lower", "upper"))
        rows.append([row["matrix"], times_theirs, f"`{row['lower']}`", f"{int(row['bytes']) / int(row['nnz']):.1f}", *places])
    return markdown(["matrix", "memory, times PETSc's", "sweeps", "bytes an entry, factor and two plans", "places a row, lower sweep",
                     "upper sweep"], rows)


def blocks_causes():
    """Goals of sweeps and factorizations by blocks beside what their longest kernels do"""
    wanted = [goals("blocks_apply_us"), goals("blocks_refactor_us")]
    ours = {row["matrix"]: row for row in plain_rows("h100-blocks.csv") if row["kind"] == "ilu" and row["pc"] == "syncfree"}
    kernels, rows = {}, []
    for row in plain_rows("h100-blocks-counters.csv"):
        kernels.setdefault(row["matrix"], {})[row["work"]] = row
    for matrix, of in kernels.items():
        sweeps, factorization = [row for work, row in of.items() if work.endswith("sweep")], of["refactorization"]
        levels, cells_of_sweeps = int(factorization["levels"]), [""] * 4
        if sweeps:
            us, memory_part, processors = (sum(float(row[c]) for row in sweeps) / len(sweeps) for c in ("us", "dram_percent", "processors"))
            cells_of_sweeps = [*shorts(us / levels, memory_part), f"{processors:.0f}", f"`{sweeps[0]['kernel'].removesuffix('_kernel')}`"]
        rows.append([matrix, levels, *shorts(float(ours[matrix]["apply_us"]), wanted[0][matrix]), *cells_of_sweeps,
                     *shorts(float(ours[matrix]["refactor_us"]), wanted[1][matrix], float(factorization["us"]) / levels)])
    return markdown(["matrix", "levels of blocks", "apply, us", "goal", "a level of a sweep, us", "memory, %", "multiprocessors at work",
                     "by", "refactorization, us", "goal", "a level of `blockrows`, us"], rows)


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


def block_solves():
    """Iterations of block methods for eight right-hand sides, PETSc's and with SyncFree"""
    table = {}
    for row in plain_rows("h200-block-solves.csv"):
        key = "icc" if row["kind"] == "icc" else "complex" if "complex" in row["machine"] else "ilu"
        table.setdefault(row["matrix"], {}).setdefault(key, []).append(row["block_iterations"])
    return markdown(["matrix", "`bgmres`: PETSc", "SyncFree", "`bcg`: PETSc", "SyncFree", "complex, `bgmres`: PETSc", "SyncFree"],
                    [[m, *(cell for key in ("ilu", "icc", "complex") for cell in table[m].get(key, ["", ""]))] for m in in_order(table)])


def precision():
    table, plans = Table(rows_of("h100-precision.csv", "pc"), "pc"), Table(rows_of("h200-precision.csv", "algorithm"))
    rows = []
    for m in in_order(table.matrices):
        both = [table.rows[m, pc] for pc in ("syncfree", "syncfree:auto:precision=single")]
        double, single = (1e-6 * plans.get(m, name, "plan_bytes") for name in ("auto", "auto:precision=single"))
        rows.append([m, *cells(both, "apply_us"), *shorts(*(float(row["refactor_us"]) for row in both), double, single, single / double)])
    return markdown(["matrix", "apply, us: double", "single", "times", "refactor, us: double", "single", "both plans, MB: double", "single",
                     "part"], rows)


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


def gpu_releases():
    """PETSc's times over SyncFree's, and iterations, of five matrices in each release"""
    rows = []
    for machine in dict.fromkeys(row["machine"] for row in plain_rows("h100-releases.csv")):
        table = Table(rows_of("h100-releases.csv", "pc"), "pc", lambda row, machine=machine: row["machine"] == machine)
        pairs = [(table.rows[m, "ilu"], table.rows[m, "syncfree"]) for m in table.matrices]
        rows.append([*(part.rpartition(" ")[2] for part in machine.split(", ")[1:]),
                     *(short(geomean([times(p, column) for p in pairs])) for column in (*TIMED, "solve_ms")),
                     f"{sum(a['iterations'] == b['iterations'] for a, b in pairs)} of {len(pairs)}"])
    return markdown(["PETSc", "CUDA", "first set-up", "refactorization", "apply", "solve", "the same iterations"], rows)


TABLES = [
    ("set-up-parts", "doc/performance.md", setup_parts),
    ("readme", "README.md", readme),
    ("solutions", "doc/using/choosing.md", solutions),
    ("krylov", "doc/using/choosing.md", krylov),
    ("set-up", "doc/performance.md", setup),
    ("complex", "doc/performance.md", complex_scalars),
    ("goals", "doc/performance.md", setup_goals),
    ("columns", "doc/algorithms/columns.md", columns),
    ("block-solves", "doc/algorithms/columns.md", block_solves),
    ("gpu-releases", "doc/manual.md", gpu_releases),
    ("precision", "doc/algorithms/README.md", precision),
    ("kokkos", "doc/performance.md", kokkos),
    ("scaling", "doc/parallel.md", scaling),
    ("blocks", "doc/algorithms/blocks.md", blocks),
    ("memory", "doc/performance.md", memory),
    ("blocks-causes", "doc/algorithms/blocks.md", blocks_causes),
    ("fill", "doc/algorithms/factorization.md", fill),
]
