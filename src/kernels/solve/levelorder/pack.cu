/* Rows sorted by level and packed into chunks, on the device: the set-up of levelorder.cu, levelset.cu and blockorder.cu. */
#include <algorithm>
#include <iterator>
#include "../../device/scratch.cuh"
#include "levelorder.cuh"

namespace {

using namespace sptrsv;

__device__ int entries_per_lane(const Rows &rows, int lanes, int i)
{
  return (rows.needs.end[i] - first_of(rows.needs, i) + lanes - 1) / lanes;
}

/* By level and, so that a chunk's rows are about equally long, by length.  Otherwise rows stay as they were, which suits the caches. */
SptrsvStatus sort_rows(const Rows &rows, int lanes, int per_lane, int levels, Scratch<int> &order)
{
  Scratch<unsigned> key, sorted;
  Scratch<int>      row;

  if ((double)levels * (per_lane + 1) > 4e9) return SPTRSV_TOO_LARGE;
  SPTRSV_TRY(create_all(rows.needs.n, key, sorted, row, order));
  SPTRSV_TRY(for_each(rows.needs.n, [=, key = (unsigned *)key, row = (int *)row] __device__(int k) {
    const int i = in_order(rows, k);

    key[k] = (unsigned)rows.level[i] * (per_lane + 1) + per_lane - entries_per_lane(rows, lanes, i);
    row[k] = i;
  }));
  return sort_by_key((unsigned *)key, (unsigned *)sorted, row, order, rows.needs.n, (unsigned)levels * (per_lane + 1));
}

/* Chunks of up to width / lanes rows of one level, in order; place_chunks() and fill() set the members that depend on entries.
   The rows before each level, which data->first has so far, become the chunks. */
SptrsvStatus cut_chunks(SptrsvPlan plan, LevelChunks *data)
{
  int *const       first  = data->first;
  const int        most   = data->width / data->lanes;
  int              chunks = 0;
  LevelOrderChunk *chunk;

  for (int l = 0; l < data->levels; l++) chunks += (first[l + 1] - first[l] + most - 1) / most;
  SPTRSV_TRY(sptrsvHostNew(&plan->scratch, chunks, &chunk));
  for (int l = 0; l < data->levels; l++) {
    const int begin = first[l];

    first[l] = data->chunks;
    for (int r = begin; r < first[l + 1]; r += most) chunk[data->chunks++] = {0, r, std::min(most, first[l + 1] - r), 0};
  }
  first[data->levels] = chunks;
  return sptrsvUpload(&plan->memory, chunk, data->chunks, &data->chunk);
}

/* Slots before each chunk; triangle.nnz becomes the number of all */
SptrsvStatus place_chunks(const Rows &rows, const int *order, LevelChunks *data, Scratch<size_t> &first)
{
  Scratch<size_t> slots;
  size_t          total;

  SPTRSV_TRY(create_all((size_t)data->chunks + 1, slots, first));
  SPTRSV_CUDA(cudaMemsetAsync(slots + data->chunks, 0, sizeof(size_t)));
  SPTRSV_TRY(for_each(data->chunks, [=, level = *data, slots = (size_t *)slots] __device__(int c) {
    LevelOrderChunk &chunk = level.chunk[c];

    chunk.per_lane = entries_per_lane(rows, level.lanes, order[chunk.row]); /* of its first row, the longest */
    slots[c]       = (size_t)level.width * chunk.per_lane;
  }));
  SPTRSV_TRY(exclusive_sum((size_t *)slots, (size_t *)first, data->chunks + 1, &total));
  if (total >= SPTRSV_MOST) return SPTRSV_TOO_LARGE;
  data->triangle.nnz = total;
  return SPTRSV_SUCCESS;
}

/* Makes the arrays of all slots and unknowns.  A block's diagonal is a unit matrix. */
SptrsvStatus fill(SptrsvPlan plan, const Rows &rows, const int *order, const int *unknown, const size_t *first, LevelChunks *data)
{
  const int         n        = rows.needs.n;
  const size_t      block    = data->block;
  Triangle<>       &t        = data->triangle;
  const SptrsvArray arrays[] = {array_of(t.nnz, &t.idx),
                                array_of(t.nnz, &t.value_source),
                                {t.nnz * block * block * stored_size(plan->options), &t.values},
                                array_of(n * block, &t.source),
                                array_of(n * block, &t.target),
                                array_of(n, &t.diagonal_source),
                                {(size_t)n * sptrsvValueSize(plan->options.type), &t.reciprocal}};

  t.rows = (int)(n * block);
  SPTRSV_TRY(sptrsvDeviceArrays(&plan->memory, (int)std::size(arrays) - (block == 1 ? 0 : 2), arrays));
  /* A warp per chunk: entry e of a row is entry e / lanes of the row's lane e % lanes */
  SPTRSV_TRY(for_each<WARP>(data->chunks, [=, level = *data] __device__(int c) {
    LevelOrderChunk &chunk = level.chunk[c];
    const int        lane = threadIdx.x % WARP, lanes = level.lanes;
    const bool       mine  = lane / lanes < chunk.rows;
    const int        i     = mine ? order[chunk.row + lane / lanes] : 0;
    const int        begin = mine ? first_of(rows.needs, i) : 0, end = mine ? rows.needs.end[i] : 0;

    for (int k = 0; k < chunk.per_lane && lane < level.width; k++) {
      const int e = begin + k * lanes + lane % lanes, slot = (int)first[c] + level.width * k + lane;

      level.triangle.idx[slot]          = e < end ? unknown[rows.needs.idx[e]] : -1;
      level.triangle.value_source[slot] = e < end ? source_of(rows, e) : SPTRSV_PADDING;
    }
    if (!lane) chunk.first = (int)first[c];
  }));
  return for_each(t.rows, [=, block = data->block, to = t] __device__(int k) {
    const int i = order[k / block] * block + k % block;

    if (to.diagonal_source) to.diagonal_source[k] = diagonal_of(rows, i);
    to.source[k] = position_of(rows, rows.in_perm, i);
    to.target[k] = position_of(rows, rows.out_perm, i);
  });
}

/* Enough for 48 levels at a time, at most eight for each multiprocessor, or sixteen where many levels are that wide */
int count_warps(const SptrsvPlanOptions &options, int chunks, int levels, int processors)
{
  const double chunks_per_level = (double)chunks / std::max(1, levels);
  const double most             = (chunks_per_level > processors && levels > 100 ? 16.0 : 8.0) * processors;
  const double by_rule          = std::min(std::max(48 * chunks_per_level, (double)processors), most);
  int          warps            = options.tuning.levelorder.warps ? options.tuning.levelorder.warps : (int)by_rule;

  warps = std::max(1, std::min(warps, chunks));
  return warps < 4 * processors ? warps : warps / 4 * 4; /* many come in blocks of four */
}

} // namespace

