/* `split`: the plans of the parts, and other code shared by the methods for host and device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "split.h"

/* Adds the time since *start to a step of the set-up */
static void lap(double *start, double *step)
{
  const double now = sptrsvSeconds();

  *step += now - *start;
  *start = now;
}

static SptrsvStatus decide(SptrsvPlan plan, SptrsvSplitPlan *s)
{
  SptrsvSplitDecision d;
  double              start = sptrsvSeconds();

  SPTRSV_TRY(sptrsvSplitOptionsCheck(&plan->options.tuning.split, plan->options.location));
  sptrsvTuningFill(&plan->options.tuning);
  s->options = plan->options.tuning.split;
  SPTRSV_TRY(sptrsvAnalysisGetGraph(plan->analysis, plan->options.triangle, plan->options.op, s->options.parallel_rows, &s->split.graph));
  lap(&start, &s->split.setup[0]);
  d = sptrsvSplitDecide(&s->split.graph, &s->options, plan->options.location == SPTRSV_DEVICE);
  if (s->options.first) d.algorithm[0] = s->options.first;
  if (s->options.second) d.algorithm[1] = s->options.second;
  s->split.policy = d.policy;
  s->split.level  = d.level;
  s->split.reason = d.reason;
  memcpy(s->split.algorithm, d.algorithm, sizeof(d.algorithm));
  lap(&start, &s->split.setup[1]);
  return SPTRSV_SUCCESS;
}

static SptrsvStatus slice(SptrsvPlan plan, SptrsvSplitPlan *s)
{
  const size_t n   = (size_t)plan->analysis->a.n;
  const bool   one = sptrsvSplitIsUnified(s->split.policy);

  if (one) {
    s->split.rows[0] = plan->analysis->a.n;
    s->split.nnz[0]  = s->split.graph.nnz;
  } else {
    SPTRSV_TRY(sptrsvSlicesCreate(plan, (int)s->split.level, &s->slices));
    for (int k = 0; k < 2; k++) s->split.rows[k] = s->slices.n[k];
    for (int k = 0; k < 3; k++) s->split.nnz[k] = s->slices.nnz[k];
  }
  plan->host_bytes +=
      (2 * n +
       (one ? 0 : n + (size_t)s->slices.n[1] + 1 + (size_t)s->slices.nnz[0] + (size_t)2 * s->slices.nnz[1] + (size_t)s->slices.nnz[2])) *
      sizeof(int);
  SPTRSV_TRY(sptrsvNew(n, &s->from));
  SPTRSV_TRY(sptrsvNew(n, &s->to));
  for (size_t r = 0; r < n; r++) {
    const int row = one ? (int)r : s->slices.row[r];

    s->from[r] = plan->options.in_perm ? plan->options.in_perm[row] : row;
    s->to[r]   = plan->options.out_perm ? plan->options.out_perm[row] : row;
  }
  return SPTRSV_SUCCESS;
}

