/* Whether a pattern is symmetric, found on the device. */
#include "adjacency.cuh"

namespace {

using namespace sptrsv;

/* Whether the upper triangle lacks the mirror image of an entry of the lower one */
__global__ void lacking_kernel(SptrsvPattern p, Adjacency lower, int *lacking)
{
  for_entries(lower, [=](int i, int e) {
    if (find_upper(p, p.col_idx[e], i) < 0) atomicMax(lacking, 1);
  });
}

} // namespace

/* All diagonal entries are there, so as many entries in the upper triangle as in the lower one, and all of their mirror images, make it
   symmetric. */
SptrsvStatus sptrsvDeviceSymmetric(SptrsvAnalysis analysis, bool *symmetric)
{
  const SptrsvPattern &p = analysis->device;
  const SptrsvSweep   *lower;
  int                  found = 0;

  *symmetric = analysis->symmetry == SPTRSV_SYMMETRIC;
  if (analysis->symmetry) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvAnalysisSweep(analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &lower));
  if (analysis->missing < 0 && 2 * lower->statistics.nnz + p.n == p.nnz) {
    SPTRSV_TRY(run_on(&found, [&](int *lacking) {
      return launch_for(lacking_kernel, (size_t)p.n * WARP, nullptr, p, one_side(p, SPTRSV_LOWER), lacking);
    }));
    *symmetric = !found;
  }
  analysis->symmetry = *symmetric ? SPTRSV_SYMMETRIC : SPTRSV_UNSYMMETRIC;
  return SPTRSV_SUCCESS;
}
