static char help[] =
  "A solve with PCSYNCFREE on several processes beside one with PETSc's own factorizations in the same blocks, by options with the\n\
  prefixes ours_ and theirs_: numbers of iterations, solutions and blocks.\n\
  -kind (grid|spd), -m size\n\n";

#include "testing.h"

static PetscErrorCode CreateSolver(Mat A, MatrixKind kind, const char prefix[], KSP *ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetOptionsPrefix(*ksp, prefix));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetType(*ksp, kind == SPD ? KSPCG : KSPGMRES));
  PetscCall(KSPSetTolerances(*ksp, 1.e-8, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetErrorIfNotConverged(*ksp, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(Mat A, KSP ksp, Vec *x, PetscInt *iterations)
{
  Vec b;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, x, &b));
  PetscCall(FillVector(b, 0.0));
  PetscCall(KSPSolve(ksp, b, *x));
  PetscCall(KSPGetIterationNumber(ksp, iterations));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of type syncfree on the process that has the fewest of them */
static PetscErrorCode CountBlocks(KSP ksp, PetscInt *count)
{
  PC        pc;
  KSP      *sub = NULL;
  PetscInt  blocks = 0;
  PetscBool bjacobi, schwarz, ours;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCBJACOBI, &bjacobi));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCASM, &schwarz));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCSYNCFREE, &ours));
  if (bjacobi) PetscCall(PCBJacobiGetSubKSP(pc, &blocks, NULL, &sub));
  if (schwarz) PetscCall(PCASMGetSubKSP(pc, &blocks, NULL, &sub));
  *count = ours;
  for (PetscInt k = 0; k < blocks; k++) {
    PetscCall(KSPGetPC(sub[k], &pc));
    PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCSYNCFREE, &ours));
    *count += ours;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, count, 1, MPIU_INT, MPI_MIN, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat        A, H; /* of the type asked for, and on the host */
  KSP        ours, theirs;
  Vec        x, hx;
  PetscInt   m = 24, its, hits, blocks;
  PetscReal  distance = 0.0;
  MatrixKind kind = GRID;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Options of this test", NULL);
  PetscCall(PetscOptionsEnum("-kind", "Matrix", NULL, MatrixKinds, (PetscEnum)kind, (PetscEnum *)&kind, NULL));
  PetscCall(PetscOptionsInt("-m", "Size of the grid", NULL, m, &m, NULL));
  PetscOptionsEnd();
  PetscCall(CreateMatrix(PETSC_COMM_WORLD, NULL, kind, m, &A));
  PetscCall(CreateMatrix(PETSC_COMM_WORLD, MATAIJ, kind, m, &H));
  PetscCall(CreateSolver(A, kind, "ours_", &ours));
  PetscCall(CreateSolver(H, kind, "theirs_", &theirs));
  PetscCall(Solve(A, ours, &x, &its));
  PetscCall(Solve(H, theirs, &hx, &hits));
  PetscCall(CountBlocks(ours, &blocks));
  PetscCall(Distance(x, hx, &distance));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "blocks of each process: %" PetscInt_FMT "\n", blocks));
  PetscCall(Says("iterations of PETSc's own", (PetscBool)(its == hits)));
  PetscCall(Says("its solution", (PetscBool)(distance < 1.e6 * PETSC_MACHINE_EPSILON)));
  if (its != hits) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " in place of %" PetscInt_FMT "\n", its, hits));
  PetscCall(KSPDestroy(&ours));
  PetscCall(KSPDestroy(&theirs));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&hx));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&H));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset: # -pc_type syncfree alone is bjacobi with a block for each process
    nsize: {{2 4}}
    output_file: output/parallel_1.out
    args: -ours_pc_type syncfree -theirs_pc_type bjacobi
    test:
      suffix: ilu
      args: -theirs_sub_pc_type ilu
    test:
      suffix: icc
      args: -kind spd -ours_pc_syncfree_factor icc -theirs_sub_pc_type icc
    test: # both halves
      suffix: symmetric
      args: -kind spd -ours_pc_syncfree_factor icc -theirs_sub_pc_type icc
      args: -ours_ksp_type gmres -ours_ksp_pc_side symmetric -theirs_ksp_type gmres -theirs_ksp_pc_side symmetric
    test:
      suffix: gpu_ilu
      requires: cuda
      args: -mat_type aijcusparse -use_gpu_aware_mpi 0 -theirs_sub_pc_type ilu
    test:
      suffix: gpu_icc
      requires: cuda
      args: -mat_type aijcusparse -use_gpu_aware_mpi 0 -kind spd -ours_pc_syncfree_factor icc -theirs_sub_pc_type icc

  testset: # several blocks on each process
    nsize: {{1 2}}
    output_file: output/parallel_3.out
    args: -ours_pc_type bjacobi -ours_pc_bjacobi_local_blocks 3 -ours_sub_pc_type syncfree
    args: -theirs_pc_type bjacobi -theirs_pc_bjacobi_local_blocks 3
    test:
      suffix: blocks_ilu
      args: -theirs_sub_pc_type ilu
    test:
      suffix: blocks_icc
      args: -kind spd -ours_sub_pc_syncfree_factor icc -theirs_sub_pc_type icc
    test:
      suffix: gpu_blocks_ilu
      requires: cuda
      args: -mat_type aijcusparse -use_gpu_aware_mpi 0 -theirs_sub_pc_type ilu
    test:
      suffix: gpu_blocks_icc
      requires: cuda
      args: -mat_type aijcusparse -use_gpu_aware_mpi 0 -kind spd -ours_sub_pc_syncfree_factor icc -theirs_sub_pc_type icc

  testset: # cg needs the symmetric sum over the overlap
    nsize: {{2 4}}
    output_file: output/parallel_1.out
    args: -ours_pc_type asm -ours_pc_asm_overlap 1 -ours_sub_pc_type syncfree -theirs_pc_type asm -theirs_pc_asm_overlap 1
    test:
      suffix: overlap1_ilu
      args: -theirs_sub_pc_type ilu
    test:
      suffix: overlap1_icc
      args: -kind spd -ours_sub_pc_syncfree_factor icc -theirs_sub_pc_type icc -ours_pc_asm_type basic -theirs_pc_asm_type basic
    test:
      suffix: gpu_overlap1_ilu
      requires: cuda
      args: -mat_type aijcusparse -use_gpu_aware_mpi 0 -theirs_sub_pc_type ilu
    test:
      suffix: gpu_overlap1_icc
      requires: cuda
      args: -mat_type aijcusparse -use_gpu_aware_mpi 0 -kind spd -ours_sub_pc_syncfree_factor icc -theirs_sub_pc_type icc
      args: -ours_pc_asm_type basic -theirs_pc_asm_type basic

  testset:
    nsize: {{2 4}}
    output_file: output/parallel_1.out
    args: -ours_pc_type asm -ours_pc_asm_overlap 2 -ours_sub_pc_type syncfree -theirs_pc_type asm -theirs_pc_asm_overlap 2
    test:
      suffix: overlap2_ilu
      args: -theirs_sub_pc_type ilu
    test:
      suffix: overlap2_icc
      args: -kind spd -ours_sub_pc_syncfree_factor icc -theirs_sub_pc_type icc -ours_pc_asm_type basic -theirs_pc_asm_type basic
    test:
      suffix: gpu_overlap2_ilu
      requires: cuda
      args: -mat_type aijcusparse -use_gpu_aware_mpi 0 -theirs_sub_pc_type ilu
    test:
      suffix: gpu_overlap2_icc
      requires: cuda
      args: -mat_type aijcusparse -use_gpu_aware_mpi 0 -kind spd -ours_sub_pc_syncfree_factor icc -theirs_sub_pc_type icc
      args: -ours_pc_asm_type basic -theirs_pc_asm_type basic

  testset: # overlap and several blocks on each process
    nsize: 2
    output_file: output/parallel_2.out
    args: -ours_pc_type asm -ours_pc_asm_local_blocks 2 -ours_sub_pc_type syncfree -theirs_pc_type asm -theirs_pc_asm_local_blocks 2
    args: -theirs_sub_pc_type ilu
    test:
      suffix: overlap_blocks
    test:
      suffix: gpu_overlap_blocks
      requires: cuda
      args: -mat_type aijcusparse -use_gpu_aware_mpi 0

TEST*/
