/* Unknowns of strips in the order in which a list schedule prefers them; needs and users of them, by positions. */
#include "arrange.cuh"

namespace {

using namespace sptrsv;

/* What unknowns need that are sorted into strips.  Device arrays */
struct Needs {
  Adjacency  of;
  const int *sorted, *strip; /* as in StripsSort */
  const int *position;       /* [n] of each unknown in `sorted` */

  /* Calls far() or near() with the position of each one that the unknown at position q needs */
  template <class Far, class Near> __device__ __forceinline__ void each(int q, const Far &far, const Near &near) const
  {
    const int i = sorted[q];

    for (int e = first_of(of, i); e < of.end[i]; e++) {
      const int j = of.idx[e];

      if (strip[j] != strip[i]) far(position[j]);
      else near(position[j]);
    }
  }
};

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
  /* Along an entry it grows: levels do, and heights, the paths that follow, get no longer.  A partial sum has the height of its row, which
     is the next one. */
  SPTRSV_TRY(for_each(n, [=, priority = (int *)priority] __device__(int i) {
    int of = i;

    while (by_row && rows.row[of] < 0) of++;
    priority[i] = levels + 2 * rows.level[i] - heights[by_row ? rows.row[of] : i];
  }));
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
  const Needs needs = {rows.needs, sort.sorted, sort.strip, position};
  SPTRSV_CUDA(cudaMemsetAsync(length, 0, 2 * each * sizeof(int)));
  SPTRSV_TRY(for_each(n, [=, far_length = (int *)length, users_length = length + each] __device__(int q) {
    int        fars = 0, nears = 0;
    const auto add_far  = [&](int) { fars++; };
    const auto add_user = [&](int p) {
      nears++;
      atomicAdd(users_length + p, 1);
    };

    needs.each(q, add_far, add_user);
    far_length[q] = fars;
    near[q]       = (unsigned char)nears;
  }));
  SPTRSV_TRY(exclusive_sum((int *)length, ptr, (int)(2 * each), &ends[1]));
  SPTRSV_TRY(read_back(ptr + n, &ends[0]));
  SPTRSV_TRY(sptrsvScratchNew(memory, ends[0], &far));
  SPTRSV_TRY(sptrsvScratchNew(memory, ends[1] - ends[0], &users));
  users -= ends[0];
  SPTRSV_CUDA(cudaMemcpyAsync(next, ptr + each, each * sizeof(int), cudaMemcpyDeviceToDevice, nullptr));
  SPTRSV_TRY(for_each(n, [=, users_next = (int *)next] __device__(int q) {
    int        next     = ptr[q];
    const auto put_far  = [&](int p) { far[next++] = p; };
    const auto put_user = [&](int p) { users[atomicAdd(users_next + p, 1)] = q; };

    needs.each(q, put_far, put_user);
  }));
  *graph = {lists(n, ptr, far), lists(n, ptr + each, users), near};
  return SPTRSV_SUCCESS;
}
