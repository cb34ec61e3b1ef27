#!/usr/bin/env python3
"""Breaks waits, orders of memory, tickets and streams on purpose, and shows which mode of the emulator sees it:  make mutants

What an operator can make (off by one, another variable, a negated condition) is left to mutation_score.py.  A mutant that no mode sees is
a failure, of the emulator or of the cases.  The outcome goes to doc/records/mutants.csv.
--check only checks that each mutant fits into its source and names cases or a program that exist.
"""
import csv
import glob
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from mutated_tree import BUILD, ROOT, TESTS, Tree, reason

MODES = ["random", "pollers", "newest", "starve", "lockstep", "resident", "weak", "lag", "rush", "priority"]
FIRST = "random, at the first result"
SEEDS, LIMIT, LATE = "8", "120", 124  # for each case and mode, until the first failure; seconds; the status of timeout behind them
PROGRAM, PROGRAM_LIMIT = "kernels/", "600"  # how the name of a program begins in place of cases; seconds
RECORD, HEAD = "doc/records/mutants.csv", ["mutant", "file", "seen by", "first seen as"]
DEVICE, VALUES, TICKETS, LEVELORDER, LEVELSET = "device.cuh", "values.cuh", "tickets.cuh", "levelorder_kernel.cuh", "levelset.cu"
ROWORDER, ENTRIES, ROWS, LEVELS, ATA, TASKS = "roworder.cu", "factor/entries.cuh", "factor/rows.cu", "levels.cu", "ata.cu", "tasks.cuh"
BLOCKORDER, BLOCKROWS, DENSE = "blockorder.cu", "blockrows.cuh", "blocks.blockorder"
LI, STRIPS, SPLIT, FACTOR, SCHEDULE = "li.cu", "strips_kernel.cuh", "split.cu", "methods.cu", "schedule.cu"
ADD, COUNT = "    add_relaxed(left_sum + sweep.idx[e], sweep.values[e] * x);\n", "    subtract_release(missing + sweep.idx[e], 1);\n"
AWAIT, PASS = "relay.await_turn(turn);\n", "    relay.pass_turn();\n"
OWN = "    *own = value = end(solve_unknown<End>(record, start, x, at, true));\n"

