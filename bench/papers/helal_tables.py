"""Tables of helal.md: Helal's Figures 8 to 11, beside what helal.sh measured."""
import os

from results import Table, among, compare, machine_line, markdown, mean_above, read, span

PUSH = {"level-set": "levc", "self-scheduling": "syncfree-csc", "ATA": "ata-push", "ATA, LA": "ata-push:ata_policy=la"}
PULL = {"level-set": "levr", "self-scheduling": "slfr", "ATA": "ata", "ATA, LA": "ata:ata_policy=la"}
OTHERS = ["cusparse", "levelorder"]
ILU = {"entry by entry": "levelorder", "ATA": "levelorder:factor_algorithm=ata", "ATA, LA": "levelorder:factor_algorithm=ata:ata_policy=la"}
PCG = {"level-set": "syncfree:levr", "self-scheduling": "syncfree:slfr", "self-scheduling, push": "syncfree:syncfree-csc",
       "ATA": "syncfree:ata:factor_algorithm=ata", "cuSPARSE": "ilu", "levelorder": "syncfree:levelorder"}
WIDE = 4 * 132  # rows a level: four warps to each multiprocessor of an H200 (section IV-A1 has four wavefronts to each CU)


def width(table, matrix):
    levels = float(table.one(matrix, "levels_lower") or "nan")
    return float(table.one(matrix, "rows")) / levels


def solve_rows(table, variants):
    return [[m, f"{width(table, m):.0f}"] + [table.get(m, a, "apply_us") for a in [*variants.values(), *OTHERS]]
            + [table.ratio(m, variants["ATA"], variants[other], "apply_us") for other in ("level-set", "self-scheduling")]
            for m in table.matrices]


def over(table, variants, others):
    """How many times faster ATA is than these, for all matrices."""
    return [table.ratio(m, variants["ATA"], variants[other], "apply_us") for other in others for m in table.matrices]


def faster(table, matrices, a, b, column="apply_us"):
    return [compare(table.get(m, a, column), table.get(m, b, column)) for m in matrices]


def share(ksp, matrix, pc):
    """Of the time of PCG, factorization included, what SpILU0 and SpTS take: one apply more than iterations."""
    apply, refactor, solve = (ksp.get(matrix, pc, c) for c in ("apply_us", "refactor_us", "solve_ms"))
    sparse = 1e-3 * (refactor + apply * (1 + ksp.get(matrix, pc, "iterations")))
    return 100 * sparse / (solve + 1e-3 * refactor)


def ilu_over_cusparse(table, ksp, matrix):
    """Times of a numeric factorization: ATA's, over what PETSc's ilu with cuSPARSE takes for new values."""
    return table.get(matrix, ILU["ATA"], "factor_us") / ksp.get(matrix, "ilu", "refactor_us")


def ilu_rows(table, ksp):
    return [[m] + [table.get(m, a, "factor_us") for a in ILU.values()] + [ksp.get(m, "ilu", "refactor_us")]
            + [table.ratio(m, ILU["ATA"], ILU["entry by entry"], "factor_us"), table.text(m, ILU["ATA"], "factor_description")]
            for m in table.matrices]


