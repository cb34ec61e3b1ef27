/* factor_check.c - Factors judged by their definition, and shifts by dense elimination. */
#include "factor_check.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int    i, j;
  double value;
} Entry;

static int compare_entries(const void *x, const void *y)
{
  const Entry *a = x, *b = y;

  return a->i != b->i ? (a->i > b->i) - (a->i < b->i) : (a->j > b->j) - (a->j < b->j);
}

void target_create(const ZooMatrix *A, SptrsvFactorKind kind, const int32_t *row_perm, const int32_t *col_iperm,
                   SptrsvValueType type, Target *t)
{
  Entry *entry = calloc((size_t)(2 * A->nnz) + 1, sizeof(*entry));
  int    count = 0;

  if (!entry) abort();
  for (int i = 0; i < A->n; i++) {
    const int row = row_perm ? row_perm[i] : i;

    for (int e = A->row_ptr[row]; e < A->row_ptr[row + 1]; e++) {
      const int    j     = col_iperm ? col_iperm[A->col_idx[e]] : A->col_idx[e];
      const double value = type == SPTRSV_DOUBLE ? A->values[e] : (double)(float)A->values[e];

      if (kind == SPTRSV_ICC0 && j < i) continue;
      entry[count++] = (Entry){i, j, value};
      if (kind == SPTRSV_ICC0 && j > i) entry[count++] = (Entry){j, i, value};
    }
  }
  qsort(entry, (size_t)count, sizeof(*entry), compare_entries);
  *t         = (Target){.n = A->n, .nnz = count};
  t->row_ptr = calloc((size_t)A->n + 1, sizeof(int));
  t->col_idx = calloc((size_t)count + 1, sizeof(int));
  t->values  = calloc((size_t)count + 1, sizeof(double));
  if (!t->row_ptr || !t->col_idx || !t->values) abort();
  for (int e = 0; e < count; e++) {
    t->row_ptr[entry[e].i + 1]++;
    t->col_idx[e] = entry[e].j;
    t->values[e]  = entry[e].value;
  }
  for (int i = 0; i < A->n; i++) t->row_ptr[i + 1] += t->row_ptr[i];
  free(entry);
}

void target_destroy(Target *t)
{
  free(t->row_ptr);
  free(t->col_idx);
  free(t->values);
  memset(t, 0, sizeof(*t));
}

