/*
   sptrsv_study.h - Interfaces for studies of the algorithms of sptrsv.h: methods for levels, the dependency graph, and split execution.
   The conventions are those of sptrsv.h.  A library that was built without studies has none of these functions.
*/
#ifndef SPTRSV_STUDY_H
#define SPTRSV_STUDY_H
#include "sptrsv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------- levels (Li, section 4) ----------------------------------------------- */

/* Methods to compute levels; all compute the same levels. */
typedef enum {
  SPTRSV_LEVELS_HOST_ROWS,    /* on the host: each row takes its level from the rows it depends on (Li, 4.1) */
  SPTRSV_LEVELS_HOST_COLUMNS, /* on the host: each row raises the levels of the rows that depend on it (Li, 4.1) */
  SPTRSV_LEVELS_ROWS,         /* on the GPU in one launch: rows wait for the levels of the rows they depend on; used by plans */
  SPTRSV_LEVELS_KAHN          /* on the GPU: Kahn's algorithm of Li, 4.4.1, with a launch and a copy to the host for each level */
} SptrsvLevelMethod;

/* Times of the steps of a set-up, in milliseconds.  Li's Table 1 lists the steps each algorithm needs. */
typedef struct {
  double pattern_to_host;  /* MAT_D2H: 0 except for host methods with an analysis on the device */
  double transpose;        /* TRANS: the triangle from rows to columns, in the memory of the analysis */
  double dependencies;     /* DEP: number of unknowns each unknown depends on, in the memory of the analysis */
  double levels;           /* LEV: level of each row, and the rows sorted by level */
  double levels_to_device; /* LEV_H2D: 0 except for host methods with an analysis on the device */
} SptrsvSetupTimes;

/*
   sptrsvAnalysisComputeLevels - Computes levels by the given method and measures the time; the analysis does not change.

   Output:
     level - host [rows], counted from 0
     times - of all steps, needed by the method or not, each with the allocation of its temporary memory; may be NULL

   Methods on the GPU need an analysis on the device.
   Errors: INVALID_ARGUMENT, WRONG_MEMORY (a method of the GPU, an analysis of the host), OUT_OF_MEMORY, NO_DEVICE, STALLED, CUDA_ERROR.
*/
SPTRSV_API SptrsvStatus sptrsvAnalysisComputeLevels(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op,
                                                    SptrsvLevelMethod method, int32_t *level, SptrsvSetupTimes *times);

/* ----------------------------------------- split execution (Ahmad, Yilmaz and Unat) -------------------------------------- */

/* One level of a sweep's dependency graph */
typedef struct {
  int64_t nnz; /* entries of its rows in the triangle, with the diagonal */
  int32_t rows, longest_row, longest_column;
} SptrsvLevel;

/* The dependency graph of one sweep, as in Ahmad, Yilmaz and Unat, section 4.2.1; lengths of rows and columns count the diagonal. */
typedef struct {
  int64_t            rows, nnz;
  int64_t            levels;          /* NL */
  double             parallelism;     /* AP: rows / levels */
  double             parallel_levels; /* PFL: parallel-friendly levels, in % of the levels */
  double             parallel_rows;   /* PFR: rows of these levels, in % of the rows */
  int64_t            longest_column;  /* MCL */
  int64_t            longest_row;     /* MRL */
  double             mean_row;        /* ARL: nnz / rows */
  const SptrsvLevel *level;           /* host [levels], owned by the analysis */
} SptrsvGraph;

/*
   sptrsvAnalysisGetGraph - The dependency graph of a sweep, from which split execution decides; computed at the first request.

   Input:
     parallel_rows - rows that make a level parallel-friendly (m)
*/
SPTRSV_API SptrsvStatus sptrsvAnalysisGetGraph(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op, int parallel_rows,
                                               SptrsvGraph *graph);

/* Processors of a split sweep: one for all levels (unified), or one for the first levels and one for the others.  A plan on the host
   has only the CPU. */
typedef enum {
  SPTRSV_SPLIT_AUTO,
  SPTRSV_SPLIT_CPU, /* unified */
  SPTRSV_SPLIT_GPU, /* unified */
  SPTRSV_SPLIT_CPU_GPU,
  SPTRSV_SPLIT_GPU_CPU,
  SPTRSV_SPLIT_CPU_CPU,
  SPTRSV_SPLIT_GPU_GPU
} SptrsvSplitPolicy;

/* sptrsvSplitPolicyName - The name of a policy in the parameters of `split`, or NULL. */
SPTRSV_API const char *sptrsvSplitPolicyName(SptrsvSplitPolicy policy);

/* Decision, parts and costs of a plan of `split`.  The second part is empty if the policy is unified. */
typedef struct {
  SptrsvSplitPolicy policy;       /* the one chosen, never AUTO */
  const char       *reason;       /* reason for the policy */
  SptrsvGraph       graph;        /* the graph that the decision is based on */
  int64_t           level;        /* levels of the first part */
  int64_t           rows[2];      /* rows of each part */
  int64_t           nnz[3];       /* entries of the first part, of the rectangle between the parts, and of the second part */
  const char       *algorithm[2]; /* NULL: the part is empty */
  double            setup[4];     /* seconds for the graph, the decision, the matrices of the parts, their plans: Equation 2 */
  int64_t           transfer;     /* bytes that a solve moves between host and device: Equation 4 */
} SptrsvSplit;

/* sptrsvPlanGetSplit - INVALID_ARGUMENT if the plan is not one of `split`. */
SPTRSV_API SptrsvStatus sptrsvPlanGetSplit(SptrsvPlan plan, SptrsvSplit *split);

/* sptrsvPlanSplitTransfer - Makes only the transfers of sptrsvSolve() between host and device, to measure their share of the time
   (Equation 3).  x is overwritten with meaningless values.  Errors: those of sptrsvPlanGetSplit(), and of sptrsvSolve() except STALLED. */
SPTRSV_API SptrsvStatus sptrsvPlanSplitTransfer(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream);

#ifdef __cplusplus
}
#endif
#endif
