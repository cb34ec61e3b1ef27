/* Windows: an order of rows for the host's processors, and how threads share it. */
#pragma once
#include "../../analysis/analysis.h"

/* The rows of a sweep, or of a piece of it, in an order in which each needs earlier rows only */
typedef struct {
  const SptrsvPattern *pattern;
  SptrsvTriangle       side;
  int                  n, before; /* rows; rows of the sweep before the first */
} SptrsvRows;

static inline int sptrsvRow(const SptrsvRows *rows, int r)
{
  return rows->side == SPTRSV_LOWER ? rows->before + r : rows->pattern->n - 1 - rows->before - r;
}
static inline int sptrsvStep(const SptrsvRows *rows)
{
  return rows->side == SPTRSV_LOWER ? 1 : -1;
}
static inline int sptrsvBegin(const SptrsvRows *rows, int r)
{
  return sptrsvRowBegin(rows->pattern, rows->side, sptrsvRow(rows, r));
}
static inline int sptrsvEnd(const SptrsvRows *rows, int r)
{
  return sptrsvRowEnd(rows->pattern, rows->side, sptrsvRow(rows, r));
}
static inline int sptrsvNeeded(const SptrsvRows *rows, int e) /* the row of an entry's column; negative: before the piece */
{
  const int col = rows->pattern->col_idx[e];

  return (rows->side == SPTRSV_LOWER ? col : rows->pattern->n - 1 - col) - rows->before;
}

/* Division of the rows of a sweep.  A window is a number of consecutive rows, a chunk a piece of a window in the order of execution.
   Window w is thread w % threads'. */
typedef struct {
  int      threads, window; /* number of threads, rows of a window */
  int      windows, count;  /* windows, the last with fewer rows; chunks */
  int     *begin;           /* [count + 1] first row of each chunk */
  int     *first;           /* [windows + 1] first chunk of each window */
  int     *need;            /* [count][threads] one more than the last chunk of each other thread that a chunk needs */
  int     *owner;           /* [count] thread of each chunk */
  int64_t *cost;            /* [count] time that a chunk takes, in that of a row or entry */
} SptrsvChunks;

/* Rows of a window for one thread, by the model of doc/algorithms/host-windows.md; 1: the rows as they are */
SptrsvStatus sptrsvWindowsChoose(const SptrsvRows *rows, SptrsvMemory *scratch, int *window);

/* Number of threads, at most `most`, and rows of a window: those that the page's other model finds fastest.  *speedup: against one thread.
   forced: `most` threads whatever the model says.  *share: what is known of another sweep, which is taken if it suits this one, too; then
   of this one.  *threads, *window and *speedup are set only if there are to be several threads. */
SptrsvStatus sptrsvWindowsShare(const SptrsvRows *rows, int most, bool forced, SptrsvShare *share, SptrsvMemory *scratch, int *threads,
                                int *window, double *speedup);

/* The order of execution: windows as they are, the rows of each level by level.  order (host [n]): the row in each place. */
SptrsvStatus sptrsvWindowsOrder(const SptrsvRows *rows, int window, int *order);

/* Chunks of about the same rows + entries */
SptrsvStatus sptrsvChunksCreate(const SptrsvRows *rows, const int *order, int window, int threads, SptrsvMemory *memory,
                                SptrsvChunks *chunks);
