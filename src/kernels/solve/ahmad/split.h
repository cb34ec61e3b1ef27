/* `split`, what its two methods share: the decision, the matrices of the parts, and their plans.  See doc/algorithms/split.md. */
#ifndef SPTRSV_SPLIT_H
#define SPTRSV_SPLIT_H
#include "../../analysis/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  SptrsvSplitPolicy policy;
  int               level; /* levels of the first part; all of them if the policy is unified */
  const char       *reason;
  const char       *algorithm[2];
} SptrsvSplitDecision;

/* Figure 5: (1) splitting decision, (2) slicing and (3) algorithm mapping.  Options with zeros for the defaults. */
SptrsvSplitDecision sptrsvSplitDecide(const SptrsvGraph *graph, const SptrsvSplitOptions *options, bool gpu);
SptrsvStatus        sptrsvSplitOptionsCheck(const SptrsvSplitOptions *options, SptrsvLocation location);
SptrsvSplitOptions  sptrsvSplitOptionsFill(SptrsvSplitOptions options);                                     /* zeros replaced by defaults */
void                sptrsvSplitOptionsDescribe(const SptrsvSplitOptions *options, char *text, size_t size); /* those that differ */

static inline bool sptrsvSplitIsUnified(SptrsvSplitPolicy policy)
{
  return policy == SPTRSV_SPLIT_CPU || policy == SPTRSV_SPLIT_GPU;
}

/* Where part k runs */
SptrsvLocation sptrsvSplitLocation(SptrsvSplitPolicy policy, int k);

/* Figure 3: the triangle with its rows in level order, cut behind a level,

       | I      |   n[0] rows
       | II III |   n[1] rows

   I and III as patterns of their own, II as a rectangle of n[1] rows.  Moves to analyses and plans piece by piece. */
typedef struct {
  int           n[2], nnz[3]; /* of I and III; of I, II and III */
  SptrsvPattern part[2];
  int          *row_ptr, *col_idx; /* of II: [n[1] + 1], [nnz[1]] */
  int          *source;            /* [nnz[0] + nnz[1] + nnz[2]] positions in the analysed pattern of the entries of I, II, III */
  int          *row;               /* [n[0] + n[1]] rows of the analysed pattern */
} SptrsvSlices;

/* To be freed after a failure, too */
SptrsvStatus sptrsvSlicesCreate(SptrsvPlan plan, int level, SptrsvSlices *s);
void         sptrsvSlicesFree(SptrsvSlices *s);

/* A plan of either method begins with this */
typedef struct {
  SptrsvSplit        split; /* what sptrsvPlanGetSplit() tells */
  SptrsvSplitOptions options;
  SptrsvAnalysis     analysis[2]; /* of I and III, unless the policy is unified */
  SptrsvSlices       slices;
  int               *from, *to; /* [rows] places in b and out of the rows as the parts have them */
} SptrsvSplitPlan;

/* The decision and the slices; then the plans of the parts that have rows.  For unified policies the only part has the plan's own
   analysis.  A part that runs where the plan's vectors are reads b and writes out itself, but the second reads its right-hand side, which
   the product of II has changed, from [n[1]]. */
SptrsvStatus sptrsvSplitPrepare(SptrsvPlan plan, SptrsvSplitPlan *s);
SptrsvStatus sptrsvSplitBuildParts(SptrsvPlan plan, SptrsvSplitPlan *s);
void         sptrsvSplitDestroy(SptrsvPlan plan, SptrsvSplitPlan *s);
void         sptrsvSplitDescribe(SptrsvPlan plan, char *text, size_t size);

/* The moves of sptrsvPlanSplitTransfer() (split.cu) */
SptrsvStatus sptrsvSplitTransferDevice(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream);

/* On the host: right = b - II x.  b and x are taken at places, NULL: as they are. */
typedef struct {
  SptrsvValueType type;
  int             n;
  const int      *row_ptr, *col_idx, *from;
  const void     *values, *b, *x;
  void           *right;
} SptrsvProduct;
void sptrsvSplitProduct(SptrsvPlan helper, const SptrsvProduct *p); /* by the threads of that plan, if it is of host-threads */

#ifdef __cplusplus
}
#endif
#endif
