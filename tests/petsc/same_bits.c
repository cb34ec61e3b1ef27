static char help[] =
    "Processes that each factor the same matrix, in set-ups of their own, choose the same sweeps: their solutions have the same bits.\n\
  -m N: points in each direction; -setups N: by each process.\n\n";

#include "testing.h"

/* A sum of the bits of x, in which places count */
static PetscErrorCode HashBits(Vec x, unsigned long long *hash)
{
  const PetscScalar *a;
  PetscInt           n;

  PetscFunctionBeginUser;
  *hash = 0;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &a));
  for (size_t k = 0; k < (size_t)n * sizeof(*a); k++) *hash = (*hash ^ ((const unsigned char *)a)[k]) * 0x100000001b3ull;
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The hashes of M b and of its transpose's product, by a PC of this process alone */
static PetscErrorCode Apply(MatrixKind kind, PetscInt m, unsigned long long hash[2])
{
  Mat A;
  Vec b, x;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, kind, m, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1.0));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(PCApply(pc, b, x));
  PetscCall(HashBits(x, &hash[0]));
  PetscCall(PCApplyTranspose(pc, b, x));
  PetscCall(HashBits(x, &hash[1]));
  PetscCall(PCDestroy(&pc));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(MatrixKind kind, const char *name, PetscInt m, PetscInt setups)
{
  unsigned long long first[2], hash[2];
  PetscMPIInt        same = 1;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < setups; k++) {
    PetscCall(Apply(kind, m, hash));
    if (!k) PetscCall(PetscArraycpy(first, hash, 2));
    if (!k) PetscCallMPI(MPI_Bcast(first, 2, MPI_UNSIGNED_LONG_LONG, 0, PETSC_COMM_WORLD));
    same = same && first[0] == hash[0] && first[1] == hash[1];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_LAND, PETSC_COMM_WORLD));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: the same bits: %s\n", name, same ? "yes" : "no"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt m = 30, setups = 2;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-m", &m, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-setups", &setups, NULL));
  for (MatrixKind kind = GRID; kind <= SPD; kind++) PetscCall(Compare(kind, MatrixKinds[kind], m, setups));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    nsize: 4
    output_file: output/same_bits_1.out
    test:
      suffix: 1
    test: # large enough for strips in several orders
      suffix: gpu
      requires: cuda
      args: -mat_type aijcusparse -m 200

TEST*/
