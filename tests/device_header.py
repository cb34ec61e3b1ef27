#!/usr/bin/env python3
"""device.cuh and values.cuh against the compilers: what nvcc and hipcc make of their functions, and of the kernels (device_kernels.py).

The emulator (tests/simt) has functions of its own in place of those of device.cuh that differ between compilers.  Here each function is
called alone in a kernel, and all accesses to memory in nvcc's PTX and hipcc's assembly are compared with what the function promises.  No
GPU is needed.
"""
import os
import re
import subprocess
import tempfile
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from shutil import which

from assembly import Amd, Ptx, amd_kernels, parameter_names, ptx_kernels
from device_kernels import check_kernels, check_promises, sources_to_look_at, text_of
from report import Report

HEADERS = ["src/kernels/device/device.cuh", "src/kernels/device/values.cuh"]
OPTIONS = ["-O3", "-std=c++17", "-DSPTRSV_HAVE_CUDA", "-Isrc/kernels"]
NVCC = [os.environ.get("CUDAC") or "nvcc", *OPTIONS, "--extended-lambda", "-ptx"]
HIPCC = [os.environ.get("HIPCC") or "hipcc", *OPTIONS, "-S", "--cuda-device-only", "--offload-arch=gfx90a", "-DSPTRSV_WARP=64",
         "-Isrc/kernels/device/hip", "-D__HIP_PLATFORM_AMD__", "-Wno-unused-command-line-argument", "-x", "hip"]

# ------------------------------------------------------------- functions --------------------------------------------------------------

# A call of `function` in a kernel with these parameters; its result, if it has one, is stored last.  ptx, amd: all accesses to memory in
# that kernel before this store, in order, as Ptx and Amd write them; regular expressions, since compilers can say the same in more than
# one way.
#
# A call that ends in inline PTX is also put between two stores to an array `around`, and between two loads from it.  All of them must stay
# where they are: the compiler knows no more of the call than that it is volatile and may use any memory.  hipcc knows the order and scope
# of the call, and only what they forbid is looked for: amd_stores and amd_loads are to be found among the accesses of these two kernels.
# For architectures before `since` nvcc makes nothing of the call.
Row = namedtuple("Row", "function result params call ptx amd amd_stores amd_loads since", defaults=("", "", ""))

U32, U64 = "unsigned", "unsigned long long"
SHARED = "extern __shared__ unsigned s[]; "
COUNT = "extern __shared__ RelayCount count[]; "
QUADS = "extern __shared__ int4 quads[]; "
WAITER = "struct Alone : Waiter { __device__ explicit Alone(const Tickets &tickets) : Waiter(tickets) {} } waiter(tickets); "
GIVES_UP = ("ld.relaxed.gpu.global.b64 tickets; ld.relaxed.gpu.global.b32 tickets; st.relaxed.gpu.global.b32 tickets 1; "
            "ld.relaxed.gpu.global.b32 tickets")
