/* The blocks of a matrix of entries: a block that has one is dense. */
#include <stddef.h>
#include <stdlib.h>
#include "factor.h"

static int compare_columns(const void *x, const void *y)
{
  const int *a = (const int *)x, *b = (const int *)y;

  return (*a > *b) - (*a < *b);
}

/* Finds the columns of block row i's blocks, each once.  last [block rows]: the block row that last had one in that column.  columns NULL:
   they are only counted. */
static int find_columns(const SptrsvPattern *points, int rows, int i, int *last, int *columns)
{
  const int *const row_ptr = points->row_ptr + (ptrdiff_t)i * rows;
  int              count   = 0;

  for (int e = row_ptr[0]; e < row_ptr[rows]; e++) {
    const int j = points->col_idx[e] / rows;

    if (last[j] == i) continue;
    last[j] = i;
    if (columns) columns[count] = j;
    count++;
  }
  if (columns) qsort(columns, (size_t)count, sizeof(*columns), compare_columns);
  return count;
}

static SptrsvStatus find_blocks(const SptrsvPattern *points, int rows, int *last, SptrsvMemory *memory, SptrsvPattern *blocks)
{
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < blocks->n; i++) last[i] = -1;
    for (int i = 0; i < blocks->n; i++) {
      const int first = blocks->row_ptr[i];

      blocks->row_ptr[i + 1] = first + find_columns(points, rows, i, last, pass ? blocks->col_idx + first : NULL);
    }
    blocks->nnz = blocks->row_ptr[blocks->n];
    if (!pass) SPTRSV_TRY(sptrsvHostNew(memory, blocks->nnz, &blocks->col_idx));
  }
  return (int64_t)blocks->nnz * rows * rows < SPTRSV_MOST ? SPTRSV_SUCCESS : SPTRSV_TOO_LARGE;
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

static SptrsvStatus blocks_of(const SptrsvPattern *points, int rows, SptrsvMemory *memory, SptrsvPattern *blocks, int **entry)
{
  int         *last;
  SptrsvStatus status;

  for (int e = 0; e < points->nnz; e++) {
    if (points->col_idx[e] < 0 || points->col_idx[e] >= points->n) return SPTRSV_INVALID_ARGUMENT;
  }
  blocks->n = points->n / rows;
  SPTRSV_TRY(sptrsvHostNew(memory, blocks->n + 1, &blocks->row_ptr));
  SPTRSV_TRY(sptrsvNew(blocks->n, &last));
  status = find_blocks(points, rows, last, memory, blocks);
  if (!status) status = sptrsvNew((size_t)blocks->nnz * (size_t)(rows * rows), entry);
  if (!status) status = place_entries(points, rows, blocks, last, *entry);
  free(last);
  return status;
}

/* Positions of entries go to the device if the factor is there */
static SptrsvStatus take_on_host(SptrsvFactor factor, const SptrsvCsr *A, SptrsvMemory *memory, SptrsvPattern *blocks)
{
  const size_t  rows = (size_t)factor->storage.rows, size = rows * rows;
  SptrsvPattern points = {0};
  SptrsvStatus  status = sptrsvPatternCopy(A, &points);

  if (!status) status = blocks_of(&points, factor->storage.rows, memory, blocks, &factor->entry);
  factor->given = points;
  SPTRSV_TRY(status);
  factor->host_bytes += ((size_t)points.n + 1 + (size_t)points.nnz) * sizeof(int);
  if (factor->location == SPTRSV_HOST) factor->host_bytes += (size_t)blocks->nnz * size * sizeof(int);
  else {
    status = sptrsvUpload(&factor->entry_memory, factor->entry, (size_t)blocks->nnz * size, &factor->d_entry);
    free(factor->entry);
    factor->entry = NULL;
  }
  return status;
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
