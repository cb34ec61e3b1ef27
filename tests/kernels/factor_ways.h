/* factor_ways.h - Ways to factor on the device: the algorithm that is asked for, and the plan of the lower sweep that is lent. */
#ifndef TESTS_FACTOR_WAYS_H
#define TESTS_FACTOR_WAYS_H
#include "factor_check.h"

typedef struct {
  const char *name;
  const char *algorithm; /* NULL: auto */
  const char *lower;     /* algorithm of the lower sweep, NULL: none */
} FactorWay;

/* All of them, a sweep by each plan that can */
enum { FACTOR_WAYS = 6 };
extern const FactorWay factor_ways[FACTOR_WAYS];

/* Whether the library has its algorithms: a product without studies has not all */
bool way_is_there(const FactorWay *way);

/* Lends the factor a new plan, *lower, by this algorithm; its blocks are small.  The caller destroys it after the factor was used. */
SptrsvStatus factor_lend(SptrsvFactor factor, const char *algorithm, const int32_t *row_perm, SptrsvValueType type, SptrsvPlan *lower);

/* Makes the factor go this way; *lower: the plan that it uses, or NULL.  NOT_SUPPORTED if the pattern is not for it. */
SptrsvStatus factor_go(SptrsvFactor factor, const FactorWay *way, const SptrsvTaskOptions *tasks, const int32_t *row_perm,
                       SptrsvValueType type, SptrsvPlan *lower);

/* Whether the pattern is for it: for a sweep no product a(i,k) a(k,j) meets an entry beside the diagonal, and lanes hold rows of at most
   MOST_OF_ROW entries */
enum { MOST_OF_ROW = 128 };
bool target_suits(const Target *target, const char *algorithm);
bool is_named(const char *algorithm, const char *name); /* the former may be NULL */

#endif
