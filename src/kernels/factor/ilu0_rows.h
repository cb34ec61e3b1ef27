/* ILU(0) of the rows of a pattern on the host, in the manner of CSparse; included once for each REAL with NAME(x) naming its functions. */

/* Row i of A, shifted, minus multiples of finished rows:  l(i,k) = v(k) / u(k,k);  v(j) -= l(i,k) u(k,j) */
static void NAME(EliminateRow)(const SptrsvPattern *f, int i, int *where, REAL *v)
{
  for (int e = f->row_ptr[i]; e < f->row_ptr[i + 1]; e++) where[f->col_idx[e]] = e;
  for (int p = f->row_ptr[i]; p < f->split[i]; p++) {
    const int k = f->col_idx[p];

    if (v[p] == 0) continue; /* as PETSc does: no 0 * Inf after a zero pivot */
    v[p] *= v[f->split[k]];
    for (int q = f->split[k] + 1; q < f->row_ptr[k + 1]; q++) {
      const int e = where[f->col_idx[q]];

      if (e >= 0) v[e] -= v[p] * v[q];
    }
  }
  for (int e = f->row_ptr[i]; e < f->row_ptr[i + 1]; e++) where[f->col_idx[e]] = -1;
}

static void NAME(Pass)(SptrsvFactor factor, const REAL *a, const SptrsvPivoting *pivoting, REAL shift, int *where, SptrsvPivots *pivots)
{
  const SptrsvPattern *f = &factor->analysis->a;
  REAL                *v = (REAL *)factor->values;

  pivots->bad_row = -1;
  for (int i = 0; i < f->n; i++) {
    REAL sum = 0, pivot;

    for (int e = f->row_ptr[i]; e < f->row_ptr[i + 1]; e++) v[e] = a[factor->source ? factor->source[e] : e];
    v[f->split[i]] += shift;
    NAME(EliminateRow)(f, i, where, v);
    for (int e = factor->kind == SPTRSV_ICC0 ? f->split[i] : f->row_ptr[i]; e < f->row_ptr[i + 1]; e++) {
      if (e != f->split[i]) sum += v[e] < 0 ? -v[e] : v[e];
    }
    pivot = v[f->split[i]];
    if (sptrsvSmallPivot(pivoting, (double)pivot, (double)sum)) {
      if (pivoting->shift == SPTRSV_SHIFT_INBLOCKS) pivot += (REAL)pivoting->shift_amount;
      else {
        pivots->bad_row   = i;
        pivots->bad_pivot = (double)pivot;
        if (pivoting->shift != SPTRSV_SHIFT_NONE) return; /* to be done again */
      }
    }
    v[f->split[i]] = 1 / pivot;
  }
}

/* max over the rows of A of  sum_j |a(i,j)| - |a(i,i)| - a(i,i) */
static double NAME(Dominance)(SptrsvFactor factor, const REAL *a)
{
  const int *row_ptr  = factor->a_row_ptr ? factor->a_row_ptr : factor->analysis->a.row_ptr;
  const int *diagonal = factor->a_diagonal ? factor->a_diagonal : factor->analysis->a.split;
  double     gap      = 0;

  for (int i = 0; i < factor->analysis->a.n; i++) {
    double row = 0;

    for (int e = row_ptr[i]; e < row_ptr[i + 1]; e++) row += e == diagonal[i] ? -(double)a[e] : fabs((double)a[e]);
    if (row > gap) gap = row;
  }
  return gap;
}
