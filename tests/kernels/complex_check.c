/* complex_check.c - Matrices and vectors of complex values, and sweeps judged by their residuals. */
#include "complex_check.h"
#include "sweep_check.h"
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Number complex_at(SptrsvValueType type, const void *values, int64_t e)
{
  const SptrsvValueType part     = part_type(type);
  const double          parts[2] = {value_at(part, values, 2 * e), value_at(part, values, 2 * e + 1)};
  Number                value;

  memcpy(&value, parts, sizeof(value));
  return value;
}

void set_complex(SptrsvValueType type, void *values, int64_t e, Number value)
{
  set_value(part_type(type), values, 2 * e, creal(value));
  set_value(part_type(type), values, 2 * e + 1, cimag(value));
}

/* The real value times a number of modulus one that depends on i + j, so that what is symmetric stays so */
static Number turn(double value, int i, int j)
{
  return value * cexp(0.7 * ((i + j) % 9) * I);
}

void *complex_values(const ZooMatrix *A, SptrsvValueType type, bool turned)
{
  void *values = place_new(SPTRSV_HOST, (size_t)A->nnz * value_size(type), NULL);

  for (int i = 0; i < A->n; i++) {
    for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++)
      set_complex(type, values, e, turned ? turn(A->values[e], i, A->col_idx[e]) : (Number)value_types[type].round(A->values[e]));
  }
  return values;
}

void *complex_vector(SptrsvValueType type, int n)
{
  void    *v    = place_new(SPTRSV_HOST, (size_t)n * value_size(type), NULL);
  uint64_t seed = 5;

  for (int i = 0; i < n; i++) {
    const double re = random_unit(&seed) - 0.5;

    set_complex(type, v, i, re + (random_unit(&seed) - 0.5) * I);
  }
  return v;
}

static bool is_finite(Number v)
{
  return isfinite(creal(v)) && isfinite(cimag(v));
}

/* The entry of the sweep's matrix that is entry e of row i here, in column j: nothing, or its row, column and value */
static bool entry_of(const SptrsvPlanOptions *o, const void *values, int i, int j, int e, int *row, int *col, Number *v)
{
  *v   = complex_at(o->type, values, e);
  if (i != j) *v = stored_number(o, creal(*v)) + stored_number(o, cimag(*v)) * I;
  *row = o->op == SPTRSV_TRANSPOSE ? j : i;
  *col = o->op == SPTRSV_TRANSPOSE ? i : j;
  if (i == j && o->diagonal == SPTRSV_DIAG_INVERTED) *v = 1 / *v;
  return i == j ? o->diagonal != SPTRSV_DIAG_UNIT : o->triangle == SPTRSV_LOWER ? j < i : j > i;
}

/* |b - T x| within a rounding bound of |b| + |T| |x|, row by row; what is not finite makes those that need it not finite */
int complex_wrong_rows(const ZooMatrix *A, const SptrsvPlanOptions *o, const void *values, const void *b, const void *x)
{
  Number *residual = calloc((size_t)A->n + 1, sizeof(*residual)), *own = calloc((size_t)A->n + 1, sizeof(*own));
  double *scale = calloc((size_t)A->n + 1, sizeof(*scale));
  int     wrong = 0;

  if (!residual || !own || !scale) abort();
  for (int i = 0; i < A->n; i++) {
    own[i]      = complex_at(o->type, x, o->out_perm ? o->out_perm[i] : i);
    residual[i] = complex_at(o->type, b, o->in_perm ? o->in_perm[i] : i);
    scale[i]    = cabs(residual[i]);
    if (o->diagonal == SPTRSV_DIAG_UNIT) residual[i] -= own[i];
  }
  for (int i = 0; i < A->n; i++) {
    for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) {
      int    row, col;
      Number v;

      if (!entry_of(o, values, i, A->col_idx[e], e, &row, &col, &v)) continue;
      residual[row] -= v * own[col];
      if (row != col) scale[row] += cabs(v) * cabs(own[col]);
      else if (!is_finite(v)) scale[row] = NAN;
    }
  }
  for (int i = 0; i < A->n; i++) {
    const double epsilon = (20 + 8 * sqrt(A->n)) * value_types[o->type].epsilon + stored_epsilon(o);
    const double most    = epsilon * (scale[i] + cabs(own[i]));

    wrong += isfinite(scale[i]) ? !(cabs(residual[i]) <= most) : is_finite(own[i]);
  }
  free(residual);
  free(own);
  free(scale);
  return wrong;
}

int any_wrong_rows(const ZooMatrix *A, const SptrsvPlanOptions *o, const void *values, const void *b, const void *x)
{
  Triangular T;
  int        wrong;

  if (is_complex(o->type)) return complex_wrong_rows(A, o, values, b, x);
  triangular_create(A, o, values, &T);
  wrong = triangular_wrong_rows(&T, o, b, x);
  triangular_destroy(&T);
  return wrong;
}
