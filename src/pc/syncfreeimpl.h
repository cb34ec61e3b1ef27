/*
   Private header of the PETSc layer: structs and functions shared by the factor Mat, its engine and the PC.
*/
#pragma once

#include "petsc_release.h"
#include <petscsyncfree.h>
#include <sptrsv.h>

#if PetscDefined(USE_REAL_SINGLE)
  #define SYNCFREE_VALUE (PetscDefined(USE_COMPLEX) ? SPTRSV_COMPLEX_FLOAT : SPTRSV_FLOAT)
#elif PetscDefined(USE_REAL_DOUBLE)
  #define SYNCFREE_VALUE (PetscDefined(USE_COMPLEX) ? SPTRSV_COMPLEX_DOUBLE : SPTRSV_DOUBLE)
#else
  #error "SyncFree requires a PETSc with --with-precision=double or single"
#endif
#define SYNCFREE_INDEX (PetscDefined(USE_64BIT_INDICES) ? SPTRSV_INT64 : SPTRSV_INT32)

/* PETSc's names for the GPU; a PETSc is built for CUDA or for HIP */
#if PetscDefined(HAVE_HIP)
  #define SYNCFREE_GPU                "hip"
  #define SYNCFREE_MATAIJGPU          MATAIJHIPSPARSE
  #define SYNCFREE_MATSEQAIJGPU       MATSEQAIJHIPSPARSE
  #define SYNCFREE_VECSEQGPU          VECSEQHIP
  #define SyncFreeMatGetArrayRead     MatSeqAIJHIPSPARSEGetArrayRead
  #define SyncFreeMatRestoreArrayRead MatSeqAIJHIPSPARSERestoreArrayRead
  #define SyncFreeMatGetIJ            MatSeqAIJHIPSPARSEGetIJ
  #define SyncFreeMatRestoreIJ        MatSeqAIJHIPSPARSERestoreIJ
  #define SyncFreeGetCurrentStream    PetscGetCurrentHIPStream
#else
  #define SYNCFREE_GPU                "cuda"
  #define SYNCFREE_MATAIJGPU          MATAIJCUSPARSE
  #define SYNCFREE_MATSEQAIJGPU       MATSEQAIJCUSPARSE
  #define SYNCFREE_VECSEQGPU          VECSEQCUDA
  #define SyncFreeMatGetArrayRead     MatSeqAIJCUSPARSEGetArrayRead
  #define SyncFreeMatRestoreArrayRead MatSeqAIJCUSPARSERestoreArrayRead
  #define SyncFreeMatGetIJ            MatSeqAIJCUSPARSEGetIJ
  #define SyncFreeMatRestoreIJ        MatSeqAIJCUSPARSERestoreIJ
  #define SyncFreeGetCurrentStream    PetscGetCurrentCUDAStream
#endif
#define SYNCFREE_HAVE_GPU (PetscDefined(HAVE_CUDA) || PetscDefined(HAVE_HIP))
#if !SYNCFREE_HAVE_GPU /* then PETSc does not declare these; no matrix is on a GPU */
  #undef SyncFreeMatGetArrayRead
  #undef SyncFreeMatRestoreArrayRead
  #define SyncFreeMatGetArrayRead     MatSeqAIJGetArrayRead
  #define SyncFreeMatRestoreArrayRead MatSeqAIJRestoreArrayRead
#endif

/* Turns a status of the kernel library into a PETSc error with this text */
#define PetscCheckSptrsv(status, ...) \
  PetscCheck((status) == SPTRSV_SUCCESS, PETSC_COMM_SELF, SyncFreeErrorCode(status), __VA_ARGS__)

