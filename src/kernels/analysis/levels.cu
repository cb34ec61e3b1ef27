/* Levels and potentials on the GPU, in one launch: the sweep's own dependencies, with max in place of multiply and add. */
#include <algorithm>
#include "../device/launch.cuh"
#include "../device/tickets.cuh"
#include "adjacency.cuh"

namespace {

using namespace sptrsv;

constexpr int AHEAD   = 8; /* loads of one row in flight */
constexpr int WINDOWS = 8; /* of so many entries that a row takes before the warp's other rows go on */

/* What a path is at its end, given what it is one entry before; and of two paths the longer one */
struct Levels {
  using Length                    = unsigned;
  static constexpr Length UNKNOWN = ~0u; /* not found yet */

  __device__ __forceinline__ Length after(Length before, int) const { return before + 1; }
  __device__ __forceinline__ Length longer(Length a, Length b) const { return max(a, b); }
};

/* Entries have no length: of a path the largest number that it begins with */
struct Largest : Levels {
  __device__ __forceinline__ Length after(Length before, int) const { return before; }
};

struct Potentials {
  using Length                    = unsigned long long;
  static constexpr Length UNKNOWN = ~0ull;
  int                     bound[2];

  __device__ __forceinline__ Length after(Length before, int distance) const
  {
    return before + (distance >= bound[1] ? 1ull << 32 : distance >= bound[0] ? 1 : 0);
  }
  __device__ __forceinline__ Length longer(Length a, Length b) const /* in both halves */
  {
    constexpr Length LOWER = ~0u, UPPER = ~LOWER;
    const Length     lower = (a & LOWER) > (b & LOWER) ? a : b, upper = (a & UPPER) > (b & UPPER) ? a : b;

    return (lower & LOWER) | (upper & UPPER);
  }
};

/*
   What lanes of a warp pass to each other, in the order of rows.  near: lanes of a smaller number that this row needs; asked: it has
   all that it needs of other warps.  A row that gets its length has `near` 0 after it; the others' are no longer than in the end.
*/
template <class Paths>
__device__ __forceinline__ void pass_on(const Paths &paths, int lane, bool asked, LaneMask &near, typename Paths::Length &l)
{
  using Length         = typename Paths::Length;
  const LaneMask below = LaneMask(1) << lane >> 1, upto = ALL_LANES >> (WARP - 1 - lane);

  if (!__any_sync(ALL_LANES, near && near != below)) { /* rows in chains, as in a line of a grid: max-plus prefix sums */
    const LaneMask linked = __ballot_sync(ALL_LANES, near != 0), waits = __ballot_sync(ALL_LANES, !asked);
    const int      start = 63 - __clzll((long long)(~linked & upto)); /* of the chain */
    const Length   one   = paths.after(0, 1);

    for (int step = 1; step < WARP; step *= 2) {
      const Length before = __shfl_sync(ALL_LANES, l, max(lane - step, 0));

      if (lane - step >= start) l = paths.longer(l, before + step * one);
    }
    if (!(waits & upto & (ALL_LANES << start))) near = 0;
    return;
  }
  for (int s = 0; s < WARP - 1; s++) {
    const Length before = __shfl_sync(ALL_LANES, asked && !near ? l : Paths::UNKNOWN, s);

    if (before == Paths::UNKNOWN || !(near >> s & 1)) continue;
    l = paths.longer(l, paths.after(before, lane - s));
    near ^= LaneMask(1) << s;
  }
}

/* A lane's row while its path is looked for.  Rows are numbered in the order of the sweep. */
template <class Paths> struct PathRow {
  using Length = typename Paths::Length;

  const Adjacency &needs;
  const Paths     &paths;
  Length          *length;
  const int        first, k, step; /* the warp's first row, this one, and from an entry to the next nearer one */
  int              next, left;     /* entries that were not asked for: the first one, and how many */
  int              base    = 0;    /* entries that were asked for last */
  unsigned         pending = 0;    /* those of them that are unknown */
  LaneMask         near    = 0;
  Length           l       = 0;

  __device__ __forceinline__ PathRow(const PathGraph<Length> &graph, const Paths &paths, int first, int k)
      : needs(graph.needs), paths(paths), length(graph.length), first(first), k(k), step(graph.backwards ? -1 : 1), next(0), left(0)
  {
    if (k >= needs.n) return;
    const int begin = first_of(needs, unknown(k)), end = needs.end[unknown(k)];

    left = end - begin;
    next = graph.backwards ? end - 1 : begin;
    if (graph.least) l = graph.least[unknown(k)];
  }

  /* The k-th unknown, and the place of an unknown in this order */
  __device__ __forceinline__ int unknown(int place) const { return step < 0 ? needs.n - 1 - place : place; }

  __device__ __forceinline__ bool asks() const { return left && !pending; }

  __device__ __forceinline__ void take(Length before, int place) { l = paths.longer(l, paths.after(before, k - place)); }

  /* Takes the next entries, and leaves those that are unknown pending */
  __device__ __forceinline__ void ask(const Waiter &turn)
  {
    const int count = min(left, AHEAD);
    int       place[AHEAD];
    Length    needed[AHEAD];

#pragma unroll
    for (int q = 0; q < AHEAD; q++) {
      place[q]  = q < count ? unknown(needs.idx[next + step * q]) : k;
      needed[q] = place[q] < first ? load_relaxed(length + unknown(place[q])) : Paths::UNKNOWN;
    }
#pragma unroll
    for (int q = 0; q < AHEAD; q++) {
      if (place[q] < first) {
        if (needed[q] == Paths::UNKNOWN) pending |= 1u << q;
        else take(needed[q], place[q]);
      } else if (q < count) near |= LaneMask(1) << (place[q] - first);
    }
    turn.work_goes_on((unsigned)next, AHEAD);
    base = next;
    next += step * count;
    left -= count;
  }

  /* Asks again for the first entry that is pending.  True: no other is. */
  __device__ __forceinline__ bool look()
  {
    if (!pending) return false;
    const int    place  = unknown(needs.idx[base + step * (__ffs((int)pending) - 1)]);
    const Length before = load_relaxed(length + unknown(place));

    if (before == Paths::UNKNOWN) return false;
    take(before, place);
    pending &= pending - 1;
    return !pending;
  }
};

/* Up to two, of equally many unknowns.  Where a launch is bounded by waits, as on most patterns, it takes as long for two. */
template <class Length> struct PathGraphs {
  PathGraph<Length> graph[2];
  int               count;
};

/*
   A thread per row.  Lanes take what rows of other warps have found, and wait for what they have not.  As soon as a lane lacks nothing of
   other warps, what is found passes from lane to lane, so that a chain of rows of the warp takes one round.  Rows that have all they need
   are published at the end of the round.  The others wait for rows of this warp or of warps with earlier tickets, so every wait ends.
*/
template <class Paths> __global__ void paths_kernel(Tickets tickets, const PathGraphs<typename Paths::Length> graphs, Paths paths)
{
  using Length   = typename Paths::Length;
  const int lane = threadIdx.x % WARP;
  Turn      turn(tickets, lane);

  for (unsigned g = turn.start; g < tickets.work; g = turn.share(turn.take())) {
    const PathGraph<Length> graph = g % graphs.count ? graphs.graph[1] : graphs.graph[0];
    const int               first = (int)g / graphs.count * WARP;
    PathRow<Paths>          row(graph, paths, first, first + lane);
    bool                    mine = row.k < graph.needs.n, asked = false;

    while (__any_sync(ALL_LANES, mine)) {
      for (int windows = 0; windows < WINDOWS && row.asks(); windows++) row.ask(turn);
      const bool news = !asked && !row.left && !row.pending;
      asked           = asked || news;
      if (__any_sync(ALL_LANES, news) && __any_sync(ALL_LANES, row.near != 0)) pass_on(paths, lane, asked, row.near, row.l);
      if (mine && asked && !row.near) {
        store_relaxed(graph.length + row.unknown(row.k), row.l);
        mine = false;
      }
      if (!__any_sync(ALL_LANES, mine) || __any_sync(ALL_LANES, row.asks())) continue;
      bool over = false;
      while (!__any_sync(ALL_LANES, row.look() || over)) over = !turn.stays() && turn.gives_up();
      if (__any_sync(ALL_LANES, over)) row.left = row.pending = row.near = 0;
    }
  }
}

template <class Paths> SptrsvStatus find_paths(const PathGraphs<typename Paths::Length> &graphs, const Paths &paths)
{
  const int    n = graphs.graph[0].needs.n, groups = graphs.count * ((n + WARP - 1) / WARP), warps = 4; /* of a block */
  ScopedMemory memory;
  Tickets      tickets;
  int          processors;

  for (int k = 0; k < graphs.count; k++)
    SPTRSV_CUDA(cudaMemsetAsync(graphs.graph[k].length, 0xff, (size_t)n * sizeof(typename Paths::Length)));
  SPTRSV_TRY(count_processors(&processors));
  const int blocks = std::max(1, std::min(8 * processors, (groups + warps - 1) / warps)); /* more poll in each other's way */
  SPTRSV_TRY(tickets_create(&memory, groups, (size_t)blocks * warps, &tickets));
  SPTRSV_CUDA(launch(paths_kernel<Paths>, blocks, WARP * warps, nullptr, tickets, graphs, paths));
  SPTRSV_CUDA(cudaStreamSynchronize(nullptr));
  return *tickets.stalled ? SPTRSV_STALLED : SPTRSV_SUCCESS;
}

struct Measured {
  unsigned long long nnz;
  int                longest, last; /* of the rows and of the levels */
};

__global__ void measure_kernel(Adjacency needs, const int *level, Measured *sum)
{
  Measured own = {};

  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < needs.n; i += gridDim.x * blockDim.x) {
    const int length = needs.end[i] - first_of(needs, i);

    own.nnz += (unsigned long long)length;
    own.longest = max(own.longest, length);
    own.last    = max(own.last, level[i]);
  }
  add_by_warp(&sum->nnz, own.nnz);
  raise_by_warp(&sum->longest, own.longest);
  raise_by_warp(&sum->last, own.last);
}

} // namespace

