/* The team of the host's threads, whose members stumble between any two steps: each member does its part of each run, once. */
#define _GNU_SOURCE /* usleep(), beside C11 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include "check.h"

/* A copy of the team under names of its own.  In front of what is done once a run a thread often loses more time than others poll, and now
   and then in front of a look. */
enum { OFTEN = 4, SELDOM = 4096 };
static void stumble(int one_in);
#undef atomic_load
#undef atomic_store
#undef atomic_fetch_add
#undef atomic_fetch_sub
#define atomic_load(p)         (stumble(SELDOM), atomic_load_explicit(p, memory_order_seq_cst))
#define atomic_store(p, v)     (stumble(OFTEN), atomic_store_explicit(p, v, memory_order_seq_cst))
#define atomic_fetch_add(p, v) (stumble(OFTEN), atomic_fetch_add_explicit(p, v, memory_order_seq_cst))
#define atomic_fetch_sub(p, v) (stumble(OFTEN), atomic_fetch_sub_explicit(p, v, memory_order_seq_cst))
#define sptrsvTeamGet          stumblingGet
#define sptrsvTeamRelease      stumblingRelease
#define sptrsvTeamHasThreads   stumblingHasThreads
#define sptrsvTeamRun          stumblingRun
#define sptrsvTeamBarrier      stumblingBarrier
#define sptrsvTeamPause        stumblingPause
#include "../../src/kernels/solve/host/team.c" /* NOLINT(bugprone-suspicious-include) */

enum { MOST = 4, RUNS = 500, LONG_US = 400, PATIENCE_S = 120 };

static _Thread_local uint64_t seed;

static void stumble(int one_in)
{
  if (!seed) seed = (uint64_t)(uintptr_t)&seed; /* another one in each thread */
  if (random_unit(&seed) * one_in < 1) (void)usleep((useconds_t)(random_unit(&seed) * LONG_US));
}

typedef struct {
  SptrsvTeam team;
  int        done[MOST][16]; /* runs of each member, in cache lines of their own */
  atomic_int behind;         /* a member passed the barrier before another one had done its part */
} Parts;

static void part(void *context, int me, int members)
{
  Parts *parts = (Parts *)context;

  parts->done[me][0]++;
  stumblingBarrier(parts->team);
  for (int k = 0; k < members; k++) {
    if (parts->done[k][0] != parts->done[me][0]) parts->behind = 1;
  }
  stumblingBarrier(parts->team);
}

static void test_runs(int members)
{
  Parts parts = {0};

  case_begin("%d members that stumble", members);
  expect_success(stumblingGet(members, &parts.team));
  if (expect(stumblingHasThreads(parts.team), "no threads")) {
    for (int run = 0; run < RUNS; run++) {
      stumblingRun(parts.team, true, part, &parts);
      stumble(1); /* members fall asleep, or not yet */
    }
    for (int k = 0; k < members; k++) expect(parts.done[k][0] == RUNS, "member %d did %d of %d runs", k, parts.done[k][0], RUNS);
    expect(!parts.behind, "a member passed a barrier alone");
  }
  stumblingRelease(parts.team);
  case_end();
}

int main(int argc, char **argv)
{
  (void)test_begin("stumbles", argc, argv);
  (void)alarm(PATIENCE_S); /* a wait without an end ends the program */
  for (int members = 2; members <= MOST; members++) test_runs(members);
  return test_end();
}
