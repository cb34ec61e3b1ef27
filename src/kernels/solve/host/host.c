/* `host`: the serial sweeps. */
#include <stdio.h>
#include "host_rows.h"

typedef struct {
  int  *in_perm, *out_perm; /* [n] or NULL */
  void *work;               /* [n], with out_perm only */
} HostPlan;

#define FUNCTIONS "solve/host/host.inc"
#include "../../each_type.h"

static SptrsvStatus build(SptrsvPlan plan)
{
  HostPlan *data = (HostPlan *)plan->data;

  SPTRSV_TRY(sptrsvAnalysisOnHost(plan->analysis));
  SPTRSV_TRY(sptrsvHostPermutation(plan, plan->options.in_perm, &data->in_perm));
  SPTRSV_TRY(sptrsvHostPermutation(plan, plan->options.out_perm, &data->out_perm));
  if (!data->out_perm) return SPTRSV_SUCCESS;
  return sptrsvHostAllocate(&plan->memory, (size_t)plan->analysis->a.n * (size_t)sptrsvBlockRows(plan->analysis),
                            sptrsvValueSize(plan->options.type), &data->work);
}

static SptrsvStatus solve(SptrsvPlan plan, const SptrsvSolve *s)
{
  static void (*const sweep[])(SptrsvPlan, const void *, void *) = {EACH_TYPE(sweep)};

  sweep[plan->options.type](plan, s->b, s->x);
  return SPTRSV_SUCCESS;
}

static void describe(SptrsvPlan plan, char *text, size_t size)
{
  (void)plan;
  (void)snprintf(text, size, "one row after the other");
}

/* clang-format off */
static const SptrsvMethod host = {
  {"host", "textbook; CSparse's cs_lsolve and kin",
   "serial sweep on the CPU, the reference of all tests", SPTRSV_HOST, SPTRSV_BLOCKS, NULL, SPTRSV_ALL_VALUES},
  sizeof(HostPlan), build, NULL, solve, describe, NULL, NULL, NULL, NULL};
/* clang-format on */

/* Each in a file of its own */
extern const SptrsvMethod sptrsvHostWindows, sptrsvHostThreads;

const SptrsvFamily sptrsvHostFamily = {{&host, &sptrsvHostWindows, &sptrsvHostThreads}, NULL, NULL};
