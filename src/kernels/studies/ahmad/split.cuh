/* A plan of `split` for vectors on the GPU. */
#pragma once
#include "split.h"
#include "../../device/values.cuh"
#include "../../plan/triangle.cuh"

namespace sptrsv {

/* The argument of a host function */
struct SplitTask {
  SptrsvPlan    plan, part;
  SptrsvProduct product; /* before the second part, if both are the CPU's */
  const void   *values, *b;
  void         *x;
};

struct SplitPlan {
  SptrsvSplitPlan common;
  unsigned        failed;                                 /* set by host functions */
  int            *from, *to, *source, *row_ptr, *col_idx; /* on the device: as in SptrsvSplitPlan and SptrsvSlices */
  char           *values[3];                              /* of I, II, III, each where it is used: on the device or pinned */
  char           *b, *x;                                  /* pinned [rows], for the parts of the CPU */
  void           *right;                                  /* [rows of the second part] its right-hand side, if the GPU computes it */
  SplitTask       task[2];
  cudaStream_t    side; /* CPU-CPU: moves that overlap with work */
  cudaEvent_t     event[4];
};

constexpr auto *split_of = data_of<SplitPlan>;

inline bool on_cpu(const SplitPlan &data, int k)
{
  return sptrsvSplitLocation(data.common.split.policy, k) == SPTRSV_HOST;
}

/* Tells whether I (0), II (1) or III (2) is the CPU's; the product is the GPU's if the GPU has a part at all */
inline bool values_on_cpu(const SplitPlan &data, int k)
{
  return k == 1 ? data.common.split.policy == SPTRSV_SPLIT_CPU_CPU : on_cpu(data, k / 2);
}

/* Both may leave a half-made plan behind, for split_destroy() (split_build.cu) */
SptrsvStatus split_build(SptrsvPlan plan);
void         split_destroy(SptrsvPlan plan);

} // namespace sptrsv
