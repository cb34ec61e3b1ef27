/* Set-up steps on the GPU: CSR to CSC, and the number of unknowns that each unknown needs (Li, Table 1: TRANS, DEP). */
#include "adjacency.cuh"

namespace sptrsv {

namespace {

/* Lengths of the turned graph's lists.  A warp per list of `a`. */
__global__ void count_kernel(Adjacency adjacency, int *count)
{
  const int lane = threadIdx.x % WARP;

  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; i < adjacency.n; i += gridDim.x * blockDim.x / WARP) {
    for (int e = first_of(adjacency, i) + lane; e < adjacency.end[i]; e += WARP) atomicAdd(count + adjacency.idx[e], 1);
  }
}

/* next: position of the next entry of each list */
__global__ void fill_kernel(Adjacency adjacency, const int *payload, int *next, int *idx, int *moved)
{
  const int lane = threadIdx.x % WARP;

  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; i < adjacency.n; i += gridDim.x * blockDim.x / WARP) {
    for (int e = first_of(adjacency, i) + lane; e < adjacency.end[i]; e += WARP) {
      const int slot = atomicAdd(next + adjacency.idx[e], 1);

      idx[slot] = i;
      if (moved) moved[slot] = payload ? payload[e] : e;
    }
  }
}

__global__ void length_kernel(Adjacency adjacency, int copies, unsigned *count)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < adjacency.n; i += gridDim.x * blockDim.x) {
    for (int c = 0; c < copies; c++) count[(size_t)c * adjacency.n + i] = (unsigned)(adjacency.end[i] - first_of(adjacency, i));
  }
}

} // namespace

SptrsvStatus transpose(const Adjacency &adjacency, const int *payload, int *ptr, int *idx, int *moved)
{
  const size_t ends   = (size_t)adjacency.n + 1;
  const int    blocks = blocks_for((size_t)adjacency.n * WARP);
  Scratch<int> next;

  SPTRSV_TRY(next.create(ends));
  SPTRSV_CUDA(cudaMemsetAsync(next, 0, ends * sizeof(int)));
  SPTRSV_CUDA(launch(count_kernel, blocks, BLOCK, nullptr, adjacency, next));
  SPTRSV_TRY(exclusive_sum((int *)next, ptr, adjacency.n + 1));
  SPTRSV_CUDA(cudaMemcpyAsync(next, ptr, ends * sizeof(int), cudaMemcpyDeviceToDevice));
  SPTRSV_CUDA(launch(fill_kernel, blocks, BLOCK, nullptr, adjacency, payload, next, idx, moved));
  SPTRSV_CUDA(cudaStreamSynchronize(nullptr)); /* the scratch array goes */
  return SPTRSV_SUCCESS;
}

SptrsvStatus count_lengths(const Adjacency &adjacency, int copies, unsigned *count)
{
  SPTRSV_CUDA(launch(length_kernel, blocks_for(adjacency.n), BLOCK, nullptr, adjacency, copies, count));
  return SPTRSV_SUCCESS;
}

} // namespace sptrsv
