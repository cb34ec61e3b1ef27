/*
   Inside the PETSc layer: what the factor Mat, the engine that it holds and the PC share.
*/
#pragma once

#include <petsc/private/matimpl.h> /* Mat->ops, factortype, canuseordering, preferredordering, factorerrortype */
#include <petsc/private/pcimpl.h>  /* PC->ops, PC->pmat */
#include <petscsyncfree.h>
#include <sptrsv.h>

#if PETSC_VERSION_LT(3, 26, 0)
  #error "SyncFree requires PETSc 3.26 or later"
#endif
#if PetscDefined(USE_COMPLEX)
  #error "SyncFree requires a PETSc with real scalars: configure PETSc with --with-scalar-type=real"
#endif
#if PetscDefined(USE_REAL_SINGLE)
  #define SYNCFREE_VALUE SPTRSV_FLOAT
#elif PetscDefined(USE_REAL_DOUBLE)
  #define SYNCFREE_VALUE SPTRSV_DOUBLE
#else
  #error "SyncFree requires a PETSc with --with-precision=double or single"
#endif
#define SYNCFREE_INDEX (PetscDefined(USE_64BIT_INDICES) ? SPTRSV_INT64 : SPTRSV_INT32)

/* PETSc's names for the GPU, of which it has CUDA's or HIP's */
#if PetscDefined(HAVE_HIP)
  #define SYNCFREE_GPU                "hip"
  #define SYNCFREE_MATAIJGPU          MATAIJHIPSPARSE
  #define SYNCFREE_MATSEQAIJGPU       MATSEQAIJHIPSPARSE
  #define SYNCFREE_VECSEQGPU          VECSEQHIP
  #define SyncFreeVecCreateWithArray  VecCreateSeqHIPWithArray
  #define SyncFreeMatGetArrayRead     MatSeqAIJHIPSPARSEGetArrayRead
  #define SyncFreeMatRestoreArrayRead MatSeqAIJHIPSPARSERestoreArrayRead
#else
  #define SYNCFREE_GPU                "cuda"
  #define SYNCFREE_MATAIJGPU          MATAIJCUSPARSE
  #define SYNCFREE_MATSEQAIJGPU       MATSEQAIJCUSPARSE
  #define SYNCFREE_VECSEQGPU          VECSEQCUDA
  #define SyncFreeVecCreateWithArray  VecCreateSeqCUDAWithArray
  #define SyncFreeMatGetArrayRead     MatSeqAIJCUSPARSEGetArrayRead
  #define SyncFreeMatRestoreArrayRead MatSeqAIJCUSPARSERestoreArrayRead
#endif
#define SYNCFREE_HAVE_GPU (PetscDefined(HAVE_CUDA) || PetscDefined(HAVE_HIP))

/* Calls a function of the kernel library and turns its status into a PETSc error */
#define PetscCallSptrsv(...) \
  do { \
    SptrsvStatus sptrsv_status_; \
    PetscStackPushExternal(PetscStringize(__VA_ARGS__)); \
    sptrsv_status_ = __VA_ARGS__; \
    PetscStackPop; \
    PetscCheck(sptrsv_status_ == SPTRSV_SUCCESS, PETSC_COMM_SELF, SyncFreeErrorCode(sptrsv_status_), "%s (%s)", \
               sptrsvGetErrorString(sptrsv_status_), PetscStringize(__VA_ARGS__)); \
  } while (0)

static inline PetscErrorCode SyncFreeErrorCode(SptrsvStatus status)
{
  switch (status) {
  case SPTRSV_SUCCESS:
    return PETSC_SUCCESS;
  case SPTRSV_INVALID_ARGUMENT:
  case SPTRSV_UNSORTED:
    return PETSC_ERR_ARG_WRONG;
  case SPTRSV_TOO_LARGE:
  case SPTRSV_NOT_SUPPORTED:
    return PETSC_ERR_SUP;
  case SPTRSV_NOT_READY:
    return PETSC_ERR_ARG_WRONGSTATE;
  case SPTRSV_OUT_OF_MEMORY:
    return PETSC_ERR_MEM;
  case SPTRSV_NO_DEVICE:
  case SPTRSV_CUDA_ERROR:
  case SPTRSV_CUSPARSE_ERROR:
    return PETSC_ERR_GPU;
  default: /* SPTRSV_MISSING_DIAGONAL is no error but a failed factorization: its caller takes care of it */
    return PETSC_ERR_LIB;
  }
}

