/* Needs and users of unknowns in strips, by positions. */
#include "near_far.cuh"

namespace {

using namespace sptrsv;

/* Unknowns in the order of positions, and back.  Device arrays */
struct Positions {
  const int *sorted, *position, *strip; /* [n]; strip: of each unknown */
};

__global__ void position_kernel(int n, const int *sorted, int *position)
{
  for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < n; q += gridDim.x * blockDim.x) position[sorted[q]] = q;
}

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

SptrsvStatus sptrsv::near_far(const Rows &rows, const StripsSort &sort, NearFarMemory &memory, NearFar *graph)
{
  static_assert(SPTRSV_STRIP_ENTRIES < 1 << 7);
  const int    n    = rows.needs.n;
  const size_t each = (size_t)n + 1;
  Scratch<int> position, length, next;
  int          ends[2];

  SPTRSV_TRY(create_all(n, position, memory.near));
  SPTRSV_TRY(create_all(2 * each, length, memory.ptr));
  SPTRSV_TRY(next.create(each));
  SPTRSV_TRY(launch_for(position_kernel, n, nullptr, n, sort.sorted, position));
  const Positions at = {sort.sorted, position, sort.strip};
  SPTRSV_CUDA(cudaMemsetAsync(length, 0, 2 * each * sizeof(int)));
  SPTRSV_TRY(launch_for(count_kernel, n, nullptr, rows.needs, at, (int *)length, length + each, memory.near));
  SPTRSV_TRY(exclusive_sum((int *)length, (int *)memory.ptr, (int)(2 * each)));
  SPTRSV_TRY(read_back(memory.ptr + n, &ends[0]));
  SPTRSV_TRY(read_back(memory.ptr + each + n, &ends[1]));
  SPTRSV_TRY(memory.far.create(ends[0]));
  SPTRSV_TRY(memory.users.create(ends[1] - ends[0]));
  SPTRSV_CUDA(cudaMemcpyAsync(next, memory.ptr + each, each * sizeof(int), cudaMemcpyDeviceToDevice, nullptr));
  SPTRSV_TRY(launch_for(fill_kernel, n, nullptr, rows.needs, at, (const int *)memory.ptr, next, ends[0], memory.far, memory.users));
  *graph = {lists(n, memory.ptr, memory.far), lists(n, memory.ptr + each, memory.users - ends[0]), memory.near};
  return SPTRSV_SUCCESS;
}
