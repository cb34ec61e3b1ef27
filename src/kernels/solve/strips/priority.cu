/* Unknowns of strips in the order in which a list schedule prefers them. */
#include "near_far.cuh"

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
