/*
   Threads of the host's sweeps: as many for each process as there are processors for it, however many processes share a machine.
*/
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE /* sched_getaffinity() */
#endif
#include <sched.h>
#include "syncfreeimpl.h"

/*
   SyncFreeShareProcessors - Limits the threads that this process starts without being asked to its share of the machine's processors.

   Collective on `PETSC_COMM_WORLD`

   Note:
   Of processes with c(1), c(2), ... processors that have u different ones together, process k takes c(k) u / (c(1) + c(2) + ...). That is
   c(k) if the processes are bound to processors of their own, and an equal part if they are not bound.  A quota of their control group that
   is less than c(k) takes the place of u: it is taken to be the quota of all.
*/
PetscErrorCode SyncFreeShareProcessors(void)
{
#if defined(__linux__)
  cpu_set_t   mine, all;
  MPI_Comm    node;
  PetscMPIInt count, sum, usable;

  PetscFunctionBegin;
  CPU_ZERO(&mine);
  CPU_ZERO(&all);
  if (sched_getaffinity(0, sizeof(mine), &mine)) CPU_SET(0, &mine); /* more processors than a cpu_set_t has: one thread */
  count = (PetscMPIInt)CPU_COUNT(&mine);
  PetscCallMPI(MPI_Comm_split_type(PETSC_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  PetscCallMPI(MPIU_Allreduce(&mine, &all, (PetscMPIInt)sizeof(mine), MPI_BYTE, MPI_BOR, node));
  PetscCallMPI(MPIU_Allreduce(&count, &sum, 1, MPI_INT, MPI_SUM, node));
  PetscCallMPI(MPI_Comm_free(&node));
  sptrsvLimitThreads(0);
  usable = sptrsvProcessors() < count ? sptrsvProcessors() : CPU_COUNT(&all);
  sptrsvLimitThreads((int)PetscMax(1, (PetscInt64)count * usable / sum));
#else
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  sptrsvLimitThreads(PetscMax(1, sptrsvProcessors() / size));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}
