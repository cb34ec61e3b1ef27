/* entries.c - A matrix from its entries in any order. */
#include "matrices.h"
#include <stdlib.h>
#include <string.h>

/* Stable counting sort by column or by row; start [rows + 1] ends as the beginning of each column or row. */
static void sort_entries(const CsrEntry *from, CsrEntry *to, int64_t count, int64_t rows, bool by_col, int32_t *start)
{
  memset(start, 0, (size_t)(rows + 1) * sizeof *start);
  /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript): the first sort has filled all that the second one reads */
  for (int64_t k = 0; k < count; k++) start[by_col ? from[k].col : from[k].row]++;
  for (int64_t i = 0, sum = 0; i <= rows; i++) {
    const int32_t length = start[i];

    start[i] = (int32_t)sum;
    sum += length;
  }
  for (int64_t k = 0; k < count; k++) to[start[by_col ? from[k].col : from[k].row]++] = from[k];
  for (int64_t i = rows; i > 0; i--) start[i] = start[i - 1];
  start[0] = 0;
}

/* From entries sorted by row and column, with neighbours that are the same entry summed. */
static void compress(const CsrEntry *entries, CsrMatrix *A)
{
  int64_t nnz = 0;

  for (int64_t i = 0, k = 0; i < A->rows; i++) {
    const int64_t end = A->row_ptr[i + 1];

    A->row_ptr[i] = (int32_t)nnz;
    for (; k < end; k++) {
      if (nnz > A->row_ptr[i] && A->col_idx[nnz - 1] == entries[k].col) A->values[nnz - 1] += entries[k].value;
      else {
        A->col_idx[nnz]  = entries[k].col;
        A->values[nnz++] = entries[k].value;
      }
    }
  }
  A->row_ptr[A->rows] = (int32_t)nnz;
  A->nnz              = nnz;
}

bool csr_matrix_assemble(int64_t rows, CsrEntry *entries, int64_t count, CsrMatrix *A)
{
  CsrEntry *sorted = malloc((size_t)(count + 1) * sizeof *sorted);

  *A         = (CsrMatrix){.rows = rows};
  A->row_ptr = calloc((size_t)(rows + 1), sizeof *A->row_ptr);
  A->col_idx = malloc((size_t)(count + 1) * sizeof *A->col_idx);
  A->values  = malloc((size_t)(count + 1) * sizeof *A->values);
  if (!sorted || !A->row_ptr || !A->col_idx || !A->values) {
    free(sorted);
    csr_matrix_destroy(A);
    return false;
  }
  if (count) {
    sort_entries(entries, sorted, count, rows, true, A->row_ptr);
    sort_entries(sorted, entries, count, rows, false, A->row_ptr);
  }
  compress(entries, A);
  free(sorted);
  return true;
}
