/* mpi_measure.c - Clocks and measurements of bench_mpi. */
#include "mpi_measure.h"
#include <petscdevice.h>
#include <petsctime.h>
#include "ksp_measure.h"
#include "report.h"

enum { SERIES = 5 };

/* Wall clock after all work of this process has ended */
static PetscErrorCode WallTime(const MpiClock *clock, PetscLogDouble *now)
{
  PetscFunctionBeginUser;
  if (clock->on_gpu) {
    PetscDeviceContext dctx;

    PetscCall(PetscDeviceContextGetCurrentContext(&dctx));
    PetscCall(PetscDeviceContextSynchronize(dctx));
  }
  PetscCall(PetscTime(now));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of an apply of this process, in a series without a wait until its end, as in a Krylov solver whose host runs ahead */
static PetscErrorCode TimeSeries(const MpiClock *clock, PC pc, Vec b, Vec x, double *seconds)
{
  PetscLogDouble start, stop;

  PetscFunctionBeginUser;
  PetscCall(WallTime(clock, &start));
  for (PetscInt k = 0; k < clock->repeat; k++) PetscCall(PCApply(pc, b, x));
  PetscCall(WallTime(clock, &stop));
  *seconds = (stop - start) / (PetscLogDouble)clock->repeat;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An apply of all processes at once: the slowest process counts */
static PetscErrorCode TimeAtOnce(const MpiClock *clock, PC pc, Vec b, Vec x, double *seconds)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)pc);
  double         series[SERIES];

  PetscFunctionBeginUser;
  for (PetscInt k = -1; k < SERIES; k++) { /* the first one warms up */
    PetscCallMPI(MPI_Barrier(comm));
    PetscCall(TimeSeries(clock, pc, b, x, &series[PetscMax(k, 0)]));
  }
  *seconds = report_median(series, SERIES);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sum over the processes of an apply while the others wait; only for PCs whose applies do not communicate */
static PetscErrorCode TimeInTurn(const MpiClock *clock, PC pc, Vec b, Vec x, double *seconds)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)pc);
  double         series[SERIES];
  PetscBool      local;
  PetscMPIInt    rank, size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &local, "syncfree", PCBJACOBI, ""));
  *seconds = NAN;
  if (!local) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscMPIInt turn = 0; turn < size; turn++) {
    PetscCallMPI(MPI_Barrier(comm));
    if (turn != rank) continue;
    for (PetscInt k = 0; k < SERIES; k++) PetscCall(TimeSeries(clock, pc, b, x, &series[k]));
  }
  *seconds = report_median(series, SERIES);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_SUM, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TimeSetUp(const MpiClock *clock, KSP ksp, double *seconds)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)ksp);
  PetscLogDouble start, stop;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Barrier(comm));
  PetscCall(WallTime(clock, &start));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPSetUpOnBlocks(ksp));
  PetscCall(WallTime(clock, &stop));
  *seconds = stop - start;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TimeSolves(const MpiClock *clock, KSP ksp, Vec b, Vec x, double *seconds)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)ksp);
  double         times[MAX_SOLVES];

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < clock->solves; k++) {
    PetscLogDouble start, stop;

    PetscCallMPI(MPI_Barrier(comm));
    PetscCall(WallTime(clock, &start));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(WallTime(clock, &stop));
    times[k] = stop - start;
  }
  *seconds = report_median(times, (int)clock->solves);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MpiMeasure(const MpiClock *clock, KSP ksp, Mat A, Vec b, Vec x, MpiTimes *times)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(TimeSetUp(clock, ksp, &times->setup));
  PetscCall(TimeSolves(clock, ksp, b, x, &times->solve));
  PetscCall(KSPGetIterationNumber(ksp, &times->iterations));
  PetscCall(KSPGetConvergedReason(ksp, &times->reason));
  PetscCall(RelativeResidual(A, b, x, &times->residual));
  PetscCall(TimeAtOnce(clock, pc, b, x, &times->apply));
  PetscCall(TimeInTurn(clock, pc, b, x, &times->in_turn));
  PetscFunctionReturn(PETSC_SUCCESS);
}
