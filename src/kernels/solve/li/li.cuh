/*
   What the methods of Li (levelsched.cu, selfsched.cu) and Liu (liu.cu) share: a warp per row or column of the strict lower triangle
   that any sweep is in its own order, 16 warps to a block as in Li's measurements.

   Row i:     x(i) = (b(i) - sum of a(i,j) x(j)) / a(i,i), a dot product
   Column j:  adds a(i,j) x(j) to the left sum of each row i, in whatever order the columns come
*/
#pragma once
#include "../../device/tickets.cuh"
#include "../../device/values.cuh"

namespace sptrsv {

constexpr int WARPS_PER_BLOCK = 16;

/* Li's names are ia, ja for row_ptr, place; ib, jb for col_ptr, row_idx; dp for missing, which is Liu's d_in_degree */
template <class V> struct Substitution {
  Tickets         tickets; /* a ticket to a block, a block to a ticket */
  int             rows;
  const int      *row_ptr, *place;   /* by rows: [rows + 1]; [nnz] where the unknown of an entry's column is in out */
  const int      *col_ptr, *row_idx; /* by columns: [rows + 1], [nnz] */
  const int      *jlev;              /* [rows] level by level */
  const int      *source, *target;   /* [rows] places in b and out */
  const V        *values;            /* [nnz] by columns, or by rows where there are rows */
  const V        *reciprocal;        /* [rows] of the diagonal */
  V              *left_sum;          /* [2][rows], or [rows] where nobody waits */
  unsigned       *missing;           /* [2][rows] how many x(j) have not come yet */
  const unsigned *in_degree;         /* [rows] how many there are */
};

/* Counts and sums come in two sets.  A launch uses one and re-arms the other for the next launch, so each finds its own as it should be
   even if the last one gave up. */
template <class T> __device__ __forceinline__ T *set_of(T *sets, int rows, int parity)
{
  return sets + (size_t)parity * rows;
}

/* The sum of a(i,j) x(j) over the entries of a row, in every lane */
template <class V> __device__ __forceinline__ V dot_row(const Substitution<V> &p, int begin, int end, int lane, const V *x)
{
  V sum = 0;

  for (int e = begin + lane; e < end; e += WARP) sum += p.values[e] * x[p.place[e]];
  return sum_over(WARP, sum);
}

/* What a plan holds */
struct SubstitutionPlan {
  int       rows, nnz, levels;
  double    in_block; /* share of the entries whose row and column go to the same block, in row order */
  int      *ilev;     /* host [levels + 1]: rows before each level */
  int      *row_ptr, *place, *col_ptr, *row_idx, *jlev, *value_source, *diagonal_source, *source, *target;
  void     *values, *reciprocal, *left_sum;
  unsigned *missing; /* [3][rows]: two sets and the in-degrees */
  Tickets   tickets;
};

inline SubstitutionPlan *substitution_of(SptrsvPlan plan)
{
  return (SubstitutionPlan *)plan->data;
}

template <class V> Substitution<V> arguments(const SubstitutionPlan &d)
{
  Substitution<V> p;

  p.tickets    = d.tickets;
  p.rows       = d.rows;
  p.row_ptr    = d.row_ptr;
  p.place      = d.place;
  p.col_ptr    = d.col_ptr;
  p.row_idx    = d.row_idx;
  p.jlev       = d.jlev;
  p.source     = d.source;
  p.target     = d.target;
  p.values     = (const V *)d.values;
  p.reciprocal = (const V *)d.reciprocal;
  p.left_sum   = (V *)d.left_sum;
  p.missing    = d.missing;
  p.in_degree  = d.missing + 2 * (size_t)d.rows;
  return p;
}

inline int substitution_blocks(int rows)
{
  return (rows + WARPS_PER_BLOCK - 1) / WARPS_PER_BLOCK;
}

template <class V> using WaitingKernel = void(Substitution<V>, const V *, V *);

/* solve() of a method with one launch, in which every row or column waits for what it needs */
inline SptrsvStatus solve_waiting(SptrsvPlan plan, WaitingKernel<double> *wide, WaitingKernel<float> *narrow, const void *b, void *out,
                                  cudaStream_t stream)
{
  const SubstitutionPlan &d      = *substitution_of(plan);
  const int               blocks = substitution_blocks(d.rows), threads = WARP * WARPS_PER_BLOCK;

  SPTRSV_CUDA(plan->options.type == SPTRSV_DOUBLE
                  ? launch(wide, blocks, threads, stream, arguments<double>(d), (const double *)b, (double *)out)
                  : launch(narrow, blocks, threads, stream, arguments<float>(d), (const float *)b, (float *)out));
  return SPTRSV_SUCCESS;
}

/* What a method keeps; set-up steps as in Li's Table 1 */
enum {
  BY_ROWS    = 1,
  BY_COLUMNS = 2,  /* TRANS; with BY_ROWS the pattern only */
  IN_LEVELS  = 4,  /* LEV */
  COUNTED    = 8,  /* DEP, and tickets */
  SUMMED     = 16, /* left sums */
};

/* build(), update() and destroy() of these methods */
SptrsvStatus substitution_build(SptrsvPlan plan, unsigned parts);
SptrsvStatus substitution_update(SptrsvPlan plan, const void *values, SptrsvStream stream);
void         substitution_destroy(SptrsvPlan plan);

} // namespace sptrsv
