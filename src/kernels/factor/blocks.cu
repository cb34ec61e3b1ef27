/* Blocks on the device: where they are, the pattern and the values of the block form, and products with inverses of diagonal blocks. */
#include <algorithm>
#include "methods.cuh"

namespace {

using namespace sptrsv;

constexpr int OWN_ROWS = WARP - SPTRSV_BLOCK_ROWS; /* of a warp's rows those in which its blocks begin */

/* Where row i is in its block: its number there, and the rows of the block less one, four bits each; 0: a row of its own */
__device__ __forceinline__ unsigned char place_of(int number, int rows)
{
  return (unsigned char)(number | (rows - 1) << 4);
}
__device__ __forceinline__ int number_in(const unsigned char *place, int i)
{
  return place[i] & 15;
}
__device__ __forceinline__ int rows_of(const unsigned char *place, int i)
{
  return (place[i] >> 4) + 1;
}

/* ------------------------------------------------------- finding blocks ------------------------------------------------------- */

struct Found {
  int rows, least, most;
};

__global__ void settle_kernel(int n, const int *partial, unsigned char *place, Found *found)
{
  Found own = {0, SPTRSV_BLOCK_ROWS, 0};

  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (partial[i - number_in(place, i)]) place[i] = place_of(0, 1);
    const int rows = rows_of(place, i);

    if (rows == 1) continue;
    own = {own.rows + 1, min(own.least, rows), max(own.most, rows)};
  }
  if (!own.rows) return;
  atomicAdd(&found->rows, own.rows);
  atomicMin(&found->least, own.least);
  atomicMax(&found->most, own.most);
}

SptrsvStatus find(SptrsvFactor factor, int size, SptrsvFactorBlocks *blocks)
{
  const FactorPattern   &f     = device_of(factor).f;
  Found                  found = {0, SPTRSV_BLOCK_ROWS, 0};
  Scratch<unsigned char> begins;
  Scratch<int>           partial;

  SPTRSV_TRY(create_all(f.n, begins, partial));
  SPTRSV_TRY(sptrsvDeviceNew(&blocks->memory, f.n, &blocks->place));
  SPTRSV_CUDA(cudaMemsetAsync(partial, 0, (size_t)f.n * sizeof(int), nullptr));
  /* Whether a row's pattern differs from that of the row before.  Of two equal ones each has the other's diagonal entry. */
  SPTRSV_TRY(for_each<WARP>(f.n, [f, begins = (unsigned char *)begins] __device__(int i) {
    const int lane = threadIdx.x % WARP, before = i ? f.row_ptr[i - 1] : 0, begin = f.row_ptr[i], length = f.row_ptr[i + 1] - begin;
    bool      differs = !i || begin - before != length;

    for (int k = lane; k < length && !differs; k += WARP) differs = f.col_idx[before + k] != f.col_idx[begin + k];
    differs = __any_sync(ALL_LANES, differs);
    if (!lane) begins[i] = differs;
  }));
  /* A thread per run of rows with equal patterns, of which there are as many as a row has entries, at most */
  SPTRSV_TRY(for_each(f.n, [n = f.n, size, begins = (unsigned char *)begins, place = blocks->place] __device__(int i) {
    int end = i + 1;

    if (!begins[i]) return;
    while (end < n && !begins[end]) end++;
    for (int k = i; k < end; k++) {
      const int number = (k - i) % size;

      place[k] = place_of(number, min(size, end - (k - number)));
    }
  }));
  /* By the first row of each block: marks the first rows of the blocks before of which it has some columns and not all */
  SPTRSV_TRY(for_each<WARP>(f.n, [f, place = blocks->place, partial = (int *)partial] __device__(int i) {
    if (number_in(place, i)) return;
    for (int e = f.row_ptr[i] + threadIdx.x % WARP; e < f.split[i]; e += WARP) {
      const int j = f.col_idx[e], first = j - number_in(place, j), last = first + rows_of(place, j) - 1;
      const int begin = e - (j - first), end = begin + (last - first);

      if (begin < f.row_ptr[i] || end >= f.split[i] || f.col_idx[begin] != first || f.col_idx[end] != last) atomicMax(partial + first, 1);
    }
  }));
  SPTRSV_TRY(run_on(&found, [&](Found *d) {
    return launch_for(settle_kernel, std::min((size_t)f.n, MOST_ENDING), nullptr, f.n, partial, blocks->place, d);
  }));
  blocks->found  = {found.rows, found.rows ? found.least : 0, found.most, found.rows && found.rows >= f.n - found.rows};
  blocks->stride = std::max(found.most, 1);
  return SPTRSV_SUCCESS;
}

