/* Loops over the rows of blocks on the host, unrolled for each number of rows. */
#pragma once

/* A function whose first argument is the number of rows, which its caller writes as a constant.  Compilers then take long, with sanitizers
   up to 90 s for a file, so builds for tests alone may define SPTRSV_ROLLED. */
#if defined(SPTRSV_ROLLED)
  #define SPTRSV_UNROLLED static __attribute__((noinline))
#elif defined(__GNUC__)
  #define SPTRSV_UNROLLED static inline __attribute__((always_inline))
#else
  #define SPTRSV_UNROLLED static inline
#endif

#define SPTRSV_CASE(rows, f, ...)                                                                                                          \
  case rows:                                                                                                                               \
    f(rows, __VA_ARGS__);                                                                                                                  \
    break;

/* Calls it: f(rows, further arguments), 2 to SPTRSV_BLOCK_ROWS rows */
#define SPTRSV_UNROLL(rows, f, ...)                                                                                                        \
  do {                                                                                                                                     \
    switch (rows) {                                                                                                                        \
      SPTRSV_CASE(2, f, __VA_ARGS__)                                                                                                       \
      SPTRSV_CASE(3, f, __VA_ARGS__)                                                                                                       \
      SPTRSV_CASE(4, f, __VA_ARGS__)                                                                                                       \
      SPTRSV_CASE(5, f, __VA_ARGS__)                                                                                                       \
      SPTRSV_CASE(6, f, __VA_ARGS__)                                                                                                       \
      SPTRSV_CASE(7, f, __VA_ARGS__)                                                                                                       \
    default:                                                                                                                               \
      f(8, __VA_ARGS__);                                                                                                                   \
    }                                                                                                                                      \
  } while (0)
