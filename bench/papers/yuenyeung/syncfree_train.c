/* syncfree_train.c - Trains the threshold of the algorithm yuenyeung on this GPU; see bench/README.md. */
#define _POSIX_C_SOURCE 200809L
#include "../../report.h"
#include "train_graphs.h"
#include "train_times.h"
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const char HELP[] =
  "syncfree_train [options]\n"
  "Times lower triangles of Graph500 graphs of many sizes and densities with a warp per row (syncfree-csr), with a thread per row\n"
  "(capellini) and by yuenyeung with several thresholds, and prints the one that is best on this GPU, as a row of roworder.cu.\n"
  "  -o FILE                  where to write the threshold with the evidence\n"
  "  --csv FILE               append the times of each matrix\n"
  "  --matrices N             how many (1000)\n"
  "  --seconds S              ends after that time with what it has, as after SIGINT or SIGTERM\n"
  "  --scales LEAST:MOST      of 2^scale rows (14:19)\n"
  "  --edge-factors LEAST:MOST  edges drawn per row, spread evenly over the logarithm (0.5:32)\n"
  "  --edges N                in a graph, at most (4000000)\n"
  "  --seed N                 of the graphs (1)\n"
  "  --type float|double      of the values (double)\n"
  "  --repeat N, --budget S   repetitions, and seconds after which a measurement makes do with fewer, 5 at least (21, 0.02)\n"
  "The exit code is 1 if something failed, 2 if the command line was wrong.\n";

static const char CSV_HEADER[] = /* in the end, yuenyeung with each of train_thresholds */
  "run,gpu,driver,cuda,type,scale,edge_factor,seed,rows,nnz,levels,n_level,nnz_row,granularity,warp_us,thread_us,"
  "fused_2_us,fused_3_us,fused_4_us,fused_6_us,fused_8_us,fused_12_us,fused_16_us,fused_24_us,fused_32_us,fused_48_us";

typedef struct {
  const char     *path, *csv_path;
  int             matrices, repeat;
  double          seconds, budget;
  TrainRange      range;
  SptrsvValueType type;
  char            run[64];
  FILE           *csv;
} Settings;

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
  (void)number;
  interrupted = 1;
}

/* ----------------------------------------------------- command line --------------------------------------------------------- */

static bool parse_number(const char *text, double low, double high, double *value)
{
  char *end;

  *value = strtod(text, &end);
  return end != text && !*end && *value >= low && *value <= high;
}

static bool parse_range(char *text, double low, double high, double range[2])
{
  char *colon = strchr(text, ':');

  if (!colon) return false;
  *colon = 0;
  return parse_number(text, low, high, &range[0]) && parse_number(colon + 1, range[0], high, &range[1]);
}

static bool parse_option(int option, char *value, Settings *settings)
{
  double number = 0;
  bool   ok     = true;

  switch (option) {
  case 'o': settings->path = value; break;
  case 'c': settings->csv_path = value; break;
  case 'm':
    ok                 = parse_number(value, 1, 1e6, &number);
    settings->matrices = (int)number;
    break;
  case 's': return parse_number(value, 0, 1e6, &settings->seconds);
  case 'a': return parse_range(value, 1, KRONECKER_SCALE, settings->range.scales);
  case 'f': return parse_range(value, 1e-3, 1e6, settings->range.edge_factors);
  case 'e': return parse_number(value, 1, 2e9, &settings->range.edges);
  case 'd':
    ok                   = parse_number(value, 1, 9e15, &number);
    settings->range.seed = (uint64_t)number;
    break;
  case 't':
    settings->type = strcmp(value, "float") ? SPTRSV_DOUBLE : SPTRSV_FLOAT;
    return !strcmp(value, "float") || !strcmp(value, "double");
  case 'r':
    ok               = parse_number(value, MACHINE_FEWEST, 1e6, &number);
    settings->repeat = (int)number;
    break;
  case 'b': return parse_number(value, 0, 1e6, &settings->budget);
  default: return false;
  }
  return ok;
}

