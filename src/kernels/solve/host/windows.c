/* Windows of rows, their order, their chunks, and the model of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "windows.h"

enum {
  SMALLEST    = 256,
  LARGEST     = 16384,   /* rows of a window of several threads */
  LENGTHS     = 8,       /* lengths of rows that are told apart */
  CHUNK       = 1024,    /* rows + entries of a chunk, which take about a microsecond */
  HANDOVER    = 500,     /* time that a chunk's flag takes to another processor, in that of a row or entry */
  CROSSING    = 3,       /* and what an entry takes more whose value comes from there */
  GUESSES     = 1 << 14, /* places of a table of six lengths */
  PIECE       = 1 << 15, /* rows in the middle that the models look at, at most */
  LEAST_PIECE = 1 << 12, /* and at least */
  WINDOWS     = 16,      /* of each thread in a piece, unless it is the largest */
  FEW         = 4,       /* windows of each thread, too few for a gain where more of them lost */
  CACHE       = 64000000 /* bytes; the model takes a factor of more to come from memory in each sweep */
};
/* Cycles of a processor: of a row; of its entry; of the index of a row, which rows as they are do without; lost by a branch guessed wrong;
   from a value to the one that it is needed for.  And the operations that it has under way at most.  doc/algorithms/host-windows.md has the
   measurements to which these were fitted. */
static const double ROW = 2, ENTRY = 1.5, INDEX = 1.5, WRONG_GUESS = 10, LATENCY = 17, MICRO_OPS = 512;
static const double BYTE       = 0.3;  /* cycles of a byte from memory */
static const double WORTHWHILE = 0.97; /* that a larger window must save: it needs more of the cache */
/* Part of the time that a thread must work to be worth it, and for which no larger windows are tried */
static const double BUSY = 0.65, GOOD = 0.9;
static const double ALIKE = 0.02; /* speed-ups of two sweeps, relatively, that share alike */

/* list (host [end - begin]) of each row of a window: rows of a level are together, and in it those of a length.  Returns the number of
   lists. */
static int find_lists(const SptrsvRows *rows, int begin, int end, int *list)
{
  int lists = 0;

  for (int r = begin; r < end; r++) {
    const int first = sptrsvBegin(rows, r), length = sptrsvEnd(rows, r) - first;
    int       level = 0; /* of row r, times LENGTHS: 1 + max level(c) over the entries (r, c) in the window */

    for (int e = first; e < first + length; e++) {
      const int c = sptrsvNeeded(rows, e) - begin;

      if (c >= 0 && list[c] >= level) level = list[c] - list[c] % LENGTHS + LENGTHS;
    }
    list[r - begin] = level + (length < LENGTHS ? length : LENGTHS - 1);
    if (level >= lists) lists = level + LENGTHS;
  }
  return lists;
}

static int window_end(int n, int window, int begin)
{
  return n - begin < window ? n : begin + window;
}

SptrsvStatus sptrsvWindowsOrder(const SptrsvRows *rows, int window, int *order)
{
  const int size = rows->n < window ? rows->n : window;
  int      *list, *place;

  if (window == 1) {
    for (int r = 0; r < rows->n; r++) order[r] = r;
    return SPTRSV_SUCCESS;
  }
  SPTRSV_TRY(sptrsvNew((size_t)(1 + LENGTHS) * size + 1, &list));
  place = list + size; /* [lists + 1] of the next row of each */
  for (int begin = 0, end; begin < rows->n; begin = end) {
    int lists;

    end   = window_end(rows->n, window, begin);
    lists = find_lists(rows, begin, end, list);
    memset(place, 0, ((size_t)lists + 1) * sizeof(*place));
    for (int r = begin; r < end; r++) place[list[r - begin] + 1]++;
    for (int l = 0; l < lists; l++) place[l + 1] += place[l];
    for (int r = begin; r < end; r++) order[begin + place[list[r - begin]]++] = r;
  }
  free(list);
  return SPTRSV_SUCCESS;
}

