/*
   An order for strips: depth first.

   Kahn's algorithm with a stack: the unknown that became ready last goes first, so unknowns follow soon after those that they need.  A
   stack has one end, so this is the host's work.  Rows come from the device, cut as a plan cuts them.
*/
#include <climits>
#include "../host/team.h"
#include "arrange.cuh"

namespace {

using namespace sptrsv;

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
  SPTRSV_TRY(create_all((size_t)g.n + 1, length, row_ptr, user_ptr));
  SPTRSV_TRY(missing.create(g.n));
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
