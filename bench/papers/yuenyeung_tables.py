"""Tables of yuenyeung.md: the figures of Zhang et al., YuenyeungSpTRSV, beside what yuenyeung.sh measured."""
import os
import statistics

from results import HERE, Table, compare, count, finite, geomean, holds, machine_line, markdown, mean_above, number, read, span

PAPERS = ["cusparse", "syncfree-csc", "capellini", "yuenyeung"]  # the four of its Table 4
ALGORITHMS = ["cusparse", "syncfree-csr", "syncfree-csc", "capellini", "twophase", "yuenyeung", "levelorder"]
PUBLISHED = 10  # the threshold of the authors' code
FUSED = "yuenyeung:yuenyeung_threshold="  # and fused_R_us in the training: yuenyeung with the threshold R
HIGH = 0.7  # the parallel granularity from which the paper looks at matrices


def granularity(table, matrix):
    return number(table.one(matrix, "granularity"))


def nnz(table, matrix):
    return number(table.one(matrix, "nnz_lower"))


def gflops(table, matrix, algorithm):
    """Two operations to an entry of the triangle."""
    return 2e-3 * nnz(table, matrix) / table.get(matrix, algorithm, "lower_us")


def over(table, matrices, a, b):
    """How many times faster a is than b."""
    return [table.ratio(m, a, b, "lower_us") for m in matrices]


def means(values):
    """Arithmetic, as the paper's, geometric, and largest."""
    values = finite(values)
    return [statistics.mean(values), geomean(values), max(values)] if values else [float("nan")] * 3


def fastest(table, matrices, algorithm, others):
    return [compare(table.get(m, algorithm, "lower_us"), table.least(m, [a for a in others if a != algorithm], "lower_us")[0])
            for m in matrices]


def claims(table):
    high = [m for m in table.matrices if granularity(table, m) > HIGH]
    low = [m for m in table.matrices if granularity(table, m) <= HIGH]
    best = fastest(table, high, "yuenyeung", PAPERS)
    return [
        ["yuenyeung over syncfree-csc, arithmetic mean", "5.98", means(over(table, high, "yuenyeung", "syncfree-csc"))[0], ""],
        ["the same, geometric mean", "", *mean_above(over(table, high, "yuenyeung", "syncfree-csc"), 1)],
        ["yuenyeung over cuSPARSE, arithmetic mean", "4.83", means(over(table, high, "yuenyeung", "cusparse"))[0], ""],
        ["the same, geometric mean", "", *mean_above(over(table, high, "yuenyeung", "cusparse"), 1)],
        ["yuenyeung over capellini, arithmetic mean", "1.86", means(over(table, high, "yuenyeung", "capellini"))[0], ""],
        ["the same, geometric mean", "", *mean_above(over(table, high, "yuenyeung", "capellini"), 1)],
        ["capellini over twophase, arithmetic mean", "55.05", means(over(table, high, "capellini", "twophase"))[0], ""],
        ["yuenyeung the fastest of the paper's four", "95 %", count(best), holds(best)],
        ["thread level faster than warp level, granularity above 0.7", "", *both(fastest(table, high, "capellini", ["syncfree-csr"]))],
        ["warp level faster than thread level, granularity up to 0.7", "", *both(fastest(table, low, "syncfree-csr", ["capellini"]))],
        ["levelorder faster than yuenyeung, all", "", *both(fastest(table, table.matrices, "levelorder", ["yuenyeung"]))],
        ["levelorder over yuenyeung, all, geometric mean", "", geomean(over(table, table.matrices, "levelorder", "yuenyeung")), ""],
    ]


def both(flags):
    return [count(flags), holds(flags)]


def gflops_rows(table):
    rows = []
    for m in sorted(table.matrices, key=lambda m: granularity(table, m)):
        rows.append([m, granularity(table, m), nnz(table, m) / float(table.one(m, "rows")), table.one(m, "levels_lower")]
                    + [gflops(table, m, a) for a in ALGORITHMS] + [table.least(m, ALGORITHMS, "lower_us")[1]])
    return rows


def table8_rows(table, paper):
    return [[m] + [cell for a in PAPERS for cell in (paper.get(m, a, "gflops"), gflops(table, m, a))] for m in paper.matrices]


def trained(directory):
    """Times of the graphs that the threshold was trained on: of the last run, as the threshold is, while the CSV file keeps all."""
    rows = read(os.path.join(directory, "yuenyeung-train.csv"),
                ["run", "warp_us", "thread_us", "nnz_row", "granularity", "scale", "fused_16_us"], optional=True)
    return [row for row in rows if row["run"] == rows[-1]["run"]]


def over_best(times):
    """Of one matrix, by threshold."""
    return {threshold: t / min(times.values()) for threshold, t in times.items()}


def threshold_mean(losses):
    """Geometric mean for each threshold, in rising order."""
    return {threshold: geomean([loss[threshold] for loss in losses]) for threshold in sorted(losses[0])}


def trained_losses(rows):
    """What each threshold costs yuenyeung on each training matrix, with the matrix's scale."""
    columns = [c for c in rows[0] if c.startswith("fused_")]
    return [(int(r["scale"]), over_best({number(c.split("_")[1]): number(r[c]) for c in columns})) for r in rows]


def trained_means(rows):
    """By number of rows, and for all."""
    losses = trained_losses(rows)
    means_of = {str(2 ** scale): threshold_mean([x for s, x in losses if s == scale]) for scale in sorted({s for s, _ in losses})}
    return means_of | {"all": threshold_mean([x for _, x in losses])}


