/* Sweeps on threads and the life of a process: fork(), exit() at any time, threads that cannot be had, a library that is closed.  What
   may hang has a time limit, and what is a matter of luck is tried twenty times.  The linker puts __wrap_pthread_create() in the place of
   pthread_create(). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

enum { M = 40, N = M * M, TRIES = 20, SECONDS = 20, THREADS = 3 };

static const char *const algorithms[] = {"host-windows", "host-threads", "split"};
enum { ALGORITHMS = sizeof(algorithms) / sizeof(*algorithms) };

static int32_t row_ptr[N + 1], col_idx[3 * N];
static double  values[3 * N], b[N], right[N];

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument);

static int threads_left = -1; /* negative: any number */

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
  if (!threads_left) return EAGAIN;
  if (threads_left > 0) threads_left--;
  return __real_pthread_create(thread, attributes, function, argument);
}

/* A lower triangle: a grid's, with rows that need the one before and the line before */
static void make_matrix(void)
{
  int nnz = 0;

  for (int i = 0; i < N; i++) {
    row_ptr[i] = nnz;
    if (i >= M) col_idx[nnz] = i - M, values[nnz++] = -0.3;
    if (i % M) col_idx[nnz] = i - 1, values[nnz++] = -0.4;
    col_idx[nnz] = i, values[nnz++] = 1.5 + i % 5;
    b[i] = 1. / (1 + i % 7);
  }
  row_ptr[N] = nnz;
}

typedef struct {
  SptrsvAnalysis analysis;
  SptrsvPlan     plan;
} Sweep;

static Sweep new_sweep(const char *algorithm)
{
  const SptrsvCsr         csr     = {N, row_ptr[N], row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST};
  const SptrsvPlanOptions options = {.algorithm   = algorithm,
                                     .location    = SPTRSV_HOST,
                                     .diagonal    = SPTRSV_DIAG_STORED,
                                     .type        = SPTRSV_DOUBLE,
                                     .tuning.host = {.threads = THREADS, .window = 64, .threads_entries = 8}};
  Sweep                   s       = {NULL, NULL};

  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &s.analysis));
  expect_success(sptrsvPlanCreate(s.analysis, &options, &s.plan));
  expect_success(sptrsvPlanUpdate(s.plan, values, NULL));
  return s;
}

static bool solves(Sweep s)
{
  double x[N];

  memset(x, 0xff, sizeof(x));
  return !sptrsvSolve(s.plan, b, x, NULL) && !memcmp(x, right, sizeof(x)); /* NOLINT(bugprone-suspicious-memory-comparison): bits */
}

static void free_sweep(Sweep s)
{
  expect_success(sptrsvPlanDestroy(&s.plan));
  expect_success(sptrsvAnalysisDestroy(&s.analysis));
}

static void make_right(void)
{
  Sweep s;

  case_begin("the reference");
  s = new_sweep("host");
  expect_success(sptrsvSolve(s.plan, b, right, NULL));
  free_sweep(s);
  case_end();
}

/* Whether a new process ends with `status` before its time is over */
static void expect_child(void (*live)(void *), void *context, int status, const char *what)
{
  pid_t child;
  int   end = 0;

  (void)fflush(NULL);
  child = fork();
  if (!child) {
    (void)alarm(SECONDS);
    live(context);
    _exit(1);
  }
  expect(child > 0 && waitpid(child, &end, 0) == child, "%s: there is no process", what);
  expect(WIFEXITED(end) && WEXITSTATUS(end) == status, "%s: %s %d", what, WIFSIGNALED(end) ? "signal" : "status",
         WIFSIGNALED(end) ? WTERMSIG(end) : WEXITSTATUS(end));
}

/* ------------------------------------------------------------- fork() -------------------------------------------------------------- */

/* The parent's sweep, one that is made here, and a process of this one */
static void live_on(void *context)
{
  Sweep *s = (Sweep *)context, mine;

  if (!solves(*s)) _exit(2);
  mine = new_sweep("host-windows");
  if (!solves(mine) || !solves(*s)) _exit(3);
  free_sweep(mine);
  free_sweep(*s);
  exit(0);
}

static void live_twice(void *context)
{
  Sweep *s = (Sweep *)context;

  expect_child(live_on, s, 0, "a process of a process");
  _exit(solves(*s) ? 0 : 4);
}

static void test_fork(const char *algorithm)
{
  Sweep s;

  case_begin("%s, fork() after its set-up", algorithm);
  s = new_sweep(algorithm);
  expect(solves(s), "wrong before");
  expect_child(live_on, &s, 0, "the new process");
  expect_child(live_twice, &s, 0, "the new process with one of its own");
  expect(solves(s), "wrong after");
  free_sweep(s);
  case_end();
}

/* Another thread makes, uses and destroys teams at the time of the fork() */
static volatile bool goes_on;

