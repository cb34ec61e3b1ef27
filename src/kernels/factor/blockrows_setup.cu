/* Set-up of factorization by rows of blocks, on the device. */
#include "../analysis/rows.cuh"
#include "blockrows.cuh"

namespace {

using namespace sptrsv;

/* Work on the matches of each block left of the diagonal, by a warp per row of blocks: one(number of the block, of a match of it, the
   match) */
template <class F> SptrsvStatus for_matches(const FactorPattern &f, int rows, int step, F one)
{
  return for_each<WARP>(rows, [=] __device__(int i) {
    const int      lane = threadIdx.x % WARP;
    const BlockRow own(f, i, step, 1);

    for (int m = 0; m < own.split / step; m++) {
      const int j = f.col_idx[own.first + m * step], number = own.first / (step * step) + m;
      int       before = 0;

      for (int first = m + 1; first < own.width / step; first += WARP) {
        const int      p = first + lane, at = p < own.width / step ? find_upper(f, j, f.col_idx[own.first + p * step]) : -1;
        const LaneMask found = __ballot_sync(ALL_LANES, at >= 0);

        if (at >= 0) one(number, before + count_lanes_before(found, lane), p + (at - f.split[j]) / step * 256);
        before += count_lanes(found);
      }
    }
  });
}

SptrsvStatus find_matches(const FactorPattern &f, int step, SptrsvMemory *memory, BlockRows *plan)
{
  const int       blocks = f.nnz / (step * step);
  Scratch<size_t> matches;
  size_t          all;

  SPTRSV_TRY(matches.create((size_t)blocks + 1));
  SPTRSV_TRY(sptrsvDeviceNew(memory, (size_t)blocks + 1, &plan->match_ptr));
  SPTRSV_CUDA(cudaMemsetAsync(matches, 0, ((size_t)blocks + 1) * sizeof(size_t), nullptr));
  SPTRSV_TRY(for_matches(f, plan->rows, step, [matches = (unsigned long long *)(size_t *)matches] __device__(int number, int k, int) {
    atomicMax(matches + number, k + 1ull); /* the last match of a block tells their number */
  }));
  SPTRSV_TRY(exclusive_sum((size_t *)matches, plan->match_ptr, blocks + 1, &all));
  SPTRSV_TRY(sptrsvDeviceNew(memory, all, &plan->match));
  return for_matches(f, plan->rows, step, [match_ptr = plan->match_ptr, match = plan->match] __device__(int number, int k, int pair) {
    match[match_ptr[number] + k] = (unsigned short)pair;
  });
}

} // namespace

SptrsvStatus sptrsv::blockrows_measure(SptrsvFactor factor, int step, int block, size_t *memory)
{
  int longest;

  SPTRSV_TRY(longest_row(device_of(factor).f, &longest));
  *memory = (size_t)(longest / step + 1) * (size_t)(block * block) * sptrsvValueSize(factor->type);
  return longest / step <= MOST_ROW_OF_BLOCKS && *memory <= MOST_MEMORY ? SPTRSV_SUCCESS : SPTRSV_NOT_SUPPORTED;
}

SptrsvStatus sptrsv::blockrows_create(SptrsvFactor factor, int step, int block, SptrsvAnalysis blocks, SptrsvFactorWork *work,
                                      BlockRows **plan)
{
  DeviceRows lower;

  SPTRSV_TRY(sptrsvNew(1, plan));
  work->data     = *plan;
  (*plan)->block = block;
  (*plan)->rows  = blocks->a.n;
  SPTRSV_TRY(blockrows_measure(factor, step, block, &(*plan)->memory));
  SPTRSV_TRY(lower.take_analysis(blocks, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE));
  (*plan)->levels = lower.levels;
  SPTRSV_TRY(sptrsvDeviceNew(&work->memory, (*plan)->rows, &(*plan)->row));
  SPTRSV_TRY(sort_numbers((const unsigned *)lower.rows.level, (*plan)->rows, (unsigned)lower.levels, (*plan)->row));
  return find_matches(device_of(factor).f, step, &work->memory, *plan);
}
