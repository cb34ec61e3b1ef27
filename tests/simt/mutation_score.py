#!/usr/bin/env python3
"""Samples small changes of the kernels and counts how many CI's slice of the emulator catches:  make mutation-score

  mutation_score.py [SAMPLE [SEED [OPERATORS]]]

Each draw takes an operator, all equally likely, then one of its mutants, all equally likely, independently of other draws.  So the part
that is caught estimates, without bias, the probability that CI sees a mutant drawn like this, and its interval is the binomial one.  A
mutant that does not compile is drawn again, by the same operator.  One whose objects are the same is equivalent and never runs.

BUILD/mutation/score.csv has a line for each mutant, and a run that was stopped goes on behind them, or else behind those of
doc/records/mutation-score.csv, unless kernels or tests have changed.  A run that MUTATION_SECONDS ends notes the units that its last
mutants have passed.
doc/records/mutation-survivors.csv has the verdicts on survivors; one without a verdict counts as not caught, one judged equivalent is not
run again.
"""
import csv
import glob
import json
import os
import random
import re
import resource
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from mutated_tree import ROOT, TESTS, WARPS, Stopped, Tree, reason
from mutation_operators import MEANING, mutants
from mutation_report import CAUGHT, REFUSED, SAME, SURVIVED, is_equivalent, report, verdicts
from mutation_slice import FOLDER, Slice, run

FIELDS = ["number", "seed", "tree", "file", "line", "operator", "before", "after", "occurrence", "result", "by", "mode", "seen", "seconds"]
RECORD = "doc/records/mutation-score.csv"
MEMORY = 8 << 30  # bytes for a program, which a mutant may ask for without end


def shown(source, mutant):
    """The lines of the change, before and after, and which of several equal ones of the file they are: numbers of lines do not last"""
    first, last = source.text.rfind("\n", 0, mutant.start) + 1, source.text.find("\n", mutant.end)
    before = source.text[first:last]
    after = source.text[first:mutant.start] + mutant.text + source.text[mutant.end:last]
    return {"before": " ".join(before.split()), "after": " ".join(after.split()),
            "occurrence": str(source.text.count(before.strip(), 0, first) + 1)}


def population(cut, names):
    """operator -> mutants, and the sources.  Of the host's files only what the campaign executes: set-up and launches."""
    files = [os.path.relpath(path, ROOT) for path in sorted(glob.glob(f"{ROOT}/**/*.[ch]*", recursive=True)) if "/hip/" not in path]
    found, sources = mutants(files)
    run_here = {file: cut.in_campaign(file) for file in files}

    def counts(mutant):
        lines = sources[mutant.file].lines_around(mutant.start, mutant.end)
        return mutant.file.endswith((".cu", ".cuh")) or run_here[mutant.file].intersection(lines)

    return {name: list(filter(counts, found[name])) for name in names}, sources


def stripped(path):
    """An object without what only debuggers read"""
    target = f"{path}.stripped"
    subprocess.run(["strip", "-g", "-o", target, path], check=True)
    with open(target, "rb") as stream:
        return stream.read()


def changed(tree):
    """Whether an object differs from the sound one; None: one does not compile"""
    for kind in WARPS:
        objects = tree.copy_objects(kind)
        if objects and tree.make(*objects):
            return None
        if any(stripped(f"{tree.folder}/{path}") != stripped(f"{TESTS}/{path}") for path in objects):
            return True
    return False


def judge(cut, tree, lines, passed):
    """What becomes of a mutant: result, unit, mode, and the first failure.  Units that it has passed are added to the list."""
    difference = changed(tree)
    if not difference:
        return (REFUSED if difference is None else SAME), "", "", ""
    for unit, seconds in cut.touching(tree.file, lines):
        if unit.name in passed:
            continue
        wrong = tree.make(unit.program)
        if wrong:
            return REFUSED, unit.name, "", wrong.strip().splitlines()[-1]
        status, output = run(unit.of(tree.folder), cut.limit(unit, seconds))
        if status:
            mode = re.search(r"^FAIL[^\n]*, mode (\w+)", output, re.M)
            return CAUGHT, unit.name, mode.group(1) if mode else "", "ran out of time" if "ran out of time" in output else reason(output)
        passed.append(unit.name)
    return SURVIVED, "", "", ""


