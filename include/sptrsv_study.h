/*
   sptrsv_study.h - What sptrsv.h's algorithms are made of, for those who compare them: methods for levels, the dependency graph, split
   execution, files with yuenyeung's threshold.  Conventions are those of sptrsv.h.
*/
#ifndef SPTRSV_STUDY_H
#define SPTRSV_STUDY_H
#include "sptrsv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------- levels (Li, section 4) ----------------------------------------------- */

/* Ways to find levels; all find the same. */
typedef enum {
  SPTRSV_LEVELS_HOST_ROWS,    /* on the host, each row after those that it needs (Li, 4.1) */
  SPTRSV_LEVELS_HOST_COLUMNS, /* on the host, each row raises the levels of those that need it (Li, 4.1) */
  SPTRSV_LEVELS_ROWS,         /* on the GPU in one launch, rows wait for the levels of those that they need; what plans use */
  SPTRSV_LEVELS_KAHN          /* on the GPU, Kahn's algorithm as Li, 4.4.1, has it: a launch and a copy to the host for each level */
} SptrsvLevelMethod;

/* What the steps of a set-up took, in milliseconds (Li, Table 1; which algorithm needs which is said there). */
typedef struct {
  double pattern_to_host;  /* MAT_D2H: 0 but for host methods with an analysis on the device */
  double transpose;        /* TRANS: the triangle by columns, from rows; where the analysis is */
  double dependencies;     /* DEP: how many others each unknown needs; where the analysis is */
  double levels;           /* LEV: level of each row, and the rows level by level */
  double levels_to_device; /* LEV_H2D: 0 but for host methods with an analysis on the device */
} SptrsvSetupTimes;

/*
   sptrsvAnalysisComputeLevels - Levels by a method of choice, and how long that took; the analysis stays as it is.

   Output:
     level - host [rows], counted from 0
     times - of all steps, whether or not the method needs them, each with its temporary memory; may be NULL

   Methods on the GPU are for an analysis on the device.
   Errors: INVALID_ARGUMENT, OUT_OF_MEMORY, NO_DEVICE, STALLED, CUDA_ERROR.
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
  double             parallel_levels; /* PFL: levels with at least so many rows as asked for, in % of the levels */
  double             parallel_rows;   /* PFR: rows of these levels, in % of the rows */
  int64_t            longest_column;  /* MCL */
  int64_t            longest_row;     /* MRL */
  double             mean_row;        /* ARL: nnz / rows */
  const SptrsvLevel *level;           /* host [levels], owned by the analysis */
} SptrsvGraph;

/*
   sptrsvAnalysisGetGraph - Rows per level and what split execution decides by, computed at the first request.

   Input:
     parallel_rows - from so many rows on a level is parallel-friendly (m)
*/
SPTRSV_API SptrsvStatus sptrsvAnalysisGetGraph(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op, int parallel_rows,
                                               SptrsvGraph *graph);

/* How a plan of `split` does its sweep.  The second part is empty if the policy is unified. */
typedef struct {
  SptrsvSplitPolicy policy;       /* the one chosen, never AUTO */
  const char       *reason;       /* for it */
  SptrsvGraph       graph;        /* what it was chosen by */
  int64_t           level;        /* levels of the first part */
  int64_t           rows[2];      /* of the parts */
  int64_t           nnz[3];       /* of the first part, the rectangle between them, and the second part */
  const char       *algorithm[2]; /* NULL: the part is empty */
  double            setup[4];     /* seconds for the graph, the decision, the matrices of the parts, their plans: Equation 2 */
  int64_t           transfer;     /* bytes that a solve moves between host and device: Equation 4 */
} SptrsvSplit;

/* sptrsvPlanGetSplit - INVALID_ARGUMENT if the plan is not one of `split`. */
SPTRSV_API SptrsvStatus sptrsvPlanGetSplit(SptrsvPlan plan, SptrsvSplit *split);

/* sptrsvPlanSplitTransfer - What sptrsvSolve() moves between host and device, without the work in between, so that its share of the
   time can be measured (Equation 3).  x is overwritten with numbers of no meaning.  Errors: as of sptrsvPlanGetSplit(), and of
   sptrsvSolve() but for STALLED. */
SPTRSV_API SptrsvStatus sptrsvPlanSplitTransfer(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream);

/* -------------------------------- yuenyeung's threshold (Zhang et al., YuenyeungSpTRSV, section 6.2) --------------------- */

/*
   sptrsvThresholdFileName - Name, without a folder, of the file that holds a GPU model's threshold: the model with every character but
   letters, digits, '-' and '.' replaced by '_', then ".threshold".

   Input:
     gpu  - the model, as from sptrsvDeviceName()
     size - of `name`; SPTRSV_NAME_LENGTH is enough for every model

   Errors: INVALID_ARGUMENT (also: too long for `name`).
*/
SPTRSV_API SptrsvStatus sptrsvThresholdFileName(const char *gpu, char *name, size_t size);

/*
   sptrsvThresholdRead - The threshold that syncfree_train wrote (Zhang et al., YuenyeungSpTRSV, section 6.2).

   The file is text in lines "word = text"; those with `gpu` and `threshold` must be there, once.  Other words say how they were found
   and are not looked at, empty lines and lines that begin with # neither.

   Input:
     path - of the file
     gpu  - the model for which it must be; NULL: any
     size - of `error`

   Output:
     threshold - mean number of entries of a row, positive and finite, for SptrsvPlanOptions
     error     - on FILE_ERROR a sentence that names the file and the line; may be NULL if size is 0

   Errors: INVALID_ARGUMENT, FILE_ERROR.
*/
SPTRSV_API SptrsvStatus sptrsvThresholdRead(const char *path, const char *gpu, double *threshold, char *error, size_t size);

/* Folders in which a file is looked for if none is named */
typedef enum {
  SPTRSV_THRESHOLD_USER,      /* $XDG_CONFIG_HOME/syncfree, or else ~/.config/syncfree */
  SPTRSV_THRESHOLD_INSTALLED, /* share/syncfree beside the folder that this library was loaded from */
  SPTRSV_THRESHOLD_PLACES
} SptrsvThresholdPlace;

/* sptrsvThresholdPath - Path of a GPU model's file in such a folder, whether or not it is there.
   Errors: INVALID_ARGUMENT; FILE_ERROR (there is no such folder, or `size` is too small). */
SPTRSV_API SptrsvStatus sptrsvThresholdPath(SptrsvThresholdPlace place, const char *gpu, char *path, size_t size);

#ifdef __cplusplus
}
#endif
#endif
