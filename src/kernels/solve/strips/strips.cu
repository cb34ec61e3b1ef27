/* `strips`: its plans, and sweeps. */
#include <cmath>
#include <cstdio>
#include "../../plan/entries.cuh"
#include "arrange.cuh"
#include "forecast.cuh"
#include "strips_kernel.cuh"

namespace {

using namespace sptrsv;

constexpr int WARPS = 15; /* of a team */

constexpr auto *plan_of = data_of<StripsPlan>;

constexpr int EACH = SPTRSV_STRIP_GROUP;

/* Where values of entries come from, and what they need for it (entries.cuh) */
struct Group {
  int from[EACH], at[EACH];
};

/* Of the first EACH entries that are left, bits of those from `first` on, which then are not */
template <class Values>
__device__ __forceinline__ void find_group(const int *source, int first, unsigned &left, const Values &values, Group &group)
{
#pragma unroll
  for (int g = 0; g < EACH; g++, left &= left - 1) {
    const int entry = first + __ffs((int)left) - 1;

    group.from[g] = !left ? SPTRSV_PADDING : source ? source[entry] : entry;
  }
#pragma unroll
  for (int g = 0; g < EACH; g++) group.at[g] = values.find(group.from[g]);
}

/* Their values times the reciprocal.  An entry that is not there is 0, also if the reciprocal is infinite. */
template <class V, class Values> __device__ __forceinline__ void load_group(const Group &group, Values &values, V reciprocal, V (&v)[EACH])
{
#pragma unroll
  for (int g = 0; g < EACH; g++) v[g] = values(group.from[g], group.at[g]);
#pragma unroll
  for (int g = 0; g < EACH; g++) {
    const int from = group.from[g];

    if (from != SPTRSV_PADDING) v[g] = (from >= 0 ? v[g] : constant_of<V>(from)) * reciprocal;
  }
}

/* A thread writes the values of a place: in its record, whose other parts stay, and far ones.  Constant reciprocals are there already.  All
   loads of a group are under way at the same time, and with them the search for the next group's. */
template <class V, class S, class Values> __global__ void values_kernel(const StripsPlan plan, bool inverted, Values values)
{
  using Layout         = RecordLayout<V, S>;
  constexpr int VALUES = Layout::VALUES;

  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < plan.chunks * WARP; p += gridDim.x * blockDim.x) {
    const SptrsvStripChunk chunk = plan.chunk[p / WARP];
    const int              near = chunk.nears, far = chunk.fars;
    const int              nears = (near + EACH - 1) / EACH, groups = nears + (far + EACH - 1) / EACH;
    const int              lane = p % WARP, d = plan.diagonal_source[p], first = plan.entries[p].first;
    unsigned               near_left = plan.entries[p].near, far_left = plan.entries[p].far;
    Quad *const            record     = plan.record + chunk.record + lane;
    S *const               far_values = (S *)plan.far_values + chunk.far + lane;
    Group                  group, next;
    V                      v[EACH];
    S                      stored[EACH];

    find_group(plan.value_source, first, nears ? near_left : far_left, values, next);
    const V reciprocal = reciprocal_of<V>(values, d, inverted);
    if (d >= 0) *(V *)record = reciprocal;
    for (int k = 0; k < groups; k++) {
      const int n = k * EACH, f = n - nears * EACH;

      group = next;
      if (k + 1 < groups) find_group(plan.value_source, first, k + 1 < nears ? near_left : far_left, values, next);
      load_group(group, values, reciprocal, v);
#pragma unroll
      for (int g = 0; g < EACH; g++) stored[g] = S(v[g]);
      if (k < nears) {
#pragma unroll
        for (int g = 0; g < EACH; g += VALUES) {
          if (n + g < near) record[WARP * Layout::value_quad(n + g)] = quad_of(stored + g);
        }
      } else {
#pragma unroll
        for (int g = 0; g < EACH; g++) {
          if (f + g < far) far_values[WARP * (f + g)] = stored[g];
        }
      }
    }
  }
  values.report();
}

template <class V, class S, class Values> SptrsvStatus take_values(SptrsvPlan plan, const Values &values, SptrsvStream stream)
{
  const StripsPlan &data = *plan_of(plan);

  if (!data.chunks) return SPTRSV_SUCCESS;
  return launch_for(values_kernel<V, S, Values>, data.number_of_places, stream, data, plan->options.diagonal == SPTRSV_DIAG_INVERTED,
                    values);
}

SptrsvStatus update(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  return by_stored_type(plan->options, [&](auto v, auto stored) {
    using V = decltype(v);
    return take_values<V, decltype(stored)>(plan, Stored<V>{(const V *)values}, stream);
  });
}