class Score:
    def __init__(self, sample, seed, jobs, names):
        self.sample, self.seed, self.jobs, self.lock = sample, seed, jobs, threading.Lock()
        self.cut = Slice(jobs)
        self.population, self.sources = population(self.cut, names)
        self.path = f"{FOLDER}/score.csv"
        with open(self.path if os.path.exists(self.path) else RECORD, newline="", encoding="utf-8") as stream:
            self.rows = [row for row in csv.DictReader(stream) if row["tree"] == self.cut.tree]
        self.write()

    def write(self):
        """The lines are kept in the order of their numbers"""
        self.rows.sort(key=lambda row: (int(row["seed"]), int(row["number"])))
        with open(f"{self.path}.new", "w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows)
        os.replace(f"{self.path}.new", self.path)

    def known(self, row):
        """What became of this mutant in another draw"""
        same = ("file", "line", "operator", "before", "after")
        with self.lock:
            return next((other for other in self.rows if all(str(row[k]) == other[k] for k in same)), None)

    @staticmethod
    def judged_before(row):
        """One that was judged equivalent takes longest to run, and counts for nothing"""
        survivor = {**row, "result": SURVIVED}
        return {**survivor, "by": "", "mode": "", "seen": "judged before"} if is_equivalent(survivor, verdicts()) else None

    def note(self, row):
        with self.lock:
            self.rows.append({k: str(v) for k, v in row.items()})
            self.write()
            done = len({r["number"] for r in self.rows if r["seed"] == str(self.seed) and r["result"] != REFUSED})
        change = f"{row['file']}:{row['line']} {row['operator']}: {row['before']}  ->  {row['after']}"
        by = f"  ({row['by']}; {row['seen']})" if row["by"] else ""
        print(f"{done}/{self.sample}  {row['result']}, {row['seconds']} s: {change}{by}", flush=True)

    def run(self, row, mutant, source):
        """Result, unit, mode, failure and seconds; goes on where a call was stopped"""
        mutated, start, path = mutant.source(source.text), time.time(), f"{FOLDER}/{row['number']}.json"
        state = {"file": mutant.file, "text": mutated, "passed": [], "seconds": 0}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as stream:
                kept = json.load(stream)
            state = kept if (kept["file"], kept["text"]) == (mutant.file, mutated) else state
        tree = Tree(f"{FOLDER}/{row['number']}", mutant.file, mutated)
        try:
            result = judge(self.cut, tree, source.lines_around(mutant.start, mutant.end), state["passed"])
        except Stopped:
            with open(path, "w", encoding="utf-8") as stream:
                json.dump({**state, "seconds": state["seconds"] + time.time() - start}, stream)
            raise
        finally:
            tree.remove()
        if os.path.exists(path):
            os.remove(path)
        return *result, round(state["seconds"] + time.time() - start, 1)

    def one(self, number, mutant):
        source = self.sources[mutant.file]
        row = {"number": number, "seed": self.seed, "tree": self.cut.tree, "file": mutant.file, "line": source.line(mutant.start),
               "operator": mutant.operator, **shown(source, mutant)}
        known = self.judged_before(row) or self.known(row)
        if known:
            return {**row, **{k: known[k] for k in ("result", "by", "mode", "seen")}, "seconds": 0}
        return {**row, **dict(zip(("result", "by", "mode", "seen", "seconds"), self.run(row, mutant, source)))}

    def draw(self, number):
        """The same for the same seed, whatever was drawn before"""
        dice = random.Random(f"{self.seed}/{number}")
        sites = self.population[dice.choice(sorted(name for name, sites in self.population.items() if sites))]
        while True:
            row = self.one(number, dice.choice(sites))
            self.note(row)
            if row["result"] != REFUSED:
                return

    def of_sample(self):
        return [row for row in self.rows if row["seed"] == str(self.seed) and int(row["number"]) < self.sample]

    def main(self):
        print(f"{sum(map(len, self.population.values()))} mutants: " + ", ".join(f"{k} {len(v)}" for k, v in self.population.items()))
        done = {int(row["number"]) for row in self.of_sample() if row["result"] != REFUSED}
        self.rows = [row for row in self.rows if row["result"] != REFUSED or int(row["number"]) in done or row["seed"] != str(self.seed)]
        with ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(self.draw, (k for k in range(self.sample) if k not in done)))
        text = "\n".join(report(self.of_sample(), MEANING))
        with open(f"{FOLDER}/score.md", "w", encoding="utf-8") as stream:
            stream.write(text + "\n")
        print(text)


def main(sample="300", seed="1", names=""):
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    jobs = int(os.environ.get("MUTATION_JOBS") or os.cpu_count())
    try:
        Score(int(sample), int(seed), jobs, names.split() or list(MEANING)).main()
    except Stopped:
        print("the time is over: the next call goes on")


if __name__ == "__main__":
    main(*sys.argv[1:])
