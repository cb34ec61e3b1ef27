/* `strips`: set-up of its plans. */
#include <cstdio>
#include <cstdlib>
#include "../levelorder/cut.h"
#include "strips.cuh"
#include "../../device/triangle.cuh"

namespace {

using namespace sptrsv;

constexpr int HELPERS = 7; /* of a team */

StripsPlan *plan_of(SptrsvPlan plan)
{
  return (StripsPlan *)plan->data;
}

/* A thread writes the values of a place: in its record, whose other parts stay, and far ones.  An entry that is not there stays 0, also if
   the reciprocal is infinite. */
template <class V> __global__ void values_kernel(const StripsPlan plan, bool inverted, const V *__restrict__ values)
{
  using Layout = RecordLayout<V>;

  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < plan.chunks * WARP; p += gridDim.x * blockDim.x) {
    const SptrsvStripChunk chunk = plan.chunk[p / WARP];
    const int              lane = p % WARP, d = plan.diagonal_source[p];
    const V                diagonal = stored_or_constant(values, d), reciprocal = inverted || d < 0 ? diagonal : 1 / diagonal;
    Quad *const            record = plan.record + chunk.record + lane;
    const auto             scaled = [=](int source) {
      return source == SPTRSV_PADDING ? V(0) : stored_or_constant(values, source) * reciprocal;
    };

    *(V *)record = reciprocal;
    for (int k = 0, slot = chunk.near + lane; k < SPTRSV_STRIP_NEAR_PER(chunk); k++, slot += WARP)
      ((V *)(record + WARP * Layout::value_quad(k)))[k % Layout::VALUES] = scaled(plan.near_source[slot]);
    for (int k = 0, slot = chunk.far + lane; k < SPTRSV_STRIP_FAR_PER(chunk); k++, slot += WARP)
      ((V *)plan.far_values)[slot] = scaled(plan.far_source[slot]);
  }
}

SptrsvStatus update(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  const StripsPlan &data = *plan_of(plan);

  if (!data.chunks) return SPTRSV_SUCCESS;
  return by_type(plan->options.type, [&](auto v) {
    using V = decltype(v);
    return sptrsvCudaStatus(launch(values_kernel<V>, blocks_for((size_t)data.chunks * WARP), BLOCK, stream, data,
                                   plan->options.diagonal == SPTRSV_DIAG_INVERTED, (const V *)values));
  });
}

SptrsvStatus solve(SptrsvPlan plan, const void *b, void *out, SptrsvStream stream)
{
  return strips_launch(*plan_of(plan), plan->options.type, b, out, stream);
}

/* Item of each place's unknown, and `none` where there is none */
template <class T, class F> SptrsvStatus upload_places(SptrsvMemory *memory, const SptrsvStrips &strips, T none, F item, T **d)
{
  const size_t places = (size_t)strips.chunks * WARP;
  T           *host;

  SPTRSV_TRY(sptrsvNew(places, &host));
  for (size_t p = 0; p < places; p++) host[p] = strips.unknown[p] < 0 ? none : item(strips.unknown[p]);
  const SptrsvStatus status = sptrsvUpload(memory, host, places, d);
  free(host);
  return status;
}

/* Where the chunks' records begin.  Returns how many quads they have together. */
template <class V> int64_t place_records(SptrsvStrips *strips)
{
  int64_t quads = 0;

  for (int c = 0; c < strips->chunks && quads < SPTRSV_MOST; c++) {
    strips->chunk[c].record = (int)quads;
    quads += WARP * RecordLayout<V>::quads(SPTRSV_STRIP_NEAR_PER(strips->chunk[c]));
  }
  return quads;
}

/* Records with their marks and places, and zeros for values */
template <class V> void fill_records(const SptrsvStrips &strips, Quad *records)
{
  using Layout = RecordLayout<V>;

  for (int p = 0; p < strips.chunks * WARP; p++) {
    const SptrsvStripChunk &chunk    = strips.chunk[p / WARP];
    const auto              set_half = [&, p](int quad, int half, unsigned v) {
      records[chunk.record + WARP * quad + p % WARP].w[half / 2] |= v << 16 * (half % 2);
    };

    set_half(0, Layout::MARK, strips.mark[p]);
    for (int k = 0; k < SPTRSV_STRIP_NEAR_PER(chunk); k++)
      set_half(Layout::place_quad(k), Layout::place_in_quad(k), strips.near_place[chunk.near + WARP * k + p % WARP] * (unsigned)sizeof(V));
  }
}

template <class V> SptrsvStatus upload_records(SptrsvMemory *memory, SptrsvStrips *strips, Quad **d)
{
  const int64_t quads = place_records<V>(strips);
  Quad         *records;

  if (quads >= SPTRSV_MOST) return SPTRSV_TOO_LARGE;
  SPTRSV_TRY(sptrsvNew(quads, &records));
  fill_records<V>(*strips, records);
  const SptrsvStatus status = sptrsvUpload(memory, records, quads, d);
  free(records);
  return status;
}

