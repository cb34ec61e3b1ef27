/*
   The graph of dependencies of an ILU(0), found on the device: entry (i, j) needs v(i, k), v(k, j) and the pivot of k for all k < min(i, j)
   where both are stored.

   Order: let rank(i) = 1 + the largest rank of the rows before i that i is coupled with in either triangle.  Entry (i, j) has the rank of
   min(i, j).  The entries it needs belong to rows or columns k < min(i, j) that both i and j are coupled with, so their ranks are smaller.
   In a symmetric pattern the ranks are the levels of the lower triangle.
*/
#include <climits>
#include "entries.cuh"

namespace {

using namespace sptrsv;

constexpr int CLASSES = WARP == 64 ? 7 : 6; /* WARP, WARP / 2, …, 1 lanes */

/* A warp per entry, its lanes over the entries p left of it in its row; pairs come out in the order of p.  Without `pair` they are counted
   for all entries, into count [nnz]; with it, those of unknown u go to pair + pair_ptr[u]. */
SptrsvStatus find_pairs(const FactorPattern &pattern, int entries, const int *row, const int *entry, const size_t *pair_ptr, int2 *pair,
                        int *count)
{
  return for_each<WARP>(entries, [=] __device__(int u) {
    const int lane = threadIdx.x % WARP, e = entry ? entry_of(entry[u]) : u;
    const int i = row[e], j = pattern.col_idx[e], least = min(i, j), end = pattern.split[i];
    int       found = 0;

    for (int first = pattern.row_ptr[i]; first < end && pattern.col_idx[first] < least; first += WARP) {
      const int      p = first + lane, k = p < end ? pattern.col_idx[p] : INT_MAX, q = k < least ? find_upper(pattern, k, j) : -1;
      const LaneMask hits = __ballot_sync(ALL_LANES, q >= 0);

      if (pair && q >= 0) pair[pair_ptr[u] + found + count_lanes_before(hits, lane)] = make_int2(p, q);
      found += count_lanes(hits);
    }
    if (!pair && !lane) count[e] = found;
  });
}

/* *rank: device [n], in `memory` or the analysis's own */
SptrsvStatus find_ranks(SptrsvAnalysis analysis, const FactorPattern &pattern, Scratch<int> &memory, const int **rank, int *ranks)
{
  const SptrsvSweep *lower;
  ScopedMemory       scratch;
  bool               symmetric;
  int               *found;

  SPTRSV_TRY(sptrsvAnalysisSweep(analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &lower));
  SPTRSV_TRY(sptrsvDeviceSymmetric(analysis, &symmetric));
  if (symmetric && lower->d_level) {
    *rank  = lower->d_level;
    *ranks = (int)lower->statistics.levels;
    return SPTRSV_SUCCESS;
  }
  SPTRSV_TRY(sptrsvAnalysisOnHost(analysis));
  SPTRSV_TRY(sptrsvHostNew(&scratch, pattern.n, &found));
  *ranks = sptrsvHostRanks(&analysis->a, found);
  SPTRSV_TRY(memory.upload(found, pattern.n));
  *rank = memory;
  return SPTRSV_SUCCESS;
}

/* Runs of equal keys become chunks of up to WARP / lanes unknowns */
SptrsvStatus find_chunks(SptrsvMemory *memory, const unsigned *sorted, Operands *operands)
{
  const int    unknowns = operands->unknowns;
  Scratch<int> begins, number; /* whether a chunk begins with the unknown, and which one */

  SPTRSV_TRY(create_all((size_t)unknowns + 1, begins, number));
  SPTRSV_TRY(for_each(unknowns + 1, [=, begins = (int *)begins] __device__(int u) {
    begins[u] = u < unknowns && (u - first_at_least(sorted, 0, u, sorted[u])) % (1 << sorted[u] % CLASSES) == 0;
  }));
  SPTRSV_TRY(exclusive_sum((int *)begins, number, unknowns + 1, &operands->chunks));
  SPTRSV_TRY(sptrsvDeviceNew(memory, operands->chunks, &operands->chunk));
  return for_each(unknowns, [=, begins = (int *)begins, number = (int *)number, chunk = operands->chunk] __device__(int u) {
    const int most = 1 << sorted[u] % CLASSES;

    if (begins[u]) chunk[number[u]] = {u, first_at_least(sorted, u, min(u + most, unknowns), sorted[u] + 1) - u, WARP / most};
  });
}

} // namespace

