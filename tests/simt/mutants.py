#!/usr/bin/env python3
"""Breaks the kernels on purpose, one way at a time, and shows which mode of the emulator sees it:  make mutants

A mutant that no mode sees is a failure, of the emulator or of the cases.  Where the campaign has no case for it, a program of
tests/kernels sees it, in the default mode.  The table goes to BUILD/mutants.md as well; doc/records/mutants.md has the recorded one.
--check only checks that each mutant fits into its source and names cases or a program that exist.
"""
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from mutated_tree import BUILD, ROOT, TESTS, Tree, reason

MODES = ["random", "pollers", "newest", "starve", "lockstep", "resident", "weak", "lag", "rush", "priority"]
FIRST = "random, at the first result"
SEEDS, LIMIT = "8", 120  # for each case and mode, until the first failure; seconds
PROGRAM, PROGRAM_LIMIT = "kernels/", "600"  # how the name of a program begins in place of cases; seconds
LO, LO_PLAN = "solve/levelorder/levelorder_kernel.cuh", "solve/levelorder/levelorder.cu"
RO, ILU, LEVELS = "solve/yuenyeung/roworder.cu", "factor/ilu0_entries.cu", "analysis/levels.cu"
LEVELSET, GROUPS = "solve/levelorder/levelset.cu", "solve/yuenyeung/roworder_plan.cu"
ATA, ATA_PLAN, ATA_TASKS, ILU_TASKS = "solve/helal/ata.cu", "tasks/tasks.cuh", "tasks/aggregate.c", "factor/ilu0_tasks.cu"
SPLIT, ILU_ENTRY = "solve/ahmad/split.cu", "factor/ilu0_entries.cuh"
ILU_ALL, PIVOTS = "factor/ilu0.cu", "device/pivots.cuh"
ILU_ROWS, ROWS_SETUP, ROWS_LAYOUT = "factor/ilu0_rows.cu", "factor/ilu0_rows_setup.cu", "factor/ilu0_rows.cuh"
ILU_SWEEP, ENDS, ENTRIES = "factor/ilu0_sweep.cu", "solve/ends.cuh", "plan/entries.cuh"
PACK, OPERANDS, DEVICE, TICKETS = "solve/levelorder/pack.cu", "factor/operands.cu", "device/device.cuh", "device/tickets.cuh"
LEVELSCHED, SELFSCHED, SYNCFREE = "solve/li/levelsched.cu", "solve/li/selfsched.cu", "solve/li/liu.cu"
STRIPS, ARRANGE, DEPTH_FIRST = "solve/strips/strips_kernel.cuh", "solve/strips/arrange.cu", "solve/strips/depth_first.cu"
AWAIT = "    relay.await_turn(turn);\n"
KAHN, TRANSPOSE, PATTERN, CUT = "solve/li/kahn.cu", "analysis/transpose.cu", "analysis/pattern.cu", "analysis/cut.cu"

