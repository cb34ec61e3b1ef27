/* Patterns: taken in, checked, transposed. */
#include <stdlib.h>
#include <string.h>
#include "analysis.h"
#if defined(SPTRSV_HAVE_CUDA)
  #include <cuda_runtime.h>
#endif

/* target (host) = bytes of A's memory */
static SptrsvStatus fetch(const SptrsvCsr *A, const void *source, size_t bytes, void *target)
{
  if (!bytes) return SPTRSV_SUCCESS;
  if (A->location == SPTRSV_HOST) {
    memcpy(target, source, bytes);
    return SPTRSV_SUCCESS;
  }
#if defined(SPTRSV_HAVE_CUDA)
  if (!sptrsvDeviceCount()) return SPTRSV_NO_DEVICE;
  return sptrsvCudaStatus(cudaMemcpy(target, source, bytes, cudaMemcpyDeviceToHost));
#else
  return SPTRSV_NO_DEVICE;
#endif
}

/* Host copy of count indices of either width and memory; SPTRSV_TOO_LARGE if one does not fit into 32 bits */
static SptrsvStatus copy_indices(const SptrsvCsr *A, const void *indices, size_t count, int **copy)
{
  int64_t     *wide = NULL;
  SptrsvStatus status;

  SPTRSV_TRY(sptrsvNew(count, copy));
  if (A->index_type == SPTRSV_INT32) return fetch(A, indices, count * sizeof(int32_t), *copy);
  SPTRSV_TRY(sptrsvNew(count, &wide));
  status = fetch(A, indices, count * sizeof(int64_t), wide);
  for (size_t k = 0; !status && k < count; k++) {
    if (wide[k] > INT_MAX) status = SPTRSV_TOO_LARGE;
    if (wide[k] < 0) status = SPTRSV_INVALID_ARGUMENT;
    (*copy)[k] = (int)wide[k];
  }
  free(wide);
  return status;
}

SptrsvStatus sptrsvCsrCheck(const SptrsvCsr *A)
{
  if (!A || A->rows < 0 || A->nnz < 0 || !A->row_ptr || (A->nnz && !A->col_idx)) return SPTRSV_INVALID_ARGUMENT;
  if (A->index_type != SPTRSV_INT32 && A->index_type != SPTRSV_INT64) return SPTRSV_INVALID_ARGUMENT;
  if (!sptrsvIsLocation(A->location)) return SPTRSV_INVALID_ARGUMENT;
  return A->rows >= SPTRSV_MOST || A->nnz >= SPTRSV_MOST ? SPTRSV_TOO_LARGE : SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvPermutationCheck(int64_t n, const int32_t *perm)
{
  SptrsvStatus status = SPTRSV_SUCCESS;
  bool        *seen;

  if (!perm) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvNew(n, &seen));
  for (int64_t i = 0; !status && i < n; i++) {
    if (perm[i] < 0 || perm[i] >= n || seen[perm[i]]) status = SPTRSV_INVALID_ARGUMENT;
    else seen[perm[i]] = true;
  }
  free(seen);
  return status;
}

SptrsvStatus sptrsvPatternCopy(const SptrsvCsr *A, SptrsvPattern *p)
{
  p->n   = (int)A->rows;
  p->nnz = (int)A->nnz;
  SPTRSV_TRY(copy_indices(A, A->row_ptr, (size_t)p->n + 1, &p->row_ptr));
  if (p->row_ptr[0] != 0 || p->row_ptr[p->n] != p->nnz) return SPTRSV_INVALID_ARGUMENT; /* before that many columns are read */
  for (int i = 0; i < p->n; i++) {
    if (p->row_ptr[i] > p->row_ptr[i + 1]) return SPTRSV_INVALID_ARGUMENT;
  }
  return copy_indices(A, A->col_idx, (size_t)p->nnz, &p->col_idx);
}

SptrsvStatus sptrsvPatternSplit(SptrsvPattern *p)
{
  SPTRSV_TRY(sptrsvNew(p->n, &p->split));
  for (int i = 0; i < p->n; i++) {
    int e = p->row_ptr[i];

    p->split[i] = p->row_ptr[i + 1];
    for (int last = -1; e < p->row_ptr[i + 1]; last = p->col_idx[e++]) {
      if (p->col_idx[e] < 0 || p->col_idx[e] >= p->n) return SPTRSV_INVALID_ARGUMENT;
      if (p->col_idx[e] <= last) return SPTRSV_UNSORTED;
      if (p->col_idx[e] >= i && last < i) p->split[i] = e;
    }
  }
  return SPTRSV_SUCCESS;
}

void sptrsvPatternFree(SptrsvPattern *p)
{
  free(p->row_ptr);
  free(p->col_idx);
  free(p->split);
  memset(p, 0, sizeof(*p));
}

SptrsvStatus sptrsvPatternTranspose(const SptrsvPattern *p, SptrsvPattern *t, int **source)
{
  SptrsvStatus status;

  *t      = (SptrsvPattern){.n = p->n, .nnz = p->nnz};
  *source = NULL;
  if (!(status = sptrsvNew(p->n + 1, &t->row_ptr)) && !(status = sptrsvNew(p->nnz, &t->col_idx)) && !(status = sptrsvNew(p->nnz, source))) {
    for (int e = 0; e < p->nnz; e++) t->row_ptr[p->col_idx[e] + 1]++;
    for (int i = 0; i < p->n; i++) t->row_ptr[i + 1] += t->row_ptr[i];
    for (int i = 0; i < p->n; i++) {
      for (int e = p->row_ptr[i]; e < p->row_ptr[i + 1]; e++) {
        const int slot = t->row_ptr[p->col_idx[e]]++; /* ascending i fills each row in order */

        t->col_idx[slot] = i;
        (*source)[slot]  = e;
      }
    }
    memmove(t->row_ptr + 1, t->row_ptr, (size_t)t->n * sizeof(*t->row_ptr)); /* each has become its row's end */
    t->row_ptr[0] = 0;
    status        = sptrsvPatternSplit(t);
  }
  if (status) {
    sptrsvPatternFree(t);
    free(*source);
    *source = NULL;
  }
  return status;
}

SptrsvStatus sptrsvAnalysisTranspose(SptrsvAnalysis analysis)
{
  SptrsvPattern t;
  int          *source;

  if (analysis->t.row_ptr) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvPatternTranspose(&analysis->a, &t, &source));
  analysis->t        = t;
  analysis->t_source = source;
  analysis->host_bytes += ((size_t)2 * t.n + 1 + (size_t)2 * t.nnz) * sizeof(int);
  return SPTRSV_SUCCESS;
}
