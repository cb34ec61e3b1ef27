/* The graph of unknowns that are sorted into strips, by their positions, as a list schedule is played through. */
#pragma once
#include "arrange.cuh"

namespace sptrsv {

/* Device arrays.  Near is what is in the same strip. */
struct NearFar {
  Adjacency            far;   /* those in other strips that each needs */
  Adjacency            users; /* near ones that need it */
  const unsigned char *near;  /* [n] near ones that it needs */
};

/* What that is in */
struct NearFarMemory {
  Scratch<int>           ptr, far, users; /* ptr: of both, with a common sum */
  Scratch<unsigned char> near;
};

/* Strips of this order, and inside of one the unknowns that go first.  heights: as in StripsCourse */
SptrsvStatus strips_sort_by_priority(Rows rows, int levels, const int *heights, const StripsOrder &order, StripsSort *sort);

/* In the legacy stream */
SptrsvStatus near_far(const Rows &rows, const StripsSort &sort, NearFarMemory &memory, NearFar *graph);

} // namespace sptrsv