static bool parse_arguments(int argc, char **argv, Settings *settings)
{
  static const struct option options[] = {
    {"csv", required_argument, NULL, 'c'},    {"matrices", required_argument, NULL, 'm'},
    {"seconds", required_argument, NULL, 's'}, {"scales", required_argument, NULL, 'a'},
    {"edge-factors", required_argument, NULL, 'f'}, {"edges", required_argument, NULL, 'e'},
    {"seed", required_argument, NULL, 'd'},   {"type", required_argument, NULL, 't'},
    {"repeat", required_argument, NULL, 'r'}, {"budget", required_argument, NULL, 'b'},
    {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}
  };
  int option;

  while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
    if (option == 'h') {
      (void)fputs(HELP, stdout);
      exit(0);
    }
    if (option == '?') return false;
    if (!parse_option(option, optarg, settings)) {
      (void)fprintf(stderr, "%s is no valid value\n", optarg);
      return false;
    }
  }
  if (optind < argc) (void)fprintf(stderr, "%s: there are no arguments but options\n", argv[optind]);
  return optind == argc;
}

/* --------------------------------------------------------- training --------------------------------------------------------- */

static void write_csv(const Settings *settings, const Machine *machine, const Kronecker *graph, const SptrsvStatistics *stat,
                      const TrainSample *sample)
{
  machine_report(machine, settings->csv, settings->run, NULL);
  report_text(settings->csv, false, settings->type == SPTRSV_FLOAT ? "float" : "double");
  report_number(settings->csv, graph->scale);
  report_number(settings->csv, graph->edge_factor);
  report_number(settings->csv, (double)graph->seed);
  report_number(settings->csv, (double)stat->rows);
  report_number(settings->csv, (double)(stat->nnz + stat->rows));
  report_number(settings->csv, (double)stat->levels);
  report_number(settings->csv, stat->n_level);
  report_number(settings->csv, stat->nnz_row);
  report_number(settings->csv, stat->granularity);
  report_number(settings->csv, 1e6 * sample->warp);
  report_number(settings->csv, 1e6 * sample->thread);
  for (int k = 0; k < TRAIN_THRESHOLDS; k++) report_number(settings->csv, 1e6 * sample->fused[k]);
  (void)fputc('\n', settings->csv);
  (void)fflush(settings->csv);
}

/* Times graphs [count] until the time is up; returns their number, -1 after an error. */
static int time_graphs(const Settings *settings, Machine *machine, double end, TrainGraph *graphs, int count, TrainSample *samples)
{
  SptrsvStatistics statistics;
  double           now;

  for (int k = 0; k < count; k++) {
    if (!machine_wall(machine, &now)) return -1;
    if (interrupted || now >= end) return k;
    if (!graphs[k].made) {
      (void)csr_matrix_fail(machine->error, sizeof machine->error, "%s", graphs[k].error);
      return -1;
    }
    if (!train_times(machine, &graphs[k].graph, &graphs[k].A, &statistics, &samples[k])) return -1;
    if (settings->csv) write_csv(settings, machine, &graphs[k].graph, &statistics, &samples[k]);
  }
  return count;
}

/* Number of samples, none after an error. */
static int collect(const Settings *settings, Machine *machine, TrainSample *samples)
{
  TrainGraph graphs[TRAIN_BATCH];
  double     start, now;
  int        done = 0, timed = 0, batch = 0;

  if (!machine_wall(machine, &start)) return 0;
  for (; done < settings->matrices && timed == batch; done += timed) {
    if (!machine_wall(machine, &now)) return 0;
    (void)printf("%d of %d matrices, %.0f s\n", done, settings->matrices, now - start);
    (void)fflush(stdout);
    batch = settings->matrices - done < TRAIN_BATCH ? settings->matrices - done : TRAIN_BATCH;
    train_graphs(&settings->range, done, batch, graphs);
    timed = time_graphs(settings, machine, settings->seconds > 0 ? start + settings->seconds : INFINITY, graphs, batch, samples + done);
    for (int k = 0; k < batch; k++) csr_matrix_destroy(&graphs[k].A);
    if (timed < 0) return 0;
  }
  if (done < settings->matrices) (void)printf("ended after %d of %d matrices\n", done, settings->matrices);
  if (!done) (void)csr_matrix_fail(machine->error, sizeof machine->error, "no matrix was timed");
  return done;
}

