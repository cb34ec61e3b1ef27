"""Tables of li.md: Li's Figures 3 and 4 and Tables 4 to 7, beside what li.sh measured."""
import math
import os

from results import HERE, Table, among, compare, geomean, machine_line, markdown, number, read, within

OURS = ["levr", "levc", "slfr", "slfc", "syncfree-csc", "cusparse", "levelorder"]
STENCILS = {"2d5": "2-D, 5 points", "2d9": "2-D, 9 points", "3d7": "3-D, 7 points", "3d27": "3-D, 27 points"}
TABLE2 = ["1024x1024", "512x2048", "256x4096", "128x8192", "64x16384",
          "128x128x128", "64x128x256", "64x64x512", "32x64x1024", "32x32x2048"]


class Paper:
    """Li's P100: set-up times of Tables 4 and 5, and the solve times in double precision that follow from the ratios beside them."""

    def __init__(self):
        self.rows = {(r["matrix"], r["algorithm"]): r
                     for r in read(os.path.join(HERE, "li-paper.csv"), ["setup_host_ms", "setup_host_solves"])}

    def setup(self, matrix, algorithm, place):
        row = self.rows.get((matrix, algorithm))
        return number(row[f"setup_{place}_ms"]) if row else math.nan

    def solve(self, matrix, algorithm):
        """Milliseconds; NaN where the ratio was printed as .00"""
        row = self.rows.get((matrix, algorithm))
        ratio = number(row["setup_host_solves"]) if row else 0
        return number(row["setup_host_ms"]) / ratio if ratio else math.nan


def order(matrix):
    """As in Table 2; other sizes of grids after those, files last."""
    stencil, _, shape = matrix.partition(":")
    if stencil not in STENCILS:
        return (len(STENCILS), 0, matrix)
    return (list(STENCILS).index(stencil), TABLE2.index(shape) if shape in TABLE2 else len(TABLE2), matrix)


def is_grid(matrix, *stencils):
    return matrix.partition(":")[0] in (stencils or STENCILS)


def solve_rows(table, paper, stencil):
    rows = []
    for m in table.matrices:
        if not is_grid(m, stencil):
            continue
        rows.append([m.partition(":")[2], table.one(m, "levels_lower"), paper.solve(m, "csrsv2") / paper.solve(m, "slfc")]
                    + [table.get(m, a, "gflops") for a in OURS]
                    + [table.ratio(m, a, "cusparse", "apply_us") for a in ("slfc", "levelorder")])
    return rows


def file_rows(table):
    return [[m, table.one(m, "levels_lower"), table.one(m, "levels_upper")]
            + [table.get(m, a, "gflops") for a in OURS]
            + [table.ratio(m, a, "cusparse", "apply_us") for a in ("slfc", "levelorder")]
            for m in table.matrices if not is_grid(m)]


def passes(more, gain):
    """Solves after which so much more set-up has paid, if each gains so much."""
    if math.isnan(more) or math.isnan(gain):
        return math.nan
    return "never" if gain <= 0 else max(0, math.floor(more / gain) + 1)


def solves_to_win(table, setup, matrix, other):
    """Table 7: fewest solves after which slfc, set-up on the GPU included, is ahead."""
    known = table.get(matrix, other, "first_setup_ms") if other == "cusparse" else setup.get(matrix, "kahn", "dependencies_ms")
    more = setup_time(setup, matrix, "slfc", "kahn") - known
    gain = 1e-3 * (table.get(matrix, other, "apply_us") - table.get(matrix, "slfc", "apply_us"))
    return passes(more, gain)


def faster(table, matrices, a, b):
    return [compare(table.get(m, a, "apply_us"), table.get(m, b, "apply_us")) for m in matrices]


def ratios(table, matrices, a, b):
    """How many times faster a is than b."""
    return [table.ratio(m, a, b, "apply_us") for m in matrices]


def precision(table, single, matrices):
    """How many times faster slfc is in float."""
    return [table.get(m, "slfc", "apply_us") / single.get(m, "slfc", "apply_us") for m in matrices]


