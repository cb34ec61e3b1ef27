/*
   Random histories of a factor and its plans: algorithms that are asked for, plans that are lent, taken away and refused, new values, zero
   pivots and shifts, sweeps of all kinds, storage once, and memory that runs out in any of these calls.  Whatever came before, each call
   gives what it gives of objects that were made for it alone.

     histories [--quick] [--rows N] [SEED]

   A failure names its seed, which repeats its history alone.
*/
#include <stdlib.h>
#include <string.h>
#include "failing.h"
#include "life.h"

enum { HISTORIES = 84, STEPS = 60 };

/* ------------------------------------------------------------ chance -------------------------------------------------------- */

/* One of the sweeps in the factor's memory */
static int pick_sweep(Life *l)
{
  int k = life_pick(l, LIFE_SWEEPS);

  while (life_sweeps[k].location != l->location || !sptrsvAlgorithmFind(life_sweeps[k].algorithm, l->location))
    k = life_pick(l, LIFE_SWEEPS);
  return k;
}

static SptrsvStream any_stream(Life *l)
{
  return l->stream[life_pick(l, 2)];
}

/* In one call of five some allocation fails, and in some of these all later ones, too */
static void run_short(Life *l)
{
  if (!life_pick(l, 5)) failing_arm(1 + life_pick(l, 10), life_pick(l, 2));
}

/* Whether a call did its work: it has the expected status, or no memory and no effect */
static bool has_done(const Life *l, SptrsvStatus status, SptrsvStatus expected, const char *call)
{
  const bool struck = failing_struck();

  failing_arm(0, false);
  life_wait(l);
  if (!struck || status != SPTRSV_OUT_OF_MEMORY)
    expect(status == expected, "step %d, %s: %s, not %s", l->step, call, sptrsvGetErrorString(status), sptrsvGetErrorString(expected));
  return status == SPTRSV_SUCCESS;
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
  const char *const name = names[life_pick(l, 5)], *const asked = name && sptrsvFactorAlgorithmFind(name) ? name : NULL;
  const SptrsvTuning tuning = life_tuning(asked);
  const bool         takes  = l->location == SPTRSV_DEVICE || !asked;

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

  for (int k = 0; k < LIFE_SWEEPS; k++) l->stale[k] = l->location == SPTRSV_HOST;
  if (l->standing.lent == NONE || l->location == SPTRSV_HOST) return;
  expect_success(sptrsvFactorDescribe(l->factor, text, sizeof(text)));
  if (!strncmp(text, "sweep", 5)) forget_right(l, l->standing.lent);
}

static void factor(Life *l)
{
  SptrsvFactorResult result = {.shifts = NONE};
  SptrsvStatus       status;
  bool               done;

  l->standing.values = life_pick(l, VALUES);
  l->standing.shift  = (SptrsvShift)life_pick(l, SPTRSV_SHIFT_INBLOCKS + 1);
  fresh_destroy(&l->fresh);
  fresh_create(l, &l->standing, &l->fresh);
  run_short(l);
  status = life_values(l, l->factor, &l->standing, any_stream(l), &result);
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
  if (!has_done(l, life_plan(l, l->factor, k, &l->plan[k]), SPTRSV_SUCCESS, "sptrsvPlanCreate"))
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
  const SptrsvPlanOptions options = life_options(l, k);
  SptrsvStatus            status;

  if (!l->plan[k] || (l->right[k] && l->stale[k])) return;
  memset(l->host_x, 0xff, bytes);
  place_put(l->location, l->x, l->host_x, bytes);
  status = life_pick(l, 2) ? sptrsvSolve(l->plan[k], l->b, l->x, any_stream(l)) : sptrsvSolveNext(l->plan[k], l->b, l->x, any_stream(l));
  if (!has_done(l, status, l->right[k] ? SPTRSV_SUCCESS : SPTRSV_NOT_READY, "sptrsvSolve")) return;
  place_get(l->location, l->host_x, l->x, bytes);
  expect(same_solution(&options, l->host_x, l->right[k], l->A.n), "step %d: other bits from plan %d, of %s", l->step, k, options.algorithm);
}

static void (*const steps[])(Life *) = {ask,    lend,   lend,   lend,   take_away, factor, factor, factor, create,
                                        create, create, update, update, update,    solve,  solve,  solve,  destroy};

/* ------------------------------------------------------------- lives -------------------------------------------------------- */

static void live(uint64_t seed, SptrsvLocation location)
{
  Life l;

  life_begin(seed, location, &l);
  case_begin("history %llu, %s of %s, %s, %s, on the %s", (unsigned long long)seed, l.kind == SPTRSV_ICC0 ? "ICC" : "ILU", l.A.name,
             l.row_perm ? "permuted" : "natural", value_types[l.type].name, location == SPTRSV_HOST ? "host" : "GPU");
  for (l.step = 1; l.step <= (location == SPTRSV_HOST ? 20 * STEPS : STEPS); l.step++)
    steps[life_pick(&l, sizeof(steps) / sizeof(*steps))](&l);
  life_end(&l);
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
