/* Rows of a sweep for levelorder.cu, the long ones cut.  See doc/algorithms/levelorder.md. */
#include <stdlib.h>
#include <string.h>
#include "../../impl.h"

typedef struct {
  int level, col, source;
} Entry;

static int by_level(const void *x, const void *y)
{
  const Entry *a = (const Entry *)x, *b = (const Entry *)y;

  return a->level != b->level ? (a->level > b->level) - (a->level < b->level) : (a->col > b->col) - (a->col < b->col);
}

static SptrsvStatus reserve(const SptrsvOrdered *o, int most, int longest, SptrsvUnknowns *u, Entry **entries)
{
  int64_t n = o->n, nnz = o->nnz;

  for (int r = 0; r < o->n; r++) {
    int length = o->row_ptr[r + 1] - o->row_ptr[r];

    while (length > most) {
      length = (length + most - 1) / most;
      n += length;
      nnz += length;
    }
  }
  if (n >= SPTRSV_MOST || nnz >= SPTRSV_MOST) return SPTRSV_TOO_LARGE;
  SPTRSV_TRY(sptrsvNew(n + 1, &u->row_ptr));
  SPTRSV_TRY(sptrsvNew(nnz, &u->col_idx));
  SPTRSV_TRY(sptrsvNew(nnz, &u->source));
  SPTRSV_TRY(sptrsvNew(n, &u->row));
  SPTRSV_TRY(sptrsvNew(n, &u->diagonal));
  SPTRSV_TRY(sptrsvNew(n, &u->level));
  return sptrsvNew(longest, entries);
}

static void add_entry(SptrsvUnknowns *u, int col, int source)
{
  u->col_idx[u->nnz]  = col;
  u->source[u->nnz++] = source;
  if (u->level[col] >= u->level[u->n]) u->level[u->n] = u->level[col] + 1;
}

static int end_row(SptrsvUnknowns *u, int row, int diagonal)
{
  u->row[u->n]         = row;
  u->diagonal[u->n]    = diagonal;
  u->row_ptr[u->n + 1] = u->nnz;
  return u->n++;
}

/* Sums of `most` entries each take the place of the entries, until so many are left; returns their number.  Entries that are ready
   early go together.  A partial sum is (0 - sum) * -1, so that it is solved like any row. */
static int cut_row(SptrsvUnknowns *u, int most, int length, Entry *entries)
{
  if (length > most) qsort(entries, (size_t)length, sizeof(*entries), by_level);
  while (length > most) {
    int parts = 0;

    for (int begin = 0; begin < length; begin += most) {
      for (int k = begin; k < length && k < begin + most; k++) add_entry(u, entries[k].col, entries[k].source);
      entries[parts].col      = end_row(u, -1, SPTRSV_MINUS_ONE);
      entries[parts++].source = SPTRSV_ONE;
    }
    length = parts;
  }
  return length;
}

/* Nothing to cut: takes o's arrays */
static SptrsvStatus take_rows(SptrsvOrdered *o, const int *level, SptrsvUnknowns *u)
{
  SPTRSV_TRY(sptrsvNew(o->n, &u->level));
  for (int r = 0; r < o->n; r++) u->level[r] = level[o->row[r]];
  u->n        = o->n;
  u->nnz      = o->nnz;
  u->row_ptr  = o->row_ptr;
  u->col_idx  = o->col_idx;
  u->source   = o->source;
  u->row      = o->row;
  u->diagonal = o->diagonal;
  memset(o, 0, sizeof(*o));
  return SPTRSV_SUCCESS;
}

static SptrsvStatus cut_rows(const SptrsvOrdered *o, int most, int longest, SptrsvUnknowns *u)
{
  Entry       *entries = NULL;
  int         *place   = NULL; /* unknown of a row */
  SptrsvStatus status  = reserve(o, most, longest, u, &entries);

  if (!status) status = sptrsvNew(o->n, &place);
  for (int r = 0; !status && r < o->n; r++) {
    int length = 0;

    for (int e = o->row_ptr[r]; e < o->row_ptr[r + 1]; e++) {
      const int col = place[o->col_idx[e]];

      entries[length++] = (Entry){u->level[col], col, o->source[e]};
    }
    length = cut_row(u, most, length, entries);
    for (int k = 0; k < length; k++) add_entry(u, entries[k].col, entries[k].source);
    place[r] = end_row(u, o->row[r], o->diagonal[r]);
  }
  free(entries);
  free(place);
  return status;
}

SptrsvStatus sptrsvUnknownsCreate(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, int most, SptrsvUnknowns *u)
{
  const SptrsvSweep *sweep;
  SptrsvOrdered      o;
  SptrsvStatus       status;

  memset(u, 0, sizeof(*u));
  SPTRSV_TRY(sptrsvAnalysisSweep(analysis, options->triangle, options->op, &sweep));
  SPTRSV_TRY(sptrsvOrderedCreate(analysis, options, &o));
  status = sweep->statistics.longest <= most ? take_rows(&o, sweep->level, u) : cut_rows(&o, most, (int)sweep->statistics.longest, u);
  sptrsvOrderedFree(&o);
  return status;
}

void sptrsvUnknownsFree(SptrsvUnknowns *u)
{
  free(u->row_ptr);
  free(u->col_idx);
  free(u->source);
  free(u->row);
  free(u->diagonal);
  free(u->level);
  memset(u, 0, sizeof(*u));
}
