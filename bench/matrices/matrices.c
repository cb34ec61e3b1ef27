/* matrices.c - From the name of a matrix to its reader or generator. */
#define _POSIX_C_SOURCE 200809L
#include "matrices.h"
#include "grid.h"
#include "kronecker.h"
#include "matrix_market.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The part of the spec of a file from ,dof= on, or its end */
static const char *dof_of_file(const char *spec)
{
  const char *found = NULL;

  for (const char *at = spec; (at = strstr(at, ",dof=")); at++) found = at;
  return found && !is_grid(spec) && !is_kronecker(spec) ? found : spec + strlen(spec);
}

static bool create_from_file(const char *spec, CsrMatrix *A, char *error, size_t size)
{
  const char *dof = dof_of_file(spec);
  char       *path, *end = NULL;
  long        unknowns = 0;
  bool        ok;

  if (*dof) unknowns = strtol(dof + strlen(",dof="), &end, 10);
  if (*dof && (unknowns < 1 || *end)) return csr_matrix_fail(error, size, "%s: expected a positive number at its end", spec);
  path = strdup(spec);
  if (!path) return csr_matrix_fail(error, size, "%s: out of memory", spec);
  path[dof - spec] = 0;
  ok               = matrix_market_read(path, A, error, size);
  free(path);
  if (!ok || !*dof) return ok;
  A->dof = unknowns;
  if (A->rows % unknowns == 0) return true;
  csr_matrix_destroy(A);
  return csr_matrix_fail(error, size, "%s: %ld does not divide its rows", spec, unknowns);
}

static bool create_given(const char *spec, CsrMatrix *A, char *error, size_t size)
{
  Kronecker graph;

  if (!is_kronecker(spec)) return create_from_file(spec, A, error, size);
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
  const char              *slash = strrchr(spec, '/'), *first = slash && !is_grid(spec) && !is_kronecker(spec) ? slash + 1 : spec;
  const char              *dof    = dof_of_file(spec);
  int                      length = (int)(dof - first);

  for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
    const int ending = (int)strlen(endings[k]);

    if (length > ending && !strncmp(first + length - ending, endings[k], (size_t)ending)) length -= ending;
  }
  (void)snprintf(name, size, "%.*s%s", length, first, dof);
}