SptrsvStatus upload(SptrsvPlan plan, const SptrsvOrdered &unknowns, SptrsvStrips *strips, StripsPlan *data)
{
  SptrsvMemory *memory = &plan->memory;
  const auto    moved  = [](const int *perm, int row) { return row < 0 ? -1 : perm ? perm[row] : row; };
  const auto    ends   = [&](int i) {
    return StripPlaces{moved(plan->options.in_perm, unknowns.row[i]), moved(plan->options.out_perm, unknowns.row[i])};
  };

  data->strips = strips->strips;
  data->chunks = strips->chunks;
  data->most   = strips->most;
  SPTRSV_TRY(by_type(plan->options.type, [&](auto v) { return upload_records<decltype(v)>(memory, strips, &data->record); }));
  SPTRSV_TRY(sptrsvUpload(memory, strips->strip_ptr, strips->strips + 1, &data->strip_ptr));
  SPTRSV_TRY(sptrsvUpload(memory, strips->chunk, strips->chunks, &data->chunk)); /* which upload_records() completes */
  SPTRSV_TRY(sptrsvUpload(memory, strips->near_source, strips->near_slots, &data->near_source));
  SPTRSV_TRY(sptrsvUpload(memory, strips->far_place, strips->far_slots, &data->far_place));
  SPTRSV_TRY(sptrsvUpload(memory, strips->far_source, strips->far_slots, &data->far_source));
  SPTRSV_TRY(upload_places(memory, *strips, StripPlaces{-1, -1}, ends, &data->places));
  SPTRSV_TRY(upload_places(memory, *strips, int(SPTRSV_ONE), [&](int i) { return unknowns.diagonal[i]; }, &data->diagonal_source));
  SPTRSV_TRY(sptrsvDeviceAllocate(memory, strips->far_slots * sptrsvValueSize(plan->options.type), &data->far_values));
  return unknowns_create(memory, (size_t)strips->chunks * WARP, plan->options.type, &data->x);
}

SptrsvStatus arrange(SptrsvPlan plan, const SptrsvOrdered &unknowns, const int *level, StripsPlan *data)
{
  SptrsvStrips strips = {};
  int         *order  = nullptr;
  SptrsvStatus status = data->depth_first ? sptrsvNew(unknowns.n, &order) : SPTRSV_SUCCESS;

  if (!status && order) status = sptrsvDepthFirst(&unknowns, order);
  if (!status) status = sptrsvStripsArrange(&unknowns, level, order, data->rows, &strips);
  if (!status) status = upload(plan, unknowns, &strips, data);
  free(order);
  sptrsvStripsFree(&strips);
  return status;
}

SptrsvStatus build(SptrsvPlan plan)
{
  const auto   &options = plan->options.tuning.strips;
  SptrsvOrdered unknowns;
  StripsPlan   *data;
  int          *level, teams;

  SPTRSV_TRY(sptrsvNew(1, &data));
  plan->data = data;
  if (!plan->analysis->a.n) return SPTRSV_SUCCESS;
  data->rows           = options.rows ? options.rows : sptrsvStripsRows(plan->analysis->a.n);
  data->helpers        = options.helpers ? std::max(2, options.helpers) : HELPERS;
  data->depth_first    = options.order == SPTRSV_STRIPS_DEPTH_FIRST;
  SptrsvStatus status  = sptrsvCutRows(plan->analysis, &plan->options, SPTRSV_STRIP_ENTRIES, &unknowns, &level);
  if (!status) status  = arrange(plan, unknowns, level, data);
  data->partial_sums   = unknowns.n - plan->analysis->a.n;
  sptrsvOrderedFree(&unknowns);
  free(level);
  SPTRSV_TRY(status);
  SPTRSV_TRY(strips_resident(plan->options.type, data->most, &data->helpers, &teams));
  SPTRSV_TRY(tickets_create(&plan->memory, data->strips, std::max(1, std::min(teams, data->strips)), &data->tickets));
  plan->stalled = data->tickets.stalled;
  return SPTRSV_SUCCESS;
}

void describe(SptrsvPlan plan, char *text, size_t size)
{
  const StripsPlan &data = *plan_of(plan);

  (void)snprintf(text, size, "%d strips of %d rows, %s order, %d chunks, %d helpers, %u resident teams, %d partial sums of long rows",
                 data.strips, data.rows, data.depth_first ? "depth-first" : "natural", data.chunks, data.helpers, data.tickets.warps,
                 data.partial_sums);
}

} // namespace

const SptrsvMethod sptrsvStrips = {build, update, solve, describe, nullptr};
