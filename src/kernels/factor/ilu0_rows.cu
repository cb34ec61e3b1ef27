/*
   ILU(0) by rows, in level order.

   Row i is A's row i, from which multiples of finished rows k of U are subtracted, from left to right:
     l(i,k) = w(k) / u(k,k),   w(j) -= l(i,k) u(k,j)   for the columns j > k that both rows have.
   A few lanes hold the row, each one entry or up to MOST_PER_LANE.  Where row k has the column of a lane's entry is known (ilu0_rows.cuh), so
   a factorization searches nothing.  As in the sweeps, entries on and above the diagonal are their own flags.
*/
#include <cmath>
#include <cstdio>
#include "ilu0_rows.cuh"

namespace {

using namespace sptrsv;

constexpr int UPPER_LANES = 8; /* of a row, in upper_kernel() */

/* Entries that rows wait for are not ready */
template <class V> __global__ void upper_kernel(const FactorPattern f, V *v, int *bad_row)
{
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;

  if (!thread) *bad_row = -1;
  for (int i = thread / UPPER_LANES; i < f.n; i += gridDim.x * blockDim.x / UPPER_LANES) {
    for (int e = f.split[i] + thread % UPPER_LANES; e < f.row_ptr[i + 1]; e += UPPER_LANES) rearm(v + e);
  }
}

/* The row of a lane, and of the lanes beside it */
template <int LANES> struct Place {
  FactorRow row;
  int       sub, base; /* lane of the row; the row's first lane of the warp */

  template <class T> __device__ __forceinline__ T from(int lane, T v) const { return __shfl_sync(ALL_LANES, v, base + lane); }
};

/* Finished rows that the rows of a warp need next: those of their entries first … first + M - 1 */
template <class V, int LANES, int E> struct Batch {
  using W                = Word<V>;
  static constexpr int M = LANES < 16 / E ? LANES : 16 / E;

  typename W::type pivot, up[M][E]; /* on lane m the inverse pivot of entry first + m; for each entry of the lane what row k has there */
  int              pivot_at, at[M][E];

  __device__ __forceinline__ void locate(const FactorPattern &f, const unsigned char *map, const Place<LANES> &place, int first)
  {
    const FactorRow &row = place.row;

    pivot_at = place.sub < M && first + place.sub < row.lower ? f.split[f.col_idx[row.first + first + place.sub]] : -1;
    pivot    = pivot_at >= 0 ? W::NOT_READY : W::of(V(0));
#pragma unroll
    for (int m = 0; m < M; m++) {
      const int diagonal = place.from(m, pivot_at);
#pragma unroll
      for (int t = 0; t < E; t++) {
        const int  p    = place.sub + LANES * t;
        const bool both = diagonal >= 0 && p > first + m && p < row.length;
        const int  step = both ? map[row.map + candidate(row.length, first + m, p)] : 0;

        at[m][t] = step ? diagonal + step : -1;
        up[m][t] = step ? W::NOT_READY : W::of(V(0));
      }
    }
  }

  __device__ __forceinline__ void look(const V *v)
  {
#pragma unroll
    for (int m = 0; m < M; m++) {
#pragma unroll
      for (int t = 0; t < E; t++) {
        if (up[m][t] == W::NOT_READY) up[m][t] = poll(v + at[m][t]);
      }
    }
    if (pivot == W::NOT_READY) pivot = poll(v + pivot_at);
  }

  /* Whether row m lacks something that the lane needs */
  __device__ __forceinline__ bool lacks(int m, int sub) const
  {
    bool some = sub == m && pivot == W::NOT_READY;
#pragma unroll
    for (int t = 0; t < E; t++) some = some || up[m][t] == W::NOT_READY;
    return some;
  }

  __device__ __forceinline__ void give_up()
  {
#pragma unroll
    for (int m = 0; m < M; m++) {
#pragma unroll
      for (int t = 0; t < E; t++) up[m][t] = up[m][t] == W::NOT_READY ? W::NOT_A_NUMBER : up[m][t];
    }
    pivot = pivot == W::NOT_READY ? W::NOT_A_NUMBER : pivot;
  }

  /* The wait ends: row m belongs to an earlier level, so to an earlier ticket. */
  __device__ __forceinline__ void await(const V *v, int m, int sub, Waiter &turn)
  {
    unsigned rounds  = 0;
    bool     waiting = __any_sync(ALL_LANES, lacks(m, sub));

    while (waiting) {
      look(v);
      waiting = __any_sync(ALL_LANES, lacks(m, sub));
      if (waiting && ++rounds >= turn.limit && turn.gives_up(rounds)) give_up();
    }
  }
};

/* w(j) -= l u(k,j) for row k of the batch, and l in the place of w(k) */
template <class V, int LANES, int E>
__device__ __forceinline__ void subtract_row(const Batch<V, LANES, E> &batch, const Place<LANES> &place, int first, int m, V (&w)[E])
{
  const int owner = (first + m) % LANES, t_owner = (first + m) / LANES;
  V         own = w[0];

#pragma unroll
  for (int t = 1; t < E; t++) own = t == t_owner ? w[t] : own;

  const V    inverse = place.from(m, Word<V>::value(batch.pivot)), left = place.from(owner, own), l = left * inverse;
  const bool counts = first + m < place.row.lower && left != V(0); /* as on the host: no 0 * Inf after a zero pivot */
#pragma unroll
  for (int t = 0; t < E; t++) {
    if (counts && batch.at[m][t] >= 0) w[t] = std::fma(-l, Word<V>::value(batch.up[m][t]), w[t]);
    if (counts && place.sub == owner && t == t_owner) w[t] = l;
  }
}

template <class V, int LANES, int E>
__global__ void rows_kernel(const Tickets tickets, const RowChunk *chunks, const FactorRow *rows, const unsigned char *map, const Pass<V> pass)
{
  using Next     = Batch<V, LANES, E>;
  const int lane = threadIdx.x % WARP;
  Turn      turn(tickets, lane);

  for (unsigned c = turn.start, ahead; c < tickets.work; c = turn.share(ahead)) {
    const RowChunk     chunk = chunks[c];
    const bool         mine  = lane / LANES < chunk.rows;
    const Place<LANES> place = {mine ? rows[chunk.first + lane / LANES] : FactorRow{}, lane % LANES, lane / LANES * LANES};
    const FactorRow   &row   = place.row;
    V                  w[E];

    ahead = turn.take();
#pragma unroll
    for (int t = 0; t < E; t++) {
      const int p = place.sub + LANES * t;
      w[t]        = p < row.length ? start_value(pass, row.first + p, p == row.lower) : V(0);
    }
    for (int first = 0; first < chunk.lower; first += Next::M) {
      Next batch;

      batch.locate(pass.f, map, place, first);
      batch.look(pass.v);
#pragma unroll
      for (int m = 0; m < Next::M; m++) {
        if (first + m >= chunk.lower) break;
        batch.await(pass.v, m, place.sub, turn);
        subtract_row(batch, place, first, m, w);
      }
    }
#pragma unroll
    for (int t = 0; t < E; t++) {
      const int p = place.sub + LANES * t, e = row.first + p;

      if (p < row.lower) pass.v[e] = w[t];
      else if (p < row.length) publish(pass.v + e, p == row.lower ? pass.invert(w[t], [&] { return pass.f.col_idx[e]; }) : w[t]);
    }
  }
}

/* call(lanes, entries of a lane) with the constants of a kernel */
template <class F> auto with_shape(int lanes, int per_lane, F call)
{
  using std::integral_constant;
  if (per_lane == 4) return call(integral_constant<int, 32>(), integral_constant<int, 4>());
  if (per_lane == 2) return call(integral_constant<int, 32>(), integral_constant<int, 2>());
  if (lanes == 32) return call(integral_constant<int, 32>(), integral_constant<int, 1>());
  if (lanes == 16) return call(integral_constant<int, 16>(), integral_constant<int, 1>());
  return call(integral_constant<int, 8>(), integral_constant<int, 1>());
}

/* As in the sweeps few warps poll at a time.  With a handful of levels, or wide ones, no warp polls for long, and more warps are better. */
int choose_warps(const Ilu0Rows &rows, int processors)
{
  const double chunks_per_level = (double)rows.chunks / std::max(1, rows.levels);
  const double most             = (rows.levels > 16 && chunks_per_level < 16 * processors ? 8.0 : 16.0) * processors;

  return std::max(1, std::min(rows.chunks, (int)std::min(std::max(24 * chunks_per_level, (double)processors), most)));
}

} // namespace

