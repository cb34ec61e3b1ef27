/* The table of algorithms, and the plan handle that dispatches to its rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "impl.h"

static const SptrsvMethod *const methods[] = {&sptrsvHost,        &sptrsvHostThreads, &sptrsvSplitHost,
#if defined(SPTRSV_HAVE_CUDA)
                                              &sptrsvLevelOrder,  &sptrsvCapellini,   &sptrsvTwoPhase,  &sptrsvYuenyeung,
  #if !defined(__HIP_PLATFORM_AMD__)
                                              &sptrsvCusparse,
  #endif
                                              &sptrsvLevr,        &sptrsvLevc,        &sptrsvSlfr,      &sptrsvSlfc,
                                              &sptrsvSyncFreeCsc, &sptrsvSyncFreeCsr, &sptrsvAta,       &sptrsvAtaPush,
                                              &sptrsvSplitDevice
#endif
};
static const int method_count = (int)(sizeof(methods) / sizeof(methods[0]));

/* Names used before 0.1, accepted for one more release */
static const struct {
  const char *former, *name;
} renamed[] = {{"syncfree", "syncfree-csc"}};

const SptrsvAlgorithm *sptrsvAlgorithmGet(int k)
{
  return k >= 0 && k < method_count ? &methods[k]->info : NULL;
}

/* A name can have one method for each memory */
const SptrsvMethod *sptrsvMethodFind(const char *name, SptrsvLocation location)
{
  for (size_t k = 0; k < sizeof(renamed) / sizeof(*renamed); k++) {
    if (!strcmp(name, renamed[k].former)) name = renamed[k].name;
  }
  for (int k = 0; k < method_count; k++) {
    if (methods[k]->info.location == location && !strcmp(methods[k]->info.name, name)) return methods[k];
  }
  return NULL;
}

const SptrsvAlgorithm *sptrsvAlgorithmFind(const char *name, SptrsvLocation location)
{
  const SptrsvMethod *method = name ? sptrsvMethodFind(name, location) : NULL;

  return method ? &method->info : NULL;
}

bool sptrsvIsAuto(const char *name)
{
  return !strcmp(name, "auto");
}

/* auto is a fixed rule: the serial sweep on the host, level order on the GPU */
static const SptrsvMethod *choose_method(const SptrsvPlanOptions *options)
{
  if (!sptrsvIsAuto(options->algorithm)) return sptrsvMethodFind(options->algorithm, options->location);
#if defined(SPTRSV_HAVE_CUDA)
  if (options->location == SPTRSV_DEVICE) return &sptrsvLevelOrder;
#endif
  return options->location == SPTRSV_HOST ? &sptrsvHost : NULL;
}

static bool is_elsewhere(const SptrsvPlanOptions *options)
{
  const SptrsvLocation other = options->location == SPTRSV_HOST ? SPTRSV_DEVICE : SPTRSV_HOST;

  return !choose_method(options) && sptrsvMethodFind(options->algorithm, other);
}

static SptrsvStatus check_options(SptrsvAnalysis a, const SptrsvPlanOptions *o)
{
  if (!a) return SPTRSV_INVALID_ARGUMENT;
  if (o->triangle != SPTRSV_LOWER && o->triangle != SPTRSV_UPPER) return SPTRSV_INVALID_ARGUMENT;
  if (o->op != SPTRSV_NON_TRANSPOSE && o->op != SPTRSV_TRANSPOSE) return SPTRSV_INVALID_ARGUMENT;
  if ((unsigned)o->diagonal > SPTRSV_DIAG_INVERTED || !sptrsvIsValueType(o->type)) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(sptrsvTuningCheck(&o->tuning));
  if (o->location == SPTRSV_DEVICE && !sptrsvDeviceCount()) return SPTRSV_NO_DEVICE;
  if (o->location == SPTRSV_DEVICE && a->location != SPTRSV_DEVICE) return SPTRSV_INVALID_ARGUMENT;
  for (int i = 0; o->diagonal != SPTRSV_DIAG_UNIT && i < a->a.n; i++) {
    if (!sptrsvHasDiagonal(&a->a, i)) return SPTRSV_MISSING_DIAGONAL;
  }
  SPTRSV_TRY(sptrsvPermutationCheck(a->a.n, o->in_perm));
  return sptrsvPermutationCheck(a->a.n, o->out_perm);
}

