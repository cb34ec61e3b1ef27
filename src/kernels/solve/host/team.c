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
  SptrsvTeam next;  /* of all teams of the process */
  int        users; /* plans that have it */
  int        size, started;
  Member    *member; /* [size], the caller's is not used */
  void (*work)(void *context, int me);
  void           *context;
  atomic_uint     run;          /* number of the run under way */
  atomic_bool     over;         /* there is no other run */
  atomic_int      asleep, busy; /* members that sleep until the next run, that have not finished this one */
  atomic_int      arrived;      /* at the barrier */
  atomic_uint     passed;       /* barriers */
  pthread_mutex_t lock, turn;   /* of those that sleep, and of runs */
  pthread_cond_t  wake;
};

static SptrsvTeam      teams; /* one of each size */
static pthread_mutex_t teams_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int      limit; /* of threads; 0: none */

static int processors(void)
{
#if defined(__linux__)
  cpu_set_t set;

  if (!sched_getaffinity(0, sizeof(set), &set)) return CPU_COUNT(&set);
#endif
  const long count = sysconf(_SC_NPROCESSORS_ONLN);

  return count > 0 ? (int)count : 1;
}

int sptrsvProcessors(void)
{
  const int count = processors(), most = atomic_load(&limit);

  return most && most < count ? most : count;
}

void sptrsvLimitThreads(int most)
{
  atomic_store(&limit, most > 0 ? most : 0);
}

void sptrsvTeamPause(int *polls)
{
  if (++*polls > POLLS) (void)sched_yield();
}

/* The run after `last`.  The wait ends with the next run or with the team: start_run() reads the number of sleepers after it has counted
   `run` up, and a sleeper reads `run` once more after it has counted itself, so at least one of the two sees the other. */
static unsigned next_run(SptrsvTeam t, unsigned last)
{
  for (int polls = 0; polls < POLLS + YIELDS; sptrsvTeamPause(&polls)) {
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

static void destroy(SptrsvTeam t)
{
  atomic_store(&t->over, true);
  start_run(t);
  for (int k = 1; k <= t->started; k++) (void)pthread_join(t->member[k].thread, NULL);
  (void)pthread_cond_destroy(&t->wake);
  (void)pthread_mutex_destroy(&t->turn);
  (void)pthread_mutex_destroy(&t->lock);
  free(t->member);
  free(t);
}

static SptrsvStatus create(int threads, SptrsvTeam *team)
{
  SptrsvTeam   t;
  SptrsvStatus status;

  SPTRSV_TRY(sptrsvNew(1, &t));
  t->size = threads;
  status  = sptrsvNew(threads, &t->member);
  (void)pthread_mutex_init(&t->lock, NULL);
  (void)pthread_mutex_init(&t->turn, NULL);
  (void)pthread_cond_init(&t->wake, NULL);
  for (int k = 1; !status && k < threads; k++) {
    t->member[k].team = t;
    t->member[k].me   = k;
    if (pthread_create(&t->member[k].thread, NULL, live, &t->member[k])) status = SPTRSV_OUT_OF_MEMORY;
    else t->started = k;
  }
  if (status) destroy(t);
  else *team = t;
  return status;
}

SptrsvStatus sptrsvTeamGet(int threads, SptrsvTeam *team)
{
  SptrsvStatus status = SPTRSV_SUCCESS;
  SptrsvTeam   t;

  (void)pthread_mutex_lock(&teams_lock);
  for (t = teams; t && t->size != threads; t = t->next) continue;
  if (!t) {
    status = create(threads, &t);
    if (!status) {
      t->next = teams;
      teams   = t;
    }
  }
  if (!status) {
    t->users++;
    *team = t;
  }
  (void)pthread_mutex_unlock(&teams_lock);
  return status;
}

void sptrsvTeamRelease(SptrsvTeam t)
{
  if (!t) return;
  (void)pthread_mutex_lock(&teams_lock);
  if (--t->users == 0) {
    SptrsvTeam *place = &teams;

    while (*place != t) place = &(*place)->next;
    *place = t->next;
    destroy(t);
  }
  (void)pthread_mutex_unlock(&teams_lock);
}

int sptrsvTeamSize(SptrsvTeam t)
{
  return t->size;
}

void sptrsvTeamRun(SptrsvTeam t, void (*work)(void *context, int me), void *context)
{
  (void)pthread_mutex_lock(&t->turn); /* the run before ends, so this one begins */
  t->work    = work;
  t->context = context;
  atomic_store(&t->busy, t->size - 1);
  if (t->size > 1) start_run(t);
  work(context, 0);
  for (int polls = 0; atomic_load(&t->busy);) sptrsvTeamPause(&polls); /* each member ends its run */
  (void)pthread_mutex_unlock(&t->turn);
}

void sptrsvTeamBarrier(SptrsvTeam t)
{
  const unsigned before = atomic_load(&t->passed); /* cannot change before this member has arrived */
  int            polls  = 0;

  if (atomic_fetch_add(&t->arrived, 1) == t->size - 1) {
    atomic_store(&t->arrived, 0);
    (void)atomic_fetch_add(&t->passed, 1);
  } else {
    while (atomic_load(&t->passed) == before) sptrsvTeamPause(&polls); /* the last one to arrive ends it */
  }
}
