#include <algorithm>
#include <cstdlib>
#include "values.cuh"

namespace sptrsv {

template <class V> __device__ V stored_or_constant(const V *values, int source)
{
  return source >= 0 ? values[source] : source == SPTRSV_ONE ? V(1) : source == SPTRSV_MINUS_ONE ? V(-1) : V(0);
}

template <class V> __global__ void take_kernel(const PlanValues p, bool inverted, const V *__restrict__ values)
{
  for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < p.count + p.n; k += (size_t)gridDim.x * blockDim.x) {
    if (k < p.count) ((V *)p.values)[k] = stored_or_constant(values, p.source[k]);
    else {
      const int d = p.diagonal[k - p.count];
      const V   v = stored_or_constant(values, d);

      ((V *)p.reciprocal)[k - p.count] = inverted || d < 0 ? v : 1 / v;
    }
  }
}

template <class V> __global__ void move_kernel(int n, const int *from, const int *to, const V *__restrict__ source, V *__restrict__ target)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    target[to ? to[i] : i] = source[from ? from[i] : i];
}

template <class V> __global__ void not_ready_kernel(size_t n, V *x)
{
  for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < n; k += (size_t)gridDim.x * blockDim.x) rearm(x + k);
}

SptrsvStatus take_values(const PlanValues &p, SptrsvDiagonal diagonal, SptrsvValueType type, const void *values, SptrsvStream stream)
{
  const bool inverted = diagonal == SPTRSV_DIAG_INVERTED;
  const int  blocks   = blocks_for(p.count + p.n);

  if (!p.count && !p.n) return SPTRSV_SUCCESS;
  if (type == SPTRSV_DOUBLE) SPTRSV_CUDA(launch(take_kernel<double>, blocks, BLOCK, stream, p, inverted, (const double *)values));
  else SPTRSV_CUDA(launch(take_kernel<float>, blocks, BLOCK, stream, p, inverted, (const float *)values));
  return SPTRSV_SUCCESS;
}

SptrsvStatus move_values(int n, const int *from, const int *to, SptrsvValueType type, const void *source, void *target, SptrsvStream stream)
{
  if (!n) return SPTRSV_SUCCESS;
  if (type == SPTRSV_DOUBLE)
    SPTRSV_CUDA(launch(move_kernel<double>, blocks_for(n), BLOCK, stream, n, from, to, (const double *)source, (double *)target));
  else SPTRSV_CUDA(launch(move_kernel<float>, blocks_for(n), BLOCK, stream, n, from, to, (const float *)source, (float *)target));
  return SPTRSV_SUCCESS;
}

SptrsvStatus unknowns_create(size_t n, SptrsvValueType type, void **d, size_t *total)
{
  SPTRSV_TRY(sptrsvDeviceAllocate(2 * n * value_size(type), d, total));
  return unknowns_clear(n, type, *d);
}

SptrsvStatus unknowns_clear(size_t n, SptrsvValueType type, void *d)
{
  if (!n) return SPTRSV_SUCCESS;
  if (type == SPTRSV_DOUBLE) SPTRSV_CUDA(launch(not_ready_kernel<double>, blocks_for(2 * n), BLOCK, nullptr, 2 * n, (double *)d));
  else SPTRSV_CUDA(launch(not_ready_kernel<float>, blocks_for(2 * n), BLOCK, nullptr, 2 * n, (float *)d));
  SPTRSV_CUDA(cudaStreamSynchronize(nullptr)); /* the first solve may come in another stream */
  return SPTRSV_SUCCESS;
}

SptrsvStatus upload_places(int n, const int *row, const int *perm, int **d, size_t *total)
{
  int *place;

  SPTRSV_TRY(sptrsvNew(n, &place));
  for (int k = 0; k < n; k++) place[k] = perm ? perm[row[k]] : row[k];
  const SptrsvStatus status = sptrsvUpload(place, (size_t)n * sizeof(int), (void **)d, total);
  free(place);
  return status;
}

} // namespace sptrsv
