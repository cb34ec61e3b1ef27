/* How many threads a sweep on the host has: processors and quotas, what the models choose, what auto makes of times. */
#define _GNU_SOURCE /* mkdtemp() */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../../src/kernels/solve/host/pace.h"
#include "../../src/kernels/solve/host/team.h"
#include "../../src/kernels/solve/host/windows.h"
#include "check.h"

/* The plan's description for a lower sweep of n rows of blocks; row i needs row i - distance[0] and, on its own line of so many,
   i - distance[k] */
static void describe(int n, int block, const int *distance, int distances, int threads, SptrsvStorage storage, char text[256])
{
  int32_t       *row_ptr  = (int32_t *)malloc(((size_t)n + 1) * sizeof(*row_ptr));
  int32_t       *col_idx  = (int32_t *)malloc((size_t)n * ((size_t)distances + 1) * sizeof(*col_idx)), nnz = 0;
  SptrsvAnalysis analysis = NULL;
  SptrsvPlan     plan     = NULL;

  for (int i = 0; i < n; i++) {
    row_ptr[i] = nnz;
    for (int k = 0; k < distances; k++) {
      if (i >= distance[k] && (!k || i % distance[0])) col_idx[nnz++] = i - distance[k];
    }
    col_idx[nnz++] = i;
  }
  row_ptr[n] = nnz;
  *text      = 0;
  expect_success(sptrsvAnalysisCreate(&(SptrsvCsr){n, nnz, row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST}, SPTRSV_HOST, NULL, &analysis));
  analysis->block = block;
  expect_success(sptrsvPlanCreate(analysis,
                                  &(SptrsvPlanOptions){.algorithm   = "auto",
                                                       .location    = SPTRSV_HOST,
                                                       .diagonal    = SPTRSV_DIAG_UNIT,
                                                       .type        = SPTRSV_DOUBLE,
                                                       .tuning.host = {.threads = threads, .storage = storage}},
                                  &plan));
  expect_success(sptrsvPlanDescribe(plan, text, 256));
  expect_success(sptrsvPlanDestroy(&plan));
  expect_success(sptrsvAnalysisDestroy(&analysis));
  free(row_ptr);
  free(col_idx);
}

/* What the models choose where there is no doubt */
static void test_choice(void)
{
  const int grid[] = {400, 1}, far[] = {9000}, chain[] = {1};
  char      text[256];

  case_begin("windows and threads of auto on the host");
  describe(160000, 1, grid, 2, 1, SPTRSV_STORED_MEASURED, text);
  expect(strstr(text, "windows of") && strstr(text, "1 thread"), "a grid: %s", text);
  describe(160000, 1, grid, 2, 1, SPTRSV_STORED_ONCE, text); /* is for ICC */
  expect(strstr(text, "windows of") != NULL, "a grid that is no factor of ICC, stored once: %s", text);
  describe(160000, 1, far, 1, 1, SPTRSV_STORED_MEASURED, text);
  expect(strstr(text, "rows as they are") != NULL, "rows that need far rows: %s", text);
  describe(40000, 2, grid, 2, 1, SPTRSV_STORED_MEASURED, text);
  expect(strstr(text, "windows of") != NULL, "a grid of two unknowns: %s", text);
  describe(40000, 3, grid, 2, 1, SPTRSV_STORED_MEASURED, text);
  expect(strstr(text, "rows as they are") != NULL, "a grid of three unknowns: %s", text);
  describe(160000, 1, chain, 1, 0, SPTRSV_STORED_MEASURED, text);
  expect(strstr(text, "1 thread") != NULL, "a chain: %s", text);
  if (sptrsvProcessors() > 1) {
    describe(160000, 1, grid, 2, 0, SPTRSV_STORED_MEASURED, text);
    expect(strstr(text, "threads, by the model") != NULL, "a grid and several processors: %s", text);
  }
  sptrsvLimitThreads(1);
  describe(160000, 1, grid, 2, 0, SPTRSV_STORED_MEASURED, text);
  expect(strstr(text, "1 thread") != NULL, "a grid with a limit of 1: %s", text);
  sptrsvLimitThreads(0);
  case_end();
}

/* Returns the threads that the model finds best for a sweep, of so many, or that are forced */
static int threads_for(SptrsvAnalysis analysis, SptrsvTriangle side, int most, bool forced, SptrsvShare *share)
{
  SptrsvRows   rows    = {.side = side, .n = analysis->a.n};
  SptrsvMemory scratch = {0};
  int          threads = 1, window;
  double       speedup;

  expect_success(sptrsvAnalysisRows(analysis, SPTRSV_NON_TRANSPOSE, &rows.pattern));
  expect_success(sptrsvWindowsShare(&rows, most, forced, share, &scratch, &threads, &window, &speedup));
  sptrsvMemoryFree(&scratch);
  return threads;
}

