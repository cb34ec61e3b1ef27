/* Rows sorted by level and packed into chunks, which the set-up on the device (pack.cu) makes for levelorder, levelset and blockorder. */
#pragma once
#include "../../analysis/rows.cuh"
#include "../../device/tickets.cuh"
#include "../../plan/triangle.cuh"

namespace sptrsv {

/* The rows that a warp takes at once, up to width / lanes of one level.  Entry k of lane l is in slot first + width k + l.  A row is an
   unknown, and the width is WARP.  Of blocks a row is a block of unknowns, an entry is a block, and a lane is as many of the warp's lanes
   as a block has rows, by which the width is divided. */
struct alignas(16) LevelOrderChunk {
  int first, row, rows, per_lane; /* slot, first row, number of rows, entries per lane */
};

struct LevelChunks {
  Triangle<>       triangle; /* of the unknowns, in slots: nnz is their number, ptr NULL; source and target -1 for a partial sum.  With
                                blocks idx are block rows, value_source are blocks, and there is no diagonal */
  LevelOrderChunk *chunk;    /* device [chunks] */
  int              chunks, levels, lanes, block, width;
  int              per_lane; /* most entries of a lane */
  int             *first;    /* host [levels + 1] chunks before each level */
  int             *row;      /* device [block rows] those of the analysis of blocks, in order; NULL: there are none */
};

/* Entries of a row, but its diagonal one */
inline double mean_length(const SptrsvStatistics &statistics)
{
  return statistics.rows ? (double)statistics.nnz / (double)statistics.rows : 0;
}

/* The least power of two that the longest row needs for these lanes, at most `most` */
inline void choose_per_lane(const SptrsvStatistics &statistics, int most, LevelChunks *level)
{
  level->per_lane = 2;
  while (level->per_lane < most && (int64_t)level->per_lane * level->lanes < statistics.longest) level->per_lane *= 2;
}

/* Packs the plan's sweep, if it has rows, for lanes, unless they are given, and per_lane that choose() sets; longer rows are cut.
   blocks: packs the blocks of the plan's analysis, of any number in a row */
SptrsvStatus level_chunks_create(SptrsvPlan plan, bool blocks, void (*choose)(const SptrsvStatistics &statistics, LevelChunks *level));

/* Whether the sweep can go by dense blocks of equal size */
inline bool has_blocks(SptrsvAnalysis analysis, const SptrsvPlanOptions &options)
{
  return analysis->blocks && options.diagonal == SPTRSV_DIAG_UNIT;
}

/* Bytes of the entries and their indices, padding included */
inline size_t level_bytes(const LevelChunks &level, const SptrsvPlanOptions &options)
{
  return level.triangle.nnz * (sizeof(int) + (size_t)(level.block * level.block) * stored_size(options));
}

constexpr double LEVEL_HOP_US    = 0.362; /* of a level that waits for the one before through L2 */
constexpr double LEVEL_LAUNCH_US = 2.6;   /* least time of a level that has a launch of its own */

/* Microseconds that a sweep is likely to take whose warps wait, with so many levels and chunks, so many bytes of entries and their indices,
   and so many entries that a lane holds; as fitted (doc/algorithms/auto.md) */
inline double level_forecast(double levels, double chunks, double bytes, int held)
{
  return 2.24 + (LEVEL_HOP_US + 0.00375 * held) * levels + 0.79e-3 * chunks + 0.63e-6 * bytes;
}

/* What a launch has whose warps wait: few of them, since those that poll slow down those that have work */
struct LevelWarps {
  void   *x; /* device [2][unknowns][columns] */
  int     per_block;
  Tickets tickets;

  int blocks() const { return (int)tickets.warps / per_block; }
};
/* For a plan's chunks, if it has any.  A warp takes one of `pieces` pieces of a chunk at a time; unknowns are of so many columns */
SptrsvStatus level_warps_create(SptrsvPlan plan, LevelWarps *warps, int pieces = 1, int columns = 1);

struct LevelPlan {
  LevelChunks level;
  LevelWarps  warps, together; /* together: of several columns, if there were any.  levelset has warps.x alone, [unknowns] */
};

constexpr auto *level_plan = data_of<LevelPlan>;

/* update() of rows, and forecast() of a method whose warps wait */
SptrsvStatus level_update(SptrsvPlan plan, const void *values, SptrsvStream stream);
SptrsvStatus level_waits_forecast(SptrsvPlan plan, double *us);

constexpr int MOST_HELD = 8; /* entries that a lane holds at a time, a power of two from 2 on, as lanes are one up to WARP */

/* call(n) with the first of the powers of two FIRST … LAST that is not less, as a constant */
template <int FIRST, int LAST, class F> cudaError_t with_power(int least, F call)
{
  if constexpr (FIRST < LAST) {
    if (least > FIRST) return with_power<2 * FIRST, LAST>(least, call);
  }
  return call(std::integral_constant<int, FIRST>());
}

} // namespace sptrsv

SPTRSV_TABLE SptrsvMethod sptrsvLevelSet;   /* levelset.cu */
SPTRSV_TABLE SptrsvMethod sptrsvBlockOrder; /* blockorder.cu */