/* -------------------------------------------------------- options -------------------------------------------------------- */
typedef enum {
  SYNCFREE_BOTH, /* sweeps */
  SYNCFREE_LOWER,
  SYNCFREE_UPPER,
  SYNCFREE_NAMES
} SyncFreeName;

/* Options as they were given in one place, or as they follow from all places */
typedef struct {
  const char  *name[SYNCFREE_NAMES]; /* algorithms of the kernel library's table, or SyncFreeAuto; NULL: not set */
  SptrsvTuning tuning;
  uint64_t     given; /* bit k: row k of the kernel library's table of options was set */
} SyncFreeOptions;

PETSC_INTERN const char     SyncFreeAuto[];
PETSC_INTERN SyncFreeName   SyncFreeNameFind(const char[]);
PETSC_INTERN PetscErrorCode SyncFreeOptionsSet(MPI_Comm, const char[], const char[], SyncFreeOptions *);
PETSC_INTERN PetscBool      SyncFreeOptionsEqual(const SyncFreeOptions *, const SyncFreeOptions *);
PETSC_INTERN PetscErrorCode SyncFreeOptionsOverlay(const SyncFreeOptions *, SyncFreeOptions *);
PETSC_INTERN PetscErrorCode SyncFreeOptionsRead(PetscOptionItems, const char[], SyncFreeOptions *);
PETSC_INTERN PetscErrorCode SyncFreeThresholdResolve(SyncFreeOptions *);

/* -------------------------------------------------------- engine --------------------------------------------------------- */
typedef enum {
  SYNCFREE_L, /* forward */
  SYNCFREE_U, /* backward */
  SYNCFREE_UT,
  SYNCFREE_LT,
  SYNCFREE_SWEEPS
} SyncFreeSweep;

/* Everything that belongs to one pattern on one kind of memory.  Held by a factor Mat and by its PC, which hands it to the next
   factor Mat if that has the same pattern. */
typedef struct _n_SyncFreeEngine *SyncFreeEngine;
struct _n_SyncFreeEngine {
  PetscInt         refct;
  Mat              owner; /* the factor Mat whose values are inside, not referenced; others that hold the engine are outdated */
  PetscBool        ready; /* values are there, and are those of the owner's last numeric factorization */
  SptrsvFactorKind kind;
  SptrsvLocation   location;
  PetscInt         n, nz, *i, *j;         /* pattern of A */
  int32_t         *row, *col;             /* permutations; NULL: natural */
  SptrsvFactor     factor;                /* refers to none of the above */
  SyncFreeOptions  options;               /* with which the plans were made */
  SptrsvPlan       plan[SYNCFREE_SWEEPS]; /* those of the transpose: made when first needed */
  Vec              work;                  /* in the engine's memory, between the sweeps; its array w is never given back */
  PetscScalar     *w;
  Vec              in, out; /* in the engine's memory, for vectors of the caller that are not; made when first needed */
  Vec              root;    /* ICC: square roots of the inverted pivots, for symmetric preconditioning; made when first needed */
  PetscBool        rootready;
  PetscInt         nsymbolic, nnumeric; /* how often the engine was used */
  PetscLogDouble   nzlower, nzupper;    /* entries of the factor off the diagonal */
  PetscLogDouble   flops;               /* of a numeric factorization, counted like PETSc's own ILU: off-pattern updates included */
};

#define SyncFreeOnDevice(engine) ((PetscBool)((engine)->location == SPTRSV_DEVICE))

