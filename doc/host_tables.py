"""Tables of the host, for tables.py"""
import math

from figures import in_order, least, plain_rows, rows_of, short, shorts
from results import Table, geomean, markdown

ONE_THREAD = "syncfree:host-windows:host_threads=1"


def host_applies():
    """Of two rows the earlier counts: two pairs that stood out were measured again."""
    rows = rows_of("host-ksp.csv", "pc", "apply_us")[::-1]
    kinds = {kind: Table(rows, "pc", lambda row, kind=kind: row["kind"] == kind) for kind in ("ilu", "icc")}
    lines, ratios = [], {kind: [] for kind in kinds}
    for m in in_order(kinds["ilu"].matrices):
        line = [m, kinds["ilu"].one(m, "rows")]
        for kind, table in kinds.items():
            found = [table.ratio(m, ONE_THREAD, kind, "apply_us"), table.ratio(m, "syncfree", kind, "apply_us"),
                     table.ratio(m, ONE_THREAD, kind, "refactor_us")]
            ratios[kind].append(found)
            line += shorts(table.get(m, kind, "apply_us"), *found)
        lines.append(line)
    for name, mean in ("geometric mean", geomean), ("least", least):
        line = [name, ""]
        for kind in kinds:
            line += ["", *(short(mean(column)) for column in zip(*ratios[kind]))]
        lines.append(line)
    return markdown(["matrix", "rows", "ilu: PETSc's apply, us", "one thread", "auto", "refactor", "icc: PETSc's apply, us", "one thread",
                     "auto", "refactor"], lines)


def host_setup():
    """The least of three processes"""
    found = {}
    for row in rows_of("host-setup.csv", "pc", "first_setup_ms"):
        values = found.setdefault(row["matrix"], {})
        values[row["pc"]] = min(values.get(row["pc"], math.inf), float(row["first_setup_ms"]))
    pcs = "syncfree:auto:host_threads=1", "syncfree"
    lines = [[m, *shorts(found[m]["ilu"], *(found[m]["ilu"] / found[m][pc] for pc in pcs))] for m in in_order(found)]
    for name, mean in ("geometric mean", geomean), ("least", least):
        lines.append([name, "", *(short(mean([values["ilu"] / values[pc] for values in found.values()])) for pc in pcs)])
    return markdown(["matrix", "PETSc's `ilu`, ms", "one thread", "auto"], lines)


def host_orders():
    table = Table(rows_of("host-orders.csv", "algorithm", "lower_us"))
    windows = [f"host-windows:host_threads=1:host_window={w}" for w in (1, 256, 2048)]
    return markdown(["matrix", "rows as they are", "windows of 256", "of 2048"],
                    [[m, *shorts(*(table.get(m, w, "lower_us") for w in windows))] for m in in_order(table.matrices)])


def kind_of(row):
    return f"{row['kind']}, {row['machine'].split()[-1]}"


def host_blocks():
    """PETSc's times over syncfree's; of first set-ups the least of three processes each"""
    table, setup = {}, {}
    for row in plain_rows("host-blocks.csv"):
        table.setdefault((row["matrix"], kind_of(row)), {})[row["pc"]] = row
    for row in plain_rows("host-blocks-setup.csv"):
        pcs = setup.setdefault((row["matrix"], kind_of(row)), {})
        pcs[row["pc"]] = min(pcs.get(row["pc"], math.inf), float(row["first_setup_ms"]))
    rows, ratios = [], []
    for what, pcs in table.items():
        theirs = pcs[what[1].split(",")[0]]
        found = [float(theirs[column]) / float(pcs[pc][column]) for column, pc in
                 (("apply_us", ONE_THREAD), ("apply_us", "syncfree"), ("refactor_us", ONE_THREAD))]
        first = setup.get(what, {})
        found += [first["ilu"] / first[pc] for pc in (ONE_THREAD, "syncfree") if first]
        ratios.append(found)
        iterations = sorted({int(row["iterations"]) for row in pcs.values()})
        rows.append([*what, " ".join(map(str, iterations)), *shorts(float(theirs["apply_us"]), *found), *[""] * (5 - len(found))])
    for name, mean in ("geometric mean", geomean), ("least", least):
        columns = [[found[k] for found in ratios if len(found) > k] for k in range(5)]
        rows.append([name, "", "", "", *(short(mean(column)) for column in columns)])
    return markdown(["matrix", "kind", "iterations of all", "PETSc's apply, us", "one thread", "auto", "refactorization",
                     "first set-up: one thread", "auto"], rows)


TABLES = [
    ("host-windows", "doc/algorithms/host-windows.md", host_applies),
    ("host-setup", "doc/algorithms/host-windows.md", host_setup),
    ("host-orders", "doc/algorithms/host-windows.md", host_orders),
    ("host-blocks", "doc/algorithms/blocks.md", host_blocks),
]
