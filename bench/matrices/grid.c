/* grid.c - Model matrices: diffusion and convection on a grid. */
#include "grid.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int64_t nx, ny, nz, dof;
  int     dim, points; /* points of the stencil */
  double  convection;  /* weight of the skew part along x, relative to diffusion: half the cell Peclet number; 0: symmetric */
} Grid;

static const double CONVECTION = 0.1;
static const double REACTION   = 1e-3; /* makes the diagonal strictly dominant in every row */

/* The stencils, with the colon that ends them in a spec */
bool is_grid(const char *spec)
{
  static const char *const stencils[] = {"2d5:", "2d9:", "3d7:", "3d27:"};

  for (size_t k = 0; k < sizeof stencils / sizeof *stencils; k++) {
    if (!strncmp(spec, stencils[k], strlen(stencils[k]))) return true;
  }
  return false;
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
  if (!strncmp(text, ",dof=", 5)) {
    text += 5;
    if (!parse_size(&text, &grid->dof)) return false;
  }
  return *text == 0;
}

/* coupled pairs of points, with the pairs of a point and itself */
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

bool grid_create(const char *spec, bool symmetric, CsrMatrix *A, char *error, size_t size)
{
  Grid    grid;
  int64_t rows;

  if (!parse_grid(spec, &grid)) {
    return csr_matrix_fail(error, size, "%s: grids are 2d5:NXxNY, 2d9:NXxNY, 3d7:NXxNYxNZ, 3d27:NXxNYxNZ, perhaps with ,dof=N", spec);
  }
  if (!grid_fits(&grid)) return csr_matrix_fail(error, size, "%s: more rows or entries than 32-bit indices hold", spec);
  grid.convection = symmetric ? 0 : CONVECTION;
  rows            = grid.nx * grid.ny * grid.nz * grid.dof;
  if (!csr_matrix_allocate(rows, grid_pairs(&grid) * grid.dof * grid.dof, A, error, size)) return false;
  A->nnz = 0;
  A->dof = grid.dof > 1 ? grid.dof : 0;
  for (int64_t row = 0; row < rows; row++) {
    const int64_t point = row / grid.dof;

    A->row_ptr[row] = (int32_t)A->nnz;
    add_grid_row(&grid, point % grid.nx, point / grid.nx % grid.ny, point / (grid.nx * grid.ny), row % grid.dof, A);
  }
  A->row_ptr[rows] = (int32_t)A->nnz;
  return true;
}
