/* block_check.c - Matrices with blocks of rows, and blocks by their definition. */
#include "block_check.h"
#include <stdlib.h>

enum { MOST = SPTRSV_BLOCK_ROWS };

static bool are_coupled(const BlockKind *kind, int p, int q)
{
  const int low = p < q ? p : q, high = p < q ? q : p;

  return kind->shape == COUPLED || high - low < 2 || (7 * low + 11 * high) % 9 == 0;
}

void create_block_matrix(const BlockKind *kind, ZooMatrix *A)
{
  const int most = test_quick() ? 50 : 200, n = test_rows() < most ? test_rows() : most;
  int      *block = place_new(SPTRSV_HOST, (size_t)n * sizeof(*block), NULL);

  *A         = (ZooMatrix){.name = kind->name, .n = n, .diagonal = true};
  A->row_ptr = place_new(SPTRSV_HOST, ((size_t)n + 1) * sizeof(int32_t), NULL);
  A->col_idx = place_new(SPTRSV_HOST, (size_t)n * n * sizeof(int32_t), NULL);
  A->values  = place_new(SPTRSV_HOST, (size_t)n * n * sizeof(double), NULL);
  for (int i = 0, p = 0; i < n; p++) {
    for (int rows = kind->rows ? kind->rows : 1 + p % MOST; rows && i < n; rows--) block[i++] = p;
  }
  for (int i = 0; i < n; i++) {
    A->row_ptr[i] = A->nnz;
    for (int j = 0; j < n; j++) {
      const bool lacking = kind->shape == PARTIAL && block[j] < block[i] && block[j] % 3 == 1 && (!j || block[j - 1] < block[j]);
      const bool above   = kind->shape == BELOW && block[i] < block[n - 1] && block[j] == block[n - 1];

      if (are_coupled(kind, block[i], block[j]) && !lacking && !above) A->col_idx[A->nnz++] = j;
    }
  }
  A->row_ptr[n] = A->nnz;
  zoo_randomize(A, 17);
  free(block);
}

bool has_entry(const Factored *f, int i, int j)
{
  for (int e = f->row_ptr[i]; e < f->row_ptr[i + 1]; e++) {
    if (f->col_idx[e] == j) return true;
  }
  return false;
}

static bool has_equal_rows(const Factored *f, int i, int k)
{
  for (int j = 0; j < f->n; j++) {
    if (has_entry(f, i, j) != has_entry(f, k, j)) return false;
  }
  return true;
}

void find_blocks(Factored *f, int size)
{
  if (!size || size > MOST) size = MOST;
  for (int i = 0, run = 0; i < f->n; i++) {
    if (i && !has_equal_rows(f, i, i - 1)) run = i;
    f->first[i] = i - (i - run) % size;
    f->rows[i]  = 0;
  }
  for (int i = 0; i < f->n; i++) f->rows[f->first[i]]++;
  for (int i = 0; i < f->n; i++) f->rows[i] = f->rows[f->first[i]];
  for (int p = 0; p < f->n; p++) {
    const int rows  = f->rows[p];
    bool      whole = true;

    if (f->first[p] != p) continue;
    for (int i = p + rows; i < f->n; i++) {
      for (int j = p; j < p + rows; j++) whole = whole && has_entry(f, i, j) == has_entry(f, i, p);
    }
    for (int j = p; !whole && j < p + rows; j++) {
      f->first[j] = j;
      f->rows[j]  = 1;
    }
  }
}

void judge_blocks(const Factored *f, const SptrsvBlocks *found)
{
  SptrsvBlocks right = {0, MOST + 1, 0, 0};

  for (int i = 0; i < f->n; i++) {
    if (f->rows[i] == 1) continue;
    right.rows++;
    right.least = f->rows[i] < right.least ? f->rows[i] : right.least;
    right.most  = f->rows[i] > right.most ? f->rows[i] : right.most;
  }
  if (!right.rows) right.least = 0;
  right.worth = right.rows && 2 * right.rows >= f->n;
  expect(found->rows == right.rows && found->least == right.least && found->most == right.most && found->worth == right.worth,
         "%lld rows in blocks of %d to %d, worth %d, not %lld, %d to %d, %d", (long long)found->rows, found->least, found->most,
         found->worth, (long long)right.rows, right.least, right.most, right.worth);
}

void judge_form(const Factored *f, SptrsvAnalysis form, SptrsvTriangle triangle)
{
  SptrsvStatistics s      = {0};
  int              levels = 0, nnz = 0, *level = place_new(SPTRSV_HOST, (size_t)f->n * sizeof(*level), NULL);

  for (int k = 0; k < f->n; k++) {
    const int i = triangle == SPTRSV_LOWER ? k : f->n - 1 - k;

    level[i] = 0;
    for (int e = f->row_ptr[i]; e < f->row_ptr[i + 1]; e++) {
      const int j = f->col_idx[e];

      if (f->first[j] == f->first[i] || (j < i) != (triangle == SPTRSV_LOWER)) continue;
      nnz++;
      if (level[j] >= level[i]) level[i] = level[j] + 1;
    }
    if (level[i] >= levels) levels = level[i] + 1;
  }
  expect_success(sptrsvAnalysisGetStatistics(form, triangle, SPTRSV_NON_TRANSPOSE, &s));
  expect(s.nnz == nnz && s.levels == levels && s.rows == f->n, "%lld entries in %lld levels, not %d in %d", (long long)s.nnz,
         (long long)s.levels, nnz, levels);
  free(level);
}
