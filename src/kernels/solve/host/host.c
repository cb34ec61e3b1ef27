/* `host`: the serial sweeps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host_windows.h"

typedef struct {
  int        *in_perm, *out_perm; /* [n] or NULL */
  void       *work;               /* [n], with out_perm only */
  const void *values;             /* the caller's */
} HostPlan;

#define FUNCTIONS "solve/host/host.inc"
#include "../../both_types.h"

SptrsvStatus sptrsvHostPermutation(SptrsvPlan plan, const int32_t *perm, int **copy)
{
  const size_t n = (size_t)plan->analysis->a.n;

  if (!perm) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvNew(n, copy));
  memcpy(*copy, perm, n * sizeof(**copy));
  plan->host_bytes += n * sizeof(**copy);
  return SPTRSV_SUCCESS;
}

static SptrsvStatus build(SptrsvPlan plan)
{
  const SptrsvPattern *p    = &plan->analysis->a;
  const size_t         size = sptrsvValueSize(plan->options.type);
  HostPlan            *data;

  SPTRSV_TRY(sptrsvNew(1, &data));
  plan->data = data;
  SPTRSV_TRY(sptrsvHostPermutation(plan, plan->options.in_perm, &data->in_perm));
  SPTRSV_TRY(sptrsvHostPermutation(plan, plan->options.out_perm, &data->out_perm));
  if (data->out_perm) {
    SPTRSV_TRY(sptrsvAllocate((size_t)p->n, size, &data->work));
    plan->host_bytes += (size_t)p->n * size;
  }
  return SPTRSV_SUCCESS;
}

static SptrsvStatus update(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  (void)stream;
  ((HostPlan *)plan->data)->values = values;
  return SPTRSV_SUCCESS;
}

static SptrsvStatus solve(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream)
{
  (void)stream;
  if (plan->options.type == SPTRSV_DOUBLE) solve_double(plan, (const double *)b, (double *)x);
  else solve_float(plan, (const float *)b, (float *)x);
  return SPTRSV_SUCCESS;
}

static void describe(SptrsvPlan plan, char *text, size_t size)
{
  (void)plan;
  (void)snprintf(text, size, "one row after the other");
}

static void destroy(SptrsvPlan plan)
{
  HostPlan *data = (HostPlan *)plan->data;

  free(data->in_perm);
  free(data->out_perm);
  free(data->work);
}

/* clang-format off */
static const SptrsvMethod host = {
  {"host", "textbook; CSparse's cs_lsolve and kin",
   "serial sweep on the CPU, the reference of all tests", SPTRSV_HOST, 0, NULL, SPTRSV_REALS},
  build, update, solve, describe, destroy, NULL, NULL, NULL};
/* clang-format on */

/* Each in a file of its own */
extern const SptrsvMethod sptrsvHostWindows, sptrsvHostThreads;

const SptrsvFamily sptrsvHostFamily = {{&host, &sptrsvHostWindows, &sptrsvHostThreads}};
