/*
   An order for strips: depth first.

   Kahn's algorithm with a stack: the unknown that became ready last goes first, so unknowns follow soon after those that they need.  A
   stack has one end, so this is the host's work.
*/
#include "../host/team.h"
#include "strips.h"

typedef struct {
  const SptrsvUsers *graph;
  int                count;
} Orders;

/* Number k of `count` unknowns that follow `first`, in the order of the sweep */
static int in_order(const SptrsvUsers *g, int first, int count, int k)
{
  return g->backwards ? first + count - 1 - k : first + k;
}

static void find(const SptrsvUsers *g)
{
  int depth = 0, found = 0;

  for (int k = g->n - 1; k >= 0; k--) {
    const int i = in_order(g, 0, g->n, k);

    if (!g->missing[i]) g->stack[depth++] = i;
  }
  while (depth) {
    const int j = g->stack[--depth], count = g->user_ptr[j + 1] - g->user_ptr[j];

    g->order[found++] = j;
    for (int k = count - 1; k >= 0; k--) {
      const int user = g->user[in_order(g, g->user_ptr[j], count, k)];

      if (!--g->missing[user]) g->stack[depth++] = user;
    }
  }
}

static void find_share(void *context, int me, int members)
{
  const Orders *orders = (const Orders *)context;

  for (int k = me; k < orders->count; k += members) find(orders->graph + k);
}

SptrsvStatus sptrsvDepthFirst(const SptrsvUsers graph[], int count)
{
  const bool together = count > 1 && sptrsvProcessors() > 1;
  Orders     orders   = {graph, count};
  SptrsvTeam team     = NULL;

  if (together) SPTRSV_TRY(sptrsvTeamGet(count, &team));
  sptrsvTeamRun(team, together, find_share, &orders);
  sptrsvTeamRelease(team);
  return SPTRSV_SUCCESS;
}
