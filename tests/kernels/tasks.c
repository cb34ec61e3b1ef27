/* Rows put together into tasks: the rows of a task, their order, and that each task waits for all tasks that it needs. */
#include <stdlib.h>
#include <string.h>
#include "../../src/kernels/studies/helal/tasks.h"
#include "check.h"
#include "zoo.h"

typedef struct {
  SptrsvOrdered o;
  SptrsvTasks   t;
  int          *task, *place, *level; /* of each row; level inside its task */
} Tasks;

static void locate_rows(Tasks *set)
{
  const int n = set->o.n;

  set->task  = place_new(SPTRSV_HOST, (size_t)n * sizeof(int), NULL);
  set->place = place_new(SPTRSV_HOST, (size_t)n * sizeof(int), NULL);
  set->level = place_new(SPTRSV_HOST, (size_t)n * sizeof(int), NULL);
  for (int i = 0; i < n; i++) set->place[i] = -1;
  for (int k = 0; k < set->t.tasks; k++) {
    for (int p = set->t.first[k]; p < set->t.first[k + 1]; p++) {
      set->task[set->t.row[p]]  = k;
      set->place[set->t.row[p]] = p;
    }
  }
  for (int i = 0; i < n; i++) {
    set->level[i] = 0;
    for (int e = set->o.row_ptr[i]; e < set->o.row_ptr[i + 1]; e++) {
      const int j = set->o.col_idx[e];

      if (set->task[j] == set->task[i] && set->level[j] >= set->level[i]) set->level[i] = set->level[j] + 1;
    }
  }
}

static void expect_every_row_once(const Tasks *set)
{
  int lost = 0;

  for (int i = 0; i < set->o.n; i++) lost += set->place[i] < 0;
  expect(set->t.rows == set->o.n && !lost && set->t.first[set->t.tasks] == set->o.n, "%d of %d rows are lost", lost, set->o.n);
}

/* Rows of a task by level, then by number.  A task is tracked if it has more than one level; the rows of the others are counted. */
static void expect_order(const Tasks *set)
{
  int wrong = 0, untracked = 0;

  for (int k = 0; k < set->t.tasks; k++) {
    bool levels = false;

    for (int p = set->t.first[k]; p < set->t.first[k + 1]; p++) {
      const int row = set->t.row[p], last = p > set->t.first[k] ? set->t.row[p - 1] : -1;

      levels = levels || set->level[row] > 0;
      if (last >= 0) wrong += set->level[last] > set->level[row] || (set->level[last] == set->level[row] && last > row);
    }
    expect(levels == set->t.tracked[k], "task %d: tracked is %d", k, set->t.tracked[k]);
    if (!levels) untracked += set->t.first[k + 1] - set->t.first[k];
  }
  expect(!wrong, "%d rows are out of order", wrong);
  expect(untracked == set->t.untracked, "%d rows are said to be in tasks without inner dependencies, not %d", set->t.untracked, untracked);
}

/* Algorithm 3: whole levels, as few as needed.  Algorithm 4: neighbours, as many as the size says. */
static void expect_policy(const Tasks *set, SptrsvTaskPolicy policy, int size, const int *level)
{
  for (int k = 0; k < set->t.tasks; k++) {
    const int rows = set->t.first[k + 1] - set->t.first[k];
    int       most = 0, in_last_level = 0;

    expect(rows >= size || k == set->t.tasks - 1, "task %d has %d rows", k, rows);
    if (policy == SPTRSV_TASKS_LOCALITY) expect(rows <= size, "task %d has %d rows", k, rows);
    for (int p = set->t.first[k]; p < set->t.first[k + 1]; p++) {
      const int row = set->t.row[p];

      if (policy == SPTRSV_TASKS_LOCALITY) expect(row / size == k, "row %d is in task %d", row, k);
      if (level[row] > most) most = level[row], in_last_level = 0;
      in_last_level += level[row] == most;
    }
    if (policy == SPTRSV_TASKS_LOCALITY) continue;
    expect(rows - in_last_level < size, "task %d has a level too many", k);
    for (int i = 0; i < set->o.n; i++) expect(set->task[i] <= k || level[i] > most, "row %d of level %d is not in task %d", i, level[i], k);
  }
}

