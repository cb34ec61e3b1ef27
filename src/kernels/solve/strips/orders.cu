/*
   Orders for strips that take their time to find: depth first, and list schedules.

   A depth-first order is kept for the next plan that auto tries, and for the matrix's other sweeps: if the pattern is symmetric, the graph of
   the upper sweep is that of the lower one turned round, and so is an order of it.  A list schedule is not: followed from its end it leaves
   each unknown to the last moment, so whatever is late makes all late (usroads: 150 us for 113).
*/
#include "arrange.cuh"

namespace {

using namespace sptrsv;

__global__ void turn_kernel(int n, const int *order, int *turned)
{
  for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < n; q += gridDim.x * blockDim.x) turned[q] = order[n - 1 - q];
}

/* Where no row was cut, unknowns of all sweeps are rows */
SptrsvStatus follows_first(SptrsvPlan plan, bool *follows)
{
  const SptrsvPlanOptions &o = plan->options;
  const SptrsvSweep       *first;

  *follows = false;
  if (sptrsvIsFirstSweep(o.triangle, o.op) || data_of<StripsPlan>(plan)->partial_sums) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvAnalysisSweep(plan->analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &first));
  if (first->statistics.longest > SPTRSV_STRIP_ENTRIES) return SPTRSV_SUCCESS;
  return sptrsvDeviceSymmetric(plan->analysis, follows);
}

/* Finds the sweep's order, unless it is the one that is kept */
SptrsvStatus need_order(const Rows &rows, SptrsvTriangle triangle, SptrsvOperation op, SptrsvDepthFirst *kept)
{
  int *unknown;

  if (kept->unknown && kept->triangle == triangle && kept->op == op) return SPTRSV_SUCCESS;
  sptrsvDepthFirstFree(kept);
  SPTRSV_TRY(sptrsvDeviceNew(&kept->memory, rows.needs.n, &unknown));
  SPTRSV_TRY(strips_depth_first(rows, unknown));
  *kept = {triangle, op, unknown, kept->memory};
  return SPTRSV_SUCCESS;
}

/* *order: device [n], in `memory` or kept */
SptrsvStatus depth_first(SptrsvPlan plan, const Rows &rows, Scratch<int> &memory, const int **order)
{
  const SptrsvPlanOptions &o    = plan->options;
  SptrsvDepthFirst        *kept = &plan->analysis->depth_first;
  DeviceRows               first;
  bool                     follows;

  SPTRSV_TRY(follows_first(plan, &follows));
  if (!follows) SPTRSV_TRY(need_order(rows, o.triangle, o.op, kept));
  else {
    SPTRSV_TRY(first.take_analysis(plan->analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE));
    SPTRSV_TRY(need_order(first.rows, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, kept));
  }
  *order = kept->unknown;
  if (!follows || !rows.backwards) return SPTRSV_SUCCESS;
  SPTRSV_TRY(memory.create(rows.needs.n));
  SPTRSV_CUDA(launch(turn_kernel, blocks_for(rows.needs.n), BLOCK, nullptr, rows.needs.n, kept->unknown, memory));
  *order = memory;
  return SPTRSV_SUCCESS;
}

} // namespace

SptrsvStatus sptrsv::strips_arrange_rows(SptrsvPlan plan, DeviceRows &own, StripsPlan *data)
{
  StripsOrder    order = {data->rows, nullptr, nullptr, nullptr, {}, 0, (double)(own.rows.needs.n / data->rows + 1), SPTRSV_STRIP_MOST};
  StripsSchedule schedule;
  Scratch<Key>   potential;
  Scratch<int>   turned;

  if (data->order == SPTRSV_STRIPS_BRICKS) SPTRSV_TRY(strips_bricks(plan, own.rows, potential, &order));
  if (data->order == SPTRSV_STRIPS_DEPTH_FIRST) SPTRSV_TRY(depth_first(plan, own.rows, turned, &order.row));
  if (plan->options.tuning.strips.schedule != SPTRSV_STRIPS_LIST) return strips_arrange(plan, own.rows, own.levels, order, data);
  SPTRSV_TRY(strips_schedule(own.rows, own.levels, order, &schedule));
  data->steps    = schedule.steps;
  order.strip    = schedule.sort.strip;
  order.strips   = schedule.sort.strips;
  own.rows.level = schedule.chunk;
  return strips_arrange(plan, own.rows, schedule.chunks, order, data);
}
