/* Patterns, sizes and numbers that sptrsv.h must refuse or get right.  arguments.c has other arguments; cases that concern one function
   only are in levels.c, sweeps.c, factor.c and pivots.c. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "failing.h"
#include "sweep_batch.h"
#include "sweep_check.h"
#include "zoo.h"

/* ---------------------------------------------------------- patterns ---------------------------------------------------------- */

enum { GOOD = SPTRSV_SUCCESS, BAD = SPTRSV_INVALID_ARGUMENT, UNSORTED = SPTRSV_UNSORTED, MISSING = SPTRSV_MISSING_DIAGONAL };
enum { LARGE = SPTRSV_TOO_LARGE };
#define WIDE (INT64_C(1) << 32)

/* With the status of an analysis, ILU(0) and ICC(0), and the row in which ILU(0) and ICC(0) miss a diagonal entry */
static const struct {
  const char *what;
  int64_t     rows, nnz, row_ptr[4], col_idx[5];
  int         analysis, ilu, icc, missing;
} bad_patterns[] = {
  {"no rows",                           0, 0, {0},              {0},                GOOD,     GOOD,     GOOD,     -1},
  {"an entry in no rows",               0, 1, {0},              {0},                BAD,      BAD,      BAD,      -1},
  {"one row",                           1, 1, {0, 1},           {0},                GOOD,     GOOD,     GOOD,     -1},
  {"one row without entries",           1, 0, {0, 0},           {0},                GOOD,     MISSING,  MISSING,  0 },
  {"one row, a column too far",         1, 1, {0, 1},           {1},                BAD,      BAD,      BAD,      -1},
  {"a diagonal",                        3, 3, {0, 1, 2, 3},     {0, 1, 2},          GOOD,     GOOD,     GOOD,     -1},
  {"no entries",                        3, 0, {0, 0, 0, 0},     {0},                GOOD,     MISSING,  MISSING,  0 },
  {"the first row empty",               3, 3, {0, 0, 1, 3},     {1, 0, 2},          GOOD,     MISSING,  MISSING,  0 },
  {"the middle row empty",              3, 3, {0, 2, 2, 3},     {0, 1, 2},          GOOD,     MISSING,  MISSING,  1 },
  {"the last row empty",                3, 3, {0, 2, 3, 3},     {0, 2, 1},          GOOD,     MISSING,  MISSING,  2 },
  {"no first diagonal entry",           3, 4, {0, 1, 2, 4},     {1, 1, 0, 2},       GOOD,     MISSING,  MISSING,  0 },
  {"no middle diagonal entry",          3, 4, {0, 1, 3, 4},     {0, 0, 2, 2},       GOOD,     MISSING,  MISSING,  1 },
  {"no last diagonal entry",            3, 4, {0, 2, 3, 4},     {0, 2, 1, 0},       GOOD,     MISSING,  MISSING,  2 },
  {"the first row unsorted",            3, 4, {0, 2, 3, 4},     {2, 0, 1, 2},       UNSORTED, GOOD,     GOOD,     -1},
  {"the last row unsorted",             3, 5, {0, 1, 2, 5},     {0, 1, 2, 0, 1},    UNSORTED, GOOD,     GOOD,     -1},
  {"the first entry twice",             3, 4, {0, 2, 3, 4},     {0, 0, 1, 2},       UNSORTED, UNSORTED, UNSORTED, -1},
  {"the last entry twice",              3, 4, {0, 1, 2, 4},     {0, 1, 2, 2},       UNSORTED, UNSORTED, UNSORTED, -1},
  {"an entry twice, others between",    3, 5, {0, 3, 4, 5},     {2, 0, 2, 1, 2},    UNSORTED, UNSORTED, UNSORTED, -1},
  {"an entry below the diagonal twice", 3, 5, {0, 1, 2, 5},     {0, 1, 0, 0, 2},    UNSORTED, UNSORTED, GOOD,     -1}, /* ICC: not read */
  {"a first column of -1",              3, 4, {0, 2, 3, 4},     {-1, 0, 1, 2},      BAD,      BAD,      BAD,      -1},
  {"a last column too far",             3, 4, {0, 1, 2, 4},     {0, 1, 2, 3},       BAD,      BAD,      BAD,      -1},
  {"a column of 2^31 - 1",              3, 4, {0, 1, 2, 4},     {0, 1, 2, INT_MAX}, BAD,      BAD,      BAD,      -1},
  {"a column of -2^31",                 3, 4, {0, 1, 2, 4},     {0, 1, INT_MIN, 2}, BAD,      BAD,      BAD,      -1},
  {"a first row pointer of 1",          3, 3, {1, 1, 2, 3},     {0, 1, 2},          BAD,      BAD,      BAD,      -1},
  {"a first row pointer of -1",         3, 3, {-1, 1, 2, 3},    {0, 1, 2},          BAD,      BAD,      BAD,      -1},
  {"a negative row pointer inside",     3, 3, {0, -1, 2, 3},    {0, 1, 2},          BAD,      BAD,      BAD,      -1},
  {"row pointers that fall and rise",   3, 3, {0, 2, 1, 3},     {0, 1, 2},          BAD,      BAD,      BAD,      -1},
  {"a row pointer beyond the last",     3, 3, {0, 4, 4, 3},     {0, 1, 2},          BAD,      BAD,      BAD,      -1},
  {"a row pointer of 2^31 - 1",         3, 3, {0, 1, INT_MAX, 3}, {0, 1, 2},        BAD,      BAD,      BAD,      -1},
  {"a last row pointer too low",        3, 3, {0, 1, 2, 2},     {0, 1, 2},          BAD,      BAD,      BAD,      -1},
  {"a last row pointer too high",       3, 3, {0, 1, 2, 4},     {0, 1, 2},          BAD,      BAD,      BAD,      -1},
  {"a last row pointer of -3",          3, 3, {0, 1, 2, -3},    {0, 1, 2},          BAD,      BAD,      BAD,      -1},
  {"a first row pointer of 2^32",       3, 3, {WIDE, 1, 2, 3},  {0, 1, 2},          LARGE,    LARGE,    LARGE,    -1},
  {"a row pointer of 2^32 + 1",         3, 3, {0, WIDE + 1, 2, 3}, {0, 1, 2},       LARGE,    LARGE,    LARGE,    -1},
  {"a row pointer of 1 - 2^32",         3, 3, {0, 1 - WIDE, 2, 3}, {0, 1, 2},       BAD,      BAD,      BAD,      -1},
  {"a last row pointer of 2^32 + 3",    3, 3, {0, 1, 2, WIDE + 3}, {0, 1, 2},       LARGE,    LARGE,    LARGE,    -1},
  {"a last column of 2^32 + 2",         3, 3, {0, 1, 2, 3},     {0, 1, WIDE + 2},   LARGE,    LARGE,    LARGE,    -1},
  {"a last column of 2 - 2^32",         3, 3, {0, 1, 2, 3},     {0, 1, 2 - WIDE},   BAD,      BAD,      BAD,      -1}
};

