/*
   `strips`: a team, which is a block, solves a strip of a topological order.

   The warps of a team take turns: each solves a chunk of the strip, with the x of the strip in shared memory.  Before its turn a warp
   brings all that does not depend on the strip: b less what other strips contribute, entries, places.  So a level costs a step in shared
   memory and not a way through L2, and the way from strip to strip overlaps with work.  See doc/algorithms/strips.md.

   With several right-hand sides a team solves a part of their columns, and a strip is as many tickets (columns.cuh).
*/
#pragma once
#include <cmath>
#include "../columns.cuh"
#include "record.cuh"

namespace sptrsv {

/* sum -= v x, rounded once.  The compiler, left to fuse, would choose anew in each copy of the code, and which copy solves a chunk depends
   on the strips that a team had before: bits would differ from run to run. */
template <class End, class V, class Values> __device__ __forceinline__ void subtract_product(Values &sum, V v, const Values &x)
{
  using std::fma;
  if (!End::SKIPS_ZEROS || v != V(0)) sum = fma(-v, x, sum);
}

/* x = start - sum over near entries, the even ones and the odd ones apart; anything for a lane whose turn it is not.  All x of the GROUPS
   that the chunk has, or more, are read before the first product, so that a turn has one wait for shared memory.  at: where the x of the
   first group are */
template <class End, int GROUPS = 1, class V, int K, class Values>
__device__ __forceinline__ Values solve_unknown(const Record<V, K> &record, const Values &start, const Values *x, const Values *const *at,
                                                bool turn)
{
  constexpr int ENTRIES = GROUPS * GROUP<K>;
  Values        value[ENTRIES], sum = start, odd(V(0));

  if constexpr (ENTRIES < K) {
    if (SPTRSV_STRIP_MORE(record.mark()) >= GROUPS) return solve_unknown<End, GROUPS + 1>(record, start, x, at, turn);
  }
#pragma unroll
  for (int k = 0; k < ENTRIES; k++) value[k] = k < GROUP<K> ? *at[k] : *place_of(record, k, x, turn);
#pragma unroll
  for (int k = 0; k < ENTRIES; k++) subtract_product<End>(k & 1 ? odd : sum, record.value(k), value[k]);
  return sum + odd;
}

/* The unknowns of a chunk, when it is the warp's turn; x goes to `own`.  What can be computed before the wait is. */
template <class End, class V, int K, class Values, class Row>
__device__ __forceinline__ Values solve_chunk(const Record<V, K> &record, const Values &start, const Values *x, Values *own,
                                              const Relay &relay, unsigned turn, const Row &end)
{
  const unsigned last = SPTRSV_STRIP_LAST(record.mark()), mine = SPTRSV_STRIP_STEP(record.mark());
  const Values  *at[GROUP<K>];
  Values         value(V(0));

  if (!last) {
#pragma unroll
    for (int k = 0; k < GROUP<K>; k++) at[k] = keep_shared(place_of(record, k, x, true));
    relay.await_turn(turn);
    *own = value = end(solve_unknown<End>(record, start, x, at, true));
    relay.pass_turn();
    return value;
  }
  relay.await_turn(turn);
#pragma unroll 1
  for (unsigned step = 0; step <= last; step++) { /* all lanes compute, since a branch would take longer */
#pragma unroll
    for (int k = 0; k < GROUP<K>; k++) at[k] = place_of(record, k, x, step == mine);
    const Values found = solve_unknown<End>(record, start, x, at, step == mine);

    if (step == mine) *own = value = end(found);
    __syncwarp();
  }
  relay.pass_turn();
  return value;
}

/* All that a warp reads of a chunk before its turn, as it was loaded: a use would wait for the load.  So would another use of the register
   of a word that is loaded and not needed; of a chunk and of a head all are. */
template <class V, class S, int K, class Values> struct Supply {
  SptrsvStripChunk chunk;
  int              source, target; /* positions in b and out, or -1 */
  Record<V, 1>     first;          /* with the quads before values */
  Values           b;
  S                far_value[K];
  int              far_place[K];
  Unknown<Values>  far[K]; /* the far unknowns, as far as they are there */
};

/* Reads where the data of a chunk are, and where the lane's b is */
template <class End, class V, class S, int K, class Values>
__device__ __forceinline__ void read_heading(const StripsView<V, S, Values> &sweep, int c, int lane, Supply<V, S, K, Values> &s)
{
  s.chunk  = sweep.chunk[c];
  s.source = End::source(sweep.source, sweep.target)[(size_t)c * WARP + lane];
}

/* The target comes with the data: the chunk in hand needs its own until it is solved, and a load whose register is taken goes to another,
   where it is awaited and copied at once */
template <class End, class V, class S, int K, class Columns, class Values = typename Columns::Values> __device__ __forceinline__ void
read_data(const StripsView<V, S, Values> &sweep, int c, int lane, const V *b, const Columns &columns, int part, Supply<V, S, K, Values> &s)
{
  constexpr int     HEAD    = RecordLayout<V>::HEAD;
  const Quad *const record  = sweep.record + s.chunk.record + lane;
  const int         far_per = s.chunk.fars;
  const int *const  place   = sweep.far_place + s.chunk.far + lane;
  const S *const    value   = sweep.far_values + s.chunk.far + lane;

  s.target = sweep.target[(size_t)c * WARP + lane];
  s.b      = s.source >= 0 ? columns.read(b, s.source, part) : Values(V(0));
#pragma unroll
  for (int q = 0; q < HEAD - 1; q++) s.first.quad[q] = record[WARP * q];
  s.first.quad[HEAD - 1] = read_words<RecordLayout<V>::mark_words(K)>(record + WARP * (HEAD - 1));
#pragma unroll
  for (int k = 0; k < K; k++) {
    s.far_place[k] = k < far_per ? place[WARP * k] : -1;
    s.far_value[k] = k < far_per ? value[WARP * k] : S(0);
  }
}

template <class V, class S, int K, class Values> __device__ __forceinline__ void look_for_far(const Values *x, Supply<V, S, K, Values> &s)
{
#pragma unroll
  for (int k = 0; k < K; k++) s.far[k] = s.far_place[k] >= 0 ? poll(x + s.far_place[k]) : Unknown<Values>::missing_if(false);
}

/* b / diagonal less far entries.  The wait for far unknowns ends: they are in earlier strips, or in earlier chunks of this one.  NaN for
   those that it gives up. */
template <class End, class V, class S, int K, class Values>
__device__ __forceinline__ Values await_far(const Values *x, Supply<V, S, K, Values> &s, Waiter &waiter)
{
  Values start = s.b * s.first.reciprocal();
  V      value[K];

#pragma unroll
  for (int k = 0; k < K; k++) value[k] = V(s.far_value[k]);
  const auto waits = [&] {
    bool some = false;
#pragma unroll
    for (int k = 0; k < K; k++) some = some || !s.far[k].is_ready();
    return some;
  };
  bool goes_on = waits();
  while (goes_on) {
#pragma unroll
    for (int k = 0; k < K; k++) {
      if (!s.far[k].is_ready()) s.far[k] = poll(x + s.far_place[k]);
    }
    const bool stays = waiter.stays();
    goes_on          = waits() && (stays || !waiter.gives_up());
  }
#pragma unroll
  for (int k = 0; k < K; k++) subtract_product<End>(start, value[k], s.far[k].settled().value());
  return start;
}

template <class V, class S, class Columns, class Values = typename Columns::Values>
__device__ __forceinline__ bool leaves_by_windows(const StripsView<V, S, Values> &sweep, const Columns &columns)
{
  return columns.are_apart() && sweep.exits;
}

/* Writes slice c of the unknowns that leave by windows: of the window of chunk c, whose unknowns are solved and still in the ring */
template <class V, class S, class Columns, class Values = typename Columns::Values> __device__ __forceinline__ void
leave(const StripsView<V, S, Values> &sweep, const StripsExit &exit, const Values *x, int c, V *out, const Columns &columns, int part)
{
  const Values value = x[WARP + (unsigned)((c - c % sweep.window) * WARP + exit.place) % SPTRSV_STRIP_RING];

  if (exit.target >= 0) columns.write(out, exit.target, part, value);
}

/* Writes the slices that are left when a strip is solved, before its team goes on */
template <class V, class S, class Columns, class Values = typename Columns::Values>
__device__ __forceinline__ void leave_strip(const StripsView<V, S, Values> &sweep, const Values *x, int first, int chunks, int lane, V *out,
                                            const Columns &columns, int part)
{
  __syncthreads();
  for (int c = max(0, chunks - sweep.window) + threadIdx.x / WARP; c < chunks; c += blockDim.x / WARP)
    leave(sweep, sweep.exits[(size_t)(first + c) * WARP + lane], x, c, out, columns, part);
}

/*
   Chunks that a warp has in hand: this one, and those for which it reads ahead.  Headings are read DEPTH rounds ahead, data a round less,
   and if registers suffice, far unknowns are polled a round ahead, too.
*/
template <class Values, int K> constexpr int DEPTH = K <= 3 && sizeof(Values) <= sizeof(double) ? 3 : 2;

/* Shared memory of a team: x, whose places 0 … WARP - 1 are zero, for entries that are not there; and for each warp the near entries of
   DEPTH chunks, in quads */
constexpr int                                    TEAM_PLACES = WARP + SPTRSV_STRIP_RING;
template <class V, class S, int K> constexpr int CHUNK_QUADS = (RecordLayout<V, S>::quads(K) - RecordLayout<V, S>::HEAD) * WARP;
template <class V, class S, int K, class Values> __host__ __device__ constexpr size_t team_bytes(int warps)
{
  return sizeof(Values) * TEAM_PLACES + sizeof(Quad) * CHUNK_QUADS<V, S, K> * DEPTH<Values, K> * warps;
}

/*
   A warp's chunks of a strip, from `begin` on; `before` is the number of the team's chunks in earlier strips.  x, near: in shared memory,
   the team's x and the lane's first quad.

   All that is read before the launch in front is awaited is of the plan.  What is read ahead past the last chunk is the last chunk's once
   more: a load into a register that a condition guards is awaited at once.  Supplies take turns, since a copy would wait for the loads.
*/
template <class V, class S, int K, class End, class Columns, class Values = typename Columns::Values>
__device__ __forceinline__ void solve_chunks(const StripsView<V, S, Values> &sweep, Values *x, Quad *near, const Relay &relay,
                                             Waiter &waiter, int first, int chunks, unsigned before, int begin, int warps, int lane,
                                             const V *b, V *out, const End &end, const Columns &columns, int part)
{
  constexpr int           D = DEPTH<Values, K>, PARTS = Columns::PARTS;
  Values *const           far        = keep_global(sweep.x + (waiter.parity * PARTS + part) * sweep.number_of_places);
  Values *const           next       = keep_global(sweep.x + ((1 - waiter.parity) * PARTS + part) * sweep.number_of_places);
  const bool              by_windows = leaves_by_windows(sweep, columns);
  Supply<V, S, K, Values> supply[D]  = {};
  int                     c          = begin;

  const auto chunk_in = [&](int rounds) { return first + min(c + rounds * warps, chunks - 1); };
  const auto copy     = [&](int k) {
    const Quad *record = sweep.record + supply[k].chunk.record + lane;

    if constexpr (K > SPTRSV_STRIP_GROUP) record = keep_global(record); /* or each of many copies forms it anew */
    copy_near<V, S, K>(record, supply[k].chunk.nears, near + k * CHUNK_QUADS<V, S, K>);
    commit_copies();
  };
  const auto go_on = [&](int k) {
    Supply<V, S, K, Values> &now    = supply[k];
    const int                target = now.target;
    const auto               row    = end.template of<Values>(target);
    const size_t             place  = (size_t)(first + c) * WARP + lane;
    Record<V, K>             record;
    StripsExit               exit = {};

    if (by_windows && c >= sweep.window) exit = sweep.exits[place - sweep.window * WARP];
    look_for_far(far, supply[(k + D - 2) % D]);
    copy((k + 1) % D);
    read_data<End>(sweep, chunk_in(D - 1), lane, b, columns, part, supply[(k + D - 1) % D]);
    read_heading<End>(sweep, chunk_in(D), lane, now);
    const Values start = await_far<End>(far, now, waiter);
    await_copies<1>(); /* but not the latest */
    load_near<S>(now.first, near + k * CHUNK_QUADS<V, S, K>, record);
    const Values value =
        solve_chunk<End>(record, start, x, x + WARP + (unsigned)c * WARP % SPTRSV_STRIP_RING + lane, relay, before + (unsigned)c, row);
    if (record.mark() & SPTRSV_STRIP_FAR) {
      publish(far + place, value);
      rearm(next + place);
    }
    if (by_windows) {
      if (c >= sweep.window) leave(sweep, exit, x, c - sweep.window, out, columns, part);
    } else if (target >= 0) columns.write(out, target, part, value);
    c += warps;
    return c < chunks;
  };

  if (c >= chunks) return;
#pragma unroll
  for (int k = 0; k < D; k++) read_heading<End>(sweep, chunk_in(k), lane, supply[k]);
  await_previous_launch();
#pragma unroll
  for (int k = 0; k < D - 1; k++) read_data<End>(sweep, chunk_in(k), lane, b, columns, part, supply[k]);
  copy(0);
#pragma unroll
  for (int k = 0; k < D - 2; k++) look_for_far(far, supply[k]);
  while (go_on(0) && go_on(1) && (D == 2 || go_on(2)))
    ;
  await_copies<0>(); /* the next strip's go to the same place */
}

/* Of columns that are not there nothing is solved, but what an earlier launch left is taken back */
template <class V, class S, class Values> __device__ __forceinline__ void
rearm_chunks(const StripsView<V, S, Values> &sweep, const Waiter &waiter, int parts, int part, int first, int chunks)
{
  Values *const next = sweep.x + ((1 - waiter.parity) * parts + part) * sweep.number_of_places + (size_t)first * WARP;

  await_previous_launch();
  for (int p = threadIdx.x; p < chunks * WARP; p += blockDim.x) rearm(next + p);
}

template <int W> constexpr int MOST_THREADS = WARP *W;

/* W: the most warps of a team */
template <class V, class S, int K, int W, class End, class Columns, class Values = typename Columns::Values>
__global__ void __launch_bounds__(MOST_THREADS<W>)
    strips_kernel(const StripsView<V, S, Values> sweep, const V *b, V *__restrict__ out, const End end, const Columns columns)
{
  __shared__ RelayCount passed;
  Values *const         x    = keep_shared((Values *)block_memory<team_bytes<V, S, K, Values>(W)>());
  const int             lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
  Quad *const           near   = (Quad *)(x + TEAM_PLACES) + warp * DEPTH<Values, K> * CHUNK_QUADS<V, S, K> + lane;
  int                   begin  = warp; /* chunks until the warp's next one */
  unsigned              number = 0;    /* of the team's chunks so far */

  let_next_launch_begin();
  if (!warp) x[lane] = Values(V(0));
  const Relay relay(&passed, warp, warps);
  BlockTurn   turn(sweep.tickets);

  for (unsigned t = turn.start; t < sweep.tickets.work; t = turn.next()) {
    const int s = (int)(t / Columns::PARTS), part = (int)(t % Columns::PARTS);
    const int first = sweep.strip_ptr[s], chunks = sweep.strip_ptr[s + 1] - first;

    if (columns.lacks(part)) {
      rearm_chunks(sweep, turn, Columns::PARTS, part, first, chunks);
      continue;
    }
    solve_chunks<V, S, K>(sweep, x, near, relay, turn, first, chunks, number, begin, warps, lane, b, out, end, columns, part);
    if (leaves_by_windows(sweep, columns)) leave_strip(sweep, x, first, chunks, lane, out, columns, part);
    number += (unsigned)chunks;
    begin = (begin + (warps - chunks % warps)) % warps;
  }
  if (!begin) relay.await_turn(number); /* takes the last turn that was passed, so that each arrival at a barrier has its wait */
}

/* Counts the warps that have room in MOST_MEMORY, and for their registers in a multiprocessor */
template <class V, class S, int K, class Values> constexpr int most_warps()
{
  constexpr size_t x = team_bytes<V, S, K, Values>(0), warp = team_bytes<V, S, K, Values>(1) - x;

  return std::min({K <= 4 ? Relay::MOST_WARPS : K == 8 ? 12 : 8, (int)((MOST_MEMORY - x) / warp)});
}

/* The columns of a kernel for values of type V and unknowns of K entries */
struct Alone {
  template <class V, int K> using Columns = OneColumn<V>;
};

/* call(kernel, its columns' type, most warps, bytes of a team's memory) with the kernel for unknowns of up to `most` entries, near and
   far.  Width: Alone, or another such list of columns */
template <class V, class S, class End, class Width, int K = 2, class F> auto with_kernel(int most, F call)
{
  if constexpr (K < SPTRSV_STRIP_ENTRIES) {
    if (most > K) return with_kernel<V, S, End, Width, strips_kernel_entries(K + 1)>(most, call);
  }
  using Columns            = typename Width::template Columns<V, K>;
  using Values             = typename Columns::Values;
  constexpr int most_warps = sptrsv::most_warps<V, S, K, Values>();

  return call(strips_kernel<V, S, K, most_warps, End, Columns>, Columns(), most_warps,
              [](int warps) { return team_bytes<V, S, K, Values>(warps); });
}

/* As many teams as fit on the GPU at once, of teams->warps, which is lowered to what a team can have */
template <class Width> SptrsvStatus create_teams(SptrsvPlan plan, StripsTeams *teams)
{
  int resident, work = teams->strips;

  SPTRSV_TRY(by_stored_type(plan->options, [&](auto v, auto stored) {
    return with_kernel<decltype(v), decltype(stored), Solution, Width>(teams->most, [&](auto *kernel, auto columns, int most, auto bytes) {
      work *= columns.PARTS;
      teams->warps = std::min(teams->warps, most);
      return count_resident_blocks(kernel, WARP * teams->warps, &resident, bytes(teams->warps));
    });
  }));
  SPTRSV_TRY(tickets_create(&plan->memory, (size_t)work, (size_t)std::max(1, std::min(resident, work)), &teams->tickets));
  if (!plan->stalled) plan->stalled = teams->tickets.stalled;
  teams->tickets.stalled = (unsigned *)plan->stalled;
  return SPTRSV_SUCCESS;
}

template <class V, class S, class Width, class End>
SptrsvStatus launch_strips(const StripsTeams &teams, const SptrsvSolve &s, const End &end)
{
  return sptrsvCudaStatus(with_kernel<V, S, End, Width>(teams.most, [&](auto *kernel, auto columns, int, auto bytes) {
    using Columns = decltype(columns);
    return launch_with({bytes(teams.warps), s.follows}, kernel, (int)teams.tickets.warps, WARP * teams.warps, s.stream,
                       view_as<StripsView<V, S, typename Columns::Values>, StripsView<>>(teams), (const V *)s.b, (V *)s.x, end,
                       Columns::of(s));
  }));
}

} // namespace sptrsv
