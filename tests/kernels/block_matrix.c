/* block_matrix.c - Small matrices of dense blocks. */
#include "block_matrix.h"
#include <stdlib.h>

/* An unsymmetric pattern, or one that is its own mirror image */
static void create_pattern(Blocks *m, bool symmetric, uint64_t *seed)
{
  static bool has[N][N];

  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) has[i][j] = i == j || random_unit(seed) < 0.2;
  }
  m->pattern            = (ZooMatrix){.name = "blocks", .n = N, .diagonal = true};
  m->pattern.row_ptr    = place_new(SPTRSV_HOST, (N + 1) * sizeof(int32_t), NULL);
  m->pattern.col_idx    = place_new(SPTRSV_HOST, (size_t)N * N * sizeof(int32_t), NULL);
  m->pattern.values     = place_new(SPTRSV_HOST, (size_t)N * N * sizeof(double), NULL);
  m->pattern.row_ptr[0] = 0;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      if (!has[i][j] && !(symmetric && has[j][i])) continue;
      m->pattern.values[m->pattern.nnz]    = m->pattern.nnz + 1;
      m->pattern.col_idx[m->pattern.nnz++] = j;
    }
    m->pattern.row_ptr[i + 1] = m->pattern.nnz;
  }
}

static int entry_of(const ZooMatrix *A, int i, int j)
{
  int e = A->row_ptr[i];

  while (A->col_idx[e] != j) e++;
  return e;
}

void create_blocks(Blocks *m, int rows, bool symmetric, bool crossed, uint64_t seed)
{
  create_pattern(m, symmetric, &seed);
  m->rows   = rows;
  m->values = place_new(SPTRSV_HOST, (size_t)(m->pattern.nnz * rows * rows) * sizeof(double), NULL);
  for (int i = 0; i < N; i++) {
    for (int e = m->pattern.row_ptr[i]; e < m->pattern.row_ptr[i + 1]; e++) {
      const int     j    = m->pattern.col_idx[e];
      double *const v    = m->values + (ptrdiff_t)e * rows * rows;
      const double *from = j < i && symmetric ? m->values + (ptrdiff_t)entry_of(&m->pattern, j, i) * rows * rows : v;

      for (int c = 0; c < rows; c++) {
        for (int r = 0; r < rows; r++) {
          const double value = value_types[m->type].round(0.4 * (random_unit(&seed) - 0.5) / rows);

          if (symmetric && (j < i || (j == i && r < c))) v[c * rows + r] = from[r * rows + c];
          else if (j == i && (crossed ? r + c == rows - 1 : r == c)) v[c * rows + r] = 2 + r;
          else v[c * rows + r] = (j == i && crossed && r == c) || (m->points && j != i && (r + 2 * c + e) % 5 == 4) ? 0 : value;
          if (symmetric && j == i && crossed && r + c == rows - 1) v[c * rows + r] = 2;
        }
      }
    }
  }
}

void destroy_blocks(Blocks *m)
{
  zoo_destroy(&m->pattern);
  free(m->values);
}

void store_blocks(const Blocks *m, Stored *s)
{
  const int size = m->rows * m->rows, rows = m->points ? m->rows : 1;
  void     *values = place_new(SPTRSV_HOST, (size_t)(m->pattern.nnz * size) * value_size(m->type), NULL);
  int       nnz = 0, count = 0; /* of what is stored, of values */

  s->row_ptr[0] = 0;
  for (int i = 0; i < N * rows; i++) {
    for (int e = m->pattern.row_ptr[i / rows]; e < m->pattern.row_ptr[i / rows + 1]; e++) {
      const int     j = m->pattern.col_idx[e];
      const double *v = m->values + (ptrdiff_t)e * size;

      if (m->upper && j < i) continue;
      for (int k = 0; k < size && !m->points; k++) set_value(m->type, values, count++, v[k]);
      if (!m->points) s->col_idx[nnz++] = j;
      for (int c = 0; c < rows && m->points; c++) {
        if (v[c * rows + i % rows] == 0) continue;
        set_value(m->type, values, count++, v[c * rows + i % rows]);
        s->col_idx[nnz++] = j * rows + c;
      }
    }
    s->row_ptr[i + 1] = nnz;
  }
  s->csr    = (SptrsvCsr){(int64_t)N * rows, nnz, s->row_ptr, s->col_idx, SPTRSV_INT32, SPTRSV_HOST};
  s->values = place_new(m->location, (size_t)count * value_size(m->type), values);
  free(values);
}
