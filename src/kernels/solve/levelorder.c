/* Rows of a sweep cut, sorted by level and packed into chunks for levelorder.cu.  See doc/algorithms/levelorder.md. */
#include <stdlib.h>
#include <string.h>
#include "../impl.h"

/* The triangle with its long rows cut: a row of more than `most` entries becomes a tree of partial sums, each an unknown of its own,
   so that no unknown has more.  Unknowns stand in an order in which they could be solved one after the other. */
typedef struct {
  int  n, nnz;
  int *row_ptr, *col_idx, *source; /* as in SptrsvOrdered; source SPTRSV_ONE: the entry that adds a partial sum */
  int *row, *diagonal;             /* row -1: partial sum */
  int *level;
} Unknowns;

typedef struct {
  int level, col, source;
} Entry;

static int ByLevel(const void *x, const void *y)
{
  const Entry *a = (const Entry *)x, *b = (const Entry *)y;

  return a->level != b->level ? (a->level > b->level) - (a->level < b->level) : (a->col > b->col) - (a->col < b->col);
}

static SptrsvStatus Reserve(const SptrsvOrdered *o, int most, int longest, Unknowns *u, Entry **entries)
{
  int64_t n = o->n, nnz = o->nnz;

  for (int r = 0; r < o->n; r++) {
    int length = o->row_ptr[r + 1] - o->row_ptr[r];

    while (length > most) {
      length = (length + most - 1) / most;
      n += length;
      nnz += length;
    }
  }
  if (n >= INT_MAX || nnz >= INT_MAX) return SPTRSV_TOO_LARGE;
  SPTRSV_TRY(sptrsvNew(n + 1, &u->row_ptr));
  SPTRSV_TRY(sptrsvNew(nnz, &u->col_idx));
  SPTRSV_TRY(sptrsvNew(nnz, &u->source));
  SPTRSV_TRY(sptrsvNew(n, &u->row));
  SPTRSV_TRY(sptrsvNew(n, &u->diagonal));
  SPTRSV_TRY(sptrsvNew(n, &u->level));
  return sptrsvNew(longest, entries);
}

static void AddEntry(Unknowns *u, int col, int source)
{
  u->col_idx[u->nnz]  = col;
  u->source[u->nnz++] = source;
  if (u->level[col] >= u->level[u->n]) u->level[u->n] = u->level[col] + 1;
}

static int EndRow(Unknowns *u, int row, int diagonal)
{
  u->row[u->n]         = row;
  u->diagonal[u->n]    = diagonal;
  u->row_ptr[u->n + 1] = u->nnz;
  return u->n++;
}

/* Sums of `most` entries each take the place of the entries, until so many are left; returns their number.  Entries that are ready
   early go together.  A partial sum is (0 - sum) * -1, so that it is solved like any row. */
static int CutRow(Unknowns *u, int most, int length, Entry *entries)
{
  if (length > most) qsort(entries, (size_t)length, sizeof(*entries), ByLevel);
  while (length > most) {
    int parts = 0;

    for (int begin = 0; begin < length; begin += most) {
      for (int k = begin; k < length && k < begin + most; k++) AddEntry(u, entries[k].col, entries[k].source);
      entries[parts].col      = EndRow(u, -1, SPTRSV_MINUS_ONE);
      entries[parts++].source = SPTRSV_ONE;
    }
    length = parts;
  }
  return length;
}

/* Nothing to cut: takes o's arrays */
static SptrsvStatus TakeRows(SptrsvOrdered *o, const int *level, Unknowns *u)
{
  SPTRSV_TRY(sptrsvNew(o->n, &u->level));
  for (int r = 0; r < o->n; r++) u->level[r] = level[o->row[r]];
  u->n        = o->n;
  u->nnz      = o->nnz;
  u->row_ptr  = o->row_ptr;
  u->col_idx  = o->col_idx;
  u->source   = o->source;
  u->row      = o->row;
  u->diagonal = o->diagonal;
  memset(o, 0, sizeof(*o));
  return SPTRSV_SUCCESS;
}

static SptrsvStatus CutRows(const SptrsvOrdered *o, int most, int longest, Unknowns *u)
{
  Entry       *entries = NULL;
  int         *place   = NULL; /* unknown of a row */
  SptrsvStatus status  = Reserve(o, most, longest, u, &entries);

  if (!status) status = sptrsvNew(o->n, &place);
  for (int r = 0; !status && r < o->n; r++) {
    int length = 0;

    for (int e = o->row_ptr[r]; e < o->row_ptr[r + 1]; e++) {
      const int col = place[o->col_idx[e]];

      entries[length++] = (Entry){u->level[col], col, o->source[e]};
    }
    length = CutRow(u, most, length, entries);
    for (int k = 0; k < length; k++) AddEntry(u, entries[k].col, entries[k].source);
    place[r] = EndRow(u, o->row[r], o->diagonal[r]);
  }
  free(entries);
  free(place);
  return status;
}

static void UnknownsFree(Unknowns *u)
{
  free(u->row_ptr);
  free(u->col_idx);
  free(u->source);
  free(u->row);
  free(u->diagonal);
  free(u->level);
}

/* Stable sort of the unknowns in `from` by key [n] in 0 … keys - 1; count [keys + 1] is scratch, zero on entry and exit */
static void CountingSort(int n, const int *key, int keys, int *count, const int *from, int *to)
{
  for (int k = 0; k < n; k++) count[key[k] + 1]++;
  for (int k = 0; k < keys; k++) count[k + 1] += count[k];
  for (int k = 0; k < n; k++) to[count[key[from[k]]]++] = from[k];
  memset(count, 0, (size_t)(keys + 1) * sizeof(*count));
}

