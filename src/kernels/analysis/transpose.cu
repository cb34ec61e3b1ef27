/* Set-up steps on the GPU: CSR to CSC, and the number of unknowns that each unknown needs (Li, Table 1: TRANS, DEP). */
#include "adjacency.cuh"

namespace sptrsv {

namespace {

/* Lengths of the turned graph's lists.  A warp per list of `a`. */
__global__ void count_kernel(Adjacency a, int *count)
{
  const int lane = threadIdx.x % WARP;

  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; i < a.n; i += gridDim.x * blockDim.x / WARP) {
    for (int e = first_of(a, i) + lane; e < a.end[i]; e += WARP) atomicAdd(count + a.idx[e], 1);
  }
}

/* next: position of the next entry of each list */
__global__ void fill_kernel(Adjacency a, const int *payload, int *next, int *idx, int *moved)
{
  const int lane = threadIdx.x % WARP;

  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; i < a.n; i += gridDim.x * blockDim.x / WARP) {
    for (int e = first_of(a, i) + lane; e < a.end[i]; e += WARP) {
      const int slot = atomicAdd(next + a.idx[e], 1);

      idx[slot] = i;
      if (moved) moved[slot] = payload ? payload[e] : e;
    }
  }
}

__global__ void length_kernel(Adjacency a, int copies, unsigned *count)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < a.n; i += gridDim.x * blockDim.x) {
    for (int c = 0; c < copies; c++) count[(size_t)c * a.n + i] = (unsigned)(a.end[i] - first_of(a, i));
  }
}

} // namespace

SptrsvStatus transpose(const Adjacency &a, const int *payload, int *ptr, int *idx, int *moved)
{
  const size_t ends   = (size_t)a.n + 1;
  const int    blocks = blocks_for((size_t)a.n * WARP);
  Scratch<int> next;

  SPTRSV_TRY(next.create(ends));
  SPTRSV_CUDA(cudaMemsetAsync(next, 0, ends * sizeof(int)));
  SPTRSV_CUDA(launch(count_kernel, blocks, BLOCK, nullptr, a, next));
  SPTRSV_TRY(exclusive_sum((int *)next, ptr, a.n + 1));
  SPTRSV_CUDA(cudaMemcpyAsync(next, ptr, ends * sizeof(int), cudaMemcpyDeviceToDevice));
  SPTRSV_CUDA(launch(fill_kernel, blocks, BLOCK, nullptr, a, payload, next, idx, moved));
  SPTRSV_CUDA(cudaStreamSynchronize(nullptr)); /* the scratch array goes */
  return SPTRSV_SUCCESS;
}

SptrsvStatus count_lengths(const Adjacency &a, int copies, unsigned *count)
{
  SPTRSV_CUDA(launch(length_kernel, blocks_for(a.n), BLOCK, nullptr, a, copies, count));
  return SPTRSV_SUCCESS;
}

} // namespace sptrsv
