/* The test case of one sweep: what is solved, in what order, over what was in x before. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sweep_check.h"

typedef struct {
  const ZooMatrix         *A;
  const SptrsvPlanOptions *o;
  SptrsvLocation           location;
  size_t                   size, bytes; /* of a number, of a vector */
  SptrsvPlan               plan, other; /* other: the opposite triangle of the same analysis, solved in between */
  void                    *values, *host_values;
  void                    *b, *x, *spare; /* where the algorithm runs */
  void                    *host_b, *host_x, *first_x;
} Case;

static void Set(SptrsvValueType type, void *values, int e, double value)
{
  if (type == SPTRSV_DOUBLE) ((double *)values)[e] = value;
  else ((float *)values)[e] = (float)value;
}

/* The NaN that means "not ready yet" to algorithms whose solution is its own flag.  Here it is a number from a user. */
static void SetSentinel(SptrsvValueType type, void *values, int e)
{
  const uint64_t wide   = UINT64_C(0x7ff8dead0000beef);
  const uint32_t narrow = UINT32_C(0x7fc0beef);

  if (type == SPTRSV_DOUBLE) memcpy((double *)values + e, &wide, sizeof(wide));
  else memcpy((float *)values + e, &narrow, sizeof(narrow));
}

static void RandomRightSide(Case *c, uint64_t seed)
{
  for (int i = 0; i < c->A->n; i++) Set(c->o->type, c->host_b, i, 2 * randomUnit(&seed) - 1);
}

/* What is in x before a solve must not matter: an old solution least of all, the sentinel neither */
static void Poison(Case *c, int kind)
{
  for (int i = 0; i < c->A->n; i++) {
    if (kind == 0) SetSentinel(c->o->type, c->host_x, i);
    else Set(c->o->type, c->host_x, i, kind == 1 ? 1e30 : kind == 2 ? 0 : -INFINITY);
  }
  placePut(c->location, c->x, c->host_x, c->bytes);
}

static void Solve(Case *c, int poison)
{
  placePut(c->location, c->b, c->host_b, c->bytes);
  Poison(c, poison);
  expectSuccess(sptrsvSolve(c->plan, c->b, c->x, NULL));
  placeGet(c->location, c->host_x, c->x, c->bytes);
}

static void SolveAndJudge(Case *c, int poison, const char *what)
{
  Triangular T;
  int        wrong;

  Solve(c, poison);
  triangularCreate(c->A, c->o, c->host_values, &T);
  wrong = triangularWrongRows(&T, c->o, c->host_b, c->host_x);
  expect(!wrong, "%s: %d of %d rows do not hold", what, wrong, c->A->n);
  triangularDestroy(&T);
}

/* The judge is tested too: a single wrong digit is to be seen */
static void JudgeSeesErrors(Case *c)
{
  const int  i = c->A->n / 2;
  Triangular T;

  if (!c->A->n) return;
  triangularCreate(c->A, c->o, c->host_values, &T);
  Set(c->o->type, c->host_x, i,
      (c->o->type == SPTRSV_DOUBLE ? ((double *)c->host_x)[i] : (double)((float *)c->host_x)[i]) * 1.01 + 1e-3);
  expect(triangularWrongRows(&T, c->o, c->host_b, c->host_x) > 0, "the test does not see a wrong x[%d]", i);
  triangularDestroy(&T);
}

static void SameBits(Case *c, const char *what)
{
  expect(sameSolution(c->o, c->host_x, c->first_x, c->A->n), "%s: other bits than the first time", what);
}

/* A sweep leaves nothing behind that the next one trips over: again, over old solutions, with another sweep in between */
static void Repeat(Case *c)
{
  memcpy(c->first_x, c->host_x, c->bytes);
  for (int k = 0; k < 3; k++) {
    Solve(c, k);
    SameBits(c, "again");
  }
  if (!c->other) return;
  for (int k = 0; k < 2; k++) expectSuccess(sptrsvSolve(c->other, c->b, c->spare, NULL));
  Solve(c, 1);
  SameBits(c, "after another sweep");
  for (int k = 0; k < 2; k++) expectSuccess(sptrsvSolve(c->plan, c->x, c->spare, NULL)); /* with other data, unwatched */
  Solve(c, 0);
  SameBits(c, "after other data");
}

/* Device algorithms have taken their copy: what happens to the caller's values is nobody's business until the next update */
static void ForgetValues(Case *c)
{
  void *junk;

  if (c->location == SPTRSV_HOST) return;
  junk = placeNew(SPTRSV_HOST, (size_t)c->A->nnz * c->size, NULL);
  memset(junk, 0x3f, (size_t)c->A->nnz * c->size);
  placePut(c->location, c->values, junk, (size_t)c->A->nnz * c->size);
  Solve(c, 0);
  SameBits(c, "without the caller's values");
  free(junk);
}

static void Update(Case *c)
{
  placePut(c->location, c->values, c->host_values, (size_t)c->A->nnz * c->size);
  expectSuccess(sptrsvPlanUpdate(c->plan, c->values, NULL));
}

