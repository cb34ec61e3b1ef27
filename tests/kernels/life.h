/* life.h - A factor with its plans, whatever is done to them, and fresh objects in the same state, for histories.c. */
#ifndef TESTS_LIFE_H
#define TESTS_LIFE_H
#include "check.h"
#include "zoo.h"

enum { NONE = -1, VALUES = 3, LIFE_SWEEPS = 15 };

/* Sweeps that plans are made for; those of the other triangle, transposed, or with another order of x are not to be lent */
typedef struct {
  const char     *algorithm;
  SptrsvLocation  location;
  SptrsvTriangle  triangle;
  SptrsvOperation op;
  bool            scatters;
} LifeSweep;
extern const LifeSweep life_sweeps[LIFE_SWEEPS];

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
  SptrsvPlan   plan[LIFE_SWEEPS];
  Standing     standing;
  Fresh        fresh;              /* of the last factorization */
  void        *right[LIFE_SWEEPS]; /* what solves give since the last update; NULL: they are refused */
  bool         stale[LIFE_SWEEPS]; /* the values of the last update, which the plan borrows, have changed since */
} Life;

void life_begin(uint64_t seed, SptrsvLocation location, Life *l);
void life_end(Life *l);
int  life_pick(Life *l, int n); /* returns a random number below n */
void life_wait(const Life *l);  /* waits for the GPU: the next step may be in another stream */

/* They make what fits the life's factor: its type and memory, its pattern and orderings.  k: a sweep */
SptrsvTuning      life_tuning(const char *asked);
SptrsvPlanOptions life_options(const Life *l, int k);
SptrsvStatus      life_plan(const Life *l, SptrsvFactor factor, int k, SptrsvPlan *plan);
SptrsvStatus      life_values(const Life *l, SptrsvFactor factor, const Standing *s, SptrsvStream stream, SptrsvFactorResult *result);

void  fresh_create(const Life *l, const Standing *s, Fresh *f);
void  fresh_destroy(Fresh *f);
void *fresh_solution(const Life *l, int k); /* solves by a new plan of the fresh factor, on the host by `host` */

#endif
