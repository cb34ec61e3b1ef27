/* matrices.c - Model grids, and what is done to a matrix from a file before it is factored. */
#include "matrices.h"
#include "kronecker.h"
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int64_t nx, ny, nz, dof;
  int     dim, points; /* points of the stencil */
  double  convection;  /* along x: the skew part's weight beside diffusion's 1, half the cell Peclet number; 0: symmetric */
} Grid;

static const double CONVECTION = 0.1;
static const double REACTION   = 1e-3; /* keeps the diagonal strictly dominant in every row, the boundary's or not */

void csr_matrix_message(char *error, size_t size, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  (void)vsnprintf(error, size, format, arguments);
  va_end(arguments);
}

void csr_matrix_destroy(CsrMatrix *A)
{
  free(A->row_ptr);
  free(A->col_idx);
  free(A->values);
  memset(A, 0, sizeof *A);
}

static bool allocate(int64_t rows, int64_t nnz, CsrMatrix *A, char *error, size_t size)
{
  memset(A, 0, sizeof *A);
  if (rows >= INT32_MAX || nnz > INT32_MAX) return csr_matrix_fail(error, size, "more rows or entries than 32-bit indices hold");
  A->rows    = rows;
  A->nnz     = nnz;
  A->row_ptr = malloc((size_t)(rows + 1) * sizeof *A->row_ptr);
  A->col_idx = malloc((size_t)(nnz + 1) * sizeof *A->col_idx);
  A->values  = malloc((size_t)(nnz + 1) * sizeof *A->values);
  if (A->row_ptr && A->col_idx && A->values) return true;
  csr_matrix_destroy(A);
  return csr_matrix_fail(error, size, "out of memory for %lld entries", (long long)nnz);
}

/* ---------------------------------------------------------- grids ----------------------------------------------------------- */

static bool starts_with(const char *text, const char *prefix) { return !strncmp(text, prefix, strlen(prefix)); }

static bool is_grid(const char *spec)
{
  return starts_with(spec, "2d5:") || starts_with(spec, "2d9:") || starts_with(spec, "3d7:") || starts_with(spec, "3d27:");
}

/* a positive number of at most nine digits, so that products of two fit in 64 bits */
static bool parse_size(const char **text, int64_t *value)
{
  int digits = 0;

  for (*value = 0; isdigit((unsigned char)**text) && digits < 9; (*text)++, digits++) *value = 10 * *value + (**text - '0');
  return *value > 0 && !isdigit((unsigned char)**text);
}

static bool parse_grid(const char *spec, Grid *grid)
{
  const char *text = strchr(spec, ':') + 1;

  grid->dim    = spec[0] - '0';
  grid->points = atoi(spec + 2);
  grid->nz = grid->dof = 1;
  if (!parse_size(&text, &grid->nx) || *text++ != 'x' || !parse_size(&text, &grid->ny)) return false;
  if (grid->dim == 3 && (*text++ != 'x' || !parse_size(&text, &grid->nz))) return false;
  if (starts_with(text, ",dof=")) {
    text += strlen(",dof=");
    if (!parse_size(&text, &grid->dof)) return false;
  }
  return *text == 0;
}

/* coupled pairs of points, each point with itself included */
static int64_t grid_pairs(const Grid *grid)
{
  int64_t nx = grid->nx, ny = grid->ny, nz = grid->nz;

  if (grid->points == 9 || grid->points == 27) return (3 * nx - 2) * (3 * ny - 2) * (3 * nz - 2);
  return nx * ny * nz + 2 * ((nx - 1) * ny * nz + nx * (ny - 1) * nz + nx * ny * (nz - 1));
}

/* Checked step by step, so that no product overflows. */
static bool grid_fits(const Grid *grid)
{
  if (grid->nx * grid->ny >= INT32_MAX || grid->nx * grid->ny * grid->nz >= INT32_MAX || grid->dof > 1024) return false;
  return grid_pairs(grid) <= INT32_MAX / (grid->dof * grid->dof);
}

