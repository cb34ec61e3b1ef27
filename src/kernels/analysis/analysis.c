/* The analysis handle: a checked pattern, and levels and statistics of the sweeps that were asked for. */
#include <math.h>
#include <stdlib.h>
#include "analysis.h"

/* From so many entries on, the GPU finds levels sooner than the host (bench/papers/results/li-setup.csv).  The emulator's are few, so that
   small matrices take either way. */
#if !defined(SPTRSV_ENTRIES_FOR_DEVICE)
  #define SPTRSV_ENTRIES_FOR_DEVICE (1 << 16)
#endif

/* By the device if it can, else by the host */
static SptrsvStatus analyse(const SptrsvCsr *A, SptrsvLocation location, SptrsvAnalysis *analysis)
{
  const SptrsvStatus status = sptrsvAnalysisOfDevice(A, location, analysis);

  if (status != SPTRSV_NOT_SUPPORTED) return status;
  SPTRSV_TRY(sptrsvNew(1, analysis));
  SPTRSV_TRY(sptrsvPatternCopy(A, &(*analysis)->a));
  SPTRSV_TRY(sptrsvPatternSplit(&(*analysis)->a));
  (*analysis)->device_levels = location == SPTRSV_DEVICE && A->location == SPTRSV_DEVICE;
  return sptrsvAnalysisFinish(*analysis, location);
}

SptrsvStatus sptrsvAnalysisCreate(const SptrsvCsr *A, SptrsvLocation location, SptrsvStream stream, SptrsvAnalysis *analysis)
{
  SptrsvAnalysis a = NULL;
  SptrsvStatus   status;

  if (!analysis || !sptrsvIsLocation(location)) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(sptrsvCsrCheck(A));
  if (A->location == SPTRSV_DEVICE) SPTRSV_TRY(sptrsvWait(stream)); /* it may still be writing A */
  sptrsvSetupBegin();
  status = sptrsvSetupEnd(location, analyse(A, location, &a));
  if (status) (void)sptrsvAnalysisDestroy(&a);
  else *analysis = a;
  return status;
}

SptrsvStatus sptrsvAnalysisOfDevice(const SptrsvCsr *A, SptrsvLocation location, SptrsvAnalysis *analysis)
{
#if defined(SPTRSV_HAVE_CUDA)
  if (location != SPTRSV_DEVICE || A->index_type != SPTRSV_INT32 || A->nnz < SPTRSV_ENTRIES_FOR_DEVICE) return SPTRSV_NOT_SUPPORTED;
  if (!sptrsvDeviceCount()) return SPTRSV_NO_DEVICE;
  SPTRSV_TRY(sptrsvNew(1, analysis));
  (*analysis)->location      = location;
  (*analysis)->device_levels = true;
  return sptrsvDevicePattern(A, *analysis);
#else
  (void)A, (void)location, (void)analysis;
  return SPTRSV_NOT_SUPPORTED;
#endif
}

