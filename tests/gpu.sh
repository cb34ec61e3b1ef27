#!/usr/bin/env bash
# Everything that needs a GPU, on a machine that has one, after `make test-programs`:  tests/gpu.sh [BUILD [FILE...]]
#
# BUILD is the build folder (default build), FILE... are MatrixMarket files or grids for tests/kernels/files.  Each program has a
# time limit, so that a kernel that waits forever is a failure.  The programs on PETSc run if the PETSc that they were built with is on
# this machine.  compute-sanitizer, if there is one, runs the small cases.  SYNCFREE_GPU_PARTS limits the run to some of the parts
# "kernels petsc sanitizers", for a machine that is there for minutes only; the others count as skipped.
. "$(dirname "$0")/report.sh"
cd "$(dirname "$0")/.." || exit

build=${1:-build}
[ $# = 0 ] || shift
export SYNCFREE_TESTS=$build/tests SYNCFREE_LIB=${SYNCFREE_LIB:-$PWD/$build/lib/libpetscsyncfree.so}
export SYNCFREE_GPU=1 SYNCFREE_CUDA_BUILD=1 PYTHONDONTWRITEBYTECODE=1
limit=${SYNCFREE_TEST_TIMEOUT:-900}
parts=${SYNCFREE_GPU_PARTS:-kernels petsc sanitizers}

nvidia-smi -L || { skip 'everything: there is no GPU'; finish gpu; }

# start COMMAND...: runs it beside the others, as many as `jobs` says.  collect WHAT: waits and passes their outputs on in the order of
# their start; adds the counts of their last lines (counts), or counts each as one case (cases).
output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT
commands=()
start() {
  local log=$output/${#commands[@]}
  commands+=("$*")
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
  {
    local begin=$SECONDS status=0
    timeout -k 10 "$limit" "$@" >"$log" 2>&1 || status=$?
    echo $status >"$log.status"
    printf '%5d s, status %d: %s\n' $((SECONDS - begin)) $status "$*" # at once: the rest may be cut off
  } &
}
collect() {
  local k status counts p f s
  wait
  for k in "${!commands[@]}"; do
    status=$(cat "$output/$k.status")
    printf '== %s\n' "${commands[k]}"
    tail -n 200 "$output/$k"
    if [ "$1" = cases ]; then
      if [ "$status" = 0 ]; then ok; else bad "${commands[k]}"; fi
      continue
    fi
    counts=$(sed -n -E 's/^.*: ([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/p' "$output/$k" | tail -n 1)
    read -r p f s <<<"${counts:-0 0 0}"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    if [ "$status" -ne 0 ] && [ "$f" = 0 ]; then bad "${commands[k]} ended with status $status"; fi
  done
  commands=()
}

if [[ $parts = *kernels* ]]; then
  jobs=${SYNCFREE_GPU_JOBS:-1} # processes take turns on a GPU, by slices that are long beside these programs' kernels
  for program in "$SYNCFREE_TESTS"/kernels/*; do
    case $program in
    */stress | *.so) ;;
    */files) start "$program" --quick "${@:-3d7:32x32x32}" ;;
    *) start "$program" ;;
    esac
  done
  collect counts
  start "$SYNCFREE_TESTS/kernels/stress" 2000 # alone, since it keeps the multiprocessors busy
  collect counts
else
  skip 'tests of the kernel library: left out by SYNCFREE_GPU_PARTS'
fi

jobs=${SYNCFREE_GPU_JOBS:-$(( $(nproc) < 8 ? $(nproc) : 8 ))}
if [[ $parts != *petsc* ]]; then
  skip 'programs on PETSc: left out by SYNCFREE_GPU_PARTS'
elif command -v mpiexec >/dev/null && "$SYNCFREE_TESTS/petsc/lifecycle" -help none >/dev/null 2>&1; then
  start python3 tests/petsc_tests.py
  start python3 tests/tutorials.py
  collect counts
else
  skip 'programs on PETSc: it is not on this machine'
fi

if [[ $parts != *sanitizers* ]]; then
  skip 'compute-sanitizer: left out by SYNCFREE_GPU_PARTS'
elif command -v compute-sanitizer >/dev/null; then
  for name in badinput memory shortage split arguments tickets; do # the longest ones first
    start compute-sanitizer --tool memcheck --leak-check full --error-exitcode 9 "$SYNCFREE_TESTS/kernels/$name" --quick --rows 24
  done
  for name in pivots teams; do # they need more rows
    start compute-sanitizer --tool memcheck --leak-check full --error-exitcode 9 "$SYNCFREE_TESTS/kernels/$name" --quick
  done
  every='files --quick 2d5:12x12 3d7:5x5x5' # every algorithm's sweeps, and both factorizations
  # racecheck takes accesses that a warp's arrival at a named barrier orders for a race
  barriers='--kernel-name-exclude kns=strips_kernel --kernel-name-exclude kns=forecast_kernel'
  for tool in 'memcheck --leak-check full' initcheck "racecheck $barriers"; do
    for name in {ways,cut,reuse,levels,streams,concurrent,blocks,columns}' --quick --rows 24' "$every"; do # shellcheck disable=SC2086
      start compute-sanitizer --tool $tool --error-exitcode 9 "$SYNCFREE_TESTS"/kernels/$name
    done
  done
  collect cases
else
  skip 'compute-sanitizer: it is not installed'
fi
finish gpu
