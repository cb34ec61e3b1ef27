/*
   Set-up of `strips`, on the device: a topological order is cut into strips, and unknowns get places and records.

   Strips come out of one sort, by strip and level.  Unknowns of one level in a strip are a group, which goes into one chunk if it fits
   into what is left of it.  Only that is done strip by strip; all else is done for all unknowns, or chunks, at once.  See
   doc/algorithms/strips.md.
*/
#include <iterator>
#include "../../plan/entries.cuh"
#include "../../device/scratch.cuh"
#include "../../plan/triangle.cuh"
#include "arrange.cuh"

namespace {

using namespace sptrsv;

/* What the set-up finds out.  Device arrays */
struct Arrangement {
  Rows         rows;
  StripsSort   sort;
  Scratch<int> place;   /* [n] of each unknown */
  Scratch<int> unknown; /* [places] -1: none */
};

__host__ __device__ __forceinline__ int strips_in(Key heads)
{
  return (int)(heads >> 32);
}
__host__ __device__ __forceinline__ int groups_in(Key heads)
{
  return (int)(unsigned)heads;
}

/* The strip of the unknown i, which is at place q of the order */
__device__ __forceinline__ Key strip_of(const StripsOrder &order, int q, int i)
{
  return order.strip ? order.strip[i] : order.potential ? brick_of(order, order.potential[i]) : q / order.rows;
}

/* Gives each unknown its key: the strip, then the level; unknowns that are equal stay as they were */
__global__ void key_kernel(Rows rows, StripsOrder order, unsigned levels, Key *key, int *item)
{
  for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < rows.needs.n; q += gridDim.x * blockDim.x) {
    const int i = order.row ? order.row[q] : in_order(rows, q);

    key[q]  = strip_of(order, q, i) * levels + rows.level[i];
    item[q] = i;
  }
}

/* Marks where strips and groups begin.  A strip that is too long is cut into several. */
__global__ void head_kernel(int n, int most, const Key *key, unsigned levels, Key *head)
{
  for (int q = blockIdx.x * blockDim.x + threadIdx.x; q <= n; q += gridDim.x * blockDim.x) {
    const bool cut   = q % most == 0;
    const bool group = q < n && (cut || key[q] != key[q - 1]), strip = group && (cut || key[q] / levels != key[q - 1] / levels);

    head[q] = (Key)strip << 32 | group;
  }
}

__global__ void number_kernel(int n, const int *sorted, const Key *heads, int *strip, int *group, int *of_strip)
{
  for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < n; q += gridDim.x * blockDim.x) {
    const Key before = heads[q], now = heads[q + 1];

    strip[sorted[q]] = strips_in(now) - 1;
    if (groups_in(now) > groups_in(before)) group[groups_in(before)] = q;
    if (strips_in(now) > strips_in(before)) of_strip[strips_in(before)] = groups_in(before);
    if (q == n - 1) {
      group[groups_in(now)]    = n;
      of_strip[strips_in(now)] = groups_in(now);
    }
  }
}

/* Groups' first places, from their strip's first one on, the chunks of each strip, and rows of the widest group.  apart: groups share a
   chunk only if their levels follow each other.  A warp per strip: each lane reads for a group, and all follow the places */
__global__ void place_kernel(int strips, const int *of_strip, const int *group, const int *sorted, const int *level, bool apart, int *first,
                             int *chunks, int *widest)
{
  const int lane = threadIdx.x % WARP;
  int       most = 0;

  for (int s = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; s < strips; s += gridDim.x * blockDim.x / WARP) {
    int next = 0, before = -1;

    for (int begin = of_strip[s]; begin < of_strip[s + 1]; begin += WARP) {
      const int count = min(WARP, of_strip[s + 1] - begin), g = begin + min(lane, count - 1), q = group[g];
      const int size = group[g + 1] - q, now = apart ? level[sorted[q]] : 0;
      int       mine = 0;

      most = max(most, size);
      for (int k = 0; k < count; k++) {
        const int size_k = __shfl_sync(ALL_LANES, size, k), now_k = __shfl_sync(ALL_LANES, now, k);

        if (next % WARP + size_k > WARP || (apart && now_k > before + 1)) next = (next + WARP - 1) / WARP * WARP;
        if (k == lane) mine = next;
        next += size_k;
        before = now_k;
      }
      if (lane < count) first[g] = mine;
    }
    if (!lane) chunks[s] = (next + WARP - 1) / WARP;
  }
  most = most_of_warp(most);
  if (!lane) atomicMax(widest, most);
}

