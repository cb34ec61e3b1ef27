/* Windows of rows, their order, their chunks, and the model of threads. */
#include <stdlib.h>
#include <string.h>
#include "windows.h"

enum {
  SMALLEST = 256, LARGEST = 16384, /* rows of a window of several threads */
  LENGTHS = 8,                     /* lengths of rows that are told apart */
  CHUNK = 1024,                    /* rows + entries of a chunk, which take about a microsecond */
  HANDOVER = 500,                  /* time that a chunk's flag takes to another processor, in that of a row or entry */
  CROSSING = 3,                    /* and what an entry takes more whose value comes from there */
  GUESSES = 1 << 14,               /* places of a table of six lengths */
  PIECE = 1 << 15,                 /* rows in the middle that the model looks at */
  CACHE = 64000000                 /* bytes; the model takes a factor of more to come from memory in each sweep */
};
/* Cycles of a processor: of a row; of its entry; of the index of a row, which rows as they are do without; lost by a branch guessed wrong;
   from a value to the one that it is needed for.  And the operations that it has under way at most.  doc/algorithms/host-windows.md has the
   measurements to which these were fitted. */
static const double ROW = 2, ENTRY = 1.5, INDEX = 1.5, WRONG_GUESS = 10, LATENCY = 17, MICRO_OPS = 512;
static const double BYTE = 0.3; /* cycles of a byte from memory */
static const double WORTHWHILE = 0.97; /* that a larger window must save: it needs more of the cache */
/* Part of the time that a thread must work to be worth it, and for which no larger windows are tried */
static const double BUSY = 0.65, GOOD = 0.9;

/* level (host [end - begin]) of each row in its window; returns the number of levels */
static int window_levels(const SptrsvRows *rows, int begin, int end, int *level)
{
  int levels = 0;

  for (int r = begin; r < end; r++) {
    int l = 0; /* level(r) = 1 + max level(c) over the entries (r, c) in the window */

    for (int e = sptrsvBegin(rows, r), last = sptrsvEnd(rows, r); e < last; e++) {
      const int c = sptrsvNeeded(rows, e) - begin;

      if (c >= 0 && level[c] >= l) l = level[c] + 1;
    }
    level[r - begin] = l;
    if (l >= levels) levels = l + 1;
  }
  return levels;
}

static int window_end(int n, int window, int begin)
{
  return n - begin < window ? n : begin + window;
}

SptrsvStatus sptrsvWindowsOrder(const SptrsvRows *rows, int window, int *order)
{
  const int size = rows->n < window ? rows->n : window;
  int      *level, *place;

  SPTRSV_TRY(sptrsvNew((size_t)(1 + LENGTHS) * size + 1, &level));
  place = level + size; /* [levels][LENGTHS], and one more: place of the next row of each level and length */
  for (int begin = 0, end; begin < rows->n; begin = end) {
    size_t lists;

    end   = window_end(rows->n, window, begin);
    lists = (size_t)window_levels(rows, begin, end, level) * LENGTHS;
    memset(place, 0, (lists + 1) * sizeof(*place));
    for (int r = begin; r < end; r++) {
      const int length = sptrsvEnd(rows, r) - sptrsvBegin(rows, r);

      level[r - begin] = level[r - begin] * LENGTHS + (length < LENGTHS ? length : LENGTHS - 1);
      place[level[r - begin] + 1]++;
    }
    for (size_t l = 0; l < lists; l++) place[l + 1] += place[l];
    for (int r = begin; r < end; r++) order[begin + place[level[r - begin]]++] = r;
  }
  free(level);
  return SPTRSV_SUCCESS;
}

/* Whether the length of the next row is what followed the six lengths before it the last time, as a processor guesses its branches */
static bool is_guessed(unsigned char *guess, unsigned *before, int length)
{
  const unsigned char capped = (unsigned char)(length < 15 ? length : 15);
  unsigned char      *place  = &guess[(uint32_t)(*before * 2654435761U) / (UINT32_MAX / GUESSES + 1)]; /* Knuth's multiplicative hashing */
  const bool          right  = *place == capped;

  *place  = capped;
  *before = (*before << 4 | capped) & 0xffffff;
  return right;
}

/* Cycles of a processor in this order.  It takes one row after the other, but does not wait for a row's values before it takes the next,
   until the rows under way are as many as it can hold.  order: NULL for the rows as they are; done (host [n]): the end of each row. */
