/*
   The methods of Li and Liu: a warp per row or column of the strict lower triangle that any sweep is in its own order, 16 warps to a block
   as in Li's measurements.
     levr           a launch for each level, a warp for each of its rows            Li, Algorithm 1, listing LEVR
     levc           the same by columns, with atomics                               Li, Algorithm 2, listing LEVC
     slfr           one launch, in which a warp for each row waits                  Li, Algorithm 3, listing SLFR
     slfc           the same by columns, with atomics                               Li, Algorithm 4, listing SLFC
     syncfree-csc   one launch, a warp for each column in the order of the rows,    Liu et al., Algorithm 2
                    sums and counts of the block's own rows in shared memory

   Row i:     x(i) = (b(i) - sum of a(i,j) x(j)) / a(i,i), a dot product
   Column j:  adds a(i,j) x(j) to the left sum of each row i, in the order in which the columns come

   Launches of one stream come one after the other, so no warp of levr and levc waits inside of one.  In slfr and slfc a warp waits until
   its row's count of missing unknowns is zero; warps take the rows level by level (jlev), and a block's number is its ticket.
*/
#include <algorithm>
#include <cstdio>
#include "../../analysis/adjacency.cuh"
#include "../../device/tickets.cuh"
#include "../../plan/triangle.cuh"
#include "li.h"

