/* `split` for vectors on the host, and the product of its rectangle on the CPU. */
#include <stdlib.h>
#include <string.h>
#include "../host/team.h"
#include "split.h"

#define FUNCTIONS "solve/ahmad/split_host.inc"
#include "../../both_types.h"

typedef struct {
  const SptrsvProduct *product;
  int                  threads;
} SharedProduct;

static void product_share(void *context, int me)
{
  const SharedProduct *s     = (const SharedProduct *)context;
  const SptrsvProduct *p     = s->product;
  const int            begin = (int)((int64_t)p->n * me / s->threads), end = (int)((int64_t)p->n * (me + 1) / s->threads);

  if (p->type == SPTRSV_DOUBLE) product_double(p, begin, end);
  else product_float(p, begin, end);
}

void sptrsvSplitProduct(SptrsvPlan helper, const SptrsvProduct *p)
{
  SptrsvTeam    team = helper ? sptrsvHostThreadsTeam(helper) : NULL;
  SharedProduct s    = {p, team ? sptrsvTeamSize(team) : 1};

  if (team) sptrsvTeamRun(team, product_share, &s);
  else product_share(&s, 0);
}

typedef struct {
  SptrsvSplitPlan common;
  char           *values; /* of I, II, III, unless the policy is unified */
  void           *right;  /* [rows of the second part] its right-hand side */
} Split;

static SptrsvStatus build(SptrsvPlan plan)
{
  const size_t size = sptrsvValueSize(plan->options.type);
  Split       *s;

  SPTRSV_TRY(sptrsvNew(1, &s));
  plan->data = s;
  SPTRSV_TRY(sptrsvSplitPrepare(plan, &s->common));
  SPTRSV_TRY(sptrsvSplitBuildParts(plan, &s->common));
  const SptrsvSplit *split = &s->common.split;
  const size_t       nnz   = (size_t)(split->nnz[0] + split->nnz[1] + split->nnz[2]);

  if (sptrsvSplitIsUnified(split->policy)) return SPTRSV_SUCCESS;
  for (int e = 0; e < s->common.slices.nnz[1]; e++) s->common.slices.col_idx[e] = s->common.to[s->common.slices.col_idx[e]];
  SPTRSV_TRY(sptrsvAllocate(nnz, size, (void **)&s->values));
  SPTRSV_TRY(sptrsvAllocate((size_t)split->rows[1], size, &s->right));
  plan->host_bytes += (nnz + (size_t)split->rows[1]) * size;
  return SPTRSV_SUCCESS;
}

static SptrsvStatus update(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  Split              *s     = (Split *)plan->data;
  const SptrsvSplit  *split = &s->common.split;
  const SptrsvSlices *m     = &s->common.slices;
  const size_t        nnz = (size_t)(split->nnz[0] + split->nnz[1] + split->nnz[2]), size = sptrsvValueSize(plan->options.type);

  if (!plan->part[0] && !plan->part[1]) return SPTRSV_SUCCESS; /* no rows */
  if (sptrsvSplitIsUnified(split->policy)) return sptrsvPlanUpdate(plan->part[0], values, stream);
  if (plan->options.type == SPTRSV_DOUBLE) take_double(nnz, m->source, (const double *)values, (double *)s->values);
  else take_float(nnz, m->source, (const float *)values, (float *)s->values);
  if (plan->part[0]) SPTRSV_TRY(sptrsvPlanUpdate(plan->part[0], s->values, stream));
  if (plan->part[1]) SPTRSV_TRY(sptrsvPlanUpdate(plan->part[1], s->values + (size_t)(m->nnz[0] + m->nnz[1]) * size, stream));
  return SPTRSV_SUCCESS;
}

/* The product reads x of the first part in x itself */
static SptrsvStatus solve(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream)
{
  const Split        *s = (const Split *)plan->data;
  const SptrsvSlices *m = &s->common.slices;

  if (plan->part[0]) SPTRSV_TRY(sptrsvSolve(plan->part[0], b, x, stream));
  if (!plan->part[1]) return SPTRSV_SUCCESS;
  sptrsvSplitProduct(plan->part[0], &(SptrsvProduct){plan->options.type, m->n[1], m->row_ptr, m->col_idx, s->common.from + m->n[0],
                                                     s->values + (size_t)m->nnz[0] * sptrsvValueSize(plan->options.type), b, x, s->right});
  return sptrsvSolve(plan->part[1], s->right, x, stream);
}

static void destroy(SptrsvPlan plan)
{
  Split *s = (Split *)plan->data;

  sptrsvSplitDestroy(plan, &s->common);
  free(s->values);
  free(s->right);
}

const SptrsvMethod sptrsvSplitHost = {{"split", "Ahmad, Yilmaz, Unat: A Split Execution Model for SpTRSV",
                                       "the first levels by one algorithm, the others by another, on the CPU", SPTRSV_HOST, SPTRSV_SPLITS},
                                      build,
                                      update,
                                      solve,
                                      sptrsvSplitDescribe,
                                      destroy};
