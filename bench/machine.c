/* machine.c - The host's memory and clock, and the parts shared with a GPU. */
#define _POSIX_C_SOURCE 200809L
#include "machine.h"
#include "report.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ----------------------------------------------------------- host ----------------------------------------------------------- */

static bool host_start(Machine *machine)
{
  (void)machine;
  return true;
}

static void host_stop(Machine *machine) { (void)machine; }

static bool host_allocate(Machine *machine, size_t bytes, void **p)
{
  *p = malloc(bytes + 1);
  return *p || csr_matrix_fail(machine->error, sizeof machine->error, "out of memory for %zu bytes", bytes);
}

static bool host_copy(Machine *machine, void *to, const void *from, size_t bytes)
{
  (void)machine;
  memcpy(to, from, bytes);
  return true;
}

static bool host_spoil(Machine *machine, void *p, size_t bytes)
{
  (void)machine;
  memset(p, 0xff, bytes);
  return true;
}

static bool host_synchronize(Machine *machine)
{
  (void)machine;
  return true;
}

static bool host_time(Machine *machine, MachineWork work, void *context, int count)
{
  for (int k = 0; k < count; k++) {
    double start, stop;

    if (!machine_wall(machine, &start) || !work(context) || !machine_wall(machine, &stop)) return false;
    machine->times[k] = stop - start;
  }
  return true;
}

static bool host_spmv_create(MachineSpmv *spmv)
{
  (void)spmv;
  return true;
}

static bool host_spmv(MachineSpmv *spmv)
{
  const CsrMatrix *A        = spmv->A;
  const bool       single   = spmv->machine->type == SPTRSV_FLOAT;
  const float     *values_s = spmv->values, *x_s = spmv->x;
  const double    *values_d = spmv->values, *x_d = spmv->x;

  for (int64_t i = 0; i < A->rows; i++) {
    double sum = 0;

    for (int32_t p = A->row_ptr[i]; p < A->row_ptr[i + 1]; p++) {
      sum += single ? values_s[p] * x_s[A->col_idx[p]] : values_d[p] * x_d[A->col_idx[p]];
    }
    if (single) ((float *)spmv->y)[i] = (float)sum;
    else ((double *)spmv->y)[i] = sum;
  }
  return true;
}

static void host_spmv_destroy(MachineSpmv *spmv) { (void)spmv; }

static const MachineOps machine_host = {host_start, host_stop, host_allocate, free, host_copy, host_spoil,
                                        host_synchronize, host_time, host_spmv_create, host_spmv, host_spmv_destroy};

/* ----------------------------------------------------------- both ----------------------------------------------------------- */

bool machine_wall(Machine *machine, double *seconds)
{
  struct timespec now;

  if (!machine->ops->synchronize(machine)) return false;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  *seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
  return true;
}

/* Also chooses the number of repetitions, by the last warm-up: the first may load code. */
static bool warm_up(Machine *machine, MachineWork work, void *context)
{
  double spent = 0, last = 0;

  for (int k = 0; k < MACHINE_WARM_UPS && (k < 2 || spent < machine->budget); k++) {
    double start, stop;

    if (!machine_wall(machine, &start) || !work(context) || !machine_wall(machine, &stop)) return false;
    last = stop - start;
    spent += last;
  }
  machine->repetitions = machine->repeat;
  if (last * machine->repeat > machine->budget) machine->repetitions = (int)(machine->budget / last);
  if (machine->repetitions < MACHINE_FEWEST) machine->repetitions = MACHINE_FEWEST;
  if (machine->repetitions > machine->repeat) machine->repetitions = machine->repeat;
  return true;
}

bool machine_time(Machine *machine, MachineWork work, void *context, double *seconds)
{
  if (!warm_up(machine, work, context) || !machine->ops->time(machine, work, context, machine->repetitions)) return false;
  *seconds = report_median(machine->times, machine->repetitions);
  return true;
}

bool machine_time_wall(Machine *machine, MachineWork work, void *context, double *seconds)
{
  if (!warm_up(machine, work, context) || !host_time(machine, work, context, machine->repetitions)) return false;
  *seconds = report_median(machine->times, machine->repetitions);
  return true;
}

typedef struct {
  Machine *machine;
  void    *to, *from;
  size_t   bytes;
} Copy;

static bool work_copy(void *context)
{
  Copy *copy = context;

  return copy->machine->ops->copy(copy->machine, copy->to, copy->from, copy->bytes);
}

/* The arrays are larger than any cache. */
static bool measure_bandwidth(Machine *machine)
{
  Copy   copy    = {.machine = machine, .bytes = (size_t)1 << (machine->location == SPTRSV_DEVICE ? 30 : 27)};
  double seconds = 0;
  bool   ok      = machine->ops->allocate(machine, copy.bytes, &copy.to);

  ok = ok && machine->ops->allocate(machine, copy.bytes, &copy.from);
  ok = ok && machine->ops->spoil(machine, copy.from, copy.bytes) && machine_time(machine, work_copy, &copy, &seconds);
  machine->ops->release(copy.to);
  machine->ops->release(copy.from);
  machine->bandwidth = 2.0 * (double)copy.bytes / seconds;
  return ok;
}

bool machine_start(Machine *machine, SptrsvLocation location, SptrsvValueType type, int repeat, double budget)
{
  memset(machine, 0, sizeof *machine);
  machine->ops        = &machine_host;
  machine->location   = location;
  machine->type       = type;
  machine->value_size = type == SPTRSV_FLOAT ? sizeof(float) : sizeof(double);
  machine->repeat     = repeat;
  machine->budget     = budget;
  (void)strcpy(machine->gpu, "none");
  (void)strcpy(machine->driver, "none");
  (void)strcpy(machine->cuda, "none");
#if defined(SPTRSV_HAVE_CUDA)
  if (location == SPTRSV_DEVICE) machine->ops = &machine_cuda;
#else
  if (location == SPTRSV_DEVICE) return csr_matrix_fail(machine->error, sizeof machine->error, "built without CUDA, no device");
#endif
  machine->times = malloc((size_t)repeat * sizeof *machine->times);
  if (!machine->times) return csr_matrix_fail(machine->error, sizeof machine->error, "out of memory");
  return machine->ops->start(machine) && measure_bandwidth(machine);
}

void machine_report(const Machine *machine, FILE *csv, const char *run, const char *label)
{
  report_text(csv, true, run);
  if (label) report_text(csv, false, label);
  report_text(csv, false, machine->gpu);
  report_text(csv, false, machine->driver);
  report_text(csv, false, machine->cuda);
}

void machine_stop(Machine *machine)
{
  machine->ops->stop(machine);
  free(machine->times);
}
