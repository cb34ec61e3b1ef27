/* Levels and statistics of the analysis, on the host and on the GPU, against their definition; patterns in both index types,
   and bad ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "zoo.h"

static const char *const sweep_names[] = {"L", "U", "L^T", "U^T"};

/* Whether entry (r, s) of the matrix makes unknown *i need unknown *j in this sweep */
static bool needs(int sweep, int r, int s, int *i, int *j)
{
  *i = sweep & 2 ? s : r;
  *j = sweep & 2 ? r : s;
  return sweep & 1 ? s > r : s < r;
}

/* The definition: raise levels until every unknown is above all unknowns that it needs */
static int32_t *naive_levels(const ZooMatrix *A, int sweep)
{
  int32_t *level = calloc((size_t)A->n + 1, sizeof(*level));
  bool     done  = false;

  if (!level) abort();
  while (!done) {
    done = true;
    for (int k = 0; k < A->n; k++) {
      const int r = (sweep & 1) != sweep >> 1 ? A->n - 1 - k : k; /* an order with fewer passes */

      for (int e = A->row_ptr[r]; e < A->row_ptr[r + 1]; e++) {
        int i, j;

        if (!needs(sweep, r, A->col_idx[e], &i, &j) || level[i] > level[j]) continue;
        level[i] = level[j] + 1;
        done     = false;
      }
    }
  }
  return level;
}

static SptrsvStatistics naive_statistics(const ZooMatrix *A, int sweep, const int32_t *level)
{
  SptrsvStatistics s     = {.rows = A->n};
  int64_t         *width = calloc((size_t)A->n + 1, sizeof(*width)), *length = calloc((size_t)A->n + 1, sizeof(*length));

  if (!width || !length) abort();
  for (int r = 0; r < A->n; r++) {
    s.levels = level[r] + 1 > s.levels ? level[r] + 1 : s.levels;
    s.widest = ++width[level[r]] > s.widest ? width[level[r]] : s.widest;
    for (int e = A->row_ptr[r]; e < A->row_ptr[r + 1]; e++) {
      int i, j;

      if (!needs(sweep, r, A->col_idx[e], &i, &j)) continue;
      s.nnz++;
      s.longest = ++length[i] > s.longest ? length[i] : s.longest;
    }
  }
  free(width);
  free(length);
  return s;
}

static bool is_close(double a, double b)
{
  return fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b));
}

/* All methods that compute levels in the memory of the analysis */
static void test_methods(const ZooMatrix *A, SptrsvAnalysis analysis, SptrsvLocation location, int sweep, const int32_t *naive)
{
  static const char *const names[] = {"rows on the host", "columns on the host", "rows on the GPU", "Kahn's algorithm"};
  const SptrsvTriangle     triangle = sweep & 1 ? SPTRSV_UPPER : SPTRSV_LOWER;
  const SptrsvOperation    op       = sweep & 2 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE;
  int32_t                 *level    = place_new(SPTRSV_HOST, (size_t)A->n * sizeof(*level), NULL);

  for (int m = SPTRSV_LEVELS_HOST_ROWS; m <= (location == SPTRSV_HOST ? SPTRSV_LEVELS_HOST_COLUMNS : SPTRSV_LEVELS_KAHN); m++) {
    SptrsvSetupTimes t     = {-1, -1, -1, -1, -1};
    int              wrong = 0;

    for (int i = 0; i < A->n; i++) level[i] = -1;
    expect_success(sptrsvAnalysisComputeLevels(analysis, triangle, op, (SptrsvLevelMethod)m, level, &t));
    for (int i = 0; i < A->n; i++) wrong += level[i] != naive[i];
    expect(!wrong, "%s: %d of %d levels are wrong by %s", sweep_names[sweep], wrong, A->n, names[m]);
    expect(t.pattern_to_host >= 0 && t.transpose >= 0 && t.dependencies >= 0 && t.levels >= 0 && t.levels_to_device >= 0,
           "%s: steps without a time by %s", sweep_names[sweep], names[m]);
    expect(location == SPTRSV_DEVICE && m <= SPTRSV_LEVELS_HOST_COLUMNS ? !A->n || (t.pattern_to_host > 0 && t.levels_to_device > 0)
                                                                        : !t.pattern_to_host && !t.levels_to_device,
           "%s: copies of %g and %g ms by %s", sweep_names[sweep], t.pattern_to_host, t.levels_to_device, names[m]);
  }
  free(level);
}

