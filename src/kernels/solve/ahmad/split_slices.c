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

/* The entries of row r in ascending columns, the diagonal last unless it is the constant 1; returns their number */
static int sort_row(const SptrsvOrdered *o, int r, Entry *entry)
{
  int length = 0;

  for (int e = o->row_ptr[r]; e < o->row_ptr[r + 1]; e++) entry[length++] = (Entry){o->col_idx[e], o->source[e]};
  qsort(entry, (size_t)length, sizeof(*entry), by_column);
  if (o->diagonal[r] != SPTRSV_ONE) entry[length++] = (Entry){r, o->diagonal[r]};
  return length;
}

static void count(const SptrsvOrdered *o, int first, SptrsvSlices *s)
{
  s->n[0] = first;
  s->n[1] = o->n - first;
  for (int r = 0; r < o->n; r++) {
    if (o->diagonal[r] != SPTRSV_ONE) s->nnz[r < first ? 0 : 2]++;
    for (int e = o->row_ptr[r]; e < o->row_ptr[r + 1]; e++) s->nnz[r < first ? 0 : o->col_idx[e] < first ? 1 : 2]++;
  }
}

static SptrsvStatus reserve(SptrsvSlices *s)
{
  for (int k = 0; k < 2; k++) {
    s->part[k].n   = s->n[k];
    s->part[k].nnz = s->nnz[k ? 2 : 0];
    SPTRSV_TRY(sptrsvNew(s->n[k] + 1, &s->part[k].row_ptr));
    SPTRSV_TRY(sptrsvNew(s->part[k].nnz, &s->part[k].col_idx));
  }
  SPTRSV_TRY(sptrsvNew(s->n[1] + 1, &s->row_ptr));
  SPTRSV_TRY(sptrsvNew(s->nnz[1], &s->col_idx));
  return sptrsvNew((size_t)s->nnz[0] + (size_t)s->nnz[1] + (size_t)s->nnz[2], &s->source);
}

static void cut(const SptrsvOrdered *o, SptrsvSlices *s, Entry *entry)
{
  const int  first     = s->n[0];
  int *const source[3] = {s->source, s->source + s->nnz[0], s->source + s->nnz[0] + s->nnz[1]};
  int *const col[3]    = {s->part[0].col_idx, s->col_idx, s->part[1].col_idx};
  int        nnz[3]    = {0, 0, 0};

  for (int r = 0; r < o->n; r++) {
    const int length = sort_row(o, r, entry);

    for (int k = 0; k < length; k++) {
      const int to = r < first ? 0 : entry[k].col < first ? 1 : 2;

      source[to][nnz[to]] = entry[k].source;
      col[to][nnz[to]++]  = entry[k].col - (to == 2 ? first : 0);
    }
    if (r < first) s->part[0].row_ptr[r + 1] = nnz[0];
    else {
      s->row_ptr[r - first + 1]         = nnz[1];
      s->part[1].row_ptr[r - first + 1] = nnz[2];
    }
  }
}

SptrsvStatus sptrsvSlicesCreate(SptrsvPlan plan, int level, SptrsvSlices *s)
{
  const SptrsvSweep *sweep;
  SptrsvOrdered      o;
  Entry             *entry = NULL;
  int               *level_ptr, levels;
  SptrsvStatus       status;

  SPTRSV_TRY(sptrsvAnalysisSweep(plan->analysis, plan->options.triangle, plan->options.op, &sweep));
  SPTRSV_TRY(sptrsvOrderedCreate(plan->analysis, &plan->options, &o));
  status = sptrsvOrderedByLevel(&o, sweep->level, &levels, &level_ptr);
  if (!status) {
    count(&o, level_ptr[level], s);
    free(level_ptr);
    status = reserve(s);
    if (!status) status = sptrsvNew(sweep->statistics.longest + 1, &entry);
    if (!status) cut(&o, s, entry);
    for (int k = 0; !status && k < 2; k++) status = sptrsvPatternSplit(&s->part[k]);
  }
  free(entry);
  if (!status) {
    s->row = o.row;
    o.row  = NULL;
  }
  sptrsvOrderedFree(&o);
  return status;
}

void sptrsvSlicesFree(SptrsvSlices *s)
{
  for (int k = 0; k < 2; k++) sptrsvPatternFree(&s->part[k]);
  free(s->row_ptr);
  free(s->col_idx);
  free(s->source);
  free(s->row);
  memset(s, 0, sizeof(*s));
}
