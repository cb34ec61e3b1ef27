static char help[] = "A preconditioner in the life of a process: alive at PetscFinalize(), in a plugin that PETSc closes and loads\n"
                     "again, and in a process that fork() makes.  The program is not linked with the plugin.\n\n";

#include "testing.h"
#include <sys/wait.h>
#include <unistd.h>

static KSP left[2]; /* of the two rounds, which are not destroyed */

/* So AddressSanitizer does not look for leaks */
PETSC_VISIBILITY_PUBLIC const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
  return "detect_leaks=0";
}

static PetscErrorCode Solve(KSP *ksp, Vec x, Vec b)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(PETSC_COMM_WORLD, NULL, GRID, 60, &A));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscCall(KSPSolve(*ksp, b, x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a new process applies the PC with the bits of y, and destroys it */
static PetscErrorCode Fork(KSP ksp, Vec b, Vec y)
{
  Vec       z;
  PC        pc;
  PetscBool same;
  int       status;
  pid_t     child;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCApply(pc, b, y));
  PetscCall(VecDuplicate(y, &z));
  child = fork();
  if (!child) {
    (void)alarm(20);
    PetscCall(PCApply(pc, b, z));
    PetscCall(VecEqual(y, z, &same));
    PetscCall(PCReset(pc));
    _exit(same ? 0 : 1);
  }
  PetscCheck(child > 0 && waitpid(child, &status, 0) == child, PETSC_COMM_SELF, PETSC_ERR_SYS, "There is no process");
  PetscCall(Says("a new process has the same bits, and resets the PC", (PetscBool)(WIFEXITED(status) && !WEXITSTATUS(status))));
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt code = MPI_Init(&argc, &argv);

  for (PetscInt round = 0; round < 2 && code == MPI_SUCCESS; round++) {
    PetscMPIInt        size;
    KSPConvergedReason reason;
    Vec                b, x;

    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&argc, &argv, NULL, help));
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    PetscCall(VecCreateFromOptions(PETSC_COMM_WORLD, NULL, 1, PETSC_DECIDE, 3600, &b));
    PetscCall(VecDuplicate(b, &x));
    PetscCall(FillVector(b, 0.0));
    PetscCall(Solve(&left[round], x, b));
    PetscCall(KSPGetConvergedReason(left[round], &reason));
    PetscCall(Says("it converges", (PetscBool)(reason > 0)));
    if (size == 1) PetscCall(Fork(left[round], b, x));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscCall(PetscFinalize());
  }
  (void)usleep(20000); /* in which threads without their code would crash */
  return MPI_Finalize();
}

/*TEST

  testset:
    args: -dll_append ${SYNCFREE_LIB} -pc_type syncfree -pc_syncfree_host_threads 2 -malloc_dump no
    test: # twenty times: whether waiting threads are in the code when it goes is a matter of luck
      suffix: 1
      args: -ksp_max_it {{100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119}shared output}
    test:
      suffix: 2
      nsize: 2

TEST*/
