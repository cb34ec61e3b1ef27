"""Compares what a test program printed with SyncFree with what it printed with PETSc's own factorization."""
import difflib
import re

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
TOLERANCE, TINY = 1e-4, 1e-10  # relative and absolute: a residual after many iterations is known to a few digits
UNUSED = re.compile(r"WARNING! There are options you set.*?(?:Option left: [^\n]*\n)+", re.S)  # PETSc with debugging prints these
LEFT = re.compile(r"^\[ *\d+\] *\d+ bytes VecAllocateCheck_\(\) at .*\n?", re.M)  # PETSc's vectors on a GPU leave these; a Vec leaves more
ALIKE = ("same", "rounding")
SHOWN = 12  # lines of a difference that are kept


def close(a, b):
    """Whether two numbers, as text, differ by rounding only.  Integers are counts, and do not."""
    if a == b:
        return True
    if a.lstrip("+-").isdigit() and b.lstrip("+-").isdigit():
        return False
    a, b = float(a), float(b)
    return abs(a - b) <= max(TINY, TOLERANCE * max(abs(a), abs(b)))


def close_lines(a, b):
    """Whether two lines have the same text between numbers that are close"""
    if NUMBER.sub("#", a).split() != NUMBER.sub("#", b).split():
        return False
    return all(close(x, y) for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)))


def compare(a, b):
    """("same", "rounding" or "differs", lines of the difference)"""
    a, b = (LEFT.sub("", UNUSED.sub("", text)) for text in (a, b))
    if a == b:
        return "same", []
    a, b = a.splitlines(), b.splitlines()
    if len(a) != len(b):
        # By numbers all lines would differ, and those that are too many would not show.
        a, b = ([NUMBER.sub("#", line) for line in text] for text in (a, b))
        return "differs", list(difflib.unified_diff(a, b, lineterm="", n=0))[2:SHOWN + 2]
    apart = [line for x, y in zip(a, b) if not close_lines(x, y) for line in ("-" + x, "+" + y)]
    return ("differs" if apart else "rounding"), apart[:SHOWN]
