static char help[] =
  "What PCSYNCFREE says of itself as a part of other PCs, and of its sources: a KSPSolve() for -ksp_view and -citations to report of.\n\
  -halves : each half of the processes has a solver, whose options begin with first_ in the first one\n\n";

#include "testing.h"

int main(int argc, char **argv)
{
  KSP         ksp;
  Mat         A;
  Vec         b, x;
  MPI_Comm    comm;
  PetscMPIInt rank, size;
  PetscBool   halves, first;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscCall(PetscOptionsHasName(NULL, NULL, "-halves", &halves));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  first = (PetscBool)(halves && rank < size / 2);
  PetscCallMPI(MPI_Comm_split(PETSC_COMM_WORLD, first, rank, &comm));
  PetscCall(CreateMatrix(comm, NULL, GRID, 8, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(FillVector(b, 0.0));
  PetscCall(KSPCreate(comm, &ksp));
  if (first) PetscCall(KSPSetOptionsPrefix(ksp, "first_"));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCallMPI(MPI_Comm_free(&comm));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test: # lines that fit into a window: those that do not, and descriptions of split
    suffix: view_width
    args: -pc_type syncfree -pc_syncfree_algorithm split -ksp_view
    filter: awk "length > 120 { long++ } /ARL=/ { described++ } END { print long + 0, described }"

  testset:
    args: -pc_type syncfree -ksp_view
    filter: grep -E "levels? of fill|fill ratio|SyncFree I"
    test:
      suffix: view_ilu
      args: -pc_factor_levels 2 -pc_factor_fill 3 -pc_factor_diagonal_fill
    test:
      suffix: view_icc
      args: -pc_syncfree_factor icc -pc_factor_levels 1 -pc_factor_mat_ordering_type rcm

  testset: # petscdiff does not look at blanks, so the lines that have no others in their middle are counted
    nsize: 2
    args: -sub_pc_type syncfree -ksp_view ::ascii_info_detail
    filter: grep -cE "^ +incomplete factorization ilu, made and applied on the (HOST|GPU)$"
    output_file: output/views_citations_view.out
    test:
      suffix: view
      args: -pc_type {{bjacobi asm}}
    test:
      suffix: gpu_view
      requires: cuda
      args: -pc_type {{bjacobi asm}} -mat_type aijcusparse -use_gpu_aware_mpi 0

  testset: # all processes' factors in detail, that of the first one else
    nsize: 2
    args: -pc_type syncfree -mat_type aij
    filter: grep -E "diagonal block|SyncFree I"
    test:
      suffix: view_first
      args: -ksp_view
    test:
      suffix: view_half
      nsize: 4
      args: -ksp_view -halves
      output_file: output/views_citations_view_first.out
    test:
      suffix: view_all
      args: -ksp_view ::ascii_info_detail

  testset:
    args: -pc_type syncfree -citations
    filter: sed -n "/{syncfree/,/note\|year/p"
    test:
      suffix: cited
      args: -pc_syncfree_lower_algorithm split -pc_syncfree_split_parameters policy=cpu-cpu,level=2,first=host-threads,second=host
      args: -pc_syncfree_upper_algorithm host
    test:
      suffix: gpu_cited
      requires: cuda
      args: -mat_type aijcusparse -pc_syncfree_lower_algorithm split
      args: -pc_syncfree_split_parameters policy=gpu-gpu,level=2,first=slfr,second=yuenyeung
      args: -pc_syncfree_upper_algorithm ata
      args: -pc_syncfree_factor_algorithm ata

TEST*/
