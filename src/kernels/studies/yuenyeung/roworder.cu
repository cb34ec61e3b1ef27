/*
   The published methods that take rows in the order of the matrix (backwards for an upper triangle):
     syncfree-csr   a warp per row                           Zhang et al., Algorithm 3
     twophase       a thread per row, in two phases          Zhang et al., Algorithm 4
     capellini      a thread per row, writing first          Zhang et al., Algorithm 5
     yuenyeung      a thread or a warp per row, as execute_row_id says
                                                             Zhang et al., Algorithm 6 with 3 and 5

   The papers keep a flag get_value next to each x; here x is its own flag (values.cuh), and groups are handed out by tickets.
*/
#include <algorithm>
#include <cstdio>
#include <cstring>
#include "../../device/scratch.cuh"
#include "../../device/tickets.cuh"
#include "../../plan/triangle.cuh"
#include "yuenyeung.h"

namespace {

using namespace sptrsv;

/* Zhang et al., Algorithms 5, 4, 3 and 6 */
enum class Form { WRITING_FIRST, TWO_PHASE, WARP_LEVEL, FUSED };

constexpr int WARPS = 4; /* of a block */

/* By rows */
template <class V = void> struct RowOrder : Triangle<V> {
  Tickets tickets;
  int    *execute_row_id; /* FUSED: [groups + 1] first row of each group */
  V      *x;              /* [2][rows] */
};

struct RowOrderPlan {
  Form        form;
  RowOrder<>  sweep;
  int         groups, warp_rows; /* rows that have a group to themselves */
  double      threshold;
  const char *origin; /* of the threshold, for views */
};

/* Every lane of the warp waits until each has the value of its x, if it has one.  In each round the missing ones are polled once, and the
   lanes vote.  A NaN if it gives up. */
template <class V> __device__ __forceinline__ V await_together(const V *x, Turn &turn)
{
  Unknown<V> v = Unknown<V>::missing_if(x);

  for (bool waiting = true, stays; waiting;) {
#pragma unroll 1
    do {
      if (!v.is_ready()) v = poll(x);
      stays   = turn.stays();
      waiting = __any_sync(ALL_LANES, !v.is_ready());
    } while (waiting && stays);
    if (waiting && turn.gives_up()) v = v.settled();
  }
  return v.value();
}

/* Operands of the end of a row, loaded before the row waits: a load behind the wait would be paid once for each row on the longest path */
template <class V> struct RowEnd {
  V   reciprocal;
  int target;
};

/* The end of a row at either level */
template <class V> __device__ __forceinline__ void finish_row(const RowEnd<V> &row, int i, V *x, V *next, V sum, V *out)
{
  sum *= row.reciprocal;
  publish(x + i, sum);
  rearm(next + i);
  out[row.target] = sum;
}

/* j and sum advance over the entries before `end` up to the first whose x is not there */
template <class V>
__device__ __forceinline__ void take_ready(const RowOrder<V> &sweep, const Turn &turn, const V *x, int end, int &j, V &sum)
{
  while (j < end) {
    const Unknown<V> v = poll(x + sweep.idx[j]);
    if (!v.is_ready()) return;
    turn.work_goes_on((unsigned)j);
    sum -= sweep.values[j++] * v.value();
  }
}

/* Algorithms 4 and 5: a thread per row.

   Writing first, a lane that lacks an x goes round the loop, in which every lane of the warp that can finish does: no lane spins on a value
   of its own warp, and values of other warps come from earlier tickets.  So every round ends, and some round ends each wait.

   Two phases: before that, each lane spins on the rows of earlier groups, whose tickets are earlier.  A lane that has them goes on while
   others spin, if lanes can run on their own; in lockstep it waits for them, which is safe, too. */
template <class V, bool TWO_PHASE>
__device__ void thread_level(const RowOrder<V> &sweep, Turn &turn, int group, int i, bool mine, V *x, V *next, const V *b, V *out)
{
  int             j   = mine ? sweep.ptr[i] : 0;
  const int       end = mine ? sweep.ptr[i + 1] : 0;
  V               sum = mine ? b[sweep.source[i]] : V(0);
  const RowEnd<V> row = mine ? RowEnd<V>{sweep.reciprocal[i], sweep.target[i]} : RowEnd<V>();

  if (TWO_PHASE) {
    for (; j < end && sweep.idx[j] < group; j++) {
      sum -= sweep.values[j] * await(x + sweep.idx[j], turn);
      turn.work_goes_on((unsigned)j);
    }
  }
  while (goes_on(mine)) {
    if (!mine) continue;
    take_ready(sweep, turn, x, end, j, sum);
    if (j == end) {
      finish_row(row, i, x, next, sum, out);
      mine = false;
    } else if (!turn.stays() && turn.gives_up()) {
      sum = no_value<V>();
      j   = end;
    }
  }
}

/* Algorithm 3.  The row's entries are spread over the warp, whose lanes wait together, for rows with earlier tickets. */
template <class V> __device__ void warp_level(const RowOrder<V> &sweep, Turn &turn, int i, int lane, V *x, V *next, const V *b, V *out)
{
  const int       end = sweep.ptr[i + 1];
  const RowEnd<V> row = {sweep.reciprocal[i], sweep.target[i]};
  V               sum = lane ? V(0) : b[sweep.source[i]];

  for (int j = sweep.ptr[i] + lane; j - lane < end; j += WARP) {
    const V a = j < end ? sweep.values[j] : V(0);

    sum -= a * await_together(j < end ? x + sweep.idx[j] : nullptr, turn);
    turn.work_goes_on((unsigned)j);
  }
  sum = sum_over(WARP, sum);
  if (!lane) finish_row(row, i, x, next, sum, out);
}

/* First row of a group.  A warp takes one row, or WARP rows with a thread for each; the last group may be shorter. */
template <class V, Form FORM> __device__ __forceinline__ int group_begin(const RowOrder<V> &sweep, unsigned g)
{
  if (FORM == Form::FUSED) return sweep.execute_row_id[g];
  return FORM == Form::WARP_LEVEL ? (int)g : min((int)g * WARP, sweep.rows);
}

template <class V, Form FORM> __global__ void roworder_kernel(const RowOrder<V> sweep, const V *__restrict__ b, V *__restrict__ out)
{
  const int lane = threadIdx.x % WARP;
  Turn      turn(sweep.tickets, lane);
  V *const  x    = sweep.x + (size_t)turn.parity * sweep.rows;
  V *const  next = sweep.x + (size_t)(1 - turn.parity) * sweep.rows;

  for (unsigned g = turn.start; g < sweep.tickets.work; g = turn.share(turn.take())) {
    const int  begin = group_begin<V, FORM>(sweep, g), end = group_begin<V, FORM>(sweep, g + 1), i = begin + lane;
    const bool mine = i < end;

    if (FORM == Form::WARP_LEVEL || (FORM == Form::FUSED && end - begin == 1)) warp_level(sweep, turn, begin, lane, x, next, b, out);
    else thread_level<V, FORM == Form::TWO_PHASE>(sweep, turn, begin, i, mine, x, next, b, out);
    __syncwarp();
  }
}

template <class V> auto kernel_of(Form form)
{
  return form == Form::WARP_LEVEL      ? roworder_kernel<V, Form::WARP_LEVEL>
         : form == Form::TWO_PHASE     ? roworder_kernel<V, Form::TWO_PHASE>
         : form == Form::WRITING_FIRST ? roworder_kernel<V, Form::WRITING_FIRST>
                                       : roworder_kernel<V, Form::FUSED>;
}

constexpr auto *plan_of = data_of<RowOrderPlan>;

/* yuenyeung's threshold for each GPU model: a row that its training prints (make train), or a better one */
constexpr struct {
  const char *gpu;
  double      threshold;
} measured[] = {{"NVIDIA H100 80GB HBM3", 8}}; /* least loss on grids and files, bench/papers/yuenyeung.md */

/* The threshold of the authors' published code, for other GPUs */
constexpr double published = 10;

SptrsvStatus choose_threshold(const SptrsvPlanOptions &options, RowOrderPlan *data)
{
  char gpu[SPTRSV_NAME_LENGTH];

  data->threshold = options.tuning.yuenyeung.threshold;
  data->origin    = "given";
  if (data->threshold > 0) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvDeviceName(gpu, sizeof(gpu)));
  data->threshold = published;
  data->origin    = "built in, not measured on this GPU model";
  for (const auto &row : measured) {
    if (strcmp(gpu, row.gpu)) continue;
    data->threshold = row.threshold;
    data->origin    = "built in, measured on this GPU model";
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus choose_groups(SptrsvPlan plan, RowOrderPlan *data)
{
  const int rows = data->sweep.rows;

  data->groups = data->form == Form::WARP_LEVEL ? rows : (rows + WARP - 1) / WARP;
  if (data->form != Form::FUSED) return SPTRSV_SUCCESS;
  SPTRSV_TRY(choose_threshold(plan->options, data));
  SPTRSV_TRY(sptrsvRowGroups(rows, data->sweep.ptr, data->threshold, &plan->memory, &data->sweep.execute_row_id, &data->groups));

  /* A thread-level group of r rows is r - 1 groups less than rows: WARP - 1 less, the last one perhaps fewer. */
  const int thread_level = (rows - data->groups + WARP - 2) / (WARP - 1);
  data->warp_rows        = data->groups - thread_level;
  return SPTRSV_SUCCESS;
}

template <Form FORM> SptrsvStatus build(SptrsvPlan plan)
{
  SptrsvOrdered ordered;
  RowOrderPlan *data     = plan_of(plan);
  int           resident = 0;

  data->form = FORM;
  SPTRSV_TRY(sptrsvOrderedCreate(plan->analysis, &plan->options, &plan->scratch, &ordered));
  SPTRSV_TRY(triangle_upload(plan, ordered, &data->sweep));
  SPTRSV_TRY(unknowns_create(&plan->memory, (size_t)data->sweep.rows, plan->options.type, &data->sweep.x));
  SPTRSV_TRY(choose_groups(plan, data));
  SPTRSV_TRY(
      by_type(plan->options.type, [&](auto v) { return count_resident_blocks(kernel_of<decltype(v)>(FORM), WARP * WARPS, &resident); }));
  const int blocks = std::max(1, std::min(resident, (data->groups + WARPS - 1) / WARPS));

  SPTRSV_TRY(tickets_create(&plan->memory, data->groups, (size_t)blocks * WARPS, &data->sweep.tickets));
  plan->stalled = data->sweep.tickets.stalled;
  return SPTRSV_SUCCESS;
}

SptrsvStatus solve(SptrsvPlan plan, const SptrsvSolve *s)
{
  const RowOrderPlan &data   = *plan_of(plan);
  const int           blocks = (int)data.sweep.tickets.warps / WARPS;

  return by_type(plan->options.type, [&](auto v) {
    using V             = decltype(v);
    const RowOrder<V> p = view_as<RowOrder<V>>(data.sweep);

    return sptrsvCudaStatus(launch(kernel_of<V>(data.form), blocks, WARP * WARPS, s->stream, p, (const V *)s->b, (V *)s->x));
  });
}

void describe(SptrsvPlan plan, char *text, size_t size)
{
  const RowOrderPlan &data = *plan_of(plan);

  if (data.form == Form::WARP_LEVEL) (void)snprintf(text, size, "%d rows at warp level", data.sweep.rows);
  else if (data.form != Form::FUSED) (void)snprintf(text, size, "%d groups of %d rows", data.groups, WARP);
  else
    (void)snprintf(text, size, "%d groups of %d rows at thread level, %d rows at warp level, threshold %g (%s)",
                   data.groups - data.warp_rows, WARP, data.warp_rows, data.threshold, data.origin);
}

} // namespace

SptrsvStatus sptrsvRowGroups(int n, const int *d_row_ptr, double threshold, SptrsvMemory *memory, int **d_execute_row_id, int *groups)
{
  const int    matrices = (n + WARP - 1) / WARP;
  Scratch<int> count, first;

  SPTRSV_TRY(create_all((size_t)matrices + 1, count, first));
  /* Algorithm 6, lines 12 to 16: groups of each sub-matrix of WARP rows, one for each row if their mean length, with the diagonal, reaches
     the threshold; the last count is 0 */
  SPTRSV_TRY(for_each(matrices + 1, [=, count = (int *)count] __device__(int k) {
    const int    start = k * WARP, rows = k < matrices ? min(WARP, n - start) : 0;
    const double mean = rows ? (double)(d_row_ptr[start + rows] - d_row_ptr[start]) / rows + 1 : 0;

    count[k] = mean >= threshold ? rows : min(rows, 1);
  }));
  SPTRSV_TRY(exclusive_sum((int *)count, (int *)first, matrices + 1, groups));
  SPTRSV_TRY(sptrsvDeviceNew(memory, *groups + 1, d_execute_row_id));
  /* Lines 17 to 23 */
  return for_each(n + 1, [=, first = (int *)first, execute_row_id = *d_execute_row_id] __device__(int i) {
    const int k = i / WARP, group = first[k] + i % WARP;

    if (i == n) execute_row_id[first[matrices]] = n;
    else if (group < first[k + 1]) execute_row_id[group] = i;
  });
}

static const char paper[] =
    "@article{zhang2021yuenyeung,\n"
    "  title   = {{YuenyeungSpTRSV}: A Thread-Level and Warp-Level Fusion Synchronization-Free Sparse Triangular Solve},\n"
    "  author  = {Feng Zhang and Jiya Su and Weifeng Liu and Bingsheng He and Ruofan Wu and Xiaoyong Du and Rujia Wang},\n"
    "  journal = {IEEE Transactions on Parallel and Distributed Systems},\n"
    "  year    = {2021},\n"
    "  doi     = {10.1109/TPDS.2021.3066635}\n"
    "}\n";

/* clang-format off */
const SptrsvMethod sptrsvCapellini = {
  {"capellini", "Zhang et al. (YuenyeungSpTRSV), Algorithm 5", "a thread per row, writing first",
   SPTRSV_DEVICE, SPTRSV_STUDY, paper, SPTRSV_REALS},
  sizeof(RowOrderPlan), build<Form::WRITING_FIRST>, update_sweep<RowOrderPlan>, solve, describe, nullptr, nullptr, nullptr, nullptr};
const SptrsvMethod sptrsvTwoPhase = {
  {"twophase", "Zhang et al. (YuenyeungSpTRSV), Algorithm 4",
   "a thread per row, waits on other warps first, then rounds inside the warp", SPTRSV_DEVICE, SPTRSV_STUDY, paper, SPTRSV_REALS},
  sizeof(RowOrderPlan), build<Form::TWO_PHASE>, update_sweep<RowOrderPlan>, solve, describe, nullptr, nullptr, nullptr, nullptr};
const SptrsvMethod sptrsvYuenyeungMethod = {
  {"yuenyeung", "Zhang et al. (YuenyeungSpTRSV), Algorithms 3, 5 and 6",
   "thread or warp per row, by groups of 32 rows and a threshold", SPTRSV_DEVICE, SPTRSV_STUDY, paper, SPTRSV_REALS},
  sizeof(RowOrderPlan), build<Form::FUSED>, update_sweep<RowOrderPlan>, solve, describe, nullptr, nullptr, nullptr, nullptr};
const SptrsvMethod sptrsvSyncFreeCsr = {
  {"syncfree-csr", "Zhang et al. (YuenyeungSpTRSV), Algorithm 3", "a warp per row", SPTRSV_DEVICE, SPTRSV_STUDY, paper, SPTRSV_REALS},
  sizeof(RowOrderPlan), build<Form::WARP_LEVEL>, update_sweep<RowOrderPlan>, solve, describe, nullptr, nullptr, nullptr, nullptr};
/* clang-format on */
