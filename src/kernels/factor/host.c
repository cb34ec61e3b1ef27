/* The host's factorization, for each type of values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../values.h"
#include "factor.h"

#define FUNCTIONS "factor/host.inc"
#include "../each_type.h"

static SptrsvStatus create(SptrsvFactor factor)
{
  const size_t nnz = (size_t)factor->analysis->a.nnz, n = (size_t)factor->analysis->a.n, size = sptrsvValueSize(factor->type);

  SPTRSV_TRY(sptrsvHostAllocate(&factor->memory, nnz, size, &factor->values));
  SPTRSV_TRY(sptrsvHostAllocate(&factor->memory, n, size, &factor->row));
  if (factor->kind == SPTRSV_ICC0) SPTRSV_TRY(sptrsvHostNew(&factor->memory, n, &factor->next));
  return SPTRSV_SUCCESS;
}

static void describe(SptrsvFactor factor, char *text, size_t size)
{
  (void)factor;
  (void)snprintf(text, size, "row by row");
}

static SptrsvStatus pass(SptrsvFactor factor, const SptrsvNumeric *numeric, double shift, SptrsvFactorResult *result)
{
  static void (*const of_type[])(SptrsvFactor, const void *, const SptrsvPivoting *, double, SptrsvFactorResult *) = {EACH_TYPE(pass)};

  of_type[factor->type](factor, numeric->a, numeric->pivoting, shift, result);
  return SPTRSV_SUCCESS;
}

static SptrsvStatus dominance(SptrsvFactor factor, const void *a, SptrsvStream stream, double *gap)
{
  static double (*const of_type[])(SptrsvFactor, const void *) = {EACH_TYPE(dominance)};

  (void)stream;
  *gap = of_type[factor->type](factor, a);
  return SPTRSV_SUCCESS;
}

static SptrsvStatus copy_pivots(SptrsvFactor factor, void *inverted, SptrsvStream stream)
{
  const SptrsvPattern *a    = &factor->analysis->a;
  const size_t         size = sptrsvValueSize(factor->type);

  (void)stream;
  for (int i = 0; i < a->n; i++)
    memcpy((char *)inverted + (size_t)i * size, (const char *)factor->values + (size_t)a->split[i] * size, size);
  return SPTRSV_SUCCESS;
}

const SptrsvFactorPlace sptrsvFactorHost = {create, NULL, NULL, NULL, NULL, describe, pass, dominance, copy_pivots, NULL};
