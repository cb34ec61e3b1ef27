/*
   The published methods that take rows in the order of the matrix (backwards for an upper triangle):
     capellini   a thread per row, writing first          Zhang et al., Algorithm 5
     twophase    a thread per row, in two phases          Zhang et al., Algorithm 4
     yuenyeung   groups of 32 rows, a thread or a warp per row as the group's mean length and a threshold say
                                                          Zhang et al., Algorithm 6 with 3 and 5

   The papers keep a flag get_value next to each x; here x is its own flag (device.h), and groups are handed out by tickets.
*/
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include "../tickets.cuh"
#include "values.cuh"

namespace {

using namespace sptrsv;

template <class V> struct RowOrder {
  Tickets    tickets;
  int        rows;
  const int *execute_row_id;    /* [groups + 1] first row of each group: one row goes to a warp, several to a thread each */
  const int *row_ptr, *col_idx; /* strict lower triangle, in the order of execution */
  const int *source, *target;   /* [rows] places in b and out */
  const V   *values;            /* [nnz] */
  const V   *reciprocal;        /* [rows] of the diagonal */
  V         *x;                 /* [2][rows] */
};

/* What both thread-level methods and the warp-level one do at the end of a row */
template <class V> __device__ __forceinline__ void finish_row(const RowOrder<V> &p, int i, V *x, V *next, V sum, V *out)
{
  sum *= p.reciprocal[i];
  publish(x + i, sum);
  rearm(next + i);
  out[p.target[i]] = sum;
}

/* left_sum and j advance over the entries before `end` whose x is there */
template <class V> __device__ __forceinline__ void take_ready(const RowOrder<V> &p, const V *x, int end, int &j, V &sum)
{
  using W = Word<V>;
  while (j < end) {
    const typename W::type v = poll(x + p.col_idx[j]);
    if (v == W::NOT_READY) return;
    sum -= p.values[j++] * W::value(v);
  }
}

/* Spins until x is there; for rows with earlier tickets only */
template <class V> __device__ __forceinline__ V await(const V *x, Turn &turn)
{
  using W         = Word<V>;
  unsigned rounds = 0;

  typename W::type v;
  do {
    do v = poll(x);
    while (v == W::NOT_READY && ++rounds < turn.limit);
  } while (v == W::NOT_READY && !turn.gives_up(rounds));
  return W::value(v);
}

/* Algorithm 5.  A lane that lacks an x goes round the outer loop, in which every lane of the warp that can finish does: nobody spins on a
   value of its own warp, and values of other warps come from earlier tickets.  So every round ends, and some round ends each wait. */
template <class V> __device__ void writing_first(const RowOrder<V> &p, Turn &turn, int i, bool mine, V *x, V *next, const V *b, V *out)
{
  int       j      = mine ? p.row_ptr[i] : 0;
  const int end    = mine ? p.row_ptr[i + 1] : 0;
  V         sum    = mine ? b[p.source[i]] : V(0);
  unsigned  rounds = 0;

  while (mine) {
    take_ready(p, x, end, j, sum);
    if (j == end) {
      finish_row(p, i, x, next, sum, out);
      mine = false;
    } else if (++rounds >= turn.limit && turn.gives_up(rounds)) {
      sum = Word<V>::value(Word<V>::NOT_READY);
      j   = end;
    }
  }
}

/* Algorithm 4.  Phase 1 spins, on rows of earlier groups only: their tickets are earlier.  Phase 2 does not spin: in each of its rounds at
   least the first unfinished row of the group finds all it needs, so 32 rounds are enough. */
template <class V>
__device__ void two_phase(const RowOrder<V> &p, Turn &turn, int group, int i, bool mine, V *x, V *next, const V *b, V *out)
{
  int       j   = mine ? p.row_ptr[i] : 0;
  const int end = mine ? p.row_ptr[i + 1] : 0;
  V         sum = mine ? b[p.source[i]] : V(0);

  for (; j < end && p.col_idx[j] < group; j++) sum -= p.values[j] * await(x + p.col_idx[j], turn);
  __syncwarp();
  for (int round = 0; round < WARP; round++) {
    if (mine) {
      take_ready(p, x, end, j, sum);
      if (j == end) {
        finish_row(p, i, x, next, sum, out);
        mine = false;
      }
    }
    __syncwarp(); /* what was published in this round is seen in the next */
  }
}

/* Algorithm 3.  The row's entries are spread over the warp; each lane spins on rows with earlier tickets. */
template <class V> __device__ void warp_level(const RowOrder<V> &p, Turn &turn, int i, int lane, V *x, V *next, const V *b, V *out)
{
  V sum = lane ? V(0) : b[p.source[i]];

  for (int j = p.row_ptr[i] + lane; j < p.row_ptr[i + 1]; j += WARP) sum -= p.values[j] * await(x + p.col_idx[j], turn);
  __syncwarp();
  sum = sum_over(WARP, sum);
  if (!lane) finish_row(p, i, x, next, sum, out);
}

enum class Form { WRITING_FIRST, TWO_PHASE, FUSED };

template <class V, Form FORM> __global__ void roworder_kernel(const RowOrder<V> p, const V *__restrict__ b, V *__restrict__ out)
{
  const int lane = threadIdx.x % WARP;
  Turn      turn(p.tickets, lane);
  V *const  x    = p.x + (size_t)turn.parity * p.rows;
  V *const  next = p.x + (size_t)(1 - turn.parity) * p.rows;

  for (unsigned g = turn.start; g < p.tickets.work; g = turn.share(turn.take())) {
    const int  begin = p.execute_row_id[g], end = p.execute_row_id[g + 1], i = begin + lane;
    const bool mine = i < end;

    if (FORM == Form::TWO_PHASE) two_phase(p, turn, begin, i, mine, x, next, b, out);
    else if (FORM == Form::FUSED && end - begin == 1) warp_level(p, turn, begin, lane, x, next, b, out);
    else writing_first(p, turn, i, mine, x, next, b, out);
    __syncwarp();
  }
}

struct Plan {
  Form    form;
  int    *execute_row_id, *row_ptr, *col_idx, *value_source, *diagonal_source, *source, *target;
  void   *values, *reciprocal, *x;
  int     rows, nnz, groups, warp_rows;
  double  threshold;
  Tickets tickets;
};
constexpr int WARPS_PER_BLOCK = 4;

Plan *plan_of(SptrsvPlan plan)
{
  return (Plan *)plan->data;
}

template <class V> auto kernel_of(Form form)
{
  if (form == Form::WRITING_FIRST) return roworder_kernel<V, Form::WRITING_FIRST>;
  return form == Form::TWO_PHASE ? roworder_kernel<V, Form::TWO_PHASE> : roworder_kernel<V, Form::FUSED>;
}

template <class V> cudaError_t launch_kernel(const Plan &d, const void *b, void *out, cudaStream_t stream)
{
  RowOrder<V> p;

  p.tickets        = d.tickets;
  p.rows           = d.rows;
  p.execute_row_id = d.execute_row_id;
  p.row_ptr        = d.row_ptr;
  p.col_idx        = d.col_idx;
  p.source         = d.source;
  p.target         = d.target;
  p.values         = (const V *)d.values;
  p.reciprocal     = (const V *)d.reciprocal;
  p.x              = (V *)d.x;
  return launch(kernel_of<V>(d.form), (int)d.tickets.warps / WARPS_PER_BLOCK, WARP * WARPS_PER_BLOCK, stream, p, (const V *)b, (V *)out);
}

SptrsvStatus solve(SptrsvPlan plan, const void *b, void *out, SptrsvStream stream)
{
  SPTRSV_CUDA(plan->options.type == SPTRSV_DOUBLE ? launch_kernel<double>(*plan_of(plan), b, out, stream)
                                                  : launch_kernel<float>(*plan_of(plan), b, out, stream));
  return SPTRSV_SUCCESS;
}

SptrsvStatus update(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  const Plan &d = *plan_of(plan);

  return take_values({(size_t)d.nnz, d.value_source, d.values, d.rows, d.diagonal_source, d.reciprocal}, plan->options.diagonal,
                     plan->options.type, values, stream);
}

/* Algorithm 6, ALGCHOOSE: groups of 32 rows whose mean length (with the diagonal) reaches the threshold get a warp per row */
int choose_groups(const SptrsvOrdered &o, double threshold, int *execute_row_id, int *warp_rows)
{
  int groups = 0;

  *warp_rows = 0;
  for (int start = 0; start < o.n; start += WARP) {
    const int    end  = std::min(start + WARP, o.n);
    const double mean = (double)(o.row_ptr[end] - o.row_ptr[start]) / (end - start) + 1;

    if (mean >= threshold) {
      for (int i = start; i < end; i++) execute_row_id[groups++] = i;
      *warp_rows += end - start;
    } else execute_row_id[groups++] = start;
  }
  execute_row_id[groups] = o.n;
  return groups;
}

SptrsvStatus upload(SptrsvPlan plan, const SptrsvOrdered &o, Plan *d)
{
  const size_t n = (size_t)o.n, nnz = (size_t)o.nnz, size = value_size(plan->options.type);
  size_t      *total = &plan->device_bytes;
  int         *execute_row_id;

  SPTRSV_TRY(sptrsvNew(n + 1, &execute_row_id));
  d->groups                 = choose_groups(o, d->threshold, execute_row_id, &d->warp_rows);
  const SptrsvStatus status = sptrsvUpload(execute_row_id, ((size_t)d->groups + 1) * sizeof(int), (void **)&d->execute_row_id, total);
  free(execute_row_id);
  SPTRSV_TRY(status);
  SPTRSV_TRY(sptrsvUpload(o.row_ptr, (n + 1) * sizeof(int), (void **)&d->row_ptr, total));
  SPTRSV_TRY(sptrsvUpload(o.col_idx, nnz * sizeof(int), (void **)&d->col_idx, total));
  SPTRSV_TRY(sptrsvUpload(o.source, nnz * sizeof(int), (void **)&d->value_source, total));
  SPTRSV_TRY(sptrsvUpload(o.diagonal, n * sizeof(int), (void **)&d->diagonal_source, total));
  SPTRSV_TRY(upload_places(o.n, o.row, plan->options.in_perm, &d->source, total));
  SPTRSV_TRY(upload_places(o.n, o.row, plan->options.out_perm, &d->target, total));
  SPTRSV_TRY(sptrsvDeviceAllocate(nnz * size, &d->values, total));
  SPTRSV_TRY(sptrsvDeviceAllocate(n * size, &d->reciprocal, total));
  return unknowns_create(n, plan->options.type, &d->x, total);
}

SptrsvStatus build_form(SptrsvPlan plan, Form form, double threshold)
{
  SptrsvOrdered o;
  Plan         *d;
  int           resident;

  SPTRSV_TRY(sptrsvNew(1, &d));
  plan->data   = d;
  d->form      = form;
  d->threshold = threshold;
  SPTRSV_TRY(sptrsvOrderedCreate(plan->analysis, &plan->options, &o));
  d->rows = o.n;
  d->nnz  = o.nnz;

  const SptrsvStatus status = upload(plan, o, d);
  sptrsvOrderedFree(&o);
  SPTRSV_TRY(status);
  if (plan->options.type == SPTRSV_DOUBLE) SPTRSV_TRY(count_resident_blocks(kernel_of<double>(form), WARP * WARPS_PER_BLOCK, &resident));
  else SPTRSV_TRY(count_resident_blocks(kernel_of<float>(form), WARP * WARPS_PER_BLOCK, &resident));
  const int blocks = std::max(1, std::min(resident, (d->groups + WARPS_PER_BLOCK - 1) / WARPS_PER_BLOCK));

  SPTRSV_TRY(tickets_create(d->groups, (size_t)blocks * WARPS_PER_BLOCK, &d->tickets, &plan->device_bytes));
  plan->stalled = d->tickets.stalled;
  return SPTRSV_SUCCESS;
}

SptrsvStatus build_capellini(SptrsvPlan plan)
{
  return build_form(plan, Form::WRITING_FIRST, INFINITY);
}

SptrsvStatus build_twophase(SptrsvPlan plan)
{
  return build_form(plan, Form::TWO_PHASE, INFINITY);
}

/* 10 is the value in the authors' published code */
SptrsvStatus build_yuenyeung(SptrsvPlan plan)
{
  return build_form(plan, Form::FUSED, plan->options.threshold > 0 ? plan->options.threshold : 10);
}

void describe(SptrsvPlan plan, char *text, size_t size)
{
  const Plan &d = *plan_of(plan);

  if (d.form != Form::FUSED) (void)snprintf(text, size, "%d groups of 32 rows", d.groups);
  else
    (void)snprintf(text, size, "%d groups of 32 rows at thread level, %d rows at warp level, threshold %g (%s)", d.groups - d.warp_rows,
                   d.warp_rows, d.threshold, plan->options.threshold > 0 ? "given" : "built in");
}

void destroy(SptrsvPlan plan)
{
  Plan *d = plan_of(plan);

  if (!d) return;
  for (void *p : {(void *)d->execute_row_id, (void *)d->row_ptr, (void *)d->col_idx, (void *)d->value_source, (void *)d->diagonal_source,
                  (void *)d->source, (void *)d->target, d->values, d->reciprocal, d->x})
    sptrsvDeviceFree(p);
  tickets_destroy(&d->tickets);
  free(d);
}

} // namespace

const SptrsvMethod sptrsvCapellini = {{"capellini", "Zhang et al. (YuenyeungSpTRSV), Algorithm 5", "a thread per row, writing first",
                                       SPTRSV_DEVICE},
                                      build_capellini,
                                      update,
                                      solve,
                                      describe,
                                      destroy};
const SptrsvMethod sptrsvTwoPhase  = {{"twophase", "Zhang et al. (YuenyeungSpTRSV), Algorithm 4",
                                       "a thread per row, waits on other warps first, then rounds inside the warp", SPTRSV_DEVICE},
                                      build_twophase,
                                      update,
                                      solve,
                                      describe,
                                      destroy};
const SptrsvMethod sptrsvYuenyeung = {{"yuenyeung", "Zhang et al. (YuenyeungSpTRSV), Algorithms 3, 5 and 6",
                                       "thread or warp per row, by groups of 32 rows and a threshold", SPTRSV_DEVICE},
                                      build_yuenyeung,
                                      update,
                                      solve,
                                      describe,
                                      destroy};
