"""The rate of detection of mutation_score.py: its estimate with an interval, a table by operators, and the survivors."""
import csv
from collections import Counter
from math import sqrt

VERDICTS = "doc/records/mutation-survivors.csv"  # file, before, after, occurrence, verdict, reason
CAUGHT, SURVIVED, SAME, REFUSED = "caught", "survived", "same code", "not compiled"


def wilson(hits, count, z=1.96):
    """The interval of 95 % for a probability of which so many of so many independent draws were hits"""
    if not count:
        return 0.0, 1.0
    p, square = hits / count, z * z
    middle, half = p + square / (2 * count), z * sqrt(p * (1 - p) / count + square / (4 * count * count))
    return (middle - half) / (1 + square / count), (middle + half) / (1 + square / count)


def key_of(row):
    return row["file"], row["before"], row["after"], row["occurrence"]


def verdicts():
    """Of each survivor that was judged: `equivalent`, or `test`, one that is needed"""
    try:
        with open(VERDICTS, newline="", encoding="utf-8") as stream:
            return {key_of(row): row for row in csv.DictReader(stream)}
    except FileNotFoundError:
        return {}


def is_equivalent(row, judged):
    return row["result"] == SURVIVED and judged.get(key_of(row), {}).get("verdict") == "equivalent"


def counts_of(rows, judged):
    """A survivor that was judged equivalent counts as one, any other as not caught"""
    counts = Counter(row["result"] for row in rows)
    counts["equivalent"] = sum(is_equivalent(row, judged) for row in rows)
    counts[SURVIVED] -= counts["equivalent"]
    return counts


def rate_of(counts):
    hits, count = counts[CAUGHT], counts[CAUGHT] + counts[SURVIVED]
    low, high = wilson(hits, count)
    return f"{100 * hits / max(1, count):.1f} % ({hits} of {count}; 95 % interval {100 * low:.1f} to {100 * high:.1f} %)"


def code(text):
    """As code in a table, whose columns end at bars"""
    return "`" + text.replace("|", "\\|") + "`"


def report(rows, meaning):
    """Lines of Markdown"""
    judged = verdicts()
    counts = counts_of(rows, judged)
    hours = sum(float(row["seconds"]) for row in rows) / 3600
    lines = [f"Caught by CI's slice: {rate_of(counts)}", "",
             f"{counts[CAUGHT]} caught, {counts[SURVIVED]} survived, {counts['equivalent']} judged equivalent, {counts[SAME]} with the",
             f"same code, {counts[REFUSED]} that did not compile and were drawn again; {hours:.1f} hours of runs", "",
             "| operator | caught | survived | equivalent | same code | not compiled |", "|---|---|---|---|---|---|"]
    for operator, what in meaning.items():
        c = counts_of([row for row in rows if row["operator"] == operator], judged)
        if sum(c.values()):
            lines.append(f"| {operator}: {what} | {c[CAUGHT]} | {c[SURVIVED]} | {c['equivalent']} | {c[SAME]} | {c[REFUSED]} |")
    lines += ["", "| survivor | operator | verdict |", "|---|---|---|"]
    seen = set()
    for row in rows:
        key = key_of(row)
        if row["result"] == SURVIVED and key not in seen:
            seen.add(key)
            verdict = f"{judged[key]['verdict']}: {judged[key]['reason']}" if key in judged else "**not judged**"
            change = f"{code(row['before'])} → {code(row['after'])}"
            lines.append(f"| `{row['file']}:{row['line']}` {change} | {row['operator']} | {verdict} |")
    return lines
