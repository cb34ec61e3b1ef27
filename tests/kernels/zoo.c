#include "zoo.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

typedef struct { /* a list of entries, in any order, repeated or not */
  int n, count, room, (*entry)[2];
} Builder;

static void Add(Builder *b, int i, int j)
{
  if (i < 0 || j < 0 || i >= b->n || j >= b->n) return;
  if (b->count == b->room) {
    b->room  = 2 * b->room + 64;
    b->entry = realloc(b->entry, (size_t)b->room * sizeof(*b->entry));
    if (!b->entry) abort();
  }
  b->entry[b->count][0]   = i;
  b->entry[b->count++][1] = j;
}

static void AddBoth(Builder *b, int i, int j)
{
  Add(b, i, j);
  Add(b, j, i);
}

/* ---------------------------------------------------------- patterns -------------------------------------------------------- */

static void Diagonal(Builder *b)
{
  (void)b; /* which all get */
}

static void Chain(Builder *b)
{
  for (int i = 1; i < b->n; i++) AddBoth(b, i, i - 1);
}

static void BidiagonalUpper(Builder *b)
{
  for (int i = 1; i < b->n; i++) Add(b, i - 1, i);
}

static void Grid2d(Builder *b)
{
  const int m = (int)sqrt((double)b->n);

  for (int i = 0; i < b->n; i++) {
    if (i % m) AddBoth(b, i, i - 1);
    AddBoth(b, i, i - m);
  }
}

static void Grid3d(Builder *b)
{
  const int m = (int)cbrt(b->n + 0.5);

  for (int i = 0; i < b->n; i++) {
    if (i % m) AddBoth(b, i, i - 1);
    if (i / m % m) AddBoth(b, i, i - m);
    AddBoth(b, i, i - m * m);
  }
}

static void Blocks(Builder *b) /* a 2D grid with 4 unknowns to a point */
{
  const int m = (int)sqrt(b->n / 4.0);

  for (int i = 0; i < b->n; i++) {
    for (int f = 0; f < 4; f++) {
      const int point = i / 4;

      Add(b, i, 4 * point + f);
      if (point % m) Add(b, i, 4 * (point - 1) + f);
      if (point % m < m - 1) Add(b, i, 4 * (point + 1) + f);
      Add(b, i, 4 * (point - m) + f);
      Add(b, i, 4 * (point + m) + f);
    }
  }
}

static void DenseRow(Builder *b) /* the last row, with a chain above it */
{
  Chain(b);
  for (int j = 0; j < b->n; j++) Add(b, b->n - 1, j);
}

static void DenseColumn(Builder *b)
{
  Chain(b);
  for (int i = 0; i < b->n; i++) Add(b, i, 0);
}

static void DenseMiddle(Builder *b) /* row and column in the middle, long in both triangles */
{
  for (int i = 0; i < b->n; i++) AddBoth(b, i, b->n / 2);
}

static void LongRows(Builder *b) /* one in eight, between short ones that need their neighbours */
{
  Chain(b);
  for (int i = 7; i < b->n; i += 8) {
    for (int j = 0; j < b->n; j += 2) Add(b, i, j);
  }
}

static void Arrow(Builder *b) /* points down: last row and last column */
{
  for (int i = 0; i < b->n; i++) AddBoth(b, i, b->n - 1);
}

static void Star(Builder *b) /* all need the first, and nothing else */
{
  for (int i = 0; i < b->n; i++) AddBoth(b, i, 0);
}

static void Islands(Builder *b) /* two rows of three are empty below the diagonal */
{
  for (int i = 3; i < b->n; i += 3) {
    Add(b, i, i - 3);
    Add(b, i, i - 2);
    Add(b, i - 1, i);
  }
}

static void Unsymmetric(Builder *b)
{
  uint64_t seed = 11;

  for (int i = 0; i < b->n; i++) {
    for (int k = 0; k < 3; k++) Add(b, i, (int)(randomUnit(&seed) * i));
    if (i % 5 == 0) Add(b, i, i + 1 + (int)(randomUnit(&seed) * (b->n - i)));
  }
}

static void Random(Builder *b)
{
  uint64_t seed = 5;

  for (int k = 0; k < 4 * b->n; k++) Add(b, (int)(randomUnit(&seed) * b->n), (int)(randomUnit(&seed) * b->n));
}

static void PowerLaw(Builder *b) /* i is tied to the first ones most of all */
{
  uint64_t seed = 7;

  for (int i = 1; i < b->n; i++) {
    for (int k = 0; k < 3; k++) AddBoth(b, i, (int)(pow(randomUnit(&seed), 4) * i));
  }
}

static void Full(Builder *b)
{
  for (int i = 0; i < b->n; i++) {
    for (int j = 0; j < b->n; j++) Add(b, i, j);
  }
}

/* Needs in the row before, 31 to 33 before and 255 to 257 before: neighbours, other warps, other blocks */
static void WarpEdges(Builder *b)
{
  static const int back[] = {1, 31, 32, 33, 255, 256, 257};

  for (int i = 0; i < b->n; i++) {
    for (int k = 0; k < 7; k++) {
      if ((i + k) % 3) AddBoth(b, i, i - back[k]);
    }
  }
}