/* What is known of a chain is not taken for a sweep whose rows need far rows, nor the other way, in either order; nor is a number of
   threads that is found taken for one that is forced */
static void test_share(void)
{
  enum { N = 10000, FAR = N / 2 };
  static int32_t row_ptr[N + 1], col_idx[3 * N];
  SptrsvAnalysis analysis = NULL;
  SptrsvShare    share[2] = {{0}};
  int32_t        nnz      = 0;

  case_begin("threads of two sweeps that share differently");
  for (int i = 0; i < N; i++) {
    row_ptr[i] = nnz;
    if (i) col_idx[nnz++] = i - 1;
    col_idx[nnz++] = i;
    if (i + FAR < N) col_idx[nnz++] = i + FAR;
  }
  row_ptr[N] = nnz;
  expect_success(sptrsvAnalysisCreate(&(SptrsvCsr){N, nnz, row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST}, SPTRSV_HOST, NULL, &analysis));
  for (int order = 0; order < 2; order++) {
    for (int k = 0; k < 3; k++) {
      const SptrsvTriangle side    = (k + order) % 2 ? SPTRSV_UPPER : SPTRSV_LOWER;
      const int            threads = threads_for(analysis, side, 2, false, &share[order]);

      expect(threads == (side == SPTRSV_LOWER ? 1 : 2), "order %d, sweep %d: %d threads", order, k, threads);
    }
  }
  for (int k = 0; k < 4; k++) {
    const bool forced  = k % 2;
    const int  threads = threads_for(analysis, SPTRSV_UPPER, 16, forced, &share[0]);

    expect((threads == 16) == forced, "sweep %d, up to 16: %d threads", k, threads);
  }
  expect_success(sptrsvAnalysisDestroy(&analysis));
  case_end();
}

static void test_limit(void)
{
  const int all = sptrsvProcessors();

  case_begin("the limit of threads");
  expect(all >= 1, "%d processors", all);
  sptrsvLimitThreads(1);
  expect(sptrsvProcessors() == 1, "%d threads with a limit of 1", sptrsvProcessors());
  sptrsvLimitThreads(all + 5);
  expect(sptrsvProcessors() == all, "%d threads with a limit above the %d processors", sptrsvProcessors(), all);
  sptrsvLimitThreads(0);
  expect(sptrsvProcessors() == all, "%d threads without a limit, %d before", sptrsvProcessors(), all);
  case_end();
}

/* What sweeps take on made-up machines, of which auto knows nothing: milliseconds of run k by all threads and by one */
typedef struct {
  const char *name;
  double      most; /* against the better of the two */
  void (*run)(int k, uint64_t *seed, double ms[SPTRSV_WAYS]);
} Machine;

static void idle(int k, uint64_t *seed, double ms[SPTRSV_WAYS])
{
  (void)k, (void)seed;
  ms[SPTRSV_TOGETHER] = 0.9;
  ms[SPTRSV_ALONE]    = 1.7;
}
static void busy(int k, uint64_t *seed, double ms[SPTRSV_WAYS])
{
  (void)k, (void)seed;
  ms[SPTRSV_TOGETHER] = 5.5;
  ms[SPTRSV_ALONE]    = 1.7;
}
static void lucky(int k, uint64_t *seed, double ms[SPTRSV_WAYS]) /* most runs together are fast, and a few wait for a processor */
{
  (void)k;
  ms[SPTRSV_TOGETHER] = random_unit(seed) < 0.8 ? 0.9 : 24;
  ms[SPTRSV_ALONE]    = 1.7;
}
static void changing(int k, uint64_t *seed, double ms[SPTRSV_WAYS]) /* the better way, for either way, is 1.7 */
{
  (k / 1000 % 2 ? idle : busy)(k, seed, ms);
}
static void interrupted(int k, uint64_t *seed, double ms[SPTRSV_WAYS]) /* idle, but for moments */
{
  idle(k, seed, ms);
  for (int way = 0; way < SPTRSV_WAYS; way++) ms[way] += random_unit(seed) < 0.002 ? 50 : 0;
}