/* Calls a function of the kernel library, and turns its status into a PETSc error */
#define PetscCallSptrsv(...) \
  do { \
    SptrsvStatus sptrsv_status_; \
    PetscStackPushExternal(PetscStringize(__VA_ARGS__)); \
    sptrsv_status_ = __VA_ARGS__; \
    PetscStackPop; \
    PetscCheckSptrsv(sptrsv_status_, "%s (%s)", sptrsvGetErrorString(sptrsv_status_), PetscStringize(__VA_ARGS__)); \
  } while (0)

static inline PetscErrorCode SyncFreeErrorCode(SptrsvStatus status)
{
  static const PetscErrorCode codes[] = {
    [SPTRSV_INVALID_ARGUMENT] = PETSC_ERR_ARG_WRONG, [SPTRSV_UNSORTED] = PETSC_ERR_ARG_WRONG,       [SPTRSV_TOO_LARGE] = PETSC_ERR_SUP,
    [SPTRSV_NOT_SUPPORTED] = PETSC_ERR_SUP,          [SPTRSV_NOT_READY] = PETSC_ERR_ARG_WRONGSTATE, [SPTRSV_OUT_OF_MEMORY] = PETSC_ERR_MEM,
    [SPTRSV_NO_DEVICE] = PETSC_ERR_GPU,              [SPTRSV_CUDA_ERROR] = PETSC_ERR_GPU,           [SPTRSV_CUSPARSE_ERROR] = PETSC_ERR_GPU,
    [SPTRSV_UNKNOWN_NAME] = PETSC_ERR_ARG_UNKNOWN_TYPE, [SPTRSV_WRONG_MEMORY] = PETSC_ERR_ARG_INCOMP};

  /* callers handle SPTRSV_MISSING_DIAGONAL themselves: a failed factorization is not an error */
  return status && !codes[status] ? PETSC_ERR_LIB : codes[status]; /* all others */
}

/* -------------------------------------------------------- options -------------------------------------------------------- */
typedef enum {
  SYNCFREE_BOTH, /* sweeps */
  SYNCFREE_LOWER,
  SYNCFREE_UPPER,
  SYNCFREE_NAMES
} SyncFreeName;

#define SYNCFREE_OPTIONS 64 /* names and rows of the kernel library's table of options, at most */

/* Options from one source (PC, factor Mat, database), or the result of all sources, which has no SYNCFREE_BOTH */
typedef struct {
  char        *text[SYNCFREE_OPTIONS]; /* by SyncFreeName, then by row; NULL: not set */
  SptrsvTuning tuning;                 /* of the rows' texts, to which it refers */
  PetscBool    changed;                /* since this was last made false */
} SyncFreeOptions;

PETSC_INTERN const char     SyncFreeAuto[];
PETSC_INTERN const char    *SyncFreeAlgorithm(const SyncFreeOptions *, SyncFreeName);
PETSC_INTERN PetscErrorCode SyncFreeOptionsOverlay(const SyncFreeOptions *, SyncFreeOptions *);
PETSC_INTERN PetscErrorCode SyncFreeOptionsDestroy(SyncFreeOptions *);
PETSC_INTERN PetscErrorCode SyncFreeOptionsSet(MPI_Comm, const char[], const char[], SyncFreeOptions *);
PETSC_INTERN PetscErrorCode SyncFreeOptionsEqual(const SyncFreeOptions *, const SyncFreeOptions *, PetscBool *);
PETSC_INTERN PetscErrorCode SyncFreeOptionsRead(SyncFreeOptionItems, const char[], SyncFreeOptions *);

/* -------------------------------------------------------- engine --------------------------------------------------------- */
typedef enum {
  SYNCFREE_L, /* forward */
  SYNCFREE_U, /* backward */
  SYNCFREE_UT,
  SYNCFREE_LT,
  SYNCFREE_SWEEPS,
  SYNCFREE_PLANS = 2 * SYNCFREE_SWEEPS /* SyncFreePlanBeside() */
} SyncFreeSweep;

