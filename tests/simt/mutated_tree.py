"""A tree of the kernels with one file changed, and the emulator's programs of it, in seconds: unchanged objects are copied."""
import glob
import math
import os
import re
import shutil
import subprocess
import time

BUILD, TESTS, MAKE = os.environ["BUILD"], os.environ["SYNCFREE_TESTS"], os.environ["MAKE"]
ROOT = "src/kernels"
WARPS = {"simt": "32", "simt64": "64"}  # folders of programs, and their SIMT_WARP
END = time.time() + float(os.environ.get("MUTATION_SECONDS") or math.inf)


class Stopped(Exception):
    """The time of this call is over"""


def seconds_left():
    left = END - time.time()
    if left <= 0:
        raise Stopped
    return left


def make(*arguments):
    """Its output if it fails, or nothing"""
    left = seconds_left()
    try:
        result = subprocess.run([MAKE, "-s", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                                env={k: v for k, v in os.environ.items() if k != "MAKEFLAGS"}, timeout=None if math.isinf(left) else left)
    except subprocess.TimeoutExpired as late:
        raise Stopped from late
    return result.stdout if result.returncode else ""


def users(objects, file):
    """The sources in src/kernels whose objects depend on this one, by the compiler's own word"""
    found = []
    for path in glob.glob(f"{objects}/{ROOT}/**/*.d", recursive=True):
        with open(path, encoding="utf-8") as stream:
            if os.path.join(ROOT, file) in map(os.path.normpath, stream.read().replace("\\\n", " ").split()):
                found.append(os.path.relpath(path, f"{objects}/{ROOT}")[:-len(".d")])
    return found


class Tree:
    """In a folder of its own, which remove() deletes"""

    def __init__(self, folder, file, text):
        self.folder, self.file = folder, file
        self.source = os.path.join(folder, "source")
        self.remove()
        for part in (ROOT, "include"):
            shutil.copytree(part, os.path.join(self.source, part))
        for root, _, names in os.walk(self.source):
            for name in names:
                os.utime(os.path.join(root, name), (0, 0))
        path = os.path.join(self.source, ROOT, file)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def copy_objects(self, kind):
        """All but the programs and what the change makes old; returns the objects that are left out"""
        def programs(folder, names):
            return [n for n in names if n.endswith(".d") or (os.path.isfile(os.path.join(folder, n)) and "." not in n)]

        shutil.copytree(f"{TESTS}/{kind}", f"{self.folder}/{kind}", ignore=programs)
        old = [f"{kind}/{ROOT}/{source}.o" for source in users(f"{TESTS}/{kind}", self.file)]
        for path in old:
            os.remove(f"{self.folder}/{path}")
        return old

    def make(self, *targets):
        """Objects and programs of one kind, such as simt/campaign; returns the compiler's output if it fails"""
        kind = targets[0].split("/")[0]
        if not os.path.isdir(f"{self.folder}/{kind}"):
            self.copy_objects(kind)
        return make(f"BUILD={BUILD}", f"SIMT={self.folder}/{kind}", f"SIMT_WARP={WARPS[kind]}", f"SIMT_SOURCE={self.source}",
                    *(f"{self.folder}/{t}" for t in targets))


def reason(output):
    """The first failure in few words."""
    if "a run did not end" in output:
        return "a run does not end"
    found = re.search(r"^FAIL ([^:]*?)(?:, (?:mode \w+|set-up))?: ([^;(\n]*)", output, re.M)
    return (found.group(1).split("/")[-1] + ": " + found.group(2).strip()) if found else "crash"
