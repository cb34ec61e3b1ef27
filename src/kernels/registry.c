/* The table of algorithms, and the plan handle that dispatches to its rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "impl.h"

static const SptrsvMethod *const Methods[] = {
  &sptrsvHost,
#if defined(SPTRSV_HAVE_CUDA)
  &sptrsvLevelOrder, &sptrsvCapellini, &sptrsvTwoPhase, &sptrsvYuenyeung, &sptrsvCusparse
#endif
};
static const int MethodCount = (int)(sizeof(Methods) / sizeof(Methods[0]));

const SptrsvAlgorithm *sptrsvAlgorithmGet(int k)
{
  return k >= 0 && k < MethodCount ? &Methods[k]->info : NULL;
}

/* "auto" is a rule for now, and the same one everywhere: the serial sweep on the host, level order on the GPU */
static const SptrsvMethod *Choose(const SptrsvPlanOptions *o, bool automatic)
{
  const char *name = !automatic ? o->algorithm : o->location == SPTRSV_HOST ? "host" : "levelorder";

  for (int k = 0; k < MethodCount; k++) {
    if (!strcmp(Methods[k]->info.name, name)) return Methods[k];
  }
  return NULL;
}

SptrsvStatus sptrsvPlanCreate(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvStream stream, SptrsvPlan *plan)
{
  const SptrsvMethod *method;
  SptrsvPlan          p;
  SptrsvStatus        status;
  bool                automatic;

  if (!analysis || !options || !options->algorithm || !plan) return SPTRSV_INVALID_ARGUMENT;
  automatic = !strcmp(options->algorithm, "auto");
  method    = Choose(options, automatic);
  if (!method) return automatic ? SPTRSV_NO_DEVICE : SPTRSV_INVALID_ARGUMENT;
  if (options->location != method->info.location || (options->location == SPTRSV_DEVICE && analysis->location != SPTRSV_DEVICE)) return SPTRSV_INVALID_ARGUMENT;
  if (options->warps < 0 || options->lanes < 0 || options->lanes > 32 || (options->lanes & (options->lanes - 1)) || !(options->threshold >= 0)) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(sptrsvNew(1, &p));
  p->method    = method;
  p->analysis  = analysis;
  p->options   = *options;
  p->automatic = automatic;
  status       = method->build(p, stream);
  p->options.algorithm = method->info.name;
  p->options.in_perm = p->options.out_perm = NULL; /* the caller's */
  if (status) (void)sptrsvPlanDestroy(&p);
  else *plan = p;
  return status;
}

SptrsvStatus sptrsvPlanUpdate(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  if (!plan || (!values && plan->analysis->a.nnz)) return SPTRSV_INVALID_ARGUMENT;
  plan->ready = false;
  SPTRSV_TRY(plan->method->update(plan, values, stream));
  plan->ready = true;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvSolve(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream)
{
  if (!plan) return SPTRSV_INVALID_ARGUMENT;
  if (!plan->ready) return SPTRSV_NOT_READY;
  if (!plan->analysis->a.n) return SPTRSV_SUCCESS;
  return plan->method->solve(plan, b, x, stream);
}

SptrsvStatus sptrsvPlanDescribe(SptrsvPlan plan, char *text, size_t size)
{
  int head;

  if (!plan || !text || !size) return SPTRSV_INVALID_ARGUMENT;
  head = snprintf(text, size, "%s%s, ", plan->automatic ? "auto: " : "", plan->method->info.name);
  if (head > 0 && (size_t)head < size) plan->method->describe(plan, text + head, size - (size_t)head);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvPlanGetAlgorithm(SptrsvPlan plan, const SptrsvAlgorithm **algorithm)
{
  if (!plan || !algorithm) return SPTRSV_INVALID_ARGUMENT;
  *algorithm = &plan->method->info;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvPlanGetMemory(SptrsvPlan plan, size_t *host, size_t *device)
{
  if (!plan || !host || !device) return SPTRSV_INVALID_ARGUMENT;
  *host   = plan->host_bytes;
  *device = plan->device_bytes;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvPlanDestroy(SptrsvPlan *plan)
{
  if (!plan) return SPTRSV_INVALID_ARGUMENT;
  if (*plan) {
    (*plan)->method->destroy(*plan);
    free(*plan);
  }
  *plan = NULL;
  return SPTRSV_SUCCESS;
}
