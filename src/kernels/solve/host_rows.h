/* Rows of host_threads.c, included once for each REAL with NAME(x) naming its functions. */

/* The share of `me`: its rows' values, in the order of execution */
static void NAME(TakeValues)(Threads *h, SptrsvDiagonal diagonal, int me)
{
  const REAL *given      = (const REAL *)h->given;
  REAL       *values     = (REAL *)h->values;
  REAL       *reciprocal = (REAL *)h->reciprocal;
  const int   begin = (int)((int64_t)h->n * me / h->threads), end = (int)((int64_t)h->n * (me + 1) / h->threads);

  for (int e = h->o.row_ptr[begin]; e < h->o.row_ptr[end]; e++) values[e] = given[h->o.source[e]];
  for (int r = begin; r < end; r++) {
    const int d = h->o.diagonal[r];

    reciprocal[r] = d == SPTRSV_ONE ? 1 : diagonal == SPTRSV_DIAG_INVERTED ? given[d] : 1 / given[d];
  }
}

static void NAME(SolveRows)(const Threads *h, int begin, int end)
{
  const REAL *values = (const REAL *)h->values, *reciprocal = (const REAL *)h->reciprocal, *b = (const REAL *)h->b;
  REAL       *x = (REAL *)h->x, *out = (REAL *)h->out;

  for (int r = begin; r < end; r++) {
    REAL sum = b[h->from[r]];

    for (int e = h->o.row_ptr[r]; e < h->o.row_ptr[r + 1]; e++) sum -= values[e] * x[h->o.col_idx[e]];
    out[h->to[r]] = x[r] = sum * reciprocal[r];
  }
}

static void NAME(Work)(void *context, int me)
{
  const SptrsvPlan plan = (SptrsvPlan)context;
  Threads         *h    = (Threads *)plan->data;

  if (!h->taken) {
    NAME(TakeValues)(h, plan->options.diagonal, me);
    sptrsvTeamBarrier(h->team);
  }
  for (int k = 0; k < h->steps; k++) {
    const int *cut = h->cut + (size_t)k * (size_t)(h->threads + 1);

    if (k) sptrsvTeamBarrier(h->team);
    NAME(SolveRows)(h, cut[me], cut[me + 1]);
  }
}
