/*
   report.h - What the two benchmark programs share: medians, the CSV file, a seeded right-hand side.
*/
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* reportMedian - Sorts the times [count > 0]; of an even number the mean of the middle two. */
double reportMedian(double *times, int count);

/* reportRandom - Next of a sequence of numbers in [-1, 1), the same on every machine; any seed but 0. */
double reportRandom(uint64_t *state);

/* reportRun - A name for this run, the same in all of its rows: start time (UTC) and process number. */
void reportRun(char *name, size_t size);

/* reportOpen - Appends to a CSV file, writing the header if the file is new; an error if it is there with another header. */
bool reportOpen(const char *path, const char *header, FILE **file, char *error, size_t size);

/* reportText, reportNumber - One field with the comma before it, unless it is the first; a number that is not finite is empty. */
void reportText(FILE *file, bool first, const char *text);
void reportNumber(FILE *file, double number);

#endif