SptrsvStatus sptrsvPlanBuild(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvPlan *plan)
{
  const SptrsvMethod *method = choose_method(options);
  SptrsvPlan          p;
  SptrsvStatus        status;

  if (!method) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(sptrsvNew(1, &p));
  p->method            = method;
  p->analysis          = analysis;
  p->options           = *options;
  p->automatic         = sptrsvIsAuto(options->algorithm);
  status               = method->build(p);
  p->options.algorithm = method->info.name;
  p->options.in_perm = p->options.out_perm = NULL; /* arrays of the caller, valid only during build() */
  p->options.tuning.split.first = p->options.tuning.split.second = NULL;
  if (status) (void)sptrsvPlanDestroy(&p);
  else *plan = p;
  return status;
}

SptrsvStatus sptrsvPlanCreate(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvPlan *plan)
{
  if (!options || !options->algorithm || !plan || is_elsewhere(options)) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(check_options(analysis, options)); /* before sptrsvPlanBuild(), so that NO_DEVICE comes before "unknown" */
  return sptrsvPlanBuild(analysis, options, plan);
}

SptrsvStatus sptrsvPlanUpdate(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  if (!plan || (!values && plan->analysis->a.nnz)) return SPTRSV_INVALID_ARGUMENT;
  plan->ready = false;
  if (plan->stalled) *plan->stalled = 0;
  SPTRSV_TRY(plan->method->update(plan, values, stream));
  plan->ready = true;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvSolve(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream)
{
  if (!plan) return SPTRSV_INVALID_ARGUMENT;
  if (!plan->ready) return SPTRSV_NOT_READY;
  SPTRSV_TRY(sptrsvPlanGetStatus(plan));
  if (!plan->analysis->a.n) return SPTRSV_SUCCESS;
  if (!b || !x) return SPTRSV_INVALID_ARGUMENT;
  return plan->method->solve(plan, b, x, stream);
}

static bool is_stalled(SptrsvPlan plan)
{
  return plan && plan->stalled && *plan->stalled;
}

SptrsvStatus sptrsvPlanGetStatus(SptrsvPlan plan) /* no recursion: a part has no parts of its own */
{
  if (!plan) return SPTRSV_INVALID_ARGUMENT;
  return is_stalled(plan) || is_stalled(plan->part[0]) || is_stalled(plan->part[1]) ? SPTRSV_STALLED : SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvPlanDescribe(SptrsvPlan plan, char *text, size_t size)
{
  int head;

  if (!plan || !text || !size) return SPTRSV_INVALID_ARGUMENT;
  head = snprintf(text, size, "%s%s, ", plan->automatic ? "auto: " : "", plan->method->info.name);
  if (head > 0 && (size_t)head < size) plan->method->describe(plan, text + head, size - (size_t)head);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvPlanGetAlgorithms(SptrsvPlan plan, const SptrsvAlgorithm *algorithms[SPTRSV_PLAN_ALGORITHMS])
{
  if (!plan || !algorithms) return SPTRSV_INVALID_ARGUMENT;
  algorithms[0] = &plan->method->info;
  for (int k = 0; k < 2; k++) algorithms[k + 1] = plan->part[k] ? &plan->part[k]->method->info : NULL;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvPlanGetMemory(SptrsvPlan plan, size_t *host, size_t *device)
{
  if (!plan || !host || !device) return SPTRSV_INVALID_ARGUMENT;
  *host   = plan->host_bytes;
  *device = plan->memory.bytes;
  for (int k = 0; k < 2; k++) {
    if (!plan->part[k]) continue;
    *host += plan->part[k]->host_bytes;
    *device += plan->part[k]->memory.bytes;
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvPlanDestroy(SptrsvPlan *plan)
{
  if (!plan) return SPTRSV_INVALID_ARGUMENT;
  if (*plan) {
    if ((*plan)->data && (*plan)->method->destroy) (*plan)->method->destroy(*plan);
    sptrsvMemoryFree(&(*plan)->memory);
    free((*plan)->data);
    free(*plan);
  }
  *plan = NULL;
  return SPTRSV_SUCCESS;
}