/* Models a branch predictor: guesses a row's length from the six before it, and tells whether that is right */
static bool is_guessed(unsigned char *guess, unsigned *before, int length)
{
  const unsigned char capped = (unsigned char)(length < 15 ? length : 15);
  unsigned char      *place  = &guess[(uint32_t)(*before * 2654435761U) / (UINT32_MAX / GUESSES + 1)]; /* Knuth's multiplicative hashing */
  const bool          right  = *place == capped;

  *place  = capped;
  *before = (*before << 4 | capped) & 0xffffff;
  return right;
}

static int64_t entries_of(const SptrsvRows *rows)
{
  int64_t entries = 0;

  for (int r = 0; r < rows->n; r++) entries += sptrsvEnd(rows, r) - sptrsvBegin(rows, r);
  return entries;
}

/* Cycles of a processor in this order.  It takes one row after the other, but does not wait for a row's values before it takes the next,
   until the rows under way are as many as it can hold.  order: NULL for the rows as they are; done (host [n]): the end of each row. */
static double cycles(const SptrsvRows *rows, const int *order, double *done, unsigned char *guess)
{
  const int most   = (int)(MICRO_OPS / (10 + 4 * (double)entries_of(rows) / rows->n)) + 1;
  unsigned  before = 0;
  double    clock  = 0;

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

/* Returns the rows in the middle that stand for all */
static SptrsvRows middle(const SptrsvRows *rows, int most)
{
  SptrsvRows piece = *rows;

  if (rows->n > most) {
    piece.n      = most;
    piece.before = (rows->n - most) / 2;
  }
  return piece;
}

/* Memory for the model of one thread */
typedef struct {
  int           *order;       /* [piece] */
  double        *done;        /* [piece] */
  unsigned char *guess;       /* [GUESSES] */
  int            rows;        /* of the last piece */
  double         as_they_are; /* time of these rows */
} Model;

/* Takes the bytes of a sweep of doubles from those of entries with columns, and for each row of its end, b, x and, in windows, its index.
   order: NULL for the rows as they are */
static double time_of(const SptrsvRows *piece, const int *order, const Model *model)
{
  const double time  = cycles(piece, order, model->done, model->guess);
  const double bytes = 12.0 * (double)entries_of(piece) + (order ? 24.0 : 20.0) * piece->n;

  return 12.0 * piece->pattern->row_ptr[piece->pattern->n] > CACHE ? fmax(time, BYTE * bytes) : time;
}

/* Time in these windows against that of the rows as they are, for a piece of at least one window */
static SptrsvStatus time_in_windows(const SptrsvRows *rows, int window, Model *model, double *time)
{
  const SptrsvRows piece = middle(rows, window < LEAST_PIECE ? LEAST_PIECE : window);

  SPTRSV_TRY(sptrsvWindowsOrder(&piece, window, model->order));
  if (piece.n != model->rows) model->as_they_are = time_of(&piece, NULL, model);
  model->rows = piece.n;
  *time       = time_of(&piece, model->order, model) / model->as_they_are;
  return SPTRSV_SUCCESS;
}

/* The smallest window may be too small for the lines of a grid, but if a larger one is not worth it, none that is larger still is tried. */
SptrsvStatus sptrsvWindowsChoose(const SptrsvRows *rows, SptrsvMemory *scratch, int *window)
{
  static const int sizes[] = {256, 2048, 8192, PIECE};
  const int        n       = rows->n < PIECE ? rows->n : PIECE;
  double           least   = 1;
  Model            model   = {.rows = 0};

  *window = 1;
  if (!n) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvHostNew(scratch, n, &model.order));
  SPTRSV_TRY(sptrsvHostNew(scratch, n, &model.done));
  SPTRSV_TRY(sptrsvHostNew(scratch, GUESSES, &model.guess));
  for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes) && (!k || sizes[k - 1] < rows->n); k++) {
    double time;

    SPTRSV_TRY(time_in_windows(rows, sizes[k], &model, &time));
    if (time < WORTHWHILE * least) {
      least   = time;
      *window = sizes[k];
    } else if (k) break;
  }
  return SPTRSV_SUCCESS;
}