def claims(table, ksp):
    both = ("level-set", "self-scheduling")
    wide = [m for m in table.matrices if width(table, m) >= WIDE]
    shares = [share(ksp, m, PCG[v]) for m in ksp.matrices for v in ("level-set", "self-scheduling", "ATA")]
    rows = [
        ["SpTS by push: ata over the others, geometric mean", "3.3, 3.7", *mean_above(over(table, PUSH, both), 1)],
        ["over level-set alone", "", *mean_above(over(table, PUSH, both[:1]), 1)],
        ["over self-scheduling alone", "", *mean_above(over(table, PUSH, both[1:]), 1)],
        ["SpTS by pull: ata over the others, geometric mean", "3.0, 3.3", *mean_above(over(table, PULL, both), 1)],
        ["over level-set alone", "", *mean_above(over(table, PULL, both[:1]), 1)],
        ["over self-scheduling alone", "", *mean_above(over(table, PULL, both[1:]), 1)],
        ["CA faster than LA, push", "all", *among(faster(table, table.matrices, PUSH["ATA"], PUSH["ATA, LA"]))],
        ["CA faster than LA, pull", "all", *among(faster(table, table.matrices, PULL["ATA"], PULL["ATA, LA"]))],
        ["wide DAGs: level-set faster than self-scheduling, push", "all",
         *among(faster(table, wide, PUSH["level-set"], PUSH["self-scheduling"]))],
        ["SpILU0: ata over the others", "2.2", *mean_above([table.ratio(m, ILU["ATA"], ILU["entry by entry"], "factor_us")
                                                            for m in table.matrices], 1)],
        ["SpILU0: ata over cuSPARSE", "", *mean_above([1 / ilu_over_cusparse(table, ksp, m) for m in ksp.matrices], 1)],
        ["PCG: ata over level-set, geometric mean", "4.4",
         *mean_above([ksp.ratio(m, PCG["ATA"], PCG["level-set"], "solve_ms") for m in ksp.matrices], 1)],
        ["PCG: ata over self-scheduling, geometric mean", "8.9",
         *mean_above([ksp.ratio(m, PCG["ATA"], PCG["self-scheduling"], "solve_ms") for m in ksp.matrices], 1)],
        ["PCG: share of SpTS and SpILU0, %", "76 to 99", span(shares, 0), ""],
        ["levelorder faster than ata", "", *among(faster(table, table.matrices, "levelorder", PULL["ATA"]))],
        ["cuSPARSE slower than ata", "", *among(faster(table, table.matrices, PULL["ATA"], "cusparse"))],
    ]
    return rows


def setup_rows(table):
    return [[m] + [table.get(m, a, "plans_ms") for a in ("levr", "slfr", "ata", PULL["ATA, LA"], "levelorder")]
            + [table.text(m, "ata", "description")] for m in table.matrices]


def ksp_rows(ksp):
    rows = []
    for m in ksp.matrices:
        iterations = {ksp.text(m, pc, "iterations") for pc in PCG.values()} - {""}
        rows.append([m, " ".join(sorted(iterations))] + [ksp.get(m, pc, "solve_ms") for pc in PCG.values()]
                    + [share(ksp, m, PCG["ATA"]), ksp.ratio(m, PCG["ATA"], PCG["level-set"], "solve_ms"),
                       ksp.ratio(m, PCG["ATA"], PCG["self-scheduling"], "solve_ms")])
    return rows


def load(directory):
    rows = read(os.path.join(directory, "helal.csv"), ["plans_ms", "description", "factor_us"])
    ksp = read(os.path.join(directory, "helal-ksp.csv"), ["solve_ms", "ksp"], optional=True)
    return rows, [r for r in ksp if not r["reason"].startswith("DIVERGED")]


def tables(directory):
    rows, solved = load(directory)
    table, ksp = Table(rows), Table(solved, "pc")
    text = machine_line(rows) + "\n### Claims\n\n"
    text += markdown(["claim", "paper (Vega FE, R9 Nano)", "here", "holds"], claims(table, ksp))
    for name, variants in (("push", PUSH), ("pull", PULL)):
        text += f"\n### SpTS by {name}: both sweeps, us\n\n"
        text += markdown(["matrix", "rows a level"] + [f"{kind} ({a.partition(':')[0]})" for kind, a in variants.items()] + OTHERS
                         + ["ATA over level-set", "ATA over self-scheduling"], solve_rows(table, variants))
    text += "\n### SpILU0, us\n\n"
    text += markdown(["matrix", *ILU, "PETSc's ilu, cuSPARSE", "ATA over entry by entry", "tasks"], ilu_rows(table, ksp))
    text += "\n### Plans of both sweeps, ms\n\n"
    text += markdown(["matrix", "levr", "slfr", "ata", "ata, LA", "levelorder", "tasks of the lower sweep"], setup_rows(table))
    text += "\n### PCG, ms\n\n"
    text += markdown(["matrix", "iterations"] + [f"{kind} ({pc})" for kind, pc in PCG.items()]
                     + ["share of SpTS and SpILU0 with ata, %", "ATA over level-set", "ATA over self-scheduling"], ksp_rows(ksp))
    return text