#define SyncFreeIsLower(sweep)   ((PetscBool)((sweep) == SYNCFREE_L || (sweep) == SYNCFREE_LT))
#define SyncFreeIsForward(sweep) ((PetscBool)((sweep) == SYNCFREE_L || (sweep) == SYNCFREE_UT)) /* starts at the first row */
#define SyncFreeOperation(sweep) ((sweep) == SYNCFREE_UT || (sweep) == SYNCFREE_LT ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE)
/* The place of a sweep's second plan, which solves for dense matrices where the first one takes their columns one by one */
#define SyncFreePlanBeside(sweep) ((SyncFreeSweep)((sweep) + SYNCFREE_SWEEPS))

/* All data for one pattern in one memory.  A factor Mat and its PC hold references; the PC passes the engine on to its next factor Mat
   if the pattern is the same. */
typedef struct _n_SyncFreeEngine *SyncFreeEngine;
struct _n_SyncFreeEngine {
  PetscInt           refct;
  Mat                owner; /* factor Mat whose plans and values these are, not referenced; any other that holds them is outdated */
  PetscBool          ready; /* the values are those of the owner's last numeric factorization */
  SptrsvFactorKind   kind;
  SptrsvFill         fill;
  SptrsvLocation     location;
  PetscBool          kokkos;               /* on the GPU, and A and vectors are of Kokkos's types: PETSc copies none between types */
  SptrsvBlockStorage storage;              /* of A; of one row: the factor is made by points */
  PetscInt           n, nz;                /* rows and entries of A, or stored blocks */
  int32_t           *row, *col;            /* permutations; NULL: natural */
  SptrsvFactor       factor;               /* does not refer to the arrays above */
  SptrsvUses         uses;                 /* of all of this, in streams; NULL on the host */
  SyncFreeOptions    options;              /* options of the current plans */
  PetscInt           bs;                   /* block size of A */
  SptrsvBlocks       blocks;               /* in the factor's rows; worth: sweeps go by them, plans are of the factor's block form */
  PetscBool          least;                /* memory has run out beside blocks or auto's plans, so there are none of its choice */
  SptrsvPlan         plan[SYNCFREE_PLANS]; /* NULL until first needed; L and U are made at set-up */
  Vec                work;                 /* vector between the two sweeps, in the engine's memory */
  PetscScalar       *w;                    /* array of `work`, held until the engine is destroyed */
  Vec                between;              /* as `work`, of SYNCFREE_COLUMNS columns; made when first needed */
  Vec                in, out;              /* copies of the caller's vectors in the engine's memory; made when first needed */
  Vec                root; /* ICC: square roots of the inverted pivots, for symmetric preconditioning; made when first needed */
  PetscInt           nsymbolic, nnumeric; /* numbers of factorizations that used the engine */
  SptrsvFactorCounts counts;
};

#define SYNCFREE_COLUMNS 16           /* of dense matrices, solved for together */
#define SYNCFREE_LEAST   "levelorder" /* the algorithm of auto's with the least memory */
/* A's pattern and values are of blocks */
#define SyncFreeStoresBlocks(engine) ((PetscBool)((engine)->storage.rows > 1 && !(engine)->storage.points))
#define SyncFreeKind(F)          ((F)->factortype == MAT_FACTOR_ICC ? SPTRSV_ICC0 : SPTRSV_ILU0)
#define SyncFreeOnDevice(engine) ((PetscBool)((engine)->location == SPTRSV_DEVICE))

