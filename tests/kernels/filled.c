/* Fill on the GPU: the pattern, the error and the row without a diagonal entry are those of the host.  Long rows, rows of a few columns and
   of many, with and without symmetry, diagonal entries and an ordering. */
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "zoo.h"

/* Entries are drawn one by one.  row, column: dense ones, or -1; whole: with all diagonal entries */
typedef struct {
  const char *name;
  int         n;
  double      density;
  bool        symmetric, whole;
  int         row, column;
} Shape;
static const Shape shapes[] = {
  {"of one row", 1, 0, true, true, -1, -1},
  {"thin", 100, 0.02, false, true, -1, -1},
  {"thin and symmetric", 100, 0.015, true, true, -1, -1},
  {"thick", 70, 0.08, false, true, -1, -1},
  {"thin, with a long row", 150, 0.012, false, true, 140, -1},
  {"thin, with a long row in the middle", 90, 0.015, false, true, 45, -1},
  {"thin, with a long column", 90, 0.015, false, true, -1, 70},
  {"symmetric, with both", 90, 0.01, true, true, 75, 75},
  {"thin, some diagonal entries missing", 90, 0.02, false, false, -1, -1},
  {"without an entry", 40, 0, false, false, -1, -1},
};
enum { SHAPES = sizeof(shapes) / sizeof(*shapes) };
static const int64_t levels[] = {1, 2, 3, 4, 0, 16, 17}; /* the last: above what the GPU does itself */
enum { LEVELS = sizeof(levels) / sizeof(*levels), FEW_LEVELS = 2 };

static void draw(const Shape *s, uint64_t seed, ZooMatrix *A)
{
  const int n  = s->n;
  bool     *in = calloc((size_t)n * n, sizeof(*in));

  *A = (ZooMatrix){.name = s->name, .n = n, .diagonal = s->whole};
  if (!in) abort();
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      const bool drawn = random_unit(&seed) < (i == j ? 0.98 : s->density) && (i != j || s->density > 0);

      if (drawn || i == s->row || j == s->column || (s->whole && i == j)) in[i * n + j] = true;
      if (s->symmetric && in[i * n + j]) in[j * n + i] = true;
    }
  }
  A->row_ptr = place_new(SPTRSV_HOST, ((size_t)n + 1) * sizeof(*A->row_ptr), NULL);
  A->col_idx = place_new(SPTRSV_HOST, (size_t)n * n * sizeof(*A->col_idx), NULL);
  for (int i = 0; i < n; i++) {
    A->row_ptr[i] = A->nnz;
    for (int j = 0; j < n; j++) {
      if (in[i * n + j]) A->col_idx[A->nnz++] = j;
    }
  }
  A->row_ptr[n] = A->nnz;
  free(in);
}

/* Neighbours near and far, some of them on one side only, and a long row.  On a GPU rows are long from 256 entries on, and a block sees
   131,072 columns at once. */
static void draw_large(int n, uint64_t seed, ZooMatrix *A)
{
  const int far[] = {-n / 4, -17, -1, 0, 1, 17, n / 4};

  *A         = (ZooMatrix){.name = "with neighbours far away", .n = n, .diagonal = true};
  A->row_ptr = place_new(SPTRSV_HOST, ((size_t)n + 1) * sizeof(*A->row_ptr), NULL);
  A->col_idx = place_new(SPTRSV_HOST, (size_t)n * 8 * sizeof(*A->col_idx), NULL);
  for (int i = 0; i < n; i++) {
    A->row_ptr[i] = A->nnz;
    for (int j = 0; i == n - 5 && j < i; j += 97) A->col_idx[A->nnz++] = j;
    for (int k = i == n - 5 ? 3 : 0; k < 7; k++) {
      if (i + far[k] >= 0 && i + far[k] < n && (!far[k] || random_unit(&seed) < 0.9)) A->col_idx[A->nnz++] = i + far[k];
    }
  }
  A->row_ptr[n] = A->nnz;
}

/* Fill of level 1 and of level 3, and none of level 2 */
static void draw_gap(ZooMatrix *A)
{
  static const int32_t row_ptr[] = {0, 2, 4, 6, 8, 9}, col_idx[] = {0, 4, 1, 2, 0, 2, 1, 3, 4};

  *A         = (ZooMatrix){.name = "with a gap in its levels", .n = 5, .nnz = 9, .diagonal = true};
  A->row_ptr = place_new(SPTRSV_HOST, sizeof(row_ptr), row_ptr);
  A->col_idx = place_new(SPTRSV_HOST, sizeof(col_idx), col_idx);
}

typedef struct {
  SptrsvFactorKind kind;
  const int32_t   *row_perm, *col_iperm; /* NULL: natural */
  SptrsvFill       fill;
} Way;

static SptrsvStatus create(const SptrsvCsr *A, const Way *w, SptrsvLocation location, int64_t *missing, SptrsvFactor *factor)
{
  return sptrsvFactorCreate(A, w->kind, w->row_perm, w->col_iperm, &w->fill, SPTRSV_DOUBLE, location, missing, factor);
}

