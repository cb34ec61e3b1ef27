/* check.c - Test cases, memory of the host and of the GPU, seeded numbers. */
#include "check.h"
#include <complex.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(SPTRSV_HAVE_CUDA)
  #include <cuda_runtime_api.h>
#endif

enum { MESSAGES = 4 }; /* printed per case; later ones follow from the first */

static struct {
  const char *program;
  bool        quick;
  int         rows;
  int         passed, failed, skipped;
} test;

static _Thread_local CaseState now; /* cases of several threads at once: case_leave() in one, case_resume() in another */

int test_begin(const char *program, int argc, char **argv)
{
  int first = 1;

  test.program = program;
  test.rows    = INT_MAX;
  if (first < argc && !strcmp(argv[first], "--quick")) {
    test.quick = true;
    first++;
  }
  if (first + 1 < argc && !strcmp(argv[first], "--rows")) {
    test.rows = atoi(argv[first + 1]);
    first += 2;
  }
  return first;
}

bool test_quick(void)
{
  return test.quick;
}

bool test_emulated(void)
{
  char gpu[64];

  return !sptrsvDeviceName(gpu, sizeof(gpu)) && !strcmp(gpu, "emulator of warps");
}

int test_rows(void)
{
  return test.rows;
}

/* Of failing.c, if the program gets its memory from there */
long failing_blocks(void) __attribute__((weak));

int test_end(void)
{
  if (failing_blocks && failing_blocks()) {
    printf("FAIL %s: %ld blocks of memory are left\n", test.program, failing_blocks());
    test.failed++;
  }
#if defined(SPTRSV_HAVE_CUDA)
  if (sptrsvDeviceCount() && cudaDeviceReset() != cudaSuccess) test.failed++; /* when compute-sanitizer looks for leaks */
#endif
  printf("%s: %d passed, %d failed, %d skipped\n", test.program, test.passed, test.failed, test.skipped);
  return test.failed || !(test.passed + test.skipped); /* a run without a single case has tested nothing */
}

