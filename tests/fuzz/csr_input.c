/* csr_input.c - Decodes bytes. */
#include "csr_input.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include "../kernels/check.h"

int take_byte(Bytes *bytes)
{
  return bytes->next < bytes->end ? *bytes->next++ : 0;
}

static int take_signed(int byte)
{
  return byte < 128 ? byte : byte - 256;
}

double number_of_byte(int byte)
{
  static const double special[] = {0.0,      -0.0,    INFINITY, -INFINITY, NAN,    DBL_MAX, -DBL_MAX, DBL_MIN,
                                   4.9e-324, FLT_MAX, FLT_MIN,  1e-30,     1e-150, 1e150,   1e-45,    1e300};

  return byte < 16 ? special[byte] : (byte - 136) / 8.0;
}

void *new_array(size_t count, size_t size)
{
  return place_new(SPTRSV_HOST, count * size, NULL);
}

static void *new_indices(SptrsvIndexType type, int64_t count)
{
  return new_array((size_t)count, type == SPTRSV_INT64 ? sizeof(int64_t) : sizeof(int32_t));
}

static void set_index(SptrsvIndexType type, void *indices, int k, int64_t index)
{
  if (type == SPTRSV_INT64) ((int64_t *)indices)[k] = index;
  else ((int32_t *)indices)[k] = (int32_t)index;
}

static int64_t get_index(const SptrsvCsr *csr, const void *indices, int64_t k)
{
  return csr->index_type == SPTRSV_INT64 ? ((const int64_t *)indices)[k] : ((const int32_t *)indices)[k];
}

/* Any number for a size, row pointer or column, mostly a small one */
static int64_t take_any_index(Bytes *bytes, SptrsvIndexType type)
{
  const int byte = take_byte(bytes);

  if (type == SPTRSV_INT64 && byte >= 0x80 && byte < 0x84) return INT64_C(1) << (byte - 0x80 + 31);
  if (byte == 0x84) return type == SPTRSV_INT64 ? INT64_MIN : INT32_MIN;
  if (byte == 0x85) return type == SPTRSV_INT64 ? INT64_MAX : INT32_MAX;
  return byte < 0x86 ? byte : take_signed(byte);
}

static void take_any_pattern(Bytes *bytes, Input *in)
{
  const SptrsvIndexType type = in->csr.index_type;

  in->csr.rows = take_signed(take_byte(bytes)) % (MOST_ROWS + 1);
  in->csr.nnz  = take_signed(take_byte(bytes));
  in->row_ptr  = new_indices(type, in->csr.rows < 0 ? 1 : in->csr.rows + 1);
  in->col_idx  = new_indices(type, in->csr.nnz < 0 ? 0 : in->csr.nnz);
  for (int i = 0; i <= in->csr.rows; i++) set_index(type, in->row_ptr, i, take_any_index(bytes, type));
  for (int e = 0; e < in->csr.nnz; e++) set_index(type, in->col_idx, e, take_any_index(bytes, type));
}

/* A bit for each entry of a full matrix.  backwards: columns descend */
static void take_mask(Bytes *bytes, bool backwards, Input *in)
{
  const int n                             = take_byte(bytes) % (MOST_ROWS + 1);
  int       nnz                           = 0;
  bool      stored[MOST_ROWS * MOST_ROWS] = {false};

  for (int k = 0, bits = 0; k < n * n; k++) {
    bits      = k % 8 ? bits >> 1 : take_byte(bytes);
    stored[k] = bits & 1;
    nnz += stored[k];
  }
  in->csr.rows = n;
  in->csr.nnz  = nnz;
  in->row_ptr  = new_indices(in->csr.index_type, n + 1);
  in->col_idx  = new_indices(in->csr.index_type, nnz);
  nnz          = 0;
  for (int i = 0; i < n; i++) {
    set_index(in->csr.index_type, in->row_ptr, i, nnz);
    for (int k = 0; k < n; k++) {
      const int j = backwards ? n - 1 - k : k;

      if (stored[i * n + j]) set_index(in->csr.index_type, in->col_idx, nnz++, j);
    }
  }
  set_index(in->csr.index_type, in->row_ptr, n, nnz);
}

static void classify(Input *in)
{
  const SptrsvCsr *c = &in->csr;

  in->inside = c->rows >= 0 && c->nnz >= 0 && get_index(c, in->row_ptr, 0) == 0;
  for (int64_t i = 0; in->inside && i < c->rows; i++) in->inside = get_index(c, in->row_ptr, i) <= get_index(c, in->row_ptr, i + 1);
  in->inside = in->inside && get_index(c, in->row_ptr, c->rows) == c->nnz;
  for (int64_t e = 0; in->inside && e < c->nnz; e++)
    in->inside = get_index(c, in->col_idx, e) >= 0 && get_index(c, in->col_idx, e) < c->rows;
  in->ascending = in->inside;
  for (int64_t i = 0; in->inside && i < c->rows; i++) {
    for (int64_t e = get_index(c, in->row_ptr, i) + 1; e < get_index(c, in->row_ptr, i + 1); e++) {
      in->ascending = in->ascending && get_index(c, in->col_idx, e - 1) < get_index(c, in->col_idx, e);
    }
  }
}

static bool stores_diagonal(const ZooMatrix *A)
{
  int stored = 0;

  for (int i = 0; i < A->n; i++) {
    for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) stored += A->col_idx[e] == i;
  }
  return stored == A->n;
}

void take_pattern(Bytes *bytes, Input *in)
{
  const int how = take_byte(bytes); /* 1: 64-bit indices; 2: any numbers; 4: a mask with descending columns */

  *in = (Input){.csr = {.location = SPTRSV_HOST, .index_type = how & 1 ? SPTRSV_INT64 : SPTRSV_INT32}};
  if (how & 2) take_any_pattern(bytes, in);
  else take_mask(bytes, how & 4, in);
  in->csr.row_ptr = in->row_ptr;
  in->csr.col_idx = in->col_idx;
  classify(in);
  in->A            = (ZooMatrix){.name = "input", .n = in->inside ? (int)in->csr.rows : 0, .nnz = in->inside ? (int)in->csr.nnz : 0};
  in->A.row_ptr    = new_array((size_t)in->A.n + 1, sizeof(int32_t));
  in->A.col_idx    = new_array((size_t)in->A.nnz, sizeof(int32_t));
  in->A.values     = new_array((size_t)in->A.nnz, sizeof(double));
  in->A.row_ptr[0] = 0;
  for (int i = 0; i < in->A.n; i++) in->A.row_ptr[i + 1] = (int32_t)get_index(&in->csr, in->row_ptr, i + 1);
  for (int e = 0; e < in->A.nnz; e++) {
    in->A.col_idx[e] = (int32_t)get_index(&in->csr, in->col_idx, e);
    in->A.values[e]  = number_of_byte(take_byte(bytes));
  }
  in->A.diagonal = stores_diagonal(&in->A);
}

void free_input(Input *in)
{
  free(in->row_ptr);
  free(in->col_idx);
  zoo_destroy(&in->A);
}
