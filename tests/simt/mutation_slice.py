"""CI's slice of the emulator, cut into units that run on their own, and the lines of the kernels that each of them executes.

A unit is all cases of an algorithm in the campaign, of one of its sizes, or one of the other programs that tests/all.py runs.  Lines are
counted once, by gcov.  A unit that does not execute a line cannot see what is wrong there, so a mutant is given only to those that do.

With MUTATION_SECONDS a call ends after that time, and the next one goes on.
"""
import glob
import hashlib
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from mutated_tree import BUILD, ROOT, TESTS, WARPS, Stopped, make, seconds_left

sys.path.insert(0, "tests")
from all import SIMT, TIMEOUT, campaign  # noqa: E402

FOLDER = f"{BUILD}/mutation"
# Atomic: the emulator does not take these counters for shared memory.
COUNTED = ["SIMT_CXX=" + os.environ["SIMT_CXX"] + " --coverage -fprofile-update=atomic", "PCC=" + os.environ["PCC"] + " --coverage"]


class Unit(NamedTuple):
    name: str
    command: tuple
    program: str  # simt/campaign

    def of(self, folder):
        """The command with the programs in another folder"""
        return [folder + part[len(TESTS):] if part.startswith(f"{TESTS}/") else part for part in self.command]


def tree():
    """Stands for all that decides what a mutant does: the kernels, the emulator and its tests"""
    digest = hashlib.sha1()
    for path in sorted(glob.glob(f"{ROOT}/**", recursive=True) + glob.glob("include/*") + glob.glob("tests/simt/**", recursive=True) +
                       glob.glob("tests/kernels/**", recursive=True) + ["tests/all.py"]):
        if os.path.isfile(path) and not os.path.basename(path).startswith("mut") and not path.endswith(".md"):
            with open(path, "rb") as stream:
                digest.update(path.encode() + b"\0" + stream.read() + b"\0")
    return digest.hexdigest()[:12]


def algorithms():
    """Of the campaign, with their variants"""
    names = subprocess.run(campaign(0, "--list"), stdout=subprocess.PIPE, text=True, check=True).stdout
    return sorted({name.split("/")[0] for name in names.splitlines()})


def units():
    for k, name in enumerate(algorithms()):
        yield Unit(f"campaign {name}", tuple(campaign(k, "--case", f"{name}/", "--first")), "simt/campaign")
    for command in SIMT:
        programs = [part for part in command if part.startswith(tuple(f"{TESTS}/{kind}/" for kind in WARPS))]
        if programs and programs[0] != campaign(0)[0]:
            program = os.path.relpath(programs[0], TESTS)
            first = ("--first",) if program.endswith("/campaign") else ()
            words = [os.path.relpath(w, TESTS) if w == programs[0] else w for w in command if w != "env"]
            yield Unit(" ".join(words), (*command, *first), program)


def run(command, limit=None, environment=None):
    """Status and output.  The run ends with its first failure, or when it runs out of time, which is one.

    The limit is processor time, so that other work on the machine is not taken for a mutant that never ends; a program that sleeps
    for ten times as long has ended, too.
    """
    output, environment, start = [], {**os.environ, **(environment or {})}, time.time()

    def give_up():
        output.append("FAIL: ran out of time\n")
        process.kill()

    left = seconds_left()
    bounded = ["prlimit", f"--cpu={math.ceil(limit)}:", *command] if limit else command
    with subprocess.Popen(bounded, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace",
                          env=environment) as process:
        clock = threading.Timer(min(10 * limit if limit else math.inf, left, threading.TIMEOUT_MAX), give_up)
        clock.start()
        for line in process.stdout:
            output.append(line)
            if line.startswith("FAIL"):
                process.kill()
        if process.wait() == -signal.SIGXCPU:
            output.append("FAIL: ran out of time\n")
        clock.cancel()
    if process.returncode and not math.isinf(left) and time.time() - start >= left:
        raise Stopped
    return process.returncode, "".join(output)


def in_all_modes(unit):
    return unit.program.endswith("/campaign") and "--mode" not in unit.command


