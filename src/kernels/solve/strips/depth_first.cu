/*
   An order for strips: depth first.

   Kahn's algorithm with a stack: the unknown that became ready last goes first, so unknowns follow soon after those that they need.  A
   stack has one end, so this is the host's work; the rows come from the device, cut as the plan cuts them.
*/
#include <cstdlib>
#include "arrange.cuh"

namespace {

using namespace sptrsv;

/* The graph of a sweep, host arrays: what unknown j needs, needs[begin[j]] … needs[end[j] - 1], and those that need it,
   user[user_ptr[j]] … user[user_ptr[j + 1] - 1], ascending */
struct Graph {
  int  n;
  bool backwards, diagonal; /* as in Rows and its Adjacency */
  int *begin, *end, *needs, *user_ptr, *user;
};

void destroy(Graph &g)
{
  for (int *p : {g.begin, g.end, g.needs, g.user_ptr, g.user}) free(p);
}

SptrsvStatus download(const Rows &rows, Graph &g)
{
  const Adjacency &a = rows.needs;

  g = {a.n, rows.backwards, a.diagonal, nullptr, nullptr, nullptr, nullptr, nullptr};
  SPTRSV_TRY(sptrsvHostCopy(a.begin, a.n, sizeof(int), (void **)&g.begin));
  SPTRSV_TRY(sptrsvHostCopy(a.end, a.n, sizeof(int), (void **)&g.end));
  SPTRSV_TRY(sptrsvHostCopy(a.idx, g.end[a.n - 1], sizeof(int), (void **)&g.needs));
  for (int i = 0; a.diagonal && i < g.n; i++) g.begin[i] += g.begin[i] < g.end[i] && g.needs[g.begin[i]] == i;
  return SPTRSV_SUCCESS;
}

SptrsvStatus find_users(Graph &g)
{
  SPTRSV_TRY(sptrsvNew((size_t)g.n + 2, &g.user_ptr));
  for (int i = 0; i < g.n; i++) {
    for (int e = g.begin[i]; e < g.end[i]; e++) g.user_ptr[g.needs[e] + 2]++;
  }
  for (int j = 2; j <= g.n; j++) g.user_ptr[j + 1] += g.user_ptr[j];
  SPTRSV_TRY(sptrsvNew(g.user_ptr[g.n + 1], &g.user));
  for (int i = 0; i < g.n; i++) { /* user_ptr[j + 1]: the next place of list j, in the end that of the next list */
    for (int e = g.begin[i]; e < g.end[i]; e++) g.user[g.user_ptr[g.needs[e] + 1]++] = i;
  }
  return SPTRSV_SUCCESS;
}

/* missing [n]: of what each unknown needs, what has not been taken; stack [n] */
void take(const Graph &g, int *missing, int *stack, int *order)
{
  const auto in_order = [&](int first, int count, int k) { return g.backwards ? first + count - 1 - k : first + k; };
  int        depth    = 0;

  const auto push_if_ready = [&](int i) {
    if (!missing[i]) stack[depth++] = i;
  };
  for (int i = 0; i < g.n; i++) missing[i] = g.end[i] - g.begin[i];
  for (int k = g.n - 1; k >= 0; k--) push_if_ready(in_order(0, g.n, k));
  while (depth) {
    const int j = stack[--depth], count = g.user_ptr[j + 1] - g.user_ptr[j];

    *order++ = j;
    for (int k = count - 1; k >= 0; k--) {
      const int user = g.user[in_order(g.user_ptr[j], count, k)];

      missing[user]--;
      push_if_ready(user);
    }
  }
}

} // namespace

SptrsvStatus sptrsv::strips_depth_first(const Rows &rows, Scratch<int> &order)
{
  const int    n = rows.needs.n;
  Graph        g;
  int         *host   = nullptr; /* missing, stack and order */
  SptrsvStatus status = download(rows, g);

  if (!status) status = find_users(g);
  if (!status) status = sptrsvNew(3 * (size_t)n, &host);
  if (!status) {
    take(g, host, host + n, host + 2 * (size_t)n);
    status = order.upload(host + 2 * (size_t)n, n);
  }
  free(host);
  destroy(g);
  return status;
}
