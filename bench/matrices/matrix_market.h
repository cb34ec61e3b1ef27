/* matrix_market.h - Readers of MatrixMarket files. */
#ifndef BENCH_MATRIX_MARKET_H
#define BENCH_MATRIX_MARKET_H
#include "csr_matrix.h"

/*
   matrix_market_read - The file as it is: coordinate, real, integer or pattern, general, symmetric or skew-symmetric; gzipped or not, by
   content.  Both triangles are stored, zeros in the file are kept, values of entries given twice are summed.
*/
bool matrix_market_read(const char *path, CsrMatrix *A, char *error, size_t size);

/* matrix_market_read_vector - An array of one column, real or integer, into values [rows]; gzipped or not. */
bool matrix_market_read_vector(const char *path, int64_t rows, double *values, char *error, size_t size);

#endif
