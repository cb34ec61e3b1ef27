/* The host's factorization by blocks, for each type of values: the factor of a matrix of blocks, which is kept in its block form. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../block_rows.h"
#include "../values.h"
#include "factor.h"

enum { MOST = SPTRSV_BLOCK_ROWS * SPTRSV_BLOCK_ROWS }; /* entries of a block */

/* Place in the block form of the block in entry e of row i of the factor, which is not the diagonal one: those are left out */
static inline size_t place_of(const SptrsvPattern *f, int i, int e)
{
  return (size_t)(e - i - (e > f->split[i]));
}

#define FUNCTIONS "factor/host_blocks.inc"
#include "../each_type.h"

static SptrsvStatus create(SptrsvFactor factor)
{
  const SptrsvPattern *f = &factor->analysis->a;
  const size_t         n = (size_t)f->n, rows = (size_t)factor->storage.rows, size = rows * rows * sptrsvValueSize(factor->type);
  int                  longest = 0;

  if (n * rows >= SPTRSV_MOST) return SPTRSV_TOO_LARGE;
  for (int i = 0; i < f->n; i++) {
    if (f->row_ptr[i + 1] - f->row_ptr[i] > longest) longest = f->row_ptr[i + 1] - f->row_ptr[i];
  }
  SPTRSV_TRY(sptrsvHostAllocate(&factor->memory, (size_t)(f->nnz - f->n), size, &factor->values));
  SPTRSV_TRY(sptrsvHostAllocate(&factor->memory, n, size, &factor->inverse));
  SPTRSV_TRY(sptrsvHostAllocate(&factor->memory, (size_t)longest, size, &factor->row));
  SPTRSV_TRY(sptrsvHostNew(&factor->memory, n, &factor->at));
  if (factor->kind == SPTRSV_ICC0) SPTRSV_TRY(sptrsvHostNew(&factor->memory, n, &factor->next));
  for (int i = 0; i < f->n; i++) factor->at[i] = -1;
  return SPTRSV_SUCCESS;
}

static void describe(SptrsvFactor factor, char *text, size_t size)
{
  (void)snprintf(text, size, "by blocks of %d rows, one block row after the other", factor->storage.rows);
}

static SptrsvStatus pass(SptrsvFactor factor, const SptrsvNumeric *numeric, double shift, SptrsvFactorResult *result)
{
  static void (*const of_type[])(SptrsvFactor, const void *, const SptrsvPivoting *, SptrsvFactorResult *) = {EACH_TYPE(pass)};

  (void)shift; /* is in `pivoting`: there is one pass */
  of_type[factor->type](factor, numeric->a, numeric->pivoting, result);
  return SPTRSV_SUCCESS;
}

/* The factor's pattern without diagonal blocks */
static SptrsvStatus without_diagonal(const SptrsvPattern *f, SptrsvPattern *p)
{
  p->n   = f->n;
  p->nnz = f->nnz - f->n;
  SPTRSV_TRY(sptrsvNew(p->n + 1, &p->row_ptr));
  SPTRSV_TRY(sptrsvNew(p->nnz, &p->col_idx));
  for (int i = 0, nnz = 0; i < f->n; i++) {
    for (int e = f->row_ptr[i]; e < f->row_ptr[i + 1]; e++) {
      if (e != f->split[i]) p->col_idx[nnz++] = f->col_idx[e];
    }
    p->row_ptr[i + 1] = nnz;
  }
  return sptrsvPatternSplit(p);
}

static SptrsvStatus form(SptrsvFactor factor)
{
  SptrsvAnalysis analysis;
  SptrsvStatus   status;

  SPTRSV_TRY(sptrsvNew(1, &analysis));
  analysis->block = factor->storage.rows;
  analysis->icc0  = factor->kind == SPTRSV_ICC0;
  status          = without_diagonal(&factor->analysis->a, &analysis->a);
  if (!status) status = sptrsvAnalysisFinish(analysis, SPTRSV_HOST);
  if (status) (void)sptrsvAnalysisDestroy(&analysis);
  factor->blocks.analysis = analysis;
  factor->blocks.values   = factor->values;
  return status;
}

static SptrsvStatus product(SptrsvFactor factor, SptrsvBlockPart part, SptrsvOperation op, const void *b, void *x, SptrsvStream stream)
{
  static bool (*const halves[])(SptrsvFactor, bool, const void *, void *)  = {EACH_TYPE(halves)};
  static void (*const product[])(SptrsvFactor, bool, const void *, void *) = {EACH_TYPE(product)};
  const size_t bytes = (size_t)factor->analysis->a.n * (size_t)factor->storage.rows * sptrsvValueSize(factor->type);

  (void)stream;
  if (part != SPTRSV_BLOCKS_LU && factor->kind == SPTRSV_ICC0)
    return halves[factor->type](factor, (part == SPTRSV_BLOCKS_L) == (op == SPTRSV_NON_TRANSPOSE), b, x) ? SPTRSV_SUCCESS
                                                                                                         : SPTRSV_NOT_SUPPORTED;
  if (part != SPTRSV_BLOCKS_L) product[factor->type](factor, op == SPTRSV_TRANSPOSE, b, x);
  else if (b != x) memcpy(x, b, bytes);
  return SPTRSV_SUCCESS;
}

static const SptrsvBlockWork work = {NULL, form, NULL, product};

const SptrsvFactorPlace sptrsvFactorHostBlocks = {create, NULL, NULL, NULL, NULL, describe, pass, NULL, NULL, &work};
