/* Levels by a method of choice, and the time of each step of a set-up; here on the host. */
#include <stdlib.h>
#include <string.h>
#include "li.h"

/* Each row raises the levels of the rows that need it, which are its entries on the other side */
static void levels_by_columns(const SptrsvPattern *transpose, SptrsvTriangle side, int *level)
{
  const SptrsvTriangle other = side == SPTRSV_LOWER ? SPTRSV_UPPER : SPTRSV_LOWER;

  memset(level, 0, (size_t)transpose->n * sizeof(*level));
  for (int k = 0; k < transpose->n; k++) {
    const int i = side == SPTRSV_LOWER ? k : transpose->n - 1 - k;

    for (int e = sptrsvRowBegin(transpose, other, i); e < sptrsvRowEnd(transpose, other, i); e++) {
      if (level[i] >= level[transpose->col_idx[e]]) level[transpose->col_idx[e]] = level[i] + 1;
    }
  }
}

SptrsvStatus sptrsvHostLevelMethod(const SptrsvPattern *lists, SptrsvTriangle side, bool columns, SptrsvMemory *memory, int *level,
                                   int **jlev)
{
  SptrsvSweep s = {.level = level, .statistics = {.rows = lists->n}};
  int         levels;

  (columns ? levels_by_columns : sptrsvHostLevels)(lists, side, level);
  SPTRSV_TRY(sptrsvLevelPointers(lists->n, level, memory, &levels, &s.level_ptr));
  s.statistics.levels = levels;
  return sptrsvLevelOrder(&s, NULL, memory, jlev);
}

static SptrsvStatus host_setup(SptrsvAnalysis analysis, SptrsvTriangle side, SptrsvOperation op, bool columns, SptrsvMemory *memory,
                               int *level, SptrsvSetupTimes *times)
{
  const double         start = sptrsvSeconds();
  const SptrsvPattern *needs, *feeds;
  SptrsvPattern        t;
  SptrsvStatus         status;
  double               transposed, counted;
  int                 *source, *jlev;

  SPTRSV_TRY(sptrsvAnalysisOnHost(analysis));
  SPTRSV_TRY(sptrsvPatternTranspose(&analysis->a, memory, &t, &source));
  transposed = sptrsvSeconds();
  needs      = op == SPTRSV_NON_TRANSPOSE ? &analysis->a : &t;
  feeds      = op == SPTRSV_NON_TRANSPOSE ? &t : &analysis->a;
  for (int i = 0; i < needs->n; i++) level[i] = sptrsvRowEnd(needs, side, i) - sptrsvRowBegin(needs, side, i); /* until they are known */
  counted             = sptrsvSeconds();
  status              = sptrsvHostLevelMethod(columns ? feeds : needs, side, columns, memory, level, &jlev);
  times->transpose    = 1e3 * (transposed - start);
  times->dependencies = 1e3 * (counted - transposed);
  times->levels       = 1e3 * (sptrsvSeconds() - counted);
  return status;
}

SptrsvStatus sptrsvAnalysisComputeLevels(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op, SptrsvLevelMethod method,
                                         int32_t *level, SptrsvSetupTimes *times)
{
  const bool       on_host = method == SPTRSV_LEVELS_HOST_ROWS || method == SPTRSV_LEVELS_HOST_COLUMNS;
  SptrsvSetupTimes t       = {0};
  SptrsvMemory     memory  = {0};
  SptrsvStatus     status;
  int32_t         *found;

  if (!analysis || !level || !sptrsvIsSweep(triangle, op) || (unsigned)method > SPTRSV_LEVELS_KAHN) return SPTRSV_INVALID_ARGUMENT;
  if (!on_host && !sptrsvDeviceCount()) return SPTRSV_NO_DEVICE;
  if (!on_host && analysis->location != SPTRSV_DEVICE) return SPTRSV_WRONG_MEMORY;
  SPTRSV_TRY(sptrsvNew(analysis->a.n, &found)); /* the caller's array stays as it is after a failure */
#if defined(SPTRSV_HAVE_CUDA)
  if (analysis->location == SPTRSV_DEVICE) status = sptrsvDeviceLevelMethod(analysis, triangle, op, method, found, &t);
  else
#endif
    status = host_setup(analysis, sptrsvSide(triangle, op), op, method == SPTRSV_LEVELS_HOST_COLUMNS, &memory, found, &t);
  if (!status) {
    memcpy(level, found, (size_t)analysis->a.n * sizeof(*level));
    if (times) *times = t;
  }
  sptrsvMemoryFree(&memory);
  free(found);
  return status;
}
