/* `split`: the triangle in level order, and the three matrices it is cut into (Ahmad et al., section 4.3). */
#include <stdlib.h>
#include "split.h"

typedef struct {
  int col, source;
} Entry;

static int by_column(const void *x, const void *y)
{
  return ((const Entry *)x)->col - ((const Entry *)y)->col;
}

/* The rows of a sweep level by level */
typedef struct {
  SptrsvOrdered ordered;
  int          *row, *place; /* [n] row in each place, place of each row */
} LevelOrder;

/* Lists the entries of row r of the order in ascending columns, the diagonal last unless it is the constant 1; returns their number */
static int sort_row(const LevelOrder *order, int r, Entry *entry)
{
  const SptrsvOrdered *o      = &order->ordered;
  const int            row    = order->row[r];
  int                  length = 0;

  for (int e = o->row_ptr[row]; e < o->row_ptr[row + 1]; e++) entry[length++] = (Entry){order->place[o->col_idx[e]], o->source[e]};
  qsort(entry, (size_t)length, sizeof(*entry), by_column);
  if (o->diagonal[row] != SPTRSV_ONE) entry[length++] = (Entry){r, o->diagonal[row]};
  return length;
}

/* The piece, I, II or III, of an entry */
static int piece(int row, int col, int first)
{
  return row < first ? 0 : col < first ? 1 : 2;
}

static void count(const LevelOrder *order, int first, SptrsvSlices *slices)
{
  const SptrsvOrdered *o = &order->ordered;

  slices->n[0] = first;
  slices->n[1] = o->n - first;
  for (int row = 0; row < o->n; row++) {
    const int r = order->place[row];

    if (o->diagonal[row] != SPTRSV_ONE) slices->nnz[piece(r, r, first)]++;
    for (int e = o->row_ptr[row]; e < o->row_ptr[row + 1]; e++) slices->nnz[piece(r, order->place[o->col_idx[e]], first)]++;
  }
}

static SptrsvStatus reserve(SptrsvMemory *memory, SptrsvSlices *slices)
{
  for (int k = 0; k < 2; k++) {
    slices->part[k].n   = slices->n[k];
    slices->part[k].nnz = slices->nnz[k ? 2 : 0];
    SPTRSV_TRY(sptrsvNew(slices->n[k] + 1, &slices->part[k].row_ptr));
    SPTRSV_TRY(sptrsvNew(slices->part[k].nnz, &slices->part[k].col_idx));
  }
  SPTRSV_TRY(sptrsvHostNew(memory, slices->n[1] + 1, &slices->row_ptr));
  SPTRSV_TRY(sptrsvHostNew(memory, slices->nnz[1], &slices->col_idx));
  return sptrsvHostNew(memory, (size_t)slices->nnz[0] + (size_t)slices->nnz[1] + (size_t)slices->nnz[2], &slices->source);
}

static void cut(const LevelOrder *order, SptrsvSlices *slices, Entry *entry)
{
  const int  first     = slices->n[0];
  int *const source[3] = {slices->source, slices->source + slices->nnz[0], slices->source + slices->nnz[0] + slices->nnz[1]};
  int *const col[3]    = {slices->part[0].col_idx, slices->col_idx, slices->part[1].col_idx};
  int        nnz[3]    = {0, 0, 0};

  for (int r = 0; r < order->ordered.n; r++) {
    const int length = sort_row(order, r, entry);

    for (int k = 0; k < length; k++) {
      const int to = piece(r, entry[k].col, first);

      source[to][nnz[to]] = entry[k].source;
      col[to][nnz[to]++]  = entry[k].col - (to == 2 ? first : 0);
    }
    if (r < first) slices->part[0].row_ptr[r + 1] = nnz[0];
    else {
      slices->row_ptr[r - first + 1]         = nnz[1];
      slices->part[1].row_ptr[r - first + 1] = nnz[2];
    }
  }
}

/* The rows of the order become those of the slices */
static SptrsvStatus slice(LevelOrder *order, int first, int64_t longest, SptrsvMemory *memory, SptrsvSlices *slices)
{
  Entry *entry;

  for (int k = 0; k < order->ordered.n; k++) order->place[order->row[k]] = k;
  count(order, first, slices);
  SPTRSV_TRY(reserve(memory, slices));
  SPTRSV_TRY(sptrsvNew(longest + 1, &entry));
  cut(order, slices, entry);
  free(entry);
  for (int k = 0; k < order->ordered.n; k++) order->row[k] = order->ordered.row[order->row[k]];
  slices->row = order->row;
  order->row  = NULL;
  memory->bytes[SPTRSV_HOST] += (size_t)order->ordered.n * sizeof(*slices->row);
  for (int k = 0; k < 2; k++) SPTRSV_TRY(sptrsvPatternSplit(&slices->part[k]));
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvSlicesCreate(SptrsvPlan plan, int level, SptrsvSlices *slices)
{
  const SptrsvSweep *sweep;
  LevelOrder         order = {0};
  int               *level_ptr, levels;
  SptrsvStatus       status;

  SPTRSV_TRY(sptrsvAnalysisLevels(plan->analysis, plan->options.triangle, plan->options.op, &sweep));
  SPTRSV_TRY(sptrsvOrderedCreate(plan->analysis, &plan->options, &order.ordered));
  status = sptrsvLevelLists(order.ordered.n, order.ordered.row, sweep->level, &levels, &level_ptr, &order.row);
  if (!status) status = sptrsvNew(order.ordered.n, &order.place);
  if (!status) status = slice(&order, level_ptr[level], sweep->statistics.longest, &plan->memory, slices);
  free(level_ptr);
  free(order.row);
  free(order.place);
  sptrsvOrderedFree(&order.ordered);
  return status;
}

void sptrsvSlicesFree(SptrsvSlices *slices)
{
  for (int k = 0; k < 2; k++) sptrsvPatternFree(&slices->part[k]);
  free(slices->row);
}