static void test_pace(void)
{
  static const Machine machines[] = {{"idle", 1.03, idle},
                                     {"busy", 1.06, busy},
                                     {"busy, with luck", 1.1, lucky},
                                     {"busy and idle by turns", 0.85, changing},
                                     {"idle with interruptions", 1.2, interrupted}};

  for (size_t m = 0; m < sizeof(machines) / sizeof(*machines); m++) {
    double     sum[SPTRSV_WAYS] = {0}, taken = 0, least;
    SptrsvPace pace = {0};
    uint64_t   seed = 3;

    case_begin("the pace of threads on a machine that is %s", machines[m].name);
    for (int k = 0; k < 4000; k++) {
      double ms[SPTRSV_WAYS], mine;

      machines[m].run(k, &seed, ms);
      for (int way = 0; way < SPTRSV_WAYS; way++) sum[way] += ms[way];
      mine = ms[sptrsvPaceTogether(&pace) ? SPTRSV_TOGETHER : SPTRSV_ALONE];
      taken += mine;
      sptrsvPaceCount(&pace, mine * 1e-3, k % 10 != 0);
    }
    least = sum[SPTRSV_TOGETHER] < sum[SPTRSV_ALONE] ? sum[SPTRSV_TOGETHER] : sum[SPTRSV_ALONE];
    expect(taken < machines[m].most * least, "it takes %g s, all threads %g, one thread %g", taken * 1e-3, sum[SPTRSV_TOGETHER] * 1e-3,
           sum[SPTRSV_ALONE] * 1e-3);
    case_end();
  }
}

/* Updates between trials make no trial rarer */
static void test_updates(void)
{
  SptrsvPace pace[2]  = {{0}};
  int        alone[2] = {0};

  case_begin("the pace of threads with updates between trials");
  for (int k = 0; k < 4000; k++) {
    for (int updates = 0; updates < 2; updates++) {
      const bool together = sptrsvPaceTogether(&pace[updates]);

      if (updates && !pace[updates].away) sptrsvPaceCount(&pace[updates], 5e-3, false);
      sptrsvPaceCount(&pace[updates], together ? 0.9e-3 : 1.7e-3, true);
      alone[updates] += !together;
    }
  }
  expect(alone[0] > 3 && alone[1] == alone[0], "%d runs by one thread, with updates %d", alone[0], alone[1]);
  case_end();
}

/* Files of a made-up machine below `root` */
static void put(const char *root, const char *name, const char *text)
{
  char  path[512];
  FILE *file;

  (void)snprintf(path, sizeof(path), "%s/%s", root, name);
  for (char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/')) {
    *end = 0;
    (void)mkdir(path, 0700);
    *end = '/';
  }
  file = fopen(path, "w");
  if (!expect(file != NULL, "%s cannot be written", path)) return;
  (void)fputs(text, file);
  (void)fclose(file);
}

static void test_quota(void)
{
  static const char second[] = "31 23 0:28 / /cg rw,relatime shared:9 - cgroup2 cgroup2 rw\n";
  static const char first[]  = "30 23 0:27 / / rw - overlay overlay rw,lowerdir=/a:/b\n"
                                 "33 31 0:29 /docker/7 /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n";
  char              root[]   = "/tmp/syncfree-quota-XXXXXX", command[64];

  case_begin("quotas of control groups");
  expect(mkdtemp(root) != NULL, "no folder");
  expect(!sptrsvQuota(root), "%d processors without cgroups", sptrsvQuota(root));
  put(root, "proc/self/mountinfo", second);
  put(root, "proc/self/cgroup", "0::/user/job\n");
  put(root, "cg/user/job/cpu.max", "max 100000\n");
  expect(!sptrsvQuota(root), "%d processors without a quota", sptrsvQuota(root));
  put(root, "cg/user/cpu.max", "350000 100000\n"); /* of the group that it is in */
  expect(sptrsvQuota(root) == 3, "%d processors, not 3", sptrsvQuota(root));
  put(root, "cg/user/job/cpu.max", "50000 100000\n");
  expect(sptrsvQuota(root) == 1, "%d processors with half of one", sptrsvQuota(root));
  put(root, "proc/self/mountinfo", first);
  put(root, "proc/self/cgroup", "5:cpuset:/other\n1:cpu,cpuacct:/docker/7/job\n0::/\n");
  put(root, "cg/cpu/job/cpu.cfs_quota_us", "-1\n");
  put(root, "cg/cpu/job/cpu.cfs_period_us", "100000\n");
  expect(!sptrsvQuota(root), "%d processors without a quota, first version", sptrsvQuota(root));
  put(root, "cg/cpu/cpu.cfs_quota_us", "200000\n");
  put(root, "cg/cpu/cpu.cfs_period_us", "100000\n");
  expect(sptrsvQuota(root) == 2, "%d processors, not 2, first version", sptrsvQuota(root));
  put(root, "proc/self/cgroup", "1:cpu,cpuacct:/../other\n"); /* out of sight: what is mounted counts */
  expect(sptrsvQuota(root) == 2, "%d processors, not 2, out of sight", sptrsvQuota(root));
  (void)snprintf(command, sizeof(command), "rm -r %s", root);
  expect(!system(command), "%s", command);
  case_end();
}

int main(int argc, char **argv)
{
  (void)test_begin("host_choices", argc, argv);
  test_limit();
  test_choice();
  test_share();
  test_pace();
  test_updates();
  test_quota();
  return test_end();
}
