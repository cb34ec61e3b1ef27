/*
   The published methods that take rows in the order of the matrix (backwards for an upper triangle):
     syncfree-csr   a warp per row                           Zhang et al., Algorithm 3
     twophase       a thread per row, in two phases          Zhang et al., Algorithm 4
     capellini      a thread per row, writing first          Zhang et al., Algorithm 5
     yuenyeung      a thread or a warp per row, as execute_row_id says (roworder_plan.cu)
                                                             Zhang et al., Algorithm 6 with 3 and 5

   The papers keep a flag get_value next to each x; here x is its own flag (values.cuh), and groups are handed out by tickets.
*/
#include "roworder.cuh"

namespace {

using namespace sptrsv;
using Form = RowOrderForm;

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

template <class V> __device__ __forceinline__ RowEnd<V> row_end(const RowOrder<V> &sweep, int i)
{
  return {sweep.reciprocal[i], sweep.target[i]};
}

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
  const RowEnd<V> row = mine ? row_end(sweep, i) : RowEnd<V>();

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
  const RowEnd<V> row = row_end(sweep, i);
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

} // namespace

namespace sptrsv {

SptrsvStatus roworder_solve(SptrsvPlan plan, const SptrsvSolve *s)
{
  const RowOrderPlan &data   = *data_of<RowOrderPlan>(plan);
  const int           blocks = (int)data.sweep.tickets.warps / ROWORDER_WARPS;

  return by_type(plan->options.type, [&](auto v) {
    using V             = decltype(v);
    const RowOrder<V> p = view_as<RowOrder<V>>(data.sweep);

    return sptrsvCudaStatus(launch(kernel_of<V>(data.form), blocks, WARP * ROWORDER_WARPS, s->stream, p, (const V *)s->b, (V *)s->x));
  });
}

SptrsvStatus roworder_resident(RowOrderForm form, SptrsvValueType type, int *blocks)
{
  return by_type(type, [&](auto v) { return count_resident_blocks(kernel_of<decltype(v)>(form), WARP * ROWORDER_WARPS, blocks); });
}

} // namespace sptrsv
