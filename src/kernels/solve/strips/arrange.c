/* Cuts a topological order into strips, and strips into chunks.  See doc/algorithms/strips.md. */
#include <stdlib.h>
#include <string.h>
#include "strips.h"

enum { WARP = SPTRSV_WARP };

typedef struct {
  const SptrsvOrdered *unknowns;
  const int           *level;
  int                 *sorted, *place, *strip; /* [n] unknowns in the order of their places; of each unknown */
} Arrangement;

/* Stably, by the key of each unknown */
static SptrsvStatus sort_by(const int *key, int n, const int *from, int *to)
{
  int         *next = NULL, keys;
  SptrsvStatus status = sptrsvLevelPointers(n, key, &keys, &next);

  for (int q = 0; !status && q < n; q++) to[next[key[from[q]]]++] = from[q];
  free(next);
  return status;
}

/* Cuts the order into strips, each in level order; unknowns of a level stay as they were */
static SptrsvStatus sort_unknowns(const Arrangement *a, const int *order, int rows)
{
  const int n = a->unknowns->n;
  int      *by_level = a->place; /* which is not used yet */

  for (int q = 0; q < n; q++) {
    a->sorted[q]           = order ? order[q] : q;
    a->strip[a->sorted[q]] = q / rows;
  }
  SPTRSV_TRY(sort_by(a->level, n, a->sorted, by_level));
  return sort_by(a->strip, n, by_level, a->sorted);
}

/* Places of a strip's unknowns from `next` on.  Levels share a chunk, and a level that does not fit into what is left of one begins
   another. */
static int place_strip(const Arrangement *a, int begin, int end, int next)
{
  for (int q = begin; q < end;) {
    const int level = a->level[a->sorted[q]];
    int       last  = q;

    while (last < end && a->level[a->sorted[last]] == level) last++;
    if (next % WARP + last - q > WARP) next = (next + WARP - 1) / WARP * WARP;
    for (; q < last; q++) a->place[a->sorted[q]] = next++;
  }
  return (next + WARP - 1) / WARP * WARP;
}

static bool is_near(const Arrangement *a, int i, int j)
{
  return a->strip[i] == a->strip[j] && a->place[i] / WARP * WARP - a->place[j] <= SPTRSV_STRIP_RING - WARP;
}

/* Entries of the lanes of chunk c, and the levels in it */
static void measure_chunk(const Arrangement *a, int c, SptrsvStrips *s)
{
  SptrsvStripChunk *chunk = &s->chunk[c];
  int               near_per = 1, far_per = 0, steps = 0, last = -1;

  *chunk = (SptrsvStripChunk){.near = s->near_slots, .far = s->far_slots};
  for (int p = c * WARP; p < (c + 1) * WARP && s->unknown[p] >= 0; p++) {
    const int i       = s->unknown[p];
    int       near_of = 0, far_of = 0;

    for (int e = a->unknowns->row_ptr[i]; e < a->unknowns->row_ptr[i + 1]; e++) {
      const int j = a->unknowns->col_idx[e];

      if (is_near(a, i, j)) near_of++;
      else {
        far_of++;
        s->mark[a->place[j]] |= SPTRSV_STRIP_FAR;
      }
    }
    if (near_of > near_per) near_per = near_of;
    if (far_of > far_per) far_per = far_of;
    if (last >= 0 && a->level[i] != last) steps++;
    last = a->level[i];
    s->mark[p] |= (unsigned short)(steps << 1);
  }
  for (int p = c * WARP; p < (c + 1) * WARP; p++) s->mark[p] |= (unsigned short)(steps << 7 | (near_per - 1) / SPTRSV_STRIP_GROUP << 13);
  if (near_per > s->most) s->most = near_per;
  if (far_per > s->most) s->most = far_per;
  chunk->per = (unsigned)near_per | (unsigned)far_per << 8;
  s->near_slots += WARP * near_per;
  s->far_slots += WARP * far_per;
}

