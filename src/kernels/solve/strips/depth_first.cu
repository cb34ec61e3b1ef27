/*
   An order for strips: depth first.

   Rows follow soon after those that they need: of the rows that are ready, the one that became so last goes first.  What makes a row ready
   is the last one that it needs.  So the order is the preorder of a forest, in which that one is a row's parent.  But which one is the last
   depends on the order; so rounds take the parents from the preorder of the round before, and come nearer to it.  After the last round a
   row that would be before one that it needs goes behind that.  Two sweeps have one forest.  See doc/algorithms/strips.md.
*/
#include <climits>
#include "arrange.cuh"

namespace {

using namespace sptrsv;

constexpr int ROUNDS = 12, SETTLED = 16; /* at most; and a round is the last in which one of so many parents changes, or fewer */
constexpr int NEAREST = 64;              /* needs of a long row that are looked at */
constexpr int HOPS    = 4;               /* of a walk in one launch */

/* A stop of the walk round the forest, which enters each place and leaves it: in the lower half a later stop, at first the next one, and in
   the upper half how many places are entered from this one up to that */
using Stop               = Key;
constexpr Stop ENTERS    = Stop(1) << 32;
constexpr Stop NEXT_STOP = ENTERS - 1;

__host__ __device__ __forceinline__ unsigned entered(unsigned place)
{
  return 2 * place;
}
__host__ __device__ __forceinline__ unsigned left(unsigned place)
{
  return 2 * place + 1;
}

/* One sweep, or two.  A row's place is that in its sweep, behind all of the first sweep if it is of the second; so are rows' numbers. */
struct Sweeps {
  Rows rows[2];
  int  n, places; /* rows of each; of all */

  __device__ __forceinline__ int         first(int place) const { return place < n ? 0 : n; } /* place of the sweep */
  __device__ __forceinline__ const Rows &of(int place) const { return rows[place >= n]; }
  __device__ __forceinline__ int         row(int place) const { return first(place) + in_order(of(place), place - first(place)); }
};

/* parent [places]: 1 + the place of the last row that the row at a place needs, 0: it needs none; preorder [places]: as of number_rows().
   *changed: device, to which the number of parents that are others than before is added */
SptrsvStatus find_parents(const Sweeps &sweeps, const unsigned *preorder, unsigned *parent, unsigned *changed)
{
  return for_each(sweeps.places, [=] __device__(int place) {
    const Rows &rows  = sweeps.of(place);
    const int   first = sweeps.first(place), i = in_order(rows, place - first), begin = first_of(rows.needs, i), end = rows.needs.end[i];
    Key         last = 0; /* its number, and in the lower half what it is as a parent */

    for (int k = 0; k < min(end - begin, NEAREST); k++) {
      const int j = rows.needs.idx[rows.backwards ? begin + k : end - 1 - k];

      last = max(last, (Key)preorder[first + j] << 32 | (unsigned)(first + in_order(rows, j) + 1));
    }
    if (parent[place] != (unsigned)last) add_relaxed(changed, 1u);
    parent[place] = (unsigned)last;
  });
}

/* preorder [places]: of each row, in the forest of these parents; siblings, and roots, are in the order of their places */
SptrsvStatus number_rows(const Sweeps &sweeps, const unsigned *parent, unsigned *preorder)
{
  const int     places = sweeps.places;
  Scratch<int>  by_parent; /* places */
  Scratch<Stop> stops;     /* [2 places + 1], and the end, which is the next one of itself */

  SPTRSV_TRY(by_parent.create(places));
  SPTRSV_TRY(stops.create(left(places)));
  Stop *const      stop  = stops;
  const int *const child = by_parent;

  SPTRSV_TRY(sort_numbers(parent, places, (unsigned)places + 1, by_parent));
  SPTRSV_TRY(for_each(places, [=] __device__(int place) { stop[entered(place)] = ENTERS + left(place); })); /* without children */
  SPTRSV_TRY(for_each(places, [=] __device__(int k) {
    const unsigned above = parent[child[k]];
    const bool     first = !k || parent[child[k - 1]] != above, last = k == places - 1 || parent[child[k + 1]] != above;

    stop[left(child[k])] = !last ? entered(child[k + 1]) : above ? left(above - 1) : entered(places);
    if (first && above) stop[entered(above - 1)] = ENTERS + entered(child[k]);
    if (!k) stop[entered(places)] = entered(places);
  }));
  for (unsigned hops = 1; hops < left(places); hops *= HOPS) {
    SPTRSV_TRY(for_each((int)entered(places), [=] __device__(int s) {
      Stop one = load_relaxed(stop + s);

      for (int k = 1; k < HOPS; k++) one = (one & ~NEXT_STOP) + load_relaxed(stop + (one & NEXT_STOP));
      store_relaxed(stop + s, one);
    }));
  }
  return for_each(places,
                  [=] __device__(int place) { preorder[sweeps.row(place)] = (unsigned)places - (unsigned)(stop[entered(place)] >> 32); });
}

/* order [unknowns] of rows that may be cut: by the row's number, and those of one number as they are solved */
SptrsvStatus sort_unknowns(const Rows &unknowns, const unsigned *number, int numbers, int *order)
{
  const int         n = unknowns.needs.n;
  Scratch<unsigned> key;

  SPTRSV_TRY(key.create(n));
  SPTRSV_TRY(for_each(n, [=, key = (unsigned *)key] __device__(int k) {
    int i = in_order(unknowns, k);

    while (unknowns.row && unknowns.row[i] < 0) i++; /* a row's partial sums come in front of it */
    key[k] = number[unknowns.row ? unknowns.row[i] : i];
  }));
  SPTRSV_TRY(sort_numbers(key, n, (unsigned)numbers, order));
  return for_each(n, [=] __device__(int k) { order[k] = in_order(unknowns, order[k]); });
}

} // namespace