double test_seconds(void)
{
  struct timespec time;

  (void)timespec_get(&time, TIME_UTC);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void case_begin(const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  (void)vsnprintf(now.name, sizeof(now.name), format, arguments);
  va_end(arguments);
  now.wrong = 0;
}

bool case_end(void)
{
  if (now.wrong) test.failed++;
  else test.passed++;
  if (now.wrong > MESSAGES) printf("FAIL %s: and %d more\n", now.name, now.wrong - MESSAGES);
  return !now.wrong;
}

void case_leave(CaseState *state)
{
  *state = now;
}

void case_resume(const CaseState *state)
{
  now = *state;
}

void case_skip(const char *format, ...)
{
  char    what[256];
  va_list arguments;

  va_start(arguments, format);
  (void)vsnprintf(what, sizeof(what), format, arguments);
  va_end(arguments);
  printf("SKIP %s\n", what);
  test.skipped++;
}

bool expect(bool condition, const char *format, ...)
{
  char    what[2048];
  va_list arguments;

  if (condition) return true;
  if (now.wrong++ >= MESSAGES) return false;
  va_start(arguments, format);
  (void)vsnprintf(what, sizeof(what), format, arguments);
  va_end(arguments);
  printf("FAIL %s: %s\n", now.name, what); /* in one piece, beside other threads */
  (void)fflush(stdout); /* the next line may be a crash */
  return false;
}

bool expect_status(SptrsvStatus status, SptrsvStatus expected, const char *what)
{
  return expect(status == expected, "%s: %s, expected: %s", what, sptrsvGetErrorString(status), sptrsvGetErrorString(expected));
}

#if defined(SPTRSV_HAVE_CUDA)
bool expect_cuda(int error, const char *what)
{
  return expect(error == cudaSuccess, "%s: %s", what, cudaGetErrorString((cudaError_t)error));
}
#endif

static void give(bool ok, const char *what)
{
  if (ok) return;
  printf("FAIL %s: %s failed\n", now.name, what);
  test.failed++;
  exit(test_end());
}

bool same_solution(const SptrsvPlanOptions *options, const void *x, const void *y, int n)
{
  const SptrsvValueType type = options->type;
  const size_t          size = value_size(type);
  double                off = 0, most = 0;
  bool                  same = true;

  for (int i = 0; i < n; i++) {
    const double a = value_at(type, x, i), b = value_at(type, y, i);

    if (isnan(a) != isnan(b)) return false; /* fmax() drops a NaN */
    if (isnan(a)) continue;                 /* its sign and payload depend on the order of operands, which C leaves to the compiler */
    same = same && !memcmp((const char *)x + (size_t)i * size, (const char *)y + (size_t)i * size, size);
    if (a != b) off = fmax(off, fabs(a - b));
    most = fmax(most, fabs(b));
  }
  if (same) return true;
  for (int k = 0; sptrsvAlgorithmGet(k); k++) {
    const char *const name = sptrsvAlgorithmGet(k)->name, *const split = options->tuning.split.parameters;

    if (!(sptrsvAlgorithmGet(k)->traits & SPTRSV_VARIES)) continue;
    if (!strcmp(name, options->algorithm) || (split && strstr(split, name))) return off <= value_types[type].other_order * most;
  }
  return false;
}

const char *split_parameters(SptrsvSplitPolicy policy, int level, char text[64])
{
  static const char *const names[] = {"auto", "cpu", "gpu", "cpu-gpu", "gpu-cpu", "cpu-cpu", "gpu-gpu"};

  if (policy > SPTRSV_SPLIT_GPU) (void)snprintf(text, 64, "policy=%s,level=%d", names[policy], level);
  else (void)snprintf(text, 64, "policy=%s", names[policy]);
  return text;
}

#if defined(SPTRSV_HAVE_CUDA)
void *place_new(SptrsvLocation location, size_t bytes, const void *content)
{
  void *p = NULL;

  if (location == SPTRSV_HOST) give((p = malloc(bytes ? bytes : 1)) != NULL, "malloc");
  else give(cudaMalloc(&p, bytes ? bytes : 1) == cudaSuccess, "cudaMalloc");
  if (content) place_put(location, p, content, bytes);
  return p;
}

void place_put(SptrsvLocation location, void *to, const void *content, size_t bytes)
{
  if (!bytes) return;
  if (location == SPTRSV_HOST) memcpy(to, content, bytes);
  else { /* small copies return before they are done, and no other stream waits for them */
    give(cudaMemcpy(to, content, bytes, cudaMemcpyHostToDevice) == cudaSuccess, "copying to the GPU");
    give(cudaDeviceSynchronize() == cudaSuccess, "copying to the GPU");
  }
}

void place_get(SptrsvLocation location, void *content, const void *from, size_t bytes)
{
  if (location == SPTRSV_DEVICE) give(cudaDeviceSynchronize() == cudaSuccess, "a kernel");
  if (!bytes) return;
  if (location == SPTRSV_HOST) memcpy(content, from, bytes);
  else give(cudaMemcpy(content, from, bytes, cudaMemcpyDeviceToHost) == cudaSuccess, "copying from the GPU");
}

void place_free(SptrsvLocation location, void *p)
{
  if (location == SPTRSV_HOST) free(p);
  else (void)cudaFree(p);
}
#else
void *place_new(SptrsvLocation location, size_t bytes, const void *content)
{
  void *p = NULL;

  give(location == SPTRSV_HOST && (p = malloc(bytes ? bytes : 1)), "malloc");
  if (content) place_put(location, p, content, bytes);
  return p;
}

void place_put(SptrsvLocation location, void *to, const void *content, size_t bytes)
{
  (void)location;
  if (bytes) memcpy(to, content, bytes);
}

void place_get(SptrsvLocation location, void *content, const void *from, size_t bytes)
{
  place_put(location, content, from, bytes);
}

void place_free(SptrsvLocation location, void *p)
{
  (void)location;
  free(p);
}
#endif

/* Numbers of a type V */
#define ACCESS(V) \
  static double get_##V(const void *values, int64_t e) { return (double)((const V *)values)[e]; } \
  static void   set_##V(void *values, int64_t e, double value) { ((V *)values)[e] = (V)value; } \
  static double round_##V(double value) { return (double)(V)value; }

ACCESS(float)
ACCESS(double)

#define COMPLEX_ACCESS(V) \
  static double get_##V(const void *values, int64_t e) { return cabs((double _Complex)((const V *)values)[e]); } \
  static void   set_##V(void *values, int64_t e, double value) { ((V *)values)[e] = (V)(value * cexp(value * I)); }

COMPLEX_ACCESS(SptrsvComplexFloat)
COMPLEX_ACCESS(SptrsvComplexDouble)

/* Of a complex value the second part alone is not ready */
static const uint32_t float_sentinel[]  = {UINT32_C(0x7fc0beef)}, complex_float_sentinel[] = {0, UINT32_C(0x7fc0beef)};
static const uint64_t double_sentinel[] = {UINT64_C(0x7ff8dead0000beef)}, complex_double_sentinel[] = {0, UINT64_C(0x7ff8dead0000beef)};

const ValueType value_types[ALL_VALUE_TYPES] = {
  [SPTRSV_FLOAT]  = {"float", sizeof(float), (double)FLT_EPSILON, (double)FLT_MAX, (double)FLT_TRUE_MIN, 1e-38, 1e-4, FLT_MIN_EXP,
                     FLT_MAX_EXP, float_sentinel, get_float, set_float, round_float},
  [SPTRSV_DOUBLE] = {"double", sizeof(double), DBL_EPSILON, DBL_MAX, DBL_TRUE_MIN, 1e-308, 1e-12, DBL_MIN_EXP, DBL_MAX_EXP,
                     double_sentinel, get_double, set_double, round_double},
  [SPTRSV_COMPLEX_FLOAT]  = {"complex-float", sizeof(SptrsvComplexFloat), (double)FLT_EPSILON, (double)FLT_MAX, (double)FLT_TRUE_MIN, 1e-38,
                             1e-4, FLT_MIN_EXP, FLT_MAX_EXP, complex_float_sentinel, get_SptrsvComplexFloat, set_SptrsvComplexFloat,
                             round_float},
  [SPTRSV_COMPLEX_DOUBLE] = {"complex-double", sizeof(SptrsvComplexDouble), DBL_EPSILON, DBL_MAX, DBL_TRUE_MIN, 1e-308, 1e-12, DBL_MIN_EXP,
                             DBL_MAX_EXP, complex_double_sentinel, get_SptrsvComplexDouble, set_SptrsvComplexDouble, round_double}
};

bool is_complex(SptrsvValueType type)
{
  return !(SPTRSV_REALS >> type & 1);
}

SptrsvValueType part_type(SptrsvValueType type)
{
  return !is_complex(type) ? type : value_size(type) == 2 * sizeof(float) ? SPTRSV_FLOAT : SPTRSV_DOUBLE;
}

SptrsvValueType value_type(int k)
{
  static const SptrsvValueType types[VALUE_TYPES] = {SPTRSV_DOUBLE, SPTRSV_FLOAT};

  return types[k % VALUE_TYPES];
}

void set_sweep(int k, SptrsvPlanOptions *options)
{
  static const SptrsvTriangle  triangles[]  = {SPTRSV_LOWER, SPTRSV_UPPER};
  static const SptrsvOperation operations[] = {SPTRSV_NON_TRANSPOSE, SPTRSV_TRANSPOSE};
  static const SptrsvDiagonal  diagonals[]  = {SPTRSV_DIAG_UNIT, SPTRSV_DIAG_STORED, SPTRSV_DIAG_INVERTED};

  options->triangle = triangles[k % 2];
  options->op       = operations[k / 2 % 2];
  options->type     = value_type(k / SWEEPS_OF_PATTERN);
  options->diagonal = diagonals[k / SWEEPS_OF_DIAGONAL];
}

size_t value_size(SptrsvValueType type)
{
  return value_types[type].size;
}

double value_at(SptrsvValueType type, const void *values, int64_t e)
{
  return value_types[type].get(values, e);
}

void set_value(SptrsvValueType type, void *values, int64_t e, double value)
{
  value_types[type].set(values, e, value);
}

void put_sentinel(SptrsvValueType type, void *values, int64_t e)
{
  const size_t size = value_types[type].size;

  memcpy((char *)values + (size_t)e * size, value_types[type].sentinel, size);
}

double random_unit(uint64_t *state) /* xorshift64*, Vigna */
{
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (double)((*state * UINT64_C(2685821657736338717)) >> 11) / 9007199254740992.0;
}

int32_t *random_permutation(int n, uint64_t seed)
{
  int32_t *perm = place_new(SPTRSV_HOST, (size_t)n * sizeof(*perm), NULL);

  for (int i = 0; i < n; i++) {
    const int j = (int)(random_unit(&seed) * (i + 1));

    perm[i] = perm[j];
    perm[j] = i;
  }
  return perm;
}

int32_t *inverse_permutation(int n, const int32_t *perm)
{
  int32_t *inverse = place_new(SPTRSV_HOST, (size_t)n * sizeof(*inverse), NULL);

  for (int i = 0; i < n; i++) inverse[perm[i]] = i;
  return inverse;
}