def claims(table, single):
    two = [m for m in table.matrices if is_grid(m, "2d5", "2d9")]
    seven = [m for m in table.matrices if is_grid(m, "3d7")]
    many = [m for m in table.matrices if is_grid(m, "3d27")]
    files = [m for m in table.matrices if not is_grid(m)]
    best = [table.least(m, OURS[:5], "apply_us")[0] for m in table.matrices]
    return [
        ["2-D: slfr faster than levr", "all", *among(faster(table, two, "slfr", "levr"))],
        ["2-D: slfc faster than slfr", "all", *among(faster(table, two, "slfc", "slfr"))],
        ["2-D: slfc as fast as cuSPARSE, within 10 %", "0.94 to 1.28", *within(ratios(table, two, "slfc", "cusparse"), 0.9)],
        ["3-D, 7 points: slfc faster than cuSPARSE", "0.96 to 1.34", *within(ratios(table, seven, "slfc", "cusparse"), 1)],
        ["3-D, 27 points: slfc faster than cuSPARSE", "1.09 to 1.89", *within(ratios(table, many, "slfc", "cusparse"), 1)],
        ["3-D, 7 points: levr faster than slfr", "most", *among(faster(table, seven, "levr", "slfr"))],
        ["general matrices: slfc faster than cuSPARSE", "up to 2.64", *within(ratios(table, files, "slfc", "cusparse"), 1)],
        ["slfc faster than syncfree-csc", "nearly all", *among(faster(table, table.matrices, "slfc", "syncfree-csc"))],
        ["2-D: float and double within 10 %, slfc", "very small difference", *within(precision(table, single, two), 0.9, 1.1)],
        ["3-D: float faster by 10 %, slfc", "noticeable difference", *within(precision(table, single, seven + many), 1.1)],
        ["levelorder faster than cuSPARSE", "", *within(ratios(table, table.matrices, "levelorder", "cusparse"), 1)],
        ["levelorder over the best of the paper's five, geometric mean", "",
         geomean([b / table.get(m, "levelorder", "apply_us") for b, m in zip(best, table.matrices)]), ""],
    ]


TABLE1 = {"levr": {"host": "host-rows", "steps": ["levels"]}, "levc": {"host": "host-columns", "steps": ["levels"]},
          "slfr": {"host": "host-rows", "steps": ["transpose", "dependencies", "levels"]},
          "slfc": {"host": "host-columns", "steps": ["dependencies", "levels"]}}


def setup_time(setup, matrix, algorithm, method):
    """Table 1: ms of the steps that this algorithm's set-up has when levels are found by this method."""
    names = list(TABLE1[algorithm]["steps"])
    if method.startswith("host"):
        names += ["pattern_to_host", "levels_to_device"]
    elif algorithm == "levr":
        names += ["transpose", "dependencies"]  # Kahn's algorithm needs columns and counters
    elif algorithm == "levc":
        names += ["dependencies"]
    return sum(setup.get(matrix, method, f"{name}_ms") for name in names)


def with_solves(ms, table, matrix, algorithm):
    return "-" if math.isnan(ms) else f"{ms:.1f} ({1e3 * ms / table.get(matrix, algorithm, 'apply_us'):.1f})"


def host_setup_rows(table, setup, paper):
    rows = []
    for m in setup.matrices:
        cells = [m]
        for a, entry in TABLE1.items():
            cells.append(with_solves(setup_time(setup, m, a, entry["host"]), table, m, a))
        cells.append(with_solves(setup.get(m, "kahn", "dependencies_ms"), table, m, "syncfree-csc"))
        cells.append(with_solves(table.get(m, "cusparse", "first_setup_ms"), table, m, "cusparse"))
        rows.append(cells + [paper.setup(m, "slfc", "host"), paper.setup(m, "csrsv2", "host")])
    return rows