static double cycles(const SptrsvRows *rows, const int *order, double *done, unsigned char *guess)
{
  int64_t  entries = 0;
  unsigned before  = 0;
  double   clock   = 0;
  int      most;

  for (int r = 0; r < rows->n; r++) entries += sptrsvEnd(rows, r) - sptrsvBegin(rows, r);
  most = (int)(MICRO_OPS / (10 + 4 * (double)entries / rows->n)) + 1;
  memset(guess, 0, GUESSES);
  for (int k = 0; k < rows->n; k++) {
    const int r = order ? order[k] : k, begin = sptrsvBegin(rows, r), end = sptrsvEnd(rows, r);
    double    start;

    clock += ROW + ENTRY * (end - begin) + (order ? INDEX : 0);
    if (!is_guessed(guess, &before, end - begin)) clock += WRONG_GUESS;
    start = clock;
    for (int e = begin; e < end; e++) {
      const int needed = sptrsvNeeded(rows, e);

      if (needed >= 0 && done[needed] > start) start = done[needed];
    }
    done[r] = start + LATENCY;
    if (k >= most) {
      const double oldest = done[order ? order[k - most] : k - most];

      if (oldest > clock) clock = oldest;
    }
  }
  return clock;
}

/* Bytes that a sweep of doubles reads and writes: entries with columns; for each row its end, b, x and, in windows, its index */
static double bytes(const SptrsvRows *rows, bool windows)
{
  double sum = 0;

  for (int r = 0; r < rows->n; r++) sum += 12.0 * (sptrsvEnd(rows, r) - sptrsvBegin(rows, r)) + (windows ? 24 : 20);
  return sum;
}

/* The rows in the middle that stand for all */
static SptrsvRows middle(const SptrsvRows *rows)
{
  SptrsvRows piece = *rows;

  if (rows->n > PIECE) {
    piece.n      = PIECE;
    piece.before = (rows->n - PIECE) / 2;
  }
  return piece;
}

static double slower(double a, double b)
{
  return a > b ? a : b;
}

SptrsvStatus sptrsvWindowsChoose(const SptrsvRows *rows, int *window)
{
  static const int sizes[] = {256, 2048, 8192, PIECE};
  const SptrsvRows piece   = middle(rows);
  const double     memory  = 12.0 * rows->pattern->row_ptr[rows->pattern->n] > CACHE ? BYTE : 0;
  unsigned char   *guess   = NULL;
  double          *done    = NULL, least;
  int             *order;
  SptrsvStatus     status;

  *window = 1;
  if (!piece.n) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvNew(piece.n, &order));
  status = sptrsvNew(GUESSES, &guess);
  if (!status) status = sptrsvNew(piece.n, &done);
  if (!status) least = slower(cycles(&piece, NULL, done, guess), memory * bytes(&piece, false));
  for (size_t k = 0; !status && k < sizeof(sizes) / sizeof(*sizes) && (!k || sizes[k - 1] < piece.n); k++) {
    double c;

    status = sptrsvWindowsOrder(&piece, sizes[k], order);
    if (status) break;
    c = slower(cycles(&piece, order, done, guess), memory * bytes(&piece, true));
    if (c < WORTHWHILE * least) {
      least   = c;
      *window = sizes[k];
    }
  }
  free(guess);
  free(done);
  free(order);
  return status;
}

static int cost(const SptrsvRows *rows, int row)
{
  return 1 + sptrsvEnd(rows, row) - sptrsvBegin(rows, row);
}

/* Counts the chunks, and fills their lists if there are some */
static void cut_windows(const SptrsvRows *rows, const int *order, SptrsvChunks *c)
{
  int sum = 0;

  c->count = 0;
  for (int r = 0; r < rows->n; r++) {
    const bool opens = r % c->window == 0;

    if (opens || sum >= CHUNK) {
      if (c->begin) c->begin[c->count] = r;
      c->count++;
      sum = 0;
    }
    if (opens && c->first) c->first[r / c->window] = c->count - 1;
    sum += sum < CHUNK ? cost(rows, order[r]) : 0;
  }
}

/* chunk (host [n]): of each row, written before it is read, since rows need earlier rows only */
static void find_needs(const SptrsvRows *rows, const int *order, SptrsvChunks *chunks, int *chunk)
{
  for (int c = 0; c < chunks->count; c++) {
    int      *need = chunks->need + (size_t)c * (size_t)chunks->threads;
    const int me   = chunks->begin[c] / chunks->window % chunks->threads;

    for (int r = chunks->begin[c]; r < chunks->begin[c + 1]; r++) {
      chunk[order[r]] = c;
      chunks->cost[c] += cost(rows, order[r]);
      for (int e = sptrsvBegin(rows, order[r]), last = sptrsvEnd(rows, order[r]); e < last; e++) {
        const int needed = sptrsvNeeded(rows, e), owner = needed < 0 ? me : needed / chunks->window % chunks->threads;

        if (owner == me) continue;
        chunks->cost[c] += CROSSING;
        if (chunk[needed] >= need[owner]) need[owner] = chunk[needed] + 1;
      }
    }
  }
}

