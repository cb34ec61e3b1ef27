/* Entries and products of a factorization, counted on the device. */
#include <algorithm>
#include "../device/scratch.cuh"
#include "factor.h"

namespace {

using namespace sptrsv;

struct Counts {
  unsigned long long lower, upper, products;
};

__global__ void counts_kernel(int n, const int *row_ptr, const int *col_idx, const int *split, Counts *sum)
{
  Counts own = {};

  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    own.lower += (unsigned long long)(split[i] - row_ptr[i]);
    own.upper += (unsigned long long)(row_ptr[i + 1] - split[i] - 1);
    for (int e = row_ptr[i]; e < split[i]; e++) own.products += (unsigned long long)(row_ptr[col_idx[e] + 1] - split[col_idx[e]] - 1);
  }
  add_by_warp(&sum->lower, own.lower);
  add_by_warp(&sum->upper, own.upper);
  add_by_warp(&sum->products, own.products);
}

} // namespace

SptrsvStatus sptrsvFactorDeviceCounts(SptrsvFactor factor, SptrsvFactorCounts *counts)
{
  const SptrsvPattern &f   = factor->analysis->device;
  Counts               sum = {};

  SPTRSV_TRY(run_on(&sum, [&](Counts *d) {
    return launch_for(counts_kernel, std::min((size_t)f.n, MOST_ENDING), nullptr, f.n, f.row_ptr, f.col_idx, f.split, d);
  }));
  *counts = {(int64_t)sum.lower, (int64_t)sum.upper, (int64_t)sum.products};
  return SPTRSV_SUCCESS;
}
