/* `strips`: its plan, between set-up and kernel. */
#pragma once
#include "../../device/tickets.cuh"
#include "../../plan/triangle.cuh"
#include "../ends.cuh"
#include "strips.h"

namespace sptrsv {

#if !defined(SPTRSV_STRIP_RING)
  #define SPTRSV_STRIP_RING  1024      /* places of a strip whose x is in shared memory, a multiple of WARP */
  #define SPTRSV_STRIP_MOST  (1 << 17) /* unknowns of a strip, whose end is its only sign of life (tickets.cuh) */
  #define SPTRSV_STRIP_TEAMS 1         /* of a multiprocessor, as a list schedule has them */
#endif

/*
   A strip is a part of a topological order, in level order.  Unknowns have places, WARP to a chunk, which need not be full.  An entry is
   near if its unknown is in the same strip and still in the ring when it is needed, and far otherwise.
*/

/* The unknowns of WARP places.  Far entry k of lane l is in slot far + WARP k + l. */
struct alignas(16) SptrsvStripChunk {
  int far, fars;     /* the first slot, and far entries per lane */
  int record, nears; /* the first quad, and near entries per lane, at least 1 */
};

/* Marks.  Lane l of a chunk is solved in its step SPTRSV_STRIP_STEP(mark[l]). */
#define SPTRSV_STRIP_FAR                    1u /* the unknown is far from another */
#define SPTRSV_STRIP_STEP(mark)             ((mark) >> 1 & 0x3f)
#define SPTRSV_STRIP_LAST(mark)             ((mark) >> 7 & 0x3f) /* the chunk's last step */
#define SPTRSV_STRIP_MORE(mark)             ((mark) >> 13)       /* groups of SPTRSV_STRIP_GROUP near entries in the chunk, less one */
#define SPTRSV_STRIP_MARK(step, last, more) ((unsigned)(step) << 1 | (unsigned)(last) << 7 | (unsigned)(more) << 13)

struct alignas(16) Quad {
  unsigned w[4];
};

/*
   Record of an unknown of V, whose values are stored as S, in quads.  The first has 1 / diagonal, the mark, and the places of the first
   near entries.  Quads of values follow.  When places run out, a quad with eight more comes in between.  So an unknown with few near
   entries needs the first quads only.  Where 1 / diagonal fills the first quad, the mark and those places are in the second one.  Places
   are in bytes from the team's x, of one column.
*/
template <class V, class S = V> struct RecordLayout {
  static constexpr int VALUES = 16 / sizeof(S);                         /* entries of a quad */
  static constexpr int HEAD   = 1 + sizeof(V) / 16;                     /* quads in front of those of values; the last with the mark, */
  static constexpr int MARK   = sizeof(V) % 16 / 2;                     /* which is here, in units of 2 bytes, */
  static constexpr int FIRST  = 8 - MARK - 1;                           /* and so many places */
  static constexpr int BEFORE = (FIRST + VALUES - 1) / VALUES;          /* quads of values before more places */
  static constexpr int PLACES = HEAD + BEFORE, PERIOD = 8 / VALUES + 1; /* quads PLACES, PLACES + PERIOD, … have them */

  __host__ __device__ static constexpr int value_quad(int k)
  {
    const int before = k / VALUES; /* quads of values */

    return HEAD + before + (before < BEFORE ? 0 : 1 + (before - BEFORE) / (PERIOD - 1));
  }
  __host__ __device__ static constexpr int place_quad(int k) { return k < FIRST ? HEAD - 1 : PLACES + (k - FIRST) / 8 * PERIOD; }
  __host__ __device__ static constexpr int place_in_quad(int k) { return k < FIRST ? MARK + 1 + k : (k - FIRST) % 8; } /* as MARK */
  /* for so many entries, at least 1 */
  __host__ __device__ static constexpr int quads(int entries)
  {
    const int value = value_quad(entries - 1), place = place_quad(entries - 1);

    return 1 + (value > place ? value : place);
  }
  /* Words of the quad with the mark up to the last place that so many entries have there */
  __host__ __device__ static constexpr int  mark_words(int entries) { return (MARK + (entries < FIRST ? entries : FIRST)) / 2 + 1; }
  __host__ __device__ static constexpr bool has_places(int quad) { return quad >= PLACES && (quad - PLACES) % PERIOD == 0; }
  /* The first entry that needs this quad */
  __host__ __device__ static constexpr int first_entry(int quad)
  {
    const int period = (quad - PLACES) / PERIOD, in_period = (quad - PLACES) % PERIOD;

    if (quad < PLACES) return quad < HEAD ? 0 : (quad - HEAD) * VALUES;
    return in_period ? (BEFORE - 1 + period * (PERIOD - 1) + in_period) * VALUES : FIRST + 8 * period;
  }
};

/* The bits of a value, in the words of a quad */
template <class V> __device__ __forceinline__ void set_words(unsigned *w, V v)
{
  const auto bits = bits_as<typename Word<V>::type>(v);

  w[0] = (unsigned)bits;
  if constexpr (sizeof(V) == 8) w[1] = (unsigned)(bits >> 32);
}

template <class R> __device__ __forceinline__ void set_words(unsigned *w, Complex<R> v)
{
  set_words(w, v.re);
  set_words(w + sizeof(R) / 4, v.im);
}

/* RecordLayout<V>::VALUES values */
template <class V> __device__ __forceinline__ Quad quad_of(const V *v)
{
  Quad quad;

#pragma unroll
  for (int k = 0; k < RecordLayout<V>::VALUES; k++) set_words(quad.w + k * (int)(sizeof(V) / 4), v[k]);
  return quad;
}

/* There are kernels for unknowns of up to 2, 3, 4, 8, and 16 near or far entries. */
__host__ __device__ constexpr int strips_kernel_entries(int most)
{
  return most <= 4 ? most < 2 ? 2 : most : most <= 8 ? 8 : 16;
}

/* Several columns that are apart in out leave by windows of chunks, a window later than they are solved: neighbours in out by neighbouring
   lanes, since a store that is alone in its sector costs as much as a full one */
struct alignas(8) StripsExit {
  int place, target; /* the place in the window, and in out; -1: nowhere */
};

/* Entries of an unknown, of which bit k is set in one of these if entry first + k is near or far */
struct alignas(8) StripEntries {
  int            first;
  unsigned short near, far;
};
static_assert(SPTRSV_STRIP_ENTRIES <= 8 * sizeof(StripEntries::near), "a bit for each entry");

/* Device arrays.  Values are divided by the diagonal entry of their row.  V: the type of the sweep; S: that in which the plan stores its
   values; a plan has void, of which a launch makes them. */
template <class V = void, class S = V, class Values = V> struct StripsView {
  int              *strip_ptr; /* [strips + 1] first chunk of each */
  SptrsvStripChunk *chunk;
  Quad             *record;          /* quad q of lane l is at chunk.record + WARP q + l */
  int              *source, *target; /* [places] positions in b and out, or -1; one array if they are equal */
  int              *far_place;       /* [far slots] -1: no entry */
  S                *far_values;
  Values           *x; /* [2][parts of the columns][number of places] */
  size_t            number_of_places;
  Tickets           tickets;
  StripsExit       *exits;  /* [places] of each window by ascending targets; NULL: unknowns leave as they are solved */
  int               window; /* chunks, from a strip's first one on; the last one of a strip may have fewer */
};

/* That a sweep moves for an unknown beside its record: where it is in b and out, and b, out, and x, which is re-armed, too */
template <class V> constexpr size_t STRIPS_UNKNOWN_BYTES = 2 * sizeof(int) + 4 * sizeof(V);

/* What a launch has */
struct StripsTeams : StripsView<> {
  int warps, strips, most; /* most: entries per lane of any chunk, near or far */
};

struct StripsPlan : StripsTeams {
  StripEntries     *entries;         /* [places] */
  const int        *value_source;    /* position of each entry in the matrix's values, or constants; NULL: the entry's own */
  int              *diagonal_source; /* [places] such positions */
  size_t            bytes;           /* that a sweep moves */
  int               rows, chunks, partial_sums;
  SptrsvStripsOrder order;
  int               cut;      /* rows of more entries are cut */
  int               widest;   /* rows of a level in a strip, or of a step, at most */
  int               brick[2]; /* size in near and far potential */
  int               steps;    /* of a list schedule; 0: there is none */
  StripsTeams       together; /* for several columns, if there were any */
};

SptrsvStatus strips_forecast(SptrsvPlan plan, double *us); /* waits for it to be found */
SptrsvStatus strips_invert(const StripsTeams &teams, SptrsvValueType type, const SptrsvSolve &s, const Pivot &end);

/* strips_columns.cu: several right-hand sides at once */
SPTRSV_TABLE SptrsvTogether strips_together;

} // namespace sptrsv
