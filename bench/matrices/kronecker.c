/* kronecker.c - Lower triangles of the graphs of Graph500. */
#include "kronecker.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where the first, the second and the third quarter of the initiator end: 0.57, 0.19, 0.19 of 2^32 */
static const uint32_t FIRST = 2448131359U, SECOND = 3264175145U, THIRD = 4080218931U;

/* xorshift64* of Marsaglia and Vigna, whose upper half is more random */
static uint32_t draw(uint64_t *state)
{
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (uint32_t)((*state * UINT64_C(2685821657736338717)) >> 32);
}

static int32_t *random_numbering(int32_t n, uint64_t *state)
{
  int32_t *number = malloc((size_t)n * sizeof *number);

  for (int32_t i = 0; number && i < n; i++) {
    const int32_t j = (int32_t)(((uint64_t)draw(state) * (uint64_t)(i + 1)) >> 32);

    number[i] = number[j];
    number[j] = i;
  }
  return number;
}

/* Bit by bit: row and column of the quarter, without branches */
static void draw_edge(int scale, uint64_t *state, int32_t *row, int32_t *col)
{
  *row = *col = 0;
  for (int k = 0; k < scale; k++) {
    const uint32_t r = draw(state);

    *row = 2 * *row + (r >= SECOND);
    *col = 2 * *col + (r >= FIRST) - (r >= SECOND) + (r >= THIRD);
  }
}

static int64_t draw_entries(const Kronecker *graph, int64_t edges, const int32_t *number, uint64_t *state, CsrEntry *entries)
{
  int64_t count = 0;

  for (int64_t k = 0; k < edges; k++) {
    int32_t i, j;

    draw_edge(graph->scale, state, &i, &j);
    if (i == j) continue;
    i                = number[i];
    j                = number[j];
    entries[count++] = (CsrEntry){i > j ? i : j, i > j ? j : i, -1};
  }
  return count;
}

bool kronecker_create(const Kronecker *graph, CsrMatrix *A, char *error, size_t size)
{
  const int32_t n     = (int32_t)1 << graph->scale;
  const int64_t edges = (int64_t)(graph->edge_factor * n);
  uint64_t      state = graph->seed;
  CsrEntry     *entries;
  int32_t      *number;
  bool          ok;

  if (edges >= INT32_MAX) return csr_matrix_fail(error, size, "more edges than 32-bit indices hold");
  for (int k = 0; k < 8; k++) (void)draw(&state); /* the first numbers of small seeds are similar */
  entries = malloc((size_t)(edges + 1) * sizeof *entries);
  number  = random_numbering(n, &state);
  ok      = entries && number && csr_matrix_assemble(n, entries, draw_entries(graph, edges, number, &state, entries), A);
  free(entries);
  free(number);
  return ok || csr_matrix_fail(error, size, "out of memory for %lld edges", (long long)edges);
}

bool is_kronecker(const char *spec) { return !strncmp(spec, "kron:", 5); }

bool kronecker_parse(const char *spec, Kronecker *graph, char *error, size_t size)
{
  const char *text = spec + strlen("kron:");
  char       *end;
  long        scale;
  bool        ok;

  graph->seed = 1;
  scale       = strtol(text, &end, 10);
  ok          = end != text && scale >= 0 && scale <= KRONECKER_SCALE && !strncmp(end, ",ef=", 4);
  if (ok) {
    text               = end + 4;
    graph->edge_factor = strtod(text, &end);
    ok                 = end != text && graph->edge_factor >= 0 && graph->edge_factor <= 1e6;
  }
  if (ok && !strncmp(end, ",seed=", 6)) {
    text        = end + 6;
    graph->seed = strtoull(text, &end, 10);
    ok          = end != text && graph->seed;
  }
  graph->scale = (int)scale;
  return (ok && !*end) || csr_matrix_fail(error, size, "%s: graphs are kron:SCALE,ef=F, perhaps with ,seed=S, of scale 0 to %d", spec,
                                          (int)KRONECKER_SCALE);
}
