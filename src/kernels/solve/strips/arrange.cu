/*
   Set-up of `strips`, on the device: a topological order is cut into strips, and unknowns get places and records.

   Strips come out of one sort, by strip and level.  Unknowns of one level in a strip are a group, which goes into one chunk if it fits
   into what is left of it.  Only that is done strip by strip; all else is done for all unknowns, or chunks, at once.  See
   doc/algorithms/strips.md.
*/
#include "../../plan/entries.cuh"
#include "../../device/scratch.cuh"
#include "arrange.cuh"

namespace {

using namespace sptrsv;

/* Two numbers that are added up together */
__host__ __device__ __forceinline__ Key both(int upper, int lower)
{
  return (Key)upper << 32 | (unsigned)lower;
}
__host__ __device__ __forceinline__ int upper(Key key)
{
  return (int)(key >> 32);
}
__host__ __device__ __forceinline__ int lower(Key key)
{
  return (int)(unsigned)key;
}

/* The strip of the unknown i, which is at place q of the order */
__device__ __forceinline__ Key strip_of(const StripsOrder &order, int q, int i)
{
  return order.strip ? order.strip[i] : order.potential ? brick_of(order, order.potential[i]) : q / order.rows;
}

/* Places of the unknowns and what belongs to them, as kernels read them.  Device arrays */
struct Places {
  Rows       rows;
  const int *strip;   /* as in StripsSort */
  int       *place;   /* [n] of each unknown */
  int       *unknown; /* [places] -1: none */
};

/* The entry's unknown j is in the same strip and in the ring when the chunk of place p is solved */
__device__ __forceinline__ bool is_near(const Places &places, int strip, int p, int j)
{
  return strip == places.strip[j] && p / WARP * WARP - places.place[j] <= SPTRSV_STRIP_RING - WARP;
}

/* A warp per chunk: entries of a lane at most, and marks, but for those of unknowns that are far from another, which are noted apart.
   sizes: slots and quads of a lane; most: entries of any lane */
template <class V, class S>
__global__ void measure_kernel(Places places, Key *sizes, unsigned short *mark, unsigned *is_far, StripsPlan plan, int *most)
{
  const int lane = threadIdx.x % WARP;

  for (int c = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; c < plan.chunks; c += gridDim.x * blockDim.x / WARP) {
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
      plan.chunk[c].nears = near_per;
      plan.chunk[c].fars  = far_per;
      sizes[c]            = both(far_per, RecordLayout<V, S>::quads(near_per));
      atomicMax(most, max(near_per, far_per));
    }
  }
}

/* A warp per chunk.  before: slots and quads of a lane in the chunks before each */
template <class V, class S>
__global__ void fill_kernel(Places places, const Key *before, const unsigned short *mark, const unsigned *is_far, StripsPlan plan)
{
  using Layout   = RecordLayout<V, S>;
  const int lane = threadIdx.x % WARP;

  for (int c = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; c < plan.chunks; c += gridDim.x * blockDim.x / WARP) {
    SptrsvStripChunk chunk = plan.chunk[c];
    const int        p = c * WARP + lane, i = places.unknown[p], strip = i < 0 ? -1 : places.strip[i];
    const int        begin = i < 0 ? 0 : first_of(places.rows.needs, i), end = i < 0 ? 0 : places.rows.needs.end[i];
    const int        ring       = i < 0 ? 0 : WARP * plan.strip_ptr[strip];
    chunk.far                   = WARP * upper(before[c]);
    chunk.record                = WARP * lower(before[c]);
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
    plan.source[p] = i < 0 ? -1 : position_of(places.rows, places.rows.in_perm, i);
    plan.target[p] = i < 0 ? -1 : position_of(places.rows, places.rows.out_perm, i);
    __syncwarp();
    if (!lane) plan.chunk[c] = chunk;
  }
}

