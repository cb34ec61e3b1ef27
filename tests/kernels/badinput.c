/* Patterns, sizes and numbers that sptrsv.h must refuse or get right.  arguments.c has the rest; levels.c, sweeps.c, factor.c and pivots.c
   have more of it where it belongs to one function alone. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "failing.h"
#include "sweep_check.h"
#include "zoo.h"

/* ---------------------------------------------------------- patterns ---------------------------------------------------------- */

enum { GOOD = SPTRSV_SUCCESS, BAD = SPTRSV_INVALID_ARGUMENT, UNSORTED = SPTRSV_UNSORTED, MISSING = SPTRSV_MISSING_DIAGONAL };
enum { LARGE = SPTRSV_TOO_LARGE };
#define WIDE (INT64_C(1) << 32)

/* What an analysis, ILU(0) and ICC(0) say of it; the row that ILU(0) and ICC(0) miss a diagonal in */
static const struct {
  const char *what;
  int64_t     rows, nnz, row_ptr[4], col_idx[5];
  int         analysis, ilu, icc, missing;
} Patterns[] = {
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
  {"an entry below the diagonal twice", 3, 5, {0, 1, 2, 5},     {0, 1, 0, 0, 2},    UNSORTED, UNSORTED, GOOD,     -1}, /* as promised */
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

static bool Fits(int k)
{
  bool fits = true;

  for (int i = 0; i <= Patterns[k].rows; i++) fits = fits && Patterns[k].row_ptr[i] == (int32_t)Patterns[k].row_ptr[i];
  for (int e = 0; e < Patterns[k].nnz; e++) fits = fits && Patterns[k].col_idx[e] == (int32_t)Patterns[k].col_idx[e];
  return fits;
}

/* In memory of its own, with nothing behind the last, and in either width */
static void *Indices(const int64_t *indices, int64_t count, SptrsvIndexType type, SptrsvLocation location)
{
  const size_t bytes  = (size_t)count * (type == SPTRSV_INT64 ? sizeof(int64_t) : sizeof(int32_t));
  int32_t     *narrow = placeNew(SPTRSV_HOST, (size_t)count * sizeof(*narrow), NULL);
  void        *placed;

  for (int64_t k = 0; k < count; k++) narrow[k] = (int32_t)indices[k];
  placed = placeNew(location, bytes, type == SPTRSV_INT64 ? (const void *)indices : narrow);
  free(narrow);
  return placed;
}

static void Pattern(int k, SptrsvIndexType type, SptrsvLocation location)
{
  void           *row_ptr  = Indices(Patterns[k].row_ptr, Patterns[k].rows + 1, type, location);
  void           *col_idx  = Indices(Patterns[k].col_idx, Patterns[k].nnz, type, location);
  const SptrsvCsr csr      = {Patterns[k].rows, Patterns[k].nnz, row_ptr, col_idx, type, location};
  const int       kinds[]  = {Patterns[k].ilu, Patterns[k].icc};
  SptrsvAnalysis  analysis = NULL;

  caseBegin("%s, %d-bit indices in %s memory", Patterns[k].what, type == SPTRSV_INT64 ? 64 : 32,
            location == SPTRSV_DEVICE ? "device" : "host");
  expectStatus(sptrsvAnalysisCreate(&csr, location, NULL, &analysis), (SptrsvStatus)Patterns[k].analysis, "sptrsvAnalysisCreate");
  expect(!analysis == (Patterns[k].analysis != GOOD), "status and analysis do not agree");
  expectSuccess(sptrsvAnalysisDestroy(&analysis));
  for (int kind = 0; location == SPTRSV_HOST && kind < 2; kind++) {
    SptrsvFactor factor  = NULL;
    int64_t      missing = -1;

    expectStatus(sptrsvFactorCreate(&csr, (SptrsvFactorKind)kind, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, &missing, &factor),
                 (SptrsvStatus)kinds[kind], kind == SPTRSV_ILU0 ? "ILU(0)" : "ICC(0)");
    expect(missing == Patterns[k].missing, "row %lld is said to miss its diagonal", (long long)missing);
    expect(!factor == (kinds[kind] != GOOD), "status and factor do not agree");
    expectSuccess(sptrsvFactorDestroy(&factor));
  }
  caseEnd();
  placeFree(location, row_ptr);
  placeFree(location, col_idx);
}

/* ----------------------------------------------------------- sizes ------------------------------------------------------------ */

/* Refused by its sizes alone: nobody has memory at this address, and none is asked for */
#define NOWHERE ((const void *)16)

static void Claim(int64_t rows, int64_t nnz, SptrsvStatus expected)
{
  SptrsvCsr      csr      = {rows, nnz, NOWHERE, NOWHERE, SPTRSV_INT64, SPTRSV_HOST};
  SptrsvAnalysis analysis = NULL;
  SptrsvFactor   factor   = NULL;

  caseBegin("%lld rows and %lld entries", (long long)rows, (long long)nnz);
  for (int k = 0; k < 4; k++) {
    csr.index_type = k & 1 ? SPTRSV_INT64 : SPTRSV_INT32;
    csr.location   = k & 2 && expected == SPTRSV_TOO_LARGE ? SPTRSV_DEVICE : SPTRSV_HOST;
    failingArm(1, true);
    expectStatus(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis), expected, "sptrsvAnalysisCreate");
    expect(failingStruck() == (expected == SPTRSV_OUT_OF_MEMORY), "it asked for memory");
    csr.location = SPTRSV_HOST;
    failingArm(1, true);
    expectStatus(sptrsvFactorCreate(&csr, (SptrsvFactorKind)(k & 1), k & 2 ? NOWHERE : NULL, k & 2 ? NOWHERE : NULL, SPTRSV_DOUBLE,
                                    SPTRSV_HOST, NULL, &factor),
                 expected, "sptrsvFactorCreate");
    expect(failingStruck() == (expected == SPTRSV_OUT_OF_MEMORY), "it asked for memory");
    failingArm(0, false);
  }
  expect(!analysis && !factor, "there is a handle");
  caseEnd();
}