def executed(unit):
    """Seconds, and file -> {line: whether it was executed}, of this unit on sound kernels"""
    lines, start = defaultdict(dict), time.time()
    # One mode is enough: modes differ in the order of events, hardly in the lines.
    mode = ["--mode", "random"] if in_all_modes(unit) else []
    with tempfile.TemporaryDirectory() as folder:
        status, output = run(unit.of(f"{FOLDER}/coverage") + mode, environment={"GCOV_PREFIX": folder})
        if status:
            sys.exit(f"{unit.name} fails on sound kernels:\n{output}")
        seconds = time.time() - start
        print(f"{seconds:6.1f} s  {unit.name}", flush=True)
        counts = [str(path) for path in Path(folder).rglob("*.gcda") if f"/{ROOT}/" in str(path)]
        for path in counts:
            notes = path[len(folder):-len("gcda")] + "gcno"
            os.symlink(notes, path[:-len("gcda")] + "gcno")
        text = subprocess.run(["gcov", "--json-format", "--stdout", *counts], stdout=subprocess.PIPE, check=True).stdout
    for document in filter(None, text.splitlines()):
        for file in json.loads(document)["files"]:
            path = os.path.relpath(file["file"], ROOT)
            for line in file["lines"] if not path.startswith("..") else []:
                number = line["line_number"]
                lines[path][number] = lines[path].get(number, False) or line["count"] > 0
    return seconds, lines


class Slice:
    def __init__(self, jobs):
        self.tree, self.units = tree(), list(units())
        os.makedirs(f"{FOLDER}/slice", exist_ok=True)
        # The programs take longest, so they come first: none is left alone at the end.
        missing = sorted(filter(lambda unit: not self.read(unit), self.units), key=in_all_modes)
        if missing:
            self.build(jobs)
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(self.measure, missing))
        measured = [self.read(unit) for unit in self.units]
        self.seconds = [m["seconds"] for m in measured]
        self.lines = [{file: {int(n) for n, hit in lines.items() if hit} for file, lines in m["lines"].items()} for m in measured]
        self.compiled = defaultdict(set)
        for m in measured:
            for file, lines in m["lines"].items():
                self.compiled[file] |= set(map(int, lines))

    @staticmethod
    def path(unit):
        return f"{FOLDER}/slice/{unit.name.replace('/', '.').replace(' ', '_')}.json"

    def read(self, unit):
        """What was measured before on the same sources"""
        try:
            with open(self.path(unit), encoding="utf-8") as stream:
                kept = json.load(stream)
        except FileNotFoundError:
            return None
        return kept if kept["tree"] == self.tree else None

    def build(self, jobs):
        for kind, warp in WARPS.items():
            programs = {f"{FOLDER}/coverage/{u.program}" for u in self.units if u.program.startswith(f"{kind}/")}
            wrong = make(f"-j{jobs}", f"SIMT={FOLDER}/coverage/{kind}", f"SIMT_WARP={warp}", *COUNTED, *sorted(programs))
            if wrong:
                sys.exit(wrong)

    def measure(self, unit):
        seconds, lines = executed(unit)
        path = self.path(unit)
        with open(f"{path}.new", "w", encoding="utf-8") as stream:
            json.dump({"tree": self.tree, "seconds": seconds, "lines": lines}, stream)
        os.replace(f"{path}.new", path)

    def touching(self, file, lines):
        """Units that execute one of the lines, the fastest first, with their time; all, where nothing is known of these lines"""
        known = self.compiled[file] & set(lines)
        found = [k for k in range(len(self.units)) if not known or known & self.lines[k].get(file, set())]
        return [(self.units[k], self.seconds[k]) for k in sorted(found, key=lambda k: self.seconds[k])]

    def in_campaign(self, file):
        """Lines that the campaign executes"""
        return {n for unit, lines in zip(self.units, self.lines) if unit.program == "simt/campaign" for n in lines.get(file, ())}

    @staticmethod
    def limit(unit, seconds):
        """Time for a mutant in a unit that takes so long with counters, and in one mode if that is counted; CI's is the upper limit"""
        return min(TIMEOUT, 30 + (20 if in_all_modes(unit) else 4) * seconds)
