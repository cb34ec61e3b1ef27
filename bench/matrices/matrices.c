/* matrices.c - From the name of a matrix to its reader or generator. */
#include "matrices.h"
#include "grid.h"
#include "kronecker.h"
#include "matrix_market.h"
#include <stdio.h>
#include <string.h>

static bool create_given(const char *spec, CsrMatrix *A, char *error, size_t size)
{
  Kronecker graph;

  if (!is_kronecker(spec)) return matrix_market_read(spec, A, error, size);
  return kronecker_parse(spec, &graph, error, size) && kronecker_create(&graph, A, error, size);
}

static bool create_dominant(const char *spec, bool symmetric, CsrMatrix *A, char *error, size_t size)
{
  if (!create_given(spec, A, error, size)) return false;
  if (symmetric && !csr_matrix_is_symmetric(A)) {
    csr_matrix_destroy(A);
    return csr_matrix_fail(error, size, "%s: not symmetric, as icc needs it", spec);
  }
  if (csr_matrix_make_dominant(A, error, size)) return true;
  csr_matrix_destroy(A);
  return false;
}

bool matrix_create(const char *spec, bool symmetric, CsrMatrix *A, char *error, size_t size)
{
  return is_grid(spec) ? grid_create(spec, symmetric, A, error, size) : create_dominant(spec, symmetric, A, error, size);
}

void matrix_name(const char *spec, char *name, size_t size)
{
  static const char *const endings[] = {".gz", ".mtx"};
  const char              *slash     = strrchr(spec, '/');

  (void)snprintf(name, size, "%s", slash && !is_grid(spec) && !is_kronecker(spec) ? slash + 1 : spec);
  for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
    const size_t length = strlen(name), ending = strlen(endings[k]);

    if (length > ending && !strcmp(name + length - ending, endings[k])) name[length - ending] = 0;
  }
}
