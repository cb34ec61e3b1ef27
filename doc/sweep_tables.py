"""Tables of the kernel library on a GPU, for tables.py"""
import math
import re
import statistics

from figures import goals, in_order, least, plain_rows, reached, rows_of, short, shorts
from results import Table, geomean, markdown


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


def fastest(description):
    """The least forecast, and of what"""
    tried = description.partition("; forecast: ")[2].partition(";")[0]
    return min((float(us), plan) for plan, us in re.findall(r"([^,]+?) ([\d.]+) us", tried))


def choices():
    table, rows, ratios, errors = of_auto(), [], [], []
    for m in in_order(table.matrices):
        text, apply, timed = table.text(m, "auto", "description"), table.get(m, "auto", "apply_us"), table.get(m, TIMED_AUTO, "apply_us")
        forecast, lower = fastest(text)[0], table.get(m, "auto", "lower_us")
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


def depth_first():
    """Plans of both sweeps, made and solved, with the order of a stack on the host and since: the least of several runs"""
    found, rows = {}, []
    for row in rows_of("h200-depth-first.csv", "algorithm", "apply_us"):
        for what in ("plans_ms", "apply_us"):
            key = row["matrix"], row["algorithm"], what, row["machine"].endswith("before")
            found[key] = min(float(row[what]), found.get(key, math.inf))
    for m in in_order(list(dict.fromkeys(key[0] for key in found))):
        rows.append([m, *shorts(*(found[m, a, what, old] for a in ("strips:strips_order=depth-first:strips_schedule=list", "auto")
                                  for what in ("plans_ms", "apply_us") for old in (True, False)))])
    return markdown(["matrix", "in this order, by list: plans, ms: stack", "GPU", "apply, us: stack", "GPU",
                     "`auto`: plans, ms: stack", "GPU", "apply, us: stack", "GPU"], rows)


def cut():
    """Applies before auto cut rows that need not be cut, and since, the largest gain first"""
    found = rows_of("h200-cut.csv", "algorithm", "apply_us")
    after, before = (Table([row for row in found if row["machine"].endswith("before") == old]) for old in (False, True))
    gains = {m: before.get(m, "auto", "apply_us") / after.get(m, "auto", "apply_us") for m in after.matrices}
    rows = []
    for m in sorted(gains, key=gains.get, reverse=True):
        entries = re.search(r"of (\d+) entries", fastest(after.text(m, "auto", "description"))[1])
        values = (t.get(m, "auto", what) for what in ("apply_us", "first_setup_ms") for t in (before, after))
        rows.append([m, entries[1] if entries else "", *shorts(*values), short(gains[m])])
    return markdown(["matrix", "entries", "apply, us: before", "now", "set-up, ms: before", "now", "times faster"], rows)


def levelset():
    table = Table(rows_of("h200-levelset.csv", "algorithm", "apply_us"))
    return markdown(["matrix", "rows", "levels: lower", "upper", "`cusparse`", "`levelorder`", "`levelset`", "`auto`",
                     "`levelset`, us a level: lower", "upper"],
                    [[m, table.one(m, "rows"), table.one(m, "levels_lower"), table.one(m, "levels_upper"),
                      *shorts(*(table.get(m, a, "apply_us") for a in ("cusparse", "levelorder", "levelset", "auto"))),
                      *shorts(*(table.get(m, "levelset", f"{side}_us") / table.get(m, "levelset", f"levels_{side}")
                                for side in ("lower", "upper")))]
                     for m in table.matrices])


def factor_methods():
    methods = "sweep", "rows", "entries"
    found = {}
    for row in rows_of("h200-factor-methods.csv", "algorithm", "factor_us"):
        found.setdefault(row["matrix"], {})[row["algorithm"].rpartition("=")[2]] = float(row["factor_us"])
    table = Table(rows_of("h200-factor-methods.csv", "algorithm"))
    return markdown(["matrix", "levels", *(f"`{m}`" for m in methods)],
                    [[m, table.one(m, "levels_lower"), *shorts(*(found[m].get(name, math.nan) for name in methods))]
                     for m in in_order(found)])


def counters():
    """The longest launch of each kernel"""
    longest = {}
    for row in plain_rows("h200-counters.csv"):
        key = row["matrix"], row["work"].partition(",")[0], row["kernel"]
        longest[key] = max(longest.get(key, row), row, key=lambda r: float(r["duration_us"]))
    columns = "duration_us", "dram_percent", "l2_percent", "l1_percent", "occupancy_percent", "cycles_per_instruction", "stall_cycles"
    return markdown(["matrix", "work", "kernel", "registers", "us", "memory, %", "L2, %", "L1, %", "resident warps, %",
                     "cycles to the next instruction", "of which for loads"],
                    [[*key[:2], f"`{key[2]}`", f"{float(row['registers']):.0f}", *shorts(*(float(row[c] or "nan") for c in columns))]
                     for key, row in longest.items()])


def signs():
    """What signs of life and scaled pivots cost: times of now over those before, of the least of two runs each, or three.

    Of those that took longer there are five more runs, with their medians, since times of short launches scatter."""
    rows = []
    for name, what, columns in (("h100-strips.csv", "sweep by strips, without a call", ("lower_us", "upper_us")),
                                ("h100-signs.csv", "sweep", ("lower_us", "upper_us")),
                                ("h100-signs.csv", "factorization", ("factor_us",)),
                                ("h100-signs-ksp.csv", "apply", ("apply_us",)),
                                ("h100-signs-ksp.csv", "refactorization", ("refactor_us",)),
                                ("h100-again.csv", "sweep, again", ("lower_us", "upper_us")),
                                ("h100-again.csv", "refactorization, again", ("refactor_us",)),
                                ("h100-again-ksp.csv", "apply, again, through PETSc", ("apply_us",)),
                                ("h100-again-ksp.csv", "refactorization, again, through PETSc", ("refactor_us",))):
        typical = statistics.median if "again" in name else min
        for kind in ("double",) if name in ("h100-strips.csv", "h100-signs-ksp.csv", "h100-again-ksp.csv") else ("double", "float"):
            times = {}
            for row in plain_rows(name):
                for column in columns if row.get("type", "double") == kind else ():
                    key = row["matrix"], row["kind"], row.get("algorithm") or row["pc"], column
                    times.setdefault(key, {}).setdefault(row["machine"], []).append(float(row[column]))
            ratios = [typical(t["new"]) / typical(t["old"]) for t in times.values()]
            rows.append([what, kind, len(ratios), *shorts(geomean(ratios), max(ratios)), sum(r > 1.02 for r in ratios)])
    return markdown(["time of", "precision", "cases", "geometric mean, now over before", "most", "above 1.02"], rows)


TABLES = [
    ("sweeps", "doc/performance.md", sweeps),
    ("counters", "doc/performance.md", counters),
    ("auto", "doc/algorithms/auto.md", choices),
    ("strips", "doc/algorithms/strips.md", strips),
    ("lists", "doc/algorithms/strips.md", lists),
    ("depth-first", "doc/algorithms/strips.md", depth_first),
    ("cut", "doc/algorithms/auto.md", cut),
    ("levelset", "doc/algorithms/levelset.md", levelset),
    ("factorization", "doc/algorithms/factorization.md", factor_methods),
    ("signs", "doc/reliability.md", signs),
]
