/* The blocks of a matrix of entries: a block that has one is dense. */
#include <stdlib.h>
#include "factor.h"

static int compare_columns(const void *x, const void *y)
{
  const int *a = (const int *)x, *b = (const int *)y;

  return (*a > *b) - (*a < *b);
}

/* Finds each block once.  last [block rows]: the block row that last had one in that column; col_idx has room for as many as there are
   entries */
static void find_blocks(const SptrsvPattern *points, int rows, int *last, SptrsvPattern *blocks)
{
  for (int i = 0; i < blocks->n; i++) last[i] = -1;
  for (int i = 0; i < blocks->n; i++) {
    const int *const row_ptr = points->row_ptr + (ptrdiff_t)i * rows;
    const int        first   = blocks->nnz;

    for (int e = row_ptr[0]; e < row_ptr[rows]; e++) {
      const int j = points->col_idx[e] / rows;

      if (last[j] == i) continue;
      last[j]                        = i;
      blocks->col_idx[blocks->nnz++] = j;
    }
    qsort(blocks->col_idx + first, (size_t)(blocks->nnz - first), sizeof(int), compare_columns);
    blocks->row_ptr[i + 1] = blocks->nnz;
  }
}

/* Puts the positions of A's entries into their blocks.  at [block rows]: the number of the block in each column of a block row */
static SptrsvStatus place_entries(const SptrsvPattern *points, int rows, const SptrsvPattern *blocks, int *at, int *entry)
{
  for (size_t k = 0; k < (size_t)blocks->nnz * (size_t)(rows * rows); k++) entry[k] = SPTRSV_FILL;
  for (int i = 0; i < points->n; i++) {
    const int block = i / rows;

    for (int b = blocks->row_ptr[block]; i % rows == 0 && b < blocks->row_ptr[block + 1]; b++) at[blocks->col_idx[b]] = b;
    for (int e = points->row_ptr[i]; e < points->row_ptr[i + 1]; e++) {
      const int  j  = points->col_idx[e];
      int *const to = entry + ((size_t)at[j / rows] * (size_t)rows + (size_t)(j % rows)) * (size_t)rows + i % rows;

      if (*to != SPTRSV_FILL) return SPTRSV_UNSORTED;
      *to = e;
    }
  }
  return SPTRSV_SUCCESS;
}

static SptrsvStatus blocks_of(const SptrsvPattern *points, int rows, SptrsvMemory *memory, SptrsvPattern *blocks,
                              SptrsvMemory *entry_memory, int **entry)
{
  int *last;

  for (int e = 0; e < points->nnz; e++) {
    if (points->col_idx[e] < 0 || points->col_idx[e] >= points->n) return SPTRSV_INVALID_ARGUMENT;
  }
  blocks->n = points->n / rows;
  SPTRSV_TRY(sptrsvHostNew(memory, blocks->n + 1, &blocks->row_ptr));
  SPTRSV_TRY(sptrsvHostNew(memory, points->nnz, &blocks->col_idx));
  SPTRSV_TRY(sptrsvHostNew(memory, blocks->n, &last));
  find_blocks(points, rows, last, blocks);
  if ((int64_t)blocks->nnz * rows * rows >= SPTRSV_MOST) return SPTRSV_TOO_LARGE;
  SPTRSV_TRY(sptrsvHostNew(entry_memory, (size_t)blocks->nnz * (size_t)(rows * rows), entry));
  return place_entries(points, rows, blocks, last, *entry);
}

/* Positions of entries go to the device if the factor is there */
static SptrsvStatus take_on_host(SptrsvFactor factor, const SptrsvCsr *A, SptrsvMemory *memory, SptrsvPattern *blocks)
{
  const bool     here = factor->location == SPTRSV_HOST;
  const int      rows = factor->storage.rows;
  SptrsvPattern *points;

  (void)sptrsvAnalysisDestroy(&factor->matrix); /* the device's, which is of no use */
  SPTRSV_TRY(sptrsvNew(1, &factor->matrix));
  points = &factor->matrix->a;
  SPTRSV_TRY(sptrsvPatternCopy(A, points));
  factor->matrix->memory.bytes[SPTRSV_HOST] += ((size_t)points->n + 1 + (size_t)points->nnz) * sizeof(int);
  SPTRSV_TRY(blocks_of(points, rows, memory, blocks, here ? &factor->entry_memory : memory, &factor->entry));
  if (here) return SPTRSV_SUCCESS;
  return sptrsvUpload(&factor->entry_memory, factor->entry, (size_t)blocks->nnz * (size_t)(rows * rows), &factor->entry);
}

SptrsvStatus sptrsvFactorTake(SptrsvFactor factor, const SptrsvCsr *A, SptrsvMemory *memory, SptrsvCsr *blocks)
{
  SptrsvPattern found  = {0};
  SptrsvStatus  status = sptrsvAnalysisOfDevice(A, factor->location, &factor->matrix);
  const bool    host   = status == SPTRSV_NOT_SUPPORTED || status == SPTRSV_UNSORTED;

  if (host) status = take_on_host(factor, A, memory, &found);
#if defined(SPTRSV_HAVE_CUDA)
  else if (!status) status = sptrsvDeviceBlocks(factor, memory, &found);
#endif
  *blocks = (SptrsvCsr){found.n, found.nnz, found.row_ptr, found.col_idx, SPTRSV_INT32, host ? SPTRSV_HOST : SPTRSV_DEVICE};
  return status;
}
