#!/usr/bin/env python3
"""Prints how large the project is, beside its limits:  make size

A figure above a limit that holds fails; of the others the last column says so.
"""
import glob
import os
import re
import subprocess
import sys

# Lines that were asked for of the 18836 before PETSc's releases, blocks, complex numbers and columns, which brought the rest of 26037: the
# same part of all
LINES = 16900 * 26037 // 18836
# what: limit, and whether it holds by now; None: there is no limit
LIMITS = {
    "lines of src and include": (LINES, True),
    "files of src/pc": (12, True),
    "lines of the largest file of src and include": (400, True),
    "lines of the largest program or script of tests": (400, True),
    "lines of the longest function of src": (60, True),
    "words of README": (1000, True),
    "words of doc, without generated tables": (35000, True),
    "words of the largest page of doc, without generated tables": (1500, True),
    "words of doc/records, without generated tables": (3500, True),
    "bytes of doc/records": (300000, True),
    "lines of tests/simt/mutants.py": (260, True),
    "committed files": (None, False),
}
GENERATED = ("doc/options.md",)  # pages that a program writes as a whole
PROGRAMS = (".c", ".cc", ".cu", ".h", ".py", ".sh", ".mk", ".F90")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def files(*folders):
    return sorted(path for folder in folders for path in glob.glob(f"{folder}/**", recursive=True) if os.path.isfile(path))


def length(path):
    return read(path).count("\n")


def largest(size, paths):
    return max((size(path), path) for path in paths)


def longest_function(paths):
    """A body begins with a brace alone on its line, and ends with the one below it; the line in front counts, too"""
    bodies = [(match.group().count("\n") + 2, path) for path in paths
              for match in re.finditer(r"^( *)\{\n(?:.*\n)*?\1\}", read(path), re.M)]
    return max(bodies)


def words(paths):
    text = "\n".join(read(path) for path in paths if path.endswith(".md") and not path.startswith(GENERATED))
    return len(re.sub(r"<!-- begin (\S+) -->.*?<!-- end \1 -->", "", text, flags=re.S).split())


def committed():
    try:
        return len(subprocess.run(["git", "ls-files"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout.splitlines())
    except (OSError, subprocess.CalledProcessError):
        return "?"


def figures():
    """What: its figure, and where that is"""
    code, records = files("src", "include"), files("doc/records")
    tests = [path for path in files("tests") if path.endswith(PROGRAMS)]
    values = [(sum(map(length, code)), ""), (len(files("src/pc")), ""), largest(length, code), largest(length, tests),
              longest_function(files("src")), (words(["README.md"]), ""), (words(files("doc")), ""),
              largest(lambda page: words([page]), files("doc")), (words(records), ""), (sum(map(os.path.getsize, records)), ""),
              (length("tests/simt/mutants.py"), ""), (committed(), "")]
    return dict(zip(LIMITS, values))


def main():
    failed = 0
    for what, (value, where) in figures().items():
        limit, holds = LIMITS[what]
        above = limit is not None and value > limit
        state = "" if limit is None else "TOO LARGE" if above and holds else "not yet" if above else "ok"
        failed += state == "TOO LARGE"
        print(f"{what:58} {value:>8} {'' if limit is None else f'of {limit}':>10}  {state:10}{where}".rstrip())
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
