/* zoo.c - The matrices: patterns, then values. */
#include "zoo.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

typedef struct { /* a list of entries, in any order, repeated or not */
  int n, count, room, (*entry)[2];
} Builder;

static void add_entry(Builder *builder, int i, int j)
{
  if (i < 0 || j < 0 || i >= builder->n || j >= builder->n) return;
  if (builder->count == builder->room) {
    builder->room  = 2 * builder->room + 64;
    builder->entry = realloc(builder->entry, (size_t)builder->room * sizeof(*builder->entry));
    if (!builder->entry) abort();
  }
  builder->entry[builder->count][0]   = i;
  builder->entry[builder->count++][1] = j;
}

static void add_both(Builder *builder, int i, int j)
{
  add_entry(builder, i, j);
  add_entry(builder, j, i);
}

/* ---------------------------------------------------------- patterns -------------------------------------------------------- */

static void diagonal_only(Builder *builder)
{
  (void)builder; /* the diagonal is added to all patterns */
}

static void chain(Builder *builder)
{
  for (int i = 1; i < builder->n; i++) add_both(builder, i, i - 1);
}

static void bidiagonal_upper(Builder *builder)
{
  for (int i = 1; i < builder->n; i++) add_entry(builder, i - 1, i);
}

static void grid2d(Builder *builder)
{
  const int m = (int)sqrt((double)builder->n);

  for (int i = 0; i < builder->n; i++) {
    if (i % m) add_both(builder, i, i - 1);
    add_both(builder, i, i - m);
  }
}

static void grid3d(Builder *builder)
{
  const int m = (int)cbrt(builder->n + 0.5);

  for (int i = 0; i < builder->n; i++) {
    if (i % m) add_both(builder, i, i - 1);
    if (i / m % m) add_both(builder, i, i - m);
    add_both(builder, i, i - m * m);
  }
}

static void blocks(Builder *builder) /* a 2D grid with 4 unknowns to a point */
{
  const int m = builder->n < 4 ? 1 : (int)sqrt(builder->n / 4.0);

  for (int i = 0; i < builder->n; i++) {
    for (int f = 0; f < 4; f++) {
      const int point = i / 4;

      add_entry(builder, i, 4 * point + f);
      if (point % m) add_entry(builder, i, 4 * (point - 1) + f);
      if (point % m < m - 1) add_entry(builder, i, 4 * (point + 1) + f);
      add_entry(builder, i, 4 * (point - m) + f);
      add_entry(builder, i, 4 * (point + m) + f);
    }
  }
}

static void mixed_blocks(Builder *builder) /* a chain of points with 1 to 8 unknowns, some also coupled with the last but two */
{
  int *first = calloc((size_t)builder->n + 1, sizeof(*first));

  if (!first) abort();
  for (int p = 0; first[p] < builder->n; p++) {
    first[p + 1] = first[p] + 1 + p % 8 < builder->n ? first[p] + 1 + p % 8 : builder->n;
    for (int i = first[p]; i < first[p + 1]; i++) {
      for (int j = first[p ? p - 1 : 0]; j < first[p + 1]; j++) add_both(builder, i, j);
      for (int j = first[p > 2 ? p - 3 : 0]; p % 3 && p > 2 && j < first[p - 2]; j++) add_both(builder, i, j);
    }
  }
  free(first);
}

static void dense_row(Builder *builder) /* the last row, with a chain above it */
{
  chain(builder);
  for (int j = 0; j < builder->n; j++) add_entry(builder, builder->n - 1, j);
}

static void dense_column(Builder *builder)
{
  chain(builder);
  for (int i = 0; i < builder->n; i++) add_entry(builder, i, 0);
}

static void dense_middle(Builder *builder) /* row and column in the middle, long in both triangles */
{
  for (int i = 0; i < builder->n; i++) add_both(builder, i, builder->n / 2);
}

