/* An ICC factor stored once.  Its lower triangle is L = U^T with rows multiplied by inverted pivots, so the forward sweep can take the
   rows of U that the backward sweep has stored, as PETSc's ICC does.  Where that pays depends on the caches, and on what else the solver
   reads between two applies: so the first applies are timed, in both ways.  Both give the same bits. */
#include <stdlib.h>
#include "host_windows.h"

enum {
  TRIALS = 8,      /* applies that are timed in each way; the fastest counts */
  SMALL  = 1 << 20 /* bytes of a triangle that stays in any cache, where its own rows are faster */
};

static const double WORTHWHILE = 0.94; /* of the time, that storing twice must save: it leaves less of the cache to others */

/* The two sweeps */
typedef struct SptrsvPair_s {
  SptrsvPlan lower, upper;   /* NULL: there is none that can join */
  bool       once, timed;    /* the apply under way takes the upper triangle twice; it is timed */
  int        trials[2];      /* applies timed so far, of a factor stored twice and stored once */
  double     least[2];       /* seconds of the fastest */
  double     begin, seconds; /* of the sweep under way; of the apply's sweeps before it */
} SptrsvPair;

static SptrsvWindows *windows(SptrsvPlan plan)
{
  return (SptrsvWindows *)plan->data;
}

/* One thread, an upper triangle with rows as they are */
static bool can_join(SptrsvPlan plan)
{
  const SptrsvPlanOptions *o    = &plan->options;
  const SptrsvWindows     *data = windows(plan);
  const size_t             each = (size_t)data->stored.block * (size_t)data->stored.block * sptrsvValueSize(o->type);
  const size_t             size = (size_t)data->stored.nnz * (sizeof(int) + each);
  const SptrsvDiagonal     own  = data->stored.block > 1 ? SPTRSV_DIAG_UNIT : SPTRSV_DIAG_INVERTED; /* of the upper triangle */

  if (!plan->analysis->icc0 || plan->analysis->location != SPTRSV_HOST || o->op != SPTRSV_NON_TRANSPOSE || data->team ||
      data->stored.groups)
    return false;
  if (o->tuning.host.storage == SPTRSV_STORED_TWICE || (o->tuning.host.storage == SPTRSV_STORED_MEASURED && size < SMALL)) return false;
  return o->triangle == SPTRSV_UPPER ? o->diagonal == own && !data->stored.to : o->diagonal == SPTRSV_DIAG_UNIT && !o->out_perm;
}

SptrsvStatus sptrsvPairJoin(SptrsvPlan plan)
{
  SptrsvPair **pair = &plan->analysis->pair;
  SptrsvPlan  *mine;

  if (!can_join(plan)) return SPTRSV_SUCCESS;
  if (!*pair) SPTRSV_TRY(sptrsvNew(1, pair));
  mine = plan->options.triangle == SPTRSV_UPPER ? &(*pair)->upper : &(*pair)->lower;
  if (*mine) return SPTRSV_SUCCESS;
  *mine = plan;
  for (int once = 0; once < 2; once++) (*pair)->trials[once] = 0;
  return SPTRSV_SUCCESS;
}

static SptrsvPair *pair_of(SptrsvPlan plan)
{
  SptrsvPair *pair = plan->analysis->pair;

  return pair && (pair->lower == plan || pair->upper == plan) ? pair : NULL;
}

/* Tells whether both plans are there, for the same values */
static bool is_complete(const SptrsvPair *pair)
{
  return pair->lower && pair->upper && pair->lower->options.type == pair->upper->options.type && pair->lower->values == pair->upper->values;
}

void sptrsvPairLeave(SptrsvPlan plan)
{
  SptrsvPair *pair = pair_of(plan);

  if (!pair) return;
  if (pair->lower == plan) pair->lower = NULL;
  else pair->upper = NULL;
  if (pair->lower || pair->upper) return;
  free(pair);
  plan->analysis->pair = NULL;
}

/* The upper plan may have packed what was in the same array before */
void sptrsvPairUpdate(SptrsvPlan plan)
{
  SptrsvPair *pair = pair_of(plan);

  if (pair && is_complete(pair)) windows(pair->upper)->stored.given = pair->upper->values;
}

static bool is_measured(const SptrsvPair *pair)
{
  return pair->trials[0] == TRIALS && pair->trials[1] == TRIALS;
}

static bool takes_upper(const SptrsvPair *pair)
{
  if (pair->lower->options.tuning.host.storage == SPTRSV_STORED_ONCE) return true;
  return is_measured(pair) ? pair->least[0] > WORTHWHILE * pair->least[1] : pair->trials[0] == TRIALS;
}

bool sptrsvPairBegin(SptrsvPlan plan)
{
  SptrsvPair *pair = pair_of(plan);

  if (!pair || !is_complete(pair)) return false;
  if (plan == pair->lower) {
    const bool packs = windows(pair->upper)->stored.given || (!takes_upper(pair) && windows(plan)->stored.given);

    pair->once    = takes_upper(pair);
    pair->timed   = !packs && !is_measured(pair);
    pair->seconds = 0;
  }
  if (pair->timed) pair->begin = sptrsvSeconds();
  if (plan != pair->lower || !pair->once) return false;
  sptrsvHostRowsScatter(&windows(plan)->stored, &windows(pair->upper)->stored);
  return true;
}

void sptrsvPairEnd(SptrsvPlan plan)
{
  SptrsvPair *pair = pair_of(plan);

  if (!pair || !pair->timed) return;
  pair->seconds += sptrsvSeconds() - pair->begin;
  if (plan == pair->lower) return;
  if (!pair->trials[pair->once] || pair->seconds < pair->least[pair->once]) pair->least[pair->once] = pair->seconds;
  pair->trials[pair->once]++;
  pair->timed = false;
}

void sptrsvPairDescribe(SptrsvPlan plan, char *text, size_t size)
{
  const SptrsvPair *pair = pair_of(plan);

  if (!pair || !pair->lower || !pair->upper) return;
  if (plan->options.tuning.host.storage == SPTRSV_STORED_ONCE) sptrsvAppend(text, size, ", stored once");
  else if (!is_measured(pair)) sptrsvAppend(text, size, ", stored twice until %d applies are timed", 2 * TRIALS);
  else {
    const bool once = takes_upper(pair);

    sptrsvAppend(text, size, ", stored %s: an apply takes %.0f us, of a factor stored %s %.0f us", once ? "once" : "twice",
                 1e6 * pair->least[once], once ? "twice" : "once", 1e6 * pair->least[!once]);
  }
}
