/* A team of threads: runs, and barriers inside of them. */
#define _GNU_SOURCE /* sigset_t, beside C11 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "team.h"

enum { POLLS = 2000, YIELDS = 200 }; /* of a member that waits, before it yields, and before it sleeps */

typedef struct {
  SptrsvTeam team;
  int        me;
  pthread_t  thread;
} Member;

struct SptrsvTeam_s {
  SptrsvTeam next;          /* of all teams of the process */
  int        users;         /* plans that have it */
  int        size, started; /* threads that are there, beside the caller's: none, or all */
  void (*work)(void *context, int me, int members);
  void           *context;
  atomic_uint     run;          /* number of the run under way */
  atomic_bool     over;         /* there is no other run */
  atomic_int      asleep, busy; /* members that sleep until the next run, that have not finished this one */
  atomic_int      arrived;      /* at the barrier */
  atomic_uint     passed;       /* barriers */
  pthread_mutex_t lock, turn;   /* of those that sleep; of runs and `started` */
  pthread_cond_t  wake;
  Member          member[]; /* [size], the caller's is not used */
};

static SptrsvTeam      teams; /* at most one of each size has threads */
static pthread_mutex_t teams_lock = PTHREAD_MUTEX_INITIALIZER;

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
    t->work(t->context, m->me, t->size);
    (void)atomic_fetch_sub(&t->busy, 1);
  }
  return NULL;
}

/* Ends the team's threads.  The caller has the turn, or is alone with the team. */
static void dismiss(SptrsvTeam t)
{
  atomic_store(&t->over, true);
  start_run(t);
  for (int k = 1; k <= t->started; k++) (void)pthread_join(t->member[k].thread, NULL);
  t->started = 0;
}

/* ----------------------------------------------------- the life of the process ----------------------------------------------------- */

static void before_fork(void)
{
  (void)pthread_mutex_lock(&teams_lock);
}

static void after_fork(void)
{
  (void)pthread_mutex_unlock(&teams_lock);
}

/* The new process has the thread that called fork() and no other, but locks and sleepers as the others left them */
static void in_child(void)
{
  for (SptrsvTeam t = teams; t; t = t->next) {
    t->started = 0;
    (void)pthread_mutex_init(&t->lock, NULL);
    (void)pthread_mutex_init(&t->turn, NULL);
    (void)pthread_cond_init(&t->wake, NULL);
  }
  after_fork();
}

/* Before the library's code goes, by dlclose(), and at exit(): no thread may run it then.  A team at work is left alone: exit() may have
   been called in a handler, or by another thread, and its run would never end. */
__attribute__((destructor)) static void dismiss_all(void)
{
  if (pthread_mutex_trylock(&teams_lock)) return;
  for (SptrsvTeam t = teams; t; t = t->next) {
    if (pthread_mutex_trylock(&t->turn)) continue;
    dismiss(t);
    (void)pthread_mutex_unlock(&t->turn);
  }
  (void)pthread_mutex_unlock(&teams_lock);
}

/* ------------------------------------------------------------- teams ------------------------------------------------------------- */

/* Signals that the program handles, but for its threads' own faults, go to its own threads */
static void block_signals(sigset_t *before)
{
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  sigset_t         blocked;

  (void)sigfillset(&blocked);
  for (size_t k = 0; k < sizeof(faults) / sizeof(*faults); k++) (void)sigdelset(&blocked, faults[k]);
  (void)pthread_sigmask(SIG_BLOCK, &blocked, before);
}

/* All threads or none: without them the callers do the work */
static void start_members(SptrsvTeam t)
{
  static bool follows_forks;
  sigset_t    before;

  follows_forks = follows_forks || !pthread_atfork(before_fork, after_fork, in_child);
  block_signals(&before);
  for (int k = 1; follows_forks && k < t->size; k++) {
    t->member[k].team = t;
    t->member[k].me   = k;
    if (pthread_create(&t->member[k].thread, NULL, live, &t->member[k])) break;
    t->started = k;
  }
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (t->started < t->size - 1) dismiss(t);
}

static SptrsvStatus create(int threads, SptrsvTeam *team)
{
  SptrsvTeam t;

  SPTRSV_TRY(sptrsvAllocate(1, sizeof(*t) + (size_t)threads * sizeof(Member), (void **)&t));
  t->size = threads;
  t->next = teams;
  teams   = t;
  (void)pthread_mutex_init(&t->lock, NULL);
  (void)pthread_mutex_init(&t->turn, NULL);
  (void)pthread_cond_init(&t->wake, NULL);
  start_members(t);
  *team = t;
  return SPTRSV_SUCCESS;
}

static bool is_complete(const struct SptrsvTeam_s *t)
{
  return t->started == t->size - 1;
}

SptrsvStatus sptrsvTeamGet(int threads, SptrsvTeam *team)
{
  SptrsvStatus status;
  SptrsvTeam   t;

  (void)pthread_mutex_lock(&teams_lock);
  for (t = teams; t && (t->size != threads || !is_complete(t)); t = t->next) continue;
  status = t ? SPTRSV_SUCCESS : create(threads, &t);
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
    dismiss(t);
    (void)pthread_cond_destroy(&t->wake);
    (void)pthread_mutex_destroy(&t->turn);
    (void)pthread_mutex_destroy(&t->lock);
    free(t);
  }
  (void)pthread_mutex_unlock(&teams_lock);
}

bool sptrsvTeamHasThreads(SptrsvTeam t)
{
  bool complete;

  (void)pthread_mutex_lock(&teams_lock);
  complete = is_complete(t);
  (void)pthread_mutex_unlock(&teams_lock);
  return complete;
}

/* false: there are no threads, nothing is done */
static bool run_together(SptrsvTeam t, void (*work)(void *context, int me, int members), void *context)
{
  bool together;

  (void)pthread_mutex_lock(&t->turn); /* the run before ends, so this one begins */
  together = is_complete(t);
  if (together) {
    t->work    = work;
    t->context = context;
    atomic_store(&t->busy, t->size - 1);
    if (t->size > 1) start_run(t);
    work(context, 0, t->size);
    for (int polls = 0; atomic_load(&t->busy);) sptrsvTeamPause(&polls); /* each member ends its run */
  }
  (void)pthread_mutex_unlock(&t->turn);
  return together;
}

void sptrsvTeamRun(SptrsvTeam t, bool together, void (*work)(void *context, int me, int members), void *context)
{
  if (!t || !together || !run_together(t, work, context)) work(context, 0, 1);
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
