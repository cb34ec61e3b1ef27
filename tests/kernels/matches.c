/* The pattern of a factor is known again, from either memory and with indices of 32 and 64 bits, and another one is not taken for it. */
#include <stdlib.h>
#include "factor_check.h"
#include "zoo.h"

static void expect_match(SptrsvFactor factor, const SptrsvCsr *A, bool match, const char *what)
{
  int matches = -1;

  expect_success(sptrsvFactorMatches(factor, A, &matches));
  expect(matches == (int)match, "%s: it is said that the pattern is %s", what, matches ? "the same" : "another");
}

/* The pattern from the other memory, with 64-bit indices, and with one column or one row pointer changed */
static void judge_matches(SptrsvFactor factor, const ZooMatrix *A, SptrsvLocation location)
{
  const size_t rows = (size_t)A->n + 1, nnz = (size_t)A->nnz;
  int64_t     *row_ptr   = place_new(SPTRSV_HOST, rows * sizeof(*row_ptr), NULL);
  int64_t     *col_idx   = place_new(SPTRSV_HOST, nnz * sizeof(*col_idx), NULL);
  int32_t     *d_row_ptr = place_new(location, rows * sizeof(*d_row_ptr), A->row_ptr);
  int32_t     *d_col_idx = place_new(location, nnz * sizeof(*d_col_idx), A->col_idx);
  SptrsvCsr    csr = zoo_csr(A), wide = {A->n, A->nnz, row_ptr, col_idx, SPTRSV_INT64, SPTRSV_HOST}, other = csr,
            placed = {A->n, A->nnz, d_row_ptr, d_col_idx, SPTRSV_INT32, location};

  for (size_t k = 0; k < rows; k++) row_ptr[k] = A->row_ptr[k];
  for (size_t k = 0; k < nnz; k++) col_idx[k] = A->col_idx[k];
  expect_match(factor, &placed, true, "where the factor is");
  expect_match(factor, &csr, true, "on the host");
  expect_match(factor, &wide, true, "with 64-bit indices");
  if (A->nnz) {
    const int32_t last = A->col_idx[A->nnz - 1] + 1;

    other.nnz--;
    expect_match(factor, &other, false, "with an entry less");
    col_idx[nnz - 1]++;
    expect_match(factor, &wide, false, "with another column, of 64 bits");
    place_put(location, d_col_idx + nnz - 1, &last, sizeof(last));
    expect_match(factor, &placed, false, "with another column");
    for (size_t k = 0; k < nnz; k++) col_idx[k] = -1; /* pairs of 32-bit columns: many threads see a difference */
    place_put(location, d_col_idx, col_idx, nnz * sizeof(int32_t));
    expect_match(factor, &placed, false, "with other columns only");
    place_put(location, d_col_idx, A->col_idx, nnz * sizeof(int32_t));
  }
  if (A->n > 1) {
    const int32_t second = A->row_ptr[1] - 1;

    place_put(location, d_row_ptr + 1, &second, sizeof(second));
    expect_match(factor, &placed, false, "with another row pointer");
  }
  free(row_ptr);
  free(col_idx);
  place_free(location, d_row_ptr);
  place_free(location, d_col_idx);
}

/* A factor is made from the pattern in either memory */
static void test_matches(const ZooMatrix *A, SptrsvLocation location)
{
  int32_t *perm = random_permutation(A->n, 31), *inverse = inverse_permutation(A->n, perm);

  for (int k = 0; k < 8; k++) {
    const SptrsvFactorKind kind = k & 1 ? SPTRSV_ICC0 : SPTRSV_ILU0;
    const SptrsvLocation   from = k & 2 ? location : SPTRSV_HOST;
    const int32_t *const rows = k & 4 ? perm : NULL, *const columns = k & 4 ? inverse : NULL;
    void *const     d_row_ptr = place_new(from, ((size_t)A->n + 1) * sizeof(int32_t), A->row_ptr);
    void *const     d_col_idx = place_new(from, (size_t)A->nnz * sizeof(int32_t), A->col_idx);
    void *const     values    = zoo_values(A, SPTRSV_DOUBLE, false, location);
    const SptrsvCsr csr       = {A->n, A->nnz, d_row_ptr, d_col_idx, SPTRSV_INT32, from};
    SptrsvFactor    factor    = NULL;
    Target          t;

    case_begin("the pattern of %s %s, %s, from the %s, is known again on the %s", k & 1 ? "ICC(0)" : "ILU(0)",
               k & 4 ? "permuted" : "natural", A->name, from == SPTRSV_DEVICE ? "GPU" : "host", location == SPTRSV_DEVICE ? "GPU" : "host");
    target_create(A, kind, rows, columns, SPTRSV_DOUBLE, &t);
    if (expect_success(sptrsvFactorCreate(&csr, kind, rows, columns, NULL, SPTRSV_DOUBLE, location, NULL, &factor))) {
      judge_matches(factor, A, location);
      factor_test(factor, &t, values, SPTRSV_DOUBLE, location);
    }
    expect_success(sptrsvFactorDestroy(&factor));
    target_destroy(&t);
    place_free(from, d_row_ptr);
    place_free(from, d_col_idx);
    place_free(location, values);
    case_end();
  }
  free(perm);
  free(inverse);
}

static void test_location(SptrsvLocation location)
{
  for (int k = 0; k < zoo_count(); k++) {
    ZooMatrix A;

    zoo_create(k, test_quick(), &A);
    if (A.diagonal) test_matches(&A, location);
    zoo_destroy(&A);
  }
}

int main(int argc, char **argv)
{
  (void)test_begin("matches", argc, argv);
  test_location(SPTRSV_HOST);
  if (sptrsvDeviceCount()) test_location(SPTRSV_DEVICE);
  else case_skip("patterns of factors on the GPU: there is no GPU");
  return test_end();
}
