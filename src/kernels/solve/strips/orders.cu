/*
   Orders for strips that take their time to find: depth first, and list schedules.

   They are kept for the next plan that auto tries, and for the matrix's other sweeps.  If the pattern is symmetric, the graph of the upper
   sweep is that of the lower one turned round, and so is an order of it: a schedule that is followed from its end has as many steps.
*/
#include "arrange.cuh"

namespace {

using namespace sptrsv;

/* The sweep for which an order is found: the plan's, or the first one, whose order the plan's sweep follows, turned or not */
struct Origin {
  SptrsvTriangle    triangle;
  SptrsvOperation   op;
  const DeviceRows *rows;
  bool              turned;
};

__global__ void turn_order_kernel(int n, const int *order, int *turned)
{
  for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < n; q += gridDim.x * blockDim.x) turned[q] = order[n - 1 - q];
}

__global__ void turn_numbers_kernel(int n, const int *number, int numbers, int *turned)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) turned[i] = numbers - 1 - number[i];
}

/* Where no row was cut, unknowns of all sweeps are rows */
SptrsvStatus follows_first(SptrsvPlan plan, bool *follows)
{
  const SptrsvPlanOptions &o = plan->options;
  const SptrsvSweep       *first;

  *follows = false;
  if (sptrsvIsFirstSweep(o.triangle, o.op) || data_of<StripsPlan>(plan)->order == SPTRSV_STRIPS_BRICKS) return SPTRSV_SUCCESS;
  if (data_of<StripsPlan>(plan)->partial_sums) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvAnalysisSweep(plan->analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &first));
  if (first->statistics.longest > SPTRSV_STRIP_ENTRIES) return SPTRSV_SUCCESS;
  return sptrsvDeviceSymmetric(plan->analysis, follows);
}

/* The orders that are kept, emptied if they are of another sweep */
SptrsvOrders &orders_of(SptrsvPlan plan, const Origin &origin)
{
  SptrsvOrders &kept = plan->analysis->orders;

  if (kept.triangle != origin.triangle || kept.op != origin.op) sptrsvOrdersFree(&kept);
  kept.triangle = origin.triangle;
  kept.op       = origin.op;
  return kept;
}

SptrsvStatus need_depth_first(const Origin &origin, SptrsvOrders *kept)
{
  int *order;

  if (kept->depth_first) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvDeviceNew(&kept->memory, origin.rows->rows.needs.n, &order));
  SPTRSV_TRY(strips_depth_first(origin.rows->rows, order));
  kept->depth_first = order;
  return SPTRSV_SUCCESS;
}

SptrsvStatus need_schedule(const Origin &origin, const StripsPlan &data, const StripsOrder &order, SptrsvOrders *kept)
{
  const size_t   n = (size_t)origin.rows->rows.needs.n;
  StripsSchedule schedule;

  if (kept->rows == data.rows && kept->order == data.order) return SPTRSV_SUCCESS;
  kept->rows = 0;
  SPTRSV_TRY(strips_schedule(origin.rows->rows, origin.rows->levels, order, &schedule));
  if (!kept->strip) SPTRSV_TRY(sptrsvDeviceNew(&kept->memory, n, &kept->strip));
  if (!kept->chunk) SPTRSV_TRY(sptrsvDeviceNew(&kept->memory, n, &kept->chunk));
  SPTRSV_CUDA(cudaMemcpyAsync(kept->strip, schedule.sort.strip, n * sizeof(int), cudaMemcpyDeviceToDevice, nullptr));
  SPTRSV_CUDA(cudaMemcpyAsync(kept->chunk, schedule.chunk, n * sizeof(int), cudaMemcpyDeviceToDevice, nullptr));
  kept->strips = schedule.sort.strips;
  kept->chunks = schedule.chunks;
  kept->steps  = schedule.steps;
  kept->order  = data.order;
  kept->rows   = data.rows;
  return SPTRSV_SUCCESS;
}

SptrsvStatus turn_order(int n, Scratch<int> &memory, const int **order)
{
  SPTRSV_TRY(memory.create(n));
  SPTRSV_CUDA(launch(turn_order_kernel, blocks_for(n), BLOCK, nullptr, n, *order, memory));
  *order = memory;
  return SPTRSV_SUCCESS;
}

SptrsvStatus turn_numbers(int n, int numbers, Scratch<int> &memory, const int **number)
{
  SPTRSV_TRY(memory.create(n));
  SPTRSV_CUDA(launch(turn_numbers_kernel, blocks_for(n), BLOCK, nullptr, n, *number, numbers, memory));
  *number = memory;
  return SPTRSV_SUCCESS;
}

/* In place of levels the steps of the schedule */
SptrsvStatus arrange_by_schedule(SptrsvPlan plan, const Origin &origin, const SptrsvOrders &kept, Rows rows, StripsPlan *data)
{
  StripsOrder  order = strips_order(rows, *data);
  Scratch<int> strip, chunk;

  order.strip  = kept.strip;
  order.strips = kept.strips;
  rows.level   = kept.chunk;
  data->steps  = kept.steps;
  if (origin.turned) {
    SPTRSV_TRY(turn_numbers(rows.needs.n, kept.strips, strip, &order.strip));
    SPTRSV_TRY(turn_numbers(rows.needs.n, kept.chunks, chunk, &rows.level));
  }
  return strips_arrange(plan, rows, kept.chunks, order, data);
}

SptrsvStatus arrange_as(SptrsvPlan plan, const Origin &origin, const DeviceRows &own, StripsPlan *data)
{
  SptrsvOrders &kept  = orders_of(plan, origin);
  StripsOrder   order = strips_order(origin.rows->rows, *data);
  Scratch<Key>  potential;
  Scratch<int>  turned;

  if (data->order == SPTRSV_STRIPS_BRICKS) SPTRSV_TRY(strips_bricks(plan, origin.rows->rows, potential, &order));
  if (data->order == SPTRSV_STRIPS_DEPTH_FIRST) {
    SPTRSV_TRY(need_depth_first(origin, &kept));
    order.row = kept.depth_first;
  }
  if (plan->options.tuning.strips.schedule == SPTRSV_STRIPS_LIST) {
    SPTRSV_TRY(need_schedule(origin, *data, order, &kept));
    return arrange_by_schedule(plan, origin, kept, own.rows, data);
  }
  if (origin.turned) SPTRSV_TRY(turn_order(own.rows.needs.n, turned, &order.row));
  return strips_arrange(plan, own.rows, own.levels, order, data);
}

} // namespace

SptrsvStatus sptrsv::strips_arrange_by_order(SptrsvPlan plan, const DeviceRows &own, StripsPlan *data)
{
  const SptrsvPlanOptions &o = plan->options;
  DeviceRows               first;
  bool                     follows;

  SPTRSV_TRY(follows_first(plan, &follows));
  if (!follows) return arrange_as(plan, {o.triangle, o.op, &own, false}, own, data);
  SPTRSV_TRY(first.take_analysis(plan->analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE));
  return arrange_as(plan, {SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &first, own.rows.backwards}, own, data);
}
