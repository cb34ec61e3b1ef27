/*
   ILU(0) by rows, in level order.

   Row i is A's row i, from which multiples of finished rows k of U are subtracted, from left to right:
     l(i,k) = w(k) / u(k,k),   w(j) -= l(i,k) u(k,j)   for the columns j > k that both rows have.
   A few lanes hold the row, each one entry or up to MOST_PER_LANE.  Where row k has the column of a lane's entry is known (rows.cuh),
   so a factorization searches nothing.  As in the sweeps, entries on and above the diagonal are their own flags.
*/
#include <cmath>
#include <cstdio>
#include "rows.cuh"

namespace {

using namespace sptrsv;

/* The row of a lane, and of the lanes beside it */
template <int LANES> struct Place {
  RowSlot row;
  int     sub, base; /* lane of the row; the row's first lane of the warp */

  template <class T> __device__ __forceinline__ T from(int lane, T v) const { return from_lane(v, base + lane); }
};

/*
   Finished rows that the rows of a warp need next: those of their entries first … first + count - 1, count at most M.  Loops over them
   are unrolled, and left in steps of GROUP.
*/
template <class V, int LANES, int E> struct Batch {
  static constexpr int M = LANES < 16 / E ? LANES : 16 / E;

  /* on lane m the inverse pivot of entry first + m; for each entry of the lane what row k has there */
  Unknown<V> pivot, up[M][E];
  int        pivot_at, at[M][E], count;
  unsigned   both[E]; /* bit m: row k has the column of the lane's entry */

  __device__ __forceinline__ bool ends(int m) const { return m % GROUP == 0 && m >= count; }

  __device__ __forceinline__ void locate(const unsigned *map, const Place<LANES> &place, int first)
  {
    const RowSlot        &row   = place.row;
    const unsigned *const words = map + row.map + row.lower;
    unsigned              word[M / GROUP][E];

#pragma unroll
    for (int g = 0; g < M / GROUP; g++) {
      if (ends(g * GROUP)) break;
#pragma unroll
      for (int t = 0; t < E; t++) {
        const int m = first + g * GROUP, p = place.sub + LANES * t;
        word[g][t] = m < row.lower && p > m && p < row.length ? words[word_of(row.length, m / GROUP, p)] : 0;
      }
    }
    pivot_at = place.sub < count && first + place.sub < row.lower ? (int)map[row.map + first + place.sub] : -1;
    pivot    = Unknown<V>::missing_if(pivot_at >= 0);
#pragma unroll
    for (int t = 0; t < E; t++) both[t] = 0;
#pragma unroll
    for (int m = 0; m < M; m++) {
      if (m - m % GROUP >= count) SPTRSV_LEAVE;
      const int diagonal = place.from(m, pivot_at);
#pragma unroll
      for (int t = 0; t < E; t++) {
        const unsigned step = word[m / GROUP][t] >> 8 * (m % GROUP) & 0xff;

        both[t] |= (unsigned)(step > 0) << m;
        up[m][t] = Unknown<V>::missing_if(step);
        at[m][t] = diagonal + (int)step;
      }
    }
  }

  /* Looks once for what is missing of rows m and later ones */
  __device__ __forceinline__ void look(const V *v, int m)
  {
    if (!pivot.is_ready()) pivot = poll(v + pivot_at);
#pragma unroll
    for (int later = m; later < M; later++) {
      if (ends(later)) break;
#pragma unroll
      for (int t = 0; t < E; t++) {
        if (!up[later][t].is_ready()) up[later][t] = poll(v + at[later][t]);
      }
    }
  }

  /* Whether some lane of the warp lacks row m */
  __device__ __forceinline__ bool lacks(int m, int sub) const
  {
    bool some = sub == m && !pivot.is_ready();

#pragma unroll
    for (int t = 0; t < E; t++) some = some || !up[m][t].is_ready();
    return __any_sync(ALL_LANES, some);
  }

  /* The wait ends: row m belongs to an earlier level, so to an earlier ticket. */
  __device__ __forceinline__ void await(const V *v, int m, int sub, Waiter &turn)
  {
    while (lacks(m, sub)) {
      look(v, m);
      if (turn.stays() || !turn.gives_up_by_call()) continue;
      settle(up[m]);
      pivot = pivot.settled();
    }
  }
};

/* Entry p of a lane's row, which one of the row's lanes holds */
template <class V, int LANES, int E> __device__ __forceinline__ V entry_of_row(const Place<LANES> &place, int p, const V (&w)[E])
{
  V own = w[0];

#pragma unroll
  for (int t = 1; t < E; t++) own = t == p / LANES ? w[t] : own;
  return place.from(p % LANES, own);
}

/* w(j) -= l u(k,j) for row m of the batch, and l in the place of w(k), where p is its place in the row and left the value there */
template <class V, int LANES, int E>
__device__ __forceinline__ void subtract_row(const Batch<V, LANES, E> &batch, const Place<LANES> &place, int m, int p, V left, V (&w)[E])
{
  const V l = left * place.from(m, batch.pivot.value());
  using std::fma;
  const bool counts = p < place.row.lower && left != V(0); /* as on the host: no 0 * Inf after a zero pivot */

#pragma unroll
  for (int t = 0; t < E; t++) {
    if (counts && batch.both[t] >> m & 1) w[t] = fma(-l, batch.up[m][t].value(), w[t]);
    if (counts && place.sub + LANES * t == p) w[t] = l;
  }
}

template <class V, int LANES, int E>
__device__ __forceinline__ void factor_rows(const unsigned *map, const Pass<V> &pass, const Place<LANES> &place, Waiter &turn)
{
  using Next          = Batch<V, LANES, E>;
  const RowSlot &row  = place.row;
  const int      most = __shfl_sync(ALL_LANES, (int)row.lower, 0); /* the first row of a chunk has most entries left of the diagonal */
  V              w[E];

#pragma unroll
  for (int t = 0; t < E; t++) {
    const int p = place.sub + LANES * t;
    w[t]        = p < row.length ? start_value(pass, row.first + p, p == row.lower) : V(0);
  }
  for (int first = 0; first < most; first += Next::M) {
    Next batch;

    batch.count = min(Next::M, most - first);
    batch.locate(map, place, first);
    batch.look(pass.v, 0);
#pragma unroll
    for (int m = 0; m < Next::M; m++) {
      if (m >= batch.count) SPTRSV_LEAVE;
      const V left = entry_of_row<V, LANES, E>(place, first + m, w);

      batch.await(pass.v, m, place.sub, turn);
      subtract_row(batch, place, m, first + m, left, w);
    }
  }
#pragma unroll
  for (int t = 0; t < E; t++) {
    const int p = place.sub + LANES * t, e = row.first + p;

    if (p < row.lower) pass.v[e] = w[t];
    else if (p < row.length) publish(pass.v + e, p == row.lower ? pass.invert(w[t], [&] { return pass.f.col_idx[e]; }) : w[t]);
  }
}

/* Blocks of a multiprocessor, so that registers hold a batch but for a few values that are spilled */
template <class V, int E> [[maybe_unused]] constexpr int BLOCKS = sizeof(V) > sizeof(double) ? 12 : E == 1 ? 20 : 16;

/* The slots of the next chunk are read while a chunk is under way, so tickets are taken two ahead. */
template <class V, int LANES, int E> __global__ void SPTRSV_BOUNDS(WARP, (BLOCKS<V, E>))
    rows_kernel(const Tickets tickets, const RowSlot *rows, const unsigned *map, const Pass<V> pass)
{
  const int  lane = threadIdx.x % WARP, sub = lane % LANES;
  const auto slot = [=](unsigned c) { return rows[(size_t)c * (WARP / LANES) + lane / LANES]; };
  Turn       turn(tickets, lane);
  unsigned   c = turn.start;

  if (c >= tickets.work) return;
  RowSlot  row  = slot(c);
  unsigned next = turn.share(turn.take());

  for (;;) {
    const bool     more  = next < tickets.work;
    const unsigned ahead = more ? turn.take() : 0;
    const RowSlot  then  = more ? slot(next) : RowSlot{};

    factor_rows<V, LANES, E>(map, pass, {row, sub, lane - sub}, turn);
    if (!more) break;
    row  = then;
    next = turn.share(ahead);
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

/* Levels with so much work that lanes count, of which rows leave many idle (doc/algorithms/factorization.md) */
constexpr int FEW = 64;

SptrsvStatus judge(SptrsvFactor factor, Fit *fit)
{
  const FactorPattern &f = device_of(factor).f;
  const SptrsvSweep   *lower;
  int                  longest;

  SPTRSV_TRY(longest_row(f, &longest));
  SPTRSV_TRY(sptrsvAnalysisSweep(factor->analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &lower));
  /* Keys and slots are to fit into 32 bits.  A level leaves less than a warp of slots over. */
  const double levels = (double)lower->statistics.levels;
  const bool   fits   = levels * KEYS < 4e9 && f.n + levels * WARP < SPTRSV_MOST;
  *fit                = longest > MOST_LENGTH || !fits ? Fit::NONE : levels < FEW ? Fit::ALLOWED : Fit::BEST;
  return SPTRSV_SUCCESS;
}

SptrsvStatus create(SptrsvFactor factor, const SptrsvTuning *, SptrsvFactorWork *work)
{
  Ilu0Rows *rows;
  int       longest;

  SPTRSV_TRY(sptrsvNew(1, &rows));
  work->data = rows;
  SPTRSV_TRY(longest_row(device_of(factor).f, &longest));
  rows->lanes = 8;
  while (rows->lanes < MOST_LANES && rows->lanes < longest) rows->lanes *= 2;
  rows->per_lane = 1;
  while (rows->lanes * rows->per_lane < longest) rows->per_lane *= 2;
  SPTRSV_TRY(rows_arrange(factor, &work->memory, rows));
  /* As many as fit: a row takes long from its ticket to its last wait */
  return by_any_type(factor->type, [&](auto v) {
    return with_shape(rows->lanes, rows->per_lane, [&](auto lanes, auto entries) {
      return resident_tickets(rows_kernel<decltype(v), lanes.value, entries.value>, 0, rows->chunks, work, &rows->tickets);
    });
  });
}

SptrsvStatus pass(SptrsvFactor factor, const PassOptions &options, cudaStream_t stream)
{
  const Ilu0Rows &rows = data_of<Ilu0Rows>(factor);

  SPTRSV_TRY(factor_start(factor->type, device_of(factor).f.nnz, factor->values, options.invert.bad_row, stream));
  return sptrsvCudaStatus(by_any_type(factor->type, [&](auto v) {
    using V = decltype(v);
    return with_shape(rows.lanes, rows.per_lane, [&](auto lanes, auto entries) {
      return launch(rows_kernel<V, lanes.value, entries.value>, (int)rows.tickets.warps, WARP, stream, rows.tickets, rows.row, rows.map,
                    pass_of<V>(factor, options));
    });
  }));
}

void describe(SptrsvFactor factor, char *text, size_t size)
{
  const Ilu0Rows &rows = data_of<Ilu0Rows>(factor);

  (void)snprintf(text, size, "rows in %d levels, %d lanes a row, %u resident warps", rows.levels, rows.lanes, rows.tickets.warps);
}

} // namespace

/* clang-format off */
const FactorMethod sptrsv::factorRows = {
  {"rows", "this project",
   "row by row, in level order; a few lanes hold a row of up to 128 entries", SPTRSV_DEVICE, 0, nullptr, SPTRSV_ALL_VALUES},
  0, judge, create, pass, nullptr, describe, nullptr};
/* clang-format on */
