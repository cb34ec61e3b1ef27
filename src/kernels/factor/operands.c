/* Who needs whom in an ILU(0): entry (i, j) needs l(i, k), u(k, j) and the pivot of k for all k < min(i, j) where both are stored. */
#include <stdlib.h>
#include <string.h>
#include "../impl.h"

/* Calls of `pair` for each (p, q) and its entry, rows ascending and p ascending in a row, so that operands are always complete */
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

/* Unknowns, those with pairs and all diagonals, in the order of levels; `slot` [nnz]: unknown of an entry */
static SptrsvStatus SortUnknowns(const SptrsvPattern *f, const int *count, const int *level, int *slot, SptrsvOperands *o)
{
  int *next;

  for (int i = 0; i < f->n; i++) {
    for (int e = f->row_ptr[i]; e < f->row_ptr[i + 1]; e++) {
      if (!count[e] && e != f->split[i]) continue;
      o->unknowns++;
      o->levels = Max(o->levels, level[e] + 1);
    }
  }
  SPTRSV_TRY(sptrsvNew(o->unknowns, &o->entry));
  SPTRSV_TRY(sptrsvNew((size_t)o->unknowns + 1, &o->pair_ptr));
  SPTRSV_TRY(sptrsvNew(o->levels + 1, &o->level_ptr));
  SPTRSV_TRY(sptrsvNew(o->levels + 1, &next));
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < f->n; i++) {
      for (int e = f->row_ptr[i]; e < f->row_ptr[i + 1]; e++) {
        if (!count[e] && e != f->split[i]) continue;
        if (!pass) o->level_ptr[level[e] + 1]++;
        else o->entry[next[level[e]]++] = e;
      }
    }
    if (pass) break;
    for (int l = 0; l < o->levels; l++) o->level_ptr[l + 1] += o->level_ptr[l];
    memcpy(next, o->level_ptr, (size_t)(o->levels + 1) * sizeof(*next));
  }
  free(next);
  for (int u = 0; u < o->unknowns; u++) {
    slot[o->entry[u]]  = u;
    o->pair_ptr[u + 1] = o->pair_ptr[u] + (size_t)count[o->entry[u]];
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvOperandsCreate(const SptrsvPattern *f, SptrsvOperands *o)
{
  int         *where = NULL, *count = NULL, *level = NULL, *slot = NULL;
  SptrsvStatus status;

  memset(o, 0, sizeof(*o));
  if ((status = sptrsvNew(f->n, &where)) || (status = sptrsvNew(f->nnz, &count)) || (status = sptrsvNew(f->nnz, &level)) || (status = sptrsvNew(f->nnz, &slot))) goto done;
  for (int i = 0; i < f->n; i++) where[i] = -1;
  CountPairs(f, where, count, level);
  if ((status = SortUnknowns(f, count, level, slot, o))) goto done;
  if ((status = sptrsvNew(o->pair_ptr[o->unknowns], &o->left)) || (status = sptrsvNew(o->pair_ptr[o->unknowns], &o->up))) goto done;
  memset(count, 0, (size_t)f->nnz * sizeof(*count));
  for (int i = 0; i < f->n; i++) {
    FOR_EACH_PAIR(f, i, where, {
      const size_t at = o->pair_ptr[slot[e]] + (size_t)count[e]++;

      o->left[at] = p;
      o->up[at]   = q;
    });
  }
done:
  free(where);
  free(count);
  free(level);
  free(slot);
  return status;
}

void sptrsvOperandsFree(SptrsvOperands *o)
{
  free(o->entry);
  free(o->pair_ptr);
  free(o->left);
  free(o->up);
  free(o->level_ptr);
  memset(o, 0, sizeof(*o));
}
