/* factor_check.c - Factors judged by their definition, and shifts by dense elimination. */
#include "factor_check.h"
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
                   SptrsvValueType type, Target *target)
{
  Entry *entry = calloc((size_t)(2 * A->nnz) + 1, sizeof(*entry));
  int    count = 0;

  if (!entry) abort();
  for (int i = 0; i < A->n; i++) {
    const int row = row_perm ? row_perm[i] : i;

    for (int e = A->row_ptr[row]; e < A->row_ptr[row + 1]; e++) {
      const int    j     = col_iperm ? col_iperm[A->col_idx[e]] : A->col_idx[e];
      const double value = value_types[type].round(A->values[e]);

      if (kind == SPTRSV_ICC0 && j < i) continue;
      entry[count++] = (Entry){i, j, value};
      if (kind == SPTRSV_ICC0 && j > i) entry[count++] = (Entry){j, i, value};
    }
  }
  qsort(entry, (size_t)count, sizeof(*entry), compare_entries);
  *target         = (Target){.n = A->n, .nnz = count};
  target->row_ptr = calloc((size_t)A->n + 1, sizeof(int));
  target->col_idx = calloc((size_t)count + 1, sizeof(int));
  target->values  = calloc((size_t)count + 1, sizeof(double));
  if (!target->row_ptr || !target->col_idx || !target->values) abort();
  for (int e = 0; e < count; e++) {
    target->row_ptr[entry[e].i + 1]++;
    target->col_idx[e] = entry[e].j;
    target->values[e]  = entry[e].value;
  }
  for (int i = 0; i < A->n; i++) target->row_ptr[i + 1] += target->row_ptr[i];
  free(entry);
}

/* lev(i,j) = min over k of  lev(i,k) + lev(k,j) + 1,  one k after the other */
static void dense_levels(const Target *target, const SptrsvFill *fill, int64_t *level)
{
  const int n = target->n;

  for (int e = 0; e < n * n; e++) level[e] = INT64_MAX;
  for (int i = 0; i < n; i++) {
    if (fill->diagonal) level[i * n + i] = 0;
    for (int e = target->row_ptr[i]; e < target->row_ptr[i + 1]; e++) level[i * n + target->col_idx[e]] = 0;
  }
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) {
      for (int j = k + 1; j < n && level[i * n + k] <= fill->levels; j++) {
        if (level[k * n + j] > fill->levels) continue;
        if (level[i * n + j] > level[i * n + k] + level[k * n + j] + 1) level[i * n + j] = level[i * n + k] + level[k * n + j] + 1;
      }
    }
  }
}

void target_fill(Target *target, const SptrsvFill *fill)
{
  const int n      = target->n;
  int64_t  *level  = calloc((size_t)n * n + 1, sizeof(*level));
  Target    filled = {.n = n};

  filled.row_ptr = calloc((size_t)n + 1, sizeof(int));
  filled.col_idx = calloc((size_t)n * n + 1, sizeof(int));
  filled.values  = calloc((size_t)n * n + 1, sizeof(double));
  if (!level || !filled.row_ptr || !filled.col_idx || !filled.values) abort();
  dense_levels(target, fill, level);
  for (int i = 0; i < n; i++) {
    int e = target->row_ptr[i];

    for (int j = 0; j < n; j++) {
      if (level[i * n + j] > fill->levels) continue;
      filled.col_idx[filled.nnz]  = j;
      filled.values[filled.nnz++] = e < target->row_ptr[i + 1] && target->col_idx[e] == j ? target->values[e++] : 0;
    }
    filled.row_ptr[i + 1] = filled.nnz;
  }
  free(level);
  target_destroy(target);
  *target = filled;
}

void target_destroy(Target *target)
{
  free(target->row_ptr);
  free(target->col_idx);
  free(target->values);
  memset(target, 0, sizeof(*target));
}