PETSC_INTERN PetscErrorCode SyncFreeGetLocation(Mat, Mat);
PETSC_INTERN PetscErrorCode SyncFreeGetStorage(Mat, Mat);
PETSC_INTERN PetscErrorCode SyncFreeMatGetPattern(Mat, SyncFreeEngine, SptrsvCsr *);
PETSC_INTERN PetscErrorCode SyncFreeMatRestorePattern(Mat, SyncFreeEngine, SptrsvCsr *);
PETSC_INTERN PetscErrorCode SyncFreeMatGetValues(SyncFreeEngine, Mat, const PetscScalar **);
PETSC_INTERN PetscErrorCode SyncFreeMatRestoreValues(SyncFreeEngine, Mat, const PetscScalar **);
PETSC_INTERN PetscErrorCode SyncFreePermutationsEqual(PetscInt, const int32_t *, const int32_t *, PetscBool *);
PETSC_INTERN PetscErrorCode SyncFreeEngineCreate(Mat, Mat, PetscInt *);
PETSC_INTERN PetscErrorCode SyncFreeEngineMatches(Mat, Mat, PetscBool *);
PETSC_INTERN PetscErrorCode SyncFreeEngineSetOptions(SyncFreeEngine, const SyncFreeOptions *);
PETSC_INTERN PetscErrorCode SyncFreeEngineNeedPlan(SyncFreeEngine, SyncFreeSweep);
PETSC_INTERN PetscErrorCode SyncFreeEngineNeedColumns(SyncFreeEngine, SyncFreeSweep, PetscBool *);
PETSC_INTERN SptrsvStatus   SyncFreeEngineGetAnalysis(SyncFreeEngine, SptrsvAnalysis *);
PETSC_INTERN PetscErrorCode SyncFreeGetOption(SyncFreeEngine, const SyncFreeOptions *, const char[], char[], size_t);
PETSC_INTERN PetscErrorCode SyncFreeEngineNeedVec(SyncFreeEngine, PetscInt, Vec *);
PETSC_INTERN PetscErrorCode SyncFreeEngineDropVecs(SyncFreeEngine);
PETSC_INTERN PetscErrorCode SyncFreeEngineBegin(SyncFreeEngine, SptrsvStream *);
PETSC_INTERN PetscErrorCode SyncFreeEngineEnd(SyncFreeEngine, SptrsvStream);
PETSC_INTERN PetscErrorCode SyncFreeEngineNeedRoot(SyncFreeEngine);
PETSC_INTERN PetscErrorCode SyncFreeEngineFindZeroPivot(SyncFreeEngine, double, int64_t *, double *);
PETSC_INTERN PetscErrorCode SyncFreeEngineDestroy(SyncFreeEngine *);
PETSC_INTERN PetscErrorCode SyncFreeOptionsInform(Mat, SyncFreeEngine);
PETSC_INTERN PetscErrorCode SyncFreeEngineCite(SyncFreeEngine);

/* ---------------------------------------------------------- the PC -------------------------------------------------------- */
#define SYNCFREE_CONTEXT  "PC_SyncFree" /* name of the context, composed with the PC and, while PCSetUp_ILU() runs, with the matrix */
#define SYNCFREE_TYPE_LEN 32

typedef struct {
  PC                 pc;        /* not referenced */
  MatFactorType      factor;    /* chosen by the user; MAT_FACTOR_NONE: the first set-up decides */
  MatFactorType      made;      /* MAT_FACTOR_NONE: not decided */
  MatFactorShiftType shift;     /* of the factorization under way */
  SyncFreeOptions    options;   /* changed: since the last set-up */
  SyncFreeEngine     engine;    /* before a set-up a candidate for reuse, then the one in use */
  PetscBool          shiftset;  /* the user has set a shift type */
  PetscBool          reordered; /* the user has asked for PCFactorReorderForNonzeroDiagonal() */
  struct _PCOps      inner;     /* methods of PCILU, which owns pc->data */
  Vec                x, y;      /* parallel matrix only: local parts of vectors of the types below */
  char               xtype[SYNCFREE_TYPE_LEN], ytype[SYNCFREE_TYPE_LEN];
  PetscErrorCode (*setupsolvertype)(PC);
  PetscErrorCode (*setshifttype)(PC, MatFactorShiftType);
  PetscErrorCode (*setlevels)(PC, PetscInt);
  PetscErrorCode (*reorder)(PC, PetscReal);
} PC_SyncFree;