ROWS = [
    # Whole words, at gpu scope, past the L1 cache (glc)
    Row("load_relaxed", U64, "const unsigned long long *p", "load_relaxed(p)",
        "ld.relaxed.gpu.global.b64 p", "global_load_dwordx2 glc; wait vm"),
    Row("load_relaxed", U32, "const unsigned *p", "load_relaxed(p)", "ld.relaxed.gpu.global.b32 p", "global_load_dword glc; wait vm"),
    # of two plain stores, a compiler drops the first
    Row("store_relaxed", "", "unsigned long long *p", "store_relaxed(p, 4), store_relaxed(p, 5)",
        "st.relaxed.gpu.global.b64 p 4; st.relaxed.gpu.global.b64 p 5", "global_store_dwordx2 4; global_store_dwordx2 5"),
    Row("store_relaxed", "", "unsigned *p", "store_relaxed(p, 4), store_relaxed(p, 5)",
        "st.relaxed.gpu.global.b32 p 4; st.relaxed.gpu.global.b32 p 5", "global_store_dword 4; global_store_dword 5"),
    Row("poll", "double", "const double *p", "poll(p).value()", "ld.relaxed.gpu.global.b64 p", "global_load_dwordx2 glc; wait vm"),
    Row("poll", "float", "const float *p", "poll(p).value()", "ld.relaxed.gpu.global.b32 p", "global_load_dword glc; wait vm"),
    Row("publish", "", "double *p", "publish(p, 2.0)", f"st.relaxed.gpu.global.b64 p {2 << 61}", f"global_store_dwordx2 {2 << 61}"),
    Row("publish", "", "float *p", "publish(p, 2.0f)", f"st.relaxed.gpu.global.b32 p {2 << 29}", f"global_store_dword {2 << 29}"),
    Row("publish", "", "double *p", "publish(p, Unknown<double>::missing_if(true).value())",
        f"st.relaxed.gpu.global.b64 p {2 ** 63 - 1}", f"global_store_dwordx2 {2 ** 63 - 1}"),
    Row("publish", "", "float *p", "publish(p, Unknown<float>::missing_if(true).value())",
        f"st.relaxed.gpu.global.b32 p {2 ** 31 - 1}", f"global_store_dword {2 ** 31 - 1}"),
    Row("rearm", "", "double *p", "rearm(p)", f"st.global.b64 p {0x7ff8dead0000beef}", f"global_store_dwordx2 {0x7ff8dead0000beef}"),
    Row("rearm", "", "float *p", "rearm(p)", f"st.global.b32 p {0x7fc0beef}", f"global_store_dword {0x7fc0beef}"),

    # Of an unknown of two words, each is its own flag
    Row("load_relaxed_pair", "", "const unsigned long long *p, unsigned long long *out",
        "unsigned long long v[2]; load_relaxed_pair(p, v), *out = v[0] + v[1]",
        "ld.relaxed.gpu.global.v2.b64 p; st.global.b64 out _", "global_load_dwordx2 glc; global_load_dwordx2 glc; .*wait vm; .*"),
    Row("load_relaxed_pair", "", "const unsigned *p, unsigned *out", "unsigned v[2]; load_relaxed_pair(p, v), *out = v[0] + v[1]",
        "ld.relaxed.gpu.global.v2.b32 p; st.global.b32 out _", "global_load_dword glc; global_load_dword glc; .*wait vm; .*"),
    Row("store_relaxed_pair", "", "unsigned long long *p", "unsigned long long v[] = {4, 5}; store_relaxed_pair(p, v)",
        "st.relaxed.gpu.global.v2.b64 p .*", "global_store_dwordx2 4; global_store_dwordx2 5"),
    Row("store_relaxed_pair", "", "unsigned *p", "unsigned v[] = {4, 5}; store_relaxed_pair(p, v)",
        "st.relaxed.gpu.global.v2.b32 p .*", "global_store_dword 4; global_store_dword 5"),
    Row("poll", "", "const Complex<double> *p, int *out", "*out = poll(p).is_ready()",
        "ld.relaxed.gpu.global.v2.b64 p; st.global.b32 out _",
        "global_load_dwordx2 glc; global_load_dwordx2 glc; wait vm; global_store_dword"),
    Row("poll", "", "const Complex<float> *p, int *out", "*out = poll(p).is_ready()",
        "ld.relaxed.gpu.global.v2.b32 p; st.global.b32 out _",
        "global_load_dword glc; global_load_dword glc; wait vm; global_store_dword"),
    Row("publish", "", "Complex<double> *p", "publish(p, Unknown<Complex<double>>::missing_if(true).value())",
        "st.relaxed.gpu.global.v2.b64 p .*", "global_store_dwordx2; global_store_dwordx2"),
    Row("rearm", "", "Complex<double> *p", "rearm(p)",
        f"st.global.b64 p {0x7ff8dead0000beef}; st.global.b64 p.8 {0x7ff8dead0000beef}", "global_store_dwordx4"),

    # At gpu scope, AMD's acquire empties the L1 cache before any later load, and a release waits for all earlier stores.  Waves of a block
    # share the L1 cache: at block scope it is enough that global accesses stay in order.
    Row("load_acquire", U32, "const unsigned *p", "load_acquire(p)",
        "ld.acquire.gpu.b32 p", "global_load_dword glc; wait vm; buffer_wbinvl1_vol",
        amd_loads="global_load_dword glc; wait vm; buffer_wbinvl1_vol; global_load_dword; "),
    Row("subtract_release", "", "unsigned *p", "subtract_release(p, 5)",
        "red.release.gpu.add.u32 p -5", "(wait vm; )?global_atomic_add -5",
        amd_stores="^global_store_dword 1; wait vm; global_atomic_add -5; "),
    Row("load_acquire_block", U32, "const unsigned *p", "load_acquire_block(p)",
        "ld.acquire.cta.b32 p", "global_load_dword; wait vm", amd_loads="^(global_load_dword; (wait vm; )?){3}"),
    Row("subtract_release_block", "", "unsigned *p", "subtract_release_block(p, 5)",
        "red.release.cta.add.u32 p -5", "global_atomic_add -5", amd_stores="^global_store_dword 1; global_atomic_add -5; "),
    # A counter in shared memory, by its generic address; what it stands for may be in global memory
    Row("load_acquire_block", U32, "", SHARED + "load_acquire_block(s)",
        "ld.acquire.cta.b32 generic", "ds_read_b32; wait lgkm", amd_loads="ds_read_b32; wait lgkm; global_load_dword; "),
    Row("subtract_release_block", "", "", SHARED + "s[threadIdx.x] = 7, subtract_release_block(s, 5)",
        "st.shared.b32 shared 7; red.release.cta.add.u32 generic -5", "ds_write_b32 7; wait lgkm; ds_add_u32 -5",
        amd_stores="^global_store_dword 1; ds_write_b32 7; wait lgkm; ds_add_u32 -5; "),

    # Turns: a named barrier for two warps, or a counter as above
    Row("Relay", "", "", COUNT + "Relay(count, 1, 2).pass_turn()", "barrier.cta.arrive.aligned 64",
        "mask; ds_write_b32 0; .*ds_add_u32 -1"),
    Row("await_turn", "", "", COUNT + "Relay(count, 3, 5).await_turn(7)", "barrier.cta.sync.aligned 64",
        "mask; ds_write_b32 0; .*{; ds_read_b32; wait lgkm; }", amd_loads="{; ds_read_b32; wait lgkm; }; (.*; )?global_load_dword; "),
    Row("pass_turn", "", "", COUNT + "Relay(count, 2, 3).pass_turn()", "barrier.cta.arrive.aligned 64",
        "mask; ds_write_b32 0; .*wait lgkm; ds_add_u32 -1", amd_stores="global_store_dword 1; .*wait lgkm; ds_add_u32 -1; "),
    # Launches that begin before the one in front ends, which only NVIDIA's GPUs have
    Row("let_next_launch_begin", "", "", "let_next_launch_begin()", "griddepcontrol.launch_dependents;", "", since="sm_90"),
    Row("await_previous_launch", "", "", "await_previous_launch()", "griddepcontrol.wait;", "", since="sm_90"),
    Row("block_memory", "", "", "*(int *)block_memory<16>() = 7", "st.shared.b32 shared 7", "ds_write_b32 7"),

    # Asynchronous but on AMD's GPUs
    Row("copy_async", "", "const int4 *p", QUADS + "copy_async(quads + threadIdx.x, p + threadIdx.x)",
        "cp.async.cg.shared.global shared 16 16", "global_load_dwordx4; wait vm; ds_write_b128"),
    Row("commit_copies", "", "", "commit_copies()", "cp.async.commit_group;", ""),
    Row("await_copies", "", "", "await_copies<2>()", "cp.async.wait_group", ""),

    # No access, and the compiler still knows what memory it is
    Row("keep_shared", "", "", SHARED + "*keep_shared(s) = 7", "st.shared.b32 shared 7", "ds_write_b32 7"),
    Row("keep_global", "", "int *p", "*keep_global(p) = 7", "st.global.b32 p 7", "global_store_dword 7"),

    # One instruction on NVIDIA's GPUs; on AMD's, floating-point sums are formed by compare-and-swap
    Row("take_ticket", U64, "unsigned long long *p", "take_ticket(p)", "atom.global.add.u64 p 1", "global_atomic_add_x2 1 glc; wait vm"),
    Row("add_relaxed", "", "double *p, double v", "add_relaxed(p, v)",
        "(atom|red).global.add.f64 p v", "(s_load|global_load)_dwordx2; (wait vm; )?{; global_atomic_cmpswap_x2 glc; wait vm; }"),
    Row("add_relaxed", "", "float *p, float v", "add_relaxed(p, v)",
        "(atom|red).global.add.f32 p v", "(s_load|global_load)_dword; (wait vm; )?{; global_atomic_cmpswap glc; wait vm; }"),

    # By all lanes of a warp; on AMD, lanes do not part at goes_on() ("mask")
    Row("from_lane", "float", "float v", "from_lane(v, 5)", "shfl.sync.idx.b32 v 5 31 -1", "ds_bpermute_b32; wait lgkm"),
    Row("sum_over", "float", "float v", "sum_over(4, v)",
        "shfl.sync.bfly.b32 v 2 31 -1; shfl.sync.bfly.b32 _ 1 31 -1", "ds_bpermute_b32; wait lgkm; ds_bpermute_b32; wait lgkm"),
    Row("most_of_warp", "int", "int v", "most_of_warp(v)",
        "shfl.sync.bfly.b32 v 16 31 -1(; shfl.sync.bfly.b32 _ (8|4|2|1) 31 -1){4}",
        "ds_bpermute_b32; wait lgkm(; ds_bpermute_b32; wait lgkm){5}"),
    Row("add_by_warp", "", "unsigned long long *p, unsigned long long v", "add_by_warp(p, v)",
        "(shfl.sync.bfly.b32 .* 31 -1; ){10}(atom|red).global.add.u64 p _", "(ds_bpermute_b32; (wait lgkm; )?){12}.*global_atomic_add_x2"),
    Row("raise_by_warp", "", "int *p, int v", "raise_by_warp(p, v)",
        "(shfl.sync.bfly.b32 .* 31 -1; ){5}(atom|red).global.max.s32 p _", "(ds_bpermute_b32; (mask; )?wait lgkm; ){6}global_atomic_smax"),
    Row("goes_on", "", "int *out, const bool *open", "if (goes_on(open[threadIdx.x])) out[threadIdx.x] = 1",
        "ld.global.b8 open; st.global.b32 out 1", "global_load_ubyte; wait vm; global_store_dword 1"),

    # No access but the one that stores the result
    Row("bits_as", "", "double *out", "*out = bits_as<double>(7ull)", "st.global.b64 out 7", "global_store_dwordx2 7"),
    Row("of", "", "unsigned long long *out", "*out = Unknown<double>::of(2.0).part[0]",
        f"st.global.b64 out {2 << 61}", f"global_store_dwordx2 {2 << 61}"),
    Row("missing_if", "", "float *out", "*out = Unknown<float>::missing_if(false).value()",
        "st.global.b32 out 0", "global_store_dword 0"),
    Row("pair", "", "double *out", "Unknown<Complex<double>> u = {1ull, 7ull}; *out = bits_as<double>(u.pair(0)[1])",
        "st.global.b64 out 7", "global_store_dwordx2 7"),
    Row("value", "", "float *out", "*out = Unknown<float>{7}.value()", "st.global.b32 out 7", "global_store_dword 7"),
    Row("is_ready", "", "int *out", "*out = Unknown<float>::missing_if(true).is_ready() ? 1 : 2",
        "st.global.b32 out 2", "global_store_dword 2"),
    Row("settled", "", "double *out", "*out = Unknown<double>::missing_if(true).settled().value()",
        f"st.global.b64 out {2 ** 63 - 1}", f"global_store_dwordx2 {2 ** 63 - 1}"),
    Row("settle", "", "double *out", "Unknown<double> u[] = {Unknown<double>::missing_if(true)}; settle(u), *out = u[0].value()",
        f"st.global.b64 out {2 ** 63 - 1}", f"global_store_dwordx2 {2 ** 63 - 1}"),
    Row("no_value", "", "float *out", "*out = no_value<float>()",
        f"st.global.b32 out {2 ** 31 - 1}", f"global_store_dword {2 ** 31 - 1}"),
    Row("count_lanes", "", "int *out", "*out = count_lanes(ALL_LANES << 3)", "st.global.b32 out 29", "global_store_dword 61"),
    Row("count_lanes_before", "", "int *out", "*out = count_lanes_before(ALL_LANES, 5)", "st.global.b32 out 5", "global_store_dword 5"),

    # Waits (tickets.cuh): each round of the inner loop loads again, and nothing else
    Row("await", "double", "const double *x, Tickets tickets", WAITER + "await(x, waiter)",
        "{; {; ld.relaxed.gpu.global.b64 x; }; " + GIVES_UP + "; }", ".*{; global_load_dwordx2 glc; wait vm; }.*"),
    Row("await_zero", "bool", "const unsigned *x, Tickets tickets", WAITER + "await_zero(x, waiter)",
        "{; {; ld.acquire.gpu.b32 x; }; " + GIVES_UP + "; }", ".*{; global_load_dword glc; wait vm; buffer_wbinvl1_vol; }.*"),
]