static const struct {
  const char *name;
  int         n, quick;
  void (*build)(Builder *b);
  bool diagonal;
} Zoo[] = {
  {"none",          0,     0,   Diagonal,        true },
  {"one",           1,     1,   Diagonal,        true },
  {"two",           2,     2,   Full,            true },
  {"diagonal",      1000,  70,  Diagonal,        true },
  {"chain",         700,   70,  Chain,           true },
  {"bidiagonal",    500,   40,  BidiagonalUpper, true },
  {"grid2d",        1600,  144, Grid2d,          true },
  {"grid3d",        1728,  125, Grid3d,          true },
  {"blocks",        1024,  144, Blocks,          true },
  {"dense-row",     600,   90,  DenseRow,        true },
  {"dense-column",  600,   90,  DenseColumn,     true },
  {"dense-middle",  1500,  90,  DenseMiddle,     true },
  {"very-long-row", 17000, 600, DenseMiddle,     true }, /* above 8192 entries: where rows are cut */
  {"long-rows",     640,   80,  LongRows,        true }, /* above 256 entries */
  {"arrow",         900,   70,  Arrow,           true },
  {"star",          900,   70,  Star,            true },
  {"islands",       900,   70,  Islands,         true },
  {"unsymmetric",   1100,  90,  Unsymmetric,     true },
  {"random",        1300,  90,  Random,          true },
  {"power-law",     1500,  90,  PowerLaw,        true },
  {"full",          100,   40,  Full,            true },
  {"warp-edges",    1300,  300, WarpEdges,       true },
  {"no-diagonal",   800,   80,  Grid2d,          false},
  {"no-entries",    50,    50,  Diagonal,        false}
};

int zooCount(void)
{
  return (int)(sizeof(Zoo) / sizeof(Zoo[0]));
}

/* ---------------------------------------------------------- matrices -------------------------------------------------------- */

static int CompareEntries(const void *x, const void *y)
{
  const int *a = x, *b = y;

  return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

static void Assemble(Builder *b, ZooMatrix *A)
{
  A->n       = b->n;
  A->row_ptr = placeNew(SPTRSV_HOST, (size_t)(b->n + 1) * sizeof(int32_t), NULL);
  A->col_idx = placeNew(SPTRSV_HOST, (size_t)b->count * sizeof(int32_t), NULL);
  A->values  = placeNew(SPTRSV_HOST, (size_t)b->count * sizeof(double), NULL);
  memset(A->row_ptr, 0, (size_t)(b->n + 1) * sizeof(int32_t));
  if (b->count) qsort(b->entry, (size_t)b->count, sizeof(*b->entry), CompareEntries);
  for (int k = 0; k < b->count; k++) {
    if (k && !CompareEntries(b->entry[k - 1], b->entry[k])) continue;
    if (b->entry[k][0] == b->entry[k][1] && !A->diagonal) continue;
    A->col_idx[A->nnz++] = b->entry[k][1];
    A->row_ptr[b->entry[k][0] + 1]++;
  }
  for (int i = 0; i < b->n; i++) A->row_ptr[i + 1] += A->row_ptr[i];
}

void zooRandomize(ZooMatrix *A, uint64_t seed)
{
  int *column = calloc((size_t)A->n + 1, sizeof(*column)); /* entries in each */

  if (!column) abort();
  for (int e = 0; e < A->nnz; e++) column[A->col_idx[e]]++;
  for (int i = 0; i < A->n; i++) {
    const int row = A->row_ptr[i + 1] - A->row_ptr[i];

    for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) {
      const int    j    = A->col_idx[e];
      const double sign = randomUnit(&seed) < 0.5 ? -1 : 1, size = randomUnit(&seed);

      A->values[e] = i == j ? sign * (1 + size) : sign * (0.1 + 0.9 * size) * 0.9 / (row > column[j] ? row : column[j]);
    }
  }
  free(column);
}

void zooCreate(int k, bool quick, ZooMatrix *A)
{
  const int n = quick ? Zoo[k].quick : Zoo[k].n;
  Builder   b = {.n = n < testRows() ? n : testRows()};

  *A = (ZooMatrix){.name = Zoo[k].name, .diagonal = Zoo[k].diagonal};
  Zoo[k].build(&b);
  for (int i = 0; i < b.n; i++) Add(&b, i, i);
  Assemble(&b, A);
  zooRandomize(A, (uint64_t)k + 1);
  free(b.entry);
}

void zooDestroy(ZooMatrix *A)
{
  free(A->row_ptr);
  free(A->col_idx);
  free(A->values);
  memset(A, 0, sizeof(*A));
}

SptrsvCsr zooCsr(const ZooMatrix *A)
{
  return (SptrsvCsr){A->n, A->nnz, A->row_ptr, A->col_idx, SPTRSV_INT32, SPTRSV_HOST};
}

void *zooValues(const ZooMatrix *A, SptrsvValueType type, bool inverted, SptrsvLocation location)
{
  const size_t size   = type == SPTRSV_DOUBLE ? sizeof(double) : sizeof(float);
  char        *values = placeNew(SPTRSV_HOST, (size_t)A->nnz * size, NULL);
  void        *placed;

  for (int i = 0; i < A->n; i++) {
    for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) {
      const double value = inverted && A->col_idx[e] == i ? 1 / A->values[e] : A->values[e];

      if (type == SPTRSV_DOUBLE) ((double *)values)[e] = value;
      else ((float *)values)[e] = (float)value;
    }
  }
  placed = placeNew(location, (size_t)A->nnz * size, values);
  free(values);
  return placed;
}
