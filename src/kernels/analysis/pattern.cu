/* Patterns that are checked, split, transposed and compared on the device, as pattern.c does it on the host. */
#include <climits>
#include "adjacency.cuh"

namespace {

using namespace sptrsv;

struct Faults {
  int outside, unsorted; /* whether there is such an entry, or row pointer */
  int missing;           /* first row without a diagonal entry; INT_MAX: none */
};

SptrsvStatus take(SptrsvMemory *memory, const SptrsvCsr &A, const void *indices, size_t count, int **d)
{
  SPTRSV_TRY(sptrsvDeviceNew(memory, count, d));
  return sptrsvCudaStatus(
      cudaMemcpy(*d, indices, count * sizeof(int), A.location == SPTRSV_HOST ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice));
}

} // namespace

SptrsvStatus sptrsvDevicePattern(const SptrsvCsr *A, SptrsvAnalysis analysis)
{
  const int       n = (int)A->rows, nnz = (int)A->nnz;
  SptrsvPattern  &p      = analysis->device;
  SptrsvMemory   *memory = &analysis->memory;
  Faults          faults = {0, 0, INT_MAX};
  Scratch<Faults> found;

  SPTRSV_TRY(found.upload(&faults, 1));
  SPTRSV_TRY(take(memory, *A, A->row_ptr, (size_t)n + 1, &p.row_ptr));
  /* Row pointers ascend from 0 to nnz */
  SPTRSV_TRY(for_each(n + 1, [n, nnz, row_ptr = p.row_ptr, found = (Faults *)found] __device__(int i) {
    const bool good = i == n ? row_ptr[n] == nnz : row_ptr[i] <= row_ptr[i + 1] && row_ptr[i] >= 0 && (i || !row_ptr[0]);

    if (!good) atomicMax(&found->outside, 1);
  }));
  SPTRSV_TRY(read_back((Faults *)found, &faults));
  if (faults.outside) return SPTRSV_INVALID_ARGUMENT; /* before that many columns are read */
  SPTRSV_TRY(take(memory, *A, A->col_idx, (size_t)nnz, &p.col_idx));
  SPTRSV_TRY(sptrsvDeviceNew(memory, n, &p.split));
  /* The entries left of the diagonal are counted, so `split` is right if the row ascends */
  SPTRSV_TRY(for_each<WARP>(n, [n, p = p, found = (Faults *)found] __device__(int i) {
    const int lane = threadIdx.x % WARP, begin = p.row_ptr[i], end = p.row_ptr[i + 1];
    int       left     = 0;
    bool      diagonal = false;

    for (int first = begin; first < end; first += WARP) {
      const int  e = first + lane, j = e < end ? p.col_idx[e] : INT_MAX;
      const bool mine = e < end, follows = mine && e > begin;

      if (mine && (j < 0 || j >= n)) atomicMax(&found->outside, 1);
      if (follows && p.col_idx[e - 1] >= j) atomicMax(&found->unsorted, 1);
      left += count_lanes(__ballot_sync(ALL_LANES, mine && j < i));
      diagonal = __any_sync(ALL_LANES, mine && j == i) || diagonal;
    }
    if (lane) return;
    p.split[i] = begin + left;
    if (!diagonal) atomicMin(&found->missing, i);
  }));
  SPTRSV_TRY(read_back((Faults *)found, &faults));
  if (faults.outside) return SPTRSV_INVALID_ARGUMENT;
  if (faults.unsorted) return SPTRSV_UNSORTED;
  p.n = analysis->a.n = n;
  p.nnz = analysis->a.nnz = nnz;
  analysis->missing       = faults.missing == INT_MAX ? -1 : faults.missing;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvDeviceTranspose(SptrsvAnalysis analysis)
{
  const SptrsvPattern &p      = analysis->device;
  SptrsvPattern        t      = {p.n, p.nnz, nullptr, nullptr, nullptr};
  SptrsvMemory        *memory = &analysis->memory;
  const int            blocks = memory->blocks;
  int                 *source;

  if (analysis->d_t_source) return SPTRSV_SUCCESS;
  SptrsvStatus status = device_arrays(memory, {array_of((size_t)p.n + 1, &t.row_ptr), array_of(p.nnz, &t.col_idx), array_of(p.n, &t.split),
                                               array_of(p.nnz, &source)});
  if (!status) status = transpose_in_order(p.n, p.nnz, p.row_ptr, p.col_idx, t.row_ptr, t.col_idx, source);
  if (!status) status = for_each(t.n, [=] __device__(int i) { t.split[i] = first_at_least(t.col_idx, t.row_ptr[i], t.row_ptr[i + 1], i); });
  if (status) sptrsvMemoryCut(memory, blocks);
  else {
    analysis->device_t   = t;
    analysis->d_t_source = source;
  }
  return status;
}

SptrsvStatus sptrsvDevicePatternMatches(SptrsvAnalysis analysis, const SptrsvCsr *A, bool *same)
{
  const SptrsvPattern &p       = analysis->device;
  int                  differs = 0;

  SPTRSV_TRY(run_on(&differs, [&](int *d) {
    const auto compare = [=](int count, const void *indices, const int *own) {
      const int *const others = (const int *)indices;

      return for_each(count, [=] __device__(int k) {
        if (others[k] != own[k]) atomicMax(d, 1);
      });
    };
    SPTRSV_TRY(compare(p.n + 1, A->row_ptr, p.row_ptr));
    return compare(p.nnz, A->col_idx, p.col_idx);
  }));
  *same = !differs;
  return SPTRSV_SUCCESS;
}

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
      return for_each_entry(one_side(p, SPTRSV_LOWER), [=] __device__(int i, int e) {
        if (find_upper(p, p.col_idx[e], i) < 0) atomicMax(lacking, 1);
      });
    }));
    *symmetric = !found;
  }
  analysis->symmetry = *symmetric ? SPTRSV_SYMMETRIC : SPTRSV_UNSYMMETRIC;
  return SPTRSV_SUCCESS;
}