/* Fills the lists of chunks, for which there is room, and what their rows cost alone */
static void cut_windows(const SptrsvRows *rows, const int *order, SptrsvChunks *c)
{
  for (int w = 0; w < c->windows; w++) {
    const int end = window_end(rows->n, c->window, w * c->window);

    c->first[w] = c->count;
    for (int r = w * c->window; r < end; c->count++) {
      int64_t *sum = &c->cost[c->count];

      c->begin[c->count] = r;
      for (; r < end && *sum < CHUNK; r++) *sum += 1 + sptrsvEnd(rows, order[r]) - sptrsvBegin(rows, order[r]);
    }
  }
  c->begin[c->count]   = rows->n;
  c->first[c->windows] = c->count;
}

/* Adds to a chunk what its row needs of other threads.  It looks up entries that lead out of the row's window only: most do not. */
static void find_needs_of(const SptrsvRows *rows, int row, const int *chunk, SptrsvChunks *chunks, int c)
{
  const int  window = row - row % chunks->window, me = chunks->owner[c];
  const int *owner = chunks->owner;
  int       *need  = chunks->need + (size_t)c * (size_t)chunks->threads;
  int        far   = 0;

  for (int e = sptrsvBegin(rows, row), last = sptrsvEnd(rows, row); e < last; e++) {
    const int needed = sptrsvNeeded(rows, e);
    int       other;

    if (needed < 0 || needed >= window) continue;
    other = chunk[needed];
    if (owner[other] == me) continue;
    far++;
    if (other >= need[owner[other]]) need[owner[other]] = other + 1;
  }
  chunks->cost[c] += (int64_t)CROSSING * far;
}

/* chunk (host [n]): of each row, written before it is read, since rows need earlier rows only */
static void find_needs(const SptrsvRows *rows, const int *order, SptrsvChunks *chunks, int *chunk)
{
  for (int w = 0, c = 0; w < chunks->windows; w++) {
    for (; c < chunks->first[w + 1]; c++) {
      chunks->owner[c] = w % chunks->threads;
      for (int r = chunks->begin[c]; r < chunks->begin[c + 1]; r++) {
        chunk[order[r]] = c;
        find_needs_of(rows, order[r], chunk, chunks, c);
      }
    }
  }
}

SptrsvStatus sptrsvChunksCreate(const SptrsvRows *rows, const int *order, int window, int threads, SptrsvMemory *memory,
                                SptrsvChunks *chunks)
{
  const int64_t work    = (int64_t)rows->n + rows->pattern->nnz; /* at most: all chunks but the last of a window have enough of it */
  const int     windows = rows->n ? (rows->n - 1) / window + 1 : 0;
  const int64_t most    = windows + work / CHUNK + 1;
  int          *chunk;

  *chunks = (SptrsvChunks){.threads = threads, .window = window, .windows = windows};
  SPTRSV_TRY(sptrsvHostNew(memory, most, &chunks->begin));
  SPTRSV_TRY(sptrsvHostNew(memory, most, &chunks->cost));
  SPTRSV_TRY(sptrsvHostNew(memory, windows + 1, &chunks->first));
  cut_windows(rows, order, chunks);
  SPTRSV_TRY(sptrsvHostNew(memory, (size_t)chunks->count * (size_t)threads, &chunks->need));
  SPTRSV_TRY(sptrsvHostNew(memory, chunks->count, &chunks->owner));
  SPTRSV_TRY(sptrsvNew(rows->n, &chunk));
  find_needs(rows, order, chunks, chunk);
  free(chunk);
  return SPTRSV_SUCCESS;
}

