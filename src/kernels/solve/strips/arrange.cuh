/* `strips`: from rows and an order of them to a plan (arrange.cu), and orders made for it (bricks.cu, depth_first.cu, orders.cu). */
#pragma once
#include "../../analysis/rows.cuh"
#include "strips.cuh"

namespace sptrsv {

using Key = unsigned long long;

/* A topological order, cut into strips: the order of `row`, `rows` at a time, or bricks.  Device arrays */
struct StripsOrder {
  int        rows;           /* of a strip, unless it is a brick */
  const int *row;            /* [n] in this order; NULL: as they are solved */
  const int *strip;          /* [n] of each unknown, those of a list schedule; NULL: cut by these rules */
  const Key *potential;      /* [n] of each unknown, the far one in the upper half; NULL: no bricks */
  unsigned   size[2], bands; /* of a brick, in near and far potential; of the far potential */
  double     strips;         /* upper bound on their number */
  int        most;           /* unknowns of a strip: a longer one is cut */
};

/* A number for the brick: bricks that it needs have a smaller one, since along an entry no potential falls.  Bricks that are equally far
   from the first, which need not wait for each other, follow each other. */
__device__ __forceinline__ Key brick_of(const StripsOrder &order, Key potential)
{
  const Key near = (unsigned)potential / order.size[0], far = (unsigned)(potential >> 32) / order.size[1];

  return (near + far) * order.bands + far;
}

/* Unknowns in the order of strips, and inside of one by level, in which they are a group.  Device arrays */
struct StripsSort {
  int          strips, groups;
  Scratch<int> sorted;          /* [n] unknowns */
  Scratch<int> strip;           /* [n] of each unknown */
  Scratch<Key> heads;           /* [n + 1] strips (in the upper half) and groups that begin before each position in `sorted` */
  Scratch<int> group, of_strip; /* [groups + 1] where each begins in `sorted`; [strips + 1] each strip's first group */
};
SptrsvStatus strips_sort(const Rows &rows, int levels, const StripsOrder &order, StripsSort *sort);

constexpr int STRIPS_HOP = 13; /* from strip to strip, in steps of a list schedule: 0.9 us to 0.075 */

/* A sweep whose strips get an order, and a list schedule in place of levels.  heights: device [rows of the matrix], the longest paths that
   follow, counted before rows are cut; NULL: to be found */
struct StripsCourse {
  const DeviceRows *rows, *whole; /* whole: before rows are cut */
  const int        *heights;
  StripsOrder       order;
  SptrsvOrder      *kept; /* what takes them: the schedule's arrays, which are there, and its numbers */
};
SptrsvStatus strips_schedule(const StripsCourse course[], int count); /* of one, or of two at once */

/* The graph of unknowns that are sorted into strips, by their positions, as a list schedule is played through.  Device arrays.  Near is
   what is in the same strip. */
struct NearFar {
  Adjacency far;   /* those in other strips that each needs */
  Adjacency near;  /* near ones that it needs */
  Adjacency users; /* near ones that need it */
};

/* Strips of this order, and inside of one the unknowns that go first.  heights: as in StripsCourse */
SptrsvStatus strips_sort_by_priority(Rows rows, int levels, const int *heights, const StripsOrder &order, StripsSort *sort);

/* In `memory`; in the legacy stream */
SptrsvStatus near_far(const Rows &rows, const StripsSort &sort, SptrsvMemory *memory, NearFar *graph);

/* All arrays of the plan but values and tickets, and its numbers of strips and chunks, and most */
SptrsvStatus strips_arrange(SptrsvPlan plan, const Rows &rows, int levels, const StripsOrder &order);

/* Finds kept->depth_first of one, or of two at once, in `memory`, if it is not there; in the legacy stream */
SptrsvStatus strips_depth_first(const StripsCourse course[], int count, SptrsvMemory *memory);

/* Arranges the plan in the order and by the schedule that it asks for.  own: its rows */
SptrsvStatus strips_arrange_rows(SptrsvPlan plan, const DeviceRows &own);

/* Bricks of about as many rows as the plan asks for, 0: by rule.  potential: memory for the order */
SptrsvStatus strips_bricks(SptrsvPlan plan, const Rows &rows, Scratch<Key> &potential, StripsOrder *order);

} // namespace sptrsv