static bool conclude(const Settings *settings, Machine *machine, TrainSample *samples, int count, const char *command)
{
  const TrainOrigin origin = {.gpu = machine->gpu, .driver = machine->driver, .cuda = machine->cuda, .command = command,
                              .type = settings->type == SPTRSV_FLOAT ? "float" : "double"};
  TrainFused        fused;
  TrainLevels       levels;

  train_fused(samples, count, &fused);
  train_levels(samples, count, &levels);
  (void)printf("%d matrices\n%-28s", count, "yuenyeung with the threshold");
  for (int k = 0; k < TRAIN_THRESHOLDS; k++) (void)printf(" %6g", train_thresholds[k]);
  (void)printf("\n%-28s", "loses, %, against the best");
  for (int k = 0; k < TRAIN_THRESHOLDS; k++) (void)printf(" %6.1f", 100 * (fused.loss[k] - 1));
  (void)printf("\nso it is to be %g.  For whole matrices, as in the paper, %.4g (some up to %.4g are as good): the faster level for\n"
               "%.1f %%, %.1f %% of the time lost; always warps would lose %.1f %%, always threads %.1f %%\n",
               fused.threshold, levels.threshold, levels.most, 100 * levels.correct, 100 * (levels.loss - 1),
               100 * (levels.warp_loss - 1), 100 * (levels.thread_loss - 1));
  (void)printf("{\"%s\", %g}\n", machine->gpu, fused.threshold);
  return !settings->path || train_write(settings->path, &origin, &fused, &levels, samples, count, machine->error, sizeof machine->error);
}

static bool train(const Settings *settings, Machine *machine, const char *command)
{
  TrainSample *samples = calloc((size_t)settings->matrices, sizeof *samples);
  int          count;
  bool         ok;

  if (!samples) return csr_matrix_fail(machine->error, sizeof machine->error, "out of memory for %d samples", settings->matrices);
  count = collect(settings, machine, samples);
  ok    = count > 0 && conclude(settings, machine, samples, count, command);
  free(samples);
  return ok;
}

static void join_arguments(int argc, char **argv, char *command, size_t size)
{
  size_t length = 0;

  command[0] = 0;
  for (int k = 0; k < argc && length < size; k++) {
    length += (size_t)snprintf(command + length, size - length, "%s%s", k ? " " : "", k ? argv[k] : "syncfree_train");
  }
}

int main(int argc, char **argv)
{
  Settings s = {.matrices = 1000, .repeat = 21, .budget = 0.02, .type = SPTRSV_DOUBLE};
  Machine  machine;
  char     command[512];
  bool     ok = false;

  s.range = (TrainRange){{14, 19}, {0.5, 32}, 4e6, 1};
  join_arguments(argc, argv, command, sizeof command);
  if (!parse_arguments(argc, argv, &s)) {
    (void)fputs(HELP, stderr);
    return 2;
  }
  if (sptrsvDeviceCount() < 1) {
    (void)fprintf(stderr, "there is no GPU to train on\n");
    return 1;
  }
  (void)signal(SIGINT, interrupt);
  (void)signal(SIGTERM, interrupt);
  report_run(s.run, sizeof s.run);
  if (machine_start(&machine, SPTRSV_DEVICE, s.type, s.repeat, s.budget)
      && (!s.csv_path || report_open(s.csv_path, CSV_HEADER, &s.csv, machine.error, sizeof machine.error))) {
    ok = train(&s, &machine, command);
  }
  if (!ok) (void)fprintf(stderr, "%s\n", machine.error);
  if (s.csv) (void)fclose(s.csv);
  machine_stop(&machine);
  return !ok;
}
