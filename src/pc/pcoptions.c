/*
   Options of PCSYNCFREE: what is composed on the PC, and PCSetFromOptions().
*/
#include "syncfreeimpl.h"

/* New options start the set-up afresh, keeping the analysis where it fits; saying the same again, as repeated calls of KSPSetFromOptions()
   do, changes nothing */
static PetscErrorCode PCSyncFreeChange(PC pc, const SyncFreeOptions *options)
{
  PC_SyncFree *sf;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  if (SyncFreeOptionsEqual(options, &sf->channel.options)) PetscFunctionReturn(PETSC_SUCCESS);
  sf->channel.options = *options;
  PetscCall(PCSyncFreeStartAfresh(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSyncFreeSetFactor_SyncFree(PC pc, MatFactorType factor)
{
  PC_SyncFree *sf;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  PetscCheck(factor == MAT_FACTOR_ICC || factor == MAT_FACTOR_ILU || factor == MAT_FACTOR_NONE, PetscObjectComm((PetscObject)pc),
             PETSC_ERR_ARG_OUTOFRANGE, "Factorization must be MAT_FACTOR_ILU, MAT_FACTOR_ICC, or MAT_FACTOR_NONE to let the matrix decide");
  if (factor == sf->factor) PetscFunctionReturn(PETSC_SUCCESS);
  sf->factor  = factor;
  sf->decided = PETSC_FALSE;
  PetscCall(PCSyncFreeStartAfresh(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSyncFreeGetFactor_SyncFree(PC pc, MatFactorType *factor)
{
  PC_SyncFree *sf;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  *factor = !sf->decided ? sf->factor : sf->channel.icc ? MAT_FACTOR_ICC : MAT_FACTOR_ILU;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSyncFreeSetName(PC pc, size_t member, const char name[])
{
  PC_SyncFree    *sf;
  SyncFreeOptions o;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  o = sf->channel.options;
  PetscCall(SyncFreeAlgorithmCheck(PetscObjectComm((PetscObject)pc), name, (const char **)((char *)&o + member)));
  PetscCall(PCSyncFreeChange(pc, &o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSyncFreeSetAlgorithm_SyncFree(PC pc, const char name[])
{
  return PCSyncFreeSetName(pc, offsetof(SyncFreeOptions, algorithm), name);
}

static PetscErrorCode PCSyncFreeSetLowerAlgorithm_SyncFree(PC pc, const char name[])
{
  return PCSyncFreeSetName(pc, offsetof(SyncFreeOptions, lower), name);
}

static PetscErrorCode PCSyncFreeSetUpperAlgorithm_SyncFree(PC pc, const char name[])
{
  return PCSyncFreeSetName(pc, offsetof(SyncFreeOptions, upper), name);
}

static PetscErrorCode PCSyncFreeGetAlgorithm_SyncFree(PC pc, const char *name[])
{
  PC_SyncFree *sf;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  *name = sf->channel.options.algorithm ? sf->channel.options.algorithm : SyncFreeAuto;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In use, after set-up; before it, as asked for */
static PetscErrorCode PCSyncFreeGetSweepAlgorithm(PC pc, SyncFreeSweep sweep, const char *name[])
{
  PC_SyncFree           *sf;
  SyncFreeEngine         e;
  const SptrsvAlgorithm *a;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  e = sf->channel.engine;
  if (pc->setupcalled && e && e->plan[sweep]) {
    PetscCallSptrsv(sptrsvPlanGetAlgorithm(e->plan[sweep], &a));
    *name = a->name;
  } else {
    SyncFreeChoice c = SyncFreeChoiceDefault;

    SyncFreeOptionsOverlay(&sf->channel.options, &c);
    *name = sweep == SYNCFREE_L ? c.lower : c.upper;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSyncFreeGetLowerAlgorithm_SyncFree(PC pc, const char *name[])
{
  return PCSyncFreeGetSweepAlgorithm(pc, SYNCFREE_L, name);
}

static PetscErrorCode PCSyncFreeGetUpperAlgorithm_SyncFree(PC pc, const char *name[])
{
  return PCSyncFreeGetSweepAlgorithm(pc, SYNCFREE_U, name);
}

static PetscErrorCode PCSyncFreeSetFactorAlgorithm_SyncFree(PC pc, const char name[])
{
  PC_SyncFree    *sf;
  SyncFreeOptions o;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  o = sf->channel.options;
  PetscCall(SyncFreeNumericCheck(PetscObjectComm((PetscObject)pc), name, &o.numeric));
  PetscCall(PCSyncFreeChange(pc, &o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSyncFreeGetFactorAlgorithm_SyncFree(PC pc, const char *name[])
{
  PC_SyncFree *sf;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  *name = sf->channel.options.numeric ? sf->channel.options.numeric : SyncFreeAuto;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSyncFreeSetThreshold_SyncFree(PC pc, PetscReal threshold)
{
  PC_SyncFree    *sf;
  SyncFreeOptions o;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  PetscCheck(threshold >= 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "Threshold %g must not be negative",
             (double)threshold);
  o           = sf->channel.options;
  o.threshold = threshold;
  PetscCall(PCSyncFreeChange(pc, &o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSyncFreeGetThreshold_SyncFree(PC pc, PetscReal *threshold)
{
  PC_SyncFree   *sf;
  SyncFreeEngine e;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  e          = sf->channel.engine;
  *threshold = pc->setupcalled && e ? e->choice.threshold : PetscMax(sf->channel.options.threshold, 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSyncFreeSetThresholdFile_SyncFree(PC pc, const char path[])
{
  PC_SyncFree    *sf;
  SyncFreeOptions o;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  o = sf->channel.options;
  PetscCall(PetscStrncpy(o.thresholdfile, path ? path : "", sizeof(o.thresholdfile)));
  PetscCall(PCSyncFreeChange(pc, &o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSyncFreeGetThresholdFile_SyncFree(PC pc, const char *path[])
{
  PC_SyncFree   *sf;
  SyncFreeEngine e;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  e     = sf->channel.engine;
  *path = pc->setupcalled && e ? e->choice.thresholdfile : sf->channel.options.thresholdfile;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSyncFreeSetWarps_SyncFree(PC pc, PetscInt warps, PetscInt lanes)
{
  PC_SyncFree    *sf;
  SyncFreeOptions o;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  PetscCall(SyncFreeWarpsCheck(PetscObjectComm((PetscObject)pc), warps, lanes));
  o       = sf->channel.options;
  o.warps = warps;
  o.lanes = lanes;
  PetscCall(PCSyncFreeChange(pc, &o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSyncFreeGetWarps_SyncFree(PC pc, PetscInt *warps, PetscInt *lanes)
{
  PC_SyncFree *sf;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  if (warps) *warps = PetscMax(sf->channel.options.warps, 0);
  if (lanes) *lanes = PetscMax(sf->channel.options.lanes, 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetFromOptions_SyncFree(PC pc, PetscOptionItems PetscOptionsObject)
{
  static const char *const factors[] = {"ilu", "icc"};
  PC_SyncFree             *sf;
  SyncFreeOptions          o;
  PetscInt                 k;
  PetscBool                set;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  PetscOptionsHeadBegin(PetscOptionsObject, "SyncFree options");
  PetscCall(
    PetscOptionsEList("-pc_syncfree_factor", "Kind of incomplete factorization, default icc if the matrix is known to be SPD, else ilu",
                      "PCSyncFreeSetFactor", factors, PETSC_STATIC_ARRAY_LENGTH(factors), factors[sf->factor == MAT_FACTOR_ICC], &k, &set));
  if (set) PetscCall(PCSyncFreeSetFactor(pc, k ? MAT_FACTOR_ICC : MAT_FACTOR_ILU));
  o = sf->channel.options;
  PetscCall(SyncFreeOptionsRead(PetscOptionsObject, "pc", &o));
  PetscCall(PCSyncFreeChange(pc, &o));
  PetscOptionsHeadEnd();
  PetscCall((*sf->inner.setfromoptions)(pc, PetscOptionsObject));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct {
  const char       *name;
  PetscErrorCodeFn *f;
} PCSyncFreeMethods[] = {
  {"PCSyncFreeSetFactor_C",          (PetscErrorCodeFn *)PCSyncFreeSetFactor_SyncFree         },
  {"PCSyncFreeGetFactor_C",          (PetscErrorCodeFn *)PCSyncFreeGetFactor_SyncFree         },
  {"PCSyncFreeSetAlgorithm_C",       (PetscErrorCodeFn *)PCSyncFreeSetAlgorithm_SyncFree      },
  {"PCSyncFreeGetAlgorithm_C",       (PetscErrorCodeFn *)PCSyncFreeGetAlgorithm_SyncFree      },
  {"PCSyncFreeSetLowerAlgorithm_C",  (PetscErrorCodeFn *)PCSyncFreeSetLowerAlgorithm_SyncFree },
  {"PCSyncFreeGetLowerAlgorithm_C",  (PetscErrorCodeFn *)PCSyncFreeGetLowerAlgorithm_SyncFree },
  {"PCSyncFreeSetUpperAlgorithm_C",  (PetscErrorCodeFn *)PCSyncFreeSetUpperAlgorithm_SyncFree },
  {"PCSyncFreeGetUpperAlgorithm_C",  (PetscErrorCodeFn *)PCSyncFreeGetUpperAlgorithm_SyncFree },
  {"PCSyncFreeSetFactorAlgorithm_C", (PetscErrorCodeFn *)PCSyncFreeSetFactorAlgorithm_SyncFree},
  {"PCSyncFreeGetFactorAlgorithm_C", (PetscErrorCodeFn *)PCSyncFreeGetFactorAlgorithm_SyncFree},
  {"PCSyncFreeSetThreshold_C",       (PetscErrorCodeFn *)PCSyncFreeSetThreshold_SyncFree      },
  {"PCSyncFreeGetThreshold_C",       (PetscErrorCodeFn *)PCSyncFreeGetThreshold_SyncFree      },
  {"PCSyncFreeSetThresholdFile_C",   (PetscErrorCodeFn *)PCSyncFreeSetThresholdFile_SyncFree  },
  {"PCSyncFreeGetThresholdFile_C",   (PetscErrorCodeFn *)PCSyncFreeGetThresholdFile_SyncFree  },
  {"PCSyncFreeSetWarps_C",           (PetscErrorCodeFn *)PCSyncFreeSetWarps_SyncFree          },
  {"PCSyncFreeGetWarps_C",           (PetscErrorCodeFn *)PCSyncFreeGetWarps_SyncFree          }
};

PetscErrorCode PCSyncFreeComposeMethods(PC pc, PetscBool compose)
{
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(PCSyncFreeMethods); k++) {
    PetscCall(PetscObjectComposeFunction((PetscObject)pc, PCSyncFreeMethods[k].name, compose ? PCSyncFreeMethods[k].f : NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
