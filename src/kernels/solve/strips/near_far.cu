/* Unknowns of strips in the order in which a list schedule prefers them; needs and users of them, by positions. */
#include "arrange.cuh"

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
  const Adjacency  needs  = rows.needs;
  const int        n      = needs.n;
  const size_t     ends   = (size_t)n + 1;
  const int *const sorted = sort.sorted, *const strip = sort.strip;
  Scratch<int> position, length, next;
  int         *ptr, *middle, *idx, *users_ptr, *users, entries; /* of the position q: far ones up to middle[q], near ones behind */

  SPTRSV_TRY(create_all(ends, position, length, next));
  SPTRSV_TRY(sptrsvScratchNew(memory, ends, &ptr));
  SPTRSV_TRY(sptrsvScratchNew(memory, n, &middle));
  SPTRSV_TRY(sptrsvScratchNew(memory, ends, &users_ptr));
  SPTRSV_TRY(scatter(n, nullptr, sorted, position));
  SPTRSV_TRY(for_each(n + 1, [=, length = (int *)length, count = (int *)next] __device__(int q) {
    length[q] = q < n ? needs.end[sorted[q]] - first_of(needs, sorted[q]) : 0;
    count[q]  = 0;
  }));
  SPTRSV_TRY(exclusive_sum((int *)length, ptr, n + 1, &entries));
  SPTRSV_TRY(sptrsvScratchNew(memory, entries, &idx));
  SPTRSV_TRY(sptrsvScratchNew(memory, entries, &users));
  SPTRSV_TRY(for_each(n, [=, position = (int *)position, count = (int *)next] __device__(int q) {
    const int i   = sorted[q];
    int       far = ptr[q], near = ptr[q + 1];

    for (int e = first_of(needs, i); e < needs.end[i]; e++) {
      const int j = needs.idx[e], p = position[j];

      if (strip[j] == strip[i]) atomicAdd(count + p, 1);
      idx[strip[j] == strip[i] ? --near : far++] = p;
    }
    middle[q] = far;
  }));
  SPTRSV_TRY(exclusive_sum((int *)next, users_ptr, n + 1));
  SPTRSV_CUDA(cudaMemcpyAsync(next, users_ptr, ends * sizeof(int), cudaMemcpyDeviceToDevice, nullptr));
  SPTRSV_TRY(for_each(n, [=, next = (int *)next] __device__(int q) {
    for (int e = middle[q]; e < ptr[q + 1]; e++) users[atomicAdd(next + idx[e], 1)] = q;
  }));
  *graph = {{n, ptr, middle, idx, false}, {n, middle, ptr + 1, idx, false}, lists(n, users_ptr, users)};
  return SPTRSV_SUCCESS;
}
