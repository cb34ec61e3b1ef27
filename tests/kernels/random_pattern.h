/* random_pattern.h - Small random patterns, and the questions that the library has to answer about them. */
#ifndef TESTS_RANDOM_PATTERN_H
#define TESTS_RANDOM_PATTERN_H
#include "check.h"
#include "zoo.h"

enum { MOST_ROWS = 14 };
typedef struct {
  uint64_t       state; /* of its random numbers */
  SptrsvLocation location;
  bool           in[MOST_ROWS][MOST_ROWS];
  ZooMatrix      A; /* the same */
} Pattern;

int              pick(Pattern *p, int n); /* a number below n */
SptrsvFactorKind any_kind(Pattern *p);
void             store_pattern(Pattern *p); /* A is what `in` says */
int              missing_row(const Pattern *p); /* the first one without a diagonal entry, -1: none */

/* In natural order; *factor is NULL if this fails */
SptrsvStatus make_factor(const ZooMatrix *A, SptrsvFactorKind kind, SptrsvLocation location, int64_t *missing, SptrsvFactor *factor);
SptrsvFactor any_factor(Pattern *p, SptrsvFactorKind kind); /* NULL if a diagonal entry is missing */

/* ask() returns the right answer, after it has compared the library's with it. */
typedef struct {
  const char *what;
  bool (*ask)(Pattern *);
} Question;

/* The program: each question is asked of the host and of the GPU, and must be answered both ways */
int questions_main(const char *program, int argc, char **argv, const Question *questions, size_t count);

#endif