static void *keep_busy(void *context)
{
  Sweep *shared = (Sweep *)context;

  while (goes_on) {
    const Sweep s = new_sweep("host-threads");

    (void)solves(s);
    (void)solves(*shared); /* of the size that the forking thread has */
    free_sweep(s);
  }
  return NULL;
}

static void test_fork_beside(void)
{
  Sweep     s[2];
  pthread_t thread;

  case_begin("fork() while another thread is at work");
  for (int k = 0; k < 2; k++) s[k] = new_sweep("host-windows");
  goes_on = true;
  expect(!pthread_create(&thread, NULL, keep_busy, &s[1]), "no thread");
  for (int k = 0; k < TRIES; k++) {
    expect(solves(s[0]), "wrong before");
    expect_child(live_on, &s[0], 0, "the new process");
  }
  goes_on = false;
  (void)pthread_join(thread, NULL);
  for (int k = 0; k < 2; k++) free_sweep(s[k]);
  case_end();
}

/* ------------------------------------------------------------- exit() -------------------------------------------------------------- */

static void leave(int signal)
{
  (void)signal;
  exit(7); /* NOLINT(bugprone-signal-handler): what programs do */
}

static void exit_in_handler(void *context)
{
  const struct itimerval soon = {.it_value.tv_usec = 1000 + 300 * *(const int *)context};
  const Sweep            s    = new_sweep("host-windows");

  (void)solves(s);
  (void)signal(SIGPROF, leave);
  (void)setitimer(ITIMER_PROF, &soon, NULL);
  while (solves(s)) continue;
}

static void *solve_on(void *context)
{
  while (solves(*(const Sweep *)context)) continue;
  return NULL;
}

static void exit_in_thread(void *context)
{
  Sweep     s = new_sweep("host-windows");
  pthread_t thread;

  if (pthread_create(&thread, NULL, solve_on, &s)) return;
  (void)usleep(1000 + 300 * *(const unsigned *)context);
  exit(7); /* NOLINT(bugprone-signal-handler): what programs do */
}

static void exit_between(void *context)
{
  const Sweep s = new_sweep("host-windows");

  (void)context;
  (void)solves(s);
  exit(7); /* NOLINT(bugprone-signal-handler): what programs do */
}

static void test_exit(void (*live)(void *), const char *what)
{
  case_begin("exit() %s", what);
  for (int k = 0; k < TRIES; k++) expect_child(live, &k, 7, "the process");
  case_end();
}

/* ------------------------------------------------------------ threads ------------------------------------------------------------- */

static void test_no_threads(const char *algorithm)
{
  case_begin("%s without threads", algorithm);
  for (int k = 0; k < THREADS; k++) {
    char  text[512];
    Sweep s, other;

    threads_left = k;
    s            = new_sweep(algorithm);
    threads_left = -1;
    for (int solve = 0; solve < 3; solve++) expect(solves(s), "wrong with %d of %d threads", k, THREADS - 1);
    expect_success(sptrsvPlanDescribe(s.plan, text, sizeof(text)));
    expect(!strstr(text, "not to be had") == (k == THREADS - 1), "%d of %d threads: %s", k, THREADS - 1, text);
    other = new_sweep(algorithm); /* tries again */
    expect_success(sptrsvPlanDescribe(other.plan, text, sizeof(text)));
    expect(!strstr(text, "not to be had") && solves(other), "later: %s", text);
    free_sweep(other);
    free_sweep(s);
  }
  case_end();
}

/* A library that has the archive in it, and goes while its threads still wait for the next solve */
static void test_dlclose(const char *library)
{
  static void *left[TRIES][2];

  case_begin("dlclose() with plans left");
  for (int k = 0; k < TRIES; k++) {
    void *handle                            = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    int (*leaves_plan)(double *x, void **p) = NULL;
    double x[4];

    if (!expect(handle != NULL, "%s", dlerror())) break;
    *(void **)&leaves_plan = dlsym(handle, "leaves_plan");
    expect(leaves_plan && !leaves_plan(x, left[k]) && x[3] == 4, "its solve is wrong");
    expect(!dlclose(handle), "%s", dlerror());
    expect(!dlopen(library, RTLD_NOW | RTLD_NOLOAD), "it is still there");
  }
  (void)usleep(50000);
  case_end();
}

int main(int argc, char **argv)
{
  char library[4096];

  (void)test_begin("processes", argc, argv);
  make_matrix();
  make_right();
  for (int k = 0; k < ALGORITHMS; k++) test_fork(algorithms[k]);
  test_fork_beside();
  test_exit(exit_in_handler, "in a handler while a team is at work");
  test_exit(exit_in_thread, "while another thread's team is at work");
  test_exit(exit_between, "between two runs");
  for (int k = 0; k < ALGORITHMS - 1; k++) test_no_threads(algorithms[k]);
  (void)snprintf(library, sizeof(library), "%s_library.so", argv[0]);
  test_dlclose(library);
  return test_end();
}
