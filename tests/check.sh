#!/usr/bin/env bash
# make check: whether the library works here at all, within a minute.
# shellcheck disable=SC2086 # MPIEXEC may have options
. tests/report.sh

log=$(mktemp)
trap 'rm -f "$log"' EXIT

check() { # WHAT COMMAND...: says so, or shows the output and stops
  local what=$1
  shift
  if timeout 60 "$@" >"$log" 2>&1; then
    echo "$what run successfully"
    ok
  else
    cat "$log"
    bad "$what: $*"
    echo "Please report this with the output above, and with that of \`make info\`."
    finish check
  fi
}

program=$SYNCFREE_TESTS/petsc/compare_petsc
echo "Running SyncFree's check with PETSC_DIR=$PETSC_DIR PETSC_ARCH=$PETSC_ARCH"
check "Triangular sweeps of the kernel library" "$SYNCFREE_TESTS/kernels/sweeps" --quick
check "PETSc program with -pc_type syncfree and 1 MPI process" "$program" -m 5
check "PETSc program with -pc_type syncfree and 2 MPI processes" $MPIEXEC -n 2 "$program" -m 5 -outer_sub_pc_type ilu
if [ -n "$SYNCFREE_GPU" ]; then
  check "PETSc program with -mat_type aijcusparse and 1 MPI process" "$program" -m 5 -mat_type aijcusparse -vec_type cuda
else
  skip "PETSc program on a GPU: there is none, or the library was built without CUDA"
fi
echo "Completed SyncFree's check"
finish check
