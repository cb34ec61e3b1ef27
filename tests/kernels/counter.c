/* counter.c - Notes each array that the library allocates on the device. */
#include "counter.h"
#include <string.h>
#if defined(SPTRSV_HAVE_CUDA)
  #include <cuda_runtime_api.h>
#endif

const FactorWay counted_ways[COUNTED_WAYS] = {
  {"entries",             "entries", "capellini" },
  {"rows",                "rows",    "capellini" },
  {"the sweep of strips", "sweep",   "strips"    },
  {"that of levelorder",  "sweep",   "levelorder"},
  {"tasks",               "ata",     NULL        }
};

static struct {
  void  *p;
  size_t bytes;
} last;

#if defined(SPTRSV_HAVE_CUDA)
cudaError_t __real_cudaMalloc(void **p, size_t bytes);
cudaError_t __wrap_cudaMalloc(void **p, size_t bytes);

cudaError_t __wrap_cudaMalloc(void **p, size_t bytes)
{
  const cudaError_t error = __real_cudaMalloc(p, bytes);

  if (error == cudaSuccess) {
    last.p     = *p;
    last.bytes = bytes;
  }
  return error;
}
#endif

uint64_t *last_counter(size_t *count)
{
  *count = last.bytes / sizeof(uint64_t) - 1; /* the last word has signs of life */
  return last.p;
}

/* cuSPARSE has waits of its own; with a launch per level no kernel waits */
bool has_tickets(const char *algorithm)
{
  static const char *const without[] = {"cusparse", "levelset", "levr", "levc"};

  for (size_t k = 0; k < sizeof(without) / sizeof(*without); k++) {
    if (!strcmp(algorithm, without[k])) return false;
  }
  return true;
}
