/* closable.c - With the kernel library in it, a shared object that processes.c opens and closes. */
#include "../../include/sptrsv.h"

int leaves_plan(double x[4], void *left[2]);

/* x = (1, 2, 3, 4), by three threads, which then wait for the next solve.  left: the handles, whose memory stays */
int leaves_plan(double x[4], void *left[2])
{
  static const int32_t    row_ptr[] = {0, 1, 3, 5, 7}, col_idx[] = {0, 0, 1, 1, 2, 2, 3};
  static const double     values[] = {1, -1, 1, -1, 1, -1, 1}, b[] = {1, 1, 1, 1};
  const SptrsvPlanOptions options  = {.algorithm           = "host-windows",
                                      .location            = SPTRSV_HOST,
                                      .diagonal            = SPTRSV_DIAG_STORED,
                                      .type                = SPTRSV_DOUBLE,
                                      .tuning.host.threads = 3,
                                      .tuning.host.window  = 1};
  SptrsvAnalysis          analysis = NULL;
  SptrsvPlan              plan     = NULL;
  int                     status;

  status = sptrsvAnalysisCreate(&(SptrsvCsr){4, 7, row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST}, SPTRSV_HOST, NULL, &analysis);
  if (!status) status = sptrsvPlanCreate(analysis, &options, &plan);
  if (!status) status = sptrsvPlanUpdate(plan, values, NULL);
  if (!status) status = sptrsvSolve(plan, b, x, NULL);
  left[0] = analysis;
  left[1] = plan;
  return status;
}