/* When the tasks that a task waits for are done, and the tasks those waited for, then all tasks that it needs are done */
static void expect_all_waited_for(const Tasks *set)
{
  const int tasks = set->t.tasks;
  bool     *done  = place_new(SPTRSV_HOST, (size_t)tasks * (size_t)tasks, NULL);
  int      *level = place_new(SPTRSV_HOST, (size_t)tasks * sizeof(int), NULL), depth = 0, missing = 0;

  memset(done, 0, (size_t)tasks * (size_t)tasks);
  for (int k = 0; k < tasks; k++) {
    level[k] = 0;
    for (int q = 0; q < SPTRSV_QUEUES; q++) {
      const int before = set->t.after[k][q];

      if (before < 0) continue;
      expect(before < k && set->t.queue[before] == q, "task %d waits for task %d in queue %d", k, before, q);
      done[k * tasks + before] = true;
      for (int other = 0; other < tasks; other++) done[k * tasks + other] |= done[before * tasks + other];
    }
    for (int other = 0; other < k; other++) missing += set->t.queue[other] == set->t.queue[k] && !done[k * tasks + other];
    for (int p = set->t.first[k]; p < set->t.first[k + 1]; p++) {
      for (int e = set->o.row_ptr[set->t.row[p]]; e < set->o.row_ptr[set->t.row[p] + 1]; e++) {
        const int other = set->task[set->o.col_idx[e]];

        if (other == k) continue;
        missing += !done[k * tasks + other];
        if (level[other] >= level[k]) level[k] = level[other] + 1;
      }
    }
    if (level[k] >= depth) depth = level[k] + 1;
  }
  expect(!missing, "%d tasks are not waited for", missing);
  expect(depth == set->t.depth, "%d levels of tasks, not %d", set->t.depth, depth);
  free(done);
  free(level);
}

static void test_tasks(SptrsvAnalysis analysis, const char *name, SptrsvTaskPolicy policy, int size)
{
  const SptrsvPlanOptions lower = {0};
  const int32_t          *level = NULL;
  SptrsvMemory            memory = {0};
  Tasks                   s;

  case_begin("tasks of %s, %s, %d rows", name, policy == SPTRSV_TASKS_LOCALITY ? "locality-aware" : "concurrency-aware", size);
  expect_success(sptrsvAnalysisGetLevels(analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &level));
  expect_success(sptrsvOrderedCreate(analysis, &lower, &memory, &s.o));
  if (expect_success(sptrsvTasksCreate(&s.o, s.o.n, policy, size, &memory, &memory, &s.t))) {
    locate_rows(&s);
    expect_every_row_once(&s);
    expect_order(&s);
    expect_policy(&s, policy, size, level);
    expect_all_waited_for(&s);
    free(s.task);
    free(s.place);
    free(s.level);
  }
  sptrsvMemoryFree(&memory);
  case_end();
}

/* Two chains, 0 <- 2 <- 4 and 1 <- 3 <- 5, and a last row that needs both ends */
static void test_by_hand(void)
{
  static const int    of_two[] = {0, 0, 1, 1, 2, 2, 3};
  const SptrsvOrdered rows     = {.n = 7, .nnz = 6, .row_ptr = (int[]){0, 0, 0, 1, 2, 3, 4, 6}, .col_idx = (int[]){0, 1, 2, 3, 4, 5}};
  SptrsvMemory        memory   = {0};
  SptrsvTasks         t;

  case_begin("tasks of two chains");
  expect_success(sptrsvTasksCreate(&rows, 7, SPTRSV_TASKS_CONCURRENCY, 2, &memory, &memory, &t));
  expect(t.tasks == 4 && t.depth == 4 && t.untracked == 7, "level by level: %d tasks in %d levels, %d rows without tracking", t.tasks,
         t.depth, t.untracked);
  for (int p = 0; p < 7; p++) expect(t.row[p] == p && t.first[of_two[p]] <= p, "row %d is at place %d", t.row[p], p);
  expect_success(sptrsvTasksCreate(&rows, 7, SPTRSV_TASKS_CONCURRENCY, 3, &memory, &memory, &t));
  expect(t.tasks == 2 && t.first[1] == 4 && t.tracked[0] && t.tracked[1] && !t.untracked, "two levels at a time: %d tasks", t.tasks);
  expect_success(sptrsvTasksCreate(&rows, 7, SPTRSV_TASKS_LOCALITY, 1, &memory, &memory, &t));
  expect(t.tasks == 7 && t.depth == 4, "row by row: %d tasks in %d levels", t.tasks, t.depth);
  expect(t.queue[0] == t.queue[2] && t.queue[2] == t.queue[4] && t.queue[1] == t.queue[3] && t.queue[0] != t.queue[1],
         "the chains do not have a queue each");
  expect(t.after[6][t.queue[4]] == 4 && t.after[6][t.queue[5]] == 5, "the last row waits for %d and %d", t.after[6][t.queue[4]],
         t.after[6][t.queue[5]]);
  sptrsvMemoryFree(&memory);
  case_end();
}

int main(int argc, char **argv)
{
  static const int sizes[] = {1, 7, 32, 1000};

  (void)test_begin("tasks", argc, argv);
  test_by_hand();
  for (int k = 0; k < zoo_count(); k++) {
    ZooMatrix      A;
    SptrsvCsr      csr;
    SptrsvAnalysis analysis = NULL;

    zoo_create(k, true, &A);
    csr = zoo_csr(&A);
    if (expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis))) {
      for (int s = 0; s < 4; s++) {
        test_tasks(analysis, A.name, SPTRSV_TASKS_CONCURRENCY, sizes[s]);
        test_tasks(analysis, A.name, SPTRSV_TASKS_LOCALITY, sizes[s]);
      }
    }
    (void)sptrsvAnalysisDestroy(&analysis);
    zoo_destroy(&A);
  }
  return test_end();
}
