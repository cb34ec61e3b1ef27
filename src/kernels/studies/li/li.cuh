/*
   Shared by the methods of Li (li.cu) and Liu (liu.cu): a warp per row or column of the strict lower triangle that
   any sweep is in its own order, 16 warps to a block as in Li's measurements.

   Row i:     x(i) = (b(i) - sum of a(i,j) x(j)) / a(i,i), a dot product
   Column j:  adds a(i,j) x(j) to the left sum of each row i, in the order in which the columns come
*/
#pragma once
#include "../../device/tickets.cuh"
#include "../../plan/triangle.cuh"
#include "li.h"

namespace sptrsv {

constexpr int WARPS_PER_BLOCK = 16;

/* The triangle is by columns, or by rows for levr and slfr; then an entry's idx is the position of its unknown in out.  Li's names are ia,
   ja for ptr, idx by rows; ib, jb by columns; dp for missing, which is Liu's d_in_degree. */
template <class V = void> struct LiSweep : Triangle<V> {
  Tickets         tickets;           /* a ticket to a block, a block to a ticket */
  int            *col_ptr, *row_idx; /* slfr: the columns as well */
  int            *jlev;              /* [rows] level by level */
  V              *left_sum;          /* [2][rows], or [rows] in levc */
  unsigned       *missing;           /* [2][rows] number of x(j) that are missing yet */
  const unsigned *in_degree;         /* [rows] number of all x(j) */
};

/* Counts and sums come in two sets.  A launch uses one and re-arms the other for the next launch, so each launch finds its set armed even
   if the one before gave up. */
template <class T> __device__ __forceinline__ T *set_of(T *sets, int rows, int parity)
{
  return sets + (size_t)parity * rows;
}

/* The sum of a(i,j) x(j) over the entries of a row, in every lane; after(e): what follows each entry of a lane */
template <class V, class F>
__device__ __forceinline__ V dot_row(const LiSweep<V> &sweep, int begin, int end, int lane, const V *x, const F &after)
{
  V sum = 0;

  for (int e = begin + lane; e < end; e += WARP) {
    sum += sweep.values[e] * x[sweep.idx[e]];
    after(e);
  }
  return sum_over(WARP, sum);
}

struct LiPlan {
  LiSweep<>  sweep;
  int        levels;
  double     in_block; /* share of the entries whose row and column go to the same block, in row order */
  const int *ilev;     /* host [levels + 1]: rows before each level, the analysis's */
};

constexpr auto *li_of = data_of<LiPlan>;

inline int li_blocks(int rows)
{
  return (rows + WARPS_PER_BLOCK - 1) / WARPS_PER_BLOCK;
}

/* solve() of a method with one launch, in which every row or column waits for those that it needs */
template <class V> SptrsvStatus li_launch(SptrsvPlan plan, void (*kernel)(LiSweep<V>, const V *, V *), const SptrsvSolve &s)
{
  const LiPlan &data = *li_of(plan);

  return sptrsvCudaStatus(launch(kernel, li_blocks(data.sweep.rows), WARP * WARPS_PER_BLOCK, s.stream, view_as<LiSweep<V>>(data.sweep),
                                 (const V *)s.b, (V *)s.x));
}

/* Arrays of a plan; set-up steps as in Li's Table 1 */
enum {
  BY_ROWS    = 1,
  BY_COLUMNS = 2, /* TRANS; with BY_ROWS the pattern only, else with left sums */
  IN_LEVELS  = 4, /* LEV */
  COUNTED    = 8, /* DEP, and tickets */
};

SptrsvStatus li_create(SptrsvPlan plan, unsigned arrays);

/* build() of these methods */
template <unsigned ARRAYS> SptrsvStatus li_build(SptrsvPlan plan)
{
  return li_create(plan, ARRAYS);
}

} // namespace sptrsv
