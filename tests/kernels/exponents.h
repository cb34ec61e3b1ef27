/*
   exponents.h - The powers of two by which numbers can be multiplied without a rounding: ranges.c and sweep_ranges.c.
*/
#ifndef TESTS_EXPONENTS_H
#define TESTS_EXPONENTS_H
#include "check.h"

typedef struct { /* the exponents e for which all numbers times 2^e are normal, with room for sums */
  int low, high, least, most;
} Exponents;

Exponents any_exponent(SptrsvValueType type);
void      must_fit(Exponents *e, double number, int power);      /* power: 1 if the number grows with the matrix, -1 for inverses */
void      expect_most(const Exponents *e, SptrsvValueType type); /* that they are as many as a type has to have */

#endif
