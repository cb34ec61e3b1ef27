/* Mirror images of the entries of a factor's pattern, on the device. */
#include "methods.cuh"

namespace {

using namespace sptrsv;

__global__ void mirrored_kernel(SptrsvPattern p, bool marks, int *mirrored)
{
  for_entries(lists(p.n, p.row_ptr, p.col_idx), [=](int i, int e) {
    const int own = !marks ? e : e == p.split[i] ? ON_DIAGONAL : RIGHT_OF_DIAGONAL;

    mirrored[e] = e < p.split[i] ? find_upper(p, p.col_idx[e], i) : own;
  });
}

} // namespace

SptrsvStatus sptrsv::find_mirrored(const SptrsvPattern &p, bool marks, int *mirrored)
{
  return launch_for(mirrored_kernel, (size_t)p.n * WARP, nullptr, p, marks, mirrored);
}
