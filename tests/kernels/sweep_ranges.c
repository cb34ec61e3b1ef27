/* Numbers of every size in sweeps: right-hand sides times powers of two have the solution times powers of two, to the last bit, as long as
   all numbers are normal. */
#include <math.h>
#include <stdlib.h>
#include "exponents.h"
#include "sweep_check.h"
#include "zoo.h"

enum { GRID2D = 6, LONG_ROWS = 13 }; /* of the zoo */

typedef struct {
  const ZooMatrix  *A;
  SptrsvPlanOptions o;
  SptrsvPlan        plan;
  const void       *b, *values; /* on the host */
} Sweep;

/* Solves for 2^e b, and returns 2^-e x, malloc'ed */
static void *solve(const Sweep *s, int e)
{
  const size_t bytes = (size_t)s->A->n * value_size(s->o.type);
  void *const  host  = place_new(SPTRSV_HOST, bytes, s->b);
  void        *b, *x = place_new(s->o.location, bytes, NULL);

  for (int i = 0; i < s->A->n; i++) set_value(s->o.type, host, i, ldexp(value_at(s->o.type, s->b, i), e));
  b = place_new(s->o.location, bytes, host);
  expect_success(sptrsvSolve(s->plan, b, x, NULL));
  place_get(s->o.location, host, x, bytes);
  for (int i = 0; i < s->A->n; i++) set_value(s->o.type, host, i, ldexp(value_at(s->o.type, host, i), -e));
  place_free(s->o.location, b);
  place_free(s->o.location, x);
  return host;
}

/* The exponents for which b, x and the products T(i,j) x(j), divided by the diagonal entry or not, are normal */
static Exponents fitting_sides(const Sweep *s, const void *x)
{
  Exponents  fit = any_exponent(s->o.type);
  Triangular T;

  triangular_create(s->A, &s->o, s->values, &T);
  for (int i = 0; i < T.n; i++) {
    must_fit(&fit, value_at(s->o.type, s->b, i), 1);
    must_fit(&fit, value_at(s->o.type, s->b, i) * T.reciprocal[i], 1);
    must_fit(&fit, value_at(s->o.type, x, i), 1);
    for (int e = T.row_ptr[i]; e < T.row_ptr[i + 1]; e++) {
      must_fit(&fit, T.values[e] * value_at(s->o.type, x, T.col_idx[e]), 1);
      must_fit(&fit, T.values[e] * value_at(s->o.type, x, T.col_idx[e]) * T.reciprocal[i], 1);
    }
  }
  triangular_destroy(&T);
  return fit;
}

static void test_sides(Sweep *s)
{
  void *const     first = solve(s, 0);
  const Exponents fit   = fitting_sides(s, first);
  const int       e[]   = {fit.low, fit.high / 2, fit.high};

  expect_most(&fit, s->o.type);
  for (size_t k = 0; k < sizeof(e) / sizeof(*e); k++) {
    void *const x = solve(s, e[k]);

    expect(same_solution(&s->o, x, first, s->A->n), "b times 2^%d: another x", e[k]);
    free(x);
  }
  free(first);
}

static void test_sweeps(const SptrsvAlgorithm *algorithm, int zoo)
{
  ZooMatrix      A;
  SptrsvCsr      csr;
  SptrsvAnalysis analysis = NULL;

  zoo_create(zoo, true, &A);
  csr = zoo_csr(&A);
  for (int k = 0; k < SWEEPS_OF_DIAGONAL; k++) {
    Sweep    s    = {.A = &A, .o = {.algorithm = algorithm->name, .location = algorithm->location}};
    uint64_t seed = 1;
    void    *host, *values, *b;

    set_sweep(k, &s.o);
    const SptrsvValueType type = s.o.type;

    s.b = b      = place_new(SPTRSV_HOST, (size_t)A.n * value_size(type), NULL);
    s.o.diagonal = k & 1 ? SPTRSV_DIAG_INVERTED : SPTRSV_DIAG_STORED;
    for (int i = 0; i < A.n; i++) set_value(type, b, i, 2 * random_unit(&seed) - 1);
    s.values = host = zoo_values(&A, type, k & 1, SPTRSV_HOST);
    values          = zoo_values(&A, type, k & 1, algorithm->location);
    case_begin("%s %s%s %s on %s, b times 2^e", algorithm->name, k & 1 ? "U" : "L", k & 2 ? "^T" : "", value_types[type].name, A.name);
    if (!analysis) expect_success(sptrsvAnalysisCreate(&csr, algorithm->location, NULL, &analysis));
    if (expect_success(sptrsvPlanCreate(analysis, &s.o, &s.plan))) {
      expect_success(sptrsvPlanUpdate(s.plan, values, NULL));
      test_sides(&s);
    }
    expect_success(sptrsvPlanDestroy(&s.plan));
    case_end();
    free(b);
    free(host);
    place_free(algorithm->location, values);
  }
  expect_success(sptrsvAnalysisDestroy(&analysis));
  zoo_destroy(&A);
}

int main(int argc, char **argv)
{
  const SptrsvAlgorithm *algorithm;

  (void)test_begin("sweep_ranges", argc, argv);
  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    if (algorithm->location == SPTRSV_DEVICE && !sptrsvDeviceCount()) continue;
    test_sweeps(algorithm, GRID2D);
    test_sweeps(algorithm, LONG_ROWS);
  }
  if (!sptrsvDeviceCount()) case_skip("sweeps on the GPU: there is no GPU");
  return test_end();
}
