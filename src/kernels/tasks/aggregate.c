/* Rows put together into tasks: Helal et al. (ATA), section III.  See doc/algorithms/ata.md. */
#include <stdlib.h>
#include <string.h>
#include "../impl.h"

typedef struct {
  int        rows;
  const int *row_ptr, *col_idx;
} Triangle;

/* level(i) = 1 + the largest level of the rows that row i needs; task (not NULL): of those in its own task */
static int count_levels(const Triangle *a, const int *task, int *level)
{
  int levels = 0;

  for (int i = 0; i < a->rows; i++) {
    level[i] = 0;
    for (int e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++) {
      const int j = a->col_idx[e];

      if ((!task || task[j] == task[i]) && level[j] >= level[i]) level[i] = level[j] + 1;
    }
    if (level[i] >= levels) levels = level[i] + 1;
  }
  return levels;
}

/* Algorithm 3: levels in order; a task that has `size` rows is closed.  level becomes the task of each row. */
static SptrsvStatus aggregate_levels(int rows, int levels, int size, int *level, int *tasks)
{
  int *width, filled = 0;

  SPTRSV_TRY(sptrsvNew(levels, &width));
  for (int i = 0; i < rows; i++) width[level[i]]++;
  *tasks = 0;
  for (int l = 0; l < levels; l++) {
    if (!filled) ++*tasks;
    filled += width[l];
    width[l] = *tasks - 1;
    if (filled >= size) filled = 0;
  }
  for (int i = 0; i < rows; i++) level[i] = width[level[i]];
  free(width);
  return SPTRSV_SUCCESS;
}

/* SET order inside each task (section III-B): fewer levels first, neighbours stay neighbours.  level: inside the task */
static SptrsvStatus sort(const int *task, const int *level, SptrsvTasks *t)
{
  int *depth, *next = NULL, steps = 0;

  SPTRSV_TRY(sptrsvNew(t->tasks + 1, &depth));
  for (int i = 0; i < t->rows; i++) {
    t->first[task[i] + 1]++;
    if (level[i] >= depth[task[i]]) depth[task[i]] = level[i] + 1;
  }
  for (int k = 0; k < t->tasks; k++) {
    const int levels = depth[k];

    t->tracked[k] = levels > 1;
    if (!t->tracked[k]) t->untracked += t->first[k + 1];
    t->first[k + 1] += t->first[k];
    depth[k] = steps; /* number of its first level among all tasks' */
    steps += levels;
  }
  const SptrsvStatus status = sptrsvNew(steps + 1, &next);

  for (int i = 0; !status && i < t->rows; i++) next[depth[task[i]] + level[i] + 1]++;
  for (int s = 0; !status && s < steps; s++) next[s + 1] += next[s];
  for (int i = 0; !status && i < t->rows; i++) t->row[next[depth[task[i]] + level[i]]++] = i;
  free(next);
  free(depth);
  return status;
}

/* The last task of each queue that task k needs; also its level among tasks */
static void find_needs(const Triangle *a, const int *task, const SptrsvTasks *t, int k, int *level, SptrsvQueues need)
{
  for (int q = 0; q < SPTRSV_QUEUES; q++) need[q] = -1;
  for (int p = t->first[k]; p < t->first[k + 1]; p++) {
    for (int e = a->row_ptr[t->row[p]]; e < a->row_ptr[t->row[p] + 1]; e++) {
      const int other = task[a->col_idx[e]];

      if (other == k) continue;
      if (other > need[t->queue[other]]) need[t->queue[other]] = other;
      if (level[other] >= level[k]) level[k] = level[other] + 1;
    }
  }
}

/* A queue whose last task is needed, or else the one that was used least recently */
static int choose_queue(const SptrsvQueues need, const SptrsvQueues last)
{
  int least = 0;

  for (int q = 0; q < SPTRSV_QUEUES; q++) {
    if (need[q] >= 0 && need[q] == last[q]) return q;
    if (last[q] < last[least]) least = q;
  }
  return least;
}

/*
   The coarse dependencies.  As queues keep their order, a task waits for one task of each queue at most, and for none that another one it
   waits for comes after: done[k][q] is the last task of queue q that is done once task k is.
*/
static SptrsvStatus fill_queues(const Triangle *a, const int *task, SptrsvTasks *t)
{
  SptrsvQueues last, need, *done = NULL;
  int         *level;
  SptrsvStatus status = sptrsvNew(t->tasks, &level);

  if (!status) status = sptrsvNew(t->tasks, &done);
  for (int q = 0; q < SPTRSV_QUEUES; q++) last[q] = -1;
  for (int k = 0; !status && k < t->tasks; k++) {
    find_needs(a, task, t, k, level, need);
    t->queue[k]       = choose_queue(need, last);
    need[t->queue[k]] = last[t->queue[k]];
    for (int q = 0; q < SPTRSV_QUEUES; q++) {
      bool covered = false;

      done[k][q] = need[q];
      for (int r = 0; r < SPTRSV_QUEUES; r++) {
        if (r == q || need[r] < 0) continue;
        covered = covered || done[need[r]][q] >= need[q];
        if (done[need[r]][q] > done[k][q]) done[k][q] = done[need[r]][q];
      }
      t->after[k][q] = covered ? -1 : need[q];
    }
    last[t->queue[k]] = done[k][t->queue[k]] = k;
    if (level[k] >= t->depth) t->depth = level[k] + 1;
  }
  free(level);
  free(done);
  return status;
}

