/*
   sptrsv_settings.h - Command line of bench_sptrsv.
*/
#ifndef BENCH_SPTRSV_SETTINGS_H
#define BENCH_SPTRSV_SETTINGS_H
#include "sptrsv_measure.h"
#include <stdio.h>

enum { MAX_ALGORITHMS = 64 };

typedef struct {
  const char *spec;    /* as given: NAME or NAME:KEY=VALUE:... */
  Candidate   options; /* algorithm, location and type, and what the keys say */
} AlgorithmSpec;

typedef struct {
  AlgorithmSpec     algorithms[MAX_ALGORITHMS];
  int               num_algorithms, repeat;
  ProblemKind       kind;
  SptrsvLocation    location;
  SptrsvValueType   type;
  Candidate         defaults;    /* of all algorithms, unless their keys say otherwise */
  double            hop, budget; /* seconds */
  const char       *csv_path, *label;
  char              run[64];
  FILE             *csv;
} Settings;

/* settings_parse - Where the arguments that are no options begin, or 0 after an error or --help, which it explains on stderr. */
int settings_parse(int argc, char **argv, Settings *s);

/* settings_baseline - With whom the others are compared, if it is among the algorithms; it goes first. */
const char *settings_baseline(const Settings *s);

#endif
