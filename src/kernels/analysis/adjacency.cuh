/* A sweep's graph of dependencies on the device, as lists: for each unknown those that it needs, or for each those that need it. */
#pragma once
#include <algorithm>
#include "../device/scratch.cuh"
#include "../device/tickets.cuh"

namespace sptrsv {

struct Adjacency {
  int        n;
  const int *begin, *end, *idx; /* list i is idx[begin[i]], ..., idx[end[i] - 1] */
  bool       diagonal;          /* a list may begin with i itself, which does not count */
};

__device__ __forceinline__ int first_of(const Adjacency &a, int i)
{
  const int begin = a.begin[i];

  return begin + (a.diagonal && begin < a.end[i] && a.idx[begin] == i);
}

/* The entries of A's rows on one side of the diagonal */
inline Adjacency triangle_rows(const SptrsvAnalysis_s *a, SptrsvTriangle side)
{
  const bool lower = side == SPTRSV_LOWER;

  return {a->a.n, lower ? a->d_row_ptr : a->d_split, lower ? a->d_split : a->d_row_ptr + 1, a->d_col_idx, !lower};
}

/* Lists without gaps, as in CSR or CSC */
inline Adjacency lists(int n, const int *ptr, const int *idx)
{
  return {n, ptr, ptr + 1, idx, false};
}

/*
   The same graph with all arrows turned round, which makes CSC of CSR: ptr [n + 1], idx [capacity] and, unless it is NULL, what `payload`
   (NULL: the position) says of each entry [capacity].  Entries of a list come in any order.  In the legacy stream.

   capacity: at least the number of entries.
*/
SptrsvStatus transpose(const Adjacency &a, size_t capacity, const int *payload, Scratch<int> &ptr, Scratch<int> &idx, Scratch<int> *moved);

/* count [copies][n] = lengths of the lists; in the legacy stream */
SptrsvStatus count_lengths(const Adjacency &a, int copies, unsigned *count);

/* level [n] (device) of each unknown by Kahn's algorithm, Li 4.4.1, whose roots leave the graph in rounds (a launch for each level) or one
   by one (one launch for all).  feeds: those that need each unknown; missing [n] (device): how many each of them needs, zero in the end. */
SptrsvStatus kahn_rounds(const Adjacency &feeds, unsigned *missing, unsigned *level);
SptrsvStatus kahn_queue(const Adjacency &feeds, unsigned *missing, unsigned *level);

/* The same by waiting: needs are those of each unknown, and have smaller numbers, or greater ones if `backwards` */
SptrsvStatus levels_by_rows(const Adjacency &needs, bool backwards, unsigned *level);

/* Runs a kernel that takes n unknowns by tickets, a warp's threads one each, and waits for it.  Few warps: those that poll slow down the
   others. */
template <class... P, class... A> SptrsvStatus run_by_tickets(void (*kernel)(Tickets, P...), int n, A &&...arguments)
{
  const int groups = (n + WARP - 1) / WARP, warps = 4; /* of a block */
  size_t    ignored = 0;
  Tickets   tickets = {};
  int       processors;

  SPTRSV_TRY(count_processors(&processors));
  const int    blocks = std::max(1, std::min(2 * processors, (groups + warps - 1) / warps));
  SptrsvStatus status = tickets_create(groups, (size_t)blocks * warps, &tickets, &ignored);
  if (!status) status = sptrsvCudaStatus(launch(kernel, blocks, WARP * warps, nullptr, tickets, std::forward<A>(arguments)...));
  if (!status) status = sptrsvCudaStatus(cudaStreamSynchronize(nullptr));
  if (!status && *tickets.stalled) status = SPTRSV_STALLED;
  tickets_destroy(&tickets);
  return status;
}

} // namespace sptrsv
