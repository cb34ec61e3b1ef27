"""What the differences mean, and the tables of them.

explained.txt has a line for each known difference:  tests | face | outcome | category | text | reason.  Tests are a pattern of names;
face and outcome are as in launch.py, or "*"; text stands in the details of the run, or the line does not apply.
"""
import csv
import fnmatch
import json
import os
from collections import Counter, namedtuple

from .compare import ALIKE

CATEGORIES = {
    "same": "every character the same",
    "rounding": "numbers differ by rounding",
    "unstable": "PETSc's own output differs from run to run",
    "restriction": "SyncFree does not do this, and says so",
    "petsc": "PETSc or the program decides before SyncFree is asked",
    "vectors": "vectors of the host with a matrix of the GPU, whose products in PETSc are wrong unless PETSc has debugging",
    "own": "PETSc's own run does not print what the test wants, the one with SyncFree does",
    "order": "PETSc's own digits change as much where it adds the same terms in another order: `-mat_no_inode`, or the host for the GPU",
    "suite": "the program prints what was added to run it",
    "defect": "known to be SyncFree's defect",
    "unexplained": "makes the target fail",
}
LINE = namedtuple("LINE", "tests face outcome category text reason")
CASE = namedtuple("CASE", "test record face run category reason")


def read_explained(name):
    with open(name) as file:
        lines = [LINE(*map(str.strip, line.split("|"))) for line in file if line.strip() and not line.startswith("#")]
    unknown = [line for line in lines if line.category not in CATEGORIES]
    if unknown:
        raise ValueError(f"{name}: unknown category {unknown[0].category}")
    return lines


def applies(line, test, face, run):
    return (fnmatch.fnmatchcase(test, line.tests) and line.face in ("*", face) and line.outcome in ("*", run["outcome"])
            and line.text in "\n".join(run["details"]))


def read_records(folder):
    """{test: [record of each run of its program]}"""
    found = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".json"):
            with open(os.path.join(folder, name)) as file:
                found[name[:-5].replace("+", "/")] = [json.loads(line) for line in file]
    return found


def cases_of(records, explained):
    """A CASE for each run with SyncFree"""
    for test, lines in records.items():
        for record in lines:
            for face, run in record.get("faces", {}).items():
                known = [line for line in explained if applies(line, test, face, run)]
                if run["outcome"] in ALIKE or run["outcome"] == "unstable":
                    yield CASE(test, record, face, run, run["outcome"], "")
                elif known:
                    yield CASE(test, record, face, run, known[0].category, known[0].reason)
                elif record.get("vectors") and run["outcome"] != "crash":
                    yield CASE(test, record, face, run, "vectors", "")
                elif run.get("expected") and not run["reference_expected"]:
                    yield CASE(test, record, face, run, "own", "")
                else:
                    yield CASE(test, record, face, run, "unexplained", "")


def directory_of(test):
    return test.rpartition("/")[0]


def write_csv(cases, name):
    with open(name, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow("test combination processes face outcome category solves_petsc iterations_petsc solves iterations".split())
        for case in cases:
            out.writerow([case.test, case.record["combination"], case.record["processes"], case.face, case.run["outcome"], case.category,
                          *case.record["solves"], *case.run["solves"]])


def directory_table(records, cases):
    yield "| directory | tests | with a factorization | runs with SyncFree | " + " | ".join(CATEGORIES) + " |"
    yield "|---|" + "---|" * (3 + len(CATEGORIES))
    for directory in [*sorted({directory_of(test) for test in records}), "all"]:
        inside = [case for case in cases if directory in (directory_of(case.test), "all")]
        counts = Counter(case.category for case in inside)
        tests = [test for test in records if directory in (directory_of(test), "all")]
        yield (f"| {directory} | {len(tests)} | {len({case.test for case in inside})} | {len(inside)} | "
               + " | ".join(str(counts[category]) for category in CATEGORIES) + " |")


def difference_table(cases):
    """A line for each reason, with the tests that have it"""
    reasons = {}
    for case in cases:
        if case.category not in ALIKE or case.reason:
            reasons.setdefault((case.category, case.reason), {}).setdefault(case.test, set()).add(case.face)
    yield "| category | tests | faces | runs | reason |"
    yield "|---|---|---|---|---|"
    for (category, reason), tests in sorted(reasons.items()):
        count = sum((case.category, case.reason) == (category, reason) for case in cases)
        faces = ", ".join(sorted(set.union(*tests.values())))
        yield f"| {category} | {', '.join(sorted(tests))} | {faces} | {count} | {reason} |"


def write_tables(records, cases, name):
    lines = [record for test in records.values() for record in test]
    skipped = Counter(record["skip"] for record in lines if "skip" in record)
    alike = [case for case in cases if case.category in ALIKE]
    counted = sum(case.record["solves"] == case.run["solves"] for case in alike)
    ranks = Counter(case.record["processes"] for case in cases)
    with open(name, "w") as file:
        out = lambda text="": print(text, file=file)
        out("\n".join(directory_table(records, cases)))
        out()
        out("Runs with SyncFree by processes: " + ", ".join(f"{count} on {rank}" for rank, count in sorted(ranks.items())) + ".")
        out(f"Of the {len(alike)} that print the same up to rounding, {counted} have the same sums of linear solves and of iterations.")
        left_out = ", ".join(f"{count} ({why})" for why, count in sorted(skipped.items()))
        out(f"Combinations of options left out: {left_out or 'none'}.")
        out()
        out("\n".join(difference_table(cases)))
        out()
        for category, meaning in CATEGORIES.items():
            out(f"- {category}: {meaning}")
