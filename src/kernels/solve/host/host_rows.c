/* Rows of the host's sweeps that have an order of their own: set-up, and the loops over them. */
#include <string.h>
#include "../../block_rows.h"
#include "host_rows.h"

enum { LINE = 64 }; /* bytes that are fetched at once */

#define FUNCTIONS "solve/host/host_rows.inc"
#include "../../each_type.h"
#define FUNCTIONS "solve/host/host_groups.inc"
#include "../../each_type.h"

SptrsvStatus sptrsvHostPermutation(SptrsvPlan plan, const int32_t *perm, int **copy)
{
  const size_t n = (size_t)plan->analysis->a.n * (size_t)sptrsvBlockRows(plan->analysis);

  if (!perm) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvHostNew(&plan->memory, n, copy));
  memcpy(*copy, perm, n * sizeof(**copy));
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvHostRowsFind(SptrsvPlan plan, SptrsvHostRows *h)
{
  const SptrsvOperation op = plan->options.op;

  SPTRSV_TRY(sptrsvAnalysisRows(plan->analysis, op, &h->rows.pattern));
  h->rows.side = sptrsvSide(plan->options.triangle, op);
  h->rows.n    = plan->analysis->a.n;
  h->block     = sptrsvBlockRows(plan->analysis);
  h->source    = op == SPTRSV_TRANSPOSE ? plan->analysis->t_source : NULL;
  h->stride    = sptrsvStep(&h->rows);
  h->type      = plan->options.type;
  h->inverted  = plan->options.diagonal == SPTRSV_DIAG_INVERTED;
  for (int r = 0; r < h->rows.n; r++) h->nnz += sptrsvEnd(&h->rows, r) - sptrsvBegin(&h->rows, r);
  h->units   = h->rows;
  h->columns = h->nnz;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvHostRowsGroup(SptrsvPlan plan, SptrsvHostRows *h)
{
  const SptrsvGroups *groups;

  if (plan->options.tuning.sweep.blocks != SPTRSV_BY_BLOCKS || h->block > 1) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvAnalysisGroups(plan->analysis, plan->options.op, &groups));
  if (!groups->begin) return SPTRSV_SUCCESS;
  h->groups        = groups;
  h->units.pattern = &groups->pattern;
  h->units.n       = groups->pattern.n;
  return SPTRSV_SUCCESS;
}

/* Position in a vector of a row */
static int position_of(const int32_t *perm, int block, int row)
{
  return perm ? perm[(size_t)row * (size_t)block] : row * block;
}

static SptrsvStatus positions(SptrsvPlan plan, const SptrsvHostRows *h, const int *order, const int32_t *perm, int **position)
{
  SPTRSV_TRY(sptrsvHostNew(&plan->memory, h->rows.n, position));
  for (int r = 0; r < h->rows.n; r++) (*position)[r] = position_of(perm, h->block, sptrsvRow(&h->rows, order[r]));
  return SPTRSV_SUCCESS;
}

/* Fills in what rows have of their own, and the columns of units: of groups those of their first rows.  order: of rows */
static void fill_in(SptrsvHostRows *h, const int *order, const int32_t *perm)
{
  const int *const split = h->rows.pattern->split, *const columns = h->rows.pattern->col_idx;
  const int stride = h->stride, block = h->block; /* not read again after each store to *col */
  int      *col = h->col_idx;

  for (int u = 0, r = 0; u < h->units.n; u++) {
    const int first = r, next = h->first ? h->first[u + 1] : u + 1;

    for (; r < next; r++) {
      const int begin = sptrsvBegin(&h->rows, order[r]), end = sptrsvEnd(&h->rows, order[r]), d = split[sptrsvRow(&h->rows, order[r])];

      h->start[r] = stride > 0 ? begin : end - 1;
      if (h->diagonal) h->diagonal[r] = h->source ? h->source[d] : d;
      for (int k = 0, e = h->start[r]; r == first && k < end - begin; k++, e += stride) *col++ = position_of(perm, block, columns[e]);
    }
    h->row_ptr[u + 1] = (int)(col - h->col_idx);
  }
}