static void long_rows(Builder *builder) /* one row in eight is long; the others need their neighbours */
{
  chain(builder);
  for (int i = 7; i < builder->n; i += 8) {
    for (int j = 0; j < builder->n; j += 2) add_entry(builder, i, j);
  }
}

static void arrow(Builder *builder) /* last row and last column */
{
  for (int i = 0; i < builder->n; i++) add_both(builder, i, builder->n - 1);
}

static void star(Builder *builder) /* all rows need the first one, and no other */
{
  for (int i = 0; i < builder->n; i++) add_both(builder, i, 0);
}

static void islands(Builder *builder) /* two rows of three are empty below the diagonal */
{
  for (int i = 3; i < builder->n; i += 3) {
    add_entry(builder, i, i - 3);
    add_entry(builder, i, i - 2);
    add_entry(builder, i - 1, i);
  }
}

static void unsymmetric(Builder *builder)
{
  uint64_t seed = 11;

  for (int i = 0; i < builder->n; i++) {
    for (int k = 0; k < 3; k++) add_entry(builder, i, (int)(random_unit(&seed) * i));
    if (i % 5 == 0) add_entry(builder, i, i + 1 + (int)(random_unit(&seed) * (builder->n - i)));
  }
}

static void random_pattern(Builder *builder)
{
  uint64_t seed = 5;

  for (int k = 0; k < 4 * builder->n; k++)
    add_entry(builder, (int)(random_unit(&seed) * builder->n), (int)(random_unit(&seed) * builder->n));
}

static void power_law(Builder *builder) /* most entries are in the first columns */
{
  uint64_t seed = 7;

  for (int i = 1; i < builder->n; i++) {
    for (int k = 0; k < 3; k++) add_both(builder, i, (int)(pow(random_unit(&seed), 4) * i));
  }
}

static void full(Builder *builder)
{
  for (int i = 0; i < builder->n; i++) {
    for (int j = 0; j < builder->n; j++) add_entry(builder, i, j);
  }
}

/* Row i needs row i - 1, rows i - 31 to i - 33 and i - 255 to i - 257: the same warp, other warps, other blocks */
static void warp_edges(Builder *builder)
{
  static const int back[] = {1, 31, 32, 33, 255, 256, 257};

  for (int i = 0; i < builder->n; i++) {
    for (int k = 0; k < 7; k++) {
      if ((i + k) % 3) add_both(builder, i, i - back[k]);
    }
  }
}

/* Chains are a little longer than a block of kernels has threads: each of their rows takes a GPU a microsecond, or a launch. */
static const struct {
  const char *name;
  int         n, quick;
  void (*build)(Builder *b);
  bool diagonal;
} animals[] = {
  {"none",          0,     0,   diagonal_only,    true },
  {"one",           1,     1,   diagonal_only,    true },
  {"two",           2,     2,   full,             true },
  {"diagonal",      1000,  70,  diagonal_only,    true },
  {"chain",         300,   70,  chain,            true },
  {"bidiagonal",    300,   40,  bidiagonal_upper, true },
  {"grid2d",        1600,  144, grid2d,           true },
  {"grid3d",        1728,  125, grid3d,           true },
  {"blocks",        1024,  144, blocks,           true },
  {"dense-row",     300,   90,  dense_row,        true },
  {"dense-column",  300,   90,  dense_column,     true },
  {"dense-middle",  1500,  90,  dense_middle,     true },
  {"very-long-row", 17000, 600, dense_middle,     true }, /* above 8192 entries: where rows are cut */
  {"long-rows",     544,   80,  long_rows,        true }, /* above 256 entries */
  {"arrow",         900,   70,  arrow,            true },
  {"star",          900,   70,  star,             true },
  {"islands",       300,   70,  islands,          true },
  {"unsymmetric",   1100,  90,  unsymmetric,      true },
  {"random",        1300,  90,  random_pattern,   true },
  {"power-law",     1500,  90,  power_law,        true },
  {"full",          100,   40,  full,             true },
  {"warp-edges",    1300,  300, warp_edges,       true },
  {"no-diagonal",   800,   80,  grid2d,           false},
  {"no-entries",    50,    50,  diagonal_only,    false},
  {"mixed-blocks",  300,   80,  mixed_blocks,     true }  /* last: programs have numbers of those above */
};

