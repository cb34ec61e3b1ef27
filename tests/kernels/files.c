/*
   Everything that the zoo is put through, on matrices from files or of a size of their own:

     files [--quick] [--algorithm NAME] SPEC...

   SPEC is what the benchmark takes (bench/matrices/matrices.h): a MatrixMarket file, gzipped or not, or a grid such as 3d7:40x40x40.
   --quick leaves out single precision and the permutations.  --algorithm leaves the sweeps of one method, and no factorization:
   for files so large that the methods are better put through by processes of their own.
*/
#include <stdlib.h>
#include <string.h>
#include "../../bench/matrices/matrices.h"
#include "check.h"
#include "factor_check.h"
#include "sweep_check.h"
#include "zoo.h"

static void Sweeps(const ZooMatrix *A, const SptrsvAlgorithm *algorithm)
{
  const SptrsvCsr csr      = zooCsr(A);
  SptrsvAnalysis  analysis = NULL;
  int32_t        *in = randomPermutation(A->n, 51), *out = randomPermutation(A->n, 52);

  caseBegin("analysis of %s", A->name);
  if (!expectSuccess(sptrsvAnalysisCreate(&csr, algorithm->location, NULL, &analysis))) caseEnd();
  for (int k = 0; analysis && k < (testQuick() ? 4 : 8); k++) {
    SptrsvPlanOptions o = {.algorithm = algorithm->name, .location = algorithm->location};

    o.triangle = k & 1 ? SPTRSV_UPPER : SPTRSV_LOWER;
    o.op       = k & 2 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE;
    o.type     = k & 4 ? SPTRSV_FLOAT : SPTRSV_DOUBLE;
    o.diagonal = (SptrsvDiagonal)(k % 3);
    sweepCase(A, analysis, &o);
    if (testQuick()) continue;
    o.in_perm  = in;
    o.out_perm = out;
    sweepCase(A, analysis, &o);
  }
  (void)sptrsvAnalysisDestroy(&analysis);
  free(in);
  free(out);
}

static void Factor(const ZooMatrix *A, SptrsvFactorKind kind, SptrsvLocation location)
{
  const SptrsvPivoting p      = {SPTRSV_SHIFT_NONE, 0, 1e-30};
  const SptrsvCsr      csr    = zooCsr(A);
  void                *values = zooValues(A, SPTRSV_DOUBLE, false, location);
  SptrsvFactor         factor = NULL;
  SptrsvFactorResult   r      = {0};
  Target               t;

  caseBegin("%s of %s on the %s", kind == SPTRSV_ICC0 ? "ICC(0)" : "ILU(0)", A->name, location == SPTRSV_DEVICE ? "GPU" : "host");
  targetCreate(A, kind, NULL, NULL, SPTRSV_DOUBLE, &t);
  if (expectSuccess(sptrsvFactorCreate(&csr, kind, NULL, NULL, SPTRSV_DOUBLE, location, NULL, &factor))) {
    expectSuccess(sptrsvFactorNumeric(factor, values, &p, NULL, &r));
    expect(r.zero_pivot_row == -1, "row %lld has the pivot %g", (long long)r.zero_pivot_row, r.zero_pivot);
    factorJudge(factor, &t, SPTRSV_DOUBLE, location, 0);
  }
  expectSuccess(sptrsvFactorDestroy(&factor));
  caseEnd();
  targetDestroy(&t);
  placeFree(location, values);
}

/* How much work the judge of factors has: too much where rows are long, so that such files keep to sweeps */
static double Pairs(const ZooMatrix *A)
{
  double pairs = 0;

  for (int i = 0; i < A->n; i++) pairs += (double)(A->row_ptr[i + 1] - A->row_ptr[i]) * (A->row_ptr[i + 1] - A->row_ptr[i]);
  return pairs;
}

static void Factors(const ZooMatrix *A)
{
  for (int kind = SPTRSV_ILU0; kind <= SPTRSV_ICC0; kind++) {
    if (Pairs(A) > 2e8) caseSkip("factorization of %s: its rows are too long to be judged", A->name);
    else {
      Factor(A, (SptrsvFactorKind)kind, SPTRSV_HOST);
      if (sptrsvDeviceCount()) Factor(A, (SptrsvFactorKind)kind, SPTRSV_DEVICE);
      else caseSkip("factorization of %s on the GPU: there is no GPU", A->name);
    }
  }
}

/* The sweeps of all methods if only is NULL, of those of that name otherwise */
static void File(const char *spec, const char *only)
{
  const SptrsvAlgorithm *algorithm;
  CsrMatrix              read;
  ZooMatrix              A;
  char                   name[64], error[256];
  bool                   swept = false;

  matrix_name(spec, name, sizeof(name));
  if (!matrix_create(spec, false, &read, error, sizeof(error))) {
    caseBegin("%s", name);
    expect(false, "%s", error);
    caseEnd();
    return;
  }
  A = (ZooMatrix){name, (int)read.rows, (int)read.nnz, read.row_ptr, read.col_idx, read.values, true};
  if (!only) Factors(&A);
  zooRandomize(&A, 53); /* sweeps over the original triangles can grow numbers beyond all bounds */
  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    if (only && strcmp(algorithm->name, only)) continue;
    swept = true;
    if (algorithm->location == SPTRSV_HOST || sptrsvDeviceCount()) Sweeps(&A, algorithm);
    else caseSkip("%s on %s: there is no GPU", algorithm->name, name);
  }
  if (!swept) {
    caseBegin("%s by %s", name, only);
    expect(false, "there is no algorithm of that name");
    caseEnd();
  }
  csr_matrix_destroy(&read);
}

int main(int argc, char **argv)
{
  int         k    = testBegin("files", argc, argv);
  const char *only = NULL;

  if (k + 1 < argc && !strcmp(argv[k], "--algorithm")) {
    only = argv[k + 1];
    k += 2;
  }
  for (; k < argc; k++) File(argv[k], only);
  return testEnd();
}
