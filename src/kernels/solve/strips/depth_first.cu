/*
   An order for strips: depth first.

   Kahn's algorithm with a stack: the unknown that became ready last goes first, so unknowns follow soon after those that they need.  A
   stack has one end, so this is the host's work; the rows come from the device, cut as the plan cuts them.
*/
#include <climits>
#include <cstdlib>
#include "arrange.cuh"

namespace {

using namespace sptrsv;

static_assert(SPTRSV_STRIP_ENTRIES <= UCHAR_MAX);

/* Part of a sweep's graph that the order needs, host arrays: how many each unknown needs, and those that need unknown j,
   user[user_ptr[j]] … user[user_ptr[j + 1] - 1], ascending */
struct Graph {
  int            n;
  bool           backwards; /* as in Rows */
  unsigned char *missing;
  int           *user_ptr, *user;
};

void destroy(Graph &g)
{
  free(g.missing);
  free(g.user_ptr);
  free(g.user);
}

/* In bytes, since the host's cache holds those of larger graphs */
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

SptrsvStatus download(const Rows &rows, Graph &g)
{
  const Adjacency       &needs = rows.needs;
  Scratch<int>           length, row_ptr, col_idx, user_ptr, user, source;
  Scratch<unsigned char> missing;
  int                    nnz;

  g = {needs.n, rows.backwards, nullptr, nullptr, nullptr};
  SPTRSV_TRY(length.create((size_t)g.n + 1));
  SPTRSV_TRY(row_ptr.create((size_t)g.n + 1));
  SPTRSV_TRY(missing.create(g.n));
  SPTRSV_CUDA(cudaMemsetAsync(length + g.n, 0, sizeof(int)));
  SPTRSV_TRY(count_lengths(needs, 1, (unsigned *)(int *)length));
  SPTRSV_TRY(exclusive_sum((int *)length, (int *)row_ptr, g.n + 1));
  SPTRSV_CUDA(launch(missing_kernel, blocks_for(g.n), BLOCK, nullptr, g.n, row_ptr, missing));
  SPTRSV_TRY(read_back(row_ptr + g.n, &nnz));
  SPTRSV_TRY(col_idx.create(nnz));
  SPTRSV_TRY(user_ptr.create((size_t)g.n + 1));
  SPTRSV_TRY(user.create(nnz));
  SPTRSV_TRY(source.create(nnz));
  SPTRSV_CUDA(launch(compact_kernel, blocks_for((size_t)g.n * WARP), BLOCK, nullptr, needs, row_ptr, col_idx));
  SPTRSV_TRY(transpose_in_order(g.n, nnz, row_ptr, col_idx, user_ptr, user, source));
  SPTRSV_TRY(sptrsvHostCopy(missing, g.n, sizeof(*g.missing), (void **)&g.missing));
  SPTRSV_TRY(sptrsvHostCopy(user_ptr, (size_t)g.n + 1, sizeof(int), (void **)&g.user_ptr));
  return sptrsvHostCopy(user, nnz, sizeof(int), (void **)&g.user);
}

/* stack, order [n]; what is missing of unknowns' needs goes down to 0 */
void take(const Graph &g, int *stack, int *order)
{
  const auto in_order = [&](int first, int count, int k) { return g.backwards ? first + count - 1 - k : first + k; };
  int        depth    = 0;

  const auto push_if_ready = [&](int i) {
    if (!g.missing[i]) stack[depth++] = i;
  };
  for (int k = g.n - 1; k >= 0; k--) push_if_ready(in_order(0, g.n, k));
  while (depth) {
    const int j = stack[--depth], count = g.user_ptr[j + 1] - g.user_ptr[j];

    *order++ = j;
    for (int k = count - 1; k >= 0; k--) {
      const int user = g.user[in_order(g.user_ptr[j], count, k)];

      g.missing[user]--;
      push_if_ready(user);
    }
  }
}

} // namespace

SptrsvStatus sptrsv::strips_depth_first(const Rows &rows, int *order)
{
  const int    n = rows.needs.n;
  Graph        g;
  int         *host   = nullptr; /* the stack and the order */
  SptrsvStatus status = download(rows, g);

  if (!status) status = sptrsvNew(2 * (size_t)n, &host);
  if (!status) {
    take(g, host, host + n);
    status = sptrsvCudaStatus(cudaMemcpy(order, host + n, (size_t)n * sizeof(int), cudaMemcpyHostToDevice));
  }
  free(host);
  destroy(g);
  return status;
}