SptrsvStatus sptrsv::level_chunks_create(SptrsvPlan plan, bool blocks, void (*choose)(const SptrsvStatistics &, LevelChunks *))
{
  const SptrsvAnalysis analysis = blocks ? plan->analysis->blocks : plan->analysis;
  LevelChunks         *data     = &level_plan(plan)->level;
  const SptrsvSweep   *sweep;
  DeviceRows           on_device;
  Scratch<size_t>      first;
  Scratch<int>         order, unknown;

  SPTRSV_TRY(sptrsvAnalysisSweep(analysis, plan->options.triangle, plan->options.op, &sweep));
  if (!analysis->a.n) return SPTRSV_SUCCESS;
  data->block = blocks ? analysis->block : 1;
  data->width = WARP / data->block;
  data->lanes = plan->options.tuning.levelorder.lanes;
  choose(sweep->statistics, data);
  SPTRSV_TRY(on_device.create(plan, blocks, data->lanes * data->per_lane));
  const Rows &rows = on_device.rows;
  const int   n    = rows.needs.n;

  data->levels = on_device.levels;
  SPTRSV_TRY(sptrsvHostNew(&plan->memory, (size_t)data->levels + 1, &data->first));
  std::copy_n(on_device.level_ptr, (size_t)data->levels + 1, data->first);
  SPTRSV_TRY(sort_rows(rows, data->lanes, data->per_lane, data->levels, order));
  SPTRSV_TRY(cut_chunks(plan, data));
  SPTRSV_TRY(place_chunks(rows, order, data, first));
  SPTRSV_TRY(unknown.create(n));
  SPTRSV_TRY(scatter(n, nullptr, order, unknown));
  SPTRSV_TRY(fill(plan, rows, order, unknown, first, data));
  if (!blocks) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvDeviceNew(&plan->memory, n, &data->row));
  return sptrsvCudaStatus(cudaMemcpyAsync(data->row, order, n * sizeof(int), cudaMemcpyDeviceToDevice, nullptr));
}

SptrsvStatus sptrsv::level_warps_create(SptrsvPlan plan, LevelWarps *warps, int pieces, int columns)
{
  const LevelChunks &level = level_plan(plan)->level;
  int                processors;

  if (!level.chunks) return SPTRSV_SUCCESS;
  if ((int64_t)level.chunks * pieces >= SPTRSV_MOST) return SPTRSV_TOO_LARGE;
  SPTRSV_TRY(count_processors(&processors));
  const int count  = count_warps(plan->options, level.chunks * pieces, level.levels, processors);
  warps->per_block = count < 4 * processors ? 1 : 4;
  SPTRSV_TRY(unknowns_create(&plan->memory, (size_t)level.triangle.rows * columns, plan->options.type, &warps->x));
  SPTRSV_TRY(tickets_create(&plan->memory, (size_t)level.chunks * pieces, count, &warps->tickets));
  if (!plan->stalled) plan->stalled = warps->tickets.stalled;
  warps->tickets.stalled = (unsigned *)plan->stalled;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsv::level_update(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  return triangle_update(plan->options, level_plan(plan)->level.triangle, values, stream);
}

SptrsvStatus sptrsv::level_waits_forecast(SptrsvPlan plan, double *us)
{
  const LevelChunks &level = level_plan(plan)->level;

  *us = level_forecast(level.levels, level.chunks, (double)level_bytes(level, plan->options), level.block * level.per_lane);
  return SPTRSV_SUCCESS;
}
