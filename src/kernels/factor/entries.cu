/*
   ILU(0) on the GPU, entry by entry.

   Every entry of the factor that is not a copy of A's is an unknown of its own:
     v(i,j) = a(i,j) - sum over k < min(i,j) of v(i,k) v(k,j) / v(k,k),
   where v is U on and above the diagonal and, below it, L times the pivot of its column.  Written so, an entry needs one value per hop
   from the level before and no row waits for itself: the chain of dependent entries is as long as that of dependent rows.  The dependencies
   follow from the pattern and are listed once (operands.cu); a factorization searches nothing.  As in the sweeps, unknowns are their own
   flags.
*/
#include <cstdio>
#include <cstdlib>
#include "entries.cuh"

namespace {

using namespace sptrsv;

template <class V> __global__ void start_kernel(const unsigned char *__restrict__ unknown, const Pass<V> pass)
{
  const int first = blockIdx.x * blockDim.x + threadIdx.x;

  if (!first) *pass.invert.bad_row = -1;
  for (int e = first; e < pass.f.nnz; e += gridDim.x * blockDim.x) {
    if (unknown[e]) rearm(pass.v + e);
    else pass.v[e] = start_value(pass, e, false);
  }
}

template <class V> __global__ void entries_kernel(const Tickets tickets, const Operands operands, const Pass<V> pass)
{
  const int lane = threadIdx.x % WARP;
  Turn      turn(tickets, lane);

  for (unsigned c = turn.start, ahead; c < tickets.work; c = turn.share(ahead)) {
    const EntryChunk chunk = operands.chunk[c];
    const int        lanes = chunk.lanes, sub = lane % lanes, u = chunk.first + lane / lanes;
    const bool       mine  = lane / lanes < chunk.unknowns;
    const int        code  = mine ? operands.entry[u] : 0;
    const size_t     first = mine ? operands.pair_ptr[u] + sub : 0, end = mine ? operands.pair_ptr[u + 1] : 0;
    V                sum = mine && !sub ? start_value(pass, entry_of(code), is_pivot(code)) : V(0);

    ahead = turn.take();
    sum   = subtract_pairs<V, true>(operands, pass.v, turn, first, end, lanes, sum);
    __syncwarp();
    sum = sum_over(lanes, sum);
    if (mine && !sub) finish_entry(pass, code, sum);
  }
}

template <class V> __global__ void scale_kernel(const int *__restrict__ pivot, const Pass<V> pass)
{
  const int first = blockIdx.x * blockDim.x + threadIdx.x;

  if (!first && pass.report) *pass.report = *pass.invert.bad_row;
  for (int e = first; e < pass.f.nnz; e += gridDim.x * blockDim.x) {
    const int d = pivot[e];
    if (d >= 0 && pass.v[e] != V(0)) pass.v[e] *= pass.v[d];
  }
}

/* As in the sweeps few warps poll at a time.  With a handful of levels, or wide ones, no warp polls for long, and more warps are better. */
int choose_warps(const Operands &operands, int processors)
{
  const double chunks_per_level = (double)operands.chunks / std::max(1, operands.ranks);
  const double most             = (operands.ranks > 16 && chunks_per_level < 16 * processors ? 8.0 : 16.0) * processors;

  return std::max(1, std::min(operands.chunks, (int)std::min(std::max(24 * chunks_per_level, (double)processors), most)));
}

struct Ilu0Entries {
  Operands operands;
  Tickets  tickets;
};

SptrsvStatus create(SptrsvFactor factor, const SptrsvTuning *, SptrsvFactorWork *work)
{
  Ilu0Entries *entries;
  int          processors;

  SPTRSV_TRY(sptrsvNew(1, &entries));
  work->data = entries;
  SPTRSV_TRY(count_processors(&processors));
  SPTRSV_TRY(operands_create(factor, &work->memory, &entries->operands));
  const Operands &operands = entries->operands;
  SPTRSV_TRY(tickets_create(&work->memory, operands.chunks, choose_warps(operands, processors), &entries->tickets));
  work->stalled = entries->tickets.stalled;
  return SPTRSV_SUCCESS;
}

SptrsvStatus pass(SptrsvFactor factor, const PassOptions &options, cudaStream_t stream)
{
  const Ilu0Entries &entries = data_of<Ilu0Entries>(factor);

  SPTRSV_TRY(entries_start(factor, entries.operands, options, stream));
  SPTRSV_CUDA(by_any_type(factor->type, [&](auto v) {
    using V = decltype(v);
    return launch(entries_kernel<V>, (int)entries.tickets.warps, WARP, stream, entries.tickets, entries.operands,
                  pass_of<V>(factor, options));
  }));
  return entries_scale(factor, entries.operands, options, stream);
}

void describe(SptrsvFactor factor, char *text, size_t size)
{
  const Ilu0Entries &entries = data_of<Ilu0Entries>(factor);
  const Operands    &o       = entries.operands;

  (void)snprintf(text, size, "entries, %d to compute in %d ranks, %u resident warps", o.unknowns, o.ranks, entries.tickets.warps);
}

} // namespace

SptrsvStatus sptrsv::entries_start(SptrsvFactor factor, const Operands &operands, const PassOptions &options, cudaStream_t stream)
{
  return by_any_type(factor->type, [&](auto v) {
    using V = decltype(v);
    return launch_for(start_kernel<V>, device_of(factor).f.nnz, stream, operands.unknown, pass_of<V>(factor, options));
  });
}

SptrsvStatus sptrsv::entries_scale(SptrsvFactor factor, const Operands &operands, const PassOptions &options, cudaStream_t stream)
{
  return by_any_type(factor->type, [&](auto v) {
    using V = decltype(v);
    return launch_for(scale_kernel<V>, device_of(factor).f.nnz, stream, operands.pivot, pass_of<V>(factor, options));
  });
}

/* clang-format off */
const FactorMethod sptrsv::factorEntries = {
  {"entries", "this project", "entry by entry; each waits for the entries that it needs", SPTRSV_DEVICE, 0, nullptr, SPTRSV_ALL_VALUES},
  REPORTS, nullptr, create, pass, nullptr, describe, nullptr};
/* clang-format on */
