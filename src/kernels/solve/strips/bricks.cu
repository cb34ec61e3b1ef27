/*
   An order for strips: bricks.

   A potential of an unknown is the most entries of one class on a path to it, so it never falls along an entry.  With a class for
   entries from line to line of a grid, and one for those from plane to plane, unknowns of equal potentials are a line.  A brick is a
   bundle of lines: their unknowns of a level fill a chunk, and a path to the last unknown crosses few bricks.  No geometry is needed, and
   bricks of a stencil with diagonal neighbours are sheared as they must be.
*/
#include <climits>
#include <cmath>
#include <numeric>
#include "../../analysis/adjacency.cuh"
#include "arrange.cuh"

namespace {

using namespace sptrsv;

/* Distances are counted in quarters of an octave.  A gap is a factor of two or more in which hardly any are. */
constexpr int PER_OCTAVE = 4, BUCKETS = 31 * PER_OCTAVE + 1, SAMPLED = 4096, RARE = 200;

/* Finds the bounds above the two widest gaps, and returns the number of these */
int find_bounds(const int count[BUCKETS], int bound[2])
{
  const int64_t       total = std::accumulate(count, count + BUCKETS, int64_t(0));
  std::pair<int, int> gap[BUCKETS / PER_OCTAVE]; /* minus its width, and the bucket above */
  int                 gaps = 0, last = -1;

  for (int k = 0; k < BUCKETS; k++) {
    if (count[k] <= total / RARE) continue;
    if (last >= 0 && k - last > PER_OCTAVE) gap[gaps++] = {last + 1 - k, k};
    last = k;
  }
  std::sort(gap, gap + gaps);
  gaps = std::min(gaps, 2);
  for (int k = 0; k < 2; k++) bound[k] = k < gaps ? (int)ceil(exp2((double)gap[k].second / PER_OCTAVE)) : k ? INT_MAX : 1;
  if (bound[0] > bound[1]) std::swap(bound[0], bound[1]);
  return gaps;
}

/* Finds the largest near and far potential */
__global__ void largest_kernel(int n, const Key *potential, int *largest)
{
  int near = 0, far = 0;

  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    near = max(near, (int)potential[i]);
    far  = max(far, (int)(potential[i] >> 32));
  }
  raise_by_warp(largest, near);
  raise_by_warp(largest + 1, far);
}

/* Chooses, of the bricks of so many lines whose near size is a power of two, the one of which a path crosses fewest */
void choose_size(double lines, const unsigned count[2], unsigned size[2])
{
  double fewest = INFINITY;

  for (unsigned near = 1; near < 2 * lines; near *= 2) {
    const unsigned far     = (unsigned)std::max(1.0, lines / near);
    const double   crossed = std::ceil((double)count[0] / near) + std::ceil((double)count[1] / far);

    if (crossed >= fewest) continue;
    fewest  = crossed;
    size[0] = near;
    size[1] = far;
  }
}

} // namespace

SptrsvStatus sptrsvDistanceClasses(SptrsvAnalysis analysis, SptrsvTriangle side, int bound[2], int *gaps, double *beside)
{
  const Adjacency needs          = one_side(analysis->device, side);
  const int       step           = needs.n / SAMPLED + 1; /* from a row that is looked at to the next one */
  const int       rows           = (needs.n - step / 2 + step - 1) / step;
  int             count[BUCKETS] = {0};
  Scratch<int>    d_count;

  SPTRSV_TRY(d_count.upload(count, BUCKETS));
  SPTRSV_TRY(for_each(rows, [=, counted = (int *)d_count] __device__(int k) {
    const int i = step / 2 + k * step;

    for (int e = first_of(needs, i); e < needs.end[i]; e++)
      atomicAdd(counted + (int)(PER_OCTAVE * log2(fabs((double)i - needs.idx[e]))), 1);
  }));
  SPTRSV_TRY(read_back((int *)d_count, count, BUCKETS));
  *gaps   = find_bounds(count, bound);
  *beside = count[0] / (double)((needs.n - 1) / step + 1);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsv::strips_bricks(SptrsvPlan plan, const Rows &rows, Scratch<Key> &potential, StripsOrder *order)
{
  const int n = rows.needs.n, brick_rows = plan->options.tuning.strips.rows;
  int       bound[2], gaps, largest[2] = {0, 0};
  double    beside;

  SPTRSV_TRY(sptrsvDistanceClasses(plan->analysis, plan->options.triangle, bound, &gaps, &beside));
  SPTRSV_TRY(potential.create(n));
  SPTRSV_TRY(potentials_by_rows(rows.needs, rows.backwards, bound, potential));
  SPTRSV_TRY(run_on(&largest,
                    [&](int(*d)[2]) { return launch_for(largest_kernel, std::min((size_t)n, MOST_ENDING), nullptr, n, potential, *d); }));
  const unsigned count[2] = {(unsigned)largest[0] + 1, (unsigned)largest[1] + 1};
  const double   line     = std::max(1.0, n / ((double)count[0] * count[1])); /* rows */

  order->potential = potential;
  choose_size(brick_rows ? std::max(1.0, brick_rows / line) : WARP, count, order->size);
  for (int k = 0; k < 2; k++) data_of<StripsPlan>(plan)->brick[k] = (int)order->size[k];
  order->bands  = (count[1] - 1) / order->size[1] + 1;
  order->strips = ((double)((count[0] - 1) / order->size[0]) + order->bands) * order->bands;
  return SPTRSV_SUCCESS;
}
