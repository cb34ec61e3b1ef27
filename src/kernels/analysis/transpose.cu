/* Set-up steps on the GPU: CSR to CSC and the number of unknowns that each unknown needs (Li, Table 1: TRANS, DEP); transposes in order. */
#include "adjacency.cuh"

namespace sptrsv {

namespace {

/* ptr: the turned graph's, from the lengths of its lists; *entries (NULL: not asked for): of all */
SptrsvStatus point_to_users(const Adjacency &adjacency, int *ptr, int *entries = nullptr)
{
  const size_t ends = (size_t)adjacency.n + 1;
  Scratch<int> count;

  SPTRSV_TRY(count.create(ends));
  SPTRSV_CUDA(cudaMemsetAsync(count, 0, ends * sizeof(int)));
  SPTRSV_TRY(for_each_entry(adjacency, [=, count = (int *)count] __device__(int, int e) { atomicAdd(count + adjacency.idx[e], 1); }));
  return exclusive_sum((int *)count, ptr, adjacency.n + 1, entries);
}

} // namespace

SptrsvStatus transpose(const Adjacency &adjacency, Scratch<int> &ptr, Scratch<int> &idx)
{
  Scratch<int> next; /* position of the next entry of each list */
  int          entries;

  SPTRSV_TRY(ptr.create((size_t)adjacency.n + 1));
  SPTRSV_TRY(point_to_users(adjacency, ptr, &entries));
  SPTRSV_TRY(idx.create(entries));
  SPTRSV_TRY(next.create(adjacency.n));
  SPTRSV_CUDA(cudaMemcpyAsync(next, ptr, (size_t)adjacency.n * sizeof(int), cudaMemcpyDeviceToDevice));
  return for_each_entry(adjacency, [=, next = (int *)next, idx = (int *)idx] __device__(int i, int e) {
    idx[atomicAdd(next + adjacency.idx[e], 1)] = i;
  });
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
  return for_each_entry(rows, [=] __device__(int i, int e) { row[e] = i; });
}

SptrsvStatus gather(int count, const int *from, const int *place, int *to)
{
  return for_each(count, [=] __device__(int k) { to[k] = from[place[k]]; });
}

SptrsvStatus scatter(int count, const int *from, const int *place, int *to)
{
  return for_each(count, [=] __device__(int k) { to[place[k]] = from ? from[k] : k; });
}

SptrsvStatus count_lengths(const Adjacency &adjacency, int copies, unsigned *count)
{
  return for_each(adjacency.n, [=] __device__(int i) {
    for (int c = 0; c < copies; c++) count[(size_t)c * adjacency.n + i] = (unsigned)(adjacency.end[i] - first_of(adjacency, i));
  });
}

} // namespace sptrsv
