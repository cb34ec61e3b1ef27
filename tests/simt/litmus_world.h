/* litmus_world.h - What litmus_streams.cu and litmus_graphs.cu are made of: two kernels, two streams, and words that the kernels use. */
#pragma once
#include <cuda_runtime.h>
#include "../../src/kernels/device/launch.cuh"
#include "simt.h"

extern "C" {
#include "../kernels/check.h"
}

namespace {

using sptrsv::launch;

constexpr int SEEDS = 200;

__global__ void set_kernel(unsigned *to, unsigned v)
{
  *to = v;
}

__global__ void copy_kernel(const unsigned *from, unsigned *to)
{
  *to = *from;
}

/* Two streams, and words that are 0 in the beginning */
struct World {
  explicit World(unsigned flags)
  {
    const unsigned zero[2] = {0, 0};

    for (cudaStream_t &in : s) (void)cudaStreamCreateWithFlags(&in, flags);
    (void)cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    data = (unsigned *)place_new(SPTRSV_DEVICE, sizeof(unsigned), zero);
    out  = (unsigned *)place_new(SPTRSV_DEVICE, sizeof(unsigned), zero);
    (void)cudaHostAlloc((void **)&pinned, sizeof(unsigned), cudaHostAllocDefault);
    *pinned = 0;
  }
  World(const World &) = delete;
  ~World()
  {
    (void)cudaDeviceSynchronize();
    (void)cudaEventDestroy(event);
    for (cudaStream_t in : s) {
      if (in) (void)cudaStreamDestroy(in);
    }
    for (unsigned *p : {data, out}) (void)cudaFree(p);
    if (pinned) (void)cudaFreeHost(pinned);
    (void)cudaGetLastError();
  }
  void set(cudaStream_t in, unsigned *to, unsigned v = 1) { (void)launch(set_kernel, 1, 1, in, to, v); }
  void copy(cudaStream_t in) { (void)launch(copy_kernel, 1, 1, in, data, out); }
  int  result() const
  {
    unsigned v = 0;

    place_get(SPTRSV_DEVICE, &v, out, sizeof(v));
    return (int)v;
  }

  cudaStream_t s[2];
  cudaEvent_t  event;
  unsigned    *data, *out, *pinned; /* two in device memory, one in pinned host memory */
};

} // namespace
