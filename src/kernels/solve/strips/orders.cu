/* The order of a plan's strips, and their schedule. */
#include "arrange.cuh"

namespace {

using namespace sptrsv;

/* Finds the depth-first order of the plan's sweep, unless auto has tried it: the host takes its time */
SptrsvStatus need_depth_first(SptrsvPlan plan, const Rows &rows, const int **order)
{
  const SptrsvPlanOptions &o    = plan->options;
  SptrsvDepthFirst        *kept = &plan->analysis->depth_first;
  int                     *unknown;

  if (!kept->unknown || kept->triangle != o.triangle || kept->op != o.op) {
    sptrsvDepthFirstFree(kept);
    SPTRSV_TRY(sptrsvScratchAllocate(&kept->memory, (size_t)rows.needs.n * sizeof(int), (void **)&unknown));
    SPTRSV_TRY(strips_depth_first(rows, unknown));
    *kept = {o.triangle, o.op, unknown, kept->memory};
  }
  *order = kept->unknown;
  return SPTRSV_SUCCESS;
}

/* If no row is cut, and the pattern is symmetric, the paths that follow an unknown are as long as its level in the sweep the other way.
   other: memory for those; *heights: NULL if it is not so */
SptrsvStatus find_heights(SptrsvPlan plan, const Rows &rows, DeviceRows &other, const int **heights)
{
  bool symmetric = false;

  *heights = nullptr;
  if (!data_of<StripsPlan>(plan)->partial_sums) SPTRSV_TRY(sptrsvDeviceSymmetric(plan->analysis, &symmetric));
  if (!symmetric) return SPTRSV_SUCCESS;
  SPTRSV_TRY(other.take_analysis(plan->analysis, rows.backwards ? SPTRSV_LOWER : SPTRSV_UPPER, SPTRSV_NON_TRANSPOSE));
  *heights = other.rows.level;
  return SPTRSV_SUCCESS;
}

/* Arranges by a schedule in place of levels */
SptrsvStatus arrange_by_list(SptrsvPlan plan, const DeviceRows &own, StripsOrder order, StripsPlan *data)
{
  Rows           rows = own.rows;
  DeviceRows     other;
  StripsSchedule schedule;
  const int     *heights;

  SPTRSV_TRY(find_heights(plan, rows, other, &heights));
  SPTRSV_TRY(strips_schedule(rows, own.levels, heights, order, &schedule));
  data->steps  = schedule.steps;
  order.strip  = schedule.sort.strip;
  order.strips = schedule.sort.strips;
  rows.level   = schedule.chunk;
  return strips_arrange(plan, rows, schedule.chunks, order, data);
}

} // namespace

SptrsvStatus sptrsv::strips_arrange_rows(SptrsvPlan plan, const DeviceRows &own, StripsPlan *data)
{
  StripsOrder  order = {data->rows, nullptr, nullptr, nullptr, {}, 0, (double)(own.rows.needs.n / data->rows + 1), SPTRSV_STRIP_MOST};
  Scratch<Key> potential;

  if (data->order == SPTRSV_STRIPS_BRICKS) SPTRSV_TRY(strips_bricks(plan, own.rows, potential, &order));
  if (data->order == SPTRSV_STRIPS_DEPTH_FIRST) SPTRSV_TRY(need_depth_first(plan, own.rows, &order.row));
  if (plan->options.tuning.strips.schedule == SPTRSV_STRIPS_LIST) return arrange_by_list(plan, own, order, data);
  return strips_arrange(plan, own.rows, own.levels, order, data);
}
