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
  static const double      zero[]   = {[SPTRSV_FLOAT] = 1e-5, [SPTRSV_DOUBLE] = 1e-7};
  const SptrsvValueType    type     = value_type(k / 2);
  const int                shift    = k / (2 * VALUE_TYPES);
  PivotCase                p = {k % 2 ? SPTRSV_ICC0 : SPTRSV_ILU0, type, {(SptrsvShift)shift, 1e-3, zero[type], 0}, ""};

  (void)snprintf(p.name, sizeof(p.name), "%s, %s, shift %s,", k % 2 ? "ICC(0)" : "ILU(0)", value_types[type].name, shifts[shift]);
  return p;
}

static const FactorWay ways[] = {
  {"GPU",            NULL,  NULL    },
  {"GPU by rows",    "rows",  NULL    },
  {"GPU by tasks",   "ata",   NULL    },
  {"GPU by a sweep", "sweep", "strips"}
};
static const FactorWay *way = ways; /* the host, which has auto only, comes before the others */

const char *location_name(SptrsvLocation location)
{
  return location == SPTRSV_HOST ? "host" : way->name;
}

/* Tasks share the code of entries, and few patterns are for a sweep: each third case, in which all kinds, types and shifts occur */
bool location_takes(SptrsvLocation location, int k)
{
  return location == SPTRSV_HOST || !way->algorithm || is_named(way->algorithm, "rows") || k % 3 == 0;
}

bool location_suits(SptrsvLocation location, const ZooMatrix *A, SptrsvFactorKind kind, const SptrsvFill *fill)
{
  Target t;
  bool   suits;

  if (location == SPTRSV_HOST) return true;
  target_create(A, kind, NULL, NULL, SPTRSV_DOUBLE, &t);
  if (fill) target_fill(&t, fill);
  suits = target_suits(&t, way->algorithm);
  target_destroy(&t);
  return suits;
}

SptrsvFactor create_factor(const ZooMatrix *A, SptrsvFactorKind kind, const SptrsvFill *fill, SptrsvValueType type,
                           SptrsvLocation location)
{
  const SptrsvCsr csr    = zoo_csr(A);
  SptrsvFactor    factor = NULL;

  if (expect_success(sptrsvFactorCreate(&csr, kind, NULL, NULL, fill, type, location, NULL, &factor)))
    expect_success(sptrsvFactorTune(factor, &(SptrsvTuning){.factor.algorithm = way->algorithm}));
  return factor;
}

/* values: in the factor's memory, freed here.  A plan is lent for this time only. */
SptrsvFactorResult factor_values(SptrsvFactor factor, SptrsvValueType type, void *values, SptrsvLocation location,
                                 const SptrsvPivoting *pivoting)
{
  SptrsvFactorResult r     = {.zero_pivot_row = -99};
  SptrsvPlan         lower = NULL;

  if (factor && location == SPTRSV_DEVICE && way->lower) expect_success(factor_lend(factor, way->lower, NULL, type, &lower));
  if (factor) expect_success(sptrsvFactorNumeric(factor, values, pivoting, NULL, &r));
  if (lower) expect_success(sptrsvFactorSetSweep(factor, NULL));
  expect_success(sptrsvPlanDestroy(&lower));
  place_free(location, values);
  return r;
}

SptrsvFactorResult factor_matrix(const ZooMatrix *A, SptrsvFactorKind kind, const SptrsvFill *fill, SptrsvValueType type,
                                 SptrsvLocation location, const SptrsvPivoting *pivoting, SptrsvFactor *factor)
{
  *factor = create_factor(A, kind, fill, type, location);
  return factor_values(*factor, type, zoo_values(A, type, false, location), location, pivoting);
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
    for (way = ways; way < ways + sizeof(ways) / sizeof(*ways); way++) {
      if (way_is_there(way)) test(SPTRSV_DEVICE);
    }
  } else case_skip("%s on the GPU: there is no GPU", program);
  return test_end();
}