# what, file, cases or "kernels/PROGRAM", then texts and their replacements by turns
MUTANTS = [
    # unknowns that are their own flags
    ("x is polled by plain loads", VALUES, "levelorder.4", "load_relaxed(reinterpret_cast<const typename",
     "*(reinterpret_cast<const volatile typename"),
    ("x is published by plain stores", VALUES, "capellini", "store_relaxed(reinterpret_cast<typename Word<V>::type *>(x), u.part[0]);",
     "*reinterpret_cast<typename Word<V>::type *>(x) = u.part[0];"),
    ("a complex x is ready when its first word is", VALUES, "levelorder.4/L/complex", "ready = ready && part[k] != W::NOT_READY;",
     "ready = ready && (k || part[k] != W::NOT_READY);"),
    ("NOT_READY's NaN in the data is published", VALUES, "kernels/split", "Unknown<V>::of(v).settled();", "Unknown<V>::of(v);"),
    ("x is published before it is complete", LEVELORDER, "ilu0-sweep.levelorder",
     "sum = row(sum);\n          publish(x + (size_t)r * SPREAD, sum);",
     "publish(x + (size_t)r * SPREAD, sum);\n          sum = row(sum);"),
    ("a row goes on with the sum of the round before", LEVELORDER, "levelorder.4", "        Values sum = start;\n", "",
     "    entries.begin();\n", "    entries.begin();\n    Values sum = start;\n"),
    ("bits depend on the number of rounds", ROWORDER, "capellini", "    if (!v.is_ready()) return;\n    turn.work",
     "    if (!v.is_ready()) { sum *= V(1) + V(1e-6); return; }\n    turn.work"),
    # re-arming
    ("x is not re-armed", LEVELORDER, "levelorder.4", "          rearm(next + (size_t)r * SPREAD);\n", ""),
    ("the second word of a complex x is not re-armed", VALUES, "levelorder.4/L/complex", "k < Unknown<V>::PARTS; k++) reinterpret_cast",
     "k < 1; k++) reinterpret_cast"),
    ("the buffer in use is re-armed", LEVELORDER, "levelorder.4", "rearm(next +", "rearm(x +"),
    ("columns of one lane only are re-armed", LEVELORDER, "levelorder.4.columns", "          rearm(next +",
     "          if (!column) rearm(next +"),
    ("x is not re-armed: tasks", ATA, "ata.ca", "  if (chunk.tracked) rearm(next + i);\n", ""),
    ("x is not re-armed: far unknowns of strips", STRIPS, "strips.8", "      rearm(next + place);\n", ""),
    ("what absent columns left is not re-armed", STRIPS, "strips.8.columns", "      rearm_chunks(", "      if (0) rearm_chunks("),
    ("entries of a factor are not re-armed", "factor/entries.cu", "ilu0-entries",
     "if (unknown[e]) rearm(pass.v + e);\n    else pass.v[e]", "if (!unknown[e]) pass.v[e]"),
    ("the counts in use are re-armed", LI, "slfc/L/double", "1 - turn.parity)[j]  =", "turn.parity)[j]  ="),
    ("always the same buffer of x", TICKETS, "levelorder", "parity = (int)(launch & 1);", "parity = 0;"),
    # tickets
    ("tickets are taken without an atomic", DEVICE, "levelorder.4", "return atomicAdd(counter, 1ull);", "return (*counter)++;"),
    ("the warp's number in place of its first ticket", TICKETS, "levelorder.1", "take_ticket(counter), 0));\n",
     "take_ticket(counter), 0));\n    stride = tickets.warps, start = at = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP;\n",
     "return lane ? 0 : (unsigned)(take_ticket(counter) - base); }", "if (!lane) (void)take_ticket(counter); return at += stride; }",
     "  int      parity; ", "  mutable unsigned at;\n  unsigned stride;\n  int      parity; "),
    ("the block's number in place of its ticket", LI, "slfr/L/double",
     "(turn.start * WARPS_PER_BLOCK + threadIdx.x / WARP);\n\n  if (k >= sweep.rows) return;\n  const int i",
     "(blockIdx.x * WARPS_PER_BLOCK + threadIdx.x / WARP);\n\n  if (k >= sweep.rows) return;\n  const int i"),
    ("tickets from the last piece of work to the first", LEVELORDER, "levelorder.1", "chunk[c / SPREAD];",
     "chunk[sweep.tickets.work / SPREAD - 1 - c / SPREAD];"),
    ("every lane takes a ticket", TICKETS, "capellini", "return lane ? 0 : (unsigned)(take_ticket", "return (unsigned)(take_ticket"),
    ("a ticket is not shared with the warp", ROWS, "ilu0-rows/", "next = turn.share(ahead);", "next = ahead;"),
    ("a launch takes a ticket less than it counts", TICKETS, "capellini", "= tickets.work + tickets.warps;",
     "= tickets.work + tickets.warps - 1;"),
    ("a launch takes a ticket more than it counts", ROWS, "ilu0-rows/", "more ? turn.take() : 0;", "turn.take();"),
    ("a launch's number from the low 32 bits of its tickets", TICKETS, "kernels/tickets", "= first / per_", "= (unsigned)first / per_"),
    ("a block's next ticket replaces one that not all have read", TICKETS, "ata.la5", "  __syncthreads(); /* all have", "  /* all have"),
    # blocks
    ("x is not re-armed: blocks", BLOCKORDER, "blockorder", "      rearm(next + i);\n", ""),
    ("a row of blocks is published before all of its lanes are ready", BLOCKORDER, DENSE, "(ready_lanes & row_lanes) != row_lanes",
     "!(ready_lanes & row_lanes)"),
    ("a long row of blocks goes on before its window is ready", BLOCKORDER, "kernels/watchdog", "      if (!waiting) return;\n",
     "      return;\n"),
    ("a block's column in a finished row is not waited for", BLOCKROWS, DENSE, "ready = ready && u[t].is_ready();", ";"),
    ("a finished row's diagonal block is not waited for", BLOCKROWS, DENSE, "ready = ready && row.diagonal[t].is_ready();", ";"),
    ("columns behind a warp's first are taken as they are", BLOCKROWS, DENSE,
     "await_all([&] { return find_column(row.j, pair >> 8, e % BS, u); }, [&] { settle(u); }, turn);",
     "(void)find_column(row.j, pair >> 8, e % BS, u);"),
    ("a block is used before the warp has divided it", "blockrows.cu", DENSE, "    divide(c);\n    __syncwarp();\n", "    divide(c);\n"),
    ("a block is overwritten while lanes multiply it", "blockpivots.cu", "blocks.pivots",
     "    }\n    __syncwarp();\n#pragma unroll\n    for (int t = 0; t < EACH",
     "    }\n#pragma unroll\n    for (int t = 0; t < EACH"),
    # waits and votes
    ("a vote behind &&", LEVELORDER, "levelorder.4", "= __ballot_sync(ALL_LANES, ready);",
     "= publishes ? __ballot_sync(ALL_LANES, ready) : ALL_LANES;"),
    ("a vote ends a wait when one lane is ready", ROWS, "ilu0-rows/", "return __any_sync(ALL_LANES, some);",
     "return count_lanes(__ballot_sync(ALL_LANES, some)) == WARP;"),
    ("one of an unknown's columns is waited for", LEVELORDER, "levelorder.4.columns", "ready = ready && v[k].is_ready();",
     "ready = ready && v[k].part[0] != Word<V>::NOT_READY;"),
    ("a row is published with some of its columns' lanes", LEVELORDER, "levelorder.4.columns",
     "= ALL_LANES >> (WARP - LANES * SPREAD) << (lane - lane % (LANES * SPREAD));", "= LaneMask(1) << lane;"),
    ("a lane spins on a row of its own warp", ROWORDER, "capellini", "if (!v.is_ready()) return;", "if (!v.is_ready()) continue;"),
    ("a lane spins on rows of its own group", ROWORDER, "twophase", "sweep.idx[j] < group; j++", "sweep.idx[j] < group + WARP; j++"),
    ("an unknown is taken without a wait", ROWORDER, "twophase", "await(x + sweep.idx[j], turn)", "poll(x + sweep.idx[j]).value()"),
    ("pivots are not waited for", ENTRIES, "ilu0-entries", " || !pivot[k].is_ready();", ";"),
    ("the first batch of operands only is waited for", ENTRIES, "kernels/factor", "  const auto get = [&]",
     "  bool later = false;\n  const auto get = [&]", "TRACKED && waiting && turn.stays", "TRACKED && waiting && !later && turn.stays",
     "while (TRACKED && waiting && !turn.gives_up());",
     "while (TRACKED && waiting && !later && !turn.gives_up());\n    later = true;"),
    ("an entry of the factor before is taken", "methods.cu", "ilu0-rows/",
     "for (int e = first; e < nnz;", "for (int e = first + 1; e < nnz;"),
    ("far unknowns are polled once", STRIPS, "strips.8", "goes_on = waits();", "goes_on = false;"),
    ("levels that are not there are passed over", LEVELS, "levels", "pending |= 1u << q;", ";"),
    ("only lane 0 waits for a count", ATA, "ata-push.ca", "chunk.tracked && !await_zero(", "!lane && chunk.tracked && !await_zero("),
    ("a strip plays on without the clocks before it", SCHEDULE, "listed", "clock + STRIPS_HOP <= now && (waiter", "false && (waiter"),
    ("a step too many is safe", SCHEDULE, "listed", "clock + STRIPS_HOP - 1);", "clock + STRIPS_HOP);"),
    ("a forecast takes ends that are not known", "forecast.cu", "forecast", "place[g] >= 0 && !end[g]", "false"),
    ("counts in shared memory are not waited for", LI, "syncfree-csc/L/double", " + load_acquire_block(s_in_degree + warp)", ""),
    # orders of memory, scopes, atomics
    ("levels by plain loads", LEVELS, "levels", "? load_relaxed(length + unknown(place[q]))",
     "? *(volatile Length *)(length + unknown(place[q]))"),
    ("counts are not acquired", LI, "slfr/L/double", "await_zero(missing + i, turn)",
     "await_nothing([&] { return load_relaxed(missing + i); }, turn)"),
    ("counts are not released", LI, "slfr/L/double", "subtract_release(missing + sweep.row_idx[e], 1);",
     "(void)atomicSub(missing + sweep.row_idx[e], 1u);"),
    ("clocks are not released", SCHEDULE, "listed", "subtract_release(s.play.clock + s.number, told - clock);",
     "(void)atomicSub(s.play.clock + s.number, told - clock);"),
    ("counts of other blocks are released to the own one", LI, "syncfree-csc/L/double", "subtract_release(d_in_degree + row, 1)",
     "subtract_release_block(d_in_degree + row, 1)"),
    ("counted before it is added", LI, "slfc/L/double", ADD + COUNT, COUNT + ADD),
    ("a count is read again after it went down", "level_methods.cu", "kahn/", "if (atomicSub(missing + j, 1u) != 1) continue;",
     "(void)atomicSub(missing + j, 1u);\n      if (load_relaxed(missing + j)) continue;"),
    ("places of a column without an atomic", "transpose.cu", "kahn/", "atomicAdd(next + adjacency.idx[e], 1)", "next[adjacency.idx[e]]++"),
    ("a zero pivot is reported by a plain store", "pivots.cuh", "kernels/pivots", "atomicMax(bad_row, row());", "*bad_row = row();"),
    # barriers and lanes of a warp
    ("lanes do not wait for lane 0's x", LI, "slfr/L/double", "  __syncwarp();\n  for (", "  for ("),
    ("lanes in lockstep go on to the next row by themselves", ATA, "ata-push.ca", "  __syncwarp(); /* in lockstep", "  /* in lockstep"),
    ("a chain does not wait for its lanes", LEVELS, "levels", "if (!(waits & upto & (ALL_LANES << start))) near = 0;", "near = 0;"),
    ("steps of a chunk without a barrier", STRIPS, "strips.64", "end(found);\n    __syncwarp();\n", "end(found);\n"),
    # shared memory passed from warp to warp, asynchronous copies
    ("the turn is passed before x is written", STRIPS, "strips.64", OWN + PASS, PASS + OWN),
    ("the turn is not awaited", STRIPS, "strips.64", AWAIT + OWN, OWN),
    ("turns are counted anew in each strip", STRIPS, "strips.20", "    number += (unsigned)chunks;\n", ""),
    ("copies are read before they are complete", STRIPS, "strips.20", "await_copies<1>();", ""),
    ("a copy goes over the record at hand", STRIPS, "strips.20", "    copy((k + 1) % D);\n", "    copy(k);\n"),
    ("a window is written over in the ring", "strips_columns.cu", "kernels/columns", "- teams->warps) / 2);", "- teams->warps));"),
    ("a strip's last slices leave before it is solved", STRIPS, "strips.64.columns", "  __syncthreads();\n  for (int c", "  for (int c"),
    # launches that begin early, streams, events, graphs
    ("b is read before the launch in front has ended", LEVELORDER, "levelorder.4", "    await_previous_launch();\n", ""),
    ("b is read before the launch in front has ended: strips", STRIPS, "strips.64", "  await_previous_launch();\n#", "#"),
    ("a solve in the legacy stream", LEVELSET, "kernels/streams", "WARPS_PER_BLOCK, s.stream, p, c,", "WARPS_PER_BLOCK, nullptr, p, c,"),
    ("memory is cleared in the legacy stream", FACTOR, "ilu0.zero", "cudaMemsetAsync(d->gap, 0, sizeof(*d->gap), stream)",
     "cudaMemset(d->gap, 0, sizeof(*d->gap))"),
    ("a product of blocks does not wait for the sweep before", "factor/blocks.cu", "kernels/blocks", "  await_previous_launch();\n", ""),
    ("set-up returns before its work is done", "setup_memory.c", "ata.la5", "status = sptrsvWait(NULL);", "status = SPTRSV_SUCCESS;"),
    ("pivots are read before the factorization ends", FACTOR, "ilu0.zero", "  SPTRSV_CUDA(cudaEventSynchronize(d.factored));\n", ""),
    ("a task waits in its own queue only", TASKS, "ata.la5", "if (other != q && plan.after[k][other] >= 0)", "if (false)"),
    ("a host function's x moves out before it is there", SPLIT, "split.gpu-cpu",
     "  if (work) SPTRSV_CUDA(cudaLaunchHostFunc(stream, solve_part, &data.task[k]));\n  return move_out(plan, k, out, stream);",
     "  SPTRSV_TRY(move_out(plan, k, out, stream));\n  SPTRSV_CUDA(cudaLaunchHostFunc(stream, solve_part, &data.task[k]));\n"
     "  return SPTRSV_SUCCESS;"),
    ("a stream does not wait for its side stream", SPLIT, "kernels/streams", "SPTRSV_TRY(follow(stream, data.side, data.event[1]));", ""),
    ("a use does not wait for the legacy stream", "uses.c", "kernels/uses", "return follow(u, stream, stream, NULL);",
     "return SPTRSV_SUCCESS;"),
    ("a use is waited for in a capture", "uses.c", "kernels/uses", "if (capture != cudaStreamCaptureStatusNone)", "if (false)"),
    # the watchdog
    ("the watchdog's word is read plainly", TICKETS, "kernels/watchdog", "load_relaxed(stalled);", "*stalled;"),
    ("glances of all waits of a warp add up", TICKETS, "kernels/watchdog", "if (now != seen)", "if (false)"),
    ("a long strip is one ticket", "arrange.cu", "kernels/watchdog", "q % most == 0", "!q"),
    ("work within a ticket gives no sign", TICKETS, "kernels/watchdog", " < step) add_relaxed(", " > SPTRSV_SIGN) add_relaxed("),
]