def threshold_table(first, lines):
    """lines: what stands in the first column, and the means by threshold"""
    thresholds = list(next(iter(lines.values())))
    return markdown([first] + [f"{t:g}" for t in thresholds], [[name] + [line[t] for t in thresholds] for name, line in lines.items()])


def kind_of(matrix):
    name, colon, _ = matrix.partition(":")
    return "Graph500 graphs" if name == "kron" else "grids" if colon else "files"


def sweep_thresholds(directory):
    """yuenyeung with several thresholds on the matrices of the sweep, and on grids and files of another run."""
    names = ("yuenyeung-thresholds.csv", "yuenyeung-grids.csv")
    table = Table([row for name in names for row in read(os.path.join(directory, name), ["lower_us"], optional=True)
                   if row["algorithm"].startswith(FUSED)])
    if not table.matrices:
        return ""
    names = {number(a[len(FUSED):]): a for a in table.algorithms}
    losses = {m: over_best({t: table.get(m, names[t], "lower_us") for t in sorted(names)}) for m in table.matrices}
    every = list(losses.values())
    lines = {f"{kind}, {len(some)}": threshold_mean(some) for kind in ("Graph500 graphs", "grids", "files")
             if (some := [losses[m] for m in table.matrices if kind_of(m) == kind])}
    lines |= {f"all, {len(every)}": threshold_mean(every), "worst of all": {t: max(loss[t] for loss in every) for t in every[0]}}
    return ("\n## yuenyeung's time with each threshold, over that with the best one\n" + threshold_table("geometric mean", lines))


def auto_rows(directory):
    """A run of its own: auto beside a warp for each row"""
    table = Table(read(os.path.join(directory, "yuenyeung-auto.csv"), ["lower_us"], optional=True))
    for name, chosen in ("Graph500 graphs", True), ("other matrices", False):
        matrices = [m for m in table.matrices if (kind_of(m) == "Graph500 graphs") == chosen]
        if matrices:
            yield [f"auto over syncfree-csr, another run, {name}", "", span(over(table, matrices, "auto", "syncfree-csr")), ""]


def thread_over_warp(row):
    return number(row["thread_us"]) / number(row["warp_us"])


def size_rows(rows):
    """Which level wins, by number of rows, for all graphs and for those of high granularity."""
    cells = []
    for scale in sorted({int(r["scale"]) for r in rows}):
        same = [thread_over_warp(r) for r in rows if int(r["scale"]) == scale]
        high = [thread_over_warp(r) for r in rows if int(r["scale"]) == scale and number(r["granularity"]) > HIGH]
        cells.append([2 ** scale] + [cell for some in (same, high) for cell in (count([t > 1 for t in some]), geomean(some))])
    return cells


def rule_row(name, rows, warps):
    """What a rule loses that gives the graphs for which warps() holds to warps: time over that of the faster level, geometric mean."""
    lost = [(1 if warps(r) else thread_over_warp(r)) / min(1, thread_over_warp(r)) for r in rows]
    return [name, geomean(lost), f"{100 * sum(x == 1 for x in lost) / len(lost):.0f} %"]


def rule_rows(rows, threshold):
    def longer(limit):
        return lambda r: number(r["nnz_row"]) >= limit

    return [rule_row(f"mean row length at least {threshold:g}, as trained for whole matrices", rows, longer(threshold)),
            rule_row(f"at least {PUBLISHED}, as in the authors' code", rows, longer(PUBLISHED)),
            rule_row("always", rows, lambda r: True), rule_row("never", rows, lambda r: False),
            rule_row(f"granularity at most {HIGH}", rows, lambda r: number(r["granularity"]) <= HIGH)] + [
            rule_row(f"at most {2 ** scale} rows", rows, lambda r, s=scale: int(r["scale"]) <= s)
            for scale in sorted({int(r["scale"]) for r in rows})]


def training(directory):
    """From the file of the threshold, whatever it is called, and the times."""
    rows = trained(directory)
    files = [name for name in sorted(os.listdir(directory)) if name.endswith(".threshold")]
    if not rows or not files:
        return ""
    with open(os.path.join(directory, files[0]), encoding="utf-8") as file:
        threshold = next(float(line.partition("=")[2]) for line in file if line.startswith("threshold for whole matrices ="))
    text = "\n## Training: yuenyeung's time with each threshold, over that with the best one, geometric mean\n"
    text += threshold_table("rows", trained_means(rows))
    text += "\n## Training: warp level against thread level\n"
    text += markdown(["rows", "warp faster", "thread/warp, geometric mean", f"warp faster, granularity above {HIGH}", "thread/warp"],
                     size_rows(rows))
    text += "\n## Training: rules when to take warps\n" + markdown(["rule", "loss", "right"], rule_rows(rows, threshold))
    return text


def load(directory):
    return read(os.path.join(directory, "yuenyeung.csv"), ["granularity", "nnz_lower", "lower_us"])


def tables(directory):
    rows = load(directory)
    table = Table(rows)
    paper = Table(read(os.path.join(HERE, "yuenyeung-paper.csv"), ["gflops"]))
    text = machine_line(rows)
    text += f"\n## Claims, for parallel granularity above {HIGH}\n"
    text += markdown(["claim", "paper", "here", "holds"], [*claims(table), *auto_rows(directory)])
    text += "\n## GFLOPS of one lower sweep\n"
    text += markdown(["matrix", "granularity", "entries a row", "levels", *ALGORITHMS, "fastest"], gflops_rows(table))
    text += "\n## The paper's Table 8 (RTX 2080 Ti) and here, GFLOPS\n"
    text += markdown(["matrix"] + [f"{a}, {source}" for a in PAPERS for source in ("paper", "here")], table8_rows(table, paper))
    return text + sweep_thresholds(directory) + training(directory)
