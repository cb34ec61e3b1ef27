/* Mirror images of the entries of a factor's pattern, on the device. */
#include "methods.cuh"

namespace {

using namespace sptrsv;

/* A warp per row: where the mirror image of an entry of the lower triangle is, -1 if it is not there; other entries' own positions */
__global__ void mirrored_kernel(FactorPattern f, int *mirrored)
{
  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; i < f.n; i += gridDim.x * blockDim.x / WARP) {
    for (int e = f.row_ptr[i] + threadIdx.x % WARP; e < f.row_ptr[i + 1]; e += WARP)
      mirrored[e] = e < f.split[i] ? find_upper(f, f.col_idx[e], i) : e;
  }
}

} // namespace

namespace sptrsv {

SptrsvStatus find_mirrored(const FactorPattern &f, int *mirrored)
{
  return launch_for(mirrored_kernel, (size_t)f.n * WARP, nullptr, f, mirrored);
}

FactorPattern pattern_of(SptrsvAnalysis a)
{
  return {a->a.n, a->a.nnz, a->device.row_ptr, a->device.col_idx, a->device.split, nullptr};
}

} // namespace sptrsv
