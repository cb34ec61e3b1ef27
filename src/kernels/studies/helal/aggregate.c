/* Aggregation of rows into tasks: Helal et al. (ATA), section III.  See doc/algorithms/ata.md. */
#include "tasks.h"

/* level(i) = 1 + the largest level of the rows that row i needs; with `task`: of those in its own task */
static int count_levels(const SptrsvOrdered *lower, int rows, const int *task, int *level)
{
  int levels = 0;

  for (int i = 0; i < rows; i++) {
    level[i] = 0;
    for (int e = lower->row_ptr[i]; e < lower->row_ptr[i + 1]; e++) {
      const int j = lower->col_idx[e];

      if ((!task || task[j] == task[i]) && level[j] >= level[i]) level[i] = level[j] + 1;
    }
    if (level[i] >= levels) levels = level[i] + 1;
  }
  return levels;
}

/* Algorithm 3: levels in order; a task that has `size` rows is closed.  level becomes the task of each row. */
static SptrsvStatus aggregate_levels(int rows, int levels, int size, SptrsvMemory *scratch, int *level, int *tasks)
{
  int *width, filled = 0;

  SPTRSV_TRY(sptrsvHostNew(scratch, levels, &width));
  for (int i = 0; i < rows; i++) width[level[i]]++;
  *tasks = 0;
  for (int l = 0; l < levels; l++) {
    if (!filled) ++*tasks;
    filled += width[l];
    width[l] = *tasks - 1;
    if (filled >= size) filled = 0;
  }
  for (int i = 0; i < rows; i++) level[i] = width[level[i]];
  return SPTRSV_SUCCESS;
}

/* SET order inside each task (section III-B): by level inside the task, then as in the matrix */
static SptrsvStatus sort(const int *task, const int *level, SptrsvMemory *scratch, SptrsvTasks *tasks)
{
  int *depth, *next, steps = 0;

  SPTRSV_TRY(sptrsvHostNew(scratch, tasks->tasks + 1, &depth));
  for (int i = 0; i < tasks->rows; i++) {
    tasks->first[task[i] + 1]++;
    if (level[i] >= depth[task[i]]) depth[task[i]] = level[i] + 1;
  }
  for (int k = 0; k < tasks->tasks; k++) {
    const int levels = depth[k];

    tasks->tracked[k] = levels > 1;
    if (!tasks->tracked[k]) tasks->untracked += tasks->first[k + 1];
    tasks->first[k + 1] += tasks->first[k];
    depth[k] = steps; /* number of its first level, counted over all tasks */
    steps += levels;
  }
  SPTRSV_TRY(sptrsvHostNew(scratch, steps + 1, &next));
  for (int i = 0; i < tasks->rows; i++) next[depth[task[i]] + level[i] + 1]++;
  for (int s = 0; s < steps; s++) next[s + 1] += next[s];
  for (int i = 0; i < tasks->rows; i++) tasks->row[next[depth[task[i]] + level[i]]++] = i;
  return SPTRSV_SUCCESS;
}

/* The last task of each queue that task k needs; also its level among tasks */
static void find_needs(const SptrsvOrdered *lower, const int *task, const SptrsvTasks *tasks, int k, int *level, SptrsvQueues need)
{
  for (int q = 0; q < SPTRSV_QUEUES; q++) need[q] = -1;
  for (int p = tasks->first[k]; p < tasks->first[k + 1]; p++) {
    for (int e = lower->row_ptr[tasks->row[p]]; e < lower->row_ptr[tasks->row[p] + 1]; e++) {
      const int other = task[lower->col_idx[e]];

      if (other == k) continue;
      if (other > need[tasks->queue[other]]) need[tasks->queue[other]] = other;
      if (level[other] >= level[k]) level[k] = level[other] + 1;
    }
  }
}

/* A queue whose last task is needed, else the least recently used one */
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
   The coarse dependencies.  Queues keep their order, so a task waits for at most one task of each queue: the last one it needs.  It need
   not wait for a task that is done before another one it waits for: done[k][q] is the last task of queue q that is done once task k is.
