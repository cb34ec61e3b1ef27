/*
   Schedules by the thousand: every algorithm, sweep and small matrix in every mode of the emulator.

     campaign [--rows N] [--seeds N] [--seed S] [--steps N] [--mode MODE] [--case NAME] [--part K/N] [--first] [--csv FILE] [--list]

   --seeds  runs of each case in each mode, each with a seed of its own; some cases take a multiple of it
   --seed   the first of them
   --steps  a case that has taken as many goes into no further mode; each case begins with another mode
   --case   a whole name, or the beginning of one
   --part   the K-th of N shares of the cases
   --first  ends with the first failure
   --list   prints the names of the cases, and runs none

   A failure names its case, mode and seed in a line that repeats it.  The same case, mode and seed are the same run.
*/
#include "cases.h"
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <getopt.h>
#include <map>
#include <set>
#include <sys/time.h>
#include <unistd.h>

namespace {

using namespace simt;

constexpr int PATIENCE = 60; /* seconds for one run */

struct Options {
  uint64_t    seeds = 2, seed = 1, steps = UINT64_MAX;
  int         part = 0, parts = 1;
  bool        all_modes = true, first = false, list = false;
  Mode        mode;
  std::string which;
  const char *csv = nullptr;
} options;

struct Sum {
  uint64_t cases, seeds, distinct, launches, steps, failures; /* distinct: seeds whose threads ran in an order of their own */
  double   seconds;
};
std::map<std::pair<std::string, int>, Sum> sums;

char replay[512]; /* the current run, for the handler below */

double seconds()
{
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void begin_run(const Case &c, Mode mode, uint64_t seed)
{
  const itimerval limit = {{0, 0}, {PATIENCE, 0}};

  (void)snprintf(replay, sizeof(replay), "--rows %d --case %s --mode %s --seed %llu --seeds 1", test_rows(), c.name.c_str(),
                 mode_name(mode), (unsigned long long)seed);
  (void)setitimer(ITIMER_PROF, &limit, nullptr);
}

/* A thread that spins without touching memory is seen by its time only */
void on_alarm(int)
{
  char      text[640];
  const int length = snprintf(text, sizeof(text), "FAIL: a run did not end; replay: campaign %s\n", replay);

  (void)!write(STDOUT_FILENO, text, (size_t)length);
  _exit(1);
}

/* One case in one mode; false: it failed, and --first ends the campaign */
bool run_cell(Case &c, const Snapshot &ready, Mode mode)
{
  Sum         &sum    = sums[{c.algorithm, (int)mode}];
  const double start  = seconds();
  const Counts before = counts();
  bool         good   = true;

  std::set<uint64_t> orders; /* hashes of the schedules */

  case_begin("%s, mode %s", c.name.c_str(), mode_name(mode));
  for (uint64_t k = 0; good && k < options.seeds * (uint64_t)c.depth; k++) {
    memory_restore(ready);
    schedule(mode, options.seed + k);
    begin_run(c, mode, options.seed + k);
    std::string wrong = c.run();
    if (cudaDeviceSynchronize() && wrong.empty()) wrong = failure(); /* an error of work that the run has not waited for */
    good = expect(wrong.empty(), "%s; replay: campaign %s", wrong.c_str(), replay);
    orders.insert(schedule_hash());
    sum.seeds++;
  }
  schedule(Mode::RANDOM, 1); /* and clear a failure */
  case_end();
  sum.cases++;
  sum.distinct += orders.size();
  sum.failures += !good;
  sum.launches += counts().launches - before.launches;
  sum.steps += counts().steps - before.steps;
  sum.seconds += seconds() - start;
  return good || !options.first;
}

/* The case of this number; false: end */
bool run_case(int number, const NewCase &create)
{
  std::unique_ptr<Case> c     = create();
  bool                  go_on = true;

  case_begin("%s, set-up", c->name.c_str());
  schedule(Mode::RANDOM, 1);
  begin_run(*c, Mode::RANDOM, 1);
  const bool open = c->open();
  case_end();
  if (!open) return !options.first;
  const Snapshot ready  = memory_save();
  const uint64_t before = counts().steps;
  for (int k = 0; go_on && k < MODES && counts().steps - before < options.steps; k++) {
    const Mode mode = (Mode)((number + k) % MODES);

    if (options.all_modes || options.mode == mode) go_on = run_cell(*c, ready, mode);
  }
  memory_restore(ready);
  return go_on;
}

void report()
{
  FILE *csv = options.csv ? fopen(options.csv, "w") : nullptr;

  if (csv) (void)fprintf(csv, "algorithm,mode,first_seed,cases,seeds,distinct,launches,steps,failures,seconds\n");
  for (const auto &entry : sums) {
    const Sum &s = entry.second;

    if (csv)
      (void)fprintf(csv, "%s,%s,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%.1f\n", entry.first.first.c_str(), mode_name((Mode)entry.first.second),
                    (unsigned long long)options.seed, (unsigned long long)s.cases, (unsigned long long)s.seeds,
                    (unsigned long long)s.distinct, (unsigned long long)s.launches, (unsigned long long)s.steps,
                    (unsigned long long)s.failures, s.seconds);
  }
  if (csv) (void)fclose(csv);
  else if (options.csv) perror(options.csv);
}

bool read_options(int argc, char **argv)
{
  static const struct option names[] = {{"seeds", 1, nullptr, 'n'}, {"seed", 1, nullptr, 's'}, {"steps", 1, nullptr, 't'},
                                        {"mode", 1, nullptr, 'm'},  {"case", 1, nullptr, 'c'}, {"part", 1, nullptr, 'p'},
                                        {"first", 0, nullptr, 'f'}, {"csv", 1, nullptr, 'o'},  {"list", 0, nullptr, 'l'},
                                        {nullptr, 0, nullptr, 0}};

  optind = test_begin("simt", argc, argv);
  for (int o; (o = getopt_long(argc, argv, "", names, nullptr)) != -1;) {
    if (o == 'n') options.seeds = strtoull(optarg, nullptr, 10);
    else if (o == 's') options.seed = strtoull(optarg, nullptr, 10);
    else if (o == 't') options.steps = strtoull(optarg, nullptr, 10);
    else if (o == 'c') options.which = optarg;
    else if (o == 'f') options.first = true;
    else if (o == 'l') options.list = true;
    else if (o == 'o') options.csv = optarg;
    else if (o == 'm' && mode_named(optarg, &options.mode)) options.all_modes = false;
    else if (o != 'p' || sscanf(optarg, "%d/%d", &options.part, &options.parts) != 2 || options.parts < 1) return false;
  }
  return optind == argc;
}

} // namespace

int main(int argc, char **argv)
{
  uint64_t seeds = 0, distinct = 0;
  double   start, said;
  int      number = 0;
  bool     go_on  = true;

  if (!read_options(argc, argv)) {
    (void)fprintf(stderr, "usage: campaign [--rows N] [--seeds N] [--seed S] [--steps N] [--mode MODE] [--case NAME] [--part K/N] "
                          "[--first] [--csv FILE] [--list]\n");
    return 2;
  }
  if (options.list) {
    for_each_case([](const std::string &name, const NewCase &) { printf("%s\n", name.c_str()); });
    return 0;
  }
  case_begin("every algorithm has a case");
  (void)expect(!algorithm_without_case(), "%s has none in cases_sweep.cc", algorithm_without_case());
  (void)case_end();
  (void)signal(SIGPROF, on_alarm);
  start = said = seconds();
  for_each_case([&](const std::string &name, const NewCase &create) {
    if (!go_on || name.compare(0, options.which.size(), options.which) || number++ % options.parts != options.part) return;
    go_on = run_case(number, create);
    if (seconds() - said < 10) return;
    said = seconds();
    (void)fprintf(stderr, "%.0f s, at %s\n", said - start, name.c_str());
  });
  if (!number) {
    (void)fprintf(stderr, "campaign: no case has a name that begins with %s\n", options.which.c_str());
    return 2;
  }
  report();
  for (const auto &entry : sums) {
    seeds += entry.second.seeds;
    distinct += entry.second.distinct;
  }
  printf("%llu seeds, %llu distinct schedules, %llu steps in %.1f s\n", (unsigned long long)seeds, (unsigned long long)distinct,
         (unsigned long long)counts().steps, seconds() - start);
  return test_end();
}
