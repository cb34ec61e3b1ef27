/* Rows put together into tasks: what a task holds, in which order, and that tasks wait for all tasks that they need. */
#include <stdlib.h>
#include <string.h>
#include "../../src/kernels/tasks/tasks.h"
#include "check.h"
#include "zoo.h"

typedef struct {
  SptrsvOrdered o;
  SptrsvTasks   t;
  int          *task, *place, *level; /* of each row; level inside its task */
} Tasks;

static void Locate(Tasks *s)
{
  const int n = s->o.n;

  s->task  = placeNew(SPTRSV_HOST, (size_t)n * sizeof(int), NULL);
  s->place = placeNew(SPTRSV_HOST, (size_t)n * sizeof(int), NULL);
  s->level = placeNew(SPTRSV_HOST, (size_t)n * sizeof(int), NULL);
  for (int i = 0; i < n; i++) s->place[i] = -1;
  for (int k = 0; k < s->t.tasks; k++) {
    for (int p = s->t.first[k]; p < s->t.first[k + 1]; p++) {
      s->task[s->t.row[p]]  = k;
      s->place[s->t.row[p]] = p;
    }
  }
  for (int i = 0; i < n; i++) {
    s->level[i] = 0;
    for (int e = s->o.row_ptr[i]; e < s->o.row_ptr[i + 1]; e++) {
      const int j = s->o.col_idx[e];

      if (s->task[j] == s->task[i] && s->level[j] >= s->level[i]) s->level[i] = s->level[j] + 1;
    }
  }
}

static void EveryRowOnce(const Tasks *s)
{
  int lost = 0;

  for (int i = 0; i < s->o.n; i++) lost += s->place[i] < 0;
  expect(s->t.rows == s->o.n && !lost && s->t.first[s->t.tasks] == s->o.n, "%d of %d rows are lost", lost, s->o.n);
}

/* Fewer levels first, neighbours side by side; tracked where there is more than one level, and the other rows counted */
static void InSetOrder(const Tasks *s)
{
  int wrong = 0, untracked = 0;

  for (int k = 0; k < s->t.tasks; k++) {
    bool levels = false;

    for (int p = s->t.first[k]; p < s->t.first[k + 1]; p++) {
      const int row = s->t.row[p], last = p > s->t.first[k] ? s->t.row[p - 1] : -1;

      levels = levels || s->level[row] > 0;
      if (last >= 0) wrong += s->level[last] > s->level[row] || (s->level[last] == s->level[row] && last > row);
    }
    expect(levels == s->t.tracked[k], "task %d: tracked is %d", k, s->t.tracked[k]);
    if (!levels) untracked += s->t.first[k + 1] - s->t.first[k];
  }
  expect(!wrong, "%d rows are out of order", wrong);
  expect(untracked == s->t.untracked, "%d rows are said to be in tasks without inner dependencies, not %d", s->t.untracked, untracked);
}

/* Algorithm 3: whole levels, no more than it takes.  Algorithm 4: neighbours, as many as asked for. */
static void AsThePolicySays(const Tasks *s, SptrsvTaskPolicy policy, int size, const int *level)
{
  for (int k = 0; k < s->t.tasks; k++) {
    const int rows = s->t.first[k + 1] - s->t.first[k];
    int       most = 0, in_last_level = 0;

    expect(rows >= size || k == s->t.tasks - 1, "task %d has %d rows", k, rows);
    if (policy == SPTRSV_TASKS_LOCALITY) expect(rows <= size, "task %d has %d rows", k, rows);
    for (int p = s->t.first[k]; p < s->t.first[k + 1]; p++) {
      const int row = s->t.row[p];

      if (policy == SPTRSV_TASKS_LOCALITY) expect(row / size == k, "row %d is in task %d", row, k);
      if (level[row] > most) most = level[row], in_last_level = 0;
      in_last_level += level[row] == most;
    }
    if (policy == SPTRSV_TASKS_LOCALITY) continue;
    expect(rows - in_last_level < size, "task %d has a level too many", k);
    for (int i = 0; i < s->o.n; i++) expect(s->task[i] <= k || level[i] > most, "row %d of level %d is not in task %d", i, level[i], k);
  }
}

