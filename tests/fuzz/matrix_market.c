/*
   Fuzz target: any bytes as a MatrixMarket file.  An accepted file gives a matrix, and the same one when it is written and read again, or
   a vector.  A refused file gives a message with its name.  Memory is allocated for the entries that a file has, not for those it claims
   (-malloc_limit_mb, max_allocation_size_mb).
*/
#define _GNU_SOURCE /* memfd_create() */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../../bench/matrices/matrix_market.h"
#include "../kernels/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
  FILE *file;
  char  path[64];
} MemoryFile;

static void create_file(MemoryFile *memory)
{
  const int descriptor = memfd_create("fuzz", 0);

  memory->file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
  if (!memory->file) abort();
  (void)snprintf(memory->path, sizeof(memory->path), "/proc/self/fd/%d", descriptor);
}

static void expect_well_formed(const CsrMatrix *A)
{
  if (!expect(A->rows >= 0 && A->nnz >= 0 && A->row_ptr[0] == 0 && A->row_ptr[A->rows] == A->nnz,
              "row pointers from %d to %d, %lld entries", A->row_ptr[0], A->row_ptr[A->rows], (long long)A->nnz))
    return;
  for (int64_t i = 0; i < A->rows; i++) {
    int32_t last = -1;

    for (int32_t e = A->row_ptr[i]; e < A->row_ptr[i + 1]; last = A->col_idx[e++]) {
      expect(A->col_idx[e] > last && A->col_idx[e] < A->rows, "row %lld: column %d after %d", (long long)i, A->col_idx[e], last);
      expect(isfinite(A->values[e]), "row %lld, column %d: %g", (long long)i, A->col_idx[e], A->values[e]);
    }
  }
}

/* 17 digits are enough to read the same double again */
static void write_and_read_again(const CsrMatrix *A)
{
  MemoryFile m;
  CsrMatrix  B;
  char       error[256] = "";

  create_file(&m);
  fprintf(m.file, "%%%%MatrixMarket matrix coordinate real general\n%lld %lld %lld\n", (long long)A->rows, (long long)A->rows,
          (long long)A->nnz);
  for (int64_t i = 0; i < A->rows; i++) {
    for (int32_t e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++)
      fprintf(m.file, "%lld %d %.17g\n", (long long)i + 1, A->col_idx[e] + 1, A->values[e]);
  }
  (void)fflush(m.file);
  if (expect(matrix_market_read(m.path, &B, error, sizeof(error)), "what was read is refused when written: %s", error)) {
    expect(B.rows == A->rows && B.nnz == A->nnz, "%lld rows and %lld entries, written and read %lld and %lld", (long long)A->rows,
           (long long)A->nnz, (long long)B.rows, (long long)B.nnz);
    if (B.rows == A->rows && B.nnz == A->nnz) {
      expect(!memcmp(A->row_ptr, B.row_ptr, (size_t)(A->rows + 1) * sizeof(*A->row_ptr)), "other rows, written and read again");
      expect(!memcmp(A->col_idx, B.col_idx, (size_t)A->nnz * sizeof(*A->col_idx)), "other columns, written and read again");
      expect(!memcmp(A->values, B.values, (size_t)A->nnz * sizeof(*A->values)), "other values, written and read again");
    }
    csr_matrix_destroy(&B);
  }
  (void)fclose(m.file);
}

static void expect_dominant(CsrMatrix *A)
{
  char error[256] = "";

  if (!csr_matrix_make_dominant(A, error, sizeof(error))) {
    expect(error[0] != 0, "refused without a message");
    return;
  }
  expect_well_formed(A);
  for (int64_t i = 0; i < A->rows; i++) {
    double diagonal = 0, rest = 0;

    for (int32_t e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) {
      if (A->col_idx[e] == i) diagonal = A->values[e];
      else rest += fabs(A->values[e]);
    }
    expect(diagonal > rest, "row %lld: diagonal %g, sum of the rest %g", (long long)i, diagonal, rest);
  }
}

static void expect_vector(const char *path)
{
  enum { ROWS = 3 };
  double values[ROWS] = {NAN, NAN, NAN};
  char   error[256]   = "";

  if (matrix_market_read_vector(path, ROWS, values, error, sizeof(error))) {
    expect(!error[0], "a vector is taken with a message: %s", error);
    for (int i = 0; i < ROWS; i++) expect(isfinite(values[i]), "value %d is %g", i, values[i]);
  } else expect(!strncmp(error, path, strlen(path)), "a vector is refused with \"%s\"", error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  MemoryFile m;
  CsrMatrix  A;
  char       error[256] = "";

  create_file(&m);
  (void)fwrite(data, 1, size, m.file);
  (void)fflush(m.file);
  case_begin("a file of %zu bytes", size);
  if (matrix_market_read(m.path, &A, error, sizeof(error))) {
    expect(!error[0], "taken with a message: %s", error);
    expect(!memchr(data, 0, size) || data[0] == 0x1f, "a text with a zero byte is taken");
    expect_well_formed(&A);
    if (A.rows <= 1000) write_and_read_again(&A); /* the reader refuses more rows if equal entries have left few of many */
    expect_dominant(&A);
    csr_matrix_destroy(&A);
  } else {
    expect(!strncmp(error, m.path, strlen(m.path)) && strlen(error) > strlen(m.path) + 4, "refused with \"%s\"", error);
  }
  expect_vector(m.path);
  if (!case_end()) abort();
  (void)fclose(m.file);
  return 0;
}
