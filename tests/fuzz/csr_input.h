/* csr_input.h - Bytes as a pattern with values, valid or not: the input of csr.c.  Bytes that are missing at the end are 0. */
#ifndef TESTS_CSR_INPUT_H
#define TESTS_CSR_INPUT_H
#include "../kernels/zoo.h"

enum { MOST_ROWS = 24 }; /* the bounds of the residuals hold for rows of this length whatever the values are */

typedef struct {
  const uint8_t *next, *end;
} Bytes;

typedef struct {
  ZooMatrix A;                 /* a valid pattern with its values; no rows if the pattern is not valid */
  SptrsvCsr csr;               /* the pattern as it is passed to the library */
  void     *row_ptr, *col_idx; /* the same arrays */
  bool      inside;            /* row pointers and columns are those of a matrix, whatever the order of the columns */
  bool      ascending;         /* and the columns of each row ascend */
} Input;

void  *new_array(size_t count, size_t size); /* to the byte, so that a sanitizer sees what is read past it */
int    take_byte(Bytes *bytes);
double number_of_byte(int byte);             /* zeros, Inf, NaN and the ends of the ranges, or something ordinary */
void   take_pattern(Bytes *bytes, Input *in);    /* every byte string gives one */
void   free_input(Input *in);

#endif
