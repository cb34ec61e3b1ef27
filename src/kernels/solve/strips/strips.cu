/*
   `strips`: a team, which is a block, solves a strip of a topological order.

   Warp 0 computes the strip, chunk by chunk, with the x of the strip in shared memory.  The other warps are its helpers.  They bring all
   that does not depend on the strip: b less what other strips contribute, entries, places.  So a level costs a step in shared memory and
   not a way through L2, and the way from strip to strip overlaps with work.  See doc/algorithms/strips.md.
*/
#include "strips.cuh"

namespace {

using namespace sptrsv;

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
  __device__ __forceinline__ V        value_in(int quad, int k) const
  {
    using W = Word<V>;
    if constexpr (sizeof(V) == 4) return W::value(this->quad[quad].w[k]);
    else return W::value((typename W::type)this->quad[quad].w[2 * k + 1] << 32 | this->quad[quad].w[2 * k]);
  }
  __device__ __forceinline__ unsigned mark() const { return half(0, Layout::MARK); }
  __device__ __forceinline__ V        start() const { return value_in(0, 0); }
  __device__ __forceinline__ V        value(int k) const { return value_in(Layout::value_quad(k), k % Layout::VALUES); }
  __device__ __forceinline__ unsigned offset(int k) const { return half(Layout::place_quad(k), Layout::place_in_quad(k)); }
  __device__ __forceinline__ void     set_start(V v)
  {
    const typename Word<V>::type bits = Word<V>::of(v);

    quad[0].w[0] = (unsigned)bits;
    if constexpr (sizeof(V) == 8) quad[0].w[1] = (unsigned)(bits >> 32);
  }
};

/* Quads of a record that entries from `begin` up to `end` need.  Quad q is at from[WARP * q]. */
template <class V, int K> __device__ __forceinline__ void load_quads(Record<V, K> &record, const Quad *from, int begin, int end)
{
#pragma unroll
  for (int q = 0; q < Record<V, K>::QUADS; q++) {
    if (RecordLayout<V>::first_entry(q) >= begin && RecordLayout<V>::first_entry(q) < end) record.quad[q] = from[WARP * q];
  }
}

/* Shared by a team.  Places 0 … WARP - 1 of x are zero, for entries that are not there.  Chunk c of all that the team solves
   goes through slot c % helpers. */
template <class V, int K, int H> struct Team {
  V      x[WARP + SPTRSV_STRIP_RING];
  Quad   slot[H][Record<V, K>::QUADS][WARP];
  Phases full[H], done[H]; /* phase r: of the r-th chunk in the slot */
};

/* A chunk's number among all that this team has solved, as its slot and the phase of it */
class Round {
public:
  __device__ __forceinline__ Round(int slots, unsigned number) : slots(slots), slot((int)(number % slots)), phase(number / slots) {}
  __device__ __forceinline__ void advance()
  {
    const bool wraps = ++slot == slots;

    slot  = wraps ? 0 : slot;
    phase = phase + wraps;
  }

  int      slots, slot;
  unsigned phase;
};

/* The wait ends: the helper of the slot, or warp 0, needs nothing that comes later. */
__device__ __forceinline__ void await_phase(Phases *phases, unsigned phase)
{
  while (!await_end(phases, phase));
}

/* x = start - sum over near entries, the even ones and the odd ones apart; anything for a lane whose turn it is not */
template <class V, int K> __device__ __forceinline__ V solve_unknown(const Record<V, K> &record, const V *x, bool turn)
{
  constexpr int  GROUP = SPTRSV_STRIP_GROUP;
  const unsigned more  = SPTRSV_STRIP_MORE(record.mark());
  V              sum = record.start(), odd = 0;

#pragma unroll
  for (int first = 0; first < K; first += GROUP) {
    constexpr int ENTRIES = K < GROUP ? K : GROUP;
    V             value[ENTRIES];

    if (first && more < (unsigned)first / GROUP) break;
#pragma unroll
    for (int k = 0; k < ENTRIES; k++) value[k] = *(const V *)((const char *)x + (turn ? record.offset(first + k) : 0));
#pragma unroll
    for (int k = 0; k < ENTRIES; k++) (k & 1 ? odd : sum) -= record.value(first + k) * value[k];
  }
  return sum + odd;
}