/* ----------------------------------------------------------- the form ---------------------------------------------------------- */

/* The factor's pattern in blocks, and the form's rows */
struct Form {
  FactorPattern        f;
  const unsigned char *place;
  int                  stride;
  const int           *row_ptr; /* [n + 1]: entry e of row i of the factor is entry e - moved(e) of the form */
};

/* Entries of row i: work(entry of the factor, entry of the form) beside its block, by a warp */
template <class F> __device__ __forceinline__ void for_row(const Form &form, int i, F work)
{
  const int begin = form.f.row_ptr[i], end = form.f.row_ptr[i + 1], to = form.row_ptr[i];
  const int block = form.f.split[i] - number_in(form.place, i), rows = rows_of(form.place, i);

  for (int e = begin + threadIdx.x % WARP; e < end; e += WARP) {
    if (e < block) work(e, to + (e - begin));
    else if (e >= block + rows) work(e, to + (e - begin) - rows);
  }
}

SptrsvStatus analyse_blocks(const SptrsvFactorBlocks &b)
{
  const SptrsvAnalysis form  = b.analysis;
  const SptrsvPattern &p     = form->device;
  const int            block = b.found.most, rows = block ? p.n / block : 0, nnz = block ? form->a.nnz / (block * block) : 0;
  int                  partial = 0;
  Scratch<int>         row_ptr, col_idx;

  if (b.found.least != block || b.found.rows != p.n || !block) return SPTRSV_SUCCESS;
  SPTRSV_TRY(row_ptr.create((size_t)rows + 1));
  SPTRSV_TRY(col_idx.create((size_t)nnz + 1));
  /* A thread per block: its row of blocks, or a mark that they are not dense */
  SPTRSV_TRY(run_on(&partial, [&](int *d) {
    return for_each(rows + 1, [=, row_ptr = (int *)row_ptr, col_idx = (int *)col_idx] __device__(int i) {
      const int begin = p.row_ptr[i * block], length = i < rows ? p.row_ptr[i * block + 1] - begin : 0, to = begin / (block * block);

      row_ptr[i] = to;
      for (int k = 0; k < length; k += block) {
        const int j = p.col_idx[begin + k];

        if (j % block || k + block > length || p.col_idx[begin + k + block - 1] != j + block - 1) {
          store_relaxed((unsigned *)d, 1u);
          break;
        }
        col_idx[to + k / block] = j / block;
      }
    });
  }));
  if (partial) return SPTRSV_SUCCESS;
  const SptrsvCsr pattern = {rows, nnz, (int *)row_ptr, (int *)col_idx, SPTRSV_INT32, SPTRSV_DEVICE};
  SPTRSV_TRY(sptrsvAnalysisCreate(&pattern, SPTRSV_DEVICE, nullptr, &form->blocks));
  form->blocks->block = block;
  return SPTRSV_SUCCESS;
}

Form form_of(SptrsvFactor factor, const int *row_ptr)
{
  return {device_of(factor).f, factor->blocks.place, factor->blocks.stride, row_ptr};
}

/* Arrays of an attempt that failed are there already */
SptrsvStatus form(SptrsvFactor factor)
{
  SptrsvFactorBlocks &b    = factor->blocks;
  const size_t        size = sptrsvValueSize(factor->type);
  const int           n    = factor->analysis->a.n;
  Scratch<int>        length, row_ptr, col_idx;
  int                 nnz;

  if (!b.inverse) SPTRSV_TRY(sptrsvDeviceAllocate(&b.memory, (size_t)n * b.stride * size, &b.inverse));
  SPTRSV_TRY(create_all((size_t)n + 1, length, row_ptr));
  SPTRSV_TRY(for_each(n + 1, [n, whole = form_of(factor, nullptr), length = (int *)length] __device__(int i) {
    length[i] = i < n ? whole.f.row_ptr[i + 1] - whole.f.row_ptr[i] - rows_of(whole.place, i) : 0;
  }));
  SPTRSV_TRY(exclusive_sum((const int *)length, row_ptr, n + 1, &nnz));
  if (!b.values) SPTRSV_TRY(sptrsvDeviceAllocate(&b.memory, (size_t)nnz * size, &b.values));
  SPTRSV_TRY(col_idx.create(nnz));
  SPTRSV_TRY(for_each<WARP>(n, [form = form_of(factor, row_ptr), col_idx = (int *)col_idx] __device__(int i) {
    for_row(form, i, [&](int e, int to) { col_idx[to] = form.f.col_idx[e]; });
  }));
  return analyse_form({n, nnz, (int *)row_ptr, (int *)col_idx, SPTRSV_INT32, SPTRSV_DEVICE}, &b);
}

