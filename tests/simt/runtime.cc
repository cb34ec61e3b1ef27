/*
   The part of the CUDA runtime that the kernel library uses, except streams.  What a call waits for is what CUDA promises and no more
   ("API synchronization behavior" in the runtime's manual); cudaFreeHost() promises nothing.
*/
#include "internal.h"
#include <cstdio>
#include <cstdlib>
#include <map>

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
  static const bool  scheduled = schedule_from_environment();
  static const char *devices   = getenv("SIMT_DEVICES");

  (void)scheduled;
  *count = devices ? atoi(devices) : 1;
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
cudaError_t cudaDriverGetVersion(int *version)
{
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDeviceReset(void)
{
  return cudaDeviceSynchronize();
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

/* ------------------------------------------------------------ memory -------------------------------------------------------- */

static std::map<const char *, size_t> pinned; /* pinned host memory, which is in the arena, too */

static bool is_pinned(const void *p)
{
  const auto next = pinned.upper_bound((const char *)p);

  return next != pinned.begin() && (const char *)p < std::prev(next)->first + std::prev(next)->second;
}

static bool is_pageable(const void *p)
{
  return !simt::arena_holds(p);
}

cudaError_t cudaMalloc(void **p, size_t bytes)
{
  *p = simt::arena_allocate(bytes, false);
  return outcome(*p ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaFree(void *p)
{
  if (!p) return outcome(cudaSuccess);
  simt::finish_work();
  return outcome(simt::arena_free(p) ? cudaSuccess : cudaErrorInvalidValue);
}
void simt_reuse(void *p, size_t bytes, size_t held)
{
  (void)simt::enqueue(nullptr, [=] { simt::arena_reuse(p, bytes, held); });
}
cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned)
{
  *p = simt::arena_allocate(bytes, true);
  if (!*p) return outcome(cudaErrorMemoryAllocation);
  simt::arena_written(*p, bytes); /* the host may write it at any time */
  pinned[(const char *)*p] = bytes;
  return outcome(cudaSuccess);
}
cudaError_t cudaHostRegister(void *, size_t, unsigned)
{
  return outcome(cudaErrorNotSupported);
}
cudaError_t cudaHostUnregister(void *)
{
  return outcome(cudaErrorNotSupported);
}
cudaError_t cudaHostGetDevicePointer(void **, void *, unsigned)
{
  return outcome(cudaErrorNotSupported);
}
cudaError_t cudaFreeHost(void *p)
{
  return outcome(!p || (pinned.erase((const char *)p) && simt::arena_free(p)) ? cudaSuccess : cudaErrorInvalidValue);
}

/* ------------------------------------------------------ copies and clears --------------------------------------------------- */

static void copy(void *to, const void *from, size_t bytes)
{
  if (!simt::arena_check_range(from, bytes, false) || !simt::arena_check_range(to, bytes, true)) return;
  std::memmove(to, from, bytes);
  simt::arena_written(to, bytes);
}

/* Pageable host memory passes through a staging buffer: it is read before the call returns, and written before the call returns */
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t stream)
{
  if (simt::in_capture(stream) || !is_pageable(from)) {
    const cudaError_t error = simt::enqueue(stream, [=] { copy(to, from, bytes); });
    return error || simt::in_capture(stream) || !is_pageable(to) ? error : simt::wait(stream);
  }
  const std::string staged((const char *)from, bytes);
  return simt::enqueue(stream, [=] { copy(to, staged.data(), bytes); });
}
/* From pageable memory the call waits for the stream first, and not for the last transfer.  Inside the device it waits for nothing. */
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
  const cudaError_t waited = is_pageable(from) ? simt::wait(nullptr) : cudaSuccess;

  if (waited) return waited;
  const cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  return !error && (is_pinned(to) || is_pinned(from)) ? simt::wait(nullptr) : error;
}
cudaError_t cudaMemsetAsync(void *p, int byte, size_t bytes, cudaStream_t stream)
{
  return simt::enqueue(stream, [=] {
    if (!simt::arena_check_range(p, bytes, true)) return;
    std::memset(p, byte, bytes);
    simt::arena_written(p, bytes);
  });
}
cudaError_t cudaMemset(void *p, int byte, size_t bytes)
{
  const cudaError_t error = cudaMemsetAsync(p, byte, bytes, nullptr);

  return error || !is_pinned(p) ? error : simt::wait(nullptr);
}
