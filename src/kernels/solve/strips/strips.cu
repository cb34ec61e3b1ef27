/* `strips`: sweeps. */
#include "strips_kernel.cuh"

SptrsvStatus sptrsv::strips_create_teams(SptrsvPlan plan, StripsPlan *data)
{
  return create_teams<Alone>(plan, *data, &data->alone);
}

SptrsvStatus sptrsv::strips_launch(const StripsPlan &plan, const SptrsvPlanOptions &options, const SptrsvSolve &s)
{
  return by_stored_type(options, [&](auto v, auto stored) {
    return launch_strips<decltype(v), decltype(stored), Alone>(plan, plan.alone, s, Solution());
  });
}