static void NewValues(Case *c, uint64_t seed)
{
  ZooMatrix other = *c->A;

  other.values = placeNew(SPTRSV_HOST, (size_t)c->A->nnz * sizeof(double), NULL);
  zooRandomize(&other, seed);
  free(c->host_values);
  c->host_values = zooValues(&other, c->o->type, c->o->diagonal == SPTRSV_DIAG_INVERTED, SPTRSV_HOST);
  free(other.values);
  Update(c);
  SolveAndJudge(c, 1, "new values");
}

static void NotANumber(Case *c)
{
  const int n = c->A->n, nnz = c->A->nnz;

  if (!n) return;
  Set(c->o->type, c->host_b, n / 3, NAN);
  SolveAndJudge(c, 1, "NaN in b");
  Set(c->o->type, c->host_b, n / 3, INFINITY);
  SolveAndJudge(c, 0, "Inf in b");
  SetSentinel(c->o->type, c->host_b, 2 * n / 3);
  SolveAndJudge(c, 2, "Inf and the sentinel in b");
  for (int i = 0; i < n; i++) SetSentinel(c->o->type, c->host_b, i);
  SolveAndJudge(c, 0, "nothing but sentinels in b");
  RandomRightSide(c, 3);
  SolveAndJudge(c, 1, "numbers again");
  if (!nnz) return;
  SetSentinel(c->o->type, c->host_values, nnz / 2);
  SetSentinel(c->o->type, c->host_values, nnz - 1);
  Update(c);
  SolveAndJudge(c, 0, "sentinels in the values");
  Set(c->o->type, c->host_values, nnz / 2, NAN);
  Set(c->o->type, c->host_values, nnz - 1, 1);
  Update(c);
  SolveAndJudge(c, 1, "NaN in the values");
}

/* One number in the place of another, for one solve */
static void Number(Case *c, void *numbers, int e, double number, const char *where)
{
  char what[80], *const place = (char *)numbers + (size_t)e * c->size;
  char before[sizeof(double)];

  (void)snprintf(what, sizeof(what), "%g %s", number, where);
  memcpy(before, place, c->size);
  Set(c->o->type, numbers, e, number);
  if (numbers == c->host_values) Update(c);
  SolveAndJudge(c, 1, what);
  memcpy(place, before, c->size);
  if (numbers == c->host_values) Update(c);
}

/* Position of an entry, or -1 */
static int Find(const ZooMatrix *A, int i, int j)
{
  for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) {
    if (A->col_idx[e] == j) return e;
  }
  return -1;
}

static void NumbersInRow(Case *c, const Triangular *T, int i, const double *numbers, int count)
{
  const bool transposed = c->o->op == SPTRSV_TRANSPOSE;
  const int  j     = T->row_ptr[i] < T->row_ptr[i + 1] ? T->col_idx[T->row_ptr[i]] : -1;
  const int  entry = j < 0 ? -1 : transposed ? Find(c->A, j, i) : Find(c->A, i, j), diagonal = Find(c->A, i, i);
  const int  other = j < 0 ? -1 : transposed ? Find(c->A, i, j) : Find(c->A, j, i);

  for (int k = 0; k < count; k++) {
    Number(c, c->host_b, c->o->in_perm ? c->o->in_perm[i] : i, numbers[k], "in b");
    if (entry >= 0) Number(c, c->host_values, entry, numbers[k], "in the triangle");
    if (diagonal >= 0) Number(c, c->host_values, diagonal, numbers[k], "on the diagonal");
  }
  if (other >= 0) Number(c, c->host_values, other, NAN, "in the other triangle");
}

static void Numbers(Case *c)
{
  const bool   wide      = c->o->type == SPTRSV_DOUBLE;
  const double largest   = wide ? DBL_MAX : (double)FLT_MAX, least = wide ? DBL_TRUE_MIN : (double)FLT_TRUE_MIN;
  const double numbers[] = {NAN, INFINITY, -INFINITY, largest, -largest, largest / 8, wide ? 1e-308 : 1e-38, least, 0, -0.0};
  int          longest   = 0;
  Triangular   T;

  triangularCreate(c->A, c->o, c->host_values, &T);
  for (int i = 0; i < T.n; i++) {
    if (T.row_ptr[i + 1] - T.row_ptr[i] > T.row_ptr[longest + 1] - T.row_ptr[longest]) longest = i;
  }
  NumbersInRow(c, &T, 0, numbers, sizeof(numbers) / sizeof(*numbers));
  NumbersInRow(c, &T, T.n / 2, numbers, sizeof(numbers) / sizeof(*numbers));
  NumbersInRow(c, &T, T.n - 1, numbers, sizeof(numbers) / sizeof(*numbers));
  NumbersInRow(c, &T, longest, numbers, sizeof(numbers) / sizeof(*numbers));
  triangularDestroy(&T);
}

