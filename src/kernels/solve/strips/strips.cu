/* `strips`: sweeps. */
#include "strips_kernel.cuh"

SptrsvStatus sptrsv::strips_create_teams(SptrsvPlan plan, StripsPlan *data)
{
  return create_teams<Alone>(plan, *data, &data->alone);
}

SptrsvStatus sptrsv::strips_solve(SptrsvPlan plan, const SptrsvSolve *s)
{
  const StripsPlan &data = *data_of<StripsPlan>(plan);

  return by_stored_type(plan->options, [&](auto v, auto stored) {
    return launch_strips<decltype(v), decltype(stored), Alone>(data, data.alone, *s, Solution());
  });
}