PETSC_INTERN PetscErrorCode PCCreate_SyncFree(PC);
PETSC_INTERN PetscErrorCode PCSetUp_SyncFree(PC);
PETSC_INTERN PetscErrorCode PCFactorSetUpMatSolverType_SyncFree(PC);
PETSC_INTERN PetscErrorCode PCSyncFreeGetContext(PC, PC_SyncFree **);
PETSC_INTERN PetscErrorCode PCSyncFreeStartAfresh(PC, PC_SyncFree *);

/* ---------------------------------------------------- the factor Mat ----------------------------------------------------- */
typedef struct {
  SyncFreeEngine  engine;
  SyncFreeOptions options; /* set by functions of this Mat; changed: they are newer than the plans */
  SyncFreeOptions choice;  /* result of these options, the PC's and the database's */
  /* for the engine that it is to have */
  SptrsvBlockStorage storage;
  SptrsvFill         fill;
  SptrsvLocation     location;
  int32_t           *row, *col;
  /* for the view */
  const char *where;  /* why the GPU is not used although the matrix has a GPU type; otherwise "" */
  PetscBool   copied; /* the matrix is BAIJ or SBAIJ, and not factored by blocks */
  Mat         copy;   /* its AIJ copy, during a factorization */
  PetscInt    shifts; /* restarts and final shift of the last numeric factorization */
  PetscReal   shift;
} Mat_SyncFree;

PETSC_INTERN PetscErrorCode MatSyncFreeChoose(Mat, Mat, const PC_SyncFree *);
PETSC_INTERN void           MatSyncFreeDisown(Mat);
PETSC_INTERN PetscErrorCode MatILUFactorSymbolic_SyncFree(Mat, Mat, IS, IS, const MatFactorInfo *);
PETSC_INTERN PetscErrorCode MatICCFactorSymbolic_SyncFree(Mat, Mat, IS, const MatFactorInfo *);
PETSC_INTERN PetscErrorCode MatGetFactor_seqaij_syncfree(Mat, MatFactorType, Mat *);
PETSC_INTERN PetscErrorCode MatSolve_SyncFree(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatSolveTranspose_SyncFree(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatSolveAdd_SyncFree(Mat, Vec, Vec, Vec);
PETSC_INTERN PetscErrorCode MatSolveTransposeAdd_SyncFree(Mat, Vec, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMatSolve_SyncFree(Mat, Mat, Mat);
PETSC_INTERN PetscErrorCode MatMatSolveTranspose_SyncFree(Mat, Mat, Mat);
PETSC_INTERN PetscErrorCode MatForwardSolve_SyncFree(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatBackwardSolve_SyncFree(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatSyncFreeCheckReady(Mat);
PETSC_INTERN PetscErrorCode MatGetOrdering_SyncFree(Mat, MatOrderingType, IS *, IS *);
PETSC_INTERN PetscErrorCode MatGetDiagonal_SyncFree(Mat, Vec);
PETSC_INTERN PetscErrorCode MatGetInertia_SyncFree(Mat, PetscInt *, PetscInt *, PetscInt *);
PETSC_INTERN PetscErrorCode MatGetRowIJ_SyncFree(Mat, PetscInt, PetscBool, PetscBool, PetscInt *, const PetscInt *[], const PetscInt *[],
                                                 PetscBool *);
PETSC_INTERN PetscErrorCode MatRestoreRowIJ_SyncFree(Mat, PetscInt, PetscBool, PetscBool, PetscInt *, const PetscInt *[],
                                                     const PetscInt *[], PetscBool *);

/* -------------------------------------------------------- events ---------------------------------------------------------- */
PETSC_INTERN PetscLogEvent  SyncFree_Analysis, SyncFree_Symbolic, SyncFree_Levels, SyncFree_Plan;
PETSC_INTERN PetscLogEvent  SyncFree_Factor, SyncFree_Forward, SyncFree_Backward;
