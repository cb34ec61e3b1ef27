/* Rows of a sweep for levelorder.cu, the long ones cut.  See doc/algorithms/levelorder.md. */
#include <stdlib.h>
#include <string.h>
#include "cut.h"

typedef struct {
  int level, col, source;
} Entry;

static int by_level(const void *x, const void *y)
{
  const Entry *a = (const Entry *)x, *b = (const Entry *)y;

  return a->level != b->level ? (a->level > b->level) - (a->level < b->level) : (a->col > b->col) - (a->col < b->col);
}

static SptrsvStatus reserve(const SptrsvOrdered *ordered, int most, int longest, SptrsvUnknowns *unknowns, Entry **entries)
{
  int64_t n = ordered->n, nnz = ordered->nnz;

  for (int r = 0; r < ordered->n; r++) {
    int length = ordered->row_ptr[r + 1] - ordered->row_ptr[r];

    while (length > most) {
      length = (length + most - 1) / most;
      n += length;
      nnz += length;
    }
  }
  if (n >= SPTRSV_MOST || nnz >= SPTRSV_MOST) return SPTRSV_TOO_LARGE;
  SPTRSV_TRY(sptrsvNew(n + 1, &unknowns->row_ptr));
  SPTRSV_TRY(sptrsvNew(nnz, &unknowns->col_idx));
  SPTRSV_TRY(sptrsvNew(nnz, &unknowns->source));
  SPTRSV_TRY(sptrsvNew(n, &unknowns->row));
  SPTRSV_TRY(sptrsvNew(n, &unknowns->diagonal));
  SPTRSV_TRY(sptrsvNew(n, &unknowns->level));
  return sptrsvNew(longest, entries);
}

static void add_entry(SptrsvUnknowns *unknowns, int col, int source)
{
  unknowns->col_idx[unknowns->nnz]  = col;
  unknowns->source[unknowns->nnz++] = source;
  if (unknowns->level[col] >= unknowns->level[unknowns->n]) unknowns->level[unknowns->n] = unknowns->level[col] + 1;
}

static int end_row(SptrsvUnknowns *unknowns, int row, int diagonal)
{
  unknowns->row[unknowns->n]         = row;
  unknowns->diagonal[unknowns->n]    = diagonal;
  unknowns->row_ptr[unknowns->n + 1] = unknowns->nnz;
  return unknowns->n++;
}

/* Sums of `most` entries each take the place of the entries, until so many are left; returns their number.  Entries that are ready
   early go together.  A partial sum is (0 - sum) * -1, so that it is solved like any row. */
static int cut_row(SptrsvUnknowns *unknowns, int most, int length, Entry *entries)
{
  if (length > most) qsort(entries, (size_t)length, sizeof(*entries), by_level);
  while (length > most) {
    int parts = 0;

    for (int begin = 0; begin < length; begin += most) {
      for (int k = begin; k < length && k < begin + most; k++) add_entry(unknowns, entries[k].col, entries[k].source);
      entries[parts].col      = end_row(unknowns, -1, SPTRSV_MINUS_ONE);
      entries[parts++].source = SPTRSV_ONE;
    }
    length = parts;
  }
  return length;
}

/* Nothing to cut: the arrays move */
static SptrsvStatus take_rows(SptrsvOrdered *ordered, const int *level, SptrsvUnknowns *unknowns)
{
  SPTRSV_TRY(sptrsvNew(ordered->n, &unknowns->level));
  for (int r = 0; r < ordered->n; r++) unknowns->level[r] = level[ordered->row[r]];
  unknowns->n        = ordered->n;
  unknowns->nnz      = ordered->nnz;
  unknowns->row_ptr  = ordered->row_ptr;
  unknowns->col_idx  = ordered->col_idx;
  unknowns->source   = ordered->source;
  unknowns->row      = ordered->row;
  unknowns->diagonal = ordered->diagonal;
  memset(ordered, 0, sizeof(*ordered));
  return SPTRSV_SUCCESS;
}

static SptrsvStatus cut_rows(const SptrsvOrdered *ordered, int most, int longest, SptrsvUnknowns *unknowns)
{
  Entry       *entries = NULL;
  int         *place   = NULL; /* unknown of a row */
  SptrsvStatus status  = reserve(ordered, most, longest, unknowns, &entries);

  if (!status) status = sptrsvNew(ordered->n, &place);
  for (int r = 0; !status && r < ordered->n; r++) {
    int length = 0;

    for (int e = ordered->row_ptr[r]; e < ordered->row_ptr[r + 1]; e++) {
      const int col = place[ordered->col_idx[e]];

      entries[length++] = (Entry){unknowns->level[col], col, ordered->source[e]};
    }
    length = cut_row(unknowns, most, length, entries);
    for (int k = 0; k < length; k++) add_entry(unknowns, entries[k].col, entries[k].source);
    place[r] = end_row(unknowns, ordered->row[r], ordered->diagonal[r]);
  }
  free(entries);
  free(place);
  return status;
}

SptrsvStatus sptrsvUnknownsCreate(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, int most, SptrsvUnknowns *unknowns)
{
  const SptrsvSweep *sweep;
  SptrsvOrdered      ordered;
  SptrsvStatus       status;

  memset(unknowns, 0, sizeof(*unknowns));
  SPTRSV_TRY(sptrsvAnalysisSweep(analysis, options->triangle, options->op, &sweep));
  SPTRSV_TRY(sptrsvOrderedCreate(analysis, options, &ordered));
  status = sweep->statistics.longest <= most ? take_rows(&ordered, sweep->level, unknowns)
                                             : cut_rows(&ordered, most, (int)sweep->statistics.longest, unknowns);
  sptrsvOrderedFree(&ordered);
  return status;
}

void sptrsvUnknownsFree(SptrsvUnknowns *unknowns)
{
  free(unknowns->row_ptr);
  free(unknowns->col_idx);
  free(unknowns->source);
  free(unknowns->row);
  free(unknowns->diagonal);
  free(unknowns->level);
  memset(unknowns, 0, sizeof(*unknowns));
}
