static char help[] = "Times a preconditioner on several processes: PCApply(), KSPSolve(), iterations on a grid that a DMDA distributes.\n\n\
  mpiexec -n N bench_mpi [options]\n\n\
  -points nx,ny,nz     : points of the grid, default 32,32,32; with nz 1 it is two-dimensional\n\
  -dof <n>             : unknowns at each point, densely coupled, default 1\n\
  -per_process         : these are the points of each process: weak scaling\n\
  -processes px,py,pz  : processes along x, y and z; 0, the default, lets MPI_Dims_create() choose; 1,1,0 are slabs, whose rows are\n\
                         numbered as on one process\n\
  -kind ilu|icc        : ilu solves unsymmetric systems by gmres (default), icc symmetric ones by cg\n\
  -reaction <r>        : added to the diagonal, default 1e-3, which reaches some thirty points far; 0 leaves Poisson's equation\n\
  -dm_mat_type <type>  : aij (default) or aijcusparse, with -dm_vec_type cuda\n\
  -repeat <n>          : applies in a series, default 50; the median of five series counts\n\
  -solves <n>          : timed solves, default 3\n\
  -study, -name <text> : columns of the CSV file: what the run belongs to, and the name of the preconditioner\n\
  -csv <file>          : append results\n\
  -label <text>        : name of the machine in the CSV file\n\n\
The preconditioner is chosen by -pc_type, -sub_pc_type and so on; the plugin is loaded by -dll_append PREFIX/lib/libpetscsyncfree.so.\n\
The exit code is 1 if a solve did not converge.\n\n";

/*
  The operators are those of the grids 2d5 and 3d7 of matrices/grid.c: on one process the iteration counts are bench_ksp's.
*/
#include <petscdevice.h>
#include <petscdmda.h>
#include "ksp_measure.h"
#include "mpi_measure.h"
#include "report.h"

static const char csv_header[] = "run,machine,gpu,study,name,kind,reaction,points,processes,ranks,gpus,ranks_per_gpu,rows,ksp,"
                                 "setup_ms,apply_us,in_turn_us,solve_ms,iterations,iteration_us,reason,residual";

typedef struct {
  MPI_Comm    comm;
  PetscMPIInt rank, size;
  PetscBool   symmetric;
  PetscReal   reaction;
  PetscInt    points[3], processes[3]; /* of the whole grid, and how many there are along each side */
  PetscInt    dof;
  PetscInt    gpus;                    /* 0 on the host */
  MpiClock    clock;
  char        study[64], name[64], machine[128], gpu[256];
} Bench;

/* ------------------------------------------------------------ grid ---------------------------------------------------------- */

