/* life.c - A factor with its plans, and fresh objects in the same state. */
#include "life.h"
#include <stdlib.h>
#if defined(SPTRSV_HAVE_CUDA)
  #include <cuda_runtime_api.h>
#endif

static const int matrices[] = {4, 6, 8, 16, 17, 18, 22}; /* of the zoo: chain, grid2d, blocks, islands, unsymmetric, random, no-diagonal */
enum { MATRICES = sizeof(matrices) / sizeof(*matrices) };

const LifeSweep life_sweeps[LIFE_SWEEPS] = {{"levelorder", SPTRSV_DEVICE, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, false},
                                            {"levelset", SPTRSV_DEVICE, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, false},
                                            {"strips", SPTRSV_DEVICE, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, false},
                                            {"ata", SPTRSV_DEVICE, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, false},
                                            {"levelorder", SPTRSV_DEVICE, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, true},
                                            {"levelorder", SPTRSV_DEVICE, SPTRSV_LOWER, SPTRSV_TRANSPOSE, false},
                                            {"strips", SPTRSV_DEVICE, SPTRSV_UPPER, SPTRSV_NON_TRANSPOSE, true},
                                            {"capellini", SPTRSV_DEVICE, SPTRSV_UPPER, SPTRSV_TRANSPOSE, false},
                                            {"host", SPTRSV_HOST, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, true},
                                            {"host-windows", SPTRSV_HOST, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, false},
                                            {"host-windows", SPTRSV_HOST, SPTRSV_UPPER, SPTRSV_NON_TRANSPOSE, false},
                                            {"host-windows", SPTRSV_HOST, SPTRSV_UPPER, SPTRSV_NON_TRANSPOSE, true},
                                            {"host-windows", SPTRSV_HOST, SPTRSV_LOWER, SPTRSV_TRANSPOSE, false},
                                            {"host-windows", SPTRSV_HOST, SPTRSV_UPPER, SPTRSV_TRANSPOSE, false},
                                            {"host-threads", SPTRSV_HOST, SPTRSV_UPPER, SPTRSV_TRANSPOSE, true}};

int life_pick(Life *l, int n)
{
  return (int)(n * random_unit(&l->state));
}

#if defined(SPTRSV_HAVE_CUDA)
static void create_stream(Life *l)
{
  if (l->location == SPTRSV_DEVICE) expect_cuda(cudaStreamCreateWithFlags(&l->stream[1], cudaStreamNonBlocking), "stream");
}

static void destroy_stream(Life *l)
{
  if (l->stream[1]) expect_cuda(cudaStreamDestroy(l->stream[1]), "cudaStreamDestroy");
}

void life_wait(const Life *l)
{
  if (l->location == SPTRSV_DEVICE) expect_cuda(cudaDeviceSynchronize(), "a step");
}
#else
static void create_stream(Life *l)
{
  (void)l;
}

static void destroy_stream(Life *l)
{
  (void)l;
}

void life_wait(const Life *l)
{
  (void)l;
}
#endif

static SptrsvStatus life_factor(const Life *l, SptrsvFactor *factor)
{
  const SptrsvCsr csr = zoo_csr(&l->A);

  return sptrsvFactorCreate(&csr, l->kind, l->row_perm, l->col_iperm, &l->fill, l->type, l->location, NULL, factor);
}

SptrsvTuning life_tuning(const char *asked)
{
  return (SptrsvTuning){.factor.algorithm = asked, .ata = {SPTRSV_TASKS_LOCALITY, 8, 0}};
}

SptrsvPlanOptions life_options(const Life *l, int k)
{
  const bool lower = life_sweeps[k].triangle == SPTRSV_LOWER;

  return (SptrsvPlanOptions){.algorithm   = life_sweeps[k].algorithm,
                             .location    = l->location,
                             .triangle    = life_sweeps[k].triangle,
                             .op          = life_sweeps[k].op,
                             .diagonal    = lower ? SPTRSV_DIAG_UNIT : SPTRSV_DIAG_INVERTED,
                             .type        = l->type,
                             .in_perm     = lower ? l->row_perm : NULL,
                             .out_perm    = life_sweeps[k].scatters ? l->row_perm : NULL,
                             .tuning.host = {.storage = SPTRSV_STORED_ONCE, .threads = 1}};
}

SptrsvStatus life_plan(const Life *l, SptrsvFactor factor, int k, SptrsvPlan *plan)
{
  const SptrsvPlanOptions options  = life_options(l, k);
  SptrsvAnalysis          analysis = NULL;

  expect_success(sptrsvFactorGetAnalysis(factor, &analysis));
  return sptrsvPlanCreate(analysis, &options, plan);
}

SptrsvStatus life_values(const Life *l, SptrsvFactor factor, const Standing *s, SptrsvStream stream, SptrsvFactorResult *result)
{
  const SptrsvPivoting pivoting = {s->shift, 0.25, l->type == SPTRSV_DOUBLE ? 1e-7 : 1e-3, 0};

  return sptrsvFactorNumeric(factor, l->values[s->values], &pivoting, stream, result);
}

