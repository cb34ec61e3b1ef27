/* Blocks of a factor: what callers ask for, checked, and done where the factor is. */
#include "factor.h"

void sptrsvFactorBlocksFree(SptrsvFactorBlocks *blocks)
{
  (void)sptrsvAnalysisDestroy(&blocks->analysis);
  sptrsvMemoryFree(&blocks->memory);
  *blocks = (SptrsvFactorBlocks){.stride = 0};
}

SptrsvStatus sptrsvFactorFindBlocks(SptrsvFactor factor, int size, SptrsvBlocks *blocks)
{
  SptrsvFactorBlocks found  = {.stride = 0};
  SptrsvStatus       status = SPTRSV_SUCCESS;
  int                rows;

  if (!factor || size < 0 || !blocks) return SPTRSV_INVALID_ARGUMENT;
  if (!factor->place->blocks) return SPTRSV_NOT_SUPPORTED;
  if (!size || size > SPTRSV_BLOCK_ROWS) size = SPTRSV_BLOCK_ROWS;
  if (!sptrsvTakesBlocks(factor->location, factor->type)) size = 1;
  rows = factor->storage.rows;
  sptrsvSetupBegin();
  if (rows > 1) { /* whatever size is asked for */
    found.found  = (SptrsvBlocks){(int64_t)factor->analysis->a.n * rows, rows, rows, 1};
    found.stride = rows;
  } else if (size > 1) status = factor->place->blocks->find(factor, size, &found);
  status = sptrsvSetupEnd(factor->location, status);
  if (status) {
    sptrsvFactorBlocksFree(&found);
    return status;
  }
  sptrsvFactorBlocksFree(&factor->blocks);
  factor->blocks = found;
  *blocks        = found.found;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorGetBlockAnalysis(SptrsvFactor factor, SptrsvAnalysis *analysis)
{
  if (!factor || !analysis) return SPTRSV_INVALID_ARGUMENT;
  if (!factor->place->blocks) return SPTRSV_NOT_SUPPORTED;
  if (!factor->blocks.stride) return SPTRSV_NOT_READY;
  sptrsvSetupBegin();
  SPTRSV_TRY(sptrsvSetupEnd(factor->location, factor->blocks.analysis ? SPTRSV_SUCCESS : factor->place->blocks->form(factor)));
  *analysis = factor->blocks.analysis;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorGetBlockValues(SptrsvFactor factor, SptrsvStream stream, const void **values)
{
  if (!factor || !values) return SPTRSV_INVALID_ARGUMENT;
  if (!factor->place->blocks) return SPTRSV_NOT_SUPPORTED;
  if (!factor->blocks.analysis) return SPTRSV_NOT_READY;
  if (factor->place->blocks->values) SPTRSV_TRY(factor->place->blocks->values(factor, stream));
  factor->blocks.ready = true;
  *values              = factor->blocks.values;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorSolveBlocks(SptrsvFactor factor, SptrsvBlockPart part, SptrsvOperation op, const void *b, void *x,
                                     SptrsvStream stream)
{
  if (!factor || (unsigned)part > SPTRSV_BLOCKS_LU || !sptrsvIsSweep(SPTRSV_LOWER, op)) return SPTRSV_INVALID_ARGUMENT;
  if (!factor->place->blocks) return SPTRSV_NOT_SUPPORTED;
  if (!factor->blocks.ready) return SPTRSV_NOT_READY;
  if (!factor->analysis->a.n) return SPTRSV_SUCCESS;
  if (!b || !x) return SPTRSV_INVALID_ARGUMENT;
  return factor->place->blocks->product(factor, part, op, b, x, stream);
}
