/* What a chunk of a strip is likely to take, in nanoseconds, as fitted to sweeps on an H100 (doc/algorithms/auto.md). */
#pragma once
#include "strips.cuh"

namespace sptrsv {

constexpr double STRIPS_START_NS = 3250;  /* of a sweep, beside its chunks */
constexpr float  STRIPS_STEP_NS  = 57.8f; /* of a chunk with one group of near entries */
constexpr float  STRIPS_GROUP_NS = 36.8f; /* and of each further group */

/* What chunks of a plan have in common */
struct StripsCosts {
  unsigned hop;   /* until far unknowns are there */
  float    fetch; /* from the end of a warp's chunk until its next one can be solved, without far entries */
  float    slow;  /* times as long as others a step is */
  float    byte;  /* for each that a chunk reads, if many teams do so */
};

/* missing: the part of what a sweep reads that is not in the cache.  Registers do not suffice for sixteen entries of complex double. */
inline StripsCosts strips_costs(const StripsPlan &plan, SptrsvValueType type, double missing)
{
  const int  entries = strips_kernel_entries(plan.most);
  const bool spills  = entries == SPTRSV_STRIP_ENTRIES && sptrsvValueSize(type) == sizeof(Quad);

  return {(unsigned)(460 + 19.8 * entries), (float)((807 + 389 * missing) * (spills ? 3.5 : 1)), spills ? 3.f : 1.f,
          (float)(0.329e-3 * missing * plan.tickets.warps)};
}

/* That part */
SptrsvStatus strips_missing(const StripsPlan &plan, double *part);

__host__ __device__ __forceinline__ unsigned strips_fetch_ns(const StripsCosts &costs, const SptrsvStripChunk &chunk)
{
  return (unsigned)(costs.fetch + 27.1f * (float)chunk.fars);
}

/* Of the chunk when all is there: for its steps and groups of near entries, or for its bytes */
template <class V, class S>
__host__ __device__ __forceinline__ unsigned strips_chunk_ns(const StripsCosts &costs, const SptrsvStripChunk &chunk, unsigned mark)
{
  const float more = (float)SPTRSV_STRIP_MORE(mark), steps = (float)SPTRSV_STRIP_LAST(mark); /* beside the first ones */
  const int   near  = RecordLayout<V, S>::quads(chunk.nears) * (int)sizeof(Quad);
  const int   far   = chunk.fars * (int)(sizeof(int) + sizeof(S));
  const float taken = costs.slow * (STRIPS_STEP_NS + STRIPS_GROUP_NS * more + steps * (48.5f + 27.6f * more));
  const float read  = costs.byte * (float)(WARP * (near + far + (int)STRIPS_UNKNOWN_BYTES<V>));

  return (unsigned)(taken > read ? taken : read);
}

} // namespace sptrsv