__global__ void scatter_kernel(int n, const int *sorted, const Key *heads, const int *group, const int *first, const int *strip_ptr,
                               int *place, int *unknown)
{
  for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < n; q += gridDim.x * blockDim.x) {
    const int i = sorted[q], g = groups_in(heads[q + 1]) - 1, p = WARP * strip_ptr[strips_in(heads[q + 1]) - 1] + first[g] + q - group[g];

    place[i]   = p;
    unknown[p] = i;
  }
}

/* Places of the unknowns and what belongs to them, as kernels read them */
struct Places {
  Rows       rows;
  int        chunks;
  const int *strip, *place, *unknown, *strip_ptr;
};

/* The entry's unknown j is in the same strip and in the ring when the chunk of place p is solved */
__device__ __forceinline__ bool is_near(const Places &places, int strip, int p, int j)
{
  return strip == places.strip[j] && p / WARP * WARP - places.place[j] <= SPTRSV_STRIP_RING - WARP;
}

/* Slots and quads of chunks: [chunks + 1] each, one array after the other */
struct Sizes {
  long long *far, *quads;
};
constexpr int SIZES = 2;

/* Slots and quads of all chunks, and the most entries of a lane */
struct Totals {
  long long slots[SIZES];
  int       most;
};

/* first: sums of Sizes' arrays, `each` in each */
__global__ void total_kernel(const long long *first, size_t each, Totals *total)
{
  const size_t k = threadIdx.x;

  if (k < SIZES) total->slots[k] = first[(k + 1) * each - 1] - (k ? first[k * each - 1] : 0);
}

/* A warp per chunk: entries of a lane at most, and marks, but for those of unknowns that are far from another, which are noted apart */
template <class V, class S>
__global__ void measure_kernel(Places places, Sizes sizes, unsigned short *mark, unsigned *is_far, SptrsvStripChunk *chunk, Totals *total)
{
  const int lane = threadIdx.x % WARP;

  for (int c = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; c < places.chunks; c += gridDim.x * blockDim.x / WARP) {
    const int p = c * WARP + lane, i = places.unknown[p], strip = i < 0 ? -1 : places.strip[i], level = i < 0 ? -1 : places.rows.level[i];
    const int end   = i < 0 ? 0 : places.rows.needs.end[i];
    int       nears = 0, fars = 0;

    for (int e = i < 0 ? 0 : first_of(places.rows.needs, i); e < end; e++) {
      const int j = places.rows.needs.idx[e];

      if (is_near(places, strip, p, j)) nears++;
      else {
        fars++;
        store_relaxed(is_far + places.place[j], 1);
      }
    }
    const int      near_per = max(1, most_of_warp(nears)), far_per = most_of_warp(fars);
    const int      before = __shfl_sync(ALL_LANES, level, max(0, lane - 1));
    const LaneMask begins = __ballot_sync(ALL_LANES, i >= 0 && level != before); /* a step */
    const int      step   = i < 0 ? 0 : count_lanes_before(begins, lane) + (level != before);

    mark[p] = (unsigned short)SPTRSV_STRIP_MARK(step, count_lanes(begins), (near_per - 1) / SPTRSV_STRIP_GROUP);
    if (!lane) {
      chunk[c].nears = near_per;
      chunk[c].fars  = far_per;
      sizes.far[c]   = WARP * far_per;
      sizes.quads[c] = WARP * RecordLayout<V, S>::quads(near_per);
      atomicMax(&total->most, max(near_per, far_per));
    }
  }
}

/* A warp per chunk, of which `first` has what comes before */
template <class V, class S>
__global__ void fill_kernel(Places places, Sizes first, const unsigned short *mark, const unsigned *is_far, StripsPlan plan)
{
  using Layout   = RecordLayout<V, S>;
  const int lane = threadIdx.x % WARP;

  for (int c = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; c < places.chunks; c += gridDim.x * blockDim.x / WARP) {
    SptrsvStripChunk chunk = plan.chunk[c];
    const int        p = c * WARP + lane, i = places.unknown[p], strip = i < 0 ? -1 : places.strip[i];
    const int        begin = i < 0 ? 0 : first_of(places.rows.needs, i), end = i < 0 ? 0 : places.rows.needs.end[i];
    const int        ring       = i < 0 ? 0 : WARP * places.strip_ptr[strip];
    chunk.far                   = (int)(first.far[c] - first.far[0]);
    chunk.record                = (int)(first.quads[c] - first.quads[0]);
    Quad *const    record       = plan.record + chunk.record + lane;
    unsigned short near_entries = 0, far_entries = 0;
    int            far = chunk.far + lane, nears = 0;
    const auto     set_half = [&](int quad, int half, int v) { ((unsigned short *)(record + WARP * quad))[half] = (unsigned short)v; };

    set_half(Layout::HEAD - 1, Layout::MARK, mark[p] | (is_far[p] ? SPTRSV_STRIP_FAR : 0));
    for (int e = begin; e < end; e++) {
      const int j = places.rows.needs.idx[e];

      if (is_near(places, strip, p, j)) {
        set_half(Layout::place_quad(nears), Layout::place_in_quad(nears),
                 (WARP + (places.place[j] - ring) % SPTRSV_STRIP_RING) * (int)sizeof(V));
        near_entries |= (unsigned short)(1 << (e - begin));
        nears++;
      } else {
        plan.far_place[far] = places.place[j];
        far_entries |= (unsigned short)(1 << (e - begin));
        far += WARP;
      }
    }
    for (; far < chunk.far + WARP * chunk.fars; far += WARP) plan.far_place[far] = -1;
    plan.entries[p].first   = begin;
    plan.entries[p].near    = near_entries;
    plan.entries[p].far     = far_entries;
    const int diagonal      = i < 0 ? SPTRSV_ONE : diagonal_of(places.rows, i);
    plan.diagonal_source[p] = diagonal;
    if (diagonal < 0) *(V *)record = constant_of<V>(diagonal);
    plan.in[p]  = i < 0 ? -1 : position_of(places.rows, places.rows.in_perm, i);
    plan.out[p] = i < 0 ? -1 : position_of(places.rows, places.rows.out_perm, i);
    __syncwarp();
    if (!lane) plan.chunk[c] = chunk;
  }
}