static int EntriesPerLane(const Unknowns *u, int lanes, int k)
{
  return (u->row_ptr[k + 1] - u->row_ptr[k] + lanes - 1) / lanes;
}

/* By level and, so that a chunk's rows are about equally long, by length; otherwise as they were, for the caches' sake */
static SptrsvStatus SortUnknowns(const Unknowns *u, int lanes, int per_lane, int *order, int *levels)
{
  int         *key = NULL, *count = NULL, *other = NULL, keys = per_lane + 1;
  SptrsvStatus status;

  *levels = 0;
  for (int k = 0; k < u->n; k++) {
    if (u->level[k] >= *levels) *levels = u->level[k] + 1;
  }
  if (*levels > keys) keys = *levels;
  if ((status = sptrsvNew(u->n, &key)) || (status = sptrsvNew(u->n, &other)) || (status = sptrsvNew(keys + 1, &count))) goto done;
  for (int k = 0; k < u->n; k++) {
    key[k]   = per_lane - EntriesPerLane(u, lanes, k);
    other[k] = k;
  }
  CountingSort(u->n, key, per_lane + 1, count, other, order);
  CountingSort(u->n, u->level, *levels, count, order, other);
  memcpy(order, other, (size_t)u->n * sizeof(*order));
done:
  free(key);
  free(count);
  free(other);
  return status;
}

/* Chunks of up to 32 / lanes unknowns of one level, in order */
static SptrsvStatus CutChunks(const Unknowns *u, const int *order, int lanes, SptrsvChunks *c)
{
  const int rows = 32 / lanes;

  for (int pass = 0; pass < 2; pass++) {
    c->chunks = 0;
    c->slots  = 0;
    for (int r = 0; r < u->n;) {
      SptrsvChunk chunk = {(int)c->slots, r, 0, EntriesPerLane(u, lanes, order[r])};

      while (chunk.rows < rows && r < u->n && u->level[order[r]] == u->level[order[chunk.row]]) {
        chunk.rows++;
        r++;
      }
      if (pass) c->chunk[c->chunks] = chunk;
      c->chunks++;
      c->slots += (size_t)32 * chunk.per_lane;
      if (c->slots >= INT_MAX) return SPTRSV_TOO_LARGE;
    }
    if (!pass) SPTRSV_TRY(sptrsvNew(c->chunks, &c->chunk));
  }
  return SPTRSV_SUCCESS;
}

static void FillChunks(const Unknowns *u, const int *order, const int *place, int lanes, SptrsvChunks *c)
{
  for (size_t s = 0; s < c->slots; s++) {
    c->col_idx[s] = -1;
    c->source[s]  = SPTRSV_PADDING;
  }
  for (int k = 0; k < c->chunks; k++) {
    const SptrsvChunk *chunk = &c->chunk[k];

    for (int q = 0; q < chunk->rows; q++) {
      const int i = order[chunk->row + q];

      c->row[chunk->row + q]      = u->row[i];
      c->diagonal[chunk->row + q] = u->diagonal[i];
      for (int e = u->row_ptr[i]; e < u->row_ptr[i + 1]; e++) {
        const int at = e - u->row_ptr[i], slot = chunk->first + at / lanes * 32 + q * lanes + at % lanes;

        c->col_idx[slot] = place[u->col_idx[e]];
        c->source[slot]  = u->source[e];
      }
    }
  }
}

SptrsvStatus sptrsvChunksCreate(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, int lanes, int per_lane, SptrsvChunks *c)
{
  const int          most = lanes * per_lane;
  const SptrsvSweep *sweep;
  SptrsvOrdered      o;
  Unknowns           u     = {0};
  int               *order = NULL, *place = NULL;
  SptrsvStatus       status;

  memset(c, 0, sizeof(*c));
  SPTRSV_TRY(sptrsvAnalysisSweep(analysis, options->triangle, options->op, &sweep));
  SPTRSV_TRY(sptrsvOrderedCreate(analysis, options, NULL, &o));
  status = sweep->statistics.longest <= most ? TakeRows(&o, sweep->level, &u) : CutRows(&o, most, (int)sweep->statistics.longest, &u);
  sptrsvOrderedFree(&o);
  c->unknowns = u.n;
  if (status || (status = sptrsvNew(u.n, &order)) || (status = sptrsvNew(u.n, &place))) goto done;
  if ((status = SortUnknowns(&u, lanes, per_lane, order, &c->levels)) || (status = CutChunks(&u, order, lanes, c))) goto done;
  if ((status = sptrsvNew(c->slots, &c->col_idx)) || (status = sptrsvNew(c->slots, &c->source))) goto done;
  if ((status = sptrsvNew(u.n, &c->row)) || (status = sptrsvNew(u.n, &c->diagonal))) goto done;
  for (int r = 0; r < u.n; r++) place[order[r]] = r;
  FillChunks(&u, order, place, lanes, c);
done:
  if (status) sptrsvChunksFree(c);
  UnknownsFree(&u);
  free(order);
  free(place);
  return status;
}

void sptrsvChunksFree(SptrsvChunks *c)
{
  free(c->chunk);
  free(c->col_idx);
  free(c->source);
  free(c->row);
  free(c->diagonal);
  memset(c, 0, sizeof(*c));
}