/* More columns than the row pointers speak of are not read */
static void Exaggeration(void)
{
  static const int32_t row_ptr[] = {0, 1, 2};
  const SptrsvCsr      csr       = {2, 1 << 20, row_ptr, NOWHERE, SPTRSV_INT32, SPTRSV_HOST};
  SptrsvAnalysis       analysis  = NULL;
  SptrsvFactor         factor    = NULL;

  caseBegin("2^20 columns claimed where there are 2");
  expectRefusal(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis));
  expectRefusal(sptrsvFactorCreate(&csr, SPTRSV_ILU0, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &factor));
  caseEnd();
}

static void Sizes(void)
{
  const int64_t limit = (INT64_C(1) << 31) - (1 << 25), large[] = {limit, INT_MAX, INT64_C(1) << 31, INT64_C(1) << 40, INT64_MAX};

  for (int k = 0; k < 5; k++) {
    Claim(large[k], 3, SPTRSV_TOO_LARGE);
    Claim(3, large[k], SPTRSV_TOO_LARGE);
    Claim(large[k], large[k], SPTRSV_TOO_LARGE);
  }
  Claim(limit - 1, limit - 1, SPTRSV_OUT_OF_MEMORY); /* not too large, but there is no memory for it */
  Exaggeration();
}

/* ---------------------------------------------------------- numbers ----------------------------------------------------------- */

static void Numbers(const SptrsvAlgorithm *algorithm)
{
  static const int zoo[] = {1, 11, 2, 17}; /* one, dense-middle, two, unsymmetric */

  for (int k = 0; k < (testQuick() ? 2 : 4); k++) {
    ZooMatrix      A;
    SptrsvCsr      csr;
    SptrsvAnalysis analysis = NULL;
    int32_t       *in, *out;

    zooCreate(zoo[k], true, &A);
    csr = zooCsr(&A);
    in  = randomPermutation(A.n, 21);
    out = randomPermutation(A.n, 22);
    if (expectSuccess(sptrsvAnalysisCreate(&csr, algorithm->location, NULL, &analysis))) {
      for (int s = 0; s < 24; s += testQuick() ? 5 : 1) {
        SptrsvPlanOptions o = {.algorithm = algorithm->name, .location = algorithm->location};

        o.triangle = s & 1 ? SPTRSV_UPPER : SPTRSV_LOWER;
        o.op       = s & 2 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE;
        o.type     = s & 4 ? SPTRSV_FLOAT : SPTRSV_DOUBLE;
        o.diagonal = (SptrsvDiagonal)(s / 8);
        o.in_perm  = s % 3 == 1 ? in : NULL;
        o.out_perm = s % 3 == 2 ? out : NULL;
        /* cuSPARSE gets the reciprocals, some of them subnormal, which it does not divide by */
        if (o.diagonal == SPTRSV_DIAG_INVERTED && !strcmp(o.algorithm, "cusparse")) continue;
        sweepNumbersCase(&A, analysis, &o);
      }
    }
    expectSuccess(sptrsvAnalysisDestroy(&analysis));
    free(in);
    free(out);
    zooDestroy(&A);
  }
}

int main(int argc, char **argv)
{
  const SptrsvAlgorithm *algorithm;
  const bool             device = sptrsvDeviceCount() > 0;

  (void)testBegin("badinput", argc, argv);
  for (int k = 0; k < (int)(sizeof(Patterns) / sizeof(*Patterns)); k++) {
    for (int where = 0; where <= device; where++) {
      if (Fits(k)) Pattern(k, SPTRSV_INT32, where ? SPTRSV_DEVICE : SPTRSV_HOST);
      Pattern(k, SPTRSV_INT64, where ? SPTRSV_DEVICE : SPTRSV_HOST);
    }
  }
  if (!device) caseSkip("bad patterns in device memory: there is no GPU");
  Sizes();
  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    if (algorithm->location == SPTRSV_DEVICE && !device) {
      caseSkip("%s, numbers: there is no GPU", algorithm->name);
      continue;
    }
    Numbers(algorithm);
  }
  return testEnd();
}