SptrsvStatus place_unknowns(SptrsvMemory *memory, bool apart, Arrangement *a, StripsPlan *plan)
{
  const StripsSort &sort = a->sort;
  const int         n    = a->rows.needs.n;
  Scratch<int>      first, chunks; /* the rows of the widest group behind those of the strips */

  SPTRSV_TRY(first.create(sort.groups));
  SPTRSV_TRY(chunks.create((size_t)sort.strips + 1));
  SPTRSV_TRY(sptrsvDeviceNew(memory, (size_t)sort.strips + 1, &plan->strip_ptr));
  SPTRSV_CUDA(cudaMemsetAsync(chunks, 0, ((size_t)sort.strips + 1) * sizeof(int)));
  SPTRSV_TRY(launch_for(place_kernel, (size_t)sort.strips * WARP, nullptr, sort.strips, sort.of_strip, sort.group, sort.sorted,
                        a->rows.level, apart, first, chunks, chunks + sort.strips));
  SPTRSV_TRY(exclusive_sum((int *)chunks, plan->strip_ptr, sort.strips + 1));
  SPTRSV_TRY(read_back(plan->strip_ptr + sort.strips, &plan->chunks));
  SPTRSV_TRY(read_back(chunks + sort.strips, &plan->widest));
  if (plan->chunks >= SPTRSV_MOST / WARP) return SPTRSV_TOO_LARGE;
  SPTRSV_TRY(a->place.create(n));
  SPTRSV_TRY(a->unknown.create((size_t)plan->chunks * WARP));
  SPTRSV_CUDA(cudaMemsetAsync(a->unknown, 0xff, (size_t)plan->chunks * WARP * sizeof(int)));
  return launch_for(scatter_kernel, n, nullptr, n, sort.sorted, sort.heads, sort.group, first, plan->strip_ptr, a->place, a->unknown);
}

/* The arrays of the plan: slots, quads and places that it needs */
template <class V, class S>
SptrsvStatus allocate(SptrsvMemory *memory, SptrsvValueType type, const Rows &rows, const long long total[SIZES], StripsPlan *plan)
{
  const size_t places = (size_t)plan->chunks * WARP;
  const bool   alike  = !rows.in_perm && !rows.out_perm;

  for (int k = 0; k < SIZES; k++) {
    if (total[k] >= SPTRSV_MOST) return SPTRSV_TOO_LARGE;
  }
  const SptrsvArray arrays[] = {array_of((size_t)total[0], &plan->far_place), {(size_t)total[0] * sizeof(S), &plan->far_values},
                                array_of((size_t)total[1], &plan->record),    array_of(places, &plan->out),
                                array_of(alike ? 0 : places, &plan->in),      array_of(places, &plan->entries),
                                array_of(places, &plan->diagonal_source),     {2 * places * sizeof(V), &plan->alone.x}};
  SPTRSV_TRY(sptrsvDeviceArrays(memory, (int)std::size(arrays), arrays));
  if (alike) plan->in = plan->out;
  SPTRSV_CUDA(cudaMemsetAsync(plan->record, 0, (size_t)total[1] * sizeof(*plan->record))); /* no entry has place 0 and value 0 */
  plan->bytes = (size_t)total[0] * (sizeof(int) + sizeof(S)) + (size_t)total[1] * sizeof(Quad) + places * STRIPS_UNKNOWN_BYTES<V>;
  return unknowns_clear(places, type, plan->alone.x);
}

