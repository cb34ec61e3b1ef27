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

/* Calls it: f(rows, further arguments), 2 to SPTRSV_BLOCK_ROWS rows */
#define SPTRSV_UNROLL(rows, f, ...)                                                                                                        \
  do {                                                                                                                                     \
    switch (rows) {                                                                                                                        \
    case 2:                                                                                                                                \
      f(2, __VA_ARGS__);                                                                                                                   \
      break;                                                                                                                               \
    case 3:                                                                                                                                \
      f(3, __VA_ARGS__);                                                                                                                   \
      break;                                                                                                                               \
    case 4:                                                                                                                                \
      f(4, __VA_ARGS__);                                                                                                                   \
      break;                                                                                                                               \
    case 5:                                                                                                                                \
      f(5, __VA_ARGS__);                                                                                                                   \
      break;                                                                                                                               \
    case 6:                                                                                                                                \
      f(6, __VA_ARGS__);                                                                                                                   \
      break;                                                                                                                               \
    case 7:                                                                                                                                \
      f(7, __VA_ARGS__);                                                                                                                   \
      break;                                                                                                                               \
    default:                                                                                                                               \
      f(8, __VA_ARGS__);                                                                                                                   \
    }                                                                                                                                      \
  } while (0)