def device_setup_rows(table, setup, paper):
    return [[m] + [with_solves(setup_time(setup, m, a, "kahn"), table, m, a) for a in TABLE1]
            + [setup.get(m, "rows", "levels_ms"), paper.setup(m, "slfc", "device"),
               solves_to_win(table, setup, m, "cusparse"), solves_to_win(table, setup, m, "syncfree-csc")] for m in setup.matrices]


def solves_to_pay(table, matrix):
    """Fewest solves after which levelorder is ahead of cuSPARSE, first set-ups included."""
    more = table.get(matrix, "levelorder", "first_setup_ms") - table.get(matrix, "cusparse", "first_setup_ms")
    return passes(more, 1e-3 * (table.get(matrix, "cusparse", "apply_us") - table.get(matrix, "levelorder", "apply_us")))


def plan_rows(table):
    return [[m] + [with_solves(table.get(m, a, "first_setup_ms"), table, m, a) for a in OURS] + [solves_to_pay(table, m)]
            for m in table.matrices]


def setup_claims(table, setup):
    def gpu_faster(matrices):
        return [compare(setup_time(setup, m, "levr", "kahn"), setup_time(setup, m, "levr", "host-rows")) for m in matrices]

    def levels_faster(a, b):
        return [compare(setup.get(m, a, "levels_ms"), setup.get(m, b, "levels_ms")) for m in setup.matrices]

    two = [m for m in setup.matrices if is_grid(m, "2d5", "2d9")]
    three = [m for m in setup.matrices if is_grid(m, "3d7", "3d27")]
    return [
        ["2-D: set-up of levr by Kahn's algorithm on the GPU slower than on the host", "8 of 10",
         *among([None if f is None else not f for f in gpu_faster(two)])],
        ["3-D: faster on the GPU", "all", *among(gpu_faster(three))],
        ["levels: rows waiting for rows faster than Kahn's algorithm", "", *among(levels_faster("rows", "kahn"))],
    ]


def tables(directory):
    rows = read(os.path.join(directory, "li.csv"), ["gflops", "first_setup_ms"])
    rows.sort(key=lambda r: order(r["matrix"]))
    table = Table(rows, choose=lambda r: r["type"] == "double")
    single = Table(rows, choose=lambda r: r["type"] == "float")
    steps = read(os.path.join(directory, "li-setup.csv"), ["levels_ms"], optional=True)
    steps.sort(key=lambda r: order(r["matrix"]))
    setup = Table(steps, "method")
    paper = Paper()
    text = machine_line(rows) + "\n### Claims\n\n"
    text += markdown(["claim", "paper (P100, CUDA 8)", "here", "holds"], claims(table, single) + setup_claims(table, setup))
    head = ["grid", "levels", "paper: slfc over csrsv2"] + OURS + ["slfc over cusparse", "levelorder over cusparse"]
    for stencil, name in STENCILS.items():
        text += f"\n### {name}, double, GFLOPS\n\n" + markdown(head, solve_rows(table, paper, stencil))
    if file_rows(table):
        text += "\n### General matrices, double, GFLOPS\n\n"
        text += markdown(["matrix", "levels", "of U"] + OURS + ["slfc over cusparse", "levelorder over cusparse"], file_rows(table))
    text += "\n### Set-up as in Table 1, levels on the host, ms (and in solves)\n\n"
    text += markdown(["matrix", *TABLE1, "syncfree-csc", "cusparse", "paper: slfc", "paper: csrsv2"], host_setup_rows(table, setup, paper))
    text += "\n### Set-up as in Table 1, levels on the GPU by Kahn's algorithm, ms (and in solves)\n\n"
    text += markdown(["matrix", *TABLE1, "levels by rows", "paper: slfc", "solves for slfc to pass cusparse",
                      "to pass syncfree-csc"], device_setup_rows(table, setup, paper))
    text += "\n### First set-up of this library's plans, pattern on the host, ms (and in solves)\n\n"
    return text + markdown(["matrix", *OURS, "solves for levelorder to pass cusparse"], plan_rows(table))