static bool fits_32_bits(int k)
{
  bool fits = true;

  for (int i = 0; i <= bad_patterns[k].rows; i++) fits = fits && bad_patterns[k].row_ptr[i] == (int32_t)bad_patterns[k].row_ptr[i];
  for (int e = 0; e < bad_patterns[k].nnz; e++) fits = fits && bad_patterns[k].col_idx[e] == (int32_t)bad_patterns[k].col_idx[e];
  return fits;
}

/* In memory that ends with the last index, so that a sanitizer sees what is read past it; in either width */
static void *create_indices(const int64_t *indices, int64_t count, SptrsvIndexType type, SptrsvLocation location)
{
  const size_t bytes  = (size_t)count * (type == SPTRSV_INT64 ? sizeof(int64_t) : sizeof(int32_t));
  int32_t     *narrow = place_new(SPTRSV_HOST, (size_t)count * sizeof(*narrow), NULL);
  void        *placed;

  for (int64_t k = 0; k < count; k++) narrow[k] = (int32_t)indices[k];
  placed = place_new(location, bytes, type == SPTRSV_INT64 ? (const void *)indices : narrow);
  free(narrow);
  return placed;
}

static void test_pattern(int k, SptrsvIndexType type, SptrsvLocation location)
{
  void           *row_ptr  = create_indices(bad_patterns[k].row_ptr, bad_patterns[k].rows + 1, type, location);
  void           *col_idx  = create_indices(bad_patterns[k].col_idx, bad_patterns[k].nnz, type, location);
  const SptrsvCsr csr      = {bad_patterns[k].rows, bad_patterns[k].nnz, row_ptr, col_idx, type, location};
  const int       kinds[]  = {bad_patterns[k].ilu, bad_patterns[k].icc};
  SptrsvAnalysis  analysis = NULL;

  case_begin("%s, %d-bit indices in %s memory", bad_patterns[k].what, type == SPTRSV_INT64 ? 64 : 32,
             location == SPTRSV_DEVICE ? "device" : "host");
  expect_status(sptrsvAnalysisCreate(&csr, location, NULL, &analysis), (SptrsvStatus)bad_patterns[k].analysis, "sptrsvAnalysisCreate");
  expect(!analysis == (bad_patterns[k].analysis != GOOD), "status and analysis do not agree");
  expect_success(sptrsvAnalysisDestroy(&analysis));
  for (int kind = 0; location == SPTRSV_HOST && kind < 2; kind++) {
    SptrsvFactor factor  = NULL;
    int64_t      missing = -1;

    expect_status(sptrsvFactorCreate(&csr, (SptrsvFactorKind)kind, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, &missing, &factor),
                  (SptrsvStatus)kinds[kind], kind == SPTRSV_ILU0 ? "ILU(0)" : "ICC(0)");
    expect(missing == bad_patterns[k].missing, "row %lld is said to miss its diagonal", (long long)missing);
    expect(!factor == (kinds[kind] != GOOD), "status and factor do not agree");
    expect_success(sptrsvFactorDestroy(&factor));
  }
  case_end();
  place_free(location, row_ptr);
  place_free(location, col_idx);
}