static void test_sweep(const ZooMatrix *A, SptrsvAnalysis analysis, SptrsvLocation location, int sweep)
{
  const SptrsvTriangle   triangle = sweep & 1 ? SPTRSV_UPPER : SPTRSV_LOWER;
  const SptrsvOperation  op       = sweep & 2 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE;
  int32_t               *naive    = naive_levels(A, sweep);
  const SptrsvStatistics right    = naive_statistics(A, sweep, naive);
  const int32_t         *level = NULL, *again = NULL;
  SptrsvStatistics       s     = {0};
  int                    wrong = 0;

  expect_success(sptrsvAnalysisGetStatistics(analysis, triangle, op, &s));
  expect_success(sptrsvAnalysisGetLevels(analysis, triangle, op, &level));
  expect_success(sptrsvAnalysisGetLevels(analysis, triangle, op, &again));
  expect(level == again, "%s: levels move", sweep_names[sweep]);
  for (int i = 0; level && i < A->n; i++) wrong += level[i] != naive[i];
  expect(!wrong, "%s: %d of %d levels are wrong", sweep_names[sweep], wrong, A->n);
  expect(s.rows == right.rows && s.nnz == right.nnz, "%s: %lld rows, %lld entries", sweep_names[sweep], (long long)s.rows,
         (long long)s.nnz);
  expect(s.levels == right.levels, "%s: %lld levels, not %lld", sweep_names[sweep], (long long)s.levels, (long long)right.levels);
  expect(s.widest == right.widest, "%s: widest %lld, not %lld", sweep_names[sweep], (long long)s.widest, (long long)right.widest);
  expect(s.longest == right.longest, "%s: longest %lld, not %lld", sweep_names[sweep], (long long)s.longest, (long long)right.longest);
  if (A->n) {
    const double n_level = (double)A->n / (double)right.levels, nnz_row = 1 + (double)right.nnz / A->n;

    expect(is_close(s.n_level, n_level) && is_close(s.nnz_row, nnz_row), "%s: %g rows per level, %g entries per row", sweep_names[sweep],
           s.n_level, s.nnz_row);
    expect(is_close(s.granularity, log10(log10(n_level) / log10(nnz_row + 0.01) + 0.01)), "%s: granularity %g", sweep_names[sweep],
           s.granularity);
  } else expect(!s.n_level && !s.nnz_row && !s.granularity, "statistics of nothing are not zero");
  test_methods(A, analysis, location, sweep, naive);
  free(naive);
}

/* The same pattern in the index type and memory of `csr` */
static void test_pattern(const ZooMatrix *A, const SptrsvCsr *csr, SptrsvLocation location)
{
  SptrsvAnalysis analysis = NULL;

  case_begin("%s, %d-bit indices in %s memory, analysed on the %s", A->name, csr->index_type == SPTRSV_INT64 ? 64 : 32,
             csr->location == SPTRSV_DEVICE ? "device" : "host", location == SPTRSV_DEVICE ? "GPU" : "host");
  if (expect_success(sptrsvAnalysisCreate(csr, location, NULL, &analysis))) {
    for (int sweep = 0; sweep < 4; sweep++) test_sweep(A, analysis, location, sweep);
  }
  expect_success(sptrsvAnalysisDestroy(&analysis));
  expect(!analysis, "the handle is still there");
  case_end();
}

static void *widen(const int32_t *indices, int count)
{
  int64_t *wide = place_new(SPTRSV_HOST, (size_t)count * sizeof(*wide), NULL);

  for (int k = 0; k < count; k++) wide[k] = indices[k];
  return wide;
}

