/*
   Levels on the GPU by Kahn's algorithm (Li, 4.4.1): roots, which need nobody any more, are put into a queue, and whoever is taken from the
   queue leaves the graph with its edges, which makes new roots.

   kahn_rounds   as published: a launch for each level, and a copy that says how many roots there are
   kahn_queue    one launch for all levels: a root is taken as soon as it is in the queue
*/
#include "../../analysis/adjacency.cuh"

namespace sptrsv {

namespace {

/* FIND_LEVEL0 */
__global__ void find_level0_kernel(int n, const unsigned *missing, unsigned *level, int *jlev, int *last)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (missing[i]) continue;
    level[i]                 = 0;
    jlev[atomicAdd(last, 1)] = i;
  }
}

/* FIND_LEVEL: a warp for each root of the level, which is jlev[first], ..., jlev[end - 1] */
__global__ void find_level_kernel(Adjacency feeds, int first, int end, unsigned next_level, unsigned *missing, unsigned *level, int *jlev,
                                  int *last)
{
  const int lane = threadIdx.x % WARP;

  for (int k = first + (blockIdx.x * blockDim.x + threadIdx.x) / WARP; k < end; k += gridDim.x * blockDim.x / WARP) {
    const int i = jlev[k];

    for (int e = first_of(feeds, i) + lane; e < feeds.end[i]; e += WARP) {
      const int j = feeds.idx[e];

      if (atomicSub(missing + j, 1u) != 1) continue;
      level[j]                 = next_level;
      jlev[atomicAdd(last, 1)] = j;
    }
  }
}

/* The graph, and its roots in the order in which they were found, with their levels: one word, so that both arrive together */
struct Kahn {
  Adjacency           feeds;
  unsigned           *missing, *level; /* [n] */
  unsigned long long *queue;           /* [n] level << 32 | unknown, or EMPTY */
  unsigned           *last;            /* places of the queue that are given away */
};
constexpr unsigned long long EMPTY = ~0ull;

__device__ __forceinline__ void append(const Kahn &g, unsigned level, int i)
{
  store_relaxed(g.queue + atomicAdd(g.last, 1u), (unsigned long long)level << 32 | (unsigned)i);
}

__global__ void roots_kernel(Kahn g)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < g.feeds.n; i += gridDim.x * blockDim.x) {
    if (!g.missing[i]) append(g, 0, i);
  }
}

/* An edge into j, which is at least in level l then.  Whoever removes the last edge acquires what the others released, so the level that it
   reads is final. */
__device__ __forceinline__ void remove_edge(const Kahn &g, int j, unsigned l)
{
  atomicMax(g.level + j, l);
  if (subtract_acquire_release(g.missing + j, 1) == 1) append(g, load_relaxed(g.level + j), j);
}

/* All edges from what this lane has found, a root or EMPTY; every lane takes part, so that long lists are done by the whole warp */
__device__ __forceinline__ void remove_edges(const Kahn &g, unsigned long long found, int lane)
{
  const int      i = (int)(unsigned)found, begin = found == EMPTY ? 0 : first_of(g.feeds, i), end = found == EMPTY ? 0 : g.feeds.end[i];
  const unsigned l          = (unsigned)(found >> 32) + 1;
  const bool     wide       = end - begin > WARP;
  const LaneMask wide_lanes = __ballot_sync(ALL_LANES, wide);

  for (int e = begin; !wide && e < end; e++) remove_edge(g, g.feeds.idx[e], l);
  for (int from = 0; from < WARP && wide_lanes >> from; from++) {
    if (!(wide_lanes >> from & 1)) continue;
    const int      its_begin = __shfl_sync(ALL_LANES, begin, from), its_end = __shfl_sync(ALL_LANES, end, from);
    const unsigned its_l = __shfl_sync(ALL_LANES, l, from);
    for (int e = its_begin + lane; e < its_end; e += WARP) remove_edge(g, g.feeds.idx[e], its_l);
  }
}

/*
   A thread for each place of the queue, a warp for WARP of them in a row.  The wait for place k ends: suppose that the places before it
   were filled and their unknowns have left the graph.  It has no cycle, so one of the others, if there are others, needs none of them.  Who
   removed its last edge has put it into the queue, hence into place k or a later one, and places are given away without gaps.  The places
   before k have earlier tickets, or lanes of this warp, which go round the same loop.
*/
__global__ void queue_kernel(Tickets tickets, Kahn g)
{
  const int lane = threadIdx.x % WARP;
  Turn      turn(tickets, lane);

  for (unsigned t = turn.start; t < tickets.work; t = turn.share(turn.take())) {
    const int k       = (int)t * WARP + lane;
    bool      waiting = k < g.feeds.n;
    unsigned  rounds  = 0;

    while (__any_sync(ALL_LANES, waiting)) {
      const unsigned long long found = waiting ? load_relaxed(g.queue + k) : EMPTY;

      remove_edges(g, found, lane);
      waiting = waiting && found == EMPTY;
      if (waiting && ++rounds >= turn.limit && turn.gives_up(rounds)) waiting = false;
    }
  }
}

} // namespace

SptrsvStatus kahn_rounds(const Adjacency &feeds, unsigned *missing, unsigned *level)
{
  Scratch<int> jlev, last;
  int          first = 0, end = 0;

  SPTRSV_TRY(jlev.create(feeds.n));
  SPTRSV_TRY(last.create(1));
  SPTRSV_CUDA(cudaMemsetAsync(last, 0, sizeof(int)));
  SPTRSV_CUDA(launch(find_level0_kernel, blocks_for(feeds.n), BLOCK, nullptr, feeds.n, missing, level, jlev, last));
  SPTRSV_TRY(read_back((int *)last, &end));
  for (unsigned next_level = 1; end < feeds.n; next_level++) {
    SPTRSV_CUDA(launch(find_level_kernel, blocks_for((size_t)(end - first) * WARP), BLOCK, nullptr, feeds, first, end, next_level, missing,
                       level, jlev, last));
    first = end;
    SPTRSV_TRY(read_back((int *)last, &end));
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus kahn_queue(const Adjacency &feeds, unsigned *missing, unsigned *level)
{
  const int                   n = feeds.n;
  Scratch<unsigned long long> queue;
  Scratch<unsigned>           last;

  SPTRSV_TRY(queue.create(n));
  SPTRSV_TRY(last.create(1));
  SPTRSV_CUDA(cudaMemsetAsync(queue, 0xff, (size_t)n * sizeof(unsigned long long)));
  SPTRSV_CUDA(cudaMemsetAsync(last, 0, sizeof(unsigned)));
  SPTRSV_CUDA(cudaMemsetAsync(level, 0, (size_t)n * sizeof(unsigned)));
  const Kahn g = {feeds, missing, level, queue, last};
  SPTRSV_CUDA(launch(roots_kernel, blocks_for(n), BLOCK, nullptr, g));
  return run_by_tickets(queue_kernel, n, g);
}

} // namespace sptrsv