void fresh_create(const Life *l, const Standing *s, Fresh *f)
{
  const SptrsvTuning tuning = life_tuning(s->asked);

  *f = (Fresh){.factor = NULL};
  expect_success(life_factor(l, &f->factor));
  if (l->location == SPTRSV_DEVICE) expect_success(sptrsvFactorTune(f->factor, &tuning));
  if (s->lent != NONE) {
    expect_success(life_plan(l, f->factor, s->lent, &f->lent));
    f->lending = sptrsvFactorSetSweep(f->factor, f->lent);
  }
  if (s->values != NONE) f->factoring = life_values(l, f->factor, s, NULL, &f->result);
}

void fresh_destroy(Fresh *f)
{
  if (f->factor) expect_success(sptrsvFactorSetSweep(f->factor, NULL));
  expect_success(sptrsvPlanDestroy(&f->lent));
  expect_success(sptrsvFactorDestroy(&f->factor));
}

void *fresh_solution(const Life *l, int k)
{
  const size_t      bytes    = (size_t)l->A.n * value_size(l->type);
  void             *x        = place_new(SPTRSV_HOST, bytes, NULL);
  SptrsvPlanOptions options  = life_options(l, k);
  SptrsvAnalysis    analysis = NULL;
  SptrsvPlan        plan     = NULL;
  const void       *values   = NULL;

  if (l->location == SPTRSV_HOST) options.algorithm = "host";
  expect_success(sptrsvFactorGetAnalysis(l->fresh.factor, &analysis));
  expect_success(sptrsvPlanCreate(analysis, &options, &plan));
  expect_success(sptrsvFactorGetValues(l->fresh.factor, &values));
  expect_success(sptrsvPlanUpdate(plan, values, NULL));
  expect_success(sptrsvSolve(plan, l->b, l->x, NULL));
  place_get(l->location, x, l->x, bytes);
  expect_success(sptrsvPlanDestroy(&plan));
  return x;
}

/* In the last ones every third diagonal entry is zero */
static void create_values(Life *l)
{
  for (int v = 0; v < VALUES; v++) {
    zoo_randomize(&l->A, l->seed + (uint64_t)v);
    for (int i = 0; v == VALUES - 1 && i < l->A.n; i += 3) {
      for (int e = l->A.row_ptr[i]; e < l->A.row_ptr[i + 1]; e++) {
        if (l->A.col_idx[e] == i) l->A.values[e] = 0;
      }
    }
    l->values[v] = zoo_values(&l->A, l->type, false, l->location);
  }
}

static void create_vectors(Life *l)
{
  const size_t bytes = (size_t)l->A.n * value_size(l->type);

  l->host_x = place_new(SPTRSV_HOST, bytes, NULL);
  for (int i = 0; i < l->A.n; i++) set_value(l->type, l->host_x, i, 2 * random_unit(&l->state) - 1);
  l->b = place_new(l->location, bytes, l->host_x);
  l->x = place_new(l->location, bytes, NULL);
}

void life_begin(uint64_t seed, SptrsvLocation location, Life *l)
{
  const int32_t *row_ptr, *col_idx;
  int64_t        rows;

  *l = (Life){.seed = seed, .state = seed * 7919 + 1, .location = location, .standing = {NULL, NONE, NONE, SPTRSV_SHIFT_NONE}};
  zoo_create(matrices[seed % MATRICES], true, &l->A);
  l->kind = life_pick(l, 2) ? SPTRSV_ICC0 : SPTRSV_ILU0;
  l->type = value_type(!life_pick(l, 3));
  l->fill = (SptrsvFill){life_pick(l, 4) ? 0 : 1, !l->A.diagonal};
  if (!life_pick(l, 3)) {
    l->row_perm  = random_permutation(l->A.n, seed);
    l->col_iperm = inverse_permutation(l->A.n, l->row_perm);
  }
  create_values(l);
  create_vectors(l);
  create_stream(l);
  expect_success(life_factor(l, &l->factor));
  expect_success(sptrsvFactorGetPattern(l->factor, &rows, &l->nnz, &row_ptr, &col_idx));
}

void life_end(Life *l)
{
  expect_success(sptrsvFactorSetSweep(l->factor, NULL));
  for (int k = 0; k < LIFE_SWEEPS; k++) {
    expect_success(sptrsvPlanDestroy(&l->plan[k]));
    free(l->right[k]);
  }
  expect_success(sptrsvFactorDestroy(&l->factor));
  fresh_destroy(&l->fresh);
  destroy_stream(l);
  for (int v = 0; v < VALUES; v++) place_free(l->location, l->values[v]);
  place_free(l->location, l->b);
  place_free(l->location, l->x);
  free(l->host_x);
  free(l->row_perm);
  free(l->col_iperm);
  zoo_destroy(&l->A);
}
