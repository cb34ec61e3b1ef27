/* sweep_check.c - The triangle of one sweep, and its residuals. */
#include "sweep_check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_transposed(const SptrsvPlanOptions *options)
{
  return options->op == SPTRSV_TRANSPOSE;
}

static bool is_in_triangle(const SptrsvPlanOptions *options, int i, int j)
{
  return options->triangle == SPTRSV_LOWER ? j < i : j > i;
}

static bool stores_quotients(const SptrsvPlanOptions *options)
{
  return !strcmp(options->algorithm, "strips") && options->diagonal != SPTRSV_DIAG_UNIT;
}

double stored_number(const SptrsvPlanOptions *options, double number)
{
  const bool rounds = options->tuning.sweep.precision == SPTRSV_PRECISION_SINGLE && !stores_quotients(options);

  return rounds ? value_types[SPTRSV_FLOAT].round(number) : number;
}

/* Of a row that was cut, its partial sums are such entries, too */
double stored_epsilon(const SptrsvPlanOptions *options)
{
  const bool rounds = options->tuning.sweep.precision == SPTRSV_PRECISION_SINGLE && stores_quotients(options);

  return rounds ? 2 * value_types[SPTRSV_FLOAT].epsilon : 0;
}

void triangular_take(const SptrsvPlanOptions *options, const void *values, Triangular *T)
{
  const ValueType *const type = &value_types[options->type];

  for (int i = 0; i < T->n; i++) {
    const double value = T->diagonal[i] < 0 ? 1 : type->get(values, T->diagonal[i]);

    T->reciprocal[i] = options->diagonal == SPTRSV_DIAG_UNIT     ? 1
                       : options->diagonal == SPTRSV_DIAG_STORED ? type->round(1 / value)
                                                                 : value;
  }
  for (int e = 0; e < T->row_ptr[T->n]; e++) T->values[e] = stored_number(options, type->get(values, T->entry[e]));
}

void triangular_create(const ZooMatrix *A, const SptrsvPlanOptions *options, const void *values, Triangular *T)
{
  *T            = (Triangular){.n = A->n, .type = &value_types[options->type]};
  T->row_ptr    = calloc((size_t)A->n + 2, sizeof(int));
  T->col_idx    = calloc((size_t)A->nnz + 1, sizeof(int));
  T->entry      = calloc((size_t)A->nnz + 1, sizeof(int));
  T->diagonal   = calloc((size_t)A->n + 1, sizeof(int));
  T->values     = calloc((size_t)A->nnz + 1, sizeof(double));
  T->reciprocal = calloc((size_t)A->n + 1, sizeof(double));
  if (!T->row_ptr || !T->col_idx || !T->entry || !T->diagonal || !T->values || !T->reciprocal) abort();
  for (int i = 0; i < A->n; i++) T->diagonal[i] = -1;
  for (int fill = 0; fill < 2; fill++) { /* count, then fill; counts are stored two entries ahead, so that row r ends up at row_ptr[r] */
    for (int i = 0; i < A->n; i++) {
      for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) {
        const int j = A->col_idx[e], row = is_transposed(options) ? j : i;

        if (i == j) T->diagonal[i] = e;
        if (!is_in_triangle(options, i, j)) continue;
        if (!fill) T->row_ptr[row + 2]++;
        else {
          T->entry[T->row_ptr[row + 1]]     = e;
          T->col_idx[T->row_ptr[row + 1]++] = is_transposed(options) ? i : j;
        }
      }
    }
    for (int i = 0; !fill && i < A->n; i++) T->row_ptr[i + 2] += T->row_ptr[i + 1];
  }
  triangular_take(options, values, T);
}

void triangular_destroy(Triangular *T)
{
  free(T->row_ptr);
  free(T->col_idx);
  free(T->entry);
  free(T->diagonal);
  free(T->values);
  free(T->reciprocal);
  memset(T, 0, sizeof(*T));
}

static double get_unknown(const ValueType *type, const SptrsvPlanOptions *options, const void *x, int i)
{
  return type->get(x, options->out_perm ? options->out_perm[i] : i);
}

/* x(i) = reciprocal(i) (b(i) - sum of T(i,j) x(j)).  No product of finite numbers is beyond a long double, and sums with others take x87
   a hundred times as long. */
static bool row_holds(const Triangular *T, const SptrsvPlanOptions *options, int i, const void *b, const void *x)
{
  const ValueType *const type = T->type;
  const double right = type->get(b, options->in_perm ? options->in_perm[i] : i), own = get_unknown(type, options, x, i);
  const int    length = T->row_ptr[i + 1] - T->row_ptr[i];
  long double  sum = right, size = fabs(right), scale = fabs(T->reciprocal[i]);

  if (!isfinite(right) || !isfinite(scale)) return !isfinite(own);
  for (int e = T->row_ptr[i]; e < T->row_ptr[i + 1]; e++) {
    const double value = T->values[e], unknown = get_unknown(type, options, x, T->col_idx[e]);

    if (!isfinite(value) || !isfinite(unknown)) return !isfinite(own);
    sum -= (long double)value * unknown;
    size += fabsl((long double)value * unknown);
  }
  if (size >= type->largest || size * scale >= type->largest) return true;
  /* the root of the length in place of the length, for seeded random values (Higham and Mary): or a float row of 10000 entries
     could lose one unnoticed */
  const double      epsilon = (8 + 4 * sqrt((double)length)) * type->epsilon;
  const long double entries = size - fabs(right); /* b and the diagonal are stored as they are */

  return fabsl(own - T->reciprocal[i] * sum) <=
         scale * (epsilon * size + stored_epsilon(options) * entries) + (2 + length) * (1 + scale) * type->least;
}

int triangular_wrong_rows(const Triangular *T, const SptrsvPlanOptions *options, const void *b, const void *x)
{
  int wrong = 0;

  for (int i = 0; i < T->n; i++) wrong += !row_holds(T, options, i, b, x);
  return wrong;
}