/* A chunk begins when its thread has finished the one before and the flags of those that it needs have arrived */
static SptrsvStatus time_together(const SptrsvChunks *chunks, int64_t *together)
{
  int64_t *done, *clock; /* [count] when each chunk is finished, [threads] when each thread is */

  *together = 0;
  SPTRSV_TRY(sptrsvNew(chunks->count + chunks->threads, &done));
  clock = done + chunks->count;
  for (int c = 0; c < chunks->count; c++) {
    const int me   = chunks->owner[c];
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

/* Takes the speedup from the model, for a piece of several windows for each thread */
static SptrsvStatus speedup_of(const SptrsvRows *rows, int *order, int threads, int window, double *speedup)
{
  const int64_t    enough = (int64_t)threads * window * WINDOWS;
  const SptrsvRows piece  = middle(rows, enough < LEAST_PIECE ? LEAST_PIECE : enough < PIECE ? (int)enough : PIECE);
  SptrsvMemory     memory = {0};
  SptrsvChunks     chunks;
  int64_t          together = 0;
  SptrsvStatus     status;

  SPTRSV_TRY(sptrsvWindowsOrder(&piece, window, order));
  status = sptrsvChunksCreate(&piece, order, window, threads, &memory, &chunks);
  if (!status) status = time_together(&chunks, &together);
  sptrsvMemoryFree(&memory);
  *speedup = together ? (double)(piece.n + entries_of(&piece)) / (double)together : 1;
  return status;
}

/* Windows of some lines or planes of a grid are best, so the speed-up rises and falls with the size.  The search ends where it has fallen
   below what a thread must be worth, where few windows are left and all were slower than one thread, or where there is a single window, in
   which one thread does all: only a number that is forced may have that. */
static SptrsvStatus try_windows(const SptrsvRows *rows, int *order, SptrsvShare *share)
{
  const double worth = BUSY * share->threads;

  share->speedup = 0;
  for (int size = SMALLEST; share->speedup < GOOD * share->threads && size <= LARGEST; size *= 2) {
    double speedup = 1;

    if (size > SMALLEST && (share->forced ? size / 2 : size) >= rows->n) break;
    if (size > SMALLEST && !share->forced && share->speedup < 1 && (int64_t)FEW * share->threads * size > rows->n) break;
    if (share->speedup * size >= PIECE) break; /* no more threads work at a time than there are windows */
    if (size < rows->n) SPTRSV_TRY(speedup_of(rows, order, share->threads, size, &speedup));
    if (share->speedup > worth && speedup < worth) break;
    if (speedup > share->speedup) {
      share->speedup = speedup;
      share->window  = size;
    }
  }
  return SPTRSV_SUCCESS;
}

/* Whether what is known of another sweep holds for this one: mostly so where its pattern is the transpose of the other's.  A single window
   takes any sweep equally long, so it tells nothing. */
static SptrsvStatus is_known(const SptrsvRows *rows, int most, bool forced, int *order, const SptrsvShare *share, bool *known)
{
  double speedup;

  *known = false;
  if (share->rows != rows->n || share->most != most || share->forced != forced || share->window >= rows->n) return SPTRSV_SUCCESS;
  SPTRSV_TRY(speedup_of(rows, order, share->threads, share->window, &speedup));
  *known = fabs(speedup - share->speedup) < ALIKE * share->speedup;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvWindowsShare(const SptrsvRows *rows, int most, bool forced, SptrsvShare *share, SptrsvMemory *scratch, int *threads,
                                int *window, double *speedup)
{
  SptrsvShare found = {.rows = rows->n, .most = most, .forced = forced, .threads = 2 * most};
  int        *order;
  bool        known;

  SPTRSV_TRY(sptrsvHostNew(scratch, rows->n < PIECE ? rows->n : PIECE, &order));
  SPTRSV_TRY(is_known(rows, most, forced, order, share, &known));
  if (!known) {
    do {
      found.threads /= 2;
      SPTRSV_TRY(try_windows(rows, order, &found));
    } while (!forced && found.speedup <= BUSY * found.threads && found.threads > 3);
    *share = found;
  }
  if (!forced && share->speedup <= BUSY * share->threads) return SPTRSV_SUCCESS;
  *threads = share->threads;
  *window  = share->window;
  *speedup = share->speedup;
  return SPTRSV_SUCCESS;
}
