/* Patterns: taken in, checked, transposed. */
#include <stdlib.h>
#include <string.h>
#include "analysis.h"

/* Host copy of count indices of either width and memory; SPTRSV_TOO_LARGE if one does not fit into 32 bits */
static SptrsvStatus copy_indices(const SptrsvCsr *A, const void *indices, size_t count, int **copy)
{
  int64_t     *wide = NULL;
  SptrsvStatus status;

  SPTRSV_TRY(sptrsvNew(count, copy));
  if (A->index_type == SPTRSV_INT32) return sptrsvFetch(A->location, indices, count * sizeof(int32_t), *copy);
  SPTRSV_TRY(sptrsvNew(count, &wide));
  status = sptrsvFetch(A->location, indices, count * sizeof(int64_t), wide);
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

SptrsvStatus sptrsvPatternCopy(const SptrsvCsr *A, SptrsvPattern *pattern)
{
  pattern->n   = (int)A->rows;
  pattern->nnz = (int)A->nnz;
  SPTRSV_TRY(copy_indices(A, A->row_ptr, (size_t)pattern->n + 1, &pattern->row_ptr));
  if (pattern->row_ptr[0] != 0 || pattern->row_ptr[pattern->n] != pattern->nnz)
    return SPTRSV_INVALID_ARGUMENT; /* before that many columns are read */
  for (int i = 0; i < pattern->n; i++) {
    if (pattern->row_ptr[i] > pattern->row_ptr[i + 1]) return SPTRSV_INVALID_ARGUMENT;
  }
  return copy_indices(A, A->col_idx, (size_t)pattern->nnz, &pattern->col_idx);
}

/* split (host [n]): first entry of each row that is not left of the diagonal */
static SptrsvStatus find_split(const SptrsvPattern *pattern, int *split)
{
  const int *col_idx = pattern->col_idx;
  const int  n       = pattern->n;

  for (int i = 0; i < n; i++) {
    const int begin = pattern->row_ptr[i], end = pattern->row_ptr[i + 1];
    int       last = -1, left = 0;

    for (int e = begin; e < end; last = col_idx[e++]) {
      if (col_idx[e] <= last) return col_idx[e] < 0 || last >= n ? SPTRSV_INVALID_ARGUMENT : SPTRSV_UNSORTED;
      left += col_idx[e] < i;
    }
    if (last >= n) return SPTRSV_INVALID_ARGUMENT;
    split[i] = begin + left;
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvPatternSplit(SptrsvPattern *pattern)
{
  SptrsvStatus status;
  int         *split;

  if (pattern->split) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvNew(pattern->n, &split));
  status = find_split(pattern, split);
  if (status) free(split);
  else pattern->split = split;
  return status;
}

int sptrsvPatternMissing(const SptrsvPattern *pattern)
{
  for (int i = 0; i < pattern->n; i++) {
    if (!sptrsvHasDiagonal(pattern, i)) return i;
  }
  return -1;
}

void sptrsvPatternFree(SptrsvPattern *pattern)
{
  free(pattern->row_ptr);
  free(pattern->col_idx);
  free(pattern->split);
  memset(pattern, 0, sizeof(*pattern));
}

SptrsvStatus sptrsvAnalysisMatches(SptrsvAnalysis analysis, const SptrsvCsr *A, bool *same)
{
  const SptrsvPattern *a      = &analysis->a;
  const bool           narrow = A->index_type == SPTRSV_INT32;
  SptrsvPattern        copy   = {0};
  SptrsvCsr            host   = *A;
  SptrsvStatus         status;

  *same = A->rows == a->n && A->nnz == a->nnz;
  if (!*same) return SPTRSV_SUCCESS;
#if defined(SPTRSV_HAVE_CUDA)
  if (analysis->location == SPTRSV_DEVICE && A->location == SPTRSV_DEVICE && narrow) return sptrsvDevicePatternMatches(analysis, A, same);
#endif
  status = sptrsvAnalysisOnHost(analysis);
  if (!status && (A->location == SPTRSV_DEVICE || !narrow)) {
    status = sptrsvPatternCopy(A, &copy);
    host   = (SptrsvCsr){A->rows, A->nnz, copy.row_ptr, copy.col_idx, SPTRSV_INT32, SPTRSV_HOST};
  }
  *same = !status && !memcmp(host.row_ptr, a->row_ptr, ((size_t)a->n + 1) * sizeof(int)) &&
          !memcmp(host.col_idx, a->col_idx, (size_t)a->nnz * sizeof(int));
  sptrsvPatternFree(&copy);
  return status == SPTRSV_TOO_LARGE || status == SPTRSV_INVALID_ARGUMENT ? SPTRSV_SUCCESS : status; /* A's indices: another pattern */
}

SptrsvStatus sptrsvPatternTranspose(const SptrsvPattern *pattern, SptrsvMemory *memory, SptrsvPattern *transpose, int **source)
{
  *transpose = (SptrsvPattern){.n = pattern->n, .nnz = pattern->nnz};
  SPTRSV_TRY(sptrsvHostNew(memory, pattern->n + 1, &transpose->row_ptr));
  SPTRSV_TRY(sptrsvHostNew(memory, pattern->nnz, &transpose->col_idx));
  SPTRSV_TRY(sptrsvHostNew(memory, pattern->n, &transpose->split));
  SPTRSV_TRY(sptrsvHostNew(memory, pattern->nnz, source));
  for (int e = 0; e < pattern->nnz; e++) transpose->row_ptr[pattern->col_idx[e] + 1]++;
  for (int i = 0; i < pattern->n; i++) transpose->row_ptr[i + 1] += transpose->row_ptr[i];
  for (int i = 0; i < pattern->n; i++) {
    for (int e = pattern->row_ptr[i]; e < pattern->row_ptr[i + 1]; e++) {
      const int slot = transpose->row_ptr[pattern->col_idx[e]]++; /* ascending i fills each row in order */

      transpose->col_idx[slot] = i;
      (*source)[slot]          = e;
    }
  }
  memmove(transpose->row_ptr + 1, transpose->row_ptr, (size_t)transpose->n * sizeof(int)); /* each has become its row's end */
  transpose->row_ptr[0] = 0;
  return find_split(transpose, transpose->split);
}

SptrsvStatus sptrsvAnalysisRows(SptrsvAnalysis analysis, SptrsvOperation op, const SptrsvPattern **pattern)
{
  SptrsvPattern t;
  int          *source;

  *pattern = op == SPTRSV_TRANSPOSE ? &analysis->t : &analysis->a;
  if ((*pattern)->row_ptr) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvAnalysisOnHost(analysis));
  if (op == SPTRSV_NON_TRANSPOSE) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvPatternTranspose(&analysis->a, &analysis->memory, &t, &source));
  analysis->t        = t;
  analysis->t_source = source;
  return SPTRSV_SUCCESS;
}
