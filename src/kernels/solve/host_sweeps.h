/* The four serial sweeps, in the manner of CSparse; included once for each REAL with NAME(x) naming its functions.  These are the
   oracle of all tests: one row or column after the other, in the order of the matrix. */

static REAL NAME(Reciprocal)(const SptrsvPattern *p, SptrsvDiagonal diagonal, const REAL *v, int i)
{
  if (diagonal == SPTRSV_DIAG_UNIT) return 1;
  return diagonal == SPTRSV_DIAG_INVERTED ? v[p->split[i]] : 1 / v[p->split[i]];
}

static void NAME(LSolve)(const SptrsvPattern *p, SptrsvDiagonal diagonal, const REAL *v, REAL *x)
{
  for (int i = 0; i < p->n; i++) {
    REAL sum = x[i];

    for (int e = p->row_ptr[i]; e < p->split[i]; e++) sum -= v[e] * x[p->col_idx[e]]; /* sum -= L(i,j) x(j) */
    x[i] = sum * NAME(Reciprocal)(p, diagonal, v, i);                                 /* x(i) = sum / L(i,i) */
  }
}

static void NAME(LtSolve)(const SptrsvPattern *p, SptrsvDiagonal diagonal, const REAL *v, REAL *x)
{
  for (int i = p->n - 1; i >= 0; i--) {
    const REAL xi = x[i] *= NAME(Reciprocal)(p, diagonal, v, i); /* x(i) /= L(i,i) */

    for (int e = p->row_ptr[i]; e < p->split[i]; e++) x[p->col_idx[e]] -= v[e] * xi; /* x(j) -= L(i,j) x(i) */
  }
}

static void NAME(USolve)(const SptrsvPattern *p, SptrsvDiagonal diagonal, const REAL *v, REAL *x)
{
  for (int i = p->n - 1; i >= 0; i--) {
    REAL sum = x[i];

    for (int e = p->split[i] + sptrsvHasDiagonal(p, i); e < p->row_ptr[i + 1]; e++) sum -= v[e] * x[p->col_idx[e]];
    x[i] = sum * NAME(Reciprocal)(p, diagonal, v, i);
  }
}

static void NAME(UtSolve)(const SptrsvPattern *p, SptrsvDiagonal diagonal, const REAL *v, REAL *x)
{
  for (int i = 0; i < p->n; i++) {
    const REAL xi = x[i] *= NAME(Reciprocal)(p, diagonal, v, i);

    for (int e = p->split[i] + sptrsvHasDiagonal(p, i); e < p->row_ptr[i + 1]; e++) x[p->col_idx[e]] -= v[e] * xi;
  }
}

static void NAME(Solve)(const SptrsvPlan plan, const REAL *b, REAL *out)
{
  const SptrsvPattern *p         = &plan->analysis->a;
  const HostPlan      *h         = (const HostPlan *)plan->data;
  const SptrsvDiagonal d         = plan->options.diagonal;
  const REAL          *v         = (const REAL *)h->values;
  REAL                *x         = h->out_perm ? (REAL *)h->work : out;
  const bool           transpose = plan->options.op == SPTRSV_TRANSPOSE;

  for (int i = 0; i < p->n; i++) x[i] = b[h->in_perm ? h->in_perm[i] : i];
  if (plan->options.triangle == SPTRSV_LOWER) (transpose ? NAME(LtSolve) : NAME(LSolve))(p, d, v, x);
  else (transpose ? NAME(UtSolve) : NAME(USolve))(p, d, v, x);
  if (h->out_perm) {
    for (int i = 0; i < p->n; i++) out[h->out_perm[i]] = x[i];
  }
}
