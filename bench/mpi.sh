#!/usr/bin/env bash
# A preconditioner on several processes: bench_mpi on grids that grow with the processes, or do not.
#
#   mpi.sh [STUDY ...]              environment: papers/common.sh, and
#   RANKS    numbers of processes (1 2; of the iterations 1 2 4 8 16)
#   POINTS   points a side, of a process in weak and overlap, of the whole grid in strong (32; QUICK 8)
#   DOF      unknowns at a point in weak, strong and overlap (1)
#   MPIEXEC  its path, and options (mpiexec)
#   BUDGET   seconds after which no run is started any more (none)
#
# Studies, each with both kinds unless it says otherwise:
#   weak        a cube of points on each process
#   strong      one cube for all processes
#   overlap     icc. Slabs of equal size on each process; then the same blocks one after the other on one process.  On one GPU: whether
#               processes that share it apply their blocks at the same time
#   iterations  block Jacobi, overlap of 1 and 2, gamg with syncfree as its smoother: how the iterations grow, without
#               the reaction, on grids of 64x64x64 and 512x512 points (QUICK: smaller)
# Writes mpi.csv.
HERE=${BASH_SOURCE[0]%/*}
OUT=${OUT:-${BIN:-build/bench}}
# shellcheck source=bench/papers/common.sh
. "$HERE/papers/common.sh"
read -ra launcher <<<"${MPIEXEC:-mpiexec}"
BUDGET=${BUDGET:-}
POINTS=${POINTS:-$([ "$QUICK" = 1 ] && echo 8 || echo 32)}
DOF=${DOF:-1}
read -ra ranks <<<"${RANKS:-1 2}"
# MPICH: processes that wait give their processor away, for more processes than processors
export MPIR_CVAR_CH4_PROGRESS_THROTTLE=1 MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT=10
# Without an MPI that takes device pointers, halos go through the host.
place=()
[ "$LOCATION" = host ] || place=(-dm_mat_type aijcusparse -dm_vec_type cuda -use_gpu_aware_mpi 0)

# mpi RANKS STUDY NAME KIND OPTIONS...
mpi() {
  local n=$1 study=$2 name=$3 kind=$4
  shift 4
  if [ -n "$BUDGET" ] && [ $SECONDS -ge "$BUDGET" ]; then
    printf '== not run, %d s are over: %s, %s, %s, %d processes\n' "$BUDGET" "$study" "$name" "$kind" "$n"
    status=1
    return
  fi
  printf '== %s, %d processes, at %d s\n' "$study" "$n" $SECONDS
  "${launcher[@]}" -n "$n" "$BIN/bench_mpi" -dll_append "$PLUGIN" -study "$study" -name "$name" -kind "$kind" -csv "$OUT/mpi.csv" \
    -label "$LABEL" "${place[@]}" "$@" || status=1
}

syncfree() { # PREFIX KIND: sets `options`
  options=("-${1}pc_type" syncfree "-${1}pc_syncfree_factor" "$2")
  [ "$LOCATION" = device ] || options+=("-${1}pc_syncfree_host_threads" 1)
}

ours() { # RANKS STUDY KIND OPTIONS...
  syncfree '' "$3"
  mpi "$1" "$2" syncfree "$3" "${options[@]}" "${@:4}"
}

theirs() { mpi "$1" "$2" "bjacobi+$3" "$3" -pc_type bjacobi -sub_pc_type "$3" "${@:4}"; }

scaling() { # STUDY OPTIONS...
  local kind n
  for kind in icc ilu; do
    for n in "${ranks[@]}"; do
      ours "$n" "$1" $kind "${@:2}"
      theirs "$n" "$1" $kind "${@:2}"
    done
  done
}

weak() { scaling weak -points "$POINTS,$POINTS,$POINTS" -dof "$DOF" -per_process; }
strong() { scaling strong -points "$POINTS,$POINTS,$POINTS" -dof "$DOF"; }

overlap() {
  local n
  for n in "${ranks[@]}"; do
    ours "$n" overlap icc -points "$POINTS,$POINTS,$POINTS" -dof "$DOF" -per_process -processes 1,1,0
    theirs "$n" overlap icc -points "$POINTS,$POINTS,$POINTS" -dof "$DOF" -per_process -processes 1,1,0
    syncfree sub_ icc # by asm: PETSc's bjacobi with several blocks takes the vectors through the host
    mpi 1 overlap "$n blocks of syncfree" icc -points "$POINTS,$POINTS,$((POINTS * n))" -dof "$DOF" -pc_type asm -pc_asm_blocks "$n" \
      -pc_asm_overlap 0 "${options[@]}"
  done
}

counts() { # RANKS KIND OPTIONS...
  local n=$1 kind=$2 overlap asm=restrict
  shift 2
  [ "$kind" = ilu ] || asm=basic # cg needs a symmetric preconditioner
  ours "$n" iterations "$kind" "$@"
  syncfree sub_ "$kind"
  for overlap in 1 2; do
    mpi "$n" iterations "asm, overlap $overlap" "$kind" -pc_type asm -pc_asm_overlap $overlap -pc_asm_type $asm "${options[@]}" "$@"
  done
  syncfree mg_levels_ "$kind"
  mpi "$n" iterations gamg "$kind" -pc_type gamg -mg_levels_ksp_type richardson -mg_levels_ksp_max_it 1 "${options[@]}" "$@"
}

iterations() {
  local n grid cube=64,64,64 square=512,512,1 poisson=(-reaction 0 -solves 1 -repeat 5)
  [ "$QUICK" = 0 ] || cube=12,12,12 square=24,24,1
  read -ra ranks <<<"${RANKS:-1 2 4 8 16}"
  for n in "${ranks[@]}"; do
    for grid in $cube $square; do
      counts "$n" icc -points "$grid" "${poisson[@]}"
      counts "$n" ilu -points "$grid" "${poisson[@]}" -ksp_type bcgs
    done
  done
}

[ $# -gt 0 ] || set -- weak strong overlap
for study; do
  case $study in
  weak | strong | overlap | iterations) $study ;;
  *) printf '%s: no study; there are weak, strong, overlap and iterations\n' "$study" >&2; status=1 ;;
  esac
done
finish