/* By what each task waits for, and what that has waited for, all tasks that it needs are done */
static void AllAreWaitedFor(const Tasks *s)
{
  const int tasks = s->t.tasks;
  bool     *done  = placeNew(SPTRSV_HOST, (size_t)tasks * (size_t)tasks, NULL);
  int      *level = placeNew(SPTRSV_HOST, (size_t)tasks * sizeof(int), NULL), depth = 0, missing = 0;

  memset(done, 0, (size_t)tasks * (size_t)tasks);
  for (int k = 0; k < tasks; k++) {
    level[k] = 0;
    for (int q = 0; q < SPTRSV_QUEUES; q++) {
      const int before = s->t.after[k][q];

      if (before < 0) continue;
      expect(before < k && s->t.queue[before] == q, "task %d waits for task %d in queue %d", k, before, q);
      done[k * tasks + before] = true;
      for (int other = 0; other < tasks; other++) done[k * tasks + other] |= done[before * tasks + other];
    }
    for (int other = 0; other < k; other++) missing += s->t.queue[other] == s->t.queue[k] && !done[k * tasks + other];
    for (int p = s->t.first[k]; p < s->t.first[k + 1]; p++) {
      for (int e = s->o.row_ptr[s->t.row[p]]; e < s->o.row_ptr[s->t.row[p] + 1]; e++) {
        const int other = s->task[s->o.col_idx[e]];

        if (other == k) continue;
        missing += !done[k * tasks + other];
        if (level[other] >= level[k]) level[k] = level[other] + 1;
      }
    }
    if (level[k] >= depth) depth = level[k] + 1;
  }
  expect(!missing, "%d tasks are not waited for", missing);
  expect(depth == s->t.depth, "%d levels of tasks, not %d", s->t.depth, depth);
  free(done);
  free(level);
}

static void Judge(SptrsvAnalysis analysis, const char *name, SptrsvTaskPolicy policy, int size)
{
  const SptrsvPlanOptions lower = {0};
  const int32_t          *level = NULL;
  Tasks                   s;

  caseBegin("tasks of %s, %s, %d rows", name, policy == SPTRSV_TASKS_LOCALITY ? "locality-aware" : "concurrency-aware", size);
  expectSuccess(sptrsvAnalysisGetLevels(analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &level));
  expectSuccess(sptrsvOrderedCreate(analysis, &lower, &s.o));
  if (expectSuccess(sptrsvTasksCreate(s.o.n, s.o.row_ptr, s.o.col_idx, policy, size, &s.t))) {
    Locate(&s);
    EveryRowOnce(&s);
    InSetOrder(&s);
    AsThePolicySays(&s, policy, size, level);
    AllAreWaitedFor(&s);
    free(s.task);
    free(s.place);
    free(s.level);
  }
  sptrsvTasksFree(&s.t);
  sptrsvOrderedFree(&s.o);
  caseEnd();
}

/* Two chains, 0 <- 2 <- 4 and 1 <- 3 <- 5, and a last row that needs both ends */
static void ByHand(void)
{
  static const int row_ptr[] = {0, 0, 0, 1, 2, 3, 4, 6}, col_idx[] = {0, 1, 2, 3, 4, 5}, of_two[] = {0, 0, 1, 1, 2, 2, 3};
  SptrsvTasks      t;

  caseBegin("tasks of two chains");
  expectSuccess(sptrsvTasksCreate(7, row_ptr, col_idx, SPTRSV_TASKS_CONCURRENCY, 2, &t));
  expect(t.tasks == 4 && t.depth == 4 && t.untracked == 7, "level by level: %d tasks in %d levels, %d rows without tracking", t.tasks,
         t.depth, t.untracked);
  for (int p = 0; p < 7; p++) expect(t.row[p] == p && t.first[of_two[p]] <= p, "row %d is at place %d", t.row[p], p);
  sptrsvTasksFree(&t);
  expectSuccess(sptrsvTasksCreate(7, row_ptr, col_idx, SPTRSV_TASKS_CONCURRENCY, 3, &t));
  expect(t.tasks == 2 && t.first[1] == 4 && t.tracked[0] && t.tracked[1] && !t.untracked, "two levels at a time: %d tasks", t.tasks);
  sptrsvTasksFree(&t);
  expectSuccess(sptrsvTasksCreate(7, row_ptr, col_idx, SPTRSV_TASKS_LOCALITY, 1, &t));
  expect(t.tasks == 7 && t.depth == 4, "row by row: %d tasks in %d levels", t.tasks, t.depth);
  expect(t.queue[0] == t.queue[2] && t.queue[2] == t.queue[4] && t.queue[1] == t.queue[3] && t.queue[0] != t.queue[1],
         "the chains do not have a queue each");
  expect(t.after[6][t.queue[4]] == 4 && t.after[6][t.queue[5]] == 5, "the last row waits for %d and %d", t.after[6][t.queue[4]],
         t.after[6][t.queue[5]]);
  sptrsvTasksFree(&t);
  caseEnd();
}

int main(int argc, char **argv)
{
  static const int sizes[] = {1, 7, 32, 1000};

  (void)testBegin("tasks", argc, argv);
  ByHand();
  for (int k = 0; k < zooCount(); k++) {
    ZooMatrix      A;
    SptrsvCsr      csr;
    SptrsvAnalysis analysis = NULL;

    zooCreate(k, true, &A);
    csr = zooCsr(&A);
    if (expectSuccess(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis))) {
      for (int s = 0; s < 4; s++) {
        Judge(analysis, A.name, SPTRSV_TASKS_CONCURRENCY, sizes[s]);
        Judge(analysis, A.name, SPTRSV_TASKS_LOCALITY, sizes[s]);
      }
    }
    (void)sptrsvAnalysisDestroy(&analysis);
    zooDestroy(&A);
  }
  return testEnd();
}