/* apart: groups share a chunk only if their levels follow each other */
SptrsvStatus place_unknowns(SptrsvPlan plan, const StripsSort &sort, bool apart, Places *places)
{
  const int    n    = places->rows.needs.n;
  StripsPlan  *data = data_of<StripsPlan>(plan);
  Scratch<int> first, chunks; /* the rows of the widest group behind those of the strips */

  SPTRSV_TRY(first.create(sort.groups));
  SPTRSV_TRY(chunks.create((size_t)sort.strips + 1));
  SPTRSV_TRY(sptrsvDeviceNew(&plan->memory, (size_t)sort.strips + 1, &data->strip_ptr));
  SPTRSV_CUDA(cudaMemsetAsync(chunks, 0, ((size_t)sort.strips + 1) * sizeof(int)));
  /* Groups' first places, from their strip's first one on.  A warp per strip: each lane reads for a group, and all follow the places */
  SPTRSV_TRY(for_each<WARP>(sort.strips, [=, of_strip = (int *)sort.of_strip, group = (int *)sort.group, sorted = (int *)sort.sorted,
                                          level = places->rows.level, first = (int *)first, chunks = (int *)chunks,
                                          widest = chunks + sort.strips] __device__(int s) {
    const int lane = threadIdx.x % WARP;
    int       next = 0, before = -1, most = 0;

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
    most = most_of_warp(most);
    if (lane) return;
    chunks[s] = (next + WARP - 1) / WARP;
    atomicMax(widest, most);
  }));
  SPTRSV_TRY(exclusive_sum((int *)chunks, data->strip_ptr, sort.strips + 1, &data->chunks));
  SPTRSV_TRY(read_back(chunks + sort.strips, &data->widest));
  if (data->chunks >= SPTRSV_MOST / WARP) return SPTRSV_TOO_LARGE;
  data->strips           = sort.strips;
  data->number_of_places = (size_t)data->chunks * WARP;
  places->strip          = sort.strip;
  SPTRSV_TRY(sptrsvScratchNew(&plan->scratch, n, &places->place));
  SPTRSV_TRY(sptrsvScratchNew(&plan->scratch, data->number_of_places, &places->unknown));
  SPTRSV_CUDA(cudaMemsetAsync(places->unknown, 0xff, data->number_of_places * sizeof(int)));
  return for_each(n, [at = *places, strip_ptr = data->strip_ptr, sorted = (int *)sort.sorted, heads = (Key *)sort.heads,
                      group = (int *)sort.group, first = (int *)first] __device__(int q) {
    const int i = sorted[q], g = lower(heads[q + 1]) - 1, p = WARP * strip_ptr[at.strip[i]] + first[g] + q - group[g];

    at.place[i]   = p;
    at.unknown[p] = i;
  });
}

/* The arrays of the plan: slots, quads and places that it needs */
template <class V, class S> SptrsvStatus allocate(SptrsvPlan plan, const Rows &rows, Key sizes)
{
  StripsPlan  *data   = data_of<StripsPlan>(plan);
  const size_t places = data->number_of_places, far = (size_t)WARP * upper(sizes), quads = (size_t)WARP * lower(sizes);
  const bool   alike = !rows.in_perm && !rows.out_perm;

  if (std::max(far, quads) >= SPTRSV_MOST) return SPTRSV_TOO_LARGE;
  SPTRSV_TRY(device_arrays(&plan->memory, {array_of(far, &data->far_place),
                                           {far * sizeof(S), &data->far_values},
                                           array_of(quads, &data->record),
                                           array_of(places, &data->target),
                                           array_of(alike ? 0 : places, &data->source),
                                           array_of(places, &data->entries),
                                           array_of(places, &data->diagonal_source),
                                           {2 * places * sizeof(V), &data->x}}));
  if (alike) data->source = data->target;
  SPTRSV_CUDA(cudaMemsetAsync(data->record, 0, quads * sizeof(*data->record))); /* no entry has place 0 and value 0 */
  data->bytes = far * (sizeof(int) + sizeof(S)) + quads * sizeof(Quad) + places * STRIPS_UNKNOWN_BYTES<V>;
  return unknowns_clear(places, plan->options.type, data->x);
}

template <class V, class S> SptrsvStatus place_entries(SptrsvPlan plan, const Places &at)
{
  StripsPlan             *data   = data_of<StripsPlan>(plan);
  const size_t            places = data->number_of_places, ends = (size_t)data->chunks + 1;
  Scratch<Key>            sizes, before; /* the most entries of a lane behind the sizes */
  Scratch<unsigned short> mark;
  Scratch<unsigned>       is_far;
  Key                     total;

  SPTRSV_TRY(create_all(ends, sizes, before));
  SPTRSV_TRY(create_all(places, mark, is_far));
  SPTRSV_TRY(sptrsvDeviceNew(&plan->memory, data->chunks, &data->chunk));
  int *const most = (int *)(sizes + data->chunks);
  SPTRSV_CUDA(cudaMemsetAsync(most, 0, sizeof(Key)));
  SPTRSV_CUDA(cudaMemsetAsync(is_far, 0, places * sizeof(unsigned)));
  SPTRSV_TRY(launch_for(measure_kernel<V, S>, places, nullptr, at, sizes, mark, is_far, *data, most));
  SPTRSV_TRY(exclusive_sum((Key *)sizes, (Key *)before, (int)ends, &total));
  SPTRSV_TRY(read_back(most, &data->most));
  SPTRSV_TRY((allocate<V, S>(plan, at.rows, total)));
  return launch_for(fill_kernel<V, S>, places, nullptr, at, before, mark, is_far, *data);
}

