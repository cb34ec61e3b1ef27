/* `split`: the plans of the parts, and other code shared by the methods for host and device. */
#include <stdio.h>
#include <string.h>
#include "../../analysis/analysis.h"
#include "split.h"

/* Adds the time since *start to a step of the set-up */
static void lap(double *start, double *step)
{
  const double now = sptrsvSeconds();

  *step += now - *start;
  *start = now;
}

static SptrsvStatus decide(SptrsvPlan plan, SptrsvSplitPlan *split)
{
  double start = sptrsvSeconds();

  SPTRSV_TRY(sptrsvSplitOptionsRead(plan->options.tuning.split.parameters, plan->options.location, &split->options, NULL, 0));
  SPTRSV_TRY(
      sptrsvAnalysisGetGraph(plan->analysis, plan->options.triangle, plan->options.op, split->options.parallel_rows, &split->split.graph));
  lap(&start, &split->split.setup[0]);
  sptrsvSplitDecide(&split->split, &split->options, plan->options.location == SPTRSV_DEVICE);
  lap(&start, &split->split.setup[1]);
  return SPTRSV_SUCCESS;
}

static SptrsvStatus slice(SptrsvPlan plan, SptrsvSplitPlan *split)
{
  const int n     = plan->analysis->a.n;
  int      *row   = NULL;
  double    start = sptrsvSeconds();

  if (sptrsvSplitIsUnified(split->split.policy)) {
    split->split.rows[0] = n;
    split->split.nnz[0]  = split->split.graph.nnz;
  } else SPTRSV_TRY(sptrsvSplitSlice(plan, split, &row));
  SPTRSV_TRY(sptrsvHostNew(&plan->memory, n, &split->from));
  SPTRSV_TRY(sptrsvHostNew(&plan->memory, n, &split->to));
  for (int r = 0; r < n; r++) {
    const int i = row ? row[r] : r;

    split->from[r] = plan->options.in_perm ? plan->options.in_perm[i] : i;
    split->to[r]   = plan->options.out_perm ? plan->options.out_perm[i] : i;
  }
  lap(&start, &split->split.setup[2]);
  return SPTRSV_SUCCESS;
}

static SptrsvStatus build_part(SptrsvPlan plan, SptrsvSplitPlan *split, int k)
{
  const SptrsvLocation location = sptrsvSplitLocation(split->split.policy, k);
  const bool           here = location == plan->options.location, one = sptrsvSplitIsUnified(split->split.policy);
  SptrsvPlanOptions    o     = plan->options;
  double               start = sptrsvSeconds();

  o.algorithm = split->split.algorithm[k];
  o.location  = location;
  o.in_perm   = here && !k ? split->from : NULL;
  o.out_perm  = here ? split->to + (k ? split->split.rows[0] : 0) : NULL;
  if (!one) {
    o.triangle = SPTRSV_LOWER;
    o.op       = SPTRSV_NON_TRANSPOSE;
    SPTRSV_TRY(sptrsvAnalysisAdopt(&split->part[k], location, &split->analysis[k]));
  }
  lap(&start, &split->split.setup[2]);
  SPTRSV_TRY(sptrsvPlanBuild(one ? plan->analysis : split->analysis[k], &o, &plan->part[k]));
  if (!one) { /* after the part's plan, which has made the analysis compute its levels, and for which it has cut rows */
    sptrsvPlanMade(split->analysis[k], NULL);
    for (int l = SPTRSV_HOST; l <= SPTRSV_DEVICE; l++) plan->memory.bytes[l] += split->analysis[k]->memory.bytes[l];
  }
  lap(&start, &split->split.setup[3]);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvSplitPrepare(SptrsvPlan plan, SptrsvSplitPlan *split)
{
  SPTRSV_TRY(decide(plan, split));
  return slice(plan, split);
}

SptrsvStatus sptrsvSplitBuildParts(SptrsvPlan plan, SptrsvSplitPlan *split)
{
  for (int k = 0; k < 2; k++) {
    if (!split->split.rows[k]) split->split.algorithm[k] = NULL;
    else SPTRSV_TRY(build_part(plan, split, k));
  }
  return SPTRSV_SUCCESS;
}

void sptrsvSplitDestroy(SptrsvPlan plan, SptrsvSplitPlan *split)
{
  for (int k = 0; k < 2; k++) {
    (void)sptrsvPlanDestroy(&plan->part[k]); /* before its analysis */
    (void)sptrsvAnalysisDestroy(&split->analysis[k]);
    sptrsvPatternFree(&split->part[k]);
  }
}

void sptrsvSplitDescribe(SptrsvPlan plan, char *text, size_t size)
{
  static const char *const policies[] = {
      [SPTRSV_SPLIT_AUTO] = "auto",       [SPTRSV_SPLIT_CPU] = "unified on the CPU", [SPTRSV_SPLIT_GPU] = "unified on the GPU",
      [SPTRSV_SPLIT_CPU_GPU] = "CPU-GPU", [SPTRSV_SPLIT_GPU_CPU] = "GPU-CPU",        [SPTRSV_SPLIT_CPU_CPU] = "CPU-CPU",
      [SPTRSV_SPLIT_GPU_GPU] = "GPU-GPU"};
  const SptrsvSplitPlan *s = (const SptrsvSplitPlan *)plan->data;
  const SptrsvGraph     *g = &s->split.graph;

  (void)snprintf(text, size, "%s (%s)", policies[s->split.policy], s->split.reason);
  if (!sptrsvSplitIsUnified(s->split.policy))
    sptrsvAppend(text, size, ", cut behind level %lld of %lld with %.3g%% of the rows", (long long)s->split.level, (long long)g->levels,
                 g->rows ? 100 * (double)s->split.rows[0] / (double)g->rows : 0.0);
  sptrsvAppend(text, size, ", NL=%lld, AP=%.4g, PFL=%.3g%%, PFR=%.3g%%, MCL=%lld, MRL=%lld, ARL=%.3g", (long long)g->levels, g->parallelism,
               g->parallel_levels, g->parallel_rows, (long long)g->longest_column, (long long)g->longest_row, g->mean_row);
  sptrsvKeysDescribe(sptrsvSplitKeys, &s->options, text, size);
  for (int k = 0; k < 2; k++) {
    if (!plan->part[k]) continue;
    sptrsvAppend(text, size, plan->part[1] ? "; part %d: " : "; ", k + 1);
    (void)sptrsvPlanDescribe(plan->part[k], text + strlen(text), size - strlen(text));
  }
}

static bool is_split(SptrsvPlan plan)
{
  return plan && plan->method->info.traits & SPTRSV_SPLITS;
}

SptrsvStatus sptrsvPlanGetSplit(SptrsvPlan plan, SptrsvSplit *split)
{
  if (!is_split(plan) || !split) return SPTRSV_INVALID_ARGUMENT;
  *split = ((const SptrsvSplitPlan *)plan->data)->split;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvPlanSplitTransfer(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream)
{
  if (!is_split(plan)) return SPTRSV_INVALID_ARGUMENT;
  if (!plan->ready) return SPTRSV_NOT_READY;
  if (!plan->analysis->a.n) return SPTRSV_SUCCESS;
  if (!b || !x) return SPTRSV_INVALID_ARGUMENT;
#if defined(SPTRSV_HAVE_CUDA)
  if (plan->options.location == SPTRSV_DEVICE) return sptrsvSplitTransferDevice(plan, b, x, stream);
#else
  (void)stream;
#endif
  return SPTRSV_SUCCESS; /* nothing to transfer on the host */
}