SptrsvStatus sptrsv::levels_by_rows(const Adjacency &needs, bool backwards, unsigned *level)
{
  return find_paths({{{needs, backwards, level}}, 1}, Levels());
}

SptrsvStatus sptrsv::largest_of_paths(const PathGraph<unsigned> graph[], int count)
{
  return find_paths({{graph[0], graph[count - 1]}, count}, Largest());
}

SptrsvStatus sptrsv::potentials_by_rows(const Adjacency &needs, bool backwards, const int bound[2], unsigned long long *potential)
{
  return find_paths({{{needs, backwards, potential}}, 1}, Potentials{{bound[0], bound[1]}});
}

SptrsvStatus sptrsv::count_levels(const Adjacency &needs, const int *level, SptrsvMemory *memory, SptrsvStatistics *statistics,
                                  int **level_ptr)
{
  Scratch<Measured> d_sum;
  Scratch<int>      count;
  Measured          sum;
  int              *ptr;

  SPTRSV_TRY(d_sum.create(1));
  SPTRSV_CUDA(cudaMemsetAsync(d_sum, 0, sizeof(sum), nullptr)); /* an upload would wait for the levels */
  SPTRSV_TRY(launch_for(measure_kernel, std::min((size_t)needs.n, MOST_ENDING), nullptr, needs, level, d_sum));
  SPTRSV_TRY(read_back((Measured *)d_sum, &sum));
  statistics->nnz     = (int64_t)sum.nnz;
  statistics->longest = sum.longest;
  const int levels    = sum.last + 1;
  statistics->levels  = levels;
  SPTRSV_TRY(count.create((size_t)levels + 1));
  SPTRSV_CUDA(cudaMemsetAsync(count, 0, ((size_t)levels + 1) * sizeof(int), nullptr));
  SPTRSV_TRY(for_each(needs.n, [=, count = (int *)count] __device__(int i) { add_relaxed(count + level[i] + 1, 1); }));
  SPTRSV_TRY(sptrsvHostNew(memory, levels + 1, &ptr));
  SPTRSV_TRY(read_back((int *)count, ptr, (size_t)levels + 1));
  for (int l = 0; l < levels; l++) ptr[l + 1] += ptr[l];
  *level_ptr = ptr;
  return SPTRSV_SUCCESS;
}

