/* Blocks of matrices of entries, found on the GPU: they and the positions of their entries are the host's, and so are patterns of factors
   with levels of fill, permuted or not. */
#include <stdlib.h>
#include <string.h>
#include "../../src/kernels/factor/factor.h"
#include "check.h"
#include "zoo.h"

enum { MOST = 2000 }; /* rows of blocks of a dense matrix */

/* The first rows and columns of A, as many as make whole blocks */
static void create_padded(const ZooMatrix *A, int rows, ZooMatrix *cut)
{
  *cut         = (ZooMatrix){.name = A->name, .n = A->n - A->n % rows};
  cut->row_ptr = place_new(SPTRSV_HOST, ((size_t)cut->n + 1) * sizeof(int32_t), NULL);
  cut->col_idx = place_new(SPTRSV_HOST, (size_t)A->nnz * sizeof(int32_t), NULL);
  for (int i = 0; i < cut->n; i++) {
    cut->row_ptr[i] = cut->nnz;
    for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) {
      if (A->col_idx[e] < cut->n) cut->col_idx[cut->nnz++] = A->col_idx[e];
    }
  }
  cut->row_ptr[cut->n] = cut->nnz;
}

/* A dense block in the place of each entry of the first rows and columns of A */
static void create_dense(const ZooMatrix *A, int rows, ZooMatrix *dense)
{
  const int most = test_rows() / rows < MOST ? test_rows() / rows : MOST, n = A->n < most ? A->n : most;

  *dense         = (ZooMatrix){.name = A->name, .n = n * rows};
  dense->row_ptr = place_new(SPTRSV_HOST, ((size_t)dense->n + 1) * sizeof(int32_t), NULL);
  dense->col_idx = place_new(SPTRSV_HOST, (size_t)A->nnz * (size_t)(rows * rows) * sizeof(int32_t), NULL);
  for (int i = 0; i < dense->n; i++) {
    dense->row_ptr[i] = dense->nnz;
    for (int e = A->row_ptr[i / rows]; e < A->row_ptr[i / rows + 1]; e++) {
      for (int c = 0; c < rows && A->col_idx[e] < n; c++) dense->col_idx[dense->nnz++] = A->col_idx[e] * rows + c;
    }
  }
  dense->row_ptr[dense->n] = dense->nnz;
}

/* ------------------------------------------------------------ blocks ----------------------------------------------------------- */

typedef struct {
  struct SptrsvFactor_s factor;
  SptrsvMemory          memory;
  SptrsvCsr             blocks;
  SptrsvStatus          status;
} Taken;

static Taken take(const SptrsvCsr *A, int rows, SptrsvLocation location)
{
  Taken t = {.factor = {.location = location, .storage = {.rows = rows, .points = 1}}};

  sptrsvSetupBegin();
  t.status = sptrsvSetupEnd(location, sptrsvFactorTake(&t.factor, A, &t.memory, &t.blocks));
  return t;
}

static void give_back(Taken *t)
{
  sptrsvMemoryFree(&t->memory);
  sptrsvMemoryFree(&t->factor.entry_memory);
  (void)sptrsvAnalysisDestroy(&t->factor.matrix);
}

static bool same(const void *own, const void *other, SptrsvLocation location, int count)
{
  int *const copy  = place_new(SPTRSV_HOST, (size_t)count * sizeof(*copy), NULL);
  bool       equal = !count;

  place_get(location, copy, other, (size_t)count * sizeof(*copy));
  if (count) equal = !memcmp(own, copy, (size_t)count * sizeof(*copy));
  free(copy);
  return equal;
}