static void Allocate(Case *c)
{
  c->size        = c->o->type == SPTRSV_DOUBLE ? sizeof(double) : sizeof(float);
  c->bytes       = (size_t)c->A->n * c->size;
  c->host_values = zooValues(c->A, c->o->type, c->o->diagonal == SPTRSV_DIAG_INVERTED, SPTRSV_HOST);
  c->values      = placeNew(c->location, (size_t)c->A->nnz * c->size, c->host_values);
  c->b           = placeNew(c->location, c->bytes, NULL);
  c->x           = placeNew(c->location, c->bytes, NULL);
  c->spare       = placeNew(c->location, c->bytes, NULL);
  c->host_b      = placeNew(SPTRSV_HOST, c->bytes, NULL);
  c->host_x      = placeNew(SPTRSV_HOST, c->bytes, NULL);
  c->first_x     = placeNew(SPTRSV_HOST, c->bytes, NULL);
}

static void Free(Case *c)
{
  void *const placed[] = {c->values, c->b, c->x, c->spare}, *const host[] = {c->host_values, c->host_b, c->host_x, c->first_x};

  expectSuccess(sptrsvPlanDestroy(&c->plan));
  expectSuccess(sptrsvPlanDestroy(&c->other));
  for (int k = 0; k < 4; k++) {
    placeFree(c->location, placed[k]);
    free(host[k]);
  }
}

/* The opposite triangle, if the algorithm can do it: not every pattern has the diagonal that it takes */
static void CreateOther(Case *c, SptrsvAnalysis analysis)
{
  SptrsvPlanOptions opposite = *c->o;

  opposite.triangle = c->o->triangle == SPTRSV_LOWER ? SPTRSV_UPPER : SPTRSV_LOWER;
  opposite.in_perm = opposite.out_perm = NULL;
  if (sptrsvPlanCreate(analysis, &opposite, &c->other)) c->other = NULL;
  else expectSuccess(sptrsvPlanUpdate(c->other, c->values, NULL));
}

static void Describe(Case *c)
{
  const SptrsvAlgorithm *algorithms[SPTRSV_PLAN_ALGORITHMS] = {NULL};
  char                   text[512] = "", cut[8];
  size_t                 host = 0, device = 0;

  expectSuccess(sptrsvPlanDescribe(c->plan, text, sizeof(text)));
  expect(strlen(text) > 4, "its description is \"%s\"", text);
  expectSuccess(sptrsvPlanDescribe(c->plan, cut, sizeof(cut)));
  expect(strlen(cut) < sizeof(cut) && !strncmp(cut, text, strlen(cut)), "cut to 7 characters its description is \"%s\"", cut);
  expectSuccess(sptrsvPlanGetAlgorithms(c->plan, algorithms));
  expect(algorithms[0] && !strcmp(algorithms[0]->name, c->o->algorithm), "it says that it is %s",
         algorithms[0] ? algorithms[0]->name : "none");
  expectSuccess(sptrsvPlanGetMemory(c->plan, &host, &device));
}

static void Begin(const ZooMatrix *A, const SptrsvPlanOptions *o, const char *what)
{
  static const char *const diagonals[] = {"unit", "stored", "inverted"};

  char                     policy[64]  = "";

  if (o->tuning.split.policy) (void)snprintf(policy, sizeof(policy), ", policy %d, level %d", o->tuning.split.policy, o->tuning.split.level);
  caseBegin("%s %s%s %s %s%s%s on %s%s%s", o->algorithm, o->triangle == SPTRSV_LOWER ? "L" : "U",
            o->op == SPTRSV_TRANSPOSE ? "^T" : "", diagonals[o->diagonal], o->type == SPTRSV_DOUBLE ? "double" : "float",
            o->in_perm ? " in_perm" : "", o->out_perm ? " out_perm" : "", A->name, policy, what);
}

void sweepNumbersCase(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvPlanOptions *o)
{
  Case c = {.A = A, .o = o, .location = o->location};

  Begin(A, o, ", numbers");
  if (expectSuccess(sptrsvPlanCreate(analysis, o, &c.plan))) {
    Allocate(&c);
    RandomRightSide(&c, 1);
    Update(&c);
    SolveAndJudge(&c, 0, "first solve");
    memcpy(c.first_x, c.host_x, c.bytes);
    Numbers(&c);
    Solve(&c, 0);
    SameBits(&c, "afterwards");
    Free(&c);
  }
  caseEnd();
}

void sweepCase(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvPlanOptions *o)
{
  const bool   possible = A->diagonal || o->diagonal == SPTRSV_DIAG_UNIT;
  Case         c        = {.A = A, .o = o, .location = o->location};
  SptrsvStatus status;

  Begin(A, o, "");
  status = sptrsvPlanCreate(analysis, o, &c.plan);
  expectStatus(status, possible ? SPTRSV_SUCCESS : SPTRSV_MISSING_DIAGONAL, "sptrsvPlanCreate");
  if (!status) {
    Allocate(&c);
    RandomRightSide(&c, 1);
    expectStatus(sptrsvSolve(c.plan, c.b, c.x, NULL), SPTRSV_NOT_READY, "solving before there are values");
    Update(&c);
    SolveAndJudge(&c, 0, "first solve");
    CreateOther(&c, analysis);
    Repeat(&c);
    ForgetValues(&c);
    Describe(&c);
    JudgeSeesErrors(&c);
    NewValues(&c, 77);
    NotANumber(&c);
    Free(&c);
  }
  caseEnd();
}
