/* Classes of entries by their distance from the diagonal. */
#include <cmath>
#include <numeric>
#include "../../analysis/adjacency.cuh"
#include "strips.h"

namespace {

using namespace sptrsv;

/* Distances are counted in quarters of an octave.  A gap is a factor of two or more in which hardly any are. */
constexpr int PER_OCTAVE = 4, BUCKETS = 31 * PER_OCTAVE + 1, SAMPLED = 4096, RARE = 200;

/* Counts distances in every step-th row only */
__global__ void count_kernel(Adjacency needs, int step, int *count)
{
  const int rows = (needs.n - step / 2 + step - 1) / step;

  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < rows; k += gridDim.x * blockDim.x) {
    const int i = step / 2 + k * step;

    for (int e = first_of(needs, i); e < needs.end[i]; e++) atomicAdd(count + (int)(PER_OCTAVE * log2(fabs((double)i - needs.idx[e]))), 1);
  }
}

/* Returns the number of gaps */
int find_bounds(const int count[BUCKETS], int bound[2])
{
  const int64_t total    = std::accumulate(count, count + BUCKETS, int64_t(0));
  int           width[2] = {0, 0}, above[2] = {0, 0}, last = -1; /* the two widest gaps, and the buckets above them */

  for (int k = 0; k < BUCKETS; k++) {
    const int gap = k - last - 1;

    if (count[k] <= total / RARE) continue;
    if (last >= 0 && gap >= PER_OCTAVE && gap > width[1]) {
      const int at = gap > width[0] ? 0 : 1;

      if (!at) {
        width[1] = width[0];
        above[1] = above[0];
      }
      width[at] = gap;
      above[at] = k;
    }
    last = k;
  }
  const int gaps = (width[0] > 0) + (width[1] > 0), first = gaps == 2 && above[1] < above[0]; /* the gap at the smaller distance */

  bound[0] = gaps ? (int)ceil(exp2((double)above[first] / PER_OCTAVE)) : 1;
  bound[1] = gaps == 2 ? (int)ceil(exp2((double)above[!first] / PER_OCTAVE)) : INT_MAX;
  return gaps;
}

} // namespace

SptrsvStatus sptrsvDistanceClasses(SptrsvAnalysis analysis, SptrsvTriangle side, int bound[2], int *gaps, double *beside)
{
  const Adjacency needs          = one_side(analysis->device, side);
  const int       step           = needs.n / SAMPLED + 1; /* from a row that is looked at to the next one */
  int             count[BUCKETS] = {0};
  Scratch<int>    d_count;

  SPTRSV_TRY(d_count.upload(count, BUCKETS));
  SPTRSV_TRY(launch_for(count_kernel, std::min(needs.n, SAMPLED + 1), nullptr, needs, step, d_count));
  SPTRSV_TRY(read_back((int *)d_count, count, BUCKETS));
  *gaps   = find_bounds(count, bound);
  *beside = count[0] / (double)((needs.n - 1) / step + 1);
  return SPTRSV_SUCCESS;
}