/* ---------------------------------------------------------- its values --------------------------------------------------------- */

/* A thread per block.  Entry (r, c) of a block of the factor v is at split[i + r] + c - r.

     L_ii^-1(r, c) = -(L(r, c) + sum over c < k < r of L(r, k) L_ii^-1(k, c)),   U_ii^-1(r, c) = -U(r, r)^-1 sum over r < k <= c of
     U(r, k) U_ii^-1(k, c) */
template <class V> __global__ void invert_kernel(Form form, const V *v, V *inverse)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < form.f.n; i += gridDim.x * blockDim.x) {
    if (number_in(form.place, i)) continue;
    const int  rows   = rows_of(form.place, i);
    V *const   result = inverse + (size_t)i * form.stride;
    const auto at     = [&](int r, int c) -> V     &{ return result[r * form.stride + c]; };

    for (int r = 0; r < rows; r++) {
      const V *const own = v + form.f.split[i + r] - r;

      for (int c = 0; c < r; c++) {
        V sum = own[c];
        for (int k = c + 1; k < r; k++) sum += own[k] * at(k, c);
        at(r, c) = -sum;
      }
    }
    for (int r = rows - 1; r >= 0; r--) {
      const V *const own = v + form.f.split[i + r] - r;

      for (int c = rows - 1; c > r; c--) {
        V sum = 0;
        for (int k = r + 1; k <= c; k++) sum += own[k] * at(k, c);
        at(r, c) = -own[r] * sum;
      }
      at(r, r) = own[r];
    }
  }
}

/* A warp per row: L_ij L_jj^-1 from the entries of this row in block column j, U_ii^-1 U_ij from those of this column in block row i */
template <class V> __global__ void values_kernel(Form form, const V *v, const V *inverse, V *values)
{
  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; i < form.f.n; i += gridDim.x * blockDim.x / WARP) {
    const int      split = form.f.split[i], below = rows_of(form.place, i) - number_in(form.place, i);
    const V *const own = inverse + (size_t)i * form.stride + number_in(form.place, i);

    for_row(form, i, [&](int e, int to) {
      V sum = v[e];

      if (e < split) {
        const int      j = form.f.col_idx[e], c = number_in(form.place, j), right = rows_of(form.place, j) - c;
        const V *const column = inverse + (size_t)j * form.stride + c;

        for (int k = 1; k < right; k++) sum += v[e + k] * column[k * form.stride];
      } else {
        sum *= own[0];
        for (int k = 1; k < below; k++) sum += own[k] * v[e - form.f.row_ptr[i] + form.f.row_ptr[i + k]];
      }
      values[to] = sum;
    });
  }
}

/* The same where all blocks are dense and have BS rows, in rows of `width` entries from `first` on: a warp per row of blocks, a lane for a
   row of L_ij L_jj^-1, or for a column of U_ii^-1 U_ij */
template <class V, int BS> __global__ void dense_values_kernel(Form form, const V *v, const V *inverse, V *values)
{
  const auto at = [=](int i, int r, int c) { return inverse[((size_t)i + r) * BS + c]; };

  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP * BS; i < form.f.n; i += gridDim.x * blockDim.x / WARP * BS) {
    const int first = form.f.row_ptr[i], width = form.f.row_ptr[i + 1] - first, split = form.f.split[i] - first;
    const int to = form.row_ptr[i], length = width - BS;

    for (int e = threadIdx.x % WARP; e < length; e += WARP) {
      const int  left = e - e % BS, r = e % BS; /* the block's first column in the form, and the lane's row or column */
      const bool lower = left < split;
      const int  c = lower ? left : left + BS, j = lower ? form.f.col_idx[first + c] : i;
      V          own[BS];

#pragma unroll
      for (int k = 0; k < BS; k++) own[k] = v[first + (lower ? r * width + c + k : k * width + c + r)];
#pragma unroll
      for (int k = 0; k < BS; k++) {
        V sum = lower ? own[k] : own[k] * at(j, k, k);
#pragma unroll
        for (int t = k + 1; t < BS; t++) sum += lower ? own[t] * at(j, t, k) : at(j, k, t) * own[t];
        values[to + (lower ? r * length + left + k : k * length + left + r)] = sum;
      }
    }
  }
}

