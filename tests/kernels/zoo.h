/*
   zoo.h - Small matrices of every shape that has broken a sparse triangular solver, generated the same on every machine.

   Values are seeded and small beside the diagonal by rows and by columns, so that no sweep and no ILU(0) grows its numbers.
*/
#ifndef TESTS_ZOO_H
#define TESTS_ZOO_H
#include <stdbool.h>
#include <stdint.h>
#include "../../include/sptrsv_study.h"

typedef struct {
  const char *name;
  int         n, nnz;
  int32_t    *row_ptr, *col_idx; /* columns ascend */
  double     *values;
  bool        diagonal; /* every diagonal entry is stored */
} ZooMatrix;

int       zoo_count(void);
void      zoo_create(int k, bool quick, ZooMatrix *A); /* quick: at most a few hundred rows and entries to a row */
void      zoo_destroy(ZooMatrix *A);
void      zoo_randomize(ZooMatrix *A, uint64_t seed); /* other values on the same pattern */
SptrsvCsr zoo_csr(const ZooMatrix *A);

/* The values in a precision of their own, in new memory; inverted: reciprocals in place of the diagonal entries */
void *zoo_values(const ZooMatrix *A, SptrsvValueType type, bool inverted, SptrsvLocation location);

#endif