static PetscErrorCode CreateGrid(const Bench *bench, DM *da)
{
  const PetscInt *n = bench->points, *p = bench->processes;

  PetscFunctionBeginUser;
  PetscCall(DMDACreate3d(bench->comm, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n[0], n[1], n[2], p[0],
                         p[1], p[2], bench->dof, 1, NULL, NULL, NULL, da));
  PetscCall(DMSetFromOptions(*da));
  PetscCall(DMSetUp(*da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Couplings of an unknown f with those of a point: one in dof of the stencil's value; values: row f of the point's rows */
static void Couple(const Bench *bench, PetscReal value, PetscInt f, PetscReal diagonal, PetscScalar values[])
{
  for (PetscInt g = 0; g < bench->dof; g++) values[g] = value / (PetscReal)bench->dof + (g == f ? diagonal : 0);
}

/* Rows of a point.  values: memory for them, [dof][7 dof] */
static PetscErrorCode SetPoint(const Bench *bench, MatStencil row, PetscScalar values[], Mat A)
{
  const PetscInt  dim = bench->points[2] == 1 ? 2 : 3, at[] = {row.i, row.j, row.k}, dof = bench->dof;
  const PetscReal diagonal = 2 * dim + 1 + bench->reaction;
  PetscScalar    *next = values;
  MatStencil      col[7];
  PetscReal       value[7];
  PetscInt        count = 1;

  PetscFunctionBeginUser;
  col[0]   = row;
  value[0] = -1;
  for (PetscInt d = 0; d < dim; d++) {
    for (PetscInt step = -1; step <= 1; step += 2) {
      if (at[d] + step < 0 || at[d] + step >= bench->points[d]) continue;
      col[count] = (MatStencil){.i = row.i + (d == 0) * step, .j = row.j + (d == 1) * step, .k = row.k + (d == 2) * step};
      value[count++] = -1 + (d == 0 && !bench->symmetric ? 0.1 * step : 0); /* convection along x */
    }
  }
  for (PetscInt f = 0; f < dof; f++) {
    for (PetscInt c = 0; c < count; c++, next += dof) Couple(bench, value[c], c ? -1 : f, diagonal, next);
  }
  PetscCall(MatSetValuesBlockedStencil(A, 1, &row, count, col, values, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMat(const Bench *bench, DM da, Mat *A)
{
  PetscInt     xs, ys, zs, xm, ym, zm;
  PetscScalar *values;

  PetscFunctionBeginUser;
  PetscCall(DMCreateMatrix(da, A));
  PetscCall(PetscMalloc1(7 * bench->dof * bench->dof, &values));
  PetscCall(DMDAGetCorners(da, &xs, &ys, &zs, &xm, &ym, &zm));
  for (PetscInt k = zs; k < zs + zm; k++) {
    for (PetscInt j = ys; j < ys + ym; j++) {
      for (PetscInt i = xs; i < xs + xm; i++) PetscCall(SetPoint(bench, (MatStencil){.i = i, .j = j, .k = k}, values, *A));
    }
  }
  PetscCall(PetscFree(values));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  if (bench->symmetric) PetscCall(MatSetOption(*A, MAT_SPD, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Name of the GPUs, and how many of them these processes, all of one host, use */
static PetscErrorCode CountGpus(Bench *bench, Mat A)
{
  PetscDeviceContext dctx;
  PetscDevice        device;
  MatType            type;
  PetscInt           id, used;
  Clock              clock;

  PetscFunctionBeginUser;
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscStrendswith(type, "aijcusparse", &bench->clock.on_gpu));
  PetscCall(ClockCreate(bench->clock.on_gpu, 1, 1, PETSC_INFINITY, &clock));
  PetscCall(ClockGpuName(clock, bench->gpu, sizeof bench->gpu));
  PetscCall(ClockDestroy(&clock));
  if (!bench->clock.on_gpu) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscDeviceContextGetCurrentContext(&dctx));
  PetscCall(PetscDeviceContextGetDevice(dctx, &device));
  PetscCall(PetscDeviceGetDeviceId(device, &id));
  used = (PetscInt)1 << id; /* a bit for each GPU */
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &used, 1, MPIU_INT, MPI_BOR, bench->comm));
  for (; used; used &= used - 1) bench->gpus++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------- run ---------------------------------------------------------- */

static void Sizes(const PetscInt n[3], PetscInt dof, char *text, size_t size)
{
  const int length = snprintf(text, size, "%lldx%lldx%lld", (long long)n[0], (long long)n[1], (long long)n[2]);

  if (dof > 1) (void)snprintf(text + length, size - (size_t)length, ",dof=%lld", (long long)dof);
}

static PetscErrorCode WriteCsv(const Bench *bench, const char *path, PetscInt rows, KSPType ksp, const MpiTimes *times)
{
  FILE *csv;
  char  error[512], text[64];

  PetscFunctionBeginUser;
  PetscCheck(report_open(path, csv_header, &csv, error, sizeof error), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "%s", error);
  report_run(text, sizeof text);
  report_text(csv, true, text);
  report_text(csv, false, bench->machine);
  report_text(csv, false, bench->gpu);
  report_text(csv, false, bench->study);
  report_text(csv, false, bench->name);
  report_text(csv, false, bench->symmetric ? "icc" : "ilu");
  report_number(csv, (double)bench->reaction);
  Sizes(bench->points, bench->dof, text, sizeof text);
  report_text(csv, false, text);
  Sizes(bench->processes, 1, text, sizeof text);
  report_text(csv, false, text);
  report_number(csv, bench->size);
  report_number(csv, (double)bench->gpus);
  report_number(csv, bench->gpus ? bench->size / (double)bench->gpus : NAN);
  report_number(csv, (double)rows);
  report_text(csv, false, ksp);
  report_number(csv, 1e3 * times->setup);
  report_number(csv, 1e6 * times->apply);
  report_number(csv, 1e6 * times->in_turn);
  report_number(csv, 1e3 * times->solve);
  report_number(csv, (double)times->iterations);
  report_number(csv, 1e6 * times->solve / (double)times->iterations);
  report_text(csv, false, KSPConvergedReasons[times->reason]);
  report_number(csv, (double)times->residual);
  PetscCheck(fputc('\n', csv) != EOF && !fclose(csv), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "%s cannot be written", path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintTimes(const Bench *bench, const MpiTimes *times)
{
  char points[64], processes[64];

  PetscFunctionBeginUser;
  Sizes(bench->points, bench->dof, points, sizeof points);
  Sizes(bench->processes, 1, processes, sizeof processes);
  PetscCall(PetscPrintf(bench->comm, "%s, %s on %s processes, %" PetscInt_FMT " GPUs, %s: set-up %.1f ms, apply %.1f us, in turn %.1f us, ",
                        bench->symmetric ? "icc" : "ilu", points, processes, bench->gpus, bench->name, 1e3 * times->setup,
                        1e6 * times->apply, 1e6 * times->in_turn));
  PetscCall(PetscPrintf(bench->comm, "solve %.1f ms, %" PetscInt_FMT " iterations, residual %.1e, %s\n", 1e3 * times->solve,
                        times->iterations, (double)times->residual, KSPConvergedReasons[times->reason]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The processes along each side, and with -per_process the points of the whole grid */
static PetscErrorCode Distribute(Bench *bench, PetscBool per_process)
{
  int dims[3];

  PetscFunctionBeginUser;
  for (PetscInt d = 0; d < 3; d++) {
    PetscCheck(bench->points[d] > 0, bench->comm, PETSC_ERR_USER_INPUT, "-points must be three positive numbers");
    PetscCheck(bench->processes[d] >= 0, bench->comm, PETSC_ERR_USER_INPUT, "-processes must be three numbers, 0 for a free choice");
    dims[d] = bench->points[d] == 1 ? 1 : (int)bench->processes[d];
  }
  PetscCallMPI(MPI_Dims_create(bench->size, 3, dims));
  for (PetscInt d = 0; d < 3; d++) {
    bench->processes[d] = dims[d];
    if (per_process) bench->points[d] *= dims[d];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadOptions(Bench *bench, char csv[])
{
  const char *const kinds[] = {"ilu", "icc"};
  PetscInt          kind = 0, three = 3;
  PetscBool         per_process = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscOptionsBegin(bench->comm, NULL, "Benchmark of preconditioners on several processes", NULL);
  PetscCall(PetscOptionsIntArray("-points", "Points of the grid", NULL, bench->points, &three, NULL));
  three = 3;
  PetscCall(PetscOptionsIntArray("-processes", "Processes along each side", NULL, bench->processes, &three, NULL));
  PetscCall(PetscOptionsRangeInt("-dof", "Unknowns at each point", NULL, bench->dof, &bench->dof, NULL, 1, 64));
  PetscCall(PetscOptionsBool("-per_process", "The points are those of each process", NULL, per_process, &per_process, NULL));
  PetscCall(PetscOptionsEList("-kind", "Factorization", NULL, kinds, 2, kinds[0], &kind, NULL));
  PetscCall(PetscOptionsReal("-reaction", "Added to the diagonal", NULL, bench->reaction, &bench->reaction, NULL));
  PetscCall(PetscOptionsBoundedInt("-repeat", "Applies in a series", NULL, bench->clock.repeat, &bench->clock.repeat, NULL, 1));
  PetscCall(PetscOptionsRangeInt("-solves", "Timed solves", NULL, bench->clock.solves, &bench->clock.solves, NULL, 1, MAX_SOLVES));
  PetscCall(PetscOptionsString("-study", "What the run belongs to", NULL, bench->study, bench->study, sizeof bench->study, NULL));
  PetscCall(PetscOptionsString("-name", "Name of the preconditioner", NULL, bench->name, bench->name, sizeof bench->name, NULL));
  PetscCall(PetscOptionsString("-csv", "File to append to", NULL, csv, csv, PETSC_MAX_PATH_LEN, NULL));
  PetscCall(PetscOptionsString("-label", "Name of the machine", NULL, bench->machine, bench->machine, sizeof bench->machine, NULL));
  PetscOptionsEnd();
  bench->symmetric = (PetscBool)(kind == 1);
  PetscCall(Distribute(bench, per_process));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateKSP(const Bench *bench, Mat A, KSP *ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPCreate(bench->comm, ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetType(*ksp, bench->symmetric ? KSPCG : KSPGMRES));
  PetscCall(KSPSetTolerances(*ksp, 1e-8, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Bench    bench = {.points  = {32, 32, 32}, .dof = 1, .reaction = 1e-3, .clock = {.repeat = 50, .solves = 3},
                    .study = "none", .name = "unnamed", .machine = "unnamed"};
  char     csv[PETSC_MAX_PATH_LEN] = "";
  DM       da;
  Mat      A;
  Vec      b, x;
  KSP      ksp;
  KSPType  type;
  PetscInt rows;
  MpiTimes times;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  bench.comm = PETSC_COMM_WORLD;
  PetscCallMPI(MPI_Comm_rank(bench.comm, &bench.rank));
  PetscCallMPI(MPI_Comm_size(bench.comm, &bench.size));
  PetscCall(ReadOptions(&bench, csv));
  PetscCall(CreateGrid(&bench, &da));
  PetscCall(CreateMat(&bench, da, &A));
  PetscCall(CreateVecs(A, &b, &x));
  PetscCall(CountGpus(&bench, A));
  PetscCall(CreateKSP(&bench, A, &ksp));
  PetscCall(MpiMeasure(&bench.clock, ksp, A, b, x, &times));
  PetscCall(PrintTimes(&bench, &times));
  PetscCall(KSPGetType(ksp, &type));
  PetscCall(MatGetSize(A, &rows, NULL));
  if (csv[0] && !bench.rank) PetscCall(WriteCsv(&bench, csv, rows, type, &times));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscCall(DMDestroy(&da));
  PetscCall(PetscFinalize());
  return times.reason > 0 ? 0 : 1;
}
