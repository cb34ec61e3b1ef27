/* `split` for vectors on the host, and the product of its rectangle on the CPU. */
#include <stdlib.h>
#include <string.h>
#include "../../solve/host/team.h"
#include "split.h"

#define FUNCTIONS "studies/ahmad/split_host.inc"
#include "../../each_type.h"

static void product_share(void *context, int me, int members)
{
  static void (*const product[])(const SptrsvProduct *, int, int) = {EACH_TYPE(product)};
  const SptrsvProduct *p                                          = (const SptrsvProduct *)context;
  const int            begin = (int)((int64_t)p->n * me / members), end = (int)((int64_t)p->n * (me + 1) / members);

  product[p->type](p, begin, end);
}

void sptrsvSplitProduct(SptrsvPlan helper, const SptrsvProduct *product)
{
  SptrsvTeam    team   = helper ? sptrsvHostThreadsTeam(helper) : NULL;
  SptrsvProduct shared = *product;

  sptrsvTeamRun(team, true, product_share, &shared);
}

typedef struct {
  SptrsvSplitPlan common;
  char           *values; /* of I, II, III, unless the policy is unified */
  void           *right;  /* [rows of the second part] its right-hand side */
} HostSplitPlan;

static SptrsvStatus build(SptrsvPlan plan)
{
  const size_t   size = sptrsvValueSize(plan->options.type);
  HostSplitPlan *data = (HostSplitPlan *)plan->data;

  SPTRSV_TRY(sptrsvSplitPrepare(plan, &data->common));
  SPTRSV_TRY(sptrsvSplitBuildParts(plan, &data->common));
  const SptrsvSplit *split = &data->common.split;
  const size_t       nnz   = (size_t)(split->nnz[0] + split->nnz[1] + split->nnz[2]);

  if (sptrsvSplitIsUnified(split->policy)) return SPTRSV_SUCCESS;
  for (int64_t e = 0; e < split->nnz[1]; e++) data->common.col_idx[e] = data->common.to[data->common.col_idx[e]];
  SPTRSV_TRY(sptrsvHostAllocate(&plan->memory, nnz, size, (void **)&data->values));
  return sptrsvHostAllocate(&plan->memory, (size_t)split->rows[1], size, &data->right);
}

static SptrsvStatus update(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  static void (*const take[])(size_t, const int *, const void *, void *) = {EACH_TYPE(take)};
  HostSplitPlan     *data                                                = (HostSplitPlan *)plan->data;
  const SptrsvSplit *split                                               = &data->common.split;
  const size_t       second = (size_t)(split->nnz[0] + split->nnz[1]), size = sptrsvValueSize(plan->options.type);

  if (!plan->part[0] && !plan->part[1]) return SPTRSV_SUCCESS; /* no rows */
  if (sptrsvSplitIsUnified(split->policy)) return sptrsvPlanUpdate(plan->part[0], values, stream);
  take[plan->options.type](second + (size_t)split->nnz[2], data->common.source, values, data->values);
  if (plan->part[0]) SPTRSV_TRY(sptrsvPlanUpdate(plan->part[0], data->values, stream));
  if (plan->part[1]) SPTRSV_TRY(sptrsvPlanUpdate(plan->part[1], data->values + second * size, stream));
  return SPTRSV_SUCCESS;
}

/* The product reads x of the first part in x itself */
static SptrsvStatus solve(SptrsvPlan plan, const SptrsvSolve *s)
{
  const HostSplitPlan   *data   = (const HostSplitPlan *)plan->data;
  const SptrsvSplitPlan *common = &data->common;
  const SptrsvSplit     *split  = &common->split;

  if (plan->part[0]) SPTRSV_TRY(sptrsvSolve(plan->part[0], s->b, s->x, s->stream));
  if (!plan->part[1]) return SPTRSV_SUCCESS;
  sptrsvSplitProduct(plan->part[0],
                     &(SptrsvProduct){plan->options.type, (int)split->rows[1], common->row_ptr, common->col_idx,
                                      common->from + split->rows[0],
                                      data->values + (size_t)split->nnz[0] * sptrsvValueSize(plan->options.type), s->b, s->x, data->right});
  return sptrsvSolve(plan->part[1], data->right, s->x, s->stream);
}

static void destroy(SptrsvPlan plan)
{
  sptrsvSplitDestroy(plan, &((HostSplitPlan *)plan->data)->common);
}

/* clang-format off */
const SptrsvMethod sptrsvSplitHost = {
  {"split", SPTRSV_SPLIT_SOURCE,
   "the first levels by one algorithm, the others by another, on the CPU", SPTRSV_HOST, SPTRSV_SPLITS | SPTRSV_STUDY, "", SPTRSV_REALS},
  sizeof(HostSplitPlan), build, update, solve, sptrsvSplitDescribe, destroy, NULL, sptrsvSplitCheck, NULL};
/* clang-format on */
