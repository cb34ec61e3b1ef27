/*
   `strips`: a team, which is a block, solves a strip of a topological order.

   The warps of a team take turns: each solves a chunk of the strip, with the x of the strip in shared memory.  Before its turn a warp
   brings all that does not depend on the strip: b less what other strips contribute, entries, places.  So a level costs a step in shared
   memory and not a way through L2, and the way from strip to strip overlaps with work.  See doc/algorithms/strips.md.
*/
#pragma once
#include <cmath>
#include "strips.cuh"

namespace sptrsv {

/* Record of a lane's unknown, with room for K near entries */
template <class V, int K> struct Record {
  using Layout               = RecordLayout<V>;
  static constexpr int QUADS = Layout::quads(K);

  Quad quad[QUADS];

  __device__ __forceinline__ unsigned half(int quad, int k) const
  {
    const unsigned word = this->quad[quad].w[k / 2];

    return k & 1 ? word >> 16 : word & 0xffff;
  }
  template <class T> static __device__ __forceinline__ T value_in(const Quad &quad, int k)
  {
    if constexpr (sizeof(T) == 2 * sizeof(Part<T>)) return {value_in<Part<T>>(quad, 2 * k), value_in<Part<T>>(quad, 2 * k + 1)};
    else if constexpr (sizeof(T) == 4) return bits_as<T>(quad.w[k]);
    else return bits_as<T>((typename Word<T>::type)quad.w[2 * k + 1] << 32 | quad.w[2 * k]);
  }
  __device__ __forceinline__ unsigned mark() const { return half(Layout::HEAD - 1, Layout::MARK); }
  __device__ __forceinline__ V        start() const { return value_in<V>(quad[0], 0); }
  __device__ __forceinline__ V        value(int k) const { return value_in<V>(quad[Layout::value_quad(k)], k % Layout::VALUES); }
  __device__ __forceinline__ unsigned offset(int k) const { return half(Layout::place_quad(k), Layout::place_in_quad(k)); }
  __device__ __forceinline__ void     set_start(V v) { set_words(quad[0].w, v); }

  /* Takes quad q, behind the head, of a record whose values are stored as S */
  template <class S> __device__ __forceinline__ void take(int q, Quad from)
  {
    using From = RecordLayout<V, S>;

    if (From::has_places(q)) quad[Layout::place_quad(From::first_entry(q))] = from;
    else {
#pragma unroll
      for (int k = 0; k < From::VALUES; k++) take_value(From::first_entry(q) + k, V(value_in<S>(from, k)));
    }
  }

private:
  __device__ __forceinline__ void take_value(int k, V v)
  {
    if (k < K) set_words(quad[Layout::value_quad(k)].w + k % Layout::VALUES * (int)(sizeof(V) / sizeof(unsigned)), v);
  }
};

/* Returns where a lane finds the x of its near entry k, or a zero if it is not the lane's turn */
template <class V, int K> __device__ __forceinline__ const V *place_of(const Record<V, K> &record, int k, const V *x, bool turn)
{
  return (const V *)((const char *)x + (turn ? record.offset(k) : 0));
}

/* sum -= v x, rounded once.  The compiler, left to fuse, would choose anew in each copy of the code, and which copy solves a chunk depends
   on the strips that a team had before: bits would differ from run to run. */
template <class End, class V> __device__ __forceinline__ void subtract_product(V &sum, V v, V x)
{
  using std::fma;
  if (!End::SKIPS_ZEROS || v != V(0)) sum = fma(-v, x, sum);
}

/* Entries that are taken together */
template <int K> constexpr int GROUP = std::min(K, (int)SPTRSV_STRIP_GROUP);

/* x = start - sum over near entries, the even ones and the odd ones apart; anything for a lane whose turn it is not.  All x of the GROUPS
   that the chunk has, or more, are read before the first product, so that a turn has one wait for shared memory.  at: where the x of the
   first group are */
template <class End, int GROUPS = 1, class V, int K>
__device__ __forceinline__ V solve_unknown(const Record<V, K> &record, const V *x, const V *const *at, bool turn)
{
  constexpr int ENTRIES = GROUPS * GROUP<K>;
  V             value[ENTRIES], sum = record.start(), odd = 0;

  if constexpr (ENTRIES < K) {
    if (SPTRSV_STRIP_MORE(record.mark()) >= GROUPS) return solve_unknown<End, GROUPS + 1>(record, x, at, turn);
  }
#pragma unroll
  for (int k = 0; k < ENTRIES; k++) value[k] = k < GROUP<K> ? *at[k] : *place_of(record, k, x, turn);
#pragma unroll
  for (int k = 0; k < ENTRIES; k++) subtract_product<End>(k & 1 ? odd : sum, record.value(k), value[k]);
  return sum + odd;
}

/* The unknowns of a chunk, when it is the warp's turn; x goes to `own`.  What can be computed before the wait is. */
template <class End, class V, int K, class Row>
__device__ __forceinline__ V solve_chunk(const Record<V, K> &record, const V *x, V *own, const Relay &relay, unsigned turn, const Row &end)
{
  const unsigned last = SPTRSV_STRIP_LAST(record.mark()), mine = SPTRSV_STRIP_STEP(record.mark());
  const V       *at[GROUP<K>];
  V              value = 0;

  if (!last) {
#pragma unroll
    for (int k = 0; k < GROUP<K>; k++) at[k] = keep_shared(place_of(record, k, x, true));
    relay.await_turn(turn);
    *own = value = end(solve_unknown<End>(record, x, at, true));
    relay.pass_turn();
    return value;
  }
  relay.await_turn(turn);
#pragma unroll 1
  for (unsigned step = 0; step <= last; step++) { /* all lanes compute, since a branch would take longer */
#pragma unroll
    for (int k = 0; k < GROUP<K>; k++) at[k] = place_of(record, k, x, step == mine);
    const V found = solve_unknown<End>(record, x, at, step == mine);

    if (step == mine) *own = value = end(found);
    __syncwarp();
  }
  relay.pass_turn();
  return value;
}

/* All that a warp reads of a chunk before its turn, as it was loaded: a use would wait for the load */
template <class V, class S, int K> struct Supply {
  SptrsvStripChunk chunk;
  StripPlaces      places;
  Record<V, 1>     first; /* with the quads before values */
  V                b;
  S                far_value[K];
  int              far_place[K];
  Unknown<V>       far[K]; /* the far unknowns, as far as they are there */
};

/* Reads where the data of a chunk are, and the lane's places */
template <class V, class S, int K>
__device__ __forceinline__ void read_heading(const StripsView<V, S> &sweep, int c, int lane, Supply<V, S, K> &s)
{
  s.chunk  = sweep.chunk[c];
  s.places = sweep.places[(size_t)c * WARP + lane];
}

template <class End, class V, class S, int K>
__device__ __forceinline__ void read_data(const StripsView<V, S> &sweep, int lane, const V *b, Supply<V, S, K> &s)
{
  const int        far_per = SPTRSV_STRIP_FAR_PER(s.chunk);
  const int *const place   = sweep.far_place + s.chunk.far + lane;
  const S *const   value   = sweep.far_values + s.chunk.far + lane;
  const int        source  = End::source(s.places.source, s.places.target);

  s.b = source >= 0 ? b[source] : V(0);
#pragma unroll
  for (int q = 0; q < RecordLayout<V>::HEAD; q++) s.first.quad[q] = sweep.record[s.chunk.record + WARP * q + lane];
#pragma unroll
  for (int k = 0; k < K; k++) {
    s.far_place[k] = k < far_per ? place[WARP * k] : -1;
    s.far_value[k] = k < far_per ? value[WARP * k] : S(0);
  }
}

template <class V, class S, int K> __device__ __forceinline__ void look_for_far(const V *x, Supply<V, S, K> &s)
{
#pragma unroll
  for (int k = 0; k < K; k++) s.far[k] = s.far_place[k] >= 0 ? poll(x + s.far_place[k]) : Unknown<V>::missing_if(false);
}

/* b / diagonal less far entries.  The wait for far unknowns ends: they are in earlier strips, or in earlier chunks of this one.  NaN for
   those that it gives up. */
template <class End, class V, class S, int K> __device__ __forceinline__ V await_far(const V *x, Supply<V, S, K> &s, Waiter &waiter)
{
  V start = s.b * s.first.start(), value[K];

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

/* The lane's record but for its head goes to shared memory, with zeros for entries that the chunk lacks in a group */
template <class V, class S, int K> __device__ __forceinline__ void copy_near(const Quad *record, int near_per, Quad *near)
{
  using Layout = RecordLayout<V, S>;

#pragma unroll
  for (int q = Layout::HEAD; q < Layout::quads(K); q++) {
    const int first = Layout::first_entry(q), at = WARP * (q - Layout::HEAD);

    if (!first || first < near_per) copy_async(near + at, record + WARP * q);
    else if (first < GROUP<K> || first / GROUP<K> * GROUP<K> < near_per) near[at] = {};
  }
}

/* The record with the groups of entries that the chunk has, as values of V */
template <class S, class V, int K>
__device__ __forceinline__ void load_near(const Record<V, 1> &first, const Quad *near, Record<V, K> &record)
{
  using Layout       = RecordLayout<V, S>;
  constexpr int HEAD = Layout::HEAD;

#pragma unroll
  for (int q = 0; q < HEAD; q++) record.quad[q] = first.quad[q];
#pragma unroll
  for (int q = HEAD; q < Layout::quads(K); q++) {
    const int group = Layout::first_entry(q) / GROUP<K>;

    if (group && SPTRSV_STRIP_MORE(first.mark()) < (unsigned)group) continue;
    if constexpr (std::is_same_v<S, V>) record.quad[q] = near[WARP * (q - HEAD)];
    else record.template take<S>(q, near[WARP * (q - HEAD)]);
  }
}

/*
   Chunks that a warp has in hand: this one, and those for which it reads ahead.  Headings are read DEPTH rounds ahead, data a round less,
   and if registers suffice, far unknowns are polled a round ahead, too.
*/
template <class V, int K> constexpr int DEPTH = K <= 3 && sizeof(V) <= sizeof(double) ? 3 : 2;

/* Shared memory of a team: x, whose places 0 … WARP - 1 are zero, for entries that are not there; and for each warp the near entries of
   DEPTH chunks, in quads */
constexpr int                                    TEAM_PLACES = WARP + SPTRSV_STRIP_RING;
template <class V, class S, int K> constexpr int CHUNK_QUADS = (RecordLayout<V, S>::quads(K) - RecordLayout<V, S>::HEAD) * WARP;
template <class V, class S, int K> __host__ __device__ constexpr size_t team_bytes(int warps)
{
  return sizeof(V) * TEAM_PLACES + sizeof(Quad) * CHUNK_QUADS<V, S, K> * DEPTH<V, K> * warps;
}

/*
   A warp's chunks of a strip, from `begin` on; `before` is the number of the team's chunks in earlier strips.  x, near: in shared memory,
   the team's x and the lane's first quad.

   All that is read before the launch in front is awaited is of the plan.  What is read ahead past the last chunk is the last chunk's once
   more: a load into a register that a condition guards is awaited at once.  Supplies take turns, since a copy would wait for the loads.
*/
template <class V, class S, int K, class End>
__device__ __forceinline__ void solve_chunks(const StripsView<V, S> &sweep, V *x, Quad *near, const Relay &relay, Waiter &waiter, int first,
                                             int chunks, unsigned before, int begin, int warps, int lane, const V *b, V *out,
                                             const End &end)
{
  constexpr int   D         = DEPTH<V, K>;
  V *const        far       = keep_global(sweep.x + waiter.parity * sweep.number_of_places);
  V *const        next      = keep_global(sweep.x + (1 - waiter.parity) * sweep.number_of_places);
  Supply<V, S, K> supply[D] = {};
  int             c         = begin;

  const auto heading = [&](int rounds, Supply<V, S, K> &s) { read_heading(sweep, first + min(c + rounds * warps, chunks - 1), lane, s); };
  const auto copy    = [&](int k) {
    copy_near<V, S, K>(sweep.record + supply[k].chunk.record + lane, SPTRSV_STRIP_NEAR_PER(supply[k].chunk),
                       near + k * CHUNK_QUADS<V, S, K>);
    commit_copies();
  };
  const auto go_on = [&](int k) {
    Supply<V, S, K> &now    = supply[k];
    const int        target = now.places.target;
    const auto       row    = end.template of<V>(target);
    const size_t     place  = (size_t)(first + c) * WARP + lane;
    Record<V, K>     record;

    look_for_far(far, supply[(k + D - 2) % D]);
    copy((k + 1) % D);
    read_data<End>(sweep, lane, b, supply[(k + D - 1) % D]);
    heading(D, now);
    now.first.set_start(await_far<End>(far, now, waiter));
    await_copies<1>(); /* but not the latest */
    load_near<S>(now.first, near + k * CHUNK_QUADS<V, S, K>, record);
    const V value = solve_chunk<End>(record, x, x + WARP + (unsigned)c * WARP % SPTRSV_STRIP_RING + lane, relay, before + (unsigned)c, row);
    if (record.mark() & SPTRSV_STRIP_FAR) {
      publish(far + place, value);
      rearm(next + place);
    }
    if (target >= 0) out[target] = value;
    c += warps;
    return c < chunks;
  };

  if (c >= chunks) return;
#pragma unroll
  for (int k = 0; k < D; k++) heading(k, supply[k]);
  await_previous_launch();
#pragma unroll
  for (int k = 0; k < D - 1; k++) read_data<End>(sweep, lane, b, supply[k]);
  copy(0);
#pragma unroll
  for (int k = 0; k < D - 2; k++) look_for_far(far, supply[k]);
  while (go_on(0) && go_on(1) && (D == 2 || go_on(2)))
    ;
  await_copies<0>(); /* the next strip's go to the same place */
}

template <int W> constexpr int MOST_THREADS = WARP *W;

/* W: the most warps of a team */
template <class V, class S, int K, int W, class End> __global__ void __launch_bounds__(MOST_THREADS<W>)
    strips_kernel(const StripsView<V, S> sweep, const V *b, V *__restrict__ out, const End end)
{
  __shared__ RelayCount passed;
  V *const              x    = keep_shared((V *)block_memory<team_bytes<V, S, K>(W)>());
  const int             lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
  Quad *const           near   = (Quad *)(x + TEAM_PLACES) + warp * DEPTH<V, K> * CHUNK_QUADS<V, S, K> + lane;
  int                   begin  = warp; /* chunks until the warp's next one */
  unsigned              number = 0;    /* of the team's chunks so far */

  let_next_launch_begin();
  if (!warp) x[lane] = 0;
  const Relay relay(&passed, warp, warps);
  BlockTurn   turn(sweep.tickets);

  for (unsigned s = turn.start; s < sweep.tickets.work; s = turn.next()) {
    const int first = sweep.strip_ptr[s], chunks = sweep.strip_ptr[s + 1] - first;

    solve_chunks<V, S, K>(sweep, x, near, relay, turn, first, chunks, number, begin, warps, lane, b, out, end);
    number += (unsigned)chunks;
    begin = (begin + (warps - chunks % warps)) % warps;
  }
  if (!begin) relay.await_turn(number); /* takes the last turn that was passed, so that each arrival at a barrier has its wait */
}

/* Counts the warps that have room in MOST_MEMORY, and for their registers in a multiprocessor */
template <class V, class S, int K> constexpr int most_warps()
{
  constexpr size_t x = team_bytes<V, S, K>(0), warp = team_bytes<V, S, K>(1) - x;

  return std::min({K <= 4 ? Relay::MOST_WARPS : K == 8 ? 12 : 8, (int)((MOST_MEMORY - x) / warp)});
}

/* call(kernel, most warps, bytes of a team's memory) with the kernel for unknowns of up to `most` entries, near and far */
template <class V, class S, class End, int K = 2, class F> auto with_kernel(int most, F call)
{
  if constexpr (K < SPTRSV_STRIP_ENTRIES) {
    if (most > K) return with_kernel<V, S, End, strips_kernel_entries(K + 1)>(most, call);
  }
  constexpr int most_warps = sptrsv::most_warps<V, S, K>();

  return call(strips_kernel<V, S, K, most_warps, End>, most_warps, [](int warps) { return team_bytes<V, S, K>(warps); });
}

template <class V, class S, class End> SptrsvStatus launch_strips(const StripsPlan &plan, const SptrsvSolve &s, const End &end)
{
  return sptrsvCudaStatus(with_kernel<V, S, End>(plan.most, [&](auto *kernel, int, auto bytes) {
    return launch_with({bytes(plan.warps), s.follows}, kernel, (int)plan.tickets.warps, WARP * plan.warps, s.stream, view<V, S>(plan),
                       (const V *)s.b, (V *)s.x, end);
  }));
}

} // namespace sptrsv