def mutated(name, changes):
    """The file of this name, below ROOT, and its text after the changes.  Each of them has exactly one place."""
    [path] = glob.glob(f"{ROOT}/**/{name}", recursive=True)
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    for old, new in zip(changes[::2], changes[1::2]):
        if text.count(old) != 1:
            raise ValueError(f"{path} has {text.count(old)} places with\n{old}")
        text = text.replace(old, new)
    return os.path.relpath(path, ROOT), text


def program_of(cases):
    return cases[len(PROGRAM):] if cases.startswith(PROGRAM) else "campaign"


def fits(what, file, cases, *changes):
    """Whether a mutant has its places and its cases: without them no schedule would run"""
    command = [f"{TESTS}/simt/{program_of(cases)}", "--rows", "24", "--seeds", "0", "--part", "0/1000000", "--case", cases]
    try:
        mutated(file, changes)
        subprocess.run(["test", "-x", command[0]] if cases.startswith(PROGRAM) else command, stdout=subprocess.DEVNULL, check=True)
        return True
    except (ValueError, subprocess.CalledProcessError) as error:
        print(f"FAIL {what}: {error}", flush=True)
        return False


def run_campaign(program, cases):
    """The modes that see it, and the first failure"""
    seen, why = [], ""
    for mode in MODES:
        command = ["timeout", LIMIT, program, "--rows", "64", "--seeds", SEEDS, "--mode", mode, "--case", cases, "--first"]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace", check=False)
        if result.returncode:
            at_once = ", set-up: " in result.stdout
            seen.append(FIRST if at_once else mode)
            why = why or ("a run does not end" if result.returncode == LATE else reason(result.stdout))
            if at_once:
                break
    return seen, why