/* Warp 0: the chunks of a strip, whose first one is the team's chunk number `number`.  x: where the lane's first value goes.  The first
   group of a chunk's entries is fetched while the chunk before is solved, if its helper was ready by the end of the one before that.  Two
   records take turns, since a copy would wait. */
template <class V, int K, int H>
__device__ __forceinline__ void compute(Team<V, K, H> &team, int helpers, V *x, int chunks, unsigned number, int lane)
{
  constexpr int GROUP = SPTRSV_STRIP_GROUP;
  Round         now(helpers, number), ahead(helpers, number + 1);
  Record<V, K>  even, odd;
  int           c     = 0;
  bool          ready = false;

  const auto fetch = [&](Record<V, K> &next) { load_quads(next, &team.slot[now.slot][0][lane], 0, GROUP); };
  const auto fetch_rest = [&](Record<V, K> &next) {
#pragma unroll
    for (int k = GROUP; k < K; k += GROUP) {
      if (SPTRSV_STRIP_MORE(next.mark()) < (unsigned)k / GROUP) break;
      load_quads(next, &team.slot[now.slot][0][lane], k, k + GROUP);
    }
  };
  const auto go_on = [&](const Record<V, K> &record, Record<V, K> &next) {
    const int      here = now.slot;
    const unsigned mark = record.mark(), last = SPTRSV_STRIP_LAST(mark), mine = SPTRSV_STRIP_STEP(mark);
    V *const       own  = team.x + WARP + (unsigned)c * WARP % SPTRSV_STRIP_RING + lane;
    V              value = 0;

    now = ahead;
    ahead.advance();
    if (ready) fetch(next);
    if (!last) {
      *own = value = solve_unknown(record, team.x, true);
      __syncwarp();
    } else { /* all lanes compute, since a branch would take longer */
#pragma unroll 1
      for (unsigned step = 0; step <= last; step++) {
        const V found = solve_unknown(record, team.x, step == mine);

        if (step == mine) *own = value = found;
        __syncwarp();
      }
    }
    if (mark & SPTRSV_STRIP_FAR) publish(x, value);
    const bool soon = has_ended(&team.full[ahead.slot], ahead.phase);
    if (!lane) end_phase(&team.done[here]);
    if (++c == chunks) return false;
    x += WARP;
    if (!ready) {
      await_phase(&team.full[now.slot], now.phase);
      fetch(next);
    }
    fetch_rest(next);
    ready = soon;
    return true;
  };

  await_phase(&team.full[now.slot], now.phase);
  fetch(even);
  fetch_rest(even);
  while (go_on(even, odd) && go_on(odd, even));
}

/* All that a helper reads of a chunk before it waits, as it was loaded: a use would wait for the load */
template <class V, int K> struct Supply {
  SptrsvStripChunk chunk;
  StripPlaces      places;
  Record<V, 1>     first; /* with the first quad */
  V                b, far_value[K];
  int              far_place[K];
};

/* Where the data of a chunk are, and the lane's places */
template <class V, int K> __device__ __forceinline__ void read_heading(const StripsView<V> &sweep, int c, int lane, Supply<V, K> &s)
{
  s.chunk  = sweep.chunk[c];
  s.places = sweep.places[(size_t)c * WARP + lane];
}

template <class V, int K> __device__ __forceinline__ void read_data(const StripsView<V> &sweep, int lane, const V *b, Supply<V, K> &s)
{
  const int        far_per = SPTRSV_STRIP_FAR_PER(s.chunk);
  const int *const place   = sweep.far_place + s.chunk.far + lane;
  const V *const   value   = sweep.far_values + s.chunk.far + lane;

  s.b             = s.places.source >= 0 ? b[s.places.source] : V(0);
  s.first.quad[0] = sweep.record[s.chunk.record + lane];
#pragma unroll
  for (int k = 0; k < K; k++) {
    s.far_place[k] = k < far_per ? place[WARP * k] : -1;
    s.far_value[k] = k < far_per ? value[WARP * k] : V(0);
  }
}