namespace sptrsv {

bool rows_hold(int64_t longest)
{
  return longest <= MOST_LANES * MOST_PER_LANE;
}

SptrsvStatus rows_create(SptrsvFactor factor, const FactorPattern &f, int longest, Ilu0Rows **rows)
{
  Ilu0Rows *made;
  int       processors;

  SPTRSV_TRY(sptrsvNew(1, rows));
  made        = *rows;
  made->lanes = 8;
  while (made->lanes < MOST_LANES && made->lanes < longest) made->lanes *= 2;
  made->per_lane = 1;
  while (made->lanes * made->per_lane < longest) made->per_lane *= 2;
  SPTRSV_TRY(count_processors(&processors));
  SPTRSV_TRY(rows_arrange(factor, f, made));
  return tickets_create(&factor->memory, made->chunks, choose_warps(*made, processors), &made->tickets);
}

template <class V> SptrsvStatus rows_pass(const Ilu0Rows &rows, const Pass<V> &pass, cudaStream_t stream)
{
  SPTRSV_CUDA(launch(upper_kernel<V>, blocks_for((size_t)pass.f.n * UPPER_LANES), BLOCK, stream, pass.f, pass.v, pass.invert.bad_row));
  return sptrsvCudaStatus(with_shape(rows.lanes, rows.per_lane, [&](auto lanes, auto entries) {
    return launch(rows_kernel<V, lanes.value, entries.value>, (int)rows.tickets.warps, WARP, stream, rows.tickets, rows.chunk, rows.row,
                  rows.map, pass);
  }));
}
template SptrsvStatus rows_pass(const Ilu0Rows &, const Pass<double> &, cudaStream_t);
template SptrsvStatus rows_pass(const Ilu0Rows &, const Pass<float> &, cudaStream_t);

unsigned *rows_stalled(const Ilu0Rows &rows)
{
  return rows.tickets.stalled;
}

void rows_describe(const Ilu0Rows &rows, char *text, size_t size)
{
  (void)snprintf(text, size, "rows in %d levels, %d lanes a row, %u resident warps", rows.levels, rows.lanes, rows.tickets.warps);
}

} // namespace sptrsv