/* Position of (i, j), or -1 */
static int find_entry(const Target *target, int i, int j)
{
  int low = target->row_ptr[i], high = target->row_ptr[i + 1] - 1;

  while (low <= high) {
    const int middle = low + (high - low) / 2;

    if (target->col_idx[middle] == j) return middle;
    if (target->col_idx[middle] < j) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

int target_missing_row(const Target *target)
{
  for (int i = 0; i < target->n; i++) {
    if (find_entry(target, i, i) < 0) return i;
  }
  return -1;
}

/* --------------------------------------------------- what defines a factor -------------------------------------------------- */

/* Row i of L U, by columns: sums of products where row i has an entry, their sizes and numbers */
typedef struct {
  const Target *factor; /* unit L below the diagonal, inverted pivots on it, U above */
  int          *diagonal, *own; /* positions: of the diagonal entry of each row, of the entries of row i, or -1 */
  struct {
    long double sum;
    double      size;
    int         terms;
  } *column;
} Product;

static void product_create(const Target *factor, Product *p)
{
  const size_t n = (size_t)factor->n;

  *p = (Product){factor, calloc(n + 1, sizeof(int)), calloc(n + 1, sizeof(int)), calloc(n + 1, sizeof(*p->column))};
  if (!p->diagonal || !p->own || !p->column) abort();
  for (int i = 0; i < factor->n; i++) {
    p->diagonal[i] = find_entry(factor, i, i);
    p->own[i]      = -1;
  }
}

static void product_destroy(Product *p)
{
  free(p->diagonal);
  free(p->own);
  free(p->column);
}

static inline void add_term(Product *p, int l, int u)
{
  const int         j    = p->factor->col_idx[u];
  const long double term = (long double)p->factor->values[l] * p->factor->values[u];

  p->column[j].sum += term;
  p->column[j].size += fabs((double)term);
  p->column[j].terms++;
}

/* What entry l of row i, in column k, gives with row k of U: by the shorter of the two rows */
static void add_terms(Product *p, int i, int l)
{
  const Target *const factor = p->factor;
  const int           k = factor->col_idx[l], begin = p->diagonal[k] + 1, end = factor->row_ptr[k + 1];

  if (end - begin <= 8 * (factor->row_ptr[i + 1] - l)) {
    for (int u = begin; u < end; u++) {
      if (p->own[factor->col_idx[u]] >= 0) add_term(p, l, u);
    }
    return;
  }
  for (int e = l + 1; e < factor->row_ptr[i + 1]; e++) {
    const int u = find_entry(factor, k, factor->col_idx[e]);

    if (u >= 0) add_term(p, l, u);
  }
}

/* Number of entries of row i of L U that differ from the target's with the shift on its diagonal */
static int row_differs(Product *p, const Target *target, int i, double shift, double epsilon)
{
  const Target *const factor = p->factor;
  const int           begin = factor->row_ptr[i], end = factor->row_ptr[i + 1];
  int                 wrong = 0;

  for (int e = begin; e < end; e++) {
    const int j = factor->col_idx[e];

    p->own[j] = e;
    memset(&p->column[j], 0, sizeof(p->column[j]));
  }
  for (int e = begin; e < end && factor->col_idx[e] < i; e++) add_terms(p, i, e);
  for (int e = begin; e < end; e++) {
    const int         j    = factor->col_idx[e];
    const double      more = i == j ? shift : 0, value = target->values[e];
    const long double entry = i == j ? 1 : factor->values[e], last = i < j ? entry : entry / factor->values[p->diagonal[j]];
    const long double size = p->column[j].size + fabsl(last) + fabs(value) + fabs(more);

    wrong += !(fabsl(p->column[j].sum + last - more - value) <= (8 + 4 * sqrt((double)p->column[j].terms)) * epsilon * size);
    p->own[j] = -1;
  }
  return wrong;
}

static void judge_values(const Target *factor, const Target *target, double shift, double epsilon)
{
  Product p;
  int     wrong = 0;

  product_create(factor, &p);
  for (int i = 0; i < target->n; i++) wrong += row_differs(&p, target, i, shift, epsilon);
  expect(!wrong, "L U differs from the matrix in %d of %d entries", wrong, target->nnz);
  product_destroy(&p);
}

bool expect_pattern(SptrsvFactor factor, const Target *target)
{
  const int32_t *row_ptr = NULL, *col_idx = NULL;
  int64_t        rows = -1, nnz = -1;

  expect_success(sptrsvFactorGetPattern(factor, &rows, &nnz, &row_ptr, &col_idx));
  return expect(rows == target->n && nnz == target->nnz, "%lld rows and %lld entries, not %d and %d", (long long)rows, (long long)nnz,
                target->n, target->nnz) &&
         expect(!memcmp(row_ptr, target->row_ptr, (size_t)(rows + 1) * sizeof(int)) &&
                  (!nnz || !memcmp(col_idx, target->col_idx, (size_t)nnz * sizeof(int))),
                "another pattern");
}

static void expect_counts(SptrsvFactor factor, const Target *target)
{
  SptrsvFactorCounts counts = {-1, -1, -1}, right = {0, 0, 0};
  int               *upper  = calloc((size_t)target->n + 1, sizeof(*upper)); /* entries right of each diagonal entry */

  if (!upper) abort();
  for (int i = 0; i < target->n; i++) {
    for (int e = target->row_ptr[i]; e < target->row_ptr[i + 1]; e++) {
      upper[i] += target->col_idx[e] > i;
      if (target->col_idx[e] >= i) continue;
      right.lower++;
      right.products += upper[target->col_idx[e]];
    }
    right.upper += upper[i];
  }
  free(upper);
  expect_success(sptrsvFactorGetCounts(factor, &counts));
  expect(counts.lower == right.lower && counts.upper == right.upper && counts.products == right.products,
         "%lld, %lld entries and %lld products, not %lld, %lld and %lld", (long long)counts.lower, (long long)counts.upper,
         (long long)counts.products, (long long)right.lower, (long long)right.upper, (long long)right.products);
}

void factor_judge(SptrsvFactor factor, const Target *target, SptrsvValueType type, SptrsvLocation location, double shift)
{
  const size_t size   = value_size(type);
  const void  *values = NULL;
  const int    nnz    = target->nnz;
  Target       f      = *target;
  char        *raw;

  expect_success(sptrsvFactorGetValues(factor, &values));
  if (!expect_pattern(factor, target)) return;
  expect_counts(factor, target);
  raw      = place_new(SPTRSV_HOST, (size_t)nnz * size, NULL);
  f.values = place_new(SPTRSV_HOST, (size_t)nnz * sizeof(double), NULL);
  place_get(location, raw, values, (size_t)nnz * size);
  for (int e = 0; e < nnz; e++) f.values[e] = value_at(type, raw, e);
  judge_values(&f, target, shift, value_types[type].epsilon);
  free(f.values);
  free(raw);
}

void factor_test(SptrsvFactor factor, const Target *target, const void *values, SptrsvValueType type, SptrsvLocation location)
{
  static const SptrsvPivoting no_shift = {SPTRSV_SHIFT_NONE, 0, 1e-30, 0};
  SptrsvFactorResult          r        = {0};

  expect_success(sptrsvFactorNumeric(factor, values, &no_shift, NULL, &r));
  expect(r.zero_pivot_row == -1 && !r.shifts && r.shift_amount == 0, "row %lld has the pivot %g, %d shifts", (long long)r.zero_pivot_row,
         r.zero_pivot, r.shifts);
  factor_judge(factor, target, type, location, 0);
}

/* ----------------------------------------------------- shifts, attempted ---------------------------------------------------- */

/* Gaussian elimination that leaves out what is not in the pattern (given by d, NAN there); false: a pivot of this attempt is
   small */
static bool attempt(const Target *target, SptrsvFactorKind kind, const SptrsvPivoting *pivoting, double shift, SptrsvFactorResult *result)
{
  const int n  = target->n;
  double   *d  = calloc((size_t)n * n + 1, sizeof(*d));
  bool     *in = calloc((size_t)n * n + 1, sizeof(*in)), ok = true;

  if (!d || !in) abort();
  for (int i = 0; i < n; i++) {
    for (int e = target->row_ptr[i]; e < target->row_ptr[i + 1]; e++) {
      in[i * n + target->col_idx[e]] = true;
      d[i * n + target->col_idx[e]]  = target->values[e] + (target->col_idx[e] == i ? shift : 0);
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
    limit = pivoting->zero_pivot * (pivoting->shift == SPTRSV_SHIFT_NONZERO || pivoting->shift == SPTRSV_SHIFT_POSITIVE_DEFINITE ? sum : 1);
    pivot = d[i * n + i];
    if (!((pivoting->shift == SPTRSV_SHIFT_POSITIVE_DEFINITE ? pivot : fabs(pivot)) <= limit)) continue;
    if (pivoting->shift == SPTRSV_SHIFT_INBLOCKS) d[i * n + i] += pivoting->shift_amount;
    else {
      ok                     = false;
      result->zero_pivot_row = i;
      result->zero_pivot     = pivot;
      if (pivoting->shift != SPTRSV_SHIFT_NONE) break;
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
static bool positive_definite(const ZooMatrix *A, const Target *target, SptrsvFactorKind kind, const SptrsvPivoting *pivoting,
                              SptrsvFactorResult *result)
{
  const double top = 1.1 * fmax(dominance_gap(A), pivoting->zero_pivot);
  double       low = 0, high = 1, fraction = 0;
  bool         ok = false; /* the attempt without a shift has failed */

  while (!ok || (kind == SPTRSV_ILU0 && result->shifts < 5)) {
    if (result->shifts == 6) return false;
    if (ok) high = fraction;
    else if (result->shifts < 5) low = fraction;
    fraction = !ok && result->shifts == 5 ? high : (low + high) / 2;
    result->shifts++;
    result->shift_amount = fraction * top;
    ok                   = attempt(target, kind, pivoting, result->shift_amount, result);
  }
  return true;
}

SptrsvFactorResult naive_shifts(const ZooMatrix *A, const Target *target, SptrsvFactorKind kind, const SptrsvPivoting *pivoting)
{
  SptrsvFactorResult r  = {.zero_pivot_row = -1};
  bool               ok = attempt(target, kind, pivoting, 0, &r);

  if (!ok && pivoting->shift == SPTRSV_SHIFT_NONZERO) {
    for (double amount = pivoting->shift_amount; !ok && r.shifts < 1100; amount *= 2) {
      r.shift_amount = amount;
      r.shifts++;
      ok = attempt(target, kind, pivoting, amount, &r);
    }
  }
  if (!ok && pivoting->shift == SPTRSV_SHIFT_POSITIVE_DEFINITE) ok = positive_definite(A, target, kind, pivoting, &r);
  if (ok) {
    r.zero_pivot_row = -1;
    r.zero_pivot     = 0;
  }
  return r;
}