static void compare_patterns(SptrsvFactor host, SptrsvFactor device)
{
  SptrsvFactorCounts counts[2] = {{0}};
  const int32_t     *row_ptr[2], *col_idx[2];
  int64_t            rows[2], nnz[2];

  for (int k = 0; k < 2; k++) {
    expect_success(sptrsvFactorGetCounts(k ? device : host, &counts[k]));
    expect_success(sptrsvFactorGetPattern(k ? device : host, &rows[k], &nnz[k], &row_ptr[k], &col_idx[k]));
  }
  expect(!memcmp(&counts[0], &counts[1], sizeof(counts[0])), "other counts");
  if (!expect(nnz[0] == nnz[1], "%lld entries, not %lld", (long long)nnz[1], (long long)nnz[0])) return;
  expect(!memcmp(row_ptr[0], row_ptr[1], ((size_t)rows[0] + 1) * sizeof(**row_ptr)), "other lengths of rows");
  expect(!memcmp(col_idx[0], col_idx[1], (size_t)nnz[0] * sizeof(**col_idx)), "other columns");
}

/* The factor knows A, with its fill, and no other matrix */
static void expect_matches(SptrsvFactor factor, const ZooMatrix *A, const SptrsvCsr *csr, int32_t *d_col_idx)
{
  const SptrsvCsr host    = zoo_csr(A);
  int             matches = -1;

  expect_success(sptrsvFactorMatches(factor, csr, &matches));
  expect(matches == 1, "the matrix is said to be another one");
  if (!A->row_ptr[1] || A->col_idx[A->row_ptr[1] - 1] == A->n - 1) return;
  A->col_idx[A->row_ptr[1] - 1]++;
  if (d_col_idx) place_put(SPTRSV_DEVICE, d_col_idx, A->col_idx, (size_t)A->nnz * sizeof(*A->col_idx));
  expect_success(sptrsvFactorMatches(factor, csr, &matches));
  expect(!matches, "another matrix is said to be the same one");
  expect_success(sptrsvFactorMatches(factor, &host, &matches));
  expect(!matches, "another matrix on the host is said to be the same one");
  A->col_idx[A->row_ptr[1] - 1]--;
}

static void test_way(const ZooMatrix *A, const Way *w, bool on_device)
{
  SptrsvFactor factor[2]  = {NULL, NULL};
  int64_t      missing[2] = {-1, -1};
  SptrsvCsr    csr        = zoo_csr(A);
  int32_t     *row_ptr    = NULL, *col_idx = NULL;
  SptrsvStatus right;

  case_begin("%s(%lld)%s of a matrix %s%s%s", w->kind == SPTRSV_ICC0 ? "ICC" : "ILU", (long long)w->fill.levels,
             w->fill.diagonal ? " with a diagonal" : "", A->name, w->row_perm ? w->col_iperm ? ", ordered" : ", rows ordered" : "",
             on_device ? ", on the device" : "");
  right = create(&csr, w, SPTRSV_HOST, &missing[0], &factor[0]);
  if (on_device) {
    csr.row_ptr = row_ptr = place_new(SPTRSV_DEVICE, ((size_t)A->n + 1) * sizeof(*row_ptr), A->row_ptr);
    csr.col_idx = col_idx = place_new(SPTRSV_DEVICE, ((size_t)A->nnz + 1) * sizeof(*col_idx), NULL);
    csr.location          = SPTRSV_DEVICE;
    place_put(SPTRSV_DEVICE, col_idx, A->col_idx, (size_t)A->nnz * sizeof(*col_idx));
  }
  expect_status(create(&csr, w, SPTRSV_DEVICE, &missing[1], &factor[1]), right, "on the GPU");
  expect(missing[0] == missing[1], "row %lld is said to miss its diagonal, not %lld", (long long)missing[1], (long long)missing[0]);
  if (!right && factor[1]) {
    compare_patterns(factor[0], factor[1]);
    expect_matches(factor[1], A, &csr, col_idx);
  }
  for (int k = 0; k < 2; k++) expect_success(sptrsvFactorDestroy(&factor[k]));
  if (on_device) {
    place_free(SPTRSV_DEVICE, row_ptr);
    place_free(SPTRSV_DEVICE, col_idx);
  }
  case_end();
}

/* The first levels; kinds, orderings and places of the pattern take turns */
static void test_matrix(const ZooMatrix *A, int count, int turn)
{
  int32_t *perm = random_permutation(A->n, 31), *inverse = inverse_permutation(A->n, perm);

  for (int l = 0; l < count; l++) {
    for (int variant = 0; variant < 5; variant++) { /* the last one: rows only, so that diagonal entries are missing */
      const Way w = {variant < 4 && variant & 1 ? SPTRSV_ICC0 : SPTRSV_ILU0, variant > 1 ? perm : NULL,
                     variant > 1 && variant < 4 ? inverse : NULL, {levels[l], (turn + variant + l) % 2}};

      if (l && (turn + l + variant) % 3) continue;
      test_way(A, &w, (turn + l + variant / 2) % 2);
    }
  }
  free(perm);
  free(inverse);
}

int main(int argc, char **argv)
{
  const bool gpu = sptrsvDeviceCount() > 0;
  ZooMatrix  A;

  (void)test_begin("filled", argc, argv);
  if (!gpu) case_skip("patterns with fill on the GPU: there is no GPU");
  for (int k = 0; gpu && k < SHAPES; k++) {
    draw(&shapes[k], 71 + (uint64_t)k, &A);
    test_matrix(&A, LEVELS, k);
    zoo_destroy(&A);
  }
  if (gpu) {
    draw_large(test_emulated() || test_quick() ? 400 : 400000, 71, &A);
    test_matrix(&A, FEW_LEVELS, 0);
    zoo_destroy(&A);
    draw_gap(&A);
    for (int on_device = 0; on_device < 2; on_device++) test_way(&A, &(Way){SPTRSV_ILU0, NULL, NULL, {3, false}}, on_device);
    zoo_destroy(&A);
  }
  return test_end();
}
