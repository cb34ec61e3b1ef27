/*
   sptrsv_settings.h - Command line of bench_sptrsv.
*/
#ifndef BENCH_SPTRSV_SETTINGS_H
#define BENCH_SPTRSV_SETTINGS_H
#include "sptrsv_measure.h"
#include <stdio.h>

enum { MAX_ALGORITHMS = 64 };

typedef struct {
  const char       *spec;    /* as given: NAME or NAME:OPTION=VALUE:... */
  char             *copy;    /* of that, cut into texts of the options */
  SptrsvPlanOptions options; /* algorithm, location, type and tuning; the factorization's too */
} AlgorithmSpec;

typedef struct {
  AlgorithmSpec     algorithms[MAX_ALGORITHMS];
  int               num_algorithms, repeat;
  ProblemKind       kind;
  SptrsvLocation    location;
  SptrsvValueType   type;
  SptrsvPlanOptions defaults;    /* of all algorithms, unless their own options say otherwise */
  double            hop, budget; /* seconds */
  const char       *csv_path, *label;
  char              run[64];
  FILE             *csv;
} Settings;

/* settings_parse - The index of the first matrix among the arguments, or 0 after an error or --help, explained on stderr. */
int settings_parse(int argc, char **argv, Settings *s);

/* settings_baseline - The algorithm that the others are compared with, if it is among them; it is measured first. */
const char *settings_baseline(const Settings *s);

#endif
