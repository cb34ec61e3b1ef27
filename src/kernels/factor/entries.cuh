/* ILU(0) entry by entry: its operands, and what its two kernels share. */
#pragma once
#include "methods.cuh"

namespace sptrsv {

constexpr int BATCH = 4; /* pairs of one lane whose operands are in flight together */

/* Unknowns of one rank (operands.cu) that a warp takes at once; lanes: for each */
struct alignas(16) EntryChunk {
  int first, unknowns, lanes;
};

/*
   The graph of dependencies (device arrays).  Unknown u, entry e of the factor, is a(e) - sum over its pairs (p, q), in their order, of
   v(p) v(q) / v(pivot(p)).  Entries that have pairs, and all pivots, are unknowns; others are copies of A's.  Entries of fill have pairs.
   Every unknown comes after those it needs, and those of one chunk do not need each other.
*/
struct Operands {
  EntryChunk    *chunk;    /* [chunks] */
  int           *entry;    /* [unknowns] e; ~e of a pivot */
  size_t        *pair_ptr; /* [unknowns + 1] */
  int2          *pair;     /* [pair_ptr[unknowns]] p, q */
  int           *pivot;    /* [nnz] entry of the pivot of an entry's column; -1 on and above the diagonal */
  unsigned char *unknown;  /* [nnz] whether the entry is one */
  int            unknowns, chunks, ranks;
};

/* Of Operands.entry */
__host__ __device__ __forceinline__ bool is_pivot(int code)
{
  return code < 0;
}
__host__ __device__ __forceinline__ int entry_of(int code)
{
  return is_pivot(code) ? ~code : code;
}

/* From the factor's pattern on the device */
SptrsvStatus operands_create(SptrsvFactor factor, SptrsvMemory *memory, Operands *operands);

/* A's values where they are the factor's; unknowns are not ready */
SptrsvStatus entries_start(SptrsvFactor factor, const Operands &operands, const PassOptions &options, cudaStream_t stream);
/* L = (L times pivots) / pivots, and the report */
SptrsvStatus entries_scale(SptrsvFactor factor, const Operands &operands, const PassOptions &options, cudaStream_t stream);

/* Every `lanes`-th of the pairs first … end - 1 is subtracted.  Not TRACKED: all operands are there.  Else the wait ends: they are of
   earlier tickets, or this warp has computed them. */
template <class V, bool TRACKED>
__device__ __forceinline__ V subtract_pairs(const Operands &operands, const V *v, Waiter &turn, size_t first, size_t end, int lanes, V sum)
{
  const auto get = [&](int e) { return TRACKED ? poll(v + e) : Unknown<V>::of(v[e]); };

  for (; first < end; first += (size_t)BATCH * lanes) {
    int3       at[BATCH];
    Unknown<V> left[BATCH], up[BATCH], pivot[BATCH];
    bool       waiting;
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      const size_t t  = first + (size_t)k * lanes;
      const int2   pq = t < end ? operands.pair[t] : make_int2(-1, -1);

      at[k]   = make_int3(pq.x, pq.y, t < end ? operands.pivot[pq.x] : -1);
      left[k] = up[k] = pivot[k] = Unknown<V>::missing_if(t < end);
    }
    do {
#pragma unroll 1
      do {
        waiting = false;
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
          if (!left[k].is_ready()) left[k] = get(at[k].x);
          if (!up[k].is_ready()) up[k] = get(at[k].y);
        }
#pragma unroll
        for (int k = 0; k < BATCH; k++) { /* last, since their addresses are known last */
          if (!pivot[k].is_ready()) pivot[k] = get(at[k].z);
        }
#pragma unroll
        for (int k = 0; k < BATCH; k++) waiting = waiting || !left[k].is_ready() || !up[k].is_ready() || !pivot[k].is_ready();
      } while (TRACKED && waiting && turn.stays());
    } while (TRACKED && waiting && !turn.gives_up());
    if (TRACKED) turn.work_goes_on((unsigned)first, BATCH * (unsigned)lanes);
#pragma unroll
    for (int k = 0; k < BATCH; k++) { /* a zero multiplier is skipped, as on the host: no 0 * Inf after a zero pivot */
      if (left[k].value() != V(0)) sum -= left[k].value() * pivot[k].value() * up[k].value();
    }
  }
  return sum;
}

/* Called by one lane, with the whole sum */
template <class V> __device__ __forceinline__ void finish_entry(const Pass<V> &pass, int code, V sum)
{
  const int e = entry_of(code);

  publish(pass.v + e, is_pivot(code) ? pass.invert(sum, [&] { return pass.f.col_idx[e]; }) : sum);
}

} // namespace sptrsv
