static char help[] =
  "Random histories: options, values, patterns, sizes, failures and resets, one after the other.  After each step PCSYNCFREE, or a\n\
factored matrix, gives what a fresh object gives.\n\
  -seed N: of the first history; -seeds N: histories; -steps N: of each.\n\n";

#include "testing.h"

/* Everything a fresh object needs to know */
typedef struct {
  PetscInt  n, pattern;    /* rows of each process; the pattern's number */
  PetscInt  zero, missing; /* row of each process whose diagonal entry is zero, or not stored; -1: none */
  PetscReal scale;
  PetscInt  levels, shift, lanes;
  PetscBool icc, rcm, host, inplace, hard; /* hard: failures are errors */
} Model;

typedef struct {
  PetscBool face; /* of a factored matrix, not of a PC */
  PC        pc;
  Mat       F;
  IS        row, col;
} Object;

static unsigned Draw(unsigned *seed, unsigned n)
{
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) % n;
}

/* Sparse, with a symmetric pattern and a dominant diagonal.  All processes have the same diagonal block, and so the same errors. */
static PetscErrorCode Fill(Mat A, const Model *m)
{
  const PetscInt far = 2 + m->pattern % 4;
  PetscInt       first, end, N;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &N, NULL));
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  for (PetscInt i = first; i < end; i++) {
    const PetscInt near[] = {i - far, i - 1, i + 1, i + far}, r = i - first;

    for (PetscInt k = 0; k < 4; k++) {
      if (near[k] >= 0 && near[k] < N) PetscCall(MatSetValue(A, i, near[k], -m->scale * (1.0 + 0.1 * (k % 3)), INSERT_VALUES));
    }
    if (r != m->missing) PetscCall(MatSetValue(A, i, i, r == m->zero ? 0.0 : m->scale * (5.0 + 0.1 * (r % 3)), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(const Model *m, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, m->n, m->n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscCall(Fill(*A, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Setters that are given what they have already change nothing */
static PetscErrorCode SetUpPC(PC pc, Mat A, const Model *m)
{
  PetscFunctionBeginUser;
  PetscCall(PCSyncFreeSetFactor(pc, m->icc ? MAT_FACTOR_ICC : MAT_FACTOR_ILU));
  PetscCall(PCFactorSetLevels(pc, m->levels));
  PetscCall(PCFactorSetShiftType(pc, (MatFactorShiftType)m->shift));
  PetscCall(PCFactorSetUseInPlace(pc, m->inplace));
  PetscCall(PCSyncFreeSetAlgorithm(pc, m->host ? "host" : "auto"));
  PetscCall(PCSyncFreeSetOption(pc, "levelorder_lanes", m->lanes ? "8" : "16"));
  PetscCall(PCSetErrorIfFailure(pc, m->hard));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a factored matrix everything but the values may stay from the last time */
static PetscErrorCode Factor(Object *o, Mat A, const Model *m, PetscBool symbolic)
{
  MatFactorInfo info;

  PetscFunctionBeginUser;
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill        = 1.0;
  info.levels      = (PetscReal)m->levels;
  info.shifttype   = (PetscReal)m->shift;
  info.shiftamount = info.zeropivot = 100.0 * PETSC_MACHINE_EPSILON;
  PetscCall(MatSetErrorIfFailure(A, m->hard));
  PetscCall(MatSyncFreeSetAlgorithm(o->F, m->host ? "host" : "auto"));
  PetscCall(MatSyncFreeSetOption(o->F, "levelorder_lanes", m->lanes ? "8" : "16"));
  if (symbolic) {
    PetscCall(ISDestroy(&o->row));
    PetscCall(ISDestroy(&o->col));
    PetscCall(MatGetOrdering(A, m->rcm ? MATORDERINGRCM : MATORDERINGNATURAL, &o->row, &o->col));
    if (m->icc) PetscCall(MatICCFactorSymbolic(o->F, A, o->row, &info));
    else PetscCall(MatILUFactorSymbolic(o->F, A, o->row, o->col, &info));
  }
  if (m->icc) PetscCall(MatCholeskyFactorNumeric(o->F, A, &info));
  else PetscCall(MatLUFactorNumeric(o->F, A, &info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUp(Object *o, Mat A, const Model *m, PetscBool symbolic)
{
  PetscFunctionBeginUser;
  if (o->face) {
    if (!o->F) PetscCall(MatGetFactor(A, MATSOLVERSYNCFREE, m->icc ? MAT_FACTOR_ICC : MAT_FACTOR_ILU, &o->F));
    PetscCall(Factor(o, A, m, symbolic));
  } else {
    if (!o->pc) {
      PetscCall(PCCreate(PETSC_COMM_WORLD, &o->pc));
      PetscCall(PCSetType(o->pc, PCSYNCFREE));
      PetscCall(PCFactorSetMatOrderingType(o->pc, m->rcm ? MATORDERINGRCM : MATORDERINGNATURAL));
    }
    PetscCall(SetUpPC(o->pc, A, m));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Destroy(Object *o)
{
  PetscFunctionBeginUser;
  PetscCall(PCDestroy(&o->pc));
  PetscCall(MatDestroy(&o->F));
  PetscCall(ISDestroy(&o->row));
  PetscCall(ISDestroy(&o->col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct {
  const char *name;
  PetscErrorCode (*pc)(PC, Vec, Vec);
  PetscErrorCode (*mat)(Mat, Vec, Vec);
} uses[] = {
  {"solve",      PCApply,               MatSolve         },
  {"transpose",  PCApplyTranspose,      MatSolveTranspose},
  {"left half",  PCApplySymmetricLeft,  MatForwardSolve  },
  {"right half", PCApplySymmetricRight, MatBackwardSolve }
};

static PetscErrorCode Use(Object *o, size_t use, Vec b, Vec x)
{
  PetscFunctionBeginUser;
  if (o->face) PetscCall((*uses[use].mat)(o->F, b, x));
  else PetscCall((*uses[use].pc)(o->pc, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An algorithm for another memory has other roundings; entries that are not finite need not be the same */
static PetscErrorCode Same(Vec x, Vec y, PetscBool *same)
{
  const PetscScalar *a, *b;
  PetscInt           n;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayRead(y, &b));
  *same = PETSC_TRUE;
  for (PetscInt i = 0; i < n; i++) {
    if (PetscIsInfOrNanScalar(a[i]) && PetscIsInfOrNanScalar(b[i])) continue;
    if (!(PetscAbsScalar(a[i] - b[i]) <= 1e4 * PETSC_MACHINE_EPSILON * (1.0 + PetscAbsScalar(b[i])))) *same = PETSC_FALSE;
  }
  PetscCall(VecRestoreArrayRead(y, &b));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What becomes of an object in one step: the codes of set-up and uses, and the solutions */
static PetscErrorCode Step(Object *o, Mat A, const Model *m, PetscBool symbolic, unsigned order, Vec b, Vec x[], PetscErrorCode codes[])
{
  const size_t   n      = PETSC_STATIC_ARRAY_LENGTH(uses);
  PCFailedReason reason = PC_NOERROR;

  PetscFunctionBeginUser;
  ErrorOf(codes[n], SetUp(o, A, m, symbolic));
  if (!codes[n] && o->pc) PetscCall(PCGetFailedReason(o->pc, &reason));
  if (!codes[n] && o->F) PetscCall(MatFactorGetError(o->F, (MatFactorError *)&reason));
  if (reason) codes[n] = (PetscErrorCode)(-(int)reason);
  for (size_t k = 0; k < n; k++) {
    const size_t use = (k + order) % n;

    PetscCall(VecSet(x[use], 7.0));
    ErrorOf(codes[use], Use(o, use, b, x[use]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After a failure all uses give Inf, after an error they are errors */
static PetscErrorCode Refuses(PetscErrorCode setup, PetscErrorCode use, Vec x, PetscBool *right)
{
  PetscReal norm;

  PetscFunctionBeginUser;
  *right = (PetscBool)((int)setup <= 0 || use);
  if ((int)setup >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecNorm(x, NORM_INFINITY, &norm));
  *right = (PetscBool)(!use && PetscIsInfReal(norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Change(Model *m, unsigned *seed)
{
  PetscFunctionBeginUser;
  m->scale = 1.0 + 0.25 * Draw(seed, 5);
  m->zero  = m->missing = -1;
  m->hard  = PETSC_FALSE;
  switch (Draw(seed, 14)) {
  case 0:
    m->n = 6 + (PetscInt)Draw(seed, 9);
    break;
  case 1:
    m->pattern++;
    break;
  case 2:
    m->zero = 0;
    break;
  case 3:
    m->missing = 1;
    break;
  case 4:
    m->zero = 0;
    m->hard = PETSC_TRUE;
    break;
  case 5:
    m->missing = 1;
    m->hard    = PETSC_TRUE;
    break;
  case 6:
    m->levels = (PetscInt)Draw(seed, 3);
    break;
  case 7:
    m->icc = (PetscBool)!m->icc;
    break;
  case 8:
    m->shift = (PetscInt)Draw(seed, 3);
    break;
  case 9:
    m->host = (PetscBool)!m->host;
    break;
  case 10:
    m->lanes = !m->lanes;
    break;
  case 11:
    m->inplace = (PetscBool)!m->inplace;
    break;
  default: /* values only */
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Only a PC that is not set up takes a matrix of another size.  A reset and an option that is new both see to that. */
static PetscErrorCode MakeReady(Object *o, Model *m, const Model *before, unsigned *seed)
{
  PetscFunctionBeginUser;
  if (o->face && (m->n != before->n || m->icc != before->icc)) PetscCall(Destroy(o));
  if (o->pc && !Draw(seed, 4)) PetscCall(PCSetFromOptions(o->pc)); /* -pc_factor_in_place */
  if (o->pc && m->n != before->n && Draw(seed, 2)) m->lanes = !m->lanes;
  else if (o->pc && (m->n != before->n || !Draw(seed, 8))) PetscCall(PCReset(o->pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode History(unsigned seed, PetscInt steps, PetscBool face)
{
  enum { USES = PETSC_STATIC_ARRAY_LENGTH(uses) };
  Model    m    = {.n = 9, .missing = -1, .zero = -1, .scale = 1.0, .rcm = (PetscBool)(seed % 2)};
  Object   old  = {.face = face};
  Mat      A    = NULL;
  unsigned draw = seed * 2654435761u + 1;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < steps; k++) {
    const Model    before = m;
    Object         fresh  = {.face = face};
    PetscErrorCode codes[2][USES + 1];
    Vec            b, x[2][USES];
    PetscBool      refill, same, right;

    if (k) PetscCall(Change(&m, &draw));
    PetscCall(MakeReady(&old, &m, &before, &draw));
    refill = (PetscBool)(A && m.n == before.n && m.pattern == before.pattern && m.missing == before.missing && Draw(&draw, 4));
    if (refill) PetscCall(Fill(A, &m));
    else {
      PetscCall(MatDestroy(&A));
      PetscCall(Create(&m, &A));
    }
    PetscCall(MatCreateVecs(A, &b, NULL));
    PetscCall(FillVector(b, 0.1 * (PetscReal)k));
    for (PetscInt i = 0; i < 2 * USES; i++) PetscCall(VecDuplicate(b, &x[i / USES][i % USES]));
    PetscCall(Step(&old, A, &m, (PetscBool)(!refill || !old.F || m.levels != before.levels || !Draw(&draw, 3)), Draw(&draw, USES), b, x[0],
                   codes[0]));
    PetscCall(Step(&fresh, A, &m, PETSC_TRUE, 0, b, x[1], codes[1]));
    for (PetscInt i = 0; i <= USES; i++) {
      same = PETSC_TRUE;
      if (i < USES && !codes[1][i]) PetscCall(Same(x[0][i], x[1][i], &same));
      if (codes[0][i] != codes[1][i] || !same)
        PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, seed %u, step %" PetscInt_FMT ", %s: %d where a fresh one has %d%s\n",
                              face ? "Mat" : "PC", seed, k, i < USES ? uses[i].name : "set-up", (int)codes[0][i], (int)codes[1][i],
                              same ? "" : ", other values"));
      if (i == USES) continue;
      PetscCall(Refuses(codes[0][USES], codes[0][i], x[0][i], &right));
      if (!right)
        PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, seed %u, step %" PetscInt_FMT ", %s: %d after the set-up's %d\n", face ? "Mat" : "PC",
                              seed, k, uses[i].name, (int)codes[0][i], (int)codes[0][USES]));
    }
    PetscCall(Destroy(&fresh));
    PetscCall(VecDestroy(&b));
    for (PetscInt i = 0; i < 2 * USES; i++) PetscCall(VecDestroy(&x[i / USES][i % USES]));
  }
  if (old.pc) PetscCall(PCSetFromOptions(old.pc)); /* its factor must not be lost now */
  PetscCall(Destroy(&old));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt    seed = 1, seeds = 12, steps = 40;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-seed", &seed, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-seeds", &seeds, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-steps", &steps, NULL));
  for (PetscInt k = seed; k < seed + seeds; k++) {
    PetscCall(History((unsigned)k, steps, PETSC_FALSE));
    if (size == 1) PetscCall(History((unsigned)k, steps, PETSC_TRUE)); /* the solver type is for a process's own matrices */
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Done\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    nsize: {{1 2}}
    output_file: output/fill_1.out
    args: -pc_factor_in_place
    test:
      suffix: 1
    test:
      suffix: gpu
      requires: cuda
      args: -mat_type aijcusparse -use_gpu_aware_mpi 0

TEST*/