def run_program(program, cases):
    """The same for a kernel test, which is ended at its first failure"""
    command, why = ["timeout", PROGRAM_LIMIT, program, "--quick", "--rows", "1000"], ""
    environment = {**os.environ, "SIMT_PATIENT": "1"} if cases == "kernels/watchdog" else None
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace",
                          env=environment) as process:
        for line in process.stdout:
            if line.startswith("FAIL"):
                why = reason(line)
                process.terminate()
                break
    return ([cases], why or "crash, or no end") if why or process.returncode else ([], "")


def run(number):
    what, file, cases, *changes = MUTANTS[number]
    tree = Tree(os.path.join(BUILD, "mutants", str(number)), *mutated(file, changes))
    output = tree.make(f"simt/{program_of(cases)}")
    if output:
        print(f"NOT BUILT: {what}\n{output}", flush=True)
        return what, file, "", "does not compile"
    seen, why = (run_program if cases.startswith(PROGRAM) else run_campaign)(f"{tree.folder}/simt/{program_of(cases)}", cases)
    print(f"{'caught' if seen else 'NOT CAUGHT'}: {what} ({', '.join(seen)}; {why})", flush=True)
    tree.remove()
    return what, file, "all modes" if seen == MODES else ", ".join(seen), why


def main():
    start, check = time.time(), sys.argv[1:] == ["--check"]
    good = sum(fits(*mutant) for mutant in MUTANTS)
    if good == len(MUTANTS) and not check:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            rows = list(pool.map(run, range(len(MUTANTS))))
        with open(RECORD, "w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, lineterminator="\n").writerows([HEAD, *rows])
        good = sum(1 for row in rows if row[2])
        print(f"{time.time() - start:.0f} s")
    print(f"mutants: {good} passed, {len(MUTANTS) - good} failed, 0 skipped")
    sys.exit(good != len(MUTANTS))


main()
