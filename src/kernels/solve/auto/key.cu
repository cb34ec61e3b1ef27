/* What a choice of `auto` depends on, as one number. */
#include "../../device/scratch.cuh"
#include "choices.h"

namespace {

using namespace sptrsv;

constexpr uint64_t START = 0xcbf29ce484222325ull; /* of FNV-1a */

/* FNV-1a, by words */
uint64_t hash(uint64_t h, const void *data, size_t bytes)
{
  const auto *word = (const uint32_t *)data;

  for (size_t k = 0; k < bytes / sizeof(*word); k++) h = (h ^ word[k]) * 0x100000001b3ull;
  return h;
}

/* Adds to a sum, in any order, a number for each value and its place: the last steps of SplitMix64 (Steele, Lea, Flood) */
__global__ void hash_kernel(int count, const int *value, unsigned long long *sum)
{
  unsigned long long own = 0;

  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += gridDim.x * blockDim.x) {
    unsigned long long z = ((unsigned long long)k << 32 | (unsigned)value[k]) + 0x9e3779b97f4a7c15ull;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    own += z ^ z >> 31;
  }
  add_by_warp(sum, own);
}

SptrsvStatus hash_on_device(uint64_t *h, int count, const int *values)
{
  unsigned long long sum = 0;

  SPTRSV_TRY(run_on(&sum, [&](unsigned long long *d) {
    return launch_for(hash_kernel, std::min((size_t)count, MOST_ENDING), nullptr, count, values, d);
  }));
  *h = hash(*h, &sum, sizeof(sum));
  return SPTRSV_SUCCESS;
}

/* Finds the analysis's hash, unless it has one */
SptrsvStatus need_hash(SptrsvAnalysis analysis)
{
  const SptrsvPattern &d = analysis->device;
  uint64_t             h = START;

  if (analysis->hash) return SPTRSV_SUCCESS;
  SPTRSV_TRY(hash_on_device(&h, d.n + 1, d.row_ptr));
  SPTRSV_TRY(hash_on_device(&h, d.nnz, d.col_idx));
  analysis->hash = h;
  return SPTRSV_SUCCESS;
}

} // namespace

SptrsvStatus sptrsvChoiceKey(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, bool blocks, uint64_t *key)
{
  const SptrsvPlanOptions &o                       = *options;
  const int                all[]                   = {o.type, o.tuning.sweep.precision, o.triangle, o.op, blocks, o.tuning.choice.budget};
  char                     gpu[SPTRSV_NAME_LENGTH] = "";
  uint64_t                 h                       = START;

  (void)sptrsvDeviceName(gpu, sizeof(gpu));
  h = hash(h, gpu, sizeof(gpu));
  h = hash(h, all, sizeof(all));
  h = hash(h, &o.tuning.levelorder, sizeof(o.tuning.levelorder));
  h = hash(h, &o.tuning.strips, sizeof(o.tuning.strips));
  SPTRSV_TRY(need_hash(analysis));
  *key = hash(h, &analysis->hash, sizeof(analysis->hash));
  return SPTRSV_SUCCESS;
}
