/* What depth-first orders need of rows on the device, which are cut as a plan cuts them. */
#include <climits>
#include <cstdlib>
#include "arrange.cuh"

namespace {

using namespace sptrsv;

static_assert(SPTRSV_STRIP_ENTRIES <= UCHAR_MAX);

void destroy(SptrsvUsers &g)
{
  free(g.missing);
  free(g.user_ptr);
  free(g.user);
  free(g.stack);
}

__global__ void missing_kernel(int n, const int *row_ptr, unsigned char *missing)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    missing[i] = (unsigned char)(row_ptr[i + 1] - row_ptr[i]);
}

/* Lists without gaps.  A warp per list */
__global__ void compact_kernel(Adjacency needs, const int *row_ptr, int *col_idx)
{
  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; i < needs.n; i += gridDim.x * blockDim.x / WARP) {
    const int first = first_of(needs, i);

    for (int e = first + threadIdx.x % WARP; e < needs.end[i]; e += WARP) col_idx[row_ptr[i] + e - first] = needs.idx[e];
  }
}

SptrsvStatus download(const Rows &rows, SptrsvUsers &g)
{
  const Adjacency       &needs = rows.needs;
  Scratch<int>           length, row_ptr, col_idx, user_ptr, user, source;
  Scratch<unsigned char> missing;
  int                    nnz;

  g.n         = needs.n;
  g.backwards = rows.backwards;
  SPTRSV_TRY(create_all((size_t)g.n + 1, length, row_ptr, user_ptr));
  SPTRSV_TRY(missing.create(g.n));
  SPTRSV_CUDA(cudaMemsetAsync(length + g.n, 0, sizeof(int)));
  SPTRSV_TRY(count_lengths(needs, 1, (unsigned *)(int *)length));
  SPTRSV_TRY(exclusive_sum((int *)length, (int *)row_ptr, g.n + 1));
  SPTRSV_TRY(launch_for(missing_kernel, g.n, nullptr, g.n, row_ptr, missing));
  SPTRSV_TRY(read_back(row_ptr + g.n, &nnz));
  SPTRSV_TRY(create_all(nnz, col_idx, user, source));
  SPTRSV_TRY(launch_for(compact_kernel, (size_t)g.n * WARP, nullptr, needs, row_ptr, col_idx));
  SPTRSV_TRY(transpose_in_order(g.n, nnz, row_ptr, col_idx, user_ptr, user, source));
  SPTRSV_TRY(sptrsvHostCopy(missing, g.n, sizeof(*g.missing), (void **)&g.missing));
  SPTRSV_TRY(sptrsvHostCopy(user_ptr, (size_t)g.n + 1, sizeof(int), (void **)&g.user_ptr));
  SPTRSV_TRY(sptrsvHostCopy(user, nnz, sizeof(int), (void **)&g.user));
  SPTRSV_TRY(sptrsvNew(2 * (size_t)g.n, &g.stack));
  g.order = g.stack + g.n;
  return SPTRSV_SUCCESS;
}

} // namespace

SptrsvStatus sptrsv::strips_depth_first(const DeviceRows *const rows[], int count, int *const order[])
{
  SptrsvUsers  graph[2] = {};
  SptrsvStatus status   = SPTRSV_SUCCESS;

  for (int k = 0; !status && k < count; k++) status = download(rows[k]->rows, graph[k]);
  if (!status) status = sptrsvDepthFirst(graph, count);
  for (int k = 0; !status && k < count; k++)
    status = sptrsvCudaStatus(cudaMemcpy(order[k], graph[k].order, (size_t)graph[k].n * sizeof(int), cudaMemcpyHostToDevice));
  for (SptrsvUsers &g : graph) destroy(g);
  return status;
}