static void fill_chunk(const Arrangement *a, int c, int first_place, const SptrsvStrips *s)
{
  const SptrsvStripChunk *chunk = &s->chunk[c];

  for (int lane = 0; lane < WARP; lane++) {
    const int i     = s->unknown[c * WARP + lane];
    int       nears = 0, fars = 0;

    for (int e = i < 0 ? 0 : a->unknowns->row_ptr[i]; i >= 0 && e < a->unknowns->row_ptr[i + 1]; e++) {
      const int j = a->unknowns->col_idx[e];

      if (is_near(a, i, j)) {
        s->near_place[chunk->near + WARP * nears + lane]    = (unsigned short)(WARP + (a->place[j] - first_place) % SPTRSV_STRIP_RING);
        s->near_source[chunk->near + WARP * nears++ + lane] = a->unknowns->source[e];
      } else {
        s->far_place[chunk->far + WARP * fars + lane]    = a->place[j];
        s->far_source[chunk->far + WARP * fars++ + lane] = a->unknowns->source[e];
      }
    }
    for (; nears < SPTRSV_STRIP_NEAR_PER(*chunk); nears++) s->near_source[chunk->near + WARP * nears + lane] = SPTRSV_PADDING;
    for (; fars < SPTRSV_STRIP_FAR_PER(*chunk); fars++) {
      s->far_place[chunk->far + WARP * fars + lane]  = -1;
      s->far_source[chunk->far + WARP * fars + lane] = SPTRSV_PADDING;
    }
  }
}

/* Places of all unknowns, and the strips' chunks */
static SptrsvStatus place_unknowns(const Arrangement *a, int rows, SptrsvStrips *s)
{
  const int n    = a->unknowns->n;
  int64_t   next = 0;

  for (int t = 0; t < s->strips && next < SPTRSV_MOST; t++) {
    const int begin = t * rows, end = n - begin < rows ? n : begin + rows;

    next                = place_strip(a, begin, end, (int)next);
    s->strip_ptr[t + 1] = (int)(next / WARP);
  }
  if (next >= SPTRSV_MOST) return SPTRSV_TOO_LARGE;
  s->chunks = (int)(next / WARP);
  SPTRSV_TRY(sptrsvNew(next, &s->unknown));
  for (int64_t p = 0; p < next; p++) s->unknown[p] = -1;
  for (int i = 0; i < n; i++) s->unknown[a->place[i]] = i;
  return SPTRSV_SUCCESS;
}

static SptrsvStatus place_entries(const Arrangement *a, SptrsvStrips *s)
{
  SPTRSV_TRY(sptrsvNew(s->chunks, &s->chunk));
  SPTRSV_TRY(sptrsvNew((size_t)s->chunks * WARP, &s->mark));
  for (int c = 0; c < s->chunks; c++) {
    if (s->near_slots >= SPTRSV_MOST || s->far_slots >= SPTRSV_MOST) return SPTRSV_TOO_LARGE;
    measure_chunk(a, c, s);
  }
  SPTRSV_TRY(sptrsvNew(s->near_slots, &s->near_place));
  SPTRSV_TRY(sptrsvNew(s->near_slots, &s->near_source));
  SPTRSV_TRY(sptrsvNew(s->far_slots, &s->far_place));
  SPTRSV_TRY(sptrsvNew(s->far_slots, &s->far_source));
  for (int t = 0; t < s->strips; t++) {
    for (int c = s->strip_ptr[t]; c < s->strip_ptr[t + 1]; c++) fill_chunk(a, c, s->strip_ptr[t] * WARP, s);
  }
  return SPTRSV_SUCCESS;
}

/* If a path crosses all strips, n / rows hops of 0.9 us are as long as rows / 32 steps of 0.12 us, which the last strip takes, with
   sqrt(240 n) rows.  A power of two, since lines of grids often are. */
int sptrsvStripsRows(int n)
{
  int rows = 256;

  while (rows < 16384 && 4.0 * rows * rows <= 240.0 * n) rows *= 2;
  return rows;
}

SptrsvStatus sptrsvStripsArrange(const SptrsvOrdered *unknowns, const int *level, const int *order, int rows, SptrsvStrips *strips)
{
  const int    n = unknowns->n;
  Arrangement  a = {.unknowns = unknowns, .level = level};
  SptrsvStatus status;

  *strips        = (SptrsvStrips){0};
  strips->strips = (int)(((int64_t)n + rows - 1) / rows);
  status         = sptrsvNew(strips->strips + 1, &strips->strip_ptr);
  if (!status) status = sptrsvNew(n, &a.sorted);
  if (!status) status = sptrsvNew(n, &a.place);
  if (!status) status = sptrsvNew(n, &a.strip);
  if (!status) status = sort_unknowns(&a, order, rows);
  if (!status) status = place_unknowns(&a, rows, strips);
  if (!status) status = place_entries(&a, strips);
  free(a.sorted);
  free(a.place);
  free(a.strip);
  return status;
}

void sptrsvStripsFree(SptrsvStrips *strips)
{
  free(strips->strip_ptr);
  free(strips->chunk);
  free(strips->unknown);
  free(strips->mark);
  free(strips->near_place);
  free(strips->near_source);
  free(strips->far_place);
  free(strips->far_source);
  memset(strips, 0, sizeof(*strips));
}
