/*
   Factorization by rows of blocks, in level order: what that of points (blockrows.cu) and that of blocks (blockpivots.cu) share.

   A warp has a row of blocks in shared memory and takes it through the finished rows of its blocks left of the diagonal: there are as many
   times fewer levels as a block has rows.  Which blocks of the row meet which of a finished one is known, so a factorization searches
   nothing.  As in the sweeps, entries on and above the diagonal are their own flags.
*/
#pragma once
#include <cmath>
#include "methods.cuh"

namespace sptrsv {

/* The rows of blocks of a pattern, between set-up (blockrows_setup.cu) and kernels.  A pattern has `step` rows for each of them: the
   block's, all dense, or 1 if its entries are blocks.  Block m of row i has number row_ptr[i * step] / step^2 + m. */
struct BlockRows {
  int            *row;       /* device [rows] in level order */
  size_t         *match_ptr; /* device [blocks + 1] matches before those of each block */
  unsigned short *match;     /* of block m left of the diagonal, in column j: p and, times 256, q, if block p of the row has the column of
                                block q of row j, counted from the diagonal */
  int             rows, block, levels;
  size_t          memory; /* of a warp: a row, and a block */
  Tickets         tickets;
};
constexpr int MOST_ROW_OF_BLOCKS = 255; /* for matches of two bytes */

/* A row of blocks whose entries are stored row by row */
struct BlockRow {
  int i, first, width, split; /* position of its first entry, entries of each of its rows, those left of the diagonal block */

