/* Loops of split_host.c, included once for each REAL with NAME(x) naming its functions. */

static void NAME(Take)(size_t count, const int *source, const REAL *given, REAL *values)
{
  for (size_t e = 0; e < count; e++) values[e] = given[source[e]];
}

static void NAME(Product)(const SptrsvProduct *p, int begin, int end)
{
  const REAL *values = (const REAL *)p->values, *b = (const REAL *)p->b, *x = (const REAL *)p->x;
  REAL       *right = (REAL *)p->right;

  for (int i = begin; i < end; i++) {
    REAL sum = b[p->from ? p->from[i] : i];

    for (int e = p->row_ptr[i]; e < p->row_ptr[i + 1]; e++) sum -= values[e] * x[p->col_idx[e]];
    right[i] = sum; /* Equation 1 with alpha = -1, beta = 1 */
  }
}