/* What an attempt that failed has left is there already; row_ptr comes last, so that the next attempt is made */
SptrsvStatus sptrsvAnalysisOnHost(SptrsvAnalysis analysis)
{
  SptrsvPattern       *a = &analysis->a;
  const SptrsvPattern *d = &analysis->device;

  if (a->row_ptr) return SPTRSV_SUCCESS;
  if (!a->col_idx) SPTRSV_TRY(sptrsvDownload(d->col_idx, a->nnz, &a->col_idx));
  if (!a->split) SPTRSV_TRY(sptrsvDownload(d->split, a->n, &a->split));
  SPTRSV_TRY(sptrsvDownload(d->row_ptr, a->n + 1, &a->row_ptr));
  analysis->memory.bytes[SPTRSV_HOST] += ((size_t)2 * a->n + 1 + (size_t)a->nnz) * sizeof(int);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvAnalysisFinish(SptrsvAnalysis analysis, SptrsvLocation location)
{
  const SptrsvPattern *a = &analysis->a;
  SptrsvPattern       *d = &analysis->device;

  if (location == SPTRSV_DEVICE && !sptrsvDeviceCount()) return SPTRSV_NO_DEVICE;
  analysis->location = location;
  analysis->missing  = sptrsvPatternMissing(a);
  analysis->memory.bytes[SPTRSV_HOST] += ((size_t)2 * a->n + 1 + (size_t)a->nnz) * sizeof(int);
  if (location == SPTRSV_HOST && analysis->source) analysis->memory.bytes[SPTRSV_HOST] += (size_t)a->nnz * sizeof(int);
  if (location == SPTRSV_HOST) return SPTRSV_SUCCESS;
  analysis->device_levels = analysis->device_levels || a->nnz >= SPTRSV_ENTRIES_FOR_DEVICE;
  d->n                    = a->n;
  d->nnz                  = a->nnz;
  SPTRSV_TRY(sptrsvUpload(&analysis->memory, a->row_ptr, a->n + 1, &d->row_ptr));
  SPTRSV_TRY(sptrsvUpload(&analysis->memory, a->col_idx, a->nnz, &d->col_idx));
  return sptrsvUpload(&analysis->memory, a->split, a->n, &d->split);
}

void sptrsvSweepFinish(SptrsvAnalysis analysis, SptrsvSweep *s)
{
  SptrsvStatistics *statistics = &s->statistics;
  const int         n          = analysis->a.n;

  statistics->rows = n;
  for (int64_t l = 0; l < statistics->levels; l++) {
    if (s->level_ptr[l + 1] - s->level_ptr[l] > statistics->widest) statistics->widest = s->level_ptr[l + 1] - s->level_ptr[l];
  }
  if (!n) return;
  statistics->n_level     = (double)statistics->rows / (double)statistics->levels;
  statistics->nnz_row     = (double)(statistics->nnz + statistics->rows) / (double)statistics->rows;
  statistics->granularity = log10(log10(statistics->n_level) / log10(statistics->nnz_row + 0.01) + 0.01); /* Zhang et al., Equation 1 */
}

SptrsvStatus sptrsvAnalysisSweep(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op, const SptrsvSweep **sweep)
{
  const SptrsvTriangle side = sptrsvSide(triangle, op);
  SptrsvSweep         *s    = &analysis->sweep[triangle][op];
  const SptrsvPattern *rows;
  int                  levels;

  *sweep = s;
  if (s->level_ptr) return SPTRSV_SUCCESS;
#if defined(SPTRSV_HAVE_CUDA)
  if (analysis->device_levels && analysis->a.n) return sptrsvDeviceLevels(analysis, triangle, op);
#endif
  SPTRSV_TRY(sptrsvAnalysisRows(analysis, op, &rows));
  if (!s->level) SPTRSV_TRY(sptrsvHostNew(&analysis->memory, rows->n, &s->level)); /* else it is there from an attempt that failed */
  sptrsvHostLevels(rows, side, s->level);
  SPTRSV_TRY(sptrsvLevelPointers(rows->n, s->level, &analysis->memory, &levels, &s->level_ptr));
  s->statistics.levels = levels;
  for (int i = 0; i < rows->n; i++) {
    const int length = sptrsvRowEnd(rows, side, i) - sptrsvRowBegin(rows, side, i);

    s->statistics.nnz += length;
    if (length > s->statistics.longest) s->statistics.longest = length;
  }
  sptrsvSweepFinish(analysis, s);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvAnalysisLevels(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op, const SptrsvSweep **sweep)
{
  SptrsvSweep *s = &analysis->sweep[triangle][op];
  int         *level;

  SPTRSV_TRY(sptrsvAnalysisSweep(analysis, triangle, op, sweep));
  if (s->level) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvHostNew(&analysis->memory, analysis->a.n, &level));
  SPTRSV_TRY(sptrsvFetch(SPTRSV_DEVICE, s->d_level, (size_t)analysis->a.n * sizeof(*level), level));
  s->level = level;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvAnalysisGetStatistics(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op, SptrsvStatistics *statistics)
{
  const SptrsvSweep *s;

  if (!analysis || !statistics || !sptrsvIsSweep(triangle, op)) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(sptrsvAnalysisSweep(analysis, triangle, op, &s));
  *statistics = s->statistics;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvAnalysisGetLevels(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op, const int32_t **level)
{
  const SptrsvSweep *s;

  if (!analysis || !level || !sptrsvIsSweep(triangle, op)) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(sptrsvAnalysisLevels(analysis, triangle, op, &s));
  *level = s->level;
  return SPTRSV_SUCCESS;
}

void sptrsvCutFree(SptrsvCut *cut)
{
  sptrsvMemoryFree(&cut->memory);
  *cut = (SptrsvCut){0};
}

void sptrsvOrdersFree(SptrsvOrders *orders)
{
  sptrsvMemoryFree(&orders->memory);
  *orders = (SptrsvOrders){0};
}

void sptrsvPlanMade(SptrsvAnalysis analysis, const SptrsvPlanOptions *made)
{
  const bool forwards = made && sptrsvSide(made->triangle, made->op) == SPTRSV_LOWER;

  sptrsvCutFree(&analysis->cut);
  if (!forwards || !analysis->orders.shared) sptrsvOrdersFree(&analysis->orders);
}

size_t sptrsvAnalysisBytes(SptrsvAnalysis analysis, SptrsvLocation location)
{
  if (!analysis) return 0;
  return analysis->memory.bytes[location] + analysis->orders.memory.bytes[location] +
         (analysis->blocks ? analysis->blocks->memory.bytes[location] : 0);
}

static void free_analysis(SptrsvAnalysis a)
{
  if (!a) return;
  sptrsvPatternFree(&a->a);
  free(a->source);
  sptrsvCutFree(&a->cut);
  sptrsvOrdersFree(&a->orders);
  sptrsvMemoryFree(&a->memory);
  free(a);
}

SptrsvStatus sptrsvAnalysisDestroy(SptrsvAnalysis *analysis)
{
  if (!analysis) return SPTRSV_INVALID_ARGUMENT;
  if (*analysis) free_analysis((*analysis)->blocks); /* which have no blocks of their own */
  free_analysis(*analysis);
  *analysis = NULL;
  return SPTRSV_SUCCESS;
}
