/* csr_matrix.c - Square matrices as CSR in host memory: from entries, with a dominant diagonal, symmetric or not. */
#include "csr_matrix.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void csr_matrix_message(char *error, size_t size, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  (void)vsnprintf(error, size, format, arguments);
  va_end(arguments);
}

void csr_matrix_destroy(CsrMatrix *A)
{
  free(A->row_ptr);
  free(A->col_idx);
  free(A->values);
  memset(A, 0, sizeof *A);
}

bool csr_matrix_allocate(int64_t rows, int64_t nnz, CsrMatrix *A, char *error, size_t size)
{
  memset(A, 0, sizeof *A);
  if (rows >= INT32_MAX || nnz > INT32_MAX) return csr_matrix_fail(error, size, "more rows or entries than 32-bit indices hold");
  A->rows    = rows;
  A->nnz     = nnz;
  A->row_ptr = malloc((size_t)(rows + 1) * sizeof *A->row_ptr);
  A->col_idx = malloc((size_t)(nnz + 1) * sizeof *A->col_idx);
  A->values  = malloc((size_t)(nnz + 1) * sizeof *A->values);
  if (A->row_ptr && A->col_idx && A->values) return true;
  csr_matrix_destroy(A);
  return csr_matrix_fail(error, size, "out of memory for %lld entries", (long long)nnz);
}

/* --------------------------------------------------------- entries ---------------------------------------------------------- */

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

/* -------------------------------------------------------- diagonal ---------------------------------------------------------- */

static int64_t missing_diagonals(const CsrMatrix *A)
{
  int64_t missing = A->rows;

  for (int64_t i = 0; i < A->rows; i++) {
    for (int32_t p = A->row_ptr[i]; p < A->row_ptr[i + 1]; p++) missing -= A->col_idx[p] == i;
  }
  return missing;
}

/* Appends row i of A to B with its diagonal entry, which A may lack, made dominant; false if no finite number is large enough. */
static bool append_dominant_row(const CsrMatrix *A, int64_t i, CsrMatrix *B)
{
  int32_t p     = A->row_ptr[i], diagonal;
  double  given = 0, sum = 0;

  for (; p < A->row_ptr[i + 1] && A->col_idx[p] < i; p++, B->nnz++) {
    B->col_idx[B->nnz] = A->col_idx[p];
    B->values[B->nnz]  = A->values[p];
    sum += fabs(A->values[p]);
  }
  diagonal             = (int32_t)B->nnz++;
  B->col_idx[diagonal] = (int32_t)i;
  if (p < A->row_ptr[i + 1] && A->col_idx[p] == i) given = A->values[p++];
  for (; p < A->row_ptr[i + 1]; p++, B->nnz++) {
    B->col_idx[B->nnz] = A->col_idx[p];
    B->values[B->nnz]  = A->values[p];
    sum += fabs(A->values[p]);
  }
  B->values[diagonal] = fmax(fabs(given), 1.05 * sum + 1e-3);
  return isfinite(B->values[diagonal]);
}

bool csr_matrix_make_dominant(CsrMatrix *A, char *error, size_t size)
{
  CsrMatrix B;

  if (!csr_matrix_allocate(A->rows, A->nnz + missing_diagonals(A), &B, error, size)) return false;
  B.pattern = A->pattern;
  B.dof     = A->dof;
  B.nnz     = 0;
  for (int64_t i = 0; i < A->rows; i++) {
    B.row_ptr[i] = (int32_t)B.nnz;
    if (!append_dominant_row(A, i, &B)) {
      csr_matrix_destroy(&B);
      return csr_matrix_fail(error, size, "no finite diagonal entry dominates row %lld", (long long)i + 1);
    }
  }
  B.row_ptr[A->rows] = (int32_t)B.nnz;
  csr_matrix_destroy(A);
  *A = B;
  return true;
}

/* -------------------------------------------------------- symmetry ---------------------------------------------------------- */

static bool has_entry(const CsrMatrix *A, int32_t row, int32_t col, double value)
{
  int32_t low = A->row_ptr[row], high = A->row_ptr[row + 1];

  while (low < high) {
    const int32_t middle = low + (high - low) / 2;

    if (A->col_idx[middle] < col) low = middle + 1;
    else high = middle;
  }
  return low < A->row_ptr[row + 1] && A->col_idx[low] == col && A->values[low] == value;
}

bool csr_matrix_is_symmetric(const CsrMatrix *A)
{
  for (int32_t i = 0; i < A->rows; i++) {
    for (int32_t p = A->row_ptr[i]; p < A->row_ptr[i + 1]; p++) {
      if (!has_entry(A, A->col_idx[p], i, A->values[p])) return false;
    }
  }
  return true;
}
