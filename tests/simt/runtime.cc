/* The part of the CUDA runtime that the kernel library uses, without streams. */
#include "internal.h"
#include <cstdio>
#include <cstdlib>

using simt::in_trouble;
using simt::outcome;

static cudaError_t last_error;

/* An error stays until cudaGetLastError() returns it; a failed launch makes all later calls fail */
cudaError_t simt::outcome(cudaError_t error)
{
  if (error == cudaSuccess && in_trouble()) error = cudaErrorLaunchFailure;
  if (error != cudaSuccess) last_error = error;
  return error;
}

/* The kernel library's tests take mode and seed from the environment */
static bool schedule_from_environment()
{
  const char *name = getenv("SIMT_MODE"), *seed = getenv("SIMT_SEED");
  simt::Mode  mode = simt::Mode::RANDOM;

  if (name && !simt::mode_named(name, &mode)) {
    (void)fprintf(stderr, "SIMT_MODE=%s: there is no such mode\n", name);
    exit(2);
  }
  simt::schedule(mode, seed ? strtoull(seed, nullptr, 10) : 1);
  return true;
}

cudaError_t cudaGetDeviceCount(int *count)
{
  static const bool scheduled = schedule_from_environment();

  (void)scheduled;
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int *device)
{
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int)
{
  (void)snprintf(properties->name, sizeof(properties->name), "emulator of warps");
  return cudaSuccess;
}
/* One multiprocessor, so that even small matrices have more warps than fit at a time */
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr, int)
{
  *value = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceReset(void)
{
  return outcome(cudaSuccess);
}
cudaError_t cudaGetLastError(void)
{
  const cudaError_t error = last_error;

  last_error = cudaSuccess;
  return error;
}
const char *cudaGetErrorString(cudaError_t error)
{
  return error == cudaSuccess ? "no error" : error == cudaErrorLaunchFailure ? simt::failure().c_str() : "a CUDA error";
}

cudaError_t cudaMalloc(void **p, size_t bytes)
{
  *p = simt::arena_allocate(bytes);
  return outcome(*p ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaFree(void *p)
{
  return outcome(!p || simt::arena_free(p) ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned)
{
  const cudaError_t error = cudaMalloc(p, bytes);

  if (error == cudaSuccess) simt::arena_written(*p, bytes); /* the host may write it at any time */
  return error;
}
cudaError_t cudaFreeHost(void *p)
{
  return cudaFree(p);
}

cudaError_t cudaMemset(void *p, int byte, size_t bytes)
{
  std::memset(p, byte, bytes);
  simt::arena_written(p, bytes);
  return outcome(cudaSuccess);
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind)
{
  std::memcpy(to, from, bytes);
  simt::arena_written(to, bytes);
  return outcome(cudaSuccess);
}
cudaError_t cudaDeviceSynchronize(void)
{
  return outcome(cudaSuccess);
}
