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

/* A warp per row: whether the upper triangle lacks the mirror image of an entry of the lower one */
__global__ void lacking_kernel(FactorPattern f, int *lacking)
{
  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; i < f.n; i += gridDim.x * blockDim.x / WARP) {
    for (int e = f.row_ptr[i] + threadIdx.x % WARP; e < f.split[i]; e += WARP) {
      if (find_upper(f, f.col_idx[e], i) < 0) atomicMax(lacking, 1);
    }
  }
}

} // namespace

namespace sptrsv {

SptrsvStatus find_mirrored(const FactorPattern &f, int *mirrored)
{
  return sptrsvCudaStatus(launch(mirrored_kernel, blocks_for((size_t)f.n * WARP), BLOCK, nullptr, f, mirrored));
}

/* All diagonal entries are there, so as many entries in the upper triangle as in the lower one, and all of their mirror images, make it
   symmetric. */
SptrsvStatus is_symmetric(const FactorPattern &f, int64_t lower, bool *symmetric)
{
  Scratch<int> lacking;
  int          found = 0;

  *symmetric = false;
  if (2 * lower + f.n != f.nnz) return SPTRSV_SUCCESS;
  SPTRSV_TRY(lacking.upload(&found, 1));
  SPTRSV_CUDA(launch(lacking_kernel, blocks_for((size_t)f.n * WARP), BLOCK, nullptr, f, lacking));
  SPTRSV_TRY(read_back((int *)lacking, &found));
  *symmetric = !found;
  return SPTRSV_SUCCESS;
}

FactorPattern pattern_of(SptrsvAnalysis a)
{
  return {a->a.n, a->a.nnz, a->device.row_ptr, a->device.col_idx, a->device.split, nullptr};
}

} // namespace sptrsv

SptrsvStatus sptrsvDeviceSymmetric(SptrsvAnalysis analysis, bool *symmetric)
{
  const SptrsvSweep *lower;

  SPTRSV_TRY(sptrsvAnalysisSweep(analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &lower));
  return sptrsv::is_symmetric(sptrsv::pattern_of(analysis), lower->statistics.nnz, symmetric);
}