BETWEEN = {  # parameters, and what comes before and after the call
    "": ("", "", ""),
    "_stores": ("int *around", "around[threadIdx.x] = 1;", "around[threadIdx.x] = 2;"),
    "_loads": ("int *around, int *sum", "const int before = around[threadIdx.x];", "*sum = before + around[threadIdx.x];"),
}


def parameters(row, between):
    return ", ".join(filter(None, [row.params, BETWEEN[between][0], row.result and row.result + " *out"]))


def kernel(name, row, between):
    """CUDA C++ of the row's call"""
    _, before, after = BETWEEN[between]
    setup, semicolon, call = row.call.rpartition("; ")
    call = f"const auto result = {call}" if row.result else call
    body = [setup + semicolon, before, call + ";", after, "*out = result;" if row.result else ""]
    return f'extern "C" __global__ void {name}({parameters(row, between)})\n{{\n  ' + "\n  ".join(filter(None, body)) + "\n}\n"


def source():
    """The kernels of all rows"""
    kernels = [kernel(f"row{k}{between}", row, between) for k, row in enumerate(ROWS) for between in BETWEEN]
    return '#include "device/tickets.cuh"\nusing namespace sptrsv;\n' + "".join(kernels)


# --------------------------------------------------------------- cases ----------------------------------------------------------------

