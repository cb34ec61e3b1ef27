/*
   sweep_batch.h - Solves of one plan in batches.

   All b, x and values go to the GPU, updates and solves follow each other in the stream, and all x come back.  A wait of the host for the
   GPU takes longer than most solves of the zoo.  A batch is one solve, with arrays that end where their memory does, on the host, which
   waits for nothing, and under checkers of memory.
*/
#ifndef TESTS_SWEEP_BATCH_H
#define TESTS_SWEEP_BATCH_H
#include "sweep_check.h"

/* A solve of a batch, and how its x is judged: by its residual, and bits of SAME ones are those of the FIRST */
typedef enum { FIRST, SAME, RIGHT } Verdict;
typedef enum { NOTHING, OTHER_SWEEP, OTHER_DATA, VALUES_SPOILT } Between;
typedef struct {
  char        what[80];
  Verdict     verdict;
  Between     before; /* what comes in between */
  int         update; /* which values of the batch the plan takes first; -1: none */
  const char *values; /* that it has then, on the host */
} Step;

enum { ROOM = 64 };
typedef struct {
  const ZooMatrix         *A;
  const SptrsvPlanOptions *o;
  SptrsvLocation           location;
  SptrsvStream             stream; /* of the GPU, its own */
  size_t                   size, vector, matrix; /* bytes of a number, of a vector, of the matrix's values */
  SptrsvPlan               plan, other; /* other: the opposite triangle of the same analysis, solved in between */
  Triangular               T;
  Step                     step[ROOM];
  int                      room, steps, updates; /* room: for steps, and for updates of a side */
  int                      side; /* of the next values: plans of the host borrow those of the other side until then */
  bool                     changed; /* now_values since the last update */
  char                    *b, *x, *values[2], *spare, *data; /* where the algorithm runs: [room], one of spare and data */
  char                    *host_b, *host_x, *host_values[2];
  struct Kept             *kept; /* where all of these and the stream are parts of what batches leave to each other; NULL: its own */
  char                    *now_b, *now_values, *first_x; /* now: of the next step */
  const char              *placed, *taken; /* the plan's values, where the algorithm runs and on the host after the batch */
} Batch;

/* batch_create - For a plan with b from seed 1 and the matrix's values; A, o, location, plan and other are there. */
void batch_create(Batch *test);
void batch_destroy(Batch *test); /* not the plans, nor what it leaves to the next batch */
void batch_forget(void);         /* frees what was left */

void batch_right_side(Batch *test, uint64_t seed);
/* batch_add - Adds a solve of what there is now.  kind: 0 to 2, of what is in x before. */
void batch_add(Batch *test, int kind, Verdict verdict, Between before, const char *what);
void batch_run(Batch *test); /* and judges its solves */

/* In parts, for several batches at the same time: batch_solve() does not wait for the GPU, and batch_judge() does not call it */
void batch_put(Batch *test);
void batch_solve(Batch *test);
void batch_get(Batch *test);
void batch_judge(Batch *test);

#endif
