"""What the tables of pages are made of: rows of bench/results and their numbers as text"""
import csv
import math
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
RESULTS = os.path.join(ROOT, "bench", "results")
PAPERS = os.path.join(ROOT, "bench", "papers")
sys.path.insert(0, PAPERS)
from results import finite, read  # noqa: E402


def rows_of(name, *columns):
    return read(os.path.join(RESULTS, name), ["matrix", *columns])


def plain_rows(name):
    with open(os.path.join(RESULTS, name), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def short(value):
    """Three digits, or all of a number that has more."""
    if math.isnan(value):
        return ""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def shorts(*values):
    return [short(v) for v in values]


def in_order(matrices):
    """Grids by stencil and size, then files by name."""
    def key(name):
        stencil, colon, sizes = name.partition(":")
        return not colon, stencil if colon else "", math.prod(map(int, re.findall(r"\d+", sizes))), name.lower()
    return sorted(matrices, key=key)


def least(values):
    return min(finite(values), default=math.nan)


def goals(what):
    """{matrix, "geometric mean" or "least": goal}, of ratios for the last two"""
    return {row["matrix"]: float(row["goal"]) for row in plain_rows("goals.csv") if row["what"] == what}


def reached(flag):
    return "yes" if flag else "**no**"