  /* step as above; step * scale is a block's rows */
  __device__ __forceinline__ BlockRow(const FactorPattern &f, int i, int step, int scale)
      : i(i), first(f.row_ptr[i * step] * (scale * scale)), width((f.row_ptr[i * step + 1] - f.row_ptr[i * step]) * scale),
        split((f.split[i * step] - f.row_ptr[i * step]) * scale)
  {}
  __device__ __forceinline__ BlockRow from(int lane) const
  {
    return {from_lane(i, lane), from_lane(first, lane), from_lane(width, lane), from_lane(split, lane)};
  }

private:
  __device__ __forceinline__ BlockRow(int i, int first, int width, int split) : i(i), first(first), width(width), split(split) {}
};

/* *memory: of a warp, for blocks of so many rows.  NOT_SUPPORTED: a row has too many for it, or for matches */
SptrsvStatus blockrows_measure(SptrsvFactor factor, int step, int block, size_t *memory);
/* A plan without its tickets, which becomes the work's data.  blocks: an analysis whose lower sweep has the rows' levels */
SptrsvStatus blockrows_create(SptrsvFactor factor, int step, int block, SptrsvAnalysis blocks, SptrsvFactorWork *work, BlockRows **plan);

/* Waits until find(), which looks for what a lane lacks, is true on all lanes of the warp.  The wait ends: a finished row belongs to an
   earlier level, so to an earlier ticket.  The warp gives up together: settle() on each lane. */
template <class F, class S> __device__ __forceinline__ void await_all(F find, S settle, Waiter &turn)
{
  bool waiting;

  do {
#pragma unroll 1
    do waiting = __any_sync(ALL_LANES, !find());
    while (waiting && !__any_sync(ALL_LANES, !turn.stays()));
  } while (waiting && !__any_sync(ALL_LANES, turn.gives_up()));
  if (waiting) settle();
}

/* What a warp needs of a finished row j to take a block of its own through it, looked for before it is used: the diagonal block, an entry
   or two for each lane, and column k of block q, for the lane's entry of the first matches */
template <class V, int BS> struct Finished {
  static constexpr int SIZE = BS * BS, EACH = (SIZE + WARP - 1) / WARP;

  BlockRow   j;
  int        pair, matches; /* pair: the lane's, of the first matches */
  Unknown<V> diagonal[EACH], u[BS];
};

/* The warp's row of blocks w, of BS rows, and the diagonal block [SIZE] of a finished row.  Store says where finished rows are:

     diagonal(j, e)           entry e of the diagonal block
     right(j, q), stride(j)   the first entry of block q, counted from the diagonal, and entries from one of its rows to the next

   Zeros are skipped, as on the host: no 0 * Inf after a zero pivot. */
template <class V, int BS, class Store> struct RowOfBlocks {
  using Value               = V;
  using Other               = Finished<V, BS>;
  static constexpr int ROWS = BS, SIZE = BS * BS;

  V *const w, *const diagonal;
  const BlockRow own;
  const Store    store;
  const int      lane;

  __device__ __forceinline__ V &at(int r, int c) const { return w[r * own.width + c]; }

  /* Looks once for what is missing of column k of block q, and tells whether all of it is there */
  __device__ __forceinline__ bool find_column(const BlockRow &j, int q, int k, Unknown<V> (&u)[BS]) const
  {
    const V *const column = store.right(j, q) + k;
    const int      stride = store.stride(j);
    bool           ready  = true;

#pragma unroll
    for (int t = 0; t < BS; t++) {
      if (!u[t].is_ready()) u[t] = poll(column + t * stride);
    }
#pragma unroll
    for (int t = 0; t < BS; t++) ready = ready && u[t].is_ready();
    return ready;
  }
  /* The same of all that the row's first matches need */
  __device__ __forceinline__ bool find(Other &row) const
  {
#pragma unroll
    for (int t = 0; t < row.EACH; t++) {
      if (!row.diagonal[t].is_ready()) row.diagonal[t] = poll(store.diagonal(row.j, min(lane + WARP * t, SIZE - 1)));
    }
    bool ready = find_column(row.j, row.pair >> 8, lane % BS, row.u);
#pragma unroll
    for (int t = 0; t < row.EACH; t++) ready = ready && row.diagonal[t].is_ready();
    return ready;
  }

  __device__ __forceinline__ void keep_diagonal(const Other &row) const
  {
#pragma unroll
    for (int t = 0; t < row.EACH; t++) {
      if (lane + WARP * t < SIZE) diagonal[lane + WARP * t] = row.diagonal[t].value();
    }
    __syncwarp();
  }

  /* Columns right of the diagonal block, a lane for each: work(column c, its entries u) */
  template <class F> __device__ __forceinline__ void for_right(F work) const
  {
    for (int c = own.split + BS + lane; c < own.width; c += WARP) {
      V u[BS];

#pragma unroll
      for (int r = 0; r < BS; r++) u[r] = at(r, c);
      work(c, u);
    }
    __syncwarp();
  }

  /* Subtracts L_ij U_jk from an entry, L_ij at column c and u the column of U_jk: entry e of the matches */
  __device__ __forceinline__ void subtract_from(int e, int pair, int c, const Unknown<V> (&u)[BS]) const
  {
    const int r     = e % SIZE / BS;
    V        &entry = at(r, (pair & 255) * BS + e % BS), sum = entry;

#pragma unroll
    for (int t = 0; t < BS; t++) {
      const V l = at(r, c + t);
      sum       = l != V(0) ? std::fma(-l, u[t].value(), sum) : sum;
    }
    entry = sum;
  }

  /* The same for all matches: a lane per entry */
  __device__ __forceinline__ void subtract(int c, const Other &row, const unsigned short *match, Waiter &turn) const
  {
    if (lane < row.matches * SIZE) subtract_from(lane, row.pair, c, row.u);
    for (int first = WARP; first < row.matches * SIZE; first += WARP) {
      const int  e    = first + lane;
      const bool mine = e < row.matches * SIZE;
      const int  pair = mine ? match[e / SIZE] : 0;
      Unknown<V> u[BS];

#pragma unroll
      for (int t = 0; t < BS; t++) u[t] = Unknown<V>::missing_if(mine);
      await_all([&] { return find_column(row.j, pair >> 8, e % BS, u); }, [&] { settle(u); }, turn);
      if (mine) subtract_from(e, pair, c, u);
    }
    __syncwarp();
  }
};

/* Takes the warp's row through the rows of its blocks left of the diagonal, a warp's number of them at a time */
template <class Row> __device__ __forceinline__ void eliminate(const Row &row, const FactorPattern &f, const BlockRows &plan, Waiter &turn)
{
  using Other      = typename Row::Other;
  using U          = Unknown<typename Row::Value>;
  constexpr int BS = Row::ROWS, STEP = Row::STEP, SCALE = BS / STEP;
  const int     lower = row.own.split / BS, number = row.own.first / (BS * BS);

  for (int first = 0; first < lower; first += WARP) {
    const int      m = first + row.lane, end = min(WARP, lower - first);
    const int      j = m < lower ? f.col_idx[row.own.first / (SCALE * SCALE) + m * STEP] / STEP : 0;
    const BlockRow other(f, j, STEP, SCALE);
    const size_t   begin   = plan.match_ptr[number + min(m, lower)];
    const int      matches = (int)(plan.match_ptr[number + min(m + 1, lower)] - begin);

    const auto matches_of = [&](int k) { return plan.match + from_lane(begin, k); };
    const auto look       = [&](int k) {
      const unsigned short *const match = matches_of(k);
      const int                   count = from_lane(matches, k), e = row.lane / row.SIZE;
      const bool                  mine = e < count;
      Other                       found{other.from(k), mine ? match[e] : 0, count, {}, {}};

#pragma unroll
      for (U &u : found.diagonal) u = U::missing_if(true);
#pragma unroll
      for (U &u : found.u) u = U::missing_if(mine);
      (void)row.find(found);
      return found;
    };
    Other now = look(0);

    for (int k = 0; k < end; k++) {
      const Other next = look(min(k + 1, end - 1));

      await_all([&] { return row.find(now); }, [&] { settle(now.diagonal), settle(now.u); }, turn);
      row.take((first + k) * BS, now, matches_of(k), turn);
      now = next;
    }
  }
}

/* A warp of a factorization.  Row has begin(), an entry before elimination; take(), through a finished row; finish(), which stores it. */
template <class Row, class Pass> __device__ __forceinline__ void factor_rows(const BlockRows &plan, const Pass &pass)
{
  using V              = typename Row::Value;
  constexpr int BS     = Row::ROWS;
  V *const      memory = (V *)block_memory<MOST_MEMORY>();
  const int     lane   = threadIdx.x % WARP;
  Turn          turn(plan.tickets, lane);

  for (unsigned c = turn.start, ahead; c < plan.tickets.work; c = turn.share(ahead)) {
    const int i   = plan.row[c];
    const Row row = {{memory + BS * BS, memory, BlockRow(pass.f, i, Row::STEP, BS / Row::STEP), Row::store_of(pass), lane}};

    ahead = turn.take();
#pragma unroll 4
    for (int k = lane; k < BS * row.own.width; k += WARP) row.w[k] = row.begin(pass, k);
    __syncwarp();
    row.shift(pass);
    eliminate(row, pass.f, plan, turn);
    row.finish(pass);
    __syncwarp();
  }
}

} // namespace sptrsv