def compile_with(command, path):
    return subprocess.run([*command, "-o", "-", path], capture_output=True, text=True, check=False)


def output_of(report, compiler):
    """What it wrote; a case that fails with its messages"""
    report.case(" ".join(compiler.args), not compiler.returncode, compiler.stderr)
    return compiler.stdout


def check(report, what, row, expected, found):
    """Whether the accesses, without the store of the result, match"""
    text = "; ".join(found[:-1] if row.result else found)
    report.case(what, re.search(expected, text), f"expected {expected}\nfound    {text}")


def check_ptx(report, arch, bodies):
    """Rows against the kernels of an architecture; returns the inline PTX that was met."""
    asm = []
    for k, row in enumerate(ROWS):
        what = f"{arch}: {row.call}"
        alone, stores, loads = (Ptx(bodies[f"row{k}{b}"], parameter_names(f"row{k}{b}", parameters(row, b))) for b in BETWEEN)
        check(report, what, row, f"^{row.ptx if arch >= row.since else ''}$", alone.accesses())
        if alone.asm:
            check(report, f"{what} between stores", row, f"^st.global.b32 around 1; {row.ptx}; st.global.b32 around 2$", stores.accesses())
            check(report, f"{what} between loads", row, f"^ld.global.b32 around; {row.ptx}; ld.global.b32 around; st.global.b32 sum _$",
                  loads.accesses())
        asm += alone.asm
    return asm