static bool in_stencil(const Grid *grid, int di, int dj, int dk)
{
  if (grid->points == 9 || grid->points == 27) return grid->dim == 3 || !dk;
  return abs(di) + abs(dj) + abs(dk) <= 1;
}

static bool in_grid(const Grid *grid, int64_t i, int64_t j, int64_t k)
{
  return i >= 0 && i < grid->nx && j >= 0 && j < grid->ny && k >= 0 && k < grid->nz;
}

/* Row f of point (i, j, k).  Columns ascend because points are numbered with i fastest and the unknowns of a point together. */
static void add_grid_row(const Grid *grid, int64_t i, int64_t j, int64_t k, int64_t f, CsrMatrix *A)
{
  for (int dk = -1; dk <= 1; dk++) {
    for (int dj = -1; dj <= 1; dj++) {
      for (int di = -1; di <= 1; di++) {
        if (!in_stencil(grid, di, dj, dk) || !in_grid(grid, i + di, j + dj, k + dk)) continue;
        const bool    self     = !di && !dj && !dk;
        const int64_t point    = ((k + dk) * grid->ny + j + dj) * grid->nx + i + di;
        const double  coupling = (self ? -1.0 : -1.0 + grid->convection * di) / (double)grid->dof;

        for (int64_t g = 0; g < grid->dof; g++) {
          A->col_idx[A->nnz] = (int32_t)(point * grid->dof + g);
          A->values[A->nnz]  = self && f == g ? (double)grid->points - 1.0 / (double)grid->dof + REACTION : coupling;
          A->nnz++;
        }
      }
    }
  }
}

static bool create_grid(const char *spec, bool symmetric, CsrMatrix *A, char *error, size_t size)
{
  Grid    grid;
  int64_t rows;

  if (!parse_grid(spec, &grid)) {
    return csr_matrix_fail(error, size, "%s: grids are 2d5:NXxNY, 2d9:NXxNY, 3d7:NXxNYxNZ, 3d27:NXxNYxNZ, perhaps with ,dof=N",
                           spec);
  }
  if (!grid_fits(&grid)) return csr_matrix_fail(error, size, "%s: more rows or entries than 32-bit indices hold", spec);
  grid.convection = symmetric ? 0 : CONVECTION;
  rows            = grid.nx * grid.ny * grid.nz * grid.dof;
  if (!allocate(rows, grid_pairs(&grid) * grid.dof * grid.dof, A, error, size)) return false;
  A->nnz = 0;
  for (int64_t row = 0; row < rows; row++) {
    const int64_t point = row / grid.dof;

    A->row_ptr[row] = (int32_t)A->nnz;
    add_grid_row(&grid, point % grid.nx, point / grid.nx % grid.ny, point / (grid.nx * grid.ny), row % grid.dof, A);
  }
  A->row_ptr[rows] = (int32_t)A->nnz;
  return true;
}

/* ----------------------------------------------------- files, graphs --------------------------------------------------------- */

static int64_t missing_diagonals(const CsrMatrix *A)
{
  int64_t missing = A->rows;

  for (int64_t i = 0; i < A->rows; i++) {
    for (int32_t p = A->row_ptr[i]; p < A->row_ptr[i + 1]; p++) missing -= A->col_idx[p] == i;
  }
  return missing;
}