PETSC_INTERN PetscErrorCode SyncFreeGetLocation(Mat, const SyncFreeOptions *, SptrsvLocation *, const char **);
PETSC_INTERN PetscErrorCode SyncFreeEngineCreate(Mat, SptrsvFactorKind, SptrsvLocation, IS, IS, PetscInt *, SyncFreeEngine *);
PETSC_INTERN PetscErrorCode SyncFreeEngineMatches(SyncFreeEngine, Mat, SptrsvFactorKind, SptrsvLocation, IS, IS, PetscBool *);
PETSC_INTERN PetscErrorCode SyncFreeEngineSetOptions(SyncFreeEngine, const SyncFreeOptions *);
PETSC_INTERN PetscErrorCode SyncFreeEngineNeedPlan(SyncFreeEngine, SyncFreeSweep);
PETSC_INTERN PetscErrorCode SyncFreeGetName(SyncFreeEngine, const SyncFreeOptions *, SyncFreeName, const char *[]);
PETSC_INTERN PetscErrorCode SyncFreeGetOption(SyncFreeEngine, const SyncFreeOptions *, const char[], char[], size_t);
PETSC_INTERN PetscErrorCode SyncFreeEngineCreateVec(SyncFreeEngine, Vec *);
PETSC_INTERN PetscErrorCode SyncFreeEngineGetStream(SyncFreeEngine, SptrsvStream *);
PETSC_INTERN PetscErrorCode SyncFreeEngineDestroy(SyncFreeEngine *);
PETSC_INTERN PetscErrorCode SyncFreeEngineCite(SyncFreeEngine);
PETSC_INTERN void           SyncFreeCitationsReset(void);

/* ---------------------------------------------------- the factor Mat ----------------------------------------------------- */
typedef struct {
  SyncFreeEngine  engine;
  SyncFreeOptions options; /* set by functions of this Mat */
  PetscBool       changed; /* since the plans were made */
  SyncFreeOptions choice;  /* that follows from these, the PC's and the database's options */
  const char     *where;   /* for the view: the reason why the GPU is not used */
  IS              row, col;
  PetscInt        shifts; /* outcome of the last factorization, for the view */
  PetscReal       shift;
} Mat_SyncFree;

/* What a PC tells its factor; hangs on the matrix under the name below while PCSetUp_ILU() runs */
typedef struct {
  PetscBool          icc;
  MatFactorShiftType shift;
  SyncFreeOptions    options;
  SyncFreeEngine     engine; /* in: a candidate for reuse, out: the one in use */
} SyncFreeChannel;
#define SYNCFREE_CHANNEL "SyncFreeChannel"

PETSC_INTERN PetscErrorCode MatSyncFreeChoose(Mat, const SyncFreeChannel *);
PETSC_INTERN PetscErrorCode MatILUFactorSymbolic_SyncFree(Mat, Mat, IS, IS, const MatFactorInfo *);
PETSC_INTERN PetscErrorCode MatICCFactorSymbolic_SyncFree(Mat, Mat, IS, const MatFactorInfo *);
PETSC_INTERN PetscErrorCode MatGetFactor_seqaij_syncfree(Mat, MatFactorType, Mat *);
PETSC_INTERN PetscErrorCode MatSolve_SyncFree(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatSolveTranspose_SyncFree(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMatSolve_SyncFree(Mat, Mat, Mat);
PETSC_INTERN PetscErrorCode MatMatSolveTranspose_SyncFree(Mat, Mat, Mat);
PETSC_INTERN PetscErrorCode MatForwardSolve_SyncFree(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatBackwardSolve_SyncFree(Mat, Vec, Vec);

/* ---------------------------------------------------------- the PC -------------------------------------------------------- */
#define SYNCFREE_TYPE_LEN 32

typedef struct {
  SyncFreeChannel channel;
  MatFactorType   factor;   /* as asked for; MAT_FACTOR_NONE: decide at the first set-up */
  PetscBool       decided;  /* channel.icc is valid */
  PetscBool       shiftset; /* by the user */
  struct _PCOps   inner;    /* methods of PCILU, to which pc->data belongs */
  Vec             x, y;     /* parallel matrix only: local parts of vectors, whose types are below */
  char            xtype[SYNCFREE_TYPE_LEN], ytype[SYNCFREE_TYPE_LEN];
  PetscErrorCode (*setupsolvertype)(PC);
  PetscErrorCode (*setshifttype)(PC, MatFactorShiftType);
} PC_SyncFree;

PETSC_INTERN PetscErrorCode PCCreate_SyncFree(PC);
PETSC_INTERN PetscLogEvent  SyncFree_Analysis, SyncFree_Factor, SyncFree_Forward, SyncFree_Backward;
