/*
   The tests of the zoo, on matrices from files or on grids of any size:

     files [--quick] [--analysis | --algorithm NAME] SPEC...

   SPEC is what the benchmark takes (bench/matrices/matrices.h): a MatrixMarket file, gzipped or not, or a grid such as 3d7:40x40x40.
   --quick leaves out single precision and the permutations.  --analysis tests that alone, on the GPU against the host.  --algorithm tests
   the sweeps of one method only, and no factorization: for files so large that each method gets a process of its own.
*/
#include <stdlib.h>
#include <string.h>
#include "../../bench/matrices/matrices.h"
#include "analysis_check.h"
#include "check.h"
#include "factor_check.h"
#include "sweep_check.h"
#include "zoo.h"

static void test_sweeps(const ZooMatrix *A, const SptrsvAlgorithm *algorithm)
{
  const SptrsvCsr csr      = zoo_csr(A);
  SptrsvAnalysis  analysis = NULL;
  int32_t        *in = random_permutation(A->n, 51), *out = random_permutation(A->n, 52);

  case_begin("analysis of %s", A->name);
  if (!expect_success(sptrsvAnalysisCreate(&csr, algorithm->location, NULL, &analysis))) case_end();
  for (int k = 0; analysis && k < (test_quick() ? SWEEPS_OF_PATTERN : SWEEPS_OF_DIAGONAL); k++) {
    SptrsvPlanOptions o = {.algorithm = algorithm->name, .location = algorithm->location};

    set_sweep(k, &o);
    o.diagonal = (SptrsvDiagonal)(k % 3);
    sweep_case(A, analysis, &o);
    if (test_quick()) continue;
    o.in_perm  = in;
    o.out_perm = out;
    sweep_case(A, analysis, &o);
  }
  (void)sptrsvAnalysisDestroy(&analysis);
  free(in);
  free(out);
}

static void test_factor(const ZooMatrix *A, SptrsvFactorKind kind, SptrsvLocation location)
{
  const SptrsvCsr csr    = zoo_csr(A);
  void           *values = zoo_values(A, SPTRSV_DOUBLE, false, location);
  SptrsvFactor    factor = NULL;
  Target          t;

  case_begin("%s of %s on the %s", kind == SPTRSV_ICC0 ? "ICC(0)" : "ILU(0)", A->name, location == SPTRSV_DEVICE ? "GPU" : "host");
  target_create(A, kind, NULL, NULL, SPTRSV_DOUBLE, &t);
  if (expect_success(sptrsvFactorCreate(&csr, kind, NULL, NULL, NULL, SPTRSV_DOUBLE, location, NULL, &factor)))
    factor_test(factor, &t, values, SPTRSV_DOUBLE, location);
  expect_success(sptrsvFactorDestroy(&factor));
  case_end();
  target_destroy(&t);
  place_free(location, values);
}

/* Work of factor_judge(): too much where rows are long, so that only the sweeps of such files are tested */
static double count_pairs(const ZooMatrix *A)
{
  double pairs = 0;

  for (int i = 0; i < A->n; i++) pairs += (double)(A->row_ptr[i + 1] - A->row_ptr[i]) * (A->row_ptr[i + 1] - A->row_ptr[i]);
  return pairs;
}

static void test_factors(const ZooMatrix *A)
{
  for (int kind = SPTRSV_ILU0; kind <= SPTRSV_ICC0; kind++) {
    if (count_pairs(A) > 2e8) case_skip("factorization of %s: its rows are too long to be judged", A->name);
    else {
      test_factor(A, (SptrsvFactorKind)kind, SPTRSV_HOST);
      if (sptrsvDeviceCount()) test_factor(A, (SptrsvFactorKind)kind, SPTRSV_DEVICE);
      else case_skip("factorization of %s on the GPU: there is no GPU", A->name);
    }
  }
}

static void test_analysis(const ZooMatrix *A)
{
#if defined(SPTRSV_HAVE_CUDA)
  if (sptrsvDeviceCount()) {
    case_begin("analysis of %s on the GPU and on the host", A->name);
    compare_analyses(A);
    case_end();
    return;
  }
#endif
  case_skip("analysis of %s on the GPU: there is no GPU", A->name);
}

/* only: the method whose sweeps are tested; NULL: all */
static void test_sweeps_and_factors(ZooMatrix *A, const char *only)
{
  const SptrsvAlgorithm *algorithm;
  bool                   swept = false;

  if (!only) test_factors(A);
  zoo_randomize(A, 53); /* a sweep over the original triangles may overflow */
  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    if (only && strcmp(algorithm->name, only)) continue;
    swept = true;
    if (algorithm->location == SPTRSV_HOST || sptrsvDeviceCount()) test_sweeps(A, algorithm);
    else case_skip("%s on %s: there is no GPU", algorithm->name, A->name);
  }
  if (!swept) {
    case_begin("%s by %s", A->name, only);
    expect(false, "there is no algorithm of that name");
    case_end();
  }
}

static void test_file(const char *spec, bool analysis, const char *only)
{
  CsrMatrix read;
  ZooMatrix A;
  char      name[64], error[256];

  matrix_name(spec, name, sizeof(name));
  if (!matrix_create(spec, false, &read, error, sizeof(error))) {
    case_begin("%s", name);
    expect(false, "%s", error);
    case_end();
    return;
  }
  A = (ZooMatrix){name, (int)read.rows, (int)read.nnz, read.row_ptr, read.col_idx, read.values, true};
  if (!only) test_analysis(&A);
  if (!analysis) test_sweeps_and_factors(&A, only);
  csr_matrix_destroy(&read);
}

int main(int argc, char **argv)
{
  int         k        = test_begin("files", argc, argv);
  const bool  analysis = k < argc && !strcmp(argv[k], "--analysis");
  const char *only     = NULL;

  k += analysis;
  if (k + 1 < argc && !strcmp(argv[k], "--algorithm")) {
    only = argv[k + 1];
    k += 2;
  }
  for (; k < argc; k++) test_file(argv[k], analysis, only);
  return test_end();
}
