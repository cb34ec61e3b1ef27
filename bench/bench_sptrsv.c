/* bench_sptrsv.c - Times the kernel library's algorithms on grids and files, in one run; see README.md. */
#include "report.h"
#include "sptrsv_measure.h"
#include "sptrsv_settings.h"
#include <math.h>
#include <string.h>

static const char CSV_HEADER[] =
  "run,machine,gpu,driver,cuda,matrix,kind,type,rows,nnz,levels_lower,levels_upper,algorithm,first_setup_ms,refactor_us,"
  "lower_us,upper_us,apply_us,spmv_us,plan_bytes,floor_bandwidth_us,floor_hop_us,error,status,analysis_ms,plans_ms,gflops,"
  "repetitions,description,factor_us,factor_description,split_policy,split_level,split_setup_ms,transfer_us,"
  "nnz_lower,granularity";

/* ------------------------------------------------------------ output -------------------------------------------------------- */

static const char *verdict(const Settings *s, bool ok, const Measurement *m)
{
  if (!ok && m->status == SPTRSV_NOT_SUPPORTED) return "NOT SUPPORTED";
  if (!ok) return "FAILED";
  return m->error <= (s->type == SPTRSV_FLOAT ? 1e-4 : 1e-10) ? "OK" : "WRONG"; /* a NaN is wrong */
}

/* Two operations to an entry of the matrix, in both sweeps together: Li, Equation 4. */
static double gflops(const Problem *p, const Measurement *m) { return 2e-9 * (double)p->A.nnz / m->apply; }

/* Each level costs at least one hop, if rows are solved one by one; the figure is a GPU's. */
static double hopFloor(const Settings *s, const Problem *p)
{
  return s->location == SPTRSV_DEVICE ? s->hop * (double)(p->levels_lower + p->levels_upper) : NAN;
}

static void writeCsv(const Settings *s, const char *name, const char *algorithm, const Problem *p, const Measurement *m,
                     const char *status)
{
  const Machine *machine = p->machine;

  reportText(s->csv, true, s->run);
  reportText(s->csv, false, s->label);
  reportText(s->csv, false, machine->gpu);
  reportText(s->csv, false, machine->driver);
  reportText(s->csv, false, machine->cuda);
  reportText(s->csv, false, name);
  reportText(s->csv, false, problem_kinds[s->kind]);
  reportText(s->csv, false, s->type == SPTRSV_FLOAT ? "float" : "double");
  reportNumber(s->csv, (double)p->A.rows);
  reportNumber(s->csv, (double)p->A.nnz);
  reportNumber(s->csv, (double)p->levels_lower);
  reportNumber(s->csv, (double)p->levels_upper);
  reportText(s->csv, false, algorithm);
  reportNumber(s->csv, 1e3 * m->first_setup);
  reportNumber(s->csv, 1e6 * m->refactor);
  reportNumber(s->csv, 1e6 * m->lower);
  reportNumber(s->csv, 1e6 * m->upper);
  reportNumber(s->csv, 1e6 * m->apply);
  reportNumber(s->csv, 1e6 * p->spmv);
  reportNumber(s->csv, (double)m->plan_bytes);
  reportNumber(s->csv, 1e6 * problemBytes(p) / machine->bandwidth);
  reportNumber(s->csv, 1e6 * hopFloor(s, p));
  reportNumber(s->csv, m->error);
  reportText(s->csv, false, status);
  reportNumber(s->csv, 1e3 * m->analysis);
  reportNumber(s->csv, 1e3 * m->plans);
  reportNumber(s->csv, gflops(p, m));
  reportNumber(s->csv, m->repetitions);
  reportText(s->csv, false, m->description);
  reportNumber(s->csv, 1e6 * m->factor);
  reportText(s->csv, false, m->factor_description);
  reportText(s->csv, false, m->split_policy);
  reportNumber(s->csv, m->split_level);
  reportNumber(s->csv, 1e3 * m->split_setup);
  reportNumber(s->csv, 1e6 * m->transfer);
  reportNumber(s->csv, (double)p->nnz_lower);
  reportNumber(s->csv, p->granularity);
  (void)fputc('\n', s->csv);
  (void)fflush(s->csv);
}

