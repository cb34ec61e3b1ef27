/* pivot_case.c - Matrices whose pivots are spoiled, and factors of them, for pivots.c and reuse.c. */
#include "pivot_case.h"
#include <math.h>
#include <stdio.h>

int find_diagonal(const ZooMatrix *A, int i)
{
  int e = A->row_ptr[i];

  while (A->col_idx[e] != i) e++;
  return e;
}

void keep_values(ZooMatrix *A)
{
  (void)A;
}

void zero_diagonal(ZooMatrix *A) /* every third entry */
{
  for (int i = 0; i < A->n; i += 3) A->values[find_diagonal(A, i)] = 0;
}

void put_nan_inside(ZooMatrix *A)
{
  A->values[find_diagonal(A, A->n / 2)] = NAN;
}

PivotCase pivot_case(int k)
{
  static const char *const shifts[] = {"none", "nonzero", "positive definite", "in blocks"};
  const bool               narrow   = k & 2;
  PivotCase                p        = {k & 1 ? SPTRSV_ICC0 : SPTRSV_ILU0, narrow ? SPTRSV_FLOAT : SPTRSV_DOUBLE,
                                       {(SptrsvShift)(k / 4), 1e-3, narrow ? 1e-5 : 1e-7}, ""};

  (void)snprintf(p.name, sizeof(p.name), "%s, %s, shift %s,", k & 1 ? "ICC(0)" : "ILU(0)", narrow ? "float" : "double", shifts[k / 4]);
  return p;
}

static SptrsvFactorAlgorithm factor_algorithm = SPTRSV_FACTOR_AUTO;

const char *location_name(SptrsvLocation location)
{
  if (location == SPTRSV_HOST) return "host";
  return factor_algorithm == SPTRSV_FACTOR_ATA ? "GPU by tasks" : "GPU";
}

SptrsvFactor create_factor(const ZooMatrix *A, SptrsvFactorKind kind, const SptrsvFill *fill, SptrsvValueType type,
                           SptrsvLocation location)
{
  const SptrsvCsr csr    = zoo_csr(A);
  SptrsvFactor    factor = NULL;

  if (expect_success(sptrsvFactorCreate(&csr, kind, NULL, NULL, fill, type, location, NULL, &factor)))
    expect_success(sptrsvFactorTune(factor, &(SptrsvTuning){.factor.algorithm = factor_algorithm}));
  return factor;
}

/* values: in the factor's memory, freed here */
SptrsvFactorResult factor_values(SptrsvFactor factor, void *values, SptrsvLocation location, const SptrsvPivoting *pivoting)
{
  SptrsvFactorResult r = {.zero_pivot_row = -99};

  if (factor) expect_success(sptrsvFactorNumeric(factor, values, pivoting, NULL, &r));
  place_free(location, values);
  return r;
}

SptrsvFactorResult factor_matrix(const ZooMatrix *A, SptrsvFactorKind kind, const SptrsvFill *fill, SptrsvValueType type,
                                 SptrsvLocation location, const SptrsvPivoting *pivoting, SptrsvFactor *factor)
{
  *factor = create_factor(A, kind, fill, type, location);
  return factor_values(*factor, zoo_values(A, type, false, location), location, pivoting);
}

/* The factor's values on the host; malloc'ed */
void *copy_factor(SptrsvFactor factor, SptrsvValueType type, SptrsvLocation location, int64_t *nnz)
{
  const void    *values = NULL;
  const int32_t *row_ptr, *col_idx;
  int64_t        rows;
  void          *copy;

  *nnz = 0;
  expect_success(sptrsvFactorGetPattern(factor, &rows, nnz, &row_ptr, &col_idx));
  expect_success(sptrsvFactorGetValues(factor, &values));
  copy = place_new(SPTRSV_HOST, (size_t)*nnz * value_size(type), NULL);
  place_get(location, copy, values, (size_t)*nnz * value_size(type));
  return copy;
}

int pivot_main(const char *program, int argc, char **argv, void (*test)(SptrsvLocation))
{
  (void)test_begin(program, argc, argv);
  test(SPTRSV_HOST);
  if (sptrsvDeviceCount()) {
    test(SPTRSV_DEVICE);
    factor_algorithm = SPTRSV_FACTOR_ATA;
    test(SPTRSV_DEVICE);
  } else case_skip("%s on the GPU: there is no GPU", program);
  return test_end();
}
