#include "sweep_check.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool Transposed(const SptrsvPlanOptions *o)
{
  return o->op == SPTRSV_TRANSPOSE;
}

static bool InTriangle(const SptrsvPlanOptions *o, int i, int j)
{
  return o->triangle == SPTRSV_LOWER ? j < i : j > i;
}

static double Entry(SptrsvValueType type, const void *values, int e)
{
  return type == SPTRSV_DOUBLE ? ((const double *)values)[e] : (double)((const float *)values)[e];
}

void triangularCreate(const ZooMatrix *A, const SptrsvPlanOptions *o, const void *values, Triangular *T)
{
  *T          = (Triangular){.n = A->n, .epsilon = o->type == SPTRSV_DOUBLE ? DBL_EPSILON : (double)FLT_EPSILON};
  T->row_ptr  = calloc((size_t)A->n + 2, sizeof(int));
  T->col_idx  = calloc((size_t)A->nnz + 1, sizeof(int));
  T->values   = calloc((size_t)A->nnz + 1, sizeof(double));
  T->diagonal = calloc((size_t)A->n + 1, sizeof(double));
  T->descends = (o->triangle == SPTRSV_UPPER) != Transposed(o);
  if (!T->row_ptr || !T->col_idx || !T->values || !T->diagonal) abort();
  for (int i = 0; i < A->n; i++) T->diagonal[i] = 1;
  for (int fill = 0; fill < 2; fill++) { /* count, then fill; row r ends up at row_ptr[r] because it was counted two places on */
    for (int i = 0; i < A->n; i++) {
      for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) {
        const int    j = A->col_idx[e], row = Transposed(o) ? j : i;
        const double value = Entry(o->type, values, e);

        if (i == j && o->diagonal != SPTRSV_DIAG_UNIT) T->diagonal[i] = o->diagonal == SPTRSV_DIAG_STORED ? value : 1 / value;
        if (!InTriangle(o, i, j)) continue;
        if (!fill) T->row_ptr[row + 2]++;
        else {
          T->values[T->row_ptr[row + 1]]    = value;
          T->col_idx[T->row_ptr[row + 1]++] = Transposed(o) ? i : j;
        }
      }
    }
    for (int i = 0; !fill && i < A->n; i++) T->row_ptr[i + 2] += T->row_ptr[i + 1];
  }
}

void triangularDestroy(Triangular *T)
{
  free(T->row_ptr);
  free(T->col_idx);
  free(T->values);
  free(T->diagonal);
  memset(T, 0, sizeof(*T));
}

/* Which unknowns must not be finite: those with a right-hand side, a coefficient or a needed unknown that is not */
static bool *Tainted(const Triangular *T, const SptrsvPlanOptions *o, const void *b)
{
  bool *tainted = calloc((size_t)T->n + 1, sizeof(*tainted));

  if (!tainted) abort();
  for (int k = 0; k < T->n; k++) {
    const int i = T->descends ? T->n - 1 - k : k;

    tainted[i] = !isfinite(Entry(o->type, b, o->in_perm ? o->in_perm[i] : i)) || !isfinite(T->diagonal[i]);
    for (int e = T->row_ptr[i]; e < T->row_ptr[i + 1]; e++) {
      tainted[i] = tainted[i] || tainted[T->col_idx[e]] || !isfinite(T->values[e]);
    }
  }
  return tainted;
}

static bool RowHolds(const Triangular *T, const SptrsvPlanOptions *o, int i, const void *b, const void *x)
{
  const double right = Entry(o->type, b, o->in_perm ? o->in_perm[i] : i);
  const double own   = Entry(o->type, x, o->out_perm ? o->out_perm[i] : i);
  long double  sum = (long double)T->diagonal[i] * own - right, size = fabsl((long double)T->diagonal[i] * own) + fabs(right);
  const int    length = T->row_ptr[i + 1] - T->row_ptr[i];

  for (int e = T->row_ptr[i]; e < T->row_ptr[i + 1]; e++) {
    const long double term = (long double)T->values[e] *
                             Entry(o->type, x, o->out_perm ? o->out_perm[T->col_idx[e]] : T->col_idx[e]);

    sum += term;
    size += fabsl(term);
  }
  /* the root of the length in place of the length, for seeded random values (Higham and Mary): or a float row of 10000 entries
     could lose one unnoticed */
  return fabsl(sum) <= (8 + 4 * sqrt((double)length)) * T->epsilon * size;
}

int triangularWrongRows(const Triangular *T, const SptrsvPlanOptions *o, const void *b, const void *x)
{
  bool *tainted = Tainted(T, o, b);
  int   wrong   = 0;

  for (int i = 0; i < T->n; i++) {
    const bool finite = isfinite(Entry(o->type, x, o->out_perm ? o->out_perm[i] : i));

    if (tainted[i]) wrong += finite;
    else wrong += !finite || !RowHolds(T, o, i, b, x);
  }
  free(tainted);
  return wrong;
}
