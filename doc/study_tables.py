"""Tables of the published methods, for tables.py"""
import importlib
import math
import os

from figures import PAPERS, in_order, least, plain_rows, rows_of, short, shorts
from results import Table, finite, geomean, markdown, papers, read


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
    ("authors", "doc/algorithms/authors.md", authors),
    ("polling", "doc/algorithms/authors.md", polling),
    ("studies", "doc/algorithms/README.md", studies),
    *((name, f"bench/papers/{name}.md", paper(name)) for name in papers()),
]