SptrsvStatus sptrsvChunksCreate(const SptrsvRows *rows, const int *order, int window, int threads, SptrsvChunks *chunks)
{
  int *chunk;

  *chunks = (SptrsvChunks){.threads = threads, .window = window, .windows = rows->n ? (rows->n - 1) / window + 1 : 0};
  cut_windows(rows, order, chunks);
  SPTRSV_TRY(sptrsvNew(chunks->count + 1, &chunks->begin));
  SPTRSV_TRY(sptrsvNew(chunks->windows + 1, &chunks->first));
  SPTRSV_TRY(sptrsvNew((size_t)chunks->count * (size_t)threads, &chunks->need));
  SPTRSV_TRY(sptrsvNew(chunks->count, &chunks->cost));
  SPTRSV_TRY(sptrsvNew(rows->n, &chunk));
  cut_windows(rows, order, chunks);
  chunks->begin[chunks->count]   = rows->n;
  chunks->first[chunks->windows] = chunks->count;
  find_needs(rows, order, chunks, chunk);
  free(chunk);
  return SPTRSV_SUCCESS;
}

void sptrsvChunksFree(SptrsvChunks *chunks)
{
  free(chunks->begin);
  free(chunks->first);
  free(chunks->need);
  free(chunks->cost);
  memset(chunks, 0, sizeof(*chunks));
}

/* A chunk begins when its thread has finished the one before and the flags of those that it needs have arrived */
static SptrsvStatus time_together(const SptrsvChunks *chunks, int64_t *together)
{
  int64_t *done, *clock; /* [count] when each chunk is finished, [threads] when each thread is */

  *together = 0;
  SPTRSV_TRY(sptrsvNew(chunks->count + chunks->threads, &done));
  clock = done + chunks->count;
  for (int c = 0; c < chunks->count; c++) {
    const int me   = chunks->begin[c] / chunks->window % chunks->threads;
    int64_t   time = clock[me];

    for (int t = 0; t < chunks->threads; t++) {
      const int last = chunks->need[(size_t)c * (size_t)chunks->threads + (size_t)t];

      if (last && done[last - 1] + HANDOVER > time) time = done[last - 1] + HANDOVER;
    }
    done[c] = clock[me] = time + chunks->cost[c];
    if (done[c] > *together) *together = done[c];
  }
  free(done);
  return SPTRSV_SUCCESS;
}

static SptrsvStatus model(const SptrsvRows *piece, int *order, int threads, int window, double *speedup)
{
  SptrsvChunks chunks;
  int64_t      alone = 0, together = 0;
  SptrsvStatus status;

  SPTRSV_TRY(sptrsvWindowsOrder(piece, window, order));
  status = sptrsvChunksCreate(piece, order, window, threads, &chunks);
  if (!status) status = time_together(&chunks, &together);
  sptrsvChunksFree(&chunks);
  for (int r = 0; r < piece->n; r++) alone += cost(piece, r);
  *speedup = together ? (double)alone / (double)together : 1;
  return status;
}

static SptrsvStatus best_share(const SptrsvRows *piece, int *order, int most, bool forced, int *threads, int *window, double *speedup)
{
  for (*threads = most; *threads > 1; *threads /= 2) {
    *speedup = 0;
    for (int size = SMALLEST; *speedup < GOOD * *threads && size <= LARGEST; size *= 2) {
      double s;

      SPTRSV_TRY(model(piece, order, *threads, size, &s));
      if (s > *speedup) {
        *speedup = s;
        *window  = size;
      }
    }
    if (forced || *speedup > BUSY * *threads) return SPTRSV_SUCCESS;
  }
  *speedup = 1;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvWindowsShare(const SptrsvRows *rows, int most, bool forced, int *threads, int *window, double *speedup)
{
  const SptrsvRows piece = middle(rows);
  SptrsvStatus     status;
  int             *order;

  SPTRSV_TRY(sptrsvNew(piece.n, &order));
  status = best_share(&piece, order, most, forced, threads, window, speedup);
  free(order);
  return status;
}