static void test_patterns(const ZooMatrix *A, SptrsvLocation location)
{
  void *row_ptr[] = {A->row_ptr, widen(A->row_ptr, A->n + 1)}, *col_idx[] = {A->col_idx, widen(A->col_idx, A->nnz)};

  for (int wide = 0; wide < 2; wide++) {
    const SptrsvIndexType type  = wide ? SPTRSV_INT64 : SPTRSV_INT32;
    const size_t          width = wide ? sizeof(int64_t) : sizeof(int32_t);
    SptrsvCsr             csr   = {A->n, A->nnz, row_ptr[wide], col_idx[wide], type, SPTRSV_HOST};

    test_pattern(A, &csr, location);
    if (location == SPTRSV_HOST) continue;
    csr.location = SPTRSV_DEVICE;
    csr.row_ptr  = place_new(SPTRSV_DEVICE, (size_t)(A->n + 1) * width, row_ptr[wide]);
    csr.col_idx  = place_new(SPTRSV_DEVICE, (size_t)A->nnz * width, col_idx[wide]);
    test_pattern(A, &csr, location);
    place_free(SPTRSV_DEVICE, (void *)csr.row_ptr);
    place_free(SPTRSV_DEVICE, (void *)csr.col_idx);
  }
  free(row_ptr[1]);
  free(col_idx[1]);
}

/* A 30 x 30 grid by hand: wavefronts are diagonals, 59 of them; 900 / 59 = 15.254, (900 + 1740) / 900 = 2.9333 */
static void test_known_grid(void)
{
  enum { M = 30 };
  int32_t          row_ptr[M * M + 1] = {0}, col_idx[3 * M * M], nnz = 0;
  SptrsvCsr        csr      = {(int64_t)M * M, 0, row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST};
  SptrsvAnalysis   analysis = NULL;
  SptrsvStatistics s        = {0};

  for (int i = 0; i < M * M; i++) {
    if (i >= M) col_idx[nnz++] = i - M;
    if (i % M) col_idx[nnz++] = i - 1;
    col_idx[nnz++] = i;
    row_ptr[i + 1] = nnz;
  }
  csr.nnz = nnz;
  case_begin("a grid whose statistics are known");
  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis));
  expect_success(sptrsvAnalysisGetStatistics(analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &s));
  expect(s.levels == 59 && s.widest == 30 && s.longest == 2 && s.nnz == 1740, "%lld levels, widest %lld", (long long)s.levels,
         (long long)s.widest);
  expect(fabs(s.granularity - 0.4038) < 5e-5, "granularity %g", s.granularity);
  expect_success(sptrsvAnalysisGetStatistics(analysis, SPTRSV_UPPER, SPTRSV_NON_TRANSPOSE, &s));
  expect(s.levels == 1 && s.nnz == 0 && s.widest == 900, "the empty triangle has %lld levels", (long long)s.levels);
  expect_success(sptrsvAnalysisDestroy(&analysis));
  case_end();
}

static void refuse(const char *why, SptrsvStatus expected, SptrsvCsr csr)
{
  SptrsvAnalysis     analysis = NULL;
  const SptrsvStatus status   = sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis);

  case_begin("pattern with %s", why);
  expect_status(status, expected, "sptrsvAnalysisCreate");
  expect(!analysis == (expected != SPTRSV_SUCCESS), "status and analysis do not agree");
  expect_success(sptrsvAnalysisDestroy(&analysis));
  case_end();
}

