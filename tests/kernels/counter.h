/*
   counter.h - The counter of tickets of a plan or a factorization, or its counters, one for each task of ata: the last array that it
   allocates on the device.  The linker puts a function of counter.c in the place of cudaMalloc() (--wrap, see tests/rules.mk).
*/
#ifndef TESTS_COUNTER_H
#define TESTS_COUNTER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "factor_ways.h"

/* After factor_go() the last counter is that of the factorization. */
enum { COUNTED_WAYS = 5 };
extern const FactorWay counted_ways[COUNTED_WAYS];

bool      has_tickets(const char *algorithm);
uint64_t *last_counter(size_t *count); /* on the device */

#endif