/* Blocks of a pattern on the host, and of the same one; status: of both */
static void compare_blocks(const SptrsvCsr *A, const SptrsvCsr *again, int rows, SptrsvStatus status)
{
  Taken            host = take(A, rows, SPTRSV_HOST), device = take(again, rows, SPTRSV_DEVICE);
  const SptrsvCsr *h = &host.blocks, *d = &device.blocks;

  expect_status(host.status, status, "on the host");
  expect_status(device.status, status, "on the GPU");
  if (!status && !host.status && !device.status &&
      expect(h->rows == d->rows && h->nnz == d->nnz, "%lld blocks in %lld rows, not %lld in %lld", (long long)d->nnz, (long long)d->rows,
             (long long)h->nnz, (long long)h->rows)) {
    expect(same(h->row_ptr, d->row_ptr, d->location, (int)h->rows + 1), "rows of blocks begin elsewhere");
    expect(same(h->col_idx, d->col_idx, d->location, (int)h->nnz), "blocks are in other columns");
    expect(same(host.factor.entry, device.factor.entry, SPTRSV_DEVICE, (int)h->nnz * rows * rows), "entries are elsewhere in blocks");
  }
  give_back(&host);
  give_back(&device);
}

/* ------------------------------------------------------------ factors ---------------------------------------------------------- */

static SptrsvFactor create_factor(const SptrsvCsr *A, int rows, int variant, SptrsvLocation location, SptrsvStatus *status,
                                  int64_t *missing)
{
  const SptrsvBlockStorage storage = {rows, 0, 1};
  const SptrsvFill         fill    = {variant / 4 % 3, 0};
  const int                n       = (int)A->rows / rows;
  int32_t                 *perm = variant & 2 ? random_permutation(n, 5) : NULL, *inverse = perm ? inverse_permutation(n, perm) : NULL;
  SptrsvFactor             factor = NULL;

  *missing = -1;
  *status  = sptrsvFactorCreateBlocks(A, &storage, variant & 1 ? SPTRSV_ICC0 : SPTRSV_ILU0, perm, inverse, &fill, SPTRSV_DOUBLE, location,
                                      missing, &factor);
  free(perm);
  free(inverse);
  return factor;
}

/* Whether a row of the host's factor is so long that the GPU may refuse it */
static bool has_long_row(SptrsvFactor factor)
{
  int64_t        n = 0, nnz = 0;
  const int32_t *row_ptr, *col_idx;
  int            longest = 0;

  if (factor) expect_success(sptrsvFactorGetPattern(factor, &n, &nnz, &row_ptr, &col_idx));
  for (int64_t i = 0; i < n; i++) longest = row_ptr[i + 1] - row_ptr[i] > longest ? row_ptr[i + 1] - row_ptr[i] : longest;
  return longest > 96;
}

static void compare_patterns(const SptrsvFactor factor[2])
{
  int64_t        n[2] = {0}, nnz[2] = {0};
  const int32_t *row_ptr[2], *col_idx[2];

  for (int k = 0; k < 2; k++) expect_success(sptrsvFactorGetPattern(factor[k], &n[k], &nnz[k], &row_ptr[k], &col_idx[k]));
  if (!expect(n[0] == n[1] && nnz[0] == nnz[1], "%lld blocks, not %lld", (long long)nnz[1], (long long)nnz[0])) return;
  expect(same(row_ptr[0], row_ptr[1], SPTRSV_HOST, (int)n[0] + 1), "rows of the factor begin elsewhere");
  expect(same(col_idx[0], col_idx[1], SPTRSV_HOST, (int)nnz[0]), "the factor's blocks are in other columns");
}

/* variant: kind, ordering and levels of fill */
static void compare_factors(const SptrsvCsr *A, int rows, int variant)
{
  SptrsvStatus status[2];
  int64_t      missing[2];
  SptrsvFactor factor[2];
  int          matches = 0;

  for (int k = 0; k < 2; k++) factor[k] = create_factor(A, rows, variant, k ? SPTRSV_DEVICE : SPTRSV_HOST, &status[k], &missing[k]);
  if (status[1] != SPTRSV_NOT_SUPPORTED || !has_long_row(factor[0]))
    expect(status[0] == status[1] && missing[0] == missing[1], "status %d, row %lld, not %d, %lld", status[1], (long long)missing[1],
           status[0], (long long)missing[0]);
  if (factor[0] && factor[1]) {
    compare_patterns(factor);
    expect_success(sptrsvFactorMatches(factor[1], A, &matches));
    expect(matches, "another pattern than its own");
  }
  for (int k = 0; k < 2; k++) expect_success(sptrsvFactorDestroy(&factor[k]));
}