/* b / diagonal less far entries.  The wait for far unknowns ends: they are in earlier strips, or in earlier chunks of this one.  NaN for
   those that it gives up. */
template <class V, int K> __device__ __forceinline__ V await_far(const Supply<V, K> &s, const V *x, Waiter &waiter)
{
  using W = Word<V>;
  typename W::type v[K];
  bool             waiting;
  unsigned         rounds = 0;
  V                start  = s.b * s.first.start();

#pragma unroll
  for (int k = 0; k < K; k++) v[k] = s.far_place[k] >= 0 ? W::NOT_READY : W::of(V(0));
  do {
    do {
      waiting = false;
#pragma unroll
      for (int k = 0; k < K; k++) {
        if (v[k] == W::NOT_READY) v[k] = poll(x + s.far_place[k]);
      }
#pragma unroll
      for (int k = 0; k < K; k++) waiting = waiting || v[k] == W::NOT_READY;
    } while (waiting && ++rounds < waiter.limit);
  } while (waiting && !waiter.gives_up(rounds));
#pragma unroll
  for (int k = 0; k < K; k++) start -= s.far_value[k] * W::value(v[k] == W::NOT_READY ? W::NOT_A_NUMBER : v[k]);
  return start;
}

/* The lane's record goes to its slot but for the first quad, and with zeros for entries that the chunk lacks in a group */
template <class V, int K> __device__ __forceinline__ void copy_near(const Quad *record, int near_per, Quad *slot)
{
#pragma unroll
  for (int q = 1; q < Record<V, K>::QUADS; q++) {
    constexpr int GROUP = SPTRSV_STRIP_GROUP;
    const int     first = RecordLayout<V>::first_entry(q);

    if (!first || first < near_per) copy_async(slot + WARP * q, record + WARP * q);
    else if (first < GROUP || first / GROUP * GROUP < near_per) slot[WARP * q] = {};
  }
}

/* A helper: every helpers-th chunk of the strip, from chunk `begin` on.  It also writes what became of its chunk before.  What a chunk
   needs is loaded a round ahead, and its heading two; two supplies take turns, since a copy would wait for the loads. */
template <class V, int K, int H>
__device__ __forceinline__ void help(const StripsView<V> &sweep, Team<V, K, H> &team, int helpers, Waiter &waiter, int first, int chunks,
                                     unsigned number, int begin, int lane, const V *b, V *out)
{
  const V *const x    = keep_global(sweep.x + waiter.parity * sweep.number_of_places);
  V *const       next = keep_global(sweep.x + (1 - waiter.parity) * sweep.number_of_places);
  Round          round(helpers, number + begin);
  Quad *const    slot = &team.slot[round.slot][0][lane];
  Supply<V, K>   even, odd;
  int            c = begin, target = -1;
  bool           shared = false; /* the unknown of the chunk before is far from another */

  const auto go_on = [&](Supply<V, K> &now, Supply<V, K> &then) {
    if (c >= helpers) {
      const int before = c - helpers;

      await_phase(&team.done[round.slot], round.phase - 1);
      if (target >= 0) out[target] = team.x[WARP + (unsigned)before * WARP % SPTRSV_STRIP_RING + lane];
      if (shared) rearm(next + (size_t)(first + before) * WARP + lane);
    }
    if (c >= chunks) return false;
    copy_near<V, K>(sweep.record + now.chunk.record + lane, SPTRSV_STRIP_NEAR_PER(now.chunk), slot);
    target = now.places.target;
    if (c + helpers < chunks) read_data(sweep, lane, b, then);
    read_heading(sweep, first + min(c + 2 * helpers, chunks - 1), lane, now); /* with a condition it would be loaded, awaited and copied */
    now.first.set_start(await_far(now, x, waiter));
    slot[0] = now.first.quad[0];
    await_copies();
    __syncwarp();
    if (!lane) end_phase(&team.full[round.slot]);
    shared = now.first.mark() & SPTRSV_STRIP_FAR;
    c += helpers;
    round.phase++;
    return true;
  };

  if (begin >= chunks) return;
  read_heading(sweep, first + begin, lane, even);
  read_heading(sweep, first + min(begin + helpers, chunks - 1), lane, odd);
  read_data(sweep, lane, b, even);
  while (go_on(even, odd) && go_on(odd, even));
}