static void test_refusals(void)
{
  static const int32_t good[] = {0, 2, 3}, columns[] = {0, 1, 1}, unsorted[] = {1, 0, 1}, twice[] = {1, 1, 1},
                       below[] = {-1, 1, 1}, beyond[] = {0, 2, 1};
  static const int32_t late[] = {1, 2, 3}, falling[] = {0, 4, 3}, early[] = {0, 2, 2};
  static const int64_t wide_ptr[] = {0, 2, 3}, wide[] = {0, INT64_C(1) << 40, 1}, wrapped[] = {0, -(INT64_C(1) << 40) + 1, 1};
  const SptrsvCsr      csr      = {2, 3, good, columns, SPTRSV_INT32, SPTRSV_HOST};
  SptrsvCsr            c        = csr;
  SptrsvAnalysis       analysis = NULL;
  int32_t              level[2];

  refuse("nothing wrong", SPTRSV_SUCCESS, csr);
  c.col_idx = unsorted, refuse("unsorted columns", SPTRSV_UNSORTED, c);
  c.col_idx = twice, refuse("an entry stored twice", SPTRSV_UNSORTED, c);
  c.col_idx = below, refuse("a negative column", SPTRSV_INVALID_ARGUMENT, c);
  c.col_idx = beyond, refuse("a column beyond the last", SPTRSV_INVALID_ARGUMENT, c);
  c.col_idx = NULL, refuse("no columns", SPTRSV_INVALID_ARGUMENT, c);
  c = csr, c.row_ptr = late, refuse("a first row that begins at 1", SPTRSV_INVALID_ARGUMENT, c);
  c.row_ptr = falling, refuse("a row of negative length", SPTRSV_INVALID_ARGUMENT, c);
  c.row_ptr = early, refuse("fewer entries than promised", SPTRSV_INVALID_ARGUMENT, c);
  c.row_ptr = NULL, refuse("no rows", SPTRSV_INVALID_ARGUMENT, c);
  c = csr, c.rows = -1, refuse("a negative size", SPTRSV_INVALID_ARGUMENT, c);
  c.rows = INT64_C(1) << 31, refuse("2^31 rows", SPTRSV_TOO_LARGE, c);
  c = csr, c.nnz = INT64_C(1) << 31, refuse("2^31 entries", SPTRSV_TOO_LARGE, c);
  c         = (SptrsvCsr){2, 3, wide_ptr, wide, SPTRSV_INT64, SPTRSV_HOST}, refuse("a column of 2^40", SPTRSV_TOO_LARGE, c);
  c.col_idx = wrapped, refuse("a column that is 1 in its lower 32 bits", SPTRSV_INVALID_ARGUMENT, c);
  case_begin("missing arguments");
  expect_status(sptrsvAnalysisCreate(NULL, SPTRSV_HOST, NULL, &analysis), SPTRSV_INVALID_ARGUMENT, "no matrix");
  expect_status(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, NULL), SPTRSV_INVALID_ARGUMENT, "nowhere to put the analysis");
  if (!sptrsvDeviceCount()) {
    expect_status(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &analysis), SPTRSV_NO_DEVICE,
                  "analysis on a GPU that is not there");
  }
  case_end();
  case_begin("levels that cannot be computed");
  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis));
  for (int m = SPTRSV_LEVELS_ROWS; m <= SPTRSV_LEVELS_KAHN; m++) {
    expect_status(sptrsvAnalysisComputeLevels(analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, (SptrsvLevelMethod)m, level, NULL),
                  sptrsvDeviceCount() ? SPTRSV_WRONG_MEMORY : SPTRSV_NO_DEVICE, "a method of the GPU for an analysis on the host");
  }
  expect_success(sptrsvAnalysisComputeLevels(analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, SPTRSV_LEVELS_HOST_ROWS, level, NULL));
  expect_refusal(sptrsvAnalysisComputeLevels(analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, (SptrsvLevelMethod)4, level, NULL));
  expect_refusal(sptrsvAnalysisComputeLevels(analysis, SPTRSV_LOWER, (SptrsvOperation)2, SPTRSV_LEVELS_HOST_ROWS, level, NULL));
  expect_refusal(sptrsvAnalysisComputeLevels(analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, SPTRSV_LEVELS_HOST_ROWS, NULL, NULL));
  expect_refusal(sptrsvAnalysisComputeLevels(NULL, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, SPTRSV_LEVELS_HOST_ROWS, level, NULL));
  expect_success(sptrsvAnalysisDestroy(&analysis));
  case_end();
  case_begin("texts of the statuses");
  for (int status = SPTRSV_SUCCESS; status <= SPTRSV_WRONG_MEMORY; status++) {
    expect(strcmp(sptrsvGetErrorString((SptrsvStatus)status), sptrsvGetErrorString((SptrsvStatus)99)), "status %d has no text",
           status);
  }
  case_end();
}

int main(int argc, char **argv)
{
  (void)test_begin("levels", argc, argv);
  for (int k = 0; k < zoo_count(); k++) {
    ZooMatrix A;

    zoo_create(k, test_quick(), &A);
    test_patterns(&A, SPTRSV_HOST);
    if (sptrsvDeviceCount()) test_patterns(&A, SPTRSV_DEVICE);
    zoo_destroy(&A);
  }
  if (!sptrsvDeviceCount()) case_skip("levels computed on the GPU: there is no GPU");
  test_known_grid();
  test_refusals();
  return test_end();
}
