/* A team of threads: runs, and barriers inside of them. */
#define _GNU_SOURCE /* sched_getaffinity() */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#include "team.h"

enum { POLLS = 2000, YIELDS = 200 }; /* of a member that waits, before it yields, and before it sleeps */

typedef struct {
  SptrsvTeam team;
  int        me;
  pthread_t  thread;
} Member;

struct SptrsvTeam_s {
  int     size, started;
  Member *member; /* [size], the caller's is not used */
  void (*work)(void *context, int me);
  void           *context;
  atomic_uint     run;          /* number of the run under way */
  atomic_bool     over;         /* there is no other run */
  atomic_int      asleep, busy; /* members that sleep until the next run, that have not finished this one */
  atomic_int      arrived;      /* at the barrier */
  atomic_uint     passed;       /* barriers */
  pthread_mutex_t lock;
  pthread_cond_t  wake;
};

int sptrsvProcessors(void)
{
#if defined(__linux__)
  cpu_set_t set;

  if (!sched_getaffinity(0, sizeof(set), &set)) return CPU_COUNT(&set);
#endif
  const long count = sysconf(_SC_NPROCESSORS_ONLN);

  return count > 0 ? (int)count : 1;
}

static void pause_between(int *polls)
{
  if (++*polls > POLLS) (void)sched_yield();
}

/* The run after `last`.  The wait ends with the next run or with the team: start_run() reads the number of sleepers after it has counted
   `run` up, and a sleeper reads `run` once more after it has counted itself, so at least one of the two sees the other. */
static unsigned next_run(SptrsvTeam t, unsigned last)
{
  for (int polls = 0; polls < POLLS + YIELDS; pause_between(&polls)) {
    if (atomic_load(&t->run) != last) return last + 1;
  }
  (void)pthread_mutex_lock(&t->lock);
  (void)atomic_fetch_add(&t->asleep, 1);
  while (atomic_load(&t->run) == last) (void)pthread_cond_wait(&t->wake, &t->lock);
  (void)atomic_fetch_sub(&t->asleep, 1);
  (void)pthread_mutex_unlock(&t->lock);
  return last + 1;
}

static void start_run(SptrsvTeam t)
{
  (void)atomic_fetch_add(&t->run, 1);
  if (!atomic_load(&t->asleep)) return;
  (void)pthread_mutex_lock(&t->lock);
  (void)pthread_cond_broadcast(&t->wake);
  (void)pthread_mutex_unlock(&t->lock);
}

static void *live(void *argument)
{
  Member    *m = (Member *)argument;
  SptrsvTeam t = m->team;

  for (unsigned run = next_run(t, 0); !atomic_load(&t->over); run = next_run(t, run)) {
    t->work(t->context, m->me);
    (void)atomic_fetch_sub(&t->busy, 1);
  }
  return NULL;
}

SptrsvStatus sptrsvTeamCreate(int threads, SptrsvTeam *team)
{
  SptrsvTeam   t;
  SptrsvStatus status;

  SPTRSV_TRY(sptrsvNew(1, &t));
  t->size = threads;
  status  = sptrsvNew(threads, &t->member);
  (void)pthread_mutex_init(&t->lock, NULL);
  (void)pthread_cond_init(&t->wake, NULL);
  for (int k = 1; !status && k < threads; k++) {
    t->member[k].team = t;
    t->member[k].me   = k;
    if (pthread_create(&t->member[k].thread, NULL, live, &t->member[k])) status = SPTRSV_OUT_OF_MEMORY;
    else t->started = k;
  }
  if (status) sptrsvTeamDestroy(t);
  else *team = t;
  return status;
}

void sptrsvTeamDestroy(SptrsvTeam t)
{
  if (!t) return;
  atomic_store(&t->over, true);
  start_run(t);
  for (int k = 1; k <= t->started; k++) (void)pthread_join(t->member[k].thread, NULL);
  (void)pthread_cond_destroy(&t->wake);
  (void)pthread_mutex_destroy(&t->lock);
  free(t->member);
  free(t);
}

int sptrsvTeamSize(SptrsvTeam t)
{
  return t->size;
}

void sptrsvTeamRun(SptrsvTeam t, void (*work)(void *context, int me), void *context)
{
  t->work    = work;
  t->context = context;
  atomic_store(&t->busy, t->size - 1);
  if (t->size > 1) start_run(t);
  work(context, 0);
  for (int polls = 0; atomic_load(&t->busy);) pause_between(&polls); /* each member ends its run */
}

void sptrsvTeamBarrier(SptrsvTeam t)
{
  const unsigned before = atomic_load(&t->passed); /* cannot change before this member has arrived */
  int            polls  = 0;

  if (atomic_fetch_add(&t->arrived, 1) == t->size - 1) {
    atomic_store(&t->arrived, 0);
    (void)atomic_fetch_add(&t->passed, 1);
  } else {
    while (atomic_load(&t->passed) == before) pause_between(&polls); /* the last one to arrive ends it */
  }
}