/* What is wrong in several rows of a large pattern, which the GPU checks */
enum { SOUND, FALLING, NEGATIVE, TOO_FAR, TWICE, SWAPPED, NO_DIAGONAL };
static const struct {
  const char *what;
  int         analysis, ilu, missing;
} large_patterns[] = {
  [SOUND]       = {"nothing",           GOOD,     GOOD,     -1},
  [FALLING]     = {"falling pointers",  BAD,      BAD,      -1},
  [NEGATIVE]    = {"negative columns",  BAD,      BAD,      -1},
  [TOO_FAR]     = {"columns too far",   BAD,      BAD,      -1},
  [TWICE]       = {"entries twice",     UNSORTED, UNSORTED, -1},
  [SWAPPED]     = {"swapped entries",   UNSORTED, GOOD,     -1},
  [NO_DIAGONAL] = {"missing diagonals", GOOD,     MISSING,  7 }
};

/* A tridiagonal pattern, but for its middle row, which has up to MORE entries left of the diagonal.  SWAPPED: in that row, entries a
   warp's width from the first */
enum { MORE = 150 }; /* than two warps */
static void create_large(int fault, int n, int32_t *row_ptr, int32_t *col_idx)
{
  const int middle = n / 2, warp = sptrsvWarpSize();

  row_ptr[0] = 0;
  for (int i = 0; i < n; i++) {
    const int first = i - (i == middle ? MORE : 1);

    row_ptr[i + 1] = row_ptr[i];
    for (int j = first > 0 ? first : 0; j <= i + 1 && j < n; j++) col_idx[row_ptr[i + 1]++] = j;
  }
  if (fault == SWAPPED && row_ptr[middle + 1] - row_ptr[middle] > warp) {
    int32_t *const row = col_idx + row_ptr[middle] + warp, left = row[-1];

    row[-1] = row[0];
    row[0]  = left;
  }
  for (int i = 7; i + 2 < n; i += n / 5 + 1) { /* rows of several warps */
    int32_t *row = col_idx + row_ptr[i];

    if (fault == FALLING) row_ptr[i] = row_ptr[i + 1] + 1;
    if (fault == NEGATIVE) row[0] = -1;
    if (fault == TOO_FAR) row[2] = n;
    if (fault == TWICE) row[0] = i;
    if (fault == NO_DIAGONAL) row[1] = i + 1, row[2] = i + 2;
  }
}