SptrsvStatus sptrsv::strips_depth_first(const StripsCourse course[], int count, SptrsvMemory *memory)
{
  if (course->kept->depth_first) return SPTRSV_SUCCESS;
  const int n = course->whole->rows.needs.n;

  if (n > INT_MAX / 4) return SPTRSV_TOO_LARGE;
  const Sweeps        sweeps = {{course[0].whole->rows, course[count - 1].whole->rows}, n, count * n};
  PathGraph<unsigned> graph[2];
  unsigned            changed = (unsigned)sweeps.places;
  Scratch<unsigned>   parent, preorder, latest; /* the largest number of a row and of all that it needs, directly or not */

  SPTRSV_TRY(create_all(sweeps.places, parent, preorder, latest));
  SPTRSV_TRY(for_each(sweeps.places, [=, preorder = (unsigned *)preorder] __device__(int place) { preorder[sweeps.row(place)] = place; }));
  SPTRSV_CUDA(cudaMemsetAsync(parent, 0xff, (size_t)sweeps.places * sizeof(unsigned)));
  for (int round = 0; round < ROUNDS && changed > (unsigned)sweeps.places / SETTLED; round++) {
    changed = 0;
    SPTRSV_TRY(run_on(&changed, [&](unsigned *d_changed) { return find_parents(sweeps, preorder, parent, d_changed); }));
    SPTRSV_TRY(number_rows(sweeps, parent, preorder));
  }
  for (int k = 0; k < count; k++) graph[k] = {sweeps.rows[k].needs, sweeps.rows[k].backwards, latest + k * n, preorder + k * n};
  SPTRSV_TRY(largest_of_paths(graph, count));
  for (int k = count - 1; k >= 0; k--) { /* the first one last, since it tells that there are all */
    const Rows &unknowns = course[k].rows->rows;
    int        *order;

    SPTRSV_TRY(sptrsvDeviceNew(memory, (size_t)unknowns.needs.n, &order));
    SPTRSV_TRY(sort_unknowns(unknowns, latest + k * n, sweeps.places, order));
    course[k].kept->depth_first = order;
  }
  return SPTRSV_SUCCESS;
}