# what, file, [(text, replacement)], cases or "kernels/PROGRAM"
MUTANTS = [
    ("x is polled by plain loads", DEVICE, [("return load_relaxed(reinterpret_cast<const typename Word<V>::type *>(x));",
                                             "return *reinterpret_cast<const volatile typename Word<V>::type *>(x);")], "levelorder.4"),
    ("x is published by plain stores", DEVICE, [("store_relaxed(reinterpret_cast<typename Word<V>::type *>(x), Word<V>::of(harmless(v)));",
                                                 "*reinterpret_cast<typename Word<V>::type *>(x) = Word<V>::of(harmless(v));")],
     "capellini"),
    ("tickets are taken without an atomic", DEVICE, [("return atomicAdd(counter, 1ull);", "return (*counter)++;")], "levelorder.4"),
    ("the warp's number in place of its first ticket", TICKETS,
     [("    begin(tickets, __shfl_sync(ALL_LANES, lane ? 0 : take_ticket(counter), 0));\n",
       "    begin(tickets, __shfl_sync(ALL_LANES, lane ? 0 : take_ticket(counter), 0));\n"
       "    stride = tickets.warps, start = at = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP;\n"),
      ("return lane ? 0 : (unsigned)(take_ticket(counter) - base); }", "if (!lane) (void)take_ticket(counter); return at += stride; }"),
      ("  int      parity; ", "  mutable unsigned at;\n  unsigned stride;\n  int      parity; ")], "levelorder.1"),
    ("tickets from the last chunk to the first", LO, [("sweep.chunk[c];", "sweep.chunk[sweep.tickets.work - 1 - c];")], "levelorder.1"),
    ("every lane takes a ticket", TICKETS, [("return lane ? 0 : (unsigned)(take_ticket", "return (unsigned)(take_ticket")], "capellini"),
    ("the ticket of lane 1 is shared", TICKETS, [("__shfl_sync(ALL_LANES, ticket, 0)", "__shfl_sync(ALL_LANES, ticket, 1)")], "twophase"),
    ("one ticket less to a launch", TICKETS, [("= tickets.work + tickets.warps;", "= tickets.work + tickets.warps - 1;")], "capellini"),
    ("always the same buffer of x", TICKETS, [("parity = (int)(launch & 1);", "parity = 0;")], "levelorder"),
    ("a vote behind &&", LO, [("const LaneMask ready_lanes = __ballot_sync(ALL_LANES, ready);", ""),
                              ("(ready_lanes & row_lanes)", "(__ballot_sync(ALL_LANES, ready) & row_lanes)")], "levelorder.4"),
    ("a row leaves when one of its lanes is ready", LO, [("(ready_lanes & row_lanes) == row_lanes", "(ready_lanes & row_lanes) != 0")],
     "levelorder.4"),
    ("one row too many in a chunk", LO, [("lane / LANES < chunk.rows;", "lane / LANES <= chunk.rows;")], "levelorder.4"),
    ("levelorder does not re-arm", LO, [("        rearm(next + r);\n", "")], "levelorder.4"),
    ("levelorder re-arms the buffer in use", LO, [("rearm(next + r);", "rearm(x + r);")], "levelorder.4"),
    ("the sum goes on from the round before", LO,
     [("V    sum   = start;", ""), ("unsigned         rounds = 0;", "unsigned rounds = 0; V sum = start;")],
     "levelorder.4"),
    ("published before it is divided", LO,
     [("sum = row(sum * reciprocal);\n          publish(x + r, sum);",
       "publish(x + r, sum);\n          sum = row(sum * reciprocal);")],
     "levelorder.4"),
    ("source and target swapped", LO,
     [("to = mine ? sweep.target[r] : -1, from = End::source(mine ? sweep.source[r]",
       "to = mine ? sweep.source[r] : -1, from = End::source(mine ? sweep.target[r]")],
     "levelorder.4"),
    ("a chunk as long as its second row", PACK, [("entries_per_lane(rows, lanes, order[chunk[c].row])",
                                                  "entries_per_lane(rows, lanes, order[chunk[c].row + (chunk[c].rows > 1)])")],
     "levelorder"),
    ("levelset: a level has the first chunk of the next one", LEVELSET,
     [("next = data.first[l + 1];", "next = data.first[l + 1] + (l + 1 < data.level.levels);")], "levelset"),
    ("levelset: the last level is skipped", LEVELSET, [("l < data.level.levels && ", "l < data.level.levels - 1 && ")], "levelset"),
    ("levelset: one row too many in a chunk", LEVELSET, [("lane / LANES < chunk.rows && !sub", "lane / LANES <= chunk.rows && !sub")],
     "levelset.4"),
    ("levelset: entries of the next chunk", LEVELSET,
     [("first + k < chunk.per_lane ? sweep.idx", "first + k <= chunk.per_lane ? sweep.idx"),
      ("first + k < chunk.per_lane ? sweep.values", "first + k <= chunk.per_lane ? sweep.values")], "levelset.4"),
    ("levelset: in the legacy stream", LEVELSET, [("WARPS_PER_BLOCK, stream, p, c,", "WARPS_PER_BLOCK, nullptr, p, c,")],
     "kernels/streams"),
    ("the other methods do not re-arm", RO, [("  rearm(next + i);\n", "")], "capellini"),
    ("capellini spins inside a row", RO, [("if (v == W::NOT_READY) return;", "if (v == W::NOT_READY) continue;")], "capellini"),
    ("capellini: the sum depends on the number of rounds", RO,
     [("    if (v == W::NOT_READY) return;\n    turn.work", "    if (v == W::NOT_READY) { sum *= V(1) + V(1e-6); return; }\n    turn.work")], "capellini"),
    ("twophase: one round after the first phase", RO,
     [("  while (goes_on(mine)) {\n    if (!mine) continue;", "  if (mine) {")], "twophase"),
    ("twophase: the first phase does not wait", RO,
     [("sum -= sweep.values[j] * await(x + sweep.idx[j], turn);",
       "sum -= sweep.values[j] * Word<V>::value(poll(x + sweep.idx[j]));")], "twophase"),
    ("twophase spins on rows of its own group", RO, [("sweep.idx[j] < group; j++", "sweep.idx[j] < group + WARP; j++")], "twophase"),
    ("yuenyeung: two rows to a warp", RO, [("end - begin == 1)", "end - begin <= 2)")], "yuenyeung"),
    ("yuenyeung: warps read from lane 1 on", RO,
     [("int j = sweep.ptr[i] + lane; j - lane <", "int j = sweep.ptr[i] + lane + 1; j - lane <")], "yuenyeung"),
    ("syncfree-csr: rows do not wait", RO, [("waiting = __any_sync(ALL_LANES, v == W::NOT_READY);", "waiting = false;")], "syncfree-csr"),
    ("syncfree-csr: groups from the last to the first", RO,
     [("FORM == Form::WARP_LEVEL ? (int)g", "FORM == Form::WARP_LEVEL ? sweep.rows - 1 - (int)g")], "syncfree-csr"),
    ("yuenyeung: a map without the last row of a sub-matrix", GROUPS,
     [("if (group < first[k + 1])", "if (group + 1 < first[k + 1])")], "yuenyeung.warp"),
    ("yuenyeung: a group too few for a sub-matrix", GROUPS,
     [("mean >= threshold ? rows :", "mean >= threshold ? rows - 1 :")], "yuenyeung"),
    ("split: the lanes of a row of the product do not add up", SPLIT, [("    sum = sum_over(LANES, sum);\n", "")], "split.gpu-gpu"),
    ("split: the second part reads b as it was", SPLIT, [("k ? data.right : b, out, stream)", "b, out, stream)")], "split.cpu-gpu"),
    ("split: the CPU's x moves out before it is there", SPLIT,
     [("  if (work) SPTRSV_CUDA(cudaLaunchHostFunc(stream, solve_part, &data.task[k]));\n  return move_out(plan, k, out, stream);",
       "  SPTRSV_TRY(move_out(plan, k, out, stream));\n  SPTRSV_CUDA(cudaLaunchHostFunc(stream, solve_part, &data.task[k]));\n"
       "  return SPTRSV_SUCCESS;")], "split.gpu-cpu"),
    ("split: columns of the product as the first part has them", "solve/ahmad/split_build.cu",
     [("s.col_idx[e] = data->common.to[s.col_idx[e]];", "s.col_idx[e] += 0;")], "split.gpu-gpu"),
    ("ILU(0): pivots are not waited for", ILU_ENTRY, [(" || pivot[k] == W::NOT_READY;", ";")], "ilu0-entries"),
    ("ILU(0): nothing is marked as not ready", ILU,
     [("if (unknown[e]) rearm(pass.v + e);\n    else pass.v[e]", "if (!unknown[e]) pass.v[e]")], "ilu0-entries"),
    ("ILU(0): ranks of the later row", OPERANDS,
     [("rank[min(row[e], col_idx[e])]", "rank[row[e] + col_idx[e] - min(row[e], col_idx[e])]")], "ilu0-entries"),
    ("ILU(0): the last pair is left out", OPERANDS,
     [("lengths[u] = (size_t)count[e];", "lengths[u] = (size_t)(count[e] > 1 ? count[e] - 1 : count[e]);")],
     "ilu0-entries"),
    ("ILU(k): fill starts with a value of A", ENTRIES, [("position == SPTRSV_FILL ? V(0) : ", "")], "ilu2"),
    ("ILU(k): a level is that of the first way to it", "factor/fill.c", [("else if (level < row->level[j])", "else if (false)")],
     "kernels/fill"),
    ("levels by plain loads", LEVELS, [("? load_relaxed(length + unknown(place[q])) :",
                                        "? *(volatile Length *)(length + unknown(place[q])) :")], "levels"),
    ("levels: entries without a level are passed over", LEVELS, [("pending |= 1u << q;", ";")], "levels"),
    ("levels: a row has eight entries", LEVELS, [("    left -= count;\n", "    left = 0;\n")], "levels"),
    ("levels: the nearest row does not count", LEVELS, [("else if (q < count) near |=", "else if (q + 1 < count) near |=")], "levels"),
    ("levels: a chain does not wait for its lanes", LEVELS, [("if (!(waits & upto & (ALL_LANES << start))) near = 0;", "near = 0;")],
     "levels"),
    ("levels: a chain goes on before its start", LEVELS, [("if (lane - step >= start)", "if (lane >= step)")], "levels"),
    ("levels: lanes pass on what is not known yet", LEVELS, [("asked && !near ? l : Paths::UNKNOWN", "l")], "levels"),
    ("ata: a task waits in its own queue only", ATA_TASKS,
     [("covered ? -1 : need[q];", "q == tasks->queue[k] ? need[q] : -1;")], "ata.la5"),
    ("ata: a queue too many counts as covered", ATA_TASKS,
     [("covered = covered || done[need[r]][q] >= need[q];", "covered = true;")], "ata.la5"),
    ("ata: two levels pass for one", ATA_TASKS, [("tasks->tracked[k] = levels > 1;", "tasks->tracked[k] = levels > 2;")], "ata.ca"),
    ("ata: the last level first", ATA_TASKS, [("tasks->row[next[depth[task[i]] + level[i]]++] = i;",
                                               "tasks->row[tasks->rows - 1 - next[depth[task[i]] + level[i]]++] = i;")], "ata"),
    ("ata does not re-arm", ATA, [("  if (chunk.tracked) rearm(next + i);\n", "")], "ata.ca"),
    ("ata: no event for another stream", ATA_PLAN, [("    if (plan.done[k]) SPTRSV_CUDA(cudaEventRecord(plan.done[k], in[q]));\n", "")],
     "ata.la5"),
    ("ata: streams do not wait for streams", ATA_PLAN, [("if (other != q && plan.after[k][other] >= 0)", "if (false)")], "ata.la5"),
    ("ata-push counts down before it adds", ATA,
     [("    add_relaxed(pushed + sweep.idx[j], sweep.values[j] * x);\n", ""),
      ("subtract_release(u_deps + sweep.idx[j], 1);",
       "subtract_release(u_deps + sweep.idx[j], 1);\n    add_relaxed(pushed + sweep.idx[j], sweep.values[j] * x);")],
     "ata-push.ca"),
    ("ata-push leaves sums behind", ATA, [("    sweep.x[later + i] = 0;\n", "")], "ata-push.ca"),
    ("ata-push leaves counts behind", ATA, [("    if (chunk.tracked) sweep.u_deps[later + i] = sweep.needs[i];\n", "")], "ata-push.ca"),
    ("ata-push: lanes go on to the next row by themselves", ATA, [("  __syncwarp(); /* in lockstep", "  /* in lockstep")], "ata-push.ca"),
    ("ata-push: only lane 0 waits", ATA, [("if (chunk.tracked && !await_zero(", "if (!lane && chunk.tracked && !await_zero(")],
     "ata-push.ca"),
    ("ata-push counts for later tasks too", ATA, [("if (sweep.idx[j] < chunk.task_end) ", "")], "ata-push.la"),
    ("ILU(0) by tasks: entries of a row do not wait for each other", ILU_TASKS,
     [("        __syncwarp(); /* entries to its right need it */\n", "")], "ilu0-ata"),
    ("ILU(0) by tasks: no row is tracked", ILU_TASKS, [("chunk.tracked ? subtract_pairs<V, true>", "false ? subtract_pairs<V, true>")],
     "ilu0-ata"),
    ("levr: two levels to a launch", LEVELSCHED,
     [("m < data.levels; m++", "m < data.levels; m += 2"), ("l2 = data.ilev[m + 1]", "l2 = data.ilev[std::min(m + 2, data.levels)]")],
     "levr"),
    ("levc does not clear its sums", LEVELSCHED, [("    sweep.left_sum[j]    = 0;\n", "")], "levc"),
    ("slfr: the block's number in place of its ticket", SELFSCHED,
     [("WARP, k = (int)(turn.start * WARPS_PER_BLOCK + threadIdx.x / WARP);\n\n  if (k >= sweep.rows) return;\n  const int i",
       "WARP, k = (int)(blockIdx.x * WARPS_PER_BLOCK + threadIdx.x / WARP);\n\n  if (k >= sweep.rows) return;\n  const int i")],
     "slfr/L/double"),
    ("slfr: counts are not acquired", SELFSCHED,
     [("await_zero(missing + i, turn)", "await_nothing([&] { return load_relaxed(missing + i); }, turn)")], "slfr/L/double"),
    ("slfr: counts are not released", SELFSCHED,
     [("subtract_release(missing + sweep.row_idx[e], 1);", "(void)atomicSub(missing + sweep.row_idx[e], 1u);")],
     "slfr/L/double"),
    ("slfr: only lane 0 waits", SELFSCHED, [("= await_zero(missing + i, turn)", "= lane || await_zero(missing + i, turn)")],
     "slfr/L/double"),
    ("slfr: lanes do not wait for lane 0's x", SELFSCHED, [("  __syncwarp();\n  for (", "  for (")], "slfr/L/double"),
    ("slfc counts before it adds", SELFSCHED,
     [("    add_relaxed(left_sum + sweep.idx[e], sweep.values[e] * x);\n    subtract_release(missing + sweep.idx[e], 1);",
       "    subtract_release(missing + sweep.idx[e], 1);\n    add_relaxed(left_sum + sweep.idx[e], sweep.values[e] * x);")],
     "slfc/L/double"),
    ("slfc re-arms the counts in use", SELFSCHED,
     [("set_of(sweep.missing, sweep.rows, 1 - turn.parity)[j]", "set_of(sweep.missing, sweep.rows, turn.parity)[j]")], "slfc/L/double"),
    ("slfc does not re-arm its sums", SELFSCHED,
     [("    set_of(sweep.left_sum, sweep.rows, 1 - turn.parity)[j] = 0;\n", "")], "slfc/L/double"),
    ("syncfree-csc: shared sums are not cleared", SYNCFREE, [("    s_left_sum[warp]  = 0;\n", "")], "syncfree-csc/L/double"),
    ("syncfree-csc: one row too many in shared memory", SYNCFREE, [("own < WARPS_PER_BLOCK", "own <= WARPS_PER_BLOCK")],
     "syncfree-csc/L/double"),
    ("syncfree-csc: shared counts are not waited for", SYNCFREE, [(" + load_acquire_block(s_in_degree + warp)", "")],
     "syncfree-csc/L/double"),
    ("syncfree-csc: shared counts are not released", SYNCFREE,
     [("subtract_release_block(s_in_degree + own, 1)", "(void)atomicSub(s_in_degree + own, 1u)")], "syncfree-csc/L/double"),
    ("syncfree-csc: other blocks' counts are released to its own", SYNCFREE,
     [("subtract_release(d_in_degree + row, 1)", "subtract_release_block(d_in_degree + row, 1)")], "syncfree-csc/L/double"),
    ("syncfree-csc: only lane 0 waits", SYNCFREE, [("await_nothing(", "lane || await_nothing(")], "syncfree-csc/L/double"),
    ("Kahn: a root for every edge", KAHN,
     [("if (atomicSub(missing + j, 1u) != 1) continue;", "(void)atomicSub(missing + j, 1u);")], "kahn/"),
    ("columns without an atomic", TRANSPOSE, [("atomicAdd(next + adjacency.idx[e], 1)", "next[adjacency.idx[e]]++")], "kahn/"),
    ("levelorder: warps are not rounded to blocks of four", LO_PLAN, [("warps : warps / 4 * 4;", "warps : warps;")],
     "kernels/tickets"),
    ("Kahn: a count is read again after it went down", KAHN,
     [("if (atomicSub(missing + j, 1u) != 1) continue;",
       "(void)atomicSub(missing + j, 1u);\n      if (load_relaxed(missing + j)) continue;")], "kahn/"),
    ("ILU(0): only a lane's first batch of pairs is waited for", ILU_ENTRY,
     [("  const auto get = [&]", "  bool later = false;\n  const auto get = [&]"),
      ("while (TRACKED && waiting && ++rounds", "while (TRACKED && waiting && !later && ++rounds"),
      ("while (TRACKED && waiting && !turn.gives_up(rounds));", "while (TRACKED && waiting && !later && !turn.gives_up(rounds));\n"
       "    later = true;")], "kernels/factor"),
    ("ILU(0): a zero pivot by a plain store", PIVOTS,
     [("atomicMax(bad_row, row());", "*bad_row = row();")], "kernels/pivots"),
    ("ILU(0): a zero pivot of the factorization before is reported", ILU_ROWS,
     [("  if (!first) *bad_row = -1;\n", "")], "ilu0-rows.zero"),
    ("ILU(0): NOT_READY's NaN in A is copied as it is", ENTRIES, [("harmless(a[position])", "a[position]")],
     "ilu0-entries"),
    ("NOT_READY's NaN in b or in the values is published", DEVICE, [("Word<V>::of(harmless(v)));", "Word<V>::of(v));")], "kernels/split"),
    ("ILU(0): the gap of the positive definite shift is cleared once", ILU_ALL,
     [("  SPTRSV_CUDA(cudaMemsetAsync(d->gap, 0, sizeof(*d->gap), stream));\n", ""),
      ("sptrsvDeviceNew(memory, 1, &d->gap)", "sptrsvDeviceAllocateZeroed(memory, sizeof(*d->gap), (void **)&d->gap)")], "kernels/reuse"),
    ("ILU(0): a stride of the grid too long", OPERANDS,
     [("(size_t)gridDim.x * blockDim.x / WARP)", "(size_t)gridDim.x * blockDim.x)")], "ilu0-entries"),
    ("a launch's number from the low 32 bits of its tickets", TICKETS,
     [("= first / per_launch;", "= (unsigned)first / per_launch;")], "kernels/tickets"),
    ("a block's next ticket replaces one that not all have read", TICKETS,
     [("    __syncthreads(); /* all have read the one before */\n", "")], "ata.la5"),
    ("ILU(0): a pivot is compared with a lane's part of the sum of its row", ILU_ALL,
     [("    sum = sum_over(WARP, sum);\n\n    const double pivot", "\n    const double pivot")], "kernels/pivots"),
    ("ata: unknowns are cleared anew while a solve runs", "plan/triangle.cu",
     [("  SPTRSV_CUDA(cudaStreamSynchronize(nullptr)); /* the first solve may come in another stream */\n", "")], "kernels/memory"),
    ("ata rewinds the first task only", "tasks/tasks.cu", [("(size_t)plan.tasks * sizeof", "sizeof")], "kernels/memory"),
    ("split: the CPU's second part does not wait for its b", SPLIT,
     [("  SPTRSV_TRY(follow(stream, data.side, data.event[1]));\n", "")], "kernels/streams"),
    ("split: x of the CPU's first part moves out before it is there", SPLIT,
     [("  SPTRSV_TRY(follow(data.side, stream, data.event[2]));\n  SPTRSV_TRY(move_out(plan, 0, out, data.side));\n",
       "  SPTRSV_TRY(move_out(plan, 0, out, data.side));\n  SPTRSV_TRY(follow(data.side, stream, data.event[2]));\n")],
     "kernels/streams"),
    ("slfr, slfc and syncfree-csc in the legacy stream", "solve/li/li.cuh",
     [("WARPS_PER_BLOCK, stream, li_sweep", "WARPS_PER_BLOCK, nullptr, li_sweep")], "kernels/streams"),
    ("levr and levc in the legacy stream", LEVELSCHED, [("warps, stream, li_sweep", "warps, nullptr, li_sweep")], "kernels/streams"),
    ("every other stride of a plan's values is left out", "plan/triangle.cu",
     [("k < triangle.nnz + triangle.rows; k += (size_t)gridDim.x", "k < triangle.nnz + triangle.rows; k += (size_t)2 * gridDim.x")],
     "kernels/streams"),
    ("strips: the turn is passed before x is written", STRIPS,
     [("    *own = value = end(solve_unknown<End>(record, x, at, true));\n    relay.pass_turn();\n",
       "    relay.pass_turn();\n    *own = value = end(solve_unknown<End>(record, x, at, true));\n")], "strips.64"),
    ("strips: the turn of a chunk of one step is not awaited", STRIPS, [(AWAIT + "    *own", "    *own")], "strips.64"),
    ("strips: the turn of a chunk of several steps is not awaited", STRIPS, [(AWAIT[2:] + "#pragma", "#pragma")], "strips.64"),
    ("strips: a turn is awaited one too early", STRIPS, [("before + (unsigned)c, row", "before + (unsigned)c - 1, row")], "strips.20"),
    ("strips: turns are counted anew in each strip", STRIPS, [("    number += (unsigned)chunks;\n", "")], "strips.20"),
    ("strips: records are read before their copies are complete", STRIPS, [("await_copies<1>();", "")], "strips.20"),
    ("strips: a record is copied over the one at hand", STRIPS, [("    copy((k + 1) % D);\n", "    copy(k);\n")], "strips.20"),
    ("strips: entries that are not there are left as they were", STRIPS, [(" near[WARP * (q - 1)] = {};", " continue;")], "strips.64"),
    ("strips: data of the chunk before", STRIPS,
     [("read_data<End>(sweep, lane, b, supply[(k + D - 1) % D]);", "read_data<End>(sweep, lane, b, supply[(k + D - 2) % D]);")],
     "kernels/teams"),
    ("strips: a copy is under way when the next strip begins", STRIPS, [("  await_copies<0>();", "")], "kernels/teams"),
    ("strips: far unknowns are polled once", STRIPS, [("goes_on = waits();", "goes_on = false;")], "strips.8"),
    ("strips: steps of a chunk without a barrier", STRIPS,
     [("*own = value = end(found);\n    __syncwarp();\n", "*own = value = end(found);\n")], "strips.64"),
    ("strips: lanes read x before it is their turn", STRIPS, [("(turn ? record.offset(k) : 0)", "record.offset(k)")], "strips.64"),
    ("strips: the first group of entries only", STRIPS, [("    if (!group || ", "    if (!group && ")], "strips.64"),
    ("strips: a warp begins one chunk late", STRIPS, [("number, begin, warps", "number, begin + 1, warps")], "strips.20"),
    ("strips: from the last strip to the first", STRIPS,
     [("sweep.strip_ptr[s], chunks = sweep.strip_ptr[s + 1] - first;",
       "sweep.strip_ptr[sweep.tickets.work - 1 - s], chunks = sweep.strip_ptr[sweep.tickets.work - s] - first;")], "strips.8"),
    ("strips: far unknowns are not re-armed", STRIPS, [("      rearm(next + place);\n", "")], "strips.8"),
    ("strips: x goes to the place of the next chunk", STRIPS,
     [("(unsigned)c * WARP % SPTRSV_STRIP_RING", "(unsigned)(c + 1) * WARP % SPTRSV_STRIP_RING")], "strips.64"),
    ("strips: the team's places are not zeroed", STRIPS, [("  if (!warp) x[lane] = 0;\n", "")], "strips.20"),
    ("strips: the ring has a chunk less than near entries need", ARRANGE, [("SPTRSV_STRIP_RING - WARP;", "SPTRSV_STRIP_RING;")],
     "strips.64"),
    ("strips: far taken for near", ARRANGE, [("strip == places.strip[j] && ", "")], "strips.8"),
    ("strips: what is far in its own strip is not published", ARRANGE,
     [("        store_relaxed(is_far", "        if (strip != places.strip[j]) store_relaxed(is_far")], "strips.64"),
    ("strips: levels of a chunk in one step", ARRANGE, [("i >= 0 && level != before);", "false);")], "strips.64"),
    ("strips: the last group of a strip has no place of its own", ARRANGE, [("g < of_strip[s + 1]; g++)", "g < of_strip[s + 1] - 1; g++)")],
     "strips.8"),
    ("strips: the right-hand side is read before it is there", STRIPS, [("  await_previous_launch();\n", "")], "strips.64"),
    ("levelorder: the right-hand side is read before it is there", LO, [("    await_previous_launch();\n", "")], "levelorder.4"),
    ("levelset: a level begins before the one that it needs has ended", LEVELSET, [("  await_previous_launch();\n", "")], "levelset"),
    ("strips: less groups of near entries than there are", STRIPS, [("record.mark()) >= GROUPS)", "record.mark()) > GROUPS)")],
     "strips.64"),
    ("strips: bricks before those that they need", "solve/strips/arrange.cuh",
     [("(near + far) * order.bands", "(near - far) * order.bands")], "strips.bricks"),
    ("the watchdog's word is read plainly", TICKETS, [("load_relaxed(stalled);", "*stalled;")], "kernels/watchdog"),
    ("glances of all waits of a warp add up", TICKETS, [("if (now != seen)", "if (false)")], "kernels/watchdog"),
    ("work within a ticket gives no sign", TICKETS, [(" < step) add_relaxed(", " > SPTRSV_SIGN) add_relaxed(")], "kernels/watchdog"),
    ("ILU(0): one pair more than a batch holds", ILU_ENTRY,
     [("for (int k = 0; k < BATCH; k++) { /* last,", "for (int k = 0; k <= BATCH; k++) { /* last,")], "ilu0-entries"),
    ("a pattern on the device is read by the host", "analysis/pattern.c",
     [("if (A->location == SPTRSV_HOST) {\n    memcpy", "if (A->location >= SPTRSV_HOST) {\n    memcpy")], "statistics"),
    ("values are updated in the legacy stream", "plan/triangle.cu",
     [("blocks_for(threads), BLOCK, stream,", "blocks_for(threads), BLOCK, nullptr,")],
     "kernels/streams"),
    ("set-up: the diagonal counts as left of itself", PATTERN, [("mine && j < i));", "mine && j <= i));")], "kernels/factor"),
    ("set-up: a row is split by its last entries", PATTERN, [("      left += count_lanes(", "      left = count_lanes(")],
     "kernels/factor"),
    ("set-up: the last row without a diagonal entry is named", PATTERN, [("atomicMin(&faults->missing, i);", "faults->missing = i;")],
     "kernels/factor"),
    ("set-up: a pattern is known again by its rows", PATTERN, [("compare(analysis->a.nnz, ", "compare(0, ")], "kernels/factor"),
    ("set-up: a pattern is known again by its columns", PATTERN, [("compare(analysis->a.n + 1, ", "compare(0, ")], "kernels/factor"),
    ("set-up: rows of a level are counted by plain stores", LEVELS, [("add_relaxed(count + level[i], 1);", "count[level[i]]++;")],
     "kernels/levels"),
    ("set-up: the longest of a thread's rows is its last one", LEVELS, [("max(own.longest, length);", "length;")], "kernels/levels"),
    ("set-up: an upper triangle with its diagonal", "factor/counts.cu",
     [("(row_ptr[i + 1] - split[i] - 1);", "(row_ptr[i + 1] - split[i]);")], "kernels/factor"),
    ("set-up: ICC's lower triangle comes from its own places", "factor/mirror.cu",
     [("e < f.split[i] ? find_upper(f, f.col_idx[e], i) : e;", "e;")], "icc0"),
    ("set-up: every pattern is symmetric", "factor/mirror.cu", [("*symmetric = !found;", "*symmetric = true;")], "kernels/factor"),
    ("cut: leaves in the order of their columns", CUT, [("Key(r) * levels + trees.rows.level[trees.rows.needs.idx[e]];",
                                                         "Key(r) * levels;")], "cut"),
    ("cut: leaves of a row from its end", CUT, [("q - trees.leaves[r]);", "trees.leaves[r + 1] - 1 - q);")], "cut"),
    ("cut: a layer's sums add the layer before it", CUT, [("      slot += left;\n", "")], "cut"),
    ("cut: only the first stride of long rows' leaves", CUT, [("put_leaf(trees, entry[q],", "if (q < 128) put_leaf(trees, entry[q],")],
     "cut"),
    ("cut: what was cut serves the transposed sweep, too", CUT, [(" && cut->op == op)", ")")], "kernels/cut"),
    ("cut: what was cut is kept", "registry.c", [("  sptrsvCutFree(&analysis->cut);\n", "")], "kernels/cut"),
    ("transpose: a column begins one entry late", TRANSPOSE, [("0, nnz, (unsigned)i);", "0, nnz, (unsigned)i) + (i && i < n);")],
     "statistics"),
    ("transpose: split right of the diagonal", PATTERN, [("row_ptr[i + 1], i);", "row_ptr[i + 1], i + 1);")], "statistics"),
    ("transpose: entries are their own sources", "analysis/rows.cu", [("transpose ? analysis->d_t_source : nullptr;", "nullptr;")],
     "cut"),
    ("set-up: a spare block that is too small", "memory.c", [("if (size >= bytes && size - bytes <= more", "if (size + 16 >= bytes")],
     "levels"),
    ("set-up: one bit too few of the keys is sorted", "device/sort.cu", [("  return bits;\n", "  return bits - 1;\n")], "strips.64.set-up"),
    ("depth first: an unknown goes as soon as one that it needs is taken", DEPTH_FIRST,
     [("      g.missing[user]--;\n", "      g.missing[user] = 0;\n")], "strips.20.set-up"),
    ("depth first: the first that became ready goes first", DEPTH_FIRST,
     [("int k = count - 1; k >= 0; k--", "int k = 0; k < count; k++")], "depth-first"),
    ("depth first: gaps between lists stay", DEPTH_FIRST, [("col_idx[row_ptr[i] + e - first]", "col_idx[e]")], "strips.20.set-up"),
    ("set-up: spare blocks are kept", "memory.c", [("if (!--spare.setups) free_spare();", "--spare.setups;")], "kernels/memory"),
    ("set-up: a spare block is handed out and kept", "memory.c", [("spare.block[k] = spare.block[--spare.blocks];\n", "\n")],
     "kernels/factor"),
    ("rows: the wait for a row ends when one lane has what it needs", ILU_ROWS,
     [("return __any_sync(ALL_LANES, some);", "return count_lanes(__ballot_sync(ALL_LANES, some)) == WARP;")], "ilu0-rows/"),
    ("rows: pivots are not waited for", ILU_ROWS, [("bool some = sub == m && pivot == W::NOT_READY;", "bool some = false;")], "ilu0-rows/"),
    ("rows: entries are stored plainly", ILU_ROWS,
     [("else if (p < row.length) publish(pass.v + e, ", "else if (p < row.length) *(pass.v + e) = (")], "ilu0-rows/"),
    ("rows: an entry of the factor before is taken", ILU_ROWS, [("for (int e = first; e < nnz;", "for (int e = first + 1; e < nnz;")],
     "ilu0-rows/"),
    ("rows: a row is subtracted although its multiplier is zero", ILU_ROWS, [("place.row.lower && left != V(0);", "place.row.lower;")],
     "ilu0-rows.zero"),
    ("rows: the multiplier is not kept", ILU_ROWS, [("LANES * t == p) w[t] = l;", "LANES * t == p) w[t] = left;")], "ilu0-rows/"),
    ("rows: the second batch begins where the first did", ILU_ROWS,
     [("batch.locate(map, place, first);", "batch.locate(map, place, 0);")], "ilu0-rows/"),
    ("rows: a batch ends with its last whole group", ILU_ROWS, [("m >= count; }", "m + GROUP > count; }")], "ilu0-rows/"),
    ("rows: the second half of a word is read as the first", ILU_ROWS, [("8 * (m % GROUP) & 0xff", "8 * (m % 2) & 0xff")], "ilu0-rows/"),
    ("rows: a word too far", ILU_ROWS, [("word_of(row.length, m / GROUP, p)]", "word_of(row.length, m / GROUP, p) + 1]")], "ilu0-rows/"),
    ("rows: the words of a group begin in the group before", ROWS_LAYOUT, [("group * (length - 1)", "group * (length - 2)")], "ilu0-rows/"),
    ("rows: the map has a word too few for a row", ROWS_LAYOUT, [("GROUP * groups + 1);", "GROUP * groups);")], "ilu0-rows/"),
    ("rows: a chunk is as long as its last row", ILU_ROWS, [("(int)row.lower, 0);", "(int)row.lower, WARP - 1);")], "ilu0-rows/"),
    ("rows: a row is factored twice", ILU_ROWS, [("    row  = then;\n", "")], "ilu0-rows/"),
    ("rows: a ticket too many is taken", ILU_ROWS, [("more ? turn.take() : 0;", "turn.take();")], "ilu0-rows/"),
    ("rows: the next ticket is not shared", ILU_ROWS, [("next = turn.share(ahead);", "next = ahead;")], "ilu0-rows/"),
    ("rows: 65 to 128 entries go to lanes with two each", ILU_ROWS,
     [("if (per_lane == 4) return call(integral_constant<int, 32>(), integral_constant<int, 4>());\n", "")], "ilu0-rows/"),
    ("rows: 33 to 64 entries go to lanes with one each", ILU_ROWS,
     [("if (per_lane == 2) return call(integral_constant<int, 32>(), integral_constant<int, 2>());\n", "")], "ilu0-rows/"),
    ("rows: those of a level with fewest entries come first", ROWS_SETUP,
     [("(KEYS - 1 - (f.split[i] - f.row_ptr[i]))", "(f.split[i] - f.row_ptr[i])")], "ilu0-rows/"),
    ("rows: chunks take the first row of the next level", ROWS_SETUP, [("(r >= first[l + 1])", "(r > first[l + 1])")], "ilu0-rows/"),
    ("rows: a chunk that is not full is left out", ROWS_SETUP, [("level_ptr[l] + most - 1) / most;", "level_ptr[l]) / most;")],
     "ilu0-rows/"),
    ("rows: the map has the entry before", ROWS_SETUP, [("(unsigned)(q - f.split[k])", "(unsigned)(q - f.split[k] - 1)")], "ilu0-rows/"),
    ("sweep: a product without its mirror image", ENTRIES, [("entry_of(a, source, q)", "V(1)")], "ilu0-sweep"),
    ("sweep: an entry without a mirror image has a product", ENTRIES, [("* entry_of(a, source, q) : V(0);",
                                                                       "* entry_of(a, source, q) : V(1);")], "ilu0-sweep"),
    ("sweep: any pattern will do", ILU_SWEEP, [("*meet = found;", "*meet = false;")], "kernels/factor"),
    ("sweep: an entry left of the diagonal meets no product", ILU_SWEEP,
     [("find_from(f, i, right, f.col_idx[q]) >= 0", "find_upper(f, i, f.col_idx[q]) >= 0")], "kernels/predicates"),
    ("sweep: the method stays when another plan is lent", ILU_ALL, [("if (lower != d.lower && d.method", "if (!lower && d.method")],
     "kernels/histories"),
    ("shifts: cleared in the legacy stream", ILU_ALL,
     [("cudaMemsetAsync(d->gap, 0, sizeof(*d->gap), stream)", "cudaMemset(d->gap, 0, sizeof(*d->gap))")], "ilu0.zero"),
    ("sweep: entries right of the diagonal are not looked at", ILU_SWEEP,
     [("if (f.col_idx[q] != i && ", "if (f.col_idx[q] < i && "), ("if (f.col_idx[p] != i && ", "if (f.col_idx[p] < i && ")],
     "kernels/factor"),
    ("sweep: products that are zero meet infinite pivots", ENDS,
     [("  static constexpr bool SKIPS_ZEROS = true;", "  static constexpr bool SKIPS_ZEROS = false;")], "ilu0-sweep"),
    ("sweep: partial sums of long rows are inverted", ENDS, [("return target < 0 ? sum : inverse;", "return inverse;")], "ilu0-sweep"),
    ("sweep: the diagonal comes in the order of A", ENDS,
     [("source(int, int target) { return target; }", "source(int source, int) { return source; }")], "ilu0-sweep"),
    ("sweep: multipliers are not divided", ILU_SWEEP, [("start : start * x[pass.f.col_idx[e]];", "start : start;")], "ilu0-sweep"),
    ("sweep: the plan keeps the values of the solve", LO_PLAN,
     [("  SPTRSV_TRY(triangle_update(plan->options, data.level.triangle, *pivots, stream));\n", "")], "ilu0-sweep"),
    ("sweep: a zero multiplier meets its mirror image", ENTRIES, [("q >= 0 && left != V(0) ? left *", "q >= 0 ? left *")], "kernels/ways"),
    ("sweep: a plan that was refused is kept", ILU_ALL, [("  if (status) d.lower = nullptr;", "")], "kernels/ways"),
    ("rows: one of 129 entries is taken", ILU_ROWS,
     [("longest > MOST_LENGTH ||", "longest > MOST_LENGTH + 1 ||")], "kernels/ways"),
    ("rows: one of 128 entries is refused", ILU_ROWS,
     [("longest > MOST_LENGTH ||", "longest >= MOST_LENGTH ||")], "kernels/ways"),
    ("sweep: levelset inverts in the legacy stream", LEVELSET,
     [("pivot_of(*pivots), false, stream);", "pivot_of(*pivots), false, nullptr);")], "kernels/concurrent"),
    ("sweep: strips take products in the legacy stream", "solve/strips/strips_plan.cu",
     [("products_of<V>(*pivots), stream);", "products_of<V>(*pivots), nullptr);")], "kernels/concurrent"),
    ("a use does not wait for the legacy stream", "uses.c", [("return follow(u, stream, stream, NULL);", "return SPTRSV_SUCCESS;")],
     "kernels/uses"),
    ("the legacy stream does not wait for a use", "uses.c", [("return follow(u, stream, NULL, stream);", "return SPTRSV_SUCCESS;")],
     "kernels/uses"),
    ("a use is waited for in a capture", "uses.c", [("  if (capture != cudaStreamCaptureStatusNone) return SPTRSV_SUCCESS;\n", "")],
     "kernels/uses"),
    ("pivots are read in the legacy stream", ILU_ALL, [("factor->values, inverted, stream);", "factor->values, inverted, nullptr);")],
     "kernels/uses"),
    ("strips: constant reciprocals are missing", ARRANGE, [("if (diagonal < 0) *(V *)record = constant_of<V>(diagonal);", "")],
     "strips.64"),
    ("strips: the last entries of a group are left out", "solve/strips/strips_plan.cu",
     [("from[g] = k + g < per ?", "from[g] = k + g < per && g < GROUP - 1 ?")], "strips.64"),
    ("bricks: the rows that were asked for are ignored", "solve/strips/bricks.cu",
     [("choose_size(brick_rows ?", "choose_size(!brick_rows ?")], "kernels/teams"),
    ("sweep: strips invert with the memory of small blocks", "solve/strips/strips_invert.cu",
     [("return allow_memory(kernel);", "return kernel ? cudaSuccess : cudaSuccess;")], "ilu0-sweep.strips"),
]


