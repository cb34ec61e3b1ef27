/* Who needs whom in an ILU(0), for ilu0.cu: entry (i, j) needs v(i, k), v(k, j) and the pivot of k for all k < min(i, j) where both are
   stored.  Entries that need something, and all pivots, are the unknowns; others are copies of A's. */
#include <stdlib.h>
#include <string.h>
#include "../impl.h"

enum {
  BATCH   = 4, /* pairs that a lane should have at most, where lanes are left */
  CLASSES = 6  /* 32, 16, …, 1 lanes */
};

/* Runs `pair` for each pair (p, q) of each entry e of row i, p ascending: with ascending i, what e needs has been visited before */
#define FOR_EACH_PAIR(f, i, where, pair) \
  do { \
    for (int e_ = (f)->row_ptr[i]; e_ < (f)->row_ptr[(i) + 1]; e_++) (where)[(f)->col_idx[e_]] = e_; \
    for (int p = (f)->row_ptr[i]; p < (f)->split[i]; p++) { \
      const int k = (f)->col_idx[p]; \
      for (int q = (f)->split[k] + 1; q < (f)->row_ptr[k + 1]; q++) { \
        const int e = (where)[(f)->col_idx[q]]; \
        if (e >= 0) { pair; } \
      } \
    } \
    for (int e_ = (f)->row_ptr[i]; e_ < (f)->row_ptr[(i) + 1]; e_++) (where)[(f)->col_idx[e_]] = -1; \
  } while (0)

static int Max(int a, int b)
{
  return a > b ? a : b;
}

/* count(e): pairs of entry e; level(e) = 1 + the largest level of what it needs */
static void CountPairs(const SptrsvPattern *f, int *where, int *count, int *level)
{
  for (int i = 0; i < f->n; i++) {
    FOR_EACH_PAIR(f, i, where, {
      count[e]++;
      level[e] = Max(level[e], 1 + Max(level[p], Max(level[f->split[k]], level[q])));
    });
  }
}

static int Lanes(int pairs)
{
  int lanes = 1;

  while (lanes < 32 && pairs > BATCH * lanes) lanes *= 2;
  return lanes;
}

/* Place of an unknown in the order: by level, then the most lanes first; -1 for what is no unknown */
static int SortKey(const SptrsvPattern *f, int i, int e, const int *count, const int *level)
{
  int class = 0;

  if (!count[e] && e != f->split[i]) return -1;
  for (int lanes = Lanes(count[e]); lanes < 32; lanes *= 2) class++;
  return level[e] * CLASSES + class;
}

/* begin [CLASSES * levels + 1]: first unknown of each sort key */
static SptrsvStatus SortUnknowns(const SptrsvPattern *f, const int *count, const int *level, int **begin, SptrsvOperands *o)
{
  for (int e = 0; e < f->nnz; e++) o->levels = Max(o->levels, level[e] + 1);
  SPTRSV_TRY(sptrsvNew((size_t)CLASSES * o->levels + 2, begin));
  for (int i = 0; i < f->n; i++) {
    for (int e = f->row_ptr[i]; e < f->row_ptr[i + 1]; e++) {
      const int key = SortKey(f, i, e, count, level);

      if (key >= 0) (*begin)[key + 2]++;
    }
  }
  for (int key = 0; key < CLASSES * o->levels; key++) (*begin)[key + 2] += (*begin)[key + 1];
  o->unknowns = (*begin)[CLASSES * o->levels + 1];
  SPTRSV_TRY(sptrsvNew(o->unknowns, &o->entry));
  SPTRSV_TRY(sptrsvNew((size_t)o->unknowns + 1, &o->pair_ptr));
  for (int i = 0; i < f->n; i++) {
    for (int e = f->row_ptr[i]; e < f->row_ptr[i + 1]; e++) {
      const int key = SortKey(f, i, e, count, level);

      if (key >= 0) o->entry[(*begin)[key + 1]++] = e == f->split[i] ? ~e : e;
    }
  }
  for (int u = 0; u < o->unknowns; u++) o->pair_ptr[u + 1] = o->pair_ptr[u] + (size_t)count[o->entry[u] < 0 ? ~o->entry[u] : o->entry[u]];
  return SPTRSV_SUCCESS;
}

static SptrsvStatus CutChunks(const int *begin, SptrsvOperands *o)
{
  for (int pass = 0; pass < 2; pass++) {
    o->chunks = 0;
    for (int key = 0; key < CLASSES * o->levels; key++) {
      const int lanes = 32 >> key % CLASSES, most = 32 / lanes;

      for (int u = begin[key]; u < begin[key + 1]; u += most) {
        const int left = begin[key + 1] - u;

        if (pass) o->chunk[o->chunks] = (SptrsvEntryChunk){u, left < most ? left : most, lanes, 0};
        o->chunks++;
      }
    }
    if (!pass) SPTRSV_TRY(sptrsvNew(o->chunks, &o->chunk));
  }
  return SPTRSV_SUCCESS;
}

/* unknown [nnz]: of an entry */
static void FillPairs(const SptrsvPattern *f, int *where, int *unknown, SptrsvOperands *o)
{
  for (int u = 0; u < o->unknowns; u++) unknown[o->entry[u] < 0 ? ~o->entry[u] : o->entry[u]] = u;
  for (int i = 0; i < f->n; i++) {
    FOR_EACH_PAIR(f, i, where, {
      SptrsvPair *pair = &o->pair[o->pair_ptr[unknown[e]]++];

      pair->left = p;
      pair->up   = q;
    });
  }
  memmove(o->pair_ptr + 1, o->pair_ptr, (size_t)o->unknowns * sizeof(*o->pair_ptr)); /* each had become the unknown's end */
  o->pair_ptr[0] = 0;
}

SptrsvStatus sptrsvOperandsCreate(const SptrsvPattern *f, SptrsvOperands *o)
{
  int         *where = NULL, *count = NULL, *level = NULL, *begin = NULL;
  SptrsvStatus status;

  memset(o, 0, sizeof(*o));
  if ((status = sptrsvNew(f->n, &where)) || (status = sptrsvNew(f->nnz, &count)) || (status = sptrsvNew(f->nnz, &level))) goto done;
  for (int i = 0; i < f->n; i++) where[i] = -1;
  CountPairs(f, where, count, level);
  if ((status = SortUnknowns(f, count, level, &begin, o)) || (status = CutChunks(begin, o))) goto done;
  if ((status = sptrsvNew(o->pair_ptr[o->unknowns], &o->pair))) goto done;
  FillPairs(f, where, level, o); /* levels have served */
  if ((status = sptrsvNew(f->nnz, &o->pivot))) goto done;
  for (int i = 0; i < f->n; i++) {
    for (int e = f->row_ptr[i]; e < f->row_ptr[i + 1]; e++) o->pivot[e] = e < f->split[i] ? f->split[f->col_idx[e]] : -1;
  }
done:
  free(where);
  free(count);
  free(level);
  free(begin);
  return status;
}

void sptrsvOperandsFree(SptrsvOperands *o)
{
  free(o->chunk);
  free(o->entry);
  free(o->pair_ptr);
  free(o->pair);
  free(o->pivot);
  memset(o, 0, sizeof(*o));
}