SptrsvStatus make_values(SptrsvFactor factor, SptrsvStream stream)
{
  const SptrsvFactorBlocks &b    = factor->blocks;
  const Form                form = form_of(factor, b.analysis->device.row_ptr);

  return by_type(factor->type, [&](auto type) {
    using V          = decltype(type);
    const V *const v = (const V *)factor->values;

    SPTRSV_TRY(launch_for(invert_kernel<V>, form.f.n, stream, form, v, (V *)b.inverse));
    if (b.analysis->blocks) {
      return with_block<2>(form.stride, [&](auto bs) {
        return launch_for(dense_values_kernel<V, bs.value>, (size_t)(form.f.n / bs.value) * WARP, stream, form, v, (const V *)b.inverse,
                          (V *)b.values);
      });
    }
    return launch_for(values_kernel<V>, (size_t)form.f.n * WARP, stream, form, v, (const V *)b.inverse, (V *)b.values);
  });
}

/* --------------------------------------------------------- the product --------------------------------------------------------- */

/* The row of a lane in a block of its warp; mine: there is one */
template <class V> struct BlockRow {
  const V *inverse; /* of the block */
  int      number, rows, stride;
  int      first; /* lane of the block's first row */
  bool     mine;

  /* Its entry of the product of y with L_ii^-1, U_ii^-1 or the transpose of one; every lane of the warp takes part */
  __device__ __forceinline__ V times(bool lower, bool transposed, V y) const
  {
    V sum = lower ? y : V(0);

    for (int k = 0; k < stride; k++) {
      const int r = transposed ? k : number, c = transposed ? number : k;
      const V   other = from_lane(y, (first + k) & (WARP - 1));

      if (mine && k < rows && (c < r) == lower) sum += inverse[r * stride + c] * other;
    }
    return sum;
  }
};

/* A lane per row; b and x may be the same.  A warp has the blocks that begin in its rows but the last few, which then end in its rows. */
template <class V> __global__ void product_kernel(int n, const unsigned char *place, int stride, const V *inverse, SptrsvBlockPart part,
                                                  SptrsvOperation op, const V *b, V *x)
{
  const bool transposed = op == SPTRSV_TRANSPOSE;
  const int  lane       = threadIdx.x % WARP;

  await_previous_launch();
  for (int begin = (blockIdx.x * blockDim.x + threadIdx.x) / WARP * OWN_ROWS; begin < n;
       begin += gridDim.x * blockDim.x / WARP * OWN_ROWS) {
    const int         i = min(begin + lane, n - 1), number = number_in(place, i), first = lane - number;
    const bool        mine = begin + lane < n && first >= 0 && first < OWN_ROWS;
    const BlockRow<V> row  = {inverse + (size_t)(i - number) * stride, number, rows_of(place, i), stride, first, mine};
    V                 y    = mine ? b[i] : V(0);

    if (transposed && part != SPTRSV_BLOCKS_L) y = row.times(false, true, y);
    if (part != SPTRSV_BLOCKS_U) y = row.times(true, transposed, y);
    if (!transposed && part != SPTRSV_BLOCKS_L) y = row.times(false, false, y);
    if (mine) x[i] = y;
  }
}

SptrsvStatus product(SptrsvFactor factor, SptrsvBlockPart part, SptrsvOperation op, const void *b, void *x, SptrsvStream stream)
{
  const SptrsvFactorBlocks &blocks = factor->blocks;
  const int                 n      = factor->analysis->a.n;

  return sptrsvCudaStatus(by_type(factor->type, [&](auto type) {
    using V = decltype(type);
    return launch_with({0, blocks.overlaps}, product_kernel<V>, blocks_for((size_t)(n / OWN_ROWS + 1) * WARP), BLOCK, stream, n,
                       blocks.place, blocks.stride, (const V *)blocks.inverse, part, op, (const V *)b, (V *)x);
  }));
}

} // namespace

SptrsvStatus sptrsv::analyse_form(const SptrsvCsr &pattern, SptrsvFactorBlocks *blocks)
{
  SPTRSV_TRY(sptrsvLaunchesOverlap(&blocks->overlaps));
  SPTRSV_TRY(sptrsvAnalysisCreate(&pattern, SPTRSV_DEVICE, nullptr, &blocks->analysis));
  const SptrsvStatus status = analyse_blocks(*blocks);
  if (status) (void)sptrsvAnalysisDestroy(&blocks->analysis);
  return status;
}

const SptrsvBlockWork sptrsvBlocksDevice = {find, form, make_values, product};
