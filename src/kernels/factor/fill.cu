/*
   Levels of fill on the device, as fill.c tells what they are: a round for each level, in which all rows are made at once.

   Level l of an entry that is not A's is lev(i,k) + lev(k,j) + 1 for some k < min(i,j), and both of these levels are lower.  So once all
   entries of levels below l are there, those of level l are the columns of such pairs that the row does not have yet.
*/
#include <algorithm>
#include <climits>
#include <cstdlib>
#include <utility>
#include "methods.cuh"

/* Rows with more entries left of the diagonal than the first number are long.  Words of a warp that has a row alone, and of one in a block
   that has a long row: a bit for each column of a window.  The emulator's numbers are so small that small matrices have long rows, and rows
   several windows. */
#if !defined(SPTRSV_FILL_LONG)
  #define SPTRSV_FILL_LONG        256
  #define SPTRSV_FILL_WARP_WORDS  SPTRSV_WARP
  #define SPTRSV_FILL_BLOCK_WORDS 512
#endif

namespace {

using namespace sptrsv;

/* The threads that have a row */
template <int NUMBER, int EACH> struct Team {
  static constexpr int WARPS = NUMBER, THREADS = WARPS * WARP, WORDS = EACH, COLUMNS = WARPS * WORDS * WARP;

  __device__ static void sync()
  {
    if (WARPS > 1) __syncthreads();
    else __syncwarp();
  }
};
using OneWarp  = Team<1, SPTRSV_FILL_WARP_WORDS>;
using OneBlock = Team<BLOCK / WARP, SPTRSV_FILL_BLOCK_WORDS>; /* of a long row */

constexpr size_t MOST_WARPS = 1 << 16, MOST_LONG = 1 << 10; /* teams of a launch; each ends with an atomic on one place */

/* A pattern, and what a round has to know of its entries */
struct Filled {
  FactorPattern  f;
  unsigned char *level_of; /* [nnz]; NULL: all entries are A's, or no round follows */
};

/* What a round begins with */
struct Round : Filled {
  int level; /* that the round adds */
};

struct LongRows {
  int *row, *count; /* in any order; [1] */
};

/* Columns of one row from `start` on, in shared memory */
template <class Team> struct Window {
  static constexpr int WORDS = Team::WARPS * Team::WORDS;

  LaneMask has[WORDS], had[WORDS]; /* marks of those that the row has after the round, and before */
  int      next;                   /* no column between the window and this one is the row's; INT_MAX: none behind the window is */
};

__device__ __forceinline__ int level_at(const Round &now, int e)
{
  return now.level_of ? now.level_of[e] : 0;
}

__device__ __forceinline__ bool is_long(const FactorPattern &f, int i)
{
  return f.split[i] - f.row_ptr[i] > SPTRSV_FILL_LONG;
}

__device__ __forceinline__ void mark(LaneMask *marks, int column)
{
  atomicOr(marks + column / WARP, LaneMask(1) << column % WARP);
}

/* A thread's share of row i's columns in the window, and the first one that it sees behind */
template <class Team> __device__ __forceinline__ int mark_columns(const Round &now, int i, int start, Window<Team> &window)
{
  const FactorPattern &f     = now.f;
  const int            begin = f.row_ptr[i], split = f.split[i], end = f.row_ptr[i + 1], stop = start + Team::COLUMNS;
  const int            rank = threadIdx.x % Team::THREADS;
  int                  next = INT_MAX;

  for (int e = first_at_least(f.col_idx, begin, end, start) + rank; e < end && next == INT_MAX; e += Team::THREADS) {
    const int j = f.col_idx[e];

    if (j < stop) {
      mark(window.has, j - start);
      mark(window.had, j - start);
    } else next = j;
  }
  for (int p = begin + rank; p < split && f.col_idx[p] < stop; p += Team::THREADS) {
    const int k = f.col_idx[p], last = f.row_ptr[k + 1], wanted = now.level - 1 - level_at(now, p);

    for (int q = first_at_least(f.col_idx, f.split[k] + 1, last, start); q < last; q++) {
      const int j = f.col_idx[q];

      if (j >= stop) {
        next = min(next, j);
        break;
      }
      if (level_at(now, q) == wanted) mark(window.has, j - start);
    }
  }
  return next;
}

/* Windows over row i, from its first column on: work(start) of each, by the whole team */
template <class Team, class F> __device__ __forceinline__ void for_windows(const Round &now, int i, Window<Team> &window, F work)
{
  const int rank = threadIdx.x % Team::THREADS;

  for (int start = now.f.col_idx[now.f.row_ptr[i]]; start < INT_MAX;) {
    for (int w = rank; w < window.WORDS; w += Team::THREADS) window.has[w] = window.had[w] = 0;
    if (!rank) window.next = INT_MAX;
    Team::sync();
    const int next = mark_columns(now, i, start, window);
    if (next < INT_MAX) atomicMin(&window.next, next);
    Team::sync();
    work(start);
    start = window.next;
    Team::sync(); /* all have read the window */
  }
}

/* Rows of the team's kind, each by a whole team: work(row, window) */
template <class Team, class F> __device__ __forceinline__ void for_rows(const Round &now, const LongRows &rows, F work)
{
  __shared__ Window<Team> windows[BLOCK / Team::THREADS];
  const bool              all    = Team::WARPS == 1;
  const int               count  = all ? now.f.n : *rows.count;
  Window<Team>           &window = windows[threadIdx.x / Team::THREADS];

  for (int k = (blockIdx.x * blockDim.x + threadIdx.x) / Team::THREADS; k < count; k += gridDim.x * blockDim.x / Team::THREADS) {
    const int i = all ? k : rows.row[k];

    if (!all || !is_long(now.f, i)) work(i, window);
  }
}

/* Marks in the first words, by a warp */
__device__ __forceinline__ int count_marks(const LaneMask *marks, int words)
{
  int own = 0;

  for (int w = threadIdx.x % WARP; w < words; w += WARP) own += count_lanes(marks[w]);
  return sum_over(WARP, own);
}

/* length [n], zero before: entries of each row; total: of all */
template <class Team> __global__ void count_kernel(Round now, LongRows rows, int *length, unsigned long long *total)
{
  const bool         first = threadIdx.x % Team::THREADS == 0;
  unsigned long long sum   = 0;

  for_rows<Team>(now, rows, [&](int i, Window<Team> &window) {
    int entries = 0;

    for_windows(now, i, window, [&](int) { entries += count_marks(window.has, window.WORDS); });
    if (first) length[i] = entries;
    sum += (unsigned long long)entries;
  });
  if (first) add_relaxed(total, sum);
}

/* Entries of the window, each warp those of its own words.  to, from: positions of the window's first entry, and of the first that the row
   had in it; then of the next window's */
template <class Team> __device__ __forceinline__ void put_entries(const Round &now, const Filled &next, int i, int start,
                                                                  const Window<Team> &window, int *to, int *from)
{
  const int lane = threadIdx.x % WARP, first = threadIdx.x % Team::THREADS / WARP * Team::WORDS;
  int       e = *to + (first ? count_marks(window.has, first) : 0), old = *from + (first ? count_marks(window.had, first) : 0);

  for (int begin = first; begin < first + Team::WORDS; begin += WARP) {
    LaneMask words = __ballot_sync(ALL_LANES, begin + lane < first + Team::WORDS && window.has[begin + lane]);

    for (; words; words &= words - 1) { /* from the lowest one on */
      const int      w = begin + count_lanes(~words & (words - 1)), j = start + w * WARP + lane;
      const LaneMask has = window.has[w], had = window.had[w];

      if (has >> lane & 1) {
        const int  place = e + count_lanes_before(has, lane), before = old + count_lanes_before(had, lane);
        const bool was = had >> lane & 1;

        next.f.col_idx[place] = j;
        next.f.source[place]  = !was ? SPTRSV_FILL : now.f.source ? now.f.source[before] : before;
        if (next.level_of) next.level_of[place] = (unsigned char)(was ? level_at(now, before) : now.level);
        if (j == i) next.f.split[i] = place;
      }
      e += count_lanes(has);
      old += count_lanes(had);
    }
  }
  *to   = Team::WARPS == 1 ? e : *to + count_marks(window.has, window.WORDS);
  *from = Team::WARPS == 1 ? old : *from + count_marks(window.had, window.WORDS);
}

template <class Team> __global__ void entries_kernel(Round now, LongRows rows, Filled next)
{
  for_rows<Team>(now, rows, [&](int i, Window<Team> &window) {
    int to = next.f.row_ptr[i], from = now.f.row_ptr[i];

    for_windows(now, i, window, [&](int start) { put_entries(now, next, i, start, window, &to, &from); });
  });
}

/* ---------------------------------------------------------- the rounds --------------------------------------------------------- */

struct Stage : Filled {
  ScopedMemory lasting, scratch; /* of the pattern with its source, which the factor may take over, and of the levels */
};

/* A kernel for either kind of rows.  No more rows are long than there is room for. */
template <class... P, class... A>
SptrsvStatus launch_both(void (*warps)(P...), void (*blocks)(P...), const Round &now, int room, const A &...arguments)
{
  SPTRSV_TRY(launch_for(warps, std::min((size_t)now.f.n, MOST_WARPS) * WARP, nullptr, now, arguments...));
  return sptrsvCudaStatus(launch(blocks, (int)std::min({MOST_BLOCKS, MOST_LONG, (size_t)room}), BLOCK, nullptr, now, arguments...));
}

/* next: with the entries of the round's level; empty if there are none */
SptrsvStatus add_level(const Round &now, bool last, Stage *next)
{
  FactorPattern     &f = next->f;
  const int          n = now.f.n, room = now.f.nnz / SPTRSV_FILL_LONG + 1, none = 0;
  unsigned long long total = 0;
  Scratch<int>       length, row, count;

  SPTRSV_TRY(count.upload(&none, 1));
  SPTRSV_TRY(row.create(room));
  SPTRSV_TRY(length.create((size_t)n + 1));
  const LongRows rows = {row, count};
  SPTRSV_CUDA(cudaMemsetAsync(length, 0, ((size_t)n + 1) * sizeof(int)));
  SPTRSV_TRY(run_on(&total, [&](unsigned long long *d) {
    SPTRSV_TRY(for_each(n, [=] __device__(int i) {
      if (is_long(now.f, i)) rows.row[atomicAdd(rows.count, 1)] = i;
    }));
    return launch_both(count_kernel<OneWarp>, count_kernel<OneBlock>, now, room, rows, (int *)length, d);
  }));
  if (total >= SPTRSV_MOST) return SPTRSV_TOO_LARGE;
  if (total == (unsigned long long)now.f.nnz) return SPTRSV_SUCCESS;
  f.n   = n;
  f.nnz = (int)total;
  SPTRSV_TRY(device_arrays(&next->lasting, {array_of((size_t)n + 1, &f.row_ptr), array_of(f.nnz, &f.col_idx), array_of(n, &f.split),
                                            array_of(f.nnz, &f.source)}));
  if (!last) SPTRSV_TRY(sptrsvScratchNew(&next->scratch, f.nnz, &next->level_of));
  SPTRSV_TRY(exclusive_sum((const int *)length, f.row_ptr, n + 1));
  return launch_both(entries_kernel<OneWarp>, entries_kernel<OneBlock>, now, room, rows, *next);
}

/* The filled pattern becomes the factor's.  That without fill is kept if it is A's own, and A was not of entries. */
SptrsvStatus take_over(SptrsvFactor factor, Stage *filled)
{
  SptrsvAnalysis analysis;

  SPTRSV_TRY(sptrsvNew(1, &analysis));
  analysis->location      = SPTRSV_DEVICE;
  analysis->device_levels = true;
  analysis->missing       = -1;
  analysis->device        = filled->f;
  analysis->d_source      = filled->f.source;
  analysis->a.n           = filled->f.n;
  analysis->a.nnz         = filled->f.nnz;
  std::swap(analysis->memory, (SptrsvMemory &)filled->lasting);
  std::swap(analysis, factor->analysis);
  if (!factor->matrix) factor->matrix = analysis;
  else (void)sptrsvAnalysisDestroy(&analysis);
  return SPTRSV_SUCCESS;
}

} // namespace

/* If h is the highest level so far, levels above 2 h + 1 have no pair. */
SptrsvStatus sptrsvDeviceFill(SptrsvFactor factor, int levels)
{
  int   highest  = 0;
  Stage stage[2] = {}, *now = stage, *next = stage + 1;

  (SptrsvPattern &)now->f = factor->analysis->device;
  SPTRSV_TRY(find_source(factor, &now->lasting, &now->f.source));
  for (int level = 1; level <= levels && level <= 2 * highest + 1; level++) {
    SPTRSV_TRY(add_level({*now, level}, level == levels, next));
    if (!next->f.row_ptr) continue;
    highest = level;
    std::swap(now, next);
    sptrsvMemoryFree(&next->lasting);
    sptrsvMemoryFree(&next->scratch);
    (Filled &)*next = {};
  }
  return highest ? take_over(factor, now) : SPTRSV_SUCCESS;
}
