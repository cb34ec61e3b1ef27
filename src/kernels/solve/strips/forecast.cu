/*
   The time that a sweep by strips is likely to take.

   A chunk is solved a step after the one before, and not before its far unknowns have come.  So the ends of chunks follow from each other.
   One launch finds them, in which chunks wait for ends of others as in a sweep for unknowns.  An end is the latest of some others,
   plus a cost, in whole nanoseconds: a plan has one forecast, whatever the hardware lets run first.  See doc/algorithms/auto.md.
*/
#include "../../device/scratch.cuh"
#include "forecast.cuh"

namespace {

using namespace sptrsv;

constexpr int WARPS = Relay::MOST_WARPS; /* of a team that finds ends of chunks */
constexpr int ENDS  = 16;                /* of a strip's latest chunks that are known to the team: more than a sweep has warps */

/* A sweep by strips, and what it is found to take.  Device arrays */
struct Course {
  StripsPlan  plan;
  StripsCosts costs;
  unsigned   *end; /* [chunks + 1] when each is solved, and the last of all; 0: not known */
};

/* Returns the end of a chunk with an earlier ticket, or of one before in the strip: the wait ends.  0 if it gives up */
__device__ __forceinline__ unsigned await_end(const unsigned *end, Waiter &waiter)
{
  unsigned found;

  do found = load_relaxed(end);
  while (!found && (waiter.stays() || !waiter.gives_up()));
  return found;
}

/* When the lane's far unknowns are solved; 0: there are none */
__device__ __forceinline__ unsigned far_end(const Course &course, const SptrsvStripChunk &chunk, int lane, Waiter &waiter)
{
  constexpr int GROUP = SPTRSV_STRIP_GROUP;
  const int     far   = chunk.fars;
  unsigned      last  = 0;

  for (int k = 0; k < far; k += GROUP) {
    int      place[GROUP];
    unsigned end[GROUP];

#pragma unroll
    for (int g = 0; g < GROUP; g++) place[g] = k + g < far ? course.plan.far_place[chunk.far + WARP * (k + g) + lane] : -1;
#pragma unroll
    for (int g = 0; g < GROUP; g++) end[g] = place[g] < 0 ? 0 : load_relaxed(course.end + place[g] / WARP);
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
      if (place[g] >= 0 && !end[g]) end[g] = await_end(course.end + place[g] / WARP, waiter);
      last = max(last, end[g]);
    }
  }
  return last;
}

/* The mark of the chunk's first lane, whose steps and groups are the chunk's */
template <class V> __device__ __forceinline__ unsigned mark_of(const Course &course, const SptrsvStripChunk &chunk)
{
  const Quad *const head = course.plan.record + chunk.record + WARP * (RecordLayout<V>::HEAD - 1);

  return ((const unsigned short *)head)[RecordLayout<V>::MARK];
}

/* A team for each strip, in their order */
template <class V, class S> __global__ void __launch_bounds__(WARP *WARPS) forecast_kernel(const Course course, Tickets tickets)
{
  __shared__ RelayCount passed;
  __shared__ unsigned   ends[ENDS];
  const int             lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  const Relay           relay(&passed, warp, WARPS);
  const StripsTeams    &teams     = course.plan;
  const int *const      strip_ptr = course.plan.strip_ptr;
  BlockTurn             turn(tickets);
  int                   begin  = warp; /* chunks until the warp's next one */
  unsigned              number = 0;    /* of the team's chunks so far */

  for (unsigned s = turn.start; s < tickets.work; s = turn.next()) {
    const int      first = strip_ptr[s], chunks = strip_ptr[s + 1] - first, before = (int)(s - teams.tickets.warps);
    const unsigned start = before < 0 ? 0 : await_end(course.end + strip_ptr[before + 1] - 1, turn); /* a team is free */

    for (int c = begin; c < chunks; c += WARPS) {
      const SptrsvStripChunk chunk = course.plan.chunk[first + c];
      const unsigned         cost  = strips_chunk_ns<V, S>(course.costs, chunk, mark_of<V>(course, chunk));
      const unsigned         fetch = strips_fetch_ns(course.costs, chunk);
      unsigned               ready = far_end(course, chunk, lane, turn);

      ready = most_of_warp(ready);
      relay.await_turn(number + (unsigned)c);
      if (!lane) {
        const unsigned last = c ? ends[(c - 1) % ENDS] : start, fetched = c < teams.warps ? start : ends[(c - teams.warps) % ENDS];
        const unsigned now = max(max(last, fetched + fetch), ready ? ready + course.costs.hop : 0) + cost;

        ends[c % ENDS] = now;
        store_relaxed(course.end + first + c, now);
        if (c == chunks - 1) atomicMax(course.end + course.plan.chunks, now);
      }
      relay.pass_turn();
    }
    number += (unsigned)chunks;
    begin = (begin + (WARPS - chunks % WARPS)) % WARPS;
  }
  if (!begin) relay.await_turn(number); /* so that each arrival at a barrier has its wait */
}

} // namespace

/* A part of the cache has other things, or the same twice */
SptrsvStatus sptrsv::strips_missing(const StripsPlan &plan, double *part)
{
  int device, cache;

  SPTRSV_CUDA(cudaGetDevice(&device));
  SPTRSV_CUDA(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device));
  *part = std::max(0.0, 1 - 0.75 * cache / (double)plan.bytes);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsv::strips_forecast(SptrsvPlan plan, double *us)
{
  const StripsPlan           &data  = *data_of<StripsPlan>(plan);
  const size_t                count = (size_t)data.chunks + 1;
  Scratch<unsigned>           ends;
  Scratch<unsigned long long> counters;
  Tickets                     tickets = data.tickets;
  int                         processors;
  unsigned                    last;
  double                      missing;

  SPTRSV_TRY(count_processors(&processors));
  SPTRSV_TRY(strips_missing(data, &missing));
  SPTRSV_TRY(ends.create(count));
  SPTRSV_TRY(counters.create(2));
  SPTRSV_CUDA(cudaMemsetAsync(ends, 0, count * sizeof(unsigned)));
  SPTRSV_CUDA(cudaMemsetAsync(counters, 0, 2 * sizeof(unsigned long long)));
  tickets.counter     = counters;
  tickets.signs       = (unsigned *)(tickets.counter + 1);
  tickets.warps       = (unsigned)std::min(2 * processors, data.strips);
  const Course course = {data, strips_costs(data, plan->options.type, missing), ends};
  SPTRSV_TRY(by_stored_type(plan->options, [&](auto v, auto stored) {
    auto *const kernel = forecast_kernel<decltype(v), decltype(stored)>;

    return sptrsvCudaStatus(launch(kernel, (int)tickets.warps, WARP * WARPS, nullptr, course, tickets));
  }));
  SPTRSV_TRY(read_back((unsigned *)ends + data.chunks, &last));
  *us = (STRIPS_START_NS + (double)last) * 1e-3;
  return *tickets.stalled ? SPTRSV_STALLED : SPTRSV_SUCCESS;
}
