/* `split`: the triangle in level order, and the three matrices it is cut into (Ahmad et al., section 4.3). */
#include <stdlib.h>
#include <string.h>
#include "split.h"

typedef struct {
  int col, source;
} Entry;

static int by_column(const void *x, const void *y)
{
  return ((const Entry *)x)->col - ((const Entry *)y)->col;
}

/* Lists the entries of row r in ascending columns, the diagonal last unless it is the constant 1; returns their number */
static int sort_row(const SptrsvOrdered *ordered, int r, Entry *entry)
{
  int length = 0;

  for (int e = ordered->row_ptr[r]; e < ordered->row_ptr[r + 1]; e++) entry[length++] = (Entry){ordered->col_idx[e], ordered->source[e]};
  qsort(entry, (size_t)length, sizeof(*entry), by_column);
  if (ordered->diagonal[r] != SPTRSV_ONE) entry[length++] = (Entry){r, ordered->diagonal[r]};
  return length;
}

static void count(const SptrsvOrdered *ordered, int first, SptrsvSlices *slices)
{
  slices->n[0] = first;
  slices->n[1] = ordered->n - first;
  for (int r = 0; r < ordered->n; r++) {
    if (ordered->diagonal[r] != SPTRSV_ONE) slices->nnz[r < first ? 0 : 2]++;
    for (int e = ordered->row_ptr[r]; e < ordered->row_ptr[r + 1]; e++) slices->nnz[r < first ? 0 : ordered->col_idx[e] < first ? 1 : 2]++;
  }
}

static SptrsvStatus reserve(SptrsvSlices *slices)
{
  for (int k = 0; k < 2; k++) {
    slices->part[k].n   = slices->n[k];
    slices->part[k].nnz = slices->nnz[k ? 2 : 0];
    SPTRSV_TRY(sptrsvNew(slices->n[k] + 1, &slices->part[k].row_ptr));
    SPTRSV_TRY(sptrsvNew(slices->part[k].nnz, &slices->part[k].col_idx));
  }
  SPTRSV_TRY(sptrsvNew(slices->n[1] + 1, &slices->row_ptr));
  SPTRSV_TRY(sptrsvNew(slices->nnz[1], &slices->col_idx));
  return sptrsvNew((size_t)slices->nnz[0] + (size_t)slices->nnz[1] + (size_t)slices->nnz[2], &slices->source);
}

static void cut(const SptrsvOrdered *ordered, SptrsvSlices *slices, Entry *entry)
{
  const int  first     = slices->n[0];
  int *const source[3] = {slices->source, slices->source + slices->nnz[0], slices->source + slices->nnz[0] + slices->nnz[1]};
  int *const col[3]    = {slices->part[0].col_idx, slices->col_idx, slices->part[1].col_idx};
  int        nnz[3]    = {0, 0, 0};

  for (int r = 0; r < ordered->n; r++) {
    const int length = sort_row(ordered, r, entry);

    for (int k = 0; k < length; k++) {
      const int to = r < first ? 0 : entry[k].col < first ? 1 : 2;

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

SptrsvStatus sptrsvSlicesCreate(SptrsvPlan plan, int level, SptrsvSlices *slices)
{
  const SptrsvSweep *sweep;
  SptrsvOrdered      ordered;
  Entry             *entry = NULL;
  int               *level_ptr, levels;
  SptrsvStatus       status;

  SPTRSV_TRY(sptrsvAnalysisLevels(plan->analysis, plan->options.triangle, plan->options.op, &sweep));
  SPTRSV_TRY(sptrsvOrderedCreate(plan->analysis, &plan->options, &ordered));
  status = sptrsvOrderedByLevel(&ordered, sweep->level, &levels, &level_ptr);
  if (!status) {
    count(&ordered, level_ptr[level], slices);
    free(level_ptr);
    status = reserve(slices);
    if (!status) status = sptrsvNew(sweep->statistics.longest + 1, &entry);
    if (!status) cut(&ordered, slices, entry);
    for (int k = 0; !status && k < 2; k++) status = sptrsvPatternSplit(&slices->part[k]);
  }
  free(entry);
  if (!status) {
    slices->row = ordered.row;
    ordered.row = NULL;
  }
  sptrsvOrderedFree(&ordered);
  return status;
}

void sptrsvSlicesFree(SptrsvSlices *slices)
{
  for (int k = 0; k < 2; k++) sptrsvPatternFree(&slices->part[k]);
  free(slices->row_ptr);
  free(slices->col_idx);
  free(slices->source);
  free(slices->row);
  memset(slices, 0, sizeof(*slices));
}