SptrsvStatus invert(SptrsvPlan plan, const SptrsvPivotSweep *pivots, SptrsvStream stream)
{
  SPTRSV_TRY(by_any_type(plan->options.type, [&](auto v) {
    using V = decltype(v);
    return with_products<V>(*pivots, [&](const auto &values) { return take_values<V, V>(plan, values, stream); });
  }));
  return strips_invert(*plan_of(plan), plan->options.type, {1, pivots->diagonal, 0, pivots->inverse, 0, stream, false}, pivot_of(*pivots));
}

SptrsvStatus build(SptrsvPlan plan)
{
  const auto        &options = plan->options.tuning.strips;
  StripsPlan        *data    = plan_of(plan);
  const SptrsvSweep *sweep;
  DeviceRows         rows;

  plan->several = &strips_together;
  if (!plan->analysis->a.n) return SPTRSV_SUCCESS;
  data->rows  = options.rows ? options.rows : sptrsvStripsRows(plan->analysis->a.n);
  data->warps = options.warps ? std::max(2, options.warps) : WARPS;
  data->order = options.order ? options.order : SPTRSV_STRIPS_NATURAL;
  SPTRSV_TRY(sptrsvAnalysisSweep(plan->analysis, plan->options.triangle, plan->options.op, &sweep));
  data->cut = options.entries ? std::max(2, options.entries) : sptrsvStripsEntries(&sweep->statistics);
  SPTRSV_TRY(rows.create(plan, false, data->cut));
  data->partial_sums = rows.rows.needs.n - plan->analysis->a.n;
  SPTRSV_TRY(strips_arrange_rows(plan, rows));
  return create_teams<Alone>(plan, data);
}

SptrsvStatus solve(SptrsvPlan plan, const SptrsvSolve *s)
{
  return by_stored_type(plan->options, [&](auto v, auto stored) {
    return launch_strips<decltype(v), decltype(stored), Alone>(*plan_of(plan), *s, Solution());
  });
}

void describe(SptrsvPlan plan, char *text, size_t size)
{
  const StripsPlan &data = *plan_of(plan);

  if (data.order == SPTRSV_STRIPS_BRICKS)
    (void)snprintf(text, size, "%d bricks of %d x %d lines", data.strips, data.brick[0], data.brick[1]);
  else
    (void)snprintf(text, size, "%d strips of %d rows, %s order", data.strips, std::min(data.rows, SPTRSV_STRIP_MOST),
                   data.order == SPTRSV_STRIPS_DEPTH_FIRST ? "depth-first" : "natural");
  sptrsvAppend(text, size, ", %d chunks", data.chunks);
  if (data.steps) sptrsvAppend(text, size, " by a list schedule of %d steps", data.steps);
  sptrsvAppend(text, size, ", %d warps a team, %u resident teams, %d partial sums of long rows", data.warps, data.tickets.warps,
               data.partial_sums);
}

} // namespace

/* clang-format off */
static const SptrsvMethod strips = {
  {"strips", "this project",
   "strips of a topological order, each by a team with its values in shared memory", SPTRSV_DEVICE,
   SPTRSV_BLOCKS | SPTRSV_STORES_SINGLE, nullptr, SPTRSV_ALL_VALUES},
  sizeof(StripsPlan), build, update, solve, describe, nullptr, invert, nullptr, strips_forecast};
/* clang-format on */

const SptrsvFamily sptrsvStripsFamily = {{&strips}, nullptr, nullptr};

/* If a path crosses all strips, n / rows hops of 0.9 us are as long as rows / 32 steps of 0.075 us, which the last strip takes, with
   sqrt(384 n) rows.  A power of two, since lines of grids often are. */
int sptrsvStripsRows(int n)
{
  int rows = 256;

  while (rows < 16384 && 4.0 * rows * rows <= 384.0 * n) rows *= 2;
  return rows;
}

/* Rows that must be cut: with few entries a step is short, but there are more unknowns.  What counts are the steps of all levels, one after
   the other, and those of all chunks, some at a time. */
int sptrsvStripsEntries(const SptrsvStatistics *sweep)
{
  constexpr double AT_A_TIME = 6.5; /* fitted to sweeps of seven matrices on an H100 */
  const double     rows = (double)sweep->rows, mean = (double)sweep->nnz / rows;
  double           least = INFINITY;
  int              best  = SPTRSV_STRIP_ENTRIES;

  if (sweep->longest <= SPTRSV_STRIP_ENTRIES) return best;
  for (int entries = SPTRSV_STRIP_GROUP; entries < SPTRSV_STRIP_ENTRIES; entries *= 2) {
    const double unknowns = rows * (1 + std::max(0.0, (mean - entries) / (entries - 1)));
    const double step     = STRIPS_STEP_NS + STRIPS_GROUP_NS * (double)(entries / SPTRSV_STRIP_GROUP - 1);
    const double time     = step * ((double)sweep->levels + unknowns / (WARP * AT_A_TIME));

    if (time < least) best = entries;
    least = std::min(least, time);
  }
  return best;
}

int sptrsvStripsWidest(SptrsvPlan plan)
{
  return plan->method == &strips ? plan_of(plan)->widest : 0;
}
