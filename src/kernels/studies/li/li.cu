/*
   The methods of Li, and what their plans and those of Liu's (liu.cu) have on the device: rows, columns, levels and counters of a sweep.
     levr   a launch for each level, a warp for each of its rows      Algorithm 1, listing LEVR
     levc   the same by columns, with atomics                         Algorithm 2, listing LEVC
     slfr   one launch, in which a warp for each row waits            Algorithm 3, listing SLFR
     slfc   the same by columns, with atomics                         Algorithm 4, listing SLFC

   Launches of one stream come one after the other, so no warp of levr and levc waits inside of one.  In slfr and slfc a warp waits until
   its row's count of missing unknowns is zero; warps take the rows level by level (jlev), and a block's number is its ticket.
*/
#include <algorithm>
#include <cstdio>
#include "../../analysis/adjacency.cuh"
#include "li.cuh"

namespace {

using namespace sptrsv;

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

template <class V> SptrsvStatus launch_levels(SptrsvPlan plan, void (*kernel)(LiSweep<V>, int, int, const V *, V *), const SptrsvSolve &s)
{
  const LiPlan &data = *li_of(plan);

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

SptrsvStatus solve_levr(SptrsvPlan plan, const SptrsvSolve *s)
{
  return by_type(plan->options.type, [&](auto v) { return launch_levels(plan, levr_kernel<decltype(v)>, *s); });
}

SptrsvStatus solve_levc(SptrsvPlan plan, const SptrsvSolve *s)
{
  return by_type(plan->options.type, [&](auto v) { return launch_levels(plan, levc_kernel<decltype(v)>, *s); });
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

SptrsvStatus solve_slfr(SptrsvPlan plan, const SptrsvSolve *s)
{
  return by_type(plan->options.type, [&](auto v) { return li_launch(plan, slfr_kernel<decltype(v)>, *s); });
}

SptrsvStatus solve_slfc(SptrsvPlan plan, const SptrsvSolve *s)
{
  return by_type(plan->options.type, [&](auto v) { return li_launch(plan, slfc_kernel<decltype(v)>, *s); });
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
  SPTRSV_TRY(tickets_create(&plan->memory, li_blocks(sweep->rows), 0, &sweep->tickets));
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

void describe(SptrsvPlan plan, char *text, size_t size)
{
  const LiPlan  &data    = *li_of(plan);
  const Tickets &tickets = data.sweep.tickets;

  (void)snprintf(text, size, "%d levels of %.1f rows on average", data.levels, data.levels ? (double)data.sweep.rows / data.levels : 0);
  if (tickets.counter) sptrsvAppend(text, size, ", %u blocks of %d warps", tickets.work, WARPS_PER_BLOCK);
  else sptrsvAppend(text, size, ", a launch each");
}

} // namespace

SptrsvStatus sptrsv::li_create(SptrsvPlan plan, unsigned arrays)
{
  SptrsvOrdered ordered;
  LiPlan       *data  = li_of(plan);
  LiSweep<>    *sweep = &data->sweep;
  Scratch<int>  row_ptr;

  SPTRSV_TRY(sptrsvOrderedCreate(plan->analysis, &plan->options, &plan->scratch, &ordered));
  const size_t left_sums = (size_t)ordered.n * (arrays & COUNTED ? 2 : 1);

  data->in_block = share_in_block(ordered);
  SPTRSV_TRY(row_ptr.upload(ordered.row_ptr, (size_t)ordered.n + 1));
  if (arrays & IN_LEVELS) SPTRSV_TRY(create_levels(plan, ordered, data));
  if (arrays & BY_ROWS) {
    if (arrays & BY_COLUMNS) SPTRSV_TRY(upload_columns(plan, ordered, row_ptr, &sweep->col_ptr, &sweep->row_idx, nullptr));
    number_by_position(ordered, plan->options.out_perm);
    SPTRSV_TRY(triangle_upload(plan, ordered, sweep));
  } else {
    SPTRSV_TRY(triangle_upload_columns(plan, ordered, row_ptr, sweep));
    SPTRSV_TRY(sptrsvDeviceAllocateZeroed(&plan->memory, left_sums * sptrsvValueSize(plan->options.type), &sweep->left_sum));
  }
  return arrays & COUNTED ? create_counters(plan, row_ptr, sweep) : SPTRSV_SUCCESS;
}

/* clang-format off */
const SptrsvMethod sptrsvLevr = {
  {"levr", "Li, Algorithm 1", "a launch per level, a warp per row", SPTRSV_DEVICE, SPTRSV_STUDY, "", SPTRSV_REALS},
  sizeof(LiPlan), li_build<BY_ROWS | IN_LEVELS>, update_sweep<LiPlan>, solve_levr, describe, nullptr, nullptr, nullptr, nullptr};
const SptrsvMethod sptrsvLevc = {
  {"levc", "Li, Algorithm 2", "a launch per level, a warp per column, atomics",
   SPTRSV_DEVICE, SPTRSV_VARIES | SPTRSV_STUDY, "", SPTRSV_REALS},
  sizeof(LiPlan), li_build<BY_COLUMNS | IN_LEVELS>, update_sweep<LiPlan>, solve_levc, describe, nullptr, nullptr, nullptr,
  nullptr};
const SptrsvMethod sptrsvSlfr = {
  {"slfr", "Li, Algorithm 3", "a warp per row in level order, counts of what is missing", SPTRSV_DEVICE, SPTRSV_STUDY, "", SPTRSV_REALS},
  sizeof(LiPlan), li_build<BY_ROWS | BY_COLUMNS | IN_LEVELS | COUNTED>, update_sweep<LiPlan>, solve_slfr, describe, nullptr, nullptr,
  nullptr, nullptr};
const SptrsvMethod sptrsvSlfc = {
  {"slfc", "Li, Algorithm 4",
   "a warp per column in level order, counts of what is missing, atomics", SPTRSV_DEVICE, SPTRSV_VARIES | SPTRSV_STUDY, "", SPTRSV_REALS},
  sizeof(LiPlan), li_build<BY_COLUMNS | IN_LEVELS | COUNTED>, update_sweep<LiPlan>, solve_slfc, describe, nullptr, nullptr,
  nullptr, nullptr};
/* clang-format on */