static SptrsvStatus create(const Triangle *a, SptrsvTaskPolicy policy, int size, int *task, int *level, SptrsvTasks *t)
{
  if (policy == SPTRSV_TASKS_CONCURRENCY) SPTRSV_TRY(aggregate_levels(a->rows, count_levels(a, NULL, task), size, task, &t->tasks));
  else { /* Algorithm 4 */
    for (int i = 0; i < a->rows; i++) task[i] = i / size;
    t->tasks = a->rows ? task[a->rows - 1] + 1 : 0;
  }
  SPTRSV_TRY(sptrsvNew(a->rows, &t->row));
  SPTRSV_TRY(sptrsvNew(t->tasks + 1, &t->first));
  SPTRSV_TRY(sptrsvNew(t->tasks, &t->tracked));
  SPTRSV_TRY(sptrsvNew(t->tasks, &t->queue));
  SPTRSV_TRY(sptrsvNew(t->tasks, &t->after));
  (void)count_levels(a, task, level);
  SPTRSV_TRY(sort(task, level, t));
  return fill_queues(a, task, t);
}

SptrsvStatus sptrsvTasksCreate(int rows, const int *row_ptr, const int *col_idx, SptrsvTaskPolicy policy, int size, SptrsvTasks *t)
{
  const Triangle a    = {rows, row_ptr, col_idx};
  int           *task = NULL, *level = NULL;
  SptrsvStatus   status;

  *t     = (SptrsvTasks){.rows = rows};
  status = sptrsvNew(rows, &task);
  if (!status) status = sptrsvNew(rows, &level);
  if (!status) status = create(&a, policy, size, task, level, t);
  free(task);
  free(level);
  return status;
}

void sptrsvTasksFree(SptrsvTasks *t)
{
  free(t->row);
  free(t->first);
  free(t->tracked);
  free(t->queue);
  free(t->after);
  memset(t, 0, sizeof(*t));
}

static SptrsvStatus renumber(const SptrsvOrdered *o, const SptrsvTasks *t, bool columns, int *place, SptrsvTaskEntries *n)
{
  SPTRSV_TRY(sptrsvNew(t->rows + 2, &n->ptr));
  SPTRSV_TRY(sptrsvNew(o->row_ptr[t->rows], &n->idx));
  SPTRSV_TRY(sptrsvNew(o->row_ptr[t->rows], &n->source));
  SPTRSV_TRY(sptrsvNew(t->rows, &n->row));
  SPTRSV_TRY(sptrsvNew(t->rows, &n->diagonal));
  SPTRSV_TRY(sptrsvNew(t->rows, &n->needs));
  for (int i = 0; i < t->rows; i++) {
    place[t->row[i]] = i;
    n->row[i]        = o->row[t->row[i]];
    n->diagonal[i]   = o->diagonal[t->row[i]];
  }
  for (int fill = 0; fill < 2; fill++) { /* entries are counted two places on, so that filling leaves begins behind */
    for (int k = 0; k < t->tasks; k++) {
      for (int i = t->first[k]; i < t->first[k + 1]; i++) {
        for (int e = o->row_ptr[t->row[i]]; e < o->row_ptr[t->row[i] + 1]; e++) {
          const int j = place[o->col_idx[e]], line = columns ? j : i;

          if (!fill) n->ptr[line + 2]++;
          else {
            n->idx[n->ptr[line + 1]]      = columns ? i : j;
            n->source[n->ptr[line + 1]++] = o->source[e];
            n->needs[i] += j >= t->first[k];
          }
        }
      }
    }
    for (int i = 0; !fill && i < t->rows; i++) n->ptr[i + 2] += n->ptr[i + 1];
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvTaskEntriesCreate(const SptrsvOrdered *o, const SptrsvTasks *t, bool columns, SptrsvTaskEntries *n)
{
  int         *place;
  SptrsvStatus status;

  *n = (SptrsvTaskEntries){0};
  SPTRSV_TRY(sptrsvNew(t->rows, &place));
  status = renumber(o, t, columns, place, n);
  free(place);
  return status;
}

void sptrsvTaskEntriesFree(SptrsvTaskEntries *n)
{
  free(n->ptr);
  free(n->idx);
  free(n->source);
  free(n->row);
  free(n->diagonal);
  free(n->needs);
}
