/*
   Random histories of a factor and its plans: algorithms that are asked for, plans that are lent, taken away and refused, new values, zero
   pivots and shifts, sweeps of all kinds, storage once, and memory that runs out in any of these calls.  Whatever came before, each call
   gives what it gives of objects that were made for it alone.

     histories [--quick] [--rows N] [SEED]

   A failure names its seed, which repeats its history alone.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "failing.h"
#include "zoo.h"
#if defined(SPTRSV_HAVE_CUDA)
  #include <cuda_runtime_api.h>
#endif

enum { NONE = -1, HISTORIES = 84, STEPS = 60, VALUES = 3 };
static const int matrices[] = {4, 6, 8, 16, 17, 18, 22}; /* of the zoo: chain, grid2d, blocks, islands, unsymmetric, random, no-diagonal */
enum { MATRICES = sizeof(matrices) / sizeof(*matrices) };

/* Sweeps that plans are made for; those of the other triangle, transposed, or with another order of x are not to be lent */
static const struct {
  const char     *algorithm;
  SptrsvLocation  location;
  SptrsvTriangle  triangle;
  SptrsvOperation op;
  bool            scatters;
} sweeps[] = {{"levelorder", SPTRSV_DEVICE, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, false},
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
enum { SWEEPS = sizeof(sweeps) / sizeof(*sweeps) };

/* An algorithm that was asked for, a plan that was lent, values that were factored; NONE: nothing */
typedef struct {
  const char *asked; /* NULL: auto */
  int         lent, values;
  SptrsvShift shift;
} Standing;

/* A factor with this standing and no history */
typedef struct {
  SptrsvFactor       factor;
  SptrsvPlan         lent;
  SptrsvStatus       lending, factoring;
  SptrsvFactorResult result;
} Fresh;

/* A factor, what it is made for, and what a history leaves behind */
typedef struct {
  uint64_t         seed, state; /* the first one names the history */
  int              step;
  ZooMatrix        A;
  SptrsvFactorKind kind;
  SptrsvValueType  type;
  SptrsvLocation   location;
  SptrsvFill       fill;
  int32_t         *row_perm, *col_iperm;
  int64_t          nnz;            /* of the factor */
  void            *values[VALUES]; /* of A, in the factor's memory */
  void            *b, *x, *host_x;
  SptrsvStream     stream[2]; /* the second one waits for no other */

  SptrsvFactor factor;
  SptrsvPlan   plan[SWEEPS];
  Standing     standing;
  Fresh        fresh;         /* of the last factorization */
  void        *right[SWEEPS]; /* what solves give since the last update; NULL: they are refused */
  bool         stale[SWEEPS]; /* the values of the last update, which the plan borrows, have changed since */
} Life;

/* ------------------------------------------------------------ chance -------------------------------------------------------- */

static int pick(Life *l, int n)
{
  return (int)(n * random_unit(&l->state));
}

/* One of the sweeps in the factor's memory */
static int pick_sweep(Life *l)
{
  int k = pick(l, SWEEPS);

  while (sweeps[k].location != l->location || !sptrsvAlgorithmFind(sweeps[k].algorithm, l->location)) k = pick(l, SWEEPS);
  return k;
}

static SptrsvStream any_stream(Life *l)
{
  return l->stream[pick(l, 2)];
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

/* Steps follow each other in whichever stream */
static void wait_for_step(const Life *l)
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

static void wait_for_step(const Life *l)
{
  (void)l;
}
#endif

/* In one call of five some allocation fails, and in some of these all later ones, too */
static void run_short(Life *l)
{
  if (!pick(l, 5)) failing_arm(1 + pick(l, 10), pick(l, 2));
}

/* Whether a call did its work: it has the expected status, or no memory and no effect */
static bool has_done(const Life *l, SptrsvStatus status, SptrsvStatus expected, const char *call)
{
  const bool struck = failing_struck();

  failing_arm(0, false);
  wait_for_step(l);
  if (!struck || status != SPTRSV_OUT_OF_MEMORY)
    expect(status == expected, "step %d, %s: %s, not %s", l->step, call, sptrsvGetErrorString(status), sptrsvGetErrorString(expected));
  return status == SPTRSV_SUCCESS;
}

/* ---------------------------------------------------------- fresh objects --------------------------------------------------- */

static SptrsvStatus create_factor(const Life *l, SptrsvFactor *factor)
{
  const SptrsvCsr csr = zoo_csr(&l->A);

  return sptrsvFactorCreate(&csr, l->kind, l->row_perm, l->col_iperm, &l->fill, l->type, l->location, NULL, factor);
}

static SptrsvTuning tuning_of(const char *asked)
{
  return (SptrsvTuning){.factor.algorithm = asked, .ata = {SPTRSV_TASKS_LOCALITY, 8, 0}};
}

static SptrsvPlanOptions options_of(const Life *l, int k)
{
  const bool lower = sweeps[k].triangle == SPTRSV_LOWER;

  return (SptrsvPlanOptions){.algorithm   = sweeps[k].algorithm,
                             .location    = l->location,
                             .triangle    = sweeps[k].triangle,
                             .op          = sweeps[k].op,
                             .diagonal    = lower ? SPTRSV_DIAG_UNIT : SPTRSV_DIAG_INVERTED,
                             .type        = l->type,
                             .in_perm     = lower ? l->row_perm : NULL,
                             .out_perm    = sweeps[k].scatters ? l->row_perm : NULL,
                             .tuning.host = {.storage = SPTRSV_STORED_ONCE, .threads = 1}};
}

static SptrsvStatus create_plan(const Life *l, SptrsvFactor factor, int k, SptrsvPlan *plan)
{
  const SptrsvPlanOptions options  = options_of(l, k);
  SptrsvAnalysis          analysis = NULL;

  expect_success(sptrsvFactorGetAnalysis(factor, &analysis));
  return sptrsvPlanCreate(analysis, &options, plan);
}

static SptrsvStatus factor_values(const Life *l, SptrsvFactor factor, const Standing *s, SptrsvStream stream, SptrsvFactorResult *result)
{
  const SptrsvPivoting pivoting = {s->shift, 0.25, l->type == SPTRSV_DOUBLE ? 1e-7 : 1e-3, 0};

  return sptrsvFactorNumeric(factor, l->values[s->values], &pivoting, stream, result);
}

static void fresh_create(const Life *l, const Standing *s, Fresh *f)
{
  const SptrsvTuning tuning = tuning_of(s->asked);

  *f = (Fresh){.factor = NULL};
  expect_success(create_factor(l, &f->factor));
  if (l->location == SPTRSV_DEVICE) expect_success(sptrsvFactorTune(f->factor, &tuning));
  if (s->lent != NONE) {
    expect_success(create_plan(l, f->factor, s->lent, &f->lent));
    f->lending = sptrsvFactorSetSweep(f->factor, f->lent);
  }
  if (s->values != NONE) f->factoring = factor_values(l, f->factor, s, NULL, &f->result);
}

static void fresh_destroy(Fresh *f)
{
  if (f->factor) expect_success(sptrsvFactorSetSweep(f->factor, NULL));
  expect_success(sptrsvPlanDestroy(&f->lent));
  expect_success(sptrsvFactorDestroy(&f->factor));
}

/* The solution by a new plan of the fresh factor; the host's are those of `host` */
static void *fresh_solution(const Life *l, int k)
{
  const size_t      bytes    = (size_t)l->A.n * value_size(l->type);
  void             *x        = place_new(SPTRSV_HOST, bytes, NULL);
  SptrsvPlanOptions options  = options_of(l, k);
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

/* ------------------------------------------------------------ steps --------------------------------------------------------- */

static void forget_right(Life *l, int k)
{
  free(l->right[k]);
  l->right[k] = NULL;
}

static void ask(Life *l)
{
  static const char *const names[] = {NULL, "entries", "ata", "rows", "sweep"};
  const char *const        name    = names[pick(l, 5)], *const asked = name && sptrsvFactorAlgorithmFind(name) ? name : NULL;
  const SptrsvTuning       tuning  = tuning_of(asked);
  const bool               takes   = l->location == SPTRSV_DEVICE || !asked;

  run_short(l);
  if (has_done(l, sptrsvFactorTune(l->factor, &tuning), takes ? SPTRSV_SUCCESS : SPTRSV_NOT_SUPPORTED, "sptrsvFactorTune"))
    l->standing.asked = asked;
}

/* Nothing is lent after a call that fails */
static void lend(Life *l)
{
  const int    k    = pick_sweep(l);
  SptrsvPlan   plan = l->plan[k];
  Standing     s    = {l->standing.asked, plan ? k : NONE, NONE, SPTRSV_SHIFT_NONE};
  Fresh        f;
  SptrsvStatus status;

  fresh_create(l, &s, &f);
  run_short(l);
  status           = sptrsvFactorSetSweep(l->factor, plan);
  l->standing.lent = has_done(l, status, f.lending, "sptrsvFactorSetSweep") ? s.lent : NONE;
  fresh_destroy(&f);
}

static void take_away(Life *l)
{
  expect_success(sptrsvFactorSetSweep(l->factor, NULL));
  l->standing.lent = NONE;
}

static bool same_row(const Life *l, const SptrsvFactorResult *a, const SptrsvFactorResult *b)
{
  if (l->standing.shift != SPTRSV_SHIFT_NONE) return (a->zero_pivot_row < 0) == (b->zero_pivot_row < 0); /* any such row */
  return a->zero_pivot_row == b->zero_pivot_row;
}

/* The factor's values on the host */
static void *copy_values(const Life *l, SptrsvFactor factor)
{
  const void *values = NULL;
  void       *copy   = place_new(SPTRSV_HOST, (size_t)l->nnz * value_size(l->type), NULL);

  expect_success(sptrsvFactorGetValues(factor, &values));
  place_get(l->location, copy, values, (size_t)l->nnz * value_size(l->type));
  return copy;
}

static void judge_factor(const Life *l, const SptrsvFactorResult *now)
{
  const SptrsvPlanOptions   bits      = {.type = l->type};
  const SptrsvFactorResult *then      = &l->fresh.result;
  char                      text[256] = "", words[256] = "";
  void *const values = copy_values(l, l->factor), *const right = copy_values(l, l->fresh.factor);

  expect_success(sptrsvFactorDescribe(l->factor, text, sizeof(text)));
  expect_success(sptrsvFactorDescribe(l->fresh.factor, words, sizeof(words)));
  expect(!strcmp(text, words), "step %d: the factorization is \"%s\", not \"%s\"", l->step, text, words);
  expect(now->shifts == then->shifts && now->shift_amount == then->shift_amount && same_row(l, now, then),
         "step %d: %d shifts up to %g, row %lld, not %d up to %g, row %lld", l->step, now->shifts, now->shift_amount,
         (long long)now->zero_pivot_row, then->shifts, then->shift_amount, (long long)then->zero_pivot_row);
  expect(same_solution(&bits, values, right, (int)l->nnz), "step %d: other values of \"%s\"", l->step, text);
  free(values);
  free(right);
}

/* What a factorization leaves of the plans: one that it took is without values, and on the host all borrow them */
static void change_plans(Life *l)
{
  char text[256] = "";

  for (int k = 0; k < SWEEPS; k++) l->stale[k] = l->location == SPTRSV_HOST;
  if (l->standing.lent == NONE || l->location == SPTRSV_HOST) return;
  expect_success(sptrsvFactorDescribe(l->factor, text, sizeof(text)));
  if (!strncmp(text, "sweep", 5)) forget_right(l, l->standing.lent);
}

static void factor(Life *l)
{
  SptrsvFactorResult result = {.shifts = NONE};
  SptrsvStatus       status;
  bool               done;

  l->standing.values = pick(l, VALUES);
  l->standing.shift  = (SptrsvShift)pick(l, SPTRSV_SHIFT_INBLOCKS + 1);
  fresh_destroy(&l->fresh);
  fresh_create(l, &l->standing, &l->fresh);
  run_short(l);
  status = factor_values(l, l->factor, &l->standing, any_stream(l), &result);
  done   = has_done(l, status, l->fresh.factoring, "sptrsvFactorNumeric");
  change_plans(l);
  if (done) judge_factor(l, &result);
  else l->standing.values = NONE;
}

static void create(Life *l)
{
  const int k = pick_sweep(l);

  if (l->plan[k]) return;
  run_short(l);
  if (!has_done(l, create_plan(l, l->factor, k, &l->plan[k]), SPTRSV_SUCCESS, "sptrsvPlanCreate"))
    expect(!l->plan[k], "step %d: a plan that was not made", l->step);
}

static void destroy(Life *l)
{
  const int k = pick_sweep(l);

  if (l->standing.lent == k) take_away(l);
  expect_success(sptrsvPlanDestroy(&l->plan[k]));
  forget_right(l, k);
}

static void update(Life *l)
{
  const int   k      = pick_sweep(l);
  const void *values = NULL;

  if (!l->plan[k] || l->standing.values == NONE) return;
  expect_success(sptrsvFactorGetValues(l->factor, &values));
  forget_right(l, k);
  run_short(l);
  if (!has_done(l, sptrsvPlanUpdate(l->plan[k], values, any_stream(l)), SPTRSV_SUCCESS, "sptrsvPlanUpdate")) return;
  l->right[k] = fresh_solution(l, k);
  l->stale[k] = false;
}

static void solve(Life *l)
{
  const int               k       = pick_sweep(l);
  const size_t            bytes   = (size_t)l->A.n * value_size(l->type);
  const SptrsvPlanOptions options = options_of(l, k);
  SptrsvStatus            status;

  if (!l->plan[k] || (l->right[k] && l->stale[k])) return;
  memset(l->host_x, 0xff, bytes);
  place_put(l->location, l->x, l->host_x, bytes);
  status = pick(l, 2) ? sptrsvSolve(l->plan[k], l->b, l->x, any_stream(l)) : sptrsvSolveNext(l->plan[k], l->b, l->x, any_stream(l));
  if (!has_done(l, status, l->right[k] ? SPTRSV_SUCCESS : SPTRSV_NOT_READY, "sptrsvSolve")) return;
  place_get(l->location, l->host_x, l->x, bytes);
  expect(same_solution(&options, l->host_x, l->right[k], l->A.n), "step %d: other bits from plan %d, of %s", l->step, k, options.algorithm);
}

static void (*const steps[])(Life *) = {ask,    lend,   lend,   lend,   take_away, factor, factor, factor, create,
                                        create, create, update, update, update,    solve,  solve,  solve,  destroy};

/* ------------------------------------------------------------- lives -------------------------------------------------------- */

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

static void begin(uint64_t seed, SptrsvLocation location, Life *l)
{
  const int32_t *row_ptr, *col_idx;
  int64_t        rows;

  *l =
      (Life){.seed = seed, .state = seed * 7919 + 1, .location = location, .standing = {NULL, NONE, NONE, SPTRSV_SHIFT_NONE}};
  zoo_create(matrices[seed % MATRICES], true, &l->A);
  l->kind = pick(l, 2) ? SPTRSV_ICC0 : SPTRSV_ILU0;
  l->type = value_type(!pick(l, 3));
  l->fill = (SptrsvFill){pick(l, 4) ? 0 : 1, !l->A.diagonal};
  if (!pick(l, 3)) {
    l->row_perm  = random_permutation(l->A.n, seed);
    l->col_iperm = inverse_permutation(l->A.n, l->row_perm);
  }
  create_values(l);
  create_vectors(l);
  create_stream(l);
  expect_success(create_factor(l, &l->factor));
  expect_success(sptrsvFactorGetPattern(l->factor, &rows, &l->nnz, &row_ptr, &col_idx));
}

static void end(Life *l)
{
  take_away(l);
  for (int k = 0; k < SWEEPS; k++) {
    expect_success(sptrsvPlanDestroy(&l->plan[k]));
    forget_right(l, k);
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

static void live(uint64_t seed, SptrsvLocation location)
{
  Life l;

  begin(seed, location, &l);
  case_begin("history %llu, %s of %s, %s, %s, on the %s", (unsigned long long)seed, l.kind == SPTRSV_ICC0 ? "ICC" : "ILU", l.A.name,
             l.row_perm ? "permuted" : "natural", value_types[l.type].name, location == SPTRSV_HOST ? "host" : "GPU");
  for (l.step = 1; l.step <= (location == SPTRSV_HOST ? 20 * STEPS : STEPS); l.step++) steps[pick(&l, sizeof(steps) / sizeof(*steps))](&l);
  end(&l);
  case_end();
}

int main(int argc, char **argv)
{
  const int      first = test_begin("histories", argc, argv);
  const uint64_t only  = first < argc ? strtoull(argv[first], NULL, 10) : 0;

  for (uint64_t seed = only ? only : 1; seed <= (only ? only : HISTORIES); seed++) {
    live(seed, SPTRSV_HOST);
    if (sptrsvDeviceCount()) live(seed, SPTRSV_DEVICE);
  }
  if (!sptrsvDeviceCount()) case_skip("histories on the GPU: there is no GPU");
  return test_end();
}
