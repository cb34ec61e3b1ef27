/* The factorizations on the device: what their methods share. */
#pragma once
#include "../analysis/adjacency.cuh"
#include "../plan/entries.cuh"
#include "../device/pivots.cuh"
#include "../device/tickets.cuh"
#include "factor.h"

namespace sptrsv {

/* The pattern of a factor on the device, with all diagonal entries */
struct FactorPattern : SptrsvPattern {
  int *source; /* [nnz] position of each entry in A's values, or SPTRSV_FILL; NULL: the entry's own */
};

/* One factorization of A's values with a given shift (device arrays) */
template <class V> struct Pass {
  FactorPattern f;
  const V      *a;
  V            *v;     /* [nnz] the factor */
  V             shift; /* of the whole diagonal */
  Inversion     invert;
  int          *report; /* pinned host memory: if not NULL, the last kernel writes bad_row here, which saves a separate copy */
};

/* What entry e of the factor starts from: A's, or zero, shifted on the diagonal */
template <class V> __device__ __forceinline__ V start_value(const Pass<V> &pass, int e, bool diagonal)
{
  return entry_of(pass.a, pass.f.source, e) + (diagonal ? pass.shift : V(0));
}

/* The source of the factor's pattern, in new memory or where it is already; ICC's left of the diagonal is the mirror image's */
SptrsvStatus find_source(SptrsvFactor factor, SptrsvMemory *memory, int **source);

/* mirrored [nnz] (device): position of the mirror image of each entry left of the diagonal, -1: none; of others one of these marks */
enum { RIGHT_OF_DIAGONAL = -2, ON_DIAGONAL = -3 };
SptrsvStatus find_mirrored(const SptrsvPattern &p, int *mirrored);
SptrsvStatus longest_row(const FactorPattern &f, int *longest); /* in entries */

/* No entry of v [nnz] is ready, and no pivot small, when what follows in the stream begins */
SptrsvStatus factor_start(SptrsvValueType type, int nnz, void *v, int *bad_row, cudaStream_t stream);

/* The factor's device_of(): its pattern, and what passes leave, values of so many bytes and reports to the host */
SptrsvStatus device_create(SptrsvFactor factor, size_t bytes);
void         device_destroy(SptrsvFactor factor); /* with the work, and all that the factor's memory does not have */
/* Ends a pass: fills the plans behind it, waits for it, and takes its bad_row, which the host may have already.  STALLED: it gave up */
SptrsvStatus end_pass(SptrsvFactor factor, const SptrsvNumeric &numeric, bool reported, const volatile unsigned *stalled,
                      SptrsvFactorResult *result);

/* The analysis of a block form's pattern, and if all blocks are dense and of equal size that of its blocks */
SptrsvStatus analyse_form(const SptrsvCsr &pattern, SptrsvFactorBlocks *blocks);

/* How well a pattern suits a method: it is refused; taken if it is asked for; taken by auto if it suits no method before it so well */
enum class Fit { NONE, ALLOWED, BEST };

/* A pass of values of any type: all but the pattern */
struct PassOptions {
  const void *a;
  double      shift;
  Inversion   invert;
  int        *report;
};

enum FactorFact : unsigned {
  TUNED   = 1, /* has options, so that sptrsvFactorTune() makes its data; not for auto */
  REPORTS = 2  /* its last kernel writes bad_row to the host, too */
};

} // namespace sptrsv

/* A method: a row in its own file.  A pass leaves the factor in factor->values, and small pivots in bad_row; all work is in the stream. */
struct SptrsvFactorMethod {
  SptrsvAlgorithm info;
  unsigned        facts; /* a sum of sptrsv::FactorFact */

  SptrsvStatus (*judge)(SptrsvFactor factor, sptrsv::Fit *fit);                                    /* NULL: it takes any pattern */
  SptrsvStatus (*create)(SptrsvFactor factor, const SptrsvTuning *tuning, SptrsvFactorWork *work); /* tuning: of TUNED only */
  SptrsvStatus (*pass)(SptrsvFactor factor, const sptrsv::PassOptions &options, cudaStream_t stream);
  bool (*again)(SptrsvFactor factor); /* after a pass: it has to be repeated, which will go another way; NULL: it never has */
  void (*describe)(SptrsvFactor factor, char *text, size_t size);
  void (*destroy)(void *data); /* frees what the data refer to beside work->memory; NULL: nothing */
};

namespace sptrsv {

using FactorMethod = SptrsvFactorMethod;
SPTRSV_TABLE FactorMethod factorSweep, factorBlockRows, factorRows, factorEntries;

/* Tickets for pieces of work, and for as many of the kernel's warps, with so many bytes of block_memory(), as fit on the GPU */
template <class K> SptrsvStatus resident_tickets(K *kernel, size_t memory, int pieces, SptrsvFactorWork *work, Tickets *tickets)
{
  int warps;

  SPTRSV_TRY(count_resident_blocks(kernel, WARP, &warps, memory));
  SPTRSV_TRY(tickets_create(&work->memory, pieces, std::max(1, std::min(warps, pieces)), tickets));
  work->stalled = tickets->stalled;
  return SPTRSV_SUCCESS;
}

template <class T> const T &data_of(SptrsvFactor factor)
{
  return *(const T *)factor->work.data;
}

/* The factorization of one factor on the device */
struct FactorDevice {
  FactorPattern       f;
  int                *bad_row, *bad_row_host; /* the latter in pinned host memory */
  unsigned long long *gap;
  cudaEvent_t         factored;              /* a pass is complete */
  SptrsvPlan          lower;                 /* that is lent; NULL: none */
  const FactorMethod *asked, *method, *made; /* NULL: auto; not chosen yet; none has made factor->work */

  /* Of a factor of blocks */
  void *halves; /* [n][rows * rows] of ICC the H of each D^-1 = H H^T; NULL: not asked for yet */
  bool  halved; /* they are those of the last pass */
};
inline FactorDevice &device_of(SptrsvFactor factor)
{
  return *(FactorDevice *)factor->device;
}

template <class V> Pass<V> pass_of(SptrsvFactor factor, const PassOptions &o)
{
  return {device_of(factor).f, (const V *)o.a, (V *)factor->values, (V)o.shift, o.invert, o.report};
}

} // namespace sptrsv
