/* `split`: the triangle in level order, and the three matrices it is cut into (Ahmad et al., section 4.3). */
#include <stdlib.h>
#include "split.h"

typedef struct {
  int col, source;
} Entry;

static int by_column(const void *x, const void *y)
{
  return ((const Entry *)x)->col - ((const Entry *)y)->col;
}

/* The rows of a sweep level by level */
typedef struct {
  SptrsvOrdered ordered;
  int          *row, *place; /* [n] row in each place, place of each row */
} LevelOrder;

/* Lists the entries of row r of the order in ascending columns, the diagonal last unless it is the constant 1; returns their number */
static int sort_row(const LevelOrder *order, int r, Entry *entry)
{
  const SptrsvOrdered *o      = &order->ordered;
  const int            row    = order->row[r];
  int                  length = 0;

  for (int e = o->row_ptr[row]; e < o->row_ptr[row + 1]; e++) entry[length++] = (Entry){order->place[o->col_idx[e]], o->source[e]};
  qsort(entry, (size_t)length, sizeof(*entry), by_column);
  if (o->diagonal[row] != SPTRSV_ONE) entry[length++] = (Entry){r, o->diagonal[row]};
  return length;
}

/* The piece, I, II or III, of an entry */
static int piece(int row, int col, int first)
{
  return row < first ? 0 : col < first ? 1 : 2;
}

static void count(const LevelOrder *order, SptrsvSplit *split)
{
  const SptrsvOrdered *o     = &order->ordered;
  const int            first = (int)split->rows[0];

  for (int row = 0; row < o->n; row++) {
    const int r = order->place[row];

    if (o->diagonal[row] != SPTRSV_ONE) split->nnz[piece(r, r, first)]++;
    for (int e = o->row_ptr[row]; e < o->row_ptr[row + 1]; e++) split->nnz[piece(r, order->place[o->col_idx[e]], first)]++;
  }
}

static SptrsvStatus reserve(SptrsvMemory *memory, SptrsvSplitPlan *s)
{
  const int64_t *rows = s->split.rows, *nnz = s->split.nnz;

  for (int k = 0; k < 2; k++) {
    s->part[k].n   = (int)rows[k];
    s->part[k].nnz = (int)(k ? nnz[2] : nnz[0]);
    SPTRSV_TRY(sptrsvNew(s->part[k].n + 1, &s->part[k].row_ptr));
    SPTRSV_TRY(sptrsvNew(s->part[k].nnz, &s->part[k].col_idx));
  }
  SPTRSV_TRY(sptrsvHostNew(memory, rows[1] + 1, &s->row_ptr));
  SPTRSV_TRY(sptrsvHostNew(memory, nnz[1], &s->col_idx));
  return sptrsvHostNew(memory, nnz[0] + nnz[1] + nnz[2], &s->source);
}

static void cut(const LevelOrder *order, SptrsvSplitPlan *s, Entry *entry)
{
  const int  first     = s->part[0].n;
  int *const source[3] = {s->source, s->source + s->split.nnz[0], s->source + s->split.nnz[0] + s->split.nnz[1]};
  int *const col[3]    = {s->part[0].col_idx, s->col_idx, s->part[1].col_idx};
  int        nnz[3]    = {0, 0, 0};

  for (int r = 0; r < order->ordered.n; r++) {
    const int length = sort_row(order, r, entry);

    for (int k = 0; k < length; k++) {
      const int to = piece(r, entry[k].col, first);

      source[to][nnz[to]] = entry[k].source;
      col[to][nnz[to]++]  = entry[k].col - (to == 2 ? first : 0);
    }
    if (r < first) s->part[0].row_ptr[r + 1] = nnz[0];
    else {
      s->row_ptr[r - first + 1]         = nnz[1];
      s->part[1].row_ptr[r - first + 1] = nnz[2];
    }
  }
}

SptrsvStatus sptrsvSplitSlice(SptrsvPlan plan, SptrsvSplitPlan *s, int **row)
{
  const SptrsvSweep *sweep;
  LevelOrder         order;
  Entry             *entry;

  SPTRSV_TRY(sptrsvAnalysisLevels(plan->analysis, plan->options.triangle, plan->options.op, &sweep));
  SPTRSV_TRY(sptrsvOrderedCreate(plan->analysis, &plan->options, &plan->scratch, &order.ordered));
  SPTRSV_TRY(sptrsvLevelOrder(sweep, order.ordered.row, &plan->scratch, &order.row));
  SPTRSV_TRY(sptrsvHostNew(&plan->scratch, order.ordered.n, &order.place));
  SPTRSV_TRY(sptrsvHostNew(&plan->scratch, sweep->statistics.longest + 1, &entry));
  for (int k = 0; k < order.ordered.n; k++) order.place[order.row[k]] = k;
  s->split.rows[0] = sweep->level_ptr[s->split.level];
  s->split.rows[1] = order.ordered.n - s->split.rows[0];
  count(&order, &s->split);
  SPTRSV_TRY(reserve(&plan->memory, s));
  cut(&order, s, entry);
  for (int k = 0; k < order.ordered.n; k++) order.row[k] = order.ordered.row[order.row[k]];
  *row = order.row;
  for (int k = 0; k < 2; k++) SPTRSV_TRY(sptrsvPatternSplit(&s->part[k]));
  return SPTRSV_SUCCESS;
}
