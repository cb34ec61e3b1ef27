"""The library's kernels as nvcc compiles them: what __restrict__ lets it do there, and that waits load again what they wait for."""
import os
import re
from glob import glob

from assembly import Ptx, parameter_names, parts_of

# What a parameter with __restrict__ points to, nvcc may read past the coherent caches (ld.global.nc) and move over a wait.  Where all that
# a kernel writes has __restrict__, nvcc does so with what its other parameters point to, too.  That is right for:
INPUT = "a right-hand side or values of a matrix, which may not overlap what the launch writes (sptrsv.h)"
SET_UP = "written by earlier launches of the stream only"
OUTPUT = "written only"
PROMISED = {
    ("move_kernel", "source"): INPUT,
    ("move_kernel", "from"): SET_UP,
    ("move_kernel", "to"): SET_UP,
    ("move_kernel", "target"): OUTPUT,
    ("start_kernel", "unknown"): SET_UP,
    ("scale_kernel", "pivot"): SET_UP,
    ("strips_kernel", "out"): OUTPUT,
    ("levelorder_kernel", "out"): OUTPUT,
    ("levelset_kernel", "out"): OUTPUT,
    ("blockorder_kernel", "out"): OUTPUT,
    ("roworder_kernel", "b"): INPUT,
    ("roworder_kernel", "out"): OUTPUT,
    ("slfr_kernel", "b"): INPUT,
    ("slfc_kernel", "b"): INPUT,
    ("slfc_kernel", "out"): OUTPUT,
    ("levr_kernel", "b"): INPUT,
    ("levc_kernel", "b"): INPUT,
    ("levc_kernel", "out"): OUTPUT,
    ("syncfree_kernel", "b"): INPUT,
    ("syncfree_kernel", "out"): OUTPUT,
    ("ata_kernel", "b"): INPUT,
    ("ata_kernel", "out"): OUTPUT,
    ("product_kernel", "b"): INPUT,
    ("product_kernel", "x"): SET_UP,
}
FINDINGS = {("products_meet_kernel", "meet"), ("update_kernel", "values"),
            ("values_kernel", "values")}  # where 1 is stored, but not to give up a wait


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def text_with_kernels(path):
    """A source file, and the headers with kernels that it includes"""
    text = text_of(path)
    headers = [text_of(os.path.join(os.path.dirname(path), name)) for name in re.findall(r'#include "(.*\.cuh)"', text)]
    return "".join([text, *(header for header in headers if "__global__" in header)])


def sources_to_look_at():
    """Those with kernels that wait or have __restrict__"""
    sources = sorted(glob("src/kernels/**/*.cu", recursive=True))
    return [path for path in sources if re.search("Tickets|Turn|__restrict__", text_with_kernels(path))]


def kernels_of(path):
    """Parameters of the kernels of a source file; what stands between void and the name are launch bounds"""
    found = re.findall(r"__global__\s+void\s+(?:\w+\((?:[^()]|\([^()]*\))*\)\s+)?(\w+)\(([^)]*)\)", text_with_kernels(path))
    return {name: parts_of(params) for name, params in found if params}


def check_promises(report, sources):
    """The table has all parameters with __restrict__, and kernels have all parameters of the table."""
    declared = [(name, p) for path in sources for name, params in kernels_of(path).items() for p in params]
    names = {(name, p.split()[-1].lstrip("*")) for name, p in declared}
    promised = {(name, p.split("__restrict__")[1].strip()) for name, p in declared if "__restrict__" in p}
    for name, parameter in sorted(promised | set(PROMISED)):
        report.case(f"__restrict__ of {name}, {parameter}", (name, parameter) in PROMISED and (name, parameter) in names)
    everywhere = sum(text_of(path).count("__restrict__") for path in glob("src/kernels/**/*.*", recursive=True))
    report.case("__restrict__ at parameters of kernels only", everywhere == len(promised), f"{everywhere}, of kernels {len(promised)}")


def broken_promises(name, accesses):
    """Accesses of the kernel against the table"""
    for access in accesses:
        instruction, origin = (access.split() + [""])[:2]
        for parameter in re.sub(r"\+.*", "", origin).split("|"):
            why = PROMISED.get((name, parameter))
            if ".nc" in instruction and why not in (INPUT, SET_UP):
                yield f"{access}: may be written in the launch"
            if why and instruction.startswith("ld") == (why == OUTPUT):
                yield f"{access}: {why}"


def waits_without_polls(name, accesses):
    """Places where a warp asks whether to give up, in a loop that does not load again what the warp waits for"""
    begins = []
    for k, access in enumerate(accesses):
        if access == "{":
            begins.append(k)
        elif access == "}":
            begins.pop()
        elif re.match("st.relaxed.gpu.global.b32 .* 1$", access) and (name, access.split()[1]) not in FINDINGS:
            polls = [a for a in accesses[begins[-1]:k] if re.match("ld.(relaxed|acquire)", a)] if begins else []
            if not polls:
                yield f"no load before {access}"


def check_kernels(report, path, bodies):
    """The library's own kernels of a source file; CUB's are passed over"""
    for name, params in kernels_of(path).items():
        instances = [mangled for mangled in bodies if f"{len(name)}{name}" in mangled]
        report.case(f"{path}: {name}", instances, "it is not in the PTX")
        for mangled in instances:
            accesses = Ptx(bodies[mangled], parameter_names(mangled, ", ".join(params))).accesses()
            faults = [*broken_promises(name, accesses), *waits_without_polls(name, accesses)]
            report.case(f"{path}: {mangled}", not faults, "\n".join(faults))
