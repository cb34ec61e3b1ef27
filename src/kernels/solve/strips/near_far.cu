/* Unknowns of strips in the order in which a list schedule prefers them; needs and users of them, by positions. */
#include "arrange.cuh"

namespace {

using namespace sptrsv;

/* A smaller number for an unknown that goes first.  Along an entry it grows: levels do, and heights, the paths that follow, get no longer.
   A partial sum has the height of its row, which is the next one.  height: of rows of the matrix, if by_row, else of unknowns */
__global__ void priority_kernel(Rows rows, int levels, bool by_row, const int *height, int *priority)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows.needs.n; i += gridDim.x * blockDim.x) {
    int of = i;

    while (by_row && rows.row[of] < 0) of++;
    priority[i] = levels + 2 * rows.level[i] - height[by_row ? rows.row[of] : i];
  }
}

/* Unknowns in the order of positions, and back.  Device arrays */
struct Positions {
  const int *sorted, *position, *strip; /* [n]; strip: of each unknown */
};

/* Lengths of both lists of each unknown; those of users are 0 before */
__global__ void count_kernel(Adjacency needs, Positions at, int *far_length, int *users_length, unsigned char *near)
{
  for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < needs.n; q += gridDim.x * blockDim.x) {
    const int i = at.sorted[q], strip = at.strip[i];
    int       far = 0, nears = 0;

    for (int e = first_of(needs, i); e < needs.end[i]; e++) {
      const int j = needs.idx[e];

      if (at.strip[j] != strip) far++;
      else {
        nears++;
        atomicAdd(users_length + at.position[j], 1);
      }
    }
    far_length[q] = far;
    near[q]       = (unsigned char)nears;
  }
}

/* users_next: position of the next entry of each list */
__global__ void fill_kernel(Adjacency needs, Positions at, const int *far_ptr, int *users_next, int users_first, int *far, int *users)
{
  for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < needs.n; q += gridDim.x * blockDim.x) {
    const int i = at.sorted[q], strip = at.strip[i];
    int       next = far_ptr[q];

    for (int e = first_of(needs, i); e < needs.end[i]; e++) {
      const int j = needs.idx[e];

      if (at.strip[j] != strip) far[next++] = at.position[j];
      else users[atomicAdd(users_next + at.position[j], 1) - users_first] = q;
    }
  }
}

} // namespace

SptrsvStatus sptrsv::strips_sort_by_priority(Rows rows, int levels, const int *heights, const StripsOrder &order, StripsSort *sort)
{
  const int    n      = rows.needs.n;
  const bool   by_row = heights && rows.row;
  Scratch<int> users_ptr, users_idx, found, priority;

  if (!heights) {
    SPTRSV_TRY(transpose(rows.needs, users_ptr, users_idx));
    SPTRSV_TRY(found.create(n));
    SPTRSV_TRY(levels_by_rows(lists(n, users_ptr, users_idx), !rows.backwards, (unsigned *)(int *)found));
    heights = found;
  }
  SPTRSV_TRY(priority.create(n));
  SPTRSV_TRY(launch_for(priority_kernel, n, nullptr, rows, levels, by_row, heights, priority));
  rows.level = priority;
  return strips_sort(rows, 3 * levels, order, sort);
}

SptrsvStatus sptrsv::near_far(const Rows &rows, const StripsSort &sort, SptrsvMemory *memory, NearFar *graph)
{
  static_assert(SPTRSV_STRIP_ENTRIES < 1 << 7);
  const int      n    = rows.needs.n;
  const size_t   each = (size_t)n + 1;
  Scratch<int>   position, length, next;
  int           *ptr, *far, *users, ends[2]; /* ptr, ends: of both, with a common sum */
  unsigned char *near;

  SPTRSV_TRY(position.create(n));
  SPTRSV_TRY(length.create(2 * each));
  SPTRSV_TRY(next.create(each));
  SPTRSV_TRY(sptrsvScratchNew(memory, n, &near));
  SPTRSV_TRY(sptrsvScratchNew(memory, 2 * each, &ptr));
  SPTRSV_TRY(scatter(n, nullptr, sort.sorted, position));
  const Positions at = {sort.sorted, position, sort.strip};
  SPTRSV_CUDA(cudaMemsetAsync(length, 0, 2 * each * sizeof(int)));
  SPTRSV_TRY(launch_for(count_kernel, n, nullptr, rows.needs, at, (int *)length, length + each, near));
  SPTRSV_TRY(exclusive_sum((int *)length, ptr, (int)(2 * each)));
  SPTRSV_TRY(read_back(ptr + n, &ends[0]));
  SPTRSV_TRY(read_back(ptr + each + n, &ends[1]));
  SPTRSV_TRY(sptrsvScratchNew(memory, ends[0], &far));
  SPTRSV_TRY(sptrsvScratchNew(memory, ends[1] - ends[0], &users));
  SPTRSV_CUDA(cudaMemcpyAsync(next, ptr + each, each * sizeof(int), cudaMemcpyDeviceToDevice, nullptr));
  SPTRSV_TRY(launch_for(fill_kernel, n, nullptr, rows.needs, at, (const int *)ptr, next, ends[0], far, users));
  *graph = {lists(n, ptr, far), lists(n, ptr + each, users - ends[0]), near};
  return SPTRSV_SUCCESS;
}
