/*
   The order of a plan's strips, and their schedule.

   A symmetric pattern has one graph, which sweeps go through forwards or backwards.  A schedule of the upper sweep, reversed, is one of the
   lower sweep, with as many steps, and the other way round; and one of them may be much shorter.  So both are made, and kept for the next
   plan.  What a plan takes depends on the pattern only, and not on the plans before.
*/
#include "arrange.cuh"

namespace {

using namespace sptrsv;

constexpr double SHORTER = 1.05; /* times as many steps: enough for a schedule from the other end, which ends late where it can */

/* Whose orders a plan may take: its own sweep's or, if they are shared, those of the lower and the upper one */
struct Graph {
  DeviceRows   side[2];      /* lower and upper, as they are in the matrix; if the pattern is not symmetric, one of them alone */
  StripsCourse course[2];    /* of each order */
  int          orders, mine; /* their number; that of the plan's sweep */
};

/* What is kept of another graph goes */
void keep_for(SptrsvPlan plan, bool shared)
{
  SptrsvOrders            *kept = &plan->analysis->orders;
  const SptrsvPlanOptions &o    = plan->options;
  const int                cut  = data_of<StripsPlan>(plan)->cut;

  if (kept->shared == shared && (shared || (kept->triangle == o.triangle && kept->op == o.op && kept->cut == cut))) return;
  sptrsvOrdersFree(kept);
  kept->shared   = shared;
  kept->cut      = cut;
  kept->triangle = o.triangle;
  kept->op       = o.op;
}

/* Paths that follow a row of a symmetric pattern are as long as its level in the sweep the other way */
SptrsvStatus find_graph(SptrsvPlan plan, const DeviceRows &own, Graph *graph)
{
  static const SptrsvTriangle sides[2] = {SPTRSV_LOWER, SPTRSV_UPPER};
  const bool                  upper    = sptrsvSide(plan->options.triangle, plan->options.op) == SPTRSV_UPPER;
  bool                        symmetric, shared;

  SPTRSV_TRY(sptrsvDeviceSymmetric(plan->analysis, &symmetric));
  shared = symmetric;
  if (!symmetric) SPTRSV_TRY(graph->side[upper].take_analysis(plan->analysis, plan->options.triangle, plan->options.op));
  for (int k = 0; symmetric && k < 2; k++) {
    const SptrsvSweep *sweep;

    SPTRSV_TRY(graph->side[k].take_analysis(plan->analysis, sides[k], SPTRSV_NON_TRANSPOSE));
    SPTRSV_TRY(sptrsvAnalysisSweep(plan->analysis, sides[k], SPTRSV_NON_TRANSPOSE, &sweep));
    if (sweep->statistics.longest > data_of<StripsPlan>(plan)->cut) shared = false;
  }
  graph->orders = shared ? 2 : 1;
  graph->mine   = shared && upper;
  for (int k = 0; k < graph->orders; k++) {
    const DeviceRows &whole = graph->side[shared ? k : upper], &other = graph->side[shared ? 1 - k : !upper];

    graph->course[k] = {shared ? &whole : &own, &whole, other.rows.level, {}, plan->analysis->orders.order + k};
  }
  keep_for(plan, shared);
  return SPTRSV_SUCCESS;
}

/* Of one sweep, or of two */
SptrsvStatus find_orders(SptrsvPlan plan, StripsCourse course[], int count, Scratch<Key> potential[])
{
  const StripsPlan &data = *data_of<StripsPlan>(plan);
  const bool        deep = data.order == SPTRSV_STRIPS_DEPTH_FIRST;

  for (int k = 0; k < count; k++) {
    const Rows  &rows  = course[k].rows->rows;
    StripsOrder &order = course[k].order;

    order.rows   = data.rows;
    order.strips = rows.needs.n / data.rows + 1;
    order.most   = SPTRSV_STRIP_MOST;
    if (deep) order.row = course[k].kept->depth_first;
    if (data.order == SPTRSV_STRIPS_BRICKS) SPTRSV_TRY(strips_bricks(plan, rows, potential[k], &order));
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus need_schedules(SptrsvPlan plan, Graph &graph)
{
  const StripsPlan  &data = *data_of<StripsPlan>(plan);
  SptrsvOrder *const kept = plan->analysis->orders.order;
  Scratch<Key>       potential[2];

  if (kept->rows == data.rows && kept->of == data.order) return SPTRSV_SUCCESS;
  kept->rows = 0;
  SPTRSV_TRY(find_orders(plan, graph.course, graph.orders, potential));
  for (int k = 0; k < graph.orders; k++) {
    const size_t      n        = (size_t)graph.course[k].rows->rows.needs.n;
    const SptrsvArray arrays[] = {array_of(n, &kept[k].strip), array_of(n, &kept[k].chunk)};

    if (!kept[k].strip) SPTRSV_TRY(sptrsvDeviceArrays(&plan->analysis->orders.memory, 2, arrays));
  }
  SPTRSV_TRY(strips_schedule(graph.course, graph.orders));
  kept->rows = data.rows;
  kept->of   = data.order;
  return SPTRSV_SUCCESS;
}

/* Arranges by a schedule in place of levels */
SptrsvStatus arrange_by_list(SptrsvPlan plan, const DeviceRows &own, Graph &graph)
{
  const SptrsvOrder *const mine = plan->analysis->orders.order + graph.mine, *const other = plan->analysis->orders.order + 1 - graph.mine;
  const int    n     = own.rows.needs.n;
  Rows         rows  = own.rows;
  StripsOrder  order = {};
  Scratch<int> strip, chunk;

  SPTRSV_TRY(need_schedules(plan, graph));
  const bool         turns = graph.orders > 1 && SHORTER * other->steps < mine->steps;
  const SptrsvOrder &taken = turns ? *other : *mine;

  order.row    = taken.depth_first;
  order.strip  = taken.strip;
  order.strips = taken.strips;
  order.most   = SPTRSV_STRIP_MOST;
  rows.level   = taken.chunk;
  if (turns) { /* numbers from the other end */
    SPTRSV_TRY(create_all(n, strip, chunk));
    SPTRSV_TRY(for_each(n, [from = taken, strip = (int *)strip, chunk = (int *)chunk] __device__(int i) {
      strip[i] = from.strips - 1 - from.strip[i];
      chunk[i] = from.chunks - 1 - from.chunk[i];
    }));
    order.strip = strip;
    rows.level  = chunk;
  }
  data_of<StripsPlan>(plan)->steps = taken.steps;
  return strips_arrange(plan, rows, taken.chunks, order);
}

} // namespace

SptrsvStatus sptrsv::strips_arrange_rows(SptrsvPlan plan, const DeviceRows &own)
{
  const bool   listed = plan->options.tuning.strips.schedule == SPTRSV_STRIPS_LIST;
  const bool   deep   = data_of<StripsPlan>(plan)->order == SPTRSV_STRIPS_DEPTH_FIRST;
  Graph        graph  = {};
  Scratch<Key> potential;

  graph.course[0].rows = &own;
  if (listed || deep) SPTRSV_TRY(find_graph(plan, own, &graph));
  if (deep) SPTRSV_TRY(strips_depth_first(graph.course, graph.orders, &plan->analysis->orders.memory));
  if (listed) return arrange_by_list(plan, own, graph);
  SPTRSV_TRY(find_orders(plan, graph.course + graph.mine, 1, &potential));
  return strips_arrange(plan, own.rows, own.levels, graph.course[graph.mine].order);
}