static void test_large_pattern(int fault, SptrsvLocation indices)
{
  const int      n        = test_rows() < 2 * MORE ? 2 * MORE : test_rows() < 30000 ? test_rows() : 30000; /* the middle row is long */
  int32_t       *row_ptr  = place_new(SPTRSV_HOST, (size_t)(n + 1) * sizeof(*row_ptr), NULL);
  int32_t       *col_idx  = place_new(SPTRSV_HOST, ((size_t)3 * n + MORE) * sizeof(*col_idx), NULL);
  SptrsvCsr      csr      = {n, 0, row_ptr, col_idx, SPTRSV_INT32, indices};
  SptrsvAnalysis analysis = NULL;
  SptrsvFactor   factor   = NULL;
  int64_t        missing  = -1;

  create_large(fault, n, row_ptr, col_idx);
  csr.nnz = row_ptr[n];
  if (indices == SPTRSV_DEVICE) {
    csr.row_ptr = place_new(SPTRSV_DEVICE, (size_t)(n + 1) * sizeof(*row_ptr), row_ptr);
    csr.col_idx = place_new(SPTRSV_DEVICE, (size_t)csr.nnz * sizeof(*col_idx), col_idx);
  }
  case_begin("%s in several of %d rows, from %s memory", large_patterns[fault].what, n, indices == SPTRSV_DEVICE ? "device" : "host");
  expect_status(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &analysis), (SptrsvStatus)large_patterns[fault].analysis,
                "sptrsvAnalysisCreate");
  expect(!analysis == (large_patterns[fault].analysis != GOOD), "status and analysis do not agree");
  expect_success(sptrsvAnalysisDestroy(&analysis));
  expect_status(sptrsvFactorCreate(&csr, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_DEVICE, &missing, &factor),
                (SptrsvStatus)large_patterns[fault].ilu, "ILU(0)");
  expect(missing == large_patterns[fault].missing, "row %lld is said to miss its diagonal", (long long)missing);
  expect_success(sptrsvFactorDestroy(&factor));
  case_end();
  if (indices == SPTRSV_DEVICE) {
    place_free(SPTRSV_DEVICE, (void *)csr.row_ptr);
    place_free(SPTRSV_DEVICE, (void *)csr.col_idx);
  }
  free(row_ptr);
  free(col_idx);
}

/* ----------------------------------------------------------- sizes ------------------------------------------------------------ */

/* Refused by its sizes alone: the address is no memory, and the library allocates none */
#define NOWHERE ((const void *)16)

static void claim_sizes(int64_t rows, int64_t nnz, SptrsvStatus expected)
{
  SptrsvCsr      csr      = {rows, nnz, NOWHERE, NOWHERE, SPTRSV_INT64, SPTRSV_HOST};
  SptrsvAnalysis analysis = NULL;
  SptrsvFactor   factor   = NULL;

  case_begin("%lld rows and %lld entries", (long long)rows, (long long)nnz);
  for (int k = 0; k < 4; k++) {
    csr.index_type = k & 1 ? SPTRSV_INT64 : SPTRSV_INT32;
    csr.location   = k & 2 && expected == SPTRSV_TOO_LARGE ? SPTRSV_DEVICE : SPTRSV_HOST;
    failing_arm(1, true);
    expect_status(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis), expected, "sptrsvAnalysisCreate");
    expect(failing_struck() == (expected == SPTRSV_OUT_OF_MEMORY), "it asked for memory");
    csr.location = SPTRSV_HOST;
    failing_arm(1, true);
    expect_status(sptrsvFactorCreate(&csr, (SptrsvFactorKind)(k & 1), k & 2 ? NOWHERE : NULL, k & 2 ? NOWHERE : NULL, NULL, SPTRSV_DOUBLE,
                                     SPTRSV_HOST, NULL, &factor),
                  expected, "sptrsvFactorCreate");
    expect(failing_struck() == (expected == SPTRSV_OUT_OF_MEMORY), "it asked for memory");
    failing_arm(0, false);
  }
  expect(!analysis && !factor, "there is a handle");
  case_end();
}