namespace {

using namespace sptrsv;

constexpr int WARPS_PER_BLOCK = 16;

/* The triangle is by columns, or by rows for levr and slfr; then an entry's idx is the position of its unknown in out.  Li's names are ia,
   ja for ptr, idx by rows; ib, jb by columns; dp for missing, which is Liu's d_in_degree. */
template <class V = void> struct LiSweep : Triangle<V> {
  Tickets         tickets;           /* a ticket to a block, a block to a ticket */
  int            *col_ptr, *row_idx; /* slfr: the columns as well */
  int            *jlev;              /* [rows] level by level */
  V              *left_sum;          /* [2][rows], or [rows] in levc */
  unsigned       *missing;           /* [2][rows] number of x(j) that are missing yet */
  const unsigned *in_degree;         /* [rows] number of all x(j) */
};

/* Counts and sums come in two sets.  A launch uses one and re-arms the other for the next launch, so each launch finds its set armed even
   if the one before gave up. */
template <class T> __device__ __forceinline__ T *set_of(T *sets, int rows, int parity)
{
  return sets + (size_t)parity * rows;
}

/* The sum of a(i,j) x(j) over the entries of a row, in every lane; after(e): what follows each entry of a lane */
template <class V, class F>
__device__ __forceinline__ V dot_row(const LiSweep<V> &sweep, int begin, int end, int lane, const V *x, const F &after)
{
  V sum = 0;

  for (int e = begin + lane; e < end; e += WARP) {
    sum += sweep.values[e] * x[sweep.idx[e]];
    after(e);
  }
  return sum_over(WARP, sum);
}

/* Arrays of a plan, which tell its method, too; set-up steps as in Li's Table 1 */
enum {
  BY_ROWS    = 1,
  BY_COLUMNS = 2, /* TRANS; with BY_ROWS the pattern only, else with left sums */
  IN_LEVELS  = 4, /* LEV */
  COUNTED    = 8, /* DEP, and tickets */
};

struct LiPlan {
  LiSweep<>  sweep;
  unsigned   arrays;
  int        levels;
  double     in_block; /* share of the entries whose row and column go to the same block, in row order */
  const int *ilev;     /* host [levels + 1]: rows before each level, the analysis's */
};

constexpr auto *plan_of = data_of<LiPlan>;

/* l1, l2: where the level and the next one begin in jlev */
template <class V> __global__ void levr_kernel(const LiSweep<V> sweep, int l1, int l2, const V *__restrict__ b, V *x)
{
  const int lane = threadIdx.x % WARP, k = l1 + (int)(blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP);

  if (k >= l2) return;
  const int i   = sweep.jlev[k];
  const V   sum = dot_row(sweep, sweep.ptr[i], sweep.ptr[i + 1], lane, x, [](int) {});
  if (!lane) x[sweep.target[i]] = (b[sweep.source[i]] - sum) * sweep.reciprocal[i];
}

/* The listing adds to x itself, which must be b before the first launch.  Here the left sum is an array of its own.  Additions to it come
   from earlier levels only, so it is cleared for the next solve when its row is done. */
template <class V> __global__ void levc_kernel(const LiSweep<V> sweep, int l1, int l2, const V *__restrict__ b, V *__restrict__ out)
{
  const int lane = threadIdx.x % WARP, k = l1 + (int)(blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP);
  V         x = 0;

  if (k >= l2) return;
  const int j = sweep.jlev[k];
  if (!lane) {
    x                    = (b[sweep.source[j]] - sweep.left_sum[j]) * sweep.reciprocal[j];
    sweep.left_sum[j]    = 0;
    out[sweep.target[j]] = x;
  }
  x = from_lane(x, 0);
  for (int e = sweep.ptr[j] + lane; e < sweep.ptr[j + 1]; e += WARP) add_relaxed(sweep.left_sum + sweep.idx[e], sweep.values[e] * x);
}

/*
   All lanes poll.  The wait ends: the rows that a row needs are in earlier levels, hence earlier in jlev, hence in a block with an earlier
   ticket or in another warp of this block, which runs too.

   Each lane acquires what those warps released, so it may read x by plain loads.  __syncwarp() puts lane 0's x before the releases of all
   lanes.  Everything but x is loaded before the wait, as in the listing.
*/
template <class V> __global__ void slfr_kernel(const LiSweep<V> sweep, const V *__restrict__ b, V *x)
{
  BlockTurn       turn(sweep.tickets);
  unsigned *const missing = set_of(sweep.missing, sweep.rows, turn.parity);
  const int       lane = threadIdx.x % WARP, k = (int)(turn.start * WARPS_PER_BLOCK + threadIdx.x / WARP);

  if (k >= sweep.rows) return;
  const int i = sweep.jlev[k], row_begin = sweep.ptr[i], row_end = sweep.ptr[i + 1], col_begin = sweep.col_ptr[i],
            col_end = sweep.col_ptr[i + 1], to = sweep.target[i];
  const V right = b[sweep.source[i]], reciprocal = sweep.reciprocal[i];

  if (!lane) set_of(sweep.missing, sweep.rows, 1 - turn.parity)[i] = sweep.in_degree[i];
  const bool ready = await_zero(missing + i, turn);
  const V    sum   = dot_row(sweep, row_begin, row_end, lane, x, [&](int e) { turn.work_goes_on((unsigned)e); });
  if (!lane) x[to] = ready ? (right - sum) * reciprocal : no_value<V>();
  __syncwarp();
  for (int e = col_begin + lane; e < col_end; e += WARP) {
    subtract_release(missing + sweep.row_idx[e], 1);
    turn.work_goes_on((unsigned)e);
  }
}

/* The wait ends for the same reason.  Each lane releases its own additions to left sums. */
template <class V> __global__ void slfc_kernel(const LiSweep<V> sweep, const V *__restrict__ b, V *__restrict__ out)
{
  BlockTurn       turn(sweep.tickets);
  unsigned *const missing  = set_of(sweep.missing, sweep.rows, turn.parity);
  V *const        left_sum = set_of(sweep.left_sum, sweep.rows, turn.parity);
  const int       lane = threadIdx.x % WARP, k = (int)(turn.start * WARPS_PER_BLOCK + threadIdx.x / WARP);

  if (k >= sweep.rows) return;
  const int j = sweep.jlev[k], begin = sweep.ptr[j], end = sweep.ptr[j + 1], to = sweep.target[j];
  const V   right = b[sweep.source[j]], reciprocal = sweep.reciprocal[j];

  if (!lane) {
    set_of(sweep.missing, sweep.rows, 1 - turn.parity)[j]  = sweep.in_degree[j];
    set_of(sweep.left_sum, sweep.rows, 1 - turn.parity)[j] = 0;
  }
  const V x = await_zero(missing + j, turn) ? (right - left_sum[j]) * reciprocal : no_value<V>();
  if (!lane) out[to] = x;
  for (int e = begin + lane; e < end; e += WARP) {
    add_relaxed(left_sum + sweep.idx[e], sweep.values[e] * x);
    subtract_release(missing + sweep.idx[e], 1);
    turn.work_goes_on((unsigned)e);
  }
}

/*
   A row's in-degree is counted down in two counters: d_in_degree in global memory, which starts with the in-degree, and s_in_degree in
   shared memory, which starts at 0 and goes below.  Both only fall, so their sum is never below the number of missing columns, and is zero
   when none is missing.

   All lanes poll and acquire, so that each has x without a shuffle.  A warp of which one lane polls is slower (doc/algorithms/authors.md).

   The wait ends: columns have smaller numbers than rows, so the missing ones are in a block with an earlier ticket or in another warp of
   this block, which runs too.
*/
template <class V> __global__ void syncfree_kernel(const LiSweep<V> sweep, const V *__restrict__ b, V *__restrict__ out)
{
  __shared__ V        s_left_sum[WARPS_PER_BLOCK];
  __shared__ unsigned s_in_degree[WARPS_PER_BLOCK];
  const int           lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;

  if (!lane) {
    s_left_sum[warp]  = 0;
    s_in_degree[warp] = 0;
  }
  BlockTurn       turn(sweep.tickets); /* has barriers */
  unsigned *const d_in_degree = set_of(sweep.missing, sweep.rows, turn.parity);
  V *const        d_left_sum  = set_of(sweep.left_sum, sweep.rows, turn.parity);
  const int       first = (int)turn.start * WARPS_PER_BLOCK, i = first + warp;

  if (i >= sweep.rows) return;
  const int end = sweep.ptr[i + 1], to = sweep.target[i];
  int       e = sweep.ptr[i] + lane, row = e < end ? sweep.idx[e] : 0; /* before the wait, since all of the next level waits for it */
  V         a     = e < end ? sweep.values[e] : V(0);
  const V   right = b[sweep.source[i]], reciprocal = sweep.reciprocal[i];

  if (!lane) {
    set_of(sweep.missing, sweep.rows, 1 - turn.parity)[i]  = sweep.in_degree[i];
    set_of(sweep.left_sum, sweep.rows, 1 - turn.parity)[i] = 0;
  }
  const bool ready =
      await_nothing([&] { return load_acquire(d_in_degree + i) + load_acquire_block(s_in_degree + warp); }, turn); /* line 11 */
  const V x = ready ? (right - (d_left_sum[i] + s_left_sum[warp])) * reciprocal : no_value<V>();                   /* line 14 */

  if (!lane) out[to] = x;
  while (e < end) { /* line 15 */
    const int own = row - first;

    if (own < WARPS_PER_BLOCK) {
      add_relaxed(s_left_sum + own, a * x);
      subtract_release_block(s_in_degree + own, 1);
    } else {
      add_relaxed(d_left_sum + row, a * x);
      subtract_release(d_in_degree + row, 1);
    }
    turn.work_goes_on((unsigned)e);
    e += WARP;
    if (e < end) {
      row = sweep.idx[e];
      a   = sweep.values[e];
    }
  }
}

/* A launch for each level: levr and levc */
template <class V>
SptrsvStatus launch_levels(const LiPlan &data, void (*kernel)(LiSweep<V>, int, int, const V *, V *), const SptrsvSolve &s)
{
  for (int m = 0; m < data.levels; m++) {
    const int         l1 = data.ilev[m], l2 = data.ilev[m + 1], warps = std::min(WARPS_PER_BLOCK, l2 - l1);
    const cudaError_t error = launch(kernel, (l2 - l1 + warps - 1) / warps, WARP * warps, s.stream, view_as<LiSweep<V>>(data.sweep), l1, l2,
                                     (const V *)s.b, (V *)s.x);

    if (error == cudaSuccess) continue;
    if (data.sweep.left_sum)
      (void)cudaMemsetAsync(data.sweep.left_sum, 0, (size_t)data.sweep.rows * sizeof(V), s.stream); /* of levels not launched */
    return sptrsvCudaStatus(error);
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus solve(SptrsvPlan plan, const SptrsvSolve *s)
{
  const LiPlan &data    = *plan_of(plan);
  const bool    by_rows = data.arrays & BY_ROWS, in_levels = data.arrays & IN_LEVELS;

  return by_type(plan->options.type, [&](auto v) {
    using V = decltype(v);

    if (!(data.arrays & COUNTED)) return launch_levels(data, by_rows ? levr_kernel<V> : levc_kernel<V>, *s);
    auto *const kernel = by_rows ? slfr_kernel<V> : in_levels ? slfc_kernel<V> : syncfree_kernel<V>;
    return sptrsvCudaStatus(launch(kernel, (int)data.sweep.tickets.work, WARP * WARPS_PER_BLOCK, s->stream, view_as<LiSweep<V>>(data.sweep),
                                   (const V *)s->b, (V *)s->x));
  });
}

/* jlev and ilev of Li's listings */
SptrsvStatus create_levels(SptrsvPlan plan, const SptrsvOrdered &ordered, LiPlan *data)
{
  const SptrsvSweep *sweep;
  int               *jlev;

  SPTRSV_TRY(sptrsvAnalysisLevels(plan->analysis, plan->options.triangle, plan->options.op, &sweep));
  SPTRSV_TRY(sptrsvLevelOrder(sweep, ordered.row, &plan->scratch, &jlev));
  data->levels = (int)sweep->statistics.levels;
  data->ilev   = sweep->level_ptr;
  return sptrsvUpload(&plan->memory, jlev, ordered.n, &data->sweep.jlev);
}

/* Column numbers become positions in out, where x is read */
void number_by_position(const SptrsvOrdered &ordered, const int *perm)
{
  for (int k = 0; k < ordered.nnz; k++) {
    const int row = ordered.row[ordered.col_idx[k]];

    ordered.col_idx[k] = perm ? perm[row] : row;
  }
}

SptrsvStatus create_counters(SptrsvPlan plan, const int *row_ptr, LiSweep<> *sweep)
{
  const size_t rows = (size_t)sweep->rows;

  SPTRSV_TRY(sptrsvDeviceNew(&plan->memory, 3 * rows, &sweep->missing));
  sweep->in_degree = sweep->missing + 2 * rows;
  SPTRSV_TRY(count_lengths(lists(sweep->rows, row_ptr, nullptr), 3, sweep->missing));
  SPTRSV_TRY(tickets_create(&plan->memory, (rows + WARPS_PER_BLOCK - 1) / WARPS_PER_BLOCK, 0, &sweep->tickets));
  plan->stalled = sweep->tickets.stalled;
  return SPTRSV_SUCCESS;
}

double share_in_block(const SptrsvOrdered &ordered)
{
  int count = 0;

  for (int r = 0; r < ordered.n; r++) {
    for (int k = ordered.row_ptr[r]; k < ordered.row_ptr[r + 1]; k++) count += ordered.col_idx[k] / WARPS_PER_BLOCK == r / WARPS_PER_BLOCK;
  }
  return ordered.nnz ? (double)count / ordered.nnz : 0;
}

template <unsigned ARRAYS> SptrsvStatus build(SptrsvPlan plan)
{
  SptrsvOrdered ordered;
  LiPlan       *data  = plan_of(plan);
  LiSweep<>    *sweep = &data->sweep;
  Scratch<int>  row_ptr;

  SPTRSV_TRY(sptrsvOrderedCreate(plan->analysis, &plan->options, &plan->scratch, &ordered));
  const size_t left_sums = (size_t)ordered.n * (ARRAYS & COUNTED ? 2 : 1);

  data->arrays   = ARRAYS;
  data->in_block = share_in_block(ordered);
  SPTRSV_TRY(row_ptr.upload(ordered.row_ptr, (size_t)ordered.n + 1));
  if (ARRAYS & IN_LEVELS) SPTRSV_TRY(create_levels(plan, ordered, data));
  if (ARRAYS & BY_ROWS) {
    if (ARRAYS & BY_COLUMNS) SPTRSV_TRY(upload_columns(plan, ordered, row_ptr, &sweep->col_ptr, &sweep->row_idx, nullptr));
    number_by_position(ordered, plan->options.out_perm);
    SPTRSV_TRY(triangle_upload(plan, ordered, sweep));
  } else {
    SPTRSV_TRY(triangle_upload_columns(plan, ordered, row_ptr, sweep));
    SPTRSV_TRY(sptrsvDeviceAllocateZeroed(&plan->memory, left_sums * sptrsvValueSize(plan->options.type), &sweep->left_sum));
  }
  return ARRAYS & COUNTED ? create_counters(plan, row_ptr, sweep) : SPTRSV_SUCCESS;
}

void describe(SptrsvPlan plan, char *text, size_t size)
{
  const LiPlan  &data    = *plan_of(plan);
  const Tickets &tickets = data.sweep.tickets;

  if (data.arrays & IN_LEVELS)
    (void)snprintf(text, size, "%d levels of %.1f rows on average", data.levels, data.levels ? (double)data.sweep.rows / data.levels : 0);
  else
    (void)snprintf(text, size, "%u blocks of %d columns, %.0f %% of the sums in shared memory", tickets.work, WARPS_PER_BLOCK,
                   100 * data.in_block);
  if (!(data.arrays & COUNTED)) sptrsvAppend(text, size, ", a launch each");
  else if (data.arrays & IN_LEVELS) sptrsvAppend(text, size, ", %u blocks of %d warps", tickets.work, WARPS_PER_BLOCK);
}

} // namespace

/* clang-format off */
const SptrsvMethod sptrsvLevr = {
  {"levr", "Li, Algorithm 1", "a launch per level, a warp per row", SPTRSV_DEVICE, SPTRSV_STUDY, "", SPTRSV_REALS},
  sizeof(LiPlan), build<BY_ROWS | IN_LEVELS>, update_sweep<LiPlan>, solve, describe, nullptr, nullptr, nullptr, nullptr};
const SptrsvMethod sptrsvLevc = {
  {"levc", "Li, Algorithm 2", "a launch per level, a warp per column, atomics",
   SPTRSV_DEVICE, SPTRSV_VARIES | SPTRSV_STUDY, "", SPTRSV_REALS},
  sizeof(LiPlan), build<BY_COLUMNS | IN_LEVELS>, update_sweep<LiPlan>, solve, describe, nullptr, nullptr, nullptr, nullptr};
const SptrsvMethod sptrsvSlfr = {
  {"slfr", "Li, Algorithm 3", "a warp per row in level order, counts of what is missing", SPTRSV_DEVICE, SPTRSV_STUDY, "", SPTRSV_REALS},
  sizeof(LiPlan), build<BY_ROWS | BY_COLUMNS | IN_LEVELS | COUNTED>, update_sweep<LiPlan>, solve, describe, nullptr,
  nullptr, nullptr, nullptr};
const SptrsvMethod sptrsvSlfc = {
  {"slfc", "Li, Algorithm 4",
   "a warp per column in level order, counts of what is missing, atomics", SPTRSV_DEVICE, SPTRSV_VARIES | SPTRSV_STUDY, "", SPTRSV_REALS},
  sizeof(LiPlan), build<BY_COLUMNS | IN_LEVELS | COUNTED>, update_sweep<LiPlan>, solve, describe, nullptr, nullptr, nullptr, nullptr};
const SptrsvMethod sptrsvSyncFreeCsc = {
  {"syncfree-csc", "Liu et al., Algorithm 2",
   "a warp per column in row order, sums of the own block in shared memory", SPTRSV_DEVICE, SPTRSV_VARIES | SPTRSV_STUDY, "", SPTRSV_REALS},
  sizeof(LiPlan), build<BY_COLUMNS | COUNTED>, update_sweep<LiPlan>, solve, describe, nullptr, nullptr, nullptr, nullptr};
/* clang-format on */
