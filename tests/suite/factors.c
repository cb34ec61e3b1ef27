/*
   Preloaded by launch.py into PETSc's test programs.  It writes to the file SUITE_LOG which incomplete factorizations the program makes,
   and how many linear solves and iterations each process did:

     PC kind prefix matrix-type solver-type
     MatGetFactor kind solver-type matrix-type
     KSP solves iterations
     VECTORS matrix-type vector-type

   The first is of each PCSetUp() of an ilu, icc or syncfree. The second is of a program that calls MatGetFactor() itself; with
   SUITE_FORCE such a call gets the solver type syncfree. The last is of the first solve with a matrix of the GPU and vectors of the
   host. Views of these PCs are made, but not shown, since they differ on purpose.
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <petscksp.h>

static long solves = 0, iterations = 0;

static FILE *Log(void)
{
  static FILE *file = NULL;

  if (!file && getenv("SUITE_LOG")) {
    file = fopen(getenv("SUITE_LOG"), "a");
    if (file) setvbuf(file, NULL, _IOLBF, 0); /* a write for each line, since all processes append to one file */
  }
  return file;
}

/* The function of that name in the libraries behind this one */
static void *Next(const char name[])
{
  void *function = dlsym(RTLD_NEXT, name);

  if (!function) abort();
  return function;
}

static const char *Name(const char name[])
{
  return name && name[0] ? name : "-";
}

static PetscBool IsIncomplete(PC pc)
{
  PCType    type  = NULL;
  PetscBool match = PETSC_FALSE;

  if (pc && !PCGetType(pc, &type) && type) (void)PetscStrInList(type, "ilu,icc,syncfree", ',', &match);
  return match;
}

PetscErrorCode PCSetUp(PC pc)
{
  PetscErrorCode (*next)(PC) = (PetscErrorCode (*)(PC))Next("PCSetUp");
  PetscErrorCode ierr        = next(pc);
  const char    *prefix      = NULL;
  PCType         type        = NULL;
  MatType        mattype     = NULL;
  MatSolverType  solver      = NULL;
  Mat            pmat        = NULL, factor = NULL;

  if (!Log() || !IsIncomplete(pc)) return ierr;
  (void)PCGetType(pc, &type);
  (void)PetscObjectGetOptionsPrefix((PetscObject)pc, &prefix);
  (void)PCGetOperators(pc, NULL, &pmat);
  if (pmat) (void)MatGetType(pmat, &mattype);
  if (ierr) (void)PCFactorGetMatSolverType(pc, &solver);
  else { /* what was used: PETSc's ilu in place does not look at the type that was asked for */
    (void)PCFactorGetMatrix(pc, &factor);
    (void)MatFactorGetSolverType(factor, &solver);
  }
  fprintf(Log(), "PC %s %s %s %s\n", type, Name(prefix), Name(mattype), Name(solver));
  return ierr;
}

PetscErrorCode PCView(PC pc, PetscViewer viewer)
{
  PetscErrorCode (*next)(PC, PetscViewer) = (PetscErrorCode (*)(PC, PetscViewer))Next("PCView");
  PetscViewer    null;
  PetscErrorCode ierr;

  if (!IsIncomplete(pc)) return next(pc, viewer);
  ierr = PetscViewerASCIIOpen(PetscObjectComm((PetscObject)pc), "/dev/null", &null);
  if (ierr) return ierr;
  ierr = next(pc, null);
  if (ierr) return ierr;
  return PetscViewerDestroy(&null);
}

/* Whether an address is in the program, not in PETSc's or the plugin's library */
static PetscBool InProgram(void *address)
{
  Dl_info info;

  return dladdr(address, &info) && info.dli_fname && !strstr(info.dli_fname, "libpetsc") ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode MatGetFactor(Mat A, MatSolverType solver, MatFactorType kind, Mat *F)
{
  PetscErrorCode (*next)(Mat, MatSolverType, MatFactorType, Mat *) =
    (PetscErrorCode (*)(Mat, MatSolverType, MatFactorType, Mat *))Next("MatGetFactor");
  MatType mattype = NULL;

  if ((kind == MAT_FACTOR_ILU || kind == MAT_FACTOR_ICC) && InProgram(__builtin_return_address(0))) {
    if (getenv("SUITE_FORCE")) solver = "syncfree";
    (void)MatGetType(A, &mattype);
    if (Log()) fprintf(Log(), "MatGetFactor %s %s %s\n", kind == MAT_FACTOR_ILU ? "ilu" : "icc", Name(solver), Name(mattype));
  }
  return next(A, solver, kind, F);
}

/* PETSc's products and solves with such a matrix put the result where only the GPU looks.  PETSc built with debugging refuses. */
static void LookAtVectors(KSP ksp, Vec b)
{
  static PetscBool said    = PETSC_FALSE;
  Mat              mat[2]  = {NULL, NULL}; /* of products, and of the preconditioner */
  MatType          mattype = NULL;
  VecType          vectype = NULL;

  if (said || !b || !Log() || KSPGetOperators(ksp, &mat[0], &mat[1]) || VecGetType(b, &vectype)) return;
  if (!vectype || strstr(vectype, "cuda")) return;
  for (int k = 0; k < 2 && !said; k++) {
    if (!mat[k] || MatGetType(mat[k], &mattype) || !mattype || !strstr(mattype, "cusparse")) continue;
    said = PETSC_TRUE;
    fprintf(Log(), "VECTORS %s %s\n", mattype, vectype);
  }
}

PetscErrorCode KSPSolve(KSP ksp, Vec b, Vec x)
{
  PetscErrorCode (*next)(KSP, Vec, Vec) = (PetscErrorCode (*)(KSP, Vec, Vec))Next("KSPSolve");
  PetscErrorCode ierr;
  PetscInt       its = 0;

  LookAtVectors(ksp, b); /* before the solve, which may crash for them */
  ierr = next(ksp, b, x);
  if (!ierr) (void)KSPGetIterationNumber(ksp, &its);
  solves++;
  iterations += its;
  return ierr;
}

__attribute__((destructor)) static void WriteTotals(void)
{
  if (Log() && solves) fprintf(Log(), "KSP %ld %ld\n", solves, iterations);
}