int zoo_count(void)
{
  return (int)(sizeof(animals) / sizeof(animals[0]));
}

/* ---------------------------------------------------------- matrices -------------------------------------------------------- */

static int compare_entries(const void *x, const void *y)
{
  const int *a = x, *b = y;

  return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

static void assemble_rows(Builder *builder, ZooMatrix *A)
{
  A->n       = builder->n;
  A->row_ptr = place_new(SPTRSV_HOST, (size_t)(builder->n + 1) * sizeof(int32_t), NULL);
  A->col_idx = place_new(SPTRSV_HOST, (size_t)builder->count * sizeof(int32_t), NULL);
  A->values  = place_new(SPTRSV_HOST, (size_t)builder->count * sizeof(double), NULL);
  memset(A->row_ptr, 0, (size_t)(builder->n + 1) * sizeof(int32_t));
  if (builder->count) qsort(builder->entry, (size_t)builder->count, sizeof(*builder->entry), compare_entries);
  for (int k = 0; k < builder->count; k++) {
    if (k && !compare_entries(builder->entry[k - 1], builder->entry[k])) continue;
    if (builder->entry[k][0] == builder->entry[k][1] && !A->diagonal) continue;
    A->col_idx[A->nnz++] = builder->entry[k][1];
    A->row_ptr[builder->entry[k][0] + 1]++;
  }
  for (int i = 0; i < builder->n; i++) A->row_ptr[i + 1] += A->row_ptr[i];
}

void zoo_randomize(ZooMatrix *A, uint64_t seed)
{
  int *column = calloc((size_t)A->n + 1, sizeof(*column)); /* entries in each */

  if (!column) abort();
  for (int e = 0; e < A->nnz; e++) column[A->col_idx[e]]++;
  for (int i = 0; i < A->n; i++) {
    const int row = A->row_ptr[i + 1] - A->row_ptr[i];

    for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) {
      const int    j    = A->col_idx[e];
      const double sign = random_unit(&seed) < 0.5 ? -1 : 1, size = random_unit(&seed);

      A->values[e] = i == j ? sign * (1 + size) : sign * (0.1 + 0.9 * size) * 0.9 / (row > column[j] ? row : column[j]);
    }
  }
  free(column);
}

void zoo_create(int k, bool quick, ZooMatrix *A)
{
  const int n = quick ? animals[k].quick : animals[k].n;
  Builder   b = {.n = n < test_rows() ? n : test_rows()};

  *A = (ZooMatrix){.name = animals[k].name, .diagonal = animals[k].diagonal};
  animals[k].build(&b);
  for (int i = 0; i < b.n; i++) add_entry(&b, i, i);
  assemble_rows(&b, A);
  zoo_randomize(A, (uint64_t)k + 1);
  free(b.entry);
}

void zoo_destroy(ZooMatrix *A)
{
  free(A->row_ptr);
  free(A->col_idx);
  free(A->values);
  memset(A, 0, sizeof(*A));
}

SptrsvCsr zoo_csr(const ZooMatrix *A)
{
  return (SptrsvCsr){A->n, A->nnz, A->row_ptr, A->col_idx, SPTRSV_INT32, SPTRSV_HOST};
}

void *zoo_values(const ZooMatrix *A, SptrsvValueType type, bool inverted, SptrsvLocation location)
{
  const size_t size   = value_size(type);
  char        *values = place_new(SPTRSV_HOST, (size_t)A->nnz * size, NULL);
  void        *placed;

  for (int i = 0; i < A->n; i++) {
    for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) {
      const double value = inverted && A->col_idx[e] == i ? 1 / A->values[e] : A->values[e];

      set_value(type, values, e, value);
    }
  }
  placed = place_new(location, (size_t)A->nnz * size, values);
  free(values);
  return placed;
}
