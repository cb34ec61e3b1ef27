/* Groups of rows with equal patterns in the host's sweeps: rows of a group are solved together.  Set-up, and the loops over them. */
#include "../../block_rows.h"
#include "host_rows.h"

#define FUNCTIONS "solve/host/host_groups.inc"
#include "../../each_type.h"

SptrsvStatus sptrsvHostRowsGroup(SptrsvPlan plan, SptrsvHostRows *h)
{
  const SptrsvGroups *groups;

  if (plan->options.tuning.sweep.blocks != SPTRSV_BY_BLOCKS || h->block > 1) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvAnalysisGroups(plan->analysis, plan->options.op, &groups));
  if (!groups->begin) return SPTRSV_SUCCESS;
  h->groups        = groups;
  h->units.pattern = &groups->pattern;
  h->units.n       = groups->pattern.n;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvHostGroupsRows(SptrsvPlan plan, SptrsvHostRows *h, const int *order, int *rows)
{
  const int *begin = h->groups->begin;
  int        k     = 0;

  SPTRSV_TRY(sptrsvHostNew(&plan->memory, h->units.n + 1, &h->first));
  SPTRSV_TRY(sptrsvHostNew(&plan->memory, h->units.n + 1, &h->packed));
  h->columns = 0;
  for (int u = 0; u < h->units.n; u++) {
    const int g = sptrsvRow(&h->units, order[u]), size = begin[g + 1] - begin[g];
    const int r = h->stride > 0 ? begin[g] : h->rows.n - begin[g + 1], length = sptrsvEnd(&h->rows, r) - sptrsvBegin(&h->rows, r);

    h->columns += length;
    for (int i = 0; i < size; i++) rows[k++] = r + i;
    h->first[u + 1]  = k;
    h->packed[u + 1] = h->packed[u] + length * size + size * (size - 1) / 2;
  }
  return SPTRSV_SUCCESS;
}

void sptrsvHostGroupsSolve(SptrsvHostRows *h, int begin, int end)
{
  static void (*const solve[])(SptrsvHostRows *, int, int) = {EACH_TYPE(solve)};

  solve[h->type](h, begin, end);
}