static SptrsvStatus put_in_order(SptrsvPlan plan, const int *order, bool natural, SptrsvHostRows *h)
{
  const int32_t *in = plan->options.in_perm, *out = plan->options.out_perm;
  const size_t   size = sptrsvValueSize(h->type), n = (size_t)h->rows.n;
  SptrsvMemory  *memory = &plan->memory;

  SPTRSV_TRY(sptrsvHostNew(memory, h->units.n + 1, &h->row_ptr));
  SPTRSV_TRY(sptrsvHostNew(memory, h->columns, &h->col_idx));
  SPTRSV_TRY(sptrsvHostNew(memory, n, &h->start));
  SPTRSV_TRY(sptrsvHostAllocate(memory, (size_t)h->nnz * (size_t)h->block * (size_t)h->block + 1, size, &h->values));
  if (plan->options.diagonal != SPTRSV_DIAG_UNIT) {
    SPTRSV_TRY(sptrsvHostNew(memory, n, &h->diagonal));
    SPTRSV_TRY(sptrsvHostAllocate(memory, n, size, &h->reciprocal));
  }
  fill_in(h, order, out);
  if (natural && !in && !out) return SPTRSV_SUCCESS;
  SPTRSV_TRY(positions(plan, h, order, in, &h->from));
  if (in != out) return positions(plan, h, order, out, &h->to);
  h->to = h->from;
  return SPTRSV_SUCCESS;
}

/* rows (host [n]): the order of rows */
static SptrsvStatus list_rows(SptrsvPlan plan, SptrsvHostRows *h, const int *order, int *rows)
{
  const int *begin = h->groups->begin;
  int        k     = 0;

  SPTRSV_TRY(sptrsvHostNew(&plan->memory, h->units.n + 1, &h->first));
  SPTRSV_TRY(sptrsvHostNew(&plan->memory, h->units.n + 1, &h->packed));
  h->columns = 0;
  for (int u = 0; u < h->units.n; u++) {
    const int g = sptrsvRow(&h->units, order[u]), size = begin[g + 1] - begin[g];
    const int r = h->stride > 0 ? begin[g] : h->rows.n - begin[g + 1], length = sptrsvEnd(&h->rows, r) - sptrsvBegin(&h->rows, r);

    h->columns += length;
    for (int i = 0; i < size; i++) rows[k++] = r + i;
    h->first[u + 1]  = k;
    h->packed[u + 1] = h->packed[u] + length * size + size * (size - 1) / 2;
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvHostRowsOrder(SptrsvPlan plan, const int *order, bool natural, SptrsvHostRows *h)
{
  int *rows;

  if (!h->groups) return put_in_order(plan, order, natural, h);
  SPTRSV_TRY(sptrsvHostNew(&plan->scratch, h->rows.n, &rows));
  SPTRSV_TRY(list_rows(plan, h, order, rows));
  return put_in_order(plan, rows, natural, h);
}

void sptrsvHostRowsSolve(SptrsvHostRows *h, int begin, int end)
{
  static void (*const solve[])(SptrsvHostRows *, int, int)        = {EACH_TYPE(solve)};
  static void (*const solve_blocks[])(SptrsvHostRows *, int, int) = {EACH_TYPE(solve_blocks)};
  static void (*const solve_groups[])(SptrsvHostRows *, int, int) = {EACH_TYPE(solve_all_groups)};

  (h->groups ? solve_groups : h->block > 1 ? solve_blocks : solve)[h->type](h, begin, end);
}

void sptrsvHostRowsScatter(const SptrsvHostRows *lower, SptrsvHostRows *upper)
{
  static void (*const scatter[])(const SptrsvHostRows *, SptrsvHostRows *) = {EACH_TYPE(scatter)};

  scatter[upper->type](lower, upper);
}
