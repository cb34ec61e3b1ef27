/* For files with rows of options: the parts of a row, and the sentence of a refusal.  Who includes this defines MEMBERS, the struct that
   has the members. */
#include <limits.h>
#include <math.h>
#include <stddef.h>

#define MEMBER(member) .offset = offsetof(MEMBERS, member), .size = sizeof(((MEMBERS *)0)->member)
#define INT(member)    MEMBER(member), .type = SPTRSV_OPTION_INT, .most = INT_MAX
#define REAL(member)   MEMBER(member), .type = SPTRSV_OPTION_REAL, .most = INFINITY
#define SHARE(member)  MEMBER(member), .type = SPTRSV_OPTION_REAL, .most = 100
#define CHOICE(member, names)                                                                                                              \
  MEMBER(member), .type = SPTRSV_OPTION_CHOICE, .choices = names, .most = (int)(sizeof(names) / sizeof(*(names))) - 2 /* the last is NULL */
#define NAME(member) MEMBER(member), .type = SPTRSV_OPTION_ALGORITHM

/* Rows that a family has with CUDA only */
#if defined(SPTRSV_HAVE_CUDA)
  #define ON_GPU(...) __VA_ARGS__
#else
  #define ON_GPU(...) NULL
#endif

/* Prints the sentence into error [size], and returns the status */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
SptrsvStatus
sptrsvRefuse(SptrsvStatus status, char *error, size_t size, const char *format, ...);
