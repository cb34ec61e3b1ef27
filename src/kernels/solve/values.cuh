/* What all plans on the device share: values taken out of a matrix, permutations, and unknowns that wait for a value. */
#pragma once
#include "../device.h"

namespace sptrsv {

/* target [count] (device): values[source], or a constant (SPTRSV_ONE, …) where source is negative; in stream order */
SptrsvStatus gather_values(size_t count, const int *source, SptrsvValueType type, const void *values, void *target, SptrsvStream stream);

/* target [n] (device): reciprocals of the diagonal entries at source, as SptrsvDiagonal says */
SptrsvStatus gather_reciprocals(int n, const int *source, SptrsvDiagonal diagonal, SptrsvValueType type, const void *values, void *target, SptrsvStream stream);

/* *d (device, 2 n unknowns): all not ready */
SptrsvStatus unknowns_create(size_t n, SptrsvValueType type, void **d, size_t *total);

/* *d (device [n]): where row[k] is read or written, perm[row[k]]; -1 for a partial sum, row[k] < 0 */
SptrsvStatus upload_places(int n, const int *row, const int *perm, int **d, size_t *total);

inline size_t value_size(SptrsvValueType type)
{
  return type == SPTRSV_DOUBLE ? sizeof(double) : sizeof(float);
}

} // namespace sptrsv
