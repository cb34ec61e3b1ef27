/* ILU(0) by rows of blocks: its data, between set-up (blockrows_setup.cu) and kernel (blockrows.cu). */
#pragma once
#include "methods.cuh"

namespace sptrsv {

/* The factor's pattern as blocks.  Block m of row i has number row_ptr[i * block] / block^2 + m. */
struct BlockRows {
  int            *row;       /* device [rows] in level order */
  size_t         *match_ptr; /* device [blocks + 1] matches before those of each block */
  unsigned short *match;     /* of block m left of the diagonal, in column j: p and, times 256, q, if block p of the row has the column of
                                block q of row j, counted from the diagonal */
  unsigned       *missing;   /* device [rows] 0: the row is finished */
  int             rows, block, levels;
  size_t          memory; /* of a warp: a row, and a block */
  Tickets         tickets;
};

/* A row of blocks in the factor's pattern */
struct BlockRow {
  int first, width, split; /* position of its first entry, entries of each of its rows, those left of the diagonal block */

  __device__ __forceinline__ BlockRow(const FactorPattern &f, int i, int block)
      : first(f.row_ptr[i * block]), width(f.row_ptr[i * block + 1] - first), split(f.split[i * block] - first)
  {}
  __device__ __forceinline__ BlockRow from(int lane) const { return {shared(first, lane), shared(width, lane), shared(split, lane)}; }

private:
  __device__ __forceinline__ BlockRow(int first, int width, int split) : first(first), width(width), split(split) {}

  static __device__ __forceinline__ int shared(int v, int lane) { return __shfl_sync(ALL_LANES, v, lane); }
};

/* row, levels, match_ptr and match, by the factor's blocks; rows and block are set */
SptrsvStatus blockrows_arrange(SptrsvFactor factor, SptrsvMemory *memory, BlockRows *plan);

} // namespace sptrsv