static void printHead(const Settings *s, const char *name, const Problem *p)
{
  (void)printf("%s, %s, %s: %lld rows, %lld entries, SpMV %.1f us\n", name, problem_kinds[s->kind],
               s->type == SPTRSV_FLOAT ? "float" : "double", (long long)p->A.rows, (long long)p->A.nnz, 1e6 * p->spmv);
  (void)printf("  %-24s %10s %10s %10s %10s %10s %7s %9s %9s  x %s\n", "", "set-up,ms", "refact,us", "lower,us", "upper,us",
               "apply,us", "GFLOPS", "plan,MB", "error", settingsBaseline(s));
}

static void printFloors(const Settings *s, const Problem *p)
{
  (void)printf("  floors: %.1f us for the bytes", 1e6 * problemBytes(p) / p->machine->bandwidth);
  if (s->location == SPTRSV_DEVICE) (void)printf(", %.1f us for the hops", 1e6 * hopFloor(s, p));
  (void)printf("; %lld and %lld levels\n", (long long)p->levels_lower, (long long)p->levels_upper);
}

static void printRow(const char *algorithm, const Problem *p, const Measurement *m, double baseline, const char *status)
{
  (void)printf("  %-24s %10.2f %10.1f %10.1f %10.1f %10.1f %7.2f %9.2f %9.1e  ", algorithm, 1e3 * m->first_setup, 1e6 * m->refactor,
               1e6 * m->lower, 1e6 * m->upper, 1e6 * m->apply, gflops(p, m), 1e-6 * (double)m->plan_bytes, m->error);
  if (isfinite(baseline)) (void)printf("%.2f", baseline / m->apply);
  else (void)printf("-");
  (void)printf("%s%s\n", strcmp(status, "OK") ? "  " : "", strcmp(status, "OK") ? status : "");
  (void)fflush(stdout);
}

/* ------------------------------------------------------------- run ---------------------------------------------------------- */

/* False if an algorithm is wrong or fails; not being supported is no failure. */
static bool runMatrix(const Settings *s, const char *name, Problem *problem)
{
  double baseline = NAN;
  bool   fine = true, floors = false;

  printHead(s, name, problem);
  for (int k = 0; k < s->num_algorithms; k++) {
    const char *spec = s->algorithms[k].spec, *status;
    Measurement m;
    bool        ok = measure(problem, &s->algorithms[k].options, &m), right;

    status = verdict(s, ok, &m);
    floors = floors || ok;
    right  = !strcmp(status, "OK");
    if (right && !strcmp(spec, settingsBaseline(s))) baseline = m.apply;
    if (ok) printRow(spec, problem, &m, right ? baseline : NAN, status);
    else (void)printf("  %-24s %s: %s\n", spec, status, problem->machine->error);
    if (s->csv && ok) writeCsv(s, name, spec, problem, &m, status);
    fine = fine && (right || (!ok && m.status == SPTRSV_NOT_SUPPORTED));
  }
  if (floors) printFloors(s, problem);
  return fine;
}

static int run(const Settings *s, Machine *machine, char **specs)
{
  int code = 0;

  (void)printf("%s: copy at %.1f GB/s, median of %d\n", machine->gpu, 1e-9 * machine->bandwidth, machine->repeat);
  for (; *specs; specs++) {
    Problem problem;
    char    name[256];

    csrMatrixName(*specs, name, sizeof name);
    if (!problemCreate(machine, *specs, s->kind, &problem)) {
      (void)fprintf(stderr, "%s\n", machine->error);
      code = 2;
      continue;
    }
    if (!runMatrix(s, name, &problem) && !code) code = 1;
    problemDestroy(&problem);
  }
  return code;
}

int main(int argc, char **argv)
{
  Settings  s;
  Machine   machine;
  const int first = settingsParse(argc, argv, &s);
  int       code  = 2;

  if (!first) return 2;
  reportRun(s.run, sizeof s.run);
  if (!machineStart(&machine, s.location, s.type, s.repeat, s.budget)
      || (s.csv_path && !reportOpen(s.csv_path, CSV_HEADER, &s.csv, machine.error, sizeof machine.error))) {
    (void)fprintf(stderr, "%s\n", machine.error);
  } else code = run(&s, &machine, argv + first);
  machineStop(&machine);
  if (s.csv) (void)fclose(s.csv);
  return code;
}
