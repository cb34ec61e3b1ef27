"""PETSc's own tests: their scripts, by PETSc's gmakegentest.py, and their programs."""
import contextlib
import fnmatch
import io
import os
import re
import shlex
import subprocess
import sys
from collections import namedtuple

AREAS = ("ksp", "mat", "snes", "ts")
SOLVERS = re.compile(r"\b(KSP|PC|SNES|TS)[A-Z]\w*\(|\bMat\w*Factor\w*\(")  # a program without these makes no factorization
TEST = namedtuple("TEST", "name script")  # "ksp/ksp/tutorials/ex2_1"
PROGRAM = namedtuple("PROGRAM", "source depends executable tests")


def fits(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


class Harness:
    """Scripts in a folder, as PETSc's own `make test` makes them"""

    def __init__(self, gentest, folder):
        sys.path.insert(0, os.path.dirname(gentest))
        import gmakegentest
        self.maker = gmakegentest.generateExamples(petsc_dir=os.environ["PETSC_DIR"], petsc_arch=os.environ["PETSC_ARCH"], testdir=folder)
        self.folder, self.sources = folder, self.maker.srcdir

    def programs(self, patterns):
        """C programs with those of their tests that this PETSc can run and whose name fits one of the patterns"""
        plain = [re.split(r"[*?[]", pattern)[0] for pattern in patterns]
        for area in AREAS:
            for root, _, files in sorted(os.walk(os.path.join(self.sources, area))):
                relative = os.path.relpath(root, self.sources)
                if not {"tests", "tutorials"} & set(relative.split("/")):
                    continue
                for file in sorted(files):
                    stem = f"{relative}/{file[:-2]}"
                    if file.endswith(".c") and any(text.startswith(stem) or stem.startswith(text) for text in plain):
                        yield from self.program(root, file, patterns)

    def program(self, root, file, patterns):
        path, found = os.path.join(root, file), {}
        with open(path, errors="replace") as source:
            if not SOLVERS.search(source.read()):
                return
        with contextlib.redirect_stdout(io.StringIO()):  # it warns of missing outputs
            self.maker.genPetscTests(root, [], [file], found)
        parsed, relative = found[root].get(file), os.path.relpath(root, self.sources)
        if not parsed or parsed["SKIP"]:
            return
        tests = [TEST(f"{relative}/{name[3:]}", f"{self.folder}/{relative}/{name}.sh") for name, test in parsed.items()
                 if isinstance(test, dict) and test.get("isrun")]
        tests = [test for test in tests if fits(test.name, patterns)]
        if tests:
            depends = [os.path.join(root, name) for name in parsed.get("depends", "").split() if name.endswith((".c", ".cxx"))]
            yield PROGRAM(path, depends, f"{self.folder}/{relative}/{file[:-2]}", tests)


def compile_c(sources, output, *flags):
    """Compiles and links with PETSc, and with what PETSc needs.  Returns the compiler's messages if that fails."""
    words = [word for name in ("PCC", "PCC_FLAGS", "CCPPFLAGS") for word in shlex.split(os.environ[name])]
    command = [*words, "-w", "-O0", *flags, "-I", os.path.dirname(sources[0]), "-o", output, *sources,
               "-Wl,--copy-dt-needed-entries", *shlex.split(os.environ["PETSC_LIBS"]), "-lstdc++", "-lm", "-ldl"]
    os.makedirs(os.path.dirname(output), exist_ok=True)
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.stderr if result.returncode else None
