/*
   The order of a plan's strips, and their schedule.

   Depth first is Kahn's algorithm with a stack: the unknown that became ready last goes first, so unknowns follow soon after those that
   they need.  A stack has one end, so this is the host's work.  Rows come from the device, cut as a plan cuts them.

   A symmetric pattern has one graph, which sweeps go through forwards or backwards.  A schedule of the upper sweep, reversed, is one of the
   lower sweep, with as many steps, and the other way round; and one of them may be much shorter.  So both are made, and kept for the next
   plan.  What a plan takes depends on the pattern only, and not on the plans before.
*/
#include <climits>
#include "../host/team.h"
#include "arrange.cuh"

namespace {

using namespace sptrsv;

constexpr double SHORTER = 1.05; /* times as many steps: enough for a schedule from the other end, which ends late where it can */

/* Whose orders a plan may take: its own sweep's or, if they are shared, those of the lower and the upper one */
struct Graph {
  DeviceRows   side[2];      /* lower and upper, if the pattern is symmetric */
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
  for (int k = 0; symmetric && k < 2; k++) {
    const SptrsvSweep *sweep;

    SPTRSV_TRY(graph->side[k].take_analysis(plan->analysis, sides[k], SPTRSV_NON_TRANSPOSE));
    SPTRSV_TRY(sptrsvAnalysisSweep(plan->analysis, sides[k], SPTRSV_NON_TRANSPOSE, &sweep));
    if (sweep->statistics.longest > data_of<StripsPlan>(plan)->cut) shared = false;
  }
  graph->orders = shared ? 2 : 1;
  graph->mine   = shared && upper;
  for (int k = 0; k < graph->orders; k++) {
    const Rows &other = graph->side[shared ? 1 - k : !upper].rows;

    graph->course[k] = {shared ? &graph->side[k] : &own, other.level, {}, plan->analysis->orders.order + k};
  }
  keep_for(plan, shared);
  return SPTRSV_SUCCESS;
}

/* Host arrays: how many each unknown needs, and those that need unknown j, user[user_ptr[j]] … user[user_ptr[j + 1] - 1], ascending */
struct Users {
  int            n;
  bool           backwards; /* the sweep goes from the last unknown to the first */
  unsigned char *missing;   /* [n] in bytes, since the cache holds those of larger graphs; 0 when the order is found */
  int           *user_ptr, *user;
  int           *order; /* [n] what is found, and behind it the stack, which grows towards it */
};
static_assert(SPTRSV_STRIP_ENTRIES <= UCHAR_MAX);

/* Number k of `count` unknowns that follow `first`, in the order of the sweep */
int in_order(const Users &g, int first, int count, int k)
{
  return g.backwards ? first + count - 1 - k : first + k;
}

void find(const Users &g)
{
  int top = g.n, found = 0;

  for (int k = g.n - 1; k >= 0; k--) {
    const int i = in_order(g, 0, g.n, k);

    if (!g.missing[i]) g.order[--top] = i;
  }
  while (top < g.n) {
    const int j = g.order[top++], count = g.user_ptr[j + 1] - g.user_ptr[j];

    g.order[found++] = j;
    for (int k = count - 1; k >= 0; k--) {
      const int user = g.user[in_order(g, g.user_ptr[j], count, k)];

      if (!--g.missing[user]) g.order[--top] = user;
    }
  }
}

void find_share(void *graph, int me, int members)
{
  for (int k = me; k < 2; k += members) find(((const Users *)graph)[k]);
}

template <class T> SptrsvStatus download(const Scratch<T> &d, size_t count, SptrsvMemory *memory, T **host)
{
  SPTRSV_TRY(sptrsvHostNew(memory, count, host));
  return read_back((T *)d, *host, count);
}

SptrsvStatus list_users(const Rows &rows, SptrsvMemory *memory, Users &g)
{
  const Adjacency       &needs = rows.needs;
  Scratch<int>           length, row_ptr, col_idx, user_ptr, user, source;
  Scratch<unsigned char> missing;
  int                    nnz;

  g.n         = needs.n;
  g.backwards = rows.backwards;
  SPTRSV_TRY(create_all((size_t)g.n + 1, length, row_ptr, user_ptr, missing));
  SPTRSV_CUDA(cudaMemsetAsync(length + g.n, 0, sizeof(int)));
  SPTRSV_TRY(count_lengths(needs, 1, (unsigned *)(int *)length));
  SPTRSV_TRY(exclusive_sum((int *)length, (int *)row_ptr, g.n + 1, &nnz));
  SPTRSV_TRY(create_all(nnz, col_idx, user, source));
  SPTRSV_TRY(for_each_entry(needs, [=, row_ptr = (int *)row_ptr, col_idx = (int *)col_idx] __device__(int i, int e) {
    col_idx[row_ptr[i] + e - first_of(needs, i)] = needs.idx[e];
  }));
  SPTRSV_TRY(for_each(g.n, [length = (int *)length, missing = (unsigned char *)missing] __device__(int i) {
    missing[i] = (unsigned char)length[i];
  }));
  SPTRSV_TRY(transpose_in_order(g.n, nnz, row_ptr, col_idx, user_ptr, user, source));
  SPTRSV_TRY(download(missing, g.n, memory, &g.missing));
  SPTRSV_TRY(download(user_ptr, (size_t)g.n + 1, memory, &g.user_ptr));
  SPTRSV_TRY(download(user, nnz, memory, &g.user));
  return sptrsvHostNew(memory, g.n, &g.order);
}

/* Of one sweep, or of two */
SptrsvStatus find_orders(SptrsvPlan plan, StripsCourse course[], int count, Scratch<Key> potential[])
{
  const StripsPlan &data = *data_of<StripsPlan>(plan);
  const bool        deep = data.order == SPTRSV_STRIPS_DEPTH_FIRST;

  if (deep) SPTRSV_TRY(strips_depth_first(course, count, &plan->scratch, &plan->analysis->orders.memory));
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

SptrsvStatus sptrsv::strips_depth_first(const StripsCourse course[], int count, SptrsvMemory *scratch, SptrsvMemory *memory)
{
  Users      graph[2] = {}; /* without unknowns if its order is there */
  SptrsvTeam team     = nullptr;

  for (int k = 0; k < count; k++) {
    if (!course[k].kept->depth_first) SPTRSV_TRY(list_users(course[k].rows->rows, scratch, graph[k]));
  }
  const bool together = graph[0].n && graph[1].n && sptrsvProcessors() > 1; /* a thread for each */

  if (together) SPTRSV_TRY(sptrsvTeamGet(2, &team));
  sptrsvTeamRun(team, together, find_share, graph);
  sptrsvTeamRelease(team);
  for (int k = 0; k < count; k++) {
    if (graph[k].n) SPTRSV_TRY(sptrsvUpload(memory, graph[k].order, graph[k].n, &course[k].kept->depth_first));
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsv::strips_arrange_rows(SptrsvPlan plan, const DeviceRows &own)
{
  const bool   listed = plan->options.tuning.strips.schedule == SPTRSV_STRIPS_LIST;
  const bool   deep   = data_of<StripsPlan>(plan)->order == SPTRSV_STRIPS_DEPTH_FIRST;
  const bool   both   = sptrsvProcessors() > 1; /* the other sweep's depth-first order costs no time then */
  Graph        graph  = {};
  Scratch<Key> potential[2];

  graph.course[0].rows = &own;
  graph.orders         = 1;
  if (listed || deep) SPTRSV_TRY(find_graph(plan, own, &graph));
  if (listed) return arrange_by_list(plan, own, graph);
  SPTRSV_TRY(find_orders(plan, graph.course + (both ? 0 : graph.mine), both ? graph.orders : 1, potential));
  return strips_arrange(plan, own.rows, own.levels, graph.course[graph.mine].order);
}
