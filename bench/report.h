/*
   report.h - Shared by the benchmark programs: medians, the CSV file, a seeded right-hand side.
*/
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* report_median - Sorts the times [count > 0]; of an even number the mean of the middle two. */
double report_median(double *times, int count);

/* report_random - Next of a sequence of numbers in [-1, 1), the same on every machine; any seed but 0. */
double report_random(uint64_t *state);

/* report_run - A name for this run, the same in all of its rows: start time (UTC) and process number. */
void report_run(char *name, size_t size);

/* report_open - Opens a CSV file to append to it.  A new file gets the header; a file with another header is an error. */
bool report_open(const char *path, const char *header, FILE **file, char *error, size_t size);

/* report_text, report_number - One field with the comma before it, unless it is the first; a number that is not finite is empty. */
void report_text(FILE *file, bool first, const char *text);
void report_number(FILE *file, double number);

#endif