def mutated(file, changes):
    """The text of a source after the changes.  Each of them has exactly one place."""
    with open(os.path.join(ROOT, file), encoding="utf-8") as stream:
        text = stream.read()
    for old, new in changes:
        if text.count(old) != 1:
            raise ValueError(f"{file} has {text.count(old)} places with\n{old}")
        text = text.replace(old, new)
    return text


def program_of(cases):
    return cases[len(PROGRAM):] if cases.startswith(PROGRAM) else "campaign"


def misfits():
    """Counts the mutants that do not fit into their source, or whose cases do not exist: of these no schedule would run."""
    count = 0
    for what, file, changes, cases in MUTANTS:
        command = [f"{TESTS}/simt/{program_of(cases)}"]
        if cases.startswith(PROGRAM):
            command = ["test", "-x", *command]
        else:
            command += ["--rows", "24", "--seeds", "0", "--part", "0/1000000", "--case", cases]
        try:
            mutated(file, changes)
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        except (ValueError, subprocess.CalledProcessError) as error:
            print(f"FAIL {what}: {error}", flush=True)
            count += 1
    return count


def run_campaign(program, cases):
    """The modes that see it, and the first failure"""
    seen, why = [], ""
    for mode in MODES:
        command = [program, "--rows", "64", "--seeds", SEEDS, "--mode", mode, "--case", cases, "--first"]
        try:
            result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=LIMIT, errors="replace",
                                    check=False)
            status, output = result.returncode, result.stdout
        except subprocess.TimeoutExpired:
            status, output = 1, "FAIL: ran longer than a sound one ever does"
        if status:
            at_once = ", set-up: " in output
            seen.append(FIRST if at_once else mode)
            why = why or reason(output)
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
    return ([f"`{cases}`"], why or "crash, or no end") if why or process.returncode else ([], "")