def check_amd(report, bodies):
    """Rows against the kernels of gfx90a"""
    for k, row in enumerate(ROWS):
        for between, expected in (("", f"^({row.amd})$"), ("_stores", row.amd_stores), ("_loads", row.amd_loads)):
            if expected:
                check(report, f"gfx90a: {row.call} {between}", row, expected, Amd(bodies[f"row{k}{between}"]).accesses())


def check_covered(report, header):
    """Each function of the header has a row."""
    functions = set(re.findall(r"__device__[^;{}()]*?\b(\w+)\(", header))
    for function in sorted(functions):
        report.case(f"{function}() has a row", any(row.function == function for row in ROWS))


def check_asm(report, header, asm):
    """Each inline PTX of the header is volatile, may change any memory, and is in a row."""
    for statement in re.findall(r"\basm\b.*", header):
        parts = re.fullmatch(r'asm volatile\("(.*?)" :.*: "memory"\);', statement)
        pattern = re.sub(r"%\d", r"%\\w+", re.sub(r"([\[\].])", r"\\\1", parts[1])) if parts else ""
        report.case(statement, any(re.fullmatch(pattern, line) for line in asm), 'no row, or not volatile with "memory"')


# ---------------------------------------------------------------- main ----------------------------------------------------------------

def check_hipcc(report, rows):
    if not which(HIPCC[0]):
        report.skip("gfx90a: there is no hipcc", len(ROWS))
        return
    bodies = amd_kernels(output_of(report, compile_with(HIPCC, rows)))
    if bodies:
        check_amd(report, bodies)


def check_nvcc(report, header, sources, rows):
    if not which(NVCC[0]):
        report.skip("sm_80, sm_90: there is no nvcc", 2 * len(ROWS))
        return
    jobs = [("sm_80", rows), ("sm_90", rows), *(("sm_90", path) for path in sources)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        compilers = list(pool.map(lambda job: compile_with([*NVCC, f"-arch={job[0]}"], job[1]), jobs))
    asm = []
    for (arch, path), compiler in zip(jobs, compilers):
        bodies = ptx_kernels(output_of(report, compiler))
        if bodies and path == rows:
            asm += check_ptx(report, arch, bodies)
        elif bodies:
            check_kernels(report, path, bodies)
    check_asm(report, header, asm)


def main():
    report = Report("device")
    header = re.sub(r"/\*.*?\*/", "", "".join(map(text_of, HEADERS)), flags=re.S)
    sources = sources_to_look_at()
    check_covered(report, header)
    check_promises(report, sources)
    with tempfile.NamedTemporaryFile("w", suffix=".cu") as rows:
        rows.write(source())
        rows.flush()
        check_hipcc(report, rows.name)
        check_nvcc(report, header, sources, rows.name)
    report.finish()


if __name__ == "__main__":
    main()
