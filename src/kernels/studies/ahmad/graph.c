/* The dependency graph of a sweep, level by level: Ahmad et al., section 4.1. */
#include <stdlib.h>
#include "../../analysis/analysis.h"
#include "../../../../include/sptrsv_study.h"

static void add_row(const SptrsvPattern *pattern, SptrsvTriangle side, int row, const int *column, SptrsvLevel *l)
{
  const int length = sptrsvRowEnd(pattern, side, row) - sptrsvRowBegin(pattern, side, row) + 1;

  l->rows++;
  l->nnz += length;
  if (length > l->longest_row) l->longest_row = length;
  if (column[row] > l->longest_column) l->longest_column = column[row];
}

static SptrsvStatus list_levels(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op, SptrsvSweep *s)
{
  const SptrsvTriangle side = sptrsvSide(triangle, op);
  const SptrsvPattern *p;
  SptrsvLevel         *graph;
  int                 *column; /* [n] entries of each */
  SptrsvStatus         status;

  SPTRSV_TRY(sptrsvAnalysisRows(analysis, op, &p));
  SPTRSV_TRY(sptrsvNew(p->n, &column));
  for (int i = 0; i < p->n; i++) {
    column[i]++;
    for (int e = sptrsvRowBegin(p, side, i); e < sptrsvRowEnd(p, side, i); e++) column[p->col_idx[e]]++;
  }
  status = sptrsvHostNew(&analysis->memory, s->statistics.levels, &graph);
  for (int i = 0; !status && i < p->n; i++) add_row(p, side, i, column, &graph[s->level[i]]);
  if (!status) s->graph = graph;
  free(column);
  return status;
}

SptrsvStatus sptrsvAnalysisGetGraph(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op, int parallel_rows,
                                    SptrsvGraph *graph)
{
  const SptrsvSweep *sweep;
  SptrsvSweep       *s;
  int64_t            levels = 0, rows = 0; /* parallel-friendly */
  SptrsvGraph        g = {0};

  if (!analysis || !graph || parallel_rows < 0 || !sptrsvIsSweep(triangle, op)) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(sptrsvAnalysisLevels(analysis, triangle, op, &sweep));
  s = &analysis->sweep[triangle][op];
  if (!s->graph) SPTRSV_TRY(list_levels(analysis, triangle, op, s));
  g.rows   = s->statistics.rows;
  g.levels = s->statistics.levels;
  g.level  = s->graph;
  for (int64_t l = 0; l < g.levels; l++) {
    g.nnz += g.level[l].nnz;
    if (g.level[l].longest_row > g.longest_row) g.longest_row = g.level[l].longest_row;
    if (g.level[l].longest_column > g.longest_column) g.longest_column = g.level[l].longest_column;
    if (g.level[l].rows < parallel_rows) continue;
    levels++;
    rows += g.level[l].rows;
  }
  if (g.rows) {
    g.parallelism     = (double)g.rows / (double)g.levels;
    g.mean_row        = (double)g.nnz / (double)g.rows;
    g.parallel_levels = 100 * (double)levels / (double)g.levels; /* in this order whole percents stay whole */
    g.parallel_rows   = 100 * (double)rows / (double)g.rows;
  }
  *graph = g;
  return SPTRSV_SUCCESS;
}