def run(number, what, file, changes, cases):
    tree = Tree(os.path.join(BUILD, "mutants", str(number)), file, mutated(file, changes))
    output = tree.make(f"simt/{program_of(cases)}")
    if output:
        print(f"NOT BUILT: {what}\n{output}", flush=True)
        return what, file, [], "does not compile"
    seen, why = (run_program if cases.startswith(PROGRAM) else run_campaign)(f"{tree.folder}/simt/{program_of(cases)}", cases)
    print(f"{'caught' if seen else 'NOT CAUGHT'}: {what} ({', '.join(seen)}; {why})", flush=True)
    tree.remove()
    return what, file, seen, why


def main():
    start, unfit = time.time(), misfits()
    if unfit or sys.argv[1:] == ["--check"]:
        print(f"mutants: {len(MUTANTS) - unfit} passed, {unfit} failed, 0 skipped")
        sys.exit(unfit != 0)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = list(pool.map(lambda k: run(k, *MUTANTS[k]), range(len(MUTANTS))))
    table = ["| mutant | file | seen by | first seen as |", "|---|---|---|---|"]
    for what, file, seen, why in rows:
        modes = "all modes" if seen == MODES else ", ".join(seen)
        table.append(f"| {what} | `{file}` | {modes or '**nothing**'} | {why} |")
    with open(os.path.join(BUILD, "mutants.md"), "w", encoding="utf-8") as stream:
        stream.write("\n".join(table) + "\n")
    print("\n".join(table))
    caught = sum(1 for row in rows if row[2])
    print(f"{time.time() - start:.0f} s\nmutants: {caught} passed, {len(rows) - caught} failed, 0 skipped")
    sys.exit(caught != len(rows))


main()
