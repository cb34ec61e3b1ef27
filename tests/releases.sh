#!/usr/bin/env bash
# releases.sh NAME [PROGRAM...]: the plugin in the PETSc that pkg-config has under this name, which may be of any release from 3.18 on:
# builds it in a folder of its own, checks it, and runs the programs of tests/petsc.  What was counted of all is left for records.py.
. tests/report.sh

prefix_of() { pkg-config --variable=prefix "$1" 2>/dev/null; }
prefix=$(prefix_of "$1" || prefix_of "/usr/lib/petscdir/$1/lib/pkgconfig/petsc.pc") arch= # Debian's complex one is in a folder of its own
if [ -z "$prefix" ]; then
  skip "$1: pkg-config has no PETSc of this name (Debian: $1-dev or lib$1-dev, and libpetsc3.*-dev-examples)"
  finish releases
fi
[ -f "$prefix/lib/petsc/conf/variables" ] || arch=$(basename "$prefix") prefix=$(dirname "$prefix") # as in conf/bootstrap
folder=$SYNCFREE_TESTS/releases/$1
mkdir -p "$folder"

here() {
  env PETSC_DIR="$prefix" PETSC_ARCH="$arch" SYNCFREE_PYTHON="$PYTHON" SYNCFREE_CUDA=0 \
    "${MAKE:-make}" --no-print-directory BUILD="$folder" KERNEL_BUILD="$SYNCFREE_TESTS/releases" OPTIMIZE=-O1 "$@"
}
counted() { # TARGET VARIABLE...: takes over the last line's counts, and sets `counts` to them
  local log=$folder/$1.log
  here -j "$(nproc)" "$@" >"$log" 2>&1
  IFS=' ' read -r -a counts < <(sed -nE 's/^[a-z]+: ([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/p' "$log" | tail -n 1)
  [ ${#counts[@]} = 3 ] || { tail -n 30 "$log"; counts=(0 1 0); }
  grep -A 30 '^FAIL' "$log"
  passed=$((passed + counts[0])) failed=$((failed + counts[1])) skipped=$((skipped + counts[2]))
}

unset MAKEFLAGS MFLAGS
counted check && row=${counts[*]:0:2}
counted petsc-programs PROGRAMS="${*:2}" && row="$row ${counts[*]}"
[ $# = 1 ] || finish releases
version=$(sed -n 's/^PETSC_VERSION *:= *//p' "$folder/petsc.mk")
bits=$(grep -q 'define PETSC_USE_64BIT_INDICES ' "$prefix/${arch:+$arch/}include/petscconf.h" && echo 64 || echo 32)
scalars=$(grep -q 'define PETSC_USE_COMPLEX ' "$prefix/${arch:+$arch/}include/petscconf.h" && echo complex || echo real)
mpi=$(grep -qE 'define PETSC_HAVE_(OMPI|OPENMPI)' "$prefix/${arch:+$arch/}include/petscconf.h" && echo 'Open MPI' || echo MPICH)
{
  echo petsc,indices,scalars,mpi,gpu,check_passed,check_failed,programs_passed,programs_failed,programs_skipped
  echo "$version,$bits,$scalars,$mpi,,${row// /,}"
} >"$folder/releases.csv"
finish releases
