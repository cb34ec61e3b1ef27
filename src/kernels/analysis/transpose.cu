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

/* entry [nnz]: its number; row [nnz]: of each */
__global__ void entries_kernel(Adjacency rows, int *entry, int *row)
{
  for_entries(rows, [=](int i, int e) {
    entry[e] = e;
    row[e]   = i;
  });
}

/* column [nnz]: of each entry, ascending */
__global__ void pointers_kernel(int n, int nnz, const unsigned *column, int *ptr)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += gridDim.x * blockDim.x)
    ptr[i] = first_at_least(column, 0, nnz, (unsigned)i);
}

__global__ void gather_kernel(int count, const int *from, const int *place, int *to)
{
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += gridDim.x * blockDim.x) to[k] = from[place[k]];
}

__global__ void scatter_kernel(int count, const int *from, const int *place, int *to)
{
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += gridDim.x * blockDim.x) to[place[k]] = from ? from[k] : k;
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

SptrsvStatus fill_users(const Adjacency &adjacency, const int *ptr, int *idx)
{
  Scratch<int> next;

  SPTRSV_TRY(next.create(adjacency.n));
  SPTRSV_CUDA(cudaMemcpyAsync(next, ptr, (size_t)adjacency.n * sizeof(int), cudaMemcpyDeviceToDevice));
  return launch_for(fill_kernel, (size_t)adjacency.n * WARP, nullptr, adjacency, next, idx);
}

} // namespace

SptrsvStatus transpose(const Adjacency &adjacency, int *ptr, int *idx)
{
  SPTRSV_TRY(point_to_users(adjacency, ptr));
  return fill_users(adjacency, ptr, idx);
}

SptrsvStatus transpose(const Adjacency &adjacency, Scratch<int> &ptr, Scratch<int> &idx)
{
  int entries;

  SPTRSV_TRY(ptr.create((size_t)adjacency.n + 1));
  SPTRSV_TRY(point_to_users(adjacency, ptr, &entries));
  SPTRSV_TRY(idx.create(entries));
  return fill_users(adjacency, ptr, idx);
}

/* By a stable sort, in which entries of a column stay in the order of their rows */
SptrsvStatus transpose_in_order(int n, int nnz, const int *row_ptr, const int *col_idx, int *t_row_ptr, int *t_col_idx, int *source)
{
  Scratch<unsigned> column;
  Scratch<int>      entry, row;

  SPTRSV_TRY(create_all(nnz, column, entry, row));
  SPTRSV_TRY(launch_for(entries_kernel, (size_t)n * WARP, nullptr, lists(n, row_ptr, col_idx), entry, row));
  SPTRSV_TRY(sort_by_key((const unsigned *)col_idx, (unsigned *)column, entry, source, nnz, (unsigned)n));
  SPTRSV_TRY(launch_for(pointers_kernel, (size_t)n + 1, nullptr, n, nnz, column, t_row_ptr));
  return gather(nnz, row, source, t_col_idx);
}

SptrsvStatus gather(int count, const int *from, const int *place, int *to)
{
  return launch_for(gather_kernel, count, nullptr, count, from, place, to);
}

SptrsvStatus scatter(int count, const int *from, const int *place, int *to)
{
  return launch_for(scatter_kernel, count, nullptr, count, from, place, to);
}

SptrsvStatus count_lengths(const Adjacency &adjacency, int copies, unsigned *count)
{
  return launch_for(length_kernel, adjacency.n, nullptr, adjacency, copies, count);
}

} // namespace sptrsv