*/
static SptrsvStatus fill_queues(const SptrsvOrdered *lower, const int *task, SptrsvMemory *scratch, SptrsvTasks *tasks)
{
  SptrsvQueues last, need, *done;
  int         *level;

  SPTRSV_TRY(sptrsvHostNew(scratch, tasks->tasks, &level));
  SPTRSV_TRY(sptrsvHostNew(scratch, tasks->tasks, &done));
  for (int q = 0; q < SPTRSV_QUEUES; q++) last[q] = -1;
  for (int k = 0; k < tasks->tasks; k++) {
    find_needs(lower, task, tasks, k, level, need);
    tasks->queue[k]       = choose_queue(need, last);
    need[tasks->queue[k]] = last[tasks->queue[k]];
    for (int q = 0; q < SPTRSV_QUEUES; q++) {
      bool covered = false;

      done[k][q] = need[q];
      for (int r = 0; r < SPTRSV_QUEUES; r++) {
        if (r == q || need[r] < 0) continue;
        covered = covered || done[need[r]][q] >= need[q];
        if (done[need[r]][q] > done[k][q]) done[k][q] = done[need[r]][q];
      }
      tasks->after[k][q] = covered ? -1 : need[q];
    }
    last[tasks->queue[k]] = done[k][tasks->queue[k]] = k;
    if (level[k] >= tasks->depth) tasks->depth = level[k] + 1;
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvTasksCreate(const SptrsvOrdered *lower, int rows, SptrsvTaskPolicy policy, int size, SptrsvMemory *memory,
                               SptrsvMemory *scratch, SptrsvTasks *tasks)
{
  int *task, *level;

  *tasks = (SptrsvTasks){.rows = rows};
  SPTRSV_TRY(sptrsvHostNew(scratch, rows, &task));
  SPTRSV_TRY(sptrsvHostNew(scratch, rows, &level));
  if (policy == SPTRSV_TASKS_CONCURRENCY)
    SPTRSV_TRY(aggregate_levels(rows, count_levels(lower, rows, NULL, task), size, scratch, task, &tasks->tasks));
  else { /* Algorithm 4 */
    for (int i = 0; i < rows; i++) task[i] = i / size;
    tasks->tasks = rows ? task[rows - 1] + 1 : 0;
  }
  SPTRSV_TRY(sptrsvHostNew(scratch, rows, &tasks->row));
  SPTRSV_TRY(sptrsvHostNew(scratch, tasks->tasks + 1, &tasks->first));
  SPTRSV_TRY(sptrsvHostNew(scratch, tasks->tasks, &tasks->tracked));
  SPTRSV_TRY(sptrsvHostNew(memory, tasks->tasks, &tasks->queue));
  SPTRSV_TRY(sptrsvHostNew(memory, tasks->tasks, &tasks->after));
  (void)count_levels(lower, rows, task, level);
  SPTRSV_TRY(sort(task, level, scratch, tasks));
  return fill_queues(lower, task, scratch, tasks);
}

SptrsvStatus sptrsvTasksOrder(const SptrsvOrdered *ordered, const SptrsvTasks *tasks, SptrsvMemory *scratch, SptrsvOrdered *sorted,
                              unsigned **needs)
{
  int *position, nz = 0;

  SPTRSV_TRY(sptrsvOrderedAllocate(tasks->rows, ordered->row_ptr[tasks->rows], scratch, sorted));
  SPTRSV_TRY(sptrsvHostNew(scratch, tasks->rows, needs));
  SPTRSV_TRY(sptrsvHostNew(scratch, tasks->rows, &position));
  for (int i = 0; i < tasks->rows; i++) position[tasks->row[i]] = i;
  for (int k = 0; k < tasks->tasks; k++) {
    for (int i = tasks->first[k]; i < tasks->first[k + 1]; i++) {
      const int row = tasks->row[i];

      for (int e = ordered->row_ptr[row]; e < ordered->row_ptr[row + 1]; e++) {
        sorted->col_idx[nz] = position[ordered->col_idx[e]];
        (*needs)[i] += sorted->col_idx[nz] >= tasks->first[k];
        sorted->source[nz++] = ordered->source[e];
      }
      sorted->row_ptr[i + 1] = nz;
      sorted->row[i]         = ordered->row[row];
      sorted->diagonal[i]    = ordered->diagonal[row];
    }
  }
  return SPTRSV_SUCCESS;
}
