/* Groups: runs of rows with equal patterns, as several unknowns a point have them (PETSc: inodes). */
#include <string.h>
#include "analysis.h"

/* Tells whether row i + 1 has the pattern of row i.  With both diagonal entries the two are dense among themselves. */
static bool goes_on(const SptrsvPattern *p, int i)
{
  const int begin = p->row_ptr[i], next = p->row_ptr[i + 1], length = next - begin;

  if (p->row_ptr[i + 2] - next != length || !length || p->col_idx[begin] != p->col_idx[next]) return false; /* most rows */
  if (!sptrsvHasDiagonal(p, i) || !sptrsvHasDiagonal(p, i + 1)) return false;
  return !memcmp(p->col_idx + begin, p->col_idx + next, (size_t)length * sizeof(int));
}

/* Counts groups; group (host [n]): of each row */
static void find_groups(const SptrsvPattern *p, SptrsvGroups *g, int *group)
{
  for (int i = 0, end; i < p->n; i = end) {
    for (end = i + 1; end < p->n && end - i < SPTRSV_BLOCK_ROWS && goes_on(p, end - 1);) end++;
    for (int k = i; k < end; k++) group[k] = g->pattern.n;
    g->pattern.n++;
    if (end - i == 1) continue;
    if (!g->rows || end - i < g->least) g->least = end - i;
    if (end - i > g->most) g->most = end - i;
    g->rows += end - i;
  }
}

/* Sets begin, and the pattern to the groups in the first row of each */
static SptrsvStatus find_pattern(const SptrsvPattern *p, const int *group, SptrsvMemory *memory, SptrsvGroups *g)
{
  SptrsvPattern *q   = &g->pattern;
  int            nnz = 0;

  SPTRSV_TRY(sptrsvHostNew(memory, q->n + 1, &g->begin));
  for (int i = p->n - 1; i >= 0; i--) g->begin[group[i]] = i;
  g->begin[q->n] = p->n;
  for (int k = 0; k < q->n; k++) nnz += p->row_ptr[g->begin[k] + 1] - p->row_ptr[g->begin[k]];
  SPTRSV_TRY(sptrsvHostNew(memory, q->n + 1, &q->row_ptr));
  SPTRSV_TRY(sptrsvHostNew(memory, q->n, &q->split));
  SPTRSV_TRY(sptrsvHostNew(memory, nnz, &q->col_idx));
  for (int k = 0; k < q->n; k++) {
    int last = -1, left = 0;

    for (int e = p->row_ptr[g->begin[k]]; e < p->row_ptr[g->begin[k] + 1]; e++) {
      if (group[p->col_idx[e]] == last) continue;
      last = group[p->col_idx[e]];
      left += last < k;
      q->col_idx[q->nnz++] = last;
    }
    q->split[k]       = q->row_ptr[k] + left;
    q->row_ptr[k + 1] = q->nnz;
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvAnalysisGroups(SptrsvAnalysis analysis, SptrsvOperation op, const SptrsvGroups **groups)
{
  SptrsvGroups        *g = &analysis->groups[op], found = {.sought = true};
  SptrsvMemory         scratch = {0};
  const SptrsvPattern *p;
  int                 *group;
  SptrsvStatus         status;

  *groups = g;
  if (g->sought) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvAnalysisRows(analysis, op, &p));
  status = sptrsvHostNew(&scratch, p->n, &group);
  if (!status) find_groups(p, &found, group);
  if (!status && found.rows && found.rows >= p->n - found.rows) status = find_pattern(p, group, &analysis->memory, &found);
  sptrsvMemoryFree(&scratch);
  if (!status) *g = found;
  return status;
}
