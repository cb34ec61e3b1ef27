/* `split`, shared by its methods for host and device: decision, matrices of the parts, and their plans (doc/algorithms/split.md). */
#pragma once
#include "../../analysis/analysis.h"
#include "../../../../include/sptrsv_study.h"

SPTRSV_BEGIN_C

/* Options of `split`.  Zero stands for the default.  Members with a symbol have the meaning and default of Ahmad, Yilmaz and Unat.
   A level with at least `parallel_rows` rows is parallel-friendly, all others are serial-friendly. */
typedef struct {
  SptrsvSplitPolicy policy;
  int               level;              /* levels of the first part, for a policy of two parts; 0: the policy's own rule */
  const char       *first, *second;     /* algorithm of each part, for that part's memory; NULL: the policy's own */
  int               min_levels;         /* t = 40: levels above which CPU and GPU may share a sweep */
  int               min_rows;           /* s = 10000: rows from which CPU and GPU may share a sweep */
  int               parallel_rows;      /* m = 200 */
  double            serial_levels;      /* u = 10 %: minimum of serial-friendly levels for sharing, of all levels */
  double            parallel_share;     /* v = 60 %: minimum of rows in parallel-friendly levels for sharing, of all rows */
  double            gpu_serial_levels;  /* a = 10 %: maximum of serial-friendly levels in the GPU's part, of all such levels */
  double            gpu_parallel_share; /* b = 85 %: minimum of rows in parallel-friendly levels in the GPU's part, of all such rows */
  int               column_rounds;      /* c = 100: minimum saving of a GPU-GPU split, in rounds of a warp over the longest column */
  int               row_rounds;         /* d = 75: GPU-GPU puts rows of at least this number of rounds into its first part */
  int               good_rows;          /* n_good = 10: CPU-CPU cuts after a level with at least this number of rows (a good level) */
  double            bad_share;          /* f_bad = 1 %: maximum share of rows in smaller levels before that cut */
} SptrsvSplitOptions;

/* Reads the parameters, checks that they go together for a plan in this memory, and fills in the defaults */
SptrsvStatus sptrsvSplitOptionsRead(const char *parameters, SptrsvLocation location, SptrsvSplitOptions *options, char *error, size_t size);

/* What both rows of the table share */
#define SPTRSV_SPLIT_SOURCE "Ahmad, Yilmaz, Unat: A Split Execution Model for SpTRSV"
SPTRSV_TABLE SptrsvMethod sptrsvSplitHost, sptrsvSplitDevice;
extern const SptrsvOption sptrsvSplitKeys[];
SptrsvStatus              sptrsvSplitCheck(const SptrsvPlanOptions *options, char *error, size_t size);

/* Figure 5: (1) splitting decision, (2) slicing and (3) algorithm mapping, by split->graph.  All levels are of the first part if the policy
   is unified.  Defaults in `options` must have been filled in. */
void sptrsvSplitDecide(SptrsvSplit *split, const SptrsvSplitOptions *options, bool gpu);

static inline bool sptrsvSplitIsUnified(SptrsvSplitPolicy policy)
{
  return policy == SPTRSV_SPLIT_CPU || policy == SPTRSV_SPLIT_GPU;
}

/* Returns where part k runs */
SptrsvLocation sptrsvSplitLocation(SptrsvSplitPolicy policy, int k);

/* First member of the plans of both methods.  Unless the policy is unified, the triangle is cut as in Figure 3: its rows in level order,
   after a level,

       | I      |   split.rows[0] rows
       | II III |   split.rows[1] rows

   I and III are patterns of their own, II is a rectangle. */
typedef struct {
  SptrsvSplit        split; /* result of sptrsvPlanGetSplit() */
  SptrsvSplitOptions options;
  SptrsvAnalysis     analysis[2];
  int               *row_ptr, *col_idx; /* of II: [rows[1] + 1], [nnz[1]] */
  int               *source;            /* [nnz[0] + nnz[1] + nnz[2]] positions of the entries of I, II, III in the analysed pattern */
  int               *from, *to;         /* [rows] positions in b and x of the rows, in the order of the parts */
} SptrsvSplitPlan;

/* sptrsvSplitPrepare() makes the decision and the slices, sptrsvSplitBuildParts() the plans of the parts that have rows.  With a unified
   policy the only part uses the plan's own analysis.  A part in the memory of the plan's vectors reads b (first part only) and writes x
   directly.  The second part reads its right-hand side, changed by the product with II, from an array [n[1]]. */
SptrsvStatus sptrsvSplitPrepare(SptrsvPlan plan, SptrsvSplitPlan *s);
SptrsvStatus sptrsvSplitBuildParts(SptrsvPlan plan, SptrsvSplitPlan *s);
void         sptrsvSplitDestroy(SptrsvPlan plan, SptrsvSplitPlan *s);
void         sptrsvSplitDescribe(SptrsvPlan plan, char *text, size_t size);

/* The transfers of sptrsvPlanSplitTransfer() (split.cu) */
SptrsvStatus sptrsvSplitTransferDevice(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream);

/* Operands of right = b - II x on the host.  Row r reads b[from[r]], or b[r] if from is NULL; col_idx holds positions in x. */
typedef struct {
  SptrsvValueType type;
  int             n;
  const int      *row_ptr, *col_idx, *from;
  const void     *values, *b, *x;
  void           *right;
} SptrsvProduct;
void sptrsvSplitProduct(SptrsvPlan helper, const SptrsvProduct *p); /* uses helper's threads if that plan is of host-threads */

SPTRSV_END_C
