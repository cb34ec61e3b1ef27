#include <algorithm>
#include <cstdlib>
#include "values.cuh"

namespace sptrsv {

constexpr int BLOCK = 256;

static int blocks_for(size_t count)
{
  return (int)std::min<size_t>((count + BLOCK - 1) / BLOCK, 132 * 64);
}

template <class V>
__global__ void gather_kernel(size_t count, const int *__restrict__ source, const V *__restrict__ values, V *__restrict__ target)
{
  for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < count; k += (size_t)gridDim.x * blockDim.x) {
    const int s = source[k];
    target[k]   = s >= 0 ? values[s] : s == SPTRSV_ONE ? V(1) : s == SPTRSV_MINUS_ONE ? V(-1) : V(0);
  }
}

template <class V>
__global__ void reciprocal_kernel(int n, const int *__restrict__ source, bool inverted, const V *__restrict__ values, V *__restrict__ target)
{
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
    const int s = source[k];
    const V   v = s >= 0 ? values[s] : s == SPTRSV_ONE ? V(1) : V(-1);
    target[k]   = s < 0 || inverted ? v : 1 / v;
  }
}

template <class V> __global__ void not_ready_kernel(size_t n, V *x)
{
  for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < n; k += (size_t)gridDim.x * blockDim.x) rearm(x + k);
}

SptrsvStatus gather_values(size_t count, const int *source, SptrsvValueType type, const void *values, void *target, SptrsvStream stream)
{
  if (!count) return SPTRSV_SUCCESS;
  if (type == SPTRSV_DOUBLE) gather_kernel<<<blocks_for(count), BLOCK, 0, stream>>>(count, source, (const double *)values, (double *)target);
  else gather_kernel<<<blocks_for(count), BLOCK, 0, stream>>>(count, source, (const float *)values, (float *)target);
  SPTRSV_CUDA(cudaGetLastError());
  return SPTRSV_SUCCESS;
}

SptrsvStatus gather_reciprocals(int n, const int *source, SptrsvDiagonal diagonal, SptrsvValueType type, const void *values, void *target, SptrsvStream stream)
{
  const bool inverted = diagonal == SPTRSV_DIAG_INVERTED;

  if (!n) return SPTRSV_SUCCESS;
  if (type == SPTRSV_DOUBLE) reciprocal_kernel<<<blocks_for(n), BLOCK, 0, stream>>>(n, source, inverted, (const double *)values, (double *)target);
  else reciprocal_kernel<<<blocks_for(n), BLOCK, 0, stream>>>(n, source, inverted, (const float *)values, (float *)target);
  SPTRSV_CUDA(cudaGetLastError());
  return SPTRSV_SUCCESS;
}

SptrsvStatus unknowns_create(size_t n, SptrsvValueType type, void **d, size_t *total)
{
  SPTRSV_TRY(sptrsvDeviceAllocate(2 * n * value_size(type), d, total));
  if (!n) return SPTRSV_SUCCESS;
  if (type == SPTRSV_DOUBLE) not_ready_kernel<<<blocks_for(2 * n), BLOCK>>>(2 * n, (double *)*d);
  else not_ready_kernel<<<blocks_for(2 * n), BLOCK>>>(2 * n, (float *)*d);
  SPTRSV_CUDA(cudaGetLastError());
  SPTRSV_CUDA(cudaStreamSynchronize(nullptr)); /* the first solve may come in another stream */
  return SPTRSV_SUCCESS;
}

SptrsvStatus upload_places(int n, const int *row, const int *perm, int **d, size_t *total)
{
  int *place;

  SPTRSV_TRY(sptrsvNew(n, &place));
  for (int k = 0; k < n; k++) place[k] = row[k] < 0 ? -1 : perm ? perm[row[k]] : row[k];
  const SptrsvStatus status = sptrsvUpload(place, (size_t)n * sizeof(int), (void **)d, total);
  free(place);
  return status;
}

} // namespace sptrsv