/* What an attempt that failed has left is there already; the sweep that is asked for comes last, so that the next attempt is made */
SptrsvStatus sptrsvDeviceLevels(SptrsvAnalysis analysis, SptrsvTriangle asked, SptrsvOperation op)
{
  const int            n      = analysis->a.n;
  PathGraphs<unsigned> graphs = {{}, 2};

  if (op == SPTRSV_TRANSPOSE) SPTRSV_TRY(sptrsvDeviceTranspose(analysis));
  for (int k = 0; k < 2; k++) {
    const auto triangle = (SptrsvTriangle)k;
    int      *&d_level  = analysis->sweep[k][op].d_level;

    if (!d_level) SPTRSV_TRY(sptrsvDeviceNew(&analysis->memory, n, &d_level));
    graphs.graph[k] = {sweep_rows(analysis, triangle, op), sptrsvSide(triangle, op) == SPTRSV_UPPER, (unsigned *)d_level};
  }
  SPTRSV_TRY(find_paths(graphs, Levels()));
  for (const int k : {1 - (int)asked, (int)asked}) {
    SptrsvSweep &s = analysis->sweep[k][op];

    if (s.level_ptr) continue;
    SPTRSV_TRY(count_levels(graphs.graph[k].needs, s.d_level, &analysis->memory, &s.statistics, &s.level_ptr));
    sptrsvSweepFinish(analysis, &s);
  }
  return SPTRSV_SUCCESS;
}