/* Where values are to come from: the analysis knows it, but for rows that were cut, whose arrays go when the plan is there */
SptrsvStatus keep_source(SptrsvPlan plan, const Rows &rows)
{
  StripsPlan      *data = data_of<StripsPlan>(plan);
  const SptrsvCut &cut  = plan->analysis->cut;
  int             *own;

  data->value_source = rows.source;
  if (rows.source != cut.source || !rows.source) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvDeviceNew(&plan->memory, cut.nnz, &own));
  data->value_source = own;
  return sptrsvCudaStatus(cudaMemcpyAsync(own, cut.source, (size_t)cut.nnz * sizeof(*own), cudaMemcpyDeviceToDevice, nullptr));
}

} // namespace

SptrsvStatus sptrsv::strips_sort(const Rows &rows, int levels, const StripsOrder &order, StripsSort *sort)
{
  const int    n = rows.needs.n;
  Scratch<Key> key, sorted_key, begins; /* begins: 1 where a strip (in the upper half) and where a group begins */
  Scratch<int> item;
  Key          total;

  if (order.strips * levels > 9e18) return SPTRSV_TOO_LARGE;
  SPTRSV_TRY(create_all(n, key, sorted_key, item, sort->sorted, sort->strip));
  SPTRSV_TRY(create_all((size_t)n + 1, begins, sort->heads));
  /* Unknowns of a strip and level stay as they were */
  SPTRSV_TRY(for_each(n, [=, key = (Key *)key, item = (int *)item] __device__(int q) {
    const int i = order.row ? order.row[q] : in_order(rows, q);

    key[q]  = strip_of(order, q, i) * levels + rows.level[i];
    item[q] = i;
  }));
  SPTRSV_TRY(sort_by_key((Key *)key, (Key *)sorted_key, item, sort->sorted, n, (Key)order.strips * levels));
  /* A strip that is too long is cut into several */
  SPTRSV_TRY(for_each(n + 1, [n, levels, most = order.most, key = (Key *)sorted_key, begins = (Key *)begins] __device__(int q) {
    const bool cut = q == n || q % most == 0;

    begins[q] = both(cut || key[q] / levels != key[q - 1] / levels, cut || key[q] != key[q - 1]);
  }));
  SPTRSV_TRY(exclusive_sum((Key *)begins, (Key *)sort->heads, n + 1, &total));
  sort->strips = upper(total);
  sort->groups = lower(total);
  SPTRSV_TRY(sort->group.create((size_t)sort->groups + 1));
  SPTRSV_TRY(sort->of_strip.create((size_t)sort->strips + 1));
  return for_each(n + 1, [n, begins = (Key *)begins, heads = (Key *)sort->heads, sorted = (int *)sort->sorted, strip = (int *)sort->strip,
                          group = (int *)sort->group, of_strip = (int *)sort->of_strip] __device__(int q) {
    if (lower(begins[q])) group[lower(heads[q])] = q;
    if (upper(begins[q])) of_strip[upper(heads[q])] = lower(heads[q]);
    if (q < n) strip[sorted[q]] = upper(heads[q + 1]) - 1;
  });
}

SptrsvStatus sptrsv::strips_arrange(SptrsvPlan plan, const Rows &rows, int levels, const StripsOrder &order)
{
  StripsSort sort;
  Places     places = {};

  places.rows = rows;
  SPTRSV_TRY(strips_sort(rows, levels, order, &sort));
  SPTRSV_TRY(place_unknowns(plan, sort, order.strip, &places));
  SPTRSV_TRY(keep_source(plan, rows));
  return by_stored_type(plan->options, [&](auto v, auto stored) { return place_entries<decltype(v), decltype(stored)>(plan, places); });
}
