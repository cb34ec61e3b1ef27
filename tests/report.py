"""Counts cases, and ends in the line that tests/all.py adds up."""
import os
import re
import subprocess
import sys

TESTS = os.environ.get("SYNCFREE_TESTS", "build/tests")
PLUGIN = os.environ.get("SYNCFREE_LIB", os.path.abspath("build/lib/libpetscsyncfree.so"))
MPIEXEC = os.environ.get("MPIEXEC", "mpiexec").split()  # PETSc's may have options

LAST_LINE = re.compile(r"^\S.*?: (\d+) passed, (\d+) failed, (\d+) skipped$")


def have_gpu():
    """As found by the makefile, or by nvidia-smi when a script is run without it."""
    if "SYNCFREE_GPU" in os.environ:
        return bool(os.environ["SYNCFREE_GPU"])
    try:
        return "GPU" in subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return False


class Report:
    """One group of cases."""

    def __init__(self, name):
        self.name, self.passed, self.failed, self.skipped = name, 0, 0, 0

    def case(self, name, good, details=""):
        if good:
            self.passed += 1
            return
        self.failed += 1
        print(f"FAIL {name}")
        for line in details.strip().splitlines()[-30:]:
            print("     " + line)
        sys.stdout.flush()

    def skip(self, name, count=1):
        self.skipped += count
        print(f"SKIP {name}")

    def finish(self):
        print(f"{self.name}: {self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        sys.exit(1 if self.failed or not self.passed + self.skipped else 0)
