#!/usr/bin/env python3
"""PETSc's own tests of ksp, mat, snes and ts, with SyncFree in the place of PETSc's incomplete factorizations:  make petsc-suite

PETSc's harness runs each test, with suite/launch.py in the place of mpiexec: it runs the program with PETSc's own factorizations and, if
there were any, with SyncFree's, and compares what is printed.  A difference that suite/explained.txt does not explain is a failure.

A run that was stopped goes on where it was.  The tables go to petsc-suite.md and petsc-suite.csv in the folder.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import time

from report import MPIEXEC, PLUGIN, TESTS, Report
from suite.compare import ALIKE
from suite.harness import Harness, compile_c, fits
from suite.verdict import applies, cases_of, read_explained, read_records, write_csv, write_tables

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "suite")
GPU = "-mat_type aijcusparse -vec_type cuda -dm_mat_type aijcusparse -dm_vec_type cuda"
ALL = ["*"]
TEST_LIMIT = 1800  # seconds for one test, all its combinations of options and faces


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slice", action="store_true", help="the tests in suite/slice.txt only, all of them anew")
    parser.add_argument("--fresh", action="store_true", help="forgets the tests that have been run")
    parser.add_argument("--options", default="", help="given to all runs, before the options of the test, so that these are stronger")
    parser.add_argument("--folder", help="for scripts, programs, records and tables (default: in the build folder)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs at a time")
    parser.add_argument("--gpu", action="store_true", help="--options " + GPU)
    parser.add_argument("tests", nargs="*", help="tests such as ksp/ksp/tutorials/ex2_1, or patterns such as \"ksp/pc/*\" (default: all)")
    return parser.parse_args()


def environment(options, folder):
    """Of the scripts.  MPICH: processes that wait give their processor away."""
    return dict(os.environ, PETSCMPIEXEC=f"{sys.executable} {HERE}/launch.py", PETSCDIFF="true", MPIEXEC=" ".join(MPIEXEC),
                SYNCFREE_LIB=PLUGIN, SUITE_PRELOAD=f"{folder}/factors.so", SUITE_OPTIONS=options,
                OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1",
                MPIR_CVAR_CH4_PROGRESS_THROTTLE="1", MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT="10")


class Suite:
    """The tests of one folder"""

    def __init__(self, folder, options):
        self.folder, self.records = folder, folder + "/records"
        self.environment = environment(options, folder)
        os.makedirs(self.records, exist_ok=True)
        self.keep_options(options)

    def keep_options(self, options):
        """Records of other options are not mixed with these."""
        name = self.folder + "/options"
        if not os.path.exists(name):
            with open(name, "w") as file:
                file.write(options)
        with open(name) as file:
            if file.read() != options:
                sys.exit(f"{self.folder} has tests that were run with other options: --fresh forgets them, --folder leaves them")

    def record(self, test):
        return f"{self.records}/{test.name.replace('/', '+')}.json"

    @staticmethod
    def expected(test):
        """The file with the output that the test wants, as its script names it"""
        with open(test.script) as file:
            found = re.search(r"\S+/output/\S+\.out\b", file.read())
        return {"SUITE_EXPECTED": found[0]} if found and os.path.exists(found[0]) else {}

    def run_test(self, test):
        """Whether the test has ended by itself; only then its record has its name."""
        unfinished = self.record(test) + ".part"
        if os.path.exists(unfinished):
            os.remove(unfinished)
        open(unfinished, "w").close()
        with open(self.record(test)[:-5] + ".log", "w") as log:
            status = subprocess.run(["timeout", "-k", "10", str(TEST_LIMIT), "bash", test.script], stdin=subprocess.DEVNULL, stdout=log,
                                    stderr=subprocess.STDOUT, env={**self.environment, **self.expected(test), "SUITE_RECORD": unfinished},
                                    check=False).returncode
        shutil.rmtree(test.script[:-3], ignore_errors=True)
        shutil.rmtree(test.script[:-3] + ".run", ignore_errors=True)
        if 0 <= status < 124:
            os.replace(unfinished, self.record(test))
        return 0 <= status < 124

    def run_program(self, program):
        """(program, {what failed: messages})"""
        todo = [test for test in program.tests if not os.path.exists(self.record(test))]
        if not todo:
            return program, {}
        messages = compile_c([program.source, *program.depends], program.executable)
        if messages is not None:
            return program, {f"{program.source} compiles": messages}
        ended = {test.name: self.run_test(test) for test in todo}
        os.remove(program.executable)
        return program, {f"{name} ends within {TEST_LIMIT} s": "" for name, good in ended.items() if not good}


def run_all(suite, programs, jobs, report):
    start = time.time()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = [pool.submit(suite.run_program, program) for program in programs]
        for count, future in enumerate(concurrent.futures.as_completed(running), 1):
            program, failures = future.result()
            for what, messages in failures.items():
                report.case(what, False, messages)
            print(f"{time.time() - start:6.0f} s, {count} of {len(running)} programs: {program.tests[0].name} and its like", flush=True)


def judge(suite, patterns, report):
    """Counts each run with SyncFree, and writes the tables."""
    explained = read_explained(HERE + "/explained.txt")
    records = {test: lines for test, lines in read_records(suite.records).items() if fits(test, patterns)}
    cases = list(cases_of(records, explained))
    for case in cases:
        details = [f"{case.record['processes']} processes: {case.record['arguments']}", *case.run["details"]]
        report.case(f"{case.test}, combination {case.record['combination']}, {case.face}: {case.run['outcome']}",
                    case.category != "unexplained", "\n".join(details))
    for pattern in patterns:
        if not any(fits(case.test, [pattern]) for case in cases):
            report.case(f"{pattern}: has incomplete factorizations", False, "no test of this name that PETSc can run here has")
    if patterns == ALL:
        for line in explained:
            if not any(case.run["outcome"] not in ALIKE and applies(line, case.test, case.face, case.run) for case in cases):
                print(f"explained.txt explains nothing here: {' | '.join(line)}")
    write_csv(cases, suite.folder + "/petsc-suite.csv")
    write_tables(records, cases, suite.folder + "/petsc-suite.md")


def main():
    options = arguments()
    report = Report("petsc_suite")
    gentest = os.environ.get("SYNCFREE_GENTEST")
    if not gentest:
        report.skip("PETSc was installed without its tests")
        report.finish()
    folder = os.path.abspath(options.folder or f"{TESTS}/suite{'-slice' if options.slice else ''}{'-gpu' if options.gpu else ''}")
    if options.slice or options.fresh:
        shutil.rmtree(folder, ignore_errors=True)
    patterns = options.tests or ALL
    if options.slice:
        with open(HERE + "/slice.txt") as file:
            patterns = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    suite = Suite(folder, (GPU + " " if options.gpu else "") + options.options)
    messages = compile_c([HERE + "/factors.c"], folder + "/factors.so", "-shared")
    if messages is None:
        run_all(suite, list(Harness(gentest, folder).programs(patterns)), options.jobs, report)
        judge(suite, patterns, report)
    else:
        report.case("factors.c compiles", False, messages)
    report.finish()


main()