/* Columns beyond the last row pointer are not read */
static void test_exaggeration(void)
{
  static const int32_t row_ptr[] = {0, 1, 2};
  const SptrsvCsr      csr       = {2, 1 << 20, row_ptr, NOWHERE, SPTRSV_INT32, SPTRSV_HOST};
  SptrsvAnalysis       analysis  = NULL;
  SptrsvFactor         factor    = NULL;

  case_begin("2^20 columns claimed where there are 2");
  expect_refusal(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis));
  expect_refusal(sptrsvFactorCreate(&csr, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &factor));
  case_end();
}

static void test_sizes(void)
{
  const int64_t limit = (INT64_C(1) << 31) - (1 << 25), large[] = {limit, INT_MAX, INT64_C(1) << 31, INT64_C(1) << 40, INT64_MAX};

  for (int k = 0; k < 5; k++) {
    claim_sizes(large[k], 3, SPTRSV_TOO_LARGE);
    claim_sizes(3, large[k], SPTRSV_TOO_LARGE);
    claim_sizes(large[k], large[k], SPTRSV_TOO_LARGE);
  }
  claim_sizes(limit - 1, limit - 1, SPTRSV_OUT_OF_MEMORY); /* a valid size, but too large for the memory */
  test_exaggeration();
}

/* ---------------------------------------------------------- numbers ----------------------------------------------------------- */

static void test_numbers(const SptrsvAlgorithm *algorithm)
{
  static const int zoo[] = {1, 11, 2, 17}; /* one, dense-middle, two, unsymmetric */

  for (int k = 0; k < (test_quick() ? 2 : 4); k++) {
    ZooMatrix      A;
    SptrsvCsr      csr;
    SptrsvAnalysis analysis = NULL;
    int32_t       *in, *out;

    zoo_create(zoo[k], true, &A);
    csr = zoo_csr(&A);
    in  = random_permutation(A.n, 21);
    out = random_permutation(A.n, 22);
    if (expect_success(sptrsvAnalysisCreate(&csr, algorithm->location, NULL, &analysis))) {
      for (int s = 0; s < ALL_SWEEPS; s += test_quick() ? 5 : 1) {
        SptrsvPlanOptions o = {.algorithm = algorithm->name, .location = algorithm->location};

        set_sweep(s, &o);
        o.in_perm  = s % 3 == 1 ? in : NULL;
        o.out_perm = s % 3 == 2 ? out : NULL;
        /* cuSPARSE gets the reciprocals, some of them subnormal, which it does not divide by */
        if (o.diagonal == SPTRSV_DIAG_INVERTED && !strcmp(o.algorithm, "cusparse")) continue;
        sweep_numbers_case(&A, analysis, &o);
      }
    }
    expect_success(sptrsvAnalysisDestroy(&analysis));
    free(in);
    free(out);
    zoo_destroy(&A);
  }
}

int main(int argc, char **argv)
{
  const SptrsvAlgorithm *algorithm;
  const bool             device = sptrsvDeviceCount() > 0;

  (void)test_begin("badinput", argc, argv);
  for (int k = 0; k < (int)(sizeof(bad_patterns) / sizeof(*bad_patterns)); k++) {
    for (int where = 0; where <= device; where++) {
      if (fits_32_bits(k)) test_pattern(k, SPTRSV_INT32, where ? SPTRSV_DEVICE : SPTRSV_HOST);
      test_pattern(k, SPTRSV_INT64, where ? SPTRSV_DEVICE : SPTRSV_HOST);
    }
  }
  for (int fault = 0; fault <= (device ? (int)NO_DIAGONAL : -1); fault++) {
    test_large_pattern(fault, SPTRSV_HOST);
    test_large_pattern(fault, SPTRSV_DEVICE);
  }
  if (!device) case_skip("bad patterns in device memory: there is no GPU");
  test_sizes();
  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    if (algorithm->location == SPTRSV_DEVICE && !device) {
      case_skip("%s, numbers: there is no GPU", algorithm->name);
      continue;
    }
    test_numbers(algorithm);
  }
  batch_forget();
  return test_end();
}