template <int H> constexpr int MOST_THREADS = WARP * (1 + H);

/* H: the most helpers */
template <class V, int K, int H>
__global__ void __launch_bounds__(MOST_THREADS<H>) strips_kernel(const StripsView<V> sweep, const V *__restrict__ b, V *__restrict__ out)
{
  __shared__ Team<V, K, H> shared;
  Team<V, K, H>           &team = *keep_shared(&shared);
  const int                lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, helpers = blockDim.x / WARP - 1;
  unsigned                 number = 0; /* of chunks so far */

  if (!warp) team.x[lane] = 0;
  if (!threadIdx.x) {
    for (int h = 0; h < helpers; h++) {
      start_phases(&team.full[h]);
      start_phases(&team.done[h]);
    }
  }
  BlockTurn turn(sweep.tickets);

  for (unsigned s = turn.start; s < sweep.tickets.work; s = turn.next()) {
    const int first = sweep.strip_ptr[s], chunks = sweep.strip_ptr[s + 1] - first;

    if (warp) help(sweep, team, helpers, turn, first, chunks, number, warp - 1, lane, b, out);
    else compute(team, helpers, sweep.x + turn.parity * sweep.number_of_places + (size_t)first * WARP + lane, chunks, number, lane);
    number += (unsigned)chunks;
  }
}

/* As many as have room for their slots in 48 KB, and for their registers in a multiprocessor; and no more than the ring has chunks, since a
   helper reads what became of its chunk before it gives the next. */
template <class V, int K> constexpr int most_helpers()
{
  constexpr size_t slot = sizeof(Quad) * Record<V, K>::QUADS * WARP + 2 * sizeof(Phases), x = sizeof(V) * (WARP + SPTRSV_STRIP_RING);

  return std::min({K <= 4 ? STRIP_HELPERS : K == 8 ? 11 : 7, (int)(((48 << 10) - x) / slot), SPTRSV_STRIP_RING / WARP});
}

/* call(kernel, most helpers) with the kernel for unknowns of up to `most` entries, near and far */
template <class V, int K = 2, class F> auto with_kernel(int most, F call)
{
  if constexpr (K < SPTRSV_STRIP_ENTRIES) {
    if (most > K) return with_kernel<V, strips_kernel_entries(K + 1)>(most, call);
  }
  return call(strips_kernel<V, K, most_helpers<V, K>()>, most_helpers<V, K>());
}

} // namespace

SptrsvStatus sptrsv::strips_resident(SptrsvValueType type, int most, int *helpers, int *teams)
{
  return by_type(type, [&](auto v) {
    return with_kernel<decltype(v)>(most, [&](auto *kernel, int most_helpers) {
      *helpers = std::min(*helpers, most_helpers);
      return count_resident_blocks(kernel, WARP * (1 + *helpers), teams);
    });
  });
}

SptrsvStatus sptrsv::strips_launch(const StripsPlan &plan, SptrsvValueType type, const void *b, void *out, SptrsvStream stream)
{
  return by_type(type, [&](auto v) {
    using V = decltype(v);
    return sptrsvCudaStatus(with_kernel<V>(plan.most, [&](auto *kernel, int) {
      return launch(kernel, (int)plan.tickets.warps, WARP * (1 + plan.helpers), stream, view<V>(plan), (const V *)b, (V *)out);
    }));
  });
}
