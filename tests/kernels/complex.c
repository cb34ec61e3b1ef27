/*
   complex.c - Sweeps with complex values, on the host and on the GPU: their residuals, on the host the same bits from all algorithms, and
   the bits of a column beside others.  Algorithms for real values refuse them.
*/
#include <stdlib.h>
#include <string.h>
#include "complex_check.h"

#define ROW(NAME, ctype, f) SPTRSV_##NAME,
static const SptrsvValueType types[] = {SPTRSV_COMPLEX_TYPES(ROW, )};
enum { TYPES = sizeof(types) / sizeof(*types), COLUMNS = 7 };

static const char *place_name(SptrsvLocation location)
{
  return location == SPTRSV_HOST ? "host" : "GPU";
}

/* --------------------------------------------------------- sweeps ----------------------------------------------------------- */

/* A matrix's values and columns of b in the memory of the sweeps, all columns alike, and one of them on the host */
typedef struct {
  const ZooMatrix *A;
  const void      *host_values, *host_b;
  void            *values, *b, *x;
  size_t           bytes; /* of a column */
} Inputs;

static Inputs new_inputs(const ZooMatrix *A, SptrsvValueType type, SptrsvLocation location)
{
  const size_t bytes = (size_t)A->n * value_size(type);
  Inputs       in    = {A, complex_values(A, type, true), complex_vector(type, A->n), NULL, NULL, NULL, bytes};

  in.values = place_new(location, (size_t)A->nnz * value_size(type), in.host_values);
  in.b      = place_new(location, COLUMNS * bytes, NULL);
  in.x      = place_new(location, COLUMNS * bytes, NULL);
  for (int k = 0; k < COLUMNS; k++) place_put(location, (char *)in.b + k * bytes, in.host_b, bytes);
  return in;
}

static void free_inputs(SptrsvLocation location, Inputs *in)
{
  free((void *)in->host_values);
  free((void *)in->host_b);
  place_free(location, in->values);
  place_free(location, in->b);
  place_free(location, in->x);
}

/* Solves for all columns together, each of which gets the bits of x */
static void solve_columns(SptrsvPlan plan, const SptrsvPlanOptions *o, const Inputs *in, const void *x)
{
  char *found    = place_new(SPTRSV_HOST, COLUMNS * in->bytes, NULL);
  int   together = 0;

  expect_success(sptrsvPlanPrepareMany(plan, &together));
  expect_success(sptrsvSolveMany(plan, COLUMNS, in->b, in->A->n, in->x, in->A->n, NULL));
  place_get(o->location, found, in->x, COLUMNS * in->bytes);
  for (int k = 0; k < COLUMNS; k++)
    expect(!memcmp(found + k * in->bytes, x, in->bytes), "%s, column %d beside others has other bits", o->algorithm, k);
  place_free(SPTRSV_HOST, found);
}

/* Solves twice: on the host the first solve packs the values.  first: x of the algorithm before, or NULL; x becomes this one's. */
static void solve_by(SptrsvAnalysis analysis, const SptrsvPlanOptions *o, const Inputs *in, const void *first, void *x)
{
  SptrsvPlan plan = NULL;

  if (!expect_success(sptrsvPlanCreate(analysis, o, &plan))) return;
  expect_success(sptrsvPlanUpdate(plan, in->values, NULL));
  for (int again = 0; again < 2; again++) {
    void *before = place_new(SPTRSV_HOST, in->bytes, again ? x : first);

    expect_success(sptrsvSolve(plan, in->b, in->x, NULL));
    place_get(o->location, x, in->x, in->bytes);
    if (again || first) expect(!memcmp(before, x, in->bytes), "%s gives other bits", o->algorithm);
    else {
      const int wrong = complex_wrong_rows(in->A, o, in->host_values, in->host_b, x);

      expect(!wrong, "%s: %d rows do not hold", o->algorithm, wrong);
    }
    place_free(SPTRSV_HOST, before);
  }
  if (o->location == SPTRSV_DEVICE) solve_columns(plan, o, in, x);
  expect_success(sptrsvPlanDestroy(&plan));
}

/* One sweep by each algorithm; on the host x is the same to the bit */
static void sweep(SptrsvAnalysis analysis, SptrsvPlanOptions *o, const Inputs *in)
{
  void *x      = place_new(SPTRSV_HOST, in->bytes, NULL);
  bool  solved = false;

  for (int k = 0; sptrsvAlgorithmGet(k); k++) {
    const SptrsvAlgorithm *a    = sptrsvAlgorithmGet(k);
    SptrsvPlan             plan = NULL;

    if (a->location != o->location) continue;
    o->algorithm = a->name;
    if (a->values >> o->type & 1) {
      solve_by(analysis, o, in, solved && o->location == SPTRSV_HOST ? x : NULL, x);
      solved = true;
    } else expect_status(sptrsvPlanCreate(analysis, o, &plan), SPTRSV_NOT_SUPPORTED, a->name);
  }
  place_free(SPTRSV_HOST, x);
}

static void sweeps(const ZooMatrix *A, SptrsvValueType type, SptrsvLocation location)
{
  const SptrsvCsr csr      = zoo_csr(A);
  Inputs          in       = new_inputs(A, type, location);
  SptrsvAnalysis  analysis = NULL;

  case_begin("sweeps %s %s on the %s", value_types[type].name, A->name, place_name(location));
  expect_success(sptrsvAnalysisCreate(&csr, location, NULL, &analysis));
  for (int k = 0; analysis && k < (location == SPTRSV_HOST ? 24 : 13); k++) {
    SptrsvPlanOptions o = {.location            = location,
                           .triangle            = (SptrsvTriangle)(k % 2),
                           .op                  = (SptrsvOperation)(k / 2 % 2),
                           .type                = type,
                           .diagonal            = (SptrsvDiagonal)(k / 4 % 3),
                           .tuning.host.threads = k / 12 ? 3 : 0,
                           .tuning.sweep.blocks = k % 5 ? SPTRSV_BY_BLOCKS : SPTRSV_BY_ROWS};

    if (!A->diagonal && o.diagonal != SPTRSV_DIAG_UNIT) continue;
    if (location == SPTRSV_HOST || k < 12) sweep(analysis, &o, &in);
    else {
      void *x = place_new(SPTRSV_HOST, in.bytes, NULL);

      o.algorithm = "auto";
      solve_by(analysis, &o, &in, NULL, x);
      place_free(SPTRSV_HOST, x);
    }
  }
  expect_success(sptrsvAnalysisDestroy(&analysis));
  free_inputs(location, &in);
  case_end();
}

int main(int argc, char **argv)
{
  (void)test_begin("complex", argc, argv);
  for (int k = 0; k < zoo_count(); k++) {
    ZooMatrix A;

    zoo_create(k, true, &A);
    for (int type = 0; A.n <= test_rows() && type < TYPES; type++) {
      sweeps(&A, types[type], SPTRSV_HOST);
      if (sptrsvDeviceCount()) sweeps(&A, types[type], SPTRSV_DEVICE);
    }
    zoo_destroy(&A);
  }
  return test_end();
}
