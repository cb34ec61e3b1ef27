/* The four sweeps as lower ones. */
#include "analysis.h"

SptrsvStatus sptrsvOrderedAllocate(int n, int nnz, SptrsvMemory *memory, SptrsvOrdered *ordered)
{
  *ordered = (SptrsvOrdered){.n = n, .nnz = nnz};
  SPTRSV_TRY(sptrsvHostNew(memory, n + 1, &ordered->row_ptr));
  SPTRSV_TRY(sptrsvHostNew(memory, nnz, &ordered->col_idx));
  SPTRSV_TRY(sptrsvHostNew(memory, nnz, &ordered->source));
  SPTRSV_TRY(sptrsvHostNew(memory, n, &ordered->row));
  return sptrsvHostNew(memory, n, &ordered->diagonal);
}

SptrsvStatus sptrsvOrderedCreate(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvMemory *memory, SptrsvOrdered *ordered)
{
  const bool           transpose = options->op == SPTRSV_TRANSPOSE, unit = options->diagonal == SPTRSV_DIAG_UNIT;
  const SptrsvPattern *p;
  const SptrsvTriangle side = sptrsvSide(options->triangle, options->op);
  const int            n    = analysis->a.n;
  int                  nz   = 0;

  SPTRSV_TRY(sptrsvAnalysisRows(analysis, options->op, &p));
  for (int i = 0; i < n; i++) nz += sptrsvRowEnd(p, side, i) - sptrsvRowBegin(p, side, i);
  SPTRSV_TRY(sptrsvOrderedAllocate(n, nz, memory, ordered));
  nz = 0;
  for (int r = 0; r < n; r++) {
    const int i = side == SPTRSV_LOWER ? r : n - 1 - r, begin = sptrsvRowBegin(p, side, i), end = sptrsvRowEnd(p, side, i);

    for (int q = begin; q < end; q++) { /* an upper row from its end: its reversed columns ascend */
      const int e = side == SPTRSV_LOWER ? q : end - 1 - (q - begin);

      ordered->col_idx[nz]  = side == SPTRSV_LOWER ? p->col_idx[e] : n - 1 - p->col_idx[e];
      ordered->source[nz++] = transpose ? analysis->t_source[e] : e;
    }
    ordered->row[r]         = i;
    ordered->row_ptr[r + 1] = nz;
    ordered->diagonal[r]    = unit ? SPTRSV_ONE : transpose ? analysis->t_source[p->split[i]] : p->split[i];
  }
  return SPTRSV_SUCCESS;
}