/* Position of (i, j), or -1 */
static int find_entry(const Target *t, int i, int j)
{
  int low = t->row_ptr[i], high = t->row_ptr[i + 1] - 1;

  while (low <= high) {
    const int middle = low + (high - low) / 2;

    if (t->col_idx[middle] == j) return middle;
    if (t->col_idx[middle] < j) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

int target_missing_row(const Target *t)
{
  for (int i = 0; i < t->n; i++) {
    if (find_entry(t, i, i) < 0) return i;
  }
  return -1;
}

/* --------------------------------------------------- what defines a factor -------------------------------------------------- */

/* Positions of the entries of each column, by rising row */
static void list_columns(const Target *t, int *col_ptr, int *row_idx)
{
  for (int e = 0; e < t->nnz; e++) col_ptr[t->col_idx[e] + 1]++;
  for (int j = 0; j < t->n; j++) col_ptr[j + 1] += col_ptr[j];
  for (int i = 0; i < t->n; i++) {
    for (int e = t->row_ptr[i]; e < t->row_ptr[i + 1]; e++) row_idx[col_ptr[t->col_idx[e]]++] = i;
  }
  memmove(col_ptr + 1, col_ptr, (size_t)t->n * sizeof(*col_ptr));
  col_ptr[0] = 0;
}

/* (L U)(i, j) against value + shift, from the factor f in the place of its pattern: unit L below the diagonal, inverted pivots
   on it, U above */
static int product_differs(const Target *f, const int *col_ptr, const int *row_idx, int i, int j, double value, double shift,
                           double epsilon)
{
  const int   k_end  = i < j ? i : j;
  const bool  by_row = f->row_ptr[i + 1] - f->row_ptr[i] < col_ptr[j + 1] - col_ptr[j];
  const int   begin = by_row ? f->row_ptr[i] : col_ptr[j], end = by_row ? f->row_ptr[i + 1] : col_ptr[j + 1];
  const int   own     = find_entry(f, i, j);
  long double product = i < j ? f->values[own] : (i == j ? 1 : (long double)f->values[own]) / f->values[find_entry(f, j, j)];
  long double size    = fabsl(product) + fabs(value) + fabs(shift);
  int         terms   = 0;

  product -= shift;
  for (int q = begin; q < end; q++) {
    const int k = by_row ? f->col_idx[q] : row_idx[q];
    int       l, u;

    if (k >= k_end) break;
    l = find_entry(f, i, k);
    u = find_entry(f, k, j);
    if (l < 0 || u < 0) continue;
    terms++;
    product += (long double)f->values[l] * f->values[u];
    size += fabsl((long double)f->values[l] * f->values[u]);
  }
  return !(fabsl(product - value) <= (8 + 4 * sqrt((double)terms)) * epsilon * size);
}

static void judge_values(const Target *f, const Target *t, double shift, double epsilon)
{
  int *col_ptr = calloc((size_t)t->n + 2, sizeof(int)), *row_idx = calloc((size_t)t->nnz + 1, sizeof(int)), wrong = 0;

  if (!col_ptr || !row_idx) abort();
  list_columns(f, col_ptr, row_idx);
  for (int i = 0; i < t->n; i++) {
    for (int e = t->row_ptr[i]; e < t->row_ptr[i + 1]; e++) {
      wrong += product_differs(f, col_ptr, row_idx, i, t->col_idx[e], t->values[e], t->col_idx[e] == i ? shift : 0, epsilon);
    }
  }
  expect(!wrong, "L U differs from the matrix in %d of %d entries", wrong, t->nnz);
  free(col_ptr);
  free(row_idx);
}

void factor_judge(SptrsvFactor factor, const Target *t, SptrsvValueType type, SptrsvLocation location, double shift)
{
  const size_t   size    = type == SPTRSV_DOUBLE ? sizeof(double) : sizeof(float);
  const int32_t *row_ptr = NULL, *col_idx = NULL;
  const void    *values = NULL;
  int64_t        rows = -1, nnz = -1;
  Target         f = *t;
  char          *raw;

  expect_success(sptrsvFactorGetPattern(factor, &rows, &nnz, &row_ptr, &col_idx));
  expect_success(sptrsvFactorGetValues(factor, &values));
  if (!expect(rows == t->n && nnz == t->nnz, "%lld rows and %lld entries, not %d and %d", (long long)rows, (long long)nnz, t->n,
              t->nnz)) {
    return;
  }
  if (!expect(!memcmp(row_ptr, t->row_ptr, (size_t)(rows + 1) * sizeof(int)) &&
                (!nnz || !memcmp(col_idx, t->col_idx, (size_t)nnz * sizeof(int))),
              "another pattern")) {
    return;
  }
  raw      = place_new(SPTRSV_HOST, (size_t)nnz * size, NULL);
  f.values = place_new(SPTRSV_HOST, (size_t)nnz * sizeof(double), NULL);
  place_get(location, raw, values, (size_t)nnz * size);
  for (int64_t e = 0; e < nnz; e++) f.values[e] = type == SPTRSV_DOUBLE ? ((double *)raw)[e] : (double)((float *)raw)[e];
  judge_values(&f, t, shift, type == SPTRSV_DOUBLE ? DBL_EPSILON : (double)FLT_EPSILON);
  free(f.values);
  free(raw);
}

/* ----------------------------------------------------- shifts, attempted ---------------------------------------------------- */

/* Gaussian elimination that leaves out what is not in the pattern (given by d, NAN there); false: a pivot of this attempt is
   small */
static bool attempt(const Target *t, SptrsvFactorKind kind, const SptrsvPivoting *p, double shift, SptrsvFactorResult *r)
{
  const int n  = t->n;
  double   *d  = calloc((size_t)n * n + 1, sizeof(*d));
  bool     *in = calloc((size_t)n * n + 1, sizeof(*in)), ok = true;

  if (!d || !in) abort();
  for (int i = 0; i < n; i++) {
    for (int e = t->row_ptr[i]; e < t->row_ptr[i + 1]; e++) {
      in[i * n + t->col_idx[e]] = true;
      d[i * n + t->col_idx[e]]  = t->values[e] + (t->col_idx[e] == i ? shift : 0);
    }
  }
  for (int i = 0; i < n; i++) {
    double sum = 0, limit, pivot;

    for (int k = 0; k < i; k++) {
      if (!in[i * n + k] || d[i * n + k] == 0) continue;
      d[i * n + k] /= d[k * n + k];
      for (int j = k + 1; j < n; j++) {
        if (in[i * n + j] && in[k * n + j]) d[i * n + j] -= d[i * n + k] * d[k * n + j];
      }
    }
    for (int j = kind == SPTRSV_ICC0 ? i + 1 : 0; j < n; j++) sum += j != i && in[i * n + j] ? fabs(d[i * n + j]) : 0;
    limit = p->zero_pivot * (p->shift == SPTRSV_SHIFT_NONZERO || p->shift == SPTRSV_SHIFT_POSITIVE_DEFINITE ? sum : 1);
    pivot = d[i * n + i];
    if (!((p->shift == SPTRSV_SHIFT_POSITIVE_DEFINITE ? pivot : fabs(pivot)) <= limit)) continue;
    if (p->shift == SPTRSV_SHIFT_INBLOCKS) d[i * n + i] += p->shift_amount;
    else {
      ok                = false;
      r->zero_pivot_row = i;
      r->zero_pivot     = pivot;
      if (p->shift != SPTRSV_SHIFT_NONE) break;
    }
  }
  free(d);
  free(in);
  return ok;
}

/* max over the rows of A of  sum_j |a(i,j)| - |a(i,i)| - a(i,i), as PETSc begins MAT_SHIFT_POSITIVE_DEFINITE */
static double dominance_gap(const ZooMatrix *A)
{
  double gap = 0;

  for (int i = 0; i < A->n; i++) {
    double sum = 0;

    for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) sum += A->col_idx[e] == i ? -A->values[e] : fabs(A->values[e]);
    gap = fmax(gap, sum);
  }
  return gap;
}

/* The attempts of MatLUFactorNumeric_SeqAIJ() and MatCholeskyFactorNumeric_SeqAIJ() with a positive definite shift: up to five,
   and a last one with the whole shift; an ILU that has succeeded tries with less while it has attempts left */
static bool positive_definite(const ZooMatrix *A, const Target *t, SptrsvFactorKind kind, const SptrsvPivoting *p,
                              SptrsvFactorResult *r)
{
  const double top = 1.1 * fmax(dominance_gap(A), p->zero_pivot);
  double       low = 0, high = 1, fraction = 0;
  bool         ok = false; /* the attempt without a shift has failed */

  while (!ok || (kind == SPTRSV_ILU0 && r->shifts < 5)) {
    if (r->shifts == 6) return false;
    if (ok) high = fraction;
    else if (r->shifts < 5) low = fraction;
    fraction = !ok && r->shifts == 5 ? high : (low + high) / 2;
    r->shifts++;
    r->shift_amount = fraction * top;
    ok              = attempt(t, kind, p, r->shift_amount, r);
  }
  return true;
}

SptrsvFactorResult naive_shifts(const ZooMatrix *A, const Target *t, SptrsvFactorKind kind, const SptrsvPivoting *p)
{
  SptrsvFactorResult r  = {.zero_pivot_row = -1};
  bool               ok = attempt(t, kind, p, 0, &r);

  if (!ok && p->shift == SPTRSV_SHIFT_NONZERO) {
    for (double amount = p->shift_amount; !ok && r.shifts < 1100; amount *= 2) {
      r.shift_amount = amount;
      r.shifts++;
      ok = attempt(t, kind, p, amount, &r);
    }
  }
  if (!ok && p->shift == SPTRSV_SHIFT_POSITIVE_DEFINITE) ok = positive_definite(A, t, kind, p, &r);
  if (ok) {
    r.zero_pivot_row = -1;
    r.zero_pivot     = 0;
  }
  return r;
}
