/* Rows of a lower triangle put together into tasks, on the host (aggregate.c): Helal et al. (ATA), section III. */
#pragma once
#include "../../analysis/analysis.h"

SPTRSV_BEGIN_C

SPTRSV_TABLE SptrsvMethod              sptrsvAta, sptrsvAtaPush;
SPTRSV_TABLE struct SptrsvFactorMethod sptrsvFactorAta;

enum { SPTRSV_QUEUES = 4 };
typedef int SptrsvQueues[SPTRSV_QUEUES]; /* a task of each queue, -1: none */

/* Tasks are in an order in which each needs earlier ones only.  Every task belongs to a queue, which takes its tasks one after the other.
   */
typedef struct {
  int           rows, tasks;
  int           depth;     /* tasks on the longest chain of tasks that need each other */
  int           untracked; /* rows in tasks whose rows do not need each other */
  int          *row;       /* [rows] by task, then level inside it, then as in the matrix */
  int          *first;     /* [tasks + 1] position in `row` of each task's first row */
  bool         *tracked;   /* [tasks] some of its rows need others of its rows */
  int          *queue;     /* [tasks] */
  SptrsvQueues *after;     /* [tasks] the last task of each queue to wait for; of its own queue the one before it */
} SptrsvTasks;

/* Of the first so many rows; size: rows a task.  memory: of the last two arrays; scratch: of the others, which only a set-up reads */
SptrsvStatus sptrsvTasksCreate(const SptrsvOrdered *lower, int rows, SptrsvTaskPolicy policy, int size, SptrsvMemory *memory,
                               SptrsvMemory *scratch, SptrsvTasks *tasks);

/* The rows that have tasks, which are the first ones of the sweep, in the tasks' order.  *needs (host [rows]): rows of its own task that a
   row needs */
SptrsvStatus sptrsvTasksOrder(const SptrsvOrdered *ordered, const SptrsvTasks *tasks, SptrsvMemory *scratch, SptrsvOrdered *sorted,
                              unsigned **needs);

SPTRSV_END_C