/* Of A's pattern in memory of the GPU */
static void compare_there(const ZooMatrix *A, int rows, int variant)
{
  int32_t *const row_ptr  = place_new(SPTRSV_DEVICE, ((size_t)A->n + 1) * sizeof(int32_t), A->row_ptr),
                 *col_idx = place_new(SPTRSV_DEVICE, (size_t)A->nnz * sizeof(int32_t), A->col_idx);
  const SptrsvCsr csr = {A->n, A->nnz, row_ptr, col_idx, SPTRSV_INT32, SPTRSV_DEVICE}, host = zoo_csr(A);
  SptrsvStatus    status;
  int64_t         missing;
  int             matches = 1;
  SptrsvFactor    factor  = create_factor(&csr, rows, variant, SPTRSV_DEVICE, &status, &missing);

  if (factor) expect_success(sptrsvFactorMatches(factor, &csr, &matches));
  expect(matches, "another pattern than its own on the GPU");
  compare_blocks(&host, &csr, rows, SPTRSV_SUCCESS);
  expect_success(sptrsvFactorDestroy(&factor));
  place_free(SPTRSV_DEVICE, row_ptr);
  place_free(SPTRSV_DEVICE, col_idx);
}

static void test_matrix(const ZooMatrix *A, int rows, const char *kind, int variant)
{
  const SptrsvCsr csr = zoo_csr(A);

  case_begin("%s by blocks of %d, %s, %s(%d)%s", A->name, rows, kind, variant & 1 ? "ICC" : "ILU", variant / 4,
             variant & 2 ? ", permuted" : "");
  compare_blocks(&csr, &csr, rows, SPTRSV_SUCCESS);
  compare_factors(&csr, rows, variant);
  compare_there(A, rows, variant);
  case_end();
}

/* Rows that do not ascend are the host's; an entry that is stored twice is refused, and one outside of the matrix */
static void test_rows_as_they_are(void)
{
  enum { N = 96, EACH = 3, NNZ = N * EACH };
  int32_t         row_ptr[N + 1], col_idx[NNZ];
  const SptrsvCsr csr = {N, NNZ, row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST};

  case_begin("rows that do not ascend");
  for (int i = 0; i <= N; i++) row_ptr[i] = i * EACH;
  for (int e = 0; e < NNZ; e++) col_idx[e] = (e / EACH + 7 * (EACH - e % EACH)) % N;
  compare_blocks(&csr, &csr, 4, SPTRSV_SUCCESS);
  col_idx[1] = col_idx[0];
  compare_blocks(&csr, &csr, 4, SPTRSV_UNSORTED);
  col_idx[1] = N;
  compare_blocks(&csr, &csr, 4, SPTRSV_INVALID_ARGUMENT);
  case_end();
}

static void test_zoo(void)
{
  for (int k = 0; k < zoo_count(); k++) {
    ZooMatrix A, blocks;

    zoo_create(k, test_quick() || test_emulated(), &A);
    for (int rows = 2; rows <= SPTRSV_BLOCK_ROWS; rows++) {
      create_padded(&A, rows, &blocks);
      test_matrix(&blocks, rows, "padded", (5 * k + rows) % 12);
      zoo_destroy(&blocks);
      create_dense(&A, rows, &blocks);
      test_matrix(&blocks, rows, "dense", (7 * k + 5 * rows) % 12);
      zoo_destroy(&blocks);
    }
    zoo_destroy(&A);
  }
}

int main(int argc, char **argv)
{
  (void)test_begin("block_pattern", argc, argv);
  if (sptrsvDeviceCount()) {
    test_rows_as_they_are();
    test_zoo();
  } else case_skip("blocks on the GPU: there is no GPU");
  return test_end();
}
