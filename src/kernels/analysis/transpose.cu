/* Set-up steps on the GPU: CSR to CSC and the number of unknowns that each unknown needs (Li, Table 1: TRANS, DEP); transposes in order. */
#include "adjacency.cuh"

namespace sptrsv {

namespace {

/* Lengths of the turned graph's lists */
__global__ void count_kernel(Adjacency adjacency, int *count)
{
  for_entries(adjacency, [=](int, int e) { atomicAdd(count + adjacency.idx[e], 1); });
}

/* next: position of the next entry of each list */
__global__ void fill_kernel(Adjacency adjacency, int *next, int *idx)
{
  for_entries(adjacency, [=](int i, int e) { idx[atomicAdd(next + adjacency.idx[e], 1)] = i; });
}

__global__ void length_kernel(Adjacency adjacency, int copies, unsigned *count)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < adjacency.n; i += gridDim.x * blockDim.x) {
    for (int c = 0; c < copies; c++) count[(size_t)c * adjacency.n + i] = (unsigned)(adjacency.end[i] - first_of(adjacency, i));
  }
}

__global__ void row_numbers_kernel(Adjacency rows, int *row)
{
  for_entries(rows, [=](int i, int e) { row[e] = i; });
}

__global__ void gather_kernel(int count, const int *from, const int *place, int *to)
{
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += gridDim.x * blockDim.x) to[k] = from[place[k]];
}

SptrsvStatus point_to_users(const Adjacency &adjacency, int *ptr, int *entries = nullptr)
{
  const size_t ends = (size_t)adjacency.n + 1;
  Scratch<int> count;

  SPTRSV_TRY(count.create(ends));
  SPTRSV_CUDA(cudaMemsetAsync(count, 0, ends * sizeof(int)));
  SPTRSV_TRY(launch_for(count_kernel, (size_t)adjacency.n * WARP, nullptr, adjacency, count));
  return exclusive_sum((int *)count, ptr, adjacency.n + 1, entries);
}

} // namespace

SptrsvStatus transpose(const Adjacency &adjacency, Scratch<int> &ptr, Scratch<int> &idx)
{
  Scratch<int> next;
  int          entries;

  SPTRSV_TRY(ptr.create((size_t)adjacency.n + 1));
  SPTRSV_TRY(point_to_users(adjacency, ptr, &entries));
  SPTRSV_TRY(idx.create(entries));
  SPTRSV_TRY(next.create(adjacency.n));
  SPTRSV_CUDA(cudaMemcpyAsync(next, ptr, (size_t)adjacency.n * sizeof(int), cudaMemcpyDeviceToDevice));
  return launch_for(fill_kernel, (size_t)adjacency.n * WARP, nullptr, adjacency, next, idx);
}

/* By a stable sort, in which entries of a column stay in the order of their rows */
SptrsvStatus transpose_in_order(int n, int nnz, const int *row_ptr, const int *col_idx, int *t_row_ptr, int *t_col_idx, int *source)
{
  const Adjacency rows = lists(n, row_ptr, col_idx);
  Scratch<int>    row;

  SPTRSV_TRY(row.create(nnz));
  SPTRSV_TRY(row_numbers(rows, row));
  SPTRSV_TRY(point_to_users(rows, t_row_ptr));
  SPTRSV_TRY(sort_numbers((const unsigned *)col_idx, nnz, (unsigned)n, source));
  return gather(nnz, row, source, t_col_idx);
}

SptrsvStatus row_numbers(const Adjacency &rows, int *row)
{
  return launch_for(row_numbers_kernel, (size_t)rows.n * WARP, nullptr, rows, row);
}

SptrsvStatus gather(int count, const int *from, const int *place, int *to)
{
  return launch_for(gather_kernel, count, nullptr, count, from, place, to);
}

SptrsvStatus count_lengths(const Adjacency &adjacency, int copies, unsigned *count)
{
  return launch_for(length_kernel, adjacency.n, nullptr, adjacency, copies, count);
}

} // namespace sptrsv