/* Appends row i of A to B with its diagonal entry, which A may lack, made dominant; false if no finite number is large enough. */
static bool append_dominant_row(const CsrMatrix *A, int64_t i, CsrMatrix *B)
{
  int32_t p = A->row_ptr[i], diagonal;
  double  given = 0, sum = 0;

  for (; p < A->row_ptr[i + 1] && A->col_idx[p] < i; p++, B->nnz++) {
    B->col_idx[B->nnz] = A->col_idx[p];
    B->values[B->nnz]  = A->values[p];
    sum += fabs(A->values[p]);
  }
  diagonal             = (int32_t)B->nnz++;
  B->col_idx[diagonal] = (int32_t)i;
  if (p < A->row_ptr[i + 1] && A->col_idx[p] == i) given = A->values[p++];
  for (; p < A->row_ptr[i + 1]; p++, B->nnz++) {
    B->col_idx[B->nnz] = A->col_idx[p];
    B->values[B->nnz]  = A->values[p];
    sum += fabs(A->values[p]);
  }
  B->values[diagonal] = fmax(fabs(given), 1.05 * sum + 1e-3);
  return isfinite(B->values[diagonal]);
}

bool csr_matrix_make_dominant(CsrMatrix *A, char *error, size_t size)
{
  CsrMatrix B;

  if (!allocate(A->rows, A->nnz + missing_diagonals(A), &B, error, size)) return false;
  B.pattern = A->pattern;
  B.nnz     = 0;
  for (int64_t i = 0; i < A->rows; i++) {
    B.row_ptr[i] = (int32_t)B.nnz;
    if (!append_dominant_row(A, i, &B)) {
      csr_matrix_destroy(&B);
      return csr_matrix_fail(error, size, "no finite diagonal entry dominates row %lld", (long long)i + 1);
    }
  }
  B.row_ptr[A->rows] = (int32_t)B.nnz;
  csr_matrix_destroy(A);
  *A = B;
  return true;
}

static bool has_entry(const CsrMatrix *A, int32_t row, int32_t col, double value)
{
  int32_t low = A->row_ptr[row], high = A->row_ptr[row + 1];

  while (low < high) {
    const int32_t middle = low + (high - low) / 2;

    if (A->col_idx[middle] < col) low = middle + 1;
    else high = middle;
  }
  return low < A->row_ptr[row + 1] && A->col_idx[low] == col && A->values[low] == value;
}

static bool is_symmetric(const CsrMatrix *A)
{
  for (int32_t i = 0; i < A->rows; i++) {
    for (int32_t p = A->row_ptr[i]; p < A->row_ptr[i + 1]; p++) {
      if (!has_entry(A, A->col_idx[p], i, A->values[p])) return false;
    }
  }
  return true;
}

static bool is_graph(const char *spec) { return starts_with(spec, "kron:"); }

static bool create_from_spec(const char *spec, CsrMatrix *A, char *error, size_t size)
{
  Kronecker graph;

  if (!is_graph(spec)) return csr_matrix_read(spec, A, error, size);
  return kronecker_parse(spec, &graph, error, size) && kronecker_create(&graph, A, error, size);
}

static bool create_other(const char *spec, bool symmetric, CsrMatrix *A, char *error, size_t size)
{
  if (!create_from_spec(spec, A, error, size)) return false;
  if (symmetric && !is_symmetric(A)) {
    csr_matrix_destroy(A);
    return csr_matrix_fail(error, size, "%s: not symmetric, as icc needs it", spec);
  }
  if (csr_matrix_make_dominant(A, error, size)) return true;
  csr_matrix_destroy(A);
  return false;
}

bool csr_matrix_create(const char *spec, bool symmetric, CsrMatrix *A, char *error, size_t size)
{
  return is_grid(spec) ? create_grid(spec, symmetric, A, error, size) : create_other(spec, symmetric, A, error, size);
}

void csr_matrix_name(const char *spec, char *name, size_t size)
{
  static const char *const endings[] = {".gz", ".mtx"};
  const char              *slash     = strrchr(spec, '/');

  (void)snprintf(name, size, "%s", slash && !is_grid(spec) && !is_graph(spec) ? slash + 1 : spec);
  for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
    const size_t length = strlen(name), ending = strlen(endings[k]);

    if (length > ending && !strcmp(name + length - ending, endings[k])) name[length - ending] = 0;
  }
}