SptrsvStatus sptrsv::operands_create(SptrsvFactor factor, SptrsvMemory *memory, Operands *operands)
{
  const FactorPattern &f = device_of(factor).f;
  Operands            &o = *operands;
  Scratch<int>         row, count, own_rank, unknown, number, unsorted;
  Scratch<unsigned>    key, sorted;
  Scratch<size_t>      lengths;
  size_t               pairs;
  const int           *rank = nullptr;

  if (!f.n) return SPTRSV_SUCCESS;
  SPTRSV_TRY(create_all((size_t)f.nnz + 1, row, count, unknown, number));
  SPTRSV_TRY(device_arrays(memory, {array_of(f.nnz, &o.pivot), array_of(f.nnz, &o.unknown)}));
  SPTRSV_TRY(for_each_entry(lists(f.n, f.row_ptr, f.col_idx), [f, row = (int *)row, pivot = o.pivot] __device__(int i, int e) {
    row[e]   = i;
    pivot[e] = e < f.split[i] ? f.split[f.col_idx[e]] : -1; /* where the pivot of its column is */
  }));
  SPTRSV_TRY(find_pairs(f, f.nnz, row, nullptr, nullptr, nullptr, count));
  SPTRSV_TRY(find_ranks(factor->analysis, f, own_rank, &rank, &o.ranks));
  if ((double)o.ranks * CLASSES > 4e9) return SPTRSV_TOO_LARGE;
  SPTRSV_TRY(for_each(f.nnz + 1, [f, o, row = (int *)row, count = (int *)count, unknown = (int *)unknown] __device__(int e) {
    unknown[e] = e < f.nnz && (count[e] > 0 || row[e] == f.col_idx[e]);
    if (e < f.nnz) o.unknown[e] = (unsigned char)unknown[e];
  }));
  SPTRSV_TRY(exclusive_sum((int *)unknown, number, f.nnz + 1, &o.unknowns));
  SPTRSV_TRY(device_arrays(memory, {array_of(o.unknowns, &o.entry), array_of((size_t)o.unknowns + 1, &o.pair_ptr)}));
  SPTRSV_TRY(create_all(o.unknowns, key, sorted, unsorted));
  /* By rank, then by lanes, most first; a lane has about BATCH pairs */
  SPTRSV_TRY(for_each(f.nnz, [=, row = (int *)row, count = (int *)count, number = (int *)number, unsorted = (int *)unsorted,
                              key = (unsigned *)key] __device__(int e) {
    const int u     = number[e];
    int       lanes = 0; /* log2 */

    if (!o.unknown[e]) return;
    while (lanes < CLASSES - 1 && count[e] > BATCH << lanes) lanes++;
    key[u]      = (unsigned)rank[min(row[e], f.col_idx[e])] * CLASSES + (CLASSES - 1 - lanes);
    unsorted[u] = e;
  }));
  SPTRSV_TRY(sort_by_key((unsigned *)key, sorted, unsorted, o.entry, o.unknowns, (unsigned)o.ranks * CLASSES));
  SPTRSV_TRY(find_chunks(memory, sorted, operands));
  SPTRSV_TRY(lengths.create((size_t)o.unknowns + 1));
  SPTRSV_TRY(for_each(o.unknowns + 1, [f, o, row = (int *)row, count = (int *)count, lengths = (size_t *)lengths] __device__(int u) {
    const int e = u < o.unknowns ? o.entry[u] : 0;

    lengths[u] = u < o.unknowns ? (size_t)count[e] : 0;
    if (u < o.unknowns && row[e] == f.col_idx[e]) o.entry[u] = ~e;
  }));
  SPTRSV_TRY(exclusive_sum((size_t *)lengths, o.pair_ptr, o.unknowns + 1, &pairs));
  SPTRSV_TRY(sptrsvDeviceNew(memory, pairs, &o.pair));
  return find_pairs(f, o.unknowns, row, o.entry, o.pair_ptr, o.pair, nullptr);
}