template <class V, class S> SptrsvStatus place_entries(SptrsvMemory *memory, SptrsvValueType type, const Arrangement &a, StripsPlan *plan)
{
  const size_t            each = (size_t)plan->chunks + 1, places = (size_t)plan->chunks * WARP;
  const Places            view = {a.rows, plan->chunks, a.sort.strip, a.place, a.unknown, plan->strip_ptr};
  Scratch<long long>      sizes, first;
  Scratch<unsigned short> mark;
  Scratch<unsigned>       is_far;
  Totals                  total = {};

  SPTRSV_TRY(create_all(SIZES * each, sizes, first));
  SPTRSV_TRY(create_all(places, mark, is_far));
  SPTRSV_TRY(sptrsvDeviceNew(memory, plan->chunks, &plan->chunk));
  SPTRSV_CUDA(cudaMemsetAsync(sizes, 0, SIZES * each * sizeof(long long)));
  SPTRSV_CUDA(cudaMemsetAsync(is_far, 0, places * sizeof(unsigned)));
  const auto parts = [=](long long *p) { return Sizes{p, p + each}; };
  SPTRSV_TRY(run_on(&total, [&](Totals *d) {
    SPTRSV_TRY(launch_for(measure_kernel<V, S>, places, nullptr, view, parts(sizes), mark, is_far, plan->chunk, d));
    SPTRSV_TRY(exclusive_sum((long long *)sizes, (long long *)first, (int)(SIZES * each)));
    return sptrsvCudaStatus(launch(total_kernel, 1, WARP, nullptr, first, each, d));
  }));
  plan->most = total.most;
  SPTRSV_TRY((allocate<V, S>(memory, type, a.rows, total.slots, plan)));
  return launch_for(fill_kernel<V, S>, places, nullptr, view, parts(first), mark, is_far, *plan);
}

/* Where values are to come from: the analysis knows it, but for rows that were cut, whose arrays go when the plan is there */
SptrsvStatus keep_source(SptrsvPlan plan, const Rows &rows, StripsPlan *data)
{
  const SptrsvCut &cut = plan->analysis->cut;
  int             *own;

  data->source = rows.source;
  if (rows.source != cut.source || !rows.source) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvDeviceNew(&plan->memory, cut.nnz, &own));
  data->source = own;
  return sptrsvCudaStatus(cudaMemcpyAsync(own, cut.source, (size_t)cut.nnz * sizeof(*own), cudaMemcpyDeviceToDevice, nullptr));
}

} // namespace

SptrsvStatus sptrsv::strips_sort(const Rows &rows, int levels, const StripsOrder &order, StripsSort *sort)
{
  const int    n = rows.needs.n;
  Scratch<Key> key, sorted_key;
  Scratch<int> item;
  Key          heads;

  if (order.strips * levels > 9e18) return SPTRSV_TOO_LARGE;
  SPTRSV_TRY(create_all(n, sorted_key, item, sort->sorted, sort->strip));
  SPTRSV_TRY(create_all((size_t)n + 1, key, sort->heads));
  SPTRSV_TRY(launch_for(key_kernel, n, nullptr, rows, order, levels, key, item));
  SPTRSV_TRY(sort_by_key((Key *)key, (Key *)sorted_key, item, sort->sorted, n, (Key)order.strips * levels));
  SPTRSV_TRY(launch_for(head_kernel, (size_t)n + 1, nullptr, n, order.most, sorted_key, levels, key));
  SPTRSV_TRY(exclusive_sum((Key *)key, (Key *)sort->heads, n + 1));
  SPTRSV_TRY(read_back((Key *)sort->heads + n, &heads));
  sort->strips = strips_in(heads);
  sort->groups = groups_in(heads);
  SPTRSV_TRY(sort->group.create((size_t)sort->groups + 1));
  SPTRSV_TRY(sort->of_strip.create((size_t)sort->strips + 1));
  return launch_for(number_kernel, n, nullptr, n, sort->sorted, sort->heads, sort->strip, sort->group, sort->of_strip);
}

SptrsvStatus sptrsv::strips_arrange(SptrsvPlan plan, const Rows &rows, int levels, const StripsOrder &order, StripsPlan *data)
{
  Arrangement a;

  a.rows = rows;
  SPTRSV_TRY(strips_sort(rows, levels, order, &a.sort));
  SPTRSV_TRY(place_unknowns(&plan->memory, order.strip, &a, data));
  data->strips = a.sort.strips;
  SPTRSV_TRY(keep_source(plan, rows, data));
  return by_stored_type(plan->options, [&](auto v, auto stored) {
    return place_entries<decltype(v), decltype(stored)>(&plan->memory, plan->options.type, a, data);
  });
}
