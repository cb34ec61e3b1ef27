/*
   Rows of a sweep on the device, the long ones cut, as doc/algorithms/levelorder.md tells.

   The entries of a row, its leaves, are followed by those that add its partial sums, layer by layer.  The row itself keeps its last leaves,
   which are ready last, so that they are one step away.  Partial sums are numbered in the order in which they are added, so all but the
   order of a long row's leaves follows from its length.  Leaves of all long rows are sorted at once.
*/
#include "rows.cuh"

namespace {

using namespace sptrsv;

using Key = unsigned long long;

/* Rows that are cut, and what lies before each of them in the order in which they can be solved: [n + 1] */
struct Trees {
  Rows       rows;
  int        most;
  const Key *before; /* unknowns, in the upper half, and entries.  Neither half overflows: there are fewer partial sums than entries. */
  const int *leaves; /* entries of rows that are long */
};

__device__ __forceinline__ int length_of(const Rows &rows, int i)
{
  return rows.needs.end[i] - first_of(rows.needs, i);
}

/* The k-th entry of a row, whose columns ascend in the order in which unknowns can be solved */
__device__ __forceinline__ int entry_of(const Rows &rows, int i, int k)
{
  return rows.backwards ? rows.needs.end[i] - 1 - k : first_of(rows.needs, i) + k;
}

/* The first of `left` entries that become partial sums, and how many of these.  As few as leave `most` entries; all entries, `most` at a
   time, if not even that many sums would do. */
struct Layer {
  int taken, parts;
};
__device__ __forceinline__ Layer layer_of(int left, int most)
{
  const int parts = (left - 2) / (most - 1); /* (left - most) / (most - 1), rounded up */

  return parts <= most ? Layer{left - most + parts, parts} : Layer{left, (left + most - 1) / most};
}

__device__ __forceinline__ int first_unknown(const Trees &trees, int r)
{
  return (int)(trees.before[r] >> 32);
}
__device__ __forceinline__ int first_slot(const Trees &trees, int r)
{
  return (int)(unsigned)trees.before[r];
}

/* Entry e of the rows becomes that in the slot.  A row is the last of its unknowns. */
__device__ __forceinline__ void put_leaf(const Trees &trees, int e, int slot, const SptrsvCut &cut)
{
  cut.col_idx[slot] = first_unknown(trees, in_order(trees.rows, trees.rows.needs.idx[e]) + 1) - 1;
  cut.source[slot]  = source_of(trees.rows, e);
}

/* All but the leaves of long rows.  A warp per row */
SptrsvStatus put_rows(const Trees &trees, const SptrsvCut &cut)
{
  return for_each<WARP>(trees.rows.needs.n, [=] __device__(int r) {
    const int most = trees.most, lane = threadIdx.x % WARP, i = in_order(trees.rows, r);
    int       left = length_of(trees.rows, i), u = first_unknown(trees, r), slot = first_slot(trees, r);

    for (int k = left > most ? left : lane; k < left; k += WARP) put_leaf(trees, entry_of(trees.rows, i, k), slot + k, cut);
    while (left > most) { /* a layer of partial sums, and the entries that add them */
      const Layer layer = layer_of(left, most);

      for (int p = lane; p < layer.parts; p += WARP) {
        cut.row_ptr[u + p]           = slot + p * most;
        cut.row[u + p]               = -1;
        cut.col_idx[slot + left + p] = u + p;
        cut.source[slot + left + p]  = SPTRSV_ONE;
      }
      u += layer.parts;
      slot += layer.taken;
      left += layer.parts - layer.taken;
    }
    if (lane) return;
    cut.row_ptr[u] = slot;
    cut.row[u]     = i;
    if (r == trees.rows.needs.n - 1) cut.row_ptr[u + 1] = slot + left;
  });
}

/* The row of the q-th leaf of long rows */
__device__ __forceinline__ int row_of_leaf(const Trees &trees, int q)
{
  return first_at_least(trees.leaves, 0, trees.rows.needs.n + 1, q + 1) - 1;
}

/* What lies before each row.  totals: of all rows */
SptrsvStatus measure_trees(const Rows &rows, int most, Scratch<Key> &before, Scratch<int> &leaves, Key *total, int *total_leaves)
{
  const int    n = rows.needs.n;
  Scratch<Key> size;
  Scratch<int> length;

  SPTRSV_TRY(create_all((size_t)n + 1, size, length, before, leaves));
  SPTRSV_TRY(for_each(n + 1, [=, size = (Key *)size, leaves = (int *)length] __device__(int r) {
    const int length = r < n ? length_of(rows, in_order(rows, r)) : 0;
    int       sums   = 0;

    for (int left = length; left > most;) {
      const Layer layer = layer_of(left, most);

      sums += layer.parts;
      left += layer.parts - layer.taken;
    }
    size[r]   = Key(1 + sums) << 32 | (unsigned)(length + sums);
    leaves[r] = length > most ? length : 0;
  }));
  SPTRSV_TRY(exclusive_sum((Key *)size, before, n + 1, total));
  return exclusive_sum((int *)length, leaves, n + 1, total_leaves);
}

/* Leaves of long rows, each row's by the level of the row that is needed; those that are equal stay as they were */
SptrsvStatus sort_leaves(const Trees &trees, int count, int levels, const SptrsvCut &cut)
{
  Scratch<Key> key, sorted_key;
  Scratch<int> entry, sorted;

  SPTRSV_TRY(create_all(count, key, sorted_key, entry, sorted));
  SPTRSV_TRY(for_each(count, [=, key = (Key *)key, entry = (int *)entry] __device__(int q) {
    const int r = row_of_leaf(trees, q), e = entry_of(trees.rows, in_order(trees.rows, r), q - trees.leaves[r]);

    key[q]   = Key(r) * levels + trees.rows.level[trees.rows.needs.idx[e]];
    entry[q] = e;
  }));
  SPTRSV_TRY(sort_by_key((Key *)key, sorted_key, entry, sorted, count, Key(trees.rows.needs.n) * levels));
  return for_each(count, [=, sorted = (int *)sorted] __device__(int q) {
    const int r = row_of_leaf(trees, q);

    put_leaf(trees, sorted[q], first_slot(trees, r) + q - trees.leaves[r], cut);
  });
}

SptrsvStatus cut_rows(const Rows &rows, int levels, int most, SptrsvCut *cut)
{
  Scratch<Key>     before;
  Scratch<int>     leaves;
  SptrsvStatistics statistics = {};
  Key              total;
  int              count;

  SPTRSV_TRY(measure_trees(rows, most, before, leaves, &total, &count));
  if (total >> 32 >= SPTRSV_MOST || (unsigned)total >= SPTRSV_MOST) return SPTRSV_TOO_LARGE;
  cut->n   = (int)(total >> 32);
  cut->nnz = (int)(unsigned)total;
  SPTRSV_TRY(sptrsvScratchNew(&cut->memory, (size_t)cut->n + 1, &cut->row_ptr));
  SPTRSV_TRY(sptrsvScratchNew(&cut->memory, cut->nnz, &cut->col_idx));
  SPTRSV_TRY(sptrsvScratchNew(&cut->memory, cut->nnz, &cut->source));
  SPTRSV_TRY(sptrsvScratchNew(&cut->memory, cut->n, &cut->row));
  SPTRSV_TRY(sptrsvScratchNew(&cut->memory, cut->n, &cut->level));
  const Trees trees = {rows, most, before, leaves};
  SPTRSV_TRY(put_rows(trees, *cut));
  SPTRSV_TRY(sort_leaves(trees, count, levels, *cut));
  const Adjacency needs = lists(cut->n, cut->row_ptr, cut->col_idx);
  SPTRSV_TRY(levels_by_rows(needs, false, (unsigned *)cut->level));
  SPTRSV_TRY(count_levels(needs, cut->level, &cut->memory, &statistics, &cut->level_ptr));
  cut->levels = (int)statistics.levels;
  return SPTRSV_SUCCESS;
}

} // namespace

SptrsvStatus sptrsvDeviceCut(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op, int most)
{
  SptrsvCut *cut = &analysis->cut;
  DeviceRows whole;

  if (cut->most == most && cut->triangle == triangle && cut->op == op) return SPTRSV_SUCCESS;
  sptrsvCutFree(cut);
  SPTRSV_TRY(whole.take_analysis(analysis, triangle, op));
  SPTRSV_TRY(cut_rows(whole.rows, whole.levels, most, cut));
  cut->triangle = triangle;
  cut->op       = op;
  cut->most     = most;
  return SPTRSV_SUCCESS;
}
