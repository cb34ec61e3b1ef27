#!/usr/bin/env python3
"""The records of long runs, in doc/records, and the tables of pages that come from them:  make records

  records.py --take BUILD   takes over what the runs have left in the build folder
  records.py [--check]      fills in the tables; with --check a page whose table is another one is an error, and stays
"""
import csv
import os
import re
import subprocess
import sys
from collections import Counter

sys.path[:0] = ["bench/papers", "tests/simt"]
from mutation_operators import MEANING  # noqa: E402
from mutation_report import counts_of, operator_rows, rate_of, verdicts  # noqa: E402
from results import fill_tables, markdown  # noqa: E402
from suite.compare import ALIKE  # noqa: E402
from suite.verdict import CATEGORIES, read_explained  # noqa: E402

RECORDS = "doc/records"
CAMPAIGN = ["what", "commit", "mode", "first_seed", "seeds", "distinct", "steps", "failures", "seconds"]
CLIENTS = ["client", "petsc", "program", "processes", "factor"]
RELEASES = ["petsc", "indices", "scalars", "mpi"]
SUITE = ["run", "package", "category", "runs", "equal"]


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def record(name):
    return read(f"{RECORDS}/{name}.csv")


def write(name, head, rows):
    with open(f"{RECORDS}/{name}.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, head, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


# ------------------------------------------------------- what runs leave -----------------------------------------------------------------
def sums(rows, keys, columns):
    """A row for each value of the keys, with the sums of the columns"""
    found = {}
    for row in rows:
        one = found.setdefault(tuple(row[k] for k in keys), {**{k: row[k] for k in keys}, **dict.fromkeys(columns, 0)})
        for column in columns:
            one[column] += float(row[column])
    return [{k: round(v) if k in columns else v for k, v in row.items()} for row in found.values()]


def take_campaign(path, what):
    """By modes, in the place of an earlier one of this name"""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    rows = read(path)
    least = min(int(row["first_seed"]) for row in rows)
    rows = sums([{**row, "what": what, "commit": commit, "first_seed": least} for row in rows], CAMPAIGN[:4], CAMPAIGN[4:])
    write("simt-campaign", CAMPAIGN, [row for row in record("simt-campaign") if row["what"] != what] + rows)


def take_score(path):
    """The sample that was drawn last"""
    rows = read(path)
    last = rows[-1]["seed"], rows[-1]["tree"]
    write("mutation-score", list(rows[0]), [row for row in rows if (row["seed"], row["tree"]) == last])


def take_suite(path, run):
    """By packages and categories"""
    found = {}
    for row in read(path):
        counts = found.setdefault((row["test"].partition("/")[0], row["category"]), Counter())
        counts.update(runs=1, equal=int((row["solves_petsc"], row["iterations_petsc"]) == (row["solves"], row["iterations"])))
    rows = [dict(zip(SUITE, (run, *key, counts["runs"], counts["equal"]))) for key, counts in sorted(found.items())]
    write("petsc-suite", SUITE, [row for row in record("petsc-suite") if row["run"] != run] + rows)


def merged(name, path, keys):
    """Rows of a record and of a run; of those with the same keys the last one counts"""
    return list({tuple(row[k] for k in keys): row for row in record(name) + read(path)}.values())


def take_clients(path):
    rows = merged("clients", path, CLIENTS)
    write("clients", list(rows[0]), sorted(rows, key=lambda row: row["client"]))


def take_releases(path):
    """Of one PETSc"""
    rows = merged("releases", path, RELEASES)
    rows.sort(key=lambda row: ([int(n) for n in re.findall(r"\d+", row["petsc"])], row["scalars"] == "complex", row["indices"]))
    write("releases", list(rows[0]), rows)


def take(build):
    for name in ("petsc", "petsc64", "petsc-complex"):
        if os.path.exists(f"{build}/tests/releases/{name}/releases.csv"):
            take_releases(f"{build}/tests/releases/{name}/releases.csv")
    host = {"int64": "64-bit indices", "complex": "complex scalars"}.get(os.path.basename(build), "host")
    for path, function, *arguments in [("clients.csv", take_clients), ("simt-campaign.csv", take_campaign, "all"),
                                       ("mutation/score.csv", take_score),
                                       ("tests/suite/petsc-suite.csv", take_suite, host),
                                       ("tests/suite-gpu/petsc-suite.csv", take_suite, "GPU" if host == "host" else f"{host}, GPU")]:
        if os.path.exists(f"{build}/{path}"):
            function(f"{build}/{path}", *arguments)


# ------------------------------------------------------- tables --------------------------------------------------------------------------
def campaign():
    rows = record("simt-campaign")
    total = [{**row, "mode": "all"} for row in sums(rows, ["what", "commit"], CAMPAIGN[4:])]
    lines = [[row["what"], row["commit"], row["mode"], f"{int(row['seeds']):,}", f"{int(row['distinct']):,}",
              f"{float(row['steps']) / 1e9:.1f} billion", int(row["failures"]), f"{60 * float(row['seeds']) / float(row['seconds']):,.0f}"]
             for row in [row for row in rows if row["what"] == "all"] + total]
    return markdown(["cases", "commit", "mode", "runs", "distinct schedules", "steps", "failures", "runs a minute and core"], lines)


def mutants():
    rows = record("mutants")
    seen = Counter()
    for row in rows:
        first, program = "first result" in row["seen by"], row["seen by"].startswith("kernels/")
        seen["the first schedule of a case" if first else "a kernel test" if program else row["seen by"] or "**nothing**"] += 1
    return markdown(["seen by", "mutants"], [*sorted(seen.items(), key=lambda pair: -pair[1]), ["all", len(rows)]])


def rate():
    return f"Caught by CI's slice: {rate_of(counts_of(record('mutation-score'), verdicts()))}.\n"


def score():
    return rate() + "\n" + markdown(*operator_rows(record("mutation-score"), MEANING))


def suite():
    rows, lines = record("petsc-suite"), []
    categories = [c for c in CATEGORIES if any(row["category"] == c for row in rows) or c == "unexplained"]
    for run in dict.fromkeys(row["run"] for row in rows):
        for package in [*sorted({row["package"] for row in rows}), "all"]:
            inside = [row for row in rows if row["run"] == run and package in (row["package"], "all")]
            if not inside:
                continue
            counts = Counter()
            for row in inside:
                counts[row["category"]] += int(row["runs"])
            alike = sum(int(row["equal"]) for row in inside if row["category"] in ALIKE)
            lines.append([run, package, sum(counts.values()), alike, *(counts[category] for category in categories)])
    return markdown(["run", "tests of", "runs", "equal sums", *categories], lines)


def releases():
    """Runs on a GPU are a column beside the run on the host with the same MPI"""
    lines = {}
    for row in record("releases"):
        line = lines.setdefault((row["petsc"], f"{row['indices']} bits", row["scalars"], row["mpi"]), ["not run", "not run", []])
        programs = ", ".join(f"{row[f'programs_{what}']} {what}" for what in ("passed", "failed", "skipped") if row[f"programs_{what}"])
        if row["gpu"]:
            line[2].append(f"{row['gpu']}: {programs}")
        else:
            line[:2] = f"{row['check_passed']} passed, {row['check_failed']} failed", programs
    return markdown(["PETSc", "indices", "scalars", "MPI", "`make check`", "`tests/petsc`", "`tests/petsc` on a GPU"],
                    [[*key, check, host, "; ".join(gpu) or "not run"] for key, (check, host, gpu) in lines.items()])


def clients():
    lines = [[f"{row['client']} {row['version']}", row["program"], row["petsc"], row["factor"], row["processes"], row["solves"], row["own"],
              row["syncfree"]] for row in record("clients")]
    return markdown(["client", "program", "PETSc", "factorization", "processes", "solves", "iterations: PETSc's own", "SyncFree"], lines)


def categories():
    return markdown(["category", "meaning"], CATEGORIES.items())


def reasons():
    """Of explained.txt, each once, with its tests"""
    found = {}
    for line in read_explained("tests/suite/explained.txt"):
        found.setdefault((line.category, line.reason), []).append("all" if line.tests == "*" else f"`{line.tests}`")
    return markdown(["category", "tests", "reason"], [[category, ", ".join(dict.fromkeys(tests)), reason]
                                                      for (category, reason), tests in sorted(found.items())])


TABLES = [
    ("campaign", "doc/reliability.md", campaign),
    ("mutants", "doc/records/mutants.md", mutants),
    ("mutation-rate", "doc/reliability.md", rate),
    ("mutation-score", "doc/records/mutation-score.md", score),
    ("petsc-suite", "doc/records/petsc-suite.md", suite),
    ("categories", "doc/records/petsc-suite.md", categories),
    ("releases", "doc/manual.md", releases),
    ("clients", "doc/using/README.md", clients),
    ("reasons", "doc/records/petsc-suite.md", reasons),
]


def main(what="", build=""):
    if what == "--take":
        take(build)
    return fill_tables(TABLES, what == "--check")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
