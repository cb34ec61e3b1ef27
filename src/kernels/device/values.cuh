/* What all plans on the device share: values taken out of a matrix, permutations, and unknowns that wait for a value. */
#pragma once
#include "device.cuh"

namespace sptrsv {

/* What a plan takes out of a matrix's values, on the device */
struct PlanValues {
  size_t     count;
  const int *source; /* [count] position, or a constant (SPTRSV_ONE, …) */
  void      *values; /* [count] */
  int        n;
  const int *diagonal;   /* [n] position of the diagonal entry, or a constant */
  void      *reciprocal; /* [n] */
};

/* Both, in one launch, in stream order */
SptrsvStatus take_values(const PlanValues &p, SptrsvDiagonal diagonal, SptrsvValueType type, const void *values, SptrsvStream stream);

/* d (device, 2 n unknowns): all not ready, when it returns */
SptrsvStatus unknowns_clear(size_t n, SptrsvValueType type, void *d);
SptrsvStatus unknowns_create(size_t n, SptrsvValueType type, void **d, size_t *total);

/* *d (device [n]): where row[k] is read or written, perm[row[k]] */
SptrsvStatus upload_places(int n, const int *row, const int *perm, int **d, size_t *total);

/* target[to ? to[i] : i] = source[from ? from[i] : i] for i < n */
SptrsvStatus move_values(int n, const int *from, const int *to, SptrsvValueType type, const void *source, void *target,
                         SptrsvStream stream);

inline size_t value_size(SptrsvValueType type)
{
  return type == SPTRSV_DOUBLE ? sizeof(double) : sizeof(float);
}

} // namespace sptrsv
