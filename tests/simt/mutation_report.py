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


def operator_rows(rows, meaning):
    """The head and the rows of a table"""
    judged, found = verdicts(), []
    columns = [CAUGHT, SURVIVED, "equivalent", SAME, REFUSED]
    for operator, what in [*meaning.items(), ("all", "")]:
        counts = counts_of([row for row in rows if operator in (row["operator"], "all")], judged)
        if sum(counts.values()):
            found.append([f"`{operator}`" if what else operator, what, *(counts[column] for column in columns)])
    return ["operator", "change", *columns], found


def report(rows, meaning):
    """Lines of Markdown"""
    judged = verdicts()
    head, lines = operator_rows(rows, meaning)
    lines = [f"Caught by CI's slice: {rate_of(counts_of(rows, judged))}", "",
             *("| " + " | ".join(map(str, line)) + " |" for line in (head, ["---"] * len(head), *lines)), "",
             "| survivor | operator | verdict |", "|---|---|---|"]
    seen = set()
    for row in rows:
        key = key_of(row)
        if row["result"] == SURVIVED and key not in seen:
            seen.add(key)
            verdict = f"{judged[key]['verdict']}: {judged[key]['reason']}" if key in judged else "**not judged**"
            change = f"{code(row['before'])} → {code(row['after'])}"
            lines.append(f"| `{row['file']}:{row['line']}` {change} | {row['operator']} | {verdict} |")
    return lines
