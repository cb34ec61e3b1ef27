/* cut_rows.c - Rows of a sweep, the long ones cut, on the host.  See doc/algorithms/levelorder.md. */
#include "cut_rows.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  int level, col, source; /* level: of the row that the unknown `col` is, before any is cut */
} Entry;

typedef struct {
  SptrsvOrdered *rows; /* n and nnz are those so far */
  int           *level;
} Unknowns;

static int by_level(const void *x, const void *y)
{
  const Entry *a = (const Entry *)x, *b = (const Entry *)y;

  return a->level != b->level ? (a->level > b->level) - (a->level < b->level) : (a->col > b->col) - (a->col < b->col);
}

/* Partial sums that `length` entries get: of the first `taken` if that leaves `most` entries with `most` sums at most, else of all */
static int layer_of(int length, int most, int *taken)
{
  int parts = 0;

  while (length - parts * (most - 1) > most) parts++;
  *taken = length - most + parts;
  if (parts <= most) return parts;
  *taken = length;
  return (length + most - 1) / most;
}

static SptrsvStatus reserve(const SptrsvOrdered *ordered, int most, SptrsvMemory *memory, SptrsvOrdered *unknowns)
{
  int64_t n = ordered->n, nnz = ordered->nnz;

  for (int r = 0; r < ordered->n; r++) {
    int length = ordered->row_ptr[r + 1] - ordered->row_ptr[r], taken;

    while (length > most) {
      const int parts = layer_of(length, most, &taken);

      length += parts - taken;
      n += parts;
      nnz += parts;
    }
  }
  if (n >= SPTRSV_MOST || nnz >= SPTRSV_MOST) return SPTRSV_TOO_LARGE;
  return sptrsvOrderedAllocate((int)n, (int)nnz, memory, unknowns);
}

static void add_entry(const Unknowns *unknowns, int col, int source)
{
  unknowns->rows->col_idx[unknowns->rows->nnz]  = col;
  unknowns->rows->source[unknowns->rows->nnz++] = source;
  if (unknowns->level[col] >= unknowns->level[unknowns->rows->n]) unknowns->level[unknowns->rows->n] = unknowns->level[col] + 1;
}

static int end_row(const Unknowns *unknowns, int row, int diagonal)
{
  unknowns->rows->row[unknowns->rows->n]         = row;
  unknowns->rows->diagonal[unknowns->rows->n]    = diagonal;
  unknowns->rows->row_ptr[unknowns->rows->n + 1] = unknowns->rows->nnz;
  return unknowns->rows->n++;
}

/* Replaces the first entries by sums of up to `most` entries each, until `most` entries are left; returns their number.  A partial sum is
   (0 - sum) * -1, so that it is solved like any row. */
static int cut_row(const Unknowns *unknowns, int most, int length, Entry *entries)
{
  if (length > most) qsort(entries, (size_t)length, sizeof(*entries), by_level);
  while (length > most) {
    int taken;

    (void)layer_of(length, most, &taken);
    for (int begin = 0; begin < taken; begin += most) {
      for (int k = begin; k < taken && k < begin + most; k++) add_entry(unknowns, entries[k].col, entries[k].source);
      entries[length++] = (Entry){0, end_row(unknowns, -1, SPTRSV_MINUS_ONE), SPTRSV_ONE};
    }
    length -= taken;
    memmove(entries, entries + taken, (size_t)length * sizeof(*entries));
  }
  return length;
}

/* level: of rows of the analysed pattern; entries: scratch for the longest row; unknown [n]: of each row */
static void cut_rows(const SptrsvOrdered *ordered, const int *level, int most, const Unknowns *unknowns, Entry *entries, int *unknown)
{
  unknowns->rows->n = unknowns->rows->nnz = 0;
  for (int r = 0; r < ordered->n; r++) {
    int length = 0;

    for (int e = ordered->row_ptr[r]; e < ordered->row_ptr[r + 1]; e++) {
      const int j = ordered->col_idx[e];

      entries[length++] = (Entry){level[ordered->row[j]], unknown[j], ordered->source[e]};
    }
    length = cut_row(unknowns, most, length, entries);
    for (int k = 0; k < length; k++) add_entry(unknowns, entries[k].col, entries[k].source);
    unknown[r] = end_row(unknowns, ordered->row[r], ordered->diagonal[r]);
  }
}

SptrsvStatus cut_rows_on_host(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, int most, SptrsvMemory *memory,
                              SptrsvOrdered *unknowns, int **level)
{
  const SptrsvSweep *sweep;
  SptrsvOrdered      ordered;
  Entry             *entries;
  int               *unknown;

  SPTRSV_TRY(sptrsvAnalysisLevels(analysis, options->triangle, options->op, &sweep));
  SPTRSV_TRY(sptrsvOrderedCreate(analysis, options, memory, &ordered));
  if (sweep->statistics.longest <= most) { /* nothing to cut */
    *unknowns = ordered;
    SPTRSV_TRY(sptrsvHostNew(memory, ordered.n, level));
    for (int r = 0; r < ordered.n; r++) (*level)[r] = sweep->level[ordered.row[r]];
    return SPTRSV_SUCCESS;
  }
  SPTRSV_TRY(reserve(&ordered, most, memory, unknowns));
  SPTRSV_TRY(sptrsvHostNew(memory, unknowns->n, level));
  SPTRSV_TRY(sptrsvHostNew(memory, 2 * sweep->statistics.longest, &entries)); /* and the sums of a row */
  SPTRSV_TRY(sptrsvHostNew(memory, ordered.n, &unknown));
  cut_rows(&ordered, sweep->level, most, &(Unknowns){unknowns, *level}, entries, unknown);
  return SPTRSV_SUCCESS;
}