static SptrsvStatus build_part(SptrsvPlan plan, SptrsvSplitPlan *s, int k)
{
  const SptrsvLocation location = sptrsvSplitLocation(s->split.policy, k);
  const bool           here = location == plan->options.location, one = sptrsvSplitIsUnified(s->split.policy);
  SptrsvPlanOptions    o     = plan->options;
  double               start = sptrsvSeconds();

  o.algorithm = s->split.algorithm[k];
  o.location  = location;
  o.in_perm   = here && !k ? s->from : NULL;
  o.out_perm  = here ? s->to + (k ? s->split.rows[0] : 0) : NULL;
  if (!one) {
    o.triangle = SPTRSV_LOWER;
    o.op       = SPTRSV_NON_TRANSPOSE;
    SPTRSV_TRY(sptrsvAnalysisAdopt(&s->slices.part[k], location, &s->analysis[k]));
  }
  lap(&start, &s->split.setup[2]);
  SPTRSV_TRY(sptrsvPlanBuild(one ? plan->analysis : s->analysis[k], &o, &plan->part[k]));
  if (!one) { /* after the part's plan, which has made the analysis compute its levels */
    plan->host_bytes += s->analysis[k]->host_bytes;
    plan->memory.bytes += s->analysis[k]->memory.bytes;
  }
  s->split.algorithm[k] = plan->part[k]->algorithm->name; /* replaces a name owned by the caller */
  lap(&start, &s->split.setup[3]);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvSplitPrepare(SptrsvPlan plan, SptrsvSplitPlan *s)
{
  double start;

  SPTRSV_TRY(decide(plan, s));
  start = sptrsvSeconds();
  SPTRSV_TRY(slice(plan, s));
  lap(&start, &s->split.setup[2]);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvSplitBuildParts(SptrsvPlan plan, SptrsvSplitPlan *s)
{
  for (int k = 0; k < 2; k++) {
    if (!s->split.rows[k]) s->split.algorithm[k] = NULL;
    else SPTRSV_TRY(build_part(plan, s, k));
  }
  return SPTRSV_SUCCESS;
}

void sptrsvSplitDestroy(SptrsvPlan plan, SptrsvSplitPlan *s)
{
  for (int k = 0; k < 2; k++) {
    (void)sptrsvPlanDestroy(&plan->part[k]); /* before its analysis */
    (void)sptrsvAnalysisDestroy(&s->analysis[k]);
  }
  sptrsvSlicesFree(&s->slices);
  free(s->from);
  free(s->to);
}

static size_t append(char *text, size_t size, size_t used, const char *more)
{
  if (used >= size) return used;
  return used + (size_t)snprintf(text + used, size - used, "%s", more);
}

void sptrsvSplitDescribe(SptrsvPlan plan, char *text, size_t size)
{
  static const char *const policies[] = {
      [SPTRSV_SPLIT_AUTO] = "auto",       [SPTRSV_SPLIT_CPU] = "unified on the CPU", [SPTRSV_SPLIT_GPU] = "unified on the GPU",
      [SPTRSV_SPLIT_CPU_GPU] = "CPU-GPU", [SPTRSV_SPLIT_GPU_CPU] = "GPU-CPU",        [SPTRSV_SPLIT_CPU_CPU] = "CPU-CPU",
      [SPTRSV_SPLIT_GPU_GPU] = "GPU-GPU"};
  const SptrsvSplitPlan *s = (const SptrsvSplitPlan *)plan->data;
  const SptrsvGraph     *g = &s->split.graph;
  char                   more[256];
  size_t                 used = 0;

  (void)snprintf(more, sizeof(more), "%s (%s)", policies[s->split.policy], s->split.reason);
  used = append(text, size, used, more);
  if (!sptrsvSplitIsUnified(s->split.policy)) {
    (void)snprintf(more, sizeof(more), ", cut behind level %lld of %lld with %.3g%% of the rows", (long long)s->split.level,
                   (long long)g->levels, g->rows ? 100 * (double)s->split.rows[0] / (double)g->rows : 0.0);
    used = append(text, size, used, more);
  }
  (void)snprintf(more, sizeof(more), ", NL=%lld, AP=%.4g, PFL=%.3g%%, PFR=%.3g%%, MCL=%lld, MRL=%lld, ARL=%.3g", (long long)g->levels,
                 g->parallelism, g->parallel_levels, g->parallel_rows, (long long)g->longest_column, (long long)g->longest_row,
                 g->mean_row);
  used = append(text, size, used, more);
  sptrsvTuningDescribe(&plan->options.tuning, plan->algorithm->name, more, sizeof(more));
  used = append(text, size, used, more);
  for (int k = 0; k < 2; k++) {
    if (!plan->part[k]) continue;
    used = append(text, size, used, plan->part[1] ? k ? "; part 2: " : "; part 1: " : "; ");
    if (used < size) (void)sptrsvPlanDescribe(plan->part[k], text + used, size - used);
    if (used < size) used += strlen(text + used);
  }
}

static bool is_split(SptrsvPlan plan)
{
  return plan && plan->algorithm->traits & SPTRSV_SPLITS;
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
